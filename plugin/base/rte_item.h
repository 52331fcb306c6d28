/* SPDX-License-Identifier: BSD-3-Clause */
// The items of rte_flow patterns that rules can be made of: the one table of them, which rules/,
// offload/ and ddpctl read. Fields that testpmd has names for are in ddpctl's rule_parse.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_flow.h>

// size bytes of the item at off are the header's from wire on, or its field.
struct ddp_rte_item_part {
	uint8_t off, size;
	uint8_t wire;
	const char *field;
};

#define DDP_RTE_ITEM_PARTS 3
#define DDP_RTE_ITEM_SIZE 64 // bytes of the largest structure, except raw

struct ddp_rte_item {
	enum rte_flow_item_type type;
	const char *name;   // in testpmd
	const char *header; // in profiles; NULL: none of its own
	const void *mask;   // DPDK's default
	size_t size;        // of the structure; 0: it has no values, or no fixed size
	// Terminated by size 0; none: no packet can be matched with it.
	struct ddp_rte_item_part parts[DDP_RTE_ITEM_PARTS];
	// A header that may follow, and the structure with only the bit that says so; or NULL.
	const char *follows;
	const void *follows_bit;
};

extern const struct ddp_rte_item ddp_rte_items[];
extern const unsigned int ddp_n_rte_items;

const struct ddp_rte_item *ddp_rte_item_find(enum rte_flow_item_type type); // NULL: none
// By its name in testpmd, which must be one of the table.
enum rte_flow_item_type ddp_rte_item_type(const char *name);
