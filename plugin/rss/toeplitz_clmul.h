/* SPDX-License-Identifier: BSD-3-Clause */
// Toeplitz by carry-less products: the whole of toeplitz_<instruction set>.c, which defines KERNELS, the
// name of its table, and is compiled with the flags that decide how wide this gets.
//
// Bit j of the hash (0 the leftmost) is the sum over i of input bit i times key bit i + j, where sums are
// XOR. Take 64 bits of input as a polynomial with bit i at z^(63 - i), which is how a big-endian number
// has them, and the key with bit m at z^(m + 1). In their product every i meets m = i + j at z^(64 + j):
// the hash is the lower half of the upper 64 bits, mirrored. That factor ends at z^63 with key bit 62. The
// key bits from 63 on, bit m at z^(m - 63), are a second factor; its product has what is missing at z^j,
// and nothing is missing for the first 32 bits of input. So each word of input costs one product, and
// nothing need be masked: what products leave elsewhere is never looked at.
//
// A register holds a block, 16 bytes, of LANES rows. Four of them are summed up side by side, then the two halves
// are picked from each, added and mirrored, for all rows at once.
#include <immintrin.h>

#include "toeplitz.h"

#if defined(__AVX512BW__) && defined(__VPCLMULQDQ__)
#define LANES 4
#define VEC __m512i
#define MM(name) _mm512_##name
#define ZERO _mm512_setzero_si512()
#define SPREAD(lane) _mm512_broadcast_i32x4(lane)
#define CLMUL _mm512_clmulepi64_epi128
#define LOAD(from) _mm512_loadu_si512(from)
#define STORE(to, x) _mm512_storeu_si512(to, x)
#elif defined(__AVX2__) && defined(__VPCLMULQDQ__)
#define LANES 2
#define VEC __m256i
#define MM(name) _mm256_##name
#define ZERO _mm256_setzero_si256()
#define SPREAD(lane) _mm256_broadcastsi128_si256(lane)
#define CLMUL _mm256_clmulepi64_epi128
#define LOAD(from) _mm256_loadu_si256((const __m256i *)(from))
#define STORE(to, x) _mm256_storeu_si256((__m256i *)(to), x)
#else
#define LANES 1
#define VEC __m128i
#define MM(name) _mm_##name
#define ZERO _mm_setzero_si128()
#define SPREAD(lane) (lane)
#define CLMUL _mm_clmulepi64_si128
#define LOAD(from) _mm_load_si128((const __m128i *)(from))
#define STORE(to, x) _mm_storeu_si128((__m128i *)(to), x)
#endif

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define BLOCK_WORDS 4U     // of 16 bytes, a lane
#define BATCH (4U * LANES) // rows at once

// What to hash of each row: from which block up to which word.
struct part {
	unsigned int block;
	unsigned int words;
};

// What is left to hash.
struct job {
	const struct ddp_rows *rows;
	const uint8_t *index; // from the next one; NULL: rows one after the other
	unsigned int first;   // the next one, without an index
	unsigned int n;
	uint32_t *hashes; // of all rows
};

// 64 bits of the key's factors a lane, for each 64 bits of input.
struct factors {
	VEC of[DDP_HASH_WORDS / 2];
};

// Products of the same rows: the hash is dword 2 of upper plus dword 0 of lower.
struct sums {
	VEC upper;
	VEC lower;
};

static ALWAYS_INLINE struct factors factors_of(const struct ddp_hash *hash, struct part part) {
	struct factors factors;

	for (unsigned int i = BLOCK_WORDS / 2 * part.block; 2 * i < part.words; i++) {
		const __m128i *pair = (const __m128i *)hash->factors[i];

		factors.of[i] = SPREAD(_mm_loadu_si128(pair));
	}
	return factors;
}

static ALWAYS_INLINE const uint8_t *block_of(const struct ddp_rows *rows, unsigned int row,
					     unsigned int block) {
	return block == 0 ? rows->heads[row] : rows->tails[row] + DDP_HASH_HEAD * (block - 1);
}

// Of the row that is entry i of the index; the last one stands in for those behind it.
static ALWAYS_INLINE __m128i block_at(struct job job, unsigned int i, unsigned int block) {
	unsigned int row = job.index[i < job.n ? i : job.n - 1];

	return _mm_load_si128((const __m128i *)block_of(job.rows, row, block));
}

// The same of LANES rows.
static ALWAYS_INLINE VEC blocks_at(struct job job, unsigned int i, unsigned int block) {
	__m128i first = block_at(job, i, block);

#if LANES == 4
	VEC x = _mm512_castsi128_si512(first);

	x = _mm512_inserti32x4(x, block_at(job, i + 1, block), 1);
	x = _mm512_inserti32x4(x, block_at(job, i + 2, block), 2);
	return _mm512_inserti32x4(x, block_at(job, i + 3, block), 3);
#elif LANES == 2
	return _mm256_inserti128_si256(_mm256_castsi128_si256(first), block_at(job, i + 1, block),
				       1);
#else
	return first;
#endif
}

// Of LANES rows that lie side by side.
static ALWAYS_INLINE VEC blocks_beside(const struct ddp_rows *rows, unsigned int row,
				       unsigned int block) {
	if (block == 0)
		return LOAD(rows->heads[row]);
#if LANES == 4
	VEC two = LOAD(rows->tails[row]), more = LOAD(rows->tails[row + 2]);

	return block == 1 ? _mm512_shuffle_i64x2(two, more, 0x88) :
			    _mm512_shuffle_i64x2(two, more, 0xdd);
#elif LANES == 2
	VEC one = LOAD(rows->tails[row]), other = LOAD(rows->tails[row + 1]);

	return block == 1 ? _mm256_permute2x128_si256(one, other, 0x20) :
			    _mm256_permute2x128_si256(one, other, 0x31);
#else
	return LOAD(block_of(rows, row, block));
#endif
}

