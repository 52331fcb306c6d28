/* SPDX-License-Identifier: BSD-3-Clause */
// A profile: the text a user writes, read, put together with the profiles it requires, and checked.
//
//	parse graph    headers, and for each the rules that say what follows it
//	packet types   named sets of paths through that graph
//	input sets     the fields hashed for a packet type
//
// ddp_profile_load() does everything; what it returns is complete, resolved (names are indexes) and
// safe to compile with ddp_program_build(). One thread at a time uses a profile.
#pragma once

#include <stddef.h>

#include "base/diag.h"

#define DDP_MAX_NODES 250      // headers in one parse graph
#define DDP_MAX_FIELDS 48      // fields of one header
#define DDP_MAX_GROUPS 8       // optional groups of one header
#define DDP_MAX_TYPES 1000     // packet types of all profiles together
#define DDP_MAX_INPUT_SIZE 48  // bytes hashed (Toeplitz with a 52-byte key covers no more)
#define DDP_MAX_LAYOUT_SIZE 64 // bytes of one header that a layout names, each side of "..."
// Tables together, named paths together, parameters of one profile: they are searched one by one.
#define DDP_MAX_NAMES 1000

// Expressions are in reverse Polish notation on a stack of 64-bit unsigned numbers. The checker has
// proved that the stack suffices and that no result is negative or wraps.
#define DDP_EXPR_STACK 16
#define DDP_EXPR_OPS 48

enum ddp_op {
	DDP_OP_CONST, // push value
	DDP_OP_FIELD, // push a field, 0 where it is absent
	DDP_OP_NOT,
	DDP_OP_ADD,
	DDP_OP_SUB,
	DDP_OP_MUL,
	DDP_OP_SHL,
	DDP_OP_SHR,
	DDP_OP_BIT_AND,
	DDP_OP_BIT_OR,
	DDP_OP_EQ,
	DDP_OP_NE,
	DDP_OP_LT,
	DDP_OP_LE,
	DDP_OP_GT,
	DDP_OP_GE,
	DDP_OP_AND,
	DDP_OP_OR,
};

// Which of several headers of one name a reference means.
enum ddp_which {
	DDP_WHICH_SELF,     // the header whose rule this is
	DDP_WHICH_NEAREST,  // in a header's rules: the last one before it
	DDP_WHICH_NTH,      // in packet types: the nth in the packet, from 1
	DDP_WHICH_INNER,    // in packet types: the first at or after the last IP header
	DDP_WHICH_OUTER,    // in packet types: the first before the second IP header
	DDP_WHICH_NTH_SEEN, // in flow rules: the nth of all headers found, from 1
	DDP_WHICH_OFFSET,   // in types of a model: at the nth offset that it finds
	// No field: the bytes from the last such header before the rule's to that one's end.
	DDP_WHICH_SINCE,
};

#define DDP_OFFSETS 7 // offsets that a model finds: the NIC hashes words counted from them

struct ddp_ref {
	uint8_t node; // index of the header
	uint8_t field;
	uint8_t which;    // enum ddp_which
	uint8_t nth;      // with DDP_WHICH_NTH
	uint8_t skip;     // leading bits that are not meant,
	uint16_t bits;    // and how many behind them are
	const char *name; // as written
};

struct ddp_expr_op {
	enum ddp_op op;
	uint64_t value;
	struct ddp_ref ref;
	bool hex; // value was written in hexadecimal
};

struct ddp_expr {
	struct ddp_expr_op *ops;
	unsigned int n_ops;
};

// One alternative of a match; numbers of up to 128 bits, right-aligned.
struct ddp_pattern {
	uint64_t value_hi, value_lo;
	uint64_t mask_hi, mask_lo;
};

// A field against a list of patterns: one of them fits (negate: none). False without the field.
struct ddp_match {
	struct ddp_ref ref;
	bool negate;
	bool hex; // values were written in hexadecimal
	struct ddp_pattern *patterns;
	unsigned int n_patterns;
};

// All matches true and the expression not 0. Empty: always true.
struct ddp_cond {
	struct ddp_match *matches;
	unsigned int n_matches;
	struct ddp_expr expr; // n_ops 0: none
};

enum ddp_anchor {
	DDP_FROM_START, // counted from the header's first bit
	DDP_FROM_END,   // counted back from the header's end: bit_off bits before it
	DDP_AHEAD,      // beyond the header: bit_off bits after its end
};

