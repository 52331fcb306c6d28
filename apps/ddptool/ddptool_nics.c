/* SPDX-License-Identifier: BSD-3-Clause */
// NICs of the 700 and 800 series that the kernel drives.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/strbuf.h"
#include "ddptool.h"
#include "pci_ids.h"

#define DEVICES "/sys/bus/pci/devices"
#define DRIVERS "/sys/bus/pci/drivers"

enum family {
	FAMILY_NONE,
	FAMILY_I40E, // 700 series
	FAMILY_ICE,  // 800 series
};

static const struct driver {
	const char *name;
	enum family family;
} drivers[] = {
	{"i40e", FAMILY_I40E},
	{"ice", FAMILY_ICE},
	{"ice_sw", FAMILY_ICE},
	{"ice_swx", FAMILY_ICE},
};

// X722 is driven by i40e and has no DDP.
static const struct {
	uint16_t first, last;
} x722[] = {
	{0x0dda, 0x0dda}, {0x374c, 0x374d}, {0x37cc, 0x37d9}, {0x3a84, 0x3a85}, {0xf0a2, 0xf0a3},
};

// A function of a NIC: of a virtual one, owner is the physical one that has the answers.
struct function {
	char address[DDPTOOL_ADDRESS_SIZE], owner[DDPTOOL_ADDRESS_SIZE];
	char interface[IF_NAMESIZE], owner_interface[IF_NAMESIZE]; // "" for none
	enum family family;
	bool is_virtual;
};

struct search {
	struct ddptool_inventory *inventory;
	const struct ddptool_options *options;
	const struct ddptool_machine *machine;
	struct pci_ids ids;
	struct devlink devlink;
	bool devlink_open;
};

/* sysfs */

static void device_path(char path[PATH_MAX], const char *address, const char *name) {
	snprintf(path, PATH_MAX, DEVICES "/%s/%s", address, name);
}

uint16_t ddptool_sysfs_number(const struct ddp_sysroot *root, const char *address,
			      const char *name) {
	char path[PATH_MAX];
	unsigned long number;
	size_t size;
	char *text;

	device_path(path, address, name);
	text = ddp_sysroot_read(root, path, &size);
	number = text != NULL ? strtoul(text, NULL, 16) : 0;
	free(text);
	return number;
}

// The name of what a device's link leads to; false for no link, or a name that is too long.
static bool link_read(const struct ddp_sysroot *root, const char *address, const char *name,
		      char *to, size_t size) {
	char path[PATH_MAX], *target;
	const char *last;
	bool fits;

	device_path(path, address, name);
	target = ddp_sysroot_target(root, path);
	if (target == NULL)
		return false;
	last = path_name(target);
	fits = strlen(last) < size;
	if (fits)
		strcpy(to, last);
	free(target);
	return fits;
}

static enum family family_of(const struct ddp_sysroot *root, const char *address) {
	uint16_t device = ddptool_sysfs_number(root, address, "device");
	char driver[32];

	for (unsigned int i = 0; i < COUNT(x722); i++)
		if (device >= x722[i].first && device <= x722[i].last)
			return FAMILY_NONE;
	if (!link_read(root, address, "driver", driver, sizeof(driver)))
		return FAMILY_NONE;
	for (unsigned int i = 0; i < COUNT(drivers); i++)
		if (strcmp(driver, drivers[i].name) == 0)
			return drivers[i].family;
	return FAMILY_NONE;
}

static DIR *dir_open(const struct ddp_sysroot *root, const char *path) {
	int fd = ddp_sysroot_fd(root, path, O_RDONLY | O_DIRECTORY);

	return fd < 0 ? NULL : fdopendir(fd);
}

