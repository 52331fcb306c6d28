/* SPDX-License-Identifier: BSD-3-Clause */
// Tables of rules that change: what is in them is found, in order of preference, also by a thread
// that reads while another one changes them.
#include "classify/flow/flow_set.h"

#include <pthread.h>

#include "corpus.h"
#include "packet.h"
#include "unit.h"

#define N_STEPS 200000
#define N_VALUES 300 // different ones
#define N_SAME 3     // rules of one value, at most, each with a priority of its own
#define N_CHANGES 300000
#define N_STAY 64

static struct ddp_flow rule_of_teid(uint32_t teid) {
	return (struct ddp_flow){
		.stage = DDP_FLOW_STEER,
		.n_items = 4,
		.items = {"eth", "ipv4", "udp", "gtpu"},
		.n_values = 1,
		.values = {{.at = {.item = 3, .field = "teid"},
			    .pattern = {.value_lo = teid, .mask_lo = UINT32_MAX}}},
	};
}

static struct {
	struct loaded loaded;
	struct ddp_flow_shapes shapes;
	struct ddp_flow_shape *shape;
	struct ddp_flow_set *set;
} one;

static void one_end(void *object) {
	ddp_flow_set_destroy(one.set);
	ddp_flow_shape_put(&one.shapes, one.shape);
}

static int one_begin(void **state) {
	const struct ddp_flow rule = rule_of_teid(0);
	const struct ddp_flow_shape *shape;

	one.loaded = load_good("gtpu");
	TAILQ_INIT(&one.shapes);
	shape = one.shape = ddp_flow_shape_get(&one.shapes, NULL, &rule, 8);
	one.set = ddp_flow_set_build(one.loaded.profile, one.loaded.program, &shape, 1, diag_new());
	after_test(one_end, NULL);
	return one.set == NULL;
}

static struct ddp_flow_entry *entry_make(uint32_t teid, uint32_t priority, uint64_t number) {
	const struct ddp_flow rule = rule_of_teid(teid);
	struct ddp_flow_entry *entry = ddp_flow_entry_create(one.shape->table, &rule);

	assert_non_null(entry);
	entry->priority = priority;
	entry->number = number;
	return entry;
}

static void entry_insert(struct ddp_flow_entry *entry) {
	assert_int_equal(ddp_flow_table_reserve(one.shape->table, entry), 0);
	ddp_flow_table_insert(one.shape->table, entry);
}

static const struct ddp_flow_entry *look_up(uint32_t teid) {
	const struct piece pieces[] = {ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152),
				       PIECE(0x30, 255, 0, 0, BE32(teid)), END};
	uint8_t bytes[PACKET_MAX];
	const uint32_t len = packet_build(pieces, bytes);
	const struct ddp_packet packet = {.data = bytes, .first_len = len, .len = len};
	struct ddp_flow_hit hit;
	struct ddp_class class;

	ddp_classify(one.loaded.program, &packet, &class);
	ddp_flow_match(one.set, &packet, &class, &hit);
	return hit.rules[DDP_FLOW_STEER];
}

static void entry_delete(struct ddp_flow_entry **entry) {
	ddp_flow_table_remove(one.shape->table, *entry);
	ddp_flow_entry_destroy(one.shape->table, *entry);
	*entry = NULL;
}

static struct ddp_flow_entry *expected[N_VALUES][N_SAME]; // by priority

static void assert_found(unsigned int value) {
	unsigned int p = 0;

	while (p < N_SAME - 1 && expected[value][p] == NULL)
		p++;
	assert_ptr_equal(look_up(value), expected[value][p]);
}

TEST(what_is_in_a_table_is_found) {
	uint64_t seed = 5;

	for (unsigned int i = 0; i < N_STEPS; i++) {
		unsigned int value = random_below(&seed, N_VALUES), p = random_below(&seed, N_SAME);
		struct ddp_flow_entry **entry = &expected[value][p];

		if (*entry != NULL)
			entry_delete(entry);
		else
			entry_insert(*entry = entry_make(value, p, i));
		if (i % 1000 == 0)
			ddp_flow_table_reclaim(one.shape->table);
		assert_found(random_below(&seed, N_VALUES));
	}
	for (unsigned int value = 0; value < N_VALUES; value++)
		assert_found(value);
}

// Of one priority the newest, whichever came into the table first.
TEST(of_two_rules_of_one_value_and_priority_the_newest_is_found) {
	struct ddp_flow_entry *older = entry_make(7, 1, 10), *newer = entry_make(7, 1, 11);

	entry_insert(newer);
	entry_insert(older);
	assert_ptr_equal(look_up(7), newer);
	ddp_flow_table_remove(one.shape->table, newer);
	assert_ptr_equal(look_up(7), older);
}

// Marks that look-ups leave behind them must not make them longer and longer.
TEST(a_table_of_changing_values_stays_short) {
	struct ddp_flow_entry *entries[100] = {NULL};

	for (unsigned int i = 0; i < N_STEPS; i++) {
		struct ddp_flow_entry **entry = &entries[i % COUNT(entries)];

		if (*entry != NULL)
			entry_delete(entry);
		*entry = entry_make(i, 0, i);
		entry_insert(*entry);
		ddp_flow_table_reclaim(one.shape->table);
	}
	assert_in_range(one.shape->table->buckets->mask, 0, 63);
	assert_in_range(one.shape->table->n_overflowed, 0, 8 + one.shape->table->buckets->mask / 4);
}

