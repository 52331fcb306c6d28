/* SPDX-License-Identifier: BSD-3-Clause */
#include "changes.h"

#include <errno.h>
#include <string.h>

#include <rte_ethdev.h>

#include "packet_stream.h"
#include "poller.h"
#include "pool.h"
#include "port/state/rte_pmd_ddp.h"
#include "rss/balancer.h"
#include "rss/rss.h"
#include "unit/port/rule_words.h"

void setup_init(struct setup *setup, uint16_t n_queues) {
	memset(setup, 0, sizeof(*setup));
	setup->rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP;
	memcpy(setup->key, ddp_default_key, KEY_SIZE);
	for (unsigned int i = 0; i < RETA_SIZE; i++)
		setup->reta[i] = i % n_queues;
}

static void nothing_plan(struct setup *next, uint16_t n_queues, uint32_t *random) {
}

/* Redirection table */

// A few entries, all to one queue, or all anew.
static void reta_plan(struct setup *next, uint16_t n_queues, uint32_t *random) {
	uint32_t how = random_next(random) % 8;
	uint16_t queue = random_next(random) % n_queues;

	for (unsigned int i = 0; i < RETA_SIZE; i++) {
		if (how == 0)
			next->reta[i] = queue;
		else if (how < 3)
			next->reta[i] = random_next(random) % n_queues;
		else if (random_next(random) % 64 == 0)
			next->reta[i] = random_next(random) % n_queues;
	}
}

static int reta_apply(uint16_t port, const struct setup *now, const struct setup *next) {
	struct rte_eth_rss_reta_entry64 groups[RETA_SIZE / RTE_ETH_RETA_GROUP_SIZE] = {0};

	for (unsigned int i = 0; i < RETA_SIZE; i++) {
		struct rte_eth_rss_reta_entry64 *group = &groups[i / RTE_ETH_RETA_GROUP_SIZE];

		group->reta[i % RTE_ETH_RETA_GROUP_SIZE] = next->reta[i];
		if (i < RTE_ETH_RETA_GROUP_SIZE || next->reta[i] != now->reta[i] ||
		    next->adrift != now->adrift)
			group->mask |= RTE_BIT64(i % RTE_ETH_RETA_GROUP_SIZE);
	}
	return rte_eth_dev_rss_reta_update(port, groups, RETA_SIZE);
}

/* Key and hash fields */

static void hash_plan(struct setup *next, uint16_t n_queues, uint32_t *random) {
	static const uint64_t rss_hfs[] = {
		0,
		RTE_ETH_RSS_IP,
		RTE_ETH_RSS_UDP,
		RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP,
	};

	if (random_next(random) % 2 == 0)
		for (unsigned int i = 0; i < KEY_SIZE; i++)
			next->key[i] = random_next(random);
	next->rss_hf = rss_hfs[random_next(random) % RTE_DIM(rss_hfs)];
}

static int hash_apply(uint16_t port, const struct setup *now, const struct setup *next) {
	uint8_t key[KEY_SIZE];
	struct rte_eth_rss_conf conf = {
		.rss_key = memcpy(key, next->key, KEY_SIZE),
		.rss_key_len = KEY_SIZE,
		.rss_hf = next->rss_hf,
	};

	if (memcmp(now->key, next->key, KEY_SIZE) == 0)
		conf.rss_key = NULL;
	return rte_eth_dev_rss_hash_update(port, &conf);
}

/* Profiles */

// One comes or goes.
static void profiles_plan(struct setup *next, uint16_t n_queues, uint32_t *random) {
	if (random_next(random) % 2 == 0) {
		next->vxlan = !next->vxlan;
	} else {
		next->gtpu = !next->gtpu;
		next->gtpu_teid = next->gtpu && random_next(random) % 2 == 0;
	}
}

static int profile_set(uint16_t port, const char *name, const char *spec, bool there, bool shall) {
	char error[256] = "";
	int ret = 0;

	if (shall && !there)
		ret = rte_pmd_ddp_profile_add(port, spec, error, sizeof(error));
	if (there && !shall)
		ret = rte_pmd_ddp_profile_del(port, name, error, sizeof(error));
	if (ret < 0)
		fault("%s: %s", name, error);
	return ret;
}

