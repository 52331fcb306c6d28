/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>

#include "draft.h"
#include "package/package.h"

// Other NICs: TCP and UDP over IPv4 by rss_hf, hashed as Microsoft specifies ("RSS Hashing Types").
// Support of IPv6 extension headers and of other protocols is unknown.
static const struct ddp_nic generic = {
	.name = "generic",
	.title = "any other NIC with RSS",
	.l4s = L4(TCP) | L4(UDP),
	.any_ipv4 = true,
	.key_size = 40,
	.rss_hf = HF(IPV4_TCP) | HF(IPV4_UDP),
	.note = "RSS of unknown NICs is reliable for TCP and UDP over IPv4 only",
};

// The parser of another net_ddp depends on its profiles.
static const struct ddp_nic none = {
	.name = "none",
	.title = "a device that hashes nothing",
	.drivers = {"net_ddp"},
};

/* 700 series without a package (i40e_port.c adds Intel's GTP package): its built-in packet
 * classifier types, 31 to 46. The input set of SCTP includes the verification tag. */

static const struct ddp_nic i40e = {
	.name = "i40e",
	.alias = "xl710",
	.title = "Intel 700 series",
	.drivers = {"net_i40e"},
	.encaps = ENCAP(GRE) | ENCAP(IPIP) | ENCAP(NVGRE),
	.l4s = L4(FRAGMENT) | L4(OTHER) | L4(UDP) | L4(TCP) | L4(SCTP) | L4(ICMP),
	.ipv6 = true,
	.key_size = 52,
	.rss_hf = HF(IPV4_FRAG) | HF(IPV4_OTHER) | HF(IPV4_TCP) | HF(IPV4_UDP) | HF(IPV6_FRAG) |
		  HF(IPV6_OTHER) | HF(IPV6_TCP) | HF(IPV6_UDP),
	.note = "a package may add it to the NIC (ddpctl info lists what a package adds)",
};

/* 800 series: patterns that its drivers accept (DPDK 22.11: net_ice for the physical
 * function, net_iavf for virtual ones). The package decides which of them have an effect: the OS
 * default package parses VXLAN, GRE and NVGRE, the Comms package also GTP-U and PPPoE. ESP, AH,
 * PFCP and L2TP have rules, but no packet type in the driver's table (ice_get_default_pkt_type), so
 * that net_ddp could not recognize their packets. net_iavf has no rules for PPPoE and VLAN tags,
 * and declares no UDP ports. */

// clang-format off
#define IP_PATTERNS {"eth", "ip"}, {"eth", "ip", "udp"}, {"eth", "ip", "tcp"}, {"eth", "ip", "sctp"}
#define TUNNEL_PATTERNS(...) \
	{__VA_ARGS__, "ip"}, {__VA_ARGS__, "ip", "udp"}, {__VA_ARGS__, "ip", "tcp"}
// clang-format on

static const nic_pattern ice_patterns[] = {
	IP_PATTERNS,
	TUNNEL_PATTERNS("eth", "ip", "udp", "gtpu"),
	TUNNEL_PATTERNS("eth", "ip", "udp", "gtpu", "gtp_psc"),
	TUNNEL_PATTERNS("eth", "pppoes"),
	{NULL},
};

static const nic_pattern iavf_patterns[] = {
	IP_PATTERNS,
	TUNNEL_PATTERNS("eth", "ip", "gre"),
	TUNNEL_PATTERNS("eth", "ip", "udp", "gtpu"),
	TUNNEL_PATTERNS("eth", "ip", "udp", "gtpu", "gtp_psc"),
	{NULL},
};

static const uint16_t comms_ports[] = {2123, 2152, 4500, 8805, 0};

// The driver's default RSS. (The package decides whether IPv4 addresses of fragments are hashed.
// With Intel's packages the model of the NIC hashes the outer addresses of each tunnel that it
// parses, and the inner ports; VXLAN only at declared ports.)
#define RSS_HF                                                                                \
	(HF(IPV4) | HF(IPV4_OTHER) | HF(IPV4_TCP) | HF(IPV4_UDP) | HF(IPV4_SCTP) | HF(IPV6) | \
	 HF(IPV6_OTHER) | HF(IPV6_TCP) | HF(IPV6_UDP) | HF(IPV6_SCTP))

#define E800                                                                                     \
	.l4s = L4(FRAGMENT) | L4(OTHER) | L4(UDP) | L4(TCP) | L4(SCTP) | L4(ICMP), .ipv6 = true, \
	.key_size = 52, .rss_hf = RSS_HF, .protocol = true, .raw = true, .labels = true,         \
	.inner_ports = ENCAPS_GTPU | ENCAP(GRE) | ENCAP(IPIP) | ENCAP(NVGRE)

