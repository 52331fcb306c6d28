/* SPDX-License-Identifier: BSD-3-Clause */
// Private to plugin/rss: Toeplitz hashes of many rows at once, once for each instruction set.
#pragma once

#include "rss/rss.h"

#define DDP_HASH_WORDS (DDP_HASH_INPUT_MAX / 4)

// ddp_hash_rows() and ddp_hash_rows_at() for one length.
typedef void ddp_toeplitz_rows(const struct ddp_hash *hash, const struct ddp_rows *rows,
			       unsigned int first, unsigned int n, uint32_t *hashes);
typedef void ddp_toeplitz_index(const struct ddp_hash *hash, const struct ddp_rows *rows,
				const uint8_t *index, unsigned int n, uint32_t *hashes);

// By words. Zeros, as to the end of a row's last block, change no hash: one serves several lengths.
struct ddp_toeplitz {
	ddp_toeplitz_rows *rows[DDP_HASH_WORDS + 1];   // from 1
	ddp_toeplitz_index *at[5][DDP_HASH_WORDS + 1]; // by the words left out, too: 0, 3 or 4
};

extern const struct ddp_toeplitz ddp_toeplitz_pmull;
extern const struct ddp_toeplitz ddp_toeplitz_v2;
extern const struct ddp_toeplitz ddp_toeplitz_v3;         // without VPCLMULQDQ
extern const struct ddp_toeplitz ddp_toeplitz_vpclmul256; // AVX2 and VPCLMULQDQ
extern const struct ddp_toeplitz ddp_toeplitz_vpclmul512; // AVX-512 F, BW and VPCLMULQDQ
