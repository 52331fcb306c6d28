/* SPDX-License-Identifier: BSD-3-Clause */
// Any NIC: TCP and UDP over IPv4 by rss_hf, hashed as Microsoft specifies ("RSS Hashing Types").
// Nothing is known about IPv6 extension headers and other protocols.
#include "nic.h"

const struct ddp_nic nic_generic = {
	.name = "generic",
	.title = "any other NIC with RSS",
	.l4s = L4(TCP) | L4(UDP),
	.any_ipv4 = true,
	.key_size = 40,
	.rss_hf = HF(IPV4_TCP) | HF(IPV4_UDP),
	.note = "RSS of unknown NICs is reliable for TCP and UDP over IPv4 only",
};

// The parser of another net_ddp depends on its profiles.
static const char *const unknown[] = {"net_ddp", NULL};

const struct ddp_nic nic_none = {
	.name = "none",
	.title = "a device that hashes nothing",
	.drivers = unknown,
};
