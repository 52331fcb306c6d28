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

// Instruction pc reads n bits of the packet from bit start after the header offset.
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

static const struct e810_result *parse(const char *packet, uint32_t len) {
	static struct e810_result result;
	struct e810_parser *parser = parser_make();

	e810_parse(parser, (const uint8_t *)packet, len, &result);
	e810_parser_destroy(parser);
	return &result;
}

#define PARSE(packet) parse(packet, sizeof(packet) - 1)
#define EDGE(table, index, ...) edge_put(table, index, &(struct edge){__VA_ARGS__})
#define ALU(pc, k, ...) alu_put(entry_of(E810_IMEM, pc), 69 + 96 * (k), &(struct alu){__VA_ARGS__})

#define STAY .marker = 71, .protocol = 255

TEST(an_exact_key_comes_before_one_without_next_protocol) {
	EDGE(E810_PG_CAM, 3, .next = 7, STAY, .next_node = 1, .last = true);
	EDGE(E810_PG_NO_MATCH, 0, STAY, .next_node = 2, .last = true);
	assert_int_equal(PARSE("\7")->node, 1);
	assert_int_equal(PARSE("\10")->node, 2);
}

TEST(the_first_of_equal_keys_decides_and_the_spill_comes_last) {
	EDGE(E810_PG_SPILL, 0, .next = 7, STAY, .next_node = 1, .last = true);
	EDGE(E810_PG_SPILL, 1, .next = 8, STAY, .next_node = 2, .last = true);
	EDGE(E810_PG_CAM, 9, .next = 7, STAY, .next_node = 3, .last = true);
	EDGE(E810_PG_CAM, 5, .next = 7, STAY, .next_node = 4, .last = true);
	assert_int_equal(PARSE("\7")->node, 4);
	assert_int_equal(PARSE("\10")->node, 2);
}

TEST(without_an_entry_what_was_gathered_before_is_the_result) {
	const struct e810_result *result;

	EDGE(E810_PG_CAM, 0, .next = 7, .marker = 1, .protocol = 9, .next_node = 1, .advance = 1);
	ptype_put(0, 44, 2, 0xff);
	result = PARSE("\7\7");
	assert_int_equal(result->status, E810_ERROR);
	assert_int_equal(result->ptype, 44);
	assert_int_equal(result->n_steps, 2);
	assert_int_equal(result->n_protocols, 1);
	assert_int_equal(result->protocols[0].id, 9);
}

TEST(groups_stop_at_their_first_none) {
	const struct e810_result *result;
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
	EDGE(E810_PG_CAM, 0, .next = 7, .marker = 2, .marker_group = true, .protocol = 3,
	     .protocol_group = true, .last = true);
	ptype_put(0, 44, 5, 0xff);
	ALU(0, 2, .po_op = 1, .po = 10);
	result = PARSE("\7");
	assert_int_equal(result->ptype, 44);
	assert_int_equal(result->n_protocols, 2);
	assert_int_equal(result->protocols[0].id, 32);
	assert_int_equal(result->protocols[0].offset, 8);
	assert_int_equal(result->protocols[1].id, 40);
	assert_int_equal(result->protocols[1].offset, 15);
}

// Markers are stored in two words, of 64 and of 8; the last one means none.
TEST(each_marker_leads_to_its_packet_type) {
	for (unsigned int marker = 0; marker < 71; marker++) {
		const struct e810_result *result;
		uint8_t *entry;

		tables_setup(NULL);
		EDGE(E810_PG_CAM, 0, .next = 7, .marker = marker, .protocol = 255, .last = true);
		ptype_put(0, 44, 0, 0xff);
		entry = entry_of(E810_PTYPE_TCAM, 0);
		ternary_put(entry + 4, entry + 14, marker / 8, 1 << marker % 8, 0xff);
		result = PARSE("\7");
		if (result->ptype != 44)
			fail_msg("marker %u", marker);
	}
}

