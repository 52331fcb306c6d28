/* SPDX-License-Identifier: BSD-3-Clause */
#include "lanes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Hits that show something. How many of the packets hit says little: mutants are meant to miss.
#define HITS_ENOUGH 1000

const char *lane_mode_name(enum ddp_cache_mode mode) {
	static const char *const names[LANE_MODES] = {
		[DDP_CACHE_AUTO] = "auto",
		[DDP_CACHE_BYPASS] = "bypass",
		[DDP_CACHE_UNIFORM] = "uniform",
		[DDP_CACHE_TREE] = "tree",
	};

	return names[mode];
}

static void lane_start(struct lane *lane) {
	ddp_cache_init(lane->cache, lane->isa);
	ddp_cache_force(lane->cache, lane->mode);
}

static bool lane_add(struct lanes *lanes, enum ddp_isa isa, enum ddp_cache_mode mode) {
	struct lane *lane = &lanes->list[lanes->n];
	size_t size = (ddp_cache_size() + DDP_CACHE_ALIGN - 1) / DDP_CACHE_ALIGN * DDP_CACHE_ALIGN;

	*lane = (struct lane){.isa = isa, .mode = mode};
	lane->cache = aligned_alloc(DDP_CACHE_ALIGN, size);
	if (lane->cache == NULL)
		return false;
	memset(lane->cache, 0xa5, size); // it relies on nothing that is there
	lane_start(lane);
	lanes->n++;
	return true;
}

bool lanes_init(struct lanes *lanes, enum ddp_isa isa, int mode) {
	size_t size = (sizeof(*lanes->result) + DDP_CACHE_ALIGN - 1) / DDP_CACHE_ALIGN;

	memset(lanes, 0, sizeof(*lanes));
	lanes->result = aligned_alloc(DDP_CACHE_ALIGN, size * DDP_CACHE_ALIGN);
	if (lanes->result == NULL)
		return false;
	for (unsigned int i = 0; i < DDP_ISA_LEVELS; i++) {
		if (!ddp_isa_supported(i) || (isa != DDP_ISA_LEVELS && isa != i))
			continue;
		for (int m = 0; m < LANE_MODES; m++)
			if ((mode < 0 || mode == m) && !lane_add(lanes, i, m))
				return false;
	}
	return lanes->n > 0;
}

void lanes_fini(struct lanes *lanes) {
	for (unsigned int i = 0; i < lanes->n; i++)
		free(lanes->list[i].cache);
	free(lanes->result);
}

static struct ddp_cache_stats lane_stats(const struct lane *lane) {
	struct ddp_cache_stats stats;

	ddp_cache_stats_get(lane->cache, &stats);
	stats.hits += lane->before.hits;
	stats.misses += lane->before.misses;
	stats.learned += lane->before.learned;
	return stats;
}

void lanes_restart(struct lanes *lanes) {
	for (unsigned int i = 0; i < lanes->n; i++) {
		lanes->list[i].before = lane_stats(&lanes->list[i]);
		lane_start(&lanes->list[i]);
	}
}

static void segments_print(const struct rte_mbuf *mbuf) {
	for (; mbuf != NULL; mbuf = mbuf->next)
		printf(" %u+%u+%u", mbuf->data_off, mbuf->data_len,
		       mbuf->buf_len - mbuf->data_off - mbuf->data_len);
}

static void difference_print(const struct lane *lane, const struct burst *burst, unsigned int i,
			     const char *what) {
	const struct bytes *packet = &burst->packets[i];

	printf("difference: %s of packet %u of %u with %s, %s\nhead+data+tail of its segments:",
	       what, i, burst->n, ddp_isa_name(lane->isa), lane_mode_name(lane->mode));
	segments_print(burst->mbufs[i]);
	printf("\n%u bytes: ", packet->len);
	for (uint32_t at = 0; at < packet->len; at++)
		printf("%02x", packet->data[at]);
	printf("\n");
}

