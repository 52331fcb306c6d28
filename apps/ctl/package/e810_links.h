/* SPDX-License-Identifier: BSD-3-Clause */
// What the parser's tables of an 800-series package are about, as far as it can be read off them.
#ifndef DDPCTL_PACKAGE_E810_LINKS_H
#define DDPCTL_PACKAGE_E810_LINKS_H

#include "e810/e810.h"

#define E810_PCS 192
#define E810_SECTIONS_END 0x300 // ids of sections that are no labels are below

struct e810_links {
	const char
		*ports[UINT16_MAX + 1]; // UDP destination ports that are known: what for, or NULL
	bool protocols[256];            // recorded by some entry of the parse graph
	bool reached[E810_PCS];         // instructions that some entry leads to, or the first
	int flags[64];                  // parser flag that feeds a packet flag, -1: not reported
};

void e810_links_read(struct e810_links *tables, const struct ddp_package *package);

// Entries of a table that do anything; those that are given where that is not known; 0 without a
// table.
int e810_table_uses(const struct ddp_package *package, uint32_t id);
// Entries of a table that are not the same in both.
unsigned int e810_table_differ(const struct ddp_package *const packages[2], uint32_t id);

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

// What a UDP port is for, from the label of its entry: "GTP-U" of "BOOST_UDP_GTPU_...".
const char *e810_port_purpose(const char *label);

// Bits first to first + n - 1 of an entry, n at most 32.
uint32_t e810_entry_bits(const uint8_t *entry, unsigned int first, unsigned int n);

#endif
