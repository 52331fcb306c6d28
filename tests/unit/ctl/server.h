/* SPDX-License-Identifier: BSD-3-Clause */
// A telemetry socket at which a test speaks, in a folder of its own: it says what a script says, to
// whoever connects.
#ifndef CTL_SERVER_H
#define CTL_SERVER_H

#include "scratch_folder.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define GREETING(pid) "{\"version\":\"DPDK\",\"pid\":" #pid ",\"max_output_len\":64}"
#define PORTS "{\"/net_ddp/list\":[]}"

struct script {
	const char *greeting; // NULL: closes the connection
	const char *ports;    // to its first command; NULL: closes the connection
	const char *answer;   // to each later one; NULL: says nothing
};

struct server {
	struct script script;
	int listener;
	pthread_t thread;
	char path[300];
};

static inline bool say(int fd, const char *what) {
	return send(fd, what, strlen(what), MSG_NOSIGNAL) >= 0;
}

static inline void serve_one(const struct script *script, int fd) {
	char command[2048];

	if (script->greeting == NULL || !say(fd, script->greeting) ||
	    recv(fd, command, sizeof(command), 0) <= 0 || script->ports == NULL ||
	    !say(fd, script->ports))
		return;
	while (recv(fd, command, sizeof(command), 0) > 0)
		if (script->answer != NULL)
			say(fd, script->answer);
}

static inline void *serve(void *arg) {
	const struct server *server = arg;
	int fd;

	while ((fd = accept(server->listener, NULL, NULL)) >= 0) {
		serve_one(&server->script, fd);
		close(fd);
	}
	return NULL;
}

static inline void folder_make(const char *prefix) {
	char path[512];

	snprintf(path, sizeof(path), "%s/dpdk", scratch_dir());
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/dpdk/%s", scratch_dir(), prefix);
	mkdir(path, 0700);
}

static inline void socket_make(struct server *server, const char *prefix, const char *name) {
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	folder_make(prefix);
	snprintf(server->path, sizeof(server->path), "%s/dpdk/%s/%s", scratch_dir(), prefix, name);
	assert_true(strlen(server->path) < sizeof(address.sun_path));
	strcpy(address.sun_path, server->path);
	server->listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	assert_int_equal(bind(server->listener, (const struct sockaddr *)&address, sizeof(address)),
			 0);
}

static inline void server_start(struct server *server, const char *prefix, const char *name) {
	socket_make(server, prefix, name);
	assert_int_equal(listen(server->listener, 8), 0);
	assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

static inline void server_stop(struct server *server) {
	shutdown(server->listener, SHUT_RDWR);
	pthread_join(server->thread, NULL);
	close(server->listener);
	unlink(server->path);
}

static inline int server_setup(void **state) {
	return setenv("RUNTIME_DIRECTORY", scratch_dir(), 1);
}

#endif
