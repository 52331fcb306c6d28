/* SPDX-License-Identifier: BSD-3-Clause */
#include "spread.h"

#include <arpa/inet.h>
#include <assert.h>
#include <math.h>
#include <rte_common.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "common/output.h"

#define FIRST_SLOTS 1024 // slots, a power of two
#define SLOT_BYTES 16    // bytes of slots per entry, on average
#define LARGE (8U << 20) // bytes: larger arrays use large pages

/* Tables */

// Reserve address space for the largest table: unused pages cost nothing, and entries never move.
// Large pages save page faults, which are expensive in some virtual machines.
static void *memory_reserve(size_t size) {
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		no_memory_exit();
	if (size >= LARGE)
		madvise(memory, size, MADV_HUGEPAGE);
	return memory;
}

static bool slots_are_full(uint32_t n, uint32_t mask) {
	return n >= mask / 4 * 3;
}

static size_t slots_size(const struct flows *flows) {
	size_t n = FIRST_SLOTS;

	while (slots_are_full(flows->n_max, n - 1))
		n *= 2;
	return n * sizeof(*flows->slots);
}

void flows_init(struct flows *flows, bool detailed, unsigned int n_candidates, size_t size) {
	size_t detail_size = 0, n;

	*flows = (struct flows){.mask = FIRST_SLOTS - 1, .stride = offsetof(struct flow, bytes)};
	if (detailed) {
		flows->stride = sizeof(struct flow) + n_candidates * sizeof(struct flow_slot);
		flows->stride = RTE_MAX(flows->stride, (uint32_t)RTE_CACHE_LINE_MIN_SIZE);
		detail_size = sizeof(struct flow_detail);
	}
	n = size / (flows->stride + detail_size + SLOT_BYTES);
	flows->n_max = RTE_MAX(RTE_MIN(n, (size_t)UINT32_MAX / 4), (size_t)FLOWS_LEAST);
	flows->slots = memory_reserve(slots_size(flows));
	flows->entries = memory_reserve((size_t)flows->n_max * flows->stride);
	if (detailed)
		flows->details = memory_reserve(flows->n_max * detail_size);
	ddp_seed_draw(&flows->seed);
}

void flows_fini(struct flows *flows) {
	if (flows->slots == NULL)
		return;
	munmap(flows->slots, slots_size(flows));
	munmap(flows->entries, (size_t)flows->n_max * flows->stride);
	if (flows->details != NULL)
		munmap(flows->details, flows->n_max * sizeof(*flows->details));
	flows->slots = NULL;
}

// The slot of a key, or the free slot for it.
static inline uint64_t *slot_find(const struct flows *flows, uint64_t key, uint64_t hash) {
	uint32_t i = hash & flows->mask;

	while (flows->slots[i] != 0) {
		if (flows->slots[i] >> 32 == hash >> 32 &&
		    flows_at(flows, (uint32_t)flows->slots[i] - 1)->key == key)
			break;
		i = (i + 1) & flows->mask;
	}
	return &flows->slots[i];
}

static void slots_grow(struct flows *flows) {
	assert(flows->mask <= UINT32_MAX / 2);
	flows->mask = 2 * flows->mask + 1;
	memset(flows->slots, 0, ((size_t)flows->mask + 1) * sizeof(*flows->slots));
	for (uint32_t at = 0; at < flows->n; at++) {
		const uint64_t hash = ddp_seed_hash(&flows->seed, flows_at(flows, at)->key);
		uint32_t i = hash & flows->mask;

		while (flows->slots[i] != 0)
			i = (i + 1) & flows->mask;
		flows->slots[i] = (hash & ~(uint64_t)UINT32_MAX) | (at + 1);
	}
}

struct flow *flows_count(struct flows *flows, uint64_t key) {
	const uint64_t hash = ddp_seed_hash(&flows->seed, key);
	uint64_t *slot = slot_find(flows, key, hash);
	struct flow *flow;

