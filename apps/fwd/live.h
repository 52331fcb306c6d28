/* SPDX-License-Identifier: BSD-3-Clause */
// The table that people watch while packets flow. On a terminal it is redrawn in place, cut to the
// window; elsewhere one table follows the other and no control characters are written.
#ifndef DDP_FWD_LIVE_H
#define DDP_FWD_LIVE_H

#include <stdbool.h>
#include <stdio.h>

#include "counts.h"

struct live {
	FILE *out;
	bool terminal;
	bool discards;        // output on Ctrl-C, unless we prevent it
	unsigned int n_lines; // on the screen
	struct report now, before;
};

// 0 or -ENOMEM; live_fini() frees it.
int live_init(struct live *live, FILE *out, const struct config *config, const struct ports *ports,
	      const struct workers *workers);

// Take the table off the screen.
void live_fini(struct live *live);

// Show what has come in the seconds since the start. 0, or -EPIPE: nobody reads it any more.
int live_show(struct live *live, const struct workers *workers, double seconds);

#endif
