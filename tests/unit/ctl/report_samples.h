/* SPDX-License-Identifier: BSD-3-Clause */
// Simulations made up to try reports on: what is usual, and whatever could break a page.
#ifndef REPORT_SAMPLES_H
#define REPORT_SAMPLES_H

#include "ctl/report/report.h"

struct report_sample {
	const char *name;
	struct simulation simulation;
	struct report_intro intro;
};

// Samples are counted from 0; NULL beyond the last. They stay until the end.
const struct report_sample *report_sample(unsigned int i);

#endif
