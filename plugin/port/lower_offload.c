/* SPDX-License-Identifier: BSD-3-Clause */
#include "port.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_alarm.h>
#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_flow.h>

#include "package/package.h"

static_assert(sizeof(((struct ddp_offload *)0)->key) == DDP_KEY_SIZE, "a key is kept whole");

// A packet that was hashed before a change is in its queue by then.
#define DRAIN_US 100

#define WATCH_US 1000000

__attribute__((format(printf, 3, 4))) static int fail(char *error, size_t size, const char *fmt,
						      ...) {
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(error, size, fmt, ap);
	va_end(ap);
	return -ENOTSUP;
}

/* What the lower device is */

static bool is_net_ddp(const struct ddp_port *port) {
	const char *driver = port->lower.info.driver_name;

	return driver != NULL && strcmp(driver, "net_ddp") == 0;
}

// Its parser is that of its profiles: known is the one that stands for an 800-series NIC.
static bool net_ddp_is_known(uint16_t port_id) {
	struct rte_pmd_ddp_profile profiles[2];

	return rte_pmd_ddp_profiles_get(port_id, profiles, 2) == 1 &&
	       strcmp(profiles[0].name, "e810-comms") == 0;
}

static const struct ddp_nic *nic_find(struct ddp_port *port) {
	const char *driver = port->lower.info.driver_name;
	bool known;

	if (port->offload.asked != NULL)
		return port->offload.asked;
	if (driver == NULL)
		return ddp_nic_find("none");
	if (!is_net_ddp(port))
		return ddp_nic_of_driver(driver);
	known = DDP_LOWER_CALL(port, net_ddp_is_known(port->lower.port_id)) == 1;
	return ddp_nic_find(known ? "net_ddp" : "none");
}

// Without a flag in the mbuf nobody knows which packets were hashed.
static bool is_able(const struct ddp_port *port) {
	return port->offload.mode != DDP_OFFLOAD_OFF &&
	       (port->lower.info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_RSS_HASH) != 0 &&
	       port->lower.info.hash_key_size > 0;
}

// Another net_ddp has no more processors with more queues.
bool ddp_offload_spreads(const struct ddp_port *port) {
	return is_able(port) && port->lower.info.reta_size > 0 && !is_net_ddp(port);
}

void ddp_offload_conf(const struct ddp_port *port, struct rte_eth_conf *conf) {
	if (!is_able(port))
		return;
	conf->rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
	conf->rxmode.offloads |= RTE_ETH_RX_OFFLOAD_RSS_HASH;
	// With none to begin with, net_i40e takes no other types later.
	conf->rx_adv_conf.rss_conf.rss_hf =
		port->lower.info.flow_type_rss_offloads & DDP_LOWER_SPREAD_HF;
}

/* Rules */

#define ITEMS_MAX (DDP_OFFLOAD_ITEMS + 1)

// A rule as rte_flow has it.
struct flow_text {
	struct rte_flow_item items[ITEMS_MAX];
	struct rte_flow_item_gtp_psc psc, psc_mask;
	struct rte_flow_item_raw raw, raw_mask;
	char spec[2 * DDP_OFFLOAD_RAW_SIZE + 1], mask[2 * DDP_OFFLOAD_RAW_SIZE + 1];
	struct rte_flow_action_rss rss;
	struct rte_flow_action actions[2];
};

static const struct {
	const char *name;
	enum rte_flow_item_type type;
} item_types[] = {
	{"eth", RTE_FLOW_ITEM_TYPE_ETH},         {"gre", RTE_FLOW_ITEM_TYPE_GRE},
	{"gtp_psc", RTE_FLOW_ITEM_TYPE_GTP_PSC}, {"gtpu", RTE_FLOW_ITEM_TYPE_GTPU},
	{"ipv4", RTE_FLOW_ITEM_TYPE_IPV4},       {"ipv6", RTE_FLOW_ITEM_TYPE_IPV6},
	{"pppoes", RTE_FLOW_ITEM_TYPE_PPPOES},   {"sctp", RTE_FLOW_ITEM_TYPE_SCTP},
	{"tcp", RTE_FLOW_ITEM_TYPE_TCP},         {"udp", RTE_FLOW_ITEM_TYPE_UDP},
};

