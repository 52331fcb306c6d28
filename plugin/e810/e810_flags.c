/* SPDX-License-Identifier: BSD-3-Clause */
// Parser flags -> packet flags -> flags of the blocks. Each is an "or" of others, so what a single
// parser flag sets is known beforehand.
#include "e810_model.h"

#include <assert.h>

#define N_SELECTORS 15

// Selectors are bits of metadata words; the packet flags are words 20 to 23.
#define SELECTOR_FLAGS 320

// The bit of metadata that sets bit j of a block's flags.
static unsigned int selector(const uint8_t *builder, unsigned int j) {
	const uint8_t *entry = builder + 12; // the first of eight; the others are for other ports

	return entry_bits(entry, 38 + 9 * j, 9);
}

// The flags that packet flag f sets in a block.
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
		{E810_ACL_KEY_BUILDER, FLAG_BLOCK_ACL},
	};
	uint64_t flags = 0;

	for (unsigned int b = 0; b < sizeof(blocks) / sizeof(blocks[0]); b++) {
		const uint8_t *builder = e810_table(package, blocks[b].id)->entries;

		if (builder != NULL)
			flags |= (uint64_t)block_flags(builder, f) << blocks[b].shift;
	}
	return flags;
}

void e810_decode_flags(struct e810_parser *parser) {
	const struct e810_table *table = e810_table(parser->package, E810_FLAG_REDIRECTION);

	for (unsigned int f = 0; f < table->n_entries && f < 64; f++) {
		unsigned int from = entry_bits(table->entries + f, 1, 6);

		if (!entry_bits(table->entries + f, 0, 1))
			continue;
		parser->flag_packet[from] |= UINT64_C(1) << f;
		parser->flag_blocks[from] |= blocks_of(parser->package, f);
	}
}
