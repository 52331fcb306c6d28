/* SPDX-License-Identifier: BSD-3-Clause */
// Thousands of packets, most of them broken in some way, classified twice.
#include <glob.h>

#include "classify/classify.h"
#include "graph_packets.h"
#include "oracle.h"
#include "profile/profile.h"
#include "scratch.h"
#include "unit.h"

#define N_PACKETS 15000 // for base and gtpu
#define N_OF_FEW_LINES 2000

// For each other profile. ORACLE_TIMES=10 in the environment: ten times as many.
#define N_OF_LIBRARY DRAWN(200)
#define N_DRAWN DRAWN(150) // at least, along the profile's own parse graph; each thrice

static unsigned int times(unsigned int n) {
	const char *more = getenv("ORACLE_TIMES");

	return more != NULL ? n * atoi(more) : n;
}

// What came up, so that the comparison does not pass because nothing happened.
struct coverage {
	unsigned int types[DDP_MAX_TYPES + 1];
	unsigned int statuses[4];
};

static void note(struct coverage *coverage, const struct ddp_class *class) {
	coverage->types[class->type_id]++;
	coverage->statuses[class->status]++;
}

static void assert_covered(const struct coverage *coverage, const struct ddp_program *program) {
	for (unsigned int i = 1; i <= ddp_program_n_types(program); i++)
		if (coverage->types[i] == 0)
			fail_msg("no packet was %s", ddp_program_type(program, i - 1)->name);
	assert_true(coverage->statuses[DDP_STATUS_OK] > 0);
	assert_true(coverage->statuses[DDP_STATUS_TRUNCATED] > 0);
	assert_true(coverage->statuses[DDP_STATUS_MALFORMED] > 0);
	assert_true(coverage->statuses[DDP_STATUS_TOO_DEEP] > 0);
}

// A sample of either corpus, often with the rest of another behind one of its headers.
static uint32_t packet_draw(uint8_t bytes[PACKET_MAX], uint64_t *seed) {
	uint32_t len = 0;

	for (unsigned int n = 1 + random_below(seed, 2); n > 0; n--) {
		const struct corpus *corpus = &corpora[random_below(seed, COUNT(corpora))];
		const struct sample *sample =
			&corpus->samples[random_below(seed, corpus->n_samples)];
		const struct piece *piece = sample->packet;

		if (len > 0)
			len = random_below(seed, len);
		while (len > 0 && piece->bytes != NULL && random_below(seed, 2) == 0)
			piece++;
		len += packet_build(piece, bytes + len);
	}
	return len;
}

// A sample, one header of which comes again and again.
static uint32_t endless_draw(uint8_t bytes[PACKET_MAX], uint64_t *seed) {
	const struct corpus *corpus = &corpora[random_below(seed, COUNT(corpora))];
	const struct piece *piece = corpus->samples[random_below(seed, corpus->n_samples)].packet;
	unsigned int again = random_below(seed, 6);
	uint32_t len = 0;

	for (unsigned int i = 0; piece[i].bytes != NULL; i++)
		for (unsigned int n = i == again ? 70 : 1; n > 0; n--) {
			if (len + piece[i].size > PACKET_MAX)
				return len;
			memcpy(bytes + len, piece[i].bytes, piece[i].size);
			len += piece[i].size;
		}
	return len;
}

// One packet in thirty is endless.
static uint32_t mutant_draw(uint8_t bytes[PACKET_MAX], uint64_t *seed) {
	uint32_t len =
		random_below(seed, 30) == 0 ? endless_draw(bytes, seed) : packet_draw(bytes, seed);

	return mutate(bytes, len, seed);
}

static void mutants_agree(const char *spec, uint64_t seed) {
	struct loaded loaded = load_good(spec);
	struct coverage *coverage = calloc(1, sizeof(*coverage));
	struct ddp_class class;
	uint8_t bytes[PACKET_MAX];

	for (unsigned int i = 0; i < N_PACKETS; i++) {
		uint32_t len = mutant_draw(bytes, &seed);

		assert_agree(&loaded, bytes, len, &class);
		note(coverage, &class);
	}
	assert_covered(coverage, loaded.program);
	free(coverage);
	unload(&loaded);
}

static void base_is_read_as_the_profile_says(void **state) {
	mutants_agree("base", 11);
}

static void gtpu_is_read_as_the_profile_says(void **state) {
	mutants_agree("gtpu", 12);
}

