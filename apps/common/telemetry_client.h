/* SPDX-License-Identifier: BSD-3-Clause */
// A running process of DPDK, asked through its telemetry socket.
//
// EAL of each process makes a socket in <runtime folder>/dpdk/<file prefix>/. A message to it is a
// command,
// "/path" or "/path,parameters", and the message that comes back one JSON object: {"/path":
// answer}. Before any command the process says who it is. Which process is meant is found out by
// asking them all.
#ifndef COMMON_TELEMETRY_CLIENT_H
#define COMMON_TELEMETRY_CLIENT_H

#include <limits.h>
#include <stddef.h>

#include <jansson.h>

#define TELEMETRY_COMMAND_MAX 1023 // bytes that a process reads of a command
#define TELEMETRY_ERROR_SIZE 1024
#define TELEMETRY_PROGRAM_SIZE 64

struct telemetry_client {
	int fd;
	unsigned int pid;
	char file_prefix[NAME_MAX + 1];
	unsigned int wait_ms; // for an answer
	char *answer;         // room for one
	size_t answer_max;
	char error[TELEMETRY_ERROR_SIZE]; // one line
};

// Connect to the one process with net_ddp that runs. file_prefix (NULL: any) and pid (0: any)
// choose among several. 0, or -errno with the reason in error and nothing to close.
int telemetry_client_open(struct telemetry_client *client, const char *file_prefix,
			  unsigned int pid);
void telemetry_client_close(struct telemetry_client *client);

// Call fn with each process with net_ddp that runs, connected for as long as fn runs. file_prefix
// and pid as above. Why one that is there may have been passed over is in reason, one line, "" for
// nothing. Returns the number of processes.
unsigned int telemetry_clients_each(const char *file_prefix, unsigned int pid,
				    void (*fn)(void *arg, const struct telemetry_client *client),
				    void *arg, char reason[TELEMETRY_ERROR_SIZE]);

// The name of the program that the process runs, "" where it cannot be read.
void telemetry_client_program(const struct telemetry_client *client,
			      char program[TELEMETRY_PROGRAM_SIZE]);

// Wait so long for answers from now on.
void telemetry_client_wait(struct telemetry_client *client, unsigned int ms);

// The answer to a command (parameters may be NULL), null where the process does not know it; the
// caller puts it back with json_decref(). NULL with the reason in error when there is no proper
// answer.
json_t *telemetry_client_ask(struct telemetry_client *client, const char *path,
			     const char *parameters);

#endif
