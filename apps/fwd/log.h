/* SPDX-License-Identifier: BSD-3-Clause */
// Messages of ddp-fwd on standard error, and its errors: a line with an exit status. The function
// that finds an error fills it in, its callers return -1, and main() prints it.
//
// If standard error is a socket of systemd's journal, a line begins with its priority, as
// sd-daemon(3) describes, instead of the name of the program, which the journal adds.
#ifndef DDP_FWD_LOG_H
#define DDP_FWD_LOG_H

#include <limits.h>
#include <stdbool.h>
#include <syslog.h>

#include "common/output.h"

// Is standard error the journal? $JOURNAL_STREAM has its device and inode.
bool log_is_journal(void);

// For the journal, add priorities to lines of EAL's log, and disable EAL's output to syslog, which
// the journal also reads. Call it before EAL starts. 0 or -ENOMEM.
int eal_log_init(void);

// Write a message as one line: "ddp-fwd: ...", or "<PRIORITY>..." to the journal. priority is
// LOG_ERR, LOG_WARNING, LOG_NOTICE or LOG_INFO.
void say(int priority, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

struct error {
	enum exit_status code;
	char text[2 * PATH_MAX + 256]; // a message may have a path twice
};

// Set the error. Always -1.
int error_set(struct error *error, enum exit_status code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

// Notify the service manager that started the process, such as systemd, with "READY=1\nSTATUS=...";
// values have no line ends. Without a manager, or if it does not read, nothing happens. The
// protocol is a datagram to the socket in $NOTIFY_SOCKET. sd_notify(3) allows programs to implement
// it; libsystemd would load its compression libraries.
void service_notify(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
