/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl port balance: load-aware RSS of a port, shown and turned on or off.
#include <inttypes.h>
#include <stdio.h>

#include "common/port_telemetry.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/command.h"
#include "ctl/telemetry/port_balance.h"
#include "ctl/telemetry/port_info.h"

/* Show */

static json_t *state_json(const struct port *port, const struct balance *balance) {
	json_t *state = json_pack("{si}", "port", port->id), *more = balance_json(balance, 0);

	json_object_update(state, more);
	json_decref(more);
	return state;
}

static void setting_print(const struct port *port, const struct balance *balance,
			  struct output *out) {
	if (balance->interval_ms == 0)
		output_printf(out, "port %u: balance off\n", port->id);
	else
		output_printf(out, "port %u: balance on, every %" PRIu64 " ms\n", port->id,
			      balance->interval_ms);
}

static void imbalance_print(const struct balance *balance, struct output *out) {
	struct strbuf text;

	if (!balance->measured)
		return;
	output_printf(out,
		      "imbalance before: %.3f\n"
		      "imbalance after:  %.3f\n"
		      "worst imbalance:  %.3f\n",
		      balance->before, balance->after, balance->worst);
	if (!balance->bounded)
		return;
	strbuf_init(&text);
	balance_bound_write(balance, text.to);
	output_printf(out, "elephant:         %s\n", strbuf_take(&text));
	strbuf_fini(&text);
}

static void moves_table(const struct balance *balance, struct output *out) {
	struct table table;
	struct strbuf text;

	if (balance->n_last_moves == 0)
		return;
	output_char(out, '\n');
	table_init(&table, out, ">SECONDS AGO|LAST MOVES");
	strbuf_init(&text);
	for (unsigned int i = 0; i < balance->n_last_moves; i++) {
		table_cell(&table, "%.1f", balance->last_moves[i].ms_ago / 1000.0);
		balance_move_write(&balance->last_moves[i], text.to);
		table_text(&table, strbuf_take(&text));
	}
	strbuf_fini(&text);
	table_fini(&table);
}

static void state_print(const struct port *port, const struct balance *balance,
			struct output *out) {
	setting_print(port, balance, out);
	output_printf(out,
		      "intervals:        %" PRIu64 "\n"
		      "moves:            %" PRIu64 "\n",
		      balance->rounds, balance->moves);
	imbalance_print(balance, out);
	output_printf(out,
		      "parked packets:   %" PRIu64 "\n"
		      "longest parking:  %" PRIu64 " us\n"
		      "given up:         %" PRIu64 "\n",
		      balance->parked, balance->longest_us, balance->given_up);
	moves_table(balance, out);
}

static void show(const struct port_options *options, struct port *port, struct output *out) {
	struct balance balance;

	if (balance_read(&balance, port, NULL) != EXIT_GOOD)
		return;
	if (options->common.format == FORMAT_JSON)
		json_write(out, state_json(port, &balance));
	else
		state_print(port, &balance, out);
}

static void show_all(const struct port_options *options, struct port *port, struct output *out) {
	json_t *ids = port_list(port), *states = json_array(), *id;
	struct balance balance;
	size_t i;

	json_array_foreach(ids, i, id) {
		port->id = json_integer_value(id);
		if (balance_read(&balance, port, NULL) != EXIT_GOOD)
			break;
		if (options->common.format == FORMAT_JSON) {
			json_array_append_new(states, state_json(port, &balance));
			continue;
		}
		if (i > 0)
			output_char(out, '\n');
		state_print(port, &balance, out);
	}
	if (options->common.format == FORMAT_JSON && port->status == EXIT_GOOD)
		json_write(out, json_incref(states));
	json_decref(states);
	json_decref(ids);
}

/* Set */

static void set_json(const struct port *port, const struct balance *balance, struct output *out) {
	if (port->status == EXIT_GOOD)
		json_write(out, json_pack("{sb si sI}", "ok", true, "port", port->id, "interval_ms",
					  (json_int_t)balance->interval_ms));
	else if (port->status == EXIT_NO)
		json_write(out, json_pack("{sb si ss}", "ok", false, "port", port->id, "error",
					  port->error));
}

static void set(const struct port_options *options, struct port *port, struct output *out) {
	struct balance balance;

	balance_read(&balance, port, options->common.files[1]);
	if (options->common.format == FORMAT_JSON)
		set_json(port, &balance, out);
	else if (port->status == EXIT_GOOD)
		setting_print(port, &balance, out);
}

int cmd_port_balance(const void *arg, struct output *out) {
	const struct port_options *options = arg;
	struct port port;

	if (port_start(&port, options) != EXIT_GOOD)
		return port_close(&port);
	if (options->common.n_files == 0)
		show_all(options, &port, out);
	else if (options->common.n_files == 1)
		show(options, &port, out);
	else
		set(options, &port, out);
	return port_close(&port);
}
