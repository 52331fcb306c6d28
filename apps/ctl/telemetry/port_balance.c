/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_balance.h"

#include <inttypes.h>
#include <string.h>

#define COMMAND "balance"

// A key of an answer, and where its number goes: as it is, or in thousandths.
struct number {
	const char *key;
	uint64_t *count;
	double *real;
};

static bool numbers_read(const json_t *object, const struct number *numbers, unsigned int n) {
	for (unsigned int i = 0; i < n; i++) {
		const json_t *value = json_object_get(object, numbers[i].key);

		if (!json_is_integer(value) || json_integer_value(value) < 0)
			return false;
		if (numbers[i].count != NULL)
			*numbers[i].count = json_integer_value(value);
		else
			*numbers[i].real = json_integer_value(value) / 1000.0;
	}
	return true;
}

static bool move_read(struct balance *balance, unsigned int i, const json_t *item) {
	struct balance_move *move = &balance->last_moves[i];
	const struct number numbers[] = {
		{"round", &move->round, NULL},
		{"ms_ago", &move->ms_ago, NULL},
		{"entry", &move->entry, NULL},
		{"from", &move->from, NULL},
		{"to", &move->to, NULL},
		{"load_permille", NULL, &move->load},
		{"from_load_permille", NULL, &move->from_load},
		{"to_load_permille", NULL, &move->to_load},
	};

	balance->n_last_moves = i + 1;
	return numbers_read(item, numbers, COUNT(numbers));
}

static bool interval_read(struct balance *balance, unsigned int i, const json_t *item) {
	struct balance_interval *interval = &balance->intervals[i];
	const struct number numbers[] = {
		{"round", &interval->round, NULL},
		{"before_permille", NULL, &interval->before},
		{"after_permille", NULL, &interval->after},
		{"moves", &interval->n_moves, NULL},
	};

	balance->n_intervals = i + 1;
	return numbers_read(item, numbers, COUNT(numbers));
}

// The items "0", "1" ... of an object.
static bool items_read(struct balance *balance, const json_t *items,
		       bool (*fn)(struct balance *balance, unsigned int i, const json_t *item)) {
	const size_t n = json_object_size(items);
	char key[16];

	if (!json_is_object(items) || n > BALANCE_LAST_MAX)
		return false;
	for (unsigned int i = 0; i < n; i++) {
		snprintf(key, sizeof(key), "%u", i);
		if (!fn(balance, i, json_object_get(items, key)))
			return false;
	}
	return true;
}

