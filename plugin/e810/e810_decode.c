/* SPDX-License-Identifier: BSD-3-Clause */
// A parser: the tables of a package become those of the walk, instructions, graph, markers, flags.
#include "e810_model.h"

#include <errno.h>
#include <string.h>

static const uint8_t opcodes[] = {
	ALU_MOVE_ADD, ALU_ADD, ALU_MOVE_XOR, ALU_SET_IF_EQUAL, ALU_OR_IF_EQUAL, ALU_OR_IF_LESS,
};

/* Words of instructions */

static void alu_flags_decode(const uint8_t *entry, unsigned int first, struct alu *alu) {
	unsigned int dst = entry_bits(entry, first + 75, 6), n = entry_bits(entry, first + 81, 6);
	unsigned int given = entry_bits(entry, first + 88, 8);

	if (n > 64 - dst)
		n = 64 - dst;
	if (entry_bits(entry, first + 87, 1)) {
		alu->flags = ((UINT64_C(1) << n) - 1) << dst;
		alu->flag_values = (uint64_t)given << dst & alu->flags;
	} else {
		alu->copy_to = dst;
		alu->copy_from = (struct bits){16 * REG_HEAD + given, n};
	}
}

static void alu_target_decode(const uint8_t *entry, unsigned int first, struct alu *alu) {
	unsigned int bit = entry_bits(entry, first + 75, 6);

	if (alu->dst == REG_ERRORS && bit < 16) {
		alu->target = TARGET_ERROR;
		alu->target_bit = bit;
	} else if (alu->dst >= REG_FLAGS && 16u * (alu->dst - REG_FLAGS) + bit < 64) {
		alu->target = TARGET_FLAG;
		alu->target_bit = 16 * (alu->dst - REG_FLAGS) + bit;
	}
}

// The reference parser truncates a source to 8 bits, before that to its first 16 bits.
static uint8_t source_mask(unsigned int len) {
	if (len <= 16)
		return len < 8 ? (1u << len) - 1 : 0xff;
	return len < 24 ? 0xff << (len - 16) : 0;
}

static void alu_decode(const uint8_t *entry, unsigned int first, struct alu *alu) {
	unsigned int opcode = entry_bits(entry, first, 6);

	memset(alu, 0, sizeof(*alu));
	alu->opcode = ALU_NOTHING;
	alu->po_op = PO_KEEP;
	if (entry_bits(entry, first + 19, 1))
		return; // "translate": undocumented, and ignored by the reference parser
	if (memchr(opcodes, opcode, sizeof(opcodes)) != NULL)
		alu->opcode = opcode;
	alu->src.start = 16 * entry_bits(entry, first + 24, 7) + entry_bits(entry, first + 6, 8);
	alu->src.len = entry_bits(entry, first + 14, 5);
	alu->src_mask = source_mask(alu->src.len);
	alu->shift = entry_bits(entry, first + 20, 4);
	alu->dst = entry_bits(entry, first + 31, 7);
	alu->po_op = entry_bits(entry, first + 40, 2);
	alu->po = entry_bits(entry, first + 42, 8);
	alu->branch = entry_bits(entry, first + 50, 8);
	alu->imm = entry_bits(entry, first + 58, 16);
	if (entry_bits(entry, first + 74, 1))
		alu_flags_decode(entry, first, alu);
	else
		alu_target_decode(entry, first, alu);
}

static void key_decode(const uint8_t *entry, unsigned int next_first, unsigned int key_first,
		       struct key_builder *key) {
	unsigned int start = entry_bits(entry, next_first + 2, 8);
	unsigned int len = entry_bits(entry, next_first + 10, 8);

	memset(key, 0, sizeof(*key));
	key->op = entry_bits(entry, next_first, 2);
	key->low = start;
	key->high = len;
	key->bits = (struct bits){16 * REG_HEAD + start, len < 32 ? len : 32};
	for (unsigned int k = 0; k < 4; k++) {
		if (!entry_bits(entry, key_first + 7 * k, 1))
			continue;
		key->flags[key->n_flags].flag = entry_bits(entry, key_first + 7 * k + 1, 6);
		key->flags[key->n_flags++].bit = k;
	}
	key->alu = entry_bits(entry, key_first + 28, 7);
}

