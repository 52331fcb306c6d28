/* SPDX-License-Identifier: BSD-3-Clause */
#include "draw.h"

#include "unit.h"

#define EARLY_BITS (8 * 192)
#define CUTS 512

static unsigned int below(struct draw *d, unsigned int n) {
	return random_below(&d->seed, n);
}

void draw_renew(struct draw *d) {
	static const unsigned int sizes[] = {1, 2, 4, 8, 16, 16, 32, 60, 60, 120, DRAW_FRAMES};

	d->n = sizes[below(d, COUNT(sizes))];
	for (unsigned int i = 0; i < d->n; i++)
		d->set[i] = below(d, d->frames->n);
	d->left = 0;
}

void draw_each(struct draw *d, unsigned int first, unsigned int n) {
	d->kind = DRAW_EACH;
	d->frame = first;
	d->at = 0;
	d->left = n;
}

static void kind_draw(struct draw *d) {
	unsigned int percent = below(d, 100);
	uint32_t len;

	d->frame = d->set[below(d, d->n)];
	d->at = 0;
	len = d->frames->list[d->frame].len;
	if (percent < 50) {
		d->kind = DRAW_MIX;
		d->left = 1 + below(d, 16);
	} else if (percent < 80) {
		d->kind = DRAW_REPEAT;
		d->rare = below(d, 2) == 0 ? 8 : BURST_MAX; // or a single stray in a burst
		d->left = 1 + below(d, 16);
	} else if (percent < 85) {
		d->kind = DRAW_WILD;
		d->left = 1 + below(d, 4);
	} else if (percent < 92) {
		d->kind = DRAW_FLIPS;
		d->left = 8 * len < EARLY_BITS ? 8 * len : EARLY_BITS;
	} else {
		d->kind = DRAW_CUTS;
		d->left = (len < CUTS ? len : CUTS) + 1;
	}
}

static bool is_sweep(const struct draw *d) {
	return d->kind >= DRAW_FLIPS;
}

static void frame_take(const struct frame *frame, struct bytes *packet) {
	packet->len = frame->len;
	memcpy(packet->data, frame->bytes, sizeof(packet->data));
}

static void changed_take(struct draw *d, unsigned int frame, unsigned int n_changes,
			 struct bytes *packet) {
	const struct frame *from = &d->frames->list[frame];

	frame_take(from, packet);
	while (n_changes-- > 0)
		packet->len = frame_mutate(from, packet->data, packet->len, &d->seed);
}

static void packet_draw(struct draw *d, struct bytes *packet) {
	switch (d->kind) {
	case DRAW_MIX:
		changed_take(d, d->set[below(d, d->n)], below(d, 4) == 0, packet);
		return;
	case DRAW_REPEAT:
		changed_take(d, d->frame, below(d, d->rare) == 0, packet);
		return;
	case DRAW_WILD:
		changed_take(d, below(d, d->frames->n), 1 + below(d, 5), packet);
		return;
	case DRAW_FLIPS:
		frame_take(&d->frames->list[d->frame], packet);
		packet->data[d->at / 8] ^= 0x80 >> d->at % 8;
		break;
	case DRAW_EACH:
		frame_take(&d->frames->list[d->frame + d->at], packet);
		break;
	default: // what was cut off stays behind
		frame_take(&d->frames->list[d->frame], packet);
		packet->len = d->at;
		break;
	}
	d->at++;
	d->left--;
}

static unsigned int size_draw(struct draw *d) {
	switch (below(d, 8)) {
	case 0:
		return below(d, BURST_MAX + 1);
	case 1:
		return 1 + below(d, 8);
	case 2 ... 4:
		return 32;
	default:
		return BURST_MAX;
	}
}

void draw_burst(struct draw *d, struct burst *burst) {
	unsigned int whole = below(d, 6) == 0 ? 3 : 50; // few bursts are in pieces

	if (d->left == 0)
		kind_draw(d);
	burst->n = size_draw(d);
	if (is_sweep(d) && burst->n > d->left)
		burst->n = d->left;
	if (!is_sweep(d))
		d->left--;
	for (unsigned int i = 0; i < burst->n; i++) {
		packet_draw(d, &burst->packets[i]);
		burst_lay(burst, i, whole, &d->seed);
	}
	burst_keep(burst);
}
