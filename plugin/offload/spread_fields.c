/* SPDX-License-Identifier: BSD-3-Clause */
#include "draft.h"

#include <stdio.h>
#include <string.h>

static uint32_t ip_field(unsigned int byte, bool v6) {
	if (v6)
		return byte >= 24 ? FIELD_DST : byte >= 8 ? FIELD_SRC : byte == 6 ? 0 : FIELD_REST;
	return byte >= 20 ? FIELD_REST :
	       byte >= 16 ? FIELD_DST :
	       byte >= 12 ? FIELD_SRC :
	       byte == 9  ? 0 :
			    FIELD_REST;
}

static uint32_t field_of(const struct class_header *header, unsigned int byte) {
	if (header_is_ip(header->id))
		return ip_field(byte, header->id == HEADER_IPV6);
	if (header_is_l4(header->id))
		return byte < 2 ? FIELD_SPORT : byte < 4 ? FIELD_DPORT : FIELD_REST;
	if (header->id == HEADER_GTPU && byte >= 4 && byte < 8)
		return FIELD_TEID;
	return FIELD_REST;
}

static bool has_outer_packet(const struct packet_class *class) {
	return class->encap != ENCAP_NONE && class->encap != ENCAP_PPPOE;
}

static uint32_t bit_field(const struct packet_class *class, int bit) {
	for (unsigned int i = 0; i < class->n_headers; i++) {
		const struct class_header *header = &class->headers[i];
		uint32_t field;

		if (bit < 8 * header->off || bit >= 8 * (header->off + header->len))
			continue;
		field = field_of(header, bit / 8 - header->off);
		if (has_outer_packet(class) && (int)i < class->first_inner)
			return (field & 0xff) << FIELDS_OUTER_SHIFT | (field & ~0xffu);
		return field;
	}
	return FIELD_REST;
}

// Some bits of the inner addresses or ports, not all of them.
static bool is_part(const struct packet_class *class, const struct hashed *hashed) {
	const unsigned int address = class->inner == 6 ? 128 : 32;
	const unsigned int sizes[] = {address, address, 16, 16}; // by bit of the field
	unsigned int counts[] = {0, 0, 0, 0};
	bool part = false;

	for (unsigned int i = 0; i < hashed->n; i++) {
		uint32_t field = hashed->bits[i] < 0 ? 0 : bit_field(class, hashed->bits[i]);

		for (unsigned int f = 0; f < 4; f++)
			counts[f] += field == 1u << f;
	}
	for (unsigned int f = 0; f < 4; f++)
		part |= counts[f] > 0 && counts[f] < sizes[f];
	return part;
}

uint32_t fields_of(const struct packet_class *class, const struct hashed *hashed) {
	uint32_t fields = has_outer_packet(class) ? FIELDS_TUNNEL : 0;

	for (unsigned int i = 0; i < hashed->n; i++)
		if (hashed->bits[i] >= 0)
			fields |= bit_field(class, hashed->bits[i]);
	return fields | (is_part(class, hashed) ? FIELD_PART : 0);
}

/* In words */

static void word_add(char *text, size_t size, const char *before, const char *word) {
	size_t len = strlen(text);

	if (len < size)
		snprintf(text + len, size - len, "%s%s", len > 0 ? before : "", word);
}

static void side_print(uint32_t fields, const char *side, char *text, size_t size) {
	static const char *const addresses[] = {NULL, "source address", "destination address",
						"addresses"};
	static const char *const ports[] = {NULL, "source port", "destination port", "ports"};
	const char *ip = addresses[fields & FIELDS_ADDRESSES];
	const char *l4 = ports[(fields & FIELDS_PORTS) >> 2];

	if (ip == NULL && l4 == NULL)
		return;
	word_add(text, size, ", ", side);
	if (ip != NULL)
		word_add(text, size, "", ip);
	if (l4 != NULL)
		word_add(text, size, "", ip != NULL ? " and " : "");
	if (l4 != NULL)
		word_add(text, size, "", l4);
	if ((fields & FIELD_PART) != 0)
		word_add(text, size, "", " (some bits)");
}

void fields_print(uint32_t fields, char *text, size_t size) {
	text[0] = '\0';
	side_print(fields >> FIELDS_OUTER_SHIFT & 0xff, "outer ", text, size);
	if (fields & FIELD_TEID)
		word_add(text, size, ", ", "TEID");
	side_print(fields & 0xff, fields & FIELDS_TUNNEL ? "inner " : "", text, size);
	if (fields & FIELD_REST)
		word_add(text, size, ", ", "other fields");
	if (text[0] == '\0')
		snprintf(text, size, "nothing");
}
