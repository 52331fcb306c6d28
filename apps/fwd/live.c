/* SPDX-License-Identifier: BSD-3-Clause */
#include "live.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

// A background process that changes the terminal is stopped.
static bool is_in_foreground(int fd) {
	return tcgetpgrp(fd) == getpgrp();
}

// On Ctrl-C a terminal discards pending output. Then it has fewer lines than were drawn, and
// clearing the table would clear lines above it. Disable the discarding.
static void interrupt_keep_output(struct live *live) {
	int fd = fileno(live->out);
	struct termios mode;

	if (!is_in_foreground(fd) || tcgetattr(fd, &mode) < 0 || (mode.c_lflag & NOFLSH) != 0)
		return;
	mode.c_lflag |= NOFLSH;
	live->discards = tcsetattr(fd, TCSANOW, &mode) == 0;
}

static void interrupt_discard_output(struct live *live) {
	int fd = fileno(live->out);
	struct termios mode;

	if (!live->discards || !is_in_foreground(fd) || tcgetattr(fd, &mode) < 0)
		return;
	mode.c_lflag &= ~(tcflag_t)NOFLSH;
	tcsetattr(fd, TCSANOW, &mode);
}

int live_init(struct live *live, FILE *out, const struct config *config, const struct ports *ports,
	      const struct workers *workers) {
	memset(live, 0, sizeof(*live));
	live->out = out;
	live->terminal = isatty(fileno(out));
	if (live->terminal)
		interrupt_keep_output(live);
	if (report_init(&live->now, config, ports, workers) < 0 ||
	    report_init(&live->before, config, ports, workers) < 0)
		return -ENOMEM;
	return 0;
}

// Clear the screen from the begin of the last table on. The terminal may have printed "^C".
static void screen_clear(struct live *live) {
	if (live->n_lines != 0)
		fprintf(live->out, "\r\033[%uA\033[J", live->n_lines);
	live->n_lines = 0;
}

void live_fini(struct live *live) {
	if (live->terminal && live->out != NULL) {
		screen_clear(live);
		fflush(live->out);
		interrupt_discard_output(live);
	}
	report_fini(&live->now);
	report_fini(&live->before);
}

// The length of the whole words of a line that fit, because a part of a number is wrong.
static size_t line_fit(const char *line, size_t len, size_t columns) {
	if (len <= columns)
		return len;
	for (len = columns; len > 0 && line[len] != ' '; len--)
		;
	return len;
}

// Draw the text that fits: after wrapped lines or scrolling, the next table would not replace this
// one.
static void screen_draw(struct live *live, const char *text) {
	struct winsize window = {0};
	unsigned int rows = 24, columns = 80;

	if (ioctl(fileno(live->out), TIOCGWINSZ, &window) == 0 && window.ws_row > 1) {
		rows = window.ws_row;
		columns = window.ws_col;
	}
	screen_clear(live);
	while (*text != '\0' && live->n_lines + 1 < rows) {
		size_t len = strcspn(text, "\n");

		fprintf(live->out, "%.*s\n", (int)line_fit(text, len, columns), text);
		text += len + (text[len] == '\n');
		live->n_lines++;
	}
}

// The sums come first, so that small windows show them.
static char *table_text(struct live *live, double seconds) {
	const struct report *now = &live->now, *before = &live->before;
	double period = seconds - before->seconds;
	struct latency_report last = report_latency_since(now, before);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	fprintf(out,
		"%.1f s, %.3f Mpps, %.3f Gbit/s, %" PRIu64 " packets, %" PRIu64
		" dropped%simbalance %.3f",
		seconds, (now->packets - before->packets) / period / 1e6,
		(now->bytes - before->bytes) * 8 / period / 1e9, now->packets, now->drops,
		live->terminal ? "\n" : ", ", now->imbalance);
	report_print_work(now, out);
	fputc('\n', out);
	report_print_latency(now, &last, period, out);
	report_print_balance(now, out);
	report_print_queues(now, before, period, out);
	if (!live->terminal)
		fputc('\n', out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

int live_show(struct live *live, const struct workers *workers, double seconds) {
	struct report earlier = live->before;
	char *text;

	live->before = live->now;
	live->now = earlier; // reuse the buffer
	report_collect(&live->now, workers, seconds);
	text = table_text(live, seconds);
	if (text == NULL)
		return 0;
	if (live->terminal)
		screen_draw(live, text);
	else
		fputs(text, live->out);
	free(text);
	// EIO: the terminal is gone, and SIGHUP may be ignored.
	return fflush(live->out) != 0 && (errno == EPIPE || errno == EIO) ? -EPIPE : 0;
}
