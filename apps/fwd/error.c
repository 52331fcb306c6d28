/* SPDX-License-Identifier: BSD-3-Clause */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

int error_set(struct error *error, enum exit_code code, const char *fmt, ...) {
	va_list ap;

	error->code = code;
	va_start(ap, fmt);
	vsnprintf(error->text, sizeof(error->text), fmt, ap);
	va_end(ap);
	return -1;
}
