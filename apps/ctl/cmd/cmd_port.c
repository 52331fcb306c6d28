/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl port ...: change the profiles of a port of a running process, and show what it counts.
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/spec.h"
#include "common/port_telemetry.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/command.h"
#include "ctl/telemetry/port_info.h"
#include "personality/package_open.h"
#include "personality/personality.h"

#define CHANGE_MS 60000 // a large profile is built before it is exchanged

/* add, set, del */

static bool names_file(const char *name) {
	size_t len = strlen(name);

	return strchr(name, '/') != NULL || ddp_is_package(name) ||
	       (len > 5 && strcmp(name + len - 5, ".yaml") == 0);
}

// The process has another current folder: give it files by their whole names. NULL: it was said why
// not.
static char *spec_complete(const char *spec) {
	struct ddp_arena *arena = ddp_arena_create();
	char folder[PATH_MAX], *complete = NULL;
	const char *cut = NULL;
	struct ddp_spec *specs;
	struct ddp_diag diag;
	struct strbuf text;
	unsigned int n;

	ddp_diag_init(&diag);
	strbuf_init(&text);
	if (ddp_spec_parse(spec, arena, &specs, &n, &diag) < 0 ||
	    getcwd(folder, PATH_MAX) == NULL) {
		if (diag.no_memory)
			no_memory_exit();
		fputs(spec, text.to); // the process will say what is wrong
		n = 0;
	}
	for (unsigned int i = 0; i < n && cut == NULL; i++) {
		bool completed = names_file(specs[i].file) && specs[i].file[0] != '/';

		if (completed)
			cut = strpbrk(folder, ":;+");
		fprintf(text.to, "%s%s%s%s", i > 0 ? "+" : "", completed ? folder : "",
			completed ? "/" : "", specs[i].text);
	}
	if (cut != NULL)
		error_print("'%c' is in the path of the current folder, and would end the file's "
			    "name: no file of this folder can be given",
			    *cut);
	else
		complete = strdup_or_exit(strbuf_take(&text));
	strbuf_fini(&text);
	ddp_diag_fini(&diag);
	ddp_arena_destroy(arena);
	return complete;
}

// A profile is called as its file is.
static char *name_of(const char *spec) {
	const struct ddp_source source = {.spec = spec};
	struct ddp_diag diag;
	char *name = NULL;

	ddp_diag_init(&diag);
	if (strchr(spec, '+') == NULL && names_file(spec))
		name = ddp_personality_name(&source, 0, &diag);
	ddp_diag_fini(&diag);
	return name != NULL ? name : strdup_or_exit(spec);
}

static void change_json(const struct port *port, json_t *answer, struct output *out) {
	if (answer != NULL)
		json_write(out, json_pack("{sb si sO?}", "ok", true, "port", port->id, "profiles",
					  json_object_get(answer, "profiles")));
	else
		json_write(out, json_pack("{sb si ss}", "ok", false, "port", port->id, "error",
					  port->error));
}

static void change_print(const struct port *port, const json_t *answer, struct output *out) {
	const json_t *profiles = json_object_get(answer, "profiles");
	struct strbuf text;

	strbuf_init(&text);
	fprintf(text.to, "port %u: ", port->id);
	if (json_array_size(profiles) == 0)
		fputs("no profile", text.to);
	words_write(profiles, text.to);
	output_escaped_printf(out, "%s\n", strbuf_take(&text));
	strbuf_fini(&text);
}

// Takes profile.
static int change(const struct port_options *options, const char *command, char *profile,
		  struct output *out) {
	json_t *answer = NULL;
	struct port port;

	if (port_start(&port, options) == EXIT_GOOD) {
		telemetry_client_wait(&port.client, CHANGE_MS);
		answer = port_ask(&port, command, profile);
	}
	if (options->common.format == FORMAT_JSON && port.status != EXIT_UNREADABLE)
		change_json(&port, answer, out);
	else if (answer != NULL)
		change_print(&port, answer, out);
	json_decref(answer);
	free(profile);
	return port_close(&port);
}