static int profiles_apply(uint16_t port, const struct setup *now, const struct setup *next) {
	int ret = profile_set(port, "vxlan", "vxlan", now->vxlan, next->vxlan);

	if (ret < 0)
		return ret;
	return profile_set(port, "gtpu", next->gtpu_teid ? "gtpu:teid" : "gtpu", now->gtpu,
			   next->gtpu);
}

// All in one step.
static void list_plan(struct setup *next, uint16_t n_queues, uint32_t *random) {
	next->vxlan = random_next(random) % 2 == 0;
	next->gtpu = random_next(random) % 4 > 0;
	next->gtpu_teid = next->gtpu && random_next(random) % 2 == 0;
}

static int list_apply(uint16_t port, const struct setup *now, const struct setup *next) {
	char error[256] = "", list[64];
	int ret;

	snprintf(list, sizeof(list), "base%s%s%s", next->gtpu ? "+gtpu" : "",
		 next->gtpu_teid ? ":teid" : "", next->vxlan ? "+vxlan" : "");
	ret = rte_pmd_ddp_profile_set(port, list, error, sizeof(error));
	if (ret < 0)
		fault("%s: %s", list, error);
	return ret;
}

static int id_find(uint16_t port, const char *name) {
	struct rte_pmd_ddp_ptype types[256];
	int n = rte_pmd_ddp_ptypes_get(port, types, RTE_DIM(types));

	for (int i = 0; i < n && i < (int)RTE_DIM(types); i++)
		if (strcmp(types[i].name, name) == 0)
			return types[i].id;
	return -ENOENT;
}

static void mapping_plan(struct setup *next, uint16_t n_queues, uint32_t *random) {
	next->tcp_ptype = next->tcp_ptype != 0 ? 0 : UINT32_C(0x80000000) | random_next(random);
}

static int mapping_apply(uint16_t port, const struct setup *now, const struct setup *next) {
	int id = id_find(port, type_names[TYPE_IPV4_TCP]);
	const struct rte_pmd_ddp_ptype_mapping item = {.id = id, .rte_ptype = next->tcp_ptype};

	if (next->tcp_ptype == 0)
		return rte_pmd_ddp_ptype_mapping_reset(port);
	return id < 0 ? id : rte_pmd_ddp_ptype_mapping_update(port, &item, 1, false);
}

// RTE_PTYPE_* of some layers only.
static void layers_plan(struct setup *next, uint16_t n_queues, uint32_t *random) {
	static const uint32_t masks[] = {
		0,
		RTE_PTYPE_L2_MASK,
		RTE_PTYPE_L3_MASK | RTE_PTYPE_L4_MASK,
		RTE_PTYPE_TUNNEL_MASK | RTE_PTYPE_INNER_L4_MASK,
		RTE_PTYPE_ALL_MASK,
	};

	next->ptype_mask = masks[random_next(random) % RTE_DIM(masks)];
}

static int layers_apply(uint16_t port, const struct setup *now, const struct setup *next) {
	return rte_eth_dev_set_ptypes(port, next->ptype_mask, NULL, 0);
}

// It can be declared while a profile knows the tunnel; it outlives the profile.
static void tunnel_plan(struct setup *next, uint16_t n_queues, uint32_t *random) {
	if (next->tunnel || next->vxlan)
		next->tunnel = !next->tunnel;
	else
		next->vxlan = true;
}

static int tunnel_apply(uint16_t port, const struct setup *now, const struct setup *next) {
	struct rte_eth_udp_tunnel tunnel = {
		.udp_port = VXLAN_PORT_MORE,
		.prot_type = RTE_ETH_TUNNEL_TYPE_VXLAN,
	};

	if (next->vxlan != now->vxlan)
		return profiles_apply(port, now, next);
	if (next->tunnel)
		return rte_eth_dev_udp_tunnel_port_add(port, &tunnel);
	return rte_eth_dev_udp_tunnel_port_delete(port, &tunnel);
}

/* Queues */

static void queue_plan(struct setup *next, uint16_t n_queues, uint32_t *random) {
	next->stopped = !next->stopped && n_queues > 1;
	if (next->stopped)
		next->stopped_queue = random_next(random) % n_queues;
}

