/* SPDX-License-Identifier: BSD-3-Clause */
// Random profiles: all that the language has, in combinations that nobody thought of writing.
#include <inttypes.h>

#include "subject.h"

#include "unit.h"

#define HEADERS_MAX 6
#define FIELDS_MAX 8

struct field {
	unsigned int width;
	bool ahead, late; // late: known only when the header's size is
};

struct header {
	struct field fields[FIELDS_MAX];
	unsigned int n_fields;
	bool hidden;
};

// A profile while it is being written: header i is named h<i>, its field j f<j>.
struct draft {
	FILE *out;
	uint64_t *seed;
	struct header headers[HEADERS_MAX];
	unsigned int n_headers;
	unsigned int self;      // header being written
	unsigned int n_numbers; // of the table, so far
};

static unsigned int below(struct draft *d, unsigned int n) {
	return random_below(d->seed, n);
}

static bool chance(struct draft *d, unsigned int percent) {
	return below(d, 100) < percent;
}

static unsigned int width_draw(struct draft *d) {
	static const unsigned int widths[] = {1, 1, 2, 3, 4, 5, 7, 8, 8, 12, 16, 17, 32, 65, 128};

	return widths[below(d, COUNT(widths))];
}

// Fields from here to the next whole byte.
static void fields_write(struct draft *d, unsigned int n, bool ahead, bool late) {
	struct header *h = &d->headers[d->self];
	unsigned int bits = 0;

	for (; n > 0 && h->n_fields < FIELDS_MAX; n--) {
		unsigned int width = width_draw(d);

		fprintf(d->out, " f%u:%u", h->n_fields, width);
		h->fields[h->n_fields++] = (struct field){width, ahead, late};
		bits += width;
	}
	if (bits % 8 != 0 && !ahead)
		fprintf(d->out, " _:%u", 8 - bits % 8);
}

// A field of header h that a rule of its own (or of another's) may use, at most wide bits; -1 for
// none.
static int field_draw(struct draft *d, unsigned int h, bool late, bool ahead, unsigned int wide) {
	const struct header *header = &d->headers[h];

	for (unsigned int try = 0; try < 8 && header->n_fields > 0; try++) {
		unsigned int f = below(d, header->n_fields);

		if (header->fields[f].width <= wide && (late || !header->fields[f].late) &&
		    (ahead || !header->fields[f].ahead))
			return f;
	}
	return -1;
}

// Write a reference to a field, of the header itself if h is d->self. False: there is none.
static bool ref_write(struct draft *d, unsigned int h, bool late, bool ahead, unsigned int wide,
		      unsigned int *width) {
	int f = field_draw(d, h, late, ahead && h == d->self, wide);

	if (f < 0)
		return false;
	*width = d->headers[h].fields[f].width;
	if (h == d->self)
		fprintf(d->out, "f%d", f);
	else
		fprintf(d->out, "h%u.f%d", h, f);
	return true;
}

static void expr_write(struct draft *d, bool late, bool ahead) {
	static const char *const before[] = {"", "not ", "2 * ", "3 + ", "(1 << 18) - "};
	static const char *const behind[] = {"",      " == 1", " != 2", " < 3",  " <= 1", " > 1",
					     " >= 2", " & 1",  " >> 1", " << 2", " | 4"};
	static const char *const between[] = {" or ", " and ", " + ", " * ", " & ", " > "};
	unsigned int width;

	for (unsigned int n = 1 + below(d, 3); n > 0; n--) {
		fprintf(d->out, "(%s", before[below(d, COUNT(before))]);
		if (!ref_write(d, chance(d, 70) ? d->self : below(d, d->self + 1), late, ahead, 17,
			       &width))
			fprintf(d->out, "%u", below(d, 3));
		fprintf(d->out, "%s)%s", behind[below(d, COUNT(behind))],
			n == 1 ? "" : between[below(d, COUNT(between))]);
	}
}

