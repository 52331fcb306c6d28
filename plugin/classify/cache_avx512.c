/* SPDX-License-Identifier: BSD-3-Clause */
// The path cache with AVX-512 and VBMI: what is looked at of a packet is picked, byte by byte, from its first
// lines, which lie in registers. One pick is compared with all that an entry asks for; another one with what
// tells up to 16 entries from each other.
#include "cache_x86.h"

#define WINDOW 64
#define PICKS

/* What seldom occurs */

typedef __m256i differs_t;

INLINE differs_t differs_none(void) {
	return _mm256_setzero_si256();
}

INLINE differs_t differs_pair(differs_t d, const struct cache_entry *entry, unsigned int p,
			      const uint8_t *bytes) {
	return _mm256_or_si256(d, pair_differs(entry, p, bytes));
}

INLINE differs_t differs_ban(differs_t d, ban_t ban, const uint8_t *bytes) {
	return _mm256_or_si256(d, ban_fits(ban, bytes));
}

INLINE uint32_t differs_any(differs_t d) {
	return _mm256_testz_si256(d, d) ^ 1;
}

/* A pick */

// The first lines of a packet.
typedef struct {
	__m512i of[TRACE_REACH / 64];
} lines_t;

INLINE lines_t lines_load(const uint8_t *bytes, const unsigned int n_lines) {
	lines_t lines;

	for (unsigned int l = 0; l < n_lines; l++)
		lines.of[l] = _mm512_loadu_si512(bytes + 64 * l);
	return lines;
}

// Bit 7 of a place says which two lines it is in.
INLINE __m512i lines_pick(lines_t lines, const unsigned int n_lines, __m512i from) {
	__m512i far, near;

	if (n_lines == 1)
		return _mm512_permutexvar_epi8(from, lines.of[0]);
	near = _mm512_permutex2var_epi8(lines.of[0], from, lines.of[1]);
	if (n_lines == 2)
		return near;
	far = n_lines == 3 ? _mm512_permutexvar_epi8(from, lines.of[2]) :
			     _mm512_permutex2var_epi8(lines.of[2], from, lines.of[3]);
	return _mm512_mask_mov_epi8(near, _mm512_movepi8_mask(from), far);
}

typedef struct {
	__m512i from, value, mask;
	uint32_t expect;
} whole_t;

INLINE whole_t whole_load(const struct cache_entry *entry, unsigned int n_windows,
			  unsigned int n_bans) {
	(void)n_windows, (void)n_bans;
	return (whole_t){
		_mm512_load_si512(entry->pick.from),
		_mm512_load_si512(entry->pick.value),
		_mm512_load_si512(entry->pick.mask),
		entry->expect,
	};
}

// (a ^ value) & mask
INLINE __m512i wrong_bits(__m512i a, __m512i value, __m512i mask) {
	return _mm512_ternarylogic_epi64(a, value, mask, 0x28);
}

// Which words are not as expected.
INLINE uint32_t pick_differs(const whole_t *whole, lines_t lines, const unsigned int n_lines) {
	__m512i wrong =
		wrong_bits(lines_pick(lines, n_lines, whole->from), whole->value, whole->mask);

	return _mm512_testn_epi16_mask(wrong, wrong) ^ whole->expect;
}

typedef uint32_t sweep_t;

INLINE sweep_t sweep_none(unsigned int n_windows) {
	(void)n_windows;
	return 0;
}

// n_windows: lines.
INLINE sweep_t sweep_add(sweep_t sweep, const whole_t *whole, const unsigned int n_windows,
			 unsigned int n_bans, const uint8_t *bytes) {
	(void)n_bans;
	return sweep | pick_differs(whole, lines_load(bytes, n_windows), n_windows);
}

INLINE uint32_t sweep_any(sweep_t sweep, const whole_t *whole, unsigned int n_windows) {
	(void)whole, (void)n_windows;
	return sweep != 0;
}

INLINE uint32_t whole_differs(const whole_t *whole, const unsigned int n_windows,
			      unsigned int n_bans, const uint8_t *bytes) {
	(void)n_bans;
	return pick_differs(whole, lines_load(bytes, n_windows), n_windows) != 0;
}

/* A group of entries */

typedef struct {
	__m512i from, value, mask;
} lanes_t;

INLINE lanes_t lanes_load(const struct cache_lanes *group) {
	return (lanes_t){
		_mm512_load_si512(group->from),
		_mm512_load_si512(group->value),
		_mm512_load_si512(group->mask),
	};
}

