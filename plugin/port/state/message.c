/* SPDX-License-Identifier: BSD-3-Clause */
// Lines for people: in the log, and as the error of a call.
#include "port/state/port.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

int ddp_port_logtype;

void ddp_port_log(uint32_t level, const char *fmt, ...) {
	char text[2 * PATH_MAX], line[2 * PATH_MAX];
	va_list ap;

	if (!rte_log_can_log(ddp_port_logtype, level))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ddp_escape(text, line, sizeof(line));
	rte_log(level, ddp_port_logtype, "%s\n", line);
}

int ddp_fail(char *error, size_t size, int ret, const char *fmt, ...) {
	va_list ap;

	assert(ret < 0);
	va_start(ap, fmt);
	vsnprintf(error, size, fmt, ap);
	va_end(ap);
	return ret;
}