static int queue_apply(uint16_t port, const struct setup *now, const struct setup *next) {
	if (next->stopped) {
		order_queue_stops(next->stopped_queue);
		return rte_eth_dev_rx_queue_stop(port, next->stopped_queue);
	}
	if (!now->stopped)
		return 0;
	order_queue_starts(now->stopped_queue);
	return rte_eth_dev_rx_queue_start(port, now->stopped_queue);
}

static bool tx_possible(uint16_t port) {
	struct rte_eth_dev_info info;

	return rte_eth_dev_info_get(port, &info) == 0 && info.nb_tx_queues > 0;
}

// The sender on this queue waits meanwhile.
static int tx_queue_apply(uint16_t port, const struct setup *now, const struct setup *next) {
	static uint16_t last;
	struct rte_eth_dev_info info;
	int ret = rte_eth_dev_info_get(port, &info);

	if (ret < 0)
		return ret;
	last = (last + 1) % info.nb_tx_queues;
	stream_dropped_some = true; // a slow lower device leaves some when the queue stops
	ret = rte_eth_dev_tx_queue_stop(port, last);
	return ret < 0 ? ret : rte_eth_dev_tx_queue_start(port, last);
}

/* Flow rules */

static const struct rte_flow_attr rule_attr = {.ingress = 1};
#define UDP_ITEMS ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(UDP))

static struct rte_flow *flow_src, *flow_queue, *flow_drop, *flow_mark; // rules that are on

static bool rules_possible(uint16_t port) {
	struct rte_flow_error error;

	return rte_flow_validate(port, &rule_attr, UDP_ITEMS, ACTIONS(ACTION(DROP)), &error) == 0;
}

// Create a rule that begins, destroy one that ends. 0 or -errno.
static int rule_set(uint16_t port, bool now, bool next, const struct rte_flow_item *items,
		    const struct rte_flow_action *actions, struct rte_flow **flow) {
	struct rte_flow_error error = {0};
	int ret = 0;

	if (next && !now) {
		*flow = rte_flow_create(port, &rule_attr, items, actions, &error);
		ret = *flow == NULL ? -rte_errno : 0;
	} else if (now && !next) {
		ret = rte_flow_destroy(port, *flow, &error);
	}
	if (ret < 0)
		fault("rule: %s", error.message != NULL ? error.message : "?");
	return ret;
}

// A rule for plain UDP flows of a group.
static int group_rule_set(uint16_t port, const struct group_rule *now,
			  const struct group_rule *next, const struct rte_flow_action *actions,
			  struct rte_flow **flow) {
	const struct rte_flow_item_ipv4 ip = {
		.hdr.src_addr = rte_cpu_to_be_32(group_src(next->group)),
	};
	const struct rte_flow_item_ipv4 mask = {.hdr.src_addr = UINT32_MAX};

	return rule_set(port, now->on, next->on,
			ITEMS(ITEM(ETH), ITEM(IPV4, .spec = &ip, .mask = &mask), ITEM(UDP)),
			actions, flow);
}

static void group_rule_plan(struct group_rule *rule, unsigned int first, unsigned int n,
			    uint32_t value, uint32_t *random) {
	rule->on = !rule->on;
	if (!rule->on)
		return;
	rule->group = first + random_next(random) % n;
	rule->value = value;
}

static void rule_src_plan(struct setup *next, uint16_t n_queues, uint32_t *random) {
	next->rule_src = !next->rule_src;
}

static int rule_src_apply(uint16_t port, const struct setup *now, const struct setup *next) {
	const struct rte_flow_action_rss rss = {
		.types = RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_L3_SRC_ONLY,
	};

	return rule_set(port, now->rule_src, next->rule_src,
			ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(TCP)), ACTIONS(ACTION(RSS, .conf = &rss)),
			&flow_src);
}

static void rule_queue_plan(struct setup *next, uint16_t n_queues, uint32_t *random) {
	group_rule_plan(&next->rule_queue, 0, 5, random_next(random) % n_queues, random);
}

static int rule_queue_apply(uint16_t port, const struct setup *now, const struct setup *next) {
	const struct rte_flow_action_queue queue = {.index = next->rule_queue.value};

	return group_rule_set(port, &now->rule_queue, &next->rule_queue,
			      ACTIONS(ACTION(QUEUE, .conf = &queue)), &flow_queue);
}

