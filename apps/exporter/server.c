/* SPDX-License-Identifier: BSD-3-Clause */
#include "server.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <microhttpd.h>

#include "common/exit_status.h"
#include "common/service_manager.h"
#include "text.h"

#define CONNECTIONS_MAX 1024
// Bytes of a request's head. With 4096 and bad requests libmicrohttpd 1.0.1 reads where nothing is.
#define CONNECTION_MEMORY 8192
#define CONNECTION_SECONDS 10 // from its begin to its end
#define FDS_BESIDE 256        // descriptors for all but connections
#define FRESH_SECONDS 0.2     // an answer serves all who ask in this time
#define TEXTS_MAX (12 << 20)  // bytes that clients have not read yet; beyond, others have to wait

#define OPENMETRICS "application/openmetrics-text; version=1.0.0; charset=utf-8"
#define PROMETHEUS "text/plain; version=0.0.4; charset=utf-8"

static const char page[] =
	"<!doctype html>\n<title>ddp-exporter</title>\n"
	"<p>ddp-exporter " DDP_VERSION ": <a href=\"/metrics\">metrics</a></p>\n";

struct connection {
	TAILQ_ENTRY(connection) next;
	int fd;
	double start;
};

struct server {
	const struct exporter_options *options;
	struct MHD_Daemon *daemon;
	struct scrape *last;
	struct MHD_Response *fresh[2]; // by format; NULL: none
	double fresh_until;
	size_t n_text;                        // bytes of all texts that exist
	pthread_mutex_t lock;                 // of connections
	TAILQ_HEAD(, connection) connections; // the oldest first
};

/* Answers */

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned int status,
			      struct MHD_Response *response) {
	enum MHD_Result result;

	if (response == NULL)
		return MHD_NO;
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned int status,
				   const char *type, const char *header, const char *value,
				   const char *text) {
	struct MHD_Response *response = MHD_create_response_from_buffer(
		strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);

	if (response == NULL)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (header != NULL)
		MHD_add_response_header(response, header, value);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	return answer(connection, status, response);
}

// A text and who is to be told when nobody needs it any longer.
struct text {
	struct server *server;
	size_t size;
	char *text;
};

static void text_free(void *arg) {
	struct text *text = arg;

	text->server->n_text -= text->size;
	free(text->text);
	free(text);
}

static void fresh_drop(struct server *server) {
	for (unsigned int i = 0; i < 2; i++) {
		if (server->fresh[i] != NULL)
			MHD_destroy_response(server->fresh[i]);
		server->fresh[i] = NULL;
	}
}

static struct MHD_Response *metrics_make(struct server *server, bool openmetrics) {
	struct text *text = malloc(sizeof(*text));
	struct MHD_Response *response;

	if (text == NULL)
		return NULL;
	text->server = server;
	text->text = metrics_text(server->options, openmetrics, &server->last, &text->size);
	if (text->text == NULL) {
		free(text);
		return NULL;
	}
	server->n_text += text->size;
	response = MHD_create_response_from_buffer_with_free_callback_cls(text->size, text->text,
									  text_free, text);
	if (response == NULL) {
		text_free(text);
		return NULL;
	}
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
				openmetrics ? OPENMETRICS : PROMETHEUS);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	return response;
}

static bool openmetrics_wanted(const struct server *server, struct MHD_Connection *connection) {
	const char *accept;

	if (server->options->format != FORMAT_AUTO)
		return server->options->format == FORMAT_OPENMETRICS;
	accept = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
	return accept != NULL && strstr(accept, "application/openmetrics-text") != NULL;
}

static enum MHD_Result metrics_answer(struct server *server, struct MHD_Connection *connection) {
	const bool openmetrics = openmetrics_wanted(server, connection);

	if (seconds_now() >= server->fresh_until)
		fresh_drop(server);
	if (server->fresh[openmetrics] == NULL) {
		if (server->n_text > TEXTS_MAX)
			return answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain",
					   MHD_HTTP_HEADER_RETRY_AFTER, "10",
					   "Too many clients are reading slowly.\n");
		server->fresh[openmetrics] = metrics_make(server, openmetrics);
		server->fresh_until = seconds_now() + FRESH_SECONDS;
	}
	if (server->fresh[openmetrics] == NULL)
		return answer_text(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "text/plain", NULL,
				   NULL, "Out of memory.\n");
	return MHD_queue_response(connection, MHD_HTTP_OK, server->fresh[openmetrics]);
}

// Called for the head of a request, for each part of its body, which is ignored, and at its end.
static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *body,
				  size_t *body_size, void **state) {
	(void)version;
	(void)body;
	if (*state == NULL || *body_size != 0) {
		*state = arg;
		*body_size = 0;
		return MHD_YES;
	}
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain",
				   MHD_HTTP_HEADER_ALLOW, "GET, HEAD", "Use GET.\n");
	if (strcmp(url, "/metrics") == 0)
		return metrics_answer(arg, connection);
	if (strcmp(url, "/") == 0)
		return answer_text(connection, MHD_HTTP_OK, "text/html; charset=utf-8", NULL, NULL,
				   page);
	return answer_text(connection, MHD_HTTP_NOT_FOUND, "text/plain", NULL, NULL,
			   "Not found: see /metrics.\n");
}

