/* SPDX-License-Identifier: BSD-3-Clause */
#include "methods.h"

#include <string.h>

#include <rte_byteorder.h>
#include <rte_malloc.h>
#include <rte_net.h>
#include <rte_thash.h>
#include <rte_vect.h>

#include "base/isa.h"
#include "base/rss_hf.h"
#include "bench.h"
#include "classify/cache/cache.h"
#include "classify/run/walk.h"
#include "hand.h"
#include "profile/profile.h"

#define PROFILES "gtpu+vxlan+pppoe+l2tpv2+geneve+gre+mpls"

struct work work;
struct method methods[METHODS_MAX];
unsigned int n_methods;

/* The least that anybody can do: touch the packet's first line, hash 12 bytes at a fixed place,
 * look the queue up, write the mbuf. It finds out nothing. */

#define TOUCHED 26 // of the first line: addresses and ports of IPv4 behind Ethernet
#define HASHED 12

static enum ddp_isa floor_isa; // finding out takes long, in a virtual machine

typedef uint64_t block __attribute__((vector_size(16), aligned(8)));

static inline __attribute__((always_inline)) void
floor_1(void *arg, struct rte_mbuf *const *mbufs, unsigned int n, struct rte_mbuf *const *next) {
	static struct ddp_rows rows;
	const block mask = {UINT64_MAX, rte_cpu_to_le_64(UINT32_MAX)}; // HASHED bytes
	uint32_t hashes[BURST];

	for (unsigned int i = 0; i < n; i++) {
		block touched;

		if (next != NULL)
			headers_prefetch(next[i], 1);
		memcpy(&touched, rte_pktmbuf_mtod_offset(mbufs[i], void *, TOUCHED),
		       sizeof(touched));
		touched &= mask;
		memcpy(rows.heads[i], &touched, sizeof(touched));
	}
	ddp_hash_rows(&work.hash, floor_isa, HASHED / 4, &rows, 0, n, hashes);
	for (unsigned int i = 0; i < n; i++)
		packet_hashed(mbufs[i], i, RTE_PTYPE_L2_ETHER, hashes[i]);
}
METHOD_FUNCTIONS(floor_1)

/* Other software */

static uint8_t key_be[DDP_KEY_SIZE] __rte_aligned(4); // as rte_softrss_be() wants it

static inline __attribute__((always_inline)) void
ptype(void *arg, struct rte_mbuf *const *mbufs, unsigned int n, struct rte_mbuf *const *next) {
	for (unsigned int i = 0; i < n; i++) {
		if (next != NULL)
			headers_prefetch(next[i], 1);
		mbufs[i]->packet_type = rte_net_get_ptype(mbufs[i], NULL, RTE_PTYPE_ALL_MASK);
	}
}
METHOD_FUNCTIONS(ptype)

static inline __attribute__((always_inline)) uint32_t softrss(uint32_t *tuple, unsigned int n) {
	for (unsigned int k = 0; k < n; k++)
		tuple[k] = rte_be_to_cpu_32(tuple[k]);
	return rte_softrss_be(tuple, n, key_be);
}

static inline __attribute__((always_inline)) void
by_hand(void *arg, struct rte_mbuf *const *mbufs, unsigned int n, struct rte_mbuf *const *next) {
	hand_burst(mbufs, n, next, softrss);
}
METHOD_FUNCTIONS(by_hand)

// The driver's part alone, which is in all figures of packets that are prefetched.
static void driver_run_ahead(void *arg, struct rte_mbuf *const *mbufs, unsigned int n,
			     struct rte_mbuf *const *next) {
	for (unsigned int i = 0; i < n; i++)
		headers_prefetch(next[i], 1);
}

/* Our interpreter: every packet is walked */

static const void *segments_read(const void *ctx, uint32_t off, uint32_t len, void *buf) {
	return rte_pktmbuf_read(ctx, off, len, buf);
}

