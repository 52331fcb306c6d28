/* SPDX-License-Identifier: BSD-3-Clause */
#include "input.h"

#include <archive.h>
#include <archive_entry.h>
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/output.h"

#define BUF_SIZE (64 << 10) // bytes
#define POLL_MS 200         // ms, between two checks for an interrupt

volatile sig_atomic_t interrupt_signal;

static void interrupted(int signal_number) {
	interrupt_signal = signal_number;
}

void interrupt_catch(void) {
	static const int signals[] = {SIGINT, SIGTERM};
	struct sigaction action, old;

	memset(&action, 0, sizeof(action));
	action.sa_handler = interrupted;
	action.sa_flags = SA_RESETHAND; // no SA_RESTART: interrupt waiting calls
	for (unsigned int i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}

static int input_fail(struct input *input, const char *what, const char *reason) {
	snprintf(input->error, sizeof(input->error), "%s%s", what, reason);
	return -EIO;
}

static int archive_fail(struct input *input) {
	const char *reason = archive_error_string(input->archive);

	if (interrupt_signal != 0 || input->error[0] != '\0')
		return -EIO;
	if (archive_errno(input->archive) == ENOMEM || reason == NULL)
		return input_fail(input, "", "out of memory");
	return input_fail(input, "cut short or damaged: ", reason);
}

static la_ssize_t fd_read(struct archive *archive, void *arg, const void **buf) {
	struct input *input = arg;
	struct pollfd poll_fd = {.fd = input->fd, .events = POLLIN};
	ssize_t n = -1;

	(void)archive;
	*buf = input->buf;
	while (n < 0 && interrupt_signal == 0) { // an interrupt comes before data
		if (input->pollable && poll(&poll_fd, 1, POLL_MS) <= 0)
			continue;
		if (interrupt_signal != 0)
			break;
		n = read(input->fd, input->buf, BUF_SIZE);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			break;
	}
	if (n >= 0)
		input->position += n;
	else if (interrupt_signal == 0)
		input_fail(input, "", strerror(errno));
	return n;
}

// Use only formats that libarchive decompresses without other programs. Create the entry here and
// use archive_read_open1(): the alternatives crash if memory is short.
static int archive_open(struct input *input) {
	struct archive *archive = input->archive;
	struct archive_entry *entry = archive_entry_new();
	int ret;

	if (entry == NULL)
		no_memory_exit();
	if (archive_read_support_filter_gzip(archive) != ARCHIVE_OK ||
	    archive_read_support_filter_xz(archive) != ARCHIVE_OK ||
	    archive_read_support_filter_zstd(archive) != ARCHIVE_OK ||
	    archive_read_support_format_raw(archive) != ARCHIVE_OK ||
	    archive_read_support_format_empty(archive) != ARCHIVE_OK ||
	    archive_read_set_read_callback(archive, fd_read) != ARCHIVE_OK ||
	    archive_read_set_callback_data(archive, input) != ARCHIVE_OK ||
	    archive_read_open1(archive) != ARCHIVE_OK)
		ret = ARCHIVE_FATAL;
	else
		ret = archive_read_next_header2(archive, entry);
	archive_entry_free(entry);
	input->ended = ret == ARCHIVE_EOF;
	return ret < ARCHIVE_OK ? archive_fail(input) : 0;
}

bool input_is_plain(int fd) {
	static const uint32_t magics[] = {0xa1b2c3d4, 0xd4c3b2a1, 0xa1b23c4d, 0x4d3cb2a1,
					  0x0a0d0d0a};
	uint32_t magic;

	if (pread(fd, &magic, sizeof(magic), lseek(fd, 0, SEEK_CUR)) != sizeof(magic))
		return false;
	for (unsigned int i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (magic == magics[i])
			return true;
	return false;
}

int input_open(struct input *input, int fd, bool whole, bool bounded) {
	struct stat st;
	int ret;

	*input = (struct input){.fd = fd, .pollable = true, .bounded = bounded};
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		input->size = st.st_size;
		input->pollable = false;
	}
	input->plain = whole && !input->pollable && input_is_plain(fd);
	input->buf = calloc_or_exit(2, BUF_SIZE);
	if (input->plain)
		return 0;
	input->archive = archive_read_new();
	if (input->archive == NULL)
		no_memory_exit();
	ret = archive_open(input);
	if (ret < 0)
		input_close(input);
	return ret;
}

void input_close(struct input *input) {
	archive_read_free(input->archive);
	free(input->buf);
	if (input->fd > STDIN_FILENO)
		close(input->fd);
	input->fd = -1;
}

static ssize_t cookie_read(void *cookie, char *to, size_t size) {
	struct input *input = cookie;
	la_int64_t offset;
	const void *at;

	while (input->len == 0 && !input->ended) {
		int ret = archive_read_data_block(input->archive, &at, &input->len, &offset);

		if (ret < ARCHIVE_OK) {
			input->len = 0;
			archive_fail(input);
			return -1;
		}
		input->ended = ret == ARCHIVE_EOF;
		input->at = at;
		if (input->bounded && input->given + input->len > INPUT_EXPANSION_FREE &&
		    input->given + input->len > INPUT_EXPANSION_MAX * input->position) {
			input_fail(input, "",
				   "expands more than 1000 times; --any-expansion reads such a "
				   "capture, too");
			input->len = 0;
			return -1;
		}
	}
	if (input->len == 0)
		return 0;
	size = size < input->len ? size : input->len;
	assert(input->at != NULL);
	memcpy(to, input->at, size);
	input->at += size;
	input->len -= size;
	input->given += size;
	return size;
}

// Return the position, for ftello().
static int cookie_seek(void *cookie, off64_t *offset, int whence) {
	const struct input *input = cookie;

	if (*offset != 0 || whence != SEEK_CUR)
		return -1;
	*offset = input->given;
	return 0;
}

FILE *input_file(struct input *input) {
	const cookie_io_functions_t functions = {.read = cookie_read, .seek = cookie_seek};
	int fd = input->plain ? dup(input->fd) : -1;

	if (!input->plain)
		input->file = fopencookie(input, "r", functions);
	else if (fd >= 0)
		input->file = fdopen(fd, "r");
	if (input->file == NULL && fd >= 0)
		close(fd);
	if (input->file == NULL)
		return NULL;
	setvbuf(input->file, (char *)input->buf + BUF_SIZE, _IOFBF, BUF_SIZE);
	__fsetlocking(input->file, FSETLOCKING_BYCALLER); // one thread reads
	return input->file;
}

uint64_t input_position(const struct input *input) {
	return input->plain ? (uint64_t)ftello(input->file) : input->position;
}

size_t input_left(const struct input *input) {
	return input->len + input->given - ftello(input->file);
}