static enum rte_flow_item_type item_type(const char *name) {
	for (unsigned int i = 0; i < RTE_DIM(item_types); i++)
		if (strcmp(item_types[i].name, name) == 0)
			return item_types[i].type;
	return RTE_FLOW_ITEM_TYPE_ANY; // which no driver accepts here
}

static void items_fill(const struct ddp_offload_rule *rule, struct flow_text *text) {
	for (unsigned int i = 0; i < rule->n_items; i++) {
		struct rte_flow_item *item = &text->items[i];

		item->type = item_type(rule->items[i]);
		if (item->type != RTE_FLOW_ITEM_TYPE_GTP_PSC || rule->pdu_type < 0)
			continue;
		text->psc.hdr.type = rule->pdu_type;
		text->psc_mask.hdr.type = 0xf;
		item->spec = &text->psc;
		item->mask = &text->psc_mask;
	}
}

static void hex_fill(const uint8_t *bytes, unsigned int n, char *text) {
	for (unsigned int i = 0; i < n; i++)
		snprintf(&text[2 * i], 3, "%02x", bytes[i]);
}

static void raw_fill(const struct ddp_offload_rule *rule, struct flow_text *text) {
	hex_fill(rule->spec, rule->size, text->spec);
	hex_fill(rule->mask, rule->size, text->mask);
	text->raw.pattern = (const uint8_t *)text->spec;
	text->raw.length = 2 * rule->size;
	text->raw_mask.pattern = (const uint8_t *)text->mask;
	text->raw_mask.length = 2 * rule->size;
	text->items[0] = (struct rte_flow_item){
		.type = RTE_FLOW_ITEM_TYPE_RAW,
		.spec = &text->raw,
		.mask = &text->raw_mask,
	};
}

static void flow_fill(const struct ddp_offload_rule *rule, struct flow_text *text) {
	memset(text, 0, sizeof(*text)); // items end with type END, 0
	if (rule->n_items > 0)
		items_fill(rule, text);
	else
		raw_fill(rule, text);
	text->rss.types = rule->types;
	text->actions[0].type = RTE_FLOW_ACTION_TYPE_RSS;
	text->actions[0].conf = &text->rss;
}

static const struct rte_flow_attr ingress = {.ingress = 1};

static bool is_accepted(void *ctx, const struct ddp_offload_rule *rule) {
	struct ddp_port *port = ctx;
	struct flow_text text;
	struct rte_flow_error error;

	flow_fill(rule, &text);
	return DDP_LOWER_CALL(port, rte_flow_validate(port->lower.port_id, &ingress, text.items,
						      text.actions, &error)) == 0;
}

static void flows_remove(struct ddp_port *port) {
	struct ddp_offload *offload = &port->offload;
	struct rte_flow_error error;

	while (offload->n_flows > 0) {
		struct rte_flow *flow = offload->flows[--offload->n_flows];
		int ret = DDP_LOWER_CALL(port, rte_flow_destroy(port->lower.port_id, flow, &error));

		if (ret < 0 && !port->lower.gone)
			PORT_LOG(ERR, port->name, "a rule of lower device %s cannot be removed: %s",
				 port->lower.name, error.message != NULL ? error.message : "");
	}
	free(offload->flows);
	offload->flows = NULL;
}

static int no_memory(char *error, size_t size) {
	snprintf(error, size, "out of memory");
	return -ENOMEM;
}

static int lower_flow_create(uint16_t port_id, const struct flow_text *text, struct rte_flow **flow,
			     struct rte_flow_error *error) {
	*flow = rte_flow_create(port_id, &ingress, text->items, text->actions, error);
	return *flow != NULL ? 0 : -rte_errno;
}

static int flows_make(struct ddp_port *port, const struct ddp_plan *plan, char *error, size_t size) {
	struct ddp_offload *offload = &port->offload;
	struct rte_flow_error flow_error = {0};
	struct flow_text text;

	offload->flows = calloc(plan->n_rules + 1, sizeof(struct rte_flow *));
	if (offload->flows == NULL)
		return no_memory(error, size);
	for (; offload->n_flows < plan->n_rules; offload->n_flows++) {
		struct rte_flow **flow = &offload->flows[offload->n_flows];
		int ret;

		flow_fill(&plan->rules[offload->n_flows], &text);
		ret = DDP_LOWER_CALL(
			port, lower_flow_create(port->lower.port_id, &text, flow, &flow_error));
		if (ret < 0)
			return fail(error, size, "rule %u of %u: %s", offload->n_flows + 1,
				    plan->n_rules,
				    flow_error.message != NULL ? flow_error.message :
								 rte_strerror(-ret));
	}
	return 0;
}

