/* SPDX-License-Identifier: BSD-3-Clause */
#include "keys.h"

#include <stdlib.h>
#include <string.h>

#include "balancing.h"
#include "common/output.h"

#define NIBBLES (2 * DDP_HASH_INPUT_MAX)
#define HASH_SIZE 4 // bytes

_Static_assert(STEER_RETA_MAX <= 1 << 16, "16 bits of a hash pick an entry");

/* Inputs */

struct record {
	uint64_t key;
	uint8_t len;
	uint8_t input[DDP_HASH_INPUT_MAX];
};

#define RECORD_SIZE(len) (sizeof(uint64_t) + 1 + (len))

void inputs_keep(struct inputs *inputs, uint64_t key, const uint8_t *input, unsigned int len) {
	uint8_t *to;

	if (inputs->n >= INPUTS_MAX || len > DDP_HASH_INPUT_MAX)
		return;
	if (inputs->used + RECORD_SIZE(len) > inputs->room) {
		inputs->room = inputs->room > 0 ? 2 * inputs->room : 4096;
		inputs->bytes = realloc(inputs->bytes, inputs->room);
		if (inputs->bytes == NULL)
			no_memory_exit();
	}
	to = inputs->bytes + inputs->used;
	memcpy(to, &key, sizeof(key));
	to[sizeof(key)] = len;
	memcpy(to + sizeof(key) + 1, input, len);
	inputs->used += RECORD_SIZE(len);
	inputs->n++;
}

// The record at a place, whose end is returned. Bytes behind the input are 0.
static size_t record_read(const struct inputs *inputs, size_t at, struct record *record) {
	const uint8_t *from = inputs->bytes + at;

	memset(record, 0, sizeof(*record));
	memcpy(&record->key, from, sizeof(record->key));
	record->len = from[sizeof(record->key)];
	memcpy(record->input, from + sizeof(record->key) + 1, record->len);
	return at + RECORD_SIZE(record->len);
}

void inputs_fini(struct inputs *inputs) {
	free(inputs->bytes);
	*inputs = (struct inputs){0};
}

/* Keys */

