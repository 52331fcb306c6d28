/* SPDX-License-Identifier: BSD-3-Clause */
// ConnectX and BlueField. It hashes the headers behind VXLAN, GRE, GENEVE and others by RSS at
// level 2, but the packet type in the mbuf does not tell these tunnels apart (it names one only
// where all of a queue's rules agree on it), so that net_ddp could not know which packets were
// hashed right. A flex item matches fields of unknown headers, but takes no part in RSS.
#include "nic.h"

static const char *const drivers[] = {"mlx5_pci", "mlx5_auxiliary", NULL};

const struct ddp_nic nic_mlx5 = {
	.name = "mlx5",
	.title = "NVIDIA ConnectX, BlueField",
	.drivers = drivers,
	.l4s = L4(TCP) | L4(UDP),
	.key_size = 40,
	.rss_hf = HF(IPV4_TCP) | HF(IPV4_UDP),
	.note = "RSS at level 2 may spread it by inner headers, but no mbuf says that it did, and flex "
		"items take no part in RSS",
};
