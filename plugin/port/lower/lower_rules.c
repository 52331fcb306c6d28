/* SPDX-License-Identifier: BSD-3-Clause */
// The rte_flow rules of a plan, and the UDP ports of its tunnels, on the lower port.
#include "port/lower/lower.h"
#include "port/state/control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_flow.h>

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
