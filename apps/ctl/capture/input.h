/* SPDX-License-Identifier: BSD-3-Clause */
// The bytes of a file or a pipe as a FILE, decompressed if they are compressed by gzip, xz or zstd.
// Memory does not grow with the file.
#ifndef DDPCTL_CAPTURE_INPUT_H
#define DDPCTL_CAPTURE_INPUT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define INPUT_ERROR_SIZE 256

// Ctrl-C, for commands that then show what they know so far: the signal that asked to end, 0 for
// none.
extern volatile sig_atomic_t interrupt_signal;

// From now on SIGINT and SIGTERM only ask to end; the second time they end the process as ever.
void interrupt_catch(void);

struct archive;

struct input {
	int fd;
	bool pollable; // not a regular file: a read may wait
	uint64_t size; // of the file in bytes; 0 if it has none (a pipe)
	// A regular file that is not compressed. The C library reads it by itself: of a FILE with
	// functions it copies small pieces byte by byte, which takes as long as all the rest.
	bool plain;
	uint64_t position; // bytes of another file read so far
	struct archive *archive;
	uint8_t *buf; // of archive, and behind it of file
	bool ended;
	const uint8_t *at; // decompressed, not yet given out
	size_t len;
	uint64_t given; // decompressed bytes given out
	bool bounded;   // it may not expand without limit
	FILE *file;
	char error[INPUT_ERROR_SIZE]; // after a failure
};

// Whether a regular file goes on as an uncompressed capture does: pcap's and pcapng's magic
// numbers, in either byte order.
bool input_is_plain(int fd);

// A compressed file that expands more is an error, beyond the first so many bytes.
#define INPUT_EXPANSION_MAX 1000
#define INPUT_EXPANSION_FREE (256 << 20)

// Takes over fd, except standard input. whole: nobody asks for the position after each packet,
// which costs a system call where a file is plain. bounded: it may not expand more than
// INPUT_EXPANSION_MAX times. 0, or -EIO with error set and nothing to close; without memory the
// process ends.
int input_open(struct input *input, int fd, bool whole, bool bounded);
void input_close(struct input *input);

// A FILE without a buffer of its own, which must be closed before the input. A read fails with
// error set, or without it if a signal asks to end. NULL with errno.
FILE *input_file(struct input *input);

// Bytes of the file that were read so far.
uint64_t input_position(const struct input *input);

// Bytes that can be read from the file without waiting.
size_t input_left(const struct input *input);

#endif
