/* SPDX-License-Identifier: BSD-3-Clause */
// Toeplitz by carry-less products, compiled for each instruction set: KERNELS names the table.
//
// Bit j of the hash (0 the leftmost) is the sum over i of input bit i times key bit i + j, where
// sums are XOR. Take 64 bits of input, two words, as a polynomial with bit i at z^(63 - i), which
// is how a big-endian number has them. With key bit m at z^(m + 1), for m below 63, every i meets m
// = i + j at z^(64 + j) of their product: its dword 2 is the hash, mirrored, as far as key bits
// below 63 go, which is all for the first word. With key bit m at z^(m - 63), for m from 63 on,
// count the second word as the first of another two: there i meets m = 32 + i + j at z^(32 + j),
// and dword 1 of that product is the missing part of the second word, and all of the third. So two
// products do for three words: nothing is in both, and their other dwords are never read.
//
// A register holds three words of LANES rows, as the two operands. Four of them are summed up side
// by side, then the two dwords are selected from each, added and mirrored, for all rows at once.
#ifdef __aarch64__
#include <arm_neon.h>
#else
#include <immintrin.h>
#endif

#include "toeplitz.h"

#if defined(__aarch64__)
#define LANES 1
#define VEC uint8x16_t
#define LANE uint8x16_t
#define LANE_LOAD(from) vld1q_u8((const uint8_t *)(from))
#define LANE_LOADU LANE_LOAD
#define LANE_OF(...) ((uint8x16_t){__VA_ARGS__})
#define ZERO vdupq_n_u8(0)
#define SPREAD(lane) (lane)
#define PRODUCT_LOW(a, b)                                                           \
	vreinterpretq_u8_p128(vmull_p64(vgetq_lane_p64(vreinterpretq_p64_u8(a), 0), \
					vgetq_lane_p64(vreinterpretq_p64_u8(b), 0)))
#define PRODUCT_HIGH(a, b) \
	vreinterpretq_u8_p128(vmull_high_p64(vreinterpretq_p64_u8(a), vreinterpretq_p64_u8(b)))
#define SHUFFLE vqtbl1q_u8
#define ALIGN(next, block, n) vextq_u8(block, next, n)
#define LOAD LANE_LOAD
#define STORE(to, x) vst1q_u8((uint8_t *)(to), x)
#elif defined(__AVX512BW__) && defined(__VPCLMULQDQ__)
#define LANES 4
#define VEC __m512i
#define MM(name) _mm512_##name
#define ZERO _mm512_setzero_si512()
#define SPREAD(lane) _mm512_broadcast_i32x4(lane)
#define CLMUL _mm512_clmulepi64_epi128
#define LOAD(from) _mm512_loadu_si512(from)
#define SELECT(a, b, which)  \
	_mm512_castps_si512( \
		_mm512_shuffle_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), which))
#define STORE(to, x) _mm512_storeu_si512(to, x)
#elif defined(__AVX2__) && defined(__VPCLMULQDQ__)
#define LANES 2
#define VEC __m256i
#define MM(name) _mm256_##name
#define ZERO _mm256_setzero_si256()
#define SPREAD(lane) _mm256_broadcastsi128_si256(lane)
#define CLMUL _mm256_clmulepi64_epi128
#define LOAD(from) _mm256_loadu_si256((const __m256i *)(from))
#define SELECT(a, b, which)  \
	_mm256_castps_si256( \
		_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), which))
#define STORE(to, x) _mm256_storeu_si256((__m256i *)(to), x)
#else
#define LANES 1
#define VEC __m128i
#define MM(name) _mm_##name
#define ZERO _mm_setzero_si128()
#define SPREAD(lane) (lane)
#define CLMUL _mm_clmulepi64_si128
#define LOAD(from) _mm_load_si128((const __m128i *)(from))
#define SELECT(a, b, which) \
	_mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), which))
#define STORE(to, x) _mm_storeu_si128((__m128i *)(to), x)
#endif

#ifndef __aarch64__
#define LANE __m128i
#define LANE_LOAD(from) _mm_load_si128((const __m128i *)(from))
#define LANE_LOADU(from) _mm_loadu_si128((const __m128i *)(from))
#define LANE_OF _mm_setr_epi8
#define PRODUCT_LOW(a, b) CLMUL(a, b, 0x00)
#define PRODUCT_HIGH(a, b) CLMUL(a, b, 0x11)
#define SHUFFLE MM(shuffle_epi8)
#define ALIGN MM(alignr_epi8)
#endif

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define BLOCK_WORDS 4U // words of 16 bytes, a lane
#define BLOCKS (DDP_HASH_WORDS / BLOCK_WORDS)
#define TRIPLE 3U          // words of two products
#define BATCH (4U * LANES) // rows at once

struct part {
	unsigned int first;
	unsigned int end;
};

