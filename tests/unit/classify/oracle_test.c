/* SPDX-License-Identifier: BSD-3-Clause */
// Thousands of packets, most of them broken in some way, classified twice.
#include <glob.h>

#include "classify/classify.h"
#include "oracle.h"
#include "profile/profile.h"
#include "unit.h"

#define N_PACKETS 15000  // for base and gtpu
#define N_OF_LIBRARY 500 // for each other profile

// What came up, so that the comparison does not pass because nothing happened.
struct coverage {
	unsigned int types[DDP_MAX_TYPES];
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
	(void)state;
	mutants_agree("base", 11);
}

static void gtpu_is_read_as_the_profile_says(void **state) {
	(void)state;
	mutants_agree("gtpu", 12);
}

static void gtpu_by_ue_is_read_as_the_profile_says(void **state) {
	(void)state;
	mutants_agree("gtpu:ue;port=2152;port=53", 13);
}

static void library_agrees(const char *name, uint64_t *seed) {
	struct loaded loaded = load_good(name);
	struct ddp_class class;
	uint8_t bytes[PACKET_MAX];

	for (unsigned int i = 0; i < N_OF_LIBRARY; i++)
		assert_agree(&loaded, bytes, mutant_draw(bytes, seed), &class);
	unload(&loaded);
}

// Every profile of the source tree, found as a user's are.
static void every_profile_of_the_library_is_read_as_it_says(void **state) {
	char **dirs = ddp_search_path();
	unsigned int n = 0;
	uint64_t seed = 14;
	glob_t files;
	char *pattern;

	(void)state;
	assert_true(asprintf(&pattern, "%s/*.yaml", dirs[0]) > 0);
	assert_int_equal(glob(pattern, 0, NULL, &files), 0);
	for (; n < files.gl_pathc; n++)
		library_agrees(files.gl_pathv[n], &seed);
	assert_true(n >= 2); // base, gtpu
	globfree(&files);
	free(pattern);
	ddp_search_path_free(dirs);
}

static void samples_agree(void **state) {
	struct ddp_class class;
	uint8_t bytes[PACKET_MAX];

	(void)state;
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
		cmocka_unit_test(samples_agree),
		cmocka_unit_test(every_profile_of_the_library_is_read_as_it_says),
		cmocka_unit_test(base_is_read_as_the_profile_says),
		cmocka_unit_test(gtpu_is_read_as_the_profile_says),
		cmocka_unit_test(gtpu_by_ue_is_read_as_the_profile_says),
	};

	unsetenv("DDP_PROFILE_PATH");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
