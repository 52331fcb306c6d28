/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include "base/arena.h"
#include "unit.h"

static struct ddp_arena *arena;

static int setup(void **state) {
	arena = ddp_arena_create();
	return arena == NULL;
}

static int teardown(void **state) {
	ddp_arena_destroy(arena);
	return 0;
}

TEST(memory_is_zeroed_and_fit_for_any_type) {
	for (size_t size = 0; size < 200; size++) {
		unsigned char *bytes = ddp_arena_alloc(arena, size);

		assert_int_equal((uintptr_t)bytes % _Alignof(max_align_t), 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(bytes[i], 0);
		memset(bytes, 0xa5, size); // AddressSanitizer sees a block that is too small
	}
}

TEST(a_copied_word_ends_where_the_word_does) {
	char *copy = ddp_arena_strndup(arena, "gtpu:ue", 4);

	assert_string_equal(copy, "gtpu");
	assert_string_equal(ddp_arena_strdup(arena, ""), "");
	assert_string_equal(ddp_arena_strdup(arena, "base"), "base");
}

TEST(a_printed_text_is_whole_however_long) {
	char *text = ddp_arena_printf(arena, "%s:%0300u", "udp", 53U);

	assert_int_equal(strlen(text), 304);
	assert_string_equal(text + 301, "053");
	assert_string_equal(ddp_arena_printf(arena, "%s", ""), "");
}

TEST(a_growing_array_keeps_its_items_and_adds_zeroed_ones) {
	struct item {
		uint64_t number;
		char text[5];
	} *items = NULL;
	unsigned int n = 0;

	while (n < 1000) {
		struct item *item = DDP_APPEND(arena, items, n);

		assert_ptr_equal(item, &items[n - 1]);
		assert_int_equal(item->number, 0);
		assert_int_equal(item->text[0], 0);
		item->number = n - 1;
		memset(item->text, 'x', sizeof(item->text));
	}
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(items[i].number, i);
}

static unsigned int n_blocks;

static void *block_alloc(size_t size) {
	n_blocks++;
	return calloc(1, size);
}

static void block_free(void *block) {
	n_blocks--;
	free(block);
}

// Memory that processes share must not have a part that only one of them can read.
TEST(all_of_an_arena_is_in_the_memory_it_was_given) {
	const struct ddp_memory memory = {block_alloc, block_free};
	struct ddp_arena *other = ddp_arena_create_in(&memory);

	assert_int_equal(n_blocks, 1);
	ddp_arena_alloc(other, 100);
	ddp_arena_strdup(other, "gtpu");
	assert_int_equal(n_blocks, 3);
	assert_ptr_equal(ddp_arena_memory(other), &memory);
	ddp_arena_destroy(other);
	assert_int_equal(n_blocks, 0);
}

static void inner(void *arg) {
	ddp_arena_alloc(NULL, 1); // an arena for which there was no memory
	*(bool *)arg = true;
}

TEST(of_nested_runs_the_inner_one_ends) {
	bool went_on = false;

	assert_int_equal(ddp_arena_run(inner, &went_on), -ENOMEM);
	assert_false(went_on);
	ddp_arena_strdup(arena, "gtpu");
}

TEST(nothing_can_be_destroyed) {
	ddp_arena_destroy(NULL);
}

EACH(setup, teardown)
