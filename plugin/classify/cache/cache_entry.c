/* SPDX-License-Identifier: BSD-3-Clause */
// From an interpreted packet, and notes of what was looked at, to an entry of the path cache. Data
// path: it runs when a packet takes a path for the first time.

#include "cache_set.h"

struct maker {
	struct cache_entry *entry;
	const struct ddp_policy *policy;
	const struct ddp_packet *packet;
	const struct ddp_class *class;
	struct trace *trace;
};

static void reach_add(struct maker *m, uint32_t end) {
	if (end > TRACE_REACH)
		m->trace->lost = true;
	else if (m->entry->reach < end)
		m->entry->reach = end;
}

// The offset to read size bytes from that begin with the one at. It is smaller if the packet might
// lack a byte otherwise: then its length proves that all can be read.
static unsigned int read_at(const struct maker *m, unsigned int at, unsigned int size) {
	unsigned int end = m->trace->min_len;

	if (end < size || at >= end || end > TRACE_REACH)
		end = TRACE_REACH;
	return at + size > end ? end - size : at;
}

// Find the bit at which a field begins; false: the packet has no such field.
static bool field_place(struct maker *m, const struct ddp_program *program,
			const struct prog_ref *ref, uint32_t *bit) {
	if (!field_locate(program, m->class, ref, bit))
		return false;
	if (*bit + ref->bits > m->packet->len * 8u || *bit + ref->bits > TRACE_REACH * 8) {
		m->trace->lost = true; // whether it is there depends on the packet's length
		return false;
	}
	trace_need(m->trace, (*bit + ref->bits + 7) / 8);
	return true;
}

/* Hashed bytes */

struct copied {
	uint8_t start, size;
};

static struct copied field_put(struct maker *m, const struct ddp_program *program,
			       const struct prog_ref *ref, unsigned int len) {
	struct copied c = {len, 0};
	uint32_t bit;

	bool there = field_place(m, program, ref, &bit);

	if (!there && program->model == NULL)
		return c;
	c.size = (ref->bits + 7) / 8;
	if (len + c.size > DDP_HASH_INPUT_MAX) {
		m->trace->lost = true;
		return c;
	}
	for (unsigned int i = 0; there && i < c.size; i++) { // else zeros: no bit counts
		const int first = (int)(bit + ref->bits) - 8 * (c.size - i);
		const int at = first < 0 ? 0 : first / 8;

		m->entry->bytes[len + i] = (struct cache_byte){
			.byte = at,
			.shift = 8 - (first - at * 8),
			.mask = i == 0 && ref->bits % 8 != 0 ? (1u << ref->bits % 8) - 1 : 0xff,
		};
	}
	return c;
}

// A shuffle for as many bytes of a block as one offset allows. Returns whether all are done.
static bool gather_make(struct maker *m, unsigned int block, struct cache_gather *gather,
			uint16_t *todo) {
	const struct cache_byte *bytes = &m->entry->bytes[16 * block];
	unsigned int lowest = TRACE_REACH - 16;

	for (unsigned int i = 0; i < 16; i++)
		if ((*todo >> i & 1) != 0 && bytes[i].byte < lowest)
			lowest = bytes[i].byte;
	lowest = read_at(m, lowest, 16);
	gather->byte = lowest;
	for (unsigned int i = 0; i < 16; i++) {
		unsigned int off = bytes[i].byte - lowest;

		if ((*todo >> i & 1) == 0 || off > 15)
			continue;
		gather->from[i] = off;
		*todo &= ~(1u << i);
	}
	reach_add(m, lowest + 16);
	return *todo == 0;
}

static void gathers_clear(struct cache_entry *entry) {
	struct cache_gather none = {.byte = 0};

	memset(none.from, 0x80, sizeof(none.from));
	entry->gather = entry->second = entry->blocks[0] = entry->blocks[1] = none;
	entry->has_second = false;
}

