/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_info.h"

int port_start(struct port *port, const struct port_options *options) {
	return port_open(port, options->process.file_prefix, options->process.pid,
			 options->common.n_files > 0 ? options->common.files[0] : NULL);
}

// What comes from files of the system need not be UTF-8.
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

void words_write(const json_t *words, FILE *to) {
	json_t *word;
	size_t i;

	json_array_foreach(words, i, word)
		fprintf(to, "%s%s", i == 0 ? "" : " ", json_string_value(word) ?: "?");
}

void percent_cell(struct table *table, uint64_t part, uint64_t all) {
	table_cell(table, "%.1f%%", all == 0 ? 0 : 100.0 * part / all);
}
