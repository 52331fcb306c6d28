/* SPDX-License-Identifier: BSD-3-Clause */
#include "stress_flows.h"

#include <string.h>

#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_tcp.h>
#include <rte_thash.h>
#include <rte_udp.h>

#include "unit/package/frames.h"

// RTE_IPV4() shifts a bit into an int's sign.
#define IPV4(a, b, c, d) ((uint32_t)(a) << 24 | (b) << 16 | (c) << 8 | (d))
#define GTPU_PORT 2152
#define VXLAN_PORT 4789
#define ID_OFF 46 // of TEID and VNI, behind Ethernet, IPv4 and UDP
#define PTYPE_IPV4 (RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4_EXT_UNKNOWN)
#define PTYPE_GTPU                                               \
	(PTYPE_IPV4 | RTE_PTYPE_L4_UDP | RTE_PTYPE_TUNNEL_GTPU | \
	 RTE_PTYPE_INNER_L3_IPV4_EXT_UNKNOWN)

#define TYPE_NAME(type, name) name,
const char *const type_names[N_TYPES] = {TYPES(TYPE_NAME)};
#undef TYPE_NAME

// Packets of a type, and what mbufs say of it.
static const struct {
	const char *words;
	uint32_t packet_type;
} types[N_TYPES] = {
	[TYPE_ARP] = {"eth arp", RTE_PTYPE_L2_ETHER_ARP},
	[TYPE_IPV4_UDP] = {"eth ipv4 udp=53", PTYPE_IPV4 | RTE_PTYPE_L4_UDP},
	[TYPE_IPV4_TCP] = {"eth ipv4 tcp", PTYPE_IPV4 | RTE_PTYPE_L4_TCP},
	[TYPE_GTPU_IPV4_UDP] = {"eth ipv4 udp=2152 gtpu ipv4 udp=443",
				PTYPE_GTPU | RTE_PTYPE_INNER_L4_UDP},
	[TYPE_GTPU_IPV4_TCP] = {"eth ipv4 udp=2152 gtpu ipv4 tcp",
				PTYPE_GTPU | RTE_PTYPE_INNER_L4_TCP},
	[TYPE_VXLAN_IPV4_UDP] = {"eth ipv4 udp=4789 vxlan eth ipv4 udp=443",
				 PTYPE_IPV4 | RTE_PTYPE_L4_UDP | RTE_PTYPE_TUNNEL_VXLAN |
					 RTE_PTYPE_INNER_L2_ETHER |
					 RTE_PTYPE_INNER_L3_IPV4_EXT_UNKNOWN |
					 RTE_PTYPE_INNER_L4_UDP},
};

// The hashed fields, in the host's order.
struct tuple {
	uint32_t src, dst;
	uint16_t sport, dport;
};

struct flow {
	enum type type; // with the profiles that know it
	bool more;      // VXLAN at VXLAN_PORT_MORE
	struct tuple outer, inner;
	uint32_t id; // TEID or VNI
	uint16_t inner_off;
	uint16_t len;
	uint8_t frame[FLOW_FRAME_MAX];
};

static struct flow flows[FLOWS];

// Addresses and ports of flows in step would hardly differ to Toeplitz.
static uint32_t scatter(uint32_t i) {
	return i * 2654435761U >> 8;
}

uint32_t group_src(uint16_t group) {
	return IPV4(10, 77, 0, group);
}

static void outer_fill(struct flow *flow, uint32_t i, uint16_t port) {
	flow->outer.dst = IPV4(192, 168, 0, 1);
	if (port != 0) { // a few tunnel endpoints and a constant port: what RSS is blind for
		flow->outer.src = IPV4(172, 16, 0, i / 8 % 4);
		flow->outer.sport = port;
		flow->outer.dport = port;
	} else {
		flow->outer.src = group_src(i / 8 % GROUPS);
		flow->outer.sport = 1024 + i;
		flow->outer.dport = 53;
	}
}

static void inner_fill(struct flow *flow, uint32_t i) {
	flow->id = 1 + scatter(i) % 0xffff;
	flow->inner.src = IPV4(10, 0, 0, 0) + scatter(i);
	flow->inner.dst = IPV4(198, 18, 0, 0) + scatter(i + FLOWS) % 65536;
	flow->inner.sport = 1024 + scatter(i) % 60000;
	flow->inner.dport = 443;
}

static bool is_gtpu(enum type type) {
	return type == TYPE_GTPU_IPV4_UDP || type == TYPE_GTPU_IPV4_TCP;
}

static enum type type_of(uint32_t i) {
	static const enum type mix[8] = {
		TYPE_IPV4_UDP, TYPE_GTPU_IPV4_UDP, TYPE_VXLAN_IPV4_UDP, TYPE_GTPU_IPV4_UDP,
		TYPE_IPV4_TCP, TYPE_GTPU_IPV4_TCP, TYPE_VXLAN_IPV4_UDP, TYPE_IPV4_UDP,
	};

	return i % 512 == 7 ? TYPE_ARP : mix[i % 8];
}

// TCP has its ports where UDP has them.
static void tuple_put(struct flow *flow, unsigned int off, const struct tuple *tuple) {
	struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)&flow->frame[off];
	struct rte_udp_hdr *l4 = (struct rte_udp_hdr *)(ip + 1);

	ip->src_addr = rte_cpu_to_be_32(tuple->src);
	ip->dst_addr = rte_cpu_to_be_32(tuple->dst);
	l4->src_port = rte_cpu_to_be_16(tuple->sport);
	l4->dst_port = rte_cpu_to_be_16(tuple->dport);
}