static void gathers_make(struct maker *m) {
	struct cache_entry *entry = m->entry;
	unsigned int len = entry->verdict.input_len;

	gathers_clear(entry);
	for (const struct cache_byte *b = entry->bytes; b < entry->bytes + len; b++)
		entry->odd |= b->mask != 0 && (b->shift != 8 || b->mask != 0xff);
	for (unsigned int block = 0; block * 16 < len && !entry->odd; block++) {
		unsigned int n = len - block * 16 < 16 ? len - block * 16 : 16;
		uint16_t todo = 0;

		for (unsigned int i = 0; i < n; i++)
			todo |= (entry->bytes[block * 16 + i].mask != 0) << i;
		if (gather_make(m, block, block == 0 ? &entry->gather : &entry->blocks[block - 1],
				&todo))
			continue;
		if (block == 0 && gather_make(m, block, &entry->second, &todo))
			entry->has_second = true;
		else
			entry->odd = true;
	}
	if (!entry->odd)
		return;
	gathers_clear(entry);
	for (unsigned int i = 0; i < len; i++) // byte by byte: two are read of each
		reach_add(m, entry->bytes[i].byte + 2);
}

const struct prog_set *cache_set_choose(const struct ddp_policy *policy,
					const struct ddp_packet *packet,
					const struct ddp_class *class,
					const struct ddp_flow_hit *hit, struct trace *trace,
					const struct ddp_program **program) {
	const struct ddp_flow_hashing *hashing = ddp_flow_hashing_of(policy->flows, hit);

	if (hashing != NULL && hashing->own_inputs) {
		*program = &policy->flows->view;
		return &policy->flows->groups[hit->hashing].inputs;
	}
	*program = policy->program;
	if (hashing == NULL && !policy->rss)
		return NULL;
	return set_choose(policy->program, packet, class,
			  policy->rss ? policy->rss_hf : DDP_RSS_HF_ALL, trace);
}

static void input_make(struct maker *m, const struct ddp_flow_hit *hit) {
	struct cache_entry *entry = m->entry;
	struct copied copied[DDP_MAX_INPUT_SIZE];
	const struct ddp_program *program;
	const struct prog_set *set =
		cache_set_choose(m->policy, m->packet, m->class, hit, m->trace, &program);
	const unsigned int n = set == NULL ? 0 : set->n_inputs;
	unsigned int len = 0;

	for (unsigned int i = 0; i < n; i++) {
		copied[i] = field_put(m, program, &program->inputs[set->first_input + i].ref, len);
		len += copied[i].size;
	}
	entry->verdict.input_len = len;
	for (unsigned int i = 0; i < n && ddp_hash_is_symmetric(entry->verdict.function); i++) {
		const int other = program->inputs[set->first_input + i].partner;

		if (other < 0 || copied[i].size != copied[other].size)
			continue;
		if (entry->n_sides == CACHE_SIDES)
			m->trace->lost = true;
		else
			entry->sides[entry->n_sides++] = (struct cache_side){
				copied[i].start, copied[other].start, copied[i].size};
	}
}

/* Rules */

static void key_put(struct maker *m, struct cache_key *key, uint32_t bit, unsigned int bits) {
	const uint32_t first = bit / 8, end = (bit + bits + 7) / 8;

	key->is_long = bits > 64;
	if (end - first > 8 && (bit % 8 != 0 || bits % 8 != 0))
		m->trace->lost = true; // two words do not hold it
	key->low = end - first > 8 ? end - 8 : read_at(m, first, 8);
	if (bit + bits > 8 * (key->low + 8u))
		key->low = first;
	key->low_up = key->is_long ? 0 : bit - 8 * key->low;
	key->low_down = key->is_long ? 0 : 64 - bits;
	reach_add(m, key->low + 8);
	key->high = first; // eight bytes of a long one are the packet's
	key->high_down = key->is_long ? 128 - bits : 0;
}

