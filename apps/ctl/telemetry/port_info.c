/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_info.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "common/strbuf.h"

int port_start(struct port *port, const struct port_options *options) {
	return port_open(port, options->process.file_prefix, options->process.pid,
			 options->common.n_files > 0 ? options->common.files[0] : NULL);
}

// Text from the system may not be UTF-8.
static json_t *text_json(const char *text) {
	return json_string(text) ?: json_null();
}

json_t *port_info(struct port *port) {
	json_t *answer = port_ask(port, "info", NULL), *info;
	char program[TELEMETRY_PROGRAM_SIZE];

	if (answer == NULL)
		return NULL;
	telemetry_client_program(&port->client, program);
	info = json_pack("{si}", "port", port->id);
	json_object_update(info, answer);
	json_object_set_new(info, "pid", json_integer(port->client.pid));
	json_object_set_new(info, "program", text_json(program));
	json_object_set_new(info, "file_prefix", text_json(port->client.file_prefix));
	json_decref(answer);
	return info;
}

void value_write(const json_t *value, FILE *to) {
	json_t *word;
	size_t i;

	if (json_is_integer(value))
		fprintf(to, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_string(value))
		fputs(json_string_value(value), to);
	else if (json_is_real(value))
		fprintf(to, "%.3f", json_real_value(value));
	json_array_foreach(value, i, word)
		fprintf(to, "%s%s", i == 0 ? "" : " ", json_string_value(word) ?: "?");
}

static const json_t *member_of(const json_t *object, const char *format) {
	const char *name = strchr(format, '{') + 1;
	char key[64];

	name += *name == '#';
	snprintf(key, sizeof(key), "%.*s", (int)strcspn(name, "}"), name);
	return json_object_get(object, key);
}

const char *members_write(const json_t *object, const char *format, FILE *to) {
	const char *at = format;

	for (; *at != '\0' && *at != '|'; at++) {
		if (*at == '[') {
			const json_t *value = member_of(object, at);

			if (value == NULL ||
			    (json_is_string(value) && json_string_length(value) == 0))
				at = strchr(at, ']');
		} else if (*at == '{') {
			const json_t *value = member_of(object, at);

			if (at[1] == '#')
				fprintf(to, "0x%08" PRIx64, (uint64_t)json_integer_value(value));
			else
				value_write(value, to);
			at = strchr(at, '}');
			assert(at != NULL);
		} else if (*at != ']') {
			fputc(*at, to);
		}
	}
	return at;
}

void items_table(const json_t *items, const char *titles, const char *formats, struct output *out) {
	struct table table;
	struct strbuf text;
	json_t *item;
	size_t i;

	table_init(&table, out, titles);
	strbuf_init(&text);
	json_array_foreach(items, i, item)
		for (const char *at = formats; *at != '\0'; at += *at == '|') {
			at = members_write(item, at, text.to);
			table_text(&table, strbuf_take(&text));
		}
	strbuf_fini(&text);
	table_fini(&table);
}

double percent(uint64_t part, uint64_t all) {
	return all == 0 ? 0 : 100.0 * part / all;
}

/* Load-aware RSS */

#define COMMAND "balance"
#define PERMILLE "_permille"

static json_t *object_convert(const json_t *object);

// The items "0", "1" ... of an object.
static json_t *list_convert(const json_t *items) {
	json_t *list = json_array();
	char key[16];

	for (unsigned int i = 0; i < json_object_size(items); i++) {
		snprintf(key, sizeof(key), "%u", i);
		if (json_array_append_new(list, object_convert(json_object_get(items, key))) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

// NULL: a value that net_ddp does not send.
static json_t *value_convert(const json_t *value, bool permille) {
	char text[128];

	if (json_is_object(value))
		return list_convert(value);
	if (json_is_string(value)) {
		snprintf(text, sizeof(text), "%s", json_string_value(value));
		for (char *c = text; *c != '\0'; c++)
			if (*c < ' ' || *c > '~')
				*c = '?'; // text of another process must not control the terminal
		return json_string(text);
	}
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return NULL;
	return permille ? json_real(json_integer_value(value) / 1000.0) :
			  json_integer(json_integer_value(value));
}

static json_t *object_convert(const json_t *object) {
	json_t *converted = json_is_object(object) ? json_object() : NULL, *value;
	const char *key;

	json_object_foreach((json_t *)object, key, value) {
		const size_t len = strlen(key), tail = strlen(PERMILLE);
		const bool permille = len > tail && strcmp(key + len - tail, PERMILLE) == 0;
		json_t *member = value_convert(value, permille);
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)(permille ? len - tail : len), key);
		if (member != NULL)
			json_object_set_new(converted, name, member);
	}
	return converted;
}

#define HAS(object, ...) (json_unpack_ex((object), NULL, JSON_VALIDATE_ONLY, __VA_ARGS__) == 0)

static bool is_whole(json_t *balance) {
	json_t *item;
	size_t i;

	if (!HAS(balance, "{s:i s:i s:i s:i s:i s:i s:F s:F s:F s:o s:o}", "interval_ms", "rounds",
		 "moves", "given_up", "order_parked", "order_longest_parking_us", "before", "after",
		 "worst", "last_intervals", "last_moves"))
		return false;
	if (json_object_get(balance, "bound_entry") != NULL &&
	    !HAS(balance, "{s:i s:F s:s}", "bound_entry", "bound_share", "bound_flow"))
		return false;
	json_array_foreach(json_object_get(balance, "last_intervals"), i, item)
		if (!HAS(item, "{s:i s:F s:F s:i}", "round", "before", "after", "moves"))
			return false;
	json_array_foreach(json_object_get(balance, "last_moves"), i, item)
		if (!HAS(item, "{s:i s:i s:i s:i s:i s:F s:F s:F}", "round", "ms_ago", "entry",
			 "from", "to", "share", "from_load", "to_load"))
			return false;
	return true;
}

json_t *balance_read(struct port *port, const char *setting) {
	json_t *answer = port_ask(port, COMMAND, setting), *balance;

	if (answer == NULL)
		return NULL;
	balance = object_convert(answer);
	json_decref(answer);
	if (is_whole(balance))
		return balance;
	json_decref(balance);
	port_strange(port, COMMAND);
	return NULL;
}

double balance_number(const json_t *object, const char *key) {
	return json_number_value(json_object_get(object, key));
}

uint64_t balance_round(const json_t *balance) {
	return balance_number(json_array_get(json_object_get(balance, "last_intervals"), 0),
			      "round");
}

void balance_forget(json_t *balance, uint64_t round) {
	static const char *const names[] = {"last_intervals", "last_moves"};

	for (unsigned int i = 0; i < COUNT(names); i++) {
		json_t *list = json_object_get(balance, names[i]);
		size_t n = json_array_size(list);

		while (n > 0 && balance_number(json_array_get(list, n - 1), "round") <= round)
			json_array_remove(list, --n);
	}
}

void balance_move_write(const json_t *move, FILE *to) {
	fprintf(to, "queue %.0f (load %.2f) to %.0f (%.2f): entry %.0f, %.1f%% of the load",
		balance_number(move, "from"), balance_number(move, "from_load"),
		balance_number(move, "to"), balance_number(move, "to_load"),
		balance_number(move, "entry"), 100 * balance_number(move, "share"));
}

void balance_bound_write(const json_t *balance, FILE *to) {
	const char *flow = json_text_of(balance, "bound_flow");

	fprintf(to, "entry %.0f has %.1f%% of the load%s%s", balance_number(balance, "bound_entry"),
		100 * balance_number(balance, "bound_share"), *flow != '\0' ? ": " : "", flow);
}