// The first of a device's network interfaces by name, "" for none.
static void interface_read(const struct ddp_sysroot *root, const char *address,
			   char interface[IF_NAMESIZE]) {
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	interface[0] = '\0';
	device_path(path, address, "net");
	dir = dir_open(root, path);
	while (dir != NULL && (entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.' && strlen(entry->d_name) < IF_NAMESIZE &&
		    (interface[0] == '\0' || strcmp(entry->d_name, interface) < 0))
			strcpy(interface, entry->d_name);
	if (dir != NULL)
		closedir(dir);
}

// False for a device that is none of ours.
static bool function_read(const struct ddp_sysroot *root, const char *address,
			  struct function *function) {
	if (strlen(address) >= sizeof(function->address))
		return false;
	*function = (struct function){0};
	strcpy(function->address, address);
	function->is_virtual =
		link_read(root, address, "physfn", function->owner, sizeof(function->owner));
	if (!function->is_virtual)
		strcpy(function->owner, address);
	function->family = family_of(root, function->owner);
	if (function->family == FAMILY_NONE)
		return false;
	interface_read(root, address, function->interface);
	interface_read(root, function->owner, function->owner_interface);
	return true;
}

static bool has_driver(const struct ddp_sysroot *root) {
	char path[PATH_MAX];

	for (unsigned int i = 0; i < COUNT(drivers); i++) {
		DIR *dir;

		snprintf(path, sizeof(path), DRIVERS "/%s", drivers[i].name);
		dir = dir_open(root, path);
		if (dir == NULL)
			continue;
		closedir(dir);
		return true;
	}
	return false;
}

/* Asking */

static enum ddptool_status status_of(int error) {
	switch (error) {
	case -EPERM:
	case -EACCES:
		return DDPTOOL_PRIVILEGES;
	case -EBADMSG:
		return DDPTOOL_UNREADABLE;
	default:
		return DDPTOOL_NO_CONTACT;
	}
}

static void failed(const struct search *search, struct ddptool_device *device, int error,
		   const char *reason) {
	ddptool_say(search->options, "%s: %s", device->address,
		    reason != NULL ? reason : strerror(-error));
	device->state = error == -ENOTSUP ? DDPTOOL_OLD : DDPTOOL_FAILED;
	if (error != -ENOTSUP && status_of(error) > search->inventory->status)
		search->inventory->status = status_of(error);
}

static const char *devlink_trouble(int error) {
	switch (error) {
	case -ENOENT:
		return "this kernel has no devlink";
	case -ENODEV:
		return "devlink does not know it";
	case -EPERM:
	case -EACCES:
		return "devlink tells this user nothing of it";
	case -EBADMSG:
		return "devlink's answer makes no sense";
	case -EAGAIN:
		return "devlink does not answer";
	default:
		return NULL;
	}
}

// The driver leaves out what it has nothing to say of: a NIC without a package has no name of one.
static void ice_ask(struct search *search, const struct function *function,
		    struct ddptool_device *device) {
	struct devlink_info info;
	int ret = 0;

	if (!search->devlink_open)
		ret = devlink_open(&search->devlink, &search->machine->netlink);
	if (ret == 0) {
		search->devlink_open = true;
		ret = devlink_info_get(&search->devlink, function->owner, &info);
	}
	if (ret < 0)
		failed(search, device, ret, devlink_trouble(ret));
	else if (info.name[0] != '\0' || info.version[0] != '\0')
		ddptool_profile_add(device, strtoul(info.bundle, NULL, 16), info.version,
				    info.name);
}

static void i40e_ask(struct search *search, const struct function *function,
		     struct ddptool_device *device) {
	const struct ddp_sysroot *root = search->machine->root;
	struct i40e_loaded loaded[I40E_LOADED_MAX];
	unsigned int n = 0;
	int ret;

	if (function->owner_interface[0] == '\0') {
		failed(search, device, -ENODEV, "has no network interface to ask");
		return;
	}
	ret = i40e_nvm_profiles(&search->machine->ethtool, function->owner_interface,
				ddptool_sysfs_number(root, function->owner, "device"), loaded, &n);
	if (ret < 0)
		failed(search, device, ret,
		       ret == -ENOTSUP ? "its firmware is older than DDP" : NULL);
	for (unsigned int i = 0; i < n; i++) {
		char version[16];

		snprintf(version, sizeof(version), DDP_VERSION_FMT,
			 DDP_VERSION_NUMBERS(loaded[i].version));
		ddptool_profile_add(device, loaded[i].track_id, version, loaded[i].name);
	}
}

/* All of them */

static char *display_of(const struct search *search, const struct function *function) {
	const struct ddp_sysroot *root = search->machine->root;
	const char *address = function->address;
	const struct pci_id id = {
		.vendor = ddptool_sysfs_number(root, address, "vendor"),
		.device = ddptool_sysfs_number(root, address, "device"),
		.sub_vendor = ddptool_sysfs_number(root, address, "subsystem_vendor"),
		.sub_device = ddptool_sysfs_number(root, address, "subsystem_device"),
	};
	char *display = pci_ids_name(&search->ids, &id);

	if (display == NULL &&
	    asprintf(&display, "Intel Corporation device %04x of the %s series%s", id.device,
		     function->family == FAMILY_ICE ? "800" : "700",
		     function->is_virtual ? ", a virtual function" : "") < 0)
		no_memory_exit();
	return display;
}

static bool is_port(const struct ddptool_inventory *inventory, const char *address) {
	for (unsigned int i = 0; i < inventory->n; i++)
		if (inventory->devices[i].is_port &&
		    strcmp(inventory->devices[i].address, address) == 0)
			return true;
	return false;
}

static void function_add(struct search *search, const struct function *function) {
	const char *name = function->interface[0] != '\0' ? function->interface : "N/A";
	struct ddptool_device *device;
	char *display;

	if (function->is_virtual && !search->options->all)
		return;
	if (!ddptool_is_meant(search->options, function->address, name) ||
	    is_port(search->inventory, function->address))
		return;
	display = display_of(search, function);
	device = ddptool_device_add(search->inventory, function->address, name, display);
	free(display);
	device->device = ddptool_sysfs_number(search->machine->root, function->address, "device");
	if (function->family == FAMILY_ICE)
		ice_ask(search, function, device);
	else
		i40e_ask(search, function, device);
}

static int by_address(const void *a, const void *b) {
	return strcmp(((const struct function *)a)->address, ((const struct function *)b)->address);
}

// In order of their addresses; the caller frees them.
static struct function *functions_read(const struct ddp_sysroot *root, unsigned int *n) {
	DIR *dir = dir_open(root, DEVICES);
	struct function *functions = NULL;
	struct dirent *entry;

	*n = 0;
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		struct function function;

		if (entry->d_name[0] == '.' || !function_read(root, entry->d_name, &function))
			continue;
		functions = grow_or_exit(functions, *n, sizeof(*functions));
		functions[(*n)++] = function;
	}
	if (dir != NULL)
		closedir(dir);
	if (*n > 0)
		qsort(functions, *n, sizeof(*functions), by_address);
	return functions;
}

void ddptool_nics_add(struct ddptool_inventory *inventory, const struct ddptool_options *options,
		      const struct ddptool_machine *machine) {
	struct search search = {.inventory = inventory, .options = options, .machine = machine};
	struct function *functions;
	unsigned int n;

	inventory->has_driver |= has_driver(machine->root);
	functions = functions_read(machine->root, &n);
	pci_ids_open(&search.ids, machine->root);
	for (unsigned int i = 0; i < n; i++)
		function_add(&search, &functions[i]);
	pci_ids_close(&search.ids);
	free(functions);
}
