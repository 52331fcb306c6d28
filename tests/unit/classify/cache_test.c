/* SPDX-License-Identifier: BSD-3-Clause */
// The path cache where tests/exact seldom goes. What a user would lose: a packet with another type or queue
// than the profile says, for no reason that could be seen; or the cache's speed.
#include <rte_mbuf_core.h>

#include "classify/cache.h"
#include "classify/program.h"
#include "corpus.h"
#include "scratch.h"
#include "unit.h"

struct user {
	struct loaded loaded;
	struct ddp_cache *cache;
	struct ddp_policy policy;
	struct ddp_hash *hash;
	struct ddp_burst *burst;
};

static void user_init(struct user *user, const char *spec, enum ddp_isa isa) {
	user->loaded = load_good(spec);
	user->cache = aligned_alloc(DDP_CACHE_ALIGN,
				    (ddp_cache_size() + DDP_CACHE_ALIGN - 1) & -DDP_CACHE_ALIGN);
	user->hash = malloc(sizeof(*user->hash));
	user->burst = aligned_alloc(64, (sizeof(*user->burst) + 63) & -64);
	ddp_cache_init(user->cache, isa);
	ddp_hash_init(user->hash, DDP_HASH_TOEPLITZ, ddp_default_key);
	user->policy = (struct ddp_policy){
		.program = user->loaded.program,
		.rss = true,
		.rss_hf = UINT64_MAX,
		.id = 1,
	};
}

static void user_fini(struct user *user) {
	free(user->cache);
	free(user->hash);
	free(user->burst);
	unload(&user->loaded);
}

static struct rte_mbuf mbuf_of(uint8_t *bytes, uint16_t buf_len, uint16_t data_len) {
	return (struct rte_mbuf){
		.buf_addr = bytes,
		.buf_len = buf_len,
		.data_len = data_len,
		.pkt_len = data_len,
		.nb_segs = 1,
	};
}

static const struct ddp_verdict *verdict_of(struct user *user, struct rte_mbuf *mbuf) {
	ddp_cache_run(user->cache, &user->policy, user->hash, &mbuf, 1, user->burst);
	return ddp_burst_verdict(user->burst, 0);
}

static const struct piece udp[] = {ETH(0x0800), IPV4(17, UE, NET), UDP(1024, 53), END};

static void the_longest_packet_is_no_hit_of_an_empty_cache(void **state) {
	(void)state;
	for (enum ddp_isa isa = 0; isa < DDP_ISA_LEVELS; isa++) {
		uint8_t *bytes = calloc(1, UINT16_MAX);
		struct rte_mbuf mbuf = mbuf_of(bytes, UINT16_MAX, UINT16_MAX);
		struct user user;

		if (ddp_isa_supported(isa)) {
			user_init(&user, "base", isa);
			packet_build(udp, bytes);
			assert_int_equal(verdict_of(&user, &mbuf)->input_len, 12);
			user_fini(&user);
		}
		free(bytes);
	}
}

static void headers_in_two_segments_fill_no_cache(void **state) {
	uint8_t bytes[PACKET_MAX] = {0};
	uint32_t len = packet_build(udp, bytes);
	struct rte_mbuf second = mbuf_of(bytes + 20, PACKET_MAX - 20, len - 20);
	struct rte_mbuf first = mbuf_of(bytes, 20, 20);
	struct ddp_cache_stats stats;
	struct user user;

	(void)state;
	first.pkt_len = len;
	first.nb_segs = 2;
	first.next = &second;
	user_init(&user, "base", DDP_ISA_SCALAR);
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(verdict_of(&user, &first)->input_len, 12);
	ddp_cache_stats_get(user.cache, &stats);
	assert_int_equal(stats.entries, 0);
	user_fini(&user);
}

static void a_path_is_learnt_once(void **state) {
	uint8_t bytes[PACKET_MAX] = {0};
	struct rte_mbuf mbuf = mbuf_of(bytes, PACKET_MAX, packet_build(udp, bytes));
	struct ddp_cache_stats stats;
	struct user user;

	(void)state;
	user_init(&user, "base", DDP_ISA_SCALAR);
	for (unsigned int i = 0; i < 100; i++)
		verdict_of(&user, &mbuf);
	ddp_cache_stats_get(user.cache, &stats);
	assert_int_equal(stats.learned, 1);
	assert_int_equal(stats.entries, 1);
	assert_true(stats.hits >= 90);
	assert_int_equal(stats.hits + stats.misses, 100);
	user_fini(&user);
}

static const struct piece tcp[] = {ETH(0x0800), IPV4(6, UE, NET), TCP(1024, 80), END};
static const struct piece vlan[] = {ETH(0x8100), VLAN(5, 0x0800), IPV4(17, UE, NET), UDP(1024, 53),
				    END};
static const struct piece gtpu[] = {ETH(0x0800),
				    IPV4(17, UE, NET),
				    UDP(2152, 2152),
				    GTPU(0x30, 255),
				    IPV4(17, UE, NET),
				    UDP(1024, 53),
				    END};
static const struct piece inner[] = {ETH(0x0800),
				     IPV4(17, UE, NET),
				     UDP(2152, 2152),
				     GTPU(0x30, 255),
				     IPV4(6, UE, NET),
				     TCP(1024, 53),
				     END};

