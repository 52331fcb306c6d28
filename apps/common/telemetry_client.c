/* SPDX-License-Identifier: BSD-3-Clause */
#include "telemetry_client.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "strbuf.h"

#define SOCKET_NAME "dpdk_telemetry.v2" // ":1" is appended for the prefix's second process
#define WAIT_MS 3000                    // ms: default timeout of an answer
#define GREETING_MAX 1023
#define ANSWER_MAX (1 << 16) // bytes: four times the maximum of DPDK

// A process that answers.
struct found {
	struct telemetry_client client;
	bool net_ddp; // the process has the plugin
};

struct search {
	void (*visit)(struct search *search, const char *prefix, const char *path);
	void (*client_fn)(void *arg, const struct telemetry_client *client);
	void *arg;
	const char *file_prefix;
	unsigned int pid;
	char dir[PATH_MAX];
	unsigned int n_visited;
	unsigned int n_found;
	struct found *found;
	char trouble[TELEMETRY_ERROR_SIZE]; // first error of a socket or folder
};

__attribute__((format(printf, 3, 4))) static int fail(struct telemetry_client *client, int error,
						      const char *fmt, ...) {
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(client->error, sizeof(client->error), fmt, ap);
	va_end(ap);
	return -error;
}

static int fail_errno(struct telemetry_client *client, int error) {
	return fail(client, error, "%s", strerror(error));
}

/* Connections */

