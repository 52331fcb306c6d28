/* SPDX-License-Identifier: BSD-3-Clause */
#include "pci_ids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const files[] = {
	"/usr/share/hwdata/pci.ids",
	"/usr/share/misc/pci.ids",
};

void pci_ids_open(struct pci_ids *ids, const struct ddp_sysroot *root) {
	size_t size;

	ids->text = NULL;
	for (unsigned int i = 0; ids->text == NULL && i < COUNT(files); i++)
		ids->text = ddp_sysroot_read(root, files[i], &size);
}

void pci_ids_close(struct pci_ids *ids) {
	free(ids->text);
}

static const char *line_after(const char *line) {
	const char *end = strchr(line, '\n');

	return end != NULL ? end + 1 : line + strlen(line);
}

// A vendor's line has no tab, a device's one, a card's two.
static unsigned int tabs_of(const char *line) {
	return strspn(line, "\t");
}

// The line after this one that begins with so many tabs and a key, before one with fewer; NULL for
// none.
static const char *entry_find(const char *line, unsigned int n_tabs, const char *key) {
	for (line = line_after(line); *line != '\0'; line = line_after(line)) {
		unsigned int n = tabs_of(line);

		if (line[n] == '#' || line[n] == '\n')
			continue;
		if (n < n_tabs)
			return NULL;
		if (n == n_tabs && strncasecmp(line + n, key, strlen(key)) == 0)
			return line;
	}
	return NULL;
}

static const char *vendor_find(const char *text, const char *key) {
	for (const char *line = text; *line != '\0'; line = line_after(line))
		if (strncasecmp(line, key, strlen(key)) == 0)
			return line;
	return NULL;
}

// What follows the key, without blanks around it.
static int name_of(const char *line, size_t key_len, const char **name) {
	int len;

	line += tabs_of(line) + key_len;
	line += strspn(line, " ");
	len = strcspn(line, "\r\n");
	while (len > 0 && line[len - 1] == ' ')
		len--;
	*name = line;
	return len;
}

char *pci_ids_name(const struct pci_ids *ids, const struct pci_id *id) {
	const char *vendor, *device, *card, *vendor_name, *name;
	char key[16], *whole;
	int vendor_len, len;

	if (ids->text == NULL)
		return NULL;
	snprintf(key, sizeof(key), "%04x ", id->vendor);
	vendor = vendor_find(ids->text, key);
	snprintf(key, sizeof(key), "%04x ", id->device);
	device = vendor != NULL ? entry_find(vendor, 1, key) : NULL;
	if (device == NULL)
		return NULL;
	snprintf(key, sizeof(key), "%04x %04x ", id->sub_vendor, id->sub_device);
	card = entry_find(device, 2, key);
	vendor_len = name_of(vendor, 5, &vendor_name);
	len = card != NULL ? name_of(card, 10, &name) : name_of(device, 5, &name);
	if (asprintf(&whole, "%.*s %.*s", vendor_len, vendor_name, len, name) < 0)
		return NULL;
	return whole;
}
