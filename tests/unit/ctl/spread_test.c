/* SPDX-License-Identifier: BSD-3-Clause */
// Spreads are sums of what the interpreter says of each packet, whatever the path cache and the
// threads do.
#include "capture_files.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>

#include "ctl/profile/profile_load.h"
#include "ctl/simulate/candidates.h"
#include "packet.h"

#define N_PACKETS 30000
#define N_SPREADS 4
#define JUMBO 100000 // no segment of an mbuf has as much

static struct image image;
static unsigned int threads_left = UINT_MAX; // that can be had: 0, some, or all
static struct ddp_personality base, gtpu;
static struct steer steers[N_SPREADS];
static struct spread spreads[N_SPREADS];

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg) {
	if (threads_left == 0)
		return EAGAIN;
	threads_left--;
	return __real_pthread_create(thread, attr, run, arg);
}

// Of an IP packet, plain or in GTP-U.
static uint32_t frame_draw(uint8_t frame[JUMBO]) {
	const struct piece plain[] = {ETH(0x0800), IPV4(6, 10, 1, 2, draw(256), NET),
				      TCP(draw(16), 80), END};
	const struct piece gtpu_of[] = {ETH(0x0800),
					IPV4(17, GNB, 192, 0, 2, draw(256)),
					UDP(draw(16), 2152),
					GTPU_OPT(0x32, 255, 0),
					IPV4(6, 10, 1, 2, draw(256), NET),
					TCP(2794, 80),
					END};
	uint32_t len = packet_build(draw(3) == 0 ? gtpu_of : plain, frame);

	if (draw(50) == 0)
		frame[draw(len)] ^= 1 << draw(8);
	if (draw(50) == 0)
		return draw(len);
	return draw(2000) == 0 ? JUMBO : len + draw(60);
}

static void capture_draw(void) {
	static uint8_t frame[JUMBO];

	pcap_begin(&image, false, MAGIC_US, 262144, LINK_ETHERNET);
	for (unsigned int i = 0; i < N_PACKETS; i++) {
		uint32_t len = frame_draw(frame);

		pcap_put(&image, 1700000000, i * 30, frame, len, len);
	}
	image_write(&image, "drawn.pcap");
}

static void all_init(enum ddp_hash_function function, uint64_t rss_hf) {
	for (unsigned int i = 0; i < N_SPREADS; i++) {
		const struct ddp_personality *loaded = i % 2 == 0 ? &base : &gtpu;
		struct steer_config config = {
			.n_queues = 1 + 5 * i,
			.reta_size = 128 << i,
			.function = i < 2 ? function : DDP_HASH_TOEPLITZ,
			.rss_hf = rss_hf,
		};

		memcpy(config.key, ddp_default_key, sizeof(config.key));
		config.key[i] ^= i;
		steer_init(&steers[i], &config);
		assert_int_equal(spread_init(&spreads[i], loaded, &steers[i], NULL, diag_new()), 0);
	}
}

struct sums {
	uint64_t packets;
	uint64_t queue_packets[STEER_QUEUES_MAX], queue_bytes[STEER_QUEUES_MAX];
	uint64_t types[1024]; // last that of no type
	uint64_t unhashed;
	uint64_t entries[STEER_RETA_MAX];
};

static void packet_interpret(const struct spread *spread, const struct ddp_packet *packet,
			     struct sums *sums) {
	const struct ddp_answer_rss rss = steer_of(spread->steer);
	struct ddp_answer answer;

	ddp_answer(spread->loaded->program, &rss, packet, &answer);
	sums->packets++;
	sums->queue_packets[answer.queue]++;
	sums->queue_bytes[answer.queue] += packet->len;
	sums->unhashed += answer.input_len == 0;
	if (answer.input_len > 0)
		sums->entries[answer.hash & (spread->steer->config.reta_size - 1)]++;
	sums->types[answer.class.type == DDP_TYPE_NONE ? spread->n_types - 1 : answer.class.type]++;
}

static uint64_t type_packets(const struct spread *spread, const char *name) {
	for (unsigned int i = 0; i < spread->n_types; i++)
		if (strcmp(spread->types[i].name, name) == 0)
			return spread->types[i].packets;
	fail_msg("no type %s", name);
	return 0;
}

static void assert_spread(const struct spread *spread, const struct sums *sums) {
	unsigned int n_seen = 0;

	assert_int_equal(spread->packets, N_PACKETS);
	assert_int_equal(spread->packets, sums->packets);
	assert_memory_equal(spread->queue_packets, sums->queue_packets,
			    sizeof(sums->queue_packets));
	assert_memory_equal(spread->queue_bytes, sums->queue_bytes, sizeof(sums->queue_bytes));
	assert_int_equal(spread->unhashed, sums->unhashed);
	assert_memory_equal(spread->entry_packets, sums->entries,
			    spread->steer->config.reta_size * sizeof(sums->entries[0]));
	for (unsigned int i = 0; i < spread->n_types - 1; i++) {
		assert_int_equal(type_packets(spread, type_name(spread->loaded->program, i)),
				 sums->types[i]);
		n_seen += sums->types[i] > 0;
	}
	assert_int_equal(type_packets(spread, "UNKNOWN"), sums->types[spread->n_types - 1]);
	assert_true(n_seen >= 2);
	for (unsigned int i = 1; i < spread->n_types; i++)
		assert_true(spread->types[i - 1].packets >= spread->types[i].packets);
}