static void value_write(struct draft *d, unsigned int width) {
	unsigned int small = width == 1 ? 2 : 4;

	fprintf(d->out, "%u", below(d, small));
	if (chance(d, 40))
		fprintf(d->out, "/%u", 1 + below(d, small - 1));
}

// A condition: a match, or an expression.
static void cond_write(struct draft *d, bool late, bool ahead) {
	unsigned int width;

	if (chance(d, 40)) {
		expr_write(d, late, ahead);
		return;
	}
	fputs("{", d->out);
	if (!ref_write(d, d->self, late, ahead, 128, &width)) {
		fprintf(d->out, "h0.f0"); // of the first header, which has it
		width = d->headers[0].fields[0].width;
	}
	fputs(": ", d->out);
	if (chance(d, 30)) {
		fputs("[", d->out);
		value_write(d, width);
		fputs(", ", d->out);
		value_write(d, width);
		fputs("]", d->out);
	} else {
		fputs(chance(d, 30) ? "not " : "", d->out);
		value_write(d, width);
	}
	fputs("}", d->out);
}

static void layout_write(struct draft *d) {
	struct header *h = &d->headers[d->self];

	fputs("    layout: \"f0:8", d->out);
	h->fields[h->n_fields++] = (struct field){.width = 8};
	fields_write(d, below(d, 3), false, false);
	for (unsigned int g = below(d, 3); g > 0; g--) {
		fputs(" [", d->out);
		expr_write(d, false, false);
		fputs(" ?", d->out);
		if (h->n_fields < FIELDS_MAX)
			fields_write(d, 1 + below(d, 2), false, false);
		else
			fputs(" _:8", d->out);
		fputs("]", d->out);
	}
	fields_write(d, below(d, 2), false, false);
	if (chance(d, 40)) {
		fputs(" ...", d->out);
		fields_write(d, below(d, 3), false, true);
		fputs("\"\n    length: 4 + 2 * f0 + (f0 & 3 == 1)\n", d->out);
	} else {
		fputs("\"\n", d->out);
	}
	if (chance(d, 30) && h->n_fields < FIELDS_MAX) {
		fputs("    ahead:", d->out);
		fields_write(d, 1 + below(d, 2), true, true);
		fputs("\n", d->out);
	}
}

static void target_write(struct draft *d) {
	if (chance(d, 15))
		fputs("stop", d->out);
	else
		fprintf(d->out, "h%u", below(d, d->n_headers));
}

static void rules_write(struct draft *d) {
	unsigned int width;

	fputs("    next:\n", d->out);
	for (unsigned int n = 1 + below(d, 4); n > 0; n--) {
		fputs("      - {when: ", d->out);
		cond_write(d, true, true);
		fputs(", then: ", d->out);
		if (chance(d, 30)) {
			fputs("table(", d->out);
			if (!ref_write(d, d->self, true, true, 64, &width))
				fputs("f0", d->out);
			fputs(")", d->out);
		} else {
			target_write(d);
		}
		fputs("}\n", d->out);
	}
	fputs("      - table(f0)\n", d->out);
}

static void header_write(struct draft *d) {
	static const char *const ptypes[] = {"L2_ETHER", "L3_IPV4",     "L3_IPV6_EXT", "L4_UDP",
					     "L4_IGMP",  "TUNNEL_GTPU", "L3_IPV4",     "L4_TCP"};
	struct header *h = &d->headers[d->self];

	fprintf(d->out, "  h%u:\n", d->self);
	h->hidden = d->self > 0 && chance(d, 15);
	if (d->self == 0)
		fputs("    first: true\n", d->out);
	if (h->hidden)
		fputs("    hidden: true\n", d->out);
	layout_write(d);
	if (chance(d, 20)) {
		fputs("    valid: ", d->out);
		cond_write(d, true, false);
		fputs("\n", d->out);
	}
	if (chance(d, 20)) {
		fputs("    fragment: ", d->out);
		cond_write(d, true, false);
		fputs("\n", d->out);
	}
	if (chance(d, 60))
		fprintf(d->out, "    ptype: %s\n", ptypes[below(d, COUNT(ptypes))]);
	for (unsigned int f = 1; f < h->n_fields; f++)
		if (h->fields[f].width == h->fields[0].width && !h->fields[f].ahead) {
			fprintf(d->out, "    pair: f0 f%u\n", f);
			break;
		}
	fprintf(d->out, "    after: \"table(%u", d->n_numbers++);
	for (; chance(d, 50); d->n_numbers++)
		fprintf(d->out, ", %u", d->n_numbers);
	fputs(")\"\n", d->out);
	rules_write(d);
}