static void lookup_put(struct maker *m, const struct flow_group *group) {
	const struct ddp_flow_set *set = m->policy->flows;
	struct cache_lookup *lookup = &m->entry->lookups[m->entry->n_lookups];

	if (m->entry->n_lookups == CACHE_GROUPS || group->n_keys > CACHE_KEYS) {
		m->trace->lost = true;
		return;
	}
	lookup->group = group;
	for (unsigned int i = 0; i < group->n_keys; i++) {
		const struct prog_ref *ref = &set->keys[group->first_key + i].ref;
		uint32_t bit;

		if (!field_place(m, &set->view, ref, &bit))
			return;
		key_put(m, &lookup->keys[i], bit, ref->bits);
	}
	m->entry->n_lookups++;
}

// A hash rule decides what the entry does: its values are part of what was looked at.
static void keys_trace(struct maker *m, const struct flow_group *group) {
	const struct ddp_flow_set *set = m->policy->flows;

	for (unsigned int i = 0; i < group->n_keys; i++) {
		const struct flow_key *key = &set->keys[group->first_key + i];
		uint32_t bit;

		if (!field_place(m, &set->view, &key->ref, &bit))
			continue;
		for (unsigned int left = key->ref.bits; left-- > 0; bit++)
			if (((left < 64 ? key->mask_lo >> left : key->mask_hi >> (left - 64)) &
			     1) != 0)
				trace_bits(m->trace, bit, 1);
	}
}

static void group_note(void *arg, const struct flow_group *group) {
	struct maker *m = arg;

	if (group->stage == DDP_FLOW_STEER && group->n_keys > 0)
		lookup_put(m, group);
	else
		keys_trace(m, group);
}

static void value_make(struct maker *m) {
	const struct ddp_program *program = m->policy->program;
	const struct prog_type *type;
	const struct prog_ref *ref;
	struct cache_key key;
	unsigned int width;
	uint32_t bit;

	if (m->class->type == DDP_TYPE_NONE)
		return;
	type = &program->types[m->class->type];
	ref = &program->inputs[type->first_extract].ref;
	if (type->n_extract == 0 || !field_place(m, program, ref, &bit))
		return;
	width = ref->bits < 32 ? ref->bits : 32;
	key_put(m, &key, bit + ref->bits - width, width);
	m->entry->verdict.value_byte = key.low;
	m->entry->verdict.value_shift = key.low_down - key.low_up;
	m->entry->verdict.value = width == 32 ? UINT32_MAX : (1u << width) - 1;
}

static void windows_make(struct maker *m) {
	struct cache_entry *entry = m->entry;

	for (unsigned int at = 0; at < TRACE_REACH;) {
		if (entry->cond.mask[at] == 0) {
			at++;
			continue;
		}
		at = read_at(m, at, CACHE_WINDOW);
		memcpy(entry->windows[entry->n_windows].mask, entry->cond.mask + at, CACHE_WINDOW);
		memcpy(entry->windows[entry->n_windows].value, entry->cond.value + at,
		       CACHE_WINDOW);
		entry->offs[entry->n_windows++] = at;
		at += CACHE_WINDOW;
		reach_add(m, at);
	}
	if (entry->n_windows == 0) // no condition to match packets by
		m->trace->lost = true;
}

// Write the mask and value of the entry as pieces.
static void pieces_make(struct maker *m) {
	struct cache_entry *entry = m->entry;
	unsigned int n = 0;

	for (unsigned int at = 0; at < TRACE_REACH; n++) {
		struct cache_bits *pair = &entry->pairs[n / 2];

		while (at < TRACE_REACH && entry->cond.mask[at] == 0)
			at++;
		if (at == TRACE_REACH)
			break;
		at = read_at(m, at, 16);
		memcpy(pair->mask + n % 2 * 16, entry->cond.mask + at, 16);
		memcpy(pair->value + n % 2 * 16, entry->cond.value + at, 16);
		entry->pieces[n / 2][n % 2] = at;
		at += 16;
		reach_add(m, at);
	}
	entry->n_pairs = (n + 1) / 2;
}

