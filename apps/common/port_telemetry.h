/* SPDX-License-Identifier: BSD-3-Clause */
// A net_ddp port of a running process, as telemetry tells of it.
//
// Whatever goes wrong is kept in the port, and told when it is closed:
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
	char error[TELEMETRY_ERROR_SIZE]; // with these, one line
};

// Connect to the process (file prefix NULL, PID 0: any), and find the port of this name or number,
// if one is given (NULL: none). Returns the status; the port is to be closed in any case.
int port_open(struct port *port, const char *file_prefix, unsigned int pid, const char *name);

// Tell what went wrong. Returns the status.
int port_report(struct port *port);

// The same, and close the connection.
int port_close(struct port *port);

// The answer to /net_ddp/<command>,<port>[,<parameter>]: an object, which the caller puts back with
// json_decref(), or NULL. The members that every version of net_ddp gives are there and have the
// right type.
json_t *port_ask(struct port *port, const char *command, const char *parameter);

// An answer to a command makes no sense to the caller. Returns the status.
int port_strange(struct port *port, const char *command);

// The numbers of all ports: an array, which the caller puts back with json_decref(), or NULL.
json_t *port_list(struct port *port);

// Call fn for each item of a list, which is the object <key> in the answers to a command. fn
// returns false for an item that it does not understand. Returns the status.
int port_each(struct port *port, const char *command, const char *key,
	      bool (*fn)(void *arg, unsigned int id, json_t *item), void *arg);

#define PORT_QUEUES_MAX 1024

struct queue {
	uint64_t packets, bytes, missed;
};

// Receive queues: their counters.
struct queues {
	unsigned int n;
	struct queue queues[PORT_QUEUES_MAX];
};

// Returns the status.
int queues_read(struct queues *queues, struct port *port);

// What was counted since an earlier reading; where counters were reset meanwhile, since then.
void queues_subtract(struct queues *now, const struct queues *before);

struct queue queues_sum(const struct queues *queues);

// Of packets received and missed: of all that was meant for a queue.
double queues_imbalance(const struct queues *queues);

// A member, "" where it is no text.
const char *json_text_of(const json_t *object, const char *key);

// Take a value over and write it as one line.
void json_write(struct output *out, json_t *value);

#endif
