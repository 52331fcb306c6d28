/* SPDX-License-Identifier: BSD-3-Clause */
// Ctrl-C, for commands that then show what they know so far.
#ifndef DDPCTL_CAPTURE_INTERRUPT_H
#define DDPCTL_CAPTURE_INTERRUPT_H

#include <signal.h>

// The signal that asked to end, 0 for none.
extern volatile sig_atomic_t interrupt_signal;

// From now on SIGINT and SIGTERM only ask to end; the second time they end the process as ever.
void interrupt_catch(void);

#endif