void e810_decode_instruction(const uint8_t *entry, unsigned int first,
			     struct instruction *instruction) {
	key_decode(entry, first + 16, first + 34, &instruction->key);
	instruction->key.priority = entry_bits(entry, first + 14, 2);
	for (unsigned int k = 0; k < 3; k++)
		alu_decode(entry, first + 69 + 96 * k, &instruction->alus[k]);
}

static void instructions_decode(struct e810_parser *parser, struct ddp_diag *diag) {
	const struct e810_table *table = e810_table(parser->package, E810_IMEM);

	assert(table->n_entries <= E810_N_PCS);
	if (table->n_entries == 0)
		ddp_error(diag, DDP_FILE(parser->package->path),
			  "no instructions of a receive parser (section %u)", E810_IMEM);
	for (unsigned int i = 0; i < table->n_entries; i++) {
		const uint8_t *entry = e810_entry(table, i);
		struct instruction *instruction = &parser->instructions[i];

		instruction->boost = entry_bits(entry, 0, 4);
		instruction->constant = entry_bits(entry, 4, 8);
		instruction->use_tsr = entry_bits(entry, 12, 1);
		e810_decode_instruction(entry, 0, instruction);
	}
}

static void start_decode(struct e810_parser *parser, struct ddp_diag *diag) {
	const struct e810_table *table = e810_table(parser->package, E810_METADATA_INIT);
	const uint8_t *entry = table->entries;

	if (table->n_entries == 0) {
		ddp_error(diag, DDP_FILE(parser->package->path),
			  "no initial state of a receive parser (section %u)", E810_METADATA_INIT);
		return;
	}
	parser->first_tsr = entry_bits(entry, 0, 8);
	parser->first_offset = entry_bits(entry, 8, 9);
	parser->first_pc = entry_bits(entry, 17, 8);
	parser->first_node = entry_bits(entry, 25, 11);
	parser->first_flags = entry_bits(entry, 123, 32) | entry_bits(entry, 155, 32) << 32;
	if (parser->first_pc >= E810_N_PCS)
		ddp_error(diag, DDP_FILE(parser->package->path),
			  "the parser starts at instruction %u; there are %u", parser->first_pc,
			  E810_N_PCS);
}

/* Parse graph */

struct graph_table {
	uint32_t id;
	const char *name;
	unsigned int key, action; // first bits
	bool no_match;
	unsigned int first_index; // of its entries in the CAM
};

static const struct graph_table graph_tables[] = {
	{E810_PG_CAM, "parse-graph CAM", 0, 73, false, 0},
	{E810_PG_SPILL, "parse-graph spill", 56, 0, false, 2048},
	{E810_PG_NO_MATCH, "no-match CAM", 0, 41, true, 0},
	{E810_NO_MATCH_SPILL, "no-match spill", 56, 0, true, 1024},
};
#define N_GRAPH_TABLES (sizeof(graph_tables) / sizeof(graph_tables[0]))

struct graph_reader {
	struct e810_parser *parser;
	const struct graph_table *table;
	unsigned int index;
	struct ddp_diag *diag;
	const struct e810_table *protocol_groups, *marker_groups;
};

// Report a field beyond the n items of its table. Returns false.
static bool graph_error(struct graph_reader *r, const char *what, unsigned int value,
			unsigned int n) {
	return ddp_refuse(r->diag, DDP_FILE(r->parser->package->path),
			  "entry %u of the %s: %s %u; there are %u", r->index, r->table->name, what,
			  value, n);
}

static bool marker_add(struct graph_reader *r, struct e810_edge *e, unsigned int marker) {
	if (marker >= E810_N_MARKERS)
		return graph_error(r, "marker", marker, E810_N_MARKERS);
	if (marker < 64)
		e->markers |= UINT64_C(1) << marker;
	else
		e->markers_high |= 1u << (marker - 64);
	return true;
}

static bool markers_decode(struct graph_reader *r, const uint8_t *entry, struct e810_edge *e) {
	unsigned int first = r->table->action, number = entry_bits(entry, first + 32, 8);
	const uint8_t *group;

	if (!entry_bits(entry, first + 31, 1))
		return number == E810_NO_MARKER || marker_add(r, e, number);
	if (number >= r->marker_groups->n_entries)
		return graph_error(r, "marker group", number, r->marker_groups->n_entries);
	group = e810_entry(r->marker_groups, number);
	for (unsigned int i = 0; i < 8 && group[i] != E810_NO_MARKER; i++)
		if (!marker_add(r, e, group[i]))
			return false;
	return true;
}

