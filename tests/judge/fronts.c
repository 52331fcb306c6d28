/* SPDX-License-Identifier: BSD-3-Clause */
#include "fronts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Hits that show something. How many of the packets hit says little: mutants are meant to miss.
#define HITS_ENOUGH 500

#define ANSWER "answer"

static const char *const mode_names[CACHE_MODES] = {
	[DDP_CACHE_AUTO] = "auto",
	[DDP_CACHE_BYPASS] = "bypass",
	[DDP_CACHE_UNIFORM] = "uniform",
	[DDP_CACHE_TREE] = "tree",
};

static const char *front_name(const struct front *front) {
	return front->cache == NULL ? ANSWER : mode_names[front->mode];
}

static const char *isa_name(const struct front *front) {
	return front->cache == NULL ? "" : ddp_isa_name(front->isa);
}

static void cache_start(struct front *front) {
	ddp_cache_init(front->cache, front->isa);
	ddp_cache_force(front->cache, front->mode);
}

static bool cache_add(struct fronts *fronts, enum ddp_isa isa, enum ddp_cache_mode mode) {
	struct front *front = &fronts->list[fronts->n];
	size_t size = (ddp_cache_size() + DDP_CACHE_ALIGN - 1) / DDP_CACHE_ALIGN * DDP_CACHE_ALIGN;

	*front = (struct front){.isa = isa, .mode = mode};
	front->cache = aligned_alloc(DDP_CACHE_ALIGN, size);
	if (front->cache == NULL)
		return false;
	memset(front->cache, 0xa5, size); // it relies on nothing that is there
	cache_start(front);
	fronts->n++;
	return true;
}

bool fronts_init(struct fronts *fronts, enum ddp_isa isa, const char *name) {
	size_t size = (sizeof(*fronts->result) + DDP_CACHE_ALIGN - 1) / DDP_CACHE_ALIGN;

	memset(fronts, 0, sizeof(*fronts));
	fronts->result = aligned_alloc(DDP_CACHE_ALIGN, size * DDP_CACHE_ALIGN);
	if (fronts->result == NULL)
		return false;
	if (name == NULL || strcmp(name, ANSWER) == 0)
		fronts->n = 1;
	for (unsigned int i = 0; i < DDP_ISA_LEVELS; i++) {
		if (!ddp_isa_supported(i) || (isa != DDP_ISA_LEVELS && isa != i))
			continue;
		for (int m = 0; m < CACHE_MODES; m++)
			if ((name == NULL || strcmp(name, mode_names[m]) == 0) &&
			    !cache_add(fronts, i, m))
				return false;
	}
	return fronts->n > 0;
}

void fronts_fini(struct fronts *fronts) {
	for (unsigned int i = 0; i < fronts->n; i++)
		free(fronts->list[i].cache);
	free(fronts->result);
}

static struct ddp_cache_stats stats_of(const struct front *front) {
	struct ddp_cache_stats stats = {.entries = 0};

	if (front->cache != NULL)
		ddp_cache_stats_get(front->cache, &stats);
	stats.hits += front->before.hits;
	stats.misses += front->before.misses;
	stats.learned += front->before.learned;
	return stats;
}

void fronts_restart(struct fronts *fronts) {
	for (unsigned int i = 0; i < fronts->n; i++) {
		if (fronts->list[i].cache == NULL)
			continue;
		fronts->list[i].before = stats_of(&fronts->list[i]);
		cache_start(&fronts->list[i]);
	}
}

/* Differences */

void bytes_print(const struct bytes *packet) {
	printf("%u bytes: ", packet->len);
	for (uint32_t at = 0; at < packet->len; at++)
		printf("%02x", packet->data[at]);
	printf("\n");
}

static void segments_print(const struct rte_mbuf *mbuf) {
	for (; mbuf != NULL; mbuf = mbuf->next)
		printf(" %u+%u+%u", mbuf->data_off, mbuf->data_len,
		       mbuf->buf_len - mbuf->data_off - mbuf->data_len);
}

static void difference_print(const struct front *front, const struct burst *burst, unsigned int i,
			     const char *what) {
	printf("difference: %s of packet %u of %u with %s %s\nhead+data+tail of its segments:",
	       what, i, burst->n, isa_name(front), front_name(front));
	segments_print(burst->mbufs[i]);
	printf("\n");
	bytes_print(&burst->packets[i]);
}

static struct found found_of(const struct way *way, const struct ddp_burst *result,
			     const uint8_t *bytes, unsigned int i) {
	const struct ddp_verdict *path = ddp_burst_verdict(result, i);
	const bool hashed = path != NULL && path->input_len > 0;

	if (path == NULL)
		return (struct found){.type_id = UINT16_MAX}; // nobody's
	return (struct found){
		.packet_type = path->packet_type,
		.value = ddp_verdict_value(path, bytes),
		.hash = hashed ? result->hashes[i] : 0,
		.steer = way->book != NULL ? flow_book_index(result->steer[i]) : -1,
		.encapsulated = path->encapsulated,
		.type_id = path->type_id,
		.l3_off = path->l3_off,
		.inner_l3_off = path->inner_l3_off,
		.input_len = path->input_len,
		.function = hashed ? path->function : 0,
	};
}

