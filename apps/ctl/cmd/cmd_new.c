/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl new [NAME]: a profile to begin with. It is good as it is, and says what may be changed.
//
// With --after it has one header, behind a number that no profile knows (advise finds such
// numbers), and requires the profiles with the headers on the way there.
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/json_writer.h"
#include "common/shell_quote.h"
#include "common/strbuf.h"
#include "ctl/command.h"
#include "ctl/profile/after.h"
#include "ctl/profile/profile_load.h"

#define NAME_MAX_LEN 31 // as long as a header's name can be
#define SCHEMA "ddp-profile.schema.json"

// %p is the profile's name, %h that of its header, %T the beginning of its packet types' names.
static const char skeleton[] =
	"# What this profile covers, which document describes the protocol, and what is left out.\n"
	"# The language: man ddp-profile. Is it right? ddpctl check --strict %p.yaml\n"
	"profile: %p # the file's name without .yaml\n"
	"version: 0.1.0\n"
	"summary: one line about %p, for `ddpctl list`\n"
	"requires: [base] # eth, vlan, ipv4, ipv6, udp, tcp, ... and the paths `link` and `ip`\n"
	"\n"
	"# What a user may change when loading the profile: '%p;port=50001'\n"
	"parameters:\n"
	"  port:\n"
	"    default: 50000\n"
	"    summary: UDP destination port of %p\n"
	"\n"
	"headers:\n"
	"  %h:\n"
	"    summary: what this header is\n"
	"    # What it comes after. Others: ethertype(0x88b5), ip_proto(253), or a list of several.\n"
	"    after: udp(dport=$port)\n"
	"    # Its fields in the order of the wire, widths in bits. '_' is for bits that nobody needs,\n"
	"    # [condition ? fields] for fields that are not always there.\n"
	"    layout: version:4 has_seq:1 _:3 type:8 _:16 id:32 [has_seq ? seq:32]\n"
	"    # A header that says how long it is: length: 4 * words\n"
	"    # What else comes to this port is no %h: malformed.\n"
	"    valid: {version: 1}\n"
	"    # What follows: the first rule that applies; if none does, the path ends here.\n"
	"    next:\n"
	"      - {when: {type: 1}, then: ip} # IPv4 or IPv6, as the first four bits of it say\n"
	"      - {when: {type: 2}, then: eth}\n"
	"\n"
	"# A packet has the type with the longest path that its headers begin with. rss lists what is\n"
	"# hashed, in order; a field that a packet does not have is left out. `inner.` is the last IP\n"
	"# header and what follows it. Without rss all packets of a type go to queue 0.\n"
	"packet_types:\n"
	"  %T:\n"
	"    summary: whatever is not one of the types below\n"
	"    path: link ip udp %h\n"
	"    rss: ipv4.src ipv4.dst ipv6.src ipv6.dst %h.id\n"
	"    extract: %h.id # for the application, in the mbuf\n"
	"\n"
	"  %T_IPV4:\n"
	"    path: link ip udp %h ipv4\n"
	"    rss: inner.ipv4.src inner.ipv4.dst\n"
	"    extract: %h.id\n"
	"  %T_IPV4_UDP:\n"
	"    path: link ip udp %h ipv4 udp\n"
	"    rss: inner.ipv4.src inner.ipv4.dst inner.udp.sport inner.udp.dport\n"
	"    extract: %h.id\n"
	"  %T_IPV4_TCP:\n"
	"    path: link ip udp %h ipv4 tcp\n"
	"    rss: inner.ipv4.src inner.ipv4.dst inner.tcp.sport inner.tcp.dport\n"
	"    extract: %h.id\n"
	"\n"
	"  %T_IPV6:\n"
	"    path: link ip udp %h ipv6 ipv6_ext*\n"
	"    rss: inner.ipv6.src inner.ipv6.dst\n"
	"    extract: %h.id\n"
	"  %T_IPV6_UDP:\n"
	"    path: link ip udp %h ipv6 ipv6_ext* udp\n"
	"    rss: inner.ipv6.src inner.ipv6.dst inner.udp.sport inner.udp.dport\n"
	"    extract: %h.id\n"
	"  %T_IPV6_TCP:\n"
	"    path: link ip udp %h ipv6 ipv6_ext* tcp\n"
	"    rss: inner.ipv6.src inner.ipv6.dst inner.tcp.sport inner.tcp.dport\n"
	"    extract: %h.id\n"
	"\n"
	"# Other choices of what is hashed: '%p:id'\n"
	"input_sets:\n"
	"  id:\n"
	"    summary: all packets of one id on one queue\n"
	"    %T*: %h.id\n";

