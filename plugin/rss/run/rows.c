/* SPDX-License-Identifier: BSD-3-Clause */
// Hashes of many inputs at once: the choice of how, and how without instructions for it.
#include <rte_debug.h>

#include "toeplitz.h"

// NULL: none.
static const struct ddp_toeplitz *kernels_for(const struct ddp_hash *hash, enum ddp_isa isa) {
	if (hash->function == DDP_HASH_SIMPLE_XOR)
		return NULL;
#ifdef __x86_64__
	switch (isa) {
	case DDP_ISA_SCALAR:
	case DDP_ISA_PMULL:
	case DDP_ISA_LEVELS:
		break;
	case DDP_ISA_V2:
		return &ddp_toeplitz_v2;
	case DDP_ISA_V3:
		return __builtin_cpu_supports("vpclmulqdq") ? &ddp_toeplitz_vpclmul256 :
							      &ddp_toeplitz_v3;
	case DDP_ISA_AVX512:
		return &ddp_toeplitz_vpclmul512;
	}
#elif defined(__aarch64__)
	if (isa == DDP_ISA_PMULL)
		return &ddp_toeplitz_pmull;
#else
	(void)isa;
#endif
	return NULL;
}

void ddp_hash_rows(const struct ddp_hash *hash, enum ddp_isa isa, unsigned int words,
		   const struct ddp_rows *rows, unsigned int first, unsigned int n,
		   uint32_t *hashes) {
	const struct ddp_toeplitz *kernels = kernels_for(hash, isa);
	uint8_t input[DDP_HASH_INPUT_MAX];

	RTE_ASSERT(first + n <= DDP_HASH_ROWS);
	if (kernels != NULL) {
		kernels->rows[words](hash, rows, first, n, hashes);
		return;
	}
	for (unsigned int i = first; i < first + n; i++) {
		ddp_rows_get(rows, i, input);
		hashes[i] = ddp_hash_compute(hash, input, 4 * words);
	}
}

// The share of the bytes from first on. Zeros on the right change no hash, but a table would be
// read for each.
static uint32_t part_hash(const struct ddp_hash *hash, const uint8_t *input, unsigned int first,
			  unsigned int len) {
	static const uint8_t zeros[4];

	while (len > first + 4 && memcmp(input + len - 4, zeros, sizeof(zeros)) == 0)
		len -= 4;
	if (hash->function == DDP_HASH_SIMPLE_XOR)
		return ddp_hash_simple_xor(input + first, len - first);
	return ddp_toeplitz_bytes(hash, input, first, len);
}

void ddp_hash_rows_at(const struct ddp_hash *hash, enum ddp_isa isa, unsigned int from,
		      unsigned int words, const struct ddp_rows *rows, const uint8_t *index,
		      unsigned int n, uint32_t *hashes) {
	const struct ddp_toeplitz *kernels = kernels_for(hash, isa);
	uint8_t input[DDP_HASH_INPUT_MAX];

	RTE_ASSERT(from <= words && words <= DDP_HASH_WORDS);
	if (kernels != NULL) {
		kernels->at[from][words](hash, rows, index, n, hashes);
		return;
	}
	for (unsigned int i = 0; i < n; i++) {
		uint32_t *sum = &hashes[index[i]];

		ddp_rows_get(rows, index[i], input);
		*sum = (from > 0 ? *sum : 0) ^ part_hash(hash, input, 4 * from, 4 * words);
	}
}