static const struct ddp_flow rule_of_address = {
	.stage = DDP_FLOW_STEER,
	.n_items = 2,
	.items = {"eth", "ipv6"},
	.n_values = 1,
	.values = {{.at = {.item = 1, .field = "src"},
		    .pattern = {.mask_hi = UINT64_MAX, .mask_lo = UINT64_MAX}}},
};

// The lower half of an address with this hash, if tables hash as they did before they had a seed.
static uint64_t value_hashed(uint64_t hash) {
	const uint64_t factor = UINT64_C(0xc2b2ae3d27d4eb4f);
	uint64_t inverse = factor, value = hash;

	for (unsigned int i = 0; i < 5; i++)
		inverse *= 2 - factor * inverse;
	for (unsigned int i = 0; i < 2; i++)
		value = hash ^ value >> 29;
	return value * inverse;
}

// Number of buckets that a failing look-up reads.
struct reads {
	double mean;
	uint32_t most;
};

static struct reads reads_of(const struct flow_buckets *buckets) {
	struct reads reads = {0};

	for (uint32_t first = 0; first <= buckets->mask; first++) {
		uint32_t n = 1;

		while (buckets->buckets[(first + n - 1) & buckets->mask].more != 0 &&
		       n <= buckets->mask)
			n++;
		reads.mean += n;
		reads.most = n > reads.most ? n : reads.most;
	}
	reads.mean /= buckets->mask + 1;
	return reads;
}

static struct reads reads_with(unsigned int n, bool chosen) {
	struct ddp_flow_shapes shapes = TAILQ_HEAD_INITIALIZER(shapes);
	struct ddp_flow_shape *shape = ddp_flow_shape_get(&shapes, NULL, &rule_of_address, 8);
	struct reads reads;
	uint64_t seed = 7;

	assert_non_null(shape);
	for (unsigned int i = 0; i < n; i++) {
		struct ddp_flow_entry *entry =
			ddp_flow_entry_create(shape->table, &rule_of_address);

		assert_non_null(entry);
		entry->values[0] = chosen ? 0 : random_below(&seed, UINT32_MAX);
		entry->values[1] = chosen ? value_hashed(UINT64_C(1) << 56 | (uint64_t)i << 32) : i;
		assert_int_equal(ddp_flow_table_reserve(shape->table, entry), 0);
		ddp_flow_table_insert(shape->table, entry);
		ddp_flow_table_reclaim(shape->table);
	}
	reads = reads_of(shape->table->buckets);
	ddp_flow_shape_put(&shapes, shape);
	return reads;
}

TEST(chosen_values_cost_what_random_ones_cost) {
	for (unsigned int n = 5000; n < 100000; n *= 4) {
		const struct reads random = reads_with(n, false), chosen = reads_with(n, true);

		print_message("%u rules: %.2f buckets, %u at most; with chosen values %.2f, %u\n",
			      n, random.mean, random.most, chosen.mean, chosen.most);
		assert_in_range(chosen.most, 1, 32);
		assert_true(chosen.mean < 1.3 * random.mean);
	}
}

struct reader {
	bool end;
	unsigned int n_reads, n_missed, n_wrong;
};

static void *reader_main(void *arg) {
	struct reader *reader = arg;

	for (; !__atomic_load_n(&reader->end, __ATOMIC_ACQUIRE); reader->n_reads++) {
		const uint32_t teid = reader->n_reads % (2 * N_STAY);
		const struct ddp_flow_entry *entry = look_up(teid);

		reader->n_missed += teid < N_STAY && entry == NULL;
		reader->n_wrong += entry != NULL && entry->values[1] != teid;
	}
	return NULL;
}

TEST(what_stays_is_found_while_other_rules_come_and_go) {
	struct ddp_flow_entry *others[1000] = {NULL};
	struct reader reader = {0};
	pthread_t thread;
	uint64_t seed = 6;

	for (unsigned int i = 0; i < N_STAY; i++)
		entry_insert(entry_make(i, 0, i));
	assert_int_equal(pthread_create(&thread, NULL, reader_main, &reader), 0);
	// Entries that were removed are not freed here, nor are tables: another thread reads them.
	for (unsigned int i = 0; i < N_CHANGES; i++) {
		const unsigned int teid = N_STAY + random_below(&seed, COUNT(others));
		struct ddp_flow_entry **other = &others[teid - N_STAY];

		if (*other == NULL) {
			*other = entry_make(teid, 0, N_STAY + i);
			entry_insert(*other);
		} else {
			ddp_flow_table_remove(one.shape->table, *other);
			*other = NULL;
		}
	}
	__atomic_store_n(&reader.end, true, __ATOMIC_RELEASE);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_in_range(reader.n_reads, 1000, UINT32_MAX);
	assert_int_equal(reader.n_missed, 0);
	assert_int_equal(reader.n_wrong, 0);
}

EACH(one_begin, NULL)
