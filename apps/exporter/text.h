/* SPDX-License-Identifier: BSD-3-Clause */
// A scrape as text, and what is told of it on stderr.
#ifndef EXPORTER_TEXT_H
#define EXPORTER_TEXT_H

#include "common/log_line.h"
#include "options.h"
#include "scrape.h"

// All metrics, to be freed; NULL without memory. *before is the scrape before this one, or NULL,
// and becomes this one: a process that begins not to answer is told of once.
char *metrics_text(const struct exporter_options *options, bool openmetrics, struct scrape **before,
		   size_t *size);

// A line to standard error: see log_line().
#define say(priority, ...) log_line("ddp-exporter", priority, __VA_ARGS__)

#endif
