/* SPDX-License-Identifier: BSD-3-Clause */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

int error_set(struct error *error, enum exit_status code, const char *fmt, ...) {
	char text[sizeof(error->text)];
	va_list ap;

	error->code = code;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ddp_escape(text, error->text, sizeof(error->text));
	return -1;
}
