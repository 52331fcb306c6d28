/* SPDX-License-Identifier: BSD-3-Clause */
#include "pci_nic.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read.h"

#define DEVICES "/sys/bus/pci/devices"
#define INTEL 0x8086
#define VIRTUAL_FUNCTION 0x1889

#define CONFIG_SIZE 64        // that anybody may read
#define EXTENDED 256          // where extended capabilities begin
#define EXTENDED_END 4096     // and where they must end
#define SERIAL_CAPABILITY 3   // Device Serial Number
#define CAPABILITY_SIZE_MIN 8 // bounds how many there can be

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct model {
	uint16_t device;
	uint16_t segment;
	const char *name;
} models[] = {
	{0x0dbd, SEGMENT_E810, "E824-S"},
	{0x0dcd, SEGMENT_E810, "E825-X"},
	{0x1248, SEGMENT_E830, "E835-CC for backplane"},
	{0x1249, SEGMENT_E830, "E835-CC for QSFP"},
	{0x124a, SEGMENT_E830, "E835-CC for SFP"},
	{0x124c, SEGMENT_E810, "E823-L for backplane"},
	{0x124d, SEGMENT_E810, "E823-L for SFP"},
	{0x124e, SEGMENT_E810, "E823-L 10GBASE-T"},
	{0x124f, SEGMENT_E810, "E823-L 1GbE"},
	{0x1261, SEGMENT_E830, "E835-C for backplane"},
	{0x1262, SEGMENT_E830, "E835-C for QSFP"},
	{0x1263, SEGMENT_E830, "E835-C for SFP"},
	{0x1265, SEGMENT_E830, "E835-L for backplane"},
	{0x1266, SEGMENT_E830, "E835-L for QSFP"},
	{0x1267, SEGMENT_E830, "E835-L for SFP"},
	{0x12d1, SEGMENT_E830, "E830-CC for backplane"},
	{0x12d2, SEGMENT_E830, "E830-CC for QSFP"},
	{0x12d3, SEGMENT_E830, "E830-CC for SFP"},
	{0x12d4, SEGMENT_E830, "E830-CC for SFP-DD"},
	{0x12d5, SEGMENT_E830, "E830-C for backplane"},
	{0x12d8, SEGMENT_E830, "E830-C for QSFP"},
	{0x12da, SEGMENT_E830, "E830-C for SFP"},
	{0x12dc, SEGMENT_E830, "E830-XXV for backplane"},
	{0x12dd, SEGMENT_E830, "E830-XXV for QSFP"},
	{0x12de, SEGMENT_E830, "E830-XXV for SFP"},
	{0x151d, SEGMENT_E810, "E823-L for QSFP"},
	{0x1591, SEGMENT_E810, "E810-C for backplane"},
	{0x1592, SEGMENT_E810, "E810-C for QSFP"},
	{0x1593, SEGMENT_E810, "E810-C for SFP"},
	{0x1599, SEGMENT_E810, "E810-XXV for backplane"},
	{0x159a, SEGMENT_E810, "E810-XXV for QSFP"},
	{0x159b, SEGMENT_E810, "E810-XXV for SFP"},
	{0x1888, SEGMENT_E810, "E822"},
	{0x188a, SEGMENT_E810, "E823-C for backplane"},
	{0x188b, SEGMENT_E810, "E823-C for QSFP"},
	{0x188c, SEGMENT_E810, "E823-C for SFP"},
	{0x188d, SEGMENT_E810, "E823-C 10GBASE-T"},
	{0x188e, SEGMENT_E810, "E823-C 1GbE"},
	{0x1890, SEGMENT_E810, "E822-C for backplane"},
	{0x1891, SEGMENT_E810, "E822-C for QSFP"},
	{0x1892, SEGMENT_E810, "E822-C for SFP"},
	{0x1893, SEGMENT_E810, "E822-C 10GBASE-T"},
	{0x1894, SEGMENT_E810, "E822-C 1GbE"},
	{0x1897, SEGMENT_E810, "E822-L for backplane"},
	{0x1898, SEGMENT_E810, "E822-L for SFP"},
	{0x1899, SEGMENT_E810, "E822-L 10GBASE-T"},
	{0x189a, SEGMENT_E810, "E822-L 1GbE"},
	{0x579c, SEGMENT_E810, "E825-C for backplane"},
	{0x579d, SEGMENT_E810, "E825-C for QSFP"},
	{0x579e, SEGMENT_E810, "E825-C for SFP"},
	{0x579f, SEGMENT_E810, "E825-C 1GbE"},
};