// A rule, then the list of profiles while it is there.
static void ruled_list_plan(struct setup *next, uint16_t n_queues, uint32_t *random) {
	if (next->rule_queue.on)
		list_plan(next, n_queues, random);
	else
		rule_queue_plan(next, n_queues, random);
}

static int ruled_list_apply(uint16_t port, const struct setup *now, const struct setup *next) {
	if (now->rule_queue.on)
		return list_apply(port, now, next);
	return rule_queue_apply(port, now, next);
}

static void rule_mark_plan(struct setup *next, uint16_t n_queues, uint32_t *random) {
	group_rule_plan(&next->rule_mark, 5, 5, random_next(random), random);
}

static int rule_mark_apply(uint16_t port, const struct setup *now, const struct setup *next) {
	const struct rte_flow_action_mark mark = {.id = next->rule_mark.value};

	return group_rule_set(port, &now->rule_mark, &next->rule_mark,
			      ACTIONS(ACTION(MARK, .conf = &mark), ACTION(PASSTHRU)), &flow_mark);
}

static void rule_drop_plan(struct setup *next, uint16_t n_queues, uint32_t *random) {
	group_rule_plan(&next->rule_drop, 10, 6, 0, random);
}

// The count of the rule that drops.
static uint64_t drop_hits(uint16_t port) {
	const struct rte_flow_action action = {.type = RTE_FLOW_ACTION_TYPE_COUNT};
	struct rte_flow_query_count count = {0};
	struct rte_flow_error error;

	if (rte_flow_query(port, flow_drop, &action, &count, &error) != 0 || !count.hits_set)
		fault("no count of dropped packets");
	return count.hits;
}

// Since changes_count_drops().
static struct drops {
	uint64_t before;  // of the rule that there is: what it had counted then
	uint64_t counted; // by rules that have gone
	uint64_t seen;    // by the port, when the count of one that goes was read
	uint64_t unseen;  // between that and its end
} drops;

void changes_count_drops(uint16_t port, const struct setup *setup) {
	drops = (struct drops){.before = setup->rule_drop.on ? drop_hits(port) : 0};
}

uint64_t changes_n_dropped(uint16_t port, const struct setup *setup) {
	uint64_t n = drops.counted + drops.unseen;

	return setup->rule_drop.on ? n + drop_hits(port) - drops.before : n;
}

// A rule's count and the port's are read at one moment, and again the port's when the rule is gone:
// it goes while packets come.
static void drop_rule_goes(uint16_t port) {
	workers_park();
	drops.counted += drop_hits(port) - drops.before;
	drops.before = 0;
	drops.seen = xstat_dropped_by_rule(port);
	workers_resume();
}

static void drop_rule_gone(uint16_t port) {
	workers_park();
	drops.unseen += xstat_dropped_by_rule(port) - drops.seen;
	workers_resume();
}

static int rule_drop_apply(uint16_t port, const struct setup *now, const struct setup *next) {
	const bool goes = now->rule_drop.on && !next->rule_drop.on;
	int ret;

	if (goes)
		drop_rule_goes(port);
	ret = group_rule_set(port, &now->rule_drop, &next->rule_drop,
			     ACTIONS(ACTION(COUNT), ACTION(DROP)), &flow_drop);
	if (goes)
		drop_rule_gone(port);
	return ret;
}

/* Load-aware RSS */

bool changes_balance;

static bool balance_possible(uint16_t port) {
	return changes_balance;
}

static void balance_plan(struct setup *next, uint16_t n_queues, uint32_t *random) {
	static const uint16_t ms[] = {0, 1, 1, 1, 2, 7};

	next->balance_ms = ms[random_next(random) % RTE_DIM(ms)];
	next->adrift |= next->balance_ms > 0;
}

static int balance_apply(uint16_t port, const struct setup *now, const struct setup *next) {
	return rte_pmd_ddp_balance_set(port, next->balance_ms);
}

