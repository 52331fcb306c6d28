/* SPDX-License-Identifier: BSD-3-Clause */
// The parser's rules on tables of a few entries that each test writes itself: what Intel's packages
// do not make use of, and what a package must not say.
#include "e810/e810_parser.h"
#include "unit.h"

#define N_TABLES 128 // at least as many as layouts

static struct e810_table tables[N_TABLES];
static uint8_t bytes[N_TABLES][256 * 88];

static struct e810_package e810 = {.tables = tables};
static const struct ddp_package package = {
	.kind = DDP_PACKAGE_E810, .path = "t.pkg", .e810 = &e810};

static void table_add(uint32_t id, unsigned int size, unsigned int n) {
	struct e810_table *table = (struct e810_table *)e810_table(&package, id);

	assert_true(table >= tables && table < tables + N_TABLES && size * n <= sizeof(bytes[0]));
	memset(bytes[table - tables], 0, sizeof(bytes[0]));
	*table = (struct e810_table){bytes[table - tables], size, n, n, NULL};
}

static uint8_t *entry_of(uint32_t id, unsigned int index) {
	const struct e810_table *table = e810_table(&package, id);

	assert_non_null(table->entries);
	return bytes[table - tables] + table->entry_size * index;
}

static void put(uint8_t *entry, unsigned int first, unsigned int n, uint64_t value) {
	for (unsigned int i = 0; i < n; i++) {
		entry[(first + i) / 8] &= ~(1u << (first + i) % 8);
		entry[(first + i) / 8] |= (value >> i & 1) << (first + i) % 8;
	}
}

struct alu {
	unsigned int opcode, start, len, shift, src, dst, branch, imm, bit, po_op, po;
};

// Parks, and leaves the protocol offset alone.
static const struct alu idle = {.po_op = 3};

static void alu_put(uint8_t *entry, unsigned int first, const struct alu *alu) {
	put(entry, first, 6, alu->opcode);
	put(entry, first + 6, 8, alu->start);
	put(entry, first + 14, 5, alu->len);
	put(entry, first + 20, 4, alu->shift);
	put(entry, first + 24, 7, alu->src);
	put(entry, first + 31, 7, alu->dst);
	put(entry, first + 40, 2, alu->po_op);
	put(entry, first + 42, 8, alu->po);
	put(entry, first + 50, 8, alu->branch);
	put(entry, first + 58, 16, alu->imm);
	put(entry, first + 75, 6, alu->bit);
}

// Instruction pc looks at n bits of the packet from bit start after the header offset.
static void instruction_put(unsigned int pc, unsigned int start, unsigned int n,
			    unsigned int priority) {
	uint8_t *entry = entry_of(E810_IMEM, pc);

	put(entry, 14, 2, priority);
	put(entry, 16, 2, 0);
	put(entry, 18, 8, start);
	put(entry, 26, 8, n);
	put(entry, 34 + 28, 7, 103);
	for (unsigned int k = 0; k < 3; k++)
		alu_put(entry, 69 + 96 * k, &idle);
}

static void instruction_alu_put(unsigned int pc, unsigned int k, const struct alu *alu) {
	alu_put(entry_of(E810_IMEM, pc), 69 + 96 * k, alu);
}

struct edge {
	unsigned int node, next, boost; // the key
	unsigned int next_node, next_pc, marker, protocol;
	int advance;
	bool last, marker_group, protocol_group;
};

static void edge_put(uint32_t id, unsigned int index, const struct edge *edge) {
	bool spill = id == E810_PG_SPILL || id == E810_NO_MATCH_SPILL;
	bool no_match = id == E810_PG_NO_MATCH || id == E810_NO_MATCH_SPILL;
	unsigned int key = spill ? 56 : 0, action = spill ? 0 : no_match ? 41 : 73;
	uint8_t *entry = entry_of(id, index);

	put(entry, key, 1, 1);
	put(entry, key + 1, 11, edge->node);
	put(entry, key + 16, 1, edge->boost != 0);
	put(entry, key + 17, 8, edge->boost);
	if (!no_match)
		put(entry, key + 41, 32, edge->next);
	put(entry, action, 11, edge->next_node);
	put(entry, action + 11, 8, edge->next_pc);
	put(entry, action + 19, 1, edge->protocol_group);
	put(entry, action + 23, 8, edge->protocol);
	put(entry, action + 31, 1, edge->marker_group);
	put(entry, action + 32, 8, edge->marker);
	put(entry, action + 40, 1, edge->last);
	put(entry, action + 41, 1, edge->advance >= 0);
	put(entry, action + 42, 9, abs(edge->advance));
}

