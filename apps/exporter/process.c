/* SPDX-License-Identifier: BSD-3-Clause */
#include "process.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define MEMBERS_MAX 64
#define PAGE_TRIES 3 // a change of profiles between two pages begins the list anew

// A process that is being asked.
struct question {
	struct process *process;
	struct telemetry_client client;
	double deadline;
	unsigned int timeout_ms;
	atomic_int *rows;
};

// Lists with a number for each item of another one, which has names or is as long.
static const struct {
	const char *list, *of;
} lists[] = {
	{"rx_packets", "rx_packets"},
	{"rx_bytes", "rx_packets"},
	{"rx_missed", "rx_packets"},
	{"tx_packets", "tx_packets"},
	{"tx_bytes", "tx_packets"},
	{"ptype_packets", "ptypes"},
	{"offload_checked", "offload_ptypes"},
	{"offload_wrong", "offload_ptypes"},
	{"offload_proven", "offload_ptypes"},
};

static const char *const name_lists[] = {"ptypes", "offload_ptypes"};

#define N(array) (sizeof(array) / sizeof((array)[0]))

double seconds_now(void) {
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

__attribute__((format(printf, 2, 3))) static bool fail(struct question *question, const char *fmt,
						       ...) {
	struct process *process = question->process;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(process->error, sizeof(process->error), fmt, ap);
	va_end(ap);
	return false;
}

static bool fail_strange(struct question *question, const char *what) {
	return fail(question, "an answer of another version of net_ddp: %s", what);
}

// NULL with the reason in the process.
static json_t *ask(struct question *question, const char *command, const char *parameters) {
	double left = question->deadline - seconds_now();
	json_t *answer = NULL;

	if (left >= 0.001) {
		telemetry_client_wait(&question->client, 1000 * left);
		answer = telemetry_client_ask(&question->client, command, parameters);
	}
	if (answer != NULL)
		return answer;
	if (question->deadline - seconds_now() < 0.001)
		fail(question, "not answered within %g s", question->timeout_ms / 1e3);
	else
		fail(question, "%s", question->client.error);
	return NULL;
}

/* What an answer must hold */

static bool numbers_are_good(const json_t *list) {
	json_t *number;
	size_t i;

	json_array_foreach(list, i, number)
		if (!json_is_integer(number) || json_integer_value(number) < 0)
			return false;
	return true;
}

// Names become labels: two alike would spoil the metrics of all.
static bool names_are_good(const json_t *list) {
	json_t *name, *seen = json_object();
	bool good = seen != NULL;
	size_t i;

	json_array_foreach(list, i, name) {
		const char *text = json_string_value(name);

		good = good && text != NULL && strlen(text) <= LABEL_MAX &&
		       json_object_get(seen, text) == NULL &&
		       json_object_set_new(seen, text, json_null()) == 0;
	}
	json_decref(seen);
	return good;
}

static bool lists_are_good(const json_t *metrics) {
	for (unsigned int i = 0; i < N(lists); i++) {
		const json_t *list = json_object_get(metrics, lists[i].list);
		const json_t *of = json_object_get(metrics, lists[i].of);

		if (json_array_size(list) != json_array_size(of) || !numbers_are_good(list))
			return false;
	}
	for (unsigned int i = 0; i < N(name_lists); i++)
		if (!names_are_good(json_object_get(metrics, name_lists[i])))
			return false;
	return true;
}

static bool is_list(const char *key) {
	for (unsigned int i = 0; i < N(lists); i++)
		if (strcmp(key, lists[i].list) == 0 || strcmp(key, lists[i].of) == 0)
			return true;
	return strcmp(key, "profiles") == 0;
}

// Drop what another version of net_ddp may say beyond numbers and short texts.
static void strangers_drop(json_t *object, bool is_port) {
	const char *key;
	json_t *member;
	void *next;

	json_object_foreach_safe(object, next, key, member) {
		bool known =
			json_is_integer(member) ||
			(is_port &&
			 ((json_is_string(member) && json_string_length(member) <= LABEL_MAX) ||
			  is_list(key) || strcmp(key, "counters") == 0));

		if (!known)
			json_object_del(object, key);
	}
}

static bool port_is_good(json_t *metrics) {
	static const char *const texts[] = {"name",    "version",       "state",       "isa",
					    "offload", "offload_state", "lower_device"};
	json_t *counters = json_object_get(metrics, "counters");

	strangers_drop(metrics, true);
	strangers_drop(counters, false);
	for (unsigned int i = 0; i < N(texts); i++)
		if (!json_is_string(json_object_get(metrics, texts[i])))
			return false;
	return json_is_object(counters) && json_object_size(counters) <= MEMBERS_MAX &&
	       json_object_size(metrics) <= MEMBERS_MAX &&
	       names_are_good(json_object_get(metrics, "profiles"));
}

/* Pages of a port */

static json_int_t integer_of(const json_t *object, const char *key) {
	return json_integer_value(json_object_get(object, key));
}

static json_int_t rows_of(const json_t *metrics) {
	static const char *const keys[] = {"rx_packets", "tx_packets", "ptypes", "offload_ptypes"};
	json_int_t n = 0;

	for (unsigned int i = 0; i < N(keys); i++)
		n += json_array_size(json_object_get(metrics, keys[i]));
	return n;
}

static void list_join(json_t *metrics, json_t *page, const char *key) {
	json_t *list = json_object_get(metrics, key), *more = json_object_get(page, key);

	if (list == NULL && more != NULL)
		json_object_set(metrics, key, more);
	else if (more != NULL)
		json_array_extend(list, more);
}

// Append the lists of a page to those of the first one. Without memory rows are missing, which is
// noticed at the end.
static void page_join(json_t *metrics, json_t *page) {
	for (unsigned int i = 0; i < N(lists); i++)
		list_join(metrics, page, lists[i].list);
	for (unsigned int i = 0; i < N(name_lists); i++)
		list_join(metrics, page, name_lists[i]);
}

static json_t *page_ask(struct question *question, json_int_t port, json_int_t start) {
	char parameters[64];
	json_t *page;

	snprintf(parameters, sizeof(parameters), "%" JSON_INTEGER_FORMAT ",%" JSON_INTEGER_FORMAT,
		 port, start);
	page = ask(question, "/net_ddp/metrics", parameters);
	if (page == NULL)
		return NULL;
	if (json_is_integer(json_object_get(page, "count")) && lists_are_good(page))
		return page;
	if (json_is_string(json_object_get(page, "error")))
		fail(question, "port %" JSON_INTEGER_FORMAT ": %.128s", port,
		     json_string_value(json_object_get(page, "error")));
	else
		fail_strange(question, "/net_ddp/metrics");
	json_decref(page);
	return NULL;
}

// Append the pages from next on to the first one, which says that there are count rows. false: the
// reason is in the process, but for a list that is another one now, of which *changed tells.
static bool pages_append(struct question *question, json_int_t port, json_t *metrics,
			 json_int_t count, bool *changed) {
	json_int_t start = 0, next = integer_of(metrics, "next");

	while (next != 0) {
		json_t *page;

		if (next <= start || next >= count)
			return fail_strange(question, "next");
		page = page_ask(question, port, next);
		if (page == NULL)
			return false;
		start = next;
		next = integer_of(page, "next");
		*changed = integer_of(page, "count") != count;
		if (!*changed && rows_of(metrics) + rows_of(page) <= count)
			page_join(metrics, page);
		json_decref(page);
		if (*changed)
			return false;
	}
	return rows_of(metrics) == count || fail_strange(question, "count");
}

// NULL with the reason in the process, or with changed.
static json_t *pages_read(struct question *question, json_int_t port, bool *changed) {
	json_t *metrics = page_ask(question, port, 0);
	json_int_t count = integer_of(metrics, "count");
	bool good = false;

	if (metrics == NULL)
		return NULL;
	if (!port_is_good(metrics) || count < 0)
		fail_strange(question, "/net_ddp/metrics");
	else if (count > PROCESS_ROWS_MAX || atomic_fetch_sub(question->rows, count) < count)
		fail(question, "more than %d queues and packet types in all", PROCESS_ROWS_MAX);
	else
		good = pages_append(question, port, metrics, count, changed);
	if (good && lists_are_good(metrics))
		return metrics;
	if (good)
		fail_strange(question, "a name twice");
	json_decref(metrics);
	return NULL;
}

static bool port_read(struct question *question, json_int_t port) {
	json_t *metrics = NULL;
	bool changed = true;

	for (unsigned int i = 0; metrics == NULL && changed && i < PAGE_TRIES; i++) {
		changed = false;
		metrics = pages_read(question, port, &changed);
	}
	if (changed)
		return fail(question, "port %" JSON_INTEGER_FORMAT " is being changed", port);
	return metrics != NULL && json_array_append_new(question->process->ports, metrics) == 0;
}

/* ddp-fwd */

// As a histogram of Prometheus must be: bounds grow, and so do the packets up to each.
static bool histogram_is_good(const json_t *latency) {
	const json_t *bounds = json_object_get(latency, "le_ns");
	const json_t *packets = json_object_get(latency, "packets_le");
	json_int_t bound = -1, below = 0;

	if (!json_is_array(packets) || json_array_size(bounds) != json_array_size(packets) ||
	    !numbers_are_good(bounds) || !numbers_are_good(packets))
		return false;
	for (size_t i = 0; i < json_array_size(bounds); i++) {
		if (json_integer_value(json_array_get(bounds, i)) <= bound ||
		    json_integer_value(json_array_get(packets, i)) < below)
			return false;
		bound = json_integer_value(json_array_get(bounds, i));
		below = json_integer_value(json_array_get(packets, i));
	}
	return below <= integer_of(latency, "count") && integer_of(latency, "sum_ns") >= 0 &&
	       integer_of(latency, "max_ns") >= 0;
}

static bool worker_is_good(const json_t *worker) {
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)worker, key, value)
		if (!json_is_integer(value) || json_integer_value(value) < 0)
			return false;
	return json_is_object(worker) && json_object_size(worker) <= MEMBERS_MAX;
}