int changes_spread(uint16_t port, struct setup *setup, uint16_t n_queues) {
	struct setup first, next = *setup;
	int ret;

	setup_init(&first, n_queues);
	next.rss_hf = first.rss_hf;
	memcpy(next.key, first.key, sizeof(next.key));
	memcpy(next.reta, first.reta, sizeof(next.reta));
	next.balance_ms = 0;
	next.adrift = false;
	next.stopped = false;
	ret = balance_apply(port, setup, &next);
	if (ret == 0)
		ret = queue_apply(port, setup, &next);
	if (ret == 0)
		ret = reta_apply(port, setup, &next);
	if (ret == 0)
		ret = hash_apply(port, setup, &next);
	*setup = next;
	return ret;
}

// Instead of the moves that plugin/rss decides on, which are few, each interval some entries move,
// from any queue to any that is polled.

atomic_bool moves_random;
static uint32_t moves_state;

unsigned int __real_ddp_balancer_step(struct ddp_balancer *balancer,
				      const struct ddp_balancer_interval *interval,
				      struct ddp_balancer_move *moves);
unsigned int __wrap_ddp_balancer_step(struct ddp_balancer *balancer,
				      const struct ddp_balancer_interval *interval,
				      struct ddp_balancer_move *moves);

// A queue that is not polled may lose entries, and gets none.
unsigned int __wrap_ddp_balancer_step(struct ddp_balancer *balancer,
				      const struct ddp_balancer_interval *interval,
				      struct ddp_balancer_move *moves) {
	unsigned int n = __real_ddp_balancer_step(balancer, interval, moves), n_tries, first;

	if (!moves_random || balancer->before == 0)
		return n;
	n = 0;
	n_tries = 1 + random_next(&moves_state) % DDP_BALANCER_MOVES;
	first = random_next(&moves_state);
	for (unsigned int i = 0; i < n_tries; i++) {
		uint16_t entry = (first + i * 37) % balancer->n_entries;
		uint16_t from = interval->reta[entry],
			 to = random_next(&moves_state) % balancer->n_queues;

		if (to != from && interval->usable[to])
			moves[n++] =
				(struct ddp_balancer_move){.entry = entry, .from = from, .to = to};
	}
	return n;
}

/* All rules at once */

#define IDLE_RULES 5 // for packets that there are not

static int idle_rules_create(uint16_t port) {
	for (uint16_t i = 0; i < IDLE_RULES; i++) {
		const struct group_rule none = {0}, rule = {.on = true, .group = GROUPS + i};
		struct rte_flow *flow;
		int ret = group_rule_set(port, &none, &rule, ACTIONS(ACTION(DROP)), &flow);

		if (ret < 0)
			return ret;
	}
	return 0;
}

// One step takes all rules away. Of those that come, one shows.
static void flush_plan(struct setup *next, uint16_t n_queues, uint32_t *random) {
	next->rules_idle = !next->rules_idle;
	if (next->rules_idle) {
		if (!next->rule_mark.on)
			rule_mark_plan(next, n_queues, random);
		return;
	}
	next->rule_src = false;
	next->rule_queue.on = false;
	next->rule_drop.on = false;
	next->rule_mark.on = false;
}

static int flush_apply(uint16_t port, const struct setup *now, const struct setup *next) {
	struct rte_flow_error error;
	int ret;

	if (next->rules_idle) {
		ret = idle_rules_create(port);
		return ret < 0 ? ret : rule_mark_apply(port, now, next);
	}
	if (now->rule_drop.on)
		drop_rule_goes(port);
	ret = rte_flow_flush(port, &error);
	if (now->rule_drop.on)
		drop_rule_gone(port);
	return ret;
}

int changes_flush(uint16_t port, struct setup *setup) {
	struct rte_flow_error error;

	setup->rules_idle = true; // as if there were some
	flush_plan(setup, 0, NULL);
	return rte_flow_flush(port, &error);
}

/* Calls that change nothing of a packet */

// A refused call changes nothing, not even in part.
static int refused_apply(uint16_t port, const struct setup *now, const struct setup *next) {
	struct rte_eth_rss_reta_entry64 groups[RETA_SIZE / RTE_ETH_RETA_GROUP_SIZE];
	uint8_t key[KEY_SIZE] = {0};
	struct rte_eth_rss_conf conf = {.rss_key = key, .rss_key_len = 39, .rss_hf = 0};

	memset(groups, 0, sizeof(groups));
	for (unsigned int i = 0; i < RTE_DIM(groups); i++)
		groups[i].mask = UINT64_MAX;
	groups[RTE_DIM(groups) - 1].reta[63] = UINT16_MAX; // there is no such queue
	if (rte_eth_dev_rss_reta_update(port, groups, RETA_SIZE) >= 0 ||
	    rte_eth_dev_rss_hash_update(port, &conf) >= 0)
		return -EEXIST;
	return 0;
}

