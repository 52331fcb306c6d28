/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream.h"

#include <errno.h>
#include <lzma.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "interrupt.h"

#define IN_SIZE (256 << 10)
#define POLL_MS 200           // between two looks whether to end
#define XZ_MEMORY (128 << 20) // what xz -9 writes needs half of it; zstd's own limit is the same

struct span {
	const uint8_t *in;
	size_t in_len;
	uint8_t *out;
	size_t out_len;
};

// A decoder moves both ends of the span. Returns 1 at the end of a piece (what follows may be another one),
// 0 to go on, -EIO with the reason in error.
struct stream_format {
	const char *name;
	const char *magic;
	size_t magic_len;
	void *(*create)(void);
	int (*decode)(void *decoder, struct span *span, const char **error);
	void (*destroy)(void *decoder);
};

/* gzip */

static void *gzip_create(void) {
	z_stream *z = calloc(1, sizeof(*z));

	if (z != NULL && inflateInit2(z, MAX_WBITS + 16) != Z_OK) { // 16: gzip's header
		free(z);
		return NULL;
	}
	return z;
}

static int gzip_decode(void *decoder, struct span *span, const char **error) {
	z_stream *z = decoder;
	int ret;

	z->next_in = (Bytef *)(uintptr_t)span->in;
	z->avail_in = span->in_len;
	z->next_out = span->out;
	z->avail_out = span->out_len;
	ret = inflate(z, Z_NO_FLUSH);
	span->in = z->next_in;
	span->in_len = z->avail_in;
	span->out = z->next_out;
	span->out_len = z->avail_out;
	if (ret == Z_STREAM_END)
		return inflateReset(z) == Z_OK ? 1 : -EIO;
	if (ret == Z_OK || ret == Z_BUF_ERROR)
		return 0;
	*error = z->msg != NULL ? z->msg : zError(ret);
	return -EIO;
}

static void gzip_destroy(void *decoder) {
	inflateEnd(decoder);
	free(decoder);
}

/* zstd */

static void *zstd_create(void) {
	return ZSTD_createDStream();
}

static int zstd_decode(void *decoder, struct span *span, const char **error) {
	ZSTD_inBuffer in = {span->in, span->in_len, 0};
	ZSTD_outBuffer out = {span->out, span->out_len, 0};
	size_t ret = ZSTD_decompressStream(decoder, &out, &in);

	span->in += in.pos;
	span->in_len -= in.pos;
	span->out += out.pos;
	span->out_len -= out.pos;
	if (!ZSTD_isError(ret))
		return ret == 0;
	*error = ZSTD_getErrorName(ret);
	return -EIO;
}

static void zstd_destroy(void *decoder) {
	ZSTD_freeDStream(decoder);
}

/* xz */

static void *xz_create(void) {
	static const lzma_stream init = LZMA_STREAM_INIT;
	lzma_stream *xz = malloc(sizeof(*xz));

	if (xz == NULL)
		return NULL;
	*xz = init;
	if (lzma_stream_decoder(xz, XZ_MEMORY, 0) != LZMA_OK) {
		free(xz);
		return NULL;
	}
	return xz;
}

static const char *xz_error(lzma_ret ret) {
	switch (ret) {
	case LZMA_MEM_ERROR:
		return "out of memory";
	case LZMA_MEMLIMIT_ERROR:
		return "it takes too much memory";
	case LZMA_OPTIONS_ERROR:
		return "unknown options";
	default:
		return "damaged data";
	}
}

static int xz_decode(void *decoder, struct span *span, const char **error) {
	lzma_stream *xz = decoder;
	lzma_ret ret;

	xz->next_in = span->in;
	xz->avail_in = span->in_len;
	xz->next_out = span->out;
	xz->avail_out = span->out_len;
	ret = lzma_code(xz, LZMA_RUN);
	span->in = xz->next_in;
	span->in_len = xz->avail_in;
	span->out = xz->next_out;
	span->out_len = xz->avail_out;
	if (ret == LZMA_STREAM_END)
		ret = lzma_stream_decoder(xz, XZ_MEMORY, 0);
	else if (ret == LZMA_OK || ret == LZMA_BUF_ERROR)
		return 0;
	if (ret == LZMA_OK)
		return 1;
	*error = xz_error(ret);
	return -EIO;
}

