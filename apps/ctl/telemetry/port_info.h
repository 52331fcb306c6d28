/* SPDX-License-Identifier: BSD-3-Clause */
// A port and its process, as telemetry describes them, and functions to show parts of it.
#ifndef DDPCTL_PORT_INFO_H
#define DDPCTL_PORT_INFO_H

#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "common/port_telemetry.h"
#include "common/table.h"
#include "ctl/options.h"

// A change of profiles does not reset the counters of a port.
#define COUNTED_SINCE "counted since the port was created or its statistics were reset\n"

// Open the port that the command line names first. Returns the status.
int port_start(struct port *port, const struct port_options *options);

// The answer to /net_ddp/info with "port", and with "pid", "program" and "file_prefix" of the
// process; NULL with the status set.
json_t *port_info(struct port *port);

// Write a number (reals with three decimals), a text or a list of texts: "gtpu vxlan".
void value_write(const json_t *value, FILE *to);

// Write a format up to its end or a '|', which is returned. {key} stands for a member, {#key} for
// one in hexadecimal; [...] is left out if its first member is missing or empty.
const char *members_write(const json_t *object, const char *format, FILE *to);

// A table with a row for each object of an array: the formats of its cells, with '|' between them.
void items_table(const json_t *items, const char *titles, const char *formats, struct output *out);

double percent(uint64_t part, uint64_t all); // 0 of 0

/* Load-aware RSS: an object with the members of /net_ddp/balance. Thousandths (..._permille) become
 * numbers, and lists arrays. The load of a queue is relative to the mean of all queues; the share
 * of an entry is its part of the port's load. */

// Set it to "on", "off" or a number of milliseconds (NULL: as it is), and read. NULL: port->status.
json_t *balance_read(struct port *port, const char *setting);

// The value of a member, 0 if it is missing.
double balance_number(const json_t *object, const char *key);

// The number of the last interval with packets, 0 if there is none.
uint64_t balance_round(const json_t *balance);
// Remove the intervals and moves up to a round.
void balance_forget(json_t *balance, uint64_t round);

// "queue 3 (load 1.34) to 5 (0.71): entry 17, 1.2% of the load"
void balance_move_write(const json_t *move, FILE *to);
// "entry 17 has 31.2% of the load: 10.0.0.1:1234 > 10.0.0.2:80 UDP"
void balance_bound_write(const json_t *balance, FILE *to);

#endif
