/* SPDX-License-Identifier: BSD-3-Clause */
// Flow rules: patterns of headers and of values in them, over classified packets.
//
// A packet type says how its packets are hashed; a flow rule says so, or where to send them, for
// those packets that it picks out. A rule names headers in packet order, as rte_flow does, and
// begins with the packet's first; it matches every packet whose path begins so. Headers that an
// rte_flow pattern leaves out are skipped: VLAN tags, the frame in GENEVE, IPv6 extension headers,
// GTP-U extension headers other than the PDU session container, PPP behind PPPoE.
//
//	flows = ddp_flow_set_build(profile, program, rules, n, &diag);
//	ddp_classify(program, &packet, &class);
//	ddp_flow_match(flows, &packet, &class, &hit);
//
// Rules are compiled against one program. Names are resolved then, paths become an automaton, and
// rules that look at the same fields under the same masks share a hash table: thousands of TEIDs
// cost one lookup.
#ifndef DDP_CLASSIFY_FLOW_FLOW_H
#define DDP_CLASSIFY_FLOW_FLOW_H

#include "classify/classify.h"
#include "profile/profile.h"

#define DDP_FLOW_ITEMS 24     // headers of one rule
#define DDP_FLOW_MATCHES 24   // values of one rule
#define DDP_FLOW_RAW_SIZE 256 // bytes of a packet that stands for others

// A place in a header: a field of the profile, or, where field is NULL, width bits from the
// header's bit on (beyond DDP_FLOW_PAYLOAD: from the header's end on).
struct ddp_flow_field {
	uint8_t item; // index of the header in the rule
	const char *field;
	uint16_t bit, width; // width 0: the whole field; else its leading bits
	bool spare;          // as the last to be hashed: left out where there is no room for it
};
#define DDP_FLOW_PAYLOAD 0x8000

// A value the packet must have there; mask 0 asks only that it has the field. negate: must not
// have.
struct ddp_flow_value {
	struct ddp_flow_field at;
	struct ddp_pattern pattern; // right-aligned
	bool negate;
};

// Rules of one stage compete: of those that match, the one that is last in the list is the one.
enum ddp_flow_stage {
	DDP_FLOW_HASH,  // says how to hash
	DDP_FLOW_STEER, // says what becomes of the packet
	DDP_FLOW_STAGES,
};

// A rule. All memory is the caller's.
struct ddp_flow {
	enum ddp_flow_stage stage;
	bool exact;    // no header is skipped
	bool ends;     // the last header is the packet's last
	bool optional; // where no packet can have these headers the rule is left out
	unsigned int n_items, n_values, n_inputs;
	const char *items[DDP_FLOW_ITEMS]; // names of headers; none: every packet
	struct ddp_flow_value values[DDP_FLOW_MATCHES];
	struct ddp_flow_field inputs[DDP_MAX_INPUT_SIZE]; // what is hashed, in order
};

struct ddp_flow_hit {
	int32_t rules[DDP_FLOW_STAGES]; // index in the list, -1 for none
};

struct ddp_flow_set;

// More rules that are meant where a rule names GTP-U: behind GRE, if it does not say so, and with
// whatever version of IP in GRE. Returns how many; they have the rule's values and inputs.
#define DDP_FLOW_VARIANTS 2
unsigned int ddp_flow_gre_variants(const struct ddp_flow *rule,
				   struct ddp_flow variants[DDP_FLOW_VARIANTS]);

// Is the header at item such an IP header behind GRE, of which the rule means both versions?
bool ddp_flow_gre_either(const struct ddp_flow *rule, unsigned int item);

// Compile n rules against a program, which with its profile must outlive the set, in memory of the
// same kind. NULL with errors
// in diag: a header or field that the profile does not have, an order of headers that it never
// parses.
struct ddp_flow_set *ddp_flow_set_build(const struct ddp_profile *profile,
					const struct ddp_program *program,
					const struct ddp_flow *const *rules, unsigned int n,
					struct ddp_diag *diag);
void ddp_flow_set_destroy(struct ddp_flow_set *set);

// The rule of a packet that stands for others like it: those with the same headers are hashed at
// the places where mask has bits. n is at most DDP_FLOW_RAW_SIZE. The rule's names are the
// profile's. 0, or -EINVAL with the reason in error.
int ddp_flow_raw_rule(const struct ddp_profile *profile, const struct ddp_program *program,
		      const uint8_t *packet, const uint8_t *mask, unsigned int n,
		      struct ddp_flow *rule, char *error, size_t error_size);

// Data path.
void ddp_flow_match(const struct ddp_flow_set *set, const struct ddp_packet *packet,
		    const struct ddp_class *class, struct ddp_flow_hit *hit);
// As ddp_input_gather(), with the input set of a rule.
unsigned int ddp_flow_gather(const struct ddp_flow_set *set, const struct ddp_packet *packet,
			     const struct ddp_class *class, int32_t rule,
			     enum ddp_hash_function function, uint8_t *input);

#endif
