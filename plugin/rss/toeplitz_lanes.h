/* SPDX-License-Identifier: BSD-3-Clause */
// What toeplitz_clmul.h says for registers of LANES times 16 bytes; it includes this for each width.

// Sums of products of some rows, a row a lane: the hash is dword 2 of upper plus dword 0 of lower.
struct W(sums) {
	VEC upper;
	VEC lower;
};

struct W(factors) {
	VEC of[DDP_HASH_WORDS / 2];
};

static ALWAYS_INLINE struct W(factors) W(factors_of)(const struct ddp_hash *hash, struct part part) {
	struct W(factors) factors;

	for (unsigned int i = BLOCK_WORDS / 2 * part.block; 2 * i < part.words; i++) {
		const __m128i *pair = (const __m128i *)hash->factors[i];

		factors.of[i] = SPREAD(_mm_loadu_si128(pair));
	}
	return factors;
}

static ALWAYS_INLINE struct W(sums) W(sums_of)(const struct W(factors) * factors, struct part part,
					       struct job job, unsigned int i) {
	const __m128i swap = _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
	struct W(sums) sums = {ZERO, ZERO};

	for (unsigned int block = part.block; BLOCK_WORDS * block < part.words; block++) {
		unsigned int words = part.words - BLOCK_WORDS * block;
		VEC x = MM(shuffle_epi8)(LOAD(job, i, block), SPREAD(swap));

		sums.upper ^= CLMUL(x, factors->of[2 * block], 0x00);
		if (words > 1)
			sums.lower ^= CLMUL(x, factors->of[2 * block], 0x10);
		if (words > 2)
			sums.upper ^= CLMUL(x, factors->of[2 * block + 1], 0x01);
		if (words > 3)
			sums.lower ^= CLMUL(x, factors->of[2 * block + 1], 0x11);
	}
	return sums;
}

// The hashes of a's and b's rows, side by side in the lower half of each lane.
static ALWAYS_INLINE VEC W(picked)(struct W(sums) a, struct W(sums) b) {
	return MM(unpackhi_epi32)(a.upper, b.upper) ^ MM(unpacklo_epi32)(a.lower, b.lower);
}

// Each dword with its bits in opposite order.
static ALWAYS_INLINE VEC W(mirrored)(VEC x) {
	const __m128i swap = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
	const __m128i to_low = _mm_setr_epi8(0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15);
	const __m128i to_high = _mm_slli_epi16(to_low, 4);
	const VEC nibble = MM(set1_epi8)(0x0f);
	VEC bytes = MM(shuffle_epi8)(x, SPREAD(swap));
	VEC low = bytes & nibble, high = MM(srli_epi16)(bytes, 4) & nibble;

	return MM(shuffle_epi8)(SPREAD(to_high), low) | MM(shuffle_epi8)(SPREAD(to_low), high);
}

// The hashes of the next 4 * LANES rows, in their order: rows of a group of four have the same lane, each
// of another register.
static ALWAYS_INLINE VEC W(block_of)(const struct W(factors) * factors, struct part part,
				     struct job job) {
	VEC first = W(picked)(W(sums_of)(factors, part, job, 0), W(sums_of)(factors, part, job, 1));
	VEC second = W(picked)(W(sums_of)(factors, part, job, 2), W(sums_of)(factors, part, job, 3));

	return W(mirrored)(MM(unpacklo_epi64)(first, second));
}

// Hash rows as long as they fill all lanes.
static ALWAYS_INLINE void W(blocks_hash)(const struct ddp_hash *hash, struct part part,
					 struct job *job) {
	const struct W(factors) factors = W(factors_of)(hash, part);

	while (job->n >= 4 * LANES) {
		VEC ready = W(block_of)(&factors, part, *job);
		uint32_t words[4 * LANES];

		if (job->index == NULL) {
			STORE(job->hashes, ready);
		} else {
			STORE(words, ready);
			hashes_put(job, words, 4 * LANES);
		}
		job_advance(job, 4 * LANES);
	}
}

#undef CLMUL
#undef LANES
#undef LOAD
#undef MM
#undef SPREAD
#undef STORE
#undef VEC
#undef W
#undef ZERO
