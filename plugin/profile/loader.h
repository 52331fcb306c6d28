/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/profile: types and functions that its files share while they load a profile.
#pragma once

#include <assert.h>

#include "base/spec.h"
#include "profile.h"

/* yaml.c: a YAML file as a tree with the position of each node, read with libyaml. Anchors, aliases
 * and tags are refused (a profile is a short file to be read from top to bottom), and so is a file
 * that is not UTF-8. */

enum ddp_yaml_kind {
	DDP_YAML_SCALAR,
	DDP_YAML_LIST,
	DDP_YAML_MAP,
};

struct ddp_yaml {
	enum ddp_yaml_kind kind;
	struct ddp_place place;
	const char *value;       // scalar
	struct ddp_text text;    // scalar
	struct ddp_yaml **items; // list: its items; map: key, value, key, value, ...
	unsigned int n_items;
};

#define DDP_YAML_SIZE_MAX (1024 * 1024) // bytes of a text

// Parse YAML text, which is copied, as a tree; messages call it file. NULL: see diag. Needs no run.
struct ddp_yaml *ddp_yaml_parse(const char *text, size_t size, const char *file,
				struct ddp_arena *arena, struct ddp_diag *diag);

// Leave out the first n bytes of a text; its place counts their lines and characters.
void ddp_text_advance(struct ddp_text *text, size_t n);

// The value of key, NULL when the map has none. NULL is a map without keys.
struct ddp_yaml *ddp_yaml_get(const struct ddp_yaml *map, const char *key);

// The key node of the nth pair and its value.
static inline struct ddp_yaml *ddp_yaml_key(const struct ddp_yaml *map, unsigned int n) {
	return map->items[2 * n];
}

static inline struct ddp_yaml *ddp_yaml_value(const struct ddp_yaml *map, unsigned int n) {
	return map->items[2 * n + 1];
}

static inline unsigned int ddp_yaml_n_pairs(const struct ddp_yaml *map) {
	return map != NULL && map->kind == DDP_YAML_MAP ? map->n_items / 2 : 0;
}

/* lexer.c: words and signs of the small languages inside a profile: layouts, expressions, paths,
 * field lists */

enum ddp_token_kind {
	DDP_TOKEN_END,
	DDP_TOKEN_NAME,   // a word; may hold '.' and '#' inside: inner.ipv4.src, vlan#2.vid
	DDP_TOKEN_NUMBER, // decimal or 0x hexadecimal
	DDP_TOKEN_PARAM,  // $name; s and len are those of the name
	DDP_TOKEN_SIGN,   // one of + - * ( ) [ ] { } ? : , = == != < <= > >= << >> & | / ... and so
			  // on
	DDP_TOKEN_BAD,    // was reported
};

struct ddp_token {
	enum ddp_token_kind kind;
	const char *s;
	size_t len;
	uint64_t number;
	struct ddp_place place;
};

struct ddp_lexer {
	struct ddp_text rest;
	struct ddp_token token; // the next one, not yet taken
	struct ddp_diag *diag;
};

// Start at the first token of text.
void ddp_lexer_init(struct ddp_lexer *lexer, const struct ddp_text *text, struct ddp_diag *diag);

// Step to the next token; returns the one that was next.
struct ddp_token ddp_lexer_take(struct ddp_lexer *lexer);
// Take the current token and what stands behind it up to a blank, which it returns.
struct ddp_text ddp_lexer_word(struct ddp_lexer *lexer);

bool ddp_lexer_is(const struct ddp_lexer *lexer, const char *sign);

// Take the sign or word if it is next.
bool ddp_lexer_accept(struct ddp_lexer *lexer, const char *sign);

// Take the sign or report what stands there instead.
bool ddp_lexer_expect(struct ddp_lexer *lexer, const char *sign);

// Report "expected WHAT, found ..." at the next token, unless that is BAD. Returns false.
bool ddp_lexer_unexpected(struct ddp_lexer *lexer, const char *what);

static inline bool ddp_lexer_at_end(const struct ddp_lexer *lexer) {
	return lexer->token.kind == DDP_TOKEN_END;
}

