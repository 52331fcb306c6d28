/* SPDX-License-Identifier: BSD-3-Clause */
// Programs the lower device to hash for the personality, or not: package, RSS, rules, table.
#include "port/lower/lower.h"
#include "port/state/control.h"

#include <inttypes.h>

#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_errno.h>
#include <rte_kvargs.h>

#include "offload/i40e_port.h"

#define DRIVER_700 "net_i40e"
#define FILE_ARGUMENT "ddp_pkg_file" // of net_ice from DPDK 24.11 on; older ones refuse it
#define RETA_GROUPS (DDP_LOWER_RETA_MAX / RTE_ETH_RETA_GROUP_SIZE)

static_assert(sizeof(((struct ddp_offload *)0)->key) == DDP_KEY_SIZE, "a key fits");

// After this time every packet that was hashed before a change is on a queue.
#define DRAIN_US 100

// Another net_ddp is never used as a NIC: it may hold packets of before a change back.
static const struct ddp_nic *nic_find(const struct ddp_port *port) {
	const char *driver = port->lower.info.driver_name;

	if (port->offload.nic_given != NULL && !ddp_lower_is(port, "net_ddp"))
		return port->offload.nic_given;
	return driver != NULL ? ddp_nic_of_driver(driver) : ddp_nic_find("none");
}

// More queues of another net_ddp do not add processing power.
bool ddp_offload_spreads(const struct ddp_port *port) {
	return ddp_lower_can_hash(port) && port->lower.info.reta_size > 0 &&
	       !ddp_lower_is(port, "net_ddp");
}

/* Packages of Intel NICs. The driver of an 800-series NIC has loaded one; the port writes one to a
   700-series NIC (offload/i40e_port.h). */

static const struct ddp_nic *nic_of_file(const struct ddp_port *port, const char *file) {
	const struct ddp_nic *nic = NULL;
	struct ddp_package *package;
	struct ddp_diag diag;

	ddp_diag_init(&diag);
	package = ddp_package_open(file, &diag);
	if (package != NULL)
		nic = ddp_nic_of_package(package);
	if (nic != NULL)
		LOWER_LOG(INFO, port, "has package %s: it counts as %s", file, ddp_nic_name(nic));
	else
		PORT_LOG(WARNING, port->name,
			 "what lower device %s can with its package %s is not known: %s",
			 port->lower.name, file,
			 package != NULL ? "it is none of Intel's known ones" :
					   ddp_diag_reason(&diag));
	ddp_package_close(package);
	ddp_diag_fini(&diag);
	return nic;
}

// The device arguments are those that the driver was given, by dev(...) or by another probe before.
static const struct ddp_nic *nic_of_package(const struct ddp_port *port) {
	const struct ddp_nic *nic = NULL;
	const struct rte_devargs *devargs;
	struct rte_kvargs *args;
	const char *file;

	if (!ddp_lower_is(port, "net_ice"))
		return NULL;
	devargs = rte_dev_devargs(port->lower.info.device);
	if (devargs == NULL || devargs->args == NULL)
		return NULL;
	args = rte_kvargs_parse(devargs->args, NULL);
	if (args == NULL)
		return NULL;
	file = rte_kvargs_get(args, FILE_ARGUMENT);
	if (file != NULL)
		nic = nic_of_file(port, file);
	rte_kvargs_free(args);
	return nic;
}

int ddp_package_find(struct ddp_port *port, const char *file) {
	const char *driver = port->lower.info.driver_name;
	const struct ddp_nic *nic = nic_of_package(port);
	struct ddp_diag diag;
	int ret = 0;

	if (port->offload.nic_given == NULL)
		port->offload.nic_given = nic;
	if (file == NULL)
		return 0;
	if (!ddp_lower_is(port, DRIVER_700))
		return PORT_FAIL(port->name, -EINVAL,
				 "package is for lower devices of driver " DRIVER_700
				 ", %s is of %s",
				 port->lower.name, driver != NULL ? driver : "none");
	ddp_diag_init(&diag);
	port->offload.package = ddp_i40e_package_open(file, &diag);
	if (port->offload.package == NULL) {
		PORT_LOG(ERR, port->name, "package: %s", ddp_diag_reason(&diag));
		ret = diag.no_memory ? -ENOMEM : -EINVAL;
	}
	ddp_diag_fini(&diag);
	return ret;
}