INLINE unsigned int lanes_find(lanes_t lanes, lines_t lines, const unsigned int n_lines) {
	__m512i wrong = wrong_bits(lines_pick(lines, n_lines < 2 ? 1 : 2, lanes.from), lanes.value,
				   lanes.mask);

	return __builtin_ctz(_mm512_testn_epi32_mask(wrong, wrong) | 1u << CACHE_LANES);
}

#define KERNEL cache_kernel_avx512
#include "cache_kernel.h"

#define BLOCK 8 // packets whose lines stay in registers

// From the group of each packet (NULL: all are of the first) to its entry, and all that most need.
INLINE void block_look_up(const struct ddp_cache *cache, const unsigned int n_lines,
			  const lanes_t *lanes, const uint16_t *groups, const unsigned int n,
			  struct rte_mbuf *const *mbufs, unsigned int first,
			  struct ddp_burst *burst, uint8_t *flags) {
	const struct cache_lanes *root = &cache->lanes[cache->root];
	lines_t lines[BLOCK];
	uint32_t bad[BLOCK];

#pragma GCC unroll 8
	for (unsigned int i = 0; i < n; i++) {
		const struct cache_lanes *group = groups == NULL ? root : &cache->lanes[groups[i]];
		const uint8_t *bytes = bytes_of(mbufs[first + i], cache->reach, &bad[i]);
		unsigned int lane;

		lines[i] = lines_load(bytes, n_lines);
		lane = lanes_find(groups == NULL ? *lanes : lanes_load(group), lines[i], n_lines);
		burst->bytes[first + i] = bytes;
		burst->verdicts[first + i] =
			(const void *)((const uint8_t *)cache + group->entries[lane]);
	}
#pragma GCC unroll 8
	for (unsigned int i = 0; i < n; i++) {
		const struct cache_entry *entry = cache_entry_of(burst->verdicts[first + i]);
		const whole_t whole = whole_load(entry, n_lines, 0);

		cache_prefetch_next(burst, first + i, cache->reach);
		bad[i] |= (uint32_t)mbufs[first + i]->data_len - entry->min_len;
		flags[i] = (pick_differs(&whole, lines[i], n_lines) != 0) | bad[i] >> 31 |
			   entry->extra;
		first_fill(entry, false, burst->bytes[first + i], burst->rows[first + i]);
	}
}

INLINE void blocks_look_up(const struct ddp_cache *cache, const unsigned int n_lines,
			   const uint16_t *groups, struct rte_mbuf *const *mbufs, unsigned int first,
			   unsigned int n, struct ddp_burst *burst, uint8_t *flags) {
	const lanes_t lanes = lanes_load(&cache->lanes[cache->root]);
	unsigned int i = 0;

	for (; i + BLOCK <= n; i += BLOCK)
		block_look_up(cache, n_lines, &lanes, groups == NULL ? NULL : groups + i, BLOCK,
			      mbufs, first + i, burst, flags + i);
	for (; i < n; i++)
		block_look_up(cache, n_lines, &lanes, groups == NULL ? NULL : groups + i, 1, mbufs,
			      first + i, burst, flags + i);
}

// The groups of entries by the tree.
static void groups_find(const struct ddp_cache *cache, struct rte_mbuf *const *mbufs,
			unsigned int first, unsigned int n, uint16_t *groups) {
	const unsigned int depth = cache->depth, reach = cache->reach;
	const uint8_t *bytes[DDP_BURST_MAX];
	unsigned int i;
	uint32_t bad;

	for (i = 0; i < n; i++) {
		bytes[i] = bytes_of(mbufs[first + i], reach, &bad);
		__builtin_prefetch(bytes[i]);
		__builtin_prefetch(bytes[i] + 64);
	}
	for (i = 0; i + ABREAST <= n; i += ABREAST)
		tree_walk(cache, depth, ABREAST, &bytes[i], &groups[i]);
	for (; i < n; i++)
		tree_walk(cache, depth, 1, &bytes[i], &groups[i]);
}

#define LINES(n_lines)                                                                         \
	case n_lines:                                                                          \
		if (cache->depth == 0)                                                         \
			blocks_look_up(cache, n_lines, NULL, mbufs, first, n, burst, flags);   \
		else                                                                           \
			blocks_look_up(cache, n_lines, groups, mbufs, first, n, burst, flags); \
		break

static void many_look_up(const struct ddp_cache *cache, struct rte_mbuf *const *mbufs,
			 unsigned int first, unsigned int n, struct ddp_burst *burst,
			 uint8_t *flags) {
	uint16_t groups[DDP_BURST_MAX];

	if (cache->depth > 0)
		groups_find(cache, mbufs, first, n, groups);
	switch (cache->reach / 64) {
		LINES(1);
		LINES(2);
		LINES(3);
		LINES(4);
	}
}
