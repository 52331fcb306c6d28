/* SPDX-License-Identifier: BSD-3-Clause */
// From a packet to its packet type.
//
// A program is a profile in the form the data path uses: flat tables, with names for output only.
// It never changes once built, so any number of threads may use one at once; the caller frees it
// when no thread uses it (net_ddp exchanges programs under its lower queues' locks).
//
//	program = ddp_program_build(profile, &diag);
//	struct ddp_packet packet = { .data = bytes, .first_len = n, .len = n };
//	struct ddp_class class;
//	ddp_classify(program, &packet, &class);
//	printf("%s\n", ddp_program_type(program, class.type)->name);
#pragma once

#include "profile/profile.h"
#include "rss/rss.h"

struct ddp_program;

#define DDP_MAX_HEADERS 64 // headers of one packet that are read
#define DDP_MAX_STEPS 128  // headers, hidden ones included: every walk ends here at the latest
#define DDP_TYPE_NONE UINT16_MAX

// A packet. The first first_len bytes are at data; read fetches the bytes behind them (further mbuf
// segments): it returns len bytes from off, either where they are or copied to buf.
struct ddp_packet {
	const uint8_t *data;
	uint32_t first_len;
	uint32_t len;
	const void *(*read)(const void *ctx, uint32_t off, uint32_t len, void *buf);
	const void *ctx;
};

enum ddp_status {
	DDP_STATUS_OK,
	DDP_STATUS_TRUNCATED, // the packet ends inside a header
	DDP_STATUS_MALFORMED, // a header contradicts itself (a length too small for its own fields)
	DDP_STATUS_TOO_DEEP,  // more than DDP_MAX_HEADERS headers or DDP_MAX_STEPS steps
};

// A header found in the packet.
struct ddp_seen {
	uint8_t node;   // index in the profile's and the program's headers
	uint8_t groups; // bit g: its optional group g is present
	bool fragment;  // an IP header of a fragmented datagram
	uint16_t len;
	uint16_t off; // bytes from the packet's start
	// Used inside: of DPDK's packet type and of the path automaton, after this header.
	uint32_t layers;
	uint16_t state;
};

struct ddp_class {
	uint16_t type;         // index of the packet type in the program, DDP_TYPE_NONE
	uint16_t type_id;      // its id, 0 for none
	uint8_t status;        // enum ddp_status
	uint8_t n_seen;        // headers found, hidden ones too
	uint8_t n_matched;     // the first so many make up the packet type
	uint16_t l3_off;       // of the first IP header of the type, UINT16_MAX for none
	uint16_t inner_l3_off; // of the last IP header of the type where it is not the first, else
			       // UINT16_MAX
	uint32_t rte_ptype;    // RTE_PTYPE_* for the mbuf
	uint32_t value;        // the type's extracted field, 0 where absent
	int16_t inner_l3;      // index in seen of the last IP header of the type, -1 for none
	uint16_t offsets[DDP_OFFSETS]; // packages: of these protocols, UINT16_MAX: absent
	bool encapsulated; // more than Ethernet header and VLAN tags precede the last IP header of
			   // the type
	bool unhashed;     // regardless of the type's input sets (packages: tunnels' OAM packets)
	struct ddp_seen seen[DDP_MAX_STEPS];
};

// A header and a packet type for output. Strings live as long as the program.
struct ddp_node_info {
	const char *token; // the name in a path
	bool hidden;       // not part of the chain
};

struct ddp_type_info {
	const char *name;
	uint16_t id;        // from the profile
	uint32_t rte_ptype; // of its shortest path; 0 where unknown
	uint64_t rss_hf;    // all bits its input sets know
	bool hashed;        // has an input set
};

// Compile a checked profile. NULL with errors in diag: two types of one path, too complex a path.
struct ddp_program *ddp_program_build(const struct ddp_profile *profile, struct ddp_diag *diag);
void ddp_program_destroy(struct ddp_program *program);
// The memory that a program was built in; objects that are used with it belong there, too.
const struct ddp_memory *ddp_program_memory(const struct ddp_program *program);

unsigned int ddp_program_n_types(const struct ddp_program *program);
const struct ddp_type_info *ddp_program_type(const struct ddp_program *program, uint16_t type);
const struct ddp_node_info *ddp_program_node(const struct ddp_program *program, uint8_t node);
uint64_t ddp_program_rss_hf(const struct ddp_program *program); // bits known to any type

// The most that a packet can cost, in steps: a value compared, an operation of an expression, a
// header looked at in the search for an earlier one. That is what the interpreter does for packets
// whose path no path cache knows, which a sender can always send.
#define DDP_COST_MAX 50000 // `ddpctl check` warns above it: at up to 2 ns a step, 100 us a packet

struct ddp_cost {
	uint32_t steps;        // of a packet; UINT32_MAX: or more
	uint8_t header;        // the node that takes most,
	uint32_t header_steps; // once, after as many headers as there can be
};

// Of a profile and its program. -ENOMEM.
int ddp_program_cost(const struct ddp_program *program, const struct ddp_profile *profile,
		     struct ddp_cost *cost);

// Data path: never allocates, fails or reads outside the packet.
void ddp_classify(const struct ddp_program *program, const struct ddp_packet *packet,
		  struct ddp_class *class);

// For truncated packets: whether the program reads bytes before it is known that they matter, as
// the model of a package does. Otherwise each byte that is read affects the result.
bool ddp_program_reads_ahead(const struct ddp_program *program);
// As ddp_classify(), and how many of the packet's bytes, from the first on, were looked at.
// UINT32_MAX: the packet's end decided, or it is not known.
uint32_t ddp_classify_reach(const struct ddp_program *program, const struct ddp_packet *packet,
			    struct ddp_class *class);

// Input sets (plugin/rss hashes what this gathers). Copy the bytes to hash for a classified packet
// to input, which has room for DDP_MAX_INPUT_SIZE (48), zero-padded to a multiple of 4. rss_hf
// decides which sets apply if the profile is by_rss_hf; a symmetric function has both fields of a
// source/destination pair replaced, see rss/rss.h. Returns the number of bytes before padding, 0
// for "not hashed".
unsigned int ddp_input_gather(const struct ddp_program *program, const struct ddp_packet *packet,
			      const struct ddp_class *class, uint64_t rss_hf,
			      enum ddp_hash_function function, uint8_t *input);

// For output: the fields of the input set chosen and the extracted fields, in order, without
// repeats. Calls fn with the name as the profile writes it and the field's bits, right-aligned in
// 16 bytes, big endian. Control path.
typedef void (*ddp_field_fn)(void *arg, const char *name, unsigned int width,
			     const uint8_t value[16]);
void ddp_fields_each(const struct ddp_program *program, const struct ddp_packet *packet,
		     const struct ddp_class *class, uint64_t rss_hf, ddp_field_fn fn, void *arg);
