/* SPDX-License-Identifier: BSD-3-Clause */
// RSS types of a rule mean the fields that they mean to DPDK's drivers of the NICs whose rules we
// take.
#include "classify/flow/flow.h"

#include <errno.h>

#include "base/dpdk_compat.h"
#include "base/rss_hf.h"
#include "unit.h"

#define T(name) DDP_RSS_HF(name)
#define I40E .dialect = DDP_FLOW_I40E // made for a 700-series NIC
#define UDP4 "eth ipv4 udp"
#define UDP6 "eth ipv6 udp"
#define TUNNEL "eth ipv4 udp gtpu gtpu_psc"

// Hash inputs: fields in order; the nth header of a name has #n, a part of a field /bits; a field
// without a name is its first bit. Behind ';' what packets must have (?) or must not (!).
static const struct row {
	const char *name;
	const char *pattern;
	uint64_t types;
	const char *expected; // hash input, or the reason of the refusal
	bool symmetric;
	enum ddp_flow_dialect dialect;
} rows[] = {
	{"addresses", UDP4, T(IPV4), "ipv4.src ipv4.dst"},
	{"addresses_and_ports", UDP4, T(IPV4_UDP), "ipv4.src ipv4.dst udp.sport udp.dport"},
	{"of_tcp", "eth ipv4 tcp", T(IPV4_TCP), "ipv4.src ipv4.dst tcp.sport tcp.dport"},
	{"of_sctp", "eth ipv4 sctp", T(IPV4_SCTP), "ipv4.src ipv4.dst sctp.sport sctp.dport"},
	{"of_ipv6", "eth ipv6 tcp", T(IPV6_TCP), "ipv6.src ipv6.dst tcp.sport tcp.dport"},
	{"whatever_is_in_ipv4", "eth ipv4", T(IPV4_OTHER), "ipv4.src ipv4.dst"},
	{"whatever_is_in_ipv6", "eth ipv6", T(IPV6_OTHER), "ipv6.src ipv6.dst"},
	{"of_ipv6_with_extensions", "eth ipv6", T(IPV6_EX), "ipv6.src ipv6.dst"},

	{"l3_source", UDP4, T(IPV4) | T(L3_SRC_ONLY), "ipv4.src"},
	{"l3_destination", UDP4, T(IPV4) | T(L3_DST_ONLY), "ipv4.dst"},
	{"l3_both_is_neither", UDP4, T(IPV4) | T(L3_SRC_ONLY) | T(L3_DST_ONLY),
	 "ipv4.src ipv4.dst"},
	{"an_l3_side_leaves_no_ports", UDP4, T(IPV4_UDP) | T(L3_SRC_ONLY), "ipv4.src"},
	{"an_l4_side_leaves_no_addresses", UDP4, T(IPV4_UDP) | T(L4_DST_ONLY), "udp.dport"},
	{"sides_of_both_layers", UDP4, T(IPV4_UDP) | T(L3_DST_ONLY) | T(L4_SRC_ONLY),
	 "ipv4.dst udp.sport"},
	{"l4_both_is_neither", UDP4, T(IPV4_UDP) | T(L4_SRC_ONLY) | T(L4_DST_ONLY),
	 "ipv4.src ipv4.dst udp.sport udp.dport"},
	{"l2_source", "eth ipv4", T(ETH) | T(L2_SRC_ONLY), "eth.src"},
	{"l2_both_is_neither", "eth ipv4", T(ETH) | T(L2_SRC_ONLY) | T(L2_DST_ONLY),
	 "eth.src eth.dst"},
	{"l2_and_l3", "eth ipv4", T(ETH) | T(IPV4), "ipv4.src ipv4.dst eth.src eth.dst"},

	{"a_frame", "eth", T(ETH), "eth.src eth.dst eth.type"},
	{"a_frame_from_somebody", "eth", T(ETH) | T(L2_SRC_ONLY), "eth.src eth.type"},
	{"what_is_in_a_frame", "eth", T(L2_PAYLOAD), "eth.type"},
	{"a_customers_vlan", "eth vlan ipv4", T(C_VLAN), "vlan.0/16"},
	{"a_providers_vlan", "eth vlan ipv4", T(S_VLAN), "vlan.0/16"},
	{"both_of_one_tag", "eth vlan ipv4", T(S_VLAN) | T(C_VLAN), "vlan.0/16"},
	{"the_inner_tag", "eth vlan vlan ipv4", T(C_VLAN), "vlan#2.0/16"},
	{"the_outer_tag", "eth vlan vlan ipv4", T(S_VLAN), "vlan.0/16"},
	{"both_tags", "eth vlan vlan ipv4", T(S_VLAN) | T(C_VLAN), "vlan.0/16 vlan#2.0/16"},

	{"prefixes_of_32_bits", "eth ipv6", T(IPV6) | T(L3_PRE32), "ipv6.src/32 ipv6.dst/32"},
	{"of_48_bits", "eth ipv6", T(IPV6) | T(L3_PRE48) | T(L3_SRC_ONLY), "ipv6.src/48"},
	{"of_64_bits_with_ports", UDP6, T(IPV6_UDP) | T(L3_PRE64),
	 "ipv6.src/64 ipv6.dst/64 udp.sport udp.dport"},

	{"fragments_of_ipv4", "eth ipv4", T(IPV4_FRAG), "ipv4.src ipv4.dst ipv4.id; !ipv4.50/14"},
	{"fragments_of_ipv6", "eth ipv6 ipv6_frag", T(IPV6_FRAG), "ipv6.src ipv6.dst ipv6_frag.id"},
	{"addresses_of_fragments", "eth ipv6 ipv6_frag", T(IPV6), "ipv6.src ipv6.dst"},
	{"checksum_of_ipv4", "eth ipv4", T(IPV4_CHKSUM), "ipv4.checksum"},
	{"checksum_of_udp", UDP4, T(L4_CHKSUM), "udp.checksum"},
	{"checksums_beside_the_rest", UDP4, T(IPV4_UDP) | T(L4_CHKSUM) | T(IPV4_CHKSUM),
	 "ipv4.src ipv4.dst ipv4.checksum udp.sport udp.dport udp.checksum"},

	{"a_tunnel_is_hashed_inside", TUNNEL " ipv6 tcp", T(IPV6_TCP),
	 "ipv6.src ipv6.dst tcp.sport tcp.dport ipv6.next_header"},
	{"inside_is_the_innermost", TUNNEL " ipv4", T(IPV4), "ipv4#2.src ipv4#2.dst"},
	{"a_frame_in_a_tunnel", "eth ipv4 udp vxlan eth ipv4", T(IPV4) | T(ETH),
	 "ipv4#2.src ipv4#2.dst eth#2.src eth#2.dst"},
	{"gtpu_adds_the_teid", TUNNEL " ipv4", T(IPV4) | T(GTPU),
	 "ipv4#2.src ipv4#2.dst gtpu.teid; ?gtpu.teid"},
	{"gtpu_alone_is_the_teid", TUNNEL " ipv4", T(GTPU), "gtpu.teid; ?gtpu.teid"},
	{"the_teid_of_gtpc", "eth ipv4 udp gtpc", T(GTPU), "gtpc.teid; ?gtpc.teid"},
	{"a_pppoe_session", "eth pppoe", T(PPPOE), "pppoe.session; ?pppoe.session"},
	{"with_addresses_in_it", "eth pppoe ipv4 udp", T(PPPOE) | T(IPV4_UDP),
	 "ipv4.src ipv4.dst udp.sport udp.dport pppoe.session ipv4.protocol; ?pppoe.session"},
	{"with_macs_around_it", "eth pppoe", T(ETH) | T(L2_SRC_ONLY), "eth.src"},
	{"esp", "eth ipv4 esp", T(ESP), "esp.spi; ?esp.spi"},
	{"esp_through_nat", "eth ipv6 udp esp", T(ESP), "esp.spi; ?esp.spi"},
	{"ah", "eth ipv4 ah", T(AH), "ah.spi; ?ah.spi"},
	{"l2tpv3", "eth ipv4 l2tpv3", T(L2TPV3), "l2tpv3.session; ?l2tpv3.session"},
	{"l2tpv2", "eth ipv4 udp l2tpv2", T(L2TPV2), "l2tpv2.session; ?l2tpv2.session"},
	{"pfcp", "eth ipv4 udp pfcp", T(PFCP), "pfcp.seid; ?pfcp.seid"},
	{"ecpri", "eth ecpri", T(ECPRI), "ecpri.pc_id; ?ecpri.pc_id"},
	{"vxlan", "eth ipv4 udp vxlan", T(VXLAN), "vxlan.vni; ?vxlan.vni"},
	{"geneve", "eth ipv4 udp geneve", T(GENEVE), "geneve.vni; ?geneve.vni"},
	{"nvgre", "eth ipv4 gre", T(NVGRE), "gre.key; ?gre.key"},
	{"mpls", "eth mpls", T(MPLS), "mpls.label; ?mpls.label"},

	{"outermost", TUNNEL " ipv4 udp", T(IPV4_UDP) | DDP_RSS_LEVEL_OUTERMOST,
	 "ipv4.src ipv4.dst udp.sport udp.dport ipv4.protocol"},
	{"outermost_frame", "eth ipv4 udp vxlan eth ipv6", T(ETH) | DDP_RSS_LEVEL_OUTERMOST,
	 "eth.src eth.dst"},
	{"innermost", TUNNEL " ipv4", T(IPV4) | DDP_RSS_LEVEL_INNERMOST, "ipv4#2.src ipv4#2.dst"},
	{"levels_without_a_tunnel", UDP4, T(IPV4) | DDP_RSS_LEVEL_OUTERMOST, "ipv4.src ipv4.dst"},

#if DPDK_RSS_IPV6_FLOW_LABEL
	{"flow_label", UDP6, DPDK_RSS_IPV6_FLOW_LABEL, "ipv6.src ipv6.dst ipv6.flow_label"},
	{"flow_label_with_ports", UDP6, T(IPV6_UDP) | DPDK_RSS_IPV6_FLOW_LABEL,
	 "ipv6.src ipv6.dst ipv6.flow_label udp.sport udp.dport"},
	{"flow_label_of_a_prefix", "eth ipv6",
	 DPDK_RSS_IPV6_FLOW_LABEL | T(L3_PRE64) | T(L3_SRC_ONLY), "ipv6.src/64 ipv6.flow_label"},
	{"flow_label_inside", TUNNEL " ipv6", T(IPV6) | T(GTPU) | DPDK_RSS_IPV6_FLOW_LABEL,
	 "ipv6.src ipv6.dst ipv6.flow_label gtpu.teid; ?gtpu.teid"},
#endif

	{"symmetric", UDP4, T(IPV4_UDP), "ipv4.src ipv4.dst udp.sport udp.dport", true},
	{"symmetric_inside", TUNNEL " ipv6", T(IPV6), "ipv6.src ipv6.dst", true},
	{"symmetric_with_all_sides", UDP4, T(IPV4) | T(L3_SRC_ONLY) | T(L3_DST_ONLY),
	 "ipv4.src ipv4.dst", true},

	// A rule that was made for a 700-series NIC must not hash other fields here.
	{"i40e_l3_both_leaves_no_ports", UDP4, T(IPV4_UDP) | T(L3_SRC_ONLY) | T(L3_DST_ONLY),
	 "ipv4.src ipv4.dst", I40E},
	{"i40e_l4_both_leaves_no_addresses", UDP6, T(IPV6_UDP) | T(L4_SRC_ONLY) | T(L4_DST_ONLY),
	 "udp.sport udp.dport", I40E},
	{"i40e_l3_both_and_a_port", UDP4,
	 T(IPV4_UDP) | T(L3_SRC_ONLY) | T(L3_DST_ONLY) | T(L4_DST_ONLY),
	 "ipv4.src ipv4.dst udp.dport", I40E},
	{"i40e_an_l3_side", UDP4, T(IPV4_UDP) | T(L3_SRC_ONLY), "ipv4.src", I40E},
	{"i40e_l2_both", "eth ipv4", T(ETH) | T(L2_SRC_ONLY) | T(L2_DST_ONLY), "eth.src eth.dst",
	 I40E},
	{"i40e_sctp", "eth ipv4 sctp", T(IPV4_SCTP),
	 "ipv4.src ipv4.dst sctp.sport sctp.dport sctp.vtag", I40E},
	{"i40e_sctp_of_one_side", "eth ipv6 sctp", T(IPV6_SCTP) | T(L3_SRC_ONLY),
	 "ipv6.src sctp.vtag", I40E},
	{"i40e_symmetric_sctp", "eth ipv4 sctp", T(IPV4_SCTP),
	 "ipv4.src ipv4.dst sctp.sport sctp.dport", true, DDP_FLOW_I40E},
	{"i40e_symmetric_with_one_side", UDP4, T(IPV4_UDP) | T(L3_SRC_ONLY), "ipv4.src", true,
	 DDP_FLOW_I40E},
	{"i40e_fragments", "eth ipv4", T(IPV4_FRAG), "ipv4.src ipv4.dst; !ipv4.50/14", I40E},
	{"i40e_fragments_of_ipv6", "eth ipv6", T(IPV6_FRAG), "ipv6.src ipv6.dst", I40E},
	{"i40e_other_than_udp_tcp_and_sctp", "eth ipv4", T(IPV4_OTHER),
	 "ipv4.src ipv4.dst; !ipv4.protocol !ipv4.protocol !ipv4.protocol ?ipv4.50/14", I40E},
	{"i40e_addresses_beside_ports", UDP4, T(IPV4) | T(IPV4_UDP),
	 "ipv4.src ipv4.dst udp.sport udp.dport", I40E},

	// Refusals
	{"no_types", UDP4, 0, "no RSS type says what to hash"},
	{"attributes_alone", UDP4, T(L3_SRC_ONLY), "no RSS type says what to hash"},
	{"ipv4_with_its_udp", UDP4, T(IPV4) | T(IPV4_UDP),
	 "RSS type ipv4 together with ipv4-udp or ipv4-tcp"},
	{"ipv4_with_its_tcp", "eth ipv4 tcp", T(IPV4) | T(IPV4_TCP),
	 "RSS type ipv4 together with ipv4-udp or ipv4-tcp"},
	{"ipv6_with_its_udp", TUNNEL " ipv6 udp", T(IPV6) | T(IPV6_UDP) | T(GTPU),
	 "RSS type ipv6 together with ipv6-udp or ipv6-tcp"},
	{"ipv6_with_its_tcp", "eth ipv6 tcp", T(IPV6) | T(IPV6_TCP),
	 "RSS type ipv6 together with ipv6-udp or ipv6-tcp"},
	{"the_other_version_of_ip", UDP4, T(IPV6), "RSS type 'ipv6' does not fit the pattern"},
	{"ports_of_another_protocol", UDP4, T(IPV4_TCP),
	 "RSS type 'ipv4-tcp' does not fit the pattern"},
	{"ports_where_there_are_none", "eth ipv4", T(IPV4_UDP),
	 "RSS type 'ipv4-udp' does not fit the pattern"},
	{"other_than_udp_where_there_is_udp", UDP4, T(IPV4_OTHER),
	 "RSS type 'ipv4-other' does not fit the pattern"},
	{"the_outer_version_of_ip", TUNNEL " ipv6", T(IPV4),
	 "RSS type 'ipv4' does not fit the pattern"},
	{"macs_around_a_tunnel", TUNNEL " ipv4", T(ETH), "RSS type 'eth' does not fit the pattern"},
	{"a_tag_that_is_not_named", "eth ipv4", T(C_VLAN),
	 "RSS type 'c-vlan' does not fit the pattern"},
	{"a_tunnel_that_is_not_named", UDP4, T(GTPU), "RSS type 'gtpu' does not fit the pattern"},
	{"payload_of_a_frame_with_ip", "eth ipv4", T(L2_PAYLOAD),
	 "RSS type 'l2-payload' does not fit the pattern"},
	{"payload_of_a_tagged_frame", "eth vlan", T(L2_PAYLOAD),
	 "RSS type 'l2-payload' does not fit the pattern"},
	{"fragments_without_their_header", "eth ipv6", T(IPV6_FRAG),
	 "RSS type 'ipv6-frag' does not fit the pattern"},
	{"a_checksum_that_ipv6_has_not", "eth ipv6", T(IPV4_CHKSUM),
	 "RSS type 'ipv4-chksum' does not fit the pattern"},
	{"a_checksum_of_no_protocol", "eth ipv4", T(L4_CHKSUM),
	 "RSS type 'l4-chksum' does not fit the pattern"},
	{"a_physical_port", UDP4, UINT64_C(1) << 18, "RSS type 'port' does not fit the pattern"},
	{"the_innermost_level_without_inner_headers", TUNNEL, T(IPV4) | DDP_RSS_LEVEL_INNERMOST,
	 "RSS level 2: the pattern ends before the inner headers"},
	{"an_l3_side_without_l3", "eth vlan ipv4", T(C_VLAN) | T(L3_SRC_ONLY),
	 "l3-src-only and l3-dst-only need an RSS type of IP"},
	{"an_l4_side_without_l4", UDP4, T(IPV4) | T(L4_SRC_ONLY),
	 "l4-src-only and l4-dst-only need an RSS type of UDP, TCP or SCTP"},
	{"an_l2_side_without_l2", UDP4, T(IPV4) | T(L2_SRC_ONLY),
	 "l2-src-only and l2-dst-only need the RSS type eth"},
	{"both_l2_sides_without_l2", UDP4, T(IPV4) | T(L2_SRC_ONLY) | T(L2_DST_ONLY),
	 "l2-src-only and l2-dst-only need the RSS type eth"},
	{"a_prefix_of_ipv4", UDP4, T(IPV4) | T(L3_PRE32),
	 "l3-pre32, l3-pre48 and l3-pre64 need an RSS type of IPv6"},
	{"two_prefixes", "eth ipv6", T(IPV6) | T(L3_PRE32) | T(L3_PRE48),
	 "one of l3-pre32, l3-pre48 and l3-pre64 at most"},
	{"a_prefix_of_40_bits", "eth ipv6", T(IPV6) | T(L3_PRE40),
	 "an IPv6 prefix to hash has 32, 48 or 64 bits"},
	{"a_prefix_of_56_bits", "eth ipv6", T(IPV6) | T(L3_PRE56),
	 "an IPv6 prefix to hash has 32, 48 or 64 bits"},
	{"a_prefix_of_96_bits", "eth ipv6", T(IPV6) | T(L3_PRE96),
	 "an IPv6 prefix to hash has 32, 48 or 64 bits"},
	{"i40e_fragments_and_others", "eth ipv4", T(IPV4_FRAG) | T(IPV4_OTHER),
	 "RSS types of fragments and of other packets in one rule", I40E},
	{"i40e_fragments_of_udp", UDP6, T(IPV6_FRAG),
	 "RSS type 'ipv6-frag' does not fit the pattern", I40E},
	{"symmetric_with_one_side", UDP4, T(IPV4_UDP) | T(L3_SRC_ONLY),
	 "a symmetric hash needs both sides: no l3-src-only or the like", true},
	{"symmetric_with_one_port", UDP4, T(IPV4_UDP) | T(L4_DST_ONLY),
	 "a symmetric hash needs both sides: no l3-src-only or the like", true},
#if DPDK_RSS_IPV6_FLOW_LABEL
	{"flow_label_of_ipv4", "eth ipv4", T(IPV4) | DPDK_RSS_IPV6_FLOW_LABEL,
	 "RSS type 'ipv6-flow-label' does not fit the pattern"},
	{"symmetric_flow_labels", "eth ipv6", T(IPV6) | DPDK_RSS_IPV6_FLOW_LABEL,
	 "a symmetric hash has no ipv6-flow-label: each direction has its own", true},
#else
	{"a_type_that_this_dpdk_has_not", "eth ipv6", T(IPV6) | UINT64_C(1) << 37,
	 "RSS type '?' does not fit the pattern"},
#endif
	{"symmetric_without_ip", "eth", T(ETH),
	 "a symmetric hash needs an RSS type of IP, UDP, TCP or SCTP", true},
	{"symmetric_teids", TUNNEL " ipv4", T(GTPU),
	 "a symmetric hash needs an RSS type of IP, UDP, TCP or SCTP", true},
};

