/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl new [NAME]: a commented, valid template of a profile. With --after, its header follows a
// number that no profile knows (advise finds some).
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/json_writer.h"
#include "common/strbuf.h"
#include "ctl/command.h"
#include "ctl/profile/profile_load.h"

#define NAME_MAX_LEN 31 // characters, as for a header's name

// %p is the profile's name, %h that of its header, %T the prefix of its packet types, %r the
// required profiles, %a the value of "after", %w the path before the header, %P the path with it,
// %o the hashed fields of the headers before. The others are parts of the template.
static const char head[] =
	"# What this profile covers, which document describes the protocol, and what is left out.\n"
	"# The language: man ddp-profile. Is it right? ddpctl check --strict %p.yaml\n"
	"profile: %p # the file's name without .yaml\n"
	"version: 0.1.0\n"
	"summary: one line about %p, for `ddpctl list`\n"
	"requires: [%r] # base has eth, vlan, ipv4, ipv6, udp, tcp, ..., and the paths `link` and `ip`\n"
	"\n"
	"%m%H%t%s";

static const char parameters[] =
	"# What a user may change when loading the profile: '%p;port=50001'\n"
	"parameters:\n"
	"  port:\n"
	"    default: 50000\n"
	"    summary: UDP destination port of %p\n"
	"\n";

static const char header[] =
	"headers:\n"
	"  %h:\n"
	"    summary: what this header is\n"
	"    # What it comes after. Others: ethertype(0x88b5), ip_proto(253), or a list of several.\n"
	"    after: %a\n"
	"    # Its fields in the order of the wire, widths in bits: write what the document says. '_' is\n"
	"    # for bits that nobody needs, [condition ? fields] for fields that are not always there. A\n"
	"    # field that tells flows apart needs a name, to be in rss below.\n"
	"    layout: %L\n"
	"    # A header that says how long it is: length: 4 * words\n"
	"    # What is malformed without it: valid: {version: 1}\n"
	"    # What follows: the first rule that applies; if none does, the path ends here.\n"
	"    next:\n"
	"      - {%nthen: ip} # IPv4 or IPv6, as the first four bits of it say\n"
	"%N";

static const char other[] = "  %T:\n"
			    "    summary: whatever is not one of the types below\n"
			    "    path: %P\n"
			    "    rss: %o%i\n"
			    "%e"
			    "\n";

#define TYPES(name, path, fields)                              \
	"  %T_IPV4" name ":\n"                                 \
	"    path: %P ipv4" path "\n"                          \
	"    rss: inner.ipv4.src inner.ipv4.dst" fields "\n%e" \
	"  %T_IPV6" name ":\n"                                 \
	"    path: %P ipv6 ipv6_ext*" path "\n"                \
	"    rss: inner.ipv6.src inner.ipv6.dst" fields "\n%e"
static const char types[] =
	"\n"
	"# A packet has the type with the longest path that its headers begin with. rss lists what is\n"
	"# hashed, in order; a field that a packet does not have is left out. `inner.` is the last IP\n"
	"# header and what follows it. Without rss all packets of a type go to queue 0.\n"
	"packet_types:\n"
	"%O" TYPES("", "", "") TYPES("_UDP", " udp", " inner.udp.sport inner.udp.dport")
		TYPES("_TCP", " tcp", " inner.tcp.sport inner.tcp.dport");

static const char input_sets[] = "\n"
				 "# Other choices of what is hashed: '%p:id'\n"
				 "input_sets:\n"
				 "  id:\n"
				 "    summary: all packets of one id on one queue\n"
				 "    %T*: %h.id\n";

struct start {
	const char *words['z' + 1]; // by letter
	char profile[NAME_MAX_LEN + 1], header[NAME_MAX_LEN + 1], type[NAME_MAX_LEN + 1];
	char layout[16];
	int ip_at;              // bytes of the header before an IP packet, -1: unknown
	bool has_types;         // there are types with IP directly after the header before
	struct strbuf path;     // path of the headers before: "link ip gre"
	struct strbuf profiles; // profiles of these headers: "base, gre"
};

