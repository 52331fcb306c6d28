/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_rules.h"

#include <stdio.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_thash.h>

#include "port/lower/lower.h"
#include "port/state/control.h"
#include "rss/rss.h"

const struct rte_flow_action_queue queue_of[N_QUEUES + 1] = {{0}, {1}, {2}, {3}, {4}};

const struct rte_flow_attr ingress = {.ingress = 1};
const struct rte_flow_item *const udp_items = ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(UDP));

const struct rte_flow_item *items_of_flow(unsigned int flow) {
	static const struct rte_flow_item_ipv4 mask = {.hdr.src_addr = UINT32_MAX};
	static struct rte_flow_item_ipv4 spec;
	static const struct rte_flow_item items[] = {
		ITEM(ETH), ITEM(IPV4, .spec = &spec, .mask = &mask), ITEM(UDP), ITEM(END)};

	spec.hdr.src_addr = rte_cpu_to_be_32(flow_src(flow));
	return items;
}

struct rte_flow *rule_create_at(uint16_t port, uint32_t priority, const struct rte_flow_item *items,
				const struct rte_flow_action *actions) {
	const struct rte_flow_attr attr = {.ingress = 1, .priority = priority};
	struct rte_flow_error error = {0};
	struct rte_flow *flow;

	if (rte_flow_validate(port, &attr, items, actions, &error) != 0)
		fail_msg("validate: %s", error.message);
	flow = rte_flow_create(port, &attr, items, actions, &error);
	if (flow == NULL)
		fail_msg("create: %s", error.message);
	return flow;
}

struct rte_flow *rule_create(uint16_t port, const struct rte_flow_item *items,
			     const struct rte_flow_action *actions) {
	return rule_create_at(port, 0, items, actions);
}

void rule_destroy(uint16_t port, struct rte_flow *flow) {
	assert_int_equal(rte_flow_destroy(port, flow, NULL), 0);
}

void rule_refused(uint16_t port, const struct rte_flow_attr *attr,
		  const struct rte_flow_item *items, const struct rte_flow_action *actions, int err,
		  const char *message) {
	struct rte_flow_error error = {0};

	assert_int_equal(rte_flow_validate(port, attr, items, actions, &error), -err);
	assert_string_equal(error.message, message);
	memset(&error, 0, sizeof(error));
	assert_null(rte_flow_create(port, attr, items, actions, &error));
	assert_int_equal(rte_errno, err);
	assert_string_equal(error.message, message);
	assert_int_equal(rte_flow_validate(port, attr, items, actions, NULL), -err);
}

uint16_t profile_start(const char *profile, uint16_t n_rxq) {
	char devargs[128];

	snprintf(devargs, sizeof(devargs), "dev(net_testsrc0)%s%s",
		 profile == NULL ? "" : ",profile=", profile == NULL ? "" : profile);
	return ddp_start(devargs, n_rxq, 1, 512);
}

uint16_t rules_start(const char *profile) {
	return profile_start(profile, N_QUEUES);
}

struct seen seen_of(uint16_t port, struct rte_mbuf *mbuf) {
	struct seen seen = {.queue = DROPPED};

	testsrc_feed(0, 0, &mbuf, 1);
	for (unsigned int round = 0; round < 2; round++)
		for (uint16_t q = 0; q < N_QUEUES; q++) {
			if (rte_eth_rx_burst(port, q, &mbuf, 1) == 0)
				continue;
			assert_int_equal(seen.queue, DROPPED);
			seen.queue = q;
			seen.flags = mbuf->ol_flags;
			seen.hash = mbuf->hash.rss;
			seen.mark = mbuf->hash.fdir.hi;
			rte_pktmbuf_free(mbuf);
		}
	return seen;
}

struct seen seen_of_flow(uint16_t port, unsigned int flow) {
	return seen_of(port, packet(flow, 0));
}

uint32_t hash_by(unsigned int flow, const uint8_t *key) {
	uint32_t words[] = {flow_src(flow), FLOW_DST, (uint32_t)flow_sport(flow) << 16 | 53};

	return rte_softrss(words, RTE_DIM(words), key);
}

uint32_t hash_of(unsigned int flow) {
	return hash_by(flow, ddp_default_key);
}

bool is_by_hash(uint16_t port, unsigned int flow) {
	struct seen seen = seen_of_flow(port, flow);

	return seen.hash == hash_of(flow) && seen.queue == (int)(hash_of(flow) % N_QUEUES);
}

unsigned int mismatched(uint16_t port_id) {
	struct ddp_port *port = ddp_registry_get(port_id);
	unsigned int n;

	ddp_hw_ptypes_watch(port);
	n = port->offload.n_mismatched;
	ddp_registry_put(port);
	return n;
}
