/* SPDX-License-Identifier: BSD-3-Clause */
// The path cache with AVX-512 and VBMI on 256-bit registers.
#include "cache_x86.h"

#define BLOCK 4 // packets whose lines stay in registers
#define TESTED 8

typedef struct {
	__m256i half[2];
} pick_t;

INLINE pick_t pick_load(const uint8_t *bytes) {
	return (pick_t){{
		_mm256_load_si256((const void *)bytes),
		_mm256_load_si256((const void *)(bytes + 32)),
	}};
}

INLINE __m128i pick_first(pick_t pick) {
	return _mm256_castsi256_si128(pick.half[0]);
}

// The first lines of a packet.
typedef struct {
	__m256i of[TRACE_REACH / 32];
} lines_t;

INLINE lines_t lines_load(const uint8_t *bytes, const unsigned int n_lines) {
	lines_t lines;

	for (unsigned int l = 0; l < 2 * n_lines; l++)
		lines.of[l] = _mm256_loadu_si256((const void *)(bytes + 32 * l));
	return lines;
}

INLINE __m256i line_pick(lines_t lines, const unsigned int line, __m256i from) {
	return _mm256_permutex2var_epi8(lines.of[2 * line], from, lines.of[2 * line + 1]);
}

// Bit 6 of a place says which line of two it is in.
INLINE __m256i two_pick(lines_t lines, const unsigned int line, const unsigned int n_lines,
			__m256i from) {
	if (n_lines == line + 1)
		return line_pick(lines, line, from);
	return _mm256_mask_mov_epi8(line_pick(lines, line, from),
				    _mm256_test_epi8_mask(from, _mm256_set1_epi8(0x40)),
				    line_pick(lines, line + 1, from));
}

// Bit 7 says which two.
INLINE __m256i half_pick(lines_t lines, const unsigned int n_lines, __m256i from) {
	if (n_lines <= 2)
		return two_pick(lines, 0, n_lines, from);
	return _mm256_mask_mov_epi8(two_pick(lines, 0, 2, from), _mm256_movepi8_mask(from),
				    two_pick(lines, 2, n_lines, from));
}

INLINE pick_t lines_pick(lines_t lines, const unsigned int n_lines, pick_t from) {
	return (pick_t){{
		half_pick(lines, n_lines, from.half[0]),
		half_pick(lines, n_lines, from.half[1]),
	}};
}

// (a ^ value) & mask
INLINE __m256i wrong_bits(__m256i a, __m256i value, __m256i mask) {
	return _mm256_ternarylogic_epi64(a, value, mask, 0x28);
}

INLINE uint32_t right_words(pick_t a, pick_t value, pick_t mask) {
	__m256i low = wrong_bits(a.half[0], value.half[0], mask.half[0]);
	__m256i high = wrong_bits(a.half[1], value.half[1], mask.half[1]);

	return _mm512_kunpackw(_mm256_testn_epi16_mask(high, high),
			       _mm256_testn_epi16_mask(low, low));
}

INLINE uint32_t right_dwords(pick_t a, pick_t value, pick_t mask) {
	__m256i low = wrong_bits(a.half[0], value.half[0], mask.half[0]);
	__m256i high = wrong_bits(a.half[1], value.half[1], mask.half[1]);

	return _mm512_kunpackb(_mm256_testn_epi32_mask(high, high),
			       _mm256_testn_epi32_mask(low, low));
}

INLINE uint32_t tested(const uint32_t *numbers, uint32_t bits) {
	return _mm256_test_epi32_mask(_mm256_load_si256((const void *)numbers),
				      _mm256_set1_epi32(bits));
}

#define KERNEL cache_kernel_avx512_256
#include "cache_picks.h"