// %r is what it requires, %a what its header comes after, %b the bits in front of an IP header, %P
// the path to the header, %o what is hashed where no IP packet is known to be in it.
static const char after_head[] =
	"# What this profile covers, which document describes the protocol, and what is left out.\n"
	"# The language: man ddp-profile. Is it right? ddpctl check --strict %p.yaml\n"
	"profile: %p # the file's name without .yaml\n"
	"version: 0.1.0\n"
	"summary: one line about %p, for `ddpctl list`\n"
	"requires: [%r] # the profiles whose headers come before, and the paths `link` and `ip`\n"
	"\n";

static const char after_header[] = "headers:\n"
				   "  %h:\n"
				   "    summary: what this header is\n"
				   "    after: %a\n";

static const char after_nothing[] =
	"extend:\n"
	"  ip: {after: %a} # IPv4 or IPv6, as the first four bits say\n";

static const char after_ip[] =
	"    # Its fields in the order of the wire, widths in bits; '_' is for bits that nobody needs. Does\n"
	"    # one of them tell flows apart? Give it a name, and add it to rss below.\n"
	"    layout: _:%b\n"
	"    # What follows: IPv4 or IPv6, as the first four bits of it say.\n"
	"    next:\n"
	"      - {then: ip}\n";

static const char after_fields[] =
	"    # Its fields in the order of the wire, widths in bits: a guess, write what the document says.\n"
	"    # '_' is for bits that nobody needs, [condition ? fields] for fields that are not always there.\n"
	"    layout: type:8 _:24 id:32\n"
	"    # What follows: the first rule that applies; if none does, the path ends here.\n"
	"    next:\n"
	"      - {when: {type: 1}, then: ip} # IPv4 or IPv6, as the first four bits of it say\n"
	"      - {when: {type: 2}, then: eth}\n";

static const char after_types[] =
	"\n"
	"# A packet has the type with the longest path that its headers begin with. rss lists what is\n"
	"# hashed, in order; a field that a packet does not have is left out. `inner.` is the last IP\n"
	"# header and what follows it.\n"
	"packet_types:\n";

static const char after_other[] = "  %T:\n"
				  "    summary: whatever is not one of the types below\n"
				  "    path: %P\n"
				  "    rss: %o\n"
				  "\n";

static const char after_inner[] =
	"  %T_IPV4:\n"
	"    path: %P ipv4\n"
	"    rss: inner.ipv4.src inner.ipv4.dst\n"
	"  %T_IPV4_UDP:\n"
	"    path: %P ipv4 udp\n"
	"    rss: inner.ipv4.src inner.ipv4.dst inner.udp.sport inner.udp.dport\n"
	"  %T_IPV4_TCP:\n"
	"    path: %P ipv4 tcp\n"
	"    rss: inner.ipv4.src inner.ipv4.dst inner.tcp.sport inner.tcp.dport\n"
	"\n"
	"  %T_IPV6:\n"
	"    path: %P ipv6 ipv6_ext*\n"
	"    rss: inner.ipv6.src inner.ipv6.dst\n"
	"  %T_IPV6_UDP:\n"
	"    path: %P ipv6 ipv6_ext* udp\n"
	"    rss: inner.ipv6.src inner.ipv6.dst inner.udp.sport inner.udp.dport\n"
	"  %T_IPV6_TCP:\n"
	"    path: %P ipv6 ipv6_ext* tcp\n"
	"    rss: inner.ipv6.src inner.ipv6.dst inner.tcp.sport inner.tcp.dport\n";

struct names {
	const char *profile;
	char header[NAME_MAX_LEN + 1];
	char type[NAME_MAX_LEN + 1];
	const struct after *after; // of its header; NULL: behind UDP
};