int cmd_port_add(const void *arg, struct output *out) {
	const struct port_options *options = arg;
	char *spec = spec_complete(options->common.files[1]);

	return spec == NULL ? EXIT_NO : change(options, "profile_add", spec, out);
}

int cmd_port_set(const void *arg, struct output *out) {
	const struct port_options *options = arg;
	char *spec = spec_complete(options->common.files[1]);

	return spec == NULL ? EXIT_NO : change(options, "profile_set", spec, out);
}

int cmd_port_del(const void *arg, struct output *out) {
	const struct port_options *options = arg;
	return change(options, "profile_del", name_of(options->common.files[1]), out);
}

/* queues */

static void queues_json(const struct port *port, const struct queues *queues, struct output *out) {
	json_t *array = json_array();

	for (unsigned int i = 0; i < queues->n; i++) {
		const struct queue *queue = &queues->queues[i];

		json_array_append_new(array, json_pack("{si sI sI sI}", "queue", i, "packets",
						       (json_int_t)queue->packets, "bytes",
						       (json_int_t)queue->bytes, "missed",
						       (json_int_t)queue->missed));
	}
	json_write(out, json_pack("{si so sf}", "port", port->id, "queues", array, "imbalance",
				  queues_imbalance(queues)));
}

static void queues_table(const struct queues *queues, struct output *out) {
	const struct queue sum = queues_sum(queues);
	struct table table;

	table_init(&table, out, ">QUEUE|>PACKETS|>BYTES|>MISSED|>SHARE");
	for (unsigned int i = 0; i < queues->n; i++) {
		const struct queue *queue = &queues->queues[i];

		table_number(&table, i);
		table_number(&table, queue->packets);
		table_number(&table, queue->bytes);
		table_number(&table, queue->missed);
		percent_cell(&table, queue->packets + queue->missed, sum.packets + sum.missed);
	}
	table_fini(&table);
	output_printf(out, "\npackets: %" PRIu64 ", missed: %" PRIu64 ", imbalance: %.3f\n",
		      sum.packets, sum.missed, queues_imbalance(queues));
}

int cmd_port_queues(const void *arg, struct output *out) {
	const struct port_options *options = arg;
	static struct queues queues;
	struct port port;

	if (port_start(&port, options) == EXIT_GOOD && queues_read(&queues, &port) == EXIT_GOOD) {
		if (options->common.format == FORMAT_JSON)
			queues_json(&port, &queues, out);
		else
			queues_table(&queues, out);
	}
	return port_close(&port);
}

/* ptypes */

// Adds {"id", "name", "packets", "rte_ptype"} to an array.
static bool ptype_add(void *arg, unsigned int id, json_t *item) {
	json_int_t packets, rte_ptype;
	const char *name;

	if (json_unpack(item, "{ss sI sI}", "name", &name, "packets", &packets, "rte_ptype",
			&rte_ptype) < 0 ||
	    packets < 0 || rte_ptype < 0)
		return false;
	json_array_append_new(arg, json_pack("{si ss sI sI}", "id", id, "name", name, "packets",
					     packets, "rte_ptype", rte_ptype));
	return true;
}

static json_int_t packets_of(const json_t *ptype) {
	return json_integer_value(json_object_get(ptype, "packets"));
}

// Most packet types of a profile are not in the traffic: those are left out unless asked for.
static void ptypes_table(const json_t *ptypes, bool all, struct output *out) {
	unsigned int n_hidden = 0;
	struct table table;
	uint64_t sum = 0;
	json_t *ptype;
	size_t i;

	json_array_foreach(ptypes, i, ptype)
		sum += packets_of(ptype);
	table_init(&table, out, ">ID|PACKET TYPE|>PACKETS|>SHARE|>IN MBUFS");
	json_array_foreach(ptypes, i, ptype) {
		if (!all && packets_of(ptype) == 0) {
			n_hidden++;
			continue;
		}
		table_number(&table, json_integer_value(json_object_get(ptype, "id")));
		table_text(&table, json_text_of(ptype, "name"));
		table_number(&table, packets_of(ptype));
		percent_cell(&table, packets_of(ptype), sum);
		table_cell(&table, "0x%08" PRIx64,
			   (uint64_t)json_integer_value(json_object_get(ptype, "rte_ptype")));
	}
	table_fini(&table);
	if (n_hidden > 0)
		output_printf(out, "\n%u packet type%s without packets (--all shows them)\n",
			      n_hidden, plural(n_hidden));
}

