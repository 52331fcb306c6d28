/* SPDX-License-Identifier: BSD-3-Clause */
// A plan on the lower port: its rte_flow rules, the UDP ports of its tunnels, and the table of the
// packet types that the lower device hashes for us, exchanged under traffic and watched.
#include "port/lower/lower.h"
#include "port/quiesce/quiesce.h"
#include "port/state/control.h"

#include <stdlib.h>

#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_malloc.h>

#include "base/rte_item.h"

static const struct rte_flow_attr ingress = {.ingress = 1};

// A rule as rte_flow has it.
struct flow_text {
	struct rte_flow_item items[DDP_OFFLOAD_ITEMS + 1];
	struct rte_flow_item_gtp_psc psc, psc_mask;
	struct rte_flow_item_raw raw, raw_mask;
	char spec[2 * DDP_OFFLOAD_RAW_SIZE + 1], mask[2 * DDP_OFFLOAD_RAW_SIZE + 1];
	struct rte_flow_action_rss rss;
	struct rte_flow_action actions[2];
};

static void hex_fill(const uint8_t *bytes, unsigned int n, char *text) {
	for (unsigned int i = 0; i < n; i++)
		snprintf(&text[2 * i], 3, "%02x", bytes[i]);
}

static void flow_fill(const struct ddp_offload_rule *rule, struct flow_text *text) {
	struct rte_flow_item *item = text->items;

	memset(text, 0, sizeof(*text)); // items end with type END, 0
	for (unsigned int i = 0; i < rule->n_items; i++, item++) {
		item->type = ddp_rte_item_type(rule->items[i]);
		if (item->type != RTE_FLOW_ITEM_TYPE_GTP_PSC || rule->pdu_type < 0)
			continue;
		text->psc.hdr.type = rule->pdu_type;
		text->psc_mask.hdr.type = 0xf;
		item->spec = &text->psc;
		item->mask = &text->psc_mask;
	}
	if (rule->n_items == 0) {
		hex_fill(rule->spec, rule->size, text->spec);
		hex_fill(rule->mask, rule->size, text->mask);
		text->raw.pattern = (const uint8_t *)text->spec;
		text->raw_mask.pattern = (const uint8_t *)text->mask;
		text->raw.length = text->raw_mask.length = 2 * rule->size;
		item->type = RTE_FLOW_ITEM_TYPE_RAW;
		item->spec = &text->raw;
		item->mask = &text->raw_mask;
	}
	text->rss.types = rule->types;
	text->actions[0].type = RTE_FLOW_ACTION_TYPE_RSS;
	text->actions[0].conf = &text->rss;
}

bool ddp_lower_rule_is_accepted(void *ctx, const struct ddp_offload_rule *rule) {
	struct ddp_port *port = ctx;
	struct flow_text text;
	struct rte_flow_error error;

	flow_fill(rule, &text);
	return DDP_LOWER_CALL(port, rte_flow_validate(port->lower.port_id, &ingress, text.items,
						      text.actions, &error)) == 0;
}

static struct rte_eth_udp_tunnel tunnel_of(const struct ddp_plan *plan, unsigned int i) {
	return (struct rte_eth_udp_tunnel){
		.udp_port = plan->vxlan_ports[i],
		.prot_type = RTE_ETH_TUNNEL_TYPE_VXLAN,
	};
}

void ddp_lower_rules_destroy(struct ddp_port *port) {
	struct ddp_offload *offload = &port->offload;
	struct rte_flow_error error;

	if (__atomic_load_n(&offload->recovered, __ATOMIC_ACQUIRE) &&
	    !(port->lower.info.dev_capa & RTE_ETH_DEV_CAPA_FLOW_RULE_KEEP))
		offload->n_flows = 0; // the driver has destroyed them
	while (offload->n_flows > 0) {
		struct rte_flow *flow = offload->flows[--offload->n_flows];
		int ret = DDP_LOWER_CALL(port, rte_flow_destroy(port->lower.port_id, flow, &error));

		if (ret < 0 && !port->lower.gone)
			PORT_LOG(ERR, port->name, "a rule of lower device %s cannot be removed: %s",
				 port->lower.name, error.message != NULL ? error.message : "");
	}
	free(offload->flows);
	offload->flows = NULL;
	while (offload->n_tunnels > 0) {
		struct rte_eth_udp_tunnel tunnel = tunnel_of(offload->plan, --offload->n_tunnels);

		DDP_LOWER_CALL(port,
			       rte_eth_dev_udp_tunnel_port_delete(port->lower.port_id, &tunnel));
	}
}

