/* SPDX-License-Identifier: BSD-3-Clause */
// The path cache where tests/judge seldom goes, and its speed: what it learns, and what it forgets.
#include <rte_mbuf_core.h>

#include "classify/cache/cache.h"
#include "classify/cache/cache_set.h"
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

static void user_begin(struct user *user, struct loaded loaded, enum ddp_isa isa) {
	user->loaded = loaded;
	user->cache = aligned_alloc(DDP_CACHE_ALIGN,
				    (ddp_cache_size() + DDP_CACHE_ALIGN - 1) & -DDP_CACHE_ALIGN);
	user->hash = malloc(sizeof(*user->hash));
	user->burst = aligned_alloc(64, (sizeof(*user->burst) + 63) & -64);
	after_test(free, user->cache);
	after_test(free, user->hash);
	after_test(free, user->burst);
	ddp_cache_init(user->cache, isa);
	ddp_hash_init(user->hash, DDP_HASH_TOEPLITZ, ddp_default_key);
	user->policy = (struct ddp_policy){
		.program = user->loaded.program,
		.rss = true,
		.rss_hf = UINT64_MAX,
		.id = 1,
	};
}

static void user_init(struct user *user, const char *spec, enum ddp_isa isa) {
	user_begin(user, load_good(spec), isa);
}

static struct ddp_cache_stats stats_of(const struct user *user) {
	struct ddp_cache_stats stats;

	ddp_cache_stats_get(user->cache, &stats);
	return stats;
}

// A test with each instruction set that this CPU has.
#define ISA_TEST(id)                                                    \
	static void id##_with(enum ddp_isa isa);                        \
	TEST(id) {                                                      \
		for (enum ddp_isa isa = 0; isa < DDP_ISA_LEVELS; isa++) \
			if (ddp_isa_supported(isa))                     \
				id##_with(isa);                         \
	}                                                               \
	static void id##_with(enum ddp_isa isa)

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

ISA_TEST(the_longest_packet_is_no_hit_of_an_empty_cache) {
	static uint8_t bytes[UINT16_MAX];
	struct rte_mbuf mbuf = mbuf_of(bytes, sizeof(bytes), sizeof(bytes));
	struct user user;

	packet_build(udp, bytes);
	user_init(&user, "base", isa);
	assert_int_equal(verdict_of(&user, &mbuf)->input_len, 12);
}

TEST(headers_in_two_segments_fill_no_cache) {
	uint8_t bytes[PACKET_MAX] = {0};
	uint32_t len = packet_build(udp, bytes);
	struct rte_mbuf second = mbuf_of(bytes + 20, PACKET_MAX - 20, len - 20);
	struct rte_mbuf first = mbuf_of(bytes, 20, 20);
	struct user user;

	first.pkt_len = len;
	first.nb_segs = 2;
	first.next = &second;
	user_init(&user, "base", DDP_ISA_SCALAR);
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(verdict_of(&user, &first)->input_len, 12);
	assert_int_equal(stats_of(&user).entries, 0);
	user.cache->n_entries =
		0; // another thread may read it while a new policy's burst clears it
	assert_int_equal(stats_of(&user).entries, 0);
}