// Of each pair of them, one is found first: the others must not pay for it.
static void paths_of_a_mix_are_told_apart(void **state) {
	static const struct piece *const packets[] = {udp, tcp, vlan, gtpu, inner};
	enum {
		N = sizeof(packets) / sizeof(packets[0])
	};
	static uint8_t bytes[N][PACKET_MAX];
	struct rte_mbuf mbufs[N], *burst[N];

	(void)state;
	for (unsigned int i = 0; i < N; i++) {
		mbufs[i] = mbuf_of(bytes[i], PACKET_MAX, packet_build(packets[i], bytes[i]));
		burst[i] = &mbufs[i];
	}
	for (enum ddp_isa isa = 0; isa < DDP_ISA_LEVELS; isa++) {
		struct ddp_cache_stats stats;
		struct user user;

		if (!ddp_isa_supported(isa))
			continue;
		user_init(&user, "gtpu", isa);
		for (unsigned int i = 0; i < 200; i++)
			ddp_cache_run(user.cache, &user.policy, user.hash, burst, N, user.burst);
		ddp_cache_stats_get(user.cache, &stats);
		assert_int_equal(stats.entries, N);
		assert_true(stats.misses <= 20 * N);
		user_fini(&user);
	}
}

// The walk that takes notes is another than the one that does not.
static void both_walks_want_all_of_what_lies_ahead(void **state) {
	static const char text[] = "profile: t\n"
				   "headers:\n"
				   "  aa: {first: true, layout: 'x:32 y:32', ahead: 'a:16',\n"
				   "       next: [{when: {a: 0x4500/0xff00}, then: bb}]}\n"
				   "  bb: {layout: 'z:8'}\n"
				   "packet_types:\n"
				   "  AA: {path: aa}\n"
				   "  BB: {path: aa bb}\n";
	static const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 0x45, 0};
	struct loaded loaded;

	(void)state;
	scratch_write_text("t.yaml", text);
	loaded = load_good("t");
	for (uint32_t len = 0; len <= sizeof(bytes); len++) {
		const struct ddp_packet packet = {.data = bytes, .first_len = len, .len = len};
		struct trace trace = {.lost = false};
		struct ddp_class plain, traced;

		ddp_classify(loaded.program, &packet, &plain);
		classify_traced(loaded.program, &packet, &traced, &trace);
		assert_int_equal(plain.status, traced.status);
		assert_int_equal(plain.n_seen, traced.n_seen);
		assert_int_equal(plain.type, traced.type);
	}
	unload(&loaded);
}

#define N_BURST 32

// Run a burst as the application would; ahead: with packets to prefetch.
static void burst_run(struct user *user, struct rte_mbuf **mbufs, bool ahead) {
	if (ahead)
		ddp_cache_run_ahead(user->cache, &user->policy, user->hash, mbufs, N_BURST, mbufs,
				    0, user->burst);
	else
		ddp_cache_run(user->cache, &user->policy, user->hash, mbufs, N_BURST, user->burst);
}

static void bursts_compare(const struct user *a, const struct user *b) {
	for (unsigned int i = 0; i < N_BURST; i++) {
		const struct ddp_verdict *x = ddp_burst_verdict(a->burst, i);
		const struct ddp_verdict *y = ddp_burst_verdict(b->burst, i);

		assert_int_equal(x->type_id, y->type_id);
		assert_int_equal(x->packet_type, y->packet_type);
		assert_int_equal(x->inner_l3_off, y->inner_l3_off);
		assert_int_equal(x->input_len, y->input_len);
		if (x->input_len > 0)
			assert_int_equal(a->burst->hashes[i], b->burst->hashes[i]);
	}
}

// All packets of many bursts were of one path. Now one is not, by a bit or by its length.
static void strays_check(enum ddp_isa isa, const struct piece *pieces, bool ahead) {
	uint8_t usual[PACKET_MAX] = {0}, stray[PACKET_MAX] = {0};
	uint32_t len = packet_build(pieces, usual);
	struct rte_mbuf usual_mbuf = mbuf_of(usual, PACKET_MAX, len);
	struct rte_mbuf stray_mbuf = mbuf_of(stray, PACKET_MAX, len);
	struct rte_mbuf *mbufs[N_BURST];
	struct user cached, walked;

	user_init(&cached, "gtpu", isa);
	user_init(&walked, "gtpu", DDP_ISA_SCALAR);
	ddp_cache_force(walked.cache, DDP_CACHE_BYPASS);
	for (unsigned int i = 0; i < N_BURST; i++)
		mbufs[i] = &usual_mbuf;
	for (unsigned int byte = 0; byte < 2 * len; byte++) {
		memcpy(stray, usual, len);
		stray_mbuf.data_len = stray_mbuf.pkt_len = byte < len ? len : byte - len;
		if (byte < len)
			stray[byte] ^= 1 << byte % 8;
		for (unsigned int i = 0; i < 4; i++)
			burst_run(&cached, mbufs, ahead);
		mbufs[byte % N_BURST] = &stray_mbuf;
		burst_run(&cached, mbufs, ahead);
		burst_run(&walked, mbufs, ahead);
		bursts_compare(&cached, &walked);
		mbufs[byte % N_BURST] = &usual_mbuf;
	}
	user_fini(&cached);
	user_fini(&walked);
}

static void one_stray_in_a_burst_is_found(void **state) {
	static const struct piece *const packets[] = {udp, tcp, vlan, gtpu, inner};

	(void)state;
	for (enum ddp_isa isa = 0; isa < DDP_ISA_LEVELS; isa++)
		for (unsigned int i = 0; i < 5 && ddp_isa_supported(isa); i++) {
			strays_check(isa, packets[i], false);
			strays_check(isa, packets[i], true);
		}
}

int main(void) {
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_longest_packet_is_no_hit_of_an_empty_cache),
		cmocka_unit_test(headers_in_two_segments_fill_no_cache),
		cmocka_unit_test(a_path_is_learnt_once),
		cmocka_unit_test(paths_of_a_mix_are_told_apart),
		cmocka_unit_test(one_stray_in_a_burst_is_found),
		cmocka_unit_test(both_walks_want_all_of_what_lies_ahead),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
