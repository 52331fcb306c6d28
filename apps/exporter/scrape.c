/* SPDX-License-Identifier: BSD-3-Clause */
#include "scrape.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX 64

// Processes that are shared out among threads.
struct work {
	struct scrape *scrape;
	unsigned int timeout_ms;
	atomic_uint next;
	atomic_int rows;
};

static bool name_is_taken(const struct scrape *scrape, const char *name) {
	for (unsigned int i = 0; i < scrape->n_processes; i++)
		if (strcmp(scrape->processes[i].name, name) == 0)
			return true;
	return false;
}

// A second process with the same file prefix, which is no primary one, has a number behind its
// socket's name, ":1".
static void name_set(struct process *process, const struct scrape *scrape, const char *prefix) {
	const char *file = strrchr(process->path, '/');
	const char *number = strchr(file != NULL ? file : process->path, ':');

	snprintf(process->name, sizeof(process->name), "%.200s%.50s", prefix,
		 number != NULL ? number : "");
	if (name_is_taken(scrape, process->name)) // its beginning, or a socket with a strange name
		memcpy(process->name, process->path, sizeof(process->name));
}

static void socket_add(void *arg, const char *file_prefix, const char *path) {
	struct scrape *scrape = arg;
	struct process *process = &scrape->processes[scrape->n_processes];

	if (scrape->n_processes == SCRAPE_PROCESSES_MAX || strlen(path) >= sizeof(process->path)) {
		scrape->n_left_out++;
		return;
	}
	strcpy(process->path, path);
	name_set(process, scrape, file_prefix);
	scrape->n_processes++;
}

// The name of the folder that a socket is in.
static void one_socket_add(struct scrape *scrape, const char *path) {
	const char *end = strrchr(path, '/'), *begin = end;
	char prefix[201];

	while (begin != NULL && begin > path && begin[-1] != '/')
		begin--;
	snprintf(prefix, sizeof(prefix), "%.*s", begin != NULL ? (int)(end - begin) : 0,
		 begin != NULL ? begin : "");
	socket_add(scrape, prefix, path);
}

static void sockets_find(struct scrape *scrape, const struct exporter_options *options) {
	if (options->socket != NULL)
		one_socket_add(scrape, options->socket);
	else
		telemetry_sockets_each(options->run_dir, options->file_prefix, socket_add, scrape,
				       scrape->trouble);
}

static void *processes_read(void *arg) {
	struct work *work = arg;
	unsigned int i;

	while ((i = atomic_fetch_add(&work->next, 1)) < work->scrape->n_processes)
		process_read(&work->scrape->processes[i], work->timeout_ms, &work->rows);
	return NULL;
}

// This thread takes part, so all is read even if no other can be made.
static void all_read(struct work *work) {
	pthread_t threads[THREADS_MAX];
	unsigned int n = 0;

	while (n < THREADS_MAX && n + 1 < work->scrape->n_processes &&
	       pthread_create(&threads[n], NULL, processes_read, work) == 0)
		n++;
	processes_read(work);
	for (unsigned int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static void others_drop(struct scrape *scrape) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < scrape->n_processes; i++) {
		if (scrape->processes[i].is_net_ddp)
			scrape->processes[n++] = scrape->processes[i];
		else
			process_fini(&scrape->processes[i]);
	}
	scrape->n_processes = n;
}

struct scrape *scrape_run(const struct exporter_options *options) {
	double start = seconds_now();
	struct scrape *scrape = calloc(1, sizeof(*scrape));
	struct work work = {
		.scrape = scrape, .timeout_ms = options->timeout_ms, .rows = PROCESS_ROWS_MAX};

	if (scrape == NULL)
		return NULL;
	sockets_find(scrape, options);
	all_read(&work);
	others_drop(scrape);
	scrape->seconds = seconds_now() - start;
	return scrape;
}

void scrape_destroy(struct scrape *scrape) {
	if (scrape == NULL)
		return;
	for (unsigned int i = 0; i < scrape->n_processes; i++)
		process_fini(&scrape->processes[i]);
	free(scrape);
}