struct job {
	const struct ddp_rows *rows;
	const uint8_t *index; // of the next ones; NULL: rows one after the other
	unsigned int first;   // the next one, without an index
	unsigned int n;
	uint32_t *hashes; // of all rows
};

// Both factors a lane, for each three words of input.
struct factors {
	VEC of[DDP_HASH_WORDS / TRIPLE];
};

// Products of the same rows: the hash is dword 2 of upper plus dword 1 of lower.
struct sums {
	VEC upper;
	VEC lower;
};

static ALWAYS_INLINE struct factors factors_of(const struct ddp_hash *hash, struct part part) {
	struct factors factors;

	for (unsigned int i = 0; part.first + TRIPLE * i < part.end; i++)
		factors.of[i] = SPREAD(LANE_LOADU(hash->factors[part.first + TRIPLE * i]));
	return factors;
}

static ALWAYS_INLINE const uint8_t *block_of(const struct ddp_rows *rows, unsigned int row,
					     unsigned int block) {
	return block == 0 ? rows->heads[row] : rows->tails[row] + DDP_HASH_HEAD * (block - 1);
}

static ALWAYS_INLINE LANE block_at(struct job job, unsigned int i, unsigned int block) {
	return LANE_LOAD(block_of(job.rows, job.index[i], block));
}