static int tunnels_add(struct ddp_port *port, char *error) {
	struct ddp_offload *offload = &port->offload;

	for (; offload->n_tunnels < offload->plan->n_tunnels; offload->n_tunnels++) {
		struct rte_eth_udp_tunnel tunnel = tunnel_of(offload->plan, offload->n_tunnels);
		int ret = DDP_LOWER_CALL(
			port, rte_eth_dev_udp_tunnel_port_add(port->lower.port_id, &tunnel));

		if (ret < 0)
			return ddp_fail(error, -ENOTSUP, "UDP port %u of vxlan: %s",
					tunnel.udp_port, rte_strerror(-ret));
	}
	return 0;
}

int ddp_lower_rules_create(struct ddp_port *port, char *error) {
	struct ddp_offload *offload = &port->offload;
	const struct ddp_plan *plan = offload->plan;
	struct rte_flow_error flow_error = {0};
	int ret = tunnels_add(port, error);
	struct flow_text text;

	assert(offload->flows == NULL);
	__atomic_store_n(&offload->recovered, false, __ATOMIC_RELAXED);
	if (ret < 0)
		return ret;
	offload->flows = calloc(plan->n_rules + 1, sizeof(struct rte_flow *));
	if (offload->flows == NULL)
		return DDP_FAIL_NO_MEMORY(error);
	for (; offload->n_flows < plan->n_rules; offload->n_flows++) {
		struct rte_flow **flow = &offload->flows[offload->n_flows];

		flow_fill(&plan->rules[offload->n_flows], &text);
		ret = DDP_LOWER_CALL(
			port, (*flow = rte_flow_create(port->lower.port_id, &ingress, text.items,
						       text.actions, &flow_error)) != NULL ?
				      0 :
				      -rte_errno);
		if (ret < 0)
			return ddp_fail(error, -ENOTSUP, "rule %u of %u: %s", offload->n_flows + 1,
					plan->n_rules,
					flow_error.message != NULL ? flow_error.message :
								     rte_strerror(-ret));
	}
	return 0;
}

#define WATCH_US 100000
#define LEVEL_MAX 6    // doublings: a proof has 64 to 4096 packets
#define LOG_SECONDS 60 // s: between two log lines; the first one of a packet type does not wait

/* Mismatches */

// The RTE_PTYPE_* of a packet type of the profile, without layer 2.
static uint32_t rte_ptype_of(const struct ddp_port *port, uint16_t id) {
	const struct ddp_program *program = port->personality->program;
	const uint32_t l2 = RTE_PTYPE_L2_MASK | RTE_PTYPE_INNER_L2_MASK;

	for (unsigned int i = 0; i < ddp_program_n_types(program); i++)
		if (ddp_program_type(program, i)->id == id)
			return ddp_program_type(program, i)->rte_ptype & ~l2;
	return 0;
}

// Did the profile find fewer headers in a packet than the NIC, and no others?
static bool is_cut(uint32_t found, uint32_t nic) {
	for (unsigned int shift = 0; shift < 32; shift += 4) {
		const uint32_t layer = found & UINT32_C(15) << shift;
		const bool any = layer != 0 && layer != RTE_PTYPE_L4_NONFRAG &&
				 layer != RTE_PTYPE_INNER_L4_NONFRAG;

		if (any && layer != (nic & UINT32_C(15) << shift))
			return false;
	}
	return found != nic;
}

static void mismatch_log(struct ddp_port *port, const struct ddp_hw_ptype *hw_ptype, uint16_t id,
			 bool first) {
	struct ddp_offload *offload = &port->offload;
	const uint64_t now = rte_rdtsc();
	char more[64] = "";

	if (!first && now < offload->log_at) {
		offload->n_unlogged++;
		return;
	}
	if (offload->n_unlogged > 0)
		snprintf(more, sizeof(more), " (this happened %u more times since the last line)",
			 offload->n_unlogged);
	LOWER_LOG(
		WARNING, port,
		"(%s): of %u packets of its packet type 0x%08x verified, %u had "
		"another hash than expected, the last one of type %s: they are hashed in software "
		"until the type is proven again%s",
		ddp_nic_name(offload->nic), ddp_hw_ptype_read(&hw_ptype->checked),
		hw_ptype->rte_ptype, ddp_hw_ptype_read(&hw_ptype->wrong),
		id != 0 ? ddp_types_name(port, id) : "none", more);
	offload->n_unlogged = 0;
	offload->log_at = now + LOG_SECONDS * rte_get_tsc_hz();
}

