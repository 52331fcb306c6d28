/* SPDX-License-Identifier: BSD-3-Clause */
// An answer of `simulate` or `advise` as a page: one HTML file that needs nothing else. Its script
// draws what is in the JSON; without script it shows the text.
#ifndef DDPCTL_REPORT_REPORT_H
#define DDPCTL_REPORT_REPORT_H

#include "common/output.h"
#include "ctl/options.h"

// Write the answer in this format, as the command does to standard output.
typedef void report_answer_fn(const void *arg, enum format format, struct output *out);

// Show the answer, and write the report if options ask for one. Returns the exit status; an error
// is printed to stderr.
int answer_show_or_report(const struct simulate_options *options, const char *capture,
			  report_answer_fn *answer, const void *arg, struct output *out);

#endif
