/* SPDX-License-Identifier: BSD-3-Clause */
#include "log.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_log.h>

#include "base/utf8.h"

#define LINE_SIZE (2 * PATH_MAX + 512) // bytes: a message may have a path twice

bool log_is_journal(void) {
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	return stream != NULL && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
	       fstat(STDERR_FILENO, &st) == 0 && st.st_dev == device && st.st_ino == inode;
}

void say(int priority, const char *fmt, ...) {
	char text[LINE_SIZE], line[LINE_SIZE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ddp_escape(text, line, sizeof(line));
	if (log_is_journal())
		fprintf(stderr, "<%d>%s\n", priority, line);
	else
		fprintf(stderr, "ddp-fwd: %s\n", line);
}

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

/* EAL's log */

// rte_log() flushes, so text has whole messages.
static ssize_t lines_write(void *cookie, const char *text, size_t size) {
	// EAL's levels begin with 1 where those of syslog begin with 0.
	const int level = rte_log_cur_msg_loglevel() - 1;
	const int priority = RTE_MAX(LOG_EMERG, RTE_MIN(level, LOG_DEBUG));

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

/* Service manager */

// Parse the address in $NOTIFY_SOCKET: a path, or an abstract name behind '@'. Returns its length,
// 0: there is none, or one of another kind.
static socklen_t address_read(struct sockaddr_un *address) {
	const char *name = getenv("NOTIFY_SOCKET");
	size_t len = name == NULL ? 0 : strlen(name);

	if (len < 2 || len >= sizeof(address->sun_path) || (name[0] != '/' && name[0] != '@'))
		return 0;
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	memcpy(address->sun_path, name, len);
	if (name[0] == '@')
		address->sun_path[0] = '\0';
	return offsetof(struct sockaddr_un, sun_path) + len;
}

void service_notify(const char *fmt, ...) {
	struct sockaddr_un address;
	socklen_t size = address_read(&address);
	char message[LINE_SIZE];
	va_list ap;
	int fd;

	if (size == 0)
		return;
	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	// A reader that does not read must not block the process.
	sendto(fd, message, strlen(message), MSG_NOSIGNAL | MSG_DONTWAIT,
	       (struct sockaddr *)&address, size);
	close(fd);
}
