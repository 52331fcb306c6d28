/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_telemetry.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_writer.h"
#include "rss/rss.h"
#include "strbuf.h"

__attribute__((format(printf, 3, 4))) static int fail(struct port *port, int status,
						      const char *fmt, ...) {
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(port->error, sizeof(port->error), fmt, ap);
	va_end(ap);
	port->status = status;
	return status;
}

int port_strange(struct port *port, const char *command) {
	return fail(port, EXIT_UNREADABLE,
		    "process %u: /net_ddp/%s: an answer of another version of net_ddp",
		    port->client.pid, command);
}

// Ids of ports, queues and packet types have 16 bits.
static bool number_read(const char *text, unsigned int *number) {
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	*number = value;
	return isdigit((unsigned char)text[0]) && *end == '\0' && value <= UINT16_MAX;
}

/* Requests */

// Strings of telemetry are short: a longer line continues in error_2 and so on.
static void refusal_take(struct port *port, const json_t *answer) {
	char key[16] = "error";
	const char *piece;
	size_t len = 0;

	fail(port, EXIT_NO, "process %u refuses and does not say why", port->client.pid);
	for (unsigned int i = 2; (piece = json_string_value(json_object_get(answer, key))); i++) {
		len += snprintf(port->error + len, sizeof(port->error) - len, "%s", piece);
		if (len >= sizeof(port->error))
			break;
		snprintf(key, sizeof(key), "error_%u", i);
	}
}

/* Checks of answers, so that other code need not check them. */

static bool are_words(const json_t *list) {
	json_t *word;
	size_t i;

	json_array_foreach(list, i, word)
		if (!json_is_string(word))
			return false;
	return json_is_array(list);
}

static bool lists_good(json_t *answer) {
	json_t *id;
	size_t i;

	json_array_foreach(answer, i, id)
		if (!json_is_integer(id) || (uint64_t)json_integer_value(id) > UINT16_MAX)
			return false;
	return json_is_array(answer);
}

static bool profiles_good(json_t *answer) {
	return are_words(json_object_get(answer, "profiles"));
}

static bool info_good(json_t *answer) {
	static const char *const words[] = {"profiles", "profile_specs", "profile_versions",
					    "rss_hf"};
	json_int_t n_queues = -1;
	const char *text;

	for (unsigned int i = 0; i < COUNT(words); i++)
		if (!are_words(json_object_get(answer, words[i])))
			return false;
	return json_unpack(answer, "{ss ss ss ss sI}", "name", &text, "state", &text,
			   "lower_device", &text, "offload", &text, "rx_queues", &n_queues) == 0 &&
	       n_queues >= 0;
}

static bool verify_good(json_t *answer) {
	const char *text;

	return json_unpack(answer, "{ss ss}", "offload", &text, "offload_state", &text) == 0;
}

static const struct {
	const char *command;
	bool (*good)(json_t *answer);
} answers[] = {
	{"info", info_good},
	{"list", lists_good},
	{"profile_add", profiles_good},
	{"profile_del", profiles_good},
	{"profile_set", profiles_good},
	{"verify", verify_good},
};

static bool is_good(const char *command, json_t *answer) {
	for (unsigned int i = 0; i < COUNT(answers); i++)
		if (strcmp(answers[i].command, command) == 0)
			return answers[i].good(answer);
	return json_is_object(answer);
}

static json_t *request(struct port *port, const char *command, const char *parameters) {
	json_t *answer, *ok;
	char path[64];

	snprintf(path, sizeof(path), "/net_ddp/%s", command);
	answer = telemetry_client_ask(&port->client, path, parameters);
	ok = json_object_get(answer, "ok");
	if (answer == NULL)
		fail(port, EXIT_UNREADABLE, "%s", port->client.error);
	else if (json_is_false(ok) || (json_is_integer(ok) && json_integer_value(ok) == 0))
		refusal_take(port, answer);
	else if (is_good(command, answer))
		return answer;
	else
		port_strange(port, command);
	json_decref(answer);
	return NULL;
}

json_t *port_list(struct port *port) {
	return request(port, "list", NULL);
}

json_t *port_ask(struct port *port, const char *command, const char *parameter) {
	char *parameters;
	json_t *answer;

	if (asprintf(&parameters, "%u%s%s", port->id, parameter != NULL ? "," : "",
		     parameter != NULL ? parameter : "") < 0) {
		fail(port, EXIT_UNREADABLE, "%s", strerror(ENOMEM));
		return NULL;
	}
	answer = request(port, command, parameters);
	free(parameters);
	return answer;
}