/* A load */

// A profile that is requested, by a specification or as a text.
struct profile_request {
	struct ddp_spec spec; // of a text: its own name as the file, once it is read
	const struct ddp_source *source;
};

// A requested profile: its file is read once, however often it is required.
struct visit {
	const char *name;
	struct ddp_profile_file *file;
	bool open; // the profiles that it requires are being read
};

struct alias { // of a path: `ip` stands for `ipv4 | ipv6 ipv6_ext*`
	const char *name;
	const char *profile; // that declares it
	struct ddp_text text;
	struct ddp_place place;
	bool open; // being expanded
};

struct loader {
	struct ddp_arena *arena;
	struct ddp_diag *diag;
	struct ddp_profile *profile;
	const struct ddp_profile *former;  // NULL: none
	struct ddp_profile_format *format; // NULL: YAML alone
	struct ddp_profile_file text;      // the file of all profiles that are given as text
	const struct ddp_source *sources;
	unsigned int n_sources;
	struct profile_request *requests; // of them, in order
	unsigned int n_requests;
	const struct ddp_tunnel *tunnels;
	unsigned int n_tunnels;
	struct visit *visits;
	unsigned int n_visits;
	struct alias *aliases;
	unsigned int n_aliases;
	// Of the profile's parts, required ones first, the one being read: its parameters count.
	struct ddp_profile_part *part;
};

// A format of profile files other than YAML, whose packet types are made from a file's content.
struct ddp_profile_format {
	// The profile of which its types have their headers.
	const char *requires;
	// Whether a file has this format, by its name, which without suffix is the profile's.
	bool (*has)(const char *file);
	// Read a file, or a text that contains a NUL and whose name is not known: set
	// profile->modelled and the part's name, if missing, version, summary and parameters.
	bool (*read)(struct loader *l, struct ddp_profile_file *file,
		     struct ddp_profile_part *part);
	void (*types_make)(struct loader *l);
};

static inline bool is_foreign(const struct loader *l, const char *file) {
	return l->format != NULL && l->format->has(file);
}

// The scope of a reference or condition: the rules of a header, or a packet type.
struct scope {
	const struct ddp_header *header; // NULL: a packet type
	bool start_only; // only fields from the header's start: its size is not known yet
	bool no_ahead;   // no look-ahead
};

// search.c; place: position of the name, NULL for the specification
// The file that a name stands for: the one of the former load, else from the search path.
struct ddp_profile_file *file_find(struct loader *l, const char *requested,
				   const struct ddp_place *place);
// The tree of a YAML file, which is read from disk where nobody did yet. NULL with errors in diag.
struct ddp_yaml *file_read(struct loader *l, struct ddp_profile_file *file);
// Whether a file was read before, by any name.
bool file_is_same(struct ddp_profile_file *file, const struct ddp_profile_file *other);
extern const char text_file[]; // the file of a profile that is given as text, this very string
// The name of the profile in a file.
const char *file_name(struct loader *l, const char *file);
// Read a text, which gives itself a name. false with errors in diag.
bool text_read(struct loader *l, const struct ddp_source *source, struct ddp_profile_part *part);

// load.c
// Report a name that another profile has given to such a thing. Returns false.
bool already_there(struct loader *l, const char *what, const struct ddp_yaml *key,
		   const struct ddp_place *place, const char *profile);

// names.c: things by name; errors with suggestions
// The index among n items, of size bytes each, that begin with their names; -1: none.
int name_find(const void *items, unsigned int n, size_t size, const char *name, size_t len);
#define NAME_FIND(items, n, name, len) name_find(items, n, sizeof(*(items)), name, len)
int header_find(const struct loader *l, const char *name, size_t len);
int table_find(const struct loader *l, const char *name, size_t len);
bool keys_allowed(struct loader *l, const struct ddp_yaml *map, const char *what,
		  const char *const *keys, unsigned int n_keys);
// Is node of this kind, and not empty? NULL, an absent key, is none, without an error.
bool yaml_is(struct loader *l, const struct ddp_yaml *node, enum ddp_yaml_kind kind,
	     const char *what);