static void tunnel_fill(struct flow *flow, uint32_t i) {
	const bool tcp = flow->type == TYPE_GTPU_IPV4_TCP;
	uint32_t id;

	inner_fill(flow, i);
	flow->inner_off = flow->len - sizeof(struct rte_ipv4_hdr) -
			  (tcp ? sizeof(struct rte_tcp_hdr) : sizeof(struct rte_udp_hdr));
	tuple_put(flow, flow->inner_off, &flow->inner);
	id = rte_cpu_to_be_32(is_gtpu(flow->type) ? flow->id : flow->id << 8);
	memcpy(&flow->frame[ID_OFF], &id, sizeof(id));
}

static void flow_fill(struct flow *flow, uint32_t i) {
	static struct frame frame;
	uint16_t port = 0; // of a tunnel

	flow->type = type_of(i);
	flow->more = flow->type == TYPE_VXLAN_IPV4_UDP && i % 16 == 14;
	frame_make(&frame, types[flow->type].words);
	flow->len = frame.len;
	memcpy(flow->frame, frame.bytes, frame.len);
	if (flow->type == TYPE_ARP)
		return;
	if (is_gtpu(flow->type))
		port = GTPU_PORT;
	else if (flow->type == TYPE_VXLAN_IPV4_UDP)
		port = flow->more ? VXLAN_PORT_MORE : VXLAN_PORT;
	outer_fill(flow, i, port);
	tuple_put(flow, RTE_ETHER_HDR_LEN, &flow->outer);
	if (port != 0)
		tunnel_fill(flow, i);
}

void flows_init(void) {
	for (uint32_t i = 0; i < FLOWS; i++)
		flow_fill(&flows[i], i);
}

uint16_t flow_frame(uint32_t flow, const uint8_t **frame) {
	*frame = flows[flow].frame;
	return flows[flow].len;
}

static enum type type_seen(const struct flow *flow, const struct setup *setup) {
	if (is_gtpu(flow->type) && !setup->gtpu)
		return TYPE_IPV4_UDP;
	if (flow->type == TYPE_VXLAN_IPV4_UDP && (!setup->vxlan || (flow->more && !setup->tunnel)))
		return TYPE_IPV4_UDP;
	return flow->type;
}

// The words hashed, in the order of the wire. Returns their number.
static unsigned int words_of(const struct tuple *tuple, bool ports, uint32_t words[3]) {
	words[0] = tuple->src;
	words[1] = tuple->dst;
	words[2] = (uint32_t)tuple->sport << 16 | tuple->dport;
	return ports ? 3 : 2;
}

// Find the fields that a profile's packet type, or rss_hf, hashes.
static unsigned int input_of(const struct flow *flow, enum type type, const struct setup *setup,
			     uint32_t words[3]) {
	uint64_t ports = type == TYPE_IPV4_TCP ? RTE_ETH_RSS_TCP : RTE_ETH_RSS_UDP;

	if (setup->rss_hf == 0)
		return 0;
	if (is_gtpu(type) && setup->gtpu_teid) {
		words[0] = flow->id;
		return 1;
	}
	if (is_gtpu(type) || type == TYPE_VXLAN_IPV4_UDP)
		return words_of(&flow->inner, true, words);
	if (setup->gtpu || setup->vxlan) // then not by rss_hf
		return words_of(&flow->outer, true, words);
	if ((setup->rss_hf & (ports | RTE_ETH_RSS_IP)) == 0)
		return 0;
	return words_of(&flow->outer, (setup->rss_hf & ports) != 0, words);
}

static void hash_find(const struct flow *flow, const struct setup *setup, struct verdict *verdict) {
	uint32_t words[3] = {flow->outer.src};
	unsigned int n = 1;

	if (verdict->type == TYPE_ARP)
		return;
	if (!setup->rule_src || verdict->type != TYPE_IPV4_TCP)
		n = input_of(flow, verdict->type, setup, words);
	if (n == 0)
		return;
	verdict->hashed = true;
	verdict->hash = rte_softrss(words, n, setup->key);
	verdict->queue = setup->reta[verdict->hash % RETA_SIZE];
	verdict->anywhere = setup->adrift;
}

static bool rule_meets(const struct group_rule *rule, const struct flow *flow) {
	return rule->on && flow->type == TYPE_IPV4_UDP && flow->outer.src == group_src(rule->group);
}

static void rules_follow(const struct flow *flow, const struct setup *setup,
			 struct verdict *verdict) {
	if (rule_meets(&setup->rule_queue, flow)) {
		verdict->queue = setup->rule_queue.value;
		verdict->anywhere = false;
	}
	verdict->dropped = rule_meets(&setup->rule_drop, flow);
	verdict->missed =
		setup->stopped && verdict->queue == setup->stopped_queue && !verdict->anywhere;
	verdict->marked = rule_meets(&setup->rule_mark, flow);
	verdict->mark = verdict->marked ? setup->rule_mark.value : 0;
}

void verdict_find(uint32_t i, const struct setup *setup, struct verdict *verdict) {
	const struct flow *flow = &flows[i];
	enum type type = type_seen(flow, setup);
	bool inner = is_gtpu(type) || type == TYPE_VXLAN_IPV4_UDP;

	memset(verdict, 0, sizeof(*verdict));
	verdict->type = type;
	verdict->packet_type = types[type].packet_type;
	if (type == TYPE_IPV4_TCP && setup->tcp_ptype != 0)
		verdict->packet_type = setup->tcp_ptype;
	if (setup->ptype_mask != 0)
		verdict->packet_type &= setup->ptype_mask;
	verdict->value = inner ? flow->id : 0;
	verdict->inner_l3_off = inner ? flow->inner_off : UINT16_MAX;
	hash_find(flow, setup, verdict);
	rules_follow(flow, setup, verdict);
}
