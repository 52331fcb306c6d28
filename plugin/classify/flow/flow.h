/* SPDX-License-Identifier: BSD-3-Clause */
// Flow rules: patterns of headers and of values in them, over classified packets.
//
// A packet type says how its packets are hashed; a flow rule says so, or where to send them, for
// those packets that it selects. A rule names headers in packet order, as rte_flow does, and
// begins with the packet's first; it matches every packet whose path begins so. Headers that an
// rte_flow pattern leaves out are skipped: VLAN tags, the frame in GENEVE, IPv6 extension headers,
// GTP-U extension headers other than the PDU session container, PPP behind PPPoE.
//
//	shape = ddp_flow_shape_get(&shapes, NULL, &rule, sizeof(my_data));
//	entry = ddp_flow_entry_create(shape->table, &rule);
//	ddp_flow_table_reserve(shape->table, entry);
//	ddp_flow_table_insert(shape->table, entry);
//
//	flows = ddp_flow_set_build(profile, program, all_shapes, n, &diag);
//	ddp_classify(program, &packet, &class);
//	ddp_flow_match(flows, &packet, &class, &hit);
//
// Rules that differ only in the values they match are of one shape. A shape has a hash table of
// these values: thousands of TEIDs cost one lookup, and one more of them is an insertion. Only
// shapes are compiled, against one program: names are resolved, and paths become an automaton.
// Tables know nothing of the program: several sets may use one.
//
// Threads. One thread at a time changes shapes and tables. Meanwhile others may match packets with
// a set that uses the tables: a packet finds each rule that is in its table all the time, may or
// may not find one that is being inserted or removed, and nothing else. What was removed, and what
// a table outgrew, must not be freed before these threads are done with the packets they had: see
// ddp_flow_entry_destroy() and ddp_flow_table_reclaim().
#pragma once

#include <sys/queue.h>

#include "base/arena.h"
#include "classify/classify.h"

#define DDP_FLOW_ITEMS 24     // headers of one rule
#define DDP_FLOW_MATCHES 24   // values of one rule
#define DDP_FLOW_RAW_SIZE 256 // bytes of the example packet of a raw rule

// A range of bits in a header: a field of the profile, or, if field is NULL, width bits from the
// header's bit on (beyond DDP_FLOW_PAYLOAD: from the header's end on).
struct ddp_flow_field {
	uint8_t item; // index of the header in the rule
	const char *field;
	uint16_t bit, width; // width 0: the whole field; else its leading bits
	bool spare;          // as the last to be hashed: left out where there is no room for it
};
#define DDP_FLOW_PAYLOAD 0x8000

// A value that the packet must have there (negate: must not have); mask 0 only requires the field.
struct ddp_flow_value {
	struct ddp_flow_field at;
	struct ddp_pattern pattern; // right-aligned
	bool negate;
};

// Rules of one stage compete: see ddp_flow_is_preferred().
enum ddp_flow_stage {
	DDP_FLOW_HASH,  // says how to hash
	DDP_FLOW_STEER, // says what becomes of the packet
	DDP_FLOW_STAGES,
};

struct ddp_flow_hashing {
	enum ddp_hash_function function;
	bool own_inputs; // else the packet types' own, as rss_hf chooses them
};

// A rule. All memory is the caller's.
struct ddp_flow {
	enum ddp_flow_stage stage;
	struct ddp_flow_hashing hashing;
	bool exact;    // no header is skipped
	bool ends;     // the last header is the packet's last
	bool optional; // the rule is left out if no packet can have these headers
	unsigned int n_items, n_values, n_inputs;
	const char *items[DDP_FLOW_ITEMS]; // names of headers; none: every packet
	// A header that does not stand behind the item, nor behind what is skipped there; or NULL.
	const char *without[DDP_FLOW_ITEMS];
	struct ddp_flow_value values[DDP_FLOW_MATCHES];
	struct ddp_flow_field inputs[DDP_MAX_INPUT_SIZE]; // the fields to hash, in order
};