// Byte n of those that are compared; while these are few, there is room for the row.
static void selection_put(struct cache_selection *selection, unsigned int n, unsigned int from,
			  uint8_t value, uint8_t mask) {
	unsigned int at = (CACHE_SELECT_ROW + n) % CACHE_SELECT_SIZE;

	if (n >= CACHE_SELECT_SIZE)
		return;
	selection->from[at] = from;
	selection->value[at] = value;
	selection->mask[at] = mask;
}

// Lines of the packet that its selection, or its hint, is in.
static unsigned int lines_selected(const struct cache_entry *entry) {
	unsigned int last = 0;

	if (entry->partial)
		return entry->reach > 64 ? CACHE_NEAR : 1;
	for (unsigned int i = 0; i < sizeof(entry->selection.from); i++)
		if (last < entry->selection.from[i])
			last = entry->selection.from[i];
	return last / 64 + 1;
}

// Write mask, value and exclusions of the entry as a selection from whole lines of the packet.
static void selection_make(struct maker *m) {
	struct cache_entry *entry = m->entry;
	unsigned int n = 0;

	entry->expect = UINT32_MAX;
	for (unsigned int at = 0; at < TRACE_REACH; at++)
		if (entry->cond.mask[at] != 0)
			selection_put(&entry->selection, n++, at, entry->cond.value[at],
				      entry->cond.mask[at]);
	n += n % 2;
	for (unsigned int b = 0; b < entry->n_exclusions; b++) {
		const struct cache_exclusion *exclusion = &entry->exclusions[b];

		for (unsigned int i = 0; i < sizeof(exclusion->from) && exclusion->from[i] < 16;
		     i++, n++) {
			selection_put(&entry->selection, n,
				      entry->exclusion_bytes[b] + exclusion->from[i],
				      ((const uint8_t *)exclusion->words)[i], 0xff);
			entry->expect &= ~(1u << (CACHE_SELECT_ROW + n) % CACHE_SELECT_SIZE / 2);
		}
	}
	entry->partial = n > CACHE_SELECT_SIZE;
	if (entry->partial) {
		memset(&entry->selection, 0, sizeof(entry->selection));
		entry->expect = UINT32_MAX;
	}
	entry->has_row = n <= CACHE_SELECT_SIZE - CACHE_SELECT_ROW;
	for (unsigned int i = 0; entry->has_row && i < CACHE_SELECT_ROW; i++)
		if (entry->gather.from[i] < 16) {
			entry->selection.from[i] = entry->gather.byte + entry->gather.from[i];
			entry->selection.value[i] = 0xff;
		}
	entry->n_lines = lines_selected(entry);
}

static void bits_make(struct maker *m) {
	struct cache_entry *entry = m->entry;
	unsigned int end = TRACE_REACH;
	uint8_t buf[TRACE_REACH];
	const uint8_t *bytes;

	while (end > 0 && m->trace->mask[end - 1] == 0)
		end--;
	bytes = packet_at(m->packet, 0, end, buf);
	memcpy(entry->cond.mask, m->trace->mask, TRACE_REACH);
	for (unsigned int i = 0; i < end; i++)
		entry->cond.value[i] = bytes[i] & entry->cond.mask[i];
	windows_make(m);
	pieces_make(m);
}

// Does the entry compare the whole word, so that its other conditions add nothing?
static bool is_known(const struct cache_entry *entry, unsigned int byte) {
	return entry->cond.mask[byte] == 0xff && entry->cond.mask[byte + 1] == 0xff;
}

static void words_make(struct maker *m) {
	struct cache_entry *entry = m->entry;

	for (unsigned int i = 0; i < m->trace->n_words; i++) {
		const struct trace_word *word = &m->trace->words[i];

		if (is_known(entry, word->byte))
			continue;
		entry->cond.words[entry->cond.n_words].holds = word->word->holds;
		entry->cond.words[entry->cond.n_words].byte = word->byte;
		entry->cond.words[entry->cond.n_words].expect = word->holds;
		entry->cond.n_words++;
		reach_add(m, word->byte + 2);
	}
}