static void gtpu_by_ue_is_read_as_the_profile_says(void **state) {
	mutants_agree("gtpu:ue;port=2152;port=53", 13);
}

/* The library */

// A packet of the profile's own: as drawn, cut, and changed.
static void drawn_agrees(const struct loaded *loaded, struct graph *graph,
			 struct coverage *coverage) {
	uint8_t bytes[PACKET_MAX];
	uint32_t len = graph_draw(graph, bytes);
	struct ddp_class class;

	assert_agree(loaded, bytes, len, &class);
	note(coverage, &class);
	if (len > 0)
		assert_agree(loaded, bytes, random_below(&graph->seed, len), &class);
	assert_agree(loaded, bytes, mutate(bytes, len, &graph->seed), &class);
}

// Of types that a profile with the parameters it has otherwise cannot find: pseudowires of L2TPv3
// carry nothing known, eCPRI has no port.
static bool is_off(const char *spec, const char *type) {
	return strchr(spec, ';') == NULL &&
	       (strcmp(type, "L2TPV3_ETH") == 0 || strncmp(type, "L2TPV3_IPV", 10) == 0 ||
		strcmp(type, "ECPRI_UDP") == 0);
}

// A packet type that did not come up, NULL for none.
static const char *type_missed(const char *spec, const struct coverage *coverage,
			       const struct ddp_program *program) {
	for (unsigned int i = 1; i <= ddp_program_n_types(program); i++) {
		const char *name = ddp_program_type(program, i - 1)->name;

		if (coverage->types[i] == 0 && !is_off(spec, name))
			return name;
	}
	return NULL;
}

static void all_drawn_agree(const struct loaded *loaded, const char *spec, uint64_t seed) {
	// An input set has its profile's types, and all.yaml those of the others, which takes long.
	const bool covers = strchr(spec, ':') == NULL && strstr(spec, "/all.yaml") == NULL;
	unsigned int least = times(N_DRAWN);
	unsigned int most = least + (covers ? 200 * ddp_program_n_types(loaded->program) : 0);
	struct coverage *coverage = calloc(1, sizeof(*coverage));
	static struct graph graph;
	const char *missed = spec;

	graph_init(&graph, loaded->profile, loaded->program, seed);
	for (unsigned int i = 0; i < most && missed != NULL; i++) {
		drawn_agrees(loaded, &graph, coverage);
		if (i >= least)
			missed = type_missed(spec, coverage, loaded->program);
	}
	if (missed != NULL && covers)
		fail_msg("%s: no packet was %s", spec, missed);
	free(coverage);
}

static void spec_agrees(const char *spec, uint64_t *seed) {
	struct loaded loaded = load_good(spec);
	struct ddp_class class;
	uint8_t bytes[PACKET_MAX];

	for (unsigned int i = 0; i < times(N_OF_LIBRARY); i++)
		assert_agree(&loaded, bytes, mutant_draw(bytes, seed), &class);
	all_drawn_agree(&loaded, spec, random_next(seed));
	unload(&loaded);
}

// Each profile of a folder, and again with each of its input sets.
static void folder_agrees(const char *dir, unsigned int at_least, uint64_t seed) {
	glob_t files;
	char *text;

	assert_true(asprintf(&text, "%s/*.yaml", dir) > 0);
	assert_int_equal(glob(text, 0, NULL, &files), 0);
	free(text);
	assert_true(files.gl_pathc >= at_least);
	for (unsigned int n = 0; n < files.gl_pathc; n++) {
		struct loaded loaded = load_good(files.gl_pathv[n]);

		for (unsigned int i = 0; i < loaded.profile->n_parts; i++) {
			const struct ddp_profile_part *part = &loaded.profile->parts[i];

			for (unsigned int j = 0; part->named && j < part->n_input_sets; j++) {
				assert_true(asprintf(&text, "%s:%s", files.gl_pathv[n],
						     part->input_sets[j].name) > 0);
				spec_agrees(text, &seed);
				free(text);
			}
		}
		unload(&loaded);
		spec_agrees(files.gl_pathv[n], &seed);
	}
	globfree(&files);
}

static void every_profile_of_the_library_is_read_as_it_says(void **state) {
	folder_agrees(PROFILES, 30, 14);
}

static void every_example_is_read_as_it_says(void **state) {
	folder_agrees(PROFILES "/examples", 1, 15);
}

