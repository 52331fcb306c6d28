/* SPDX-License-Identifier: BSD-3-Clause */
// What a program says on standard error: one line for each message.
//
// A service's standard error may be a socket of systemd's journal. There a line begins with its
// priority, as sd-daemon(3) describes, and not with the name of the program, which the journal
// knows.
#ifndef COMMON_LOG_LINE_H
#define COMMON_LOG_LINE_H

#include <stdbool.h>
#include <syslog.h>

// Whether standard error is the journal's: $JOURNAL_STREAM names its device and inode.
bool log_is_journal(void);

// Write a message as one line: "PROGRAM: ...", or "<PRIORITY>..." to the journal. priority is
// LOG_ERR, LOG_WARNING, LOG_NOTICE or LOG_INFO.
void log_line(const char *program, int priority, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
