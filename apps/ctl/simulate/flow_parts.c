/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow_parts.h"

#include <string.h>

struct telling {
	unsigned int n_fields;
	const char *names[LAYOUT_FIELDS];
	uint8_t widths[LAYOUT_FIELDS], starts[LAYOUT_FIELDS];
	unsigned int len, end; // bytes told, of those that are hashed
};

static void field_tell(void *arg, const char *name, unsigned int width, const uint8_t value[16]) {
	struct telling *telling = arg;
	unsigned int n = telling->n_fields;

	(void)value;
	if (telling->len >= telling->end || n == LAYOUT_FIELDS)
		return; // extracted fields come behind
	telling->names[n] = name;
	telling->widths[n] = width;
	telling->starts[n] = telling->len;
	telling->len += (width + 7) / 8;
	telling->n_fields++;
}

static int layout_find(struct layouts *layouts, const struct telling *telling, uint16_t type) {
	size_t names_size = telling->n_fields * sizeof(telling->names[0]);
	struct layout *layout;
	unsigned int i;

	pthread_mutex_lock(&layouts->lock);
	for (i = 0; i < layouts->n; i++) {
		layout = &layouts->list[i];
		if (layout->type == type && layout->n_fields == telling->n_fields &&
		    memcmp(layout->names, telling->names, names_size) == 0)
			break;
	}
	if (i == layouts->n && i < LAYOUTS_MAX) {
		layout = &layouts->list[layouts->n++];
		layout->type = type;
		layout->n_fields = telling->n_fields;
		memcpy(layout->names, telling->names, names_size);
		memcpy(layout->widths, telling->widths, telling->n_fields);
	}
	pthread_mutex_unlock(&layouts->lock);
	return i < LAYOUTS_MAX ? (int)i : LAYOUTS_MAX - 1;
}

// "ipv4.src" and "ipv4.dst", "udp.sport" and "udp.dport": what is behind the last '.' begins
// otherwise.
static bool is_counterpart(const char *a, const char *b) {
	static const char *const pairs[][2] = {{"src", "dst"}, {"sport", "dport"}};
	const char *end_a = strrchr(a, '.'), *end_b = strrchr(b, '.');

	if (end_a == NULL || end_b == NULL || end_a - a != end_b - b ||
	    memcmp(a, b, end_a - a) != 0)
		return false;
	for (unsigned int i = 0; i < 2; i++)
		for (unsigned int way = 0; way < 2; way++) {
			size_t len_a = strlen(pairs[i][way]), len_b = strlen(pairs[i][!way]);

			if (strncmp(end_a + 1, pairs[i][way], len_a) == 0 &&
			    strncmp(end_b + 1, pairs[i][!way], len_b) == 0 &&
			    strcmp(end_a + 1 + len_a, end_b + 1 + len_b) == 0)
				return true;
		}
	return false;
}

static void parts_find(struct layouts *layouts, const struct telling *telling, uint16_t type,
		       struct flow_parts *parts) {
	parts->type = type;
	parts->layout = layout_find(layouts, telling, type);
	for (unsigned int i = 0; i < FLOW_INPUT_SIZE; i++)
		parts->opposite[i] = i;
	for (unsigned int a = 0; a < telling->n_fields; a++)
		for (unsigned int b = 0; b < telling->n_fields; b++)
			if (telling->widths[a] == telling->widths[b] &&
			    is_counterpart(telling->names[a], telling->names[b]))
				for (unsigned int i = 0; i < (telling->widths[a] + 7u) / 8; i++)
					parts->opposite[telling->starts[a] + i] =
						telling->starts[b] + i;
}

static void packet_tell(const struct shard *shard, unsigned int i,
			const struct capture_packet *packet, struct layouts *layouts,
			struct flow_parts *parts) {
	const struct spread *spread = shard->spread;
	struct telling telling = {.end = shard->input_lens[i]};
	struct ddp_answer answer;
	struct cut cut;

	cut_begin(&cut, packet);
	cut_answer(&cut, spread->program, spread->steer, NULL, &answer);
	ddp_fields_each(spread->program, &cut.packet, &answer.class, spread->policy.rss_hf,
			field_tell, &telling);
	parts_find(layouts, &telling, answer.class.type, parts);
}

// The cache has other entries than before: an address may be another one's.
static void known_renew(struct flow_parts_known *known, const struct ddp_cache *cache) {
	struct ddp_cache_stats stats;

	ddp_cache_stats_get(cache, &stats);
	if (stats.learned == known->learned && stats.entries == known->entries)
		return;
	memset(known, 0, sizeof(*known));
	known->learned = stats.learned;
	known->entries = stats.entries;
}

const struct flow_parts *flow_parts_find(struct flow_parts_known *known, const struct shard *shard,
					 unsigned int i, const struct capture_packet *packet,
					 struct layouts *layouts) {
	const struct ddp_verdict *verdict = ddp_burst_verdict(&shard->burst, i);
	unsigned int at = ((uintptr_t)verdict >> 6) % FLOW_PARTS_KNOWN;

	if (packet->len > UINT16_MAX || verdict->own) { // known->one is no entry's
		packet_tell(shard, i, packet, layouts, &known->one);
		return &known->one;
	}
	known_renew(known, shard->cache);
	if (known->verdicts[at] != verdict) {
		packet_tell(shard, i, packet, layouts, &known->parts[at]);
		known->verdicts[at] = verdict;
	}
	return &known->parts[at];
}

// Never 0.
static uint64_t bytes_key(const uint8_t bytes[FLOW_INPUT_SIZE], unsigned int len) {
	uint64_t key = len, word;

	for (unsigned int at = 0; at < len; at += sizeof(word)) {
		memcpy(&word, bytes + at, sizeof(word));
		key = (key ^ word) * UINT64_C(0xff51afd7ed558ccd);
		key ^= key >> 32;
	}
	return key | 1;
}

uint64_t flow_pair_key(const struct flow_parts *parts, const uint8_t input[FLOW_INPUT_SIZE],
		       unsigned int len, uint8_t *direction) {
	uint8_t opposite[FLOW_INPUT_SIZE] = {0};

	for (unsigned int i = 0; i < len; i++)
		opposite[i] = input[parts->opposite[i]];
	*direction = memcmp(input, opposite, len) > 0;
	return bytes_key(*direction ? opposite : input, len);
}