static void words_write(const struct start *start, const char *text, FILE *to) {
	for (const char *at = text; *at != '\0'; at++) {
		if (*at == '%')
			words_write(start, start->words[(unsigned char)*++at], to);
		else
			fputc(*at, to);
	}
}

/* The headers before */

// The shortest path from the first header to each.
struct paths {
	const struct ddp_profile *profile;
	uint8_t order[UINT8_MAX + 1]; // the headers found
	int from[UINT8_MAX + 1];      // for each header in order: index of the one before; -1: none
	unsigned int n;
};

static void reach(struct paths *w, int from, uint8_t node) {
	if (memchr(w->order, node, w->n) != NULL)
		return;
	assert(w->n <= UINT8_MAX);
	w->from[w->n] = from;
	w->order[w->n++] = node;
}

static void header_follow(struct paths *w, int from, uint8_t node) {
	const struct ddp_header *of = &w->profile->headers[node];
	int target;

	for (unsigned int r = 0; r < of->n_rules; r++)
		for (unsigned int n = 0;
		     (target = ddp_rule_target(w->profile, &of->rules[r], n)) >= 0; n++)
			reach(w, from, target);
}

// The index of the nearest header with that name, or that uses such a table; -1: none.
static int before_find(const struct paths *w, const char *name) {
	for (unsigned int i = 0; i < w->n; i++)
		if (strcmp(w->profile->headers[w->order[i]].name, name) == 0)
			return i;
	for (unsigned int i = 0; i < w->n; i++) {
		const struct ddp_header *of = &w->profile->headers[w->order[i]];

		for (unsigned int r = 0; r < of->n_rules; r++)
			if (of->rules[r].kind == DDP_RULE_LOOKUP &&
			    strcmp(w->profile->tables[of->rules[r].table].name, name) == 0)
				return i;
	}
	return -1;
}

// The word of a header in a path, or the path of base with it. NULL: none.
static const char *path_word(const struct ddp_header *of) {
	if (strcmp(of->name, "eth") == 0)
		return "link";
	if (strcmp(of->name, "ipv4") == 0 || strcmp(of->name, "ipv6") == 0)
		return "ip";
	if (of->hidden || strcmp(of->name, "vlan") == 0 || strcmp(of->name, "ipv6_ext") == 0)
		return NULL;
	return of->name;
}

// Write path and profiles of a header. Returns its profile.
static const char *path_write(struct start *start, const struct paths *w, int n) {
	const struct ddp_header *of = &w->profile->headers[w->order[n]];
	const char *profile = "base", *word = path_word(of);

	assert(n >= 0 && (unsigned int)n < w->n);
	if (w->from[n] >= 0)
		profile = path_write(start, w, w->from[n]);
	if (word != NULL)
		fprintf(start->path.to, "%s%s", w->from[n] >= 0 ? " " : "", word);
	if (word != NULL && strcmp(word, "ip") == 0)
		start->words['o'] = "ipv4.src ipv4.dst ipv6.src ipv6.dst";
	if (strcmp(of->profile, "base") != 0 && strcmp(of->profile, profile) != 0)
		fprintf(start->profiles.to, ", %s", of->profile);
	return of->profile;
}

// Find path and profiles of the header before. Unknown names are left to text_check().
static int before_describe(struct start *start, const char *name) {
	struct ddp_personality all;
	int status = load_or_report(&all, "all"), n;
	struct paths w = {.profile = all.profile}, next = w;
	const struct ddp_header *of;

	if (status != EXIT_GOOD)
		return status;
	reach(&w, -1, all.profile->first);
	for (unsigned int i = 0; i < w.n; i++)
		header_follow(&w, i, w.order[i]);
	start->words['o'] = "eth.src eth.dst";
	n = before_find(&w, name);
	if (n < 0) {
		fputs("link", start->path.to);
		fputs(", all", start->profiles.to);
	} else {
		of = &all.profile->headers[w.order[n]];
		header_follow(&next, -1, w.order[n]);
		// of base's headers, only Ethernet leads to IP in base
		start->has_types =
			before_find(&next, "ipv4") >= 0 &&
			(strcmp(of->profile, "base") != 0 || strcmp(of->name, "eth") == 0);
		path_write(start, &w, n);
	}
	ddp_personality_unload(&all);
	return EXIT_GOOD;
}