static void mismatch_watch(struct ddp_port *port, struct ddp_hw_ptype *hw_ptype) {
	struct ddp_offload_ptype *planned = &port->offload.plan->ptypes[hw_ptype->planned];
	const bool refuted =
		__atomic_load_n(&hw_ptype->unproven, __ATOMIC_ACQUIRE) == DDP_PROOF_REFUTED;
	const uint16_t id = __atomic_load_n(&hw_ptype->wrong_id, __ATOMIC_RELAXED);
	const bool first = planned->wrong == 0;

	if (first && !refuted)
		return;
	port->offload.n_mismatched += first;
	planned->checked = ddp_hw_ptype_read(&hw_ptype->checked);
	planned->wrong = ddp_hw_ptype_read(&hw_ptype->wrong);
	if (!refuted)
		return;
	if (!is_cut(rte_ptype_of(port, id), rte_ptype_of(port, hw_ptype->verdict.type_id)) &&
	    planned->level < LEVEL_MAX)
		planned->level++;
	mismatch_log(port, hw_ptype, id, first);
	__atomic_store_n(&hw_ptype->unproven, DDP_PROOF_PACKETS << planned->level,
			 __ATOMIC_RELAXED);
}

void ddp_hw_ptypes_watch(struct ddp_port *port) {
	struct ddp_hw_ptypes *hw_ptypes = port->hw_ptypes;

	for (uint32_t i = 0; hw_ptypes != NULL && i <= hw_ptypes->mask; i++)
		if (hw_ptypes->slots[i].rte_ptype != 0 && !hw_ptypes->slots[i].ruled)
			mismatch_watch(port, &hw_ptypes->slots[i]);
	if (hw_ptypes == NULL || port->offload.misrouted ||
	    ddp_hw_ptype_read(&hw_ptypes->misrouted) == 0)
		return;
	port->offload.misrouted = true;
	LOWER_LOG(WARNING, port,
		  "(%s): packets are not on the queues of its redirection table: they "
		  "are steered in software from now on",
		  ddp_nic_name(port->offload.nic));
}

void ddp_hw_ptypes_idle_watch(struct ddp_port *port) {
	struct ddp_offload *offload = &port->offload;
	const uint64_t taken_was = offload->taken, offloaded_was = offload->offloaded;

	offload->taken = offload->offloaded = 0;
	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++) {
		offload->taken += counter_read(&port->lower_rxqs[i].taken);
		offload->offloaded += counter_read(&port->lower_rxqs[i].offloaded);
	}
	if (offload->offloaded != offloaded_was)
		offload->idle_checks = 0;
	else if (port->hw_ptypes != NULL && offload->taken != taken_was &&
		 offload->idle_checks < DDP_IDLE_CHECKS &&
		 ++offload->idle_checks == DDP_IDLE_CHECKS)
		LOWER_LOG(WARNING, port,
			  "(%s) hashed no packet in 10 s of traffic, though %u of "
			  "its packet types are to be: 'ddpctl port verify' names them",
			  ddp_nic_name(offload->nic), offload->plan->n_ptypes);
}

static void watch_ring(struct ddp_port *port) {
	ddp_hw_ptypes_watch(port);
	ddp_hw_ptypes_idle_watch(port);
	if (port->offload.on)
		ddp_alarm_set(port, DDP_ALARM_HW_PTYPES, WATCH_US, watch_ring);
	ddp_registry_put(port);
}

/* The table */

static bool is_ruled(const struct ddp_port *port, const struct ddp_offload_ptype *ptype) {
	return port->flows != NULL && port->flows->n > 0 &&
	       ddp_flow_set_reaches(port->flows->set, ptype->type);
}

unsigned int ddp_hw_ptypes_n_ruled(const struct ddp_port *port) {
	const struct ddp_plan *plan = port->offload.plan;
	unsigned int n = 0;

	for (unsigned int i = 0; plan != NULL && i < plan->n_ptypes; i++)
		n += is_ruled(port, &plan->ptypes[i]);
	return n;
}

static struct ddp_hw_ptypes *hw_ptypes_make(struct ddp_port *port) {
	const struct ddp_plan *plan = port->offload.plan;
	unsigned int n = rte_align32pow2(2 * plan->n_ptypes + 2);
	struct ddp_hw_ptypes *hw_ptypes = rte_zmalloc(
		"ddp_hw_ptypes", sizeof(*hw_ptypes) + n * sizeof(hw_ptypes->slots[0]), 0);

