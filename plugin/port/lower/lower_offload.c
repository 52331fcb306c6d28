/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/lower/lower.h"
#include "port/state/control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_flow.h>

#include "package/package.h"

static_assert(sizeof(((struct ddp_offload *)0)->key) == DDP_KEY_SIZE, "a key is kept whole");

// After this time every packet that was hashed before a change is on a queue.
#define DRAIN_US 100

/* What the lower device is */

// Another net_ddp is never used as a NIC: it may hold packets of before a change back.
static const struct ddp_nic *nic_find(const struct ddp_port *port) {
	const char *driver = port->lower.info.driver_name;

	if (ddp_lower_is(port, "net_ddp"))
		return ddp_nic_of_driver(driver);
	if (port->offload.asked != NULL)
		return port->offload.asked;
	if (port->offload.known != NULL)
		return port->offload.known;
	return driver != NULL ? ddp_nic_of_driver(driver) : ddp_nic_find("none");
}

// More queues of another net_ddp do not add processing power.
bool ddp_offload_spreads(const struct ddp_port *port) {
	return ddp_lower_can_hash(port) && port->lower.info.reta_size > 0 &&
	       !ddp_lower_is(port, "net_ddp");
}

/* Programming */

// The lower device hashes with our key. A shorter key has our first bytes.
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
		return ddp_fail(error, size, -ENOTSUP, "RSS key and types: %s", rte_strerror(-ret));
	memcpy(port->offload.key, port->rss.key, sizeof(port->offload.key));
	return 0;
}

// Restore the RSS types that the lower port was configured with, to spread packets over its queues.
static void hash_reset(struct ddp_port *port) {
	struct rte_eth_rss_conf conf = port->lower.conf.rx_adv_conf.rss_conf;
	int ret = DDP_LOWER_CALL(port, rte_eth_dev_rss_hash_update(port->lower.port_id, &conf));

	if (ret < 0)
		PORT_LOG(ERR, port->name, "RSS types of lower device %s cannot be restored: %s",
			 port->lower.name, rte_strerror(-ret));
}

static void plan_undo(struct ddp_port *port) {
	struct ddp_offload *offload = &port->offload;

	ddp_lower_reta_undo(port);
	ddp_lower_rules_destroy(port);
	ddp_lower_tunnels_del(port);
	offload->misrouted = false;
	if (offload->plan != NULL && !port->lower.gone)
		hash_reset(port);
	ddp_plan_destroy(offload->plan);
	offload->plan = NULL;
	offload->drain = true;
	offload->n_mismatched = 0;
	offload->idle_looks = 0;
}

// Program all of a plan, or nothing. The plan is owned by the port, or destroyed.
static int plan_program(struct ddp_port *port, struct ddp_plan *plan, char *error, size_t size) {
	struct ddp_offload *offload = &port->offload;
	int ret;

	assert(offload->plan == NULL && offload->n_flows == 0 && offload->n_tunnels == 0);
	offload->plan = plan;
	ret = ddp_package_hash(port, plan, error, size);
	if (ret == 0)
		ret = hash_set(port, plan->rss_hf, error, size);
	if (ret == 0)
		ret = ddp_lower_tunnels_add(port, plan, error, size);
	if (ret == 0)
		ret = ddp_lower_rules_create(port, plan, error, size);
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
		.accepts = ddp_lower_rule_is_accepted,
		.ctx = port,
	};

	return ddp_plan_build(port->offload.nic, personality->profile, personality->program, &ask);
}

// Make a plan and program it. On failure the reason is in offload->why, and all packets are hashed
// in software.
static int plan_apply(struct ddp_port *port, const struct ddp_personality *personality) {
	struct ddp_offload *offload = &port->offload;
	struct ddp_plan *plan = plan_make(port, personality, ddp_package_of(port));

	if (plan == NULL)
		return DDP_FAIL_NO_MEMORY(offload->reason, sizeof(offload->reason));
	offload->rss_hf = port->rss.rss_hf;
	if (plan->n_ptypes == 0) {
		ddp_plan_destroy(plan);
		return ddp_fail(offload->reason, sizeof(offload->reason), -ENOTSUP,
				"%s hashes no packet type as the profile does",
				ddp_nic_title(offload->nic));
	}
	return plan_program(port, plan, offload->reason, sizeof(offload->reason));
}