static uint16_t device_of(const struct ddp_port *port) {
	const struct rte_device *device = port->lower.info.device;
	const char *text = device != NULL ? rte_dev_bus_info(device) : NULL;
	uint16_t id = 0;

	if (text != NULL)
		text = strstr(text, "device_id=");
	if (text != NULL && sscanf(text, "device_id=%" SCNx16, &id) != 1)
		id = 0;
	return id;
}

// The given package if it covers a personality. NULL: another NIC, none needed, or not (logged).
static const struct ddp_package *package_for(const struct ddp_port *port,
					     const struct ddp_personality *personality) {
	const struct ddp_package *package = port->offload.package;
	struct ddp_diag diag;

	if (!ddp_lower_is(port, DRIVER_700) || port->offload.nic != ddp_nic_of_driver(DRIVER_700) ||
	    !ddp_i40e_package_wanted(personality->profile))
		return NULL;
	ddp_diag_init(&diag);
	if (package == NULL)
		ddp_error(&diag, NULL, "none is given (argument package)");
	else if (!ddp_i40e_package_covers(package, device_of(port), &diag))
		package = NULL;
	if (package == NULL)
		PORT_LOG(INFO, port->name, "no package for lower device %s covers the profile: %s",
			 port->lower.name, ddp_diag_reason(&diag));
	ddp_diag_fini(&diag);
	return package;
}

// Log further errors, such as changes that could not be undone.
static void rest_log(const struct ddp_port *port, const struct ddp_diag *diag, unsigned int first) {
	for (unsigned int i = first; i < diag->n_kept; i++)
		PORT_LOG(ERR, port->name, "lower device %s: %s", port->lower.name,
			 diag->messages[i].s);
}

static int diag_fail(const struct ddp_diag *diag, char *error) {
	return ddp_fail(error, diag->no_memory ? -ENOMEM : -ENOTSUP, "%s",
			diag->n_kept > 0 ? ddp_diag_reason(diag) : "the device was removed");
}

static int package_load(struct ddp_port *port, const struct ddp_plan *plan, char *error) {
	struct ddp_i40e_port **nic = &port->offload.i40e;
	struct ddp_diag diag;
	int ret;

	assert(*nic == NULL);
	ddp_diag_init(&diag);
	ret = DDP_LOWER_CALL(
		port, (*nic = ddp_i40e_load(port->lower.port_id, plan, &diag)) != NULL ? 0 : -1);
	if (ret < 0) {
		ret = diag_fail(&diag, error);
		rest_log(port, &diag, 1);
	}
	ddp_diag_fini(&diag);
	return ret;
}

void ddp_package_unload(struct ddp_port *port) {
	struct ddp_i40e_port *nic = port->offload.i40e;
	struct ddp_diag diag;

	if (nic == NULL)
		return;
	ddp_diag_init(&diag);
	if (DDP_LOWER_CALL(port, (ddp_i40e_unload(nic, false, &diag), 0)) < 0)
		ddp_i40e_unload(nic, true, &diag);
	rest_log(port, &diag, 0);
	ddp_diag_fini(&diag);
	port->offload.i40e = NULL;
}

static int package_hash(struct ddp_port *port, const struct ddp_plan *plan, char *error) {
	struct ddp_diag diag;
	int ret = 0;

	if (port->offload.i40e == NULL)
		return 0;
	ddp_diag_init(&diag);
	if (DDP_LOWER_CALL(port, ddp_i40e_hash(port->offload.i40e, plan, &diag)) < 0)
		ret = diag_fail(&diag, error);
	ddp_diag_fini(&diag);
	return ret;
}

/* The redirection table */