static const uint8_t *bytes_of(const struct rte_mbuf *mbuf) {
	return (const uint8_t *)mbuf->buf_addr + mbuf->data_off;
}

static bool lane_agrees(struct lane *lane, struct ddp_burst *result,
			const struct ddp_policy *policy, const struct ddp_hash *hash,
			struct burst *burst, const struct verdict *verdicts) {
	memset(result->verdicts, 0, sizeof(result->verdicts));
	memset(result->hashes, 0xa5, sizeof(result->hashes));
	memset(result->steer, 0xa5, sizeof(result->steer));
	result->verdict = NULL;
	if (lane->n_packets % 2 == 0)
		ddp_cache_run(lane->cache, policy, hash, burst->mbufs, burst->n, result);
	else // which headers are prefetched must make no difference
		ddp_cache_run_ahead(lane->cache, policy, hash, burst->mbufs, burst->n, burst->mbufs,
				    sizeof(struct rte_mbuf) + RTE_PKTMBUF_HEADROOM, result);
	lane->n_packets += burst->n;
	for (unsigned int i = 0; i < burst->n; i++) {
		const char *what = verdict_difference(&verdicts[i], policy, result,
						      bytes_of(burst->mbufs[i]), i);

		if (what == NULL)
			continue;
		difference_print(lane, burst, i, what);
		verdict_print(&verdicts[i], policy, result, bytes_of(burst->mbufs[i]), i);
		return false;
	}
	return true;
}

bool lanes_agree(struct lanes *lanes, const struct ddp_policy *policy, const struct ddp_hash *hash,
		 struct burst *burst, const struct verdict *verdicts) {
	for (unsigned int i = 0; i < lanes->n; i++) {
		lanes->running = &lanes->list[i];
		if (!lane_agrees(&lanes->list[i], lanes->result, policy, hash, burst, verdicts))
			return false;
	}
	lanes->running = NULL;
	if (!burst_changed(burst))
		return true;
	printf("difference: an mbuf was changed\n");
	return false;
}

void lanes_beyond(const struct lanes *lanes, const struct burst *burst, const void *address) {
	int packet = burst_find(burst, address);

	if (lanes->running != NULL && packet >= 0)
		difference_print(lanes->running, burst, packet, "memory beyond");
	else
		printf("difference: memory at %p, of no packet\n", address);
}

uint64_t lanes_packets(const struct lanes *lanes) {
	uint64_t n = 0;

	for (unsigned int i = 0; i < lanes->n; i++)
		n += lanes->list[i].n_packets;
	return n;
}

static bool lane_report(const struct lane *lane) {
	struct ddp_cache_stats stats = lane_stats(lane);
	uint64_t percent = lane->n_packets > 0 ? 100 * stats.hits / lane->n_packets : 0;
	uint64_t enough = lane->mode == DDP_CACHE_BYPASS ? 0 : HITS_ENOUGH;
	bool all = stats.hits + stats.misses == lane->n_packets;

	printf("%-10s %-8s %10" PRIu64 " packets, %10" PRIu64 " hits (%2" PRIu64 " %%), %10" PRIu64
	       " misses, %7" PRIu64 " learned, %3u entries%s%s\n",
	       ddp_isa_name(lane->isa), lane_mode_name(lane->mode), lane->n_packets, stats.hits,
	       percent, stats.misses, stats.learned, stats.entries,
	       stats.hits < enough ? ": too few hits, this shows nothing" : "",
	       all ? "" : ": hits and misses are not all packets");
	return stats.hits >= enough && all;
}

bool lanes_report(const struct lanes *lanes) {
	bool good = true;

	for (unsigned int i = 0; i < lanes->n; i++)
		good &= lane_report(&lanes->list[i]);
	for (unsigned int i = 0; i < DDP_ISA_LEVELS; i++)
		if (!ddp_isa_supported(i))
			printf("%-10s not on this machine\n", ddp_isa_name(i));
	return good;
}
