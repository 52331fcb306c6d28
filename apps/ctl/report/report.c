/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <stdio.h>
#include <string.h>

#include "common/new_file.h"
#include "common/strbuf.h"
#include "report_parts.h"

static int page_write(const struct simulation *simulation, const struct report_story *story, int fd) {
	static const struct report_story untold;
	static struct output out;
	struct report report = {
		.out = &out,
		.simulation = simulation,
		.story = story == NULL ? &untold : story,
	};

	output_init(&out, fd);
	report_choose(&report);
	report_page(&report);
	return -output_close(&out);
}

int report_write(const struct simulation *simulation, const struct report_story *story,
		 const char *path) {
	struct new_file file;
	int fd = new_file_open(&file, path);

	return fd < 0 ? fd : new_file_end(&file, page_write(simulation, story, fd));
}

int report_or_tell(const struct simulation *simulation, const struct report_story *story,
		   const struct options *options) {
	int ret;

	if (options->report == NULL)
		return EXIT_GOOD;
	ret = report_write(simulation, story, options->report);
	if (ret == 0)
		return EXIT_GOOD;
	error_print("%s: %s", options->report, strerror(-ret));
	return EXIT_UNREADABLE;
}
