/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of the path cache: its entries, and the selection of one.
//
// An entry says of the packet's first bytes: these bits have these values; these 16-bit words are
// (or are not) in a table; there are at least so many bytes. Up to 16 entries are compared at once
// by the few bytes in which they differ; if there are more, a tree reads some bytes first and names
// such a bucket. The entry is compared in full, so guesses affect speed only.
#pragma once

#include <rte_mbuf_core.h>

#include "cache.h"
#include "classify/flow/flow_set.h"
#include "classify/run/walk.h"

// Functions that run for each packet: compilers find some of them too long to inline. A sanitizer
// adds its checks to each copy, and compiling all copies takes 40 times as long.
#ifdef DDP_SANITIZED
#define INLINE static inline
#else
#define INLINE static inline __attribute__((always_inline))
#endif

#define CACHE_ENTRIES 1024 // entries; the first matches nothing
#define CACHE_SLOTS 65536  // nodes of the tree; the first CACHE_ENTRIES are its leaves
#define CACHE_DEPTH 12     // nodes from the root to a leaf, at most
#define CACHE_SPECIALS 4   // nodes on that way that split off a single entry, at most
#define CACHE_WINDOWS 8    // windows of an entry: parts of a packet that are compared
#define CACHE_WINDOW 32    // bytes of a window
#define CACHE_PAIRS 8      // pairs of 16-byte pieces, if entries differ between packets
#define CACHE_BUCKET 16    // entries of a bucket, which are compared at once
#define CACHE_HINT 4       // bytes that distinguish an entry from the others of its bucket
#define CACHE_BLOCKS 3     // 16-byte blocks of the packet that have the hints of a bucket
#define CACHE_ANYWHERE 128 // bytes of a packet that hints may be in, with AVX-512
#define CACHE_BUCKETS 1024 // buckets of entries
#define CACHE_GROUPS 4     // groups of steering rules in which an entry's packets are searched
#define CACHE_KEYS 4       // fields of such a group
#define CACHE_LINES 4      // lines of a packet that a selection may read
#define CACHE_NEAR 2       // lines of a packet that are prefetched
#define CACHE_NEED 4       // pairs or lines of a packet that are counted, at most
#define CACHE_SIDES 16     // fields of pairs, for a symmetric hash

// Bytes of the packet on their way to a 16-byte block of the row that is hashed.
struct cache_gather {
	uint8_t from[16]; // offset from byte, 0x80: 0
	uint8_t byte;
};

// Words of the packet that must all differ from these: 16 of them, within 16 bytes.
struct cache_exclusion {
	uint8_t from[32];   // of the words' bytes: offset from where the exclusion begins, 0x80: 0
	uint16_t words[16]; // as they lie in the packet
};

// With AVX-512: any bytes of the packet, two a word; then the words' results are compared with what
// is expected. The first 16 are the first block of the row, if there is room: their mask is 0,
// their value says which bytes of the block are the packet's. Then come bytes that must have a
// value, then words that must not.
struct cache_selection {
	uint8_t from[64]; // bytes of the packet
	uint8_t value[64], mask[64];
};
#define CACHE_SELECT_ROW 16  // bytes of the row's first block
#define CACHE_SELECT_SIZE 62 // bytes that are compared, the block included
#define CACHE_SELECT_MORE 31 // word that is never compared: its bit in expect is free for a flag

// A window, or a pair of pieces.
struct cache_bits {
	uint8_t mask[CACHE_WINDOW], value[CACHE_WINDOW];
};

// One byte to hash, where fields do not lie in whole bytes.
struct cache_byte {
	uint16_t byte;
	uint8_t shift, mask; // of the two bytes there, as a big-endian number
};

// A field in the row and the other one of its pair: see pair_put().
struct cache_side {
	uint8_t at, other, size;
};

