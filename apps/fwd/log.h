/* SPDX-License-Identifier: BSD-3-Clause */
// What ddp-fwd says on standard error, one line for each message, and why it gives up: one line for
// people and the code it exits with. Who finds the mistake fills the error in, everybody between
// returns -1, and main() prints it.
//
// A service's standard error may be a socket of systemd's journal. There a line begins with its
// priority, as sd-daemon(3) describes, and not with the name of the program, which the journal
// knows.
#ifndef DDP_FWD_LOG_H
#define DDP_FWD_LOG_H

#include <limits.h>
#include <stdbool.h>
#include <syslog.h>

#include "common/output.h"

// Whether standard error is the journal's: $JOURNAL_STREAM names its device and inode.
bool log_is_journal(void);

// If it is, give each line of EAL's log its priority, and let EAL not send it to syslog, which the
// journal reads as well. To be called before EAL starts. 0 or -ENOMEM.
int eal_log_init(void);

// Write a message as one line: "ddp-fwd: ...", or "<PRIORITY>..." to the journal. priority is
// LOG_ERR, LOG_WARNING, LOG_NOTICE or LOG_INFO.
void say(int priority, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

struct error {
	enum exit_status code;
	char text[2 * PATH_MAX + 256]; // may name a file twice
};

// Fill in the error. Always -1.
int error_set(struct error *error, enum exit_status code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

// Tell the service manager that started the process, such as systemd, something like
// "READY=1\nSTATUS=..."; values have no line ends. Nothing happens without a service manager, or if
// it does not listen. sd_notify(3) says that the protocol, a datagram to the socket that
// $NOTIFY_SOCKET names, is stable and may be implemented without libsystemd, which would bring its
// compression libraries into the process.
void service_notify(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