static int reta_call(struct ddp_port *port, uint16_t *reta, unsigned int n,
		     int (*call)(uint16_t port_id, struct rte_eth_rss_reta_entry64 *groups,
				 uint16_t size)) {
	struct rte_eth_rss_reta_entry64 groups[RETA_GROUPS];
	int ret;

	assert(n <= DDP_LOWER_RETA_MAX && n % RTE_ETH_RETA_GROUP_SIZE == 0);
	for (unsigned int i = 0; i < n; i++) {
		groups[i / RTE_ETH_RETA_GROUP_SIZE].mask = UINT64_MAX;
		groups[i / RTE_ETH_RETA_GROUP_SIZE].reta[i % RTE_ETH_RETA_GROUP_SIZE] = reta[i];
	}
	ret = DDP_LOWER_CALL(port, call(port->lower.port_id, groups, n));
	for (unsigned int i = 0; ret == 0 && i < n; i++)
		reta[i] = groups[i / RTE_ETH_RETA_GROUP_SIZE].reta[i % RTE_ETH_RETA_GROUP_SIZE];
	return ret;
}

static void reta_undo(struct ddp_port *port) {
	struct ddp_offload *offload = &port->offload;

	if (offload->reta_size > 0 && !port->lower.gone &&
	    reta_call(port, offload->reta_was, offload->reta_size, rte_eth_dev_rss_reta_update) < 0)
		PORT_LOG(ERR, port->name,
			 "the redirection table of lower device %s cannot be restored",
			 port->lower.name);
	offload->reta_size = 0;
	offload->bypass = false;
}

// Write our table to the lower device, if its queues and table allow: then packets stay on queues.
static void reta_follow(struct ddp_port *port) {
	unsigned int n = port->lower.info.reta_size;
	struct ddp_offload *offload = &port->offload;
	uint16_t reta[DDP_LOWER_RETA_MAX], now[DDP_LOWER_RETA_MAX] = {0};

	offload->bypass = port->n_lower_rxqs == port->n_rxqs && !offload->misrouted;
	if (!offload->bypass || port->n_rxqs == 1)
		return;
	offload->bypass =
		n >= RTE_ETH_RETA_GROUP_SIZE && n <= DDP_LOWER_RETA_MAX && (n & (n - 1)) == 0;
	for (unsigned int i = n; offload->bypass && i < DDP_RETA_SIZE; i++)
		offload->bypass = port->rss.reta[i] == port->rss.reta[i % n];
	if (offload->bypass)
		offload->bypass = reta_call(port, now, n, rte_eth_dev_rss_reta_query) == 0;
	if (!offload->bypass)
		return;
	for (unsigned int i = 0; i < n; i++)
		reta[i] = port->rss.reta[i % DDP_RETA_SIZE];
	if (memcmp(now, reta, n * sizeof(*reta)) == 0)
		return;
	if (offload->reta_size == 0) {
		memcpy(offload->reta_was, now, n * sizeof(*now));
		offload->reta_size = n;
	}
	offload->drain = true;
	offload->bypass = reta_call(port, reta, n, rte_eth_dev_rss_reta_update) == 0;
}

/* Programming */

// The lower device hashes with our key. A shorter key has our first bytes.
static int hash_set(struct ddp_port *port, uint64_t rss_hf, char *error) {
	const struct ddp_i40e_port *i40e = port->offload.i40e;
	struct rte_eth_rss_conf conf = {
		.rss_key = port->rss.key,
		.rss_key_len = RTE_MIN(port->lower.info.hash_key_size, DDP_KEY_SIZE),
		.rss_hf = (rss_hf & port->lower.info.flow_type_rss_offloads) |
			  (i40e != NULL ? i40e->rss_hf : 0),
	};
	int ret = DDP_LOWER_CALL(port, rte_eth_dev_rss_hash_update(port->lower.port_id, &conf));

	port->offload.drain = true;
	if (ret < 0)
		return ddp_fail(error, -ENOTSUP, "RSS key and types: %s", rte_strerror(-ret));
	memcpy(port->offload.key, port->rss.key, sizeof(port->offload.key));
	return 0;
}

static void plan_undo(struct ddp_port *port) {
	struct rte_eth_rss_conf conf = port->lower.conf.rx_adv_conf.rss_conf;
	struct ddp_offload *offload = &port->offload;
	int ret = 0;

	reta_undo(port);
	ddp_lower_rules_destroy(port);
	offload->misrouted = false;
	// The RSS types that it was configured with spread packets over its queues.
	if (offload->plan != NULL && !port->lower.gone)
		ret = DDP_LOWER_CALL(port, rte_eth_dev_rss_hash_update(port->lower.port_id, &conf));
	if (ret < 0)
		PORT_LOG(ERR, port->name, "RSS types of lower device %s cannot be restored: %s",
			 port->lower.name, rte_strerror(-ret));
	ddp_plan_destroy(offload->plan);
	offload->plan = NULL;
	offload->drain = true;
	offload->n_mismatched = 0;
	offload->idle_checks = 0;
}