static void place_print(FILE *out, const struct ddp_flow *rule, const struct ddp_flow_field *at) {
	unsigned int nth = 0;

	for (unsigned int i = 0; i <= at->item; i++)
		nth += strcmp(rule->items[i], rule->items[at->item]) == 0;
	fprintf(out, "%s", rule->items[at->item]);
	if (nth > 1)
		fprintf(out, "#%u", nth);
	if (at->field != NULL)
		fprintf(out, ".%s", at->field);
	else
		fprintf(out, ".%u", at->bit);
	if (at->width > 0)
		fprintf(out, "/%u", at->width);
}

static void rule_print(const struct ddp_flow *rule, char *text, size_t size) {
	FILE *out = fmemopen(text, size, "w");

	for (unsigned int i = 0; i < rule->n_inputs; i++) {
		fprintf(out, "%s", i > 0 ? " " : "");
		place_print(out, rule, &rule->inputs[i]);
	}
	for (unsigned int i = 0; i < rule->n_values; i++) {
		fprintf(out, "%s%c", i > 0 ? " " : "; ", rule->values[i].negate ? '!' : '?');
		place_print(out, rule, &rule->values[i].at);
	}
	fclose(out);
}

ROWS_TEST(rss_types, rows) {
	const struct row *row = *state;
	struct ddp_flow rule = {.stage = DDP_FLOW_HASH};
	char text[500] = "", words[100], *save;
	int ret;

	strcpy(words, row->pattern);
	for (char *word = strtok_r(words, " ", &save); word != NULL;
	     word = strtok_r(NULL, " ", &save))
		rule.items[rule.n_items++] = word;
	ret = ddp_flow_rss_apply(&rule, row->types, row->dialect, row->symmetric, text,
				 sizeof(text));
	assert_int_equal(ret, text[0] == '\0' ? 0 : -EINVAL);
	if (ret == 0)
		rule_print(&rule, text, sizeof(text));
	assert_string_equal(text, row->expected);
}