/* UDP ports */

static void tunnels_remove(struct ddp_port *port) {
	struct ddp_offload *offload = &port->offload;

	while (offload->n_tunnels > 0) {
		struct rte_eth_udp_tunnel tunnel = {
			.udp_port = offload->plan->tunnels[--offload->n_tunnels].port,
			.prot_type = RTE_ETH_TUNNEL_TYPE_VXLAN,
		};

		DDP_LOWER_CALL(port,
			       rte_eth_dev_udp_tunnel_port_delete(port->lower.port_id, &tunnel));
	}
}

static int tunnels_declare(struct ddp_port *port, const struct ddp_plan *plan, char *error,
			   size_t size) {
	struct ddp_offload *offload = &port->offload;

	for (; offload->n_tunnels < plan->n_tunnels; offload->n_tunnels++) {
		struct rte_eth_udp_tunnel tunnel = {
			.udp_port = plan->tunnels[offload->n_tunnels].port,
			.prot_type = RTE_ETH_TUNNEL_TYPE_VXLAN,
		};
		int ret = DDP_LOWER_CALL(
			port, rte_eth_dev_udp_tunnel_port_add(port->lower.port_id, &tunnel));

		if (ret < 0)
			return fail(error, size, "UDP port %u of %s: %s", tunnel.udp_port,
				    plan->tunnels[offload->n_tunnels].header, rte_strerror(-ret));
	}
	return 0;
}

/* Programming */

// The lower device hashes with our key: of a shorter one, our first bytes.
static int hash_set(struct ddp_port *port, uint64_t rss_hf, char *error, size_t size) {
	struct rte_eth_rss_conf conf = {
		.rss_key = port->rss.key,
		.rss_key_len = RTE_MIN(port->lower.info.hash_key_size, DDP_KEY_SIZE),
		.rss_hf = (rss_hf & port->lower.info.flow_type_rss_offloads) |
			  ddp_package_rss_hf(port),
	};
	int ret = DDP_LOWER_CALL(port, rte_eth_dev_rss_hash_update(port->lower.port_id, &conf));

	port->offload.drain = true;
	if (ret < 0)
		return fail(error, size, "RSS key and types: %s", rte_strerror(-ret));
	memcpy(port->offload.key, port->rss.key, sizeof(port->offload.key));
	return 0;
}

// What the lower port was configured with: it spreads packets over its queues by that.
static void hash_reset(struct ddp_port *port) {
	struct rte_eth_rss_conf conf = port->lower.conf.rx_adv_conf.rss_conf;
	int ret = DDP_LOWER_CALL(port, rte_eth_dev_rss_hash_update(port->lower.port_id, &conf));

	if (ret < 0)
		PORT_LOG(ERR, port->name, "RSS types of lower device %s cannot be put back: %s",
			 port->lower.name, rte_strerror(-ret));
}

static void plan_undo(struct ddp_port *port) {
	struct ddp_offload *offload = &port->offload;

	ddp_lower_reta_undo(port);
	flows_remove(port);
	tunnels_remove(port);
	offload->misrouted = false;
	if (offload->plan != NULL && !port->lower.gone)
		hash_reset(port);
	ddp_plan_destroy(offload->plan);
	offload->plan = NULL;
	offload->drain = true;
	offload->n_mismatched = 0;
}

// All of a plan or nothing. The plan is the port's from then on, or destroyed.
static int plan_program(struct ddp_port *port, struct ddp_plan *plan, char *error, size_t size) {
	struct ddp_offload *offload = &port->offload;
	int ret;

	offload->plan = plan;
	ret = ddp_package_hash(port, plan, error, size);
	if (ret == 0)
		ret = hash_set(port, plan->rss_hf, error, size);
	if (ret == 0)
		ret = tunnels_declare(port, plan, error, size);
	if (ret == 0)
		ret = flows_make(port, plan, error, size);
	if (ret < 0)
		plan_undo(port);
	return ret;
}

