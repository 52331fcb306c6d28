/* SPDX-License-Identifier: BSD-3-Clause */
// The names are testpmd's, the bits DPDK's: a wrong one hashes other packets than the user asked
// for.
#include <errno.h>
#include <rte_ethdev.h>

#include "base/rss_hf.h"
#include "unit.h"

#ifdef RTE_ETH_RSS_IPV6_FLOW_LABEL
#define FLOW_LABEL " ipv6-flow-label"
#else
#define FLOW_LABEL ""
#endif

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
	DDP_RSS_HF_NAMED(X) DDP_RSS_HF_ATTRIBUTES(X)
#undef X
};

ROWS_TEST(is_the_constant_of_dpdk, constants) {
	const struct constant *row = *state;

	assert_int_equal(row->ours, row->dpdks);
}

// Their bits are those of the constants above.
TEST(each_type_has_the_name_of_testpmd) {
	char names[600] = "";

	for (unsigned int bit = 0; bit < 64; bit++) {
		const char *name = ddp_rss_hf_name(bit), *unknown;
		size_t unknown_len;
		uint64_t bits = 0;

		if (strcmp(name, "?") == 0)
			continue;
		strcat(strcat(names, " "), name);
		assert_int_equal(ddp_rss_hf_parse(name, &bits, &unknown, &unknown_len), 0);
		assert_int_equal(bits, UINT64_C(1) << bit);
	}
	assert_string_equal(
		names,
		" ipv4 ipv4-frag ipv4-tcp ipv4-udp ipv4-sctp ipv4-other ipv6 ipv6-frag ipv6-tcp"
		" ipv6-udp ipv6-sctp ipv6-other l2-payload ipv6-ex ipv6-tcp-ex ipv6-udp-ex port"
		" vxlan geneve nvgre gtpu eth s-vlan c-vlan esp ah l2tpv3 pfcp pppoe ecpri mpls"
		" ipv4-chksum l4-chksum l2tpv2" FLOW_LABEL " level-outer level-inner");
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
