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
	const char *file_prefix;
	unsigned int pid;
	char dir[PATH_MAX];
	unsigned int n_found, n_net_ddp;
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

static int request(struct telemetry_client *client, const char *path, const char *parameters,
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

	if (request(client, path, parameters, &answer) < 0) {
		memcpy(reason, client->error, sizeof(reason));
		fail(client, EIO, "process %u: %s: %.900s", client->pid, path, reason);
	}
	return answer;
}

/* Search for processes */

static void trouble_note(struct search *search, const char *path, const char *reason) {
	if (search->trouble[0] == '\0')
		snprintf(search->trouble, sizeof(search->trouble), "%.900s: %.100s", path, reason);
}

static bool has_net_ddp(struct telemetry_client *client) {
	json_t *ports = telemetry_client_ask(client, "/net_ddp/list", NULL);
	bool known = ports != NULL && !json_is_null(ports);

	json_decref(ports);
	return known;
}

// Connect to a socket, if its process is requested. Processes that die leave their sockets.
static void socket_try(struct search *search, const char *dir, const char *name) {
	const char *prefix = strrchr(dir, '/') + 1;
	struct found *found;
	char path[PATH_MAX];
	int ret;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return;
	search->found = grow_or_exit(search->found, search->n_found, sizeof(*search->found));
	found = &search->found[search->n_found];
	ret = client_connect(&found->client, path);
	if (ret < 0 && ret != -ECONNREFUSED && ret != -ENOENT)
		trouble_note(search, path, found->client.error);
	if (ret < 0)
		return;
	if (search->pid != 0 && found->client.pid != search->pid) {
		telemetry_client_close(&found->client);
		return;
	}
	snprintf(found->client.file_prefix, sizeof(found->client.file_prefix), "%s", prefix);
	found->net_ddp = has_net_ddp(&found->client);
	if (!found->net_ddp && found->client.error[0] != '\0')
		trouble_note(search, prefix, found->client.error);
	search->n_found++;
	search->n_net_ddp += found->net_ddp;
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

static void prefix_try(struct search *search, const char *dir, const char *name) {
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) < (int)sizeof(path))
		dir_each(search, path, is_socket, socket_try);
}

// Connect to the processes in EAL's runtime folder.
static void search_run(struct search *search, const char *file_prefix, unsigned int pid) {
	const char *dir = getenv("RUNTIME_DIRECTORY");

	if (dir == NULL && getuid() == 0)
		dir = "/var/run";
	if (dir == NULL)
		dir = getenv("XDG_RUNTIME_DIR");
	*search = (struct search){.file_prefix = file_prefix, .pid = pid};
	snprintf(search->dir, sizeof(search->dir), "%s/dpdk", dir != NULL ? dir : "/tmp");
	if (file_prefix != NULL)
		prefix_try(search, search->dir, file_prefix);
	else
		dir_each(search, search->dir, is_prefix, prefix_try);
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

static void none_write(const struct search *search, FILE *to) {
	if (search->pid != 0)
		fprintf(to, "process %u has no telemetry socket in %s", search->pid, search->dir);
	else if (search->file_prefix != NULL)
		fprintf(to, "no running process with file prefix '%s' found in %s",
			search->file_prefix, search->dir);
	else
		fprintf(to, "no running process of DPDK found in %s", search->dir);
	if (search->trouble[0] != '\0')
		fprintf(to, " (%s)", search->trouble);
}

// Write "choose ...: prefix (process 12, dpdk-testpmd), ..." with the processes that can be chosen.
static void choice_write(const struct search *search, FILE *to) {
	const char *between = search->n_net_ddp > 0 ?
				      "choose a process with --file-prefix or --pid: " :
				      "a process without net_ddp: ";

	for (unsigned int i = 0; i < search->n_found; i++) {
		const struct telemetry_client *client = &search->found[i].client;
		char program[TELEMETRY_PROGRAM_SIZE];

		if (search->found[i].net_ddp != (search->n_net_ddp > 0))
			continue;
		telemetry_client_program(client, program);
		fprintf(to, "%s%s (process %u%s%s)", between, client->file_prefix, client->pid,
			program[0] != '\0' ? ", " : "", program);
		between = ", ";
	}
}

static int fail_choice(struct telemetry_client *client, const struct search *search) {
	struct strbuf text;

	if (search->n_found == 1 && search->found[0].client.error[0] != '\0')
		return fail(client, EIO, "%s", search->found[0].client.error);
	strbuf_init(&text);
	if (search->n_found == 0)
		none_write(search, text.to);
	else
		choice_write(search, text.to);
	fail(client, ESRCH, "%s", strbuf_take(&text));
	strbuf_fini(&text);
	return -ESRCH;
}

int telemetry_client_open(struct telemetry_client *client, const char *file_prefix,
			  unsigned int pid) {
	struct search search;
	int ret = 0;

	*client = (struct telemetry_client){.fd = -1};
	search_run(&search, file_prefix, pid);
	for (unsigned int i = 0; i < search.n_found; i++) {
		if (search.n_net_ddp == 1 && search.found[i].net_ddp)
			*client = search.found[i].client;
		else
			telemetry_client_close(&search.found[i].client);
	}
	if (search.n_net_ddp != 1)
		ret = fail_choice(client, &search);
	free(search.found);
	return ret;
}

unsigned int telemetry_clients_each(const char *file_prefix, unsigned int pid,
				    void (*fn)(void *arg, const struct telemetry_client *client),
				    void *arg, char reason[TELEMETRY_ERROR_SIZE]) {
	struct search search;

	search_run(&search, file_prefix, pid);
	for (unsigned int i = 0; i < search.n_found; i++) {
		if (search.found[i].net_ddp)
			fn(arg, &search.found[i].client);
		telemetry_client_close(&search.found[i].client);
	}
	free(search.found);
	memcpy(reason, search.trouble, sizeof(search.trouble));
	return search.n_net_ddp;
}
