/* SPDX-License-Identifier: BSD-3-Clause */
// The names are testpmd's, the bits DPDK's: a wrong one hashes other packets than the user asked
// for.
#include <errno.h>
#include <rte_ethdev.h>

#include "base/rss_hf.h"
#include "unit.h"

static const struct type {
	const char *name;
	uint64_t bits;
} types[] = {
	{"all", DDP_RSS_HF_ALL},
	{"none", 0},
	{"ip", RTE_ETH_RSS_IP},
	{"udp", RTE_ETH_RSS_UDP},
	{"tcp", RTE_ETH_RSS_TCP},
	{"sctp", RTE_ETH_RSS_SCTP},
	{"tunnel", RTE_ETH_RSS_TUNNEL},
	{"vlan", RTE_ETH_RSS_VLAN},
	{"ipv4", RTE_ETH_RSS_IPV4},
	{"ipv4-frag", RTE_ETH_RSS_FRAG_IPV4},
	{"ipv4-tcp", RTE_ETH_RSS_NONFRAG_IPV4_TCP},
	{"ipv4-udp", RTE_ETH_RSS_NONFRAG_IPV4_UDP},
	{"ipv4-sctp", RTE_ETH_RSS_NONFRAG_IPV4_SCTP},
	{"ipv4-other", RTE_ETH_RSS_NONFRAG_IPV4_OTHER},
	{"ipv6", RTE_ETH_RSS_IPV6},
	{"ipv6-frag", RTE_ETH_RSS_FRAG_IPV6},
	{"ipv6-tcp", RTE_ETH_RSS_NONFRAG_IPV6_TCP},
	{"ipv6-udp", RTE_ETH_RSS_NONFRAG_IPV6_UDP},
	{"ipv6-sctp", RTE_ETH_RSS_NONFRAG_IPV6_SCTP},
	{"ipv6-other", RTE_ETH_RSS_NONFRAG_IPV6_OTHER},
	{"l2-payload", RTE_ETH_RSS_L2_PAYLOAD},
	{"ipv6-ex", RTE_ETH_RSS_IPV6_EX},
	{"ipv6-tcp-ex", RTE_ETH_RSS_IPV6_TCP_EX},
	{"ipv6-udp-ex", RTE_ETH_RSS_IPV6_UDP_EX},
	{"port", RTE_ETH_RSS_PORT},
	{"vxlan", RTE_ETH_RSS_VXLAN},
	{"geneve", RTE_ETH_RSS_GENEVE},
	{"nvgre", RTE_ETH_RSS_NVGRE},
	{"gtpu", RTE_ETH_RSS_GTPU},
	{"eth", RTE_ETH_RSS_ETH},
	{"s-vlan", RTE_ETH_RSS_S_VLAN},
	{"c-vlan", RTE_ETH_RSS_C_VLAN},
	{"esp", RTE_ETH_RSS_ESP},
	{"ah", RTE_ETH_RSS_AH},
	{"l2tpv3", RTE_ETH_RSS_L2TPV3},
	{"pfcp", RTE_ETH_RSS_PFCP},
	{"pppoe", RTE_ETH_RSS_PPPOE},
	{"ecpri", RTE_ETH_RSS_ECPRI},
	{"mpls", RTE_ETH_RSS_MPLS},
	{"ipv4-chksum", RTE_ETH_RSS_IPV4_CHKSUM},
	{"l4-chksum", RTE_ETH_RSS_L4_CHKSUM},
	{"l2tpv2", RTE_ETH_RSS_L2TPV2},
	{"level-outer", RTE_ETH_RSS_LEVEL_OUTERMOST},
	{"level-inner", RTE_ETH_RSS_LEVEL_INNERMOST},
#ifdef RTE_ETH_RSS_IPV6_FLOW_LABEL
	{"ipv6-flow-label", RTE_ETH_RSS_IPV6_FLOW_LABEL},
#endif
	{"ipv4-udp+ipv6-udp", RTE_ETH_RSS_NONFRAG_IPV4_UDP | RTE_ETH_RSS_NONFRAG_IPV6_UDP},
	{"ip+udp+tcp", RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP},
	{"none+gtpu+gtpu", RTE_ETH_RSS_GTPU},
};

