/* SPDX-License-Identifier: BSD-3-Clause */
// The metrics: which there are, and their samples of a scrape.
#ifndef EXPORTER_FAMILIES_H
#define EXPORTER_FAMILIES_H

#include "exposition.h"
#include "scrape.h"

void families_write(struct exposition *text, const struct scrape *scrape);

// The name of each sample and what it means: for the test of the manual page. false: no more.
bool families_name(unsigned int i, char name[64], const char **help);

#endif