static struct ddp_plan *plan_make(struct ddp_port *port, const struct ddp_personality *personality,
				  const struct ddp_package *package) {
	const struct ddp_plan_ask ask = {
		.rss_hf = port->rss.rss_hf,
		.key_size = RTE_MIN(port->lower.info.hash_key_size, DDP_KEY_SIZE),
		.spreads = port->lower.n_rxq > 1,
		.package = package,
		.accepts = is_accepted,
		.ctx = port,
	};

	return ddp_plan_build(port->offload.nic, personality->profile, personality->program, &ask);
}

// Without a plan all is software's, and the reason is noted.
static int plan_apply(struct ddp_port *port, const struct ddp_personality *personality) {
	struct ddp_offload *offload = &port->offload;
	struct ddp_plan *plan = plan_make(port, personality, ddp_package_of(port));

	if (plan == NULL)
		return no_memory(offload->why, sizeof(offload->why));
	offload->rss_hf = port->rss.rss_hf;
	if (plan->n_ptypes == 0) {
		ddp_plan_destroy(plan);
		return fail(offload->why, sizeof(offload->why),
			    "%s hashes no packet type as the profile does",
			    ddp_nic_title(offload->nic));
	}
	return plan_program(port, plan, offload->why, sizeof(offload->why));
}

/* Packages */

static int package_fail(const struct ddp_port *port, int ret) {
	const struct ddp_offload *offload = &port->offload;

	if (offload->mode == DDP_OFFLOAD_REQUIRE) {
		PORT_LOG(ERR, port->name,
			 "offload=require, but lower device %s cannot have its package: %s",
			 port->lower.name, offload->why);
		return ret;
	}
	PORT_LOG(WARNING, port->name, "lower device %s does without its package: %s",
		 port->lower.name, offload->why);
	return 0;
}

// Only where something comes of it: a package changes all of the NIC.
static int package_use(struct ddp_port *port, struct ddp_package *package) {
	struct ddp_offload *offload = &port->offload;
	struct ddp_plan *plan = plan_make(port, port->personality, package);
	int ret = 0;

	if (plan == NULL) {
		ret = no_memory(offload->why, sizeof(offload->why));
		ddp_package_close(package);
	} else if (plan->package == NULL) {
		PORT_LOG(INFO, port->name,
			 "lower device %s is not given %s: it would hash no more as the profile does",
			 port->lower.name, package->path);
		ddp_package_close(package);
	} else {
		ret = ddp_package_load(port, package, plan, offload->why, sizeof(offload->why));
		if (ret == 0)
			PORT_LOG(INFO, port->name, "lower device %s was given %s until it stops",
				 port->lower.name, package->path);
	}
	ddp_plan_destroy(plan);
	return ret < 0 ? package_fail(port, ret) : 0;
}

int ddp_offload_prepare(struct ddp_port *port) {
	struct ddp_offload *offload = &port->offload;
	struct ddp_package *package;

	if (!is_able(port))
		return 0;
	offload->nic = nic_find(port);
	if (!ddp_package_is_possible(port))
		return 0;
	package = ddp_package_find(port, port->personality);
	return package != NULL ? package_use(port, package) : 0;
}

void ddp_offload_release(struct ddp_port *port) {
	ddp_package_unload(port);
}

// A NIC that runs takes no package: what it has is used, as far as that goes.
static void package_report(const struct ddp_port *port, const struct ddp_personality *personality) {
	const struct ddp_package *now = ddp_package_of(port);
	struct ddp_package *package;

	if (!ddp_package_is_possible(port))
		return;
	package = ddp_package_find(port, personality);
	if (package != NULL && (now == NULL || now->track_id != package->track_id))
		PORT_LOG(INFO, port->name,
			 "lower device %s takes no package while it runs: %s has to wait for the next start",
			 port->lower.name, package->path);
	ddp_package_close(package);
}

// Something failed after the package went in: do without.
static int package_drop(struct ddp_port *port, int ret) {
	ret = package_fail(port, ret);
	if (ret < 0)
		return ret;
	ddp_lower_stop(port);
	ddp_package_unload(port);
	ret = ddp_lower_start(port);
	if (ret < 0)
		return ret;
	plan_apply(port, port->personality);
	return 0;
}

int ddp_offload_replan(struct ddp_port *port, const struct ddp_personality *personality,
		       char *error, size_t error_size) {
	struct ddp_offload *offload = &port->offload;
	int ret;

	if (!offload->on)
		return 0;
	ddp_hw_ptypes_set(port, NULL, false);
	plan_undo(port);
	if (personality->n_sources != port->personality->n_sources)
		package_report(port, personality);
	ret = plan_apply(port, personality);
	if (ret == 0 || (ret != -ENOMEM && offload->mode != DDP_OFFLOAD_REQUIRE))
		return 0;
	snprintf(error, error_size, "%s%s", ret != -ENOMEM ? "offload=require: " : "", offload->why);
	plan_apply(port, port->personality);
	return ret;
}