static void assert_windows(const struct spread_totals *totals) {
	assert_true(totals->first_ns > 0);
	for (unsigned int i = 0; i < N_SPREADS; i++) {
		const struct spread *spread = &spreads[i];

		assert_int_equal(spread->windows.length_ns, spreads[0].windows.length_ns);
		for (unsigned int q = 0; q < spread->steer->config.n_queues; q++) {
			uint64_t of_windows = 0, of_types = 0;

			for (unsigned int w = 0; w < spread->windows.n; w++)
				of_windows += windows_queues(&spread->windows, w)[q];
			for (unsigned int t = 0; t < spread->n_types; t++)
				of_types += spread->types[t].queue_packets[q];
			assert_int_equal(of_windows, spread->queue_packets[q]);
			assert_int_equal(of_types, spread->queue_packets[q]);
		}
	}
}

static struct capture capture;

static void drawn_open(void) {
	const struct capture_config config = {.path = scratch_path("drawn.pcap")};

	assert_int_equal(capture_open(&capture, &config), 0);
}

static void drawn_run(struct spread_totals *totals) {
	drawn_open();
	assert_int_equal(spread_run(&capture, spreads, N_SPREADS, totals), 0);
	capture_close(&capture);
}

static void assert_sums(enum ddp_hash_function function, uint64_t rss_hf) {
	static struct sums sums[N_SPREADS];
	struct ddp_packet packet;
	struct spread_totals totals = {0};

	memset(sums, 0, sizeof(sums));
	all_init(function, rss_hf);
	drawn_run(&totals);
	assert_windows(&totals);
	drawn_open();
	while (capture_next(&capture, &packet) > 0)
		for (unsigned int i = 0; i < N_SPREADS; i++)
			packet_interpret(&spreads[i], &packet, &sums[i]);
	capture_close(&capture);
	for (unsigned int i = 0; i < N_SPREADS; i++) {
		assert_spread(&spreads[i], &sums[i]);
		if (rss_hf == 0)
			assert_int_equal(spreads[i].queue_packets[0], N_PACKETS);
		spread_fini(&spreads[i]);
	}
}

TEST(sums_are_those_of_the_interpreter) {
	for (int function = DDP_HASH_TOEPLITZ; function <= DDP_HASH_SIMPLE_XOR; function++)
		assert_sums(function, DDP_RSS_HF_ALL);
}

TEST(threads_that_cannot_be_had_are_done_without) {
	for (unsigned int n = 0; n < 3; n++) {
		threads_left = n;
		assert_sums(DDP_HASH_TOEPLITZ, DDP_RSS_HF_ALL);
	}
	threads_left = UINT_MAX;
}

TEST(without_rss_all_is_for_queue_0) {
	for (int function = DDP_HASH_TOEPLITZ; function <= DDP_HASH_SIMPLE_XOR; function++)
		assert_sums(function, 0);
}

static void assert_balancing(const struct balancing *a, const struct balancing *b) {
	assert_int_equal(a->n_intervals, b->n_intervals);
	for (unsigned int i = 0; i < a->n_intervals; i++) {
		assert_int_equal(a->intervals[i].packets, b->intervals[i].packets);
		assert_float_equal(a->intervals[i].balanced, b->intervals[i].balanced, 0);
	}
	assert_int_equal(a->n_moves, b->n_moves);
	for (unsigned int i = 0; i < a->n_moves; i++)
		assert_int_equal(a->moves[i].entry, b->moves[i].entry);
}

// Each decision depends on the ones before it, so the order of packets matters. Two spreads have as
// many entries as load-aware RSS takes.
TEST(balancing_is_the_same_whatever_the_threads_do) {
	struct spread first[N_SPREADS];

	for (unsigned int run = 0; run < 2; run++) {
		struct spread_totals totals = {.n_candidates = 2, .balance_ns = 10 * 1000 * 1000};

		threads_left = run == 0 ? 0 : UINT_MAX;
		all_init(DDP_HASH_TOEPLITZ, DDP_RSS_HF_ALL);
		drawn_run(&totals);
		assert_null(spreads[2].balancing);
		if (run == 0)
			memcpy(first, spreads, sizeof(first));
	}
	for (unsigned int i = 0; i < N_SPREADS; i++) {
		if (i < 2) {
			assert_int_equal(spreads[i].balancing->n_intervals, 90);
			assert_balancing(spreads[i].balancing, first[i].balancing);
		}
		spread_fini(&spreads[i]);
		spread_fini(&first[i]);
	}
}

