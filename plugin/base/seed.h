/* SPDX-License-Identifier: BSD-3-Clause */
// Hashes for tables that packets or applications fill. With a fixed hash a sender can compute keys
// that all fall into one bucket. With a random seed that no output depends on it cannot.
#pragma once

#include <stdint.h>

struct ddp_seed {
	uint64_t start, factor;
};

// Control path: calls the kernel.
void ddp_seed_draw(struct ddp_seed *seed);

// Add a number of up to 128 bits to a hash, which begins with seed->start.
static inline uint64_t ddp_seed_add(const struct ddp_seed *seed, uint64_t hash, uint64_t hi,
				    uint64_t lo) {
	__extension__ unsigned __int128 product =
		(unsigned __int128)(hash ^ lo) * (seed->factor ^ hi);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

// After the last number. Without this, numbers in arithmetic progression could crowd a bucket.
static inline uint64_t ddp_seed_end(uint64_t hash) {
	hash *= UINT64_C(0xc2b2ae3d27d4eb4f);
	return hash ^ hash >> 29;
}

static inline uint64_t ddp_seed_hash(const struct ddp_seed *seed, uint64_t number) {
	return ddp_seed_end(ddp_seed_add(seed, seed->start, 0, number));
}

// FNV-1a of a text: for tables whose keys no sender chooses.
#define DDP_TEXT_HASH UINT32_C(2166136261) // the hash of an empty text
static inline uint32_t ddp_text_hash(uint32_t hash, const char *text) {
	for (; *text != '\0'; text++)
		hash = (hash ^ (uint8_t)*text) * 16777619;
	return hash;
}
