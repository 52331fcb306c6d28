/* SPDX-License-Identifier: BSD-3-Clause */
// The fields of the items in testpmd's flow commands (22.11).
#ifndef DDPCTL_FLOW_RULE_RULE_ITEMS_H
#define DDPCTL_FLOW_RULE_RULE_ITEMS_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_flow.h>

// How the value of a field is written.
enum rule_value {
	RULE_NUMBER,
	RULE_SWITCH, // on, off, and the like
	RULE_MAC,
	RULE_IPV4,
	RULE_IPV6,
};

// A field: size bytes of the item's structure from off on.
struct rule_field {
	const char *name; // "": the item's name stands for it
	uint8_t off, size;
	enum rule_value value;
	uint64_t bits; // of a field that is part of a number; 0: all of it
	bool swapped;  // testpmd writes it in the machine's order
};

// A kind of message, with fields of its own: `type data_l`.
struct rule_message {
	const char *name;
	uint8_t off, size; // where the structure has the type
	uint16_t type;
	const struct rule_field *fields;
	unsigned int n_fields;
};

struct rule_fields {
	enum rte_flow_item_type type;
	const struct rule_field *fields;
	unsigned int n_fields;
	const char *key; // words before a kind of message: "type", "common type"
	const struct rule_message *messages;
	unsigned int n_messages;
};

// Of an item of base/rte_item.h. NULL: none are written as fields.
const struct rule_fields *rule_fields_find(enum rte_flow_item_type type);

#endif