static bool items_each(const json_t *answer, const char *key,
		       bool (*fn)(void *arg, unsigned int id, json_t *item), void *arg) {
	json_t *items = json_object_get(answer, key), *item;
	const char *text;

	if (!json_is_object(items))
		return false;
	json_object_foreach(items, text, item) {
		unsigned int id;

		if (!number_read(text, &id) || !fn(arg, id, item))
			return false;
	}
	return true;
}

// The start of the next page of a list, 0: there is none. false: it is not after this page, so the
// list would never end.
static bool next_read(const json_t *answer, json_int_t *start) {
	const json_t *next = json_object_get(answer, "next");
	json_int_t value = json_integer_value(next);

	if (next != NULL && (!json_is_integer(next) || value <= *start || value > UINT16_MAX))
		return false;
	*start = value;
	return true;
}

int port_each(struct port *port, const char *command, const char *key,
	      bool (*fn)(void *arg, unsigned int id, json_t *item), void *arg) {
	json_int_t start = 0;
	char parameter[32];

	do {
		json_t *answer;
		bool good;

		snprintf(parameter, sizeof(parameter), "%" JSON_INTEGER_FORMAT, start);
		answer = port_ask(port, command, parameter);
		if (answer == NULL)
			return port->status;
		good = items_each(answer, key, fn, arg) && next_read(answer, &start);
		json_decref(answer);
		if (!good)
			return port_strange(port, command);
	} while (start != 0);
	return EXIT_GOOD;
}

/* Search for a port */

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
		found = strcmp(json_string_value(json_object_get(info, "name")), name) == 0;
		json_decref(info);
		if (found)
			break;
	}
	json_decref(ids);
	if (!found && port->status == EXIT_GOOD)
		fail(port, EXIT_NO, "process %u has no net_ddp port '%.64s'", port->client.pid,
		     name);
	return port->status;
}

// The process checks numbers of ports when they are used.
static int port_find(struct port *port, const char *text) {
	if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0')
		return name_find(port, text);
	if (!number_read(text, &port->id))
		return fail(port, EXIT_NO, "process %u has no net_ddp port %s", port->client.pid,
			    text);
	return EXIT_GOOD;
}

int port_open(struct port *port, const char *file_prefix, unsigned int pid, const char *name) {
	*port = (struct port){.status = EXIT_GOOD};
	if (telemetry_client_open(&port->client, file_prefix, pid) < 0)
		return fail(port, EXIT_UNREADABLE, "%s", port->client.error);
	return name != NULL ? port_find(port, name) : EXIT_GOOD;
}

int port_report(struct port *port) {
	// Names and refusals are not ours: remove characters that control the terminal.
	for (char *c = port->error; *c != '\0'; c++)
		if (iscntrl((unsigned char)*c))
			*c = '?';
	if (port->status != EXIT_GOOD)
		error_print("%s", port->error);
	return port->status;
}

int port_close(struct port *port) {
	port_report(port);
	telemetry_client_close(&port->client);
	return port->status;
}

/* Queues */

static bool queue_add(void *arg, unsigned int id, json_t *item) {
	struct queues *queues = arg;
	json_int_t packets, bytes, missed;

	if (json_is_object(item) && json_object_get(item, "rx_packets") == NULL)
		return true; // a Tx queue without an Rx queue
	if (id != queues->n || id == PORT_QUEUES_MAX ||
	    json_unpack(item, "{sI sI sI}", "rx_packets", &packets, "rx_bytes", &bytes, "rx_missed",
			&missed) < 0 ||
	    packets < 0 || bytes < 0 || missed < 0)
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

const char *json_text_of(const json_t *object, const char *key) {
	return json_string_value(json_object_get(object, key)) ?: "";
}

// Add the schema version to an object, or to each object of an array.
static int version_add(json_t *value) {
	json_t *object;
	size_t i;

	if (json_is_object(value))
		return json_object_set_new(value, JSON_SCHEMA_KEY,
					   json_integer(JSON_SCHEMA_VERSION));
	json_array_foreach(value, i, object)
		if (version_add(object) < 0)
			return -1;
	return 0;
}

void json_write(struct output *out, json_t *value) {
	char *text = NULL;

	if (version_add(value) == 0)
		text = json_dumps(value, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9));
	if (text == NULL)
		out->error = ENOMEM;
	for (const char *c = text; c != NULL && *c != '\0'; c++) {
		if (*c == 0x7f) // jansson does not escape it
			output_text(out, "\\u007f");
		else
			output_char(out, *c);
	}
	output_char(out, '\n');
	free(text);
	json_decref(value);
}