int cmd_port_ptypes(const void *arg, struct output *out) {
	const struct port_ptypes_options *options = arg;
	json_t *ptypes = json_array();
	struct port port;

	if (port_start(&port, &options->port) == EXIT_GOOD &&
	    port_each(&port, "ptypes", "ptypes", ptype_add, ptypes) == EXIT_GOOD) {
		if (options->port.common.format == FORMAT_JSON)
			json_write(out, json_pack("{si sO}", "port", port.id, "ptypes", ptypes));
		else
			ptypes_table(ptypes, options->all, out);
	}
	json_decref(ptypes);
	return port_close(&port);
}

/* verify */

struct verifying {
	json_t *ptypes;
	unsigned int n_wrong;
};

// Adds {"name", "rte_ptype", "checked", "wrong", "other_type", "state"} to an array.
static bool proof_add(void *arg, unsigned int id, json_t *item) {
	struct verifying *verifying = arg;
	json_int_t rte_ptype, checked, wrong, other;
	const char *name, *state;

	(void)id;
	if (json_unpack(item, "{ss sI sI sI sI ss}", "name", &name, "rte_ptype", &rte_ptype,
			"checked", &checked, "wrong", &wrong, "other_type", &other, "state",
			&state) < 0 ||
	    rte_ptype < 0 || checked < 0 || wrong < 0 || other < 0)
		return false;
	verifying->n_wrong += wrong > 0;
	json_array_append_new(verifying->ptypes, json_incref(item));
	return true;
}

static void proofs_table(const json_t *ptypes, struct output *out) {
	struct table table;
	json_t *ptype;
	size_t i;

	table_init(&table, out, "OF THE NIC|PACKET TYPE|>CHECKED|>WRONG|>OTHER TYPE|STATE");
	json_array_foreach(ptypes, i, ptype) {
		table_cell(&table, "0x%08" PRIx64,
			   (uint64_t)json_integer_value(json_object_get(ptype, "rte_ptype")));
		table_text(&table, json_text_of(ptype, "name"));
		table_number(&table, json_integer_value(json_object_get(ptype, "checked")));
		table_number(&table, json_integer_value(json_object_get(ptype, "wrong")));
		table_number(&table, json_integer_value(json_object_get(ptype, "other_type")));
		table_text(&table, json_text_of(ptype, "state"));
	}
	table_fini(&table);
}

static void proofs_write(const struct port_options *options, struct port *port,
			 const struct verifying *verifying, struct output *out) {
	json_t *info = port_ask(port, "verify", NULL);

	if (info == NULL)
		return;
	if (options->common.format == FORMAT_JSON)
		json_write(out, json_pack("{si ss ss sO}", "port", port->id, "nic",
					  json_text_of(info, "offload"), "state",
					  json_text_of(info, "offload_state"), "ptypes",
					  verifying->ptypes));
	else if (json_array_size(verifying->ptypes) > 0)
		proofs_table(verifying->ptypes, out);
	else
		output_escaped_printf(out, "the lower device hashes nothing for the port: %s\n",
				      json_text_of(info, "offload_state"));
	json_decref(info);
}

int cmd_port_verify(const void *arg, struct output *out) {
	const struct port_options *options = arg;
	struct verifying verifying = {.ptypes = json_array()};
	struct port port;
	int status;

	if (port_start(&port, options) == EXIT_GOOD &&
	    port_each(&port, "verify", "ptypes", proof_add, &verifying) == EXIT_GOOD)
		proofs_write(options, &port, &verifying, out);
	json_decref(verifying.ptypes);
	status = port_close(&port);
	return status == EXIT_GOOD && verifying.n_wrong > 0 ? EXIT_NO : status;
}
