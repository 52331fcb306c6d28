/* SPDX-License-Identifier: BSD-3-Clause */
// The words of `ptype:` are DPDK's: a wrong bit makes an application take one packet for another.
#include <rte_mbuf_ptype.h>

#include "base/rte_ptype.h"
#include "unit.h"

static const struct word {
	const char *name;
	uint32_t ours, dpdk;
} words[] = {
#define X(name, bits) {#name, bits, RTE_PTYPE_##name},
	DDP_RTE_PTYPES(X)
#undef X
	// and the masks
	{"L2_MASK", DDP_RTE_PTYPE_L2_MASK, RTE_PTYPE_L2_MASK},
	{"L3_MASK", DDP_RTE_PTYPE_L3_MASK, RTE_PTYPE_L3_MASK},
	{"L4_MASK", DDP_RTE_PTYPE_L4_MASK, RTE_PTYPE_L4_MASK},
	{"TUNNEL_MASK", DDP_RTE_PTYPE_TUNNEL_MASK, RTE_PTYPE_TUNNEL_MASK},
	{"OUTER_MASK", DDP_RTE_PTYPE_OUTER_MASK,
	 RTE_PTYPE_L2_MASK | RTE_PTYPE_L3_MASK | RTE_PTYPE_L4_MASK | RTE_PTYPE_TUNNEL_MASK},
	{"INNER_L2_MASK", DDP_RTE_PTYPE_INNER_L2_MASK, RTE_PTYPE_INNER_L2_MASK},
	{"INNER_L3_MASK", DDP_RTE_PTYPE_INNER_L3_MASK, RTE_PTYPE_INNER_L3_MASK},
	{"INNER_L4_MASK", DDP_RTE_PTYPE_INNER_L4_MASK, RTE_PTYPE_INNER_L4_MASK},
	{"INNER_MASK", DDP_RTE_PTYPE_INNER_MASK,
	 RTE_PTYPE_INNER_L2_MASK | RTE_PTYPE_INNER_L3_MASK | RTE_PTYPE_INNER_L4_MASK},
};

ROWS_TEST(is_dpdks, words) {
	const struct word *row = *state;

	assert_int_equal(row->ours, row->dpdk);
}
