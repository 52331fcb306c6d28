/* SPDX-License-Identifier: BSD-3-Clause */
// The front end of an application: a net_ddp port over a device that delivers the packets.
#ifndef JUDGE_PORT_H
#define JUDGE_PORT_H

#include "draw.h"
#include "verdict.h"

// Start EAL. For main(), once.
void port_begin(void);

// Do n bursts get what they must from a port with the subject's profile? Adds the packets to
// n_packets. False with the difference printed.
bool port_agrees(const struct subject *subject, struct draw *draw, struct burst *burst,
		 unsigned int n, uint64_t *n_packets);

#endif
