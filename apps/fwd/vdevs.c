/* SPDX-License-Identifier: BSD-3-Clause */
#include "vdevs.h"

#include <stdio.h>
#include <string.h>

#include <rte_ethdev.h>

#include "rx_capture.h"

// The next --vdev from args[*i] on, NULL when there are no more.
static const char *vdev_next(char *const *args, unsigned int *i) {
	while (args[*i] != NULL) {
		const char *arg = args[(*i)++];

		if (strncmp(arg, "--vdev=", 7) == 0)
			return arg + 7;
		if (strcmp(arg, "--vdev") == 0 && args[*i] != NULL)
			return args[(*i)++];
	}
	return NULL;
}

// A report must not take the place of what it tells of.
static int json_check(const struct config *config, const char *vdev, struct error *error) {
	if (config->json == NULL || !devargs_read(vdev, config->json))
		return 0;
	return error_set(error, EXIT_USAGE, "--json: %s is read, and would be overwritten",
			 config->json);
}

int vdevs_check_files(const struct config *config, struct error *error) {
	const char *vdev;

	for (unsigned int i = 1; (vdev = vdev_next(config->eal_args, &i)) != NULL;)
		if (json_check(config, vdev, error) < 0)
			return -1;
	// A driver does not say why it cannot read a capture.
	for (unsigned int i = 1; (vdev = vdev_next(config->eal_args, &i)) != NULL;)
		if (captures_try(vdev, error) < 0)
			return -1;
	return 0;
}

// EAL goes on when a device fails, so a port may be missing that the user counts on. net_ddp has
// said why.
int vdevs_check_ports(const struct config *config, struct error *error) {
	const char *vdev;

	for (unsigned int i = 1; (vdev = vdev_next(config->eal_args, &i)) != NULL;) {
		char name[RTE_ETH_NAME_MAX_LEN];
		uint16_t port;

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(vdev, ","), vdev);
		if (rte_eth_dev_get_port_by_name(name, &port) == 0)
			continue;
		if (strncmp(vdev, "net_ddp", strlen("net_ddp")) == 0)
			return error_set(error, EXIT_FAILED, "%s", "");
		return error_set(error, EXIT_FAILED, "%s: no such port: see the error above", name);
	}
	return 0;
}
