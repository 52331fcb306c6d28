/* SPDX-License-Identifier: BSD-3-Clause */
#include "port.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rss/rss.h"

__attribute__((format(printf, 3, 4))) static int fail(struct port *port, int status,
						      const char *fmt, ...) {
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(port->error, sizeof(port->error), fmt, ap);
	va_end(ap);
	port->status = status;
	return status;
}

static int fail_strange(struct port *port, const char *command) {
	return fail(port, CTL_UNREADABLE,
		    "process %u: /net_ddp/%s: an answer of another version of net_ddp",
		    port->peer.pid, command);
}

/* Questions */

static bool is_refusal(const json_t *answer) {
	const json_t *ok = json_object_get(answer, "ok");

	return json_is_false(ok) || (json_is_integer(ok) && json_integer_value(ok) == 0);
}

// Telemetry has room for short strings alone: a longer line goes on in error_2 and so on.
static void refusal_take(struct port *port, const json_t *answer) {
	char key[16] = "error";
	const char *piece;
	size_t len = 0;

	fail(port, CTL_NO, "process %u refuses and does not say why", port->peer.pid);
	for (unsigned int i = 2; (piece = json_string_value(json_object_get(answer, key))); i++) {
		len += snprintf(port->error + len, sizeof(port->error) - len, "%s", piece);
		if (len >= sizeof(port->error))
			break;
		snprintf(key, sizeof(key), "error_%u", i);
	}
}

static json_t *ask(struct port *port, const char *command, const char *parameters) {
	char path[64];
	json_t *answer;

	snprintf(path, sizeof(path), "/net_ddp/%s", command);
	answer = peer_ask(&port->peer, path, parameters);
	if (answer == NULL) {
		fail(port, CTL_UNREADABLE, "%s", port->peer.error);
	} else if (is_refusal(answer)) {
		refusal_take(port, answer);
	} else if (json_is_object(answer) || json_is_array(answer)) {
		return answer;
	} else {
		fail_strange(port, command);
	}
	json_decref(answer);
	return NULL;
}

json_t *port_list(struct port *port) {
	return ask(port, "list", NULL);
}

json_t *port_ask(struct port *port, const char *command, const char *parameter) {
	char *parameters;
	json_t *answer;

	if (asprintf(&parameters, "%u%s%s", port->id, parameter != NULL ? "," : "",
		     parameter != NULL ? parameter : "") < 0) {
		fail(port, CTL_UNREADABLE, "%s", strerror(ENOMEM));
		return NULL;
	}
	answer = ask(port, command, parameters);
	free(parameters);
	return answer;
}

static bool items_each(const json_t *answer, const char *key,
		       bool (*fn)(void *arg, unsigned int id, json_t *item), void *arg) {
	json_t *items = json_object_get(answer, key), *item;
	const char *id;

	if (!json_is_object(items))
		return false;
	json_object_foreach(items, id, item)
		if (!isdigit((unsigned char)id[0]) || !fn(arg, atoi(id), item))
			return false;
	return true;
}

int port_each(struct port *port, const char *command, const char *key,
	      bool (*fn)(void *arg, unsigned int id, json_t *item), void *arg) {
	json_int_t start = 0, next;
	char parameter[32];

	do {
		json_t *answer;
		bool good;

		snprintf(parameter, sizeof(parameter), "%" JSON_INTEGER_FORMAT, start);
		answer = port_ask(port, command, parameter);
		if (answer == NULL)
			return port->status;
		good = items_each(answer, key, fn, arg);
		next = json_integer_value(json_object_get(answer, "next")); // 0 for none
		json_decref(answer);
		if (!good || (next != 0 && next <= start))
			return fail_strange(port, command);
		start = next;
	} while (next != 0);
	return CTL_GOOD;
}

/* Which port */

