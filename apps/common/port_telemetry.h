/* SPDX-License-Identifier: BSD-3-Clause */
// A net_ddp port of a running process, read by telemetry.
//
// The port stores errors, and prints them when it is closed:
//
//	if (port_open(&port, options) == EXIT_GOOD)
//		...
//	return port_close(&port);
#ifndef COMMON_PORT_TELEMETRY_H
#define COMMON_PORT_TELEMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "output.h"
#include "telemetry_client.h"

struct port {
	struct telemetry_client client;
	unsigned int id;
	int status; // EXIT_NO: the process refuses; EXIT_UNREADABLE: no proper answer
	char error[TELEMETRY_ERROR_SIZE]; // one line, unless status is EXIT_GOOD
};

// Connect to the process (file prefix NULL, PID 0: any), and find the port of this name or number
// (NULL: none). Returns the status; the caller closes the port in any case.
int port_open(struct port *port, const char *file_prefix, unsigned int pid, const char *name);

// Print the error, if there is one. Returns the status.
int port_report(struct port *port);

// Print the error, and close the connection. Returns the status.
int port_close(struct port *port);

// The answer to /net_ddp/<command>,<port>[,<parameter>]: an object that the caller releases with
// json_decref(), or NULL. Members that every version of net_ddp has are present and have the right
// type.
json_t *port_ask(struct port *port, const char *command, const char *parameter);

// Report an invalid answer to a command. Returns the status.
int port_strange(struct port *port, const char *command);

// The numbers of all ports: an array that the caller releases with json_decref(), or NULL.
json_t *port_list(struct port *port);

// Call fn for each item of a list, the object <key> in all answers to a command. fn returns false
// for an invalid item. Returns the status.
int port_each(struct port *port, const char *command, const char *key,
	      bool (*fn)(void *arg, unsigned int id, json_t *item), void *arg);

#define PORT_QUEUES_MAX 1024 // queues

struct queue {
	uint64_t packets, bytes, missed;
};

// Counters of the Rx queues.
struct queues {
	unsigned int n;
	struct queue queues[PORT_QUEUES_MAX];
};

// Returns the status.
int queues_read(struct queues *queues, struct port *port);

// Subtract an earlier reading; if counters were reset since then, count from the reset.
void queues_subtract(struct queues *now, const struct queues *before);

struct queue queues_sum(const struct queues *queues);

// The imbalance of received and missed packets.
double queues_imbalance(const struct queues *queues);

// A string member; "": it is missing or no string.
const char *json_text_of(const json_t *object, const char *key);

// Write a value as one line and release it.
void json_write(struct output *out, json_t *value);

#endif
