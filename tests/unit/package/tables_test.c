/* SPDX-License-Identifier: BSD-3-Clause */
#include "damage.h"
#include "e810/e810.h"

static struct build *build;
static struct ddp_package *package;
static struct ddp_diag *diag;

static int setup(void **state) {
	build = build_new();
	diag = diag_new();
	return 0;
}

static const struct ddp_package *package_read(void) {
	package = build_read(build, diag);
	assert_non_null(package);
	return package;
}

TEST(entries_go_to_their_index_and_gaps_are_zeros) {
	const uint8_t groups[] = {1, 2, 3};
	const struct e810_table *table;

	build_table(build, E810_RSS_XLT1, 8189, groups, 1, 3);
	build_buffer(build);
	build_table(build, E810_RSS_XLT1, 5, groups, 1, 2);
	table = e810_table(package_read(), E810_RSS_XLT1);
	assert_int_equal(table->entry_size, 1);
	assert_int_equal(table->n_entries, 8192);
	assert_int_equal(table->n_given, 5);
	assert_memory_equal(table->entries, "\0\0\0\0\0\1\2\0", 8);
	assert_int_equal(table->entries[8191], 3);
	assert_int_equal(diag->n_warnings, 0);
}

// The first entry that matches counts: their order is that of the file, whatever their addresses.
TEST(entries_with_addresses_stay_in_the_order_of_the_file) {
	uint8_t entries[3][88] = {{9}, {4}, {200}};
	const struct e810_table *table;

	build_table(build, E810_BOOST_TCAM, 0, entries, 88, 2);
	build_buffer(build);
	build_table(build, E810_BOOST_TCAM, 0, entries[2], 88, 1);
	table = e810_table(package_read(), E810_BOOST_TCAM);
	assert_int_equal(table->n_entries, 3);
	assert_int_equal(table->entries[0], 9);
	assert_int_equal(table->entries[88], 4);
	assert_int_equal(table->entries[2 * 88], 200);
}

TEST(an_index_or_address_given_twice_is_told_and_the_later_index_counts) {
	const uint8_t entries[2][24] = {{7}, {7}};
	const struct e810_table *table;

	build_table(build, E810_PTYPE_TCAM, 0, entries, 24, 2);
	build_table(build, E810_RSS_XLT1, 5, "\1\2", 1, 2);
	build_table(build, E810_RSS_XLT1, 6, "\3\4", 1, 2);
	table = e810_table(package_read(), E810_RSS_XLT1);
	assert_int_equal(table->entries[6], 3);
	assert_int_equal(diag->n_warnings, 2);
	assert_non_null(strstr(diag->messages[0].s,
			       "RSS packet type groups (XLT1): entry 6 is given twice"));
	assert_non_null(strstr(diag->messages[1].s, "Rx packet type TCAM: entry 7 is given twice"));
}

TEST(a_table_without_sections_is_empty) {
	package_read();
	assert_int_equal(e810_table(package, E810_IMEM)->n_entries, 0);
	assert_int_equal(e810_table_live(package, E810_IMEM), -1);
	assert_int_equal(e810_table_live(package, E810_PG_CAM), 0);
}

TEST(a_section_of_unknown_layout_is_no_table) {
	unsigned int n;

	build_section(build, 0x252, "\377\377\377\377", 4);
	package_read();
	assert_int_equal(e810_table(package, 0x252)->n_entries, 0);
	assert_int_equal(e810_table_live(package, 0x252), -1);
	assert_null(e810_section_name(0x252));
	assert_null(e810_labels(package, 0x252, &n));
	assert_int_equal(n, 0);
}

TEST(a_table_of_a_whole_section_has_one_entry) {
	uint8_t builder[204] = {[203] = 7};
	const struct e810_table *table;

	build_section(build, E810_FD_KEY_BUILDER, builder, sizeof(builder));
	table = e810_table(package_read(), E810_FD_KEY_BUILDER);
	assert_int_equal(table->n_entries, 1);
	assert_int_equal(table->entries[203], 7);
}

