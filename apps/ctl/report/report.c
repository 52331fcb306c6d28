/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <string.h>

#include "common/new_file.h"
#include "common/strbuf.h"
#include "report_parts.h"

static int page_write(const struct simulation *simulation, const struct report_intro *intro,
		      int fd) {
	static const struct report_intro untold;
	static struct output out;
	struct report report = {
		.out = &out,
		.simulation = simulation,
		.intro = intro == NULL ? &untold : intro,
	};

	output_init(&out, fd);
	report_choose(&report);
	report_page(&report);
	return -output_close(&out);
}

int report_write(const struct simulation *simulation, const struct report_intro *intro,
		 const char *path) {
	struct new_file file;
	int fd = new_file_open(&file, path);

	return fd < 0 ? fd : new_file_end(&file, page_write(simulation, intro, fd));
}

int report_write_or_report(const struct simulation *simulation, const struct report_intro *intro,
			   const struct options *options) {
	int ret;

	if (options->report == NULL)
		return EXIT_GOOD;
	ret = report_write(simulation, intro, options->report);
	if (ret == 0)
		return EXIT_GOOD;
	error_print("%s: %s", options->report, strerror(-ret));
	return EXIT_UNREADABLE;
}
