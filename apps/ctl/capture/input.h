/* SPDX-License-Identifier: BSD-3-Clause */
// A file or a pipe as a FILE, decompressed from gzip, xz or zstd in limited memory.
#ifndef DDPCTL_CAPTURE_INPUT_H
#define DDPCTL_CAPTURE_INPUT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define INPUT_ERROR_SIZE 256 // bytes

// The signal that interrupted the command, which then shows its results so far; 0: none.
extern volatile sig_atomic_t interrupt_signal;

// Let the first SIGINT or SIGTERM only set interrupt_signal; the second ends the process.
void interrupt_catch(void);

struct archive;

struct input {
	int fd;
	bool pollable; // not a regular file: a read may wait
	uint64_t size; // bytes of the file; 0: a pipe
	// A regular file that is not compressed, read by the C library itself: with functions of a
	// FILE, it copies small pieces byte by byte, which takes as long as all the rest.
	bool plain;
	uint64_t position; // bytes read so far, unless plain
	struct archive *archive;
	uint8_t *buf; // BUF_SIZE bytes for archive, then BUF_SIZE for file
	bool ended;
	const uint8_t *at; // decompressed bytes not yet returned
	size_t len;
	uint64_t given; // decompressed bytes returned
	bool bounded;   // INPUT_EXPANSION_MAX holds
	FILE *file;
	char error[INPUT_ERROR_SIZE]; // after a failure
};

// Does a regular file continue with a magic number of pcap or pcapng in either byte order?
bool input_is_plain(int fd);

// A compressed file that expands more is an error after INPUT_EXPANSION_FREE bytes.
#define INPUT_EXPANSION_MAX 1000         // times
#define INPUT_EXPANSION_FREE (256 << 20) // bytes

// The input closes fd, except standard input. whole: the position is not needed after each packet,
// which costs a system call with a plain file. bounded: INPUT_EXPANSION_MAX holds. 0, or -EIO with
// error set and nothing to close; the process ends if memory is short.
int input_open(struct input *input, int fd, bool whole, bool bounded);
void input_close(struct input *input);

// A FILE with a buffer of the input, to be closed before the input. A failed read sets error unless
// it was interrupted. NULL with errno.
FILE *input_file(struct input *input);

// Bytes of the file read so far.
uint64_t input_position(const struct input *input);

// Bytes that are available without waiting.
size_t input_left(const struct input *input);

#endif
