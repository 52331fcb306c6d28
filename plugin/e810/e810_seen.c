/* SPDX-License-Identifier: BSD-3-Clause */
// The values on which a traced result depends: packet type, protocols, the walk itself and the
// flags of the RSS block. A trace without the other values is more general: programs also compute
// unused values (the length of an IP datagram), and set flags for other blocks (TCP flags).
//
// The order of instructions is ignored: a register is seen if any instruction reads it for a seen
// value.
#include "e810_model.h"

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

void e810_find_seen(struct e810_parser *parser) {
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