TEST(steps_back_and_forth_end_as_a_loop) {
	const struct e810_result *result;

	EDGE(E810_PG_CAM, 0, .node = 0, STAY, .next_node = 1, .advance = 4);
	EDGE(E810_PG_CAM, 1, .node = 1, STAY, .next_node = 0, .advance = -4);
	result = PARSE("\0\0\0\0\0\0\0\0");
	assert_int_equal(result->status, E810_LOOP);
	assert_int_equal(result->ptype, E810_NO_PTYPE);
	assert_int_equal(result->n_steps, 65);
}

TEST(the_longest_packet_ends_though_each_byte_stalls) {
	static const char packet[65535];
	const struct e810_result *result;

	for (unsigned int n = 0; n < 24; n++)
		EDGE(E810_PG_CAM, n, .node = n, STAY, .next_node = (n + 1) % 24,
		     .advance = n == 23);
	result = parse(packet, sizeof(packet));
	assert_int_equal(result->status, E810_OK);
	assert_int_equal(result->n_steps, 24 * sizeof(packet));
}

TEST(rows_with_and_without_wildcards_decide_in_file_order) {
	for (unsigned int m = 0; m < 3; m++)
		EDGE(E810_PG_CAM, m, .next = m, .marker = m, .protocol = 255, .last = true);
	ptype_put(0, 10, 1, 0xff);
	ptype_put(1, 11, 0, 0xfc); // markers 0 and 1, any of them
	ptype_put(2, 12, 2, 0xff); // never reached
	ptype_put(3, 13, 4, 0xff);
	ptype_put(4, 14, 4, 0xff);
	assert_int_equal(PARSE("\0")->ptype, 10);
	assert_int_equal(PARSE("\1")->ptype, 11);
	assert_int_equal(PARSE("\2")->ptype, 13);
}

TEST(boost_rows_decide_in_file_order) {
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
		EDGE(E810_PG_CAM, i, .boost = i, STAY, .next_node = i, .last = true);
	EDGE(E810_PG_NO_MATCH, 0, STAY, .next_node = 9, .last = true);
	assert_int_equal(PARSE("\5")->node, 2);
	assert_int_equal(PARSE("\60")->node, 4);
	assert_int_equal(PARSE("\7")->node, 9);
}

// An operation on 12 34 56 78 moves the header offset from 2 to this.
struct alu_row {
	const char *name;
	uint16_t end;
	struct alu alu; // source 64 where there is none
};

static const struct alu_row alu_rows[] = {
	{"move-add", 101, {.opcode = 1, .len = 4, .imm = 100}},
	{"move-add shifts its source", 0x48, {.opcode = 1, .len = 8, .shift = 2}},
	{"add", 2 + 0x35, {.opcode = 2, .start = 8, .len = 8, .imm = 1}},
	{"sums wrap", 1, {.opcode = 2, .src = 103, .len = 1, .imm = 0xffff}},
	{"move-xor", 0x0111, {.opcode = 9, .len = 8, .imm = 0x0103}},
	{"a source of 16 bits is cut to its last 8", 0x34, {.opcode = 1, .len = 16}},
	{"one of 17 bits to its first 16, then to 8", 0xd0, {.opcode = 1, .start = 1, .len = 17}},
	{"one of 20 bits, too", 0x40, {.opcode = 1, .len = 20}},
	{"one bit is left of a source of 23", 0x80, {.opcode = 1, .start = 2, .len = 23}},
	{"none is left of a source of 24", 0, {.opcode = 1, .start = 2, .len = 24}},
	{"a source may begin in any bit", 0x23, {.opcode = 1, .start = 4, .len = 8}},
	{"a source may begin in another register", 0x56, {.opcode = 1, .src = 65, .len = 8}},
	{"a source of no bits is zero", 9, {.opcode = 1, .imm = 9}},
	{"the last register and beyond are zero",
	 9,
	 {.opcode = 1, .src = 127, .start = 255, .len = 31, .imm = 9}},
	{"an operation that is not known does nothing", 2, {.opcode = 7, .len = 8}},
};

