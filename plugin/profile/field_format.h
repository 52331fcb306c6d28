/* SPDX-License-Identifier: BSD-3-Clause */
// How the value of a field is written: addresses in text form, the rest as numbers.
//
// The classifier hands out a name as the profile wrote it ("inner.ipv4.src", "udp#2.sport",
// "ipv6.src/64") and bits. What they mean is looked up in the profile, which takes a while, so it
// is remembered.
#ifndef DDP_PROFILE_FIELD_FORMAT_H
#define DDP_PROFILE_FIELD_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "profile.h"

#define FIELD_TEXT_SIZE 48 // the longest IPv6 address fits, and 128 bits in hexadecimal

enum field_kind {
	FIELD_NUMBER,
	FIELD_IPV4,
	FIELD_IPV6,
	FIELD_MAC,
};

#define FIELDS_SLOTS 256 // a power of two

struct fields {
	const struct ddp_profile *profile;
	// A name has one slot it may be in, and takes it from the one before.
	struct {
		char name[64]; // "": free
		enum field_kind kind;
	} slots[FIELDS_SLOTS];
};

// profile must outlive fields.
void fields_init(struct fields *fields, const struct ddp_profile *profile);

// Write the value of a field (width bits, right-aligned in 16 bytes, big endian) to text.
// Returns whether it is a number for JSON: up to 64 bits that are no address.
bool fields_text(struct fields *fields, const char *name, unsigned int width,
		 const uint8_t value[16], char text[FIELD_TEXT_SIZE]);

#endif