	if (*slot != 0) {
		flow = flows_at(flows, (uint32_t)*slot - 1);
	} else if (flows->n == flows->n_max) {
		flows->n_beyond++;
		return NULL;
	} else {
		flow = flows_at(flows, flows->n);
		flow->key = key;
		if (flows->details != NULL)
			flow->detail = &flows->details[flows->n];
		flows->n++;
		*slot = (hash & ~(uint64_t)UINT32_MAX) | flows->n;
		if (slots_are_full(flows->n, flows->mask))
			slots_grow(flows);
	}
	flows->packets++;
	flow->packets++;
	return flow;
}

void flows_prefetch(const struct flows *flows, const uint64_t *keys, unsigned int n) {
	for (unsigned int i = 0; i < n; i++)
		__builtin_prefetch(
			&flows->slots[ddp_seed_hash(&flows->seed, keys[i]) & flows->mask]);
	for (unsigned int i = 0; i < n; i++) {
		const uint64_t hash = ddp_seed_hash(&flows->seed, keys[i]);
		const uint64_t slot = flows->slots[hash & flows->mask];
		const char *entry;

		if (slot == 0 || slot >> 32 != hash >> 32)
			continue;
		entry = (const char *)flows_at(flows, (uint32_t)slot - 1);
		__builtin_prefetch(entry, 1);
		__builtin_prefetch(entry + flows->stride - 1, 1);
	}
}

void flow_slot_add(struct flow_slot *slot, uint64_t n, uint16_t at, uint16_t queue) {
	if (n == 0)
		return;
	if (slot->n[0] == 0 || n < slot->n[0]) {
		if (slot->n[0] != 0 && slot->queue[0] != queue) {
			slot->n[1] = slot->n[0];
			slot->queue[1] = slot->queue[0];
		}
		slot->n[0] = n;
		slot->queue[0] = queue;
		slot->slot = at;
	} else if (queue != slot->queue[0] && (slot->n[1] == 0 || n < slot->n[1])) {
		slot->n[1] = n;
		slot->queue[1] = queue;
	}
}

unsigned int flows_top(const struct flows *flows, const struct flow **top, unsigned int n) {
	unsigned int n_top = 0;

	for (uint32_t i = 0; i < flows->n; i++) {
		const struct flow *flow = flows_at(flows, i);
		unsigned int at = n_top;

		if (n_top == n && flow->packets <= top[n - 1]->packets)
			continue;
		if (n_top < n)
			n_top++;
		else
			at--;
		for (; at > 0 && flow->packets > top[at - 1]->packets; at--)
			top[at] = top[at - 1];
		top[at] = flow;
	}
	return n_top;
}

double flows_entropy(const struct flows *flows) {
	double sum = 0;

	for (uint32_t i = 0; i < flows->n; i++) {
		double packets = flows_at(flows, i)->packets;

		sum -= packets * log2(packets / flows->packets);
	}
	return sum > 0 ? sum / flows->packets : 0; // never -0
}

/* Layouts */

static unsigned int field_size(const struct input_layout *layout, unsigned int field) {
	return (layout->widths[field] + 7u) / 8;
}

struct found_layout {
	struct input_layout layout;
	unsigned int len, end; // bytes of the fields so far, and of the input
};

static void field_take(void *arg, const char *name, unsigned int width, const uint8_t value[16]) {
	struct found_layout *f = arg;
	struct input_layout *layout = &f->layout;

	(void)value;
	if (f->len >= f->end || layout->n_fields == LAYOUT_FIELDS)
		return; // extracted fields follow the hashed ones
	layout->names[layout->n_fields] = name;
	layout->widths[layout->n_fields] = width;
	f->len += field_size(layout, layout->n_fields++);
}

static const char *last_name(const char *name) {
	const char *dot = memrchr(name, '.', strcspn(name, "/"));

	return dot != NULL ? dot + 1 : name;
}

