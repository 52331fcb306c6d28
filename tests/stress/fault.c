/* SPDX-License-Identifier: BSD-3-Clause */
#include "fault.h"

#include <stdarg.h>
#include <stdio.h>

#include <rte_ethdev.h>

#define FAULTS_TOLD 20

static unsigned int n_faults;

void fault(const char *fmt, ...) {
	char text[512];
	va_list ap;

	if (__atomic_fetch_add(&n_faults, 1, __ATOMIC_RELAXED) >= FAULTS_TOLD)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "FAULT: %s\n", text);
}

unsigned int fault_count(void) {
	return __atomic_load_n(&n_faults, __ATOMIC_RELAXED);
}

bool xstat_read(uint16_t port, const char *name, uint64_t *value) {
	uint64_t id;

	return rte_eth_xstats_get_id_by_name(port, name, &id) == 0 &&
	       rte_eth_xstats_get_by_id(port, &id, value, 1) == 1;
}

uint64_t xstat_dropped_by_rule(uint16_t port) {
	uint64_t n = 0;

	xstat_read(port, "rx_dropped_by_rule", &n);
	return n;
}
