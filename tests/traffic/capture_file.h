/* SPDX-License-Identifier: BSD-3-Clause */
// Classic pcap files of Ethernet frames: little endian, microseconds.
#ifndef TRAFFIC_CAPTURE_H
#define TRAFFIC_CAPTURE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct capture {
	FILE *file;
	uint32_t snaplen;
};

// All return 0 or -errno. "-" is the standard output.
int capture_open(struct capture *capture, const char *name, uint32_t snaplen);
int capture_write(struct capture *capture, uint64_t time_us, const uint8_t *frame, size_t len);
int capture_close(struct capture *capture);

#endif
