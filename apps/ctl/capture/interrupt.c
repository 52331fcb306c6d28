/* SPDX-License-Identifier: BSD-3-Clause */
#include "interrupt.h"

#include <string.h>

volatile sig_atomic_t interrupt_signal;

static void interrupted(int signal_number) {
	interrupt_signal = signal_number;
}

void interrupt_catch(void) {
	static const int signals[] = {SIGINT, SIGTERM};
	struct sigaction action, old;

	memset(&action, 0, sizeof(action));
	action.sa_handler = interrupted;
	action.sa_flags = SA_RESETHAND; // and no SA_RESTART: what waits is to look up
	for (unsigned int i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}
