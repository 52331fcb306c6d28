/* SPDX-License-Identifier: BSD-3-Clause */
#include "answers.h"

#include "graph_packets.h"

#define BATCH 1000

struct answer software[N_DRAWN], hardware[N_DRAWN];

static struct {
	uint8_t bytes[PACKET_MAX];
	uint16_t len;
} drawn[N_DRAWN];

void answers_draw(const char *spec) {
	const struct ddp_profile *profile = scratch_load(spec);
	static struct graph graph;

	graph_init(&graph, profile, scratch_build(profile), 1);
	for (unsigned int i = 0; i < N_DRAWN; i++) {
		uint32_t len = graph_draw(&graph, drawn[i].bytes);

		drawn[i].len = RTE_MAX(RTE_MIN(len, 256U), 14U); // all that a NIC reads
	}
}

void answers_repeat(const struct piece (*kinds)[10], unsigned int n) {
	for (unsigned int i = 0; i < N_DRAWN; i++)
		drawn[i].len = packet_build(kinds[i % n], drawn[i].bytes);
}

static void batch_take(uint16_t port, bool arrive, unsigned int first, struct answer *answers) {
	static struct rte_mbuf *fed[BATCH];

	for (unsigned int i = 0; i < BATCH; i++) {
		fed[i] = rte_pktmbuf_alloc(pool);
		assert_non_null(fed[i]);
		memcpy(rte_pktmbuf_append(fed[i], drawn[first + i].len), drawn[first + i].bytes,
		       drawn[first + i].len);
		fed[i]->vlan_tci_outer = first + i; // an unused field
	}
	if (arrive)
		testsrc_arrive(0, fed, BATCH);
	else
		testsrc_feed(0, 0, fed, BATCH);
	for (unsigned int n = 0, q = 0; n < BATCH; q = (q + 1) % N_QUEUES) {
		uint16_t got = rx(port, q);

		for (uint16_t i = 0; i < got; i++, n++)
			answers[mbufs[i]->vlan_tci_outer] = (struct answer){
				.queue = q,
				.type_id = meta_of(mbufs[i])->ptype_id,
				.hashed = (mbufs[i]->ol_flags & RTE_MBUF_F_RX_RSS_HASH) != 0,
				.hash = mbufs[i]->hash.rss,
				.packet_type = mbufs[i]->packet_type,
				.mark = mbufs[i]->ol_flags & RTE_MBUF_F_RX_FDIR_ID ?
						mbufs[i]->hash.fdir.hi :
						0,
			};
	}
	rte_pktmbuf_free_bulk(fed, BATCH);
}

double answers_take(uint16_t port, bool arrive, struct answer *answers) {
	const uint64_t before = xstat(port, "rx_offloaded");

	for (unsigned int i = 0; i < N_DRAWN; i += BATCH)
		batch_take(port, arrive, i, answers);
	assert_int_equal(mismatched(port), 0);
	return (double)(xstat(port, "rx_offloaded") - before) / N_DRAWN;
}

void answers_compare(const char *what) {
	for (unsigned int i = 0; i < N_DRAWN; i++) {
		const struct answer *s = &software[i], *h = &hardware[i];

		if (memcmp(s, h, sizeof(*s)) == 0)
			continue;
		for (unsigned int k = 0; k < drawn[i].len; k++)
			fprintf(stderr, "%02x", drawn[i].bytes[k]);
		fail_msg(": packet %u of %s: type %u, hash %x (%d), queue %u, ptype %x, mark %u, "
			 "not %u, %x (%d), %u, %x, %u",
			 i, what, h->type_id, h->hash, h->hashed, h->queue, h->packet_type, h->mark,
			 s->type_id, s->hash, s->hashed, s->queue, s->packet_type, s->mark);
	}
}