// Else packets in a tunnel of the user's own would fill the cache with paths that say the same.
TEST(packets_that_differ_behind_what_decides_are_of_one_path) {
	const struct piece labels[] = {PIECE(0, 0, 0xa0, 0x40), PIECE(0, 0, 0xa1, 0x40),
				       PIECE(0, 0, 0xb1, 0x40)};
	struct user user;

	user_init(&user, "gtpu+mpls-in-udp", DDP_ISA_SCALAR);
	for (unsigned int i = 0; i < 100; i++) {
		const struct piece packet[] = {ETH(0x0800),
					       IPV4(17, UE, NET),
					       UDP(2152, 2152),
					       GTPU(0x30, 255),
					       IPV4(17, UE, NET),
					       UDP(1024, 6635),
					       labels[i % COUNT(labels)],
					       IPV4(17, UE, NET),
					       END};
		uint8_t bytes[PACKET_MAX] = {0};
		struct rte_mbuf mbuf = mbuf_of(bytes, PACKET_MAX, packet_build(packet, bytes));

		verdict_of(&user, &mbuf);
	}
	assert_int_equal(stats_of(&user).learned, 1);
	assert_true(stats_of(&user).hits >= 90);
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

// Else each packet walks the tree: right, but slower.
TEST(few_paths_need_no_tree_where_a_kernel_compares_several_entries) {
	const struct piece *const kinds[] = {udp, tcp, vlan, gtpu};
	struct user user;

	if (!ddp_isa_supported(DDP_ISA_AVX512))
		skip();
	user_init(&user, "gtpu", DDP_ISA_AVX512);
	for (unsigned int i = 0; i < 400; i++) {
		uint8_t bytes[PACKET_MAX] = {0};
		struct rte_mbuf mbuf =
			mbuf_of(bytes, PACKET_MAX, packet_build(kinds[i % 4], bytes));

		verdict_of(&user, &mbuf);
	}
	assert_int_equal(user.cache->depth, 0);
	assert_true(user.cache->n_buckets > 0);
}

static const struct piece *const packets[] = {udp, tcp, vlan, gtpu, inner};

// Of each pair of them, one is found first: the others must not pay for it.
ISA_TEST(paths_of_a_mix_are_told_apart) {
	enum {
		N = COUNT(packets)
	};
	static uint8_t bytes[N][PACKET_MAX];
	struct rte_mbuf mbufs[N], *burst[N];
	struct user user;

	for (unsigned int i = 0; i < N; i++) {
		mbufs[i] = mbuf_of(bytes[i], PACKET_MAX, packet_build(packets[i], bytes[i]));
		burst[i] = &mbufs[i];
	}
	user_init(&user, "gtpu", isa);
	for (unsigned int i = 0; i < 200; i++)
		ddp_cache_run(user.cache, &user.policy, user.hash, burst, N, user.burst);
	assert_int_equal(stats_of(&user).entries, N);
	assert_true(stats_of(&user).misses <= 20 * N);
}

#define N_BURST 32

static void burst_run(struct user *user, struct rte_mbuf **mbufs) {
	ddp_cache_run(user->cache, &user->policy, user->hash, mbufs, N_BURST, user->burst);
}

static void bursts_compare(const struct user *a, const struct user *b) {
	for (unsigned int i = 0; i < N_BURST; i++) {
		const struct ddp_verdict *x = ddp_burst_verdict(a->burst, i);
		const struct ddp_verdict *y = ddp_burst_verdict(b->burst, i);

		assert_int_equal(x->type_id, y->type_id);
		assert_int_equal(x->packet_type, y->packet_type);
		assert_int_equal(x->l3_off, y->l3_off);
		assert_int_equal(x->inner_l3_off, y->inner_l3_off);
		assert_int_equal(x->encapsulated, y->encapsulated);
		assert_int_equal(x->input_len, y->input_len);
		if (x->input_len > 0)
			assert_int_equal(a->burst->hashes[i], b->burst->hashes[i]);
	}
}

// A cache, and one that is bypassed: the interpreter.
static void users_init(struct user users[2], const char *spec, enum ddp_isa isa) {
	user_init(&users[0], spec, isa);
	user_begin(&users[1], users[0].loaded, DDP_ISA_SCALAR);
	ddp_cache_force(users[1].cache, DDP_CACHE_BYPASS);
}

static void users_agree(struct user users[2], struct rte_mbuf **mbufs) {
	burst_run(&users[0], mbufs);
	burst_run(&users[1], mbufs);
	bursts_compare(&users[0], &users[1]);
}

// All packets of many bursts were of one path. Now one is not, by a bit or by its length.
static void strays_check(enum ddp_isa isa, const struct piece *pieces) {
	uint8_t usual[PACKET_MAX] = {0}, odd[PACKET_MAX] = {0};
	uint32_t len = packet_build(pieces, usual);
	struct rte_mbuf usual_mbuf = mbuf_of(usual, PACKET_MAX, len);
	struct rte_mbuf odd_mbuf = mbuf_of(odd, PACKET_MAX, len);
	struct rte_mbuf *mbufs[N_BURST];
	struct user users[2];

	users_init(users, "gtpu", isa);
	for (unsigned int i = 0; i < N_BURST; i++)
		mbufs[i] = &usual_mbuf;
	for (unsigned int byte = 0; byte < 2 * len; byte++) {
		memcpy(odd, usual, len);
		odd_mbuf.data_len = odd_mbuf.pkt_len = byte < len ? len : byte - len;
		if (byte < len)
			odd[byte] ^= 1 << byte % 8;
		for (unsigned int i = 0; i < 4; i++)
			burst_run(&users[0], mbufs);
		mbufs[byte % N_BURST] = &odd_mbuf;
		users_agree(users, mbufs);
		mbufs[byte % N_BURST] = &usual_mbuf;
	}
}

ISA_TEST(one_stray_in_a_burst_is_found) {
	for (unsigned int i = 0; i < COUNT(packets); i++)
		strays_check(isa, packets[i]);
}

#define N_KINDS 16 // as many as an entry has room to say that it is none of
#define KINDS "1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768"

// The cache learns the paths of two usual packets; then one comes that takes another path.
static void odd_among(const char *profile, enum ddp_isa isa, const uint8_t *usual,
		      const uint8_t *other, const uint8_t *odd, unsigned int place) {
	struct rte_mbuf usual_mbuf = mbuf_of((uint8_t *)(uintptr_t)usual, PACKET_MAX, 8);
	struct rte_mbuf other_mbuf = mbuf_of((uint8_t *)(uintptr_t)other, PACKET_MAX, 8);
	struct rte_mbuf odd_mbuf = mbuf_of((uint8_t *)(uintptr_t)odd, PACKET_MAX, 8);
	struct rte_mbuf *mbufs[N_BURST];
	struct user users[2];

	for (unsigned int i = 0; i < N_BURST; i++)
		mbufs[i] = i == (place ^ 2) ? &other_mbuf : &usual_mbuf;
	users_init(users, profile, isa);
	for (unsigned int i = 0; i < 4; i++)
		burst_run(&users[0], mbufs);
	mbufs[place] = &odd_mbuf;
	users_agree(users, mbufs);
	assert_int_not_equal(ddp_burst_verdict(users[1].burst, place)->type_id,
			     ddp_burst_verdict(users[1].burst, place ^ 1)->type_id);
}

// Two lists, more than one comparison takes, alone and in an entry that is one of two. The judge
// seldom draws these values.
ISA_TEST(each_value_of_full_lists_is_told_from_others) {
	static const uint8_t usual[PACKET_MAX] = {1, 0x12, 0x34, 0x12, 0x34, 1, 2};
	static const uint8_t other[PACKET_MAX] = {1, 0x00, 0x01, 0x12, 0x34, 1, 2};

	scratch_write_text("lists.yaml",
			   "profile: lists\ntables: {kind: numbers, sort: numbers}\n"
			   "headers:\n"
			   "  aa: {first: true, layout: 'v:8 k:16 m:16 y:16', valid: {v: 1},\n"
			   "       next: [kind(k), sort(m)]}\n"
			   "  bb: {after: 'kind(" KINDS ")', layout: 'z:8'}\n"
			   "  cc: {after: 'sort(" KINDS ")', layout: 'z:8'}\n"
			   "packet_types:\n"
			   "  AA: {path: aa, rss: aa.y}\n"
			   "  BB: {path: aa bb, rss: aa.y}\n"
			   "  CC: {path: aa cc, rss: aa.y}\n");
	for (unsigned int i = 0; i < 2 * N_KINDS; i++) {
		uint8_t odd[PACKET_MAX];

		memcpy(odd, usual, sizeof(odd));
		odd[1 + i / N_KINDS * 2] = 1 << i % N_KINDS >> 8;
		odd[2 + i / N_KINDS * 2] = 1 << i % N_KINDS & 0xff;
		odd_among("lists", isa, usual, other, odd, i);
		odd_among("lists", isa, usual, usual, odd, i);
	}
}

#define N_PATHS 1200

static const char paths_text[] =
	"profile: paths\n"
	"headers:\n"
	"  aa: {first: true, layout: 'k:16 y:32 ...', length: 6 + (k & 2047)}\n"
	"packet_types:\n"
	"  AA: {path: aa, rss: aa.y}\n";

static uint8_t path_bytes[N_PATHS][PACKET_MAX + 16];
static struct rte_mbuf path_mbufs[N_PATHS];

static int paths_make(void **state) {
	scratch_write_text("paths.yaml", paths_text);
	for (unsigned int i = 0; i < N_PATHS; i++) {
		path_bytes[i][0] = i >> 8;
		path_bytes[i][1] = i & 0xff;
		path_mbufs[i] = mbuf_of(path_bytes[i], sizeof(path_bytes[i]), 6 + i);
	}
	return 0;
}

GROUP(paths_make, NULL)

// Packets of n paths from first on, in turn, in bursts; returns how many are interpreted.
static unsigned int paths_run(struct user *user, unsigned int first, unsigned int n,
			      unsigned int n_bursts) {
	const struct ddp_cache_stats before = stats_of(user);
	struct ddp_cache_stats after;
	unsigned int at = 0;

	for (unsigned int b = 0; b < n_bursts; b++) {
		struct rte_mbuf *mbufs[N_BURST];

		for (unsigned int i = 0; i < N_BURST; i++, at = (at + 1) % n)
			mbufs[i] = &path_mbufs[first + at];
		burst_run(user, mbufs);
	}
	after = stats_of(user);
	assert_int_equal(after.hits + after.misses - before.hits - before.misses,
			 n_bursts * N_BURST);
	return after.misses - before.misses;
}

ISA_TEST(paths_that_come_again_are_all_hits) {
	static const unsigned int numbers[] = {1, 5, 12, 16, 50, 500};

	for (unsigned int i = 0; i < COUNT(numbers); i++) {
		struct user user;

		user_init(&user, "paths", isa);
		assert_in_range(paths_run(&user, 0, numbers[i], 2000), numbers[i], 40 * numbers[i]);
		assert_int_equal(paths_run(&user, 0, numbers[i], 500), 0);
		assert_int_equal(stats_of(&user).learned, numbers[i]);
		assert_int_equal(stats_of(&user).entries, numbers[i]);
	}
}

// Paths that come once make room; those that come again stay, and are not to be learnt anew.
TEST(a_full_cache_keeps_what_is_in_use) {
	enum {
		N_USED = 101, // odd: each of them is at each place of a burst
		N_ONCE = N_PATHS - N_USED
	};
	struct ddp_cache_stats before, after;
	unsigned int at = 0;
	struct user user;

	user_init(&user, "paths", DDP_ISA_SCALAR);
	paths_run(&user, 0, N_USED, 1000);
	before = stats_of(&user);
	for (unsigned int b = 0; b < 2 * N_ONCE; b++) {
		struct rte_mbuf *mbufs[N_BURST];

		for (unsigned int i = 0; i < N_BURST; i++, at = (at + 1) % N_USED)
			mbufs[i] = &path_mbufs[at];
		if (b % 2 == 0)
			mbufs[1] = &path_mbufs[N_USED + b / 2];
		burst_run(&user, mbufs);
	}
	after = stats_of(&user);
	assert_int_equal(after.learned, N_PATHS);
	assert_in_range(after.entries, N_USED, N_PATHS / 2);
	assert_int_equal(after.misses - before.misses, N_ONCE);
}

// With more paths than it has room for, each of which comes again, it begins anew rather than to
// learn no more.
TEST(a_cache_in_full_use_goes_on_learning) {
	struct user user;

	user_init(&user, "paths", DDP_ISA_SCALAR);
	paths_run(&user, 0, 1023, 4000);
	paths_run(&user, 1023, 100, 2000);
	assert_int_equal(paths_run(&user, 1023, 100, 100), 0);
	assert_in_range(stats_of(&user).entries, 100, 1000);
}

static void flood(struct user *user, unsigned int n_packets) {
	static uint8_t bytes[N_BURST][PACKET_MAX + 16];
	struct rte_mbuf own[N_BURST], *mbufs[N_BURST];
	static uint16_t key;

	for (unsigned int n = 0; n < n_packets; n += N_BURST) {
		for (unsigned int i = 0; i < N_BURST; i++, key++) {
			bytes[i][0] = key >> 8;
			bytes[i][1] = key & 0xff;
			own[i] = mbuf_of(bytes[i], sizeof(bytes[i]), 6 + (key & 2047));
			mbufs[i] = &own[i];
		}
		burst_run(user, mbufs);
	}
}

// Paths that never come again are not worth learning: that takes a dozen times as long as to
// interpret a packet.
TEST(a_flood_of_paths_is_not_learnt) {
	struct ddp_cache_stats first, then;
	struct user user;

	user_init(&user, "paths", DDP_ISA_SCALAR);
	flood(&user, 16384);
	first = stats_of(&user);
	assert_in_range(first.learned, 64, 256);
	flood(&user, 1 << 18);
	then = stats_of(&user);
	assert_in_range(then.learned, first.learned + 1, first.learned + 64);
	assert_in_range(then.entries, 0, 64);
	// When the flood is over, paths are soon learned again.
	paths_run(&user, 0, 5, 6000);
	assert_int_equal(paths_run(&user, 0, 5, 100), 0);
}

// Half of the packets are of known paths, the other half of ever new ones. An attacker could else
// make a core spend its time on learning, and the known paths would be dropped for want of room.
TEST(known_paths_stay_in_a_flood) {
	enum {
		N_KNOWN = 50,
		N_BURSTS = 4096,
	};
	struct ddp_cache_stats before, after;
	unsigned int known = 0, fresh = N_KNOWN;
	struct user user;

	user_init(&user, "paths", DDP_ISA_SCALAR);
	paths_run(&user, 0, N_KNOWN, 1000);
	before = stats_of(&user);
	for (unsigned int b = 0; b < N_BURSTS; b++) {
		struct rte_mbuf *mbufs[N_BURST];

		for (unsigned int i = 0; i < N_BURST; i++) {
			if ((i + b) % 2 == 0) {
				mbufs[i] = &path_mbufs[known++ % N_KNOWN];
				continue;
			}
			mbufs[i] = &path_mbufs[fresh];
			fresh = fresh + 1 < N_PATHS ? fresh + 1 : N_KNOWN;
		}
		burst_run(&user, mbufs);
	}
	after = stats_of(&user);
	assert_in_range(after.learned - before.learned, 1, 500);
	assert_in_range(after.hits - before.hits, N_BURSTS * N_BURST / 2,
			N_BURSTS * N_BURST * 55 / 100);
	assert_in_range(after.entries, N_KNOWN, 2 * N_KNOWN);
	// When the flood is over, other paths are soon learned again.
	paths_run(&user, N_KNOWN, N_KNOWN, 6000);
	assert_int_equal(paths_run(&user, N_KNOWN, N_KNOWN, 100), 0);
}

// In a flood, each burst of known paths would else be compared with one entry first, in vain: that
// is nearly a third of what it costs.
ISA_TEST(a_burst_that_matches_nothing_is_not_of_one_path) {
	struct user user;

	user_init(&user, "paths", isa);
	paths_run(&user, 0, 5, 1000);
	for (unsigned int b = 0; b < 100; b++) {
		user.cache->tokens = 0;
		flood(&user, N_BURST);
		assert_int_equal(user.cache->last, 0);
		user.cache->tokens = 0;
		verdict_of(&user, &path_mbufs[5 + b]); // a burst of one
		assert_int_equal(user.cache->last, 0);
	}
}

#define DEEP(protocol)                                                                           \
	ETH(0x86dd), IPV6(60, UE6, NET6), EXT16(60), EXT16(60), EXT16(60), EXT16(60), EXT16(60), \
		EXT16(protocol)

// A burst with so many packets whose last header is behind their second cache line, some also the
// first byte that is hashed; data_offset: of the first one.
static void deep_burst_make(struct rte_mbuf mbufs[N_BURST], unsigned int n_deep,
			    uint8_t data_offset) {
	static uint8_t bytes[N_BURST][PACKET_MAX];
	const struct piece kinds[2][2][13] = {
		{{ETH(0x0800), IPV4(6, UE, NET), TCP(1024, 80), END},
		 {ETH(0x0800), IPV4(17, UE, NET), UDP(1024, 53), END}},
		{{DEEP(17), UDP(1024, 53), END},
		 {DEEP(17), UDP(2152, 2152), GTPU(0x30, 255), IPV4(6, UE, NET), TCP(1024, 80),
		  END}},
	};
	const struct piece first[] = {DEEP(6), TCP_AS(1024, 80, data_offset, 0, 0), END};

	for (unsigned int i = 0; i < N_BURST; i++)
		mbufs[i] =
			mbuf_of(bytes[i], PACKET_MAX,
				packet_build(i == 0 ? first : kinds[i < n_deep][i % 2], bytes[i]));
}

static void deep_bursts_run(struct user *users, unsigned int n_deep, uint8_t data_offset,
			    unsigned int n) {
	struct rte_mbuf own[N_BURST], *mbufs[N_BURST];

	deep_burst_make(own, n_deep, data_offset);
	for (unsigned int i = 0; i < N_BURST; i++)
		mbufs[i] = &own[i];
	for (; n > 0; n--)
		users_agree(users, mbufs);
}

// n_lines: of each packet that are compared then.
static void deep_packets_check(struct user *users, enum ddp_isa isa, unsigned int n_deep,
			       unsigned int n_lines) {
	const unsigned int window = 4096 / N_BURST;
	struct ddp_cache_stats before, after;

	deep_bursts_run(users, n_deep, 5, 3 * window);
	before = stats_of(&users[0]);
	deep_bursts_run(users, n_deep, 5, window);
	after = stats_of(&users[0]);
	assert_int_equal(after.misses, before.misses);
	if (cache_has_selections(isa))
		assert_int_equal(users[0].cache->n_lines, n_lines);
	deep_bursts_run(users, n_deep, 4, 1); // that is no TCP header
}

// An attacker could else send a few such packets, and all others would wait for cache lines that
// nobody prefetches. Where most packets are so, it is worth it.
ISA_TEST(few_deep_packets_cost_the_others_nothing) {
	static const struct {
		const char *profile;
		unsigned int n_lines; // up to the last byte that decides
	} cases[] = {{"base", 3}, {"gtpu", CACHE_LINES}};

	for (unsigned int i = 0; i < 2 * COUNT(cases); i++) {
		const unsigned int n_lines = cases[i % 2].n_lines;
		struct user users[2];

		users_init(users, cases[i % 2].profile, isa);
		for (unsigned int u = 0; u < COUNT(users); u++)
			users[u].policy.rss = i / 2 == 0; // else they have nothing to hash
		deep_packets_check(users, isa, 1, CACHE_NEAR);
		deep_packets_check(users, isa, 2, CACHE_NEAR);
		deep_packets_check(users, isa, N_BURST / 2, n_lines);
		deep_packets_check(users, isa, 1, CACHE_NEAR);
		deep_packets_check(users, isa, 2, CACHE_NEAR);
	}
}

// Entries that say which values a word must not have, by a list or by a table, do not hide each
// other.
static void paths_that_a_word_tells_apart_are_hits(unsigned int n_kinds, unsigned int first,
						   unsigned int step, enum ddp_isa isa) {
	static uint8_t bytes[64][PACKET_MAX];
	static struct rte_mbuf mbufs[64];
	struct rte_mbuf *burst[N_BURST];
	char text[1024] =
		"profile: words\ntables: {kind: numbers}\n"
		"headers:\n"
		"  aa: {first: true, layout: 'v:8 k:16 y:32', valid: {v: 1}, next: kind(k)}\n"
		"  bb: {after: 'kind(";
	struct ddp_cache_stats before, after;
	struct user user;

	for (unsigned int i = 0; i < n_kinds; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u",
			 i > 0 ? ", " : "", first + i * step);
	strcat(text, ")', layout: 'z:8'}\n"
		     "packet_types:\n"
		     "  AA: {path: aa, rss: aa.y}\n"
		     "  BB: {path: aa bb, rss: aa.y}\n");
	scratch_write_text("words.yaml", text);
	for (unsigned int i = 0; i < 64; i++) { // every second one is of a kind
		unsigned int k =
			first + i / 2 % n_kinds * step + (i % 2 != 0 ? 1 << i / 2 % 16 : 0);

		bytes[i][0] = 1;
		bytes[i][1] = k >> 8;
		bytes[i][2] = k & 0xff;
		mbufs[i] = mbuf_of(bytes[i], PACKET_MAX, 8);
	}
	user_init(&user, "words", isa);
	for (unsigned int b = 0; b < 2000; b++) {
		for (unsigned int i = 0; i < N_BURST; i++)
			burst[i] = &mbufs[(b * N_BURST + i) % 64];
		if (b == 1500)
			before = stats_of(&user);
		burst_run(&user, burst);
	}
	after = stats_of(&user);
	assert_int_equal(after.misses, before.misses);
}

ISA_TEST(paths_that_words_tell_apart_are_hits) {
	static const unsigned int numbers[] = {1, 3, 12, 16, 17, 28};

	for (unsigned int i = 0; i < COUNT(numbers); i++) {
		paths_that_a_word_tells_apart_are_hits(numbers[i], 1, 0x0911, isa);
		paths_that_a_word_tells_apart_are_hits(numbers[i], 0x0100, 0x0100, isa);
	}
}

// A path is learnt where its buffers have all that its entry reads, and only there.
ISA_TEST(a_buffer_of_just_the_size_will_do) {
	uint8_t bytes[PACKET_MAX] = {0};
	uint32_t len = packet_build(udp, bytes);
	unsigned int least = 0;
	struct user user;

	user_init(&user, "base", isa);
	for (unsigned int size = len; size < 256; size++) {
		struct rte_mbuf mbuf = mbuf_of(bytes, size, len);

		ddp_cache_init(user.cache, isa);
		verdict_of(&user, &mbuf);
		if (user.cache->n_entries > 1) {
			const struct cache_entry *entry = &user.cache->entries[1];

			if (least == 0)
				least = size;
			assert_true(entry->reach <= size && 64 * entry->n_lines <= size);
			assert_true(size > least || entry->reach == size ||
				    64 * entry->n_lines == size);
		} else {
			assert_int_equal(least, 0);
		}
	}
	assert_int_not_equal(least, 0);
}