// A name of letters, digits, '-' and '_' makes a good file, header and packet type.
static bool names_make(struct names *names, const char *profile) {
	size_t len = strlen(profile);

	names->profile = profile;
	if (len > NAME_MAX_LEN || !isalpha((unsigned char)profile[0]))
		return false;
	for (size_t i = 0; i <= len; i++) {
		char c = profile[i];

		if (c != '\0' && !isalnum((unsigned char)c) && c != '-' && c != '_')
			return false;
		names->header[i] = c == '-' ? '_' : tolower((unsigned char)c);
		names->type[i] = c == '-' ? '_' : toupper((unsigned char)c);
	}
	return true;
}

static void word_write(const struct names *names, char letter, FILE *to) {
	switch (letter) {
	case 'p':
		fputs(names->profile, to);
		break;
	case 'h':
		fputs(names->header, to);
		break;
	case 'T':
		fputs(names->type, to);
		break;
	default:
		after_word_write(names->after, letter, names->header, to);
		break;
	}
}

static void template_write(const struct names *names, const char *template, FILE *to) {
	for (const char *at = template; *at != '\0'; at++) {
		if (*at == '%')
			word_write(names, *++at, to);
		else
			fputc(*at, to);
	}
}

static void skeleton_write(const struct names *names, FILE *to) {
	if (names->after == NULL) {
		template_write(names, skeleton, to);
		return;
	}
	template_write(names, after_head, to);
	template_write(names, names->after->ip_at == 0 ? after_nothing : after_header, to);
	if (names->after->ip_at != 0)
		template_write(names, names->after->ip_at > 0 ? after_ip : after_fields, to);
	if (names->after->ip_at == 0 && names->after->has_types)
		return;
	template_write(names, after_types, to);
	if (names->after->ip_at != 0)
		template_write(names, after_other, to);
	template_write(names, after_inner, to);
}

// Editors with yaml-language-server complete and check what has this line.
static void schema_write(FILE *to) {
	char **dirs = ddp_search_path();

	for (unsigned int i = 0; dirs != NULL && dirs[i] != NULL; i++) {
		char *file = NULL;
		bool found = asprintf(&file, "%s/" SCHEMA, dirs[i]) >= 0 && access(file, R_OK) == 0;

		if (found)
			fprintf(to, "# yaml-language-server: $schema=%s\n", file);
		free(file);
		if (found)
			break;
	}
	ddp_search_path_free(dirs);
}

// The name of a table or header of base, or a word of the language.
static bool is_taken(const struct ddp_profile *base, const char *name) {
	static const char *const words[] = {"and", "base", "inner", "link",
					    "not", "or",   "outer", "stop"};

	for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i], name) == 0)
			return true;
	for (unsigned int i = 0; i < base->n_headers; i++)
		if (strcmp(base->headers[i].name, name) == 0)
			return true;
	for (unsigned int i = 0; i < base->n_tables; i++)
		if (strcmp(base->tables[i].name, name) == 0)
			return true;
	return false;
}

// "IPV4" would bring an IPV4_UDP.
static bool is_type_taken(const struct ddp_profile *base, const char *type) {
	size_t len = strlen(type);

	for (unsigned int i = 0; i < base->n_types; i++) {
		const char *other = base->types[i].name;

		if (strncmp(other, type, len) == 0 && (other[len] == '\0' || other[len] == '_'))
			return true;
	}
	return false;
}

static int names_check(const struct names *names) {
	struct ddp_personality base;
	int status = load_or_report(&base, NULL);

	if (status != EXIT_GOOD)
		return status;
	if (is_taken(base.profile, names->header) || is_type_taken(base.profile, names->type)) {
		error_print("'%s' has a meaning in every profile, take another name",
			    names->profile);
		status = EXIT_NO;
	}
	ddp_personality_unload(&base);
	return status;
}

