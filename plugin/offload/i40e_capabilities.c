/* SPDX-License-Identifier: BSD-3-Clause */
#include "i40e_capabilities.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* What is published */

// Words from first on hold n words of a header, from this byte on. Inner headers; header NULL: UDP, TCP or SCTP.
struct field {
	const char *header;
	uint8_t byte, first, n;
};

#define FIELDS_MAX 6

// By Intel, of its package for GTP (track id and name are what the firmware lists it by).
static const struct i40e_published {
	uint32_t track_id;
	const char *name;
	uint8_t pctype;
	const char *type;
	struct field fields[FIELDS_MAX]; // n 0: no more
} publications[] = {
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

/* Input sets */

static bool has_ports(const struct shape *shape) {
	return shape->l4 == L4_UDP || shape->l4 == L4_TCP || shape->l4 == L4_SCTP;
}

// Where a field begins in a packet, in bytes. -1: the packet has no such header, so who knows what is hashed.
static int field_place(const struct field *field, const struct shape *shape) {
	int header;

	if (field->header == NULL)
		header = has_ports(shape) ? (int)shape->n_headers - 1 : -1;
	else
		header = shape_find(shape, field->header);
	return header < 0 ? -1 : shape->headers[header].off + field->byte;
}

// The bit that a word begins with, -1: not known.
static int word_place(const struct shape *shape, uint8_t word) {
	const struct i40e_published *published = shape->published;

	for (unsigned int i = 0; i < FIELDS_MAX && published->fields[i].n > 0; i++) {
		const struct field *field = &published->fields[i];
		int byte = field_place(field, shape);

		if (word >= field->first && word < field->first + field->n)
			return byte < 0 ? -1 : 8 * (byte + 2 * (word - field->first));
	}
	return -1;
}

// The word that holds the 16 bits from this one on. -1: none.
static int word_at(const struct shape *shape, int bit) {
	for (unsigned int word = 0; word < DDP_OFFLOAD_FIELDS; word++)
		if (word_place(shape, word) == bit)
			return word;
	return -1;
}

static bool is_word(const struct hashed *hashed, unsigned int at) {
	for (unsigned int i = 0; i < 16; i++)
		if (at + i >= hashed->n || hashed->bits[at + i] != hashed->bits[at] + (int)i)
			return false;
	return hashed->bits[at] != BIT_ZERO;
}

bool i40e_inset_find(const struct shape *shape, const struct hashed *hashed,
		     struct ddp_offload_inset *inset) {
	int last = -1;

	*inset = (struct ddp_offload_inset){.pctype = shape->pctype};
	if (shape->published == NULL)
		return false;
	for (unsigned int at = 0; at < hashed->n; at += 16) {
		int word = is_word(hashed, at) ? word_at(shape, hashed->bits[at]) : -1;

		if (word <= last || inset->n == DDP_OFFLOAD_WORDS) // their order is the NIC's
			return false;
		inset->words[inset->n++] = word;
		last = word;
	}
	return inset->n > 0;
}

bool i40e_inset_hashes(const struct ddp_offload_inset *inset, const struct shape *shape,
		       struct hashed *hashed) {
	hashed->n = 0;
	for (unsigned int i = 0; i < inset->n; i++) {
		int bit = shape->published != NULL ? word_place(shape, inset->words[i]) : -1;

		if (bit < 0)
			return false;
		hashed_add(hashed, bit, 16);
	}
	return true;
}

/* What it tells apart */

// What a ptype's protocols are called, but for the payload at their end.
static void ptype_name(const struct i40e_package *i40e, const struct i40e_type *ptype,
		       char name[I40E_TYPE_NAME_SIZE]) {
	char *last;

	i40e_type_name(i40e, ptype, name);
	last = strrchr(name, '_');
	if (last != NULL && strncasecmp(last, "_PAY", 4) == 0)
		*last = '\0';
}

// "OIPV4_GTPU_IPV6FRAG", "OIPV6_GTPU_IPV4_TCP"
static void wanted_name(unsigned int outer, unsigned int inner, enum l4 l4, char *name, size_t size) {
	static const char *const l4s[N_L4S] = {
		[L4_FRAGMENT] = "FRAG", [L4_OTHER] = "",     [L4_UDP] = "_UDP",
		[L4_TCP] = "_TCP",      [L4_SCTP] = "_SCTP", [L4_ICMP] = "_ICMP",
	};

	snprintf(name, size, "OIPV%u_GTPU_IPV%u%s%s", outer, inner, l4s[l4],
		 l4 == L4_ICMP && inner == 6 ? "V6" : "");
}

// What DPDK makes of the ptype of this name; 0 where there is none, or one of another name becomes the same.
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
		if (strcasecmp(name, wanted) != 0 && i40e_rte_ptype(i40e, &i40e->ptypes[i]) == ptype)
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

struct i40e_taught i40e_taught_find(const struct ddp_package *package, unsigned int outer,
				    unsigned int inner, enum l4 l4) {
	const struct i40e_package *i40e = package->i40e;
	struct i40e_taught taught = {
		.pctype = pctype_find(i40e, inner == 4 ? "GTPU_IPV4" : "GTPU_IPV6")};
	char name[64];

	wanted_name(outer, inner, l4, name, sizeof(name));
	if (taught.pctype >= 0 && i40e_refused_ptype(i40e) == NULL) // with one the driver takes none
		taught.ptype = ptype_find(i40e, name);
	if (taught.pctype >= 0)
		taught.published = published_find(package, taught.pctype);
	return taught;
}

void i40e_nic_teach(const struct ddp_package *package, struct ddp_nic *nic) {
	if (pctype_find(package->i40e, "GTPU_IPV4") >= 0 ||
	    pctype_find(package->i40e, "GTPU_IPV6") >= 0)
		nic->encaps |= ENCAPS_GTPU;
	nic->gtpu_sctp = true; // where there is such a ptype, as all others
	nic->more = NULL;
}

/* Headers */

// Headers that the NIC does not know by itself.
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
			snprintf(text, size,
				 "pctype %u of the package is for them, but which words of its field "
				 "vector hold what is not published",
				 i40e->pctypes[i].id);
			return;
		}
	if (protocol != NULL)
		snprintf(text, size, "the package has no pctype for them");
}