// A ternary row: value where care, anything else where not.
static void ternary_put(uint8_t *key, uint8_t *inverse, unsigned int i, uint8_t value,
			uint8_t care) {
	key[i] = ~value | ~care;
	inverse[i] = value | ~care;
}

// Markers 0 to 7 with a mask; the others must not be set.
static void ptype_put(unsigned int index, uint16_t ptype, uint8_t markers, uint8_t care) {
	uint8_t *entry = entry_of(E810_PTYPE_TCAM, index);

	put(entry, 0, 16, index);
	put(entry, 16, 16, ptype);
	for (unsigned int i = 0; i < 10; i++)
		ternary_put(entry + 4, entry + 14, i, i == 0 ? markers : 0,
			    i == 0 ? care :
			    i == 9 ? 0 :
				     0xff);
}

// A boost entry that wants byte 0 of the packet, from the header offset on, and a selector.
static void boost_put(unsigned int index, uint8_t hit, uint8_t value, uint8_t care,
		      uint8_t selector, uint8_t selector_care) {
	uint8_t *entry = entry_of(E810_BOOST_TCAM, index);

	put(entry, 0, 16, index);
	for (unsigned int i = 0; i < 20; i++)
		ternary_put(entry + 4, entry + 24, i, 0, 0);
	ternary_put(entry + 4, entry + 24, 18, value, care);
	ternary_put(entry + 4, entry + 24, 19, selector, selector_care);
	put(entry, 352, 8, hit);
	put(entry, 362, 2, 2); // next protocol: 0
	put(entry, 380 + 28, 7, 103);
	for (unsigned int k = 0; k < 3; k++)
		alu_put(entry, 415 + 96 * k, &idle);
}

static int tables_setup(void **state) {
	memset(tables, 0, sizeof(tables));
	table_add(E810_IMEM, 48, 192);
	table_add(E810_PG_CAM, 16, 32);
	table_add(E810_PG_SPILL, 17, 4);
	table_add(E810_PG_NO_MATCH, 12, 4);
	table_add(E810_NO_MATCH_SPILL, 13, 4);
	table_add(E810_PTYPE_TCAM, 24, 8);
	table_add(E810_BOOST_TCAM, 88, 8);
	table_add(E810_METADATA_INIT, 24, 16);
	table_add(E810_MARKER_GROUPS, 8, 4);
	table_add(E810_PROTOCOL_GROUPS, 24, 4);
	table_add(E810_FLAG_REDIRECTION, 1, 64);
	for (unsigned int f = 0; f < 64; f++)
		put(entry_of(E810_FLAG_REDIRECTION, f), 0, 8, f << 1 | 1);
	instruction_put(0, 0, 8, 3);
	return 0;
}

static struct e810_parser *parser_make(void) {
	static const struct e810_config config;
	struct e810_parser *parser;
	struct ddp_diag *diag = diag_new();

	parser = e810_parser_create(&package, &config, diag);
	if (parser == NULL)
		fail_msg("%s", ddp_diag_first(diag));
	return parser;
}

static void parse(const char *packet, uint32_t len, struct e810_result *result) {
	struct e810_parser *parser = parser_make();

	e810_parse(parser, (const uint8_t *)packet, len, result);
	e810_parser_destroy(parser);
}

#define PARSE(packet, result) parse(packet, sizeof(packet) - 1, result)

#define STAY .marker = 71, .protocol = 255

TEST(an_exact_key_comes_before_one_without_next_protocol) {
	struct e810_result result;

	edge_put(E810_PG_CAM, 3, &(struct edge){.next = 7, STAY, .next_node = 1, .last = true});
	edge_put(E810_PG_NO_MATCH, 0, &(struct edge){STAY, .next_node = 2, .last = true});
	PARSE("\7", &result);
	assert_int_equal(result.node, 1);
	PARSE("\10", &result);
	assert_int_equal(result.node, 2);
}