ROWS_TEST(alu_moves_the_header_offset, alu_rows) {
	const struct alu_row *row = *state;
	struct alu alu = row->alu;

	put(entry_of(E810_METADATA_INIT, 0), 8, 9, 2);
	if (alu.src == 0)
		alu.src = 64;
	alu.dst = 110;
	alu.po_op = 3;
	alu_put(entry_of(E810_IMEM, 0), 69 + 96 * 1, &alu);
	EDGE(E810_PG_NO_MATCH, 0, STAY, .last = true);
	assert_int_equal(PARSE("..\x12\x34\x56\x78")->end, row->end);
}

struct flag_row {
	const char *name;
	bool before, after; // flag 21
	struct alu alu;
	uint8_t decided; // by these bits; packets that differ in them are others to a cache
};

static const struct flag_row flag_rows[] = {
	{"set-if-equal sets", false, true, {.opcode = 19, .imm = 0x12}, 0xff},
	{"set-if-equal clears", true, false, {.opcode = 19, .imm = 0x13}, 0x01},
	{"or-if-equal sets", false, true, {.opcode = 21, .imm = 0x12}, 0xff},
	{"or-if-equal does not clear", true, true, {.opcode = 21, .imm = 0x13}, 0x01},
	{"or-if-less sets", false, true, {.opcode = 30, .imm = 0x13}, 0xff},
	{"or-if-less does not set at equality", false, false, {.opcode = 30, .imm = 0x12}, 0xff},
	{"before the flags", false, false, {.opcode = 19, .imm = 0x12, .dst = 103, .bit = 37}},
	{"behind the flags", false, false, {.opcode = 19, .imm = 0x12, .dst = 108, .bit = 21}},
};

ROWS_TEST(alu_changes_flag_21, flag_rows) {
	const struct flag_row *row = *state;
	struct e810_parser *parser;
	struct e810_result result;
	struct e810_trace trace;
	struct alu alu = row->alu;

	put(entry_of(E810_METADATA_INIT, 0), 123 + 21, 1, row->before);
	alu.src = 64;
	alu.len = 8;
	if (alu.dst == 0) {
		alu.dst = 105;
		alu.bit = 5;
	}
	alu_put(entry_of(E810_IMEM, 0), 69 + 96 * 0, &alu);
	put(entry_of(E810_IMEM, 1), 34 + 28, 7, 105); // a later step may depend on flags 16 to 31
	EDGE(E810_PG_NO_MATCH, 0, STAY, .last = true);
	parser = parser_make();
	e810_parse_watched(parser, (const uint8_t *)"\x12", 1, &result, &trace, NULL, NULL);
	e810_parser_destroy(parser);
	assert_int_equal(result.parser_flags, (uint64_t)row->after << 21);
	assert_int_equal(result.packet_flags, result.parser_flags);
	assert_int_equal(trace.mask[0], row->decided);
}

TEST(sources_are_values_from_before_the_step) {
	// R[9] := 5, and offset := R[9] bits (still 0) + 1 in the same step
	ALU(0, 0, .opcode = 1, .src = 103, .len = 1, .imm = 5, .dst = 9);
	ALU(0, 1, .opcode = 1, .src = 9, .len = 8, .imm = 1, .dst = 110, .po_op = 3);
	EDGE(E810_PG_NO_MATCH, 0, STAY, .last = true);
	assert_int_equal(PARSE("\7")->end, 1);
}

// A conditional operation also branches; the parse graph does so where its priority puts it.
TEST(the_last_to_write_the_next_instruction_decides) {
	for (unsigned int priority = 0; priority < 4; priority++) {
		tables_setup(NULL);
		instruction_put(0, 0, 8, priority);
		instruction_put(1, 8, 8, 3); // reads the second byte
		instruction_put(2, 0, 8, 3);
		ALU(0, 1, .opcode = 21, .src = 103, .len = 1, .branch = 1, .po_op = 3);
		EDGE(E810_PG_CAM, 0, .next = 7, STAY, .next_node = 1, .next_pc = 2);
		EDGE(E810_PG_CAM, 1, .node = 1, .next = 7, STAY, .next_node = 7, .last = true);
		EDGE(E810_PG_CAM, 2, .node = 1, .next = 8, STAY, .next_node = 8, .last = true);
		assert_int_equal(PARSE("\7\10")->node, priority >= 2 ? 7 : 8);
	}
}

