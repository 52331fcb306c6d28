/* SPDX-License-Identifier: BSD-3-Clause */
// Load-aware RSS of a port: an object with what /net_ddp/balance says, by the names that it has
// there. Thousandths (..._permille) are numbers, and lists are arrays.
//
// A load of a queue is relative to the mean of all queues; a share of an entry is its part of the
// port's load.
#ifndef DDPCTL_PORT_BALANCE_H
#define DDPCTL_PORT_BALANCE_H

#include <stdint.h>
#include <stdio.h>

#include "common/port_telemetry.h"

// Set it to "on", "off" or a number of milliseconds (NULL: as it is), and read. NULL: port->status.
json_t *balance_read(struct port *port, const char *setting);

// Of a member: 0 without it.
double balance_number(const json_t *object, const char *key);

// Of the last interval with packets, 0 without one.
uint64_t balance_round(const json_t *balance);
// Take away the intervals and moves up to a round.
void balance_forget(json_t *balance, uint64_t round);

// "entry 17 (1.2% of the load) from queue 3 (1.34 of the mean) to queue 5 (0.71)"
void balance_move_write(const json_t *move, FILE *to);
// "entry 17 has 31.2% of the load: 10.0.0.1:1234 > 10.0.0.2:80 UDP"
void balance_bound_write(const json_t *balance, FILE *to);

#endif