// Is the header at item of this name, or an IP header?
static inline bool ddp_flow_names(const struct ddp_flow *rule, unsigned int item,
				  const char *header) {
	return item < rule->n_items && strcmp(rule->items[item], header) == 0;
}

static inline bool ddp_flow_names_ip(const struct ddp_flow *rule, unsigned int item) {
	return ddp_flow_names(rule, item, "ipv4") || ddp_flow_names(rule, item, "ipv6");
}

// The how manieth of its name it is in the rule, from 1.
static inline unsigned int ddp_flow_nth(const struct ddp_flow *rule, unsigned int item) {
	unsigned int n = 0;

	for (unsigned int i = 0; i <= item; i++)
		n += ddp_flow_names(rule, i, rule->items[item]);
	return n;
}

// A rule in the table of its shape. The caller's data lies before it.
struct ddp_flow_entry {
	uint64_t number;             // of two rules of one priority the larger is preferred
	uint32_t priority;           // the smaller is preferred
	struct ddp_flow_entry *next; // of the same values: the next in preference
	uint64_t values[];           // (hi, lo) of each key
};

// Of two rules that match a packet, is it this one that decides?
static inline bool ddp_flow_is_preferred(const struct ddp_flow_entry *entry,
					 const struct ddp_flow_entry *other) {
	if (entry->priority != other->priority)
		return entry->priority < other->priority;
	return entry->number > other->number;
}

struct ddp_flow_table;

// Rules that differ only in the values of their keys.
struct ddp_flow_shape {
	TAILQ_ENTRY(ddp_flow_shape) entry;
	struct ddp_flow rule; // these values are 0
	struct ddp_flow_table *table;
	unsigned int n_users; // see ddp_flow_shape_get()
	// for the caller
	unsigned int n_rules;
	void *owner; // whose alone it is, or NULL
};

TAILQ_HEAD(ddp_flow_shapes, ddp_flow_shape);

// The rules that matched a packet.
struct ddp_flow_hit {
	const struct ddp_flow_entry *rules[DDP_FLOW_STAGES]; // NULL: none
	uint32_t hashing; // with a rule of DDP_FLOW_HASH: index of its group in the set
};

struct ddp_flow_set;

// Further rules of a rule that names GTP-U: behind GRE, if it does not name GRE, and with any
// version of IP in GRE. Returns their number; they have the rule's values and inputs.
#define DDP_FLOW_VARIANTS 2
unsigned int ddp_flow_gre_variants(const struct ddp_flow *rule,
				   struct ddp_flow variants[DDP_FLOW_VARIANTS]);

// Is the header at item such an IP header behind GRE, of which the rule means both versions?
bool ddp_flow_gre_either(const struct ddp_flow *rule, unsigned int item);

// flow_table.c: a value that all of a rule's packets share is a key; others belong to the shape.
static inline bool ddp_flow_is_key(const struct ddp_flow_value *value) {
	return !value->negate && (value->pattern.mask_hi != 0 || value->pattern.mask_lo != 0);
}
unsigned int ddp_flow_n_keys(const struct ddp_flow *rule);
// Do both require the same of the same bits? Keys: regardless of their values.
bool ddp_flow_value_same(const struct ddp_flow_value *a, const struct ddp_flow_value *b);
// The shape of a rule, made if it is new, with room for data_size bytes before each entry; for
// another user. NULL: no memory.
// The table is in memory (NULL: the C library's).
struct ddp_flow_shape *ddp_flow_shape_get(struct ddp_flow_shapes *shapes,
					  const struct ddp_memory *memory,
					  const struct ddp_flow *rule, size_t data_size);
// One that is no other rule's.
struct ddp_flow_shape *ddp_flow_shape_create(struct ddp_flow_shapes *shapes,
					     const struct ddp_memory *memory,
					     const struct ddp_flow *rule, size_t data_size);
// Free the shape with its last user.
void ddp_flow_shape_put(struct ddp_flow_shapes *shapes, struct ddp_flow_shape *shape);
// Write the keys of an entry of a rule's table into the rule.
void ddp_flow_entry_read(const struct ddp_flow_entry *entry, struct ddp_flow *rule);

