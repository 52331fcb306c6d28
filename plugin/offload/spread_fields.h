/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/offload: hashed bits as fields, in words: "inner addresses and ports".
#ifndef DDP_OFFLOAD_SPREAD_FIELDS_H
#define DDP_OFFLOAD_SPREAD_FIELDS_H

#include "expected_hash.h"

enum {
	FIELD_SRC = 1 << 0,
	FIELD_DST = 1 << 1,
	FIELD_SPORT = 1 << 2,
	FIELD_DPORT = 1 << 3,
	FIELD_PART = 1 << 4, // not all bits of these four
	FIELDS_ADDRESSES = FIELD_SRC | FIELD_DST,
	FIELDS_PORTS = FIELD_SPORT | FIELD_DPORT,
	// of the outer packet; the others are of the inner one or there is no tunnel
	FIELDS_OUTER_SHIFT = 8,
	FIELD_TEID = 1 << 16,
	FIELD_REST = 1 << 17,
	FIELDS_TUNNEL = 1 << 18, // there is an outer packet
};

// The IP protocol is left out.
uint32_t fields_of(const struct packet_class *class, const struct hashed *hashed);
void fields_print(uint32_t fields, char *text, size_t size);

#endif
