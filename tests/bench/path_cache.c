/* SPDX-License-Identifier: BSD-3-Clause */
// The path cache, at each level of instructions that this CPU has.
#include "classify/cache/cache.h"

#include <string.h>

#include <rte_malloc.h>
#include <rte_vect.h>

#include "base/isa.h"
#include "base/rss_hf.h"
#include "bench.h"
#include "fail.h"
#include "methods.h"

struct user {
	struct ddp_cache *cache;
	enum ddp_isa isa;
	struct ddp_policy policy;
};

static struct user users[DDP_ISA_LEVELS + 1];
static unsigned int n_users;
static struct ddp_burst burst;

static inline __attribute__((always_inline)) void
cache(void *arg, struct rte_mbuf *const *mbufs, unsigned int n, struct rte_mbuf *const *next) {
	const struct ddp_verdict *path;
	struct user *user = arg;

	ddp_cache_run_ahead(user->cache, &user->policy, &work.hash, mbufs, n, next,
			    sizeof(struct rte_mbuf) + RTE_PKTMBUF_HEADROOM, &burst);
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

static void user_add(const char *id, const char *title, enum ddp_isa isa,
		     const struct ddp_program *program) {
	struct method *method = method_add(id, title);
	struct user *user = &users[n_users++];

	if (!ddp_isa_supported(isa))
		return;
	user->cache = rte_malloc("cache", ddp_cache_size(), DDP_CACHE_ALIGN);
	if (user->cache == NULL)
		fail("no memory for a cache");
	user->isa = isa;
	user->policy = (struct ddp_policy){
		.program = program,
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

// Levels are methods of their own; what EAL allows without being asked, and all that the CPU has,
// are among them.
void cache_methods_add(void) {
	enum ddp_isa best = ddp_isa_best(RTE_VECT_SIMD_512);
	enum ddp_isa usual = ddp_isa_best(rte_vect_get_max_simd_bitwidth());

	for (enum ddp_isa isa = 0; isa < DDP_ISA_LEVELS; isa++) {
		char id[24], title[48];

		if (options.isa != NULL && strcmp(options.isa, ddp_isa_name(isa)) != 0)
			continue;
		snprintf(id, sizeof(id), "cache-%s", ddp_isa_name(isa));
		snprintf(title, sizeof(title), "our cache, %s%s%s", ddp_isa_name(isa),
			 isa == best ? ", best" : "", isa == usual ? ", EAL's default" : "");
		user_add(id, title, isa, work.program);
	}
	user_add("cache-all", "our cache, best, profile all", best, work.all);
}

void cache_methods_fini(void) {
	while (n_users > 0)
		rte_free(users[--n_users].cache);
}
