/* SPDX-License-Identifier: BSD-3-Clause */
#include "spread.h"

#include <rte_mbuf_core.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/profile/profile_load.h"

#define DROPPED UINT16_MAX   // the queue of a packet that a rule drops
#define CELLS_MAX (1U << 18) // many queues have fewer windows

/* Windows */

void windows_init(struct windows *windows, unsigned int n_queues, uint64_t start_ns,
		  uint64_t length_ns) {
	*windows = (struct windows){
		.n_queues = n_queues,
		.n_max = length_ns != 0 ? WINDOWS_MAX : WINDOWS_SHOWN,
		.start_ns = start_ns,
		.length_ns = length_ns != 0 ? length_ns : WINDOW_NS,
		.at_ns = start_ns,
	};
	if (windows->n_max > CELLS_MAX / n_queues)
		windows->n_max = CELLS_MAX / n_queues;
	windows->packets =
		calloc_or_exit((size_t)windows->n_max * n_queues, sizeof(*windows->packets));
}

void windows_fini(struct windows *windows) {
	free(windows->packets);
	windows->packets = NULL;
}

void windows_coarsen(struct windows *windows) {
	const size_t n_queues = windows->n_queues;

	for (size_t i = 0; i < windows->n * n_queues; i++) {
		uint64_t packets = windows->packets[i];

		windows->packets[i] = 0;
		windows->packets[i / n_queues / 2 * n_queues + i % n_queues] += packets;
	}
	windows->n = (windows->n + 1) / 2;
	windows->length_ns *= 2;
	windows->at = 0;
	windows->at_ns = windows->start_ns;
}

static void windows_move(struct windows *windows, uint64_t time_ns) {
	uint64_t since = time_ns > windows->start_ns ? time_ns - windows->start_ns : 0;

	while (since / windows->length_ns >= windows->n_max)
		windows_coarsen(windows);
	windows->at = since / windows->length_ns;
	windows->at_ns = windows->start_ns + windows->at * windows->length_ns;
	if (windows->n <= windows->at)
		windows->n = windows->at + 1;
}

// A packet came, for a queue or not: windows last as long as the capture.
static inline void windows_pass(struct windows *windows, uint64_t time_ns) {
	if (time_ns - windows->at_ns >= windows->length_ns || windows->n == 0)
		windows_move(windows, time_ns);
}

void windows_count(struct windows *windows, uint64_t time_ns, unsigned int queue) {
	windows_pass(windows, time_ns);
	windows->packets[(uint64_t)windows->at * windows->n_queues + queue]++;
}

const uint64_t *windows_queues(const struct windows *windows, unsigned int window) {
	return windows->packets + (uint64_t)window * windows->n_queues;
}

/* Candidates */

// The path cache hashes plainly unless a rule says otherwise.
static int rules_make(struct spread *spread, const struct rules *rules, struct ddp_diag *diag) {
	const struct steer_config *config = &spread->steer->config;
	int ret;

	if (rules_count(rules) == 0 &&
	    (config->function == DDP_HASH_TOEPLITZ || !spread->policy.rss))
		return 0;
	ret = rules_build(rules, spread->loaded->profile, spread->loaded->program, config,
			  &spread->rules, &spread->policy, diag);
	spread->has_rules = ret == 0;
	return ret;
}

static void results_make(struct spread *spread) {
	const struct steer_config *config = &spread->steer->config;
	unsigned int n_ids = 1;

	spread->types = calloc_or_exit(spread->n_types, sizeof(*spread->types));
	for (unsigned int i = 0; i < spread->n_types - 1; i++) {
		const struct ddp_type_info *type = ddp_program_type(spread->loaded->program, i);

		spread->types[i].name = type->name;
		spread->types[i].id = type->id;
		if (n_ids <= type->id)
			n_ids = type->id + 1;
	}
	spread->types[spread->n_types - 1].name = type_name(spread->loaded->program, DDP_TYPE_NONE);
	spread->type_queues = calloc_or_exit((size_t)n_ids * config->n_queues, sizeof(uint64_t));
	spread->type_unhashed = calloc_or_exit(n_ids, sizeof(uint64_t));
	spread->entry_packets = calloc_or_exit(config->reta_size, sizeof(uint64_t));
	for (unsigned int i = 0; i < spread->n_types; i++)
		spread->types[i].queue_packets =
			spread->type_queues + (size_t)spread->types[i].id * config->n_queues;
}

int spread_init(struct spread *spread, const struct ddp_personality *loaded,
		const struct steer *steer, const struct rules *rules, struct ddp_diag *diag) {
	int ret;

	*spread = (struct spread){
		.loaded = loaded,
		.steer = steer,
		.policy.program = loaded->program,
		// 0 turns RSS off, whatever the profile says
		.policy.rss = steer->config.rss_hf != 0,
		.policy.rss_hf = steer->config.rss_hf,
		.policy.id = 1, // each has a cache of its own
		.n_types = ddp_program_n_types(loaded->program) + 1,
	};
	results_make(spread);
	ret = rules_make(spread, rules, diag);
	if (ret < 0)
		spread_fini(spread);
	return ret;
}

