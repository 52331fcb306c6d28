/* SPDX-License-Identifier: BSD-3-Clause */
// A simulation as a page: one HTML file that needs nothing else, for a screen, light or dark, or
// for paper.
//
//	const struct report_intro story = {.argv = argv};
//
//	ret = report_write(&simulation, &story, "out.html");
#ifndef DDPCTL_REPORT_REPORT_H
#define DDPCTL_REPORT_REPORT_H

#include "ctl/simulate/simulation.h"

// Something to run or to configure, ready to be copied (shell.h quotes).
struct report_command {
	const char *what; // "In testpmd"
	const char *text; // may have several lines
};

// What a page says beyond the numbers. All of it is plain text, and whatever is NULL or 0 is left
// out.
struct report_intro {
	const char *title;       // NULL: "How the packets of <capture> spread"
	const char *const *argv; // the command line that made the report, up to NULL

	const struct candidates *candidates; // of the simulation

	// an advice
	const char *headline;
	const char *const *reasons; // paragraphs, up to NULL
	const struct report_command *commands;
	unsigned int n_commands;
	const struct outcome
		*chosen; // one of the simulation's; NULL: it is the one of least imbalance
};

// Write a page about simulation to the file path, in place of what it had. story may be NULL.
// 0 or -errno: then the file is as it was before, if there was one.
int report_write(const struct simulation *simulation, const struct report_intro *intro,
		 const char *path);

// The report that options ask for, if they do. Returns the exit status; what is wrong goes to
// stderr.
int report_write_or_report(const struct simulation *simulation, const struct report_intro *intro,
			   const struct options *options);

#endif
