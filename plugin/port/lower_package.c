/* SPDX-License-Identifier: BSD-3-Clause */
// The package of a 700-series NIC that is the lower device (offload/i40e_lower.h).
#include "port.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rte_dev.h>

#include "offload/i40e_lower.h"
#include "package/package.h"

#define DRIVER "net_i40e"

static int diag_fail(const struct ddp_diag *diag, char *why, size_t size) {
	return ddp_fail(why, size, diag->no_memory ? -ENOMEM : -ENOTSUP, "%s",
			diag->n_kept > 0 ? ddp_diag_reason(diag) : "the device was removed");
}

bool ddp_package_is_possible(const struct ddp_port *port) {
	const char *driver = port->lower.info.driver_name;

	return driver != NULL && strcmp(driver, DRIVER) == 0 &&
	       port->offload.nic == ddp_nic_of_driver(DRIVER);
}

// PCI device id of the lower device; 0: not known.
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

struct ddp_package *ddp_package_find(const struct ddp_port *port,
				     const struct ddp_personality *personality) {
	struct ddp_package *package;
	struct ddp_diag diag;

	if (!ddp_i40e_package_wanted(personality->profile))
		return NULL;
	ddp_diag_init(&diag);
	package = ddp_i40e_lower_find(personality->profile, device_of(port), &diag);
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
			 diag->messages[i]);
}

int ddp_package_load(struct ddp_port *port, struct ddp_package *package,
		     const struct ddp_plan *plan, char *why, size_t size) {
	struct ddp_offload *offload = &port->offload;
	uint16_t device = device_of(port);
	struct ddp_diag diag;
	int ret = 0;

	assert(offload->i40e == NULL);
	ddp_diag_init(&diag);
	if (ddp_lower_enter(port)) {
		offload->i40e =
			ddp_i40e_lower_load(port->lower.port_id, device, package, plan, &diag);
		ddp_lower_leave(port);
	}
	if (offload->i40e == NULL) {
		ret = diag_fail(&diag, why, size);
		rest_log(port, &diag, 1);
		ddp_package_close(package);
	}
	ddp_diag_fini(&diag);
	return ret;
}

void ddp_package_unload(struct ddp_port *port) {
	struct ddp_diag diag;

	bool gone = !ddp_lower_enter(port);

	ddp_diag_init(&diag);
	ddp_i40e_lower_unload(port->offload.i40e, gone, &diag);
	if (!gone)
		ddp_lower_leave(port);
	rest_log(port, &diag, 0);
	ddp_diag_fini(&diag);
	port->offload.i40e = NULL;
}

const struct ddp_package *ddp_package_of(const struct ddp_port *port) {
	return port->offload.i40e != NULL ? port->offload.i40e->package : NULL;
}

uint64_t ddp_package_rss_hf(const struct ddp_port *port) {
	return port->offload.i40e != NULL ? port->offload.i40e->rss_hf : 0;
}

int ddp_package_hash(struct ddp_port *port, const struct ddp_plan *plan, char *why, size_t size) {
	struct ddp_diag diag;
	int ret = 0;

	if (port->offload.i40e == NULL)
		return 0;
	ddp_diag_init(&diag);
	if (DDP_LOWER_CALL(port, ddp_i40e_lower_hash(port->offload.i40e, plan, &diag)) < 0)
		ret = diag_fail(&diag, why, size);
	ddp_diag_fini(&diag);
	return ret;
}