static struct ddp_plan *plan_make(struct ddp_port *port, const struct ddp_personality *personality,
				  const struct ddp_package *package) {
	const struct ddp_plan_request request = {
		.rss_hf = port->rss.rss_hf,
		.key_size = RTE_MIN(port->lower.info.hash_key_size, DDP_KEY_SIZE),
		.spreads = port->lower.n_rxq > 1,
		.package = package,
		.accepts = ddp_lower_rule_is_accepted,
		.ctx = port,
	};

	return ddp_plan_build(port->offload.nic, personality->profile, personality->program,
			      &request);
}

// Make a plan and program all of it, or nothing: then see offload->reason; software hashes.
static int plan_apply(struct ddp_port *port, const struct ddp_personality *personality) {
	struct ddp_offload *offload = &port->offload;
	char *error = offload->reason;
	struct ddp_plan *plan;
	int ret;

	assert(offload->plan == NULL && offload->n_flows == 0 && offload->n_tunnels == 0);
	plan = plan_make(port, personality, offload->i40e != NULL ? offload->package : NULL);
	if (plan == NULL)
		return DDP_FAIL_NO_MEMORY(error);
	offload->rss_hf = port->rss.rss_hf;
	if (plan->n_ptypes == 0) {
		ddp_plan_destroy(plan);
		return ddp_fail(error, -ENOTSUP, "%s hashes no packet type as the profile does",
				ddp_nic_title(offload->nic));
	}
	offload->plan = plan;
	ret = package_hash(port, plan, error);
	if (ret == 0)
		ret = hash_set(port, plan->rss_hf, error);
	if (ret == 0)
		ret = ddp_lower_rules_create(port, error);
	if (ret < 0)
		plan_undo(port);
	return ret;
}

/* The package of a 700-series NIC, before and after the plan */

static int package_fail(const struct ddp_port *port, int ret) {
	const struct ddp_offload *offload = &port->offload;

	if (offload->mode == DDP_OFFLOAD_REQUIRE)
		return PORT_FAIL(port->name, ret,
				 "offload=require, but lower device %s cannot have its package: %s",
				 port->lower.name, offload->reason);
	LOWER_LOG(WARNING, port, "continues without its package: %s", offload->reason);
	return 0;
}

// The package is loaded only if the plan uses it, because a package changes the whole NIC.
int ddp_offload_prepare(struct ddp_port *port) {
	struct ddp_offload *offload = &port->offload;
	const struct ddp_package *package;
	struct ddp_plan *plan;
	int ret = 0;

	if (!ddp_lower_can_hash(port))
		return 0;
	offload->nic = nic_find(port);
	package = package_for(port, port->personality);
	if (package == NULL)
		return 0;
	plan = plan_make(port, port->personality, package);
	if (plan == NULL)
		ret = DDP_FAIL_NO_MEMORY(offload->reason);
	else if (plan->package != NULL)
		ret = package_load(port, plan, offload->reason);
	if (offload->i40e != NULL)
		LOWER_LOG(INFO, port, "has %s until it stops", package->path);
	else if (ret == 0)
		LOWER_LOG(INFO, port,
			  "does not get %s: no more packet types would be hashed as in the profile",
			  package->path);
	ddp_plan_destroy(plan);
	return ret < 0 ? package_fail(port, ret) : 0;
}

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
		       char *error) {
	struct ddp_offload *offload = &port->offload;
	const struct ddp_package *package = NULL;
	int ret;

	if (!offload->on)
		return 0;
	ddp_hw_ptypes_end(port);
	plan_undo(port);
	if (personality->profile->n_named != port->personality->profile->n_named &&
	    offload->i40e == NULL)
		package = package_for(port, personality);
	if (package != NULL)
		LOWER_LOG(INFO, port,
			  "takes no package while it runs: %s will be loaded at the next start",
			  package->path);
	ret = plan_apply(port, personality);
	if (ret == 0 || (ret != -ENOMEM && offload->mode != DDP_OFFLOAD_REQUIRE))
		return 0;
	ddp_fail(error, ret, "%s%s", ret != -ENOMEM ? "offload=require: " : "", offload->reason);
	plan_apply(port, port->personality);
	return ret;
}