TEST(the_first_of_equal_keys_decides_and_the_spill_comes_last) {
	struct e810_result result;

	edge_put(E810_PG_SPILL, 0, &(struct edge){.next = 7, STAY, .next_node = 1, .last = true});
	edge_put(E810_PG_SPILL, 1, &(struct edge){.next = 8, STAY, .next_node = 2, .last = true});
	edge_put(E810_PG_CAM, 9, &(struct edge){.next = 7, STAY, .next_node = 3, .last = true});
	edge_put(E810_PG_CAM, 5, &(struct edge){.next = 7, STAY, .next_node = 4, .last = true});
	PARSE("\7", &result);
	assert_int_equal(result.node, 4);
	PARSE("\10", &result);
	assert_int_equal(result.node, 2);
}

TEST(without_an_entry_what_was_gathered_before_is_the_result) {
	struct e810_result result;

	edge_put(E810_PG_CAM, 0,
		 &(struct edge){
			 .next = 7, .marker = 1, .protocol = 9, .next_node = 1, .advance = 1});
	ptype_put(0, 44, 2, 0xff);
	PARSE("\7\7", &result);
	assert_int_equal(result.status, E810_ERROR);
	assert_int_equal(result.ptype, 44);
	assert_int_equal(result.n_steps, 2);
	assert_int_equal(result.n_protocols, 1);
	assert_int_equal(result.protocols[0].id, 9);
}

TEST(groups_stop_at_their_first_none) {
	struct e810_result result;
	uint8_t *group;

	memcpy(entry_of(E810_MARKER_GROUPS, 2), "\0\2\107\3\3\3\3\3", 8);
	group = entry_of(E810_PROTOCOL_GROUPS, 3);
	put(group, 1, 8, 40);
	put(group, 12, 10, 5);
	put(group, 22, 1, 1); // subtract
	put(group, 23, 8, 32);
	put(group, 34, 10, 2);
	put(group, 45, 8, 255);
	put(group, 67, 8, 50);
	edge_put(E810_PG_CAM, 0,
		 &(struct edge){.next = 7,
				.marker = 2,
				.marker_group = true,
				.protocol = 3,
				.protocol_group = true,
				.last = true});
	ptype_put(0, 44, 5, 0xff);
	instruction_alu_put(0, 2, &(struct alu){.po_op = 1, .po = 10});
	PARSE("\7", &result);
	assert_int_equal(result.ptype, 44);
	assert_int_equal(result.n_protocols, 2);
	assert_int_equal(result.protocols[0].id, 32);
	assert_int_equal(result.protocols[0].offset, 8);
	assert_int_equal(result.protocols[1].id, 40);
	assert_int_equal(result.protocols[1].offset, 15);
}

// Markers are kept in two words, of 64 and of 8; the last one means none.
TEST(each_marker_leads_to_its_packet_type) {
	for (unsigned int marker = 0; marker < 71; marker++) {
		struct e810_result result;
		uint8_t *entry;

		tables_setup(NULL);
		edge_put(
			E810_PG_CAM, 0,
			&(struct edge){.next = 7, .marker = marker, .protocol = 255, .last = true});
		ptype_put(0, 44, 0, 0xff);
		entry = entry_of(E810_PTYPE_TCAM, 0);
		ternary_put(entry + 4, entry + 14, marker / 8, 1 << marker % 8, 0xff);
		PARSE("\7", &result);
		if (result.ptype != 44)
			fail_msg("marker %u", marker);
	}
}

TEST(steps_back_and_forth_end_as_a_loop) {
	struct e810_result result;

	edge_put(E810_PG_CAM, 0, &(struct edge){.node = 0, STAY, .next_node = 1, .advance = 4});
	edge_put(E810_PG_CAM, 1, &(struct edge){.node = 1, STAY, .next_node = 0, .advance = -4});
	PARSE("\0\0\0\0\0\0\0\0", &result);
	assert_int_equal(result.status, E810_LOOP);
	assert_int_equal(result.ptype, E810_NO_PTYPE);
	assert_int_equal(result.n_steps, 65);
}

TEST(the_longest_packet_ends_though_each_byte_stalls) {
	static const char packet[65535];
	struct e810_result result;

	for (unsigned int n = 0; n < 24; n++)
		edge_put(E810_PG_CAM, n,
			 &(struct edge){
				 .node = n, STAY, .next_node = (n + 1) % 24, .advance = n == 23});
	parse(packet, sizeof(packet), &result);
	assert_int_equal(result.status, E810_OK);
	assert_int_equal(result.n_steps, 24 * sizeof(packet));
}

