/* SPDX-License-Identifier: BSD-3-Clause */
#include "xstat.h"

#include <string.h>

#include <rte_ethdev.h>

#include "fault.h"

#define XSTATS_MAX 4096

bool xstat_read(uint16_t port, const char *name, uint64_t *value) {
	static struct rte_eth_xstat_name names[XSTATS_MAX];
	static struct rte_eth_xstat values[XSTATS_MAX];
	int n = rte_eth_xstats_get(port, values, XSTATS_MAX);

	if (n > XSTATS_MAX || rte_eth_xstats_get_names(port, names, XSTATS_MAX) != n)
		fault("there are %d statistics", n);
	for (int i = 0; i < n && i < XSTATS_MAX; i++)
		if (strcmp(names[i].name, name) == 0) {
			*value = values[i].value;
			return true;
		}
	return false;
}

uint64_t xstat_dropped_by_rule(uint16_t port) {
	uint64_t n = 0;

	xstat_read(port, "rx_dropped_by_rule", &n);
	return n;
}
