/* SPDX-License-Identifier: BSD-3-Clause */
// Many hashes at once must be those of one at a time, whatever the CPU: a packet whose hash depends
// on its neighbours in the burst goes to a queue that nobody predicts.
#include <sys/mman.h>
#include <unistd.h>

#include "rss/rss.h"
#include "unit.h"

#define N_MAX DDP_HASH_ROWS
#define UNTOUCHED 0xdeadbeef

static const struct level {
	const char *name;
	enum ddp_isa isa;
} levels[] = {
	{"scalar", DDP_ISA_SCALAR},
#ifdef __aarch64__
	{"neon-pmull", DDP_ISA_PMULL},
#else
	{"x86-64-v2", DDP_ISA_V2},
	{"x86-64-v3", DDP_ISA_V3},
	{"avx512", DDP_ISA_AVX512},
#endif
};

static struct ddp_hash hash;
static struct ddp_rows *rows;                     // behind them no byte can be read
static uint8_t inputs[N_MAX][DDP_HASH_INPUT_MAX]; // of these rows

static enum ddp_isa isa_of(void **state) {
	const struct level *level = *state;

	if (!ddp_isa_supported(level->isa)) {
		print_message("skipped: no %s on this processor\n", level->name);
		skip();
	}
	return level->isa;
}

// By the definition: where a bit of the input is set, add the 32 bits of the key that begin there.
static uint32_t defined(const uint8_t *key, const uint8_t *input, unsigned int first,
			unsigned int len) {
	uint32_t sum = 0;

	for (unsigned int bit = 8 * first; bit < 8 * len; bit++) {
		uint64_t window = 0;

		if ((input[bit / 8] >> (7 - bit % 8) & 1) == 0)
			continue;
		for (unsigned int i = 0; i < 5; i++)
			window = window << 8 | key[bit / 8 + i];
		sum ^= window >> (8 - bit % 8);
	}
	return sum;
}

static void hash_draw(uint64_t *seed) {
	uint8_t key[DDP_KEY_SIZE];

	random_bytes(seed, key, sizeof(key));
	ddp_hash_init(&hash, DDP_HASH_TOEPLITZ, key);
}

// Behind the blocks of an input lies what the last burst left.
static void row_draw(unsigned int i, unsigned int len, uint64_t *seed) {
	random_bytes(seed, inputs[i], sizeof(inputs[i]));
	memset(inputs[i] + len, 0, -len % 16);
	ddp_rows_put(rows, i, inputs[i]);
}

static void rows_draw(unsigned int first, unsigned int n, unsigned int len, uint64_t *seed) {
	random_bytes(seed, (uint8_t *)rows, sizeof(*rows));
	for (unsigned int i = first; i < first + n; i++)
		row_draw(i, len, seed);
}

static void hashes_reset(uint32_t hashes[N_MAX + 1]) {
	for (unsigned int i = 0; i <= N_MAX; i++)
		hashes[i] = UNTOUCHED;
}

static void assert_rows(enum ddp_isa isa, unsigned int len, unsigned int first, unsigned int n,
			uint64_t *seed) {
	unsigned int n_words = (len + 3) / 4;
	uint32_t hashes[N_MAX + 1];

	rows_draw(first, n, len, seed);
	hashes_reset(hashes);
	ddp_hash_rows(&hash, isa, n_words, rows, first, n, hashes);
	for (unsigned int i = 0; i <= N_MAX; i++) {
		if (i < first || i >= first + n) {
			assert_int_equal(hashes[i], UNTOUCHED);
			continue;
		}
		assert_int_equal(hashes[i], defined(hash.key, inputs[i], 0, len));
		assert_int_equal(hashes[i], ddp_hash_compute(&hash, inputs[i], len));
	}
}

ROWS_TEST(rows_hash_as_defined, levels) {
	enum ddp_isa isa = isa_of(state);
	uint64_t seed = 1;

	for (unsigned int len = 1; len <= DDP_HASH_INPUT_MAX; len++) {
		hash_draw(&seed);
		for (unsigned int n = 0; n <= N_MAX; n++) {
			assert_rows(isa, len, 0, n, &seed);
			assert_rows(isa, len, N_MAX - n, n, &seed);
		}
	}
}