TEST(rows_with_and_without_wildcards_decide_in_file_order) {
	struct e810_result result;

	for (unsigned int m = 0; m < 3; m++)
		edge_put(E810_PG_CAM, m,
			 &(struct edge){.next = m, .marker = m, .protocol = 255, .last = true});
	ptype_put(0, 10, 1, 0xff);
	ptype_put(1, 11, 0, 0xfc); // markers 0 and 1, any of them
	ptype_put(2, 12, 2, 0xff); // never reached
	ptype_put(3, 13, 4, 0xff);
	ptype_put(4, 14, 4, 0xff);
	PARSE("\0", &result);
	assert_int_equal(result.ptype, 10);
	PARSE("\1", &result);
	assert_int_equal(result.ptype, 11);
	PARSE("\2", &result);
	assert_int_equal(result.ptype, 13);
}

TEST(boost_rows_decide_in_file_order) {
	struct e810_result result;

	put(entry_of(E810_IMEM, 0), 0, 4, 8); // a hit replaces the key builder
	put(entry_of(E810_IMEM, 0), 4, 8, 0x41);
	boost_put(0, 0, 0, 0, 0, 0); // hit index 0: not in use
	boost_put(1, 9, 5, 0xff, 0x41, 0xff);
	entry_of(E810_BOOST_TCAM, 1)[4] = entry_of(E810_BOOST_TCAM, 1)[24] = 0xfe; // never matches
	boost_put(2, 2, 5, 0xff, 0x40, 0xfe); // selector 40 or 41
	boost_put(3, 3, 5, 0xff, 0x41, 0xff); // never reached
	boost_put(4, 4, 0, 0x0f, 0x41, 0xff);
	boost_put(5, 5, 0, 0, 0x42, 0xff); // another selector
	for (unsigned int i = 2; i < 6; i++)
		edge_put(E810_PG_CAM, i,
			 &(struct edge){.boost = i, STAY, .next_node = i, .last = true});
	edge_put(E810_PG_NO_MATCH, 0, &(struct edge){STAY, .next_node = 9, .last = true});
	PARSE("\5", &result);
	assert_int_equal(result.node, 2);
	PARSE("\60", &result);
	assert_int_equal(result.node, 4);
	PARSE("\7", &result);
	assert_int_equal(result.node, 9);
}

// An operation on 12 34 56 78 moves the header offset from 2 to this.
struct alu_row {
	const char *name;
	struct alu alu;
	uint16_t end;
};

static const struct alu_row alu_rows[] = {
	{"move-add", {.opcode = 1, .src = 64, .len = 4, .imm = 100, .dst = 110}, 101},
	{"move-add shifts its source",
	 {.opcode = 1, .src = 64, .len = 8, .shift = 2, .dst = 110},
	 0x48},
	{"add", {.opcode = 2, .src = 64, .start = 8, .len = 8, .imm = 1, .dst = 110}, 2 + 0x35},
	{"sums wrap", {.opcode = 2, .src = 103, .len = 1, .imm = 0xffff, .dst = 110}, 1},
	{"move-xor", {.opcode = 9, .src = 64, .len = 8, .imm = 0x0103, .dst = 110}, 0x0111},
	{"a source of 16 bits is cut to its last 8",
	 {.opcode = 1, .src = 64, .len = 16, .dst = 110},
	 0x34},
	{"a source of 17 bits is cut to its first 16, then to 8",
	 {.opcode = 1, .src = 64, .start = 1, .len = 17, .dst = 110},
	 0xd0},
	{"a source of 20 bits is, too", {.opcode = 1, .src = 64, .len = 20, .dst = 110}, 0x40},
	{"one bit is left of a source of 23",
	 {.opcode = 1, .src = 64, .start = 2, .len = 23, .dst = 110},
	 0x80},
	{"none is left of a source of 24",
	 {.opcode = 1, .src = 64, .start = 2, .len = 24, .dst = 110},
	 0},
	{"a source may begin in any bit",
	 {.opcode = 1, .src = 64, .start = 4, .len = 8, .dst = 110},
	 0x23},
	{"a source may begin in another register",
	 {.opcode = 1, .src = 65, .len = 8, .dst = 110},
	 0x56},
	{"a source of no bits is zero",
	 {.opcode = 1, .src = 64, .len = 0, .imm = 9, .dst = 110},
	 9},
	{"the last register and beyond are zero",
	 {.opcode = 1, .src = 127, .start = 255, .len = 31, .imm = 9, .dst = 110},
	 9},
	{"an operation that is not known does nothing",
	 {.opcode = 7, .src = 64, .len = 8, .dst = 110},
	 2},
};

