/* SPDX-License-Identifier: BSD-3-Clause */
// Where a header that no profile knows would come: behind a number of a header that one knows, as
// 'after' of a profile says it, "gre(protocol=0x8200)", or of a table, "ethertype(0x88b5)".
#ifndef DDPCTL_PROFILE_PLACE_H
#define DDPCTL_PROFILE_PLACE_H

#include <stdbool.h>
#include <stdio.h>

#define PLACE_NAME_SIZE 32

struct place {
	const char *after;
	char name[PLACE_NAME_SIZE]; // for a profile: "gre-8200"
	char *path;                 // to the header before: "link ip gre"
	char *requires;             // profiles with these: "base, gre"
	bool has_types;             // of an IP packet right behind the header before
	bool has_ip;                // the path has an IP header
	int ip_at; // bytes of the new header in front of an IP packet; 0: no header, -1: not known
};

// Looked for among the headers of all profiles of the library. Returns the exit status; what is
// wrong goes to stderr. place is to be ended in any case.
int place_find(struct place *place, const char *after);
void place_fini(struct place *place);

// One of the letters of a template, see cmd_new.c. header: the name of the new one.
void place_word_write(const struct place *place, char letter, const char *header, FILE *to);

#endif