struct ddp_field {
	const char *name;
	struct ddp_place place;
	uint16_t width;   // bits, 1 to 128
	uint16_t bit_off; // without what optional groups before it add
	uint8_t anchor;   // enum ddp_anchor
	int8_t group;     // the optional group it belongs to, -1 for none
	uint8_t n_before; // groups (0 .. n_before - 1) that move it when they are present
	bool hex;         // a value it is compared with is written in hexadecimal
};

struct ddp_group {
	struct ddp_cond cond;
	uint16_t bits;
	struct ddp_text text; // while it is loaded: the layout from its '[' on
};

enum ddp_rule_kind {
	DDP_RULE_GOTO,   // cond -> target
	DDP_RULE_LOOKUP, // target from a table by key; a value that is not there: next rule
	DDP_RULE_STOP,   // cond -> the path ends here
};

struct ddp_rule {
	enum ddp_rule_kind kind;
	struct ddp_place place;
	const char *profile; // that wrote it
	bool attached;       // by another header's 'after'; comes behind the header's own rules
	unsigned int rank;   // its index in that 'after': first choices come before second ones
	struct ddp_cond cond;
	uint8_t target; // node
	uint16_t table; // with DDP_RULE_LOOKUP
	struct ddp_ref key;
};

struct ddp_yaml;

struct ddp_header {
	const char *name;    // also its token in a path
	const char *summary; // may be NULL
	const char *profile; // that defined it
	struct ddp_place place;
	bool is_first;      // a packet begins with it
	bool hidden;        // not part of a path (a choice, a control word)
	uint32_t rte_ptype; // its share of the mbuf's packet_type, an outer
			    // RTE_PTYPE_L2_/L3_/L4_/TUNNEL_ value
	struct ddp_field *fields;
	unsigned int n_fields;
	struct ddp_group *groups;
	unsigned int n_groups;
	uint16_t start_bits;      // layout before "...", without optional groups
	uint16_t end_bits;        // layout after "..."
	uint16_t ahead_bits;      // look-ahead
	bool broken;              // an error in the layout: fields behind it are missing
	bool open;                // layout has "...": length decides the size
	struct ddp_expr length;   // bytes; n_ops 0: the layout's own
	struct ddp_cond valid;    // false: malformed
	struct ddp_cond fragment; // true: part of a fragmented datagram
	bool can_fragment;        // fragment was given
	struct ddp_rule *rules;
	unsigned int n_rules;
	bool has_pair;
	uint8_t pair[2]; // fields exchanged between both directions (source, destination)
	uint32_t min_size, max_size; // bytes, proved
	const struct ddp_yaml *root; // while it is loaded; NULL: no map
};

struct ddp_table_entry {
	uint64_t value;
	uint8_t target; // node
	struct ddp_place place;
	const char *profile;
};

struct ddp_table {
	const char *name;
	const char *summary;
	const char *profile; // that declares it
	struct ddp_place place;
	bool hex;                        // a value is written in hexadecimal
	struct ddp_table_entry *entries; // sorted by value
	unsigned int n_entries;
};

// One way to hash a packet type.
struct ddp_input_set {
	struct ddp_cond cond; // on fields of the packet
	uint64_t rss_hf;      // RTE_ETH_RSS_* bits that select it, any of them; 0: no bit does
	struct ddp_ref *inputs;
	unsigned int n_inputs;
	unsigned int size; // bytes hashed
	struct ddp_place place;
};

// A path expression: a regular expression over headers.
enum ddp_path_kind {
	DDP_PATH_HEADER,   // one header
	DDP_PATH_SEQUENCE, // left, then right
	DDP_PATH_EITHER,   // left or right
	DDP_PATH_OPTIONAL, // left? (none or one)
	DDP_PATH_ANY,      // left* (none, one or more)
	DDP_PATH_SOME,     // left+ (one or more)
};

struct ddp_path {
	enum ddp_path_kind kind;
	uint8_t node; // header
	bool any;     // '_', any one header: alternatives, of which this is the outermost
	struct ddp_path *left, *right;
};

struct ddp_packet_type {
	const char *name;
	const char *summary; // may be NULL
	const char *profile;
	struct ddp_place place;
	uint16_t id; // of its packets: its index + 1, of a package the NIC's number; may be changed
	const struct ddp_path *path;
	int priority;               // higher wins where two types match one path
	struct ddp_cond cond;       // on fields of the packet
	uint32_t rte_ptype;         // layers that are not what its headers put together
	struct ddp_input_set *sets; // first that fits; none: not hashed
	unsigned int n_sets;
	struct ddp_ref *extract; // the first goes into the mbuf
	unsigned int n_extract;
};

