/* SPDX-License-Identifier: BSD-3-Clause */
// The path cache with AVX-512 and VBMI on 512-bit registers.
#include "cache_x86.h"

#define BLOCK 8 // packets whose lines stay in registers
#define TESTED 16

typedef __m512i pick_t;

INLINE pick_t pick_load(const uint8_t *bytes) {
	return _mm512_load_si512(bytes);
}

INLINE __m128i pick_first(pick_t pick) {
	return _mm512_castsi512_si128(pick);
}

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
INLINE pick_t lines_pick(lines_t lines, const unsigned int n_lines, pick_t from) {
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

// (a ^ value) & mask
INLINE __m512i wrong_bits(__m512i a, __m512i value, __m512i mask) {
	return _mm512_ternarylogic_epi64(a, value, mask, 0x28);
}

INLINE uint32_t right_words(pick_t a, pick_t value, pick_t mask) {
	__m512i wrong = wrong_bits(a, value, mask);

	return _mm512_testn_epi16_mask(wrong, wrong);
}

INLINE uint32_t right_dwords(pick_t a, pick_t value, pick_t mask) {
	__m512i wrong = wrong_bits(a, value, mask);

	return _mm512_testn_epi32_mask(wrong, wrong);
}

INLINE uint32_t tested(const uint32_t *numbers, uint32_t bits) {
	return _mm512_test_epi32_mask(_mm512_load_si512(numbers), _mm512_set1_epi32(bits));
}

#define KERNEL cache_kernel_avx512
#include "cache_picks.h"
