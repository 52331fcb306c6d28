/* SPDX-License-Identifier: BSD-3-Clause */
// Packet types of 800-series packages in protocol words.
#ifndef DDPCTL_PACKAGE_E810_PTYPE_FAMILY_H
#define DDPCTL_PACKAGE_E810_PTYPE_FAMILY_H

#include "e810/e810_parser.h"

#define E810_FAMILIES_MAX 32

// What a packet type is about: "GTP-U user data", "PPPoE sessions", ... The same string for all of
// a kind; there are fewer than E810_FAMILIES_MAX.
const char *e810_ptype_family(const struct e810_parser *parser, uint16_t ptype);

// Packet types of one kind.
struct e810_family {
	const char *kind;
	unsigned int n;
	uint16_t ptypes[E810_N_PTYPES];
};

// Put a packet type to the others of its kind, which are n so far. Returns how many there are now.
unsigned int e810_family_add(struct e810_family kinds[E810_FAMILIES_MAX], unsigned int n,
			     const struct e810_parser *parser, uint16_t ptype);

#endif
