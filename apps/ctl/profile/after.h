/* SPDX-License-Identifier: BSD-3-Clause */
// Where a header that no profile knows would come: behind a number of a header that one knows, as
// 'after' of a profile says it, "gre(protocol=0x8200)", or of a table, "ethertype(0x88b5)".
#ifndef DDPCTL_PROFILE_AFTER_H
#define DDPCTL_PROFILE_AFTER_H

#include <stdbool.h>
#include <stdio.h>

#define AFTER_NAME_SIZE 32

struct after {
	const char *text;
	char name[AFTER_NAME_SIZE]; // for a profile: "gre-8200"
	char *path;                 // to the header before: "link ip gre"
	char *requires;             // profiles with these: "base, gre"
	bool has_types;             // of an IP packet right behind the header before
	bool has_ip;                // the path has an IP header
	int ip_at; // bytes of the new header in front of an IP packet; 0: no header, -1: not known
};

// Looked for among the headers of all profiles of the library. Returns the exit status; what is
// wrong goes to stderr. after is to be ended in any case.
int after_find(struct after *after, const char *text);
void after_fini(struct after *after);

// One of the letters of a template, see cmd_new.c. header: the name of the new one.
void after_word_write(const struct after *after, char letter, const char *header, FILE *to);

#endif
