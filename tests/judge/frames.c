/* SPDX-License-Identifier: BSD-3-Clause */
#include "frames.h"

#include <glob.h>

#include <pcap/pcap.h>

#include "corpus.h"
#include "naive.h"
#include "unit.h"

#define EARLY 192 // bytes of a packet where its headers are

static void frame_fill(struct frame *frame, const uint8_t *bytes, uint32_t len) {
	frame->len = len;
	memcpy(frame->bytes, bytes, len);
	for (uint32_t i = len; i < PACKET_MAX; i++)
		frame->bytes[i] = i * 167 ^ len;
}

void frame_add(struct frames *frames, const uint8_t *bytes, uint32_t len) {
	if (frames->n == frames->room) {
		frames->room = 2 * frames->room + 64;
		frames->list = realloc(frames->list, frames->room * sizeof(*frames->list));
		if (frames->list == NULL)
			abort();
	}
	frame_fill(&frames->list[frames->n++], bytes, len);
}

/* Sources */

static const struct piece *sample_draw(uint64_t *seed) {
	const struct corpus *corpus = &corpora[random_below(seed, COUNT(corpora))];

	return corpus->packets[random_below(seed, corpus->n_packets)];
}

// A sample, often with the rest of another behind one of its headers.
static uint32_t joined_draw(uint8_t bytes[PACKET_MAX], uint64_t *seed) {
	uint32_t len = 0;

	for (unsigned int n = 1 + random_below(seed, 2); n > 0; n--) {
		const struct piece *piece = sample_draw(seed);

		if (len > 0)
			len = random_below(seed, len);
		while (len > 0 && piece->bytes != NULL && random_below(seed, 2) == 0)
			piece++;
		len += packet_build(piece, bytes + len);
	}
	return len;
}

// A sample, one header of which comes again and again.
static uint32_t endless_draw(uint8_t bytes[PACKET_MAX], uint64_t *seed) {
	const struct piece *piece = sample_draw(seed);
	unsigned int again = random_below(seed, 6);
	uint32_t len = 0;

	for (unsigned int i = 0; piece[i].bytes != NULL; i++)
		for (unsigned int n = i == again ? 70 : 1; n > 0; n--) {
			if (len + piece[i].size > PACKET_MAX)
				return len;
			memcpy(bytes + len, piece[i].bytes, piece[i].size);
			len += piece[i].size;
		}
	return len;
}

void frames_corpora_add(struct frames *frames, unsigned int n, uint64_t seed) {
	uint8_t bytes[PACKET_MAX];

	for (unsigned int c = 0; c < COUNT(corpora); c++)
		for (unsigned int i = 0; i < corpora[c].n_packets; i++)
			frame_add(frames, bytes, packet_build(corpora[c].packets[i], bytes));
	for (unsigned int i = 0; i < n; i++)
		frame_add(frames, bytes,
			  i % 8 == 0 ? endless_draw(bytes, &seed) : joined_draw(bytes, &seed));
}

// Any so many of a capture's packets.
unsigned int frames_capture_add(struct frames *frames, const char *path, unsigned int most) {
	char error[PCAP_ERRBUF_SIZE];
	pcap_t *pcap = pcap_open_offline(path, error);
	unsigned int first = frames->n;
	struct pcap_pkthdr *header;
	const u_char *data;
	uint64_t seed = 1;

	if (pcap == NULL)
		return 0;
	for (unsigned int i = 0;
	     pcap_datalink(pcap) == DLT_EN10MB && pcap_next_ex(pcap, &header, &data) == 1; i++) {
		unsigned int at = i < most ? i : random_below(&seed, i + 1);
		uint32_t len = header->caplen < PACKET_MAX ? header->caplen : PACKET_MAX;

		if (i < most)
			frame_add(frames, data, len);
		else if (at < most)
			frame_fill(&frames->list[first + at], data, len);
	}
	pcap_close(pcap);
	return frames->n - first;
}

unsigned int frames_captures_add(struct frames *frames, const char *dir, unsigned int most) {
	unsigned int n = frames->n;
	glob_t files;
	char *pattern;

	if (asprintf(&pattern, "%s/*cap", dir) < 0)
		return 0;
	if (glob(pattern, 0, NULL, &files) == 0) {
		for (unsigned int i = 0; i < files.gl_pathc; i++)
			frames_capture_add(frames, files.gl_pathv[i], most);
		globfree(&files);
	}
	free(pattern);
	return frames->n - n;
}

void frames_small_add(struct frames *frames, unsigned int n, uint64_t seed) {
	uint8_t bytes[120];

	while (n-- > 0) {
		uint32_t len = random_below(&seed, n % 2 == 0 ? 24 : sizeof(bytes));

		for (uint32_t i = 0; i < len; i++)
			bytes[i] = random_below(&seed, 4) == 0 && n % 2 != 0 ?
					   random_next(&seed) >> 56 :
					   random_below(&seed, 5);
		frame_add(frames, bytes, len);
	}
}

/* Fields */

static void spots_add(struct frame *frame, const struct ddp_header *header,
		      const struct ddp_seen *seen) {
	for (unsigned int f = 0; f < header->n_fields && frame->n_spots < FRAME_SPOTS; f++) {
		const struct ddp_field *field = &header->fields[f];
		uint32_t bit;

		if (field_place(header, seen->off, seen->len, seen->groups, field, &bit) &&
		    bit + field->width <= 8 * PACKET_MAX)
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

// Values that decide something in some header.
static const uint8_t special[] = {
	0x00, 0x01, 0x02, 0x04, 0x06, 0x08, 0x11, 0x20, 0x2c, 0x2b, 0x30, 0x34, 0x3c,
	0x44, 0x45, 0x46, 0x60, 0x68, 0x80, 0x81, 0x84, 0x85, 0x86, 0xdd, 0xff,
};

static uint32_t mutate_once(uint8_t bytes[PACKET_MAX], uint32_t len, uint64_t *seed) {
	uint32_t at, size;

	if (len == 0)
		return 0;
	at = random_below(seed, len);
	size = random_below(seed, 24);
	switch (random_below(seed, 8)) {
	case 0:
	case 1:
	case 2:
		bytes[at] = special[random_below(seed, sizeof(special))];
		return len;
	case 3:
		bytes[at] ^= 1 << random_below(seed, 8);
		return len;
	case 4:
		bytes[at] = random_next(seed) >> 56;
		return len;
	case 5: // cut
		return at;
	case 6: // a part again
		if (at + size > len || len + size > PACKET_MAX)
			return len;
		memmove(bytes + at + size, bytes + at, len - at);
		return len + size;
	default: // a part less
		if (at + size > len)
			return len;
		memmove(bytes + at, bytes + at + size, len - at - size);
		return len - size;
	}
}

uint32_t mutate(uint8_t bytes[PACKET_MAX], uint32_t len, uint64_t *seed) {
	for (unsigned int n = random_below(seed, 5); n > 0; n--)
		len = mutate_once(bytes, len, seed);
	return len;
}

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
	uint32_t early = len < EARLY ? len : EARLY, end;
	const struct spot *spot;

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
		bytes[random_below(seed, early)] = random_next(seed) >> 56;
		return len;
	case 13:
	case 14: // often a byte before a field's end
		if (frame->n_spots == 0 || random_below(seed, 2) == 0)
			return random_below(seed, len + 1);
		spot = &frame->spots[random_below(seed, frame->n_spots)];
		end = (spot->bit + spot->width + 7) / 8;
		return end <= len ? end - 1 : len;
	default: // special values, parts twice, parts left out
		return mutate(bytes, len, seed);
	}
}
