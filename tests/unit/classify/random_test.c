/* SPDX-License-Identifier: BSD-3-Clause */
// Profiles drawn at random, and random packets for each: ddp_classify() and the naive reading must
// agree on what nobody thought of writing.
#include "classify/classify.h"
#include "graph_packets.h"
#include "oracle.h"
#include "profile/profile.h"
#include "profile_draw.h"
#include "scratch.h"
#include "unit.h"

#define N_PROFILES DRAWN(300)
#define N_PACKETS 100 // for each, and a fifth as many that follow its rules

// Small numbers decide more than large ones.
static uint32_t packet_draw(uint8_t bytes[PACKET_MAX], uint64_t *seed) {
	uint32_t len = random_below(seed, 120);

	for (uint32_t i = 0; i < len; i++)
		bytes[i] = random_below(seed, 4) == 0 ? random_next(seed) >> 56 :
							random_below(seed, 5);
	return len;
}

// Deeper ones than small numbers make.
static void drawn_agree(const struct loaded *loaded, uint64_t seed) {
	static struct graph graph;
	uint8_t bytes[PACKET_MAX];
	struct ddp_class class;

	graph_init(&graph, loaded->profile, loaded->program, seed);
	for (unsigned int i = 0; i < N_PACKETS / 5; i++) {
		uint32_t len = graph_draw(&graph, bytes);

		assert_agree(loaded, bytes, len, &class);
		assert_agree(loaded, bytes, mutate(bytes, len, &graph.seed), &class);
	}
}

static void drawn_profile_agrees(uint64_t *seed, unsigned int statuses[4], unsigned int *n_typed) {
	char *text = profile_draw(seed);
	uint8_t bytes[PACKET_MAX];
	struct ddp_class class;
	struct ddp_diag diag;
	struct loaded loaded;

	scratch_write_text("t.yaml", text);
	ddp_diag_init(&diag);
	loaded.profile = ddp_profile_load("t", &diag);
	if (loaded.profile == NULL)
		fail_msg("%s in\n%s", ddp_diag_first(&diag), text);
	loaded.program = ddp_program_build(loaded.profile, &diag);
	if (loaded.program == NULL)
		fail_msg("%s in\n%s", ddp_diag_first(&diag), text);
	ddp_diag_fini(&diag);
	free(text);
	for (unsigned int i = 0; i < N_PACKETS; i++) {
		assert_agree(&loaded, bytes, packet_draw(bytes, seed), &class);
		statuses[class.status]++;
		*n_typed += class.type != DDP_TYPE_NONE;
	}
	drawn_agree(&loaded, random_next(seed));
	unload(&loaded);
}

static void profiles_nobody_wrote_are_read_as_they_say(void **state) {
	unsigned int statuses[4] = {0}, n_typed = 0;
	uint64_t seed = 2152;

	for (unsigned int i = 0; i < N_PROFILES; i++)
		drawn_profile_agrees(&seed, statuses, &n_typed);
	// All of it happened; walks that are too deep are walk_test.c's.
	assert_true(statuses[DDP_STATUS_OK] > N_PROFILES * N_PACKETS / 10);
	assert_true(statuses[DDP_STATUS_TRUNCATED] > N_PROFILES * N_PACKETS / 10);
	assert_true(statuses[DDP_STATUS_MALFORMED] > N_PROFILES * N_PACKETS / 10);
	assert_true(n_typed > N_PROFILES * N_PACKETS / 10);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(profiles_nobody_wrote_are_read_as_they_say),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
