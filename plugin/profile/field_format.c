/* SPDX-License-Identifier: BSD-3-Clause */
#include "field_format.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/seed.h"
#include "loader.h"

static const unsigned int kind_bits[] = {
	[FIELD_IPV4] = 32,
	[FIELD_IPV6] = 128,
	[FIELD_MAC] = 48,
};

// [inner.|outer.]header[#n].field[/bits], or [/mask]: then it is a number.
static enum field_kind kind_find(const struct ddp_profile *profile, const char *name) {
	const char *dot = strrchr(name, '.'), *bits = strchr(name, '/');
	const struct ddp_header *header;
	const struct ddp_field *field;
	bool src_or_dst;
	int at;

	if (dot == NULL || (bits != NULL && bits[1 + strspn(bits + 1, "0123456789")] != '\0'))
		return FIELD_NUMBER;
	if ((strncmp(name, "inner.", 6) == 0 || strncmp(name, "outer.", 6) == 0) && name + 6 < dot)
		name += 6;
	at = NAME_FIND(profile->headers, profile->n_headers, name, strcspn(name, "#."));
	if (at < 0)
		return FIELD_NUMBER;
	header = &profile->headers[at];
	at = NAME_FIND(header->fields, header->n_fields, dot + 1, strcspn(dot + 1, "/"));
	if (at < 0)
		return FIELD_NUMBER;
	field = &header->fields[at];
	src_or_dst = strcmp(field->name, "src") == 0 || strcmp(field->name, "dst") == 0;
	if (field->width == 128)
		return FIELD_IPV6;
	if (field->width == 32 && src_or_dst && strcmp(header->name, "ipv4") == 0)
		return FIELD_IPV4;
	if (field->width == 48 && src_or_dst && strcmp(header->name, "eth") == 0)
		return FIELD_MAC;
	return FIELD_NUMBER;
}

static enum field_kind kind_get(struct fields *fields, const char *name) {
	unsigned int slot = ddp_text_hash(DDP_TEXT_HASH, name) & (FIELDS_SLOTS - 1);
	enum field_kind kind;

	if (strcmp(fields->slots[slot].name, name) == 0)
		return fields->slots[slot].kind;
	kind = kind_find(fields->profile, name);
	if (strlen(name) < sizeof(fields->slots[slot].name)) {
		strcpy(fields->slots[slot].name, name);
		fields->slots[slot].kind = kind;
	}
	return kind;
}

// The value of width bits as the leading bits of an address of n_bits; the rest is 0.
static void address_fill(uint8_t *address, unsigned int n_bits, unsigned int width,
			 const uint8_t value[16]) {
	unsigned int shift = n_bits > width ? n_bits - width : 0;

	if (shift == 0) {
		memcpy(address, value + 16 - n_bits / 8, n_bits / 8);
		return;
	}
	memset(address, 0, n_bits / 8);
	for (unsigned int i = 0; i + shift < n_bits; i++) { // both counted from the last bit
		unsigned int to = i + shift;

		if (value[15 - i / 8] >> i % 8 & 1)
			address[n_bits / 8 - 1 - to / 8] |= 1 << to % 8;
	}
}

static uint64_t number_get(const uint8_t value[8]) {
	uint64_t number = 0;

	for (unsigned int i = 0; i < 8; i++)
		number = number << 8 | value[i];
	return number;
}

void fields_init(struct fields *fields, const struct ddp_profile *profile) {
	memset(fields, 0, sizeof(*fields));
	fields->profile = profile;
}

bool fields_text(struct fields *fields, const char *name, unsigned int width,
		 const uint8_t value[16], char text[FIELD_TEXT_SIZE]) {
	enum field_kind kind = kind_get(fields, name);
	uint8_t address[16];

	if (kind != FIELD_NUMBER)
		address_fill(address, kind_bits[kind], width, value);
	switch (kind) {
	case FIELD_IPV4:
		inet_ntop(AF_INET, address, text, FIELD_TEXT_SIZE);
		return false;
	case FIELD_IPV6:
		inet_ntop(AF_INET6, address, text, FIELD_TEXT_SIZE);
		return false;
	case FIELD_MAC:
		snprintf(text, FIELD_TEXT_SIZE, "%02x:%02x:%02x:%02x:%02x:%02x", address[0],
			 address[1], address[2], address[3], address[4], address[5]);
		return false;
	case FIELD_NUMBER:
		break;
	}
	if (width > 64) {
		snprintf(text, FIELD_TEXT_SIZE, "0x%0*" PRIx64 "%016" PRIx64,
			 (int)(width + 3) / 4 - 16, number_get(value), number_get(value + 8));
		return false;
	}
	snprintf(text, FIELD_TEXT_SIZE, "%" PRIu64, number_get(value + 8));
	return true;
}
