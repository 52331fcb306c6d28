/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "common/strbuf.h"
#include "ctl/simulate/simulation.h"

#define MARK "{{"  // then a letter and "}}": replaced by a part
#define MARK_LEN 5 // characters

// report.html
static const char page[] = {
#include "report_page.h"
	, '\0'};

struct html_report {
	const char *const *argv;
	const char *capture;
	answer_fn *answer;
	const void *arg;
	struct output *out;
};

static void part_write(const struct html_report *report, char part, struct output *to) {
	struct strbuf line;

	switch (part) {
	case 'J':
		report->answer(report->arg, FORMAT_JSON, to);
		break;
	case 'T':
		report->answer(report->arg, FORMAT_TABLE, to);
		break;
	case 'C':
		output_escaped(to, report->capture);
		break;
	default: // the command line
		strbuf_init(&line);
		shell_line(line.to, report->argv);
		output_text(to, strbuf_take(&line));
		strbuf_fini(&line);
	}
}

// Write a part with '<', '>' and '&' escaped, so that it cannot end its element. 0 or -errno.
static int part_embed(const struct html_report *report, char part) {
	int fd = memfd_create("report", MFD_CLOEXEC), c;
	FILE *written = fd < 0 ? NULL : fdopen(fd, "r");
	static struct output to;

	if (written == NULL)
		return -errno; // and the process ends
	output_init(&to, fd);
	part_write(report, part, &to);
	output_flush(&to);
	rewind(written);
	while ((c = getc(written)) != EOF)
		if (c == '<' || c == '>' || c == '&')
			output_printf(report->out, part == 'J' ? "\\u%04x" : "&#%d;", c);
		else
			output_char(report->out, c);
	fclose(written);
	return -to.error;
}

static int page_write(const struct html_report *report) {
	const char *at = page, *mark;
	int ret = 0, closed;

	while (ret == 0 && (mark = strstr(at, MARK)) != NULL) {
		output_mem(report->out, at, mark - at);
		assert(strncmp(mark + sizeof(MARK), "}}", 2) == 0);
		ret = part_embed(report, mark[sizeof(MARK) - 1]);
		at = mark + MARK_LEN;
	}
	output_text(report->out, at);
	closed = -output_close(report->out);
	return ret != 0 ? ret : closed;
}

int answer_show_or_report(const struct simulate_options *options, const char *capture,
			  answer_fn *answer, const void *arg, struct output *out) {
	static struct output to;
	const struct html_report report = {options->base.common.argv, capture, answer, arg, &to};
	struct new_file file;
	int ret;

	answer(arg, options->base.common.format, out);
	output_flush(out); // before errors of the report
	if (options->report == NULL)
		return EXIT_GOOD;
	ret = new_file_open(&file, options->report);
	if (ret >= 0) {
		output_init(&to, ret);
		ret = new_file_end(&file, page_write(&report));
	}
	if (ret == 0)
		return EXIT_GOOD;
	error_print("%s: %s", options->report, strerror(-ret));
	return EXIT_UNREADABLE;
}
