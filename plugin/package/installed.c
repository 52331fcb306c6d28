/* SPDX-License-Identifier: BSD-3-Clause */
#include "installed.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "folders.h"
#include "nic.h"
#include "place.h"

struct found {
	struct ddp_installed *items;
	unsigned int n;
};

// ice.pkg, ice-<16 digits>.pkg, each maybe packed; another name is not asked for.
static enum ddp_use use_of(const char *folder, const char *name, uint64_t *serial) {
	size_t folder_len = strlen(folder), end_len = strlen(DDP_PACKAGE_FOLDER);
	char plain[NAME_MAX + 1], own[DDP_OWN_NAME_SIZE], digits[17];

	if (folder_len < end_len || strcmp(folder + folder_len - end_len, DDP_PACKAGE_FOLDER) != 0)
		return DDP_USE_NONE;
	snprintf(plain, sizeof(plain), "%.*s",
		 (int)(strlen(name) - strlen(ddp_packing_suffix(ddp_packing_of(name)))), name);
	if (strcmp(plain, DDP_DEFAULT_NAME) == 0)
		return DDP_USE_ALL;
	if (sscanf(plain, "ice-%16s", digits) != 1 || ddp_serial_parse(digits, serial) < 0)
		return DDP_USE_NONE;
	ddp_own_name(*serial, own); // with small letters
	return strcmp(plain, own) == 0 ? DDP_USE_ONE : DDP_USE_NONE;
}

static void facts_get(const struct ddp_root *root, const char *path, struct ddp_facts *facts) {
	size_t size, content_size;
	void *bytes = ddp_root_read(root, path, &size), *content;

	*facts = (struct ddp_facts){0};
	if (bytes == NULL) {
		snprintf(facts->problem, sizeof(facts->problem), "it cannot be read: %s",
			 ddp_root_dangles(root, path) ? "the symbolic link leads nowhere" :
							strerror(errno));
		return;
	}
	content = ddp_unpack(ddp_packing_of(path), bytes, size, &content_size, facts->problem,
			     sizeof(facts->problem));
	if (content != NULL)
		ddp_facts_read(path, content, content_size, 0, facts);
	free(content);
	free(bytes);
}

static int package_add(struct found *found, const struct ddp_root *root, const char *folder,
		       const char *name) {
	struct ddp_installed *more = reallocarray(found->items, found->n + 1, sizeof(*more));
	struct ddp_installed *item;

	if (more == NULL)
		return -ENOMEM;
	found->items = more;
	item = &more[found->n];
	*item = (struct ddp_installed){0};
	if (asprintf(&item->path, "%s/%s", folder, name) < 0)
		return -ENOMEM;
	found->n++;
	item->target = ddp_root_target(root, item->path);
	item->use = use_of(folder, name, &item->serial);
	if (strcmp(folder, DDP_UPDATES_FOLDER DDP_PACKAGE_FOLDER) == 0)
		item->undo_depth = ddp_package_undo_depth(root, name);
	facts_get(root, item->path, &item->facts);
	return 0;
}

static int is_package(const struct dirent *entry) {
	const char *name = entry->d_name;
	size_t len = strlen(name) - strlen(ddp_packing_suffix(ddp_packing_of(name)));

	return name[0] != '.' && len >= 4 && strncmp(name + len - 4, ".pkg", 4) == 0;
}

// ddp-comms and the like: where distributions keep packages that somebody has to choose first.
static int is_folder(const struct dirent *entry) {
	return strncmp(entry->d_name, "ddp-", 4) == 0;
}

// Call add for the entries of a folder that match, by name. A folder that is not there has none.
static int each(struct found *found, const struct ddp_root *root, const char *folder,
		int (*matches)(const struct dirent *entry),
		int (*add)(struct found *found, const struct ddp_root *root, const char *folder,
			   const char *name)) {
	int fd = ddp_root_fd(root, folder, O_RDONLY | O_DIRECTORY);
	struct dirent **entries;
	int n, ret = 0;

	if (fd < 0)
		return 0;
	n = scandirat(fd, ".", &entries, matches, alphasort);
	close(fd);
	for (int i = 0; i < n; i++) {
		if (ret == 0)
			ret = add(found, root, folder, entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return ret;
}

static int further_add(struct found *found, const struct ddp_root *root, const char *folder,
		       const char *name) {
	char further[PATH_MAX + 512];

	snprintf(further, sizeof(further), "%s/%s", folder, name);
	return each(found, root, further, is_package, package_add);
}

static int folder_add(struct found *found, const struct ddp_root *root, const char *folder) {
	char path[PATH_MAX + 16];
	int ret;

	snprintf(path, sizeof(path), "%s" DDP_PACKAGE_FOLDER, folder);
	ret = each(found, root, path, is_package, package_add);
	if (ret < 0)
		return ret;
	*strrchr(path, '/') = '\0';
	return each(found, root, path, is_folder, further_add);
}

int ddp_installed_get(const struct ddp_root *root, const char *release,
		      struct ddp_installed **installed, unsigned int *n) {
	char folders[DDP_FOLDERS_MAX][PATH_MAX];
	unsigned int n_folders = ddp_kernel_folders(root, release, folders);
	struct found found = {0};
	int ret = 0;

	for (unsigned int i = 0; i < n_folders && ret == 0; i++) {
		bool again = false; // firmware_class.path may name another one

		for (unsigned int j = 0; j < i; j++)
			again = again || strcmp(folders[i], folders[j]) == 0;
		if (!again)
			ret = folder_add(&found, root, folders[i]);
	}
	*installed = found.items;
	*n = found.n;
	if (ret < 0) {
		ddp_installed_free(found.items, found.n);
		errno = -ret;
	}
	return ret;
}

void ddp_installed_free(struct ddp_installed *installed, unsigned int n) {
	for (unsigned int i = 0; i < n; i++) {
		free(installed[i].path);
		free(installed[i].target);
	}
	free(installed);
}