static int stats_apply(uint16_t port, const struct setup *now, const struct setup *next) {
	struct rte_eth_stats stats;
	int ret = rte_eth_stats_get(port, &stats);

	if (ret == 0)
		ret = stats.ipackets % 2 == 0 ? rte_eth_stats_reset(port) :
						rte_eth_xstats_reset(port);
	return ret;
}

// Settings of the lower device, and the link.
static int lower_apply(uint16_t port, const struct setup *now, const struct setup *next) {
	static unsigned int turn;
	struct rte_ether_addr mac = {{2, 0, 0, 0, 0, 1 + turn / 8 % 2}};
	struct rte_ether_addr more = {{2, 0, 0, 0, 1, 1}}, group = {{0x33, 0x33, 0, 0, 0, 1}};
	bool on = turn / 8 % 2 == 0;

	switch (turn++ % 8) {
	case 0:
		return rte_eth_dev_set_mtu(port, on ? 1400 : RTE_ETHER_MTU);
	case 1:
		return on ? rte_eth_promiscuous_disable(port) : rte_eth_promiscuous_enable(port);
	case 2:
		return on ? rte_eth_allmulticast_enable(port) : rte_eth_allmulticast_disable(port);
	case 3:
		return rte_eth_dev_default_mac_addr_set(port, &mac);
	case 4:
		return on ? rte_eth_dev_mac_addr_add(port, &more, 0) :
			    rte_eth_dev_mac_addr_remove(port, &more);
	case 5:
		return rte_eth_dev_set_mc_addr_list(port, &group, on);
	case 6:
		return on ? rte_eth_dev_set_link_down(port) : rte_eth_dev_set_link_up(port);
	default:
		return rte_eth_dev_is_removed(port) ? -ENODEV : 0;
	}
}

const struct change changes[] = {
	{.name = "RETA", .plan = reta_plan, .apply = reta_apply},
	{.name = "key and hash fields", .plan = hash_plan, .apply = hash_apply, .slow = true},
	{.name = "profiles", .plan = profiles_plan, .apply = profiles_apply, .slow = true},
	{.name = "list of profiles", .plan = list_plan, .apply = list_apply, .slow = true},
	{.name = "tunnel port", .plan = tunnel_plan, .apply = tunnel_apply, .slow = true},
	{.name = "packet type mapping", .plan = mapping_plan, .apply = mapping_apply},
	{.name = "packet type layers", .plan = layers_plan, .apply = layers_apply},
	{.name = "queue", .plan = queue_plan, .apply = queue_apply, .stops = true, .pairs = true},
	{"Tx queue", tx_possible, nothing_plan, tx_queue_apply, .stops = true},
	{"hash rule", rules_possible, rule_src_plan, rule_src_apply, .unlocked = true,
	 .pairs = true},
	{"rule with a queue", rules_possible, rule_queue_plan, rule_queue_apply, .unlocked = true,
	 .steers = true, .pairs = true},
	{"profiles and a rule", rules_possible, ruled_list_plan, ruled_list_apply, .slow = true,
	 .unlocked = true, .steers = true},
	{"rule with a mark", rules_possible, rule_mark_plan, rule_mark_apply, .unlocked = true,
	 .pairs = true},
	{"rule that drops", rules_possible, rule_drop_plan, rule_drop_apply, .unlocked = true,
	 .pairs = true},
	{"rules, all at once", rules_possible, flush_plan, flush_apply, .unlocked = true,
	 .steers = true, .pairs = true},
	{.name = "lower device and link", .plan = nothing_plan, .apply = lower_apply},
	{.name = "refused calls", .plan = nothing_plan, .apply = refused_apply},
	{.name = "load-aware RSS",
	 .possible = balance_possible,
	 .plan = balance_plan,
	 .apply = balance_apply},
	{.name = "reset of statistics", .plan = nothing_plan, .apply = stats_apply, .resets = true},
};

const unsigned int n_changes = RTE_DIM(changes);