// Of LANES rows from i on.
static ALWAYS_INLINE struct sums sums_of(struct factors factors, struct part part, struct job job,
					 unsigned int i) {
	const __m128i swap = _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
	struct sums sums = {ZERO, ZERO};

	if (i >= job.n)
		return sums;
	for (unsigned int block = part.block; BLOCK_WORDS * block < part.words; block++) {
		unsigned int words = part.words - BLOCK_WORDS * block;
		VEC x = job.index != NULL ? blocks_at(job, i, block) :
					    blocks_beside(job.rows, job.first + i, block);

		x = MM(shuffle_epi8)(x, SPREAD(swap));

		sums.upper ^= CLMUL(x, factors.of[2 * block], 0x00);
		if (words > 1)
			sums.lower ^= CLMUL(x, factors.of[2 * block], 0x10);
		if (words > 2)
			sums.upper ^= CLMUL(x, factors.of[2 * block + 1], 0x01);
		if (words > 3)
			sums.lower ^= CLMUL(x, factors.of[2 * block + 1], 0x11);
	}
	return sums;
}

// The hashes of a's and b's rows, side by side in the lower half of each lane.
static ALWAYS_INLINE VEC picked(struct sums a, struct sums b) {
	return MM(unpackhi_epi32)(a.upper, b.upper) ^ MM(unpacklo_epi32)(a.lower, b.lower);
}

// Each dword with its bits in opposite order.
static ALWAYS_INLINE VEC mirrored(VEC x) {
	const __m128i swap = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
	const __m128i to_low = _mm_setr_epi8(0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15);
	const __m128i to_high = _mm_slli_epi16(to_low, 4);
	const VEC nibble = MM(set1_epi8)(0x0f);
	VEC bytes = MM(shuffle_epi8)(x, SPREAD(swap));
	VEC low = bytes & nibble, high = MM(srli_epi16)(bytes, 4) & nibble;

	return MM(shuffle_epi8)(SPREAD(to_high), low) | MM(shuffle_epi8)(SPREAD(to_low), high);
}

// Dword j of lane l is the hash of row LANES * j + l, so that few rows need few registers.
static ALWAYS_INLINE VEC ordered(VEC x) {
#if LANES == 4
	return _mm512_permutexvar_epi32(
		_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), x);
#elif LANES == 2
	return _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
#else
	return x;
#endif
}

// The hashes of the next rows.
static ALWAYS_INLINE VEC batch_of(struct factors factors, struct part part, struct job job) {
	struct sums a = sums_of(factors, part, job, 0);
	struct sums b = sums_of(factors, part, job, LANES);
	struct sums c = sums_of(factors, part, job, 2 * LANES);
	struct sums d = sums_of(factors, part, job, 3 * LANES);

	return ordered(mirrored(MM(unpacklo_epi64)(picked(a, b), picked(c, d))));
}

// The hashes of the next n rows: they are new, or with an index what is missing in those that exist.
static ALWAYS_INLINE void hashes_put(struct job job, VEC hashes, unsigned int n) {
	uint32_t words[BATCH];

	if (job.index == NULL && n == BATCH) {
		STORE(job.hashes + job.first, hashes);
		return;
	}
	STORE(words, hashes);
	for (unsigned int i = 0; i < n; i++) {
		if (job.index == NULL)
			job.hashes[job.first + i] = words[i];
		else
			job.hashes[job.index[i]] ^= words[i];
	}
}

static ALWAYS_INLINE struct job job_after(struct job job, unsigned int n) {
	if (job.index == NULL)
		job.first += n;
	else
		job.index += n;
	job.n -= n;
	return job;
}

static ALWAYS_INLINE void job_do(struct job job, struct part part, const struct ddp_hash *hash) {
	const struct factors factors = factors_of(hash, part);

	for (; job.n >= BATCH; job = job_after(job, BATCH))
		hashes_put(job, batch_of(factors, part, job), BATCH);
	if (job.n > 0)
		hashes_put(job, batch_of(factors, part, job), job.n);
}

// 12 bytes are IPv4 with ports, 36 IPv6 with them; where a length has no function of its own, the next has.
#define ROWS(n_words)                                                                         \
	static void rows_##n_words(const struct ddp_hash *hash, const struct ddp_rows *rows,  \
				   unsigned int first, unsigned int n, uint32_t *hashes) {    \
		job_do((struct job){rows, NULL, first, n, hashes}, (struct part){0, n_words}, \
		       hash);                                                                 \
	}
#define REST(n_words)                                                                             \
	static void rest_##n_words(const struct ddp_hash *hash, const struct ddp_rows *rows,      \
				   const uint8_t *index, unsigned int n, uint32_t *hashes) {      \
		job_do((struct job){rows, index, 0, n, hashes}, (struct part){1, n_words}, hash); \
	}

ROWS(2)
ROWS(3)
ROWS(4)
ROWS(8)
ROWS(9)
ROWS(12)
REST(8)
REST(9)
REST(12)

const struct ddp_toeplitz KERNELS = {
	.rows = {[1] = rows_2,
		 [2] = rows_2,
		 [3] = rows_3,
		 [4] = rows_4,
		 [5] = rows_8,
		 [6] = rows_8,
		 [7] = rows_8,
		 [8] = rows_8,
		 [9] = rows_9,
		 [10] = rows_12,
		 [11] = rows_12,
		 [12] = rows_12},
	.rest = {[5] = rest_8,
		 [6] = rest_8,
		 [7] = rest_8,
		 [8] = rest_8,
		 [9] = rest_9,
		 [10] = rest_12,
		 [11] = rest_12,
		 [12] = rest_12},
};
