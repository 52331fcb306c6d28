/* SPDX-License-Identifier: BSD-3-Clause */
#include "made_frame.h"

#include "classify/graph_packets.h"
#include "classify/oracle.h"
#include "unit.h"

#define EARLY 192 // bytes of a packet where its headers are

void frame_add(struct frames *frames, const uint8_t *bytes, uint32_t len) {
	struct frame *frame;

	if (frames->n == frames->room) {
		frames->room = 2 * frames->room + 64;
		frames->list = realloc(frames->list, frames->room * sizeof(*frames->list));
		if (frames->list == NULL)
			abort();
	}
	frame = &frames->list[frames->n++];
	frame->len = len;
	memcpy(frame->bytes, bytes, len);
	for (uint32_t i = len; i < PACKET_MAX; i++)
		frame->bytes[i] = i * 167 ^ len;
}

void frames_corpora_add(struct frames *frames) {
	uint8_t bytes[PACKET_MAX];

	for (unsigned int c = 0; c < COUNT(corpora); c++)
		for (unsigned int i = 0; i < corpora[c].n_samples; i++)
			frame_add(frames, bytes, packet_build(corpora[c].samples[i].packet, bytes));
}

void frames_graph_add(struct frames *frames, const struct ddp_profile *profile,
		      const struct ddp_program *program, unsigned int n, uint64_t seed) {
	static struct graph graph;
	uint8_t bytes[PACKET_MAX];

	graph_init(&graph, profile, program, seed);
	while (n-- > 0)
		frame_add(frames, bytes, graph_draw(&graph, bytes));
}

static void spots_add(struct frame *frame, const struct ddp_header *header,
		      const struct ddp_seen *seen) {
	for (unsigned int f = 0; f < header->n_fields && frame->n_spots < FRAME_SPOTS; f++) {
		const struct ddp_field *field = &header->fields[f];
		uint32_t bit = 8 * seen->off + field->bit_off;

		if (field->group >= 0 && (seen->groups >> field->group & 1) == 0)
			continue;
		if (field->anchor == DDP_FROM_END)
			bit = 8 * (seen->off + seen->len) - field->bit_off;
		if (field->anchor == DDP_AHEAD)
			bit = 8 * (seen->off + seen->len) + field->bit_off;
		for (unsigned int g = 0; g < field->n_before; g++)
			bit += (seen->groups >> g & 1) != 0 ? header->groups[g].bits : 0;
		if (bit + field->width <= 8 * PACKET_MAX)
			frame->spots[frame->n_spots++] = (struct spot){bit, field->width};
	}
}

void frames_spots_find(struct frames *frames, const struct ddp_profile *profile,
		       const struct ddp_program *program) {
	struct ddp_class class;

	for (unsigned int i = 0; i < frames->n; i++) {
		struct frame *frame = &frames->list[i];
		const struct ddp_packet packet = {
			.data = frame->bytes,
			.first_len = frame->len,
			.len = frame->len,
		};

		frame->n_spots = 0;
		ddp_classify(program, &packet, &class);
		for (unsigned int h = 0; h < class.n_seen; h++)
			spots_add(frame, &profile->headers[class.seen[h].node], &class.seen[h]);
	}
}

/* Mutations */

static void bit_flip(uint8_t *bytes, uint32_t bit) {
	bytes[bit / 8] ^= 0x80 >> bit % 8;
}

// All of a field (at random, none of its bits, all of them), or one of its bits.
static void spot_mutate(const struct spot *spot, uint8_t *bytes, uint64_t *seed) {
	unsigned int kind = random_below(seed, 6);
	uint64_t draw = 0;

	if (kind == 0) {
		bit_flip(bytes, spot->bit + random_below(seed, spot->width));
		return;
	}
	if (kind == 1) {
		bit_flip(bytes, spot->bit + spot->width - 1);
		return;
	}
	for (unsigned int i = 0; i < spot->width; i++, draw >>= 1) {
		if (i % 64 == 0)
			draw = kind < 4 ? random_next(seed) : kind == 4 ? 0 : UINT64_MAX;
		if ((draw & 1) != (bytes[(spot->bit + i) / 8] >> (7 - (spot->bit + i) % 8) & 1))
			bit_flip(bytes, spot->bit + i);
	}
}

uint32_t frame_mutate(const struct frame *frame, uint8_t bytes[PACKET_MAX], uint32_t len,
		      uint64_t *seed) {
	uint32_t early = len < EARLY ? len : EARLY;

	if (len == 0)
		return 0;
	switch (random_below(seed, 16)) {
	case 0 ... 8:
		if (frame->n_spots > 0)
			spot_mutate(&frame->spots[random_below(seed, frame->n_spots)], bytes, seed);
		return len;
	case 9 ... 11:
		bit_flip(bytes, random_below(seed, 8 * early));
		return len;
	case 12:
	case 13:
		bytes[random_below(seed, early)] = random_next(seed) >> 56;
		return len;
	case 14:
		return random_below(seed, len + 1);
	default: // telling values, parts twice, parts left out
		return mutate(bytes, len, seed);
	}
}
