/* SPDX-License-Identifier: BSD-3-Clause */
#include "entropy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "common/output.h"
#include "ctl/capture/cut.h"

#define FIELDS_MAX 1024
#define SLOTS 4096 // a power of two

// A field of a packet type.
struct tally {
	uint16_t type;
	const char *name;
	struct flows values;
	uint64_t last; // packet that had it last: several candidates tell of it
};

struct measuring {
	struct tally *tallies;
	unsigned int n;
	// By packet type and name, which has one place in each program.
	struct {
		uint16_t type;
		const char *name;
		struct tally *tally;
	} slots[SLOTS];

	uint64_t type_packets[UINT16_MAX + 1];

	// the packet
	uint16_t type;
	uint64_t number;
};

static struct tally *tally_add(struct measuring *m, const char *name) {
	struct tally *tally = &m->tallies[m->n];

	if (m->n == FIELDS_MAX)
		return NULL;
	flows_init(&tally->values, false, 0);
	tally->type = m->type;
	tally->name = name;
	m->n++;
	return tally;
}

static struct tally *tally_search(struct measuring *m, const char *name) {
	for (unsigned int i = 0; i < m->n; i++)
		if (m->tallies[i].type == m->type && strcmp(m->tallies[i].name, name) == 0)
			return &m->tallies[i];
	return tally_add(m, name);
}

static struct tally *tally_find(struct measuring *m, const char *name) {
	uint64_t hash = ((uintptr_t)name >> 3 ^ m->type) * UINT64_C(0x9e3779b97f4a7c15);
	unsigned int i = hash >> 52;

	_Static_assert(SLOTS == 1 << 12, "a slot by as many bits");
	if (m->slots[i].name != name || m->slots[i].type != m->type) {
		m->slots[i].tally = tally_search(m, name);
		m->slots[i].name = name;
		m->slots[i].type = m->type;
	}
	return m->slots[i].tally;
}

// Never 0.
static uint64_t value_key(uint64_t high, uint64_t low) {
	uint64_t key = (high * UINT64_C(0xff51afd7ed558ccd) ^ low) * UINT64_C(0xc4ceb9fe1a85ec53);

	key = (key ^ key >> 32) * UINT64_C(0xff51afd7ed558ccd);
	return (key ^ key >> 32) | 1;
}

static void value_count(void *arg, const char *name, unsigned int width, const uint8_t value[16]) {
	struct measuring *m = arg;
	struct tally *tally = tally_find(m, name);
	uint64_t high, low;

	(void)width;
	if (tally == NULL || tally->last == m->number)
		return;
	tally->last = m->number;
	memcpy(&high, value, 8);
	memcpy(&low, value + 8, 8);
	flows_count(&tally->values, value_key(high, low));
}

static void packet_measure(struct measuring *m, const struct candidates *candidates,
			   const struct capture_packet *packet) {
	const struct spread *flow = &candidates->spreads[candidates->totals.flow_spread];
	struct ddp_class class;
	struct cut cut;

	cut_begin(&cut, packet);
	cut_classify(&cut, flow->program, &class);
	m->type = class.type;
	m->type_packets[m->type]++;
	m->number++;
	ddp_fields_each(flow->program, &cut.packet, &class, flow->policy.rss_hf, value_count, m);
	for (unsigned int i = 0; i < candidates->n; i++) {
		const struct spread *spread = &candidates->spreads[i];

		cut_classify(&cut, spread->program, &class);
		ddp_fields_each(spread->program, &cut.packet, &class, spread->policy.rss_hf,
				value_count, m);
	}
}

static void result_make(const struct measuring *m, const struct tally *tally,
			const struct ddp_program *program, struct ddp_arena *arena,
			struct field_entropy *field) {
	const struct flow *top;

	for (const struct flow *flow = flows_next(&tally->values, NULL); flow != NULL;
	     flow = flows_next(&tally->values, flow))
		field->packets += flow->packets;
	field->of_type = m->type_packets[tally->type];
	field->type = ddp_arena_strdup(arena, type_name(program, tally->type));
	field->field = ddp_arena_strdup(arena, tally->name);
	field->values = flows_number(&tally->values);
	field->bits = flows_entropy(&tally->values);
	if (flows_top(&tally->values, &top, 1) > 0)
		field->hottest = (double)top->packets / field->packets;
}

static int by_type(const void *a, const void *b) {
	const struct field_entropy *f = a, *g = b;
	int order = strcmp(f->type, g->type);

	if (f->of_type != g->of_type)
		return f->of_type < g->of_type ? 1 : -1;
	if (order != 0)
		return order;
	if (f->bits != g->bits)
		return f->bits < g->bits ? 1 : -1;
	return strcmp(f->field, g->field);
}

static void all_measure(struct measuring *m, const struct candidates *candidates,
			const struct sample *sample) {
	for (unsigned int i = 0; i < sample->n; i++) {
		const struct capture_packet packet = sample_packet(sample, i);

		packet_measure(m, candidates, &packet);
	}
}

void entropies_measure(struct entropies *entropies, const struct candidates *candidates,
		       const struct sample *sample, struct ddp_arena *arena) {
	const struct ddp_program *program;
	struct measuring *m;

	*entropies = (struct entropies){0};
	if (candidates->totals.flow_spread < 0)
		return;
	m = calloc_or_exit(1, sizeof(*m));
	m->tallies = calloc_or_exit(FIELDS_MAX, sizeof(*m->tallies));
	program = candidates->spreads[candidates->totals.flow_spread].program;
	all_measure(m, candidates, sample);
	entropies->n = m->n;
	entropies->fields = ddp_arena_alloc(arena, (m->n + 1) * sizeof(*entropies->fields));
	for (unsigned int i = 0; i < m->n; i++) {
		result_make(m, &m->tallies[i], program, arena, &entropies->fields[i]);
		flows_fini(&m->tallies[i].values);
	}
	qsort(entropies->fields, m->n, sizeof(*entropies->fields), by_type);
	free(m->tallies);
	free(m);
}
