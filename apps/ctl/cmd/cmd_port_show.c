/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl port show: the properties and counters of a port; with --raw by the names of telemetry.
#include <stdio.h>
#include <string.h>

#include "common/port_telemetry.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/command.h"
#include "ctl/telemetry/port_info.h"

#define TAKEN "rx_lower_packets" // 100 % of shares

/* Counters */

enum counter_kind {
	KIND_NUMBER,
	KIND_SHARE,    // also a share of the packets taken from the lower device
	KIND_PERMILLE, // thousandths
};

static const struct counter {
	const char *name; // of the xstat
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
	{"order_parked", "parked to keep the order of flows", "packets", KIND_SHARE},
	{"order_longest_parking_us", "longest parking", "us", KIND_NUMBER},
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

static void counter_row(struct table *table, const struct counter *counter, uint64_t value,
			uint64_t taken) {
	table_text(table, counter->text);
	if (counter->kind == KIND_PERMILLE && value == 0)
		table_text(table, "-"); // no interval with packets
	else if (counter->kind == KIND_PERMILLE)
		table_cell(table, "%.3f", value / 1000.0);
	else
		table_number(table, value);
	table_text(table, counter->unit);
	if (counter->kind == KIND_SHARE)
		table_cell(table, "%.1f%%", percent(value, taken));
	else
		table_text(table, "");
}

// Show known counters and remove them from values; then show those of a newer net_ddp.
static void counters_table(json_t *values, struct output *out) {
	const uint64_t taken = json_integer_value(json_object_get(values, TAKEN));
	struct table table;
	const char *name;
	json_t *value;

	table_init(&table, out, "COUNTER|>VALUE|UNIT|>SHARE");
	for (unsigned int i = 0; i < COUNT(counters); i++) {
		value = json_object_get(values, counters[i].name);
		if (value != NULL)
			counter_row(&table, &counters[i], json_integer_value(value), taken);
		json_object_del(values, counters[i].name);
	}
	json_object_foreach(values, name, value)
		counter_row(&table, &(struct counter){.text = name, .unit = ""},
			    json_integer_value(value), taken);
	table_fini(&table);
}

// An older net_ddp does not count packets of profiles.
static void profiles_table(const json_t *info, struct output *out) {
	const json_t *versions = json_object_get(info, "profile_versions");
	const json_t *specs = json_object_get(info, "profile_specs");
	const json_t *packets = json_object_get(info, "profile_packets");
	const json_t *names = json_object_get(info, "profiles");
	const json_t *counters = json_object_get(info, "counters");
	const bool any = json_integer_value(json_object_get(counters, TAKEN)) > 0;
	json_t *rows = json_array(), *name, *n;
	size_t i;

	json_array_foreach(names, i, name)
		json_array_append_new(rows, json_pack("{sO sO? sO? sO?}", "name", name, "version",
						      json_array_get(versions, i), "packets",
						      json_array_get(packets, i), "spec",
						      json_array_get(specs, i)));
	items_table(rows, "PROFILE|VERSION|>PACKETS|GIVEN AS", "{name}|{version}|{packets}|{spec}",
		    out);
	json_decref(rows);
	json_array_foreach(packets, i, n)
		if (any && json_integer_value(n) == 0)
			output_escaped_printf(out,
					      "no packet has a packet type of profile %s: see "
					      "'ddpctl port ptypes'\n",
					      json_string_value(json_array_get(names, i)) ?: "");
}

/* Properties */

static const struct property {
	const char *text;
	const char *key;    // the row needs this member
	const char *value;  // needed value; NULL: any. The first matching row of a text is shown
	const char *format; // for members_write()
} properties[] = {
	{"process", "pid", NULL, "{pid}[ ({program})], file prefix {file_prefix}"},
	{"driver", "version", NULL, "net_ddp {version}[, instruction set {isa}]"},
	{"lower device", "lower_port", NULL,
	 "{lower_device}, port {lower_port}, queues: {lower_rx_queues} Rx, {lower_tx_queues} Tx"},
	{"lower device", "lower_device", NULL, "{lower_device}"},
	{"queues", "rx_queues", NULL, "{rx_queues} Rx, {tx_queues} Tx"},
	{"if a ring is full", "overflow", "drop", "packets are dropped"},
	{"if a ring is full", "overflow", "wait", "the port waits"},
	{"if a ring is full", "overflow", NULL, "{overflow}"},
	{"RSS", "rss", "0", "off"},
	{"RSS", "rss_fields_by", "profiles", "{rss_hash_function}, fields chosen by the profiles"},
	{"RSS", "rss", NULL, "{rss_hash_function}, fields chosen by the application"},
	{"hash fields", "rss_hf", NULL, "{rss_hf}"},
	{"offload", "offload_state", "off", "off"},
	{"offload", "offload_state", "waiting", "waiting"},
	{"offload", "offload_state", "on",
	 "on, as {offload}: {offload_ptypes} packet types, {offload_rules} rules"},
	{"offload", "offload_state", "idle",
	 "idle, as {offload}: {offload_rules} rules, but the lower device hashed no packet in 10 s of "
	 "traffic"},
	{"offload", "offload_state", NULL, "none: {offload_state}"},
	{"package", "package_name", NULL, "{package_name}, track id {#package_track_id}"},
	{"packet types", "packet_types", NULL, "{packet_types}"},
	{"flow rules", "offload_ruled", "0", "{flow_rules}"},
	{"flow rules", "offload_ruled", NULL,
	 "{flow_rules}; they keep {offload_ruled} packet types of the lower device in software"},
	{"flow rules", "flow_rules", NULL, "{flow_rules}"},
};

static bool applies(const struct property *property, const json_t *info, struct strbuf *text) {
	const json_t *value = json_object_get(info, property->key);

	if (value != NULL && property->value != NULL)
		value_write(value, text->to);
	return value != NULL &&
	       (property->value == NULL || strcmp(strbuf_take(text), property->value) == 0);
}

static void line_print(const char *key, const char *value, struct output *out) {
	const int width = 19;

	output_escaped_printf(out, "%s:%*s%s\n", key,
			      (int)strlen(key) < width - 1 ? width - 1 - (int)strlen(key) : 1, "",
			      value);
}

static void properties_print(const json_t *info, struct output *out) {
	const char *last = "";
	struct strbuf text;

	strbuf_init(&text);
	members_write(info, "{name} (port {port})", text.to);
	line_print(strbuf_take(&text), json_text_of(info, "state"), out);
	for (unsigned int i = 0; i < COUNT(properties); i++) {
		if (strcmp(properties[i].text, last) == 0 || !applies(&properties[i], info, &text))
			continue;
		last = properties[i].text;
		members_write(info, properties[i].format, text.to);
		line_print(last, strbuf_take(&text), out);
	}
	strbuf_fini(&text);
}

static void info_print(const json_t *info, struct output *out) {
	properties_print(info, out);
	output_char(out, '\n');
	profiles_table(info, out);
	output_printf(out, "\n" COUNTED_SINCE);
	counters_table(json_object_get(info, "counters"), out);
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
		value_write(value, text.to);
		line_print(key, strbuf_take(&text), out);
	}
	strbuf_fini(&text);
}

int cmd_port_show(const void *arg, struct output *out) {
	const struct port_options *options = arg;
	json_t *info = NULL;
	struct port port;

	if (port_start(&port, options) == EXIT_GOOD)
		info = port_info(&port);
	if (info != NULL && options->common.format == FORMAT_JSON)
		json_write(out, json_incref(info));
	else if (info != NULL && options->raw)
		raw_members_print(info, out);
	else if (info != NULL)
		info_print(info, out);
	json_decref(info);
	return port_close(&port);
}
