/* SPDX-License-Identifier: BSD-3-Clause */
// A specification: profiles, and the choices for each, as in "gtpu:ue;port=2153+vxlan":
//
//	name-or-file[:input set][;parameter=value...][+...]
//
// So a file's name contains no ':', ';' or '+', an input set and a value no ';' or '+'.
#pragma once

#include "arena.h"
#include "diag.h"

struct ddp_spec_param {
	const char *name, *value; // of at least one character
};

// One profile of a specification.
struct ddp_spec {
	const char *text;      // this profile's part of the specification, as written
	const char *file;      // or a name to search for
	const char *input_set; // NULL: none
	struct ddp_spec_param *params;
	unsigned int n_params;
};

// Parse a specification into an array of its profiles, at least one, in the order of the text. The
// arena owns all of it, a copy of the text included. It needs no ddp_arena_run(). Returns 0; or,
// with one error in diag, -EINVAL or -ENOMEM.
int ddp_spec_parse(const char *text, struct ddp_arena *arena, struct ddp_spec **specs,
		   unsigned int *n_specs, struct ddp_diag *diag);

// Print a profile as ddp_spec_parse() reads it; its text is not used.
void ddp_spec_print(const struct ddp_spec *spec, FILE *to);