static void protocols_decode(struct graph_reader *r, const uint8_t *entry, struct e810_edge *e) {
	unsigned int first = r->table->action, number = entry_bits(entry, first + 23, 8);
	const uint8_t *group;

	assert(e->n_protocols == 0);
	if (!entry_bits(entry, first + 19, 1)) {
		if (number != E810_NO_PROTOCOL)
			e->protocols[e->n_protocols++].id = number;
		return;
	}
	if (number >= r->protocol_groups->n_entries) {
		graph_error(r, "protocol group", number, r->protocol_groups->n_entries);
		return;
	}
	group = e810_entry(r->protocol_groups, number);
	for (unsigned int i = 0; i < 8; i++) {
		unsigned int id = entry_bits(group, 22 * i + 1, 8);
		uint16_t offset = entry_bits(group, 22 * i + 12, 10);

		if (id == E810_NO_PROTOCOL)
			break;
		e->protocols[e->n_protocols].id = id;
		e->protocols[e->n_protocols++].offset =
			entry_bits(group, 22 * i, 1) ? -offset : offset;
	}
}

static void action_decode(struct graph_reader *r, const uint8_t *entry, struct e810_edge *e) {
	unsigned int first = r->table->action;
	uint16_t adjust = entry_bits(entry, first + 42, 9);

	e->next_node = entry_bits(entry, first, 11);
	e->next_pc = entry_bits(entry, first + 11, 8);
	e->last = entry_bits(entry, first + 40, 1);
	e->ho_add = entry_bits(entry, first + 41, 1) ? adjust : -adjust;
	if (e->next_pc >= E810_N_PCS)
		graph_error(r, "next instruction", e->next_pc, E810_N_PCS);
	else if (markers_decode(r, entry, e))
		protocols_decode(r, entry, e);
}

// false: an earlier entry with this key decides.
static bool graph_insert(struct graph_hash *hash, graph_state state, uint32_t next,
			 uint32_t entry) {
	uint32_t i = graph_hash_of(state, next);

	assert(entry != 0);
	if (graph_find(hash, state, next) != NULL)
		return false;
	while (hash->slots[i & hash->mask].entry != 0)
		i++;
	hash->slots[i & hash->mask] = (struct graph_slot){state, next, entry};
	return true;
}

static void graph_entry_decode(struct graph_reader *r, const uint8_t *entry) {
	struct e810_parser *parser = r->parser;
	unsigned int first = r->table->key;
	struct e810_edge *e = &parser->graph[parser->n_graph];
	struct graph_hash *hash = r->table->no_match ? &parser->no_match : &parser->match;
	graph_state state;

	if (!entry_bits(entry, first, 1))
		return;
	*e = (struct e810_edge){
		.node = entry_bits(entry, first + 1, 11),
		.boost = entry_bits(entry, first + 16, 1) ? entry_bits(entry, first + 17, 8) : 0,
		.no_match = r->table->no_match,
		.protocol = r->table->no_match ? 0 : entry_bits(entry, first + 41, 32),
		.index = r->index + r->table->first_index,
	};
	state = graph_state_of(e->node, entry_bits(entry, first + 12, 4), e->boost,
			       entry_bits(entry, first + 25, 16));
	action_decode(r, entry, e);
	parser->n_graph += graph_insert(hash, state, e->protocol, parser->n_graph + 1);
}

// Create a table for n entries: a power of two of slots, of which at most a quarter is used.
static void graph_hash_create(struct graph_hash *hash, unsigned int n, struct ddp_arena *arena) {
	uint32_t size = 16;

	while (size < 4 * n)
		size *= 2;
	hash->slots = ddp_arena_alloc(arena, size * sizeof(*hash->slots));
	hash->mask = size - 1;
}

