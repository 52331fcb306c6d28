/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of the path cache: its entries, and the tree that chooses one.
//
// An entry says of the packet's first bytes: these bits have these values; these 16-bit words are (or are
// not) in a table; there are at least so many bytes. The tree looks at a few bytes and names the one entry
// that may match. It only guesses: the entry is compared in full. So what the tree says decides about speed,
// never about results.
#ifndef DDP_CLASSIFY_CACHE_SET_H
#define DDP_CLASSIFY_CACHE_SET_H

#include <rte_mbuf_core.h>

#include "classify/cache.h"
#include "flow_set.h"
#include "program.h"

#define CACHE_ENTRIES 1024 // the first of them matches nothing
#define CACHE_SLOTS 65536  // of the tree; the first CACHE_ENTRIES are its leaves
#define CACHE_DEPTH 12
#define CACHE_SPECIALS 4
#define CACHE_WINDOWS 8 // pieces of a packet that are compared, each of 32 bytes (with AVX-512: 64)
#define CACHE_GROUPS 4  // groups of steering rules that an entry's packets are looked up in
#define CACHE_KEYS 4    // fields of each

// Bytes of the packet on their way to a 16-byte block of the row that is hashed.
struct cache_gather {
	uint8_t from[16]; // offset from byte, 0x80: 0
	uint8_t byte;
};

// One byte to hash, where fields do not lie in whole bytes or are XORed with each other.
struct cache_byte {
	struct {
		uint16_t byte;
		uint8_t shift, mask; // of the two bytes there, as a big-endian number
	} sources[2];
};

struct cache_lookup {
	const struct flow_group *group;
	uint16_t bits[CACHE_KEYS]; // where the keys are
};

// What most packets need comes first, in as few cache lines as it takes.
struct cache_entry {
	struct ddp_verdict verdict;
	uint16_t min_len;                // bytes the first segment must have
	uint16_t reach;                  // bytes that are read; those from min_len on play no part
	uint8_t windows[CACHE_WINDOWS];  // where they begin
	uint8_t list_bytes[TRACE_WORDS]; // where words are that must be none of a list
	struct cache_gather gather;      // of the first block
	bool odd;                        // take bytes, not gathers
	uint8_t n_windows;
	uint8_t n_lists; // that matter; the others never fit

	uint16_t lists[TRACE_WORDS][TRACE_LIST]
		__attribute__((aligned(64))); // as they lie in the packet
	uint8_t packed[64 * CACHE_WINDOWS];   // window by window: mask, value

	struct cache_gather second;    // of the first block, too
	struct cache_gather blocks[2]; // of the others
	bool has_second;
	uint8_t n_words; // that matter; the others always fit
	uint8_t n_lookups;
	bool used;     // lately
	int32_t steer; // rule whatever the lookups say, -1 for none
	struct {
		const uint64_t *holds; // all ones where there is none
		uint16_t byte;
		uint16_t expect;
	} words[TRACE_WORDS];
	struct cache_lookup lookups[CACHE_GROUPS];
	struct cache_byte bytes[DDP_HASH_INPUT_MAX];
	uint8_t mask[TRACE_REACH], value[TRACE_REACH]; // what windows are made of, for the tree
} __attribute__((aligned(64)));

// A node of the tree: the first of its children, and the bits of the packet that choose one. A leaf has
// itself as its only child; its place is the entry's.
typedef uint64_t cache_node;

static inline cache_node cache_node_make(uint32_t first, uint8_t byte, uint8_t shift, uint8_t bits) {
	return first | (uint64_t)byte << 32 | (uint64_t)shift << 40 | (uint64_t)bits << 48;
}

static inline uint32_t cache_node_child(cache_node node, const uint8_t *bytes) {
	return (uint32_t)node +
	       (bytes[node >> 32 & 0xff] >> (node >> 40 & 0xff) & (uint8_t)(node >> 48));
}

struct cache_kernel {
	// Which packets from first on, n of them, the entry does not match: bit i for packet first + i. Rows are
	// filled for all.
	uint64_t (*one)(const struct ddp_cache *cache, const struct cache_entry *entry,
			struct rte_mbuf *const *mbufs, unsigned int first, unsigned int n,
			struct ddp_burst *burst);
	// The same with the entry that the tree names, in burst->entries and burst->verdicts.
	uint64_t (*many)(const struct ddp_cache *cache, struct rte_mbuf *const *mbufs,
			 unsigned int first, unsigned int n, struct ddp_burst *burst);
};

struct ddp_cache {
	enum ddp_isa isa;
	enum ddp_cache_mode mode;
	const struct cache_kernel *kernel;
	uint64_t policy; // that the entries are for
	uint16_t last;   // entry of the last burst, if that was all of one

	// of all entries in the tree
	uint16_t reach;
	uint8_t n_windows, n_lists, n_words;
	bool any_second, any_odd, any_xor;
	uint8_t head_words; // 4-byte words hashed in the first block,
	uint8_t most_words; // and in all
	uint8_t depth;
	cache_node root;

	uint16_t n_entries;      // the first included
	uint16_t n_treed;        // of them in the tree
	uint32_t untreed_misses; // since an entry was made that is not in the tree

	// what the traffic does
	uint32_t window_packets, window_misses, window_entries;
	uint32_t tokens, token_bursts;
	uint32_t bypass; // packets still to be interpreted without a look
	uint32_t bypass_next;
	struct ddp_cache_stats stats;

	uint32_t n_slots;
	uint32_t tree_work; // that the tree took, in looks at a byte of an entry: some 10 ns each
	struct cache_entry entries[CACHE_ENTRIES];
	cache_node slots[CACHE_SLOTS];
	uint16_t scratch[16 * CACHE_ENTRIES];
};

// As ddp_cache_run_ahead() promises, while packet i is worked on.
static inline void cache_prefetch_next(const struct ddp_burst *burst, unsigned int i) {
	const char *bytes;

	if (burst->next == NULL)
		return;
	bytes = (const char *)burst->next[i] + burst->next_off;
	__builtin_prefetch(bytes);
	__builtin_prefetch(bytes + 64);
}

extern const uint8_t cache_zeros[TRACE_REACH + 64];
extern const uint64_t cache_ones[65536 / 64];

extern const struct cache_kernel cache_kernel_scalar, cache_kernel_v2, cache_kernel_v3,
	cache_kernel_avx512_256, cache_kernel_avx512;

// cache_entry.c: make an entry of a packet that was interpreted. false: it cannot be one.
bool cache_entry_make(struct cache_entry *entry, enum ddp_isa isa, const struct ddp_policy *policy,
		      const struct ddp_packet *packet, const struct ddp_class *class,
		      struct trace *trace);

// cache_tree.c: all entries into a tree.
void cache_tree_build(struct ddp_cache *cache);

#endif
