/* SPDX-License-Identifier: BSD-3-Clause */
// libFuzzer target: whatever a packet holds, and whatever tables hold that the model accepts, a
// walk ends, reads nothing beyond the packet, and what it notes as decisive is. scripts/fuzz builds
// and runs it.
//
// An input is a byte of options, changes of Intel's tables (4 bytes each), and a packet.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/rss_hf.h"
#include "e810/e810_rss.h"
#include "personality/personality.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define N_PACKAGES 2

// Bits of the first byte.
#define OPTION_PACKAGE 0x01
#define OPTION_DOUBLE_VLAN 0x02
#define OPTION_PORTS 0x04
#define OPTION_CHANGES 3 // shift: 0 to 31 changes

static const char *const files[N_PACKAGES] = {"ice-1.3.30.0.pkg", "ice_comms-1.3.31.0.pkg"};
static struct ddp_package *packages[N_PACKAGES];

// Of unchanged tables, by options.
static struct e810_parser *parsers[8];
static struct e810_rss *rsses[8];

static const uint32_t tables[] = {
	E810_IMEM,       E810_PG_CAM,          E810_PG_NO_MATCH,      E810_BOOST_TCAM,
	E810_PTYPE_TCAM, E810_PROTOCOL_GROUPS, E810_METADATA_INIT,    E810_MARKER_GROUPS,
	E810_PG_SPILL,   E810_NO_MATCH_SPILL,  E810_FLAG_REDIRECTION, E810_RSS_KEY_BUILDER,
	E810_RSS_XLT1,   E810_RSS_TCAM,        E810_RSS_REDIRECTION,  E810_RSS_FIELD_VECTOR,
};
#define N_TABLES (sizeof(tables) / sizeof(tables[0]))

static struct e810_parser *parser_make(unsigned int options) {
	struct e810_config config = {.double_vlan = options & OPTION_DOUBLE_VLAN};
	struct e810_parser *parser;
	struct ddp_diag diag;

	if (options & OPTION_PORTS) {
		config.tunnels[E810_VXLAN] = (struct e810_ports){{4789}, 1};
		config.tunnels[E810_GENEVE] = (struct e810_ports){{6081}, 1};
	}
	ddp_diag_init(&diag);
	parser = e810_parser_create(packages[options & OPTION_PACKAGE], &config, &diag);
	assert((parser == NULL) == (diag.n_errors > 0));
	ddp_diag_fini(&diag);
	return parser;
}

static struct e810_rss *rss_make(const struct e810_parser *parser) {
	struct e810_rss *rss;
	struct ddp_diag diag;

	ddp_diag_init(&diag);
	rss = e810_rss_create(parser, DDP_RSS_HF_ALL, &diag);
	assert(rss != NULL);
	ddp_diag_fini(&diag);
	return rss;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
	const char *cache = getenv("DDP_PACKAGE_CACHE");

	(void)argc;
	(void)argv;
	for (unsigned int i = 0; i < N_PACKAGES; i++) {
		struct ddp_diag diag;
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", cache != NULL ? cache : ".", files[i]);
		ddp_diag_init(&diag);
		packages[i] = ddp_package_open(path, &diag);
		ddp_diag_print(&diag, stderr);
		if (packages[i] == NULL) {
			fprintf(stderr, "no packages, nothing to do\n");
			exit(77);
		}
		ddp_diag_fini(&diag);
	}
	for (unsigned int options = 0; options < 8; options++) {
		parsers[options] = parser_make(options);
		assert(parsers[options] != NULL);
		rsses[options] = rss_make(parsers[options]);
	}
	return 0;
}

struct change {
	uint8_t *byte, old;
};

// Every table has fewer than 65536 bytes.
static void change_apply(unsigned int options, const uint8_t *data, struct change *change) {
	const struct e810_table *table =
		e810_table(packages[options & OPTION_PACKAGE], tables[data[0] % N_TABLES]);
	uint32_t size = table->entry_size * table->n_entries;

	change->byte = NULL;
	if (size == 0)
		return;
	// the reader owns these bytes, on its heap; they are put back afterwards
	change->byte = (uint8_t *)table->entries + (data[1] | data[2] << 8) % size;
	change->old = *change->byte;
	*change->byte ^= data[3];
}

