/* SPDX-License-Identifier: BSD-3-Clause */
// The result of `simulate` or `advise` as one self-contained HTML file. Its script draws the JSON;
// without scripts it shows the text.
#ifndef DDPCTL_REPORT_REPORT_H
#define DDPCTL_REPORT_REPORT_H

#include "common/output.h"
#include "ctl/options.h"

// Write the answer in this format, as the command does to standard output.
typedef void report_answer_fn(const void *arg, enum format format, struct output *out);

// Show the answer and write the report of the options. Returns the exit status.
int answer_show_or_report(const struct simulate_options *options, const char *capture,
			  report_answer_fn *answer, const void *arg, struct output *out);

#endif
