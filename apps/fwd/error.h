/* SPDX-License-Identifier: BSD-3-Clause */
// Why ddp-fwd gives up: one line for people and the code it exits with.
//
// Who finds the mistake fills it in, everybody between returns -1, and main() prints it.
#ifndef DDP_FWD_ERROR_H
#define DDP_FWD_ERROR_H

#include <limits.h>

#include "common/exit_status.h"
#include "common/log_line.h"

// A line to standard error: see log_line().
#define say(priority, ...) log_line("ddp-fwd", priority, __VA_ARGS__)

struct error {
	enum exit_status code;
	char text[2 * PATH_MAX + 256]; // may name a file twice
};

// Fill in the error. Always -1.
int error_set(struct error *error, enum exit_status code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
