/* SPDX-License-Identifier: BSD-3-Clause */
// That equal work is compared: each kind's packets are what its name says, and all methods that
// find the inner addresses and ports find the same in them, as their hash tells.
#include <string.h>

#include "bench.h"
#include "methods.h"

#define SHOWN_MAX 3 // packets of a kind that are told of

static unsigned int n_wrong;

// The headers of a packet as ddpctl prints them.
static void chain_read(const struct rte_mbuf *mbuf, char *chain, size_t size) {
	const struct ddp_packet packet = {
		.data = rte_pktmbuf_mtod(mbuf, const uint8_t *),
		.first_len = rte_pktmbuf_data_len(mbuf),
		.len = rte_pktmbuf_pkt_len(mbuf),
	};
	struct ddp_class class;
	size_t len = 0;

	ddp_classify(work.program, &packet, &class);
	chain[0] = '\0';
	for (unsigned int i = 0; i < class.n_seen && len < size; i++) {
		const struct ddp_node_info *node =
			ddp_program_node(work.program, class.seen[i].node);

		if (!node->hidden)
			len += snprintf(&chain[len], size - len, "%s%s", len > 0 ? " " : "",
					node->token);
	}
}

static void difference_add(const struct kind *kind, const char *chain, const char *what) {
	if (n_wrong++ < SHOWN_MAX)
		printf("%s: %s: %s\n", kind->id, chain, what);
}

static bool hash_read(const struct method *method, struct rte_mbuf *mbuf, uint32_t *hash) {
	mbuf->ol_flags = 0;
	method->run(method->arg, &mbuf, 1);
	*hash = mbuf->hash.rss;
	return (mbuf->ol_flags & RTE_MBUF_F_RX_RSS_HASH) != 0;
}

static bool method_compared(const struct method *method) {
	return method->run != NULL && strncmp(method->id, "floor", strlen("floor")) != 0 &&
	       strcmp(method->id, METHOD_BASE) != 0;
}

static void packet_check(const struct kind *kind, struct rte_mbuf *mbuf) {
	uint32_t due, hash;
	char chain[512];

	chain_read(mbuf, chain, sizeof(chain));
	if (kind->chain != NULL && strcmp(chain, kind->chain) != 0)
		difference_add(kind, chain, kind->chain);
	if (!hash_read(method_find("interpreter"), mbuf, &due)) {
		difference_add(kind, chain, "not hashed");
		return;
	}
	for (unsigned int i = 0; i < n_methods; i++)
		if (method_compared(&methods[i]) &&
		    (!hash_read(&methods[i], mbuf, &hash) || hash != due))
			difference_add(kind, chain, methods[i].title);
}

static unsigned int kind_check(const struct kind *kind) {
	unsigned int n = RTE_MIN(kind->n_packets, 4096U);
	struct packets packets;

	n_wrong = 0;
	packets_make(&packets, kind, n, n);
	for (unsigned int i = 0; i < n; i++)
		packet_check(kind, packets.mbufs[i]);
	packets_free(&packets);
	printf("%-12s %5u packets, %u differences\n", kind->id, n, n_wrong);
	return n_wrong;
}

int check(void) {
	bool wrong = false;

	for (unsigned int i = 0; i < n_kinds; i++)
		wrong |= kind_check(&kinds[i]) > 0;
	return wrong;
}