// The part of an address, by the prefix of a field's name. The other direction has part ^ 1.
enum part {
	SRC,
	DST,
	SPORT,
	DPORT,
	N_PARTS, // none
};

static const char *const part_names[N_PARTS] = {"src", "dst", "sport", "dport"};

static enum part part_of(const char *name) {
	enum part part = 0;

	while (part < N_PARTS &&
	       strncmp(last_name(name), part_names[part], strlen(part_names[part])) != 0)
		part++;
	return part;
}

// "ipv4.src" and "ipv4.dst", "udp.sport" and "udp.dport".
static bool is_counterpart(const char *a, const char *b) {
	const size_t header = last_name(a) - a;
	const enum part part = part_of(a), other = part_of(b);

	return header > 0 && (size_t)(last_name(b) - b) == header && memcmp(a, b, header) == 0 &&
	       part != N_PARTS && other == (part ^ 1) &&
	       strcmp(a + header + strlen(part_names[part]),
		      b + header + strlen(part_names[other])) == 0;
}

static void opposite_find(struct input_layout *layout) {
	unsigned int at = 0;

	for (unsigned int i = 0; i < FLOW_INPUT_SIZE; i++)
		layout->opposite[i] = i;
	for (unsigned int a = 0; a < layout->n_fields; at += field_size(layout, a++)) {
		unsigned int to = 0;

		for (unsigned int b = 0; b < layout->n_fields; to += field_size(layout, b++))
			for (unsigned int i = 0; i < field_size(layout, a); i++)
				if (layout->widths[a] == layout->widths[b] &&
				    is_counterpart(layout->names[a], layout->names[b]))
					layout->opposite[at + i] = to + i;
	}
}

static unsigned int layout_add(struct flow_counter *counter, const struct input_layout *found) {
	unsigned int i = 0;

	for (; i < counter->n_layouts; i++)
		if (counter->layouts[i].type == found->type &&
		    counter->layouts[i].n_fields == found->n_fields &&
		    memcmp(counter->layouts[i].names, found->names, sizeof(found->names)) == 0)
			return i;
	counter->layouts = grow_or_exit(counter->layouts, i, sizeof(*found));
	counter->layouts[i] = *found;
	opposite_find(&counter->layouts[i]);
	return counter->n_layouts++;
}

static unsigned int packet_layout(struct flow_counter *counter, unsigned int i,
				  const struct capture_packet *packet) {
	const struct spread *by = counter->by;
	struct found_layout f = {.end = by->burst->input_lens[i]};
	struct ddp_answer answer;
	struct cut cut = {.captured = packet};

	cut_answer(&cut, by->loaded->program, by->steer, NULL, &answer);
	f.layout.type = answer.class.type;
	ddp_fields_each(by->loaded->program, &cut.packet, &answer.class, by->policy.rss_hf,
			field_take, &f);
	return layout_add(counter, &f.layout);
}

static unsigned int layout_find(struct flow_counter *counter, unsigned int i,
				const struct capture_packet *packet,
				const struct ddp_verdict *verdict) {
	const unsigned int at = ((uintptr_t)verdict >> 6) % VERDICTS_KNOWN;
	struct ddp_cache_stats stats;

	if (verdict == NULL || verdict->own)
		return packet_layout(counter, i, packet);
	ddp_cache_stats_get(counter->by->burst->cache, &stats);
	if (stats.learned != counter->learned || stats.entries != counter->n_entries) {
		// the cache may have reused addresses
		memset(counter->verdicts, 0, sizeof(counter->verdicts));
		counter->learned = stats.learned;
		counter->n_entries = stats.entries;
	}
	if (counter->verdicts[at] != verdict) {
		counter->verdicts[at] = verdict;
		counter->verdict_layouts[at] = packet_layout(counter, i, packet);
	}
	return counter->verdict_layouts[at];
}

/* Counting */

