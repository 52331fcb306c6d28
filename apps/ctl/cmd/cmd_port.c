/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl port ...: list the ports of running processes, change profiles of a port, show its
// counters, set its load-aware RSS, and capture its packets.
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/spec.h"
#include "common/port_telemetry.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/command.h"
#include "ctl/telemetry/port_info.h"
#include "personality/personality.h"

#define CHANGE_MS 60000 // ms: a large profile takes long to build

/* list */

struct list {
	json_t *infos;
	int status;
};

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

// Report why there is no process, or list one that has just started.
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

// Profiles as they were given, or the name of a profile that was given as text.
static json_t *specs_shown(const json_t *info) {
	const json_t *names = json_object_get(info, "profiles");
	json_t *specs = json_array(), *spec;
	size_t i;

	json_array_foreach(json_object_get(info, "profile_specs"), i, spec) {
		const char *text = json_string_value(spec);
		const bool is_text = text != NULL && strcmp(text, "<text>") == 0;

		json_array_append(specs, is_text ? json_array_get(names, i) : spec);
	}
	return specs;
}

int cmd_port_list(const void *arg, struct output *out) {
	const struct port_options *options = arg;
	struct list list = {.infos = json_array(), .status = EXIT_GOOD};
	json_t *info;
	size_t i;

	processes_add(&list, options);
	// Show the other processes if one does not answer.
	if (list.status == EXIT_GOOD || json_array_size(list.infos) > 0) {
		json_array_foreach(list.infos, i, info)
			if (options->common.format == FORMAT_TABLE)
				json_object_set_new(info, "shown", specs_shown(info));
		if (options->common.format == FORMAT_TABLE)
			items_table(
				list.infos,
				">PROCESS|PROGRAM|FILE PREFIX|>PORT|NAME|STATE|>QUEUES|PROFILES|"
				"LOWER DEVICE",
				"{pid}|{program}|{file_prefix}|{port}|{name}|{state}|{rx_queues}|"
				"{shown}|{lower_device}",
				out);
		else
			json_write(out, json_incref(list.infos));
	}
	json_decref(list.infos);
	return list.status;
}

/* add, set, del */

static bool names_file(const char *name) {
	size_t len = strlen(name);

	return strchr(name, '/') != NULL || strstr(name, ".pkg") != NULL ||
	       (len > 5 && strcmp(name + len - 5, ".yaml") == 0);
}

// Make file names absolute: the process has another current folder. NULL after an error message.
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
		fputs(spec, text.to); // the process reports the error
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

// The name of a profile is that of its file.
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

// The new value of the port; NULL: it refused.
static void change_json(const struct port *port, const char *key, json_t *value,
			struct output *out) {
	if (value != NULL)
		json_write(out, json_pack("{sb si sO}", "ok", true, "port", port->id, key, value));
	else
		json_write(out, json_pack("{sb si ss}", "ok", false, "port", port->id, "error",
					  port->error));
}

// Print profiles with input sets and parameters, which the answer to a change does not have.
static void change_print(struct port *port, const json_t *answer, struct output *out) {
	json_t *info = port_ask(port, "info", NULL);
	json_t *profiles =
		info != NULL ? specs_shown(info) : json_incref(json_object_get(answer, "profiles"));
	struct strbuf text;

	port->status = EXIT_GOOD; // of the change
	strbuf_init(&text);
	fprintf(text.to, "port %u: ", port->id);
	if (json_array_size(profiles) == 0)
		fputs("no profile", text.to);
	value_write(profiles, text.to);
	output_escaped_printf(out, "%s\n", strbuf_take(&text));
	strbuf_fini(&text);
	json_decref(profiles);
	json_decref(info);
}

