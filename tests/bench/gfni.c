/* SPDX-License-Identifier: BSD-3-Clause */
// rte_thash_gfni(), which an application has only if it was itself built for such a CPU: so is this
// file.
#include "methods.h"

#include <rte_thash.h>

#include "hand.h"

#ifdef RTE_THASH_GFNI_DEFINED

// A row of the key each; what is loaded beyond is not used.
static uint64_t matrices[DDP_KEY_SIZE + 12];

static inline __attribute__((always_inline)) uint32_t thash(uint32_t *tuple, unsigned int n) {
	return rte_thash_gfni(matrices, (uint8_t *)tuple, 4 * n);
}

static inline __attribute__((always_inline)) void
gfni(void *arg, struct rte_mbuf *const *mbufs, unsigned int n, struct rte_mbuf *const *next) {
	hand_burst(mbufs, n, next, thash);
}
METHOD_FUNCTIONS(gfni)

static void init(void) {
	rte_thash_complete_matrix(matrices, ddp_default_key, DDP_KEY_SIZE);
}

static void hash_bulk(const uint8_t *rows, unsigned int row_size, unsigned int len, unsigned int n,
		      uint32_t *hashes) {
	uint8_t *tuples[BURST];

	for (unsigned int i = 0; i < n; i++)
		tuples[i] = (uint8_t *)(uintptr_t)rows + i * row_size;
	rte_thash_gfni_bulk(matrices, len, tuples, hashes, n);
}

const struct gfni_functions gfni_functions = {init, hash_bulk, gfni_run, gfni_run_ahead};

#else

const struct gfni_functions gfni_functions;

#endif