static void what_parameters_turn_on_is_read_as_the_profile_says(void **state) {
	uint64_t seed = 16;

	spec_agrees("l2tpv3;ethernet=1;cookie=4;sublayer=4", &seed);
	spec_agrees("ecpri;port=5000", &seed);
	spec_agrees("quic;cid_length=8", &seed);
	spec_agrees("gtpu;port=2152;port=53+vxlan;port=54+geneve", &seed);
}

// Headers whose length is no bar to knowing what follows, as long as nothing else asks for it: here
// something does. And headers that are no part of the path, but of what is hashed.
static const char *const few_lines[] = {
	"  aa: {first: true, layout: 'len:8 x:8 ... last:8', length: '4 * len',\n"
	"       next: [{when: {last: 1}, then: bb}]}\n",
	"  aa: {first: true, layout: 'len:8 x:8 ...', length: '4 * len', valid: {len: not 2},\n"
	"       next: [{when: {x: 1}, then: bb}]}\n",
	"  aa: {first: true, layout: 'len:8 x:8 ...', length: '4 * len', next:\n"
	"       [{when: {len: 2, x: 1}, then: stop}, {when: {x: 1}, then: bb}]}\n",
	"  aa: {first: true, layout: 'len:8 x:8 ... last:8', length: '4 * len',\n"
	"       valid: {last: not 3}, next: [{when: {x: 1}, then: bb}]}\n",
	"  aa: {first: true, layout: 'len:8 x:8 ... last:8', length: '4 * len',\n"
	"       fragment: {last: 3}, next: [{when: {x: 1}, then: bb}]}\n",
	"  aa: {first: true, layout: 'len:8 x:8 ... y:16', length: '4 * len', next:\n"
	"       [{when: {y: 0x0101}, then: stop}, {when: {x: 1, y: 0x0102}, then: bb}]}\n",
	"  aa: {first: true, layout: 'len:8 x:8 ...', length: '4 * len', ahead: 'p:24',\n"
	"       next: [{when: {p: 0x010101, x: 1}, then: bb}]}\n",
};

static void few_lines_agree(const char *headers, const char *type, uint64_t *seed) {
	struct ddp_class class;
	struct loaded loaded;
	char *text;

	assert_true(asprintf(&text,
			     "profile: t\n"
			     "headers:\n"
			     "%s"
			     "  bb: {layout: 'z:8', next: [{when: {z: 1}, then: hh}]}\n"
			     "  hh: {hidden: true, layout: 'h:8'}\n"
			     "packet_types:\n"
			     "  AA: {path: aa, rss: aa.x}\n"
			     "  BB: {path: aa bb, rss: %s}\n",
			     headers, type) > 0);
	scratch_write_text("t.yaml", text);
	free(text);
	loaded = load_good("t");
	for (unsigned int i = 0; i < N_OF_FEW_LINES; i++) {
		uint8_t bytes[24];

		for (unsigned int k = 0; k < sizeof(bytes); k++)
			bytes[k] = random_below(seed, 4);
		assert_agree(&loaded, bytes, random_below(seed, sizeof(bytes) + 1), &class);
	}
	unload(&loaded);
}

static void headers_of_any_length_are_read_as_they_say(void **state) {
	uint64_t seed = 17;

	for (unsigned int i = 0; i < COUNT(few_lines); i++) {
		few_lines_agree(few_lines[i], "bb.z", &seed);
		few_lines_agree(few_lines[i], "bb.z hh.h", &seed);
	}
}

static void samples_agree(void **state) {
	struct ddp_class class;
	uint8_t bytes[PACKET_MAX];

	for (unsigned int c = 0; c < COUNT(corpora); c++) {
		struct loaded loaded = load_good(corpora[c].spec);

		for (unsigned int i = 0; i < corpora[c].n_samples; i++)
			assert_agree(&loaded, bytes,
				     packet_build(corpora[c].samples[i].packet, bytes), &class);
		unload(&loaded);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_of_any_length_are_read_as_they_say),
		cmocka_unit_test(samples_agree),
		cmocka_unit_test(every_profile_of_the_library_is_read_as_it_says),
		cmocka_unit_test(every_example_is_read_as_it_says),
		cmocka_unit_test(what_parameters_turn_on_is_read_as_the_profile_says),
		cmocka_unit_test(base_is_read_as_the_profile_says),
		cmocka_unit_test(gtpu_is_read_as_the_profile_says),
		cmocka_unit_test(gtpu_by_ue_is_read_as_the_profile_says),
	};

	unsetenv("DDP_PROFILE_PATH");
	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