// An exclusion of lists that are in none yet: from the first one's offset as many as fit.
static void exclusion_make(struct maker *m, uint8_t *todo) {
	const struct trace_list *lists = m->trace->lists;
	struct cache_entry *entry = m->entry;
	struct cache_exclusion *exclusion = &entry->exclusions[entry->n_exclusions];
	unsigned int n_used = 0, at = TRACE_REACH - 16;

	for (unsigned int i = 0; i < m->trace->n_lists; i++)
		if ((*todo >> i & 1) != 0 && lists[i].byte < at)
			at = lists[i].byte;
	at = read_at(m, at, 16);
	for (unsigned int i = 0; i < m->trace->n_lists; i++) {
		const unsigned int off = lists[i].byte - at;

		if ((*todo >> i & 1) == 0 || n_used + lists[i].n > TRACE_LIST || off > 14)
			continue;
		for (unsigned int v = 0; v < lists[i].n; v++, n_used++) {
			exclusion->from[2 * n_used] = off;
			exclusion->from[2 * n_used + 1] = off + 1;
			exclusion->words[n_used] = htobe16(lists[i].values[v]);
		}
		*todo &= ~(1u << i);
	}
	entry->exclusion_bytes[entry->n_exclusions++] = at;
	reach_add(m, at + 16);
}

static void lists_make(struct maker *m) {
	struct cache_entry *entry = m->entry;
	uint8_t todo = 0;

	for (unsigned int i = 0; i < TRACE_WORDS; i++)
		cache_exclusion_clear(&entry->exclusions[i]);
	for (unsigned int i = 0; i < m->trace->n_lists; i++) {
		const struct trace_list *noted = &m->trace->lists[i];

		if (is_known(entry, noted->byte))
			continue;
		todo |= 1u << i;
		entry->cond.list_bytes[entry->cond.n_lists] = noted->byte;
		for (unsigned int v = 0; v < TRACE_LIST; v++)
			entry->cond.lists[entry->cond.n_lists][v] =
				htobe16(noted->values[v < noted->n ? v : 0]);
		entry->cond.n_lists++;
		reach_add(m, noted->byte + 2);
	}
	while (todo != 0 && !m->trace->lost)
		exclusion_make(m, &todo);
	entry->exclusion_byte = entry->exclusion_bytes[0];
}

bool cache_entry_make(struct cache_entry *entry, enum ddp_isa isa, const struct ddp_policy *policy,
		      const struct ddp_packet *packet, const struct ddp_class *class,
		      const struct ddp_verdict *own, struct trace *trace) {
	struct maker m = {entry, policy, packet, class, trace};
	struct ddp_flow_hit hit = {{NULL, NULL}, 0};

	memset(entry, 0, sizeof(*entry));
	entry->verdict = *own;
	entry->verdict.own = false;
	entry->verdict.value = entry->verdict.value_byte = entry->verdict.value_shift = 0;
	if (policy->flows != NULL)
		flow_match_traced(policy->flows, packet, class, &hit, trace, group_note, &m);
	entry->steer = hit.rules[DDP_FLOW_STEER];
	input_make(&m, &hit);
	gathers_make(&m);
	value_make(&m);
	if (trace->lost || trace->min_len > UINT16_MAX)
		return false;
	bits_make(&m);
	words_make(&m);
	lists_make(&m);
	entry->min_len = trace->min_len;
	if (cache_has_selections(isa) && !trace->lost)
		selection_make(&m);
	entry->n_needed = cache_has_selections(isa) ? entry->n_lines : entry->n_pairs;
	if (entry->n_needed > CACHE_NEED)
		entry->n_needed = CACHE_NEED;
	return !trace->lost;
}
