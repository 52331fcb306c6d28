/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl port show: a port in words and units, or with --raw by the names that the process uses.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/port_telemetry.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/command.h"
#include "ctl/telemetry/port_info.h"

#define TAKEN "rx_lower_packets" // what shares are of

/* Counters */

enum counter_kind {
	KIND_NUMBER,
	KIND_SHARE,    // also as a share of the packets taken from the lower device
	KIND_PERMILLE, // of 1
};

static const struct counter {
	const char *name; // as an xstat
	const char *text;
	const char *unit;
	enum counter_kind kind;
} counters[] = {
	{TAKEN, "taken from the lower device", "packets", KIND_SHARE},
	{"rx_delivered_packets", "delivered to the application", "packets", KIND_SHARE},
	{"rx_missed_packets", "missed, because an Rx ring was full", "packets", KIND_SHARE},
	{"lower_rx_missed_errors", "missed by the lower device", "packets", KIND_NUMBER},
	{"lower_rx_errors", "errors of the lower device", "packets", KIND_NUMBER},
	{"lower_rx_mbuf_allocation_errors", "lower device had no mbuf", "packets", KIND_NUMBER},
	{"rx_dropped_by_rule", "dropped by flow rules", "packets", KIND_SHARE},
	{"rx_dropped_at_stop", "dropped when the port stopped", "packets", KIND_SHARE},
	{"rx_in_rings", "waiting in Rx rings", "packets", KIND_SHARE},
	{"rx_offloaded", "hashed by the lower device", "packets", KIND_SHARE},
	{"rx_path_cache_hits", "found in the path cache", "packets", KIND_SHARE},
	{"rx_path_cache_misses", "not found in the path cache", "packets", KIND_SHARE},
	{"rx_decapped_packets", "delivered without a tunnel", "packets", KIND_SHARE},
	{"rx_not_decapped_packets", "delivered as they came, with decap=on", "packets", KIND_SHARE},
	{"balance_parked", "parked to keep the order of flows", "packets", KIND_SHARE},
	{"balance_longest_parking_us", "longest parking", "us", KIND_NUMBER},
	{"balance_given_up", "waits for a queue that were given up", "", KIND_NUMBER},
	{"tx_in_rings", "waiting in Tx rings", "packets", KIND_NUMBER},
	{"tx_dropped_at_stop", "not sent when the port stopped", "packets", KIND_NUMBER},
	{"rx_path_cache_learned", "paths added to the path cache", "paths", KIND_NUMBER},
	{"rx_path_cache_entries", "paths in the path cache", "paths", KIND_NUMBER},
	{"balance_rounds", "load-aware RSS: intervals", "", KIND_NUMBER},
	{"balance_moves", "load-aware RSS: moves", "", KIND_NUMBER},
	{"balance_before_permille", "load-aware RSS: imbalance before moves", "", KIND_PERMILLE},
	{"balance_after_permille", "load-aware RSS: imbalance after moves", "", KIND_PERMILLE},
};

static bool is_known(const char *name) {
	for (unsigned int i = 0; i < COUNT(counters); i++)
		if (strcmp(counters[i].name, name) == 0)
			return true;
	return false;
}

static void counter_row(struct table *table, const struct counter *counter, uint64_t value,
			uint64_t taken) {
	table_text(table, counter->text);
	if (counter->kind == KIND_PERMILLE && value == 0)
		table_text(table, "-"); // there was no interval with packets
	else if (counter->kind == KIND_PERMILLE)
		table_cell(table, "%.3f", value / 1000.0);
	else
		table_number(table, value);
	table_text(table, counter->unit);
	if (counter->kind == KIND_SHARE)
		percent_cell(table, value, taken);
	else
		table_text(table, "");
}

// A process with a newer net_ddp may have counters that are not known here.
static void counters_table(const json_t *values, struct output *out) {
	const uint64_t taken = json_integer_value(json_object_get(values, TAKEN));
	struct table table;
	const char *name;
	json_t *value;

	table_init(&table, out, "COUNTER|>VALUE|UNIT|>SHARE");
	for (unsigned int i = 0; i < COUNT(counters); i++) {
		value = json_object_get(values, counters[i].name);
		if (value != NULL)
			counter_row(&table, &counters[i], json_integer_value(value), taken);
	}
	json_object_foreach((json_t *)values, name, value) {
		const struct counter unknown = {.text = name, .unit = ""};

		if (!is_known(name))
			counter_row(&table, &unknown, json_integer_value(value), taken);
	}
	table_fini(&table);
}