// Rows in no order, and not all: hashes of the others stay. From a later word on a hash is added
// to.
static void assert_rows_at(enum ddp_isa isa, unsigned int from, unsigned int most, unsigned int n,
			   uint64_t *seed) {
	uint32_t hashes[N_MAX + 1], expected[N_MAX + 1];
	uint8_t index[N_MAX + DDP_HASH_FEW];

	hash_draw(seed);
	rows_draw(0, N_MAX, DDP_HASH_INPUT_MAX, seed);
	hashes_reset(hashes);
	hashes_reset(expected);
	for (unsigned int i = 0; i < N_MAX; i++)
		index[i] = i;
	for (unsigned int i = 0; i < n; i++) {
		unsigned int other = i + random_below(seed, N_MAX - i);
		unsigned int len = 4 * from + 1 + random_below(seed, most - 4 * from);
		uint8_t row = index[other];

		index[other] = index[i];
		index[i] = row;
		row_draw(row, len, seed);
		memset(inputs[row] + len, 0, DDP_HASH_INPUT_MAX - len);
		ddp_rows_put(rows, row, inputs[row]);
		if (from == 0)
			expected[row] = 0;
		expected[row] ^= ddp_hash_compute(&hash, inputs[row], len) ^
				 ddp_hash_compute(&hash, inputs[row], 4 * from);
	}
	ddp_rows_index_end(index, n);
	ddp_hash_rows_at(&hash, isa, from, (most + 3) / 4, rows, index, n, hashes);
	assert_memory_equal(hashes, expected, sizeof(hashes));
}

// The cache hashes a few packets of a burst so, and the tails of those longer than the others.
ROWS_TEST(rows_here_and_there_are_hashed_at_once, levels) {
	static const struct {
		unsigned int from, least; // words, bytes
	} cases[] = {{0, 1}, {3, DDP_HASH_HEAD + 1}, {4, DDP_HASH_HEAD + 1}};
	enum ddp_isa isa = isa_of(state);
	uint64_t seed = 8;

	for (unsigned int c = 0; c < COUNT(cases); c++)
		for (unsigned int most = cases[c].least; most <= DDP_HASH_INPUT_MAX; most++)
			for (unsigned int n = 0; n <= N_MAX; n++)
				assert_rows_at(isa, cases[c].from, most, n, &seed);
}

ROWS_TEST(other_functions_have_rows_too, levels) {
	static const enum ddp_hash_function functions[] = {DDP_HASH_SYMMETRIC_TOEPLITZ,
							   DDP_HASH_SIMPLE_XOR};
	enum ddp_isa isa = isa_of(state);
	uint64_t seed = 6;

	for (unsigned int f = 0; f < COUNT(functions); f++) {
		const uint8_t index[DDP_HASH_FEW] = {0};
		uint32_t whole, parts;

		rows_draw(0, 1, 36, &seed);
		ddp_hash_init(&hash, functions[f], ddp_default_key);
		ddp_hash_rows(&hash, isa, 9, rows, 0, 1, &whole);
		assert_int_equal(whole, ddp_hash_compute(&hash, inputs[0], 36));
		memset(inputs[0] + 36, 0, DDP_HASH_INPUT_MAX - 36);
		ddp_rows_put(rows, 0, inputs[0]);
		ddp_hash_rows_at(&hash, isa, 0, 9, rows, index, 1, &parts);
		assert_int_equal(parts, whole);
		for (unsigned int from = 3; from <= 4; from++) {
			ddp_hash_rows(&hash, isa, from, rows, 0, 1, &parts);
			ddp_hash_rows_at(&hash, isa, from, 9, rows, index, 1, &parts);
			assert_int_equal(parts, whole);
		}
	}
}

static int guarded_rows_create(void **state) {
	size_t page = sysconf(_SC_PAGESIZE), size = (sizeof(*rows) + page - 1) / page * page;
	uint8_t *pages =
		mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages + size, page, PROT_NONE) < 0)
		return -1;
	rows = (struct ddp_rows *)(pages + size) - 1;
	return 0;
}

GROUP(guarded_rows_create, NULL)
