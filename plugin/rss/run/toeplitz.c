/* SPDX-License-Identifier: BSD-3-Clause */
// Hash functions, portable. Toeplitz is linear over XOR: the hash is the XOR of what each byte at
// its position adds, so one table row per position makes it one load and one XOR a byte. For many
// inputs at once the CPU's instruction set chooses the way.
#include <errno.h>

#include <rte_debug.h>

#include "toeplitz.h"

// Microsoft, "Verifying the RSS Hash Calculation"; then its first 12 bytes again.
const uint8_t ddp_default_key[DDP_KEY_SIZE] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43,
	0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb,
	0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01,
	0xfa, 0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d,
};

int ddp_key_read(uint8_t to[DDP_KEY_SIZE], const uint8_t *key, unsigned int len) {
	if (len != DDP_KEY_SHORT && len != DDP_KEY_SIZE)
		return -EINVAL;
	memmove(to, key, len);
	memcpy(to + len, to, DDP_KEY_SIZE - len);
	return 0;
}

static uint32_t key_window(const uint8_t *key, unsigned int bit) {
	uint64_t window = 0;

	for (unsigned int i = 0; i < 5; i++) {
		unsigned int at = bit / 8 + i;

		window = window << 8 | (at < DDP_KEY_SIZE ? key[at] : 0);
	}
	return (uint32_t)(window >> (8 - bit % 8));
}

static void table_init(uint32_t table[256], const uint8_t *key, unsigned int position) {
	table[0] = 0;
	for (unsigned int bit = 0; bit < 8; bit++) {
		unsigned int first = 1U << bit; // the smallest byte with this bit set
		uint32_t window = key_window(key, 8 * position + 7 - bit);

		for (unsigned int b = 0; b < first; b++)
			table[first + b] = table[b] ^ window;
	}
}

// The key bits that three words of input meet, as factors of products (toeplitz_clmul.c).
static void factors_init(uint64_t factors[2], const uint8_t *key, unsigned int first) {
	factors[0] = factors[1] = 0;
	for (unsigned int i = 0; i < 127; i++) {
		uint64_t bit = key_window(key, first + i) >> 31;

		if (i < 63)
			factors[0] |= bit << (i + 1);
		else
			factors[1] |= bit << (i - 63);
	}
}

void ddp_hash_init(struct ddp_hash *hash, enum ddp_hash_function function,
		   const uint8_t key[DDP_KEY_SIZE]) {
	hash->function = function;
	memcpy(hash->key, key, DDP_KEY_SIZE);
	for (unsigned int i = 0; i < DDP_HASH_INPUT_MAX; i++)
		table_init(hash->table[i], key, i);
	for (unsigned int i = 0; i < DDP_HASH_WORDS; i++)
		factors_init(hash->factors[i], key, 32 * i);
}

static uint32_t toeplitz_bytes(const struct ddp_hash *hash, const uint8_t *input,
			       unsigned int first, unsigned int len) {
	const uint32_t(*table)[256] = &hash->table[first];
	const uint8_t *byte = input + first, *end = input + len;
	uint32_t sum = 0;

	RTE_ASSERT(len <= DDP_HASH_INPUT_MAX);
	for (; end - byte >= 4; byte += 4, table += 4) // lets the loads of a word overlap
		sum ^= table[0][byte[0]] ^ table[1][byte[1]] ^ table[2][byte[2]] ^
		       table[3][byte[3]];
	for (; byte < end; byte++, table++)
		sum ^= table[0][*byte];
	return sum;
}

uint32_t ddp_hash_simple_xor(const uint8_t *input, unsigned int len) {
	uint32_t sum = 0;

	for (unsigned int i = 0; i < len; i++)
		sum ^= (uint32_t)input[i] << (24 - 8 * (i % 4));
	return sum;
}

uint32_t ddp_hash_compute_by(const struct ddp_hash *hash, enum ddp_hash_function function,
			     const uint8_t *input, unsigned int len) {
	if (len > DDP_HASH_INPUT_MAX)
		len = DDP_HASH_INPUT_MAX;
	if (function == DDP_HASH_SIMPLE_XOR)
		return ddp_hash_simple_xor(input, len);
	return toeplitz_bytes(hash, input, 0, len);
}

uint32_t ddp_hash_compute(const struct ddp_hash *hash, const uint8_t *input, unsigned int len) {
	return ddp_hash_compute_by(hash, hash->function, input, len);
}

static const char *const function_names[] = {
	[DDP_HASH_TOEPLITZ] = "toeplitz",
	[DDP_HASH_SYMMETRIC_TOEPLITZ] = "symmetric_toeplitz",
	[DDP_HASH_SYMMETRIC_TOEPLITZ_SORT] = "symmetric_toeplitz_sort",
	[DDP_HASH_SIMPLE_XOR] = "simple_xor",
};

const char *ddp_hash_function_name(enum ddp_hash_function function) {
	RTE_ASSERT(function < sizeof(function_names) / sizeof(*function_names));
	return function_names[function];
}

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

// The share of the bytes from first on, without zeros on the right, which change no hash.
static uint32_t part_hash(const struct ddp_hash *hash, const uint8_t *input, unsigned int first,
			  unsigned int len) {
	static const uint8_t zeros[4];

	while (len > first + 4 && memcmp(input + len - 4, zeros, sizeof(zeros)) == 0)
		len -= 4;
	if (hash->function == DDP_HASH_SIMPLE_XOR)
		return ddp_hash_simple_xor(input + first, len - first);
	return toeplitz_bytes(hash, input, first, len);
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
