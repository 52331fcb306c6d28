/* SPDX-License-Identifier: BSD-3-Clause */
// A client of DPDK's telemetry sockets.
//
// EAL makes a socket in <runtime folder>/dpdk/<file prefix>/. A request is a command, "/path" or
// "/path,parameters", and the answer one JSON object: {"/path": answer}. Before the first request
// the process sends its PID. A search for a process connects to all of them.
#ifndef COMMON_TELEMETRY_CLIENT_H
#define COMMON_TELEMETRY_CLIENT_H

#include <limits.h>
#include <stddef.h>

#include <jansson.h>

#define TELEMETRY_COMMAND_MAX 1023 // bytes: processes ignore the rest of a command
#define TELEMETRY_ERROR_SIZE 1024  // bytes
#define TELEMETRY_PROGRAM_SIZE 64  // bytes

struct telemetry_client {
	int fd;
	unsigned int pid;
	char file_prefix[NAME_MAX + 1];
	unsigned int wait_ms; // timeout of an answer
	char *answer;         // buffer
	size_t answer_max;
	char error[TELEMETRY_ERROR_SIZE]; // one line
};

// Connect to the one running process with net_ddp, selected by file_prefix (NULL: any) and pid (0:
// any). 0, or -errno with the reason in error and nothing to close.
int telemetry_client_open(struct telemetry_client *client, const char *file_prefix,
			  unsigned int pid);
void telemetry_client_close(struct telemetry_client *client);

// Call fn for each running process with net_ddp, connected during the call. file_prefix and pid as
// above. reason is one line with the first error that may hide a process; "": none. Returns the
// number of processes.
unsigned int telemetry_clients_each(const char *file_prefix, unsigned int pid,
				    void (*fn)(void *arg, const struct telemetry_client *client),
				    void *arg, char reason[TELEMETRY_ERROR_SIZE]);

// The name of the program of the process, "": unknown.
void telemetry_client_program(const struct telemetry_client *client,
			      char program[TELEMETRY_PROGRAM_SIZE]);

// Set the timeout of later answers.
void telemetry_client_wait(struct telemetry_client *client, unsigned int ms);

// The answer to a command (parameters may be NULL), null if the process does not know it; the
// caller releases it with json_decref(). NULL with the reason in error: there is no valid answer.
json_t *telemetry_client_ask(struct telemetry_client *client, const char *path,
			     const char *parameters);

#endif