static void xz_destroy(void *decoder) {
	lzma_end(decoder);
	free(decoder);
}

static const struct stream_format formats[] = {
	{"gzip", "\x1f\x8b\x08", 3, gzip_create, gzip_decode, gzip_destroy},
	{"xz",
	 "\xfd"
	 "7zXZ",
	 6, xz_create, xz_decode, xz_destroy},
	{"zstd", "\x28\xb5\x2f\xfd", 4, zstd_create, zstd_decode, zstd_destroy},
};

#define N_FORMATS (sizeof(formats) / sizeof(formats[0]))
#define MAGIC_MAX 6

// NULL: not compressed.
static const struct stream_format *format_of(const uint8_t *bytes, size_t n) {
	// A frame of zstd's that decoders skip; pzstd begins with one.
	if (n >= 4 && (bytes[0] & 0xf0) == 0x50 && memcmp(bytes + 1, "\x2a\x4d\x18", 3) == 0)
		return &formats[N_FORMATS - 1];
	for (size_t i = 0; i < N_FORMATS; i++)
		if (n >= formats[i].magic_len &&
		    memcmp(bytes, formats[i].magic, formats[i].magic_len) == 0)
			return &formats[i];
	return NULL;
}

__attribute__((format(printf, 2, 3))) static int stream_fail(struct stream *stream, const char *fmt,
							     ...) {
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(stream->error, sizeof(stream->error), fmt, ap);
	va_end(ap);
	return -EIO;
}

/* The file */

// A pipe may never say anything more: look now and then whether it is still wanted.
static int readable_wait(const struct stream *stream) {
	struct pollfd poll_fd = {.fd = stream->fd, .events = POLLIN};

	while (interrupt_signal == 0 && stream->pollable)
		if (poll(&poll_fd, 1, POLL_MS) > 0)
			break;
	return interrupt_signal == 0 ? 0 : -EINTR; // also where both come at once
}