ROWS_TEST(has_the_bits_of_dpdk, types) {
	const struct type *row = *state;
	const char *unknown;
	size_t unknown_len;
	uint64_t bits = 1;

	assert_int_equal(ddp_rss_hf_parse(row->name, &bits, &unknown, &unknown_len), 0);
	assert_int_equal(bits, row->bits);
}

// DPDK's names for ours that it calls otherwise.
#define RTE_ETH_RSS_IPV4_FRAG RTE_ETH_RSS_FRAG_IPV4
#define RTE_ETH_RSS_IPV4_TCP RTE_ETH_RSS_NONFRAG_IPV4_TCP
#define RTE_ETH_RSS_IPV4_UDP RTE_ETH_RSS_NONFRAG_IPV4_UDP
#define RTE_ETH_RSS_IPV4_SCTP RTE_ETH_RSS_NONFRAG_IPV4_SCTP
#define RTE_ETH_RSS_IPV4_OTHER RTE_ETH_RSS_NONFRAG_IPV4_OTHER
#define RTE_ETH_RSS_IPV6_FRAG RTE_ETH_RSS_FRAG_IPV6
#define RTE_ETH_RSS_IPV6_TCP RTE_ETH_RSS_NONFRAG_IPV6_TCP
#define RTE_ETH_RSS_IPV6_UDP RTE_ETH_RSS_NONFRAG_IPV6_UDP
#define RTE_ETH_RSS_IPV6_SCTP RTE_ETH_RSS_NONFRAG_IPV6_SCTP
#define RTE_ETH_RSS_IPV6_OTHER RTE_ETH_RSS_NONFRAG_IPV6_OTHER

static const struct constant {
	const char *name;
	uint64_t ours, dpdks;
} constants[] = {
#define X(name, bit, testpmd) {#name, DDP_RSS_HF(name), RTE_ETH_RSS_##name},
	DDP_RSS_HF_NAMED(X) DDP_RSS_HF_UNNAMED(X)
#undef X
};

ROWS_TEST(is_the_constant_of_dpdk, constants) {
	const struct constant *row = *state;

	assert_int_equal(row->ours, row->dpdks);
}

static const struct refusal {
	const char *name;
	const char *list;
	const char *unknown;
} refusals[] = {
	{"an_unknown_type_is_named", "ipv4+ipv7+udp", "ipv7"},
	{"a_beginning_of_a_name_is_not_the_name", "ipv", "ipv"},
	{"a_name_with_something_behind_is_not_the_name", "ipv4x", "ipv4x"},
	{"capital_letters_are_other_names", "IPV4", "IPV4"},
	{"a_list_that_ends_with_a_plus", "ipv4+", ""},
	{"a_list_that_begins_with_a_plus", "+ipv4", ""},
	{"an_empty_list", "", ""},
#ifndef RTE_ETH_RSS_IPV6_FLOW_LABEL
	{"a_type_that_this_dpdk_has_not", "ipv6+ipv6-flow-label", "ipv6-flow-label"},
#endif
	{"commas_do_not_separate", "ipv4,udp", "ipv4,udp"},
};

ROWS_TEST(is_refused, refusals) {
	const struct refusal *row = *state;
	const char *unknown = NULL;
	size_t unknown_len = 99;
	uint64_t bits = 42;
	char text[32];

	assert_int_equal(ddp_rss_hf_parse(row->list, &bits, &unknown, &unknown_len), -EINVAL);
	assert_int_equal(bits, 42);
	assert_in_range(unknown_len, 0, sizeof(text) - 1);
	snprintf(text, sizeof(text), "%.*s", (int)unknown_len, unknown);
	assert_string_equal(text, row->unknown);
}
