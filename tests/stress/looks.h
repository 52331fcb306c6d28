/* SPDX-License-Identifier: BSD-3-Clause */
// A thread that reads all of a port's state while others change it.
#ifndef DDP_TESTS_STRESS_LOOKS_H
#define DDP_TESTS_STRESS_LOOKS_H

#include <stdint.h>

void looks_start(uint16_t port);
// No look is at queues when looks_park() returns, nor begins before looks_resume(): ethdev does not
// let that pass while a port is stopped or started.
void looks_park(void);
void looks_resume(void);
void looks_stop(void);

#endif
