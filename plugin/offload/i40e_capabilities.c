/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "draft.h"
#include "i40e_port.h"
#include "personality/package_open.h"

// Intel's GTP package, as the firmware lists it.
#define TRACK_ID 0x80000008
#define NAME "GTPv1-C/U IPv4/IPv6 payload"

/* Input sets */

#define L4_PORTS N_CLASS_HEADERS
#define N_FIELDS 4

// Documented contents of the field vector by the inner IP version: n words of a header from this
// byte on are the words of the vector from `first` on.
static const struct published {
	enum class_header_id header; // L4_PORTS: inner UDP, TCP or SCTP
	uint8_t byte, first, n;
} publications[][N_FIELDS] = {
	{{HEADER_IPV4, 12, 15, 2},
	 {HEADER_IPV4, 16, 27, 2},
	 {L4_PORTS, 0, 29, 2},
	 {HEADER_GTPU, 4, 44, 2}},
	{{HEADER_IPV6, 8, 13, 8},
	 {HEADER_IPV6, 24, 21, 8},
	 {L4_PORTS, 0, 29, 2},
	 {HEADER_GTPU, 4, 44, 2}},
};

// The first packet bit of each word; -1: unknown, or the packet has no such header.
static void words_locate(const struct packet_class *class, int bits[DDP_OFFLOAD_FIELDS]) {
	for (unsigned int i = 0; i < DDP_OFFLOAD_FIELDS; i++)
		bits[i] = -1;
	for (unsigned int i = 0; i < N_FIELDS; i++) {
		const struct published *field = &publications[class->inner == 6][i];
		int header = packet_class_header(class, field->header);

		if (field->header == L4_PORTS && class_has_ports(class))
			header = class->n_headers - 1;
		for (int w = 0; header >= 0 && w < field->n; w++)
			bits[field->first + w] =
				8 * (class->headers[header].off + field->byte + 2 * w);
	}
}

static bool is_word(const struct hashed *hashed, unsigned int at) {
	for (unsigned int i = 0; i < 16; i++)
		if (at + i >= hashed->n || hashed->bits[at + i] != hashed->bits[at] + (int)i)
			return false;
	return hashed->bits[at] != BIT_ZERO;
}

// The NIC hashes words in ascending order.
bool i40e_inset_find(const struct packet_class *class, const struct hashed *hashed,
		     struct ddp_offload_inset *inset) {
	int bits[DDP_OFFLOAD_FIELDS];
	unsigned int word = 0;

	words_locate(class, bits);
	*inset = (struct ddp_offload_inset){.pctype = class->pctype};
	for (unsigned int at = 0; at < hashed->n; at += 16) {
		while (word < DDP_OFFLOAD_FIELDS && bits[word] != hashed->bits[at])
			word++;
		if (word == DDP_OFFLOAD_FIELDS || !is_word(hashed, at))
			return false;
		inset->words[inset->n++] = word++;
	}
	return inset->n > 0;
}

bool i40e_inset_hashes(const struct ddp_offload_inset *inset, const struct packet_class *class,
		       struct hashed *hashed) {
	int bits[DDP_OFFLOAD_FIELDS];

	words_locate(class, bits);
	hashed->n = 0;
	for (unsigned int i = 0; i < inset->n; i++) {
		if (bits[inset->words[i]] < 0)
			return false;
		hashed_add(hashed, bits[inset->words[i]], 16);
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

static bool has_pctype(const struct i40e_package *i40e, uint8_t id, const char *documented) {
	char name[I40E_TYPE_NAME_SIZE] = "";

	for (unsigned int i = 0; i < i40e->pctypes.n; i++)
		if (i40e->pctypes.types[i].id == id)
			i40e_type_name(i40e, &i40e->pctypes.types[i], name);
	return strcmp(name, documented) == 0;
}

bool ddp_i40e_package_covers(const struct ddp_package *package, uint16_t device,
			     struct ddp_diag *diag) {
	const struct ddp_place place = {.file = package->path};
	const char *reason;
	int ret = i40e_verdict(package, device, &reason);

	if (ret == 0 && package->track_id == TRACK_ID && strcmp(package->i40e->name, NAME) == 0 &&
	    has_pctype(package->i40e, 22, "GTPU_IPV4") &&
	    has_pctype(package->i40e, 23, "GTPU_IPV6"))
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
