/* SPDX-License-Identifier: BSD-3-Clause */
// 700 series without a package (i40e_capabilities.c has what one adds): what its built-in packet
// classifier types (31 to 46) hash. The input set of SCTP includes the verification tag.
#include "nic.h"

static const char *const drivers[] = {"net_i40e", NULL};

const struct ddp_nic nic_i40e = {
	.name = "i40e",
	.alias = "xl710",
	.title = "Intel 700 series",
	.drivers = drivers,
	.encaps = ENCAP(GRE) | ENCAP(IPIP) | ENCAP(NVGRE),
	.l4s = L4(FRAGMENT) | L4(OTHER) | L4(UDP) | L4(TCP) | L4(SCTP) | L4(ICMP),
	.ipv6 = true,
	.key_size = 52,
	.rss_hf = HF(IPV4_FRAG) | HF(IPV4_OTHER) | HF(IPV4_TCP) | HF(IPV4_UDP) | HF(IPV6_FRAG) |
		  HF(IPV6_OTHER) | HF(IPV6_TCP) | HF(IPV6_UDP),
	.note = "a package may add it to the NIC (ddpctl info lists what a package adds)",
};