// Call read for each pair of the map behind a key, if there is one.
void pairs_read(struct loader *l, const struct ddp_yaml *root, const char *key, const char *what,
		void (*read)(struct loader *l, const struct ddp_yaml *key,
			     const struct ddp_yaml *value));
bool room_check(struct loader *l, unsigned int n, unsigned int most, const struct ddp_place *place,
		const char *what);
// Report an unknown name and the nearest known one (items as for name_find()). Returns false.
bool unknown_item(struct loader *l, const struct ddp_place *place, const char *kind,
		  const char *name, size_t len, const void *known, unsigned int n, size_t size);
#define unknown_name(l, place, kind, name, len, known, n) \
	unknown_item(l, place, kind, name, len, known, n, sizeof(*(known)))
bool unknown_header(struct loader *l, const struct ddp_place *place, const char *name, size_t len);

// The notation of a number, for output.
static inline bool is_hex(const char *s, size_t len) {
	return len > 2 && s[0] == '0' && s[1] == 'x';
}

// layout.c: "version:4 ihl:4 ... next:8", "[e | s ? seq:16]"; conditions of groups are read later
void layout_read(struct loader *l, struct ddp_header *header, const struct ddp_yaml *layout,
		 const struct ddp_yaml *ahead);
void groups_read(struct loader *l, struct ddp_header *header);

// expr.c; nodes may be NULL, then nothing is read
bool ref_read(struct loader *l, const struct scope *scope, const struct ddp_token *token,
	      struct ddp_ref *ref);
bool expr_read(struct loader *l, const struct scope *scope, struct ddp_lexer *lexer,
	       struct ddp_expr *expr);
// The bounds of an expression. false, see what: it can be negative, wrap, or has a wide field.
bool expr_range(const struct ddp_expr *expr, uint64_t *min, uint64_t *max, const char **what);
void expr_read_all(struct loader *l, const struct scope *scope, const struct ddp_yaml *node,
		   struct ddp_expr *expr);
void cond_read(struct loader *l, const struct scope *scope, const struct ddp_yaml *node,
	       struct ddp_cond *cond);
// Is it a parameter alone, which is 0?
bool cond_is_never(const struct ddp_cond *cond);
// The value of a parameter that must have one; why ends the message if it has several.
bool param_number(struct loader *l, const struct ddp_token *token, unsigned int width,
		  const char *why, uint64_t *number);
// By enum ddp_op; the looser ones have lower levels. Not is between and and the comparisons.
struct op_sign {
	const char *sign;
	unsigned int level;
};
extern const struct op_sign op_signs[];
bool pattern_read(struct loader *l, const struct ddp_text *text, unsigned int width,
		  struct ddp_pattern *pattern);
// Values separated by '|', numbers or parameters, up to a sign that is none.
bool patterns_read(struct loader *l, struct ddp_lexer *lexer, unsigned int width,
		   struct ddp_pattern **patterns, unsigned int *n_patterns);

// graph.c; next and after may be NULL
void rules_read(struct loader *l, struct ddp_header *header, const struct ddp_yaml *next);
void after_read(struct loader *l, unsigned int header, const struct ddp_yaml *after);
// Put the rules into the order in which they are tried, once all are read.
void rules_sort(struct ddp_header *header);
void attachment_check(struct loader *l, const struct ddp_header *header,
		      const struct ddp_rule *rule);
// Attach the header of a UDP port that is declared while a port runs, as its profile would ("vxlan:
// {after: udp(dport=4790)}"), after all that profiles attach. Nothing if there is no such header.
void tunnel_attach(struct loader *l, const struct ddp_tunnel *tunnel);

// packet_types.c
void types_read(struct loader *l);
extern const struct ptype_word {
	const char *name;
	uint32_t bits;
} ptype_words[];
extern const unsigned int n_ptype_words;
uint32_t ptype_read(struct loader *l, const struct ddp_yaml *node);
void input_sets_read(struct loader *l);
// Let the one of this name replace the sets of packet types. Returns whether there is one.
bool input_set_apply(struct loader *l, const char *wanted);

// check.c
void profile_check(struct loader *l);