static void step_write(struct draft *d) {
	unsigned int h = below(d, d->n_headers);

	fprintf(d->out, " h%u", d->headers[h].hidden ? 0 : h);
}

static void path_write(struct draft *d, unsigned int depth) {
	static const char *const repeats[] = {"", "", "?", "*", "+"};

	for (unsigned int n = 1 + below(d, 3); n > 0; n--) {
		if (depth < 3 && chance(d, 40)) {
			fputs(" (", d->out);
			path_write(d, depth + 1);
			if (chance(d, 60)) {
				fputs(" |", d->out);
				path_write(d, depth + 1);
			}
			fputs(")", d->out);
		} else {
			step_write(d);
		}
		fputs(repeats[below(d, COUNT(repeats))], d->out);
	}
}

// Leading bits of a field, or some in the middle.
static void bits_write(struct draft *d, unsigned int width) {
	const unsigned int n = 1 + below(d, width < 64 ? width : 64);

	if (chance(d, 50))
		fprintf(d->out, "/%u", n);
	else
		fprintf(d->out, "/0x%" PRIx64,
			UINT64_MAX >> (64 - n) << below(d, (width < 64 ? width : 64) - n + 1));
}

static void type_refs_write(struct draft *d, unsigned int n, unsigned int wide) {
	static const char *const sides[] = {"", "", "inner.", "outer."};

	// One of h0 is first: every path has that header.
	fputs("h0.f0", d->out);
	for (; n > 0; n--) {
		unsigned int h = below(d, d->n_headers);
		int f = field_draw(d, h, true, false, wide);

		if (f < 0)
			continue;
		if (chance(d, 20))
			fprintf(d->out, " h%u#%u.f%d", h, 1 + below(d, 3), f);
		else
			fprintf(d->out, " %sh%u.f%d", sides[below(d, COUNT(sides))], h, f);
		if (chance(d, 30))
			bits_write(d, d->headers[h].fields[f].width);
	}
}

static void type_write(struct draft *d, unsigned int number) {
	fprintf(d->out, "  T%u:\n    priority: %u\n    path: h0", number, number);
	path_write(d, 0);
	if (chance(d, 30))
		fprintf(d->out, "\n    when: {h%u.f0: not %u}", below(d, d->n_headers),
			below(d, 3));
	fputs("\n    rss:\n", d->out);
	if (chance(d, 40)) {
		fprintf(d->out, "      - {when: {h0.f0: %u}, hash: ", below(d, 3));
		type_refs_write(d, below(d, 2), 128);
		fputs("}\n", d->out);
	}
	fputs("      - ", d->out);
	type_refs_write(d, below(d, 3), 65);
	fputs("\n    extract: h0.f0\n", d->out);
	if (chance(d, 20))
		fputs("    ptype: L4_SCTP INNER_L3_IPV6\n", d->out);
}

char *profile_draw(uint64_t *seed) {
	struct draft d = {.seed = seed};
	char *text = NULL;
	size_t size;

	d.out = open_memstream(&text, &size);
	assert_non_null(d.out);
	d.n_headers = 2 + below(&d, HEADERS_MAX - 1);
	fputs("profile: t\ntables: {table: numbers}\nheaders:\n", d.out);
	for (d.self = 0; d.self < d.n_headers; d.self++)
		header_write(&d);
	fputs("packet_types:\n", d.out);
	for (unsigned int i = 0; i < 6; i++)
		type_write(&d, i);
	fclose(d.out);
	return text;
}
