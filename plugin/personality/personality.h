/* SPDX-License-Identifier: BSD-3-Clause */
// A port runs one or several profiles, or an Intel 800-series package alone, and their program.
//
//	const struct ddp_source source = {.spec = "gtpu:ue+vxlan"};
//	struct ddp_load load = {.sources = &source, .n_sources = 1};
//	struct ddp_personality personality;
//
//	if (ddp_personality_load(&personality, &load, &diag) == 0)
//		ddp_classify(personality.program, &packet, &class);
//	ddp_personality_unload(&personality);
//
// profile/ and classify/ know nothing of packages. The profile of a package has the headers of the
// library, the NIC's packet types and their input sets; its program gets a packet's type from the
// model of the NIC's parser (plugin/e810). A personality never changes once it is loaded.
#pragma once

#include "classify/answer.h"
#include "package/package.h"

struct e810_parser;
struct e810_rss;

struct ddp_personality {
	struct ddp_profile *profile;
	struct ddp_program *program;
	uint16_t n_types;

	// Of a package, else NULL.
	struct ddp_package *package;
	struct e810_parser *parser;
	struct e810_rss *rss; // with everything that its driver may request
	uint16_t *ptypes;     // the NIC's numbers of the types
};

// Load and compile; load->format is ignored. The only source may be an 800-series package: a path
// with or without parameters, or the bytes as a text. Returns 0; or, with errors in diag and
// nothing to unload, -ENOMEM, -ENOENT if a file cannot be read, else -EINVAL.
int ddp_personality_load(struct ddp_personality *personality, const struct ddp_load *load,
			 struct ddp_diag *diag);
// Load and compile in two steps. Packet types have the ids that the profile has at the second.
int ddp_personality_read(struct ddp_personality *personality, const struct ddp_load *load,
			 struct ddp_diag *diag);
int ddp_personality_compile(struct ddp_personality *personality, const struct ddp_memory *memory,
			    struct ddp_diag *diag);
// Nothing to do if it is all zero.
void ddp_personality_unload(struct ddp_personality *personality);
// Unload and free one that was allocated; NULL: nothing to do.
void ddp_personality_destroy(struct ddp_personality *personality);

// ddp_answer(); with an arena, in which they live, steps too: of a package those of the NIC's
// parser. 0, or -ENOMEM: the answer is there without steps.
int ddp_personality_answer(const struct ddp_personality *personality,
			   const struct ddp_answer_rss *rss, const struct ddp_packet *packet,
			   struct ddp_arena *arena, struct ddp_answer *answer);
// A note for output: which parts of a package's answers are exact, and which are modelled.
extern const char ddp_package_note[];

// ddp_source_name() of a profile or a package.
char *ddp_personality_name(const struct ddp_source *source, unsigned int nth,
			   struct ddp_diag *diag);

/* A package of either family from its file */

// Whether a profile's specification names a package: ".pkg" or ".pkgo" before any ':' or ';'.
bool ddp_is_package(const char *spec);

// Read and check a file. NULL with errors in diag ("file:0x1234: error: ..."), some 20 at most.
struct ddp_package *ddp_package_open(const char *path, struct ddp_diag *diag);

// Read and check a file in memory; path is for messages. The bytes are copied.
struct ddp_package *ddp_package_read(const char *path, const void *bytes, size_t size,
				     struct ddp_diag *diag);
