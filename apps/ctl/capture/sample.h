/* SPDX-License-Identifier: BSD-3-Clause */
// Packets of a capture for what takes too long to be done with each: evenly taken from all of it,
// however long it is, in limited memory.
#ifndef DDPCTL_CAPTURE_SAMPLE_H
#define DDPCTL_CAPTURE_SAMPLE_H

#include <stdint.h>

#include "capture.h"

#define SAMPLE_PACKETS 65536
#define SAMPLE_BYTES 256 // of a packet, from its first

struct sample {
	uint64_t stride; // each so many-th packet is in it
	unsigned int n;
	uint16_t *lens;
	uint32_t *wire_lens; // that the packets had
	uint8_t (*bytes)[SAMPLE_BYTES];
};

// Without memory the process ends.
void sample_init(struct sample *sample);
void sample_fini(struct sample *sample);

// Packet i, whose bytes belong to the sample.
static inline struct capture_packet sample_packet(const struct sample *sample, unsigned int i) {
	return (struct capture_packet){
		.data = sample->bytes[i],
		.len = sample->lens[i],
		.wire_len = sample->wire_lens[i],
	};
}

void sample_take(struct sample *sample, const struct capture_batch *batch);

#endif
