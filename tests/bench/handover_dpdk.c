/* SPDX-License-Identifier: BSD-3-Clause */
// rte_distributor with one worker.
#include <rte_distributor.h>
#include <rte_pause.h>

#include "handover.h"

#define DISTRIBUTOR_BURST 8

static struct rte_distributor *distributor;

static void distributor_produce(const struct method *method, struct packets *packets,
				unsigned int n) {
	struct rte_mbuf *returned[2 * BURST];

	(void)method;
	for (unsigned int i = 0; i < n; i += BURST) {
		unsigned int sent = 0;

		mbufs_prefetch(packets, i + BURST);
		while (sent < BURST) // none while the worker is not there yet
			sent += rte_distributor_process(
				distributor, &packets->visits[i % packets->n_visits + sent],
				BURST - sent);
		rte_distributor_returned_pkts(distributor, returned, RTE_DIM(returned));
	}
	while (!handover_all_got(n))
		rte_distributor_process(distributor, NULL, 0);
}

// As rte_distributor_get_pkt(), but that it does not wait for more than n. What was got last is
// given back with the next request, in the next round.
static void distributor_consume(unsigned int n) {
	static struct rte_mbuf *mbufs[DISTRIBUTOR_BURST];
	static int n_held;
	static bool requested;
	unsigned int received = 0;

	while (received < n) {
		int got;

		if (!requested)
			rte_distributor_request_pkt(distributor, 0, mbufs, n_held);
		got = rte_distributor_poll_pkt(distributor, 0, mbufs);
		requested = got < 0;
		if (requested) {
			rte_pause();
			continue;
		}
		n_held = got;
		received += got;
	}
	handover_got(n);
}

void distributor_init(struct handover *handover) {
	distributor = rte_distributor_create("bench", SOCKET_ID_ANY, 1, RTE_DIST_ALG_BURST);
	handover->produce = distributor_produce;
	handover->consume = distributor_consume;
	if (distributor == NULL)
		handover->absent = "cannot be made here";
}