// The bits of a key: some bits of an 8-byte word of the packet, as a big-endian number. For a long
// key these are the lower 64 bits; the others are the first bits of another word.
struct cache_key {
	uint8_t high, low;        // bytes
	uint8_t low_up, low_down; // shifts that leave its bits: first this way, then that
	uint8_t high_down;
	bool is_long;
};

struct cache_lookup {
	const struct flow_group *group;
	struct cache_key keys[CACHE_KEYS];
};

// All conditions of an entry: the source of pieces and exclusions, for the tree.
struct cache_cond {
	uint8_t mask[TRACE_REACH], value[TRACE_REACH];
	uint16_t n_lists, n_words;
	uint16_t list_bytes[TRACE_WORDS];        // offsets of words that must be none of a list
	uint16_t lists[TRACE_WORDS][TRACE_LIST]; // as they lie in the packet
	struct {
		const uint64_t *holds;
		uint32_t byte, expect;
	} words[TRACE_WORDS];
};

// Work that few entries need for their packets.
enum cache_extra {
	CACHE_FAIL = 1 << 0,   // interpret it
	CACHE_PIECES = 1 << 1, // compare further pairs
	CACHE_ODD = 1 << 2,    // any other rare work
	CACHE_LONGER = 1 << 3, // more than one block is hashed
	CACHE_APART = 1 << 4,  // the selection has no room for the first block of the row
	CACHE_FAR = 1 << 5,    // select from more lines than are loaded of all packets
	CACHE_MORE = 1 << 6,   // any of these five
	CACHE_RARE = CACHE_PIECES | CACHE_ODD | CACHE_APART, // few packets are so
};

// The members for packets of many entries come first, in as few cache lines as possible: a cache of
// many paths waits for these. For packets of one entry, windows hold the bits of pairs.
struct cache_entry {
	struct ddp_verdict verdict;
	uint16_t min_len; // bytes the first segment must have
	uint16_t reach;   // bytes that are read, but for whole lines; those from min_len on play no
			  // part
	uint8_t pieces[CACHE_PAIRS][2]; // their offsets
	struct cache_gather gather;     // of the first block
	uint8_t extra;                  // enum cache_extra
	uint8_t exclusion_byte;         // offset of the first of the exclusions
	// Of the selection: bit i if word i must match; CACHE_SELECT_MORE if extra is 0.
	uint32_t expect;

	struct cache_selection selection __attribute__((aligned(64)));
	struct cache_gather blocks[2]; // of the row, behind the first
	struct cache_bits pairs[CACHE_PAIRS] __attribute__((aligned(64)));

	struct cache_bits windows[CACHE_WINDOWS];
	struct cache_exclusion exclusions[TRACE_WORDS];
	uint8_t offs[CACHE_WINDOWS];          // offsets of windows
	uint8_t exclusion_bytes[TRACE_WORDS]; // offsets of exclusions
	uint8_t n_pairs;
	uint8_t n_windows;
	uint8_t n_lines;      // lines of the packet that the selection reads
	uint8_t n_exclusions; // that matter; the others forbid nothing
	bool odd;             // take bytes, not gathers
	bool partial; // the selection has no room for it: compare pieces and exclusions instead
	bool has_row; // the selection has the first block of the row, too

	struct cache_gather second; // of the first block, too
	bool has_second;
	uint8_t n_lookups;
	bool used;                          // lately
	uint8_t n_needed;                   // pairs or lines that it needs; CACHE_NEED: or more
	const struct ddp_flow_entry *steer; // rule whatever the lookups say, NULL for none
	struct cache_lookup lookups[CACHE_GROUPS];
	struct cache_byte bytes[DDP_HASH_INPUT_MAX];
	struct cache_cond cond;
	uint8_t n_sides;
	struct cache_side sides[CACHE_SIDES];
} __attribute__((aligned(64)));

// None of its words is anywhere.
static inline void cache_exclusion_clear(struct cache_exclusion *exclusion) {
	memset(exclusion->from, 0x80, sizeof(exclusion->from));
	memset(exclusion->words, 0xff, sizeof(exclusion->words));
}