// Append the workers of a page, which have their number as a key.
static bool workers_append(struct question *question, const json_t *page) {
	json_t *list = question->process->workers;
	const json_t *all = json_object_get(page, "workers");
	size_t n = json_object_size(all);
	char key[16];

	for (size_t i = 0; i < n; i++) {
		json_t *worker;

		snprintf(key, sizeof(key), "%zu", json_array_size(list));
		worker = json_object_get(all, key);
		if (!worker_is_good(worker) || json_array_size(list) == PROCESS_WORKERS_MAX ||
		    json_array_append(list, worker) < 0)
			return false;
	}
	return n > 0;
}

static bool workers_read(struct question *question) {
	json_int_t start = 0;
	char parameters[32];

	question->process->workers = json_array();
	do {
		json_t *page;
		bool good;

		snprintf(parameters, sizeof(parameters), "%" JSON_INTEGER_FORMAT, start);
		page = ask(question, "/ddp_fwd/workers", parameters);
		if (page == NULL)
			return false;
		good = workers_append(question, page);
		start = integer_of(page, "next");
		json_decref(page);
		if (!good)
			return fail_strange(question, "/ddp_fwd/workers");
	} while (start != 0);
	return true;
}

// Before and after forwarding it has an error to tell.
static bool fwd_read(struct question *question) {
	json_t *latency = ask(question, "/ddp_fwd/latency", NULL);

	if (latency == NULL)
		return false;
	if (json_is_null(latency) || json_object_get(latency, "error") != NULL) {
		json_decref(latency);
		return true;
	}
	question->process->latency = latency;
	if (!histogram_is_good(latency))
		return fail_strange(question, "/ddp_fwd/latency");
	return workers_read(question);
}