/* Packages */

static int package_fail(const struct ddp_port *port, int ret) {
	const struct ddp_offload *offload = &port->offload;

	if (offload->mode == DDP_OFFLOAD_REQUIRE) {
		PORT_LOG(ERR, port->name,
			 "offload=require, but lower device %s cannot have its package: %s",
			 port->lower.name, offload->reason);
		return ret;
	}
	PORT_LOG(WARNING, port->name, "lower device %s continues without its package: %s",
		 port->lower.name, offload->reason);
	return 0;
}

// Load the package only if the plan uses it, because a package changes the whole NIC.
static int package_use(struct ddp_port *port, const struct ddp_package *package) {
	struct ddp_offload *offload = &port->offload;
	struct ddp_plan *plan = plan_make(port, port->personality, package);
	int ret = 0;

	if (plan == NULL) {
		ret = DDP_FAIL_NO_MEMORY(offload->reason, sizeof(offload->reason));
	} else if (plan->package == NULL) {
		PORT_LOG(
			INFO, port->name,
			"lower device %s does not get %s: no more packet types would be hashed as in the profile",
			port->lower.name, package->path);
	} else {
		ret = ddp_package_load(port, plan, offload->reason, sizeof(offload->reason));
		if (ret == 0)
			PORT_LOG(INFO, port->name, "lower device %s has %s until it stops",
				 port->lower.name, package->path);
	}
	ddp_plan_destroy(plan);
	return ret < 0 ? package_fail(port, ret) : 0;
}

int ddp_offload_prepare(struct ddp_port *port) {
	const struct ddp_package *package;

	if (!ddp_lower_can_hash(port))
		return 0;
	port->offload.nic = nic_find(port);
	package = ddp_package_for(port, port->personality);
	return package != NULL ? package_use(port, package) : 0;
}

// A running NIC takes no package. Log if the new personality needs it.
static void package_report(const struct ddp_port *port, const struct ddp_personality *personality) {
	const struct ddp_package *package;

	if (ddp_package_of(port) != NULL)
		return;
	package = ddp_package_for(port, personality);
	if (package != NULL)
		PORT_LOG(
			INFO, port->name,
			"lower device %s takes no package while it runs: %s will be loaded at the next start",
			port->lower.name, package->path);
}

// The plan failed after the package was loaded: continue without the package.
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
	if (personality->profile->n_named != port->personality->profile->n_named)
		package_report(port, personality);
	ret = plan_apply(port, personality);
	if (ret == 0 || (ret != -ENOMEM && offload->mode != DDP_OFFLOAD_REQUIRE))
		return 0;
	snprintf(error, error_size, "%s%s", ret != -ENOMEM ? "offload=require: " : "",
		 offload->reason);
	plan_apply(port, port->personality);
	return ret;
}

/* What has_drained */

// Why is no hash of the programmed lower device used? NULL: they are used.
static const char *off_reason(const struct ddp_port *port) {
	const struct ddp_offload *offload = &port->offload;

	if (!port->rss.enabled || (port->rss.rss_hf & ~DDP_RSS_LEVELS) == 0)
		return "RSS is off";
	if (port->decap)
		return "with decap=on software parses each packet";
	if (port->rx_extras)
		return "software parses each packet to verify checksums";
	if (ddp_rss_hf_is_outermost(port->rss.rss_hf))
		return "rss_hf asks for the outermost headers of each packet";
	if (port->rss.function != DDP_HASH_TOEPLITZ)
		return "the hash function is not Toeplitz";
	if (ddp_hw_ptypes_n_ruled(port) == offload->plan->n_ptypes)
		return "flow rules can match each packet type that it hashes";
	return NULL;
}

static bool may_use_hardware(struct ddp_port *port) {
	struct ddp_offload *offload = &port->offload;
	const char *was = offload->off;

	if (!offload->on || offload->plan == NULL)
		return false;
	offload->off = off_reason(port);
	if (offload->off != NULL && offload->off != was)
		PORT_LOG(NOTICE, port->name, "lower device %s hashes nothing for us: %s",
			 port->lower.name, offload->off);
	return offload->off == NULL;
}

