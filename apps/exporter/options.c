/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <errno.h>
#include <limits.h>

#include "common/output.h"

static const char *format_choice(unsigned int i) {
	static const char *const names[] = {
		[FORMAT_AUTO] = "auto",
		[FORMAT_OPENMETRICS] = "openmetrics",
		[FORMAT_PROMETHEUS] = "prometheus",
		NULL,
	};

	return names[i];
}

#define FIELD(field) OPTION_FIELD(struct exporter_options, field)
#define FLAG(field) OPTION_FLAG(struct exporter_options, field)
#define PATH .min = 1, .max = PATH_MAX - 1

const struct option_row exporter_option_rows[EXPORTER_N_OPTIONS] = {
	{"file-prefix", 0, "NAME", "only processes with this EAL --file-prefix", option_text,
	 FIELD(file_prefix), .min = 1, .max = NAME_MAX, .what = "a file prefix, as given to EAL"},
	{"format", 0, "FORMAT", "text format, by default what the client accepts", option_choice,
	 FIELD(format), .choice = format_choice},
	{"help", 'h', NULL, "show this help", FLAG(help)},
	{"listen", 0, "ADDRESS:PORT",
	 "serve HTTP here (default 127.0.0.1:9477); port 0 is any free one", option_text,
	 FIELD(listen), .min = 1, .max = 255, .what = "an address and a port"},
	{"once", 0, NULL, "write all metrics to standard output and end", FLAG(once)},
	{"run-dir", 0, "DIR", "folder with a folder for each file prefix, by default EAL's",
	 option_text, FIELD(run_dir), PATH, .what = "a folder"},
	{"socket", 0, "FILE", "only the process with this telemetry socket", option_text,
	 FIELD(socket), PATH, .what = "a telemetry socket"},
	{"timeout", 0, "SECONDS", "wait so long for a process in all (default 1)", option_seconds,
	 FIELD(timeout_ms), .min = 0.01, .max = 60, .per_second = 1000,
	 .what = "0.01 to 60 seconds"},
	{"version", 0, NULL, "show the version", FLAG(version)},
};

int exporter_options_read(struct exporter_options *options, int argc, const char **argv,
			  char error[OPTION_ERROR_SIZE]) {
	int n_words;

	*options = (struct exporter_options){.listen = "127.0.0.1:9477", .timeout_ms = 1000};
	n_words =
		options_read(exporter_option_rows, EXPORTER_N_OPTIONS, argc, argv, options, error);
	if (n_words < 0)
		return n_words;
	if (n_words > 0)
		return option_fail(error, "argument '%.64s' means nothing here", argv[1]);
	if (options->socket != NULL && (options->run_dir != NULL || options->file_prefix != NULL))
		return option_fail(error, "--socket excludes --run-dir and --file-prefix");
	return 0;
}

void exporter_help(struct output *out) {
	output_text(out,
		    "usage: ddp-exporter [OPTION]...\n\n"
		    "Serve the counters of all net_ddp ports on this machine to Prometheus.\n\n"
		    "options:\n");
	options_help(exporter_option_rows, EXPORTER_N_OPTIONS, out);
	output_text(out,
		    "\nexit status: 0 ended by SIGINT or SIGTERM, or all written; 1 cannot serve; "
		    "2 wrong\ncommand line; 3 standard output cannot be written\n");
}