static int change(const struct port_options *options, const char *command,
		  char *(*complete)(const char *spec), struct output *out) {
	json_t *answer = NULL;
	struct port port;
	char *profile;

	if (options->common.files[1][0] == '\0') {
		error_print("PROFILE is empty: write its name or file; 'ddpctl port del PORT "
			    "PROFILE' deletes a profile, also the last one");
		return EXIT_USAGE;
	}
	profile = complete(options->common.files[1]);
	if (profile == NULL)
		return EXIT_NO;
	if (port_start(&port, options) == EXIT_GOOD) {
		telemetry_client_wait(&port.client, CHANGE_MS);
		answer = port_ask(&port, command, profile);
	}
	if (options->common.format == FORMAT_JSON && port.status != EXIT_UNREADABLE)
		change_json(&port, "profiles", json_object_get(answer, "profiles"), out);
	else if (answer != NULL)
		change_print(&port, answer, out);
	json_decref(answer);
	free(profile);
	return port_close(&port);
}

int cmd_port_add(const void *options, struct output *out) {
	return change(options, "profile_add", spec_complete, out);
}

int cmd_port_set(const void *options, struct output *out) {
	return change(options, "profile_set", spec_complete, out);
}

int cmd_port_del(const void *options, struct output *out) {
	return change(options, "profile_del", name_of, out);
}

/* queues */

