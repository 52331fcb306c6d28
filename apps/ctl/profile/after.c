/* SPDX-License-Identifier: BSD-3-Clause */
#include "after.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/exit_status.h"
#include "common/strbuf.h"
#include "profile_load.h"

#define NODES_MAX 256
#define WORD_SIZE 24 // of a header or a table

// What leads to a header on the shortest way from the first one.
struct ways {
	const struct ddp_profile *profile;
	int from[NODES_MAX]; // the header before it; -1: not reached, or the first one
	bool reached[NODES_MAX];
	uint8_t order[NODES_MAX];
	unsigned int n;
};

static void reach(struct ways *w, int from, uint8_t node) {
	if (w->reached[node])
		return;
	w->reached[node] = true;
	w->from[node] = from;
	w->order[w->n++] = node;
}

static void rule_follow(struct ways *w, uint8_t node, const struct ddp_rule *rule) {
	const struct ddp_table *table;

	if (rule->kind == DDP_RULE_GOTO)
		reach(w, node, rule->target);
	if (rule->kind != DDP_RULE_LOOKUP)
		return;
	table = &w->profile->tables[rule->table];
	for (unsigned int i = 0; i < table->n_entries; i++)
		reach(w, node, table->entries[i].target);
}

static void ways_find(struct ways *w, const struct ddp_profile *profile) {
	*w = (struct ways){.profile = profile};
	reach(w, -1, profile->first);
	for (unsigned int i = 0; i < w->n; i++) {
		const struct ddp_header *header = &profile->headers[w->order[i]];

		for (unsigned int r = 0; r < header->n_rules; r++)
			rule_follow(w, w->order[i], &header->rules[r]);
	}
}

static bool asks_table(const struct ddp_profile *profile, const struct ddp_header *header,
		       const char *table) {
	for (unsigned int i = 0; i < header->n_rules; i++)
		if (header->rules[i].kind == DDP_RULE_LOOKUP &&
		    strcmp(profile->tables[header->rules[i].table].name, table) == 0)
			return true;
	return false;
}

// The header of that name, else the nearest one that asks the table of that name; -1: none.
static int before_find(const struct ways *w, const char *name) {
	const struct ddp_profile *profile = w->profile;

	for (unsigned int i = 0; i < w->n; i++)
		if (strcmp(profile->headers[w->order[i]].name, name) == 0)
			return w->order[i];
	for (unsigned int i = 0; i < w->n; i++)
		if (asks_table(profile, &profile->headers[w->order[i]], name))
			return w->order[i];
	return -1;
}

/* Words */

// Paths of base stand for its headers. NULL: it has no place in a path of its own.
static const char *token_of(const struct ddp_header *header) {
	if (strcmp(header->name, "eth") == 0)
		return "link";
	if (strcmp(header->name, "ipv4") == 0 || strcmp(header->name, "ipv6") == 0)
		return "ip";
	if (header->hidden || strcmp(header->name, "vlan") == 0 ||
	    strcmp(header->name, "ipv6_ext") == 0)
		return NULL;
	return header->name;
}

static bool has_word(const char *list, const char *word) {
	size_t len = strlen(word);

	for (const char *at = strstr(list, word); at != NULL; at = strstr(at + 1, word))
		if ((at == list || at[-1] == ' ') &&
		    (at[len] == '\0' || at[len] == ',' || at[len] == ' '))
			return true;
	return false;
}

static char *joined(char *list, const char *separator, const char *word) {
	char *longer = NULL;

	if (asprintf(&longer, "%s%s%s", list, list[0] != '\0' ? separator : "", word) < 0)
		no_memory_exit();
	free(list);
	return longer;
}

static void way_describe(struct after *after, const struct ways *w, int node) {
	const struct ddp_header *header = &w->profile->headers[node];
	const char *token = token_of(header);

	if (w->from[node] >= 0)
		way_describe(after, w, w->from[node]);
	after->has_ip |= token != NULL && strcmp(token, "ip") == 0;
	if (token != NULL)
		after->path = joined(after->path, " ", token);
	if (!has_word(after->requires, header->profile))
		after->requires = joined(after->requires, ", ", header->profile);
}

