/* SPDX-License-Identifier: BSD-3-Clause */
// What a service tells the service manager that started it, such as systemd.
//
// The protocol is a datagram with lines NAME=VALUE to the socket that $NOTIFY_SOCKET names.
// sd_notify(3) says that it is stable and may be implemented without libsystemd, which would bring
// its compression libraries into the process.
#ifndef COMMON_SERVICE_MANAGER_H
#define COMMON_SERVICE_MANAGER_H

#include <stdint.h>

// Tell it something, such as "READY=1\nSTATUS=..."; values have no line ends. Nothing happens
// without a service manager, or if it does not listen.
void service_notify(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

// "RELOADING=1"; "READY=1" ends it.
void service_notify_reloading(void);

// How often it wants to hear "WATCHDOG=1", in microseconds; 0: never.
uint64_t service_watchdog_us(void);

#endif
