/* SPDX-License-Identifier: BSD-3-Clause */
// Shared by all of plugin/port: text output (log lines, the error of a call), memory that all
// processes share, the value of the data path's locks, and the wake-up of sleeping threads.
#include "port/state/port.h"

#include <limits.h>
#include <stdarg.h>
#include <unistd.h>

#include <rte_malloc.h>

#include "base/utf8.h"

int ddp_lock_owner = 1;
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

int ddp_fail(char *error, int ret, const char *fmt, ...) {
	va_list ap;

	assert(ret < 0);
	va_start(ap, fmt);
	vsnprintf(error, DDP_ERROR_SIZE, fmt, ap);
	va_end(ap);
	return ret;
}

void ddp_append(char *error, const char *more) {
	size_t len = strlen(error);

	snprintf(error + len, DDP_ERROR_SIZE - len, "%s", more);
}

static void *alloc(size_t size) {
	return rte_zmalloc("ddp_port", size, 0);
}

const struct ddp_memory ddp_port_memory = {.alloc = alloc, .free = rte_free};

void ddp_rx_intr_wake(struct ddp_rxq *queue) {
	const uint64_t one = 1;

	if (__atomic_exchange_n(&queue->armed, false, __ATOMIC_ACQ_REL) &&
	    write(queue->wake_fd, &one, sizeof(one)) < 0)
		return; // it is set already
}

void ddp_rx_intr_wake_all(struct ddp_port *port) {
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (unsigned int i = 0; port->rx_intr && i < port->n_rxqs; i++)
		ddp_rx_intr_wake(&port->rxqs[i]);
}
