/* SPDX-License-Identifier: BSD-3-Clause */
// ddp-report-pages FOLDER: write a report of each sample, <name>.html, for tests that look at them
// with a browser.
#include "report_samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
	const struct report_sample *sample;

	if (argc != 2) {
		fputs("usage: ddp-report-pages FOLDER\n", stderr);
		return 2;
	}
	for (unsigned int i = 0; (sample = report_sample(i)) != NULL; i++) {
		char *path;
		int ret;

		if (asprintf(&path, "%s/%s.html", argv[1], sample->name) < 0)
			abort();
		ret = report_write(&sample->simulation, &sample->intro, path);
		if (ret < 0) {
			fprintf(stderr, "ddp-report-pages: %s: %s\n", path, strerror(-ret));
			return 1;
		}
		free(path);
	}
	return 0;
}
