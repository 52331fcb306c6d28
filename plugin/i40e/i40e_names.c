/* SPDX-License-Identifier: BSD-3-Clause */
// What DPDK makes of a package's ptypes: it goes by the names of their protocols.
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/rte_ptype.h"
#include "i40e.h"

const struct i40e_protocol *i40e_protocol_find(const struct i40e_package *i40e, uint8_t id) {
	for (unsigned int i = 0; i < i40e->n_protocols; i++)
		if (i40e->protocols[i].id == id)
			return &i40e->protocols[i];
	return NULL;
}

void i40e_type_name(const struct i40e_package *i40e, const struct i40e_type *type,
		    char name[I40E_TYPE_NAME_SIZE]) {
	size_t len = 0;

	name[0] = '\0';
	for (unsigned int i = 0; i < I40E_TYPE_PROTOCOLS; i++) {
		const struct i40e_protocol *protocol = NULL;

		if (type->protocols[i] != I40E_NO_PROTOCOL)
			protocol = i40e_protocol_find(i40e, type->protocols[i]);
		if (protocol != NULL)
			len += snprintf(name + len, I40E_TYPE_NAME_SIZE - len, "%s%s",
					len > 0 ? "_" : "", protocol->name);
	}
}

/* Ptypes */

#define PTYPE_VALUE(name, value) PTYPE_##name = value,
enum {
	DDP_RTE_PTYPES(PTYPE_VALUE)
};

// The first prefix that a protocol's name has, in any case, says which bits it adds.
static const struct {
	const char *prefix;
	uint32_t outer, inner; // before and behind a protocol that begins a tunnel
	bool is_tunnel;
} prefixes[] = {
	{"PPPOE", PTYPE_L2_ETHER_PPPOE, PTYPE_L2_ETHER_PPPOE, false},
	{"IPV4FRAG", PTYPE_L3_IPV4_EXT_UNKNOWN | PTYPE_L4_FRAG,
	 PTYPE_INNER_L3_IPV4_EXT_UNKNOWN | PTYPE_INNER_L4_FRAG, false},
	{"OIPV4", PTYPE_L3_IPV4_EXT_UNKNOWN, PTYPE_L3_IPV4_EXT_UNKNOWN, true},
	{"IPV4", PTYPE_L3_IPV4_EXT_UNKNOWN, PTYPE_INNER_L3_IPV4_EXT_UNKNOWN, false},
	{"IPV6FRAG", PTYPE_L3_IPV6_EXT_UNKNOWN | PTYPE_L4_FRAG,
	 PTYPE_INNER_L3_IPV6_EXT_UNKNOWN | PTYPE_INNER_L4_FRAG, false},
	{"OIPV6", PTYPE_L3_IPV6_EXT_UNKNOWN, PTYPE_L3_IPV6_EXT_UNKNOWN, true},
	{"IPV6", PTYPE_L3_IPV6_EXT_UNKNOWN, PTYPE_INNER_L3_IPV6_EXT_UNKNOWN, false},
	{"UDP", PTYPE_L4_UDP, PTYPE_INNER_L4_UDP, false},
	{"TCP", PTYPE_L4_TCP, PTYPE_INNER_L4_TCP, false},
	{"SCTP", PTYPE_L4_SCTP, PTYPE_INNER_L4_SCTP, false},
	{"ICMP", PTYPE_L4_ICMP, PTYPE_INNER_L4_ICMP, false},
	{"GTPC", PTYPE_TUNNEL_GTPC, PTYPE_TUNNEL_GTPC, true},
	{"GTPU", PTYPE_TUNNEL_GTPU, PTYPE_TUNNEL_GTPU, true},
	{"ESP", PTYPE_TUNNEL_ESP, PTYPE_TUNNEL_ESP, true},
	{"GRENAT", PTYPE_TUNNEL_GRENAT, PTYPE_TUNNEL_GRENAT, true},
	{"L2TPV2", PTYPE_TUNNEL_L2TP, PTYPE_TUNNEL_L2TP, true},
	{"L2TPV3", PTYPE_TUNNEL_L2TP, PTYPE_TUNNEL_L2TP, true},
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static uint32_t protocol_bits(const char *name, bool *in_tunnel) {
	for (unsigned int i = 0; i < COUNT(prefixes); i++) {
		uint32_t bits;

		if (strncasecmp(name, prefixes[i].prefix, strlen(prefixes[i].prefix)) != 0)
			continue;
		bits = *in_tunnel ? prefixes[i].inner : prefixes[i].outer;
		*in_tunnel |= prefixes[i].is_tunnel;
		return bits;
	}
	return 0;
}

uint32_t i40e_rte_ptype(const struct i40e_package *i40e, const struct i40e_type *ptype) {
	bool in_tunnel = false;
	uint32_t bits = 0;

	for (unsigned int i = 0; i < I40E_TYPE_PROTOCOLS; i++) {
		const struct i40e_protocol *protocol = NULL;

		if (ptype->protocols[i] != I40E_NO_PROTOCOL)
			protocol = i40e_protocol_find(i40e, ptype->protocols[i]);
		if (protocol != NULL)
			bits |= protocol_bits(protocol->name, &in_tunnel);
	}
	return bits;
}

// Types that DPDK has and its i40e driver does not take.
static bool is_refused(uint32_t value) {
	static const uint32_t refused[] = {
		PTYPE_L2_ETHER_FCOE,      PTYPE_L2_ETHER_MPLS,    PTYPE_L4_IGMP,
		PTYPE_TUNNEL_GRE,         PTYPE_TUNNEL_VXLAN_GPE, PTYPE_TUNNEL_MPLS_IN_GRE,
		PTYPE_TUNNEL_MPLS_IN_UDP,
	};

	for (unsigned int i = 0; i < COUNT(refused); i++)
		if (refused[i] == value)
			return true;
	return false;
}

static bool layer_is_taken(uint32_t value) {
#define PTYPE_ONLY(name, value) PTYPE_##name,
	static const uint32_t values[] = {DDP_RTE_PTYPES(PTYPE_ONLY)};

	for (unsigned int i = 0; i < COUNT(values); i++)
		if (values[i] == value)
			return !is_refused(value);
	return value == 0;
}

const struct i40e_type *i40e_refused_ptype(const struct i40e_package *i40e) {
	for (unsigned int i = 0; i < i40e->n_ptypes; i++) {
		uint32_t bits = i40e_rte_ptype(i40e, &i40e->ptypes[i]);

		// two protocols of one layer add up to a third one, or to none
		for (unsigned int shift = 0; shift < 32; shift += 4)
			if (!layer_is_taken(bits & UINT32_C(0xf) << shift))
				return &i40e->ptypes[i];
	}
	return NULL;
}