static uint64_t input_key(const struct flow_counter *counter, uint64_t more,
			  const uint8_t input[FLOW_INPUT_SIZE], unsigned int len) {
	const struct ddp_seed *seed = &counter->table.seed;
	uint64_t hash = ddp_seed_add(seed, seed->start, more, len), words[2];

	for (unsigned int at = 0; at < len; at += sizeof(words)) {
		memcpy(words, input + at, sizeof(words));
		hash = ddp_seed_add(seed, hash, words[0], words[1]);
	}
	return ddp_seed_end(hash);
}

static void input_get(const struct flow_counter *counter, unsigned int i,
		      uint8_t input[FLOW_INPUT_SIZE]) {
	const struct spread_burst *burst = counter->by->burst;

	assert(burst->input_lens[i] <= FLOW_INPUT_SIZE);
	ddp_rows_get(&burst->run.rows, i, input);
	memset(input + burst->input_lens[i], 0, FLOW_INPUT_SIZE - burst->input_lens[i]);
}

static void pair_take(const struct flow_counter *counter, const struct input_layout *layout,
		      struct flow_detail *detail) {
	uint8_t opposite[FLOW_INPUT_SIZE] = {0};

	for (unsigned int at = 0; at < detail->input_len; at++)
		opposite[at] = detail->input[layout->opposite[at]];
	detail->direction = memcmp(detail->input, opposite, detail->input_len) > 0;
	detail->pair = input_key(counter, 0, detail->direction ? opposite : detail->input,
				 detail->input_len);
}

static void flow_begin(struct flow_counter *counter, struct flow_detail *detail, unsigned int i,
		       const struct capture_packet *packet) {
	const struct ddp_verdict *verdict =
		packet->len > UINT16_MAX ? NULL : ddp_burst_verdict(&counter->by->burst->run, i);

	detail->layout = layout_find(counter, i, packet, verdict);
	detail->input_len = counter->by->burst->input_lens[i];
	input_get(counter, i, detail->input);
	if (!counter->is_ue)
		pair_take(counter, &counter->layouts[detail->layout], detail);
	// the end points of the tunnel, if the packet has an outer IP header
	if (verdict != NULL && verdict->inner_l3_off != UINT16_MAX &&
	    verdict->inner_l3_off <= packet->len) {
		const uint8_t *ip = packet->data + verdict->l3_off;
		const bool is_v6 = ip[0] >> 4 == 6;

		detail->outer_len = is_v6 ? 32 : 8;
		memcpy(detail->outer, ip + (is_v6 ? 8 : 12), detail->outer_len);
	}
}

void flow_counter_count(struct flow_counter *counter, const struct capture_batch *batch,
			unsigned int first, unsigned int n,
			uint16_t (*slots)[CAPTURE_BATCH_PACKETS]) {
	const struct spread_burst *burst = counter->by->burst;
	uint8_t input[FLOW_INPUT_SIZE];

	assert(n <= DDP_BURST_MAX && first + n <= batch->n);
	for (unsigned int i = 0; i < n; i++) {
		input_get(counter, i, input);
		counter->keys[i] = input_key(counter, counter->is_ue ? 0 : burst->types[i], input,
					     burst->input_lens[i]);
	}
	flows_prefetch(&counter->table, counter->keys, n);
	for (unsigned int i = 0; i < n; i++) {
		const struct capture_packet *packet = &batch->packets[first + i];
		struct flow *flow = burst->input_lens[i] > 0 ?
					    flows_count(&counter->table, counter->keys[i]) :
					    NULL;

		if (flow == NULL)
			continue;
		if (flow->packets == 1)
			flow_begin(counter, flow->detail, i, packet);
		flow->bytes += packet->wire_len;
		for (unsigned int p = 0; p < counter->n_candidates; p++) {
			const uint16_t slot = slots[p][first + i];
			const struct steer *steer;

			if (slot == STEER_SLOT_NONE || flow->slots[p].n[1] != 0 ||
			    (slot == flow->slots[p].slot && flow->slots[p].n[0] != 0))
				continue;
			steer = counter->steers[p];
			flow_slot_add(&flow->slots[p], batch->first + first + i, slot,
				      slot < steer->config.reta_size ?
					      steer->reta[slot] :
					      slot - steer->config.reta_size);
		}
	}
}

