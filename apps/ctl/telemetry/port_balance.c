/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_balance.h"

#include <string.h>

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

// It comes from another process: it must not drive the terminal.
static json_t *text_convert(const char *text) {
	char printable[128];

	snprintf(printable, sizeof(printable), "%s", text);
	for (char *c = printable; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return json_string(printable);
}

// NULL: what this version of net_ddp never says.
static json_t *value_convert(const json_t *value, bool permille) {
	if (json_is_object(value))
		return list_convert(value);
	if (json_is_string(value))
		return text_convert(json_string_value(value));
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
		json_t *told = value_convert(value, permille);
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)(permille ? len - tail : len), key);
		if (told != NULL)
			json_object_set_new(converted, name, told);
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
	fprintf(to,
		"entry %.0f (%.1f%% of the load) from queue %.0f (%.2f of the mean) to queue %.0f "
		"(%.2f)",
		balance_number(move, "entry"), 100 * balance_number(move, "share"),
		balance_number(move, "from"), balance_number(move, "from_load"),
		balance_number(move, "to"), balance_number(move, "to_load"));
}

void balance_bound_write(const json_t *balance, FILE *to) {
	const char *flow = json_text_of(balance, "bound_flow");

	fprintf(to, "entry %.0f has %.1f%% of the load%s%s", balance_number(balance, "bound_entry"),
		100 * balance_number(balance, "bound_share"), *flow != '\0' ? ": " : "", flow);
}
