/* SPDX-License-Identifier: BSD-3-Clause */
#include "fault.h"

#include <stdarg.h>
#include <stdio.h>

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
