/* SPDX-License-Identifier: BSD-3-Clause */
// The command line of ddp-exporter.
#ifndef EXPORTER_OPTIONS_H
#define EXPORTER_OPTIONS_H

#include <stdbool.h>

#include "common/option_table.h"

enum exporter_format {
	FORMAT_AUTO, // what the client asks for
	FORMAT_OPENMETRICS,
	FORMAT_PROMETHEUS,
};

struct exporter_options {
	const char *file_prefix; // NULL: all
	const char *listen;
	const char *run_dir; // NULL: as EAL chooses it
	const char *socket;  // NULL: all of run_dir
	unsigned int format; // enum exporter_format
	unsigned int timeout_ms;
	bool help, once, version;
};

#define EXPORTER_N_OPTIONS 9

extern const struct option_row exporter_option_rows[EXPORTER_N_OPTIONS];

// 0, or -EINVAL with one line in error.
int exporter_options_read(struct exporter_options *options, int argc, const char **argv,
			  char error[OPTION_ERROR_SIZE]);

struct output;

void exporter_help(struct output *out);

#endif