void spread_fini(struct spread *spread) {
	if (spread->has_rules)
		rule_set_fini(&spread->rules);
	flows_fini(&spread->groups);
	windows_fini(&spread->windows);
	balancer_destroy(spread->balancer);
	free(spread->entry_packets);
	free(spread->type_unhashed);
	free(spread->type_queues);
	free(spread->types);
}

/* Packets of one hash */

// Their key; never 0.
static uint64_t spread_key(uint32_t hash) {
	return hash | UINT64_C(1) << 63;
}

static void groups_count(struct spread *spread, const struct spread_burst *burst) {
	flows_prefetch(&spread->groups, burst->groups, burst->n_groups);
	for (unsigned int i = 0; i < burst->n_groups; i++)
		flows_count(&spread->groups, burst->groups[i]);
}

/* A packet */

// What becomes of it.
struct fate {
	uint16_t id; // packet type
	uint8_t input_len;
	uint32_t hash;
	uint32_t rule_hash;                // by the rule's key, if it has one
	const struct ddp_flow_entry *rule; // that steers it, NULL for none
};

// A rule puts it on a queue, where all of the rule's packets stay together unless their hash parts
// them.
static bool rule_apply(const struct fate *fate, uint16_t *queue, uint64_t *group) {
	const struct ddp_flow_action *action = ddp_flow_action_of(fate->rule);
	const bool hashed = fate->input_len > 0;

	if (action->fate == DDP_FLOW_PASS)
		return false;
	if (action->n_queues <= 1 || !hashed)
		*group = spread_key(0) | UINT64_C(1) << 32 | fate->rule->number;
	else if (ddp_flow_key_of(action) != NULL)
		*group = spread_key(fate->rule_hash);
	*queue = action->fate == DDP_FLOW_DROP ? DROPPED :
						 ddp_flow_queue(action, hashed, fate->rule_hash);
	return true;
}

// Packet i of the burst.
static inline void packet_count(struct spread *spread, unsigned int i, const struct fate *fate,
				const struct capture_packet *packet) {
	const struct steer *steer = spread->steer;
	const bool hashed = fate->input_len > 0;
	const bool timed = spread->windows.length_ns != 0;
	const uint32_t entry = fate->hash & (steer->config.reta_size - 1);
	uint16_t queue = hashed ? steer->reta[entry] : 0;
	uint64_t group = hashed ? spread_key(fate->hash) : 0;
	const bool ruled = fate->rule != NULL && rule_apply(fate, &queue, &group);
	struct spread_burst *burst = spread->burst;

	burst->types[i] = fate->id;
	burst->input_lens[i] = fate->input_len;
	burst->places[i] = queue == DROPPED ? STEER_PLACE_NONE :
			   hashed && !ruled ? entry :
					      steer->config.reta_size + queue;
	if (queue == DROPPED) {
		spread->dropped++;
		if (timed)
			windows_pass(&spread->windows, packet->time_ns);
		return;
	}
	if (ruled)
		spread->ruled[queue]++;
	else if (hashed)
		spread->entry_packets[entry]++;
	else
		spread->type_unhashed[fate->id]++;
	if (group != 0 && !spread->is_view)
		burst->groups[burst->n_groups++] = group;
	spread->type_queues[(size_t)fate->id * steer->config.n_queues + queue]++;
	spread->queue_bytes[queue] += packet->wire_len;
	if (timed)
		windows_count(&spread->windows, packet->time_ns, queue);
}

// The interpreter's way.
static void packet_interpret(struct spread *spread, unsigned int i,
			     const struct capture_packet *packet) {
	struct ddp_answer answer;
	struct fate fate;
	struct cut cut;

	cut_begin(&cut, packet);
	fate.rule = cut_answer(&cut, spread->loaded->program, spread->steer,
			       spread->has_rules ? &spread->policy : NULL, &answer);
	cut_count_add(&spread->cut, &cut);
	fate.id = answer.class.type_id;
	fate.input_len = answer.input_len;
	fate.hash = answer.port_hash;
	fate.rule_hash = answer.hash;
	if (fate.input_len > 0)
		ddp_rows_put(&spread->burst->run.rows, i, answer.input);
	packet_count(spread, i, &fate, packet);
}

