/* SPDX-License-Identifier: BSD-3-Clause */
// What a service tells the service manager that started it, such as systemd.
//
// The protocol is a datagram with lines NAME=VALUE to the socket that $NOTIFY_SOCKET names.
// sd_notify(3) says that it is stable and may be implemented without libsystemd, which would bring
// its compression libraries into the process.
#ifndef COMMON_SERVICE_MANAGER_H
#define COMMON_SERVICE_MANAGER_H

// Tell it something, such as "READY=1\nSTATUS=..."; values have no line ends. Nothing happens
// without a service manager, or if it does not listen.
void service_notify(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
