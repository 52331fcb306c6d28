/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl port capture: run DPDK's own program for captures on a port.
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

// The path of a library that a process has, if its owner can be trusted and LD_PRELOAD can name it.
static char *library_of(FILE *maps, const char *name, char *line, size_t size) {
	struct stat status;

	rewind(maps);
	while (fgets(line, size, maps) != NULL) {
		char *path = strchr(line, '/');

		line[strcspn(line, "\n")] = '\0';
		if (path != NULL && strstr(path, name) != NULL && strpbrk(path, " :") == NULL &&
		    stat(path, &status) == 0 && (status.st_uid == 0 || status.st_uid == geteuid()))
			return path;
	}
	return NULL;
}

// dpdk-dumpcap must have the driver as the process has it, and name the handlers of mempools by the
// same numbers: Debian's testpmd has libraries with handlers that dpdk-dumpcap has not.
static void libraries_match(unsigned int pid) {
	static const char *const libraries[] = {"/librte_net_ddp.so", "/librte_mempool_dpaa.so."};
	const char *before = getenv("LD_PRELOAD"), *library;
	char path[32], line[4096];
	struct strbuf preload;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	maps = fopen(path, "r");
	if (maps == NULL)
		return; // the libraries may be in EAL's folder
	strbuf_init(&preload);
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		library = library_of(maps, libraries[i], line, sizeof(line));
		if (library != NULL)
			fprintf(preload.to, "%s:", library);
	}
	fputs(before != NULL ? before : "", preload.to);
	setenv("LD_PRELOAD", strbuf_take(&preload), true);
	strbuf_fini(&preload);
	fclose(maps);
}

// Returns the exit status of dpdk-dumpcap.
static int program_run(const struct port_options *options, const struct port *port,
		       const char *name) {
	char prefix[sizeof(port->client.file_prefix) + 16], count[24];
	const char *argv[] = {PROGRAM, prefix, "-i", name, "-w", options->write, NULL, NULL, NULL};
	int status, err;
	pid_t pid;

	snprintf(prefix, sizeof(prefix), "--file-prefix=%s", port->client.file_prefix);
	snprintf(count, sizeof(count), "%" PRIu64, options->count);
	if (options->count > 0) {
		argv[6] = "-c";
		argv[7] = count;
	}
	libraries_match(port->client.pid);
	err = posix_spawnp(&pid, PROGRAM, NULL, NULL, (char **)(uintptr_t)argv, environ);
	if (err != 0) {
		error_print(PROGRAM " cannot be run (Debian has it in dpdk-dev): %s",
			    strerror(err));
		return EXIT_UNREADABLE;
	}
	signal(SIGINT, SIG_IGN); // Ctrl-C ends the capture, not what is said of it
	if (waitpid(pid, &status, 0) < 0)
		return EXIT_UNREADABLE;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_UNREADABLE;
}

int cmd_port_capture(const void *arg, struct output *out) {
	const struct port_options *options = arg;
	int status = EXIT_NO;
	json_t *info = NULL;
	const char *option;
	struct port port;

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
	if (status == EXIT_GOOD && options->common.format == FORMAT_JSON)
		json_write(out, json_pack("{sb si ss}", "ok", true, "port", port.id, "file",
					  options->write));
	json_decref(info);
	port_close(&port);
	return status;
}
