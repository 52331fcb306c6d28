/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow_counter.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "common/output.h"
#include "ctl/steer/cut.h"

/* Layouts */

static unsigned int field_size(const struct layout *layout, unsigned int field) {
	return (layout->widths[field] + 7u) / 8;
}

struct finding {
	struct layout layout;
	unsigned int len, end; // bytes of the fields so far, bytes that are hashed
};

static void field_take(void *arg, const char *name, unsigned int width, const uint8_t value[16]) {
	struct finding *f = arg;
	struct layout *layout = &f->layout;

	(void)value;
	if (f->len >= f->end || layout->n_fields == LAYOUT_FIELDS)
		return; // extracted fields come behind
	layout->names[layout->n_fields] = name;
	layout->widths[layout->n_fields] = width;
	f->len += field_size(layout, layout->n_fields++);
}

// What a field is called behind its header.
static const char *last_name(const char *name) {
	const char *dot = memrchr(name, '.', strcspn(name, "/"));

	return dot != NULL ? dot + 1 : name;
}

// Which part of an address a field is: its name begins so. The other direction has part ^ 1.
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

static void opposite_find(struct layout *layout) {
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

static unsigned int layout_add(struct flow_counter *counter, const struct layout *found) {
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
	const struct ddp_program *program = counter->loaded->program;
	struct finding f = {.end = counter->burst->input_lens[i]};
	struct ddp_answer answer;
	struct cut cut = {.captured = packet};

	cut_answer(&cut, program, counter->steer, NULL, &answer);
	f.layout.type = answer.class.type;
	ddp_fields_each(program, &cut.packet, &answer.class, counter->rss_hf, field_take, &f);
	return layout_add(counter, &f.layout);
}

static unsigned int layout_find(struct flow_counter *counter, unsigned int i,
				const struct capture_packet *packet,
				const struct ddp_verdict *verdict) {
	const unsigned int at = ((uintptr_t)verdict >> 6) % VERDICTS_KNOWN;
	struct ddp_cache_stats stats;

	if (verdict == NULL || verdict->own)
		return packet_layout(counter, i, packet);
	ddp_cache_stats_get(counter->burst->cache, &stats);
	if (stats.learned != counter->learned || stats.entries != counter->n_entries) {
		// an address may be another entry's
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
	const struct spread_burst *burst = counter->burst;

	ddp_rows_get(&burst->run.rows, i, input);
	memset(input + burst->input_lens[i], 0, FLOW_INPUT_SIZE - burst->input_lens[i]);
}

// The end points of the tunnel, if the packet has an IP header around the innermost one.
static void outer_take(const struct ddp_verdict *verdict, const struct capture_packet *packet,
		       struct flow_detail *detail) {
	const uint8_t *ip = packet->data + verdict->l3_off;
	bool is_v6;

	if (verdict->inner_l3_off == UINT16_MAX || verdict->inner_l3_off > packet->len)
		return;
	is_v6 = ip[0] >> 4 == 6;
	detail->outer_len = is_v6 ? 32 : 8;
	memcpy(detail->outer, ip + (is_v6 ? 8 : 12), detail->outer_len);
}

// What both directions of a flow have in common.
static void pair_take(const struct flow_counter *counter, const struct layout *layout,
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
		packet->len > UINT16_MAX ? NULL : ddp_burst_verdict(&counter->burst->run, i);

	detail->layout = layout_find(counter, i, packet, verdict);
	detail->input_len = counter->burst->input_lens[i];
	input_get(counter, i, detail->input);
	if (!counter->is_ue)
		pair_take(counter, &counter->layouts[detail->layout], detail);
	if (verdict != NULL)
		outer_take(verdict, packet, detail);
}

void flow_counter_count(struct flow_counter *counter, const struct spread_burst *burst,
			const struct capture_batch *batch, unsigned int first, unsigned int n,
			uint16_t (*places)[CAPTURE_BATCH_PACKETS]) {
	uint8_t input[FLOW_INPUT_SIZE];

	counter->burst = burst;
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
		for (unsigned int p = 0; p < counter->n_places; p++) {
			const uint16_t place = places[p][first + i];
			const struct steer *steer;

			if (place == STEER_PLACE_NONE || flow->places[p].n[1] != 0 ||
			    (place == flow->places[p].place && flow->places[p].n[0] != 0))
				continue;
			steer = counter->steers[p];
			flow_place_add(&flow->places[p], batch->first + first + i, place,
				       place < steer->config.reta_size ?
					       steer->reta[place] :
					       place - steer->config.reta_size);
		}
	}
}

void flow_counter_init(struct flow_counter *counter, bool is_ue,
		       const struct ddp_personality *loaded, const struct steer *steer,
		       uint64_t rss_hf, const struct steer *const *steers, unsigned int n_places,
		       size_t size) {
	counter->is_ue = is_ue;
	counter->loaded = loaded;
	counter->steer = steer;
	counter->rss_hf = rss_hf;
	counter->steers = steers;
	counter->n_places = n_places;
	fields_init(&counter->fields, loaded->profile);
	flows_init(&counter->table, true, n_places, size);
}

void flow_counter_fini(struct flow_counter *counter) {
	flows_fini(&counter->table);
	free(counter->layouts);
	counter->layouts = NULL;
}

/* Texts */

static void field_value(struct flow_counter *counter, const struct layout *layout,
			unsigned int field, const uint8_t *bytes, char text[FIELD_TEXT_SIZE]) {
	unsigned int size = field_size(layout, field);
	uint8_t value[16] = {0};

	memcpy(value + sizeof(value) - size, bytes, size);
	fields_text(&counter->fields, layout->names[field], layout->widths[field], value, text);
}

// Addresses of IPv6 are in brackets where a port follows.
static const char *end_text(struct ddp_arena *arena, const char *address, const char *port) {
	const char *format = port[0] == '\0' ? "%s%s" : strchr(address, ':') ? "[%s]:%s" : "%s:%s";

	return address[0] != '\0' || port[0] != '\0' ?
		       ddp_arena_printf(arena, format, address, port) :
		       "";
}

const char *flow_text(struct flow_counter *counter, const struct flow *flow,
		      struct ddp_arena *arena) {
	const struct layout *layout = &counter->layouts[flow->detail->layout];
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
	const struct layout *layout = &counter->layouts[flow->detail->layout];
	size_t len;

	if (layout->n_fields != 1 || part_of(layout->names[0]) > DST ||
	    field_size(layout, 0) != flow->detail->input_len)
		return NULL;
	field_value(counter, layout, 0, flow->detail->input, text);
	len = strlen(text);
	snprintf(text + len, FIELD_TEXT_SIZE - len, "%s",
		 strchrnul(layout->names[0], '/')); // of a part of it
	return text;
}
