/* SPDX-License-Identifier: BSD-3-Clause */
// The parse graph of an 800-series package, read from its tables.
#ifndef DDPCTL_PACKAGE_E810_LINKS_H
#define DDPCTL_PACKAGE_E810_LINKS_H

#include "e810/e810.h"

// An entry of the parse graph, read.
struct e810_edge {
	bool no_match;     // no next protocol is asked
	unsigned int row;  // of its table
	uint16_t node;     // where it starts from
	uint8_t boost;     // index, 0: no entry of the boost TCAM
	uint32_t protocol; // next protocol
	uint16_t next_node;
	uint8_t next_pc;
	bool last;
	bool group; // protocol_id is the number of a protocol group
	uint8_t protocol_id;
};

// Read the valid entries of the parse graph, table by table, until fn returns false.
void e810_edges_each(const struct ddp_package *package,
		     bool (*fn)(void *arg, const struct e810_edge *edge), void *arg);

// Bits first to first + n - 1 of an entry, n at most 32.
uint32_t e810_entry_bits(const uint8_t *entry, unsigned int first, unsigned int n);

#endif
