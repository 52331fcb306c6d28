/* SPDX-License-Identifier: BSD-3-Clause */
// Hashes of many inputs at once: the choice of how, and how without instructions for it.
#include "toeplitz.h"

#define FIRST 16 // bytes that are no rest

// NULL: none.
static const struct ddp_toeplitz *kernels_of(enum ddp_isa isa) {
#ifdef __x86_64__
	switch (isa) {
	case DDP_ISA_V2:
		return &ddp_toeplitz_v2;
	case DDP_ISA_V3:
		return __builtin_cpu_supports("vpclmulqdq") ? &ddp_toeplitz_vpclmul256 :
							      &ddp_toeplitz_v3;
	case DDP_ISA_AVX512_256:
		return &ddp_toeplitz_vpclmul256;
	case DDP_ISA_AVX512:
		return &ddp_toeplitz_vpclmul512;
	default:
		break;
	}
#endif
	return NULL;
}

static const struct ddp_toeplitz *kernels_for(const struct ddp_hash *hash, enum ddp_isa isa) {
	return hash->function == DDP_HASH_SIMPLE_XOR ? NULL : kernels_of(isa);
}

void ddp_hash_rows(const struct ddp_hash *hash, enum ddp_isa isa, unsigned int words,
		   const uint8_t *rows, unsigned int n, uint32_t *hashes) {
	const struct ddp_toeplitz *kernels = kernels_for(hash, isa);

	if (kernels != NULL) {
		kernels->rows[words](hash, rows, n, hashes);
		return;
	}
	for (unsigned int i = 0; i < n; i++)
		hashes[i] = ddp_hash_compute(hash, rows + i * (size_t)DDP_HASH_ROW, 4 * words);
}

static uint32_t rest_of(const struct ddp_hash *hash, const uint8_t *row, unsigned int len) {
	if (hash->function == DDP_HASH_SIMPLE_XOR)
		return ddp_hash_simple_xor(row + FIRST, len - FIRST);
	return ddp_toeplitz_bytes(hash, row, FIRST, len);
}

void ddp_hash_rows_rest(const struct ddp_hash *hash, enum ddp_isa isa, unsigned int words,
			const uint8_t *rows, const uint8_t *index, unsigned int n, uint32_t *hashes) {
	const struct ddp_toeplitz *kernels = kernels_for(hash, isa);

	if (kernels != NULL) {
		kernels->rest[words](hash, rows, index, n, hashes);
		return;
	}
	for (unsigned int i = 0; i < n; i++)
		hashes[index[i]] ^= rest_of(hash, rows + index[i] * (size_t)DDP_HASH_ROW, 4 * words);
}