static int name_find(struct port *port, const char *name) {
	json_t *ids = port_list(port), *id;
	bool found = false;
	size_t i;

	json_array_foreach(ids, i, id) {
		json_t *info;

		port->id = json_integer_value(id);
		info = port_ask(port, "info", NULL);
		if (info == NULL)
			break;
		found = strcmp(json_string_value(json_object_get(info, "name")) ?: "", name) == 0;
		json_decref(info);
		if (found)
			break;
	}
	json_decref(ids);
	if (!found && port->status == CTL_GOOD)
		fail(port, CTL_NO, "process %u has no net_ddp port '%.64s'", port->peer.pid, name);
	return port->status;
}

// A number is checked by the process, when it is used.
static int port_find(struct port *port, const char *text) {
	char *end;
	unsigned long id = strtoul(text, &end, 10);

	if (!isdigit((unsigned char)text[0]) || *end != '\0')
		return name_find(port, text);
	if (id > UINT16_MAX)
		return fail(port, CTL_NO, "process %u has no net_ddp port %s", port->peer.pid, text);
	port->id = id;
	return CTL_GOOD;
}

int port_open(struct port *port, const struct options *options) {
	*port = (struct port){.status = CTL_GOOD};
	if (peer_open(&port->peer, options->file_prefix, options->pid) < 0)
		return fail(port, CTL_UNREADABLE, "%s", port->peer.error);
	return options->n_files > 0 ? port_find(port, options->files[0]) : CTL_GOOD;
}

int port_close(struct port *port) {
	// Names and refusals come from others: they must not drive the terminal.
	for (char *c = port->error; *c != '\0'; c++)
		if (iscntrl((unsigned char)*c))
			*c = '?';
	if (port->status != CTL_GOOD)
		fprintf(stderr, "ddpctl: %s\n", port->error);
	peer_close(&port->peer);
	return port->status;
}

/* Queues */

static bool queue_add(void *arg, unsigned int id, json_t *item) {
	struct queues *queues = arg;
	json_int_t packets, bytes, missed;

	if (json_is_object(item) && json_object_get(item, "rx_packets") == NULL)
		return true; // there are more Tx queues
	if (id != queues->n || id == PORT_QUEUES_MAX ||
	    json_unpack(item, "{sI sI sI}", "rx_packets", &packets, "rx_bytes", &bytes, "rx_missed",
			&missed) < 0)
		return false;
	queues->queues[queues->n++] = (struct queue){packets, bytes, missed};
	return true;
}

int queues_read(struct queues *queues, struct port *port) {
	queues->n = 0;
	return port_each(port, "queues", "queues", queue_add, queues);
}

static uint64_t since(uint64_t now, uint64_t before) {
	return now < before ? now : now - before;
}

void queues_subtract(struct queues *now, const struct queues *before) {
	for (unsigned int i = 0; i < now->n && i < before->n; i++) {
		struct queue *queue = &now->queues[i];

		queue->packets = since(queue->packets, before->queues[i].packets);
		queue->bytes = since(queue->bytes, before->queues[i].bytes);
		queue->missed = since(queue->missed, before->queues[i].missed);
	}
}

struct queue queues_sum(const struct queues *queues) {
	struct queue sum = {0};

	for (unsigned int i = 0; i < queues->n; i++) {
		sum.packets += queues->queues[i].packets;
		sum.bytes += queues->queues[i].bytes;
		sum.missed += queues->queues[i].missed;
	}
	return sum;
}

double queues_imbalance(const struct queues *queues) {
	uint64_t loads[PORT_QUEUES_MAX];

	for (unsigned int i = 0; i < queues->n; i++)
		loads[i] = queues->queues[i].packets + queues->queues[i].missed;
	return ddp_imbalance(loads, queues->n);
}

void json_write(struct output *out, json_t *value) {
	char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(9));

	if (text == NULL)
		out->error = ENOMEM;
	else
		output_printf(out, "%s\n", text);
	free(text);
	json_decref(value);
}
