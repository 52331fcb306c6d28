/* SPDX-License-Identifier: BSD-3-Clause */
// What a reader has to say about a package.
#include "read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define ERRORS_MAX 20 // told; a file of random bytes has thousands
#define MESSAGE_SIZE 512

static void message_add(struct package_reader *reader, enum ddp_severity severity, uint64_t offset,
			const char *fmt, va_list ap) {
	struct ddp_place place = {
		.file = reader->package->path, .line = offset, .col = DDP_PLACE_BYTE};
	char text[MESSAGE_SIZE];

	vsnprintf(text, sizeof(text), fmt, ap);
	ddp_diag_add(reader->diag, severity, &place, "%s", text);
}

int reader_error(struct package_reader *reader, uint64_t offset, const char *fmt, ...) {
	va_list ap;

	if (reader->n_errors++ < ERRORS_MAX) {
		va_start(ap, fmt);
		message_add(reader, DDP_ERROR, offset, fmt, ap);
		va_end(ap);
	}
	return -EBADMSG;
}

void reader_warn(struct package_reader *reader, uint64_t offset, const char *fmt, ...) {
	va_list ap;

	va_start(ap, fmt);
	message_add(reader, DDP_WARNING, offset, fmt, ap);
	va_end(ap);
}

int reader_end(struct package_reader *reader) {
	struct ddp_place place = {.file = reader->package->path};

	if (reader->n_errors > ERRORS_MAX)
		ddp_error(reader->diag, &place, "and %u errors more",
			  reader->n_errors - ERRORS_MAX);
	return reader->n_errors > 0 ? -EBADMSG : 0;
}