const char *ddp_offload_state(const struct ddp_port *port) {
	const struct ddp_offload *offload = &port->offload;

	if (offload->mode == DDP_OFFLOAD_OFF)
		return "off";
	if (port->hw_ptypes != NULL)
		return offload->idle_looks < DDP_IDLE_LOOKS ? "on" : "idle";
	if (!port->data->dev_started)
		return "the port is stopped";
	if (offload->plan == NULL)
		return offload->reason;
	return offload->off != NULL ? offload->off : "waiting";
}

static void rss_follow(struct ddp_port *port) {
	struct ddp_offload *offload = &port->offload;
	char ignored[sizeof(offload->reason) + 32];

	if (offload->rss_hf != port->rss.rss_hf && port->personality->profile->by_rss_hf)
		ddp_offload_replan(port, port->personality, ignored, sizeof(ignored));
	else if (memcmp(offload->key, port->rss.key, sizeof(offload->key)) != 0 &&
		 hash_set(port, offload->plan->rss_hf, offload->reason, sizeof(offload->reason)) <
			 0)
		plan_undo(port);
}

static void hardware_use(struct ddp_port *port) {
	struct ddp_offload *offload = &port->offload;
	struct ddp_hw_ptypes *hw_ptypes = ddp_hw_ptypes_make(port);

	if (hw_ptypes == NULL) {
		PORT_LOG(WARNING, port->name,
			 "out of memory: what lower device %s hashes is hashed again in software",
			 port->lower.name);
		return;
	}
	ddp_hw_ptypes_set(port, hw_ptypes, offload->drain);
	offload->drain = false;
	ddp_hw_ptypes_watch_begin(port);
}

void ddp_offload_renew(struct ddp_port *port) {
	if (!may_use_hardware(port))
		return;
	rss_follow(port);
	if (!may_use_hardware(port))
		return;
	ddp_lower_reta_follow(port);
	if (port->offload.drain)
		rte_delay_us_sleep(DRAIN_US);
	hardware_use(port);
}

static void recovered_ring(struct ddp_port *port) {
	char error[256];

	if (port->offload.plan != NULL &&
	    __atomic_load_n(&port->offload.recovered, __ATOMIC_RELAXED)) {
		if (ddp_offload_replan(port, port->personality, error, sizeof(error)) < 0)
			PORT_LOG(ERR, port->name, "lower device %s after its recovery: %s",
				 port->lower.name, error);
		ddp_offload_renew(port);
	}
	ddp_change_end(port);
}

void ddp_offload_recovered(struct ddp_port *port) {
	__atomic_store_n(&port->offload.recovered, true, __ATOMIC_RELEASE);
	ddp_alarm_set(port, DDP_ALARM_RECOVERED, 1, recovered_ring);
}

static void start_log(const struct ddp_port *port, int ret) {
	const struct ddp_offload *offload = &port->offload;

	if (ret == -ENOMEM)
		PORT_LOG(WARNING, port->name, "lower device %s hashes nothing for us: %s",
			 port->lower.name, offload->reason);
	else if (ret < 0)
		PORT_LOG(DEBUG, port->name, "lower device %s hashes nothing for us: %s",
			 port->lower.name, offload->reason);
	else
		PORT_LOG(INFO, port->name,
			 "lower device %s (%s) hashes %u of its packet types for us, by %u rules",
			 port->lower.name, ddp_nic_name(offload->nic), offload->plan->n_ptypes,
			 offload->plan->n_rules);
}

int ddp_offload_start(struct ddp_port *port) {
	struct ddp_offload *offload = &port->offload;
	int ret;

	assert(!offload->on && offload->plan == NULL);
	if (offload->mode == DDP_OFFLOAD_OFF)
		return 0;
	offload->on = ddp_lower_can_hash(port);
	offload->nic = offload->on ? nic_find(port) : NULL;
	if (offload->on)
		ret = plan_apply(port, port->personality);
	else
		ret = ddp_fail(offload->reason, sizeof(offload->reason), -ENOTSUP,
			       "it does not offer RSS_HASH (the RSS hash in mbufs)");
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
			 port->lower.name, offload->reason);
		offload->on = false;
		return ret;
	}
	ddp_offload_renew(port);
	return 0;
}

void ddp_offload_stop(struct ddp_port *port) {
	if (!port->offload.on)
		return;
	ddp_hw_ptypes_watch(port);
	ddp_hw_ptypes_set(port, NULL, false);
	plan_undo(port);
	port->offload.on = false;
}