// Read --after: "gre(protocol=0x8200)" makes the name "gre-8200".
static int after_read(struct start *start, const char *text, char name[NAME_MAX_LEN + 1]) {
	char word[24];
	const char *value;
	int len = 0;

	sscanf(text, "%23[a-zA-Z0-9_]%n", word, &len);
	if (len == 0 || text[len] != '(' || text[strlen(text) - 1] != ')' ||
	    strpbrk(text, "%#:[]{}\"'\n") != NULL) {
		error_print("--after: '%s' is none of HEADER(FIELD=VALUE), such as "
			    "gre(protocol=0x8200), and TABLE(VALUE), such as ethertype(0x88b5)",
			    text);
		return EXIT_USAGE;
	}
	value = strchr(text, '=') != NULL ? strchr(text, '=') + 1 : text + len + 1;
	value += strncmp(value, "0x", 2) == 0 ? 2 : 0;
	len = strspn(value, "0123456789abcdefABCDEF");
	snprintf(name, NAME_MAX_LEN + 1, "%s-%.*s", word, len < 7 ? len : 7, value);
	start->words['a'] = text;
	return before_describe(start, word);
}

/* The file */

// Make the names of file, header and packet types.
static int names_make(struct start *start, const char *name) {
	size_t len = strlen(name);
	bool good = len > 0 && len <= NAME_MAX_LEN && isalpha((unsigned char)name[0]);

	for (size_t i = 0; good && i < len; i++) {
		unsigned char c = name[i] == '-' ? '_' : name[i];

		good = isalnum(c) || c == '_';
		start->profile[i] = name[i];
		start->header[i] = tolower(c);
		start->type[i] = toupper(c);
	}
	if (good)
		return EXIT_GOOD;
	error_print("'%s': a name has 1 to %d letters, digits, '-' or '_' and begins with a letter",
		    name, NAME_MAX_LEN);
	return EXIT_USAGE;
}

static void words_fill(struct start *start) {
	const char **words = start->words;
	bool has_id = start->ip_at < 0;

	snprintf(start->layout, sizeof(start->layout), "_:%d", 8 * start->ip_at);
	words['p'] = start->profile;
	words['h'] = start->header;
	words['T'] = start->type;
	words['w'] = strbuf_take(&start->path);
	words['r'] = strbuf_take(&start->profiles);
	words['P'] = start->ip_at == 0 ? "%w" : "%w %h";
	words['H'] =
		start->ip_at == 0 ?
			"extend:\n  ip: {after: %a} # IPv4 or IPv6, as the first four bits say\n" :
			header;
	words['L'] = has_id ? "type:8 _:24 id:32" : start->layout;
	words['n'] = has_id ? "when: {type: 1}, " : "";
	words['N'] = has_id ? "      - {when: {type: 2}, then: eth}\n" : "";
	words['i'] = has_id ? " %h.id" : "";
	words['e'] = has_id ? "    extract: %h.id # for the application, in the mbuf\n" : "";
	words['O'] = start->ip_at != 0 ? other : "";
	words['t'] = start->ip_at != 0 || !start->has_types ? types : "";
	words['s'] = has_id ? input_sets : "";
}

// Check the new profile: a name of base or an impossible number is an error.
static int text_check(const struct start *start, const char *text) {
	const struct ddp_source source = {.text = text, .size = strlen(text)};
	struct ddp_personality loaded;
	struct ddp_diag diag;
	int status = EXIT_GOOD;

	ddp_diag_init(&diag);
	if (load_sources(&loaded, &source, 1, &diag) == 0) {
		ddp_personality_unload(&loaded);
	} else {
		status = load_status(&diag);
		error_print("no profile '%s' can be made: %s", start->profile,
			    diag.n_kept > 0 ? diag.messages[0].text : ddp_diag_reason(&diag));
	}
	ddp_diag_fini(&diag);
	return status;
}