static void result_check(const struct e810_result *result, uint32_t len) {
	assert(result->status <= E810_LOOP);
	assert(result->n_steps >= 1 && result->n_steps <= 64 * (len + 1));
	assert(result->ptype < E810_N_PTYPES || result->ptype == E810_NO_PTYPE);
	for (unsigned int i = 1; i < result->n_protocols; i++)
		assert(result->protocols[i - 1].id < result->protocols[i].id);
}

static void results_compare(const struct e810_result *a, const struct e810_result *b) {
	assert(a->status == b->status && a->ptype == b->ptype && a->rss_flags == b->rss_flags);
	assert(a->n_steps == b->n_steps && a->node == b->node);
	assert(a->n_protocols == b->n_protocols);
	for (unsigned int i = 0; i < a->n_protocols; i++) {
		assert(a->protocols[i].id == b->protocols[i].id);
		assert(a->protocols[i].offset == b->protocols[i].offset);
	}
}

// Another packet of those that the trace stands for.
static void trace_check(const struct e810_parser *parser, const uint8_t *data, uint32_t len,
			const struct e810_trace *trace, const struct e810_result *result) {
	static uint64_t seed = 1;
	uint32_t other_len = trace->min_len + (seed >> 60) * 8 + (trace->min_len == 0);
	uint8_t *other = malloc(other_len);
	struct e810_result again;

	assert(trace->min_len <= len);
	for (uint32_t i = 0; i < other_len; i++) {
		uint8_t mask = i < sizeof(trace->mask) ? trace->mask[i] : 0;

		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		other[i] = (seed >> 56 & ~mask) | ((i < len ? data[i] : 0) & mask);
	}
	e810_parse(parser, other, other_len, &again);
	results_compare(result, &again);
	free(other);
}

static void step_check(void *arg, const struct e810_step *step) {
	unsigned int *n = arg;

	++*n;
	assert(step->edge == NULL || step->edge->n_protocols <= 8);
}

static void walk_check(const struct e810_parser *parser, const struct e810_rss *rss,
		       const uint8_t *data, uint32_t len) {
	struct e810_result result, other;
	struct e810_word words[E810_WORDS];
	struct e810_trace trace;
	unsigned int n_steps = 0;
	const char *headers[E810_CHAIN_MAX];
	uint16_t offsets[E810_CHAIN_MAX];

	e810_parse(parser, data, len, &result);
	result_check(&result, len);
	e810_parse_watched(parser, data, len, &other, NULL, step_check, &n_steps);
	assert(n_steps == result.n_steps);
	results_compare(&result, &other);
	e810_parse_watched(parser, data, len, &other, &trace, NULL, NULL);
	results_compare(&result, &other);
	if (!trace.lost)
		trace_check(parser, data, len, &trace, &result);
	assert(e810_result_chain(parser, &result, data, len, headers, offsets, NULL) <=
	       E810_CHAIN_MAX);
	assert(e810_rss_words(rss, result.ptype, result.rss_flags, words) <= E810_WORDS);
}

// With tables that were changed.
static void changed_check(unsigned int options, const uint8_t *data, uint32_t len) {
	struct e810_parser *parser = parser_make(options);
	struct e810_rss *rss;

	if (parser == NULL)
		return;
	rss = rss_make(parser);
	walk_check(parser, rss, data, len);
	e810_rss_destroy(rss);
	e810_parser_destroy(parser);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	unsigned int options, n_changes;
	struct change changes[32];

	if (size < 1 || size > 65536)
		return 0;
	options = data[0] & 7;
	n_changes = data[0] >> OPTION_CHANGES;
	data++;
	size--;
	if (size < 4 * n_changes)
		return 0;
	if (n_changes == 0) {
		walk_check(parsers[options], rsses[options], data, size);
		return 0;
	}
	for (unsigned int i = 0; i < n_changes; i++)
		change_apply(options, data + 4 * i, &changes[i]);
	changed_check(options, data + 4 * n_changes, size - 4 * n_changes);
	while (n_changes-- > 0)
		if (changes[n_changes].byte != NULL)
			*changes[n_changes].byte = changes[n_changes].old;
	return 0;
}
