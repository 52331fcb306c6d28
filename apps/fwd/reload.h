/* SPDX-License-Identifier: BSD-3-Clause */
// SIGHUP: the configuration file and its profiles are read again, under traffic.
//
// A thread of its own waits for the signal, which all other threads block. It runs beside the
// lcores, so that reading files takes no time of theirs, and gives each net_ddp port of the file
// the profiles of its profile=. If anything in the files is wrong, nothing changes. Other options
// take effect with the next start. Control path.
#ifndef DDP_FWD_RELOAD_H
#define DDP_FWD_RELOAD_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "config.h"
#include "error.h"

struct reload {
	int argc;
	char *const *argv; // as main() was given it
	cpu_set_t cpus;    // of the process, before EAL takes some
	pthread_t thread;
	bool wanted, running;
	atomic_bool ending;
};

// SIGHUP reloads if options come from a file and the signal is not ignored. Then the calling thread
// and those that it creates block it: call this before any other is created.
void reload_init(struct reload *reload, const struct config *config, int argc, char *const *argv);

// Begin to wait, if wanted. A signal that has come since reload_init() counts. EAL and the ports
// are running. 0, or -1 with error.
int reload_start(struct reload *reload, struct error *error);

// End it, after a reload that is under way. The ports are still there.
void reload_stop(struct reload *reload);

#endif
