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
// Four registers of rows are summed up side by side. Then the two halves are picked from each, added and
// mirrored, for all rows at once.
#include <immintrin.h>

#include "toeplitz.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define BLOCK 16 // bytes: a lane
#define BLOCK_WORDS (BLOCK / 4)

// What to hash of each row: from which block up to which word.
struct part {
	unsigned int block;
	unsigned int words;
};

// What is left to hash.
struct job {
	const uint8_t *rows;  // from the next one; with an index all
	const uint8_t *index; // from the next one; NULL: all rows, one after the other
	unsigned int n;
	uint32_t *hashes; // as rows
};

// Of the rows left; the last stands in for those behind it.
static ALWAYS_INLINE __m128i block_at(struct job job, unsigned int i, unsigned int block) {
	size_t at = i < job.n ? i : job.n - 1;
	size_t row = job.index == NULL ? at : job.index[at];

	return _mm_load_si128((const __m128i *)(job.rows + row * DDP_HASH_ROW) + block);
}

// Take the hashes of the next n rows: they are new, or with an index what is missing in those that exist.
static ALWAYS_INLINE void hashes_put(const struct job *job, const uint32_t *ready, unsigned int n) {
	for (unsigned int i = 0; i < n; i++) {
		if (job->index == NULL)
			job->hashes[i] = ready[i];
		else
			job->hashes[job->index[i]] ^= ready[i];
	}
}

static ALWAYS_INLINE void job_advance(struct job *job, unsigned int n) {
	if (job->index == NULL) {
		job->rows += n * DDP_HASH_ROW;
		job->hashes += n;
	} else {
		job->index += n;
	}
	job->n -= n;
}

#define W(name) name##_128
#define LANES 1
#define VEC __m128i
#define MM(name) _mm_##name
#define ZERO _mm_setzero_si128()
#define SPREAD(lane) (lane)
#define CLMUL _mm_clmulepi64_si128
#define STORE(to, x) _mm_storeu_si128((__m128i *)(to), x)
#define LOAD(job, i, block) block_at(job, i, block)
#include "toeplitz_lanes.h"

#if defined(__AVX2__) && defined(__VPCLMULQDQ__)
#define WITH_256

static ALWAYS_INLINE __m256i blocks2_at(struct job job, unsigned int i, unsigned int block) {
	__m256i x = _mm256_castsi128_si256(block_at(job, i, block));

	return _mm256_inserti128_si256(x, block_at(job, i + 4, block), 1);
}

#define W(name) name##_256
#define LANES 2
#define VEC __m256i
#define MM(name) _mm256_##name
#define ZERO _mm256_setzero_si256()
#define SPREAD(lane) _mm256_broadcastsi128_si256(lane)
#define CLMUL _mm256_clmulepi64_epi128
#define STORE(to, x) _mm256_storeu_si256((__m256i *)(to), x)
#define LOAD(job, i, block) blocks2_at(job, i, block)
#include "toeplitz_lanes.h"
#endif

#if defined(__AVX512BW__) && defined(__VPCLMULQDQ__)
#define WITH_512

static ALWAYS_INLINE __m512i blocks4_at(struct job job, unsigned int i, unsigned int block) {
	__m512i x = _mm512_castsi128_si512(block_at(job, i, block));

	x = _mm512_inserti32x4(x, block_at(job, i + 4, block), 1);
	x = _mm512_inserti32x4(x, block_at(job, i + 8, block), 2);
	return _mm512_inserti32x4(x, block_at(job, i + 12, block), 3);
}

#define W(name) name##_512
#define LANES 4
#define VEC __m512i
#define MM(name) _mm512_##name
#define ZERO _mm512_setzero_si512()
#define SPREAD(lane) _mm512_broadcast_i32x4(lane)
#define CLMUL _mm512_clmulepi64_epi128
#define STORE(to, x) _mm512_storeu_si512(to, x)
#define LOAD(job, i, block) blocks4_at(job, i, block)
#include "toeplitz_lanes.h"
#endif

// The last rows, when they are fewer than four.
static ALWAYS_INLINE void tail_hash(const struct ddp_hash *hash, struct part part,
				    const struct job *job) {
	const struct factors_128 factors = factors_of_128(hash, part);
	uint32_t words[4];

	_mm_storeu_si128((__m128i *)words, block_of_128(&factors, part, *job));
	hashes_put(job, words, job->n);
}

static ALWAYS_INLINE void rows_hash(const struct ddp_hash *hash, struct part part, struct job job) {
#ifdef WITH_512
	blocks_hash_512(hash, part, &job);
#endif
#ifdef WITH_256
	blocks_hash_256(hash, part, &job);
#endif
	blocks_hash_128(hash, part, &job);
	if (job.n > 0)
		tail_hash(hash, part, &job);
}

// 12 bytes are IPv4 with ports, 36 IPv6 with them; where a length has no function of its own, the next has.
#define ROWS(n_words)                                                                            \
	static void rows_##n_words(const struct ddp_hash *hash, const uint8_t *rows,             \
				   unsigned int n, uint32_t *hashes) {                           \
		rows_hash(hash, (struct part){0, n_words}, (struct job){rows, NULL, n, hashes}); \
	}
#define REST(n_words)                                                                             \
	static void rest_##n_words(const struct ddp_hash *hash, const uint8_t *rows,              \
				   const uint8_t *index, unsigned int n, uint32_t *hashes) {      \
		rows_hash(hash, (struct part){1, n_words}, (struct job){rows, index, n, hashes}); \
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
