/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl new NAME: a profile to begin with. It is good as it is, and says what may be changed.
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

struct names {
	const char *profile;
	char header[NAME_MAX_LEN + 1];
	char type[NAME_MAX_LEN + 1];
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

static void skeleton_write(const struct names *names, FILE *to) {
	for (const char *at = skeleton; *at != '\0'; at++) {
		if (*at != '%') {
			fputc(*at, to);
			continue;
		}
		at++;
		fputs(*at == 'p' ? names->profile : *at == 'h' ? names->header : names->type, to);
	}
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

int cmd_new(const struct options *options, struct output *out) {
	char path[NAME_MAX_LEN + sizeof(".yaml")];
	const char *file = options->output;
	struct names names;
	int status;

	if (!names_make(&names, options->files[0])) {
		error_print(
			"'%s': a name has 1 to %d letters, digits, '-' or '_' and begins with a "
			"letter",
			options->files[0], NAME_MAX_LEN);
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
	if (status == EXIT_GOOD && strcmp(file, "-") != 0)
		written_tell(&names, file, options->format, out);
	return status;
}
