/* SPDX-License-Identifier: BSD-3-Clause */
// Receive side scaling: from the bytes of an input set to a hash and a queue.
#pragma once

#include <string.h>

#include "base/isa.h"
#include "base/rss_hf.h"

#define DDP_KEY_SIZE 52       // bytes, as on 800-series NICs
#define DDP_KEY_SHORT 40      // bytes, as most applications have: see ddp_key_read()
#define DDP_HASH_INPUT_MAX 48 // bytes: 48 * 8 bits + 32 are the 52 bytes of the key
#define DDP_HASH_HEAD 16      // bytes: the first part of longer inputs
#define DDP_HASH_FEW 4        // rows that are hashed at once if there are not many
#define DDP_HASH_ROWS 64      // inputs of a burst
#define DDP_RETA_SIZE 512     // entries, as on 800-series NICs

// Microsoft's RSS verification key (40 bytes, 6d5a .. 01fa) followed by its first 12 bytes.
extern const uint8_t ddp_default_key[DDP_KEY_SIZE];

// Read a key of DDP_KEY_SHORT or DDP_KEY_SIZE bytes. The first 36 bytes of an input use no more
// than 40 bytes of the key; a short key then goes on with its own first 12 bytes. -EINVAL: length.
int ddp_key_read(uint8_t to[DDP_KEY_SIZE], const uint8_t *key, unsigned int len);

enum ddp_hash_function {
	DDP_HASH_TOEPLITZ,
	// Toeplitz of symmetric input, see ddp_input_gather():
	DDP_HASH_SYMMETRIC_TOEPLITZ,      // a source and a destination are replaced by their XOR,
	DDP_HASH_SYMMETRIC_TOEPLITZ_SORT, // or exchanged where the first is greater
	DDP_HASH_SIMPLE_XOR,              // XOR of big-endian 32-bit words; the key plays no part
};

static inline bool ddp_hash_is_symmetric(enum ddp_hash_function function) {
	return function == DDP_HASH_SYMMETRIC_TOEPLITZ ||
	       function == DDP_HASH_SYMMETRIC_TOEPLITZ_SORT;
}

// A key prepared for hashing (about 50 KB). Read-only once initialised.
struct ddp_hash {
	enum ddp_hash_function function;
	uint8_t key[DDP_KEY_SIZE];
	uint64_t factors[DDP_HASH_INPUT_MAX / 4][2]; // see toeplitz_clmul.c
	uint32_t table[DDP_HASH_INPUT_MAX]
		      [256]; // the contribution of byte b at position i to the hash
};

void ddp_hash_init(struct ddp_hash *hash, enum ddp_hash_function function,
		   const uint8_t key[DDP_KEY_SIZE]);

// Hash of len bytes (at most DDP_HASH_INPUT_MAX). Equal to DPDK's rte_softrss() on the same bytes
// as big-endian words, for any len (zero padding on the right changes no hash).
uint32_t ddp_hash_compute(const struct ddp_hash *hash, const uint8_t *input, unsigned int len);

// Like ddp_hash_compute(), by this function instead of the one that the hash was initialised for.
uint32_t ddp_hash_compute_by(const struct ddp_hash *hash, enum ddp_hash_function function,
			     const uint8_t *input, unsigned int len);

// Hash by DDP_HASH_SIMPLE_XOR, which needs no key.
uint32_t ddp_hash_simple_xor(const uint8_t *input, unsigned int len);

// Inputs to hash, one a row: side by side, so that several are loaded at once, with room for that
// behind the last. A row is zero from the input's end to the end of the 16-byte block that the
// input ends in; what lies in later blocks is not looked at.
struct ddp_rows {
	uint8_t heads[DDP_HASH_ROWS + 4][DDP_HASH_HEAD] __attribute__((aligned(64)));
	uint8_t tails[DDP_HASH_ROWS + 4][DDP_HASH_INPUT_MAX - DDP_HASH_HEAD];
};

// Row i becomes an input, with what is behind it.
static inline void ddp_rows_put(struct ddp_rows *rows, unsigned int i,
				const uint8_t input[DDP_HASH_INPUT_MAX]) {
	memcpy(rows->heads[i], input, sizeof(rows->heads[i]));
	memcpy(rows->tails[i], input + DDP_HASH_HEAD, sizeof(rows->tails[i]));
}

static inline void ddp_rows_get(const struct ddp_rows *rows, unsigned int i,
				uint8_t input[DDP_HASH_INPUT_MAX]) {
	memcpy(input, rows->heads[i], sizeof(rows->heads[i]));
	memcpy(input + DDP_HASH_HEAD, rows->tails[i], sizeof(rows->tails[i]));
}

// Repeat the nth of an index up to the next multiple of DDP_HASH_FEW.
static inline void ddp_rows_index_end(uint8_t *index, unsigned int n) {
	for (; n % DDP_HASH_FEW != 0; n++)
		index[n] = index[n - 1];
}

// Hash n inputs of one length of `words` 4-byte words (1 to 12; the length rounded up): hashes[i]
// becomes what ddp_hash_compute() says of row i, from row first on. The CPU has the isa.
void ddp_hash_rows(const struct ddp_hash *hash, enum ddp_isa isa, unsigned int words,
		   const struct ddp_rows *rows, unsigned int first, unsigned int n,
		   uint32_t *hashes);

// Like ddp_hash_rows(), for the n rows in index, which are different; the index ends as
// ddp_rows_index_end() leaves it. Rows may have lengths up to `words`, and are zero up to there.
//
// Hashes are linear: from 3 or 4, rows have hashes of their first `from` words, and this adds what
// the words behind them, up to `words` (5 to 12, counted from the row's beginning), give. Do so for
// each length; or for the longest of several lengths at once. from 0: hashes of whole rows.
void ddp_hash_rows_at(const struct ddp_hash *hash, enum ddp_isa isa, unsigned int from,
		      unsigned int words, const struct ddp_rows *rows, const uint8_t *index,
		      unsigned int n, uint32_t *hashes);

// Fill a redirection table round robin over n_queues (1 or more).
static inline void ddp_reta_fill(uint16_t *reta, unsigned int size, unsigned int n_queues) {
	for (unsigned int i = 0; i < size; i++)
		reta[i] = i % n_queues;
}

// Names are those of testpmd.
const char *ddp_hash_function_name(enum ddp_hash_function function);

// The imbalance of a load.
double ddp_imbalance(const uint64_t *loads,
		     unsigned int n); // most loaded over the mean; 0 when all are 0
double ddp_jain(const uint64_t *loads,
		unsigned int n); // Jain's index (sum x)^2 / (n * sum x^2); 0 ditto