static void found_print(const char *who, const struct found *found) {
	printf("%s: type_id %u packet_type 0x%08" PRIx32
	       " l3_off %u inner_l3_off %u encapsulated %u "
	       "value 0x%08" PRIx32 " input_len %u function %u hash 0x%08" PRIx32 " steer %d\n",
	       who, found->type_id, found->packet_type, found->l3_off, found->inner_l3_off,
	       found->encapsulated, found->value, found->input_len, found->function, found->hash,
	       found->steer);
}

static bool cache_agrees(struct front *front, struct ddp_burst *result, const struct way *way,
			 const struct ddp_hash *hash, struct burst *burst,
			 const struct verdict *verdicts) {
	const struct ddp_policy *policy = &way->policy;

	memset(result->verdicts, 0, sizeof(result->verdicts));
	memset(result->hashes, 0xa5, sizeof(result->hashes));
	memset(result->steer, 0xa5, sizeof(result->steer));
	result->verdict = NULL;
	ddp_cache_run(front->cache, policy, hash, burst->mbufs, burst->n, result);
	for (unsigned int i = 0; i < burst->n; i++) {
		const uint8_t *bytes = rte_pktmbuf_mtod(burst->mbufs[i], const uint8_t *);
		const struct found found = found_of(way, result, bytes, i);

		if (memcmp(&found, &verdicts[i].found, sizeof(found)) == 0)
			continue;
		difference_print(front, burst, i, "verdict");
		found_print("reference", &verdicts[i].found);
		found_print("cache", &found);
		return false;
	}
	return true;
}

static bool answer_agrees(struct front *front, const struct way *way, const struct ddp_hash *hash,
			  struct burst *burst, struct verdict *verdicts) {
	for (unsigned int i = 0; i < burst->n; i++) {
		struct ddp_packet packet;
		const char *what;

		ddp_packet_of(burst->mbufs[i], &packet);
		what = answer_difference(&verdicts[i], way, hash, &packet);
		if (what == NULL)
			continue;
		difference_print(front, burst, i, what);
		return false;
	}
	return true;
}

bool fronts_agree(struct fronts *fronts, const struct way *way, const struct ddp_hash *hash,
		  struct burst *burst, struct verdict *verdicts) {
	for (unsigned int i = 0; i < fronts->n; i++) {
		struct front *front = &fronts->list[i];

		fronts->running = front;
		if (front->cache != NULL ?
			    !cache_agrees(front, fronts->result, way, hash, burst, verdicts) :
			    !answer_agrees(front, way, hash, burst, verdicts))
			return false;
		front->n_packets += burst->n;
	}
	fronts->running = NULL;
	if (!burst_changed(burst))
		return true;
	printf("difference: an mbuf was changed\n");
	return false;
}

void fronts_beyond(const struct fronts *fronts, const struct burst *burst, const void *address) {
	int packet = burst_find(burst, address);

	if (fronts->running != NULL && packet >= 0)
		difference_print(fronts->running, burst, packet, "memory beyond");
	else
		printf("difference: memory at %p, of no packet\n", address);
}

uint64_t fronts_packets(const struct fronts *fronts) {
	uint64_t n = 0;

	for (unsigned int i = 0; i < fronts->n; i++)
		n += fronts->list[i].n_packets;
	return n;
}

static bool cache_report(const struct front *front) {
	struct ddp_cache_stats stats = stats_of(front);
	uint64_t percent = front->n_packets > 0 ? 100 * stats.hits / front->n_packets : 0;
	uint64_t enough = front->mode == DDP_CACHE_BYPASS ? 0 : HITS_ENOUGH;
	bool all = stats.hits + stats.misses == front->n_packets;

	printf("%-10s %-8s %10" PRIu64 " packets, %10" PRIu64 " hits (%2" PRIu64 " %%), %10" PRIu64
	       " misses, %7" PRIu64 " learned, %3u entries%s%s\n",
	       isa_name(front), front_name(front), front->n_packets, stats.hits, percent,
	       stats.misses, stats.learned, stats.entries,
	       stats.hits < enough ? ": too few hits, this shows nothing" : "",
	       all ? "" : ": hits and misses are not all packets");
	return stats.hits >= enough && all;
}

bool fronts_report(const struct fronts *fronts) {
	bool good = true;

	for (unsigned int i = 0; i < fronts->n; i++) {
		const struct front *front = &fronts->list[i];

		if (front->cache != NULL)
			good &= cache_report(front);
		else
			printf("%-19s %10" PRIu64 " packets\n", front_name(front),
			       front->n_packets);
	}
	for (unsigned int i = 0; i < DDP_ISA_LEVELS; i++)
		if (!ddp_isa_supported(i))
			printf("%-10s not on this machine\n", ddp_isa_name(i));
	return good;
}
