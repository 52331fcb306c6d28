/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl port capture: run DPDK's own program for captures on a port.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/strbuf.h"
#include "ctl/command.h"
#include "ctl/telemetry/port_info.h"

#define PROGRAM "dpdk-dumpcap"

// The EAL option of the process that keeps every other process out, NULL for none.
static const char *kept_out_by(struct port *port) {
	static const char *const options[] = {"--no-huge", "--no-shconf", "--in-memory"};
	json_t *params = telemetry_client_ask(&port->client, "/eal/params", NULL), *param;
	const char *option = NULL;
	size_t i;

	json_array_foreach(params, i, param)
		for (size_t k = 0; k < sizeof(options) / sizeof(options[0]); k++)
			if (json_is_string(param) &&
			    strcmp(json_string_value(param), options[k]) == 0)
				option = options[k];
	json_decref(params);
	return option;
}

// It must have the driver as the process has it, and name the handlers of mempools by the same
// numbers: Debian's testpmd has libraries with handlers that dpdk-dumpcap has not.
static void libraries_match(unsigned int pid) {
	static const char *const libraries[] = {"/librte_net_ddp.so", "/librte_mempool_dpaa.so."};
	char path[32], line[4096];
	struct strbuf preload;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	maps = fopen(path, "r");
	strbuf_init(&preload);
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]) && maps != NULL; i++) {
		rewind(maps);
		while (fgets(line, sizeof(line), maps) != NULL) {
			line[strcspn(line, "\n")] = '\0';
			if (strstr(line, libraries[i]) != NULL) {
				fprintf(preload.to, "%s:", strchr(line, '/'));
				break;
			}
		}
	}
	setenv("LD_PRELOAD", strbuf_take(&preload), false);
	strbuf_fini(&preload);
	if (maps != NULL)
		fclose(maps);
}

// Returns only if the program cannot be run.
static int program_run(const struct port_options *options, const struct port *port,
		       const char *name) {
	struct strbuf prefix, count;
	const char *argv[] = {PROGRAM, NULL, "-i", name, "-w", options->write, NULL, NULL, NULL};

	strbuf_init(&prefix);
	strbuf_init(&count);
	fprintf(prefix.to, "--file-prefix=%s", port->client.file_prefix);
	fprintf(count.to, "%" PRIu64, options->count);
	argv[1] = strbuf_take(&prefix);
	if (options->count > 0) {
		argv[6] = "-c";
		argv[7] = strbuf_take(&count);
	}
	libraries_match(port->client.pid);
	execvp(PROGRAM, (char **)(uintptr_t)argv);
	error_print(PROGRAM " cannot be run (Debian has it in dpdk-dev): %s", strerror(errno));
	strbuf_fini(&prefix);
	strbuf_fini(&count);
	return EXIT_UNREADABLE;
}

int cmd_port_capture(const void *arg, struct output *out) {
	const struct port_options *options = arg;
	int status = EXIT_NO;
	json_t *info = NULL;
	const char *option;
	struct port port;

	(void)out;
	if (options->write == NULL) {
		error_print("which file? (-w FILE)");
		return EXIT_USAGE;
	}
	if (port_start(&port, options) == EXIT_GOOD)
		info = port_info(&port);
	if (info == NULL)
		return port_close(&port);
	option = kept_out_by(&port);
	if (option != NULL)
		error_print("process %u runs with %s: no second process can attach to capture its "
			    "packets",
			    port.client.pid, option);
	else
		status = program_run(options, &port, json_text_of(info, "name"));
	json_decref(info);
	port_close(&port);
	return status;
}