static void assert_flows(const struct flow_counter *a, const struct flow_counter *b) {
	const size_t slots_size = a->n_candidates * sizeof(struct flow_slot);

	assert_int_equal(a->table.packets, b->table.packets);
	assert_int_equal(a->table.n, b->table.n);
	for (uint32_t i = 0; i < a->table.n; i++) {
		const struct flow *one = flows_at(&a->table, i), *other = flows_at(&b->table, i);

		assert_int_equal(one->packets, other->packets);
		assert_int_equal(one->bytes, other->bytes);
		assert_int_equal(one->detail->direction, other->detail->direction);
		assert_memory_equal(one->detail->input, other->detail->input, FLOW_INPUT_SIZE);
		assert_memory_equal(one->slots, other->slots, slots_size);
	}
}

// The queues of flows and UEs are joined from what several threads count.
TEST(flows_are_the_same_whatever_the_threads_do) {
	struct candidates candidates[2];

	for (unsigned int run = 0; run < 2; run++) {
		struct candidates *now = &candidates[run];
		struct ddp_personality loaded;

		threads_left = run == 0 ? 0 : UINT_MAX;
		candidates_init(now, &steers[2].config);
		assert_int_equal(candidates_add_base(now), 0);
		assert_int_equal(load_or_report(&loaded, "gtpu"), 0);
		assert_int_equal(candidates_add(now, "gtpu", &loaded, NULL), 0);
		candidates_look(now, "gtpu", NULL);
		drawn_open();
		assert_int_equal(candidates_run(now, &capture), 0);
		capture_close(&capture);
		assert_in_range(now->totals.flows.table.n, 1000, N_PACKETS);
		assert_in_range(now->totals.ues.table.n, 100, N_PACKETS);
	}
	assert_flows(&candidates[0].totals.flows, &candidates[1].totals.flows);
	assert_flows(&candidates[0].totals.ues, &candidates[1].totals.ues);
	candidates_fini(&candidates[0]);
	candidates_fini(&candidates[1]);
}

#define START UINT64_C(1700000000000000000)

static uint64_t sum_of(const struct windows *windows) {
	uint64_t sum = 0;

	for (unsigned int w = 0; w < windows->n; w++)
		for (unsigned int q = 0; q < windows->n_queues; q++)
			sum += windows_queues(windows, w)[q];
	return sum;
}

TEST(packets_are_in_their_windows) {
	struct windows windows;

	windows_init(&windows, 4, START, 1000);
	for (unsigned int i = 0; i < 10000; i++)
		windows_count(&windows, START + i, i % 4);
	assert_int_equal(windows.n, 10);
	for (unsigned int w = 0; w < 10; w++)
		for (unsigned int q = 0; q < 4; q++)
			assert_int_equal(windows_queues(&windows, w)[q], 250);
	windows_fini(&windows);
}

TEST(a_long_capture_has_longer_windows) {
	struct windows windows;

	windows_init(&windows, 2, START, 0);
	for (uint64_t i = 0; i < 100000; i++)
		windows_count(&windows, START + i * WINDOW_NS, i % 2);
	assert_in_range(windows.n, WINDOWS_SHOWN / 2, WINDOWS_SHOWN);
	assert_int_equal(windows.length_ns, 512 * WINDOW_NS);
	for (unsigned int w = 0; w + 1 < windows.n; w++)
		assert_int_equal(windows_queues(&windows, w)[1], 256);
	assert_int_equal(sum_of(&windows), 100000);
	windows_fini(&windows);
}

TEST(strange_times_do_no_harm) {
	static const uint64_t times[] = {START, 0,     UINT64_MAX, START - 1, UINT64_MAX / 2,
					 1,     START, START + 1,  UINT64_MAX};
	struct windows windows;

	for (unsigned int chosen = 0; chosen < 2; chosen++) {
		windows_init(&windows, 1024, START, chosen);
		for (unsigned int i = 0; i < COUNT(times); i++)
			windows_count(&windows, times[i], 1023);
		assert_true(windows.n <= WINDOWS_MAX);
		assert_int_equal(sum_of(&windows), COUNT(times));
		windows_fini(&windows);
	}
}

TEST(what_a_broken_capture_has_is_counted) {
	struct spread_totals totals = {0};

	image.len = 24 + 16 + 3; // in the first packet
	image_write(&image, "drawn.pcap");
	all_init(DDP_HASH_TOEPLITZ, DDP_RSS_HF_ALL);
	drawn_open();
	assert_true(spread_run(&capture, spreads, N_SPREADS, &totals) < 0);
	for (unsigned int i = 0; i < N_SPREADS; i++) {
		assert_int_equal(spreads[i].packets, 0);
		spread_fini(&spreads[i]);
	}
	capture_close(&capture);
}

static int setup(void **state) {
	if (load_or_report(&base, NULL) != 0 || load_or_report(&gtpu, "gtpu") != 0)
		return -1;
	capture_draw();
	return 0;
}

static int teardown(void **state) {
	ddp_personality_unload(&base);
	ddp_personality_unload(&gtpu);
	return 0;
}

GROUP(setup, teardown)
