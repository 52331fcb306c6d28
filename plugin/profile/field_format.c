/* SPDX-License-Identifier: BSD-3-Clause */
#include "field_format.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const unsigned int kind_bits[] = {
	[FIELD_IPV4] = 32,
	[FIELD_IPV6] = 128,
	[FIELD_MAC] = 48,
};

static bool is_word(const char *text, size_t len, const char *word) {
	return word != NULL && strlen(word) == len && memcmp(text, word, len) == 0;
}

static const struct ddp_header *header_find(const struct ddp_profile *profile, const char *name,
					    size_t len) {
	for (unsigned int i = 0; i < profile->n_headers; i++)
		if (is_word(name, len, profile->headers[i].name))
			return &profile->headers[i];
	return NULL;
}

static const struct ddp_field *field_find(const struct ddp_header *header, const char *name,
					  size_t len) {
	for (unsigned int i = 0; i < header->n_fields; i++)
		if (is_word(name, len, header->fields[i].name))
			return &header->fields[i];
	return NULL;
}

// [inner.|outer.]header[#n].field[/bits], or [/mask]: then it is a number.
static enum field_kind kind_find(const struct ddp_profile *profile, const char *name) {
	const char *dot = strrchr(name, '.'), *bits = strchr(name, '/');
	const struct ddp_header *header;
	const struct ddp_field *field;
	bool src_or_dst;

	if (dot == NULL || (bits != NULL && bits[1 + strspn(bits + 1, "0123456789")] != '\0'))
		return FIELD_NUMBER;
	if ((strncmp(name, "inner.", 6) == 0 || strncmp(name, "outer.", 6) == 0) && name + 6 < dot)
		name += 6;
	header = header_find(profile, name, strcspn(name, "#."));
	if (header == NULL)
		return FIELD_NUMBER;
	field = field_find(header, dot + 1, strcspn(dot + 1, "/"));
	if (field == NULL)
		return FIELD_NUMBER;
	src_or_dst = strcmp(field->name, "src") == 0 || strcmp(field->name, "dst") == 0;
	if (field->width == 128)
		return FIELD_IPV6;
	if (field->width == 32 && src_or_dst && strcmp(header->name, "ipv4") == 0)
		return FIELD_IPV4;
	if (field->width == 48 && src_or_dst && strcmp(header->name, "eth") == 0)
		return FIELD_MAC;
	return FIELD_NUMBER;
}

// FNV-1a
static uint32_t name_hash(const char *name) {
	uint32_t hash = 2166136261;

	for (; *name != '\0'; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619;
	return hash;
}

static enum field_kind kind_get(struct fields *fields, const char *name) {
	unsigned int slot = name_hash(name) & (FIELDS_SLOTS - 1);
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

static uint64_t number_get(const uint8_t value[16]) {
	uint64_t number = 0;

	for (unsigned int i = 8; i < 16; i++)
		number = number << 8 | value[i];
	return number;
}

static void digits_write(unsigned int width, const uint8_t value[16], char text[FIELD_TEXT_SIZE]) {
	unsigned int n_digits = (width + 3) / 4;
	unsigned int at = 0;

	text[at++] = '0';
	text[at++] = 'x';
	for (unsigned int i = 32 - n_digits; i < 32; i++) {
		unsigned int digit = i % 2 == 0 ? value[i / 2] >> 4 : value[i / 2] & 0xf;

		text[at++] = "0123456789abcdef"[digit];
	}
	text[at] = '\0';
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
		digits_write(width, value, text);
		return false;
	}
	snprintf(text, FIELD_TEXT_SIZE, "%" PRIu64, number_get(value));
	return true;
}
