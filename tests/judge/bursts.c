/* SPDX-License-Identifier: BSD-3-Clause */
#include "bursts.h"

#include <sanitizer/asan_interface.h>
#include <sys/mman.h>

#include "unit.h"

#define PAGE 4096U
#define SLOT (2 * PAGE) // a page, and one that cannot be read
#define N_SEGMENTS (BURST_MAX * BURST_SEGMENTS)
#define HEADROOM_MAX 256
#define TAILROOM_MAX 160

static_assert(HEADROOM_MAX + PACKET_MAX + TAILROOM_MAX <= PAGE, "a packet has room in one page");

// Every second page can be read, and what is before the first cannot.
bool burst_init(struct burst *burst) {
	size_t size = PAGE + (size_t)N_SEGMENTS * SLOT;
	uint8_t *map = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(burst, 0, sizeof(*burst));
	if (map == MAP_FAILED)
		return false;
	burst->slots = map + PAGE;
	burst->segments = aligned_alloc(64, N_SEGMENTS * sizeof(*burst->segments));
	burst->before = calloc(N_SEGMENTS, sizeof(*burst->before));
	if (burst->segments == NULL || burst->before == NULL)
		return false;
	memset(burst->segments, 0, N_SEGMENTS * sizeof(*burst->segments));
	for (unsigned int i = 0; i < N_SEGMENTS; i++)
		if (mprotect(burst->slots + i * SLOT, PAGE, PROT_READ | PROT_WRITE) != 0)
			return false;
	return true;
}

void burst_fini(struct burst *burst) {
	ASAN_UNPOISON_MEMORY_REGION(burst->slots, N_SEGMENTS * SLOT);
	munmap(burst->slots - PAGE, PAGE + (size_t)N_SEGMENTS * SLOT);
	free(burst->segments);
	free(burst->before);
}

// A buffer of size bytes in a slot, the only ones of it that may be read.
static uint8_t *slot_open(struct burst *burst, unsigned int slot, unsigned int size, bool at_end) {
	uint8_t *page = burst->slots + (size_t)slot * SLOT;
	uint8_t *buf = at_end ? page + PAGE - size : page;

	ASAN_POISON_MEMORY_REGION(page, PAGE);
	ASAN_UNPOISON_MEMORY_REGION(buf, size);
	return buf;
}

static unsigned int headroom_draw(uint64_t *seed) {
	switch (random_below(seed, 4)) {
	case 0:
		return 0;
	case 1:
		return RTE_PKTMBUF_HEADROOM;
	default:
		return random_below(seed, HEADROOM_MAX);
	}
}

// Bytes from off on, in a buffer of their own, with those of `stale` behind them.
static struct rte_mbuf *segment_lay(struct burst *burst, unsigned int slot,
				    const struct bytes *packet, const struct bytes *stale,
				    uint32_t off, uint32_t len, uint64_t *seed) {
	struct rte_mbuf *mbuf = &burst->segments[slot];
	unsigned int headroom = headroom_draw(seed);
	unsigned int tailroom = random_below(seed, 2) == 0 ? 0 : random_below(seed, TAILROOM_MAX);
	unsigned int size = headroom + len + tailroom;

	mbuf->buf_addr = slot_open(burst, slot, size, random_below(seed, 5) > 0);
	mbuf->buf_len = size;
	mbuf->data_off = headroom;
	mbuf->data_len = len;
	mbuf->refcnt = 1;
	mbuf->ol_flags = RTE_MBUF_F_EXTERNAL;
	mbuf->packet_type = random_next(seed); // of a packet before
	mbuf->next = NULL;
	if (off + len + tailroom > PACKET_MAX)
		tailroom = PACKET_MAX - off - len;
	memcpy((uint8_t *)mbuf->buf_addr + headroom, packet->data + off, len);
	memcpy((uint8_t *)mbuf->buf_addr + headroom + len, stale->data + off + len, tailroom);
	return mbuf;
}

void burst_lay(struct burst *burst, unsigned int i, unsigned int whole, uint64_t *seed) {
	const struct bytes *packet = &burst->packets[i];
	// The bytes behind a segment may look like the packet's, or be another packet's.
	const struct bytes *stale = i > 0 && random_below(seed, 2) == 0 ? packet - 1 : packet;
	bool split = random_below(seed, whole) == 0;
	unsigned int n = split ? 2 + random_below(seed, BURST_SEGMENTS - 1) : 1;
	struct rte_mbuf *last = NULL;
	uint32_t off = 0;

	for (unsigned int s = 0; s < n; s++) {
		uint32_t left = packet->len - off, len = left;
		struct rte_mbuf *mbuf;

		if (s + 1 < n)
			len = random_below(seed, (left < 160 ? left : 160) + 1);
		mbuf = segment_lay(burst, i * BURST_SEGMENTS + s, packet, stale, off, len, seed);
		if (last == NULL)
			burst->mbufs[i] = mbuf;
		else
			last->next = mbuf;
		last = mbuf;
		off += len;
	}
	burst->mbufs[i]->nb_segs = n;
	burst->mbufs[i]->pkt_len = packet->len;
}

int burst_find(const struct burst *burst, const void *address) {
	// An address right before a buffer belongs to the slot before.
	ptrdiff_t off = (const uint8_t *)address - burst->slots + PAGE / 2;

	if (off < 0 || off >= (ptrdiff_t)N_SEGMENTS * SLOT)
		return -1;
	return off / SLOT / BURST_SEGMENTS;
}

void burst_keep(struct burst *burst) {
	memcpy(burst->before, burst->segments,
	       burst->n * BURST_SEGMENTS * sizeof(*burst->segments));
}

static bool bytes_changed(const struct bytes *packet, const struct rte_mbuf *mbuf) {
	uint32_t off = 0;

	for (; mbuf != NULL; off += mbuf->data_len, mbuf = mbuf->next)
		if (memcmp(rte_pktmbuf_mtod(mbuf, const uint8_t *), packet->data + off,
			   mbuf->data_len) != 0)
			return true;
	return false;
}

bool burst_changed(const struct burst *burst) {
	if (memcmp(burst->before, burst->segments,
		   burst->n * BURST_SEGMENTS * sizeof(*burst->segments)) != 0)
		return true;
	for (unsigned int i = 0; i < burst->n; i++)
		if (bytes_changed(&burst->packets[i], burst->mbufs[i]))
			return true;
	return false;
}

/* Drawing */

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
		d->rare = below(d, 2) == 0 ? 8 : BURST_MAX; // or a single odd one in a burst
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
	default: // the bytes cut off stay behind it
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
