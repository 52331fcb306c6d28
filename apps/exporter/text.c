/* SPDX-License-Identifier: BSD-3-Clause */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "families.h"

static const struct process *process_find(const struct scrape *scrape, const char *path) {
	for (unsigned int i = 0; scrape != NULL && i < scrape->n_processes; i++)
		if (strcmp(scrape->processes[i].path, path) == 0)
			return &scrape->processes[i];
	return NULL;
}

// Once for each time that a process begins not to answer.
static void failures_say(const struct scrape *now, const struct scrape *before) {
	if (now->trouble[0] != '\0' &&
	    (before == NULL || strcmp(now->trouble, before->trouble) != 0))
		say(LOG_WARNING, "%s", now->trouble);
	if (now->n_left_out > 0 && (before == NULL || before->n_left_out == 0))
		say(LOG_WARNING, "more than %d telemetry sockets: the rest is left out",
		    SCRAPE_PROCESSES_MAX);
	for (unsigned int i = 0; i < now->n_processes; i++) {
		const struct process *process = &now->processes[i];
		const struct process *earlier = process_find(before, process->path);

		if (!process->up && (earlier == NULL || earlier->up))
			say(LOG_WARNING, "%s: %s", process->path, process->error);
	}
}

char *metrics_text(const struct exporter_options *options, bool openmetrics, struct scrape **before,
		   size_t *size) {
	struct scrape *scrape = scrape_run(options);
	struct exposition text = {.openmetrics = openmetrics};
	char *written = NULL;

	if (scrape == NULL)
		return NULL;
	failures_say(scrape, *before);
	text.to = open_memstream(&written, size);
	if (text.to != NULL) {
		families_write(&text, scrape);
		if (fclose(text.to) != 0) {
			free(written);
			written = NULL;
		}
	}
	for (unsigned int i = 0; i < scrape->n_processes; i++)
		process_forget(&scrape->processes[i]); // only who answered matters later
	scrape_destroy(*before);
	*before = scrape;
	return written;
}