static void graph_decode(struct e810_parser *parser, struct ddp_diag *diag) {
	struct graph_reader r = {
		.parser = parser,
		.diag = diag,
		.protocol_groups = e810_table(parser->package, E810_PROTOCOL_GROUPS),
		.marker_groups = e810_table(parser->package, E810_MARKER_GROUPS),
	};
	const struct e810_table *tables[N_GRAPH_TABLES];
	unsigned int n[2] = {0};

	for (unsigned int t = 0; t < N_GRAPH_TABLES; t++) {
		const struct graph_table *table = &graph_tables[t];

		tables[t] = e810_table(parser->package, table->id);
		for (unsigned int i = 0; i < tables[t]->n_entries; i++)
			n[table->no_match] += entry_bits(e810_entry(tables[t], i), table->key, 1);
	}
	parser->graph = ddp_arena_alloc(parser->arena, (n[0] + n[1] + 1) * sizeof(*parser->graph));
	graph_hash_create(&parser->match, n[0], parser->arena);
	graph_hash_create(&parser->no_match, n[1], parser->arena);
	for (unsigned int t = 0; t < N_GRAPH_TABLES; t++) {
		r.table = &graph_tables[t];
		for (r.index = 0; r.index < tables[t]->n_entries; r.index++)
			graph_entry_decode(&r, e810_entry(tables[t], r.index));
	}
	assert(parser->n_graph <= n[0] + n[1]);
}

/* Packet types by markers */

static bool marker_row_decode(const uint8_t *entry, struct marker_row *row) {
	uint8_t value[9], care[9];

	if (!ternary_decode(entry + 4, entry + 14, 9, value, care))
		return false;
	*row = (struct marker_row){
		.value = entry_bits(value, 0, 32) | entry_bits(value, 32, 32) << 32,
		.care = entry_bits(care, 0, 32) | entry_bits(care, 32, 32) << 32,
		.value_high = value[8],
		.care_high = care[8],
		.address = entry_bits(entry, 0, 16),
		.ptype = entry_bits(entry, 16, 16),
	};
	return true;
}

static void ptypes_decode(struct e810_parser *parser, struct ddp_diag *diag) {
	const struct e810_table *table = e810_table(parser->package, E810_PTYPE_TCAM);
	const unsigned int n = table->n_entries;
	struct ddp_arena *arena = parser->arena;

	if (n > UINT16_MAX - 1) {
		ddp_no_memory(diag);
		return;
	}
	graph_hash_create(&parser->markers, n, arena);
	parser->marker_rows = ddp_arena_alloc(arena, (n + 1) * sizeof(*parser->marker_rows));
	parser->marker_wild = ddp_arena_alloc(arena, (n + 1) * sizeof(*parser->marker_wild));
	for (unsigned int i = 0; i < n; i++) {
		struct marker_row *row = &parser->marker_rows[parser->n_marker_rows];

		if (!marker_row_decode(e810_entry(table, i), row))
			continue;
		if (row->ptype >= E810_N_PTYPES) {
			ddp_error(diag, DDP_FILE(parser->package->path),
				  "entry %u of the packet type TCAM: packet type %u; there are %u",
				  i, row->ptype, E810_N_PTYPES);
			continue;
		}
		parser->ptype_used[row->ptype / 64] |= UINT64_C(1) << row->ptype % 64;
		if (row->care == UINT64_MAX && row->care_high == UINT8_MAX)
			graph_insert(&parser->markers, row->value, row->value_high,
				     parser->n_marker_rows + 1);
		else
			parser->marker_wild[parser->n_marker_wild++] = parser->n_marker_rows;
		parser->n_marker_rows++;
	}
}

/* Flags. Parser flags set packet flags, and these set flags of the blocks. Each is an "or" of
 * others, so the flags that a single parser flag sets are constant. */

#define N_SELECTORS 15

// Selectors are bits of metadata words. Words 20 to 23 are the packet flags.
#define SELECTOR_FLAGS 320

static unsigned int selector(const uint8_t *builder, unsigned int j) {
	const uint8_t *entry = builder + 12; // the first of eight, one for each port

	return entry_bits(entry, 38 + 9 * j, 9);
}

static uint16_t block_flags(const uint8_t *builder, unsigned int f) {
	uint16_t flags = entry_bits(builder + 4, f, 1) << 15;

	for (unsigned int j = 0; j < N_SELECTORS; j++)
		if (selector(builder, j) == SELECTOR_FLAGS + f)
			flags |= 1u << j;
	return flags;
}

unsigned int e810_rss_flag_source(const struct ddp_package *package, unsigned int bit) {
	const uint8_t *builder = e810_table(package, E810_RSS_KEY_BUILDER)->entries;
	unsigned int source = builder == NULL ? 0 : selector(builder, bit);

	assert(bit < N_SELECTORS);
	return source >= SELECTOR_FLAGS && source < SELECTOR_FLAGS + 64 ? source - SELECTOR_FLAGS :
									  64;
}