static ssize_t file_read(struct stream *stream, void *buf, size_t size) {
	ssize_t n;

	do {
		if (readable_wait(stream) < 0)
			return -EINTR;
		n = read(stream->fd, buf, size);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	if (n < 0)
		return stream_fail(stream, "%s", strerror(errno));
	stream->position += n;
	return n;
}

static ssize_t in_fill(struct stream *stream) {
	ssize_t n;

	if (stream->in_ended)
		return 0;
	memmove(stream->in, stream->in + stream->in_at, stream->in_len);
	stream->in_at = 0;
	n = file_read(stream, stream->in + stream->in_len, IN_SIZE - stream->in_len);
	if (n > 0)
		stream->in_len += n;
	stream->in_ended = n == 0;
	return n;
}

// At least n bytes to decode, fewer at the end of the file. 0 or what in_fill() says.
static int in_want(struct stream *stream, size_t n) {
	while (stream->in_len < n && !stream->in_ended) {
		ssize_t ret = in_fill(stream);

		if (ret < 0)
			return ret;
	}
	return 0;
}

/* Compressed files */

// Where a piece has ended: another one may follow, or zeros that fill up a block. 1: another one, 0: the end.
static int piece_next(struct stream *stream) {
	int ret;

	for (;;) {
		ret = in_want(stream, MAGIC_MAX);
		if (ret < 0)
			return ret;
		if (stream->in_len == 0)
			return 0;
		if (stream->in[stream->in_at] != 0)
			break;
		stream->in_at++;
		stream->in_len--;
	}
	if (format_of(stream->in + stream->in_at, stream->in_len) != stream->format)
		return stream_fail(stream, "something else follows the %s data",
				   stream->format->name);
	stream->between = false;
	return 1;
}

static int piece_decode(struct stream *stream, struct span *span) {
	size_t in_len = stream->in_len, out_len = span->out_len;
	const char *error = "damaged data";
	int ret;

	span->in = stream->in + stream->in_at;
	span->in_len = in_len;
	ret = stream->format->decode(stream->decoder, span, &error);
	if (ret == 0 && in_len > 0 && span->in_len == in_len && span->out_len == out_len)
		ret = -EIO; // it would stand still for ever
	stream->in_at = span->in - stream->in;
	stream->in_len = span->in_len;
	if (ret < 0)
		return stream_fail(stream, "%s: %s", stream->format->name, error);
	stream->between = ret == 1;
	return 0;
}

static ssize_t decoded_read(struct stream *stream, void *buf, size_t size) {
	struct span span = {.out = buf, .out_len = size};
	int ret;

	for (;;) {
		if (stream->between) {
			ret = piece_next(stream);
			if (ret <= 0)
				return ret;
		}
		ret = piece_decode(stream, &span);
		if (ret < 0)
			return ret;
		if (span.out_len < size)
			return size - span.out_len;
		if (stream->between || stream->in_len > 0)
			continue;
		if (stream->in_ended)
			return stream_fail(stream, "the %s data ends too early",
					   stream->format->name);
		ret = in_fill(stream);
		if (ret < 0)
			return ret;
	}
}

static int decoder_open(struct stream *stream, const struct stream_format *format) {
	stream->in = malloc(IN_SIZE);
	stream->decoder = format->create();
	if (stream->in == NULL || stream->decoder == NULL) {
		free(stream->in);
		return stream_fail(stream, "%s", strerror(ENOMEM));
	}
	memcpy(stream->in, stream->head, stream->head_len);
	stream->in_len = stream->head_len;
	stream->head_len = 0;
	stream->format = format;
	return 0;
}

/* All files */

static ssize_t body_read(struct stream *stream, void *buf, size_t size) {
	if (stream->format != NULL)
		return decoded_read(stream, buf, size);
	return file_read(stream, buf, size);
}

ssize_t stream_read(struct stream *stream, void *buf, size_t size) {
	size_t n = stream->head_len < size ? stream->head_len : size;

	if (n == 0)
		return body_read(stream, buf, size);
	memcpy(buf, stream->head + stream->head_at, n);
	stream->head_at += n;
	stream->head_len -= n;
	return n;
}

ssize_t stream_peek(struct stream *stream, void *buf, size_t size) {
	while (stream->head_len < size) {
		ssize_t n =
			body_read(stream, stream->head + stream->head_len, size - stream->head_len);

		if (n < 0)
			return n;
		if (n == 0)
			break;
		stream->head_len += n;
	}
	size = stream->head_len < size ? stream->head_len : size;
	memcpy(buf, stream->head, size);
	return size;
}

static int format_find(struct stream *stream) {
	const struct stream_format *format;
	uint8_t magic[MAGIC_MAX];
	ssize_t n = stream_peek(stream, magic, sizeof(magic));

	if (n < 0)
		return n;
	format = format_of(magic, n);
	return format != NULL ? decoder_open(stream, format) : 0;
}

int stream_open(struct stream *stream, int fd) {
	struct stat st;
	int ret;

	memset(stream, 0, sizeof(*stream));
	stream->fd = fd;
	stream->pollable = true;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		stream->size = st.st_size;
		stream->pollable = false;
	}
	ret = format_find(stream);
	if (ret == -EINTR)
		stream_fail(stream, "interrupted");
	if (ret < 0) {
		stream_close(stream);
		return -EIO;
	}
	return 0;
}

void stream_close(struct stream *stream) {
	if (stream->format != NULL) {
		stream->format->destroy(stream->decoder);
		free(stream->in);
	}
	if (stream->fd != STDIN_FILENO)
		close(stream->fd);
	stream->fd = -1;
}
