/* SPDX-License-Identifier: BSD-3-Clause */
#include "eal_log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>
#include <rte_log.h>

#include "common/log_line.h"

// EAL's levels begin with 1 where those of syslog begin with 0.
static int priority_now(void) {
	int level = rte_log_cur_msg_loglevel();

	return RTE_MAX(LOG_EMERG, RTE_MIN(level - 1, LOG_DEBUG));
}

// Called with whole messages, since rte_log() flushes.
static ssize_t lines_write(void *cookie, const char *text, size_t size) {
	int priority = priority_now();

	(void)cookie;
	for (size_t at = 0, len; at < size; at += len + 1) {
		const char *end = memchr(text + at, '\n', size - at);

		len = end == NULL ? size - at : (size_t)(end - text) - at;
		if (len != 0)
			fprintf(stderr, "<%d>%.*s\n", priority, (int)len, text + at);
	}
	return size;
}

int eal_log_init(void) {
	const cookie_io_functions_t functions = {.write = lines_write};
	FILE *log;

	if (!log_is_journal())
		return 0;
	log = fopencookie(NULL, "w", functions);
	if (log == NULL)
		return -ENOMEM;
	rte_openlog_stream(log);
	return 0;
}