static ALWAYS_INLINE VEC blocks_at(struct job job, unsigned int i, unsigned int block) {
	LANE first = block_at(job, i, block);

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

// All blocks of LANES rows from i on; zeros before and behind the part.
struct blocks {
	VEC of[BLOCKS + 1];
};

static ALWAYS_INLINE struct blocks blocks_of(struct part part, struct job job, unsigned int i) {
	struct blocks blocks;

	for (unsigned int b = 0; b <= BLOCKS; b++)
		if (BLOCK_WORDS * (b + 1) <= part.first || BLOCK_WORDS * b >= part.end)
			blocks.of[b] = ZERO;
		else if (job.index != NULL)
			blocks.of[b] = blocks_at(job, i, b);
		else
			blocks.of[b] = blocks_beside(job.rows, job.first + i, b);
	return blocks;
}

// Of three words from one on, the first two and the last two, as big-endian numbers.
static ALWAYS_INLINE VEC operands_of(struct blocks blocks, unsigned int word) {
	const LANE first = LANE_OF(7, 6, 5, 4, 3, 2, 1, 0, 11, 10, 9, 8, 7, 6, 5, 4);
	const LANE second = LANE_OF(11, 10, 9, 8, 7, 6, 5, 4, 15, 14, 13, 12, 11, 10, 9, 8);
	VEC block = blocks.of[word / BLOCK_WORDS], next = blocks.of[word / BLOCK_WORDS + 1];

	switch (word % BLOCK_WORDS) {
	case 0:
		return SHUFFLE(block, SPREAD(first));
	case 1:
		return SHUFFLE(block, SPREAD(second));
	case 2:
		return SHUFFLE(ALIGN(next, block, 8), SPREAD(first));
	default:
		return SHUFFLE(ALIGN(next, block, 12), SPREAD(first));
	}
}

static ALWAYS_INLINE struct sums sums_of(struct factors factors, struct part part, struct job job,
					 unsigned int i) {
	struct sums sums = {ZERO, ZERO};
	struct blocks blocks;

	if (job.index == NULL && i >= job.n)
		return sums;
	blocks = blocks_of(part, job, i);
	for (unsigned int t = 0; part.first + TRIPLE * t < part.end; t++) {
		VEC x = operands_of(blocks, part.first + TRIPLE * t);

		sums.upper ^= PRODUCT_LOW(x, factors.of[t]);
		if (part.first + TRIPLE * t + 1 < part.end)
			sums.lower ^= PRODUCT_HIGH(x, factors.of[t]);
	}
	return sums;
}

#ifdef __aarch64__
static ALWAYS_INLINE uint32x4_t halves(VEC a, VEC b, bool high) {
	uint64x2_t x = vreinterpretq_u64_u8(a), y = vreinterpretq_u64_u8(b);

	return vreinterpretq_u32_u64(high ? vzip2q_u64(x, y) : vzip1q_u64(x, y));
}

static ALWAYS_INLINE VEC hashes_of(struct sums a, struct sums b, struct sums c, struct sums d) {
	uint32x4_t upper =
		vuzp1q_u32(halves(a.upper, b.upper, true), halves(c.upper, d.upper, true));
	uint32x4_t lower =
		vuzp2q_u32(halves(a.lower, b.lower, false), halves(c.lower, d.lower, false));

	return vrev32q_u8(vrbitq_u8(vreinterpretq_u8_u32(upper ^ lower)));
}
#else
// The hashes of a's and b's rows, as dwords 0 and 2 of each lane.
static ALWAYS_INLINE VEC selected(struct sums a, struct sums b) {
	return SELECT(a.upper, b.upper, _MM_SHUFFLE(2, 2, 2, 2)) ^
	       SELECT(a.lower, b.lower, _MM_SHUFFLE(1, 1, 1, 1));
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

static ALWAYS_INLINE VEC hashes_of(struct sums a, struct sums b, struct sums c, struct sums d) {
	return ordered(mirrored(SELECT(selected(a, b), selected(c, d), _MM_SHUFFLE(2, 0, 2, 0))));
}
#endif

static ALWAYS_INLINE VEC batch_of(struct factors factors, struct part part, struct job job) {
	struct sums a = sums_of(factors, part, job, 0);
	struct sums b = sums_of(factors, part, job, LANES);
	struct sums c = sums_of(factors, part, job, 2 * LANES);
	struct sums d = sums_of(factors, part, job, 3 * LANES);

	return hashes_of(a, b, c, d);
}

static ALWAYS_INLINE void hashes_put(struct job job, VEC hashes, unsigned int n) {
	uint32_t words[BATCH];

	if (n == BATCH) {
		STORE(job.hashes + job.first, hashes);
		return;
	}
	STORE(words, hashes);
	for (unsigned int i = 0; i < n; i++)
		job.hashes[job.first + i] = words[i];
}

static ALWAYS_INLINE void rows_do(struct job job, struct part part, const struct ddp_hash *hash) {
	const struct factors factors = factors_of(hash, part);

	for (; job.n >= BATCH; job.first += BATCH, job.n -= BATCH)
		hashes_put(job, batch_of(factors, part, job), BATCH);
	if (job.n > 0)
		hashes_put(job, batch_of(factors, part, job), job.n);
}

// With an index: the hashes of the next few, or what to add to them. All are read before any is
// written: a row that is named several times gets the same hash each time.
static ALWAYS_INLINE void few_put(struct job job, VEC hashes, bool add) {
	uint32_t words[BATCH], *of[DDP_HASH_FEW];

	STORE(words, hashes);
	for (unsigned int i = 0; i < DDP_HASH_FEW; i++)
		of[i] = &job.hashes[job.index[i]];
	for (unsigned int i = 0; add && i < DDP_HASH_FEW; i++)
		words[i] ^= *of[i];
	for (unsigned int i = 0; i < DDP_HASH_FEW; i++)
		*of[i] = words[i];
}

// Always the maximum: the number differs in each burst, and a branch on it would be mispredicted.
static ALWAYS_INLINE void index_do(struct job job, struct part part, const struct ddp_hash *hash) {
	const struct factors factors = factors_of(hash, part);
	const struct sums none = {ZERO, ZERO};

	for (unsigned int done = 0; done < job.n; done += DDP_HASH_FEW) {
		struct sums sums[DDP_HASH_FEW] = {none, none, none, none};
		VEC hashes;

		for (unsigned int i = 0; i < DDP_HASH_FEW; i += LANES)
			sums[i / LANES] = sums_of(factors, part, job, i);
		hashes = hashes_of(sums[0], sums[1], sums[2], sums[3]);
		few_put(job, hashes, part.first > 0);
		job.index += DDP_HASH_FEW;
	}
}

// 12 bytes are IPv4 with ports, 36 IPv6 with them; a length without a function takes the next.
#define ROWS(n_words)                                                                          \
	static void rows_##n_words(const struct ddp_hash *hash, const struct ddp_rows *rows,   \
				   unsigned int first, unsigned int n, uint32_t *hashes) {     \
		rows_do((struct job){rows, NULL, first, n, hashes}, (struct part){0, n_words}, \
			hash);                                                                 \
	}
#define PART(from, n_words)                                                                     \
	static void part_##from##_##n_words(const struct ddp_hash *hash,                        \
					    const struct ddp_rows *rows, const uint8_t *index,  \
					    unsigned int n, uint32_t *hashes) {                 \
		index_do((struct job){rows, index, 0, n, hashes}, (struct part){from, n_words}, \
			 hash);                                                                 \
	}

ROWS(2)
ROWS(3)
ROWS(4)
ROWS(8)
ROWS(9)
ROWS(12)
PART(0, 9)
PART(0, 12)
PART(3, 8)
PART(3, 9)
PART(3, 12)
PART(4, 8)
PART(4, 9)
PART(4, 12)

const struct ddp_toeplitz KERNELS = {
	.rows = {[1 ... 2] = rows_2,
		 [3] = rows_3,
		 [4] = rows_4,
		 [5 ... 8] = rows_8,
		 [9] = rows_9,
		 [10 ... DDP_HASH_WORDS] = rows_12},
	.at[0] = {[1 ... 9] = part_0_9, [10 ... DDP_HASH_WORDS] = part_0_12},
	.at[3] = {[5 ... 8] = part_3_8, [9] = part_3_9, [10 ... DDP_HASH_WORDS] = part_3_12},
	.at[4] = {[5 ... 8] = part_4_8, [9] = part_4_9, [10 ... DDP_HASH_WORDS] = part_4_12},
};
