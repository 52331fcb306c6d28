/* SPDX-License-Identifier: BSD-3-Clause */
#include "folders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUSTOM_FOLDER_FILE "/sys/module/firmware_class/parameters/path"

// firmware_class.path, or "". Older kernels take a newline for a part of it, which never helped
// anyone.
static void custom_folder(const struct ddp_sysroot *root, char folder[PATH_MAX]) {
	size_t size = 0;
	char *text = ddp_sysroot_read(root, CUSTOM_FOLDER_FILE, &size);

	folder[0] = '\0';
	if (text != NULL && text[0] != '\0' && text[0] != '\n')
		snprintf(folder, PATH_MAX, "%s%.*s", text[0] == '/' ? "" : "/",
			 (int)strcspn(text, "\n"), text);
	free(text);
}

unsigned int ddp_kernel_folders(const struct ddp_sysroot *root, const char *release,
				char folders[DDP_FOLDERS_MAX][PATH_MAX]) {
	unsigned int n = 0;

	custom_folder(root, folders[0]);
	if (folders[0][0] != '\0')
		n++;
	snprintf(folders[n++], PATH_MAX, DDP_UPDATES_FOLDER "/%s", release);
	strcpy(folders[n++], DDP_UPDATES_FOLDER);
	snprintf(folders[n++], PATH_MAX, DDP_FIRMWARE_FOLDER "/%s", release);
	strcpy(folders[n++], DDP_FIRMWARE_FOLDER);
	return n;
}

unsigned int ddp_dpdk_folders(char folders[DDP_FOLDERS_MAX][PATH_MAX]) {
	strcpy(folders[0], DDP_UPDATES_FOLDER);
	strcpy(folders[1], DDP_FIRMWARE_FOLDER);
	return 2;
}