/* What was not as promised */

static bool is_mismatched(const struct ddp_offload *offload, uint32_t rte_ptype) {
	for (unsigned int i = 0; i < offload->n_mismatched; i++)
		if (offload->mismatched[i] == rte_ptype)
			return true;
	return false;
}

static void mismatch_report(struct ddp_port *port, const struct ddp_hw_ptype *hw_ptype) {
	struct ddp_offload *offload = &port->offload;

	if (offload->n_mismatched == DDP_OFFLOAD_MISMATCHES ||
	    is_mismatched(offload, hw_ptype->rte_ptype))
		return;
	offload->mismatched[offload->n_mismatched++] = hw_ptype->rte_ptype;
	PORT_LOG(WARNING, port->name,
		 "lower device %s (%s): of %u packets of its packet type 0x%08x that were checked, %u had "
		 "another hash or packet type than its rules promise: software has them from now on",
		 port->lower.name, ddp_nic_name(offload->nic), ddp_hw_ptype_read(&hw_ptype->checked),
		 hw_ptype->rte_ptype, ddp_hw_ptype_read(&hw_ptype->wrong));
}

void ddp_offload_watch(struct ddp_port *port) {
	const struct ddp_hw_ptypes *hw_ptypes = port->hw_ptypes;

	for (uint32_t i = 0; hw_ptypes != NULL && i <= hw_ptypes->mask; i++) {
		const struct ddp_hw_ptype *hw_ptype = &hw_ptypes->slots[i];

		if (hw_ptype->rte_ptype != 0 && ddp_hw_ptype_read(&hw_ptype->wrong) > 0)
			mismatch_report(port, hw_ptype);
	}
	if (hw_ptypes == NULL || port->offload.misrouted ||
	    ddp_hw_ptype_read(&hw_ptypes->misrouted) == 0)
		return;
	port->offload.misrouted = true;
	PORT_LOG(WARNING, port->name,
		 "lower device %s (%s): packets are not on the queues that its redirection table says: they "
		 "are steered in software from now on",
		 port->lower.name, ddp_nic_name(port->offload.nic));
}

// The data path cannot log. An alarm holds no port: it may be gone, or its number another's.
static void alarm_ring(void *arg) {
	struct ddp_port *port = ddp_registry_get((uintptr_t)arg);

	if (port == NULL)
		return;
	ddp_offload_watch(port);
	port->offload.watched =
		port->offload.on && rte_eal_alarm_set(WATCH_US, alarm_ring, arg) == 0;
	ddp_registry_put(port);
}

static void watch_begin(struct ddp_port *port) {
	struct ddp_offload *offload = &port->offload;

	if (!offload->watched)
		offload->watched =
			rte_eal_alarm_set(WATCH_US, alarm_ring, (void *)(uintptr_t)port->id) == 0;
}

/* What has_drained */

static void hw_ptype_put(struct ddp_hw_ptypes *hw_ptypes, const struct ddp_hw_ptype *hw_ptype) {
	uint32_t at = hw_ptype->rte_ptype * UINT32_C(0x9e3779b1) >> hw_ptypes->shift;

	while (hw_ptypes->slots[at].rte_ptype != 0)
		at = (at + 1) & hw_ptypes->mask;
	hw_ptypes->slots[at] = *hw_ptype;
}

static struct ddp_hw_ptypes *hw_ptypes_make(const struct ddp_port *port) {
	const struct ddp_plan *plan = port->offload.plan;
	unsigned int n = rte_align32pow2(2 * plan->n_ptypes + 2);
	struct ddp_hw_ptypes *hw_ptypes =
		calloc(1, sizeof(*hw_ptypes) + n * sizeof(hw_ptypes->slots[0]));

