/* SPDX-License-Identifier: BSD-3-Clause */
// Parts of a profile as text output: conditions, expressions, paths, fields.
//
//	format_cond(profile, text.to, &rule->cond);    // "e = 1 and next_ext = 0x85"
#pragma once

#include "profile.h"

#define FIELD_TEXT_SIZE 48 // bytes: the longest IPv6 address, or 128 bits in hexadecimal

// Write the value of a field (width bits, right-aligned in 16 bytes, big endian) to text. name is
// as a profile writes it ("inner.ipv4.src", "udp#2.sport", "ipv6.src/64"). Returns whether it is a
// number for JSON: up to 64 bits that are no address.
bool format_field(const struct ddp_profile *profile, const char *name, unsigned int width,
		  const uint8_t value[16], char text[FIELD_TEXT_SIZE]);

// A number of up to 128 bits as ref's field: addresses as text, the rest decimal or as hex says.
void format_value(const struct ddp_profile *profile, FILE *to, const struct ddp_ref *ref,
		  uint64_t hi, uint64_t lo, bool hex);
// A number that a table holds.
void format_key(const struct ddp_table *table, FILE *to, uint64_t value);

void format_patterns(const struct ddp_profile *profile, FILE *to, const struct ddp_match *match);
void format_expr(FILE *to, const struct ddp_expr *expr);
void format_cond(const struct ddp_profile *profile, FILE *to, const struct ddp_cond *cond);
// Whether the condition is empty: format_cond() writes nothing.
static inline bool format_is_always(const struct ddp_cond *cond) {
	return cond->n_matches == 0 && cond->expr.n_ops == 0;
}

// The headers of a path, names of parts of paths written out.
void format_path(const struct ddp_profile *profile, FILE *to, const struct ddp_path *path);

// "ipv4.src ipv4.dst"
void format_refs(FILE *to, const struct ddp_ref *refs, unsigned int n);
void format_rss_hf(FILE *to, uint64_t rss_hf);   // "ipv4-udp ipv4"
void format_ptype(FILE *to, uint32_t rte_ptype); // "L2_ETHER L3_IPV4_EXT_UNKNOWN"

// "gtpu.yaml:36"
void format_place(FILE *to, const struct ddp_place *place);