void flow_counter_fini(struct flow_counter *counter) {
	flows_fini(&counter->table);
	free(counter->layouts);
	counter->layouts = NULL;
}

/* Texts */

static void field_value(struct flow_counter *counter, const struct input_layout *layout,
			unsigned int field, const uint8_t *bytes, char text[FIELD_TEXT_SIZE]) {
	unsigned int size = field_size(layout, field);
	uint8_t value[16] = {0};

	assert(size <= sizeof(value));
	memcpy(value + sizeof(value) - size, bytes, size);
	format_field(counter->by->loaded->profile, layout->names[field], layout->widths[field],
		     value, text);
}

// IPv6 addresses are in brackets if a port follows.
static const char *end_text(struct ddp_arena *arena, const char *address, const char *port) {
	const char *format = port[0] == '\0' ? "%s%s" : strchr(address, ':') ? "[%s]:%s" : "%s:%s";

	return address[0] != '\0' || port[0] != '\0' ?
		       ddp_arena_printf(arena, format, address, port) :
		       "";
}

const char *flow_text(struct flow_counter *counter, const struct flow *flow,
		      struct ddp_arena *arena) {
	const struct input_layout *layout = &counter->layouts[flow->detail->layout];
	char parts[N_PARTS][FIELD_TEXT_SIZE] = {0}, value[FIELD_TEXT_SIZE];
	const char *rest = "", *from, *to;
	unsigned int at = 0;

	for (unsigned int i = 0; i < layout->n_fields; at += field_size(layout, i++)) {
		const enum part part = part_of(layout->names[i]);

		if (at + field_size(layout, i) > flow->detail->input_len)
			break;
		field_value(counter, layout, i, flow->detail->input + at, value);
		if (part != N_PARTS && parts[part][0] == '\0')
			memcpy(parts[part], value, sizeof(value));
		else
			rest = ddp_arena_printf(arena, "%s%s%s=%s", rest,
						rest[0] != '\0' ? " " : "",
						last_name(layout->names[i]), value);
	}
	from = end_text(arena, parts[SRC], parts[SPORT]);
	to = end_text(arena, parts[DST], parts[DPORT]);
	if (to[0] != '\0')
		from = ddp_arena_printf(arena, "%s%s> %s", from, from[0] != '\0' ? " " : "", to);
	return ddp_arena_printf(arena, "%s%s%s", from,
				from[0] != '\0' && rest[0] != '\0' ? " " : "", rest);
}

const char *flow_outer_text(const struct flow *flow, struct ddp_arena *arena) {
	const unsigned int size = flow->detail->outer_len / 2;
	const int family = size == 16 ? AF_INET6 : AF_INET;
	char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];

	if (size == 0)
		return NULL;
	inet_ntop(family, flow->detail->outer, src, sizeof(src));
	inet_ntop(family, flow->detail->outer + size, dst, sizeof(dst));
	return ddp_arena_printf(arena, "%s > %s", src, dst);
}

const char *flow_address(struct flow_counter *counter, const struct flow *flow,
			 char text[FIELD_TEXT_SIZE]) {
	const struct input_layout *layout = &counter->layouts[flow->detail->layout];
	size_t len;

	if (layout->n_fields != 1 || part_of(layout->names[0]) > DST ||
	    field_size(layout, 0) != flow->detail->input_len)
		return NULL;
	field_value(counter, layout, 0, flow->detail->input, text);
	len = strlen(text);
	snprintf(text + len, FIELD_TEXT_SIZE - len, "%s",
		 strchrnul(layout->names[0], '/')); // suffix of a part of the address
	return text;
}
