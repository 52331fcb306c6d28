/* SPDX-License-Identifier: BSD-3-Clause */
// The decoded tables of a parser, in the order of their search. Private to e810_*.c.
//
// Bits of an entry are counted from its least significant one; bits of a packet and of the register
// file from the most significant one of byte 0, as in protocol drawings.
#pragma once

#include <assert.h>
#include <rte_debug.h>

#include "base/arena.h"
#include "e810_rss.h"

#define E810_HEAD 32 // packet bytes in registers, from the header offset on

#define E810_N_PCS 192       // instructions
#define E810_N_BOOST 256     // entries of the boost TCAM
#define E810_NO_MARKER 71    // id of no marker
#define E810_NO_PROTOCOL 255 // id of no protocol

// The register file, 16 bits each. An ALU's source may go on behind it: 16 more, which are 0.
enum e810_register {
	REG_HEAD = 64, // 16 registers: the packet from the header offset on
	REG_ERRORS = 84,
	REG_FLAGS = 104, // 4 registers
	REG_TSR = 108,
	REG_NODE = 109,
	REG_OFFSET = 110,
	REG_PC = 111,
	N_REGS = 128,
	N_REGS_READ = 160,
};

enum alu_opcode {
	ALU_MOVE_ADD = 1,
	ALU_ADD = 2,
	ALU_MOVE_XOR = 9,
	ALU_SET_IF_EQUAL = 19,
	ALU_OR_IF_EQUAL = 21,
	ALU_OR_IF_LESS = 30,
	ALU_NOTHING = 255, // all others have no effect
};

enum alu_po {
	PO_HERE,
	PO_ADD,
	PO_SUBTRACT,
	PO_KEEP,
};

enum alu_target {
	TARGET_NONE,
	TARGET_FLAG,
	TARGET_ERROR,
};

// Bits of the register file: at most 32 from bit start on.
struct bits {
	uint16_t start;
	uint8_t len;
};

struct alu {
	uint8_t opcode;
	uint8_t po_op, po;
	struct bits src;
	uint8_t src_mask; // of the source as a number; an ALU has 8 bits
	uint8_t shift;
	uint8_t dst;
	uint8_t branch;
	uint16_t imm;
	uint8_t target; // enum alu_target, of the conditional operations
	uint8_t target_bit;
	bool src_seen; // a traced result may depend on the source
	// Dedicated flags: with constant values, and with bits of the packet.
	uint64_t flags, flag_values;
	uint8_t copy_to;
	struct bits copy_from;
};

enum key_op {
	KEY_BITS,
	KEY_REGISTERS,
	KEY_ZERO,
	KEY_ONES,
};

// A key builder makes the search key of the parse graph.
struct key_builder {
	uint8_t op;
	struct bits bits;
	uint8_t low, high; // registers; beyond the file they are 0
	uint8_t alu;       // register
	uint8_t n_flags;
	struct {
		uint8_t flag, bit;
	} flags[4];       // parser flag and its bit in the key
	uint8_t priority; // the parse graph is before ALU `priority`
};

// An instruction, or an entry of the boost TCAM that replaces parts of one.
struct instruction {
	uint8_t boost; // parts that a hit replaces: bit k is ALU k, bit 3 the key builder
	bool use_tsr;
	uint8_t constant;
	uint16_t address; // of the boost TCAM entry
	uint8_t index;
	struct key_builder key;
	struct alu alus[3];
};

// A row of the boost TCAM: 19 packet bytes from the header offset on, in three words.
#define BOOST_WORDS 3
#define BOOST_BYTES 19
struct boost_row {
	uint64_t value[BOOST_WORDS], care[BOOST_WORDS];
};

struct boost_bucket {
	uint16_t first, n; // of boost_lists
};

// The state of a key: node, flags, boost index and ALU value; or markers 0 to 63.
typedef uint64_t graph_state;

static inline graph_state graph_state_of(uint16_t node, unsigned int flags, uint8_t boost,
					 uint16_t alu) {
	return node | flags << 16 | (uint64_t)boost << 20 | (uint64_t)alu << 32;
}

struct graph_slot {
	graph_state state;
	uint32_t next;  // next-protocol key; 0 in the no-match table; or the other markers
	uint32_t entry; // 0: empty; else 1 + index in graph, or in marker_rows
};

// A hash table with open addressing, at least half empty.
struct graph_hash {
	struct graph_slot *slots;
	uint32_t mask;
};

static inline uint32_t graph_hash_of(graph_state state, uint32_t next) {
	uint64_t h = state * UINT64_C(0x9e3779b97f4a7c15) ^ next * UINT64_C(0xc2b2ae3d27d4eb4f);

	return (h ^ h >> 29) >> 17;
}