static void profiles_table(const json_t *info, struct output *out) {
	const json_t *versions = json_object_get(info, "profile_versions");
	const json_t *specs = json_object_get(info, "profile_specs");
	const json_t *packets = json_object_get(info, "profile_packets");
	const json_t *names = json_object_get(info, "profiles");
	const json_t *counters = json_object_get(info, "counters");
	const bool any = json_integer_value(json_object_get(counters, TAKEN)) > 0;
	struct table table;
	json_t *name, *n;
	size_t i;

	table_init(&table, out, "PROFILE|VERSION|>PACKETS|GIVEN AS");
	json_array_foreach(names, i, name) {
		table_text(&table, json_string_value(name) ?: "");
		table_text(&table, json_string_value(json_array_get(versions, i)) ?: "");
		if (json_array_get(packets, i) != NULL)
			table_number(&table, json_integer_value(json_array_get(packets, i)));
		else
			table_text(&table, ""); // an older net_ddp
		table_text(&table, json_string_value(json_array_get(specs, i)) ?: "");
	}
	table_fini(&table);
	json_array_foreach(packets, i, n)
		if (any && json_integer_value(n) == 0)
			output_escaped_printf(out,
					      "no packet has a packet type of profile %s: see "
					      "'ddpctl port ptypes'\n",
					      json_string_value(json_array_get(names, i)) ?: "");
}

/* Properties, in words */

static json_int_t number_of(const json_t *info, const char *key) {
	return json_integer_value(json_object_get(info, key));
}

static bool has(const json_t *info, const char *key) {
	return json_object_get(info, key) != NULL;
}

static void queues_write(FILE *to, json_int_t n_rx, json_int_t n_tx) {
	fprintf(to, "%" JSON_INTEGER_FORMAT " Rx, %" JSON_INTEGER_FORMAT " Tx", n_rx, n_tx);
}

static void process_write(const json_t *info, FILE *to) {
	fprintf(to, "%" JSON_INTEGER_FORMAT, number_of(info, "pid"));
	if (json_text_of(info, "program")[0] != '\0')
		fprintf(to, " (%s)", json_text_of(info, "program"));
	fprintf(to, ", file prefix %s", json_text_of(info, "file_prefix"));
}

static void driver_write(const json_t *info, FILE *to) {
	fprintf(to, "net_ddp %s", json_text_of(info, "version"));
	if (json_text_of(info, "isa")[0] != '\0')
		fprintf(to, ", instruction set %s", json_text_of(info, "isa"));
}

static void lower_write(const json_t *info, FILE *to) {
	fputs(json_text_of(info, "lower_device"), to);
	if (!has(info, "lower_port"))
		return;
	fprintf(to, ", port %" JSON_INTEGER_FORMAT ", queues: ", number_of(info, "lower_port"));
	queues_write(to, number_of(info, "lower_rx_queues"), number_of(info, "lower_tx_queues"));
}

static void own_queues_write(const json_t *info, FILE *to) {
	queues_write(to, number_of(info, "rx_queues"), number_of(info, "tx_queues"));
}

static void overflow_write(const json_t *info, FILE *to) {
	const char *overflow = json_text_of(info, "overflow");

	if (strcmp(overflow, "drop") == 0)
		fputs("packets are dropped", to);
	else if (strcmp(overflow, "wait") == 0)
		fputs("the port waits", to);
	else
		fputs(overflow, to);
}

static void rss_write(const json_t *info, FILE *to) {
	if (number_of(info, "rss") == 0) {
		fputs("off", to);
		return;
	}
	fprintf(to, "%s, fields chosen by the %s", json_text_of(info, "rss_hash_function"),
		strcmp(json_text_of(info, "rss_fields_by"), "profiles") == 0 ? "profiles" :
									       "application");
}

static void fields_write(const json_t *info, FILE *to) {
	words_write(json_object_get(info, "rss_hf"), to);
}