// An entry with a rule's keys, else zeroed, for the table of its shape. NULL: no memory.
struct ddp_flow_entry *ddp_flow_entry_create(struct ddp_flow_table *table,
					     const struct ddp_flow *rule);
// No thread may be looking at the entry any more.
void ddp_flow_entry_destroy(struct ddp_flow_table *table, struct ddp_flow_entry *entry);
// Make room for this entry, which is filled in. Until it is inserted or the room is given back no
// other may be. -ENOMEM.
int ddp_flow_table_reserve(struct ddp_flow_table *table, const struct ddp_flow_entry *entry);
void ddp_flow_table_unreserve(struct ddp_flow_table *table);
// In reserved room. Number and priority must not change from now on.
void ddp_flow_table_insert(struct ddp_flow_table *table, struct ddp_flow_entry *entry);
void ddp_flow_table_remove(struct ddp_flow_table *table, struct ddp_flow_entry *entry);
// The preferred entry with these values; NULL: there is none.
const struct ddp_flow_entry *ddp_flow_table_find(const struct ddp_flow_table *table,
						 const uint64_t *values);
// Free memory that the table outgrew. No thread may still read the table of the last insertion.
void ddp_flow_table_reclaim(struct ddp_flow_table *table);

// flow_build.c: compile n shapes against a program, which with its profile and the shapes' tables
// must outlive the set, in memory of the program's kind. NULL with errors in diag: a header or
// field that the profile does not have, an order of headers that it never parses.
struct ddp_flow_set *ddp_flow_set_build(const struct ddp_profile *profile,
					const struct ddp_program *program,
					const struct ddp_flow_shape *const *shapes, unsigned int n,
					struct ddp_diag *diag);
void ddp_flow_set_destroy(struct ddp_flow_set *set);

// Can packets of this packet type, an index in the program, match a rule of the set, whatever
// values it has? If not, none does. A packet whose end is cut off counts as whole.
bool ddp_flow_set_reaches(const struct ddp_flow_set *set, unsigned int type);

// The rule of an example packet: packets with the same headers are hashed by the bits of mask.
// n is at most DDP_FLOW_RAW_SIZE. The rule's names are the
// profile's. 0, or -EINVAL with the reason in error.
int ddp_flow_raw_rule(const struct ddp_profile *profile, const struct ddp_program *program,
		      const uint8_t *packet, const uint8_t *mask, unsigned int n,
		      struct ddp_flow *rule, char *error, size_t error_size);

// Whose RSS types a rule has.
enum ddp_flow_dialect {
	DDP_FLOW_ICE,  // as DPDK's ice and iavf drivers take them
	DDP_FLOW_I40E, // as its i40e driver does, where a profile stands in for a 700-series NIC
};

// flow_rss.c: add to a rule, whose headers are given, what its RSS types (RTE_ETH_RSS_* bits,
// attributes among them) say is hashed, and which packets that leaves. They are refused where the
// dialect's drivers refuse them. 0, or -EINVAL with the reason in error.
int ddp_flow_rss_apply(struct ddp_flow *rule, uint64_t types, enum ddp_flow_dialect dialect,
		       bool symmetric, char *error, size_t error_size);

// Data path.
void ddp_flow_match(const struct ddp_flow_set *set, const struct ddp_packet *packet,
		    const struct ddp_class *class, struct ddp_flow_hit *hit);
// The hashing by the hash rule of a hit; NULL: there is none.
const struct ddp_flow_hashing *ddp_flow_hashing_of(const struct ddp_flow_set *set,
						   const struct ddp_flow_hit *hit);
// As ddp_input_gather(), with the input set of the hash rule of a hit.
unsigned int ddp_flow_gather(const struct ddp_flow_set *set, const struct ddp_packet *packet,
			     const struct ddp_class *class, const struct ddp_flow_hit *hit,
			     enum ddp_hash_function function, uint8_t *input);
