/* SPDX-License-Identifier: BSD-3-Clause */
#include "i40e_inset.h"

#include <assert.h>

static bool has_ports(const struct packet_class *class) {
	return class->l4 == L4_UDP || class->l4 == L4_TCP || class->l4 == L4_SCTP;
}

// The first byte of a field in a packet. -1: the packet has no such header, so what is hashed is
// not known.
static int field_place(const struct i40e_field *field, const struct packet_class *class) {
	int header;

	if (field->header == NULL)
		header = has_ports(class) ? (int)class->n_headers - 1 : -1;
	else
		header = packet_class_named(class, field->header);
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

	for (unsigned int i = 0; i < I40E_PUBLISHED_FIELDS && published->fields[i].n > 0; i++) {
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

	assert(class->pctype >= 0);
	*inset = (struct ddp_offload_inset){.pctype = class->pctype};
	if (class->published == NULL)
		return false;
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
		int bit = class->published != NULL ? word_place(class, inset->words[i]) : -1;

		if (bit < 0)
			return false;
		hashed_add(hashed, bit, 16);
	}
	return true;
}