static int file_write(const struct names *names, const char *path) {
	bool is_stdout = strcmp(path, "-") == 0;
	int fd = is_stdout ? dup(STDOUT_FILENO) :
			     open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w");
	int error;

	if (to == NULL) {
		error_print("%s: %s", path, strerror(errno));
		return errno == EEXIST ? EXIT_NO : EXIT_UNREADABLE;
	}
	schema_write(to);
	skeleton_write(names, to);
	error = ferror(to) != 0 ? EIO : 0;
	if (fclose(to) != 0)
		error = errno;
	if (error == 0)
		return EXIT_GOOD;
	error_print("%s: %s", is_stdout ? "standard output" : path, strerror(error));
	return EXIT_UNREADABLE;
}

static void written_tell(const struct names *names, const char *path, enum format format,
			 struct output *out) {
	struct json_writer json;
	struct strbuf text;

	if (format != FORMAT_JSON) {
		strbuf_init(&text);
		shell_line(text.to,
			   (const char *const[]){"ddpctl", "check", "--strict", "--", path, NULL});
		output_escaped_printf(out, "%s: written; now edit it, and: %s\n", path,
				      strbuf_take(&text));
		strbuf_fini(&text);
		return;
	}
	jsonw_init(&json, out);
	jsonw_write(&json, "{profile:%s file:%s}\n", names->profile, path);
}

// A profile has the name of its file. Returns the exit status.
static int path_check(const struct names *names, const char *path) {
	const char *file = path_name(path);
	size_t len = strlen(names->profile);

	if (strcmp(path, "-") == 0 ||
	    (strncmp(file, names->profile, len) == 0 && strcmp(file + len, ".yaml") == 0))
		return EXIT_GOOD;
	error_print("%s: the file of profile '%s' must be called %s.yaml", path, names->profile,
		    names->profile);
	return EXIT_USAGE;
}

// A profile that was made of what the command line says must be good.
static int file_check(const char *path) {
	struct ddp_personality loaded;
	int status = load_or_report(&loaded, path);

	if (status == EXIT_GOOD)
		ddp_personality_unload(&loaded);
	else
		unlink(path);
	return status;
}

static int written_check(const struct names *names, const char *path) {
	char *with_folder = NULL;
	int status;

	if (names->after == NULL || strcmp(path, "-") == 0)
		return EXIT_GOOD;
	if (asprintf(&with_folder, "%s%s", strchr(path, '/') != NULL ? "" : "./", path) < 0)
		no_memory_exit();
	status = file_check(with_folder);
	free(with_folder);
	return status;
}

static int named_new(const struct options *options, const char *name, const struct after *after,
		     struct output *out) {
	char path[NAME_MAX_LEN + sizeof(".yaml")];
	const char *file = options->output;
	struct names names = {.after = after};
	int status;

	if (!names_make(&names, name)) {
		error_print(
			"'%s': a name has 1 to %d letters, digits, '-' or '_' and begins with a "
			"letter",
			name, NAME_MAX_LEN);
		return EXIT_USAGE;
	}
	if (file == NULL) {
		snprintf(path, sizeof(path), "%s.yaml", names.profile);
		file = path;
	}
	status = path_check(&names, file);
	if (status == EXIT_GOOD)
		status = names_check(&names);
	if (status == EXIT_GOOD)
		status = file_write(&names, file);
	if (status == EXIT_GOOD)
		status = written_check(&names, file);
	if (status == EXIT_GOOD && strcmp(file, "-") != 0)
		written_tell(&names, file, options->format, out);
	return status;
}

int cmd_new(const struct options *options, struct output *out) {
	const char *name = options->n_files > 0 ? options->files[0] : NULL;
	struct after after;
	int status;

	if (name == NULL && options->after == NULL) {
		error_print("arguments missing: NAME (try 'ddpctl new --help')");
		return EXIT_USAGE;
	}
	if (options->has_ip_at && options->after == NULL) {
		error_print("--ip-at needs --after (try 'ddpctl new --help')");
		return EXIT_USAGE;
	}
	if (options->after == NULL)
		return named_new(options, name, NULL, out);
	status = after_find(&after, options->after);
	after.ip_at = options->has_ip_at ? (int)options->ip_at : -1;
	if (status == EXIT_GOOD)
		status = named_new(options, name != NULL ? name : after.name, &after, out);
	after_fini(&after);
	return status;
}
