/* SPDX-License-Identifier: BSD-3-Clause */
#include "service_manager.h"

#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MESSAGE_SIZE (2 * PATH_MAX + 512)

// The address that $NOTIFY_SOCKET names: a path, or behind '@' a name without a file. Its length,
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
	char message[MESSAGE_SIZE];
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
	// Who does not read must not stop us.
	sendto(fd, message, strlen(message), MSG_NOSIGNAL | MSG_DONTWAIT,
	       (struct sockaddr *)&address, size);
	close(fd);
}