// Write the line by which editors with yaml-language-server find the schema.
static void schema_write(FILE *to) {
	struct ddp_arena *arena = ddp_arena_create();
	char **dirs = ddp_search_path(arena), file[4096];
	bool found = false;

	for (unsigned int i = 0; dirs != NULL && dirs[i] != NULL && !found; i++) {
		snprintf(file, sizeof(file), "%s/ddp-profile.schema.json", dirs[i]);
		found = access(file, R_OK) == 0;
	}
	if (found)
		fprintf(to, "# yaml-language-server: $schema=%s\n", file);
	ddp_arena_destroy(arena);
}

static int file_write(const char *text, const char *path, const char *profile, enum format format,
		      struct output *out) {
	const char *const check[] = {"ddpctl", "check", "--strict", "--", path, NULL};
	FILE *to = fopen(path, "wxe"); // never overwrite a file
	bool written = to != NULL && fputs(text, to) >= 0;
	struct json_writer json;
	struct strbuf line;

	if (to != NULL && fclose(to) != 0)
		written = false;
	if (!written) {
		error_print("%s: %s", path, strerror(errno));
		return errno == EEXIST ? EXIT_NO : EXIT_UNREADABLE;
	}
	if (format == FORMAT_JSON) {
		jsonw_init(&json, out);
		jsonw_write(&json, "{profile:%s file:%s}\n", profile, path);
		return EXIT_GOOD;
	}
	strbuf_init(&line);
	shell_line(line.to, check);
	output_escaped_printf(out, "%s: written; now edit it, and: %s\n", path, strbuf_take(&line));
	strbuf_fini(&line);
	return EXIT_GOOD;
}

static int file_make(struct start *start, const struct new_options *options, struct output *out) {
	char own[NAME_MAX_LEN + sizeof(".yaml")];
	const char *path = options->output != NULL ? options->output : own;
	bool is_stdout = strcmp(path, "-") == 0;
	struct strbuf text;
	int status;

	snprintf(own, sizeof(own), "%s.yaml", start->profile);
	if (!is_stdout && strcmp(path_name(path), own) != 0) {
		error_print("%s: the file of profile '%s' must be %s", path, start->profile, own);
		return EXIT_USAGE;
	}
	strbuf_init(&text);
	schema_write(text.to);
	words_fill(start);
	words_write(start, head, text.to);
	status = text_check(start, strbuf_take(&text));
	if (status == EXIT_GOOD && is_stdout)
		output_text(out, text.s);
	else if (status == EXIT_GOOD)
		status = file_write(text.s, path, start->profile, options->common.format, out);
	strbuf_fini(&text);
	return status;
}

int cmd_new(const void *arg, struct output *out) {
	const struct new_options *options = arg;
	struct start start = {
		.words = {['a'] = "udp(dport=$port)",
			  ['m'] = options->after == NULL ? parameters : "",
			  ['o'] = "ipv4.src ipv4.dst ipv6.src ipv6.dst"},
		.ip_at = options->has_ip_at ? (int)options->ip_at : -1,
	};
	const char *name = options->common.n_files > 0 ? options->common.files[0] : NULL;
	char of_number[NAME_MAX_LEN + 1];
	int status = EXIT_GOOD;

	if (options->after == NULL && (name == NULL || options->has_ip_at)) {
		error_print("%s (try 'ddpctl new --help')",
			    name == NULL ? "arguments missing: NAME" : "--ip-at needs --after");
		return EXIT_USAGE;
	}
	strbuf_init(&start.path);
	strbuf_init(&start.profiles);
	fputs("base", start.profiles.to);
	if (options->after != NULL)
		status = after_read(&start, options->after, of_number);
	else
		fputs("link ip udp", start.path.to);
	if (status == EXIT_GOOD)
		status = names_make(&start, name != NULL ? name : of_number);
	if (status == EXIT_GOOD)
		status = file_make(&start, options, out);
	strbuf_fini(&start.profiles);
	strbuf_fini(&start.path);
	return status;
}
