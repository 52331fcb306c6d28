/* SPDX-License-Identifier: BSD-3-Clause */
// The file of --config: one option a line, without its "--", then blanks and its value, which goes
// to the end of the line. A line that begins with '-' is an argument of EAL's. '#' begins a comment
// line. There is no quoting, since a line has one value only.
//
//	# four queues over a NIC
//	-l 0-4
//	--vdev net_ddp0,dev(0000:81:00.0),profile=gtpu
//	rxq 4
//	fwd mac
#ifndef DDP_FWD_CONFIG_FILE_H
#define DDP_FWD_CONFIG_FILE_H

#include <stddef.h>

#include "error.h"

#define CONFIG_FILE_MAX (1 << 20) // bytes of a file

struct config_line {
	const char *name;  // as it is written, with the dashes of EAL's arguments
	const char *value; // NULL: none
	unsigned int number;
};

struct config_file {
	char *text;
	struct config_line *lines; // that have a name
	unsigned int n;
};

// Read a file. 0, or -1 with error; either way config_file_fini() frees what there is.
int config_file_read(struct config_file *file, const char *path, struct error *error);

// The same for its content, which is copied. path is for errors.
int config_file_parse(struct config_file *file, const char *path, const char *text, size_t size,
		      struct error *error);

void config_file_fini(struct config_file *file);

#endif
