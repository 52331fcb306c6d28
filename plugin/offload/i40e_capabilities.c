/* SPDX-License-Identifier: BSD-3-Clause */
#include "i40e_capabilities.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* What is published */

// Published by Intel for its GTP package.
static const struct i40e_published publications[] = {
	{0x80000008,
	 "GTPv1-C/U IPv4/IPv6 payload",
	 22,
	 "GTPU_IPV4",
	 {{"ipv4", 12, 15, 2}, {"ipv4", 16, 27, 2}, {NULL, 0, 29, 2}, {"gtpu", 4, 44, 2}}},
	{0x80000008,
	 "GTPv1-C/U IPv4/IPv6 payload",
	 23,
	 "GTPU_IPV6",
	 {{"ipv6", 8, 13, 8}, {"ipv6", 24, 21, 8}, {NULL, 0, 29, 2}, {"gtpu", 4, 44, 2}}},
};

static const struct i40e_type *pctype_get(const struct i40e_package *i40e, int pctype) {
	for (unsigned int i = 0; i < i40e->n_pctypes; i++)
		if (i40e->pctypes[i].id == pctype)
			return &i40e->pctypes[i];
	return NULL;
}

static const struct i40e_published *published_find(const struct ddp_package *package, int pctype) {
	const struct i40e_type *type = pctype_get(package->i40e, pctype);
	char name[I40E_TYPE_NAME_SIZE];

	if (type == NULL)
		return NULL;
	i40e_type_name(package->i40e, type, name);
	for (unsigned int i = 0; i < COUNT(publications); i++)
		if (publications[i].track_id == package->track_id &&
		    publications[i].pctype == pctype && strcmp(publications[i].type, name) == 0 &&
		    strcmp(publications[i].name, package->i40e->name) == 0)
			return &publications[i];
	return NULL;
}

/* What it tells apart */

// The names of a ptype's protocols without the payload at their end.
static void ptype_name(const struct i40e_package *i40e, const struct i40e_type *ptype,
		       char name[I40E_TYPE_NAME_SIZE]) {
	char *last;

	i40e_type_name(i40e, ptype, name);
	last = strrchr(name, '_');
	if (last != NULL && strncasecmp(last, "_PAY", 4) == 0)
		*last = '\0';
}

// "OIPV4_GTPU_IPV6FRAG", "OIPV6_GTPU_IPV4_TCP"
static void wanted_name(unsigned int outer, unsigned int inner, enum l4 l4, char *name,
			size_t size) {
	static const char *const l4s[N_L4S] = {
		[L4_FRAGMENT] = "FRAG", [L4_OTHER] = "",     [L4_UDP] = "_UDP",
		[L4_TCP] = "_TCP",      [L4_SCTP] = "_SCTP", [L4_ICMP] = "_ICMP",
	};

	assert((outer == 4 || outer == 6) && (inner == 4 || inner == 6) && l4 < N_L4S);
	snprintf(name, size, "OIPV%u_GTPU_IPV%u%s%s", outer, inner, l4s[l4],
		 l4 == L4_ICMP && inner == 6 ? "V6" : "");
}

// The RTE_PTYPE_* of the ptype of this name; 0: none, or another ptype has the same.
static uint32_t ptype_find(const struct i40e_package *i40e, const char *wanted) {
	char name[I40E_TYPE_NAME_SIZE];
	uint32_t ptype = 0;

	for (unsigned int i = 0; i < i40e->n_ptypes; i++) {
		ptype_name(i40e, &i40e->ptypes[i], name);
		if (strcasecmp(name, wanted) == 0)
			ptype = i40e_rte_ptype(i40e, &i40e->ptypes[i]);
	}
	for (unsigned int i = 0; i < i40e->n_ptypes && ptype != 0; i++) {
		ptype_name(i40e, &i40e->ptypes[i], name);
		if (strcasecmp(name, wanted) != 0 &&
		    i40e_rte_ptype(i40e, &i40e->ptypes[i]) == ptype)
			return 0;
	}
	return ptype;
}

static int pctype_find(const struct i40e_package *i40e, const char *wanted) {
	char name[I40E_TYPE_NAME_SIZE];

	for (unsigned int i = 0; i < i40e->n_pctypes; i++) {
		i40e_type_name(i40e, &i40e->pctypes[i], name);
		if (strcmp(name, wanted) == 0)
			return i40e->pctypes[i].id;
	}
	return -1;
}

struct i40e_capability i40e_capability_find(const struct ddp_package *package, unsigned int outer,
					    unsigned int inner, enum l4 l4) {
	const struct i40e_package *i40e = package->i40e;
	struct i40e_capability capability = {
		.pctype = pctype_find(i40e, inner == 4 ? "GTPU_IPV4" : "GTPU_IPV6")};
	char name[64];

	wanted_name(outer, inner, l4, name, sizeof(name));
	if (capability.pctype >= 0 &&
	    i40e_refused_ptype(i40e) == NULL) // the driver refuses all ptypes if there is one
		capability.ptype = ptype_find(i40e, name);
	if (capability.pctype >= 0)
		capability.published = published_find(package, capability.pctype);
	return capability;
}

void i40e_nic_extend(const struct ddp_package *package, struct ddp_nic *nic) {
	if (pctype_find(package->i40e, "GTPU_IPV4") >= 0 ||
	    pctype_find(package->i40e, "GTPU_IPV6") >= 0)
		nic->encaps |= ENCAPS_GTPU;
	nic->gtpu_sctp = true; // if the package has such a ptype
	nic->note = NULL;
}

/* Headers */

// Headers that the NIC does not know without a package.
static const struct {
	const char *header, *protocol;
} names[] = {
	{"ah", "AH"},         {"ecpri", "ECPRI"}, {"esp", "ESP"},
	{"gtpc", "GTPC"},     {"gtpu", "GTPU"},   {"l2tpv2", "L2TPV2"},
	{"l2tpv3", "L2TPV3"}, {"mpls", "MPLS"},   {"pppoe", "PPPOE"},
};

const char *i40e_protocol_of(const char *header) {
	for (unsigned int i = 0; i < COUNT(names); i++)
		if (strcmp(names[i].header, header) == 0)
			return names[i].protocol;
	return NULL;
}

static bool has_protocol(const struct i40e_package *i40e, const struct i40e_type *type,
			 const char *begin) {
	for (unsigned int i = 0; i < I40E_TYPE_PROTOCOLS; i++) {
		const struct i40e_protocol *protocol =
			type->protocols[i] != I40E_NO_PROTOCOL ?
				i40e_protocol_find(i40e, type->protocols[i]) :
				NULL;

		if (protocol != NULL && strncasecmp(protocol->name, begin, strlen(begin)) == 0)
			return true;
	}
	return false;
}

void i40e_header_reason(const struct ddp_package *package, const char *header, char *text,
			size_t size) {
	const char *protocol = i40e_protocol_of(header);
	const struct i40e_package *i40e = package->i40e;

	text[0] = '\0';
	for (unsigned int i = 0; i < i40e->n_pctypes && protocol != NULL; i++)
		if (has_protocol(i40e, &i40e->pctypes[i], protocol)) {
			snprintf(
				text, size,
				"pctype %u of the package is for them, but the contents of its field "
				"vector are not published",
				i40e->pctypes[i].id);
			return;
		}
	if (protocol != NULL)
		snprintf(text, size, "the package has no pctype for them");
}
