/* SPDX-License-Identifier: BSD-3-Clause */
#include "i40e_capabilities.h"

#include <assert.h>
#include <string.h>

#include "base/rte_ptype.h"
#include "i40e_port.h"
#include "personality/package_open.h"

// Intel's GTP package, as the firmware lists it.
#define TRACK_ID 0x80000008
#define NAME "GTPv1-C/U IPv4/IPv6 payload"

#define L4_PORTS N_CLASS_HEADERS

static const struct i40e_published publications[] = {
	{22,
	 "GTPU_IPV4",
	 {{HEADER_IPV4, 12, 15, 2},
	  {HEADER_IPV4, 16, 27, 2},
	  {L4_PORTS, 0, 29, 2},
	  {HEADER_GTPU, 4, 44, 2}}},
	{23,
	 "GTPU_IPV6",
	 {{HEADER_IPV6, 8, 13, 8},
	  {HEADER_IPV6, 24, 21, 8},
	  {L4_PORTS, 0, 29, 2},
	  {HEADER_GTPU, 4, 44, 2}}},
};

static bool has_pctype(const struct i40e_package *i40e, const struct i40e_published *published) {
	char name[I40E_TYPE_NAME_SIZE];

	for (unsigned int i = 0; i < i40e->pctypes.n; i++) {
		i40e_type_name(i40e, &i40e->pctypes.types[i], name);
		if (i40e->pctypes.types[i].id == published->pctype &&
		    strcmp(published->type, name) == 0)
			return true;
	}
	return false;
}

static bool is_documented(const struct ddp_package *package) {
	return package->track_id == TRACK_ID && strcmp(package->i40e->name, NAME) == 0 &&
	       has_pctype(package->i40e, &publications[0]) &&
	       has_pctype(package->i40e, &publications[1]);
}

#define PTYPE_VALUE(name, value) PTYPE_##name = value,
enum {
	DDP_RTE_PTYPES(PTYPE_VALUE)
};

const struct i40e_published *i40e_published_find(unsigned int inner) {
	return &publications[inner == 6];
}

// DPDK puts these together from the names of a ptype's protocols.
uint32_t i40e_ptype(unsigned int outer, unsigned int inner, enum l4 l4) {
	static const uint32_t l4s[N_L4S] = {
		[L4_FRAGMENT] = PTYPE_INNER_L4_FRAG, [L4_UDP] = PTYPE_INNER_L4_UDP,
		[L4_TCP] = PTYPE_INNER_L4_TCP,       [L4_SCTP] = PTYPE_INNER_L4_SCTP,
		[L4_ICMP] = PTYPE_INNER_L4_ICMP,
	};

	assert((outer == 4 || outer == 6) && (inner == 4 || inner == 6) && l4 < N_L4S);
	return (outer == 4 ? PTYPE_L3_IPV4_EXT_UNKNOWN : PTYPE_L3_IPV6_EXT_UNKNOWN) |
	       (inner == 4 ? PTYPE_INNER_L3_IPV4_EXT_UNKNOWN : PTYPE_INNER_L3_IPV6_EXT_UNKNOWN) |
	       PTYPE_TUNNEL_GTPU | l4s[l4];
}

void i40e_nic_extend(struct ddp_nic *nic) {
	nic->encaps |= ENCAPS_GTPU;
	nic->gtpu_sctp = true;
	nic->note = NULL;
}

/* Input sets */

// The first byte of a field in a packet. -1: the packet has no such header, so what is hashed is
// not known.
static int field_place(const struct i40e_field *field, const struct packet_class *class) {
	int header;

	if (field->header == L4_PORTS)
		header = class_has_ports(class) ? (int)class->n_headers - 1 : -1;
	else
		header = packet_class_header(class, field->header);
	return header < 0 ? -1 : class->headers[header].off + field->byte;
}

// The first bit of a word; -1: not known.
static int word_place(const struct packet_class *class, uint8_t word) {
	const struct i40e_published *published = class->published;

	for (unsigned int i = 0; i < I40E_PUBLISHED_FIELDS; i++) {
		const struct i40e_field *field = &published->fields[i];
		int byte = field_place(field, class);

		if (word >= field->first && word < field->first + field->n)
			return byte < 0 ? -1 : 8 * (byte + 2 * (word - field->first));
	}
	return -1;
}

// The word that holds the 16 bits from this one on; -1: none.
static int word_at(const struct packet_class *class, int bit) {
	const struct i40e_published *published = class->published;

	for (unsigned int i = 0; i < I40E_PUBLISHED_FIELDS; i++) {
		const struct i40e_field *field = &published->fields[i];
		int byte = field_place(field, class), off = bit - 8 * byte;

		if (byte >= 0 && off >= 0 && off % 16 == 0 && off / 16 < field->n)
			return field->first + off / 16;
	}
	return -1;
}

static bool is_word(const struct hashed *hashed, unsigned int at) {
	for (unsigned int i = 0; i < 16; i++)
		if (at + i >= hashed->n || hashed->bits[at + i] != hashed->bits[at] + (int)i)
			return false;
	return hashed->bits[at] != BIT_ZERO;
}

bool i40e_inset_find(const struct packet_class *class, const struct hashed *hashed,
		     struct ddp_offload_inset *inset) {
	int last = -1;

	assert(class->published != NULL);
	*inset = (struct ddp_offload_inset){.pctype = class->pctype};
	for (unsigned int at = 0; at < hashed->n; at += 16) {
		int word = is_word(hashed, at) ? word_at(class, hashed->bits[at]) : -1;

		if (word <= last ||
		    inset->n == DDP_OFFLOAD_WORDS) // the NIC hashes words in ascending order
			return false;
		inset->words[inset->n++] = word;
		last = word;
	}
	return inset->n > 0;
}

bool i40e_inset_hashes(const struct ddp_offload_inset *inset, const struct packet_class *class,
		       struct hashed *hashed) {
	hashed->n = 0;
	for (unsigned int i = 0; i < inset->n; i++) {
		int bit = word_place(class, inset->words[i]);

		if (bit < 0)
			return false;
		hashed_add(hashed, bit, 16);
	}
	return true;
}

/* Packages for a port */

struct ddp_package *ddp_i40e_package_open(const char *path, struct ddp_diag *diag) {
	const struct ddp_place place = {.file = path};
	struct ddp_package *package = ddp_package_open(path, diag);

	if (package == NULL || package->kind == DDP_PACKAGE_I40E)
		return package;
	ddp_error(diag, &place, "it is for the 800 series");
	ddp_package_close(package);
	return NULL;
}

bool ddp_i40e_package_covers(const struct ddp_package *package, uint16_t device,
			     struct ddp_diag *diag) {
	const struct ddp_place place = {.file = package->path};
	const char *reason;
	int ret = i40e_verdict(package, device, &reason);

	if (ret == 0 && is_documented(package))
		return true;
	ddp_error(diag, &place, "%s",
		  ret < 0 ? reason : "Intel does not document which fields a NIC hashes with it");
	return false;
}

bool ddp_i40e_package_wanted(const struct ddp_profile *profile) {
	for (unsigned int i = 0; i < profile->n_headers && !profile->modelled; i++)
		if (strcmp(profile->headers[i].name, "gtpu") == 0)
			return true;
	return false;
}