/* A process */

static bool port_names_are_good(struct question *question) {
	json_t *names = json_array(), *port;
	bool good;
	size_t i;

	json_array_foreach(question->process->ports, i, port)
		json_array_append(names, json_object_get(port, "name"));
	good = json_array_size(names) == json_array_size(question->process->ports) &&
	       names_are_good(names);
	json_decref(names);
	return good || fail_strange(question, "two ports of one name");
}

static bool ports_read(struct question *question) {
	json_t *ids = ask(question, "/net_ddp/list", NULL), *id;
	bool good = true;
	size_t i;

	if (ids == NULL)
		return false;
	if (json_is_null(ids)) {
		question->process->is_net_ddp = false;
		json_decref(ids);
		return true;
	}
	if (!json_is_array(ids) || !numbers_are_good(ids))
		good = fail_strange(question, "/net_ddp/list");
	else if (json_array_size(ids) > PROCESS_PORTS_MAX)
		good = fail(question, "more than %d ports", PROCESS_PORTS_MAX);
	json_array_foreach(ids, i, id)
		good = good && port_read(question, json_integer_value(id));
	json_decref(ids);
	return good && port_names_are_good(question);
}

void process_forget(struct process *process) {
	json_array_clear(process->ports);
	json_decref(process->latency);
	json_decref(process->workers);
	process->latency = process->workers = NULL;
}

void process_read(struct process *process, unsigned int timeout_ms, atomic_int *rows) {
	double start = seconds_now();
	struct question question = {
		.process = process,
		.deadline = start + timeout_ms / 1e3,
		.timeout_ms = timeout_ms,
		.rows = rows,
	};

	process->is_net_ddp = true;
	process->ports = json_array();
	if (telemetry_client_connect(&question.client, process->path, timeout_ms) < 0) {
		fail(&question, "%s", question.client.error);
	} else {
		process->pid = question.client.pid;
		process->up =
			ports_read(&question) && (!process->is_net_ddp || fwd_read(&question));
		telemetry_client_close(&question.client);
	}
	if (!process->up)
		process_forget(process);
	process->seconds = seconds_now() - start;
}

void process_fini(struct process *process) {
	process_forget(process);
	json_decref(process->ports);
}
