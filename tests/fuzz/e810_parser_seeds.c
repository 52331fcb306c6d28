/* SPDX-License-Identifier: BSD-3-Clause */
// The first inputs of the fuzzer of the parser model: every kind of packet, for both packages, in
// all modes.
//
//	e810_parser_seeds FOLDER
#include <stdio.h>
#include <stdlib.h>

#include "unit/package/frames.h"
#include "unit/unit.h"

struct kind {
	const char *name, *words;
	uint16_t os, comms;
	const char *chain;
	enum {
		PLAIN,
		PORTS,
		DOUBLE_VLAN,
	} mode;
	int status;
};

#define NONE UINT16_MAX
#define E810_ERROR 1

static const struct kind kinds[] = {
#include "unit/package/e810_kinds.h"
};

int main(int argc, char **argv) {
	static struct frame frame;
	char path[4096];

	if (argc != 2)
		return 2;
	for (unsigned int i = 0; i < 8 * COUNT(kinds); i++) {
		FILE *out;

		frame_make(&frame, kinds[i / 8].words);
		snprintf(path, sizeof(path), "%s/kind-%u", argv[1], i);
		out = fopen(path, "w");
		if (out == NULL || fputc(i % 8, out) == EOF ||
		    fwrite(frame.bytes, 1, frame.len, out) != frame.len || fclose(out) != 0) {
			perror(path);
			return 1;
		}
	}
	return 0;
}
