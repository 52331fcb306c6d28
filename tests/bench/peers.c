/* SPDX-License-Identifier: BSD-3-Clause */
// What there is without us.
#include <string.h>

#include <rte_net.h>
#include <rte_thash.h>

#include "gfni.h"
#include "hand.h"
#include "methods.h"

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

void peer_methods_add(void) {
	struct method *method;

	rte_convert_rss_key((const uint32_t *)ddp_default_key, (uint32_t *)key_be, DDP_KEY_SIZE);
	method = method_add("ptype", "rte_net_get_ptype alone");
	method->run = ptype_run;
	method->run_ahead = ptype_run_ahead;
	method = method_add("hand-softrss", "ptype + by hand + rte_softrss_be");
	method->run = by_hand_run;
	method->run_ahead = by_hand_run_ahead;
	method = method_add("hand-gfni", "ptype + by hand + rte_thash_gfni");
	if (machine_has_gfni()) {
		gfni_init();
		gfni_method_fill(method);
	}
}

// The driver's part alone, which is in all figures of packets that are prefetched.
static void driver_run_ahead(void *arg, struct rte_mbuf *const *mbufs, unsigned int n,
			     struct rte_mbuf *const *next) {
	for (unsigned int i = 0; i < n; i++)
		headers_prefetch(next[i], 1);
}

void driver_methods_add(void) {
	method_add("driver", "the driver's part alone")->run_ahead = driver_run_ahead;
}
