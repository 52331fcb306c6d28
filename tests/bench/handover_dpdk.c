/* SPDX-License-Identifier: BSD-3-Clause */
// rte_distributor and the event device dsw, each with one worker.
#include <rte_bus_vdev.h>
#include <rte_distributor.h>
#include <rte_eventdev.h>
#include <rte_pause.h>

#include "handover.h"

/* rte_distributor */

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

/* event_dsw */

#define DSW "event_dsw0"

enum {
	PRODUCER,
	WORKER,
};

static uint8_t dsw;

static void dsw_produce(const struct method *method, struct packets *packets, unsigned int n) {
	struct rte_event events[BURST] = {0};

	(void)method;
	for (unsigned int i = 0; i < n; i += BURST) {
		unsigned int sent = 0;

		for (unsigned int k = 0; k < BURST; k++) {
			events[k].op = RTE_EVENT_OP_NEW;
			events[k].sched_type = RTE_SCHED_TYPE_ATOMIC;
			events[k].flow_id = i + k;
			events[k].mbuf = packets->visits[(i + k) % packets->n_visits];
		}
		while (sent < BURST)
			sent += rte_event_enqueue_new_burst(dsw, PRODUCER, &events[sent],
							    BURST - sent);
	}
	while (!handover_all_got(n))
		rte_event_maintain(dsw, PRODUCER, RTE_EVENT_DEV_MAINT_OP_FLUSH);
}

static void dsw_consume(unsigned int n) {
	struct rte_event events[BURST];

	for (unsigned int i = 0; i < n;)
		i += rte_event_dequeue_burst(dsw, WORKER, events, BURST, 0);
	rte_event_dequeue_burst(dsw, WORKER, events, BURST, 0); // releases the last ones
	handover_got(n);
}

static int dsw_start(void) {
	const uint8_t queue = 0;
	struct rte_event_dev_info info;
	struct rte_event_dev_config config = {.nb_event_queues = 1, .nb_event_ports = 2};
	struct rte_event_queue_conf queue_conf = {.schedule_type = RTE_SCHED_TYPE_ATOMIC};
	int ret = rte_event_dev_info_get(dsw, &info);

	if (ret < 0)
		return ret;
	config.nb_events_limit = info.max_num_events;
	config.nb_event_queue_flows = info.max_event_queue_flows;
	config.nb_event_port_dequeue_depth = info.max_event_port_dequeue_depth;
	config.nb_event_port_enqueue_depth = info.max_event_port_enqueue_depth;
	queue_conf.nb_atomic_flows = info.max_event_queue_flows;
	ret = rte_event_dev_configure(dsw, &config);
	if (ret == 0)
		ret = rte_event_queue_setup(dsw, queue, &queue_conf);
	if (ret == 0)
		ret = rte_event_port_setup(dsw, PRODUCER, NULL);
	if (ret == 0)
		ret = rte_event_port_setup(dsw, WORKER, NULL);
	if (ret == 0 && rte_event_port_link(dsw, WORKER, &queue, NULL, 1) != 1)
		ret = -EINVAL;
	return ret < 0 ? ret : rte_event_dev_start(dsw);
}

void dsw_init(struct handover *handover) {
	int id = -1;

	if (rte_vdev_init(DSW, NULL) == 0)
		id = rte_event_dev_get_dev_id(DSW);
	dsw = id;
	handover->produce = dsw_produce;
	handover->consume = dsw_consume;
	if (id < 0)
		handover->absent = "not in this DPDK";
	else if (dsw_start() < 0)
		handover->absent = "does not start here";
}

void dsw_fini(void) {
	rte_event_dev_stop(dsw);
	rte_event_dev_close(dsw);
	rte_vdev_uninit(DSW);
}
