/* SPDX-License-Identifier: BSD-3-Clause */
// The package of an Intel NIC that is the lower device: for the 800 series the package that its
// driver loaded, for the 700 series the package that it is given (offload/i40e_port.h).
#include "port/lower/lower.h"
#include "port/state/control.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_kvargs.h>

#include "offload/i40e_port.h"
#include "package/package.h"
#include "personality/package_open.h"

#define DRIVER "net_i40e"
#define FILE_ARGUMENT "ddp_pkg_file" // of net_ice, DPDK 24.11 on; before, it refuses it

/* 800 series */

static const struct ddp_nic *nic_of_file(const struct ddp_port *port, const char *file) {
	const struct ddp_nic *nic = NULL;
	struct ddp_package *package;
	struct ddp_diag diag;

	ddp_diag_init(&diag);
	package = ddp_package_open(file, &diag);
	if (package != NULL)
		nic = ddp_nic_of_package(package);
	if (nic != NULL)
		PORT_LOG(INFO, port->name, "lower device %s has package %s: it counts as %s",
			 port->lower.name, file, ddp_nic_name(nic));
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

// The device arguments are those that the driver was given, whether by dev(...) or by who probed
// the device before.
const struct ddp_nic *ddp_package_nic(const struct ddp_port *port) {
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

/* 700 series */

static int diag_fail(const struct ddp_diag *diag, char *reason, size_t size) {
	return ddp_fail(reason, size, diag->no_memory ? -ENOMEM : -ENOTSUP, "%s",
			diag->n_kept > 0 ? ddp_diag_reason(diag) : "the device was removed");
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

int ddp_package_open_given(struct ddp_port *port, const char *file) {
	const char *driver = port->lower.info.driver_name;
	struct ddp_diag diag;
	int ret = 0;

	if (file == NULL)
		return 0;
	if (!ddp_lower_is(port, DRIVER)) {
		PORT_LOG(ERR, port->name,
			 "package is for lower devices of driver " DRIVER ", %s is of %s",
			 port->lower.name, driver != NULL ? driver : "none");
		return -EINVAL;
	}
	ddp_diag_init(&diag);
	port->offload.package = ddp_i40e_package_open(file, &diag);
	if (port->offload.package == NULL) {
		PORT_LOG(ERR, port->name, "package: %s", ddp_diag_reason(&diag));
		ret = diag.no_memory ? -ENOMEM : -EINVAL;
	}
	ddp_diag_fini(&diag);
	return ret;
}

const struct ddp_package *ddp_package_for(const struct ddp_port *port,
					  const struct ddp_personality *personality) {
	const struct ddp_package *package = port->offload.package;
	struct ddp_diag diag;

	if (!ddp_lower_is(port, DRIVER) || port->offload.nic != ddp_nic_of_driver(DRIVER) ||
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
			 diag->messages[i]);
}

int ddp_package_load(struct ddp_port *port, const struct ddp_plan *plan, char *reason,
		     size_t size) {
	struct ddp_offload *offload = &port->offload;
	struct ddp_diag diag;
	int ret = 0;

	assert(offload->i40e == NULL);
	ddp_diag_init(&diag);
	if (ddp_lower_enter(port)) {
		offload->i40e = ddp_i40e_load(port->lower.port_id, plan, &diag);
		ddp_lower_leave(port);
	}
	if (offload->i40e == NULL) {
		ret = diag_fail(&diag, reason, size);
		rest_log(port, &diag, 1);
	}
	ddp_diag_fini(&diag);
	return ret;
}

void ddp_package_unload(struct ddp_port *port) {
	struct ddp_diag diag;

	bool gone = !ddp_lower_enter(port);

	ddp_diag_init(&diag);
	ddp_i40e_unload(port->offload.i40e, gone, &diag);
	if (!gone)
		ddp_lower_leave(port);
	rest_log(port, &diag, 0);
	ddp_diag_fini(&diag);
	port->offload.i40e = NULL;
}

const struct ddp_package *ddp_package_of(const struct ddp_port *port) {
	return port->offload.i40e != NULL ? port->offload.package : NULL;
}

uint64_t ddp_package_rss_hf(const struct ddp_port *port) {
	return port->offload.i40e != NULL ? port->offload.i40e->rss_hf : 0;
}

int ddp_package_hash(struct ddp_port *port, const struct ddp_plan *plan, char *reason,
		     size_t size) {
	struct ddp_diag diag;
	int ret = 0;

	if (port->offload.i40e == NULL)
		return 0;
	ddp_diag_init(&diag);
	if (DDP_LOWER_CALL(port, ddp_i40e_hash(port->offload.i40e, plan, &diag)) < 0)
		ret = diag_fail(&diag, reason, size);
	ddp_diag_fini(&diag);
	return ret;
}