static void offload_write(const json_t *info, FILE *to) {
	const char *state = json_text_of(info, "offload_state");

	if (strcmp(state, "off") == 0 || strcmp(state, "waiting") == 0) {
		fputs(state, to);
		return;
	}
	if (strcmp(state, "on") != 0) {
		fprintf(to, "none: %s", state);
		return;
	}
	fprintf(to,
		"on, as %s: %" JSON_INTEGER_FORMAT " packet types, %" JSON_INTEGER_FORMAT " rules",
		json_text_of(info, "offload"), number_of(info, "offload_ptypes"),
		number_of(info, "offload_rules"));
}

static void package_write(const json_t *info, FILE *to) {
	fprintf(to, "%s, track id 0x%08" PRIx64, json_text_of(info, "package_name"),
		(uint64_t)number_of(info, "package_track_id"));
}

static void types_write(const json_t *info, FILE *to) {
	fprintf(to, "%" JSON_INTEGER_FORMAT, number_of(info, "packet_types"));
}

static void rules_write(const json_t *info, FILE *to) {
	fprintf(to, "%" JSON_INTEGER_FORMAT, number_of(info, "flow_rules"));
}

static const struct {
	const char *text;
	const char *key; // shown if the process tells it
	void (*write)(const json_t *info, FILE *to);
} properties[] = {
	{"process", "pid", process_write},
	{"driver", "version", driver_write},
	{"lower device", "lower_device", lower_write},
	{"queues", "rx_queues", own_queues_write},
	{"if a ring is full", "overflow", overflow_write},
	{"RSS", "rss", rss_write},
	{"hash fields", "rss_hf", fields_write},
	{"offload", "offload_state", offload_write},
	{"package", "package_name", package_write},
	{"packet types", "packet_types", types_write},
	{"flow rules", "flow_rules", rules_write},
};

static void line_print(const char *key, const char *value, struct output *out) {
	const int width = 19;

	output_escaped_printf(out, "%s:%*s%s\n", key,
			      (int)strlen(key) < width - 1 ? width - 1 - (int)strlen(key) : 1, "",
			      value);
}

static void properties_print(const json_t *info, struct output *out) {
	struct strbuf text;

	strbuf_init(&text);
	fprintf(text.to, "%s (port %" JSON_INTEGER_FORMAT ")", json_text_of(info, "name"),
		number_of(info, "port"));
	line_print(strbuf_take(&text), json_text_of(info, "state"), out);
	for (unsigned int i = 0; i < COUNT(properties); i++) {
		if (!has(info, properties[i].key))
			continue;
		properties[i].write(info, text.to);
		line_print(properties[i].text, strbuf_take(&text), out);
	}
	strbuf_fini(&text);
}

static void info_print(const json_t *info, struct output *out) {
	properties_print(info, out);
	output_char(out, '\n');
	profiles_table(info, out);
	output_char(out, '\n');
	counters_table(json_object_get(info, "counters"), out);
}

/* Properties, as the process calls them */

// A number, a text or a list of words.
static void raw_write(const json_t *value, FILE *to) {
	if (json_is_integer(value))
		fprintf(to, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_string(value))
		fputs(json_string_value(value), to);
	else
		words_write(value, to);
}

static void raw_members_print(const json_t *object, struct output *out) {
	struct strbuf text;
	const char *key;
	json_t *value;

	strbuf_init(&text);
	json_object_foreach((json_t *)object, key, value) {
		if (json_is_object(value)) {
			raw_members_print(value, out);
			continue;
		}
		raw_write(value, text.to);
		line_print(key, strbuf_take(&text), out);
	}
	strbuf_fini(&text);
}

int cmd_port_show(const void *arg, struct output *out) {
	const struct port_show_options *options = arg;
	json_t *info = NULL;
	struct port port;

	if (port_start(&port, &options->port) == EXIT_GOOD)
		info = port_info(&port);
	if (info != NULL && options->port.common.format == FORMAT_JSON)
		json_write(out, json_incref(info));
	else if (info != NULL && options->raw)
		raw_members_print(info, out);
	else if (info != NULL)
		info_print(info, out);
	json_decref(info);
	return port_close(&port);
}
