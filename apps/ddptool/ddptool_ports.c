/* SPDX-License-Identifier: BSD-3-Clause */
// net_ddp ports of running processes. A port has its own name and, where its lower device is one of
// PCI's, that one's address.
#include <stdio.h>
#include <string.h>

#include "common/port_telemetry.h"
#include "common/strbuf.h"
#include "common/telemetry_client.h"
#include "ddptool.h"
#include "profile/profile.h"

struct search {
	struct ddptool_inventory *inventory;
	const struct ddptool_options *options;
	const struct ddp_sysroot *root;
};

// A port of a PCI device is called by the device's address, or by something that begins with it.
static void address_of(const char *lower, char address[DDPTOOL_ADDRESS_SIZE]) {
	unsigned int domain, bus, slot, function;

	address[0] = '\0';
	if (sscanf(lower, "%4x:%2x:%2x.%1x", &domain, &bus, &slot, &function) == 4)
		snprintf(address, DDPTOOL_ADDRESS_SIZE, "%04x:%02x:%02x.%x", domain & 0xffff,
			 bus & 0xff, slot & 0xff, function & 0xf);
}

// A port with Intel's package is known by what the package calls itself, others by their profiles.
static void profiles_add(struct ddptool_device *device, const json_t *info) {
	const json_t *versions = json_object_get(info, "profile_versions");
	const char *package = json_text_of(info, "package_name");
	json_t *item;
	size_t i;

	json_array_foreach(json_object_get(info, "profiles"), i, item) {
		const char *name = json_string_value(item) ?: "?";
		const char *version = json_string_value(json_array_get(versions, i)) ?: "";

		if (package[0] != '\0')
			ddptool_profile_add(
				device,
				json_integer_value(json_object_get(info, "package_track_id")),
				version, package);
		else
			ddptool_profile_add(device, ddp_profile_track_id(name, version), version,
					    name);
	}
}

static void info_add(const struct search *search, const struct port *port, const json_t *info) {
	const char *name = json_text_of(info, "name"), *lower = json_text_of(info, "lower_device");
	char address[DDPTOOL_ADDRESS_SIZE];
	struct ddptool_device *device;
	struct strbuf display;

	address_of(lower, address);
	if (!ddptool_is_meant(search->options, address, name))
		return;
	strbuf_init(&display);
	fprintf(display.to, "net_ddp port %u of process %u, on %s", port->id, port->client.pid,
		lower);
	device = ddptool_device_add(search->inventory, address, name, strbuf_take(&display));
	strbuf_fini(&display);
	device->is_port = true;
	if (address[0] != '\0')
		device->device = ddptool_sysfs_number(search->root, address, "device");
	profiles_add(device, info);
}

static void trouble(const struct search *search, const char *reason) {
	ddptool_say(search->options, "%s", reason);
	search->inventory->has_silent = true;
}

static void process_add(void *arg, const struct telemetry_client *client) {
	const struct search *search = arg;
	struct port port = {.client = *client};
	json_t *ids = port_list(&port), *id;
	size_t i;

	search->inventory->has_driver = true;
	json_array_foreach(ids, i, id) {
		json_t *info;

		port.id = json_integer_value(id);
		info = port_ask(&port, "info", NULL);
		if (info != NULL)
			info_add(search, &port, info);
		json_decref(info);
	}
	json_decref(ids);
	if (port.status == EXIT_UNREADABLE)
		trouble(search, port.error);
}

void ddptool_ports_add(struct ddptool_inventory *inventory, const struct ddptool_options *options,
		       const struct ddp_sysroot *root) {
	struct search search = {.inventory = inventory, .options = options, .root = root};
	char reason[TELEMETRY_ERROR_SIZE];

	telemetry_clients_each(NULL, 0, process_add, &search, reason);
	if (reason[0] != '\0')
		trouble(&search, reason);
}