	assert(plan != NULL);
	if (hw_ptypes == NULL)
		return NULL;
	hw_ptypes->mask = n - 1;
	hw_ptypes->bypass = port->offload.bypass;
	hw_ptypes->shift = 32 - __builtin_ctz(n);
	for (unsigned int i = 0; i < plan->n_ptypes; i++) {
		const struct ddp_offload_ptype *ptype = &plan->ptypes[i];
		uint16_t id = ddp_program_type(port->personality->program, ptype->type)->id;
		uint32_t at = ddp_hw_ptypes_slot(hw_ptypes, ptype->rte_ptype);
		struct ddp_hw_ptype hw_ptype = {
			.rte_ptype = ptype->rte_ptype,
			.verdict =
				{
					.packet_type =
						ddp_mapping_apply(port->mapping, id, ptype->found) &
						port->ptype_mask,
					.type_id = id,
					.l3_off = UINT16_MAX,
					.inner_l3_off = RTE_PMD_DDP_UNPARSED,
					.input_len = 1,
					.own = true,
				},
			.planned = i,
			.ruled = is_ruled(port, ptype),
			.unproven = DDP_PROOF_PACKETS << ptype->level,
			.checked = ptype->checked,
			.wrong = ptype->wrong,
		};

		if (hw_ptype.ruled)
			hw_ptype.unproven = DDP_PROOF_REFUTED;
		assert(hw_ptype.rte_ptype != 0);
		while (hw_ptypes->slots[at].rte_ptype != 0)
			at = (at + 1) & hw_ptypes->mask;
		hw_ptypes->slots[at] = hw_ptype;
	}
	return hw_ptypes;
}

// The lower queue's lock is held. Without the bypass, all Rx queues read from this lower queue.
void ddp_hw_ptypes_lower_set(struct ddp_port *port, struct ddp_lower_rxq *lower,
			     struct ddp_hw_ptypes *hw_ptypes) {
	bool bypasses = ddp_hw_ptypes_bypass(hw_ptypes) && lower->id < port->n_lower_rxqs;

	assert(rte_spinlock_is_locked(&lower->lock));
	lower->hw_ptypes = hw_ptypes;
	port->rxqs[lower->id].last = NULL;
	__atomic_store_n(&port->rxqs[lower->id].own, bypasses ? lower : NULL, __ATOMIC_RELAXED);
}

void ddp_hw_ptypes_replace(struct ddp_port *port, struct ddp_hw_ptypes *hw_ptypes) {
	ddp_hw_ptypes_watch(port);
	rte_free(port->hw_ptypes);
	port->hw_ptypes = hw_ptypes;
}

static void hw_ptypes_set(struct ddp_port *port, struct ddp_hw_ptypes *hw_ptypes, bool drain) {
	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++) {
		struct ddp_lower_rxq *lower = &port->lower_rxqs[i];

		ddp_lower_rxq_lock(lower);
		ddp_hw_ptypes_lower_set(port, lower, hw_ptypes);
		// The queues are not notified yet of packets on their rings.
		for (unsigned int q = 0; hw_ptypes != NULL && q < port->n_rxqs; q++)
			__atomic_store_n(&port->rxqs[q].waiting, true, __ATOMIC_RELEASE);
		if (drain && i < port->lower.n_rxq) { // else the count of an earlier change stays
			int n = rte_eth_rx_queue_count(port->lower.port_id, i);

			// A driver does not count a burst that it has not returned yet.
			lower->drain = (n < 0 ? port->lower.n_rxd : n) + DDP_PORT_BURST;
		}
		ddp_unlock(&lower->lock);
	}
	ddp_hw_ptypes_replace(port, hw_ptypes);
}

bool ddp_hw_ptypes_begin(struct ddp_port *port) {
	struct ddp_hw_ptypes *hw_ptypes = hw_ptypes_make(port);

	if (hw_ptypes == NULL)
		return false;
	hw_ptypes_set(port, hw_ptypes, port->offload.drain);
	port->offload.drain = false;
	ddp_alarm_set(port, DDP_ALARM_HW_PTYPES, WATCH_US, watch_ring);
	return true;
}

void ddp_hw_ptypes_end(struct ddp_port *port) {
	hw_ptypes_set(port, NULL, false);
}