// Of a packet that comes next, what lies behind the two lines that are prefetched of all.
static inline void deep_prefetch(const struct rte_mbuf *mbuf) {
	const char *data = rte_pktmbuf_mtod(mbuf, const char *);

	rte_prefetch0(data + 2 * RTE_CACHE_LINE_SIZE);
	rte_prefetch0(data + 3 * RTE_CACHE_LINE_SIZE);
}

static inline __attribute__((always_inline)) void interpreter(void *arg,
							      struct rte_mbuf *const *mbufs,
							      unsigned int n,
							      struct rte_mbuf *const *next) {
	for (unsigned int i = 0; i < n; i++) {
		struct rte_mbuf *mbuf = mbufs[i];
		const struct ddp_packet packet = {
			.data = rte_pktmbuf_mtod(mbuf, const uint8_t *),
			.first_len = rte_pktmbuf_data_len(mbuf),
			.len = rte_pktmbuf_pkt_len(mbuf),
			.read = segments_read,
			.ctx = mbuf,
		};
		uint8_t input[DDP_HASH_INPUT_MAX];
		struct ddp_class class;
		unsigned int len;

		if (next != NULL) {
			headers_prefetch(next[i], 2);
			if (i + 1 < n) // as the path cache does
				deep_prefetch(mbufs[i + 1]);
		}
		classify_type_traced(work.program, &packet, &class, NULL);
		len = ddp_input_gather(work.program, &packet, &class, DDP_RSS_HF_ALL, false, input);
		if (len > 0)
			packet_hashed(mbuf, i, class.rte_ptype,
				      ddp_hash_compute(&work.hash, input, len));
		else
			packet_unhashed(mbuf, i, class.rte_ptype);
	}
}
METHOD_FUNCTIONS(interpreter)

/* Our path cache, at each level of instructions that this CPU has */

struct user {
	struct ddp_cache *cache;
	enum ddp_isa isa;
	struct ddp_policy policy;
};

static struct user users[DDP_ISA_LEVELS];
static unsigned int n_users;
static struct ddp_burst burst;

static inline __attribute__((always_inline)) void
cache(void *arg, struct rte_mbuf *const *mbufs, unsigned int n, struct rte_mbuf *const *next) {
	const struct ddp_verdict *path;
	struct user *user = arg;

	for (unsigned int i = 0; next != NULL && i < n; i++)
		headers_prefetch(next[i], 2);
	ddp_cache_run(user->cache, &user->policy, &work.hash, mbufs, n, &burst);
	path = burst.verdict;
	if (path != NULL && path->input_len > 0) {
		const uint32_t packet_type = path->packet_type;

		for (unsigned int i = 0; i < n; i++)
			packet_hashed(mbufs[i], i, packet_type, burst.hashes[i]);
		return;
	}
	for (unsigned int i = 0; i < n; i++) {
		path = burst.verdicts[i];
		if (path->input_len > 0)
			packet_hashed(mbufs[i], i, path->packet_type, burst.hashes[i]);
		else
			packet_unhashed(mbufs[i], i, path->packet_type);
	}
}
METHOD_FUNCTIONS(cache)

static void cache_reset(void *arg) {
	struct user *user = arg;

	ddp_cache_init(user->cache, user->isa);
}

/* The list */

static struct method *method_add(const char *id, const char *title,
				 void (*run)(void *, struct rte_mbuf *const *, unsigned int),
				 void (*run_ahead)(void *, struct rte_mbuf *const *, unsigned int,
						   struct rte_mbuf *const *)) {
	struct method *method = &methods[n_methods++];

	snprintf(method->id, sizeof(method->id), "%s", id);
	snprintf(method->title, sizeof(method->title), "%s", title);
	method->run = run;
	method->run_ahead = run_ahead;
	return method;
}

static void user_add(const char *id, const char *title, enum ddp_isa isa) {
	struct method *method = method_add(id, title, NULL, NULL);
	struct user *user = &users[n_users++];

	if (!ddp_isa_supported(isa))
		return;
	user->cache = rte_malloc("cache", ddp_cache_size(), DDP_CACHE_ALIGN);
	if (user->cache == NULL)
		fail("no memory for a cache");
	user->isa = isa;
	user->policy = (struct ddp_policy){
		.program = work.program,
		.rss = true,
		.rss_hf = DDP_RSS_HF_ALL,
		.id = n_users,
	};
	cache_reset(user);
	method->run = cache_run;
	method->run_ahead = cache_run_ahead;
	method->reset = cache_reset;
	method->arg = user;
}

