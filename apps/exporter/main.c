/* SPDX-License-Identifier: BSD-3-Clause */
// ddp-exporter: the counters of net_ddp ports for Prometheus.
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/exit_status.h"
#include "common/output.h"
#include "options.h"
#include "server.h"
#include "text.h"

static struct output out;

static int out_close(void) {
	int error = output_close(&out);

	if (error == 0)
		return EXIT_GOOD;
	say(LOG_ERR, "standard output: %s", strerror(error));
	return EXIT_UNREADABLE;
}

static int once(const struct exporter_options *options) {
	struct scrape *before = NULL;
	size_t size;
	char *text = metrics_text(options, options->format == FORMAT_OPENMETRICS, &before, &size);

	if (text == NULL) {
		say(LOG_ERR, "out of memory");
		return EXIT_FAILED;
	}
	output_mem(&out, text, size);
	free(text);
	scrape_destroy(before);
	return out_close();
}

int main(int argc, char **argv) {
	struct exporter_options options;
	char error[OPTION_ERROR_SIZE];

	// Many short-lived threads share one heap, which stays small.
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_TRIM_THRESHOLD, 1 << 20);
	output_init(&out, STDOUT_FILENO);
	if (exporter_options_read(&options, argc, (const char **)argv, error) < 0) {
		say(LOG_ERR, "%s", error);
		return EXIT_USAGE;
	}
	if (options.help) {
		exporter_help(&out);
		return out_close();
	}
	if (options.version) {
		output_printf(&out, "ddp-exporter %s\n", DDP_VERSION);
		return out_close();
	}
	return options.once ? once(&options) : server_run(&options);
}