ROWS_TEST(alu_moves_the_header_offset, alu_rows) {
	const struct alu_row *row = *state;
	struct e810_result result;
	struct alu alu = row->alu;

	tables_setup(NULL);
	put(entry_of(E810_METADATA_INIT, 0), 8, 9, 2);
	alu.po_op = 3;
	instruction_alu_put(0, 1, &alu);
	edge_put(E810_PG_NO_MATCH, 0, &(struct edge){STAY, .last = true});
	PARSE("..\x12\x34\x56\x78", &result);
	assert_int_equal(result.end, row->end);
}

struct flag_row {
	const char *name;
	struct alu alu;
	bool before, after; // flag 21
};

static const struct flag_row flag_rows[] = {
	{"set-if-equal sets", {.opcode = 19, .imm = 0x12}, false, true},
	{"set-if-equal clears", {.opcode = 19, .imm = 0x13}, true, false},
	{"or-if-equal sets", {.opcode = 21, .imm = 0x12}, false, true},
	{"or-if-equal does not clear", {.opcode = 21, .imm = 0x13}, true, true},
	{"or-if-less sets", {.opcode = 30, .imm = 0x13}, false, true},
	{"or-if-less does not set at equality", {.opcode = 30, .imm = 0x12}, false, false},
	{"the register before the flags has none",
	 {.opcode = 19, .imm = 0x12, .dst = 103, .bit = 16 + 21},
	 false,
	 false},
	{"nor has the one behind them",
	 {.opcode = 19, .imm = 0x12, .dst = 108, .bit = 21},
	 false,
	 false},
};

ROWS_TEST(alu_changes_flag_21, flag_rows) {
	const struct flag_row *row = *state;
	struct e810_result result;
	struct alu alu = row->alu;

	tables_setup(NULL);
	put(entry_of(E810_METADATA_INIT, 0), 123 + 21, 1, row->before);
	alu.src = 64;
	alu.len = 8;
	if (alu.dst == 0) {
		alu.dst = 105;
		alu.bit = 5;
	}
	instruction_alu_put(0, 0, &alu);
	edge_put(E810_PG_NO_MATCH, 0, &(struct edge){STAY, .last = true});
	PARSE("\x12", &result);
	assert_int_equal(result.parser_flags, (uint64_t)row->after << 21);
	assert_int_equal(result.packet_flags, result.parser_flags);
}

TEST(sources_are_values_from_before_the_step) {
	struct e810_result result;

	// R[9] := 5, and offset := R[9] bits (still 0) + 1 in the same step
	instruction_alu_put(0, 0,
			    &(struct alu){.opcode = 1, .src = 103, .len = 1, .imm = 5, .dst = 9});
	instruction_alu_put(
		0, 1,
		&(struct alu){.opcode = 1, .src = 9, .len = 8, .imm = 1, .dst = 110, .po_op = 3});
	edge_put(E810_PG_NO_MATCH, 0, &(struct edge){STAY, .last = true});
	PARSE("\7", &result);
	assert_int_equal(result.end, 1);
}

// A conditional operation also branches; the parse graph does so where its priority puts it.
TEST(the_last_to_write_the_next_instruction_decides) {
	struct e810_result result;

	for (unsigned int priority = 0; priority < 4; priority++) {
		tables_setup(NULL);
		instruction_put(0, 0, 8, priority);
		instruction_put(1, 8, 8, 3); // looks at the second byte
		instruction_put(2, 0, 8, 3);
		instruction_alu_put(
			0, 1,
			&(struct alu){.opcode = 21, .src = 103, .len = 1, .branch = 1, .po_op = 3});
		edge_put(E810_PG_CAM, 0,
			 &(struct edge){.next = 7, STAY, .next_node = 1, .next_pc = 2});
		edge_put(E810_PG_CAM, 1,
			 &(struct edge){.node = 1, .next = 7, STAY, .next_node = 7, .last = true});
		edge_put(E810_PG_CAM, 2,
			 &(struct edge){.node = 1, .next = 8, STAY, .next_node = 8, .last = true});
		PARSE("\7\10", &result);
		assert_int_equal(result.node, priority >= 2 ? 7 : 8);
	}
}

