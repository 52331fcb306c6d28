/* SPDX-License-Identifier: BSD-3-Clause */
// One program for the tests of a folder: runs those of the file that is named, each file in a
// process of its own, because EAL starts once and settings of one file are not those of another.
#include "unit.h"

static struct unit *units;

const char *unit_argument;

void unit_add(struct unit *unit) {
	unit->next = units;
	units = unit;
}

int main(int argc, char **argv) {
	unit_argument = argc > 2 ? argv[2] : NULL;
	for (const struct unit *unit = units; unit != NULL; unit = unit->next) {
		if (argc < 2)
			puts(unit->name);
		else if (strcmp(argv[1], unit->name) == 0)
			return unit->run();
	}
	if (argc > 1)
		fprintf(stderr, "no tests '%s'\n", argv[1]);
	return argc < 2 ? 0 : 2;
}
