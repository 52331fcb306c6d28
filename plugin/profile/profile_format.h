/* SPDX-License-Identifier: BSD-3-Clause */
// Parts of a profile as text for people: conditions, expressions, paths, fields.
//
//	struct words words;
//
//	format_init(&words, profile);
//	format_cond(&words, text.to, &rule->cond);    // "e = 1 and next_ext = 0x85"
#ifndef DDP_PROFILE_PROFILE_FORMAT_H
#define DDP_PROFILE_PROFILE_FORMAT_H

#include <stdio.h>

#include "field_format.h"
#include "profile.h"

struct profile_format {
	const struct ddp_profile *profile;
	struct fields fields;
};

// profile must outlive words.
void format_init(struct profile_format *format, const struct ddp_profile *profile);

const struct ddp_field *format_field(const struct profile_format *format,
				     const struct ddp_ref *ref);

// A number of up to 128 bits as the value of ref's field: addresses in text form, the rest decimal
// or as hex says.
void format_value(struct profile_format *format, FILE *to, const struct ddp_ref *ref, uint64_t hi,
		  uint64_t lo, bool hex);
// True where the profile itself writes the values of this field in hexadecimal.
bool format_is_hex(const struct profile_format *format, const struct ddp_ref *ref);
// A number that a table holds.
void format_key(const struct ddp_table *table, FILE *to, uint64_t value);

void format_patterns(struct profile_format *format, FILE *to, const struct ddp_match *match);
void format_expr(FILE *to, const struct ddp_expr *expr);
void format_cond(struct profile_format *format, FILE *to, const struct ddp_cond *cond);
// Whether nothing is asked: format_cond() writes nothing.
static inline bool format_is_always(const struct ddp_cond *cond) {
	return cond->n_matches == 0 && cond->expr.n_ops == 0;
}

// The headers of a path, names of parts of paths written out.
void format_path(const struct profile_format *format, FILE *to, const struct ddp_path *path);

// "ipv4.src ipv4.dst"
void format_refs(FILE *to, const struct ddp_ref *refs, unsigned int n);
void format_rss_hf(FILE *to, uint64_t rss_hf);   // "ipv4-udp ipv4"
void format_ptype(FILE *to, uint32_t rte_ptype); // "L2_ETHER L3_IPV4_EXT_UNKNOWN"

// "gtpu.yaml:36"
void format_place(FILE *to, const struct ddp_place *place);

#endif