TEST(an_instruction_that_is_not_there_ends_the_walk) {
	struct e810_result result;

	instruction_put(0, 0, 8, 0);
	instruction_alu_put(0, 2,
			    &(struct alu){.opcode = 30, .src = 103, .branch = 192, .po_op = 3});
	edge_put(E810_PG_NO_MATCH, 0, &(struct edge){STAY});
	PARSE("\7", &result);
	assert_int_equal(result.status, E810_ERROR);
	assert_int_equal(result.n_steps, 2);
}

TEST(a_trace_of_tables_that_write_packet_registers_is_lost) {
	struct e810_parser *parser;
	struct e810_result result;
	struct e810_trace trace;

	edge_put(E810_PG_NO_MATCH, 0, &(struct edge){STAY, .last = true});
	parser = parser_make();
	e810_parse_watched(parser, (const uint8_t *)"\7", 1, &result, &trace, NULL, NULL);
	assert_false(trace.lost);
	e810_parser_destroy(parser);
	instruction_alu_put(5, 2, &(struct alu){.opcode = 1, .dst = 79});
	parser = parser_make();
	e810_parse_watched(parser, (const uint8_t *)"\7", 1, &result, &trace, NULL, NULL);
	assert_true(trace.lost);
	e810_parser_destroy(parser);
}

static void start_beyond(void) {
	put(entry_of(E810_METADATA_INIT, 0), 17, 8, 192);
}

static void next_beyond(void) {
	edge_put(E810_PG_CAM, 17, &(struct edge){.marker = 71, .protocol = 255, .next_pc = 200});
}

static void marker_beyond(void) {
	edge_put(E810_PG_NO_MATCH, 1, &(struct edge){.marker = 72, .protocol = 255});
}

static void marker_of_a_group_beyond(void) {
	memcpy(entry_of(E810_MARKER_GROUPS, 1), "\1\110\107\0\0\0\0\0", 8);
	edge_put(E810_PG_SPILL, 2,
		 &(struct edge){.marker = 1, .marker_group = true, .protocol = 255});
}

static void marker_group_beyond(void) {
	edge_put(E810_NO_MATCH_SPILL, 0,
		 &(struct edge){.marker = 4, .marker_group = true, .protocol = 255});
}

static void protocol_group_beyond(void) {
	edge_put(E810_PG_CAM, 0,
		 &(struct edge){.marker = 71, .protocol = 9, .protocol_group = true});
}

static void ptype_beyond(void) {
	ptype_put(3, 1024, 1, 0xff);
}

static void no_instructions(void) {
	table_add(E810_IMEM, 48, 0);
}

struct wrong {
	const char *name;
	void (*make)(void);
	const char *message;
};

static const struct wrong wrongs[] = {
	{"start", start_beyond, "the parser starts at instruction 192; there are 192"},
	{"next instruction", next_beyond,
	 "entry 17 of the parse-graph CAM: next instruction 200; there are 192"},
	{"marker", marker_beyond, "entry 1 of the no-match CAM: marker 72; there are 72"},
	{"marker of a group", marker_of_a_group_beyond,
	 "entry 2 of the parse-graph spill: marker 72; there are 72"},
	{"marker group", marker_group_beyond,
	 "entry 0 of the no-match spill: marker group 4; there are 4"},
	{"protocol group", protocol_group_beyond,
	 "entry 0 of the parse-graph CAM: protocol group 9; there are 4"},
	{"packet type", ptype_beyond,
	 "entry 3 of the packet type TCAM: packet type 1024; there are 1024"},
	{"no instructions", no_instructions, "no instructions of a receive parser (section 52)"},
};

ROWS_TEST(a_table_that_cannot_be_followed_is_an_error, wrongs) {
	static const struct e810_config config;
	const struct wrong *wrong = *state;
	struct ddp_diag *diag = diag_new();
	char expected[128];

	tables_setup(NULL);
	wrong->make();
	assert_null(e810_parser_create(&package, &config, diag));
	snprintf(expected, sizeof(expected), "t.pkg: error: %s", wrong->message);
	assert_string_equal(ddp_diag_first(diag), expected);
}

TEST(no_other_family_has_this_parser) {
	static const struct ddp_package other = {.kind = DDP_PACKAGE_I40E, .path = "o.pkg"};
	static const struct e810_config config;
	struct ddp_diag *diag = diag_new();

	assert_null(e810_parser_create(&other, &config, diag));
	assert_string_equal(ddp_diag_first(diag),
			    "o.pkg: error: not a package of the 800 series, so no parser to model");
}

EACH(tables_setup, NULL)