static const struct ddp_nic ice_comms = {
	.name = "ice-comms",
	.alias = "e810",
	.title = "Intel 800 series with the Comms package",
	.encaps =
		ENCAP(GRE) | ENCAP(IPIP) | ENCAP(NVGRE) | ENCAP(PPPOE) | ENCAP(VXLAN) | ENCAPS_GTPU,
	.udp_ports = comms_ports,
	.ipsec = true,
	.patterns = ice_patterns,
	E800,
};

// The default for ports of net_ice, because the driver does not report its package.
static const struct ddp_nic ice_os = {
	.name = "ice-os",
	.alias = "e810-os",
	.title = "Intel 800 series with the OS default package",
	.drivers = {"net_ice"},
	.encaps = ENCAP(GRE) | ENCAP(IPIP) | ENCAP(NVGRE) | ENCAP(VXLAN),
	.note = "the Comms package parses more",
	.patterns = ice_patterns,
	E800,
};

// The physical function's driver and package decide what is parsed; this is the Comms package.
static const struct ddp_nic iavf = {
	.name = "iavf",
	.title = "Intel 800 series, virtual function (Comms package)",
	.drivers = {"net_iavf"},
	.encaps = ENCAP(GRE) | ENCAP(IPIP) | ENCAP(NVGRE) | ENCAPS_GTPU,
	.udp_ports = comms_ports,
	.ipsec = true,
	.patterns = iavf_patterns,
	E800,
};

/* ConnectX and BlueField. With RSS at level 2 they hash the headers inside VXLAN, GRE, GENEVE and
 * other tunnels, but the packet type in the mbuf does not distinguish these tunnels (it names one
 * only if all rules of a queue agree on it), so that net_ddp could not know which packets have a
 * correct hash. A flex item matches fields of unknown headers, but cannot be used for RSS. */

static const struct nic_level2 level2[] = {
	{{"eth", "ip", "udp", "gtp"}, ENCAPS_GTPU, "firmware with FLEX_PARSER_PROFILE_ENABLE=3"},
	{{"eth", "ip", "udp", "vxlan"}, ENCAP(VXLAN), NULL},
	{{"eth", "ip", "udp", "geneve"},
	 ENCAP(GENEVE),
	 "firmware with FLEX_PARSER_PROFILE_ENABLE=0 or 1"},
	{{"eth", "ip", "gre"}, ENCAP(GRE), NULL},
	{{"eth", "ip", "nvgre"}, ENCAP(NVGRE), NULL},
	{{"eth", "ip", "ip"}, ENCAP(IPIP), "firmware with FLEX_PARSER_PROFILE_ENABLE=0"},
	{{NULL}, 0, NULL},
};

static const struct ddp_nic mlx5 = {
	.name = "mlx5",
	.alias = "connectx",
	.title = "NVIDIA ConnectX, BlueField",
	.drivers = {"mlx5_pci", "mlx5_auxiliary"},
	.l4s = L4(TCP) | L4(UDP),
	.key_size = 40,
	.rss_hf = HF(IPV4_TCP) | HF(IPV4_UDP),
	.level2 = level2,
	.note = "RSS at level 2 may spread it by inner headers, but no mbuf says that it did, and flex "
		"items take no part in RSS",
};

const struct ddp_nic *const ddp_nics[] = {
	&generic, &i40e, &iavf, &ice_comms, &ice_os, &mlx5, &none,
};
const unsigned int ddp_n_nics = sizeof(ddp_nics) / sizeof(ddp_nics[0]);

const struct ddp_nic *ddp_nic_find(const char *name) {
	for (unsigned int i = 0; i < ddp_n_nics; i++)
		if (strcmp(ddp_nics[i]->name, name) == 0 ||
		    (ddp_nics[i]->alias != NULL && strcmp(ddp_nics[i]->alias, name) == 0))
			return ddp_nics[i];
	return NULL;
}

const struct ddp_nic *ddp_nic_of_driver(const char *driver) {
	assert(driver != NULL);
	for (unsigned int i = 0; i < ddp_n_nics; i++)
		for (unsigned int j = 0; j < NIC_DRIVERS && ddp_nics[i]->drivers[j] != NULL; j++)
			if (strcmp(ddp_nics[i]->drivers[j], driver) == 0)
				return ddp_nics[i];
	return &generic;
}

const struct ddp_nic *ddp_nic_of_package(const struct ddp_package *package) {
	if (package->kind != DDP_PACKAGE_E810)
		return NULL;
	if (package->track_id == DDP_TRACK_COMMS)
		return &ice_comms;
	return package->track_id == DDP_TRACK_OS_DEFAULT ? &ice_os : NULL;
}

const char *ddp_nic_name(const struct ddp_nic *nic) {
	return nic->name;
}

const char *ddp_nic_alias(const struct ddp_nic *nic) {
	return nic->alias;
}

const char *ddp_nic_title(const struct ddp_nic *nic) {
	return nic->title;
}
