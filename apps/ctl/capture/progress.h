/* SPDX-License-Identifier: BSD-3-Clause */
// How far reading a capture is, how fast and for how long still: one line on a terminal, where it
// takes long enough to wonder.
#ifndef DDPCTL_CAPTURE_PROGRESS_H
#define DDPCTL_CAPTURE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture.h"

struct progress {
	bool possible; // standard error is a terminal
	bool shown;
	uint64_t start_ns, next_ns;
};

#define PROGRESS_TEXT_SIZE 160

void progress_begin(struct progress *progress);
void progress_show(struct progress *progress, const struct capture *capture);
// Erase the line. Returns the seconds since progress_begin().
double progress_end(struct progress *progress);

// The line, after so many seconds.
void progress_text(const struct capture *capture, double seconds, char text[PROGRESS_TEXT_SIZE]);

#endif