/* Connections */

static void on_connection(void *arg, struct MHD_Connection *mhd, void **state,
			  enum MHD_ConnectionNotificationCode code) {
	struct server *server = arg;
	struct connection *connection = *state;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		connection = malloc(sizeof(*connection));
		*state = connection;
		if (connection == NULL)
			return;
		connection->fd =
			MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
		connection->start = seconds_now();
		pthread_mutex_lock(&server->lock);
		TAILQ_INSERT_TAIL(&server->connections, connection, next);
		pthread_mutex_unlock(&server->lock);
	} else if (connection != NULL) {
		pthread_mutex_lock(&server->lock);
		TAILQ_REMOVE(&server->connections, connection, next);
		pthread_mutex_unlock(&server->lock);
		free(connection);
	}
}

// Some clients send or read a byte at a time. The server's thread notices the shutdown as the
// client's; it closes no descriptor that is in the list.
static void connections_end(struct server *server) {
	const double now = seconds_now();
	struct connection *connection;

	pthread_mutex_lock(&server->lock);
	TAILQ_FOREACH(connection, &server->connections, next) {
		if (now - connection->start < CONNECTION_SECONDS)
			break;
		shutdown(connection->fd, SHUT_RDWR);
	}
	pthread_mutex_unlock(&server->lock);
}

/* Start and end */

// "address:port", "[address]:port"; "" as an address means all of them. -1: said why.
static int listen_at(const char *where) {
	const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
				       .ai_socktype = SOCK_STREAM};
	const char *colon = strrchr(where, ':');
	const int on = 1;
	struct addrinfo *found;
	char host[256];
	int fd, ret;

	if (colon == NULL || strlen(where) >= sizeof(host)) {
		say(LOG_ERR, "option --listen: '%s' is not an address and a port: 127.0.0.1:9477",
		    where);
		return -1;
	}
	snprintf(host, sizeof(host), "%.*s", (int)(colon - where), where);
	if (host[0] == '[' && host[strlen(host) - 1] == ']') {
		host[strlen(host) - 1] = '\0';
		memmove(host, host + 1, strlen(host));
	}
	ret = getaddrinfo(host[0] != '\0' ? host : NULL, colon + 1, &hints, &found);
	if (ret != 0) {
		say(LOG_ERR, "option --listen: '%s': %s", where, gai_strerror(ret));
		return -1;
	}
	fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
	    bind(fd, found->ai_addr, found->ai_addrlen) < 0 || listen(fd, SOMAXCONN) < 0) {
		say(LOG_ERR, "cannot listen on %s: %s", where, strerror(errno));
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	freeaddrinfo(found);
	return fd;
}

static void address_say(int fd) {
	struct sockaddr_storage address;
	socklen_t size = sizeof(address);
	char host[64], port[16];
	bool v6;

	if (getsockname(fd, (struct sockaddr *)&address, &size) < 0 ||
	    getnameinfo((struct sockaddr *)&address, size, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		return;
	v6 = strchr(host, ':') != NULL;
	say(LOG_INFO, "http://%s%s%s:%s/metrics", v6 ? "[" : "", host, v6 ? "]" : "", port);
}

// As many as there are descriptors for.
static unsigned int connections_max(void) {
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 64;
	if (limit.rlim_cur < CONNECTIONS_MAX + FDS_BESIDE) {
		limit.rlim_cur = limit.rlim_max < CONNECTIONS_MAX + FDS_BESIDE ?
					 limit.rlim_max :
					 CONNECTIONS_MAX + FDS_BESIDE;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	if (limit.rlim_cur >= CONNECTIONS_MAX + FDS_BESIDE)
		return CONNECTIONS_MAX;
	return limit.rlim_cur > 2 * FDS_BESIDE ? limit.rlim_cur - FDS_BESIDE : 64;
}

static int signals_take(void) {
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL); // threads of scrapes inherit this
	return signalfd(-1, &set, SFD_CLOEXEC);
}

int server_run(const struct exporter_options *options) {
	struct server server = {.options = options, .lock = PTHREAD_MUTEX_INITIALIZER};
	int signals = signals_take();
	struct pollfd signalled = {.fd = signals, .events = POLLIN};
	int fd = listen_at(options->listen);

	TAILQ_INIT(&server.connections);
	if (fd < 0)
		return EXIT_FAILED;
	// Not epoll: with libmicrohttpd 0.9.75 clients that had ended in the middle of a request
	// kept their connections, and no new ones came once the limit had been reached.
	server.daemon = MHD_start_daemon(
		MHD_USE_POLL_INTERNAL_THREAD, 0, NULL, NULL, on_request, &server,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, connections_max(),
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, &server, MHD_OPTION_END);
	if (server.daemon == NULL || signals < 0) {
		say(LOG_ERR, "cannot serve: %s", strerror(errno));
		return EXIT_FAILED;
	}
	address_say(fd);
	service_notify("READY=1");
	while (poll(&signalled, 1, 1000) == 0)
		connections_end(&server);
	service_notify("STOPPING=1");
	MHD_stop_daemon(server.daemon);
	fresh_drop(&server);
	scrape_destroy(server.last);
	close(signals);
	return EXIT_GOOD;
}