static void packet_take(struct spread *spread, unsigned int i,
			const struct capture_packet *packet) {
	const struct ddp_burst *run = &spread->burst->run;
	const struct ddp_verdict *verdict = ddp_burst_verdict(run, i);
	struct fate fate = {
		.id = verdict->type_id,
		.input_len = verdict->input_len,
		.hash = run->hashes[i],
		.rule_hash = run->hashes[i],
		.rule = spread->policy.flows != NULL ? run->steer[i] : NULL,
	};
	const struct ddp_hash *key =
		fate.rule == NULL ? NULL : ddp_flow_key_of(ddp_flow_action_of(fate.rule));

	// A path that the cache knows is the same in every longer packet. What is hashed of one
	// that it does not know is not kept.
	if (verdict->own && (is_cut(packet) || spread->is_view)) {
		packet_interpret(spread, i, packet);
		return;
	}
	if (key != NULL && fate.input_len > 0)
		fate.rule_hash = ddp_burst_hash(run, i, key);
	packet_count(spread, i, &fate, packet);
}

/* A burst */

static bool is_long(const struct capture_packet *packet) {
	return packet->len > UINT16_MAX; // no mbuf's segment has as much
}

// Packets in mbufs that nobody frees: bytes stay where they are. Those of the next burst are
// prefetched. Returns their number.
static unsigned int mbufs_fill(struct spread_burst *burst, const struct capture_batch *batch,
			       unsigned int first) {
	const struct capture_packet *packets = &batch->packets[first];
	const unsigned int left = batch->n - first;
	unsigned int n = 0;

	for (; n < left && n < DDP_BURST_MAX && !is_long(&packets[n]); n++) {
		size_t readable = capture_readable(batch, &packets[n]);
		struct rte_mbuf *mbuf = burst->mbufs[n];

		mbuf->buf_addr = (void *)(uintptr_t)packets[n].data;
		mbuf->buf_len = readable < UINT16_MAX ? readable : UINT16_MAX;
		mbuf->data_len = packets[n].len;
		mbuf->pkt_len = packets[n].len;
		if (n + DDP_BURST_MAX < left) {
			__builtin_prefetch(packets[n + DDP_BURST_MAX].data);
			__builtin_prefetch(packets[n + DDP_BURST_MAX].data + 64);
		}
	}
	return n;
}

unsigned int spread_count(struct spread *spread, const struct capture_batch *batch,
			  unsigned int first) {
	struct spread_burst *burst = spread->burst;
	unsigned int n = mbufs_fill(burst, batch, first);

	burst->n_groups = 0;
	if (n > 0)
		ddp_cache_run(burst->cache, &spread->policy, &spread->steer->hash, burst->mbufs, n,
			      &burst->run);
	for (unsigned int i = 0; i < n; i++)
		packet_take(spread, i, &batch->packets[first + i]);
	if (n == 0) { // a long one, alone
		packet_interpret(spread, 0, &batch->packets[first]);
		n = 1;
	}
	groups_count(spread, burst);
	return n;
}

/* A run */

static void *aligned_or_exit(size_t size) {
	void *memory = aligned_alloc(DDP_CACHE_ALIGN,
				     (size + DDP_CACHE_ALIGN - 1) & -(size_t)DDP_CACHE_ALIGN);

	if (memory == NULL)
		no_memory_exit();
	return memory;
}

void spread_begin(struct spread *spread) {
	struct spread_burst *burst = aligned_or_exit(sizeof(*burst));
	struct rte_mbuf *mbufs = aligned_or_exit(DDP_BURST_MAX * sizeof(*mbufs));

	memset(burst, 0, sizeof(*burst));
	memset(mbufs, 0, DDP_BURST_MAX * sizeof(*mbufs));
	spread->burst = burst;
	burst->cache = aligned_or_exit(ddp_cache_size());
	ddp_cache_init(burst->cache, ddp_isa_best(512));
	for (unsigned int i = 0; i < DDP_BURST_MAX; i++) {
		burst->mbufs[i] = &mbufs[i];
		mbufs[i].nb_segs = 1;
	}
}

static int by_packets(const void *a, const void *b) {
	uint64_t n_a = ((const struct spread_type *)a)->packets;
	uint64_t n_b = ((const struct spread_type *)b)->packets;

	if (n_a != n_b)
		return n_a < n_b ? 1 : -1;
	return strcmp(((const struct spread_type *)a)->name, ((const struct spread_type *)b)->name);
}

void spread_end(struct spread *spread) {
	for (unsigned int i = 0; i < spread->n_types; i++) {
		struct spread_type *type = &spread->types[i];

		for (unsigned int q = 0; q < spread->steer->config.n_queues; q++) {
			type->packets += type->queue_packets[q];
			spread->queue_packets[q] += type->queue_packets[q];
		}
		type->unhashed = spread->type_unhashed[type->id];
		spread->packets += type->packets;
		spread->unhashed += type->unhashed;
	}
	qsort(spread->types, spread->n_types, sizeof(spread->types[0]), by_packets);
	if (spread->balancer != NULL)
		spread->balancing = balancer_end(spread->balancer);
	free(spread->burst->mbufs[0]);
	free(spread->burst->cache);
	free(spread->burst);
	spread->burst = NULL;
}
