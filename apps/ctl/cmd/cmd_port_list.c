/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl port list: the net_ddp ports of all running processes.
#include "common/port_telemetry.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/command.h"
#include "ctl/telemetry/port_info.h"

struct list {
	json_t *infos;
	int status;
};

static void list_table(const json_t *infos, struct output *out) {
	struct table table;
	struct strbuf text;
	json_t *info;
	size_t i;

	table_init(&table, out,
		   ">PROCESS|PROGRAM|FILE PREFIX|>PORT|NAME|STATE|>QUEUES|PROFILES|LOWER DEVICE");
	strbuf_init(&text);
	json_array_foreach(infos, i, info) {
		words_write(json_object_get(info, "profiles"), text.to);
		table_number(&table, json_integer_value(json_object_get(info, "pid")));
		table_text(&table, json_text_of(info, "program"));
		table_text(&table, json_text_of(info, "file_prefix"));
		table_number(&table, json_integer_value(json_object_get(info, "port")));
		table_text(&table, json_text_of(info, "name"));
		table_text(&table, json_text_of(info, "state"));
		table_number(&table, json_integer_value(json_object_get(info, "rx_queues")));
		table_text(&table, strbuf_take(&text));
		table_text(&table, json_text_of(info, "lower_device"));
	}
	strbuf_fini(&text);
	table_fini(&table);
}

static void ports_add(struct port *port, json_t *infos) {
	json_t *ids = port_list(port), *id;
	size_t i;

	json_array_foreach(ids, i, id) {
		port->id = json_integer_value(id);
		if (json_array_append_new(infos, port_info(port)) < 0)
			break;
	}
	json_decref(ids);
}

static void process_add(void *arg, const struct telemetry_client *client) {
	struct port port = {.client = *client, .status = EXIT_GOOD};
	struct list *list = arg;

	ports_add(&port, list->infos);
	if (port_report(&port) != EXIT_GOOD)
		list->status = port.status;
}

// Why there is no process. One that has just begun is told of as well.
static void none(struct list *list, const struct port_options *options) {
	struct port port;

	if (port_start(&port, options) == EXIT_GOOD)
		ports_add(&port, list->infos);
	list->status = port_close(&port);
}

static void processes_add(struct list *list, const struct port_options *options) {
	char reason[TELEMETRY_ERROR_SIZE];

	if (telemetry_clients_each(options->process.file_prefix, options->process.pid, process_add,
				   list, reason) == 0) {
		none(list, options);
	} else if (reason[0] != '\0') {
		error_print("%s", reason);
		list->status = EXIT_UNREADABLE;
	}
}

int cmd_port_list(const void *arg, struct output *out) {
	const struct port_options *options = arg;
	struct list list = {.infos = json_array(), .status = EXIT_GOOD};

	processes_add(&list, options);
	// A process that does not answer does not hide the others.
	if (list.status == EXIT_GOOD || json_array_size(list.infos) > 0) {
		if (options->common.format == FORMAT_TABLE)
			list_table(list.infos, out);
		else
			json_write(out, json_incref(list.infos));
	}
	json_decref(list.infos);
	return list.status;
}