// "gre" of "gre(protocol=0x8200)", and "gre-8200" for a profile. false: it does not look so.
static bool number_read(struct after *after, const char *text, char word[WORD_SIZE]) {
	const char *open = strchr(text, '('), *value = open != NULL ? strpbrk(open, "=)") : NULL;
	size_t len = open != NULL ? open - text : 0;
	char number[8];

	if (len == 0 || len >= WORD_SIZE || text[strlen(text) - 1] != ')' ||
	    strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-()=, ") !=
		    strlen(text))
		return false;
	snprintf(word, WORD_SIZE, "%.*s", (int)len, text);
	value = *value == '=' ? value + 1 : open + 1;
	value += strncmp(value, "0x", 2) == 0 ? 2 : 0;
	len = strspn(value, "0123456789abcdefABCDEF");
	snprintf(number, sizeof(number), "%.*s",
		 (int)(len < sizeof(number) ? len : sizeof(number) - 1), value);
	snprintf(after->name, sizeof(after->name), "%s-%s", word, number);
	return true;
}

static int unknown_word(const struct ddp_profile *profile, const char *word) {
	const char **names = calloc_or_exit(profile->n_headers + profile->n_tables, sizeof(*names));
	const char *nearest;
	unsigned int n = 0;

	for (unsigned int i = 0; i < profile->n_headers; i++)
		names[n++] = profile->headers[i].name;
	for (unsigned int i = 0; i < profile->n_tables; i++)
		names[n++] = profile->tables[i].name;
	nearest = ddp_nearest(word, names, n);
	free(names);
	if (nearest != NULL)
		error_print("--after: no profile has a header or table '%s', did you mean '%s'?",
			    word, nearest);
	else
		error_print("--after: no profile has a header or table '%s'", word);
	return EXIT_USAGE;
}

static bool leads_to_ip(const struct ddp_profile *profile, const struct ddp_header *header) {
	struct ways w = {.profile = profile};

	for (unsigned int r = 0; r < header->n_rules; r++)
		rule_follow(&w, 0, &header->rules[r]);
	for (unsigned int i = 0; i < w.n; i++)
		if (strcmp(profile->headers[w.order[i]].name, "ipv4") == 0)
			return true;
	return false;
}

// Whether the profile with the header before has packet types for IP behind it.
static int types_look(struct after *after, const struct ddp_header *before) {
	const char *own = strcmp(before->profile, "base") == 0 ? NULL : before->profile;
	struct ddp_personality loaded;
	int status = load_or_report(&loaded, own);

	if (status != EXIT_GOOD)
		return status;
	for (unsigned int i = 0; i < loaded.profile->n_headers; i++)
		if (strcmp(loaded.profile->headers[i].name, before->name) == 0)
			after->has_types = leads_to_ip(loaded.profile, &loaded.profile->headers[i]);
	ddp_personality_unload(&loaded);
	return EXIT_GOOD;
}

static int word_find(struct after *after, const char *word) {
	struct ddp_personality all;
	int status = load_or_report(&all, "all"), node;
	struct ways ways;

	if (status != EXIT_GOOD)
		return status;
	ways_find(&ways, all.profile);
	node = before_find(&ways, word);
	if (node >= 0)
		way_describe(after, &ways, node);
	if (node >= 0)
		status = types_look(after, &all.profile->headers[node]);
	else
		status = unknown_word(all.profile, word);
	ddp_personality_unload(&all);
	return status;
}

int after_find(struct after *after, const char *text) {
	char word[WORD_SIZE];

	*after = (struct after){
		.text = text,
		.path = strdup_or_exit(""),
		.requires = strdup_or_exit("base"),
	};
	if (number_read(after, text, word))
		return word_find(after, word);
	error_print(
		"--after: '%s' is none of HEADER(FIELD=VALUE), such as gre(protocol=0x8200), and "
		"TABLE(VALUE), such as ethertype(0x88b5)",
		text);
	return EXIT_USAGE;
}

void after_fini(struct after *after) {
	free(after->path);
	free(after->requires);
}

void after_word_write(const struct after *after, char letter, const char *header, FILE *to) {
	switch (letter) {
	case 'r':
		fputs(after->requires, to);
		break;
	case 'a':
		fputs(after->text, to);
		break;
	case 'b':
		fprintf(to, "%d", 8 * after->ip_at);
		break;
	case 'P':
		fputs(after->path, to);
		if (after->ip_at != 0)
			fprintf(to, " %s", header);
		break;
	default:
		fputs(after->has_ip ? "ipv4.src ipv4.dst ipv6.src ipv6.dst" : "eth.src eth.dst",
		      to);
		if (after->ip_at < 0)
			fprintf(to, " %s.id", header);
		break;
	}
}