TEST(labels_are_in_the_order_of_the_file) {
	static const char longest[] =
		"A234567890123456789012345678901234567890123456789012345678901234";
	const struct e810_label *labels;
	unsigned int n;

	build_label(build, E810_LABELS_PC, 1, longest);
	build_label(build, E810_LABELS_PC, 2, "NEXT");
	build_label(build, E810_LABELS_PTYPE, 24, "MAC_IPV4_UDP_PAY");
	build_label(build, E810_LABELS_PTYPE, 1, "MAC_PAY");
	build_label(build, E810_LABELS_PTYPE, 24, "AGAIN");
	labels = e810_labels(package_read(), E810_LABELS_PTYPE, &n);
	assert_int_equal(n, 3);
	assert_int_equal(labels[1].value, 1);
	assert_string_equal(labels[1].name, "MAC_PAY");
	assert_string_equal(e810_label(package, E810_LABELS_PTYPE, 24), "MAC_IPV4_UDP_PAY");
	assert_null(e810_label(package, E810_LABELS_PTYPE, 2));
	assert_null(e810_label(package, E810_LABELS_PC, 24));
	assert_string_equal(e810_label(package, E810_LABELS_PC, 1), longest);
}

struct live {
	const char *name; // of the test
	uint32_t id;
	uint8_t entry[88]; // that is live
	uint16_t size;
	bool has_address;
};

static const struct live lives[] = {
	{"a_valid_parse_graph_entry_is_live", E810_PG_CAM, {1}, 16, false},
	{"a_valid_spill_entry_is_live", E810_PG_SPILL, {[7] = 1}, 17, false},
	{"a_valid_no_match_spill_entry_is_live", E810_NO_MATCH_SPILL, {[7] = 1}, 13, false},
	{"a_boost_entry_with_a_hit_index_is_live", E810_BOOST_TCAM, {[44] = 6}, 88, true},
	{"a_packet_type_entry_that_can_match_is_live",
	 E810_PTYPE_TCAM,
	 {0, 0, 24, 0, [4 ... 13] = 0xf0, [14 ... 23] = 0x0f},
	 24,
	 true},
	{"a_group_is_live", E810_RSS_XLT1, {32}, 1, false},
	{"an_exposed_flag_is_live", E810_FLAG_REDIRECTION, {0x51}, 1, false},
	{"a_protocol_group_is_live", E810_PROTOCOL_GROUPS, {32 << 1}, 24, false},
};

// Beside one that is not: zeros, or the list's end.
ROWS_TEST(live_entries_are_counted, lives) {
	const struct live *live = *state;
	uint8_t entries[2][88] = {0};
	uint8_t *bytes = &entries[0][0];

	memcpy(bytes, live->entry, live->size);
	if (live->id == E810_PROTOCOL_GROUPS)
		put16(bytes + live->size, 255 << 1);
	if (live->has_address)
		bytes[live->size] = 1;
	build_table(build, live->id, 0, bytes, live->size, 2);
	package_read();
	assert_int_equal(e810_table(package, live->id)->n_given, 2);
	if (live->id == E810_PROTOCOL_GROUPS) // slots that no section has are zeros: protocol 0
		assert_int_equal(e810_table_live(package, live->id), 192 - 1);
	else
		assert_int_equal(e810_table_live(package, live->id), 1);
}

TEST(a_field_vector_of_unused_words_is_not_live) {
	uint8_t vectors[2][96];

	for (unsigned int i = 0; i < sizeof(vectors) / 4; i++)
		memcpy(&vectors[0][0] + 4 * i, "\377\377\001\000", 4);
	vectors[1][4 * 23] = 32;
	build_table(build, E810_RSS_FIELD_VECTOR, 126, vectors, 96, 2);
	package_read();
	assert_int_equal(e810_table(package, E810_RSS_FIELD_VECTOR)->n_entries, 128);
	// The 126 that are not given are zeros, which is protocol 0: words, even if senseless.
	assert_int_equal(e810_table_live(package, E810_RSS_FIELD_VECTOR), 126 + 1);
}

EACH(setup, NULL)