// Receive and parse one message. 0, or -errno with the reason in error.
static int message_read(struct telemetry_client *client, json_t **message) {
	ssize_t len = recv(client->fd, client->answer, client->answer_max, MSG_TRUNC);
	json_error_t reason;

	if (len < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return fail(client, ETIMEDOUT, "no answer within %g s", client->wait_ms / 1e3);
	if (len < 0)
		return fail_errno(client, errno);
	if (len == 0)
		return fail(client, ECONNRESET, "the connection was closed");
	if ((size_t)len > client->answer_max)
		return fail(client, EMSGSIZE, "an answer of %zd bytes, more than announced", len);
	*message = json_loadb(client->answer, len, 0, &reason);
	if (*message == NULL)
		return fail(client, EBADMSG, "an answer that is not JSON: %s", reason.text);
	return 0;
}

static int answer_alloc(struct telemetry_client *client, size_t max) {
	free(client->answer);
	client->answer = malloc(max);
	client->answer_max = max;
	return client->answer == NULL ? fail_errno(client, ENOMEM) : 0;
}

// The first message has the PID and the maximum size of answers.
static int greeting_read(struct telemetry_client *client) {
	json_int_t pid = 0, answer_max = 0;
	json_t *greeting;
	int ret;

	ret = answer_alloc(client, GREETING_MAX);
	if (ret == 0)
		ret = message_read(client, &greeting);
	if (ret < 0)
		return ret;
	json_unpack(greeting, "{sI sI}", "pid", &pid, "max_output_len", &answer_max);
	json_decref(greeting);
	if (pid <= 0 || pid > INT_MAX || answer_max <= 0 || answer_max > ANSWER_MAX)
		return fail(client, EBADMSG, "it does not say who it is");
	client->pid = pid;
	return answer_alloc(client, answer_max);
}

void telemetry_client_wait(struct telemetry_client *client, unsigned int ms) {
	const struct timeval timeout = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};

	setsockopt(client->fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(client->fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	client->wait_ms = ms;
}

static int socket_connect(struct telemetry_client *client, const char *path) {
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(address.sun_path))
		return fail_errno(client, ENAMETOOLONG);
	strcpy(address.sun_path, path);
	client->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (client->fd < 0)
		return fail_errno(client, errno);
	telemetry_client_wait(client, WAIT_MS);
	if (connect(client->fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return fail_errno(client, errno);
	return 0;
}

static int client_connect(struct telemetry_client *client, const char *path) {
	int ret;

	*client = (struct telemetry_client){.fd = -1};
	ret = socket_connect(client, path);
	if (ret == 0)
		ret = greeting_read(client);
	if (ret < 0)
		telemetry_client_close(client);
	return ret;
}

void telemetry_client_close(struct telemetry_client *client) {
	if (client->fd >= 0)
		close(client->fd);
	free(client->answer);
	client->fd = -1;
	client->answer = NULL;
}

static int ask(struct telemetry_client *client, const char *path, const char *parameters,
	       json_t **answer) {
	char command[TELEMETRY_COMMAND_MAX + 1];
	json_t *message;
	int len, ret;

	len = snprintf(command, sizeof(command), "%s%s%s", path, parameters != NULL ? "," : "",
		       parameters != NULL ? parameters : "");
	if (len > TELEMETRY_COMMAND_MAX)
		return fail(client, E2BIG, "a process reads no more than %d bytes of a command",
			    TELEMETRY_COMMAND_MAX);
	if (send(client->fd, command, len, MSG_NOSIGNAL) < 0)
		return fail_errno(client, errno);
	ret = message_read(client, &message);
	if (ret < 0)
		return ret;
	*answer = json_incref(json_object_get(message, path));
	json_decref(message);
	return *answer == NULL ? fail(client, EBADMSG, "an answer to something else") : 0;
}

json_t *telemetry_client_ask(struct telemetry_client *client, const char *path,
			     const char *parameters) {
	char reason[TELEMETRY_ERROR_SIZE];
	json_t *answer = NULL;

	if (ask(client, path, parameters, &answer) < 0) {
		memcpy(reason, client->error, sizeof(reason));
		fail(client, EIO, "process %u: %s: %.900s", client->pid, path, reason);
	}
	return answer;
}

/* Search for processes */

// EAL's runtime folder.
static void dir_set(struct search *search) {
	const char *dir = getenv("RUNTIME_DIRECTORY");

	if (dir == NULL && getuid() == 0)
		dir = "/var/run";
	if (dir == NULL)
		dir = getenv("XDG_RUNTIME_DIR");
	if (dir == NULL)
		dir = "/tmp";
	snprintf(search->dir, sizeof(search->dir), "%s/dpdk", dir);
}

static void trouble_note(struct search *search, const char *path, const char *reason) {
	if (search->trouble[0] == '\0')
		snprintf(search->trouble, sizeof(search->trouble), "%.900s: %.100s", path, reason);
}

// Connect to a socket, if its process is requested. Processes that die leave their sockets.
static bool client_try(struct search *search, const char *prefix, const char *path,
		       struct telemetry_client *client) {
	int ret = client_connect(client, path);

	if (ret == -ECONNREFUSED || ret == -ENOENT)
		return false;
	if (ret < 0) {
		trouble_note(search, path, client->error);
		return false;
	}
	if (search->pid != 0 && client->pid != search->pid) {
		telemetry_client_close(client);
		return false;
	}
	snprintf(client->file_prefix, sizeof(client->file_prefix), "%s", prefix);
	return true;
}

static void socket_try(struct search *search, const char *prefix, const char *path) {
	search->found = grow_or_exit(search->found, search->n_found, sizeof(*search->found));
	if (client_try(search, prefix, path, &search->found[search->n_found].client))
		search->n_found++;
}

static int is_socket(const struct dirent *entry) {
	return strncmp(entry->d_name, SOCKET_NAME, strlen(SOCKET_NAME)) == 0;
}

static int is_prefix(const struct dirent *entry) {
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

// Call fn for each name in a folder that passes the filter, in order.
static void dir_each(struct search *search, const char *dir,
		     int (*filter)(const struct dirent *entry),
		     void (*fn)(struct search *search, const char *dir, const char *name)) {
	struct dirent **entries;
	int n = scandir(dir, &entries, filter, alphasort);

	if (n < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			trouble_note(search, dir, strerror(errno));
		return;
	}
	for (int i = 0; i < n; i++) {
		fn(search, dir, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

static void socket_visit(struct search *search, const char *dir, const char *name) {
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) < (int)sizeof(path))
		search->visit(search, strrchr(dir, '/') + 1, path);
}

static void prefix_visit(struct search *search, const char *dir, const char *name) {
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) < (int)sizeof(path))
		dir_each(search, path, is_socket, socket_visit);
}

static void sockets_visit(struct search *search) {
	if (search->file_prefix != NULL)
		prefix_visit(search, search->dir, search->file_prefix);
	else
		dir_each(search, search->dir, is_prefix, prefix_visit);
}

static bool has_net_ddp(struct telemetry_client *client) {
	json_t *ports = telemetry_client_ask(client, "/net_ddp/list", NULL);
	bool known = ports != NULL && !json_is_null(ports);

	json_decref(ports);
	return known;
}

void telemetry_client_program(const struct telemetry_client *client,
			      char program[TELEMETRY_PROGRAM_SIZE]) {
	char path[64];
	FILE *file;

	program[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%u/comm", client->pid);
	file = fopen(path, "r");
	if (file != NULL && fgets(program, TELEMETRY_PROGRAM_SIZE, file) != NULL)
		program[strcspn(program, "\n")] = '\0';
	if (file != NULL)
		fclose(file);
}

// Write "prefix (process 12, dpdk-testpmd), ..." for processes with or without net_ddp.
static void found_list(const struct search *search, bool net_ddp, FILE *to) {
	const char *between = "";

	for (unsigned int i = 0; i < search->n_found; i++) {
		const struct telemetry_client *client = &search->found[i].client;
		char program[TELEMETRY_PROGRAM_SIZE];

		if (search->found[i].net_ddp != net_ddp)
			continue;
		telemetry_client_program(client, program);
		fprintf(to, "%s%s (process %u%s%s)", between, client->file_prefix, client->pid,
			program[0] != '\0' ? ", " : "", program);
		between = ", ";
	}
}

static int fail_none(struct telemetry_client *client, const struct search *search) {
	const bool trouble = search->trouble[0] != '\0';
	const char *begin = trouble ? " (" : "", *end = trouble ? ")" : "";

	if (search->pid != 0)
		return fail(client, ESRCH, "process %u has no telemetry socket in %s%s%s%s",
			    search->pid, search->dir, begin, search->trouble, end);
	if (search->file_prefix != NULL)
		return fail(client, ESRCH,
			    "no running process with file prefix '%s' found in %s%s%s%s",
			    search->file_prefix, search->dir, begin, search->trouble, end);
	return fail(client, ESRCH, "no running process of DPDK found in %s%s%s%s", search->dir,
		    begin, search->trouble, end);
}

static int fail_choice(struct telemetry_client *client, const struct search *search,
		       unsigned int n_net_ddp) {
	struct strbuf text;

	if (search->n_found == 0)
		return fail_none(client, search);
	if (search->n_found == 1 && search->found[0].client.error[0] != '\0')
		return fail(client, EIO, "%s", search->found[0].client.error);
	strbuf_init(&text);
	found_list(search, n_net_ddp > 0, text.to);
	if (n_net_ddp > 0)
		fail(client, ESRCH, "choose a process with --file-prefix or --pid: %s",
		     strbuf_take(&text));
	else
		fail(client, ESRCH, "a process without net_ddp: %s", strbuf_take(&text));
	strbuf_fini(&text);
	return -ESRCH;
}

int telemetry_client_open(struct telemetry_client *client, const char *file_prefix,
			  unsigned int pid) {
	struct search search = {.file_prefix = file_prefix, .pid = pid};
	unsigned int n_net_ddp = 0, chosen = 0;
	int ret;

	*client = (struct telemetry_client){.fd = -1};
	dir_set(&search);
	search.visit = socket_try;
	sockets_visit(&search);
	for (unsigned int i = 0; i < search.n_found; i++) {
		search.found[i].net_ddp = has_net_ddp(&search.found[i].client);
		if (search.found[i].net_ddp)
			chosen = i;
		n_net_ddp += search.found[i].net_ddp;
	}
	if (n_net_ddp == 1)
		*client = search.found[chosen].client;
	for (unsigned int i = 0; i < search.n_found; i++)
		if (n_net_ddp != 1 || i != chosen)
			telemetry_client_close(&search.found[i].client);
	ret = n_net_ddp == 1 ? 0 : fail_choice(client, &search, n_net_ddp);
	free(search.found);
	return ret;
}

static void client_visit(struct search *search, const char *prefix, const char *path) {
	struct telemetry_client client;

	if (!client_try(search, prefix, path, &client))
		return;
	if (has_net_ddp(&client)) {
		search->client_fn(search->arg, &client);
		search->n_visited++;
	} else if (client.error[0] != '\0') {
		trouble_note(search, prefix, client.error);
	}
	telemetry_client_close(&client);
}

unsigned int telemetry_clients_each(const char *file_prefix, unsigned int pid,
				    void (*fn)(void *arg, const struct telemetry_client *client),
				    void *arg, char reason[TELEMETRY_ERROR_SIZE]) {
	struct search search = {
		.visit = client_visit,
		.client_fn = fn,
		.arg = arg,
		.file_prefix = file_prefix,
		.pid = pid,
	};

	dir_set(&search);
	sockets_visit(&search);
	memcpy(reason, search.trouble, sizeof(search.trouble));
	return search.n_visited;
}