// Steele et al., "Fast splittable pseudorandom number generators" (2014): splitmix64.
static uint64_t draw(uint64_t *state) {
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static bool repeats_16_bits(const uint8_t key[DDP_KEY_SIZE]) {
	return memcmp(key, key + 2, DDP_KEY_SHORT - 2) == 0;
}

void keys_draw(unsigned int i, const uint8_t given[DDP_KEY_SIZE], uint8_t key[DDP_KEY_SIZE]) {
	const unsigned int period = repeats_16_bits(given) ? 2 : DDP_KEY_SIZE;
	uint64_t state = i;

	for (unsigned int at = 0; at < DDP_KEY_SIZE; at++)
		key[at] = at < period ? draw(&state) : key[at - period];
}

// Of the hash under each key the low 16 bits, which pick the entry of a table.
struct sums {
	uint16_t sums[KEYS];
} __attribute__((aligned(64)));

struct table {
	struct sums rows[NIBBLES][16];
};

// What a bit of the input adds: the 32 bits of the key that begin at its place; here the last 16.
static uint16_t bit_adds(const uint8_t key[DDP_KEY_SIZE], unsigned int bit) {
	unsigned int at = bit + 16;
	uint32_t bytes = key[at / 8] << 16 | key[at / 8 + 1] << 8;

	if (at / 8 + 2 < DDP_KEY_SIZE)
		bytes |= key[at / 8 + 2];
	return bytes >> (8 - at % 8);
}

static void sums_add(struct sums *to, const struct sums *from) {
	for (unsigned int k = 0; k < KEYS; k++)
		to->sums[k] ^= from->sums[k];
}

static void table_make(struct table *table, const uint8_t given[DDP_KEY_SIZE]) {
	uint8_t key[DDP_KEY_SIZE];

	memset(table, 0, sizeof(*table));
	for (unsigned int k = 0; k < KEYS; k++) {
		keys_draw(k, given, key);
		for (unsigned int bit = 0; bit < 4 * NIBBLES; bit++)
			table->rows[bit / 4][8 >> bit % 4].sums[k] = bit_adds(key, bit);
	}
	for (unsigned int n = 0; n < NIBBLES; n++)
		for (unsigned int value = 3; value < 16; value++) {
			unsigned int lowest = value & -value;

			if (value == lowest)
				continue;
			table->rows[n][value] = table->rows[n][value - lowest];
			sums_add(&table->rows[n][value], &table->rows[n][lowest]);
		}
}

static void input_hash(const struct table *table, const uint8_t *input, unsigned int len,
		       struct sums *sums) {
	memset(sums, 0, sizeof(*sums));
	for (unsigned int i = 0; i < len; i++) {
		sums_add(sums, &table->rows[2 * i][input[i] >> 4]);
		sums_add(sums, &table->rows[2 * i + 1][input[i] & 0xf]);
	}
}

/* Loads */

struct judging {
	const struct steer *steer;
	const struct table *table;
	uint64_t *entries; // [KEYS][reta_size]
	uint64_t n_placed;
	struct flows known; // groups whose input was kept
};

static void group_place(struct judging *j, const uint8_t *input, unsigned int len,
			uint64_t packets) {
	const unsigned int size = j->steer->config.reta_size;
	struct sums sums;

	input_hash(j->table, input, len, &sums);
	for (unsigned int k = 0; k < KEYS; k++)
		j->entries[k * size + (sums.sums[k] & (size - 1))] += packets;
	j->n_placed += packets;
}

static void known_place(struct judging *j, const struct flows *groups,
			const struct inputs *inputs) {
	struct record record;

	for (size_t at = 0; at < inputs->used;) {
		const struct flow *group, *known;

		at = record_read(inputs, at, &record);
		group = flows_find(groups, record.key);
		if (group == NULL)
			continue; // forgotten, see flows.h
		known = flows_count(&j->known, record.key);
		if (known == NULL || known->packets > 1)
			continue; // it was forgotten in between, and came again
		group_place(j, record.input, record.len, group->packets);
	}
}

// Of a group whose input was not kept, the hash stands for it: another linear map of different
// inputs to different sums.
static void others_place(struct judging *j, const struct flows *groups) {
	for (const struct flow *group = flows_next(groups, NULL); group != NULL;
	     group = flows_next(groups, group)) {
		uint8_t hash[HASH_SIZE];

		if (flows_find(&j->known, group->key) != NULL)
			continue;
		for (unsigned int i = 0; i < HASH_SIZE; i++)
			hash[i] = group->key >> (8 * (HASH_SIZE - 1 - i));
		group_place(j, hash, HASH_SIZE, group->packets);
	}
}

// Packets of small groups that were forgotten are many small ones.
static void rest_place(struct judging *j, uint64_t n_hashed) {
	const unsigned int size = j->steer->config.reta_size;
	uint64_t rest = n_hashed > j->n_placed ? n_hashed - j->n_placed : 0;

	for (unsigned int i = 0; i < KEYS * size && rest >= size; i++)
		j->entries[i] += rest / size;
}

/* What comes of it */

static double imbalance(const struct steer *steer, const uint64_t *entries,
			const uint64_t *others) {
	uint64_t queues[STEER_QUEUES_MAX];

	memcpy(queues, others, steer->config.n_queues * sizeof(*queues));
	for (unsigned int i = 0; i < steer->config.reta_size; i++)
		queues[steer->reta[i]] += entries[i];
	return ddp_imbalance(queues, steer->config.n_queues);
}

static int by_value(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

// n is even.
static struct key_range range_of(const double *values, unsigned int n) {
	double sorted[KEYS];

	memcpy(sorted, values, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_value);
	return (struct key_range){
		.median = (sorted[n / 2 - 1] + sorted[n / 2]) / 2,
		.low = sorted[n / 10],
		.high = sorted[n - 1 - n / 10],
	};
}

static void entries_judge(const struct judging *j, const uint64_t *others,
			  struct key_spread *judged) {
	const unsigned int size = j->steer->config.reta_size;
	double balanced[KEYS_BALANCED];

	judged->n = KEYS;
	judged->n_balanced = balancing_is_possible(&j->steer->config) ? KEYS_BALANCED : 0;
	for (unsigned int k = 0; k < KEYS; k++)
		judged->imbalances[k] = imbalance(j->steer, j->entries + (size_t)k * size, others);
	judged->plain = range_of(judged->imbalances, KEYS);
	for (unsigned int k = 0; k < judged->n_balanced; k++)
		balanced[k] = balancing_steady(j->steer, j->entries + (size_t)k * size, others);
	if (judged->n_balanced > 0)
		judged->balanced = range_of(balanced, KEYS_BALANCED);
}

void keys_judge(struct key_spread *judged, const struct steer *steer, const struct flows *groups,
		const struct inputs *inputs, uint64_t n_hashed, const uint64_t *others) {
	struct table *table;
	struct judging j = {.steer = steer};

	*judged = (struct key_spread){0};
	if (steer->config.function == DDP_HASH_SIMPLE_XOR)
		return; // all keys are alike
	table = aligned_alloc(64, sizeof(*table));
	if (table == NULL)
		no_memory_exit();
	table_make(table, steer->config.key);
	j.table = table;
	j.entries = calloc_or_exit((size_t)KEYS * steer->config.reta_size, sizeof(*j.entries));
	flows_init(&j.known, false, 0);
	known_place(&j, groups, inputs);
	others_place(&j, groups);
	rest_place(&j, n_hashed);
	entries_judge(&j, others, judged);
	flows_fini(&j.known);
	free(j.entries);
	free(table);
}

unsigned int keys_won(const struct key_spread *a, const struct key_spread *b) {
	unsigned int n = 0;

	for (unsigned int k = 0; k < KEYS; k++)
		n += a->imbalances[k] < b->imbalances[k];
	return n;
}
