/* SPDX-License-Identifier: BSD-3-Clause */
// Lines for people: in the log, and as the error of a call.
#ifndef DDP_PORT_STATE_MESSAGE_H
#define DDP_PORT_STATE_MESSAGE_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_log.h>

extern int ddp_port_logtype;

// Log one line, preceded by the port's name. Control characters, which may come from names in it,
// are escaped.
#define PORT_LOG(level, name, fmt, ...) \
	ddp_port_log(RTE_LOG_##level, "%s: " fmt, name, ##__VA_ARGS__)
void ddp_port_log(uint32_t level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
// Write one line to error (size bytes). Returns ret, which is negative.
int ddp_fail(char *error, size_t size, int ret, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
#define DDP_FAIL_NO_MEMORY(error, size) ddp_fail(error, size, -ENOMEM, "out of memory")

#endif