int cmd_port_queues(const void *arg, struct output *out) {
	const struct port_options *options = arg;
	const bool is_json = options->common.format == FORMAT_JSON;
	static struct queues queues;
	json_t *rows = json_array();
	struct queue sum;
	struct port port;

	if (port_start(&port, options) != EXIT_GOOD || queues_read(&queues, &port) != EXIT_GOOD) {
		json_decref(rows);
		return port_close(&port);
	}
	sum = queues_sum(&queues);
	for (unsigned int i = 0; i < queues.n; i++) {
		const struct queue *queue = &queues.queues[i];
		const double share =
			percent(queue->packets + queue->missed, sum.packets + sum.missed);
		json_t *row = json_pack(
			"{si sI sI sI}", "queue", i, "packets", (json_int_t)queue->packets, "bytes",
			(json_int_t)queue->bytes, "missed", (json_int_t)queue->missed);

		if (!is_json)
			json_object_set_new(row, "share", json_sprintf("%.1f%%", share));
		json_array_append_new(rows, row);
	}
	if (is_json) {
		json_write(out, json_pack("{si sO sf}", "port", port.id, "queues", rows,
					  "imbalance", queues_imbalance(&queues)));
	} else {
		items_table(rows, ">QUEUE|>PACKETS|>BYTES|>MISSED|>SHARE",
			    "{queue}|{packets}|{bytes}|{missed}|{share}", out);
		output_printf(out,
			      "\npackets: %" PRIu64 ", missed: %" PRIu64
			      ", imbalance: %.3f\n" COUNTED_SINCE,
			      sum.packets, sum.missed, queues_imbalance(&queues));
	}
	json_decref(rows);
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

// Packet types without packets are only shown with --all.
static void ptypes_table(const json_t *ptypes, bool all, struct output *out) {
	json_t *shown = json_array(), *ptype;
	unsigned int n_hidden;
	uint64_t sum = 0;
	size_t i;

	json_array_foreach(ptypes, i, ptype)
		sum += json_integer_value(json_object_get(ptype, "packets"));
	json_array_foreach(ptypes, i, ptype) {
		uint64_t packets = json_integer_value(json_object_get(ptype, "packets"));

		if (!all && packets == 0)
			continue;
		json_object_set_new(ptype, "share", json_sprintf("%.1f%%", percent(packets, sum)));
		json_array_append(shown, ptype);
	}
	n_hidden = json_array_size(ptypes) - json_array_size(shown);
	items_table(shown, ">ID|PACKET TYPE|>PACKETS|>SHARE|>IN MBUFS",
		    "{id}|{name}|{packets}|{share}|{#rte_ptype}", out);
	json_decref(shown);
	output_printf(out, "\n" COUNTED_SINCE);
	if (n_hidden > 0)
		output_printf(out, "%u packet type%s without packets (--all shows them)\n",
			      n_hidden, plural(n_hidden));
}

int cmd_port_ptypes(const void *arg, struct output *out) {
	const struct port_options *options = arg;
	json_t *ptypes = json_array();
	struct port port;

	if (port_start(&port, options) == EXIT_GOOD &&
	    port_each(&port, "ptypes", "ptypes", ptype_add, ptypes) == EXIT_GOOD) {
		if (options->common.format == FORMAT_JSON)
			json_write(out, json_pack("{si sO}", "port", port.id, "ptypes", ptypes));
		else
			ptypes_table(ptypes, options->all, out);
	}
	json_decref(ptypes);
	return port_close(&port);
}

/* verify */

// Adds {"name", "rte_ptype", "checked", "wrong", "other_type", "state"} to an array.
static bool proof_add(void *arg, unsigned int id, json_t *item) {
	json_int_t rte_ptype, checked, wrong, other;
	const char *name, *state;

	(void)id;
	if (json_unpack(item, "{ss sI sI sI sI ss}", "name", &name, "rte_ptype", &rte_ptype,
			"checked", &checked, "wrong", &wrong, "other_type", &other, "state",
			&state) < 0 ||
	    rte_ptype < 0 || checked < 0 || wrong < 0 || other < 0)
		return false;
	json_array_append(arg, item);
	return true;
}

static void proofs_write(const struct port_options *options, struct port *port, json_t *ptypes,
			 struct output *out) {
	json_t *info = port_ask(port, "verify", NULL);

	if (info == NULL)
		return;
	if (options->common.format == FORMAT_JSON)
		json_write(out, json_pack("{si ss ss sO}", "port", port->id, "nic",
					  json_text_of(info, "offload"), "state",
					  json_text_of(info, "offload_state"), "ptypes", ptypes));
	else if (json_array_size(ptypes) > 0)
		items_table(ptypes, "OF THE NIC|PACKET TYPE|>CHECKED|>WRONG|>OTHER TYPE|STATE",
			    "{#rte_ptype}|{name}|{checked}|{wrong}|{other_type}|{state}", out);
	else
		output_escaped_printf(out, "the lower device hashes nothing for the port: %s\n",
				      json_text_of(info, "offload_state"));
	json_decref(info);
}

int cmd_port_verify(const void *arg, struct output *out) {
	const struct port_options *options = arg;
	json_t *ptypes = json_array(), *ptype;
	unsigned int n_wrong = 0;
	struct port port;
	int status;
	size_t i;

	if (port_start(&port, options) == EXIT_GOOD &&
	    port_each(&port, "verify", "ptypes", proof_add, ptypes) == EXIT_GOOD)
		proofs_write(options, &port, ptypes, out);
	json_array_foreach(ptypes, i, ptype)
		n_wrong += json_integer_value(json_object_get(ptype, "wrong")) > 0;
	json_decref(ptypes);
	status = port_close(&port);
	return status == EXIT_GOOD && n_wrong > 0 ? EXIT_NO : status;
}

/* balance */

static void setting_print(const struct port *port, const json_t *balance, struct output *out) {
	if (balance_number(balance, "interval_ms") == 0)
		output_printf(out, "port %u: balance off\n", port->id);
	else
		output_printf(out, "port %u: balance on, every %.0f ms\n", port->id,
			      balance_number(balance, "interval_ms"));
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
	struct strbuf text;

	setting_print(port, balance, out);
	strbuf_init(&text);
	members_write(balance, "intervals:        {rounds}\nmoves:            {moves}\n", text.to);
	if (balance_number(balance, "before") > 0) // 0: no interval with packets
		members_write(balance,
			      "imbalance before: {before}\n"
			      "imbalance after:  {after}\n"
			      "worst imbalance:  {worst}\n",
			      text.to);
	if (balance_number(balance, "before") > 0 && json_object_get(balance, "bound_entry")) {
		fputs("elephant:         ", text.to);
		balance_bound_write(balance, text.to);
		fputc('\n', text.to);
	}
	members_write(balance,
		      "parked packets:   {order_parked}\n"
		      "longest parking:  {order_longest_parking_us} us\n"
		      "given up:         {given_up}\n",
		      text.to);
	output_text(out, strbuf_take(&text));
	strbuf_fini(&text);
	moves_table(json_object_get(balance, "last_moves"), out);
}

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

static void set(const struct port_options *options, struct port *port, struct output *out) {
	json_t *balance = balance_read(port, options->common.files[1]);

	if (options->common.format == FORMAT_JSON && port->status != EXIT_UNREADABLE)
		change_json(port, "interval_ms", json_object_get(balance, "interval_ms"), out);
	else if (balance != NULL)
		setting_print(port, balance, out);
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

/* capture */

#define DUMPCAP "dpdk-dumpcap"

// The EAL option of the process that prevents secondary processes, NULL for none.
static const char *secondary_prevented(struct port *port) {
	json_t *params = telemetry_client_ask(&port->client, "/eal/params", NULL), *param;
	const char *option = NULL;
	size_t i;

	json_array_foreach(params, i, param) {
		const char *text = json_string_value(param);

		if (text != NULL && strcmp(text, "--no-huge") == 0)
			option = "--no-huge";
		else if (text != NULL && strcmp(text, "--no-shconf") == 0)
			option = "--no-shconf";
		else if (text != NULL && strcmp(text, "--in-memory") == 0)
			option = "--in-memory";
	}
	json_decref(params);
	return option;
}

// dpdk-dumpcap needs the driver of the process, and all mempool handlers: Debian's testpmd has a
// library with a handler that dpdk-dumpcap has not.
static void libraries_match(unsigned int pid) {
	const char *given = getenv("LD_PRELOAD");
	struct strbuf preload;
	char line[PATH_MAX];
	struct stat status;
	FILE *maps;

	snprintf(line, sizeof(line), "/proc/%u/maps", pid);
	maps = fopen(line, "r");
	strbuf_init(&preload);
	while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
		const char *library = strchrnul(line, '/');

		line[strcspn(line, "\n")] = '\0';
		if ((strstr(library, "/librte_net_ddp.so") != NULL ||
		     strstr(library, "/librte_mempool_dpaa.so.") != NULL) &&
		    strpbrk(library, " :") == NULL && stat(library, &status) == 0 &&
		    (status.st_uid == 0 || status.st_uid == geteuid()))
			fprintf(preload.to, "%s:", library); // loaded once
	}
	fputs(given != NULL ? given : "", preload.to);
	setenv("LD_PRELOAD", strbuf_take(&preload), true);
	strbuf_fini(&preload);
	if (maps != NULL)
		fclose(maps);
}

static int dumpcap_run(const struct port_options *options, const struct port *port,
		       const char *name) {
	char prefix[sizeof(port->client.file_prefix) + 16], count[24];
	const char *argv[] = {DUMPCAP, prefix, "-i", name, "-w", options->write, NULL, NULL, NULL};
	int status, err;
	pid_t pid;

	snprintf(prefix, sizeof(prefix), "--file-prefix=%s", port->client.file_prefix);
	snprintf(count, sizeof(count), "%" PRIu64, options->count);
	if (options->count > 0) {
		argv[6] = "-c";
		argv[7] = count;
	}
	libraries_match(port->client.pid);
	err = posix_spawnp(&pid, DUMPCAP, NULL, NULL, (char **)(uintptr_t)argv, environ);
	signal(SIGINT, SIG_IGN); // Ctrl-C ends dpdk-dumpcap, not ddpctl
	if (err != 0)
		error_print(DUMPCAP " cannot be run (Debian has it in dpdk-dev): %s",
			    strerror(err));
	if (err != 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		return EXIT_UNREADABLE;
	return WEXITSTATUS(status);
}

int cmd_port_capture(const void *arg, struct output *out) {
	const struct port_options *options = arg;
	const char *option = NULL;
	int status = EXIT_NO;
	json_t *info = NULL;
	struct port port;

	if (options->write == NULL) {
		error_print("which file? (-w FILE)");
		return EXIT_USAGE;
	}
	if (port_start(&port, options) == EXIT_GOOD)
		info = port_info(&port);
	if (info == NULL)
		return port_close(&port);
	option = secondary_prevented(&port);
	if (option != NULL)
		error_print("process %u runs with %s: no second process can attach to capture its "
			    "packets",
			    port.client.pid, option);
	else
		status = dumpcap_run(options, &port, json_text_of(info, "name"));
	if (status == EXIT_GOOD && options->common.format == FORMAT_JSON)
		json_write(out, json_pack("{sb si ss}", "ok", true, "port", port.id, "file",
					  options->write));
	json_decref(info);
	port_close(&port);
	return status;
}
