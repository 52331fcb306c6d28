/* SPDX-License-Identifier: BSD-3-Clause */
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>

#include <time.h>
#include <unistd.h>

#include "base/utf8.h"
#include "common/strbuf.h"

#define NS_PER_S 1000000000
#define FIRST_NS (NS_PER_S / 2)
#define PERIOD_NS (NS_PER_S / 5)
#define BAR_LEN 20
#define NAME_LEN 24

static uint64_t now_ns(void) {
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void bar_text(const struct input *input, double seconds, char *text, size_t size) {
	static const char bar[] = "####################";
	double part = (double)input_position(input) / input->size;
	unsigned int left;

	_Static_assert(sizeof(bar) == BAR_LEN + 1, "a whole bar");
	if (part > 1) // it grows while it is read
		part = 1;
	left = part > 0 ? seconds / part - seconds + 0.5 : 0;
	snprintf(text, size, " [%-*.*s] %3.0f%% of %.1f GB, %u:%02u left", BAR_LEN,
		 (int)(part * BAR_LEN), bar, 100 * part, input->size / 1e9, left / 60, left % 60);
}

void progress_text(const struct capture *capture, double seconds, char text[PROGRESS_TEXT_SIZE]) {
	char name[NAME_LEN + 1], bar[64] = "";

	ddp_escape(path_name(capture->path), name, sizeof(name));
	if (capture->input.size > 0)
		bar_text(&capture->input, seconds, bar, sizeof(bar));
	snprintf(text, PROGRESS_TEXT_SIZE, "%s%s, %" PRIu64 " packets, %.1f million a second", name,
		 bar, capture->n_packets, seconds > 0 ? capture->n_packets / seconds / 1e6 : 0);
}

void progress_begin(struct progress *progress) {
	progress->possible = isatty(STDERR_FILENO);
	progress->shown = false;
	progress->start_ns = now_ns();
	progress->next_ns = progress->start_ns + FIRST_NS;
}

void progress_show(struct progress *progress, const struct capture *capture) {
	char text[PROGRESS_TEXT_SIZE];
	uint64_t now;

	if (!progress->possible)
		return;
	now = now_ns();
	if (now < progress->next_ns)
		return;
	progress->next_ns = now + PERIOD_NS;
	progress->shown = true;
	progress_text(capture, (double)(now - progress->start_ns) / NS_PER_S, text);
	fprintf(stderr, "\r\033[K%s", text);
}

double progress_end(struct progress *progress) {
	if (progress->shown)
		fputs("\r\033[K", stderr);
	return (double)(now_ns() - progress->start_ns) / NS_PER_S;
}