static inline const uint8_t *cache_bytes(const struct rte_mbuf *mbuf) {
	return (const uint8_t *)mbuf->buf_addr + mbuf->data_off;
}

static inline const struct cache_entry *cache_entry_of(const struct ddp_verdict *verdict) {
	return (const struct cache_entry *)verdict;
}
static_assert(offsetof(struct cache_entry, verdict) == 0, "an entry begins with its verdict");
static_assert(offsetof(struct cache_entry, selection) == 64, "the members read first are one line");

// Up to CACHE_BUCKET entries, compared at once: the first one whose hint fits. The last has no
// hint, so that one fits always. The bytes of the hints are gathered from few blocks of the packet.
struct cache_bucket {
	uint8_t offs[CACHE_BLOCKS];                      // offsets of the blocks
	uint8_t pools[CACHE_BLOCKS][16];                 // offset in the block, 0x80: 0
	uint16_t indexes[CACHE_BUCKET];                  // indexes of the entries, 0: no more
	const struct ddp_verdict *entries[CACHE_BUCKET]; // verdicts of these
	// Bytes of the pool; with AVX-512 of the packet.
	struct cache_selection hints __attribute__((aligned(64)));
};
static_assert(sizeof(struct cache_selection) == 3 * CACHE_HINT * CACHE_BUCKET, "all hints fit");

// A node of the tree: the first of its children, and the bits of a byte of the packet that choose
// one. A leaf has itself as its only child; its index is that of the entry or bucket.
typedef uint64_t cache_node;

static inline cache_node cache_node_make(uint32_t first, uint8_t byte, uint8_t shift,
					 uint8_t n_bits) {
	return first | (uint64_t)byte << 32 | (uint64_t)shift << 40 | (uint64_t)n_bits << 48;
}

static inline uint32_t cache_node_child(cache_node node, const uint8_t *bytes) {
#ifdef __BMI__
	return (uint32_t)node + __builtin_ia32_bextr_u32(bytes[node >> 32 & 0xff], node >> 40);
#else
	return (uint32_t)node +
	       (bytes[node >> 32 & 0xff] >> (node >> 40 & 0xff) & ((1u << (node >> 48)) - 1));
#endif
}

struct cache_kernel {
	// Which of n packets the entry does not match: bit i for packet i. Rows are filled for all.
	uint64_t (*one)(const struct ddp_cache *cache, const struct cache_entry *entry,
			struct rte_mbuf *const *mbufs, unsigned int n, struct ddp_burst *burst);
	// Like one(), with the entry that is guessed for each packet from first on; burst->verdicts
	// gets the verdicts. The comparison that most packets need runs first. Its results are
	// stored one by one and read many at a time in many_end(), which waits until they have
	// reached the cache: rows' heads can be hashed between, unless burst->heads_changed.
	void (*many_begin)(const struct ddp_cache *cache, struct rte_mbuf *const *mbufs,
			   unsigned int first, unsigned int n, struct ddp_burst *burst);
	uint64_t (*many_end)(const struct ddp_cache *cache, struct rte_mbuf *const *mbufs,
			     unsigned int first, unsigned int n, struct ddp_burst *burst);
};

struct ddp_cache {
	enum ddp_isa isa;
	enum ddp_cache_mode mode;
	uint64_t policy;              // that the entries are for
	struct ddp_cache_stats stats; // but for entries

	// from here to the entries all is 0 when a policy begins
	uint16_t last; // entry of the last burst, if that was all of one
	bool clean;    // and all packets of the last burst that was tried were of it

	// of all entries in the tree
	uint16_t reach;
	uint8_t n_pairs; // that are compared for all
	uint8_t n_lines; // that are loaded for all
	uint8_t extra;   // enum cache_extra of any of them
	bool any_xor, any_symmetric;
	uint8_t head_words; // 4-byte words hashed of all packets,
	uint8_t most_words; // and in all
	uint8_t depth;
	bool wide; // some buckets have more entries than half of their slots
	cache_node root;