struct ddp_profile_param {
	const char *name;
	const char *summary; // may be NULL
	const char *default_value;
	struct ddp_text *values; // the default, or all that were set; each ends with a NUL
	unsigned int n_values;
};

// The sets that a named input set gives to the packet types that fit a pattern.
struct ddp_named_entry {
	const char *types; // such as GTPU_IPV4*
	struct ddp_input_set *sets;
	unsigned int n_sets;
};

struct ddp_named_set {
	const char *name;
	const char *summary; // may be NULL
	bool chosen;         // its sets are those of the packet types
	struct ddp_named_entry *entries;
	unsigned int n_entries;
};

// A source of profiles: a specification (base/spec.h), or the text of a profile file.
struct ddp_source {
	const char *spec; // NULL: text
	const char *text; // size bytes
	size_t size;
};

struct profile_request;

// A profile file that takes part.
struct ddp_profile_part {
	const char *name;
	const char *file; // NULL: given as text
	const char *version;
	const char *summary;
	bool named;               // in a specification or as a text, not only required by another
	struct ddp_source source; // if named: its part of the specification, or a copy of the text
	struct ddp_profile_param *params;
	unsigned int n_params;
	struct ddp_named_set *input_sets;
	unsigned int n_input_sets;
	uint64_t requires; // bit i: parts[i], itself or through others
	// While it is loaded.
	bool by_rss_hf;
	const struct ddp_yaml *root; // NULL: of another format, without headers of its own
	const struct profile_request *request; // NULL: only required by another
};

// A file as it was when it was read.
struct ddp_profile_file {
	const char *requested; // the name or path in the request
	const char *path;
	uint64_t device, inode; // 0: not known
	const char *text;       // size bytes
	size_t size;
};

struct ddp_profile {
	const char *spec; // as given to ddp_profile_load(), sources joined by '+'; "base" for none
	struct ddp_profile_part *parts;
	unsigned int n_parts;
	const struct ddp_profile_part **named; // those named, in this order; no source: none
	unsigned int n_named;
	struct ddp_profile_file **files; // each requested name has its own
	unsigned int n_files;
	bool by_rss_hf;             // rss_hf chooses the fields (base alone, e810-comms)
	struct ddp_header *headers; // the first header of a packet is headers[first]
	unsigned int n_headers;
	uint8_t first;
	struct ddp_table *tables;
	unsigned int n_tables;
	struct ddp_packet_type *types;
	unsigned int n_types;
	struct ddp_arena *arena; // owns all of the above
	// The types come from a NIC's tables, and a model of these, not paths, finds them.
	bool modelled;
};

// Load the profiles of a specification (base/spec.h) and what they require. NULL loads base
// alone. A name without '/' is looked for as <name>.yaml in $DDP_PROFILE_PATH (colon-separated),
// then in the source tree's profiles/ when run from a build, then in <prefix>/share/ddp/profiles.
// Returns NULL when diag has errors (all that were found). Warnings alone do not fail.
struct ddp_profile *ddp_profile_load(const char *spec, struct ddp_diag *diag);
void ddp_profile_destroy(struct ddp_profile *profile);

// A number where Intel's tools want a package's: dd and six digits of name and version.
uint32_t ddp_profile_track_id(const char *name, const char *version);

// A further UDP destination port behind which a header follows, besides those that profiles name.
struct ddp_tunnel {
	const char *header;
	uint16_t port;
};

// A format other than YAML, see loader.h.
struct ddp_profile_format;

// The input of a load; fields that are not needed are 0.
struct ddp_load {
	// Several are loaded as one: specifications are joined as if by '+', and a text has the
	// name it gives itself, by which others require it. None: base. Messages call the file of
	// a text "<text>".
	const struct ddp_source *sources;
	unsigned int n_sources;
	const struct ddp_tunnel *tunnels; // one for a header that no profile has is left out
	unsigned int n_tunnels;
	// Files that were read for this profile are not searched and read again. NULL: none.
	const struct ddp_profile *former;
	struct ddp_profile_format *format;
	const struct ddp_memory *memory; // of the program that is made of it. NULL: the C library's
};

