/* SPDX-License-Identifier: BSD-3-Clause */
// The live table. On a terminal it is redrawn in place and truncated to the window; other output
// has one table after the other, without control characters.
#ifndef DDP_FWD_LIVE_H
#define DDP_FWD_LIVE_H

#include <stdbool.h>
#include <stdio.h>

#include "counts.h"

struct live {
	FILE *out;
	bool terminal;
	bool discards;        // the terminal discards output on Ctrl-C
	unsigned int n_lines; // on the screen
	struct report now, before;
};

// 0 or -ENOMEM; live_fini() frees it.
int live_init(struct live *live, FILE *out, const struct config *config, const struct ports *ports,
	      const struct workers *workers);

// Clear the table.
void live_fini(struct live *live);

// Show the counters after these seconds. 0, or -EPIPE: out has no reader.
int live_show(struct live *live, const struct workers *workers, double seconds);

#endif