// It comes from another process: it must not drive the terminal.
static void flow_read(struct balance *balance, const char *flow) {
	snprintf(balance->bound_flow, sizeof(balance->bound_flow), "%s", flow);
	for (char *c = balance->bound_flow; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

static bool bound_read(struct balance *balance, const json_t *answer) {
	const struct number numbers[] = {
		{"bound_entry", &balance->bound_entry, NULL},
		{"bound_permille", NULL, &balance->bound_load},
	};

	balance->bounded = json_object_get(answer, "bound_entry") != NULL;
	if (!balance->bounded)
		return true;
	flow_read(balance, json_text_of(answer, "bound_flow"));
	return numbers_read(answer, numbers, COUNT(numbers));
}

// What there is once it was on.
static bool measured_read(struct balance *balance, const json_t *answer) {
	const struct number numbers[] = {
		{"before_permille", NULL, &balance->before},
		{"after_permille", NULL, &balance->after},
		{"worst_permille", NULL, &balance->worst},
	};

	if (json_object_get(answer, "before_permille") == NULL)
		return true;
	return numbers_read(answer, numbers, COUNT(numbers)) && bound_read(balance, answer) &&
	       items_read(balance, json_object_get(answer, "last_moves"), move_read) &&
	       items_read(balance, json_object_get(answer, "last_intervals"), interval_read);
}

static bool answer_read(struct balance *balance, const json_t *answer) {
	const struct number numbers[] = {
		{"interval_ms", &balance->interval_ms, NULL},
		{"rounds", &balance->rounds, NULL},
		{"moves", &balance->moves, NULL},
		{"parked_packets", &balance->parked, NULL},
		{"given_up", &balance->given_up, NULL},
		{"longest_parking_us", &balance->longest_us, NULL},
	};

	memset(balance, 0, sizeof(*balance));
	if (!numbers_read(answer, numbers, COUNT(numbers)) || !measured_read(balance, answer))
		return false;
	balance->measured = balance->before > 0;
	return true;
}

bool balance_is_known(struct port *port) {
	char id[16];
	json_t *answer;
	bool known;

	snprintf(id, sizeof(id), "%u", port->id);
	answer = telemetry_client_ask(&port->client, "/net_ddp/" COMMAND, id);
	known = answer != NULL && !json_is_null(answer);
	json_decref(answer);
	return known;
}

int balance_read(struct balance *balance, struct port *port, const char *setting) {
	json_t *answer = port_ask(port, COMMAND, setting);
	bool good;

	if (answer == NULL)
		return port->status;
	good = answer_read(balance, answer);
	json_decref(answer);
	return good ? EXIT_GOOD : port_strange(port, COMMAND);
}

uint64_t balance_round(const struct balance *balance) {
	return balance->n_intervals > 0 ? balance->intervals[0].round : 0;
}

static json_t *real_or_null(bool known, double value) {
	return known ? json_real(value) : json_null();
}

static json_t *intervals_json(const struct balance *balance, uint64_t round) {
	json_t *array = json_array();

	for (unsigned int i = 0; i < balance->n_intervals; i++) {
		const struct balance_interval *interval = &balance->intervals[i];

		if (interval->round > round)
			json_array_append_new(
				array,
				json_pack("{sI sf sf sI}", "round", (json_int_t)interval->round,
					  "imbalance_before", interval->before, "imbalance_after",
					  interval->after, "moves", (json_int_t)interval->n_moves));
	}
	return array;
}

static json_t *move_json(const struct balance_move *move) {
	return json_pack("{sI sf sI sf sI sI sf sf}", "round", (json_int_t)move->round,
			 "seconds_ago", move->ms_ago / 1000.0, "entry", (json_int_t)move->entry,
			 "load", move->load, "from", (json_int_t)move->from, "to",
			 (json_int_t)move->to, "from_load", move->from_load, "to_load",
			 move->to_load);
}

static json_t *moves_json(const struct balance *balance, uint64_t round) {
	json_t *array = json_array();

	for (unsigned int i = 0; i < balance->n_last_moves; i++)
		if (balance->last_moves[i].round > round)
			json_array_append_new(array, move_json(&balance->last_moves[i]));
	return array;
}

static json_t *bound_json(const struct balance *balance) {
	if (!balance->bounded)
		return json_null();
	return json_pack("{sI sf ss?}", "entry", (json_int_t)balance->bound_entry, "load",
			 balance->bound_load, "flow",
			 balance->bound_flow[0] != '\0' ? balance->bound_flow : NULL);
}

json_t *balance_json(const struct balance *balance, uint64_t round) {
	return json_pack("{sI sI sI sI sI sI so so so so so so}", "interval_ms",
			 (json_int_t)balance->interval_ms, "rounds", (json_int_t)balance->rounds,
			 "moves", (json_int_t)balance->moves, "parked_packets",
			 (json_int_t)balance->parked, "given_up", (json_int_t)balance->given_up,
			 "longest_parking_us", (json_int_t)balance->longest_us, "imbalance_before",
			 real_or_null(balance->measured, balance->before), "imbalance_after",
			 real_or_null(balance->measured, balance->after), "imbalance_worst",
			 real_or_null(balance->measured, balance->worst), "elephant",
			 bound_json(balance), "last_intervals", intervals_json(balance, round),
			 "last_moves", moves_json(balance, round));
}

void balance_move_write(const struct balance_move *move, FILE *to) {
	fprintf(to,
		"entry %" PRIu64 " (%.1f%% of the load) from queue %" PRIu64
		" (%.2f of the mean) to queue %" PRIu64 " (%.2f)",
		move->entry, 100 * move->load, move->from, move->from_load, move->to,
		move->to_load);
}

void balance_bound_write(const struct balance *balance, FILE *to) {
	fprintf(to, "entry %" PRIu64 " has %.1f%% of the load", balance->bound_entry,
		100 * balance->bound_load);
	if (balance->bound_flow[0] != '\0')
		fprintf(to, ": %s", balance->bound_flow);
}
