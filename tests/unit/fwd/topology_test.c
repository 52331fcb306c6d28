/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"

#include "fwd/topology.h"

static void peers_are(enum topology topology, unsigned int n, const unsigned int *expected) {
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(topology_peer(topology, i, n), expected[i]);
}

TEST(paired_ports_exchange) {
	peers_are(TOPOLOGY_PAIRED, 4, (const unsigned int[]){1, 0, 3, 2});
}

TEST(a_last_odd_port_pairs_with_itself) {
	peers_are(TOPOLOGY_PAIRED, 1, (const unsigned int[]){0});
	peers_are(TOPOLOGY_PAIRED, 3, (const unsigned int[]){1, 0, 2});
}

TEST(chained_ports_form_a_ring) {
	peers_are(TOPOLOGY_CHAINED, 1, (const unsigned int[]){0});
	peers_are(TOPOLOGY_CHAINED, 3, (const unsigned int[]){1, 2, 0});
}

TEST(looped_ports_send_back) {
	peers_are(TOPOLOGY_LOOP, 3, (const unsigned int[]){0, 1, 2});
}

TEST(queues_keep_their_number_where_there_are_enough) {
	for (unsigned int n_workers = 1; n_workers < 9; n_workers++)
		for (unsigned int q = 0; q < 16; q++)
			assert_int_equal(topology_tx_queue(q, 16, n_workers), q);
}

TEST(a_tx_queue_has_one_worker) {
	for (unsigned int n_workers = 1; n_workers < 9; n_workers++)
		for (unsigned int n_txq = n_workers; n_txq < 20; n_txq++)
			for (unsigned int q = 0; q < 40; q++) {
				unsigned int t = topology_tx_queue(q, n_txq, n_workers);

				assert_true(t < n_txq);
				assert_int_equal(t % n_workers, topology_worker(q, n_workers));
			}
}

TEST(fewer_tx_queues_are_all_used) {
	bool used[4] = {false};

	for (unsigned int q = 0; q < 16; q++)
		used[topology_tx_queue(q, 4, 2)] = true;
	for (unsigned int t = 0; t < 4; t++)
		assert_true(used[t]);
}
