/* SPDX-License-Identifier: BSD-3-Clause */
// Packets of a capture for what takes too long to be done with each: evenly taken from all of it,
// however long it is, in limited memory.
#ifndef DDPCTL_CAPTURE_SAMPLE_H
#define DDPCTL_CAPTURE_SAMPLE_H

#include <stdint.h>

#include "capture.h"

#define SAMPLE_PACKETS 65536
#define SAMPLE_BYTES 256 // of a packet, from its first

struct sample_packet {
	uint32_t wire_len; // that it had
	uint16_t len;
	uint8_t bytes[SAMPLE_BYTES];
};

struct sample {
	uint64_t stride; // each so many-th packet is in it
	unsigned int n;
	struct sample_packet *packets;
};

// Packet i, whose bytes belong to the sample.
static inline struct capture_packet sample_packet(const struct sample *sample, unsigned int i) {
	return (struct capture_packet){
		.data = sample->packets[i].bytes,
		.len = sample->packets[i].len,
		.wire_len = sample->packets[i].wire_len,
	};
}

// Of a sample with stride 1 and room for SAMPLE_PACKETS.
void sample_take(struct sample *sample, const struct capture_batch *batch);

#endif