static uint64_t blocks_of(const struct ddp_package *package, unsigned int f) {
	static const struct {
		uint32_t id;
		unsigned int shift;
	} blocks[] = {
		{E810_RSS_KEY_BUILDER, FLAG_BLOCK_RSS},
		{E810_FD_KEY_BUILDER, FLAG_BLOCK_FD},
		{E810_SW_KEY_BUILDER, FLAG_BLOCK_SW},
	};
	uint64_t flags = 0;

	for (unsigned int b = 0; b < sizeof(blocks) / sizeof(blocks[0]); b++) {
		const uint8_t *builder = e810_table(package, blocks[b].id)->entries;

		if (builder != NULL)
			flags |= (uint64_t)block_flags(builder, f) << blocks[b].shift;
	}
	return flags;
}

static void flags_decode(struct e810_parser *parser) {
	const struct e810_table *table = e810_table(parser->package, E810_FLAG_REDIRECTION);

	for (unsigned int f = 0; f < table->n_entries && f < 64; f++) {
		unsigned int from = entry_bits(table->entries + f, 1, 6);

		if (!entry_bits(table->entries + f, 0, 1))
			continue;
		parser->flag_packet[from] |= UINT64_C(1) << f;
		parser->flag_blocks[from] |= blocks_of(parser->package, f);
	}
}

/* The values on which a traced result depends: packet type, protocols, the walk itself and the
 * flags of the RSS block. A trace without the other values is more general: programs also compute
 * unused values (the length of an IP datagram), and set flags for other blocks (TCP flags). The
 * order of instructions is ignored: a register is seen if any instruction reads it for a seen
 * value. */

#define TUNNEL_TYPE_FLAGS (UINT64_C(7) << 38) // of the packet flags

struct seen {
	struct e810_parser *parser;
	bool regs[N_REGS_READ]; // read for a seen value
	uint64_t written_flags; // that any instruction sets or clears
	bool changed;
};

static void reg_see(struct seen *seen, unsigned int reg) {
	if (reg >= N_REGS_READ || seen->regs[reg])
		return;
	seen->regs[reg] = true;
	seen->changed = true;
	if (reg >= REG_FLAGS && reg < REG_FLAGS + 4)
		seen->parser->seen_flags |= UINT64_C(0xffff) << 16 * (reg - REG_FLAGS);
}

static void bits_see(struct seen *seen, struct bits bits) {
	if (bits.len == 0)
		return;
	for (unsigned int reg = bits.start / 16; reg <= (bits.start + bits.len - 1u) / 16; reg++)
		reg_see(seen, reg);
}

static void flag_see(struct seen *seen, unsigned int flag) {
	uint64_t bit = UINT64_C(1) << flag;

	assert(flag < 64);
	seen->changed |= (seen->parser->seen_flags & bit) == 0;
	seen->parser->seen_flags |= bit;
}

static void key_see(struct seen *seen, const struct key_builder *key) {
	reg_see(seen, key->alu);
	for (unsigned int i = 0; i < key->n_flags; i++)
		flag_see(seen, key->flags[i].flag);
	if (key->op == KEY_BITS)
		bits_see(seen, key->bits);
	if (key->op == KEY_REGISTERS) {
		reg_see(seen, key->low);
		reg_see(seen, key->high);
	}
}

static bool writes_register(const struct alu *alu) {
	return alu->opcode == ALU_MOVE_ADD || alu->opcode == ALU_ADD || alu->opcode == ALU_MOVE_XOR;
}

static uint64_t flags_written(const struct alu *alu) {
	uint64_t flags = alu->flags;

	if (alu->copy_from.len > 0)
		flags |= ((UINT64_C(1) << alu->copy_from.len) - 1) << alu->copy_to;
	if (!writes_register(alu) && alu->target == TARGET_FLAG)
		flags |= UINT64_C(1) << alu->target_bit;
	return flags;
}

// An error bit changes the value of the flag with its number, if the step writes that flag.
static bool result_is_seen(const struct seen *seen, const struct alu *alu) {
	uint64_t flags = seen->parser->seen_flags;

	if (alu->opcode == ALU_NOTHING)
		return false;
	if (writes_register(alu))
		return seen->regs[alu->dst] || (alu->dst >= REG_FLAGS && alu->dst <= REG_PC);
	if (alu->target == TARGET_ERROR)
		flags &= seen->written_flags;
	return alu->target != TARGET_NONE && flags >> alu->target_bit & 1;
}

