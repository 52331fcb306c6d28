/* SPDX-License-Identifier: BSD-3-Clause */
// Calls of rte_flow: rules that make sense, rules that hardly do, and handles of rules long gone.
#include "control.h"

#include <limits.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_flow.h>

#include "stress/pool.h"

#define ITEMS_MAX 10
#define ACTIONS_MAX 5
#define HANDLES 32
#define UNKNOWN_SIZE 1024 // of a structure that this test does not know; zeroed: no pointers

static struct handle {
	struct rte_flow *flow;
	uint16_t port;
	bool good; // the port has it, else it had
} handles[HANDLES];

static struct handle *handle_choose(uint16_t port) {
	struct handle *handle = &handles[below(HANDLES)];

	for (unsigned int i = 0; i < HANDLES && chance(95); i++) {
		if (handle->good && handle->port == port)
			break;
		handle = &handles[i];
	}
	return handle;
}

static bool is_known(const struct handle *handle, uint16_t port) {
	return handle->good && handle->port == port;
}

void handles_age(void) {
	for (unsigned int i = 0; i < HANDLES; i++)
		handles[i].good = handles[i].good && is_ddp(handles[i].port);
}

/* Patterns */

#define ITEM(type, name) \
	{ RTE_FLOW_ITEM_TYPE_##type, sizeof(struct rte_flow_item_##name) }

static const struct {
	enum rte_flow_item_type type;
	size_t size;
} known_items[] = {
	ITEM(ETH, eth),
	ITEM(VLAN, vlan),
	ITEM(IPV4, ipv4),
	ITEM(IPV6, ipv6),
	ITEM(IPV6_FRAG_EXT, ipv6_frag_ext),
	ITEM(ICMP, icmp),
	ITEM(UDP, udp),
	ITEM(TCP, tcp),
	ITEM(SCTP, sctp),
	ITEM(VXLAN, vxlan),
	ITEM(GRE, gre),
	ITEM(NVGRE, nvgre),
	ITEM(MPLS, mpls),
	ITEM(GTPU, gtp),
	ITEM(GTPC, gtp),
	ITEM(GTP_PSC, gtp_psc),
	ITEM(GENEVE, geneve),
	ITEM(ESP, esp),
	ITEM(AH, ah),
	ITEM(PPPOES, pppoe),
	ITEM(PPPOE_PROTO_ID, pppoe_proto_id),
	ITEM(PPP, ppp),
	ITEM(L2TPV2, l2tpv2),
	ITEM(L2TPV3OIP, l2tpv3oip),
	ITEM(PFCP, pfcp),
	ITEM(ECPRI, ecpri),
	ITEM(ARP_ETH_IPV4, arp_eth_ipv4),
	ITEM(PORT_ID, port_id),
	ITEM(MARK, mark),
	ITEM(META, meta),
	ITEM(TAG, tag),
	{RTE_FLOW_ITEM_TYPE_GRE_KEY, sizeof(uint32_t)},
	{RTE_FLOW_ITEM_TYPE_VOID, 0},
	{RTE_FLOW_ITEM_TYPE_FUZZY, sizeof(struct rte_flow_item_fuzzy)},
};

// Orders of headers that packets have; the rest is left to chance.
#define TYPE(name) RTE_FLOW_ITEM_TYPE_##name
static const enum rte_flow_item_type usual[][ITEMS_MAX] = {
	{TYPE(ETH), TYPE(IPV4)},
	{TYPE(ETH), TYPE(IPV4), TYPE(UDP)},
	{TYPE(ETH), TYPE(IPV6), TYPE(TCP)},
	{TYPE(ETH), TYPE(VLAN), TYPE(IPV4), TYPE(SCTP)},
	{TYPE(ETH), TYPE(IPV4), TYPE(UDP), TYPE(GTPU)},
	{TYPE(ETH), TYPE(IPV4), TYPE(UDP), TYPE(GTPU), TYPE(GTP_PSC), TYPE(IPV4), TYPE(UDP)},
	{TYPE(ETH), TYPE(IPV6), TYPE(UDP), TYPE(VXLAN), TYPE(ETH), TYPE(IPV4)},
};

static size_t item_size(enum rte_flow_item_type type) {
	for (unsigned int i = 0; i < RTE_DIM(known_items); i++)
		if (known_items[i].type == type)
			return known_items[i].size;
	return 0;
}

static enum rte_flow_item_type item_type(void) {
	static const int absurd[] = {INT_MIN, -1, 200, 255, INT_MAX};

	if (chance(90))
		return PICK(known_items).type;
	return chance(70) ? (int)below(80) : PICK(absurd);
}

static void *sparse_bytes(size_t size) {
	uint8_t *bytes = zero_bytes(size);

	for (size_t i = 0; i < size; i++)
		bytes[i] = chance(94) ? 0 : chance(50) ? 0xff : random_bits();
	return bytes;
}

static struct rte_flow_item_raw *raw_make(size_t len) {
	struct rte_flow_item_raw *raw = zero_bytes(sizeof(*raw));
	uint8_t *pattern = random_bytes(len);

	for (size_t i = 0; i < len; i++)
		if (chance(98))
			pattern[i] = "0123456789abcdefABCDEF"[below(22)];
	raw->length = len;
	raw->pattern = pattern;
	raw->relative = chance(5);
	raw->search = chance(5);
	raw->offset = chance(95) ? 0 : (int)random_bits();
	raw->limit = chance(95) ? 0 : random_bits();
	return raw;
}

static void raw_fill(struct rte_flow_item *item) {
	size_t len = chance(80) ? 2 * below(100) : below(1200);

	item->type = RTE_FLOW_ITEM_TYPE_RAW;
	item->spec = chance(95) ? raw_make(len) : NULL;
	item->mask = chance(95) ? raw_make(chance(95) ? len : below(1200)) : NULL;
	item->last = chance(3) ? raw_make(len) : NULL;
}

static void item_fill(struct rte_flow_item *item, enum rte_flow_item_type type) {
	size_t size = item_size(type);
	void *(*make)(size_t size) = size > 0 ? sparse_bytes : zero_bytes;

	item->type = type;
	if (type == RTE_FLOW_ITEM_TYPE_RAW)
		raw_fill(item);
	if (type == RTE_FLOW_ITEM_TYPE_RAW || chance(50))
		return;
	if (size == 0)
		size = UNKNOWN_SIZE;
	item->spec = chance(97) ? make(size) : NULL;
	item->mask = chance(70) ? make(size) : NULL;
	item->last = chance(2) ? make(size) : NULL;
}

static struct rte_flow_item *pattern_make(void) {
	struct rte_flow_item *items = zero_bytes((ITEMS_MAX + 1) * sizeof(*items));
	unsigned int n = 0, row = below(RTE_DIM(usual));

	if (chance(1))
		return NULL;
	if (chance(8))
		raw_fill(&items[n++]);
	else if (chance(85))
		while (n < ITEMS_MAX && usual[row][n] != RTE_FLOW_ITEM_TYPE_END && chance(97)) {
			item_fill(&items[n], usual[row][n]);
			n++;
		}
	while (n < ITEMS_MAX && chance(12))
		item_fill(&items[n++], item_type());
	items[n].type = RTE_FLOW_ITEM_TYPE_END;
	return items;
}

/* Actions */

static struct rte_flow_action_rss *rss_make(void) {
	static const uint64_t types[] = {
		0,
		RTE_ETH_RSS_IPV4,
		RTE_ETH_RSS_NONFRAG_IPV4_UDP,
		RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_L3_SRC_ONLY,
		RTE_ETH_RSS_NONFRAG_IPV4_UDP | RTE_ETH_RSS_L4_DST_ONLY,
		RTE_ETH_RSS_GTPU,
		RTE_ETH_RSS_ETH,
		RTE_ETH_RSS_S_VLAN | RTE_ETH_RSS_C_VLAN,
		RTE_ETH_RSS_IPV6 | RTE_ETH_RSS_L3_PRE64,
	};
	struct rte_flow_action_rss *rss = zero_bytes(sizeof(*rss));
	uint16_t *queues;

	rss->func = chance(80) ? RTE_ETH_HASH_FUNCTION_DEFAULT : (int)below(8);
	rss->level = chance(95) ? 0 : random_bits();
	rss->types = chance(80) ? PICK(types) : random_bits() & random_bits() & random_bits();
	if (chance(5)) {
		rss->key_len = below(64);
		rss->key = chance(80) ? random_bytes(rss->key_len) : NULL;
	}
	if (chance(75))
		return rss;
	rss->queue_num = chance(90) ? below(9) : below(2000);
	queues = zero_bytes(rss->queue_num * sizeof(*queues));
	for (unsigned int i = 0; i < rss->queue_num; i++)
		queues[i] = chance(95) ? below(4) : random_bits();
	rss->queue = chance(97) ? queues : NULL;
	return rss;
}

static const void *number_make(uint32_t n) {
	uint32_t *conf = zero_bytes(sizeof(*conf));

	*conf = n;
	return conf;
}

static void action_fill(struct rte_flow_action *action) {
	static const enum rte_flow_action_type types[] = {
		RTE_FLOW_ACTION_TYPE_VOID,  RTE_FLOW_ACTION_TYPE_PASSTHRU,
		RTE_FLOW_ACTION_TYPE_MARK,  RTE_FLOW_ACTION_TYPE_FLAG,
		RTE_FLOW_ACTION_TYPE_QUEUE, RTE_FLOW_ACTION_TYPE_DROP,
		RTE_FLOW_ACTION_TYPE_COUNT, RTE_FLOW_ACTION_TYPE_RSS,
		RTE_FLOW_ACTION_TYPE_RSS,
	};

	action->type = chance(95) ? PICK(types) : (enum rte_flow_action_type)below(100);
	if (chance(2))
		return;
	if (action->type == RTE_FLOW_ACTION_TYPE_RSS)
		action->conf = rss_make();
	else if (action->type == RTE_FLOW_ACTION_TYPE_QUEUE) // 16 bits of it are read
		action->conf = number_make(chance(90) ? below(4) : random_bits());
	else if (action->type == RTE_FLOW_ACTION_TYPE_MARK)
		action->conf = number_make(random_bits());
	else
		action->conf = zero_bytes(UNKNOWN_SIZE);
}

static struct rte_flow_action *actions_make(void) {
	struct rte_flow_action *actions = zero_bytes((ACTIONS_MAX + 1) * sizeof(*actions));
	unsigned int n = 0;

	if (chance(1))
		return NULL;
	while (n < ACTIONS_MAX && (n == 0 ? chance(98) : chance(20)))
		action_fill(&actions[n++]);
	actions[n].type = RTE_FLOW_ACTION_TYPE_END;
	return actions;
}

static struct rte_flow_attr *attr_make(void) {
	struct rte_flow_attr *attr = zero_bytes(sizeof(*attr));

	attr->ingress = chance(97);
	attr->egress = chance(3);
	attr->transfer = chance(2);
	attr->group = chance(97) ? 0 : random_bits();
	attr->priority = chance(80) ? 0 : chance(80) ? below(4) : random_bits();
	return chance(99) ? attr : NULL;
}

/* Calls */

static void *error_make(void) {
	return chance(90) ? zero_bytes(sizeof(struct rte_flow_error)) : NULL;
}

// The message of an error must be readable.
static void error_read(int ret, const struct rte_flow_error *error) {
	if (ret < 0 && error != NULL && error->type != RTE_FLOW_ERROR_TYPE_NONE &&
	    error->message != NULL)
		say(" %s", error->message);
}

static void flow_create(uint16_t port) {
	struct rte_flow_error *error = error_make();
	struct handle *handle = &handles[below(HANDLES)];
	struct rte_flow *flow =
		rte_flow_create(port, attr_make(), pattern_make(), actions_make(), error);

	error_read(flow == NULL ? -rte_errno : 0, error);
	if (flow != NULL)
		*handle = (struct handle){flow, port, true};
}

static void flow_validate(uint16_t port) {
	struct rte_flow_error *error = error_make();

	error_read(rte_flow_validate(port, attr_make(), pattern_make(), actions_make(), error),
		   error);
}

static void flow_destroy(uint16_t port) {
	struct rte_flow_error *error = error_make();
	struct handle *handle = handle_choose(port);
	int ret = rte_flow_destroy(port, handle->flow, error);

	error_read(ret, error);
	// That an unknown one can says nothing: a newer rule may be where an old one was.
	if (ret < 0 && is_known(handle, port))
		fault("port %u: a rule cannot be destroyed", port);
	for (unsigned int i = 0; i < HANDLES && ret == 0; i++)
		if (handles[i].flow == handle->flow)
			handles[i].good = false;
}

static void flow_query(uint16_t port) {
	const struct rte_flow_action action = {
		.type = chance(45) ? RTE_FLOW_ACTION_TYPE_COUNT :
			chance(80) ? RTE_FLOW_ACTION_TYPE_RSS :
				     (int)below(100),
	};
	struct rte_flow_error *error = error_make();

	error_read(rte_flow_query(port, handle_choose(port)->flow, &action,
				  zero_bytes(UNKNOWN_SIZE), error),
		   error);
}

static void flow_flush(uint16_t port) {
	int ret = rte_flow_flush(port, error_make());

	if (ret < 0 && is_ddp(port))
		fault("port %u: rules cannot be flushed", port);
	for (unsigned int i = 0; i < HANDLES && ret == 0; i++)
		if (handles[i].port == port)
			handles[i].good = false;
}

static void flow_others(uint16_t port) {
	struct rte_flow_error error;
	void *contexts[4];

	rte_flow_isolate(port, chance(50), &error);
	rte_flow_get_aged_flows(port, contexts, RTE_DIM(contexts), &error);
	rte_flow_dev_dump(port, NULL, stderr, &error);
}

const struct control_call flow_calls[] = {
	{"flow create", 250, flow_create},
	{"flow validate", 60, flow_validate},
	{"flow destroy", 100, flow_destroy},
	{"flow query", 60, flow_query},
	{"flow flush", 8, flow_flush},
	{"flow others", 5, flow_others},
	{0},
};