/* Use of the programmed lower device */

// The reason why no hash of the programmed lower device is used; NULL: the hashes are used.
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
		LOWER_LOG(NOTICE, port, "hashes nothing for us: %s", offload->off);
	return offload->off == NULL;
}

const char *ddp_offload_state(const struct ddp_port *port) {
	const struct ddp_offload *offload = &port->offload;

	if (offload->mode == DDP_OFFLOAD_OFF)
		return "off";
	if (port->hw_ptypes != NULL)
		return offload->idle_checks < DDP_IDLE_CHECKS ? "on" : "idle";
	if (!port->data->dev_started)
		return "the port is stopped";
	if (offload->plan == NULL)
		return offload->reason;
	return offload->off != NULL ? offload->off : "waiting";
}

void ddp_offload_renew(struct ddp_port *port) {
	struct ddp_offload *offload = &port->offload;
	char ignored[DDP_ERROR_SIZE];

	if (!may_use_hardware(port))
		return;
	if (offload->rss_hf != port->rss.rss_hf && port->personality->profile->by_rss_hf)
		ddp_offload_replan(port, port->personality, ignored);
	else if (memcmp(offload->key, port->rss.key, sizeof(offload->key)) != 0 &&
		 hash_set(port, offload->plan->rss_hf, offload->reason) < 0)
		plan_undo(port);
	if (!may_use_hardware(port))
		return;
	reta_follow(port);
	if (port->offload.drain)
		rte_delay_us_sleep(DRAIN_US);
	if (!ddp_hw_ptypes_begin(port))
		PORT_LOG(WARNING, port->name,
			 "out of memory: what lower device %s hashes is hashed again in software",
			 port->lower.name);
}

static void recovered_ring(struct ddp_port *port) {
	char error[DDP_ERROR_SIZE];

	if (port->offload.plan != NULL &&
	    __atomic_load_n(&port->offload.recovered, __ATOMIC_RELAXED)) {
		if (ddp_offload_replan(port, port->personality, error) < 0)
			LOWER_LOG(ERR, port, "after its recovery: %s", error);
		ddp_offload_renew(port);
	}
	ddp_change_end(port);
}

void ddp_offload_recovered(struct ddp_port *port) {
	__atomic_store_n(&port->offload.recovered, true, __ATOMIC_RELEASE);
	ddp_alarm_set(port, DDP_ALARM_RECOVERED, 1, recovered_ring);
}

int ddp_offload_start(struct ddp_port *port) {
	struct ddp_offload *offload = &port->offload;
	int ret, dropped = 0;

	assert(!offload->on && offload->plan == NULL);
	if (offload->mode == DDP_OFFLOAD_OFF)
		return 0;
	offload->on = ddp_lower_can_hash(port);
	offload->nic = offload->on ? nic_find(port) : NULL;
	if (offload->on)
		ret = plan_apply(port, port->personality);
	else
		ret = ddp_fail(offload->reason, -ENOTSUP,
			       "it does not offer RSS_HASH (the RSS hash in mbufs)");
	if (ret < 0 && offload->i40e != NULL)
		dropped = package_drop(port, ret);
	if (dropped < 0) {
		offload->on = false;
		return dropped;
	}
	if (offload->plan != NULL)
		LOWER_LOG(INFO, port, "(%s) hashes %u of its packet types for us, by %u rules",
			  ddp_nic_name(offload->nic), offload->plan->n_ptypes,
			  offload->plan->n_rules);
	else
		ddp_port_log(ret == -ENOMEM ? RTE_LOG_WARNING : RTE_LOG_DEBUG,
			     "%s: lower device %s hashes nothing for us: %s", port->name,
			     port->lower.name, offload->reason);
	if (offload->plan == NULL && offload->mode == DDP_OFFLOAD_REQUIRE) {
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
	ddp_hw_ptypes_end(port);
	plan_undo(port);
	port->offload.on = false;
}