static void alu_see(struct seen *seen, struct alu *alu) {
	if (writes_register(alu) && alu->dst >= REG_HEAD && alu->dst < REG_HEAD + E810_HEAD / 2)
		seen->parser->writes_head = true;
	if (alu->copy_from.len > 0 && seen->parser->seen_flags >> alu->copy_to != 0)
		bits_see(seen, alu->copy_from);
	if (alu->src_seen || !result_is_seen(seen, alu))
		return;
	alu->src_seen = true;
	seen->changed = true;
	bits_see(seen, alu->src);
}

static void seen_find(struct e810_parser *parser) {
	struct seen seen = {.parser = parser};
	struct instruction *end = parser->instructions + E810_N_PCS + parser->n_boosts;

	for (struct instruction *i = parser->instructions; i < end; i++)
		for (unsigned int k = 0; k < 3; k++)
			seen.written_flags |= flags_written(&i->alus[k]);
	// Flags of the RSS block, and those of the tunnel type.
	for (unsigned int f = 0; f < 64; f++)
		if ((parser->flag_blocks[f] >> FLAG_BLOCK_RSS & 0xffff) != 0 ||
		    (parser->flag_packet[f] & TUNNEL_TYPE_FLAGS) != 0)
			flag_see(&seen, f);
	do {
		seen.changed = false;
		for (struct instruction *i = parser->instructions; i < end; i++) {
			key_see(&seen, &i->key);
			for (unsigned int k = 0; k < 3; k++)
				alu_see(&seen, &i->alus[k]);
		}
	} while (seen.changed);
}

/* Creation and destruction */

struct making {
	const struct ddp_package *package;
	const struct e810_config *config;
	struct ddp_arena *arena;
	struct ddp_diag *diag;
	struct e810_parser *parser;
};

static void parser_make(void *arg) {
	struct making *making = arg;
	struct e810_parser *parser = ddp_arena_alloc(making->arena, sizeof(*parser));

	parser->arena = making->arena;
	parser->package = making->package;
	instructions_decode(parser, making->diag);
	start_decode(parser, making->diag);
	graph_decode(parser, making->diag);
	ptypes_decode(parser, making->diag);
	flags_decode(parser);
	e810_decode_boost(parser, making->config, making->diag);
	seen_find(parser);
	e810_names_init(parser);
	making->parser = parser;
}

struct e810_parser *e810_parser_create(const struct ddp_package *package,
				       const struct e810_config *config, struct ddp_diag *diag) {
	unsigned int n_errors = ddp_diag_failures(diag);
	struct making making = {.package = package, .config = config, .diag = diag};

	if (package->kind != DDP_PACKAGE_E810) {
		ddp_error(diag, DDP_FILE(package->path),
			  "not a package of the 800 series, so no parser to model");
		errno = EINVAL;
		return NULL;
	}
	making.arena = ddp_arena_create();
	if (ddp_arena_run(parser_make, &making) < 0)
		ddp_no_memory(diag);
	if (ddp_diag_failures(diag) == n_errors)
		return making.parser;
	ddp_arena_destroy(making.arena);
	errno = diag->no_memory ? ENOMEM : EINVAL;
	return NULL;
}

void e810_parser_destroy(struct e810_parser *parser) {
	if (parser != NULL)
		ddp_arena_destroy(parser->arena);
}

/* Text output */

uint16_t e810_edges(const struct e810_parser *parser, const struct e810_edge **edges,
		    unsigned int *n) {
	*edges = parser->graph;
	*n = parser->n_graph;
	return parser->first_node;
}

unsigned int e810_ptype_nearest(const struct e810_parser *parser,
				const bool markers[E810_N_MARKERS],
				struct e810_ptype_entry *nearest) {
	unsigned int least = UINT32_MAX;

	for (unsigned int i = 0; i < parser->n_marker_rows; i++) {
		const struct marker_row *row = &parser->marker_rows[i];
		struct e810_ptype_entry entry = {.address = row->address, .ptype = row->ptype};
		unsigned int n = 0;

		for (unsigned int m = 0; m < E810_N_MARKERS; m++) {
			const uint64_t value = m < 64 ? row->value : row->value_high;
			const uint64_t care = m < 64 ? row->care : row->care_high;

			entry.differs[m] =
				(care >> m % 64 & 1) != 0 && (value >> m % 64 & 1) != markers[m];
			n += entry.differs[m];
		}
		if (n < least) {
			least = n;
			*nearest = entry;
		}
	}
	return least;
}
