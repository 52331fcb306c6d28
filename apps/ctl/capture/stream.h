/* SPDX-License-Identifier: BSD-3-Clause */
// The bytes of a file, decompressed on the way where they begin as gzip, zstd or xz do. Memory does not grow with
// the file.
#ifndef DDPCTL_CAPTURE_STREAM_H
#define DDPCTL_CAPTURE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define STREAM_HEAD_SIZE 64
#define STREAM_ERROR_SIZE 128

struct stream_format;

struct stream {
	int fd;
	bool pollable;                      // no regular file: reading may take for ever
	uint64_t size;                      // of the file in bytes; 0 where it has none (a pipe)
	uint64_t position;                  // bytes of the file read so far
	const struct stream_format *format; // NULL: not compressed
	void *decoder;
	uint8_t *in; // of the file, not yet decoded
	size_t in_at, in_len;
	bool in_ended;
	bool between;                   // compressed pieces: here a file may end
	uint8_t head[STREAM_HEAD_SIZE]; // looked at ahead
	size_t head_at, head_len;
	char error[STREAM_ERROR_SIZE]; // after -EIO: what is wrong
};

// fd belongs to the stream from now on, except standard input. 0, or -EIO with error set and nothing to close.
int stream_open(struct stream *stream, int fd);
void stream_close(struct stream *stream);

// Some of the next size bytes. Returns how many, 0 at the end, -EINTR when a signal asks to end
// (see interrupt.h), -EIO with error set.
ssize_t stream_read(struct stream *stream, void *buf, size_t size);

// The next bytes, which the next read will give again. size is at most STREAM_HEAD_SIZE. Returns as
// stream_read(), with fewer than size only at the end.
ssize_t stream_peek(struct stream *stream, void *buf, size_t size);

#endif
