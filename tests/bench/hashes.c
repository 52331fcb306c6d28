/* SPDX-License-Identifier: BSD-3-Clause */
// Hash functions alone, on bytes that are at hand.
#include <string.h>

#include <rte_thash.h>

#include "base/isa.h"
#include "bench.h"
#include "methods.h"

#define ROUNDS 101
#define SECONDS 2      // for all of them, at most
#define N_ROWS 256     // distinct inputs
#define N_HASHES 16384 // of a round
#define BASE 0         // rte_softrss_be
#define WORDS (DDP_HASH_INPUT_MAX / 4)

struct function {
	const char *id, *title;
	// Hash BURST rows of len bytes.
	void (*hash)(const struct function *function, const void *rows, unsigned int len,
		     uint32_t *hashes);
	bool gfni;
	enum ddp_isa isa;
};

static uint32_t rows_be[N_ROWS][WORDS] __rte_cache_aligned; // as in packets
static uint32_t rows_cpu[N_ROWS][WORDS];
static struct ddp_rows rows_ours[N_ROWS / BURST];
static uint32_t key_be[DDP_KEY_SIZE / 4];
static uint32_t sink; // of hashes, which nobody would compute else

static void softrss_be(const struct function *function, const void *rows, unsigned int len,
		       uint32_t *hashes) {
	size_t first = (const uint32_t(*)[WORDS])rows - rows_be;

	for (unsigned int i = 0; i < BURST; i++)
		hashes[i] = rte_softrss_be(rows_cpu[first + i], len / 4, (const uint8_t *)key_be);
}

static void thash_gfni_bulk(const struct function *function, const void *rows, unsigned int len,
			    uint32_t *hashes) {
	gfni_functions.hash_bulk(rows, sizeof(rows_be[0]), len, BURST, hashes);
}

static void hash_rows(const struct function *function, const void *rows, unsigned int len,
		      uint32_t *hashes) {
	size_t first = (const uint32_t(*)[WORDS])rows - rows_be;

	ddp_hash_rows(&work.hash, function->isa, len / 4, &rows_ours[first / BURST], 0, BURST,
		      hashes);
}

static const struct function functions[] = {
	{.id = "softrss-be", .title = "rte_softrss_be", .hash = softrss_be},
	{
		.id = "thash-gfni-bulk",
		.title = "rte_thash_gfni_bulk, 32 at once",
		.hash = thash_gfni_bulk,
		.gfni = true,
	},
#define ROWS(level, name, bits, cpus)            \
	{                                        \
		.id = "hash-rows-" name,         \
		.title = "ddp_hash_rows, " name, \
		.hash = hash_rows,               \
		.isa = DDP_ISA_##level,          \
	},
	DDP_ISAS(ROWS)};

static void inputs_init(void) {
	struct random random = {1};

	for (unsigned int i = 0; i < N_ROWS; i++) {
		for (unsigned int k = 0; k < WORDS; k++) {
			rows_be[i][k] = random_next(&random);
			rows_cpu[i][k] = rte_be_to_cpu_32(rows_be[i][k]);
		}
		ddp_rows_put(&rows_ours[i / BURST], i % BURST, (const uint8_t *)rows_be[i]);
	}
	rte_convert_rss_key((const uint32_t *)ddp_default_key, key_be, DDP_KEY_SIZE);
}

static double function_time(const struct function *function, unsigned int len) {
	uint32_t hashes[BURST];
	uint64_t tsc = rte_rdtsc_precise();

	for (unsigned int i = 0; i < N_HASHES; i += BURST) {
		function->hash(function, rows_be[i % N_ROWS], len, hashes);
		sink += hashes[i / BURST % BURST];
	}
	return samples_ns(tsc, N_HASHES);
}

static bool function_runs(const struct function *function) {
	if (options.isa != NULL && function->hash == hash_rows &&
	    strcmp(options.isa, ddp_isa_name(function->isa)) != 0)
		return false;
	return (!function->gfni || machine_has_gfni()) && ddp_isa_supported(function->isa);
}

static void length_measure(struct table *table, unsigned int len) {
	static struct samples samples;
	unsigned int round;
	char id[16], title[16];
	unsigned int column;

	snprintf(id, sizeof(id), "%u", len);
	snprintf(title, sizeof(title), "%u bytes", len);
	column = table_column(table, id, title);
	samples_begin(&samples, ROUNDS, SECONDS);
	while (samples_next(&samples, &round))
		for (unsigned int i = 0; i < RTE_DIM(functions); i++)
			if (function_runs(&functions[i]))
				samples.ns[i][round] = function_time(&functions[i], len);
	for (unsigned int i = 0; i < RTE_DIM(functions); i++)
		if (function_runs(&functions[i]))
			table->figures[i][column] = samples_figure(&samples, i, BASE);
}

void toeplitz_measure(void) {
	static const unsigned int lengths[] = {8, 12, 36, 40};
	struct table table;

	inputs_init();
	table_init(&table, "toeplitz", "Toeplitz hash");
	snprintf(table.note, sizeof(table.note),
		 "ns a hash; in brackets, times faster than rte_softrss_be");
	for (unsigned int i = 0; i < RTE_DIM(functions); i++) {
		unsigned int row = table_row(&table, functions[i].id, functions[i].title);

		if (!function_runs(&functions[i]))
			table.rows[row].absent = "not on this CPU";
	}
	for (unsigned int i = 0; i < RTE_DIM(lengths); i++)
		length_measure(&table, lengths[i]);
	table_done(&table);
}