static inline const struct graph_slot *graph_find(const struct graph_hash *hash, graph_state state,
						  uint32_t next) {
	for (uint32_t i = graph_hash_of(state, next);; i++) {
		const struct graph_slot *slot = &hash->slots[i & hash->mask];

		if (slot->entry == 0)
			return NULL;
		if (slot->state == state && slot->next == next)
			return slot;
	}
}

struct marker_row {
	uint64_t value, care;
	uint8_t value_high, care_high;
	uint16_t ptype;
	uint16_t address;
};

struct e810_parser {
	struct ddp_arena *arena; // owns the parser
	const struct ddp_package *package;

	uint16_t first_tsr, first_offset, first_node, first_pc;
	uint64_t first_flags;

	struct instruction instructions[E810_N_PCS + E810_N_BOOST]; // followed by the boost TCAM
	struct boost_row boost_rows[E810_N_BOOST];
	unsigned int n_boosts;
	struct boost_bucket buckets[256]; // by byte 19 of the key
	uint8_t *boost_lists;             // indexes of boosts in file order

	struct e810_edge *graph; // only the first entry of each key
	unsigned int n_graph;
	struct graph_hash match, no_match;

	// In file order: the first match decides. Rows with all care bits are in a hash table.
	struct marker_row *marker_rows;
	unsigned int n_marker_rows;
	struct graph_hash markers;
	uint16_t *marker_wild; // indexes
	unsigned int n_marker_wild;

	// By parser flag: packet flags that it sets, and 16 flags each of the blocks RSS, FD, SW.
	uint64_t flag_packet[64], flag_blocks[64];

	uint64_t seen_flags; // parser flags on which a traced result may depend
	bool writes_head;    // an ALU writes the registers that hold the packet

	const char *ptype_names[E810_N_PTYPES];
	uint64_t ptype_used[E810_N_PTYPES / 64];
};

#define FLAG_BLOCK_RSS 0 // first bit of the flags of a block
#define FLAG_BLOCK_FD 16
#define FLAG_BLOCK_SW 32

// The n bits of an entry from bit first on.
static inline uint64_t entry_bits(const uint8_t *entry, unsigned int first, unsigned int n) {
	uint64_t v = 0;

	assert(n > 0 && n <= 57);
	for (unsigned int i = first / 8; i <= (first + n - 1) / 8; i++)
		v |= (uint64_t)entry[i] << 8 * (i - first / 8);
	return v >> first % 8 & ((UINT64_C(1) << n) - 1);
}

// Decode n bytes of a ternary key and its inverse: care bits must equal value. false: a bit cannot.
static inline bool ternary_decode(const uint8_t *key, const uint8_t *inverse, unsigned int n,
				  uint8_t *value, uint8_t *care) {
	for (unsigned int i = 0; i < n; i++) {
		if ((key[i] | inverse[i]) != 0xff)
			return false;
		care[i] = key[i] ^ inverse[i];
		value[i] = inverse[i] & care[i];
	}
	return true;
}

// Decode the boost TCAM with ports and VLAN mode, inside of ddp_arena_run(), with errors in diag.
void e810_decode_boost(struct e810_parser *parser, const struct e810_config *config,
		       struct ddp_diag *diag);
// Decode the common part of instructions and boost entries, which begins `first` bits later.
void e810_decode_instruction(const uint8_t *entry, unsigned int first,
			     struct instruction *instruction);

void e810_names_init(struct e810_parser *parser);

/* The RSS block: e810_rss.c makes it, run/e810_result.c reads it */

#define N_GROUPS 256  // groups of packet types
#define N_REQUESTS 14 // requests of the driver

enum ip {
	IP_V4,
	IP_V6,
};

enum e810_l4 {
	L4_NONE,
	L4_UDP,
	L4_TCP,
	L4_SCTP,
};

struct e810_request {
	uint64_t rss_hf;
	enum ip ip;
	enum e810_l4 l4;
	bool pppoe;
	const char *name;
};

// An entry of the package in the profile TCAM.
struct own_entry {
	uint16_t address;
	uint8_t value[5], care[5]; // flags, group, group of VSIs
	uint8_t profile;
};

struct e810_rss {
	const struct e810_parser *parser;
	const struct e810_request *requests; // all N_REQUESTS, in order
	uint64_t rss_hf;                     // requested types
	uint8_t groups[E810_N_PTYPES];       // by ptype
	uint16_t applicable[N_GROUPS];       // by group: bit r for request r
	const struct e810_table *vectors;    // of the package, by profile
	uint8_t redirection[256];
	unsigned int n_own;
	struct own_entry own[]; // by address; they precede the requests
};