	uint16_t n_entries;      // the first included
	uint16_t n_treed;        // of them in the tree
	uint32_t untreed_misses; // since an entry was made that is not in the tree

	// statistics of the traffic
	uint32_t window_packets, window_misses, window_entries;
	uint32_t sampled[CACHE_NEED + 1]; // sampled packets by the pairs or lines that they need
	uint32_t sampled_rare;            // sampled packets that need rare work
	uint8_t common;          // pairs or lines that enough packets need; 0: not yet known
	bool rare;               // enough packets need rare work, so it is done without a check
	uint32_t tokens;         // entries that may still be made
	uint32_t pause, waiting; // windows without learning: of the last pause; left of it
	uint32_t n_tried;        // entries whose trial is over
	uint32_t sample;
	bool to_evict;
	uint32_t bypass; // packets still to be interpreted without a lookup

	uint32_t n_slots, n_buckets;
	uint32_t tree_work; // cost of the tree in reads of an entry's byte: some 10 ns each
	struct cache_entry entries[CACHE_ENTRIES];
	struct cache_bucket buckets[CACHE_BUCKETS];
	cache_node slots[CACHE_SLOTS];
	uint16_t scratch[16 * CACHE_ENTRIES];
};

static inline bool cache_has_selections(enum ddp_isa isa) {
	return isa == DDP_ISA_AVX512;
}

// Portable C cannot compare several slots at once; its tree leads to single entries.
static inline bool cache_has_buckets(const struct ddp_cache *cache) {
	return cache->isa >= DDP_ISA_V2;
}

extern const uint8_t cache_zeros[TRACE_REACH + 64];

extern const struct cache_kernel cache_kernel_scalar, cache_kernel_v2, cache_kernel_v3,
	cache_kernel_avx512;

// cache_entry.c: the input set of a packet, which is *program's, by the rule that matched it or its
// type. NULL: it is not hashed. trace may be NULL.
const struct prog_set *cache_set_choose(const struct ddp_policy *policy,
					const struct ddp_packet *packet,
					const struct ddp_class *class,
					const struct ddp_flow_hit *hit, struct trace *trace,
					const struct ddp_program **program);
// Make an entry of a packet that was interpreted, with this verdict. false: it cannot be one.
bool cache_entry_make(struct cache_entry *entry, enum ddp_isa isa, const struct ddp_policy *policy,
		      const struct ddp_packet *packet, const struct ddp_class *class,
		      const struct ddp_verdict *own, struct trace *trace);

// cache_steer.c: find the rules that steer a part of a burst. Memory answers between the two.
struct cache_probe {                        // the key of one packet
	const struct flow_buckets *buckets; // which the hash is for
	uint64_t hash;
	uint64_t values[2 * CACHE_KEYS];
	const struct ddp_flow_entry *guess; // after it was fetched: probably its rule
};

struct cache_steering {
	const struct ddp_policy *policy;
	struct rte_mbuf *const *mbufs;
	unsigned int first, n;
	uint64_t misses; // bit i for packet first + i, which has no entry
	struct ddp_burst *burst;

	// for the implementation
	const struct cache_entry *entry;    // of all these packets; NULL: they have several
	unsigned int n_lookups;             // the most that any packet needs
	bool fetched;                       // the rules, as far as they could be guessed
	const struct flow_buckets *buckets; // of all these packets, if one number is looked up
	struct cache_probe probes[DDP_BURST_MAX];
};

void cache_steer_begin(struct cache_steering *s, const struct ddp_policy *policy,
		       struct rte_mbuf *const *mbufs, unsigned int first, unsigned int n,
		       uint64_t misses, struct ddp_burst *burst);
void cache_steer_end(struct cache_steering *s);

// cache_tree.c: all entries into a tree.
void cache_tree_build(struct ddp_cache *cache);
// At the end of a sample: do the work for all packets that enough of them needed.
void cache_common_renew(struct ddp_cache *cache);
