/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl port balance: load-aware RSS of a port, shown and turned on or off.
#include "common/port_telemetry.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/command.h"
#include "ctl/telemetry/port_balance.h"
#include "ctl/telemetry/port_info.h"

/* Show */

static void setting_print(const struct port *port, const json_t *balance, struct output *out) {
	if (balance_number(balance, "interval_ms") == 0)
		output_printf(out, "port %u: balance off\n", port->id);
	else
		output_printf(out, "port %u: balance on, every %.0f ms\n", port->id,
			      balance_number(balance, "interval_ms"));
}

static void imbalance_print(const json_t *balance, struct output *out) {
	struct strbuf text;

	if (balance_number(balance, "before") == 0) // no interval with packets
		return;
	output_printf(out,
		      "imbalance before: %.3f\n"
		      "imbalance after:  %.3f\n"
		      "worst imbalance:  %.3f\n",
		      balance_number(balance, "before"), balance_number(balance, "after"),
		      balance_number(balance, "worst"));
	if (json_object_get(balance, "bound_entry") == NULL)
		return;
	strbuf_init(&text);
	balance_bound_write(balance, text.to);
	output_printf(out, "elephant:         %s\n", strbuf_take(&text));
	strbuf_fini(&text);
}

static void moves_table(const json_t *moves, struct output *out) {
	struct table table;
	struct strbuf text;
	json_t *move;
	size_t i;

	if (json_array_size(moves) == 0)
		return;
	output_char(out, '\n');
	table_init(&table, out, ">SECONDS AGO|LAST MOVES");
	strbuf_init(&text);
	json_array_foreach(moves, i, move) {
		table_cell(&table, "%.1f", balance_number(move, "ms_ago") / 1000);
		balance_move_write(move, text.to);
		table_text(&table, strbuf_take(&text));
	}
	strbuf_fini(&text);
	table_fini(&table);
}

static void state_print(const struct port *port, const json_t *balance, struct output *out) {
	setting_print(port, balance, out);
	output_printf(out,
		      "intervals:        %.0f\n"
		      "moves:            %.0f\n",
		      balance_number(balance, "rounds"), balance_number(balance, "moves"));
	imbalance_print(balance, out);
	output_printf(out,
		      "parked packets:   %.0f\n"
		      "longest parking:  %.0f us\n"
		      "given up:         %.0f\n",
		      balance_number(balance, "order_parked"),
		      balance_number(balance, "order_longest_parking_us"),
		      balance_number(balance, "given_up"));
	moves_table(json_object_get(balance, "last_moves"), out);
}

// Of one port, or of all.
static void show(const struct port_options *options, struct port *port, struct output *out) {
	const bool json = options->common.format == FORMAT_JSON, all = options->common.n_files == 0;
	json_t *ids = all ? port_list(port) : json_pack("[i]", port->id);
	json_t *states = json_array(), *id;
	size_t i;

	json_array_foreach(ids, i, id) {
		json_t *balance, *state;

		port->id = json_integer_value(id);
		balance = balance_read(port, NULL);
		if (balance == NULL)
			break;
		if (!json && i > 0)
			output_char(out, '\n');
		if (!json)
			state_print(port, balance, out);
		state = json_pack("{si}", "port", port->id);
		json_object_update(state, balance);
		json_array_append_new(states, state);
		json_decref(balance);
	}
	if (json && port->status == EXIT_GOOD)
		json_write(out, json_incref(all ? states : json_array_get(states, 0)));
	json_decref(states);
	json_decref(ids);
}

/* Set */

static void set(const struct port_options *options, struct port *port, struct output *out) {
	json_t *balance = balance_read(port, options->common.files[1]);

	if (options->common.format != FORMAT_JSON && balance != NULL)
		setting_print(port, balance, out);
	else if (options->common.format == FORMAT_JSON && balance != NULL)
		json_write(out, json_pack("{sb si sO}", "ok", true, "port", port->id, "interval_ms",
					  json_object_get(balance, "interval_ms")));
	else if (options->common.format == FORMAT_JSON && port->status == EXIT_NO)
		json_write(out, json_pack("{sb si ss}", "ok", false, "port", port->id, "error",
					  port->error));
	json_decref(balance);
}

int cmd_port_balance(const void *arg, struct output *out) {
	const struct port_options *options = arg;
	struct port port;

	if (port_start(&port, options) != EXIT_GOOD)
		return port_close(&port);
	if (options->common.n_files < 2)
		show(options, &port, out);
	else
		set(options, &port, out);
	return port_close(&port);
}