	if (hw_ptypes == NULL)
		return NULL;
	hw_ptypes->mask = n - 1;
	hw_ptypes->bypass = port->offload.bypass;
	hw_ptypes->shift = 32 - __builtin_ctz(n);
	for (unsigned int i = 0; i < plan->n_ptypes; i++) {
		const struct ddp_offload_ptype *ptype = &plan->ptypes[i];
		uint16_t id = ddp_program_type(port->personality->program, ptype->type)->id;
		const struct ddp_hw_ptype hw_ptype = {
			.rte_ptype = ptype->rte_ptype,
			.packet_type = ddp_mapping_apply(port->mapping, id, ptype->found) &
				       port->ptype_mask,
			.type_id = id,
			.wrong = is_mismatched(&port->offload, ptype->rte_ptype),
		};

		hw_ptype_put(hw_ptypes, &hw_ptype);
	}
	return hw_ptypes;
}

// What decides elsewhere, or that nothing is to be hashed, leaves nothing to pass.
static bool may_use_hardware(const struct ddp_port *port) {
	return port->offload.on && port->offload.plan != NULL && port->rss.enabled &&
	       port->rss.rss_hf != 0 && (port->flows == NULL || port->flows->n == 0);
}

static void rss_follow(struct ddp_port *port) {
	struct ddp_offload *offload = &port->offload;
	char ignored[sizeof(offload->why) + 32];

	if (offload->rss_hf != port->rss.rss_hf && port->personality->profile->by_rss_hf)
		ddp_offload_replan(port, port->personality, ignored, sizeof(ignored));
	else if (memcmp(offload->key, port->rss.key, sizeof(offload->key)) != 0 &&
		 hash_set(port, offload->plan->rss_hf, offload->why, sizeof(offload->why)) < 0)
		plan_undo(port);
}

void ddp_offload_renew(struct ddp_port *port) {
	struct ddp_offload *offload = &port->offload;
	struct ddp_hw_ptypes *hw_ptypes;

	if (!may_use_hardware(port))
		return;
	rss_follow(port);
	if (offload->plan == NULL)
		return;
	ddp_lower_reta_follow(port);
	hw_ptypes = hw_ptypes_make(port);
	if (hw_ptypes == NULL) {
		PORT_LOG(WARNING, port->name,
			 "out of memory: what lower device %s hashes is hashed again in software",
			 port->lower.name);
		return;
	}
	if (offload->drain)
		rte_delay_us_sleep(DRAIN_US);
	ddp_hw_ptypes_set(port, hw_ptypes, offload->drain);
	offload->drain = false;
	watch_begin(port);
}

static void start_log(const struct ddp_port *port, int ret) {
	const struct ddp_offload *offload = &port->offload;

	if (ret == -ENOMEM)
		PORT_LOG(WARNING, port->name, "lower device %s hashes nothing for us: %s",
			 port->lower.name, offload->why);
	else if (ret < 0)
		PORT_LOG(DEBUG, port->name, "lower device %s hashes nothing for us: %s",
			 port->lower.name, offload->why);
	else
		PORT_LOG(INFO, port->name,
			 "lower device %s (%s) hashes %u of its packet types for us, by %u rules",
			 port->lower.name, ddp_nic_name(offload->nic), offload->plan->n_ptypes,
			 offload->plan->n_rules);
}

int ddp_offload_start(struct ddp_port *port) {
	struct ddp_offload *offload = &port->offload;
	int ret;

	if (offload->mode == DDP_OFFLOAD_OFF)
		return 0;
	offload->on = is_able(port);
	offload->nic = offload->on ? nic_find(port) : NULL;
	if (offload->on)
		ret = plan_apply(port, port->personality);
	else
		ret = fail(offload->why, sizeof(offload->why),
			   "it offers no RSS hash in the mbuf (RSS_HASH)");
	if (ret < 0 && offload->i40e != NULL) {
		int dropped = package_drop(port, ret);

		if (dropped < 0) {
			offload->on = false;
			return dropped;
		}
		ret = offload->plan != NULL ? 0 : ret;
	}
	start_log(port, ret);
	if (ret < 0 && offload->mode == DDP_OFFLOAD_REQUIRE) {
		PORT_LOG(ERR, port->name, "offload=require, but lower device %s: %s",
			 port->lower.name, offload->why);
		offload->on = false;
		return ret;
	}
	ddp_offload_renew(port);
	return 0;
}

void ddp_offload_stop(struct ddp_port *port) {
	if (!port->offload.on)
		return;
	ddp_offload_watch(port);
	ddp_hw_ptypes_set(port, NULL, false);
	plan_undo(port);
	port->offload.on = false;
}
