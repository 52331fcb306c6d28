/* SPDX-License-Identifier: BSD-3-Clause */
// ConnectX and BlueField. With RSS at level 2 they hash the headers inside VXLAN, GRE, GENEVE and
// other tunnels, but the packet type in the mbuf does not distinguish these tunnels (it names one
// only if all rules of a queue agree on it), so that net_ddp could not know which packets have a
// correct hash. A flex item matches fields of unknown headers, but cannot be used for RSS.
#include "nic.h"

static const char *const drivers[] = {"mlx5_pci", "mlx5_auxiliary", NULL};

static const struct nic_level2 level2[] = {
	{"eth ip udp gtp", ENCAPS_GTPU, "firmware with FLEX_PARSER_PROFILE_ENABLE=3"},
	{"eth ip udp vxlan", ENCAP(VXLAN), NULL},
	{"eth ip udp geneve", ENCAP(GENEVE), "firmware with FLEX_PARSER_PROFILE_ENABLE=0 or 1"},
	{"eth ip gre", ENCAP(GRE), NULL},
	{"eth ip nvgre", ENCAP(NVGRE), NULL},
	{"eth ip ip", ENCAP(IPIP), "firmware with FLEX_PARSER_PROFILE_ENABLE=0"},
	{NULL, 0, NULL},
};

const struct ddp_nic nic_mlx5 = {
	.name = "mlx5",
	.alias = "connectx",
	.title = "NVIDIA ConnectX, BlueField",
	.drivers = drivers,
	.l4s = L4(TCP) | L4(UDP),
	.key_size = 40,
	.rss_hf = HF(IPV4_TCP) | HF(IPV4_UDP),
	.level2 = level2,
	.note = "RSS at level 2 may spread it by inner headers, but no mbuf says that it did, and flex "
		"items take no part in RSS",
};
