/* SPDX-License-Identifier: BSD-3-Clause */
// The least that anybody can do: touch the packet's first line, hash 12 bytes at a fixed
// place, look the queue up, write the mbuf. It finds out nothing.
#include <string.h>

#include <rte_byteorder.h>

#include "base/isa.h"
#include "methods.h"

#define TOUCHED 26 // of the first line: addresses and ports of IPv4 behind Ethernet
#define HASHED 12

static enum ddp_isa isa; // finding out takes long, in a virtual machine

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
	ddp_hash_rows(&work.hash, isa, HASHED / 4, &rows, 0, n, hashes);
	for (unsigned int i = 0; i < n; i++)
		packet_hashed(mbufs[i], i, RTE_PTYPE_L2_ETHER, hashes[i]);
}
METHOD_FUNCTIONS(floor_1)

void floor_methods_add(void) {
	struct method *method = method_add("floor-1", "floor: 1 line, 12 bytes hashed");

	isa = ddp_isa_best(512);
	method->run = floor_1_run;
	method->run_ahead = floor_1_run_ahead;
}