static const struct model *model_find(unsigned int device) {
	for (unsigned int i = 0; i < COUNT(models); i++)
		if (models[i].device == device)
			return &models[i];
	return NULL;
}

static int digit_value(char c) {
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

int ddp_serial_parse(const char *text, uint64_t *serial) {
	uint64_t value = 0;

	for (unsigned int n = 0; n < 16; n++, text++) {
		if (n != 0 && n % 2 == 0 && (*text == '-' || *text == ':'))
			text++;
		if (!isxdigit((unsigned char)*text))
			return -EINVAL;
		value = value << 4 | digit_value(*text);
	}
	if (*text != '\0')
		return -EINVAL;
	*serial = value;
	return 0;
}

void ddp_serial_print(uint64_t serial, char text[DDP_SERIAL_SIZE]) {
	uint8_t b[8];

	for (unsigned int i = 0; i < 8; i++)
		b[i] = serial >> (56 - 8 * i);
	snprintf(text, DDP_SERIAL_SIZE, "%02x-%02x-%02x-%02x-%02x-%02x-%02x-%02x", b[0], b[1], b[2],
		 b[3], b[4], b[5], b[6], b[7]);
}

static uint64_t le(const uint8_t *bytes, unsigned int n) {
	uint64_t value = 0;

	while (n-- > 0)
		value = value << 8 | bytes[n];
	return value;
}

int ddp_serial_find(const uint8_t *config, size_t size, uint64_t *serial) {
	size_t offset = EXTENDED;

	if (size < EXTENDED)
		return -ENODATA;
	if (size == EXTENDED)
		return -ENOENT; // a device of plain PCI
	for (unsigned int n = 0; n < (EXTENDED_END - EXTENDED) / CAPABILITY_SIZE_MIN; n++) {
		uint32_t header;

		if (offset + 4 > size)
			return -ENODATA;
		header = le(config + offset, 4);
		if (header == 0 || header == UINT32_MAX)
			return -ENOENT;
		if ((header & 0xffff) == SERIAL_CAPABILITY) {
			if (offset + 12 > size)
				return -ENODATA;
			*serial = le(config + offset + 4, 8);
			return 0;
		}
		offset = header >> 20 & 0xffc;
		if (offset < EXTENDED)
			return -ENOENT;
	}
	return -ELOOP;
}

// A number as sysfs has it, "0x8086". 0, or -errno.
static int number_read(const struct ddp_sysroot *root, const char *address, const char *name,
		       unsigned int *number) {
	char path[PATH_MAX];
	char *text, *end;
	size_t size;

	snprintf(path, sizeof(path), DEVICES "/%s/%s", address, name);
	text = ddp_sysroot_read(root, path, &size);
	if (text == NULL)
		return -errno;
	*number = strtoul(text, &end, 16);
	size = end - text;
	free(text);
	return size == 0 ? -EINVAL : 0;
}

// Only a list that is cut where everybody's view ends is a matter of rights.
static int serial_read(const struct ddp_sysroot *root, struct ddp_nic *nic, struct ddp_diag *diag) {
	char path[PATH_MAX];
	const struct ddp_place place = {.file = path};
	uint8_t *config;
	size_t size;
	int ret;

	snprintf(path, sizeof(path), DEVICES "/%s/config", nic->address);
	config = ddp_sysroot_read(root, path, &size);
	if (config == NULL) {
		ret = -errno;
		ddp_error(diag, &place, "%s", strerror(-ret));
		diag->unreadable = true;
		return ret;
	}
	ret = ddp_serial_find(config, size, &nic->serial);
	free(config);
	if (ret == 0)
		nic->serial_state = DDP_SERIAL_KNOWN;
	else if (ret == -ENODATA && size == CONFIG_SIZE)
		nic->serial_state = DDP_SERIAL_HIDDEN;
	else if (ret != -ENODATA)
		nic->serial_state = DDP_SERIAL_NONE;
	else {
		ddp_error(diag, &place, "the configuration space is cut short after %zu bytes",
			  size);
		diag->unreadable = true;
		return ret;
	}
	return 0;
}

// 0: an 800-series NIC; 1: none. Or -errno.
static int nic_read(const struct ddp_sysroot *root, const char *address, struct ddp_nic *nic,
		    unsigned int *vendor, unsigned int *device, struct ddp_diag *diag) {
	const struct model *model;
	int ret;

	if (strlen(address) >= sizeof(nic->address))
		return -ENOENT;
	*nic = (struct ddp_nic){0};
	strcpy(nic->address, address);
	ret = number_read(root, address, "vendor", vendor);
	if (ret == 0)
		ret = number_read(root, address, "device", device);
	if (ret < 0)
		return ret;
	model = *vendor == INTEL ? model_find(*device) : NULL;
	if (model == NULL)
		return 1;
	nic->device = *device;
	nic->model = model->name;
	nic->segment = model->segment;
	return serial_read(root, nic, diag);
}

int ddp_nic_get(const struct ddp_sysroot *root, const char *address, struct ddp_nic *nic,
		struct ddp_diag *diag) {
	unsigned int vendor = 0, device = 0, failures = ddp_diag_failures(diag);
	const struct ddp_place place = {.file = address};
	char whole[64];
	int ret;

	// Without its domain it has one ':' only.
	snprintf(whole, sizeof(whole), "%s%s",
		 strchr(address, ':') == strrchr(address, ':') ? "0000:" : "", address);
	ret = strchr(address, '/') != NULL ? -ENOENT :
					     nic_read(root, whole, nic, &vendor, &device, diag);
	if (ret == 0 || ddp_diag_failures(diag) != failures)
		return ret;
	if (ret == -ENOENT)
		ddp_error(diag, &place, "no such PCI device");
	else if (ret < 0)
		ddp_error(diag, &place, "%s", strerror(-ret));
	else if (vendor == INTEL && device == VIRTUAL_FUNCTION)
		ddp_error(diag, &place,
			  "is a virtual function: give the physical one, which loads the package");
	else
		ddp_error(diag, &place, "%04x:%04x is not an 800-series NIC", vendor, device);
	if (ret < 0)
		diag->unreadable = true;
	return ret < 0 ? ret : -ENODEV;
}

static int by_address(const void *a, const void *b) {
	return strcmp(((const struct ddp_nic *)a)->address, ((const struct ddp_nic *)b)->address);
}

// A device that vanished meanwhile, or that is no NIC of ours, is none.
static int nics_add(const struct ddp_sysroot *root, const char *address, struct ddp_nic **nics,
		    unsigned int *n, struct ddp_diag *diag) {
	unsigned int vendor, device, failures = ddp_diag_failures(diag);
	struct ddp_nic nic, *more;
	int ret = nic_read(root, address, &nic, &vendor, &device, diag);

	if (ret != 0)
		return ddp_diag_failures(diag) != failures ? ret : 0;
	more = reallocarray(*nics, *n + 1, sizeof(nic));
	if (more == NULL)
		return ddp_no_memory(diag);
	*nics = more;
	more[(*n)++] = nic;
	return 0;
}

int ddp_nics_get(const struct ddp_sysroot *root, struct ddp_nic **nics, unsigned int *n,
		 struct ddp_diag *diag) {
	int fd = ddp_sysroot_fd(root, DEVICES, O_RDONLY | O_DIRECTORY), ret = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	*nics = NULL;
	*n = 0;
	if (dir == NULL)
		return 0; // a machine without PCI
	while (ret == 0 && (entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.')
			ret = nics_add(root, entry->d_name, nics, n, diag);
	closedir(dir);
	if (ret < 0) {
		free(*nics);
		*nics = NULL;
		*n = 0;
		return ret;
	}
	if (*n > 0)
		qsort(*nics, *n, sizeof(**nics), by_address);
	return 0;
}
