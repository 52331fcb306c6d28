/* SPDX-License-Identifier: BSD-3-Clause */
// The path cache in portable C.
#include "cache_set.h"

const uint8_t cache_zeros[TRACE_REACH + 64];

typedef struct {
	const uint8_t *mask, *value;
} window_t;
typedef uint64_t differs_t;
typedef struct {
	uint8_t bytes[16];
} gather_t;

static inline window_t window_load(const struct cache_entry *entry, unsigned int w) {
	return (window_t){entry->packed + 2 * w * CACHE_WINDOW,
			  entry->packed + 2 * w * CACHE_WINDOW + CACHE_WINDOW};
}

static inline differs_t differs_none(void) {
	return 0;
}

// Of bytes, under their mask.
static inline differs_t differs_bytes(differs_t d, unsigned int n, const uint8_t *mask,
				      const uint8_t *value, const uint8_t *bytes) {
	for (unsigned int i = 0; i < n; i += 8) {
		uint64_t m, v, word;

		__builtin_memcpy(&m, mask + i, 8);
		__builtin_memcpy(&v, value + i, 8);
		__builtin_memcpy(&word, bytes + i, 8);
		d |= (word & m) ^ v;
	}
	return d;
}

static inline differs_t differs_add(differs_t d, window_t window, const uint8_t *bytes) {
	return differs_bytes(d, CACHE_WINDOW, window.mask, window.value, bytes);
}

typedef struct {
	uint64_t of[CACHE_WINDOW / 8];
} raw_t;

static inline raw_t raw_none(void) {
	return (raw_t){{0}};
}

static inline raw_t raw_add(raw_t raw, window_t window, const uint8_t *bytes) {
	for (unsigned int i = 0; i < CACHE_WINDOW / 8; i++) {
		uint64_t v, word;

		__builtin_memcpy(&v, window.value + 8 * i, 8);
		__builtin_memcpy(&word, bytes + 8 * i, 8);
		raw.of[i] |= word ^ v;
	}
	return raw;
}

static inline differs_t raw_differs(differs_t d, raw_t raw, window_t window) {
	for (unsigned int i = 0; i < CACHE_WINDOW / 8; i++) {
		uint64_t m;

		__builtin_memcpy(&m, window.mask + 8 * i, 8);
		d |= raw.of[i] & m;
	}
	return d;
}

static inline differs_t differs_pair(differs_t d, const struct cache_entry *entry, unsigned int p,
				     const uint8_t *bytes) {
	const struct cache_pair *pair = &entry->pairs[p];

	d = differs_bytes(d, 16, pair->mask, pair->value, bytes + entry->pieces[p][0]);
	return differs_bytes(d, 16, pair->mask + 16, pair->value + 16, bytes + entry->pieces[p][1]);
}

static inline uint32_t differs_any(differs_t d) {
	return d != 0;
}

typedef const struct cache_exclusion *exclusion_t;

static inline exclusion_t exclusion_load(const struct cache_exclusion *exclusion) {
	return exclusion;
}

static inline differs_t differs_exclusion(differs_t d, exclusion_t exclusion,
					  const uint8_t *bytes) {
	for (unsigned int i = 0; i < 16 && exclusion->from[2 * i] < 16; i++) {
		uint16_t word;

		__builtin_memcpy(&word, bytes + exclusion->from[2 * i], sizeof(word));
		d |= word == exclusion->words[i];
	}
	return d;
}

typedef const struct cache_gather *from_t;

static inline from_t from_load(const struct cache_gather *gather) {
	return gather;
}

// Not inline: with a copy in each loop the file has twice the code, which takes the compiler 3
// times as long and the CPU some percent.
static __attribute__((noinline)) gather_t gather(from_t from, const uint8_t *bytes) {
	gather_t g;

	for (unsigned int i = 0; i < 16; i++)
		g.bytes[i] = from->from[i] < 16 ? bytes[from->byte + from->from[i]] : 0;
	return g;
}

static inline gather_t gather_or(gather_t a, gather_t b) {
	for (unsigned int i = 0; i < 16; i++)
		a.bytes[i] |= b.bytes[i];
	return a;
}

static inline void gather_store(uint8_t *row, gather_t g) {
	__builtin_memcpy(row, g.bytes, 16);
}

#define KERNEL cache_kernel_scalar
#include "cache_kernel.h"
