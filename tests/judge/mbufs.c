/* SPDX-License-Identifier: BSD-3-Clause */
#include "mbufs.h"

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
	// What follows in memory, beyond a segment, may look like the packet's, or be another's.
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
	// What is right before a buffer is the end of the slot before.
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