// Levels are methods of their own; what EAL allows by default, and all that the CPU has,
// are among them.
static void caches_add(void) {
	enum ddp_isa best = ddp_isa_best(RTE_VECT_SIMD_512);
	enum ddp_isa usual = ddp_isa_best(rte_vect_get_max_simd_bitwidth());

	for (enum ddp_isa isa = 0; isa < DDP_ISA_LEVELS; isa++) {
		char id[24], title[48];

		if (options.isa != NULL && strcmp(options.isa, ddp_isa_name(isa)) != 0)
			continue;
		snprintf(id, sizeof(id), "cache-%s", ddp_isa_name(isa));
		snprintf(title, sizeof(title), "our cache, %s%s%s", ddp_isa_name(isa),
			 isa == best ? ", best" : "", isa == usual ? ", EAL's default" : "");
		user_add(id, title, isa);
	}
}

bool machine_has_gfni(void) {
#if defined(__x86_64__)
	return gfni_functions.init != NULL && __builtin_cpu_supports("gfni") &&
	       __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512vbmi");
#else
	return false;
#endif
}

const struct method *method_find(const char *id) {
	for (unsigned int i = 0; i < n_methods; i++)
		if (strcmp(methods[i].id, id) == 0)
			return &methods[i];
	return NULL;
}

// Our cache at a level, or at the requested one.
static const struct method *cache_find(enum ddp_isa isa) {
	char id[24];

	snprintf(id, sizeof(id), "cache-%s", options.isa != NULL ? options.isa : ddp_isa_name(isa));
	return method_find(id);
}

const struct method *method_ours(void) {
	return cache_find(ddp_isa_best(RTE_VECT_SIMD_512));
}

const struct method *method_usual(void) {
	return cache_find(ddp_isa_best(rte_vect_get_max_simd_bitwidth()));
}

static struct ddp_profile *profile;

static void program_load(void) {
	struct ddp_diag diag;

	ddp_diag_init(&diag);
	profile = ddp_profile_load(PROFILES, &diag);
	if (profile != NULL)
		work.program = ddp_program_build(profile, &diag);
	if (work.program == NULL)
		fail("%s", ddp_diag_first(&diag));
	ddp_diag_fini(&diag);
}

void methods_init(void) {
	program_load();
	ddp_hash_init(&work.hash, DDP_HASH_TOEPLITZ, ddp_default_key);
	ddp_reta_fill(work.reta, DDP_RETA_SIZE, N_QUEUES);
	rte_convert_rss_key((const uint32_t *)ddp_default_key, (uint32_t *)key_be, DDP_KEY_SIZE);
	floor_isa = ddp_isa_best(RTE_VECT_SIMD_512);
	method_add("floor-1", "floor: 1 line, 12 bytes hashed", floor_1_run, floor_1_run_ahead);
	method_add(METHOD_BASE, "rte_net_get_ptype alone", ptype_run, ptype_run_ahead);
	method_add("hand-softrss", "ptype + by hand + rte_softrss_be", by_hand_run,
		   by_hand_run_ahead);
	if (machine_has_gfni())
		gfni_functions.init();
	method_add("hand-gfni", "ptype + by hand + rte_thash_gfni",
		   machine_has_gfni() ? gfni_functions.run : NULL,
		   machine_has_gfni() ? gfni_functions.run_ahead : NULL);
	method_add("interpreter", "our interpreter", interpreter_run, interpreter_run_ahead);
	caches_add();
	method_add("driver", "the driver's part alone", NULL, driver_run_ahead);
}

void methods_fini(void) {
	while (n_users > 0)
		rte_free(users[--n_users].cache);
	n_methods = 0;
	ddp_program_destroy(work.program);
	ddp_profile_destroy(profile);
}