TEST(an_instruction_that_is_not_there_ends_the_walk) {
	const struct e810_result *result;

	instruction_put(0, 0, 8, 0);
	ALU(0, 2, .opcode = 30, .src = 103, .branch = 192, .po_op = 3);
	EDGE(E810_PG_NO_MATCH, 0, STAY);
	result = PARSE("\7");
	assert_int_equal(result->status, E810_ERROR);
	assert_int_equal(result->n_steps, 2);
}

TEST(a_trace_of_tables_that_write_packet_registers_is_lost) {
	struct e810_parser *parser;
	struct e810_result result;
	struct e810_trace trace;

	EDGE(E810_PG_NO_MATCH, 0, STAY, .last = true);
	parser = parser_make();
	e810_parse_watched(parser, (const uint8_t *)"\7", 1, &result, &trace, NULL, NULL);
	assert_false(trace.lost);
	e810_parser_destroy(parser);
	ALU(5, 2, .opcode = 1, .dst = 79);
	parser = parser_make();
	e810_parse_watched(parser, (const uint8_t *)"\7", 1, &result, &trace, NULL, NULL);
	assert_true(trace.lost);
	e810_parser_destroy(parser);
}

static void start_beyond(void) {
	put(entry_of(E810_METADATA_INIT, 0), 17, 8, 192);
}

static void marker_of_a_group_beyond(void) {
	memcpy(entry_of(E810_MARKER_GROUPS, 1), "\1\110\107\0\0\0\0\0", 8);
	EDGE(E810_PG_SPILL, 2, .marker = 1, .marker_group = true, .protocol = 255);
}

static void ptype_beyond(void) {
	ptype_put(3, 1024, 1, 0xff);
}

static void no_instructions(void) {
	table_add(E810_IMEM, 48, 0);
}

static const struct wrong {
	const char *message; // and the name of the test
	void (*make)(void);  // or an edge
	uint32_t table, index;
	struct edge edge;
} wrongs[] = {
	{"the parser starts at instruction 192; there are 192", start_beyond},
	{"entry 2 of the parse-graph spill: marker 72; there are 72", marker_of_a_group_beyond},
	{"entry 3 of the packet type TCAM: packet type 1024; there are 1024", ptype_beyond},
	{"no instructions of a receive parser (section 52)", no_instructions},
	{"entry 17 of the parse-graph CAM: next instruction 200; there are 192",
	 NULL,
	 E810_PG_CAM,
	 17,
	 {STAY, .next_pc = 200}},
	{"entry 1 of the no-match CAM: marker 72; there are 72",
	 NULL,
	 E810_PG_NO_MATCH,
	 1,
	 {.marker = 72, .protocol = 255}},
	{"entry 0 of the no-match spill: marker group 4; there are 4",
	 NULL,
	 E810_NO_MATCH_SPILL,
	 0,
	 {.marker = 4, .marker_group = true, .protocol = 255}},
	{"entry 0 of the parse-graph CAM: protocol group 9; there are 4",
	 NULL,
	 E810_PG_CAM,
	 0,
	 {.marker = 71, .protocol = 9, .protocol_group = true}},
};

ROWS_TEST(a_table_that_cannot_be_followed_is_an_error, wrongs) {
	static const struct e810_config config;
	const struct wrong *wrong = *state;
	struct ddp_diag *diag = diag_new();
	char expected[128];

	if (wrong->make != NULL)
		wrong->make();
	else
		edge_put(wrong->table, wrong->index, &wrong->edge);
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