// Load a profile with all of these options.
struct ddp_profile *ddp_profile_read(const struct ddp_load *load, struct ddp_diag *diag);

// The name of the nth profile that a source stands for, from 0, which need not be any good; the
// caller frees it. NULL: no more, or see diag. format: NULL for YAML alone.
char *ddp_source_name(const struct ddp_source *source, unsigned int nth,
		      struct ddp_profile_format *format, struct ddp_diag *diag);

// The index of a profile's header and of a header's field by name; -1: none.
int ddp_header_find(const struct ddp_profile *profile, const char *name);
// Does a path name the header, wherever that stands in it?
bool ddp_path_has(const struct ddp_path *path, int node);
int ddp_field_find(const struct ddp_header *header, const char *name);

static inline struct ddp_field *ddp_ref_field(const struct ddp_profile *profile,
					      const struct ddp_ref *ref) {
	return &profile->headers[ref->node].fields[ref->field];
}

// Are both the same bits of the same header?
static inline bool ddp_refs_equal(const struct ddp_ref *a, const struct ddp_ref *b) {
	return a->node == b->node && a->field == b->field && a->which == b->which &&
	       a->nth == b->nth && a->skip == b->skip && a->bits == b->bits;
}

// The nth header, from 0, that a rule may lead to; -1: there are no more.
static inline int ddp_rule_target(const struct ddp_profile *profile, const struct ddp_rule *rule,
				  unsigned int n) {
	if (rule->kind == DDP_RULE_LOOKUP && n < profile->tables[rule->table].n_entries)
		return profile->tables[rule->table].entries[n].target;
	return rule->kind == DDP_RULE_GOTO && n == 0 ? rule->target : -1;
}

// Is there a value that both lists of patterns fit? (Whether a match negates plays no part.)
bool ddp_patterns_meet(const struct ddp_match *a, const struct ddp_match *b);

// The worst-case cost of a walk of the parse graph.
struct ddp_bound {
	unsigned int n_headers; // that are part of a path
	unsigned int n_steps;   // hidden headers included
	uint32_t n_bytes;       // of them that a layout names: so many bytes are looked at
	uint32_t end;  // no byte from here on is looked at, counted from the packet's start
	bool by_graph; // no path is longer; else the limits end the walk
	uint64_t cost; // with costs: of all headers on the most expensive way
};

// The most that a header costs: its own, and for each search as many as are before it.
struct ddp_header_cost {
	uint64_t own, searches;
};

static inline uint64_t ddp_cost_after(const struct ddp_header_cost *cost, unsigned int n_before) {
	return cost->own + cost->searches * n_before;
}

// Of a walk that ends at the latest after max_headers and max_steps, in a packet of max_bytes.
// costs: of each header, or NULL. 0 or -ENOMEM.
int ddp_profile_bound(const struct ddp_profile *profile, unsigned int max_headers,
		      unsigned int max_steps, uint32_t max_bytes,
		      const struct ddp_header_cost *costs, struct ddp_bound *bound);

// The directories searched, in order, NULL at the end; NULL: ENOMEM. Needs no ddp_arena_run().
char **ddp_search_path(struct ddp_arena *arena);

// The profiles that are found by name, by directory and name; the first of a name.
struct ddp_library {
	struct ddp_arena *arena; // owns the rest
	struct ddp_found {
		const char *name; // by which it is loaded: the file's, without suffix
		const char *file;
	} * profiles;
	unsigned int n;
};

// Fill a library that has an arena alone. unreadable (or NULL) is called for each directory that
// cannot be read, with errno. 0 or -ENOMEM, with what was found. Needs no ddp_arena_run().
int ddp_library_scan(struct ddp_library *library, void (*unreadable)(void *arg, const char *dir),
		     void *arg);

// Whether two paths lead to one regular file, links included.
bool ddp_is_same_file(const char *a, const char *b);

// Whether path is one of the files that loading a specification may read.
bool ddp_spec_reads(const char *spec, const char *path);

// The first profile of the search path whose own file defines a header (one that others only extend
// or require). By its name; NULL for none. The caller frees it. It loads every profile on its way.
char *ddp_profile_defining(const char *header);

// The line of `ddpctl list` for a file, in the arena, without loading what it requires.
struct ddp_profile_summary {
	const char *name, *version, *summary; // NULL where the file has none
};
int ddp_profile_summary(const char *file, struct ddp_arena *arena,
			struct ddp_profile_summary *summary, struct ddp_diag *diag);
