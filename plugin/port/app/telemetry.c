/* SPDX-License-Identifier: BSD-3-Clause */
// The commands of DPDK's telemetry socket for our ports:
//
//	/net_ddp/list                          the port ids
//	/net_ddp/info,<port>                   the port, its profiles, its counters
//	/net_ddp/ptypes,<port>[,<start>]       its packet types
//	/net_ddp/queues,<port>[,<start>]       its queues
//	/net_ddp/metrics,<port>[,<start>]      all counters in few bytes, for ddp-exporter
//	/net_ddp/balance,<port>[,on|off|<ms>]  load-aware RSS, after turning it on or off
//	/net_ddp/profile_add,<port>,<profile>  as in profile=
//	/net_ddp/profile_del,<port>,<profile>  by name, or as given
//
// The socket's users have the rights of the process: profile_add reads any file that the process
// can read, and the error quotes the beginning of a file that is no profile. EAL makes the socket's
// folder accessible to the user of the process only.
//
// A failure answers {"ok": 0, "error": "..."}; if a handler returned an error, the user would get
// only null. Telemetry has no booleans, cuts strings to 127 characters, does not escape bytes above
// 127 (it reads outside a table instead), and drops what does not fit into 16 KB. So long errors
// continue in "error_2" and so on, text is converted to ASCII, and lists are paged: "next" is the
// start of the next page.
//
// Handlers run in telemetry's threads, several at once, and cannot be unregistered, so each looks
// the port up.
#include "port/app/app.h"
#include "port/counts/stats.h"
#include "port/exchange/exchange.h"
#include "port/lower/hw_ptypes.h"
#include "port/lower/lower.h"
#include "port/state/balance.h"
#include "port/state/control.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_telemetry.h>

#include "package/package.h"

#define LINE_SIZE 512
#define WORD_MAX 32 // characters of a wrong parameter that an error quotes
#define TEXT_MAX (RTE_TEL_MAX_STRING_LEN - 1)
#define PTYPES_PAGE 90   // at most 150 characters each
#define VERIFY_PAGE 52   // at most 200 characters each
#define QUEUES_PAGE 64   // at most 190 characters each
#define METRICS_PAGE 100 // at most 95 characters each, beside 6 KB about the port

/* Answers */

// Take at most TEXT_MAX characters of text, as ASCII. Returns how many were taken.
static size_t ascii_copy(char *to, const char *text) {
	size_t n = 0;

	for (; n < TEXT_MAX && text[n] != '\0'; n++)
		to[n] = isprint((unsigned char)text[n]) ? text[n] : '?';
	to[n] = '\0';
	return n;
}

static void text_add(struct rte_tel_data *d, const char *name, const char *text) {
	char ascii[TEXT_MAX + 1];

	ascii_copy(ascii, text != NULL ? text : "");
	rte_tel_data_add_dict_string(d, name, ascii);
}

static int fail(struct rte_tel_data *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int fail(struct rte_tel_data *d, const char *fmt, ...) {
	char line[LINE_SIZE], ascii[TEXT_MAX + 1], name[16] = "error";
	const char *rest = line;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	rte_tel_data_start_dict(d);
	rte_tel_data_add_dict_int(d, "ok", 0);
	for (unsigned int i = 2; *rest != '\0'; i++) {
		rest += ascii_copy(ascii, rest);
		rte_tel_data_add_dict_string(d, name, ascii);
		snprintf(name, sizeof(name), "error_%u", i);
	}
	return 0;
}

// Add a container to a dict, to be filled; NULL: out of memory.
static struct rte_tel_data *dict_in(struct rte_tel_data *d, const char *name) {
	struct rte_tel_data *dict = rte_tel_data_alloc();

	if (dict == NULL)
		return NULL;
	rte_tel_data_start_dict(dict);
	if (rte_tel_data_add_dict_container(d, name, dict, 0) == 0)
		return dict;
	rte_tel_data_free(dict);
	return NULL;
}

// Add an array of strings to a dict.
static struct rte_tel_data *texts_in(struct rte_tel_data *d, const char *name) {
	struct rte_tel_data *array = rte_tel_data_alloc();

	if (array == NULL)
		return NULL;
	rte_tel_data_start_array(array, RTE_TEL_STRING_VAL);
	if (rte_tel_data_add_dict_container(d, name, array, 0) == 0)
		return array;
	rte_tel_data_free(array);
	return NULL;
}

// Add an array of numbers to a dict.
static struct rte_tel_data *numbers_in(struct rte_tel_data *d, const char *name) {
	struct rte_tel_data *array = rte_tel_data_alloc();

	if (array == NULL)
		return NULL;
	rte_tel_data_start_array(array, RTE_TEL_UINT_VAL);
	if (rte_tel_data_add_dict_container(d, name, array, 0) == 0)
		return array;
	rte_tel_data_free(array);
	return NULL;
}

static void texts_add(struct rte_tel_data *array, const char *text) {
	char ascii[TEXT_MAX + 1];

	ascii_copy(ascii, text != NULL ? text : "");
	rte_tel_data_add_array_string(array, ascii);
}

/* Parameters */

// Parse a number up to a comma or the end; rest is what follows the comma, or NULL.
static bool number_take(const char *params, unsigned int *number, const char **rest) {
	unsigned long value;
	char *end;

	if (params == NULL || !isdigit((unsigned char)*params))
		return false;
	errno = 0;
	value = strtoul(params, &end, 10);
	if (errno != 0 || value > UINT16_MAX || (*end != '\0' && *end != ','))
		return false;
	*number = value;
	*rest = *end == ',' ? end + 1 : NULL;
	return true;
}

static void port_missing(const char *cmd, const char *params, struct rte_tel_data *d) {
	int len = params == NULL ? 0 : RTE_MIN(strcspn(params, ","), (size_t)WORD_MAX);

	if (len == 0)
		fail(d, "the port number is missing: %s,<port>", cmd);
	else
		fail(d, "'%.*s' is not a port number: %s,<port>", len, params, cmd);
}

// Parse the port id at the beginning of params. false: the error is in d.
static bool id_get(const char *cmd, const char *params, const char **rest, unsigned int *id,
		   struct rte_tel_data *d) {
	if (number_take(params, id, rest))
		return true;
	port_missing(cmd, params, d);
	return false;
}

// The port at the beginning of params, to be released. NULL: the error is in d.
static struct ddp_port *port_get(const char *cmd, const char *params, const char **rest,
				 struct rte_tel_data *d) {
	struct ddp_port *port;
	unsigned int id;

	if (!id_get(cmd, params, rest, &id, d))
		return NULL;
	port = ddp_registry_get(id);
	if (port == NULL)
		fail(d, "port %u is not a net_ddp port", id);
	return port;
}

// The same with a change begun, to be ended.
static struct ddp_port *port_change(const char *cmd, const char *params, const char **rest,
				    struct rte_tel_data *d) {
	struct ddp_port *port;
	unsigned int id;
	int ret;

	if (!id_get(cmd, params, rest, &id, d))
		return NULL;
	port = ddp_registry_change(id, &ret);
	if (port == NULL)
		fail(d,
		     ret == -ENODEV ? "port %u is not a net_ddp port" : "port %u is being changed",
		     id);
	return port;
}

// Begin an answer that is one page of n items: the items from start to end.
static int page_begin(struct rte_tel_data *d, const char *params, unsigned int n, unsigned int size,
		      unsigned int *start, unsigned int *end) {
	const char *rest;

	*start = 0;
	if (params != NULL && (!number_take(params, start, &rest) || *start > n || rest != NULL)) {
		fail(d, "'%s' is not a start index: there are %u entries", params, n);
		return -EINVAL;
	}
	*end = RTE_MIN(*start + size, n);
	rte_tel_data_start_dict(d);
	rte_tel_data_add_dict_int(d, "count", n);
	rte_tel_data_add_dict_int(d, "start", *start);
	if (*end < n)
		rte_tel_data_add_dict_int(d, "next", *end);
	return 0;
}

/* Commands */

static int list(const char *cmd, const char *params, struct rte_tel_data *d) {
	RTE_SET_USED(cmd);
	RTE_SET_USED(params);
	rte_tel_data_start_array(d, RTE_TEL_INT_VAL);
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++) {
		struct ddp_port *port = ddp_registry_get(id);

		if (port == NULL)
			continue;
		rte_tel_data_add_array_int(d, id);
		ddp_registry_put(port);
	}
	return 0;
}

static void profiles_fill(struct rte_tel_data *d, const struct ddp_profile *profile) {
	struct rte_tel_data *names = texts_in(d, "profiles");

	for (unsigned int i = 0; names != NULL && i < profile->n_named; i++)
		texts_add(names, profile->named[i]->name);
}

static void specs_fill(struct rte_tel_data *d, const struct ddp_profile *profile) {
	struct rte_tel_data *specs = texts_in(d, "profile_specs");
	struct rte_tel_data *versions = texts_in(d, "profile_versions");

	for (unsigned int i = 0; i < profile->n_named; i++) {
		const char *spec = profile->named[i]->source.spec;

		if (specs != NULL)
			texts_add(specs, spec != NULL ? spec : "<text>");
		if (versions != NULL)
			texts_add(versions, profile->named[i]->version);
	}
}

// Packets that have a packet type of a profile or of one that it requires. All require base: its
// packet types count if there are no others.
static uint64_t profile_packets(const struct ddp_port *port, const struct ddp_stats *stats,
				const struct ddp_profile_part *part) {
	const struct ddp_profile *profile = port->personality->profile;
	const uint64_t parts = part->requires | RTE_BIT64(part - profile->parts);
	uint64_t n = 0, n_base = 0;
	bool any = false;

	for (unsigned int t = 0; t < profile->n_types; t++) {
		const uint16_t id = ddp_program_type(port->personality->program, t)->id;
		unsigned int i = 0;

		while (profile->parts[i].name != profile->types[t].profile)
			i++;
		if ((parts & RTE_BIT64(i)) == 0)
			continue;
		if (strcmp(profile->parts[i].name, "base") == 0) {
			n_base += stats->types[id];
			continue;
		}
		any = true;
		n += stats->types[id];
	}
	return any ? n : n_base;
}

static void profile_packets_fill(struct rte_tel_data *d, struct ddp_port *port) {
	const struct ddp_profile *profile = port->personality->profile;
	struct rte_tel_data *packets = numbers_in(d, "profile_packets");
	const struct ddp_stats *stats = ddp_stats_read(port);

	for (unsigned int i = 0; packets != NULL && i < profile->n_named; i++)
		rte_tel_data_add_array_uint(packets,
					    profile_packets(port, stats, profile->named[i]));
}

// For a port that runs Intel's package: the package's own name, whatever its file name.
static void package_fill(struct rte_tel_data *d, const struct ddp_package *package) {
	if (package == NULL)
		return;
	text_add(d, "package_name", package->name);
	rte_tel_data_add_dict_uint(d, "package_track_id", package->track_id);
}

static void rss_fill(struct rte_tel_data *d, const struct ddp_port *port) {
	const struct ddp_rss *rss = &port->rss;
	struct rte_tel_data *names;

	rte_tel_data_add_dict_int(d, "rss", port->steering != NULL && port->steering->policy.rss);
	text_add(d, "rss_hash_function", ddp_hash_function_name(ddp_flows_function(port)));
	text_add(d, "rss_fields_by",
		 ddp_program_by_rss_hf(port->personality->program) ? "rss_hf" : "profiles");
	names = texts_in(d, "rss_hf");
	for (unsigned int bit = 0; names != NULL && bit < 64; bit++)
		if ((rss->rss_hf & RTE_BIT64(bit)) != 0)
			texts_add(names, ddp_rss_hf_name(bit));
}

#define COUNTERS_MAX 32

static void counters_fill(struct rte_tel_data *d, struct ddp_port *port,
			  const struct rte_eth_stats *lower) {
	struct rte_eth_xstat_name names[COUNTERS_MAX];
	struct rte_eth_xstat values[COUNTERS_MAX];
	struct rte_tel_data *dict = dict_in(d, "counters");
	unsigned int n = ddp_xstats_port_get(port, lower, names, values, COUNTERS_MAX);

	for (unsigned int i = 0; dict != NULL && i < RTE_MIN(n, COUNTERS_MAX); i++)
		rte_tel_data_add_dict_uint(dict, names[i].name, values[i].value);
}

static const char *state_name(const struct ddp_port *port) {
	if (ddp_lower_is_unplugged(port))
		return "lower device gone";
	return __atomic_load_n(&port->running, __ATOMIC_RELAXED) ? "running" : "stopped";
}

// The lower device's part.
static void offload_fill(struct rte_tel_data *d, const struct ddp_port *port) {
	const struct ddp_offload *offload = &port->offload;

	text_add(d, "offload", offload->nic != NULL ? ddp_nic_name(offload->nic) : "");
	rte_tel_data_add_dict_int(d, "offload_rules", offload->n_flows);
	text_add(d, "offload_state", ddp_offload_state(port));
	rte_tel_data_add_dict_int(d, "offload_ruled",
				  port->hw_ptypes != NULL ? ddp_hw_ptypes_n_ruled(port) : 0);
}

// Its packet types: metrics have a list of this name.
static void offload_ptypes_fill(struct rte_tel_data *d, const struct ddp_port *port) {
	const struct ddp_plan *plan = port->offload.plan;

	rte_tel_data_add_dict_int(d, "offload_ptypes", plan != NULL ? (int)plan->n_ptypes : 0);
}

static void info_fill(struct rte_tel_data *d, struct ddp_port *port,
		      const struct rte_eth_stats *lower) {
	rte_tel_data_start_dict(d);
	text_add(d, "name", port->name);
	text_add(d, "version", DDP_VERSION);
	text_add(d, "state", state_name(port));
	text_add(d, "isa", port->data->dev_started ? ddp_isa_name(port->isa) : "");
	text_add(d, "overflow", port->overflow == DDP_OVERFLOW_WAIT ? "wait" : "drop");
	text_add(d, "lower_device", port->lower.name);
	rte_tel_data_add_dict_int(d, "lower_port", port->lower.port_id);
	rte_tel_data_add_dict_int(d, "lower_rx_queues", port->lower.n_rxq);
	rte_tel_data_add_dict_int(d, "lower_tx_queues", port->lower.n_txq);
	offload_fill(d, port);
	offload_ptypes_fill(d, port);
	rte_tel_data_add_dict_int(d, "rx_queues", port->data->nb_rx_queues);
	rte_tel_data_add_dict_int(d, "tx_queues", port->data->nb_tx_queues);
	rss_fill(d, port);
	profiles_fill(d, port->personality->profile);
	specs_fill(d, port->personality->profile);
	profile_packets_fill(d, port);
	package_fill(d, port->personality->package);
	rte_tel_data_add_dict_int(d, "packet_types", port->personality->n_types);
	rte_tel_data_add_dict_int(d, "flow_rules", ddp_flows_count(port));
	counters_fill(d, port, lower);
}

static int info(const char *cmd, const char *params, struct rte_tel_data *d) {
	struct ddp_port *port = port_get(cmd, params, &params, d);
	struct rte_eth_stats lower;

	if (port == NULL)
		return 0;
	lower = ddp_stats_lower(port); // first, because it releases the mutex
	info_fill(d, port, &lower);
	ddp_registry_put(port);
	return 0;
}

static void ptypes_fill(struct rte_tel_data *d, struct ddp_port *port, unsigned int start,
			unsigned int end) {
	const struct ddp_stats *stats = ddp_stats_read(port);
	struct rte_tel_data *all = dict_in(d, "ptypes");
	char id[16];

	for (unsigned int i = start; all != NULL && i < end; i++) {
		const struct ddp_type_info *type = ddp_program_type(port->personality->program, i);
		struct rte_tel_data *one;

		snprintf(id, sizeof(id), "%u", type->id);
		one = dict_in(all, id);
		if (one == NULL)
			return;
		text_add(one, "name", type->name);
		rte_tel_data_add_dict_uint(one, "packets", stats->types[type->id]);
		rte_tel_data_add_dict_uint(one, "rte_ptype", ddp_mapping_of(port, type));
	}
}

static int ptypes(const char *cmd, const char *params, struct rte_tel_data *d) {
	struct ddp_port *port = port_get(cmd, params, &params, d);
	unsigned int start, end;

	if (port == NULL)
		return 0;
	if (page_begin(d, params, port->personality->n_types, PTYPES_PAGE, &start, &end) == 0)
		ptypes_fill(d, port, start, end);
	ddp_registry_put(port);
	return 0;
}

static const char *hw_ptype_state(const struct ddp_hw_ptype *hw_ptype) {
	if (hw_ptype->ruled)
		return "flow rules";
	if (ddp_hw_ptype_is_proven(hw_ptype))
		return "proven";
	return ddp_hw_ptype_read(&hw_ptype->wrong) > 0 ? "wrong" : "unproven";
}

static void verify_fill(struct rte_tel_data *d, struct ddp_port *port, unsigned int start,
			unsigned int end) {
	struct rte_tel_data *all = dict_in(d, "ptypes");
	char id[16];

	for (unsigned int i = start; all != NULL && i < end; i++) {
		const struct ddp_offload_ptype *ptype = &port->offload.plan->ptypes[i];
		const struct ddp_hw_ptype *hw_ptype =
			ddp_hw_ptypes_find(port->hw_ptypes, ptype->rte_ptype);
		struct rte_tel_data *one;

		snprintf(id, sizeof(id), "%u", i);
		one = dict_in(all, id);
		if (one == NULL)
			return;
		text_add(one, "name",
			 ddp_program_type(port->personality->program, ptype->type)->name);
		rte_tel_data_add_dict_uint(one, "rte_ptype", ptype->rte_ptype);
		rte_tel_data_add_dict_uint(one, "checked", ddp_hw_ptype_read(&hw_ptype->checked));
		rte_tel_data_add_dict_uint(one, "wrong", ddp_hw_ptype_read(&hw_ptype->wrong));
		rte_tel_data_add_dict_uint(one, "other_type", ddp_hw_ptype_read(&hw_ptype->other));
		text_add(one, "state", hw_ptype_state(hw_ptype));
	}
}

// Show whether the lower device hashes as its plan expects.
static int verify(const char *cmd, const char *params, struct rte_tel_data *d) {
	struct ddp_port *port = port_get(cmd, params, &params, d);
	unsigned int start, end, n;

	if (port == NULL)
		return 0;
	ddp_hw_ptypes_watch(port);
	n = port->hw_ptypes != NULL ? port->offload.plan->n_ptypes : 0;
	if (page_begin(d, params, n, VERIFY_PAGE, &start, &end) == 0) {
		offload_fill(d, port);
		offload_ptypes_fill(d, port);
		rte_tel_data_add_dict_uint(d, "straight", ddp_hw_ptypes_bypass(port->hw_ptypes));
		verify_fill(d, port, start, end);
	}
	ddp_registry_put(port);
	return 0;
}

static void queue_fill(struct rte_tel_data *d, const struct ddp_port *port,
		       const struct ddp_stats *stats, unsigned int i) {
	if (i < port->n_rxqs) {
		rte_tel_data_add_dict_uint(d, "rx_packets", stats->rx[i].packets);
		rte_tel_data_add_dict_uint(d, "rx_bytes", stats->rx[i].bytes);
		rte_tel_data_add_dict_uint(d, "rx_missed", stats->rx[i].missed);
	}
	if (i < port->n_txqs) {
		rte_tel_data_add_dict_uint(d, "tx_packets", stats->tx[i].packets);
		rte_tel_data_add_dict_uint(d, "tx_bytes", stats->tx[i].bytes);
	}
}

static void queues_fill(struct rte_tel_data *d, struct ddp_port *port, unsigned int start,
			unsigned int end) {
	const struct ddp_stats *stats = ddp_stats_read(port);
	struct rte_tel_data *all = dict_in(d, "queues");
	char name[16];

	for (unsigned int i = start; all != NULL && i < end; i++) {
		struct rte_tel_data *one;

		snprintf(name, sizeof(name), "%u", i);
		one = dict_in(all, name);
		if (one == NULL)
			return;
		queue_fill(one, port, stats, i);
	}
}

static int queues(const char *cmd, const char *params, struct rte_tel_data *d) {
	struct ddp_port *port = port_get(cmd, params, &params, d);
	unsigned int start, end;

	if (port == NULL)
		return 0;
	if (page_begin(d, params, RTE_MAX(port->n_rxqs, port->n_txqs), QUEUES_PAGE, &start, &end) ==
	    0)
		queues_fill(d, port, start, end);
	ddp_registry_put(port);
	return 0;
}

// A part of a list.
struct part {
	unsigned int start, end;
};

// Lists follow one another, and a page has the items from start to end of them all: the part of the
// list that begins at *first and has n items. The next list begins at *first then.
static struct part part_take(const struct part *page, unsigned int *first, unsigned int n) {
	unsigned int start = RTE_MAX(page->start, *first), end = RTE_MIN(page->end, *first + n);
	struct part part = {start - *first, RTE_MAX(start, end) - *first};

	*first += n;
	return part;
}

// The numbers of a part, which are at the same place in structures of a size.
static void column_fill(struct rte_tel_data *d, const char *name, struct part part,
			const uint64_t *column, size_t size) {
	struct rte_tel_data *numbers = part.start < part.end ? numbers_in(d, name) : NULL;

	for (unsigned int i = part.start; numbers != NULL && i < part.end; i++)
		rte_tel_data_add_array_uint(numbers,
					    *(const uint64_t *)((const char *)column + i * size));
}

static void ptype_columns_fill(struct rte_tel_data *d, const struct ddp_port *port,
			       const struct ddp_stats *stats, struct part part) {
	struct rte_tel_data *names = part.start < part.end ? texts_in(d, "ptypes") : NULL;

	for (unsigned int i = part.start; names != NULL && i < part.end; i++)
		texts_add(names, i == 0 ? "none" : ddp_types_name(port, i));
	column_fill(d, "ptype_packets", part, stats->types, sizeof(stats->types[0]));
}

// Is this packet type of the NIC the plan's first one of a packet type of the profile?
static bool is_first_of_type(const struct ddp_plan *plan, unsigned int i) {
	for (unsigned int j = 0; j < i; j++)
		if (plan->ptypes[j].type == plan->ptypes[i].type)
			return false;
	return true;
}

// How many packet types of the profile the lower device hashes.
static unsigned int verified_count(const struct ddp_port *port) {
	const struct ddp_plan *plan = port->offload.plan;
	unsigned int n = 0;

	for (unsigned int i = 0; port->hw_ptypes != NULL && i < plan->n_ptypes; i++)
		n += is_first_of_type(plan, i);
	return n;
}

// A packet type of the profile, from the NIC's first one on: the sum of all of the NIC's that it
// is. It is proven if those are that had packets.
struct verified {
	uint64_t checked, wrong;
	bool any_proven, any_unproven;
};

static struct verified verified_sum(const struct ddp_port *port, unsigned int first) {
	const struct ddp_plan *plan = port->offload.plan;
	struct verified sum = {0};

	for (unsigned int i = first; i < plan->n_ptypes; i++) {
		const struct ddp_hw_ptype *hw_ptype;

		if (plan->ptypes[i].type != plan->ptypes[first].type)
			continue;
		hw_ptype = ddp_hw_ptypes_find(port->hw_ptypes, plan->ptypes[i].rte_ptype);
		sum.checked += ddp_hw_ptype_read(&hw_ptype->checked);
		sum.wrong += ddp_hw_ptype_read(&hw_ptype->wrong);
		if (ddp_hw_ptype_is_proven(hw_ptype))
			sum.any_proven = true;
		else if (ddp_hw_ptype_read(&hw_ptype->checked) > 0)
			sum.any_unproven = true;
	}
	return sum;
}

static void verify_columns_fill(struct rte_tel_data *d, const struct ddp_port *port,
				struct part part) {
	const struct ddp_plan *plan = port->offload.plan;
	struct rte_tel_data *names, *checked, *wrong, *proven;

	if (part.start == part.end)
		return;
	names = texts_in(d, "offload_ptypes");
	checked = numbers_in(d, "offload_checked");
	wrong = numbers_in(d, "offload_wrong");
	proven = numbers_in(d, "offload_proven");
	if (names == NULL || checked == NULL || wrong == NULL || proven == NULL)
		return;
	for (unsigned int i = 0, row = 0; row < part.end; i++) {
		struct verified sum;

		if (!is_first_of_type(plan, i) || row++ < part.start)
			continue;
		sum = verified_sum(port, i);
		texts_add(names,
			  ddp_program_type(port->personality->program, plan->ptypes[i].type)->name);
		rte_tel_data_add_array_uint(checked, sum.checked);
		rte_tel_data_add_array_uint(wrong, sum.wrong);
		rte_tel_data_add_array_uint(proven, sum.any_proven && !sum.any_unproven);
	}
}

static void metrics_port_fill(struct rte_tel_data *d, struct ddp_port *port,
			      const struct rte_eth_stats *lower) {
	text_add(d, "name", port->name);
	text_add(d, "version", DDP_VERSION);
	text_add(d, "state", state_name(port));
	text_add(d, "isa", port->data->dev_started ? ddp_isa_name(port->isa) : "");
	text_add(d, "lower_device", port->lower.name);
	offload_fill(d, port);
	rte_tel_data_add_dict_uint(d, "offload_bypass", ddp_hw_ptypes_bypass(port->hw_ptypes));
	profiles_fill(d, port->personality->profile);
	rte_tel_data_add_dict_uint(d, "profile_changes", port->n_profile_changes);
	rte_tel_data_add_dict_int(d, "flow_rules", ddp_flows_count(port));
	rte_tel_data_add_dict_uint(d, "balance_interval_ms",
				   port->balance != NULL ? port->balance->ms : 0);
	counters_fill(d, port, lower);
}

// What a monitor reads every few seconds. An array takes a tenth of the time of a dict with a dict
// for each item, in the process as well as in the reader. Types of deleted profiles are counted,
// too, so that no counter goes backwards.
static int metrics(const char *cmd, const char *params, struct rte_tel_data *d) {
	struct ddp_port *port = port_get(cmd, params, &params, d);
	struct rte_eth_stats lower = {0};
	const struct ddp_stats *stats;
	unsigned int first = 0, n_verified;
	struct part page, part;

	if (port == NULL)
		return 0;
	if (params == NULL || strcmp(params, "0") == 0)
		lower = ddp_stats_lower(port); // first, because it releases the mutex
	ddp_hw_ptypes_watch(port);
	n_verified = verified_count(port);
	if (page_begin(d, params, port->n_rxqs + port->n_txqs + port->n_type_ids + n_verified,
		       METRICS_PAGE, &page.start, &page.end) < 0)
		goto put_port;
	if (page.start == 0)
		metrics_port_fill(d, port, &lower);
	stats = ddp_stats_read(port);
	part = part_take(&page, &first, port->n_rxqs);
	column_fill(d, "rx_packets", part, &stats->rx[0].packets, sizeof(stats->rx[0]));
	column_fill(d, "rx_bytes", part, &stats->rx[0].bytes, sizeof(stats->rx[0]));
	column_fill(d, "rx_missed", part, &stats->rx[0].missed, sizeof(stats->rx[0]));
	part = part_take(&page, &first, port->n_txqs);
	column_fill(d, "tx_packets", part, &stats->tx[0].packets, sizeof(stats->tx[0]));
	column_fill(d, "tx_bytes", part, &stats->tx[0].bytes, sizeof(stats->tx[0]));
	ptype_columns_fill(d, port, stats, part_take(&page, &first, port->n_type_ids));
	verify_columns_fill(d, port, part_take(&page, &first, n_verified));
put_port:
	ddp_registry_put(port);
	return 0;
}

// Telemetry has no real numbers.
static void permille_add(struct rte_tel_data *d, const char *name, double value) {
	rte_tel_data_add_dict_uint(d, name, 1000 * value + 0.5);
}

// Add a dict of the last of n items, which are kept in an array of DDP_BALANCER_LAST, the newest
// first, and fill each.
static void items_fill(struct rte_tel_data *d, const char *name, const struct ddp_port *port,
		       uint64_t n,
		       void (*fill)(struct rte_tel_data *one, const struct ddp_balancer *balancer,
				    unsigned int i)) {
	struct rte_tel_data *all = dict_in(d, name), *one;
	char number[16];

	for (unsigned int i = 0; all != NULL && i < RTE_MIN(n, (uint64_t)DDP_BALANCER_LAST); i++) {
		snprintf(number, sizeof(number), "%u", i);
		one = dict_in(all, number);
		if (one == NULL)
			return;
		fill(one, &port->balance->balancer, (n - 1 - i) % DDP_BALANCER_LAST);
	}
}

static void move_fill(struct rte_tel_data *one, const struct ddp_balancer *balancer,
		      unsigned int i) {
	const struct ddp_balancer_move *move = &balancer->moves[i];

	rte_tel_data_add_dict_uint(one, "round", move->round);
	rte_tel_data_add_dict_uint(one, "ms_ago",
				   (rte_rdtsc() - move->when) / (rte_get_tsc_hz() / 1000));
	rte_tel_data_add_dict_uint(one, "entry", move->entry);
	rte_tel_data_add_dict_uint(one, "from", move->from);
	rte_tel_data_add_dict_uint(one, "to", move->to);
	permille_add(one, "share_permille", move->share);
	permille_add(one, "from_load_permille", move->from_load);
	permille_add(one, "to_load_permille", move->to_load);
}

static void past_fill(struct rte_tel_data *one, const struct ddp_balancer *balancer,
		      unsigned int i) {
	const struct ddp_balancer_past *past = &balancer->past[i];

	rte_tel_data_add_dict_uint(one, "round", past->round);
	permille_add(one, "before_permille", past->before);
	permille_add(one, "after_permille", past->after);
	rte_tel_data_add_dict_uint(one, "moves", past->n_moves);
}

// Loads of queues are in thousandths of the mean, those of entries in thousandths of the port's.
static void balance_fill(struct rte_tel_data *d, struct ddp_port *port) {
	const struct rte_pmd_ddp_balance numbers = ddp_balance_numbers(port, ddp_stats_read(port));
	const struct ddp_balance *balance = port->balance;

	rte_tel_data_start_dict(d);
	rte_tel_data_add_dict_uint(d, "interval_ms", numbers.interval_ms);
	rte_tel_data_add_dict_uint(d, "rounds", numbers.rounds);
	rte_tel_data_add_dict_uint(d, "moves", numbers.moves);
	rte_tel_data_add_dict_uint(d, "given_up", numbers.given_up);
	rte_tel_data_add_dict_uint(d, "order_parked", numbers.order_parked);
	rte_tel_data_add_dict_uint(d, "order_longest_parking_us", numbers.order_longest_parking_us);
	permille_add(d, "before_permille", numbers.before);
	permille_add(d, "after_permille", numbers.after);
	permille_add(d, "worst_permille", numbers.worst);
	if (numbers.bound_entry != RTE_PMD_DDP_NO_ENTRY) {
		rte_tel_data_add_dict_uint(d, "bound_entry", numbers.bound_entry);
		permille_add(d, "bound_share_permille", numbers.bound_share);
		text_add(d, "bound_flow", numbers.bound_flow);
	}
	items_fill(d, "last_intervals", port, balance != NULL ? balance->balancer.n_past : 0,
		   past_fill);
	items_fill(d, "last_moves", port, balance != NULL ? balance->balancer.n_moves : 0,
		   move_fill);
}

static int balance_change(const char *cmd, const char *params, struct rte_tel_data *d) {
	struct ddp_port *port = port_change(cmd, params, &params, d);
	unsigned int ms;

	if (port == NULL)
		return 0;
	if (ddp_balance_ms_read(params, &ms) < 0)
		fail(d, "'%.*s' is not off, on, or milliseconds from 1 to %d", WORD_MAX, params,
		     DDP_BALANCE_MS_MAX);
	else if (ddp_balance_set(port, ms) < 0)
		fail(d, "out of memory");
	else
		balance_fill(d, port);
	ddp_change_end(port);
	return 0;
}

// Reading does not wait for the end of a change.
static int balance(const char *cmd, const char *params, struct rte_tel_data *d) {
	const char *rest = NULL;
	struct ddp_port *port = port_get(cmd, params, &rest, d);

	if (port == NULL)
		return 0;
	if (rest == NULL)
		balance_fill(d, port);
	ddp_registry_put(port);
	return rest == NULL ? 0 : balance_change(cmd, params, d);
}

static int profile_change(const char *cmd, const char *params, struct rte_tel_data *d,
			  int (*change)(struct ddp_port *port, const struct ddp_source *source,
					char *error, size_t error_size)) {
	struct ddp_port *port = port_change(cmd, params, &params, d);
	const struct ddp_source source = {.spec = params};
	char line[LINE_SIZE];

	if (port == NULL)
		return 0;
	if (params == NULL || *params == '\0') {
		fail(d, "a profile is missing: %s,<port>,<profile>", cmd);
	} else if (change(port, &source, line, sizeof(line)) < 0) {
		fail(d, "%s", line);
	} else {
		rte_tel_data_start_dict(d);
		rte_tel_data_add_dict_int(d, "ok", 1);
		profiles_fill(d, port->personality->profile);
	}
	ddp_change_end(port);
	return 0;
}

static int profile_add(const char *cmd, const char *params, struct rte_tel_data *d) {
	return profile_change(cmd, params, d, ddp_personality_add);
}

static int profile_del(const char *cmd, const char *params, struct rte_tel_data *d) {
	return profile_change(cmd, params, d, ddp_personality_del);
}

static int profile_set(const char *cmd, const char *params, struct rte_tel_data *d) {
	return profile_change(cmd, params, d, ddp_personality_set);
}

#define COMMANDS(X)                                                                                 \
	X(list, "Returns the ids of net_ddp ports. Takes no parameters")                            \
	X(info, "Returns a port, its profiles and counters. Parameters: int port_id")               \
	X(ptypes, "Returns packet types by id. Parameters: int port_id[, int start]")               \
	X(verify,                                                                                   \
	  "Returns the results of verifying hardware hashes. Parameters: int port_id[, int start]") \
	X(queues, "Returns the counters of queues. Parameters: int port_id[, int start]")           \
	X(metrics, "Returns all counters as lists. Parameters: int port_id[, int start]")           \
	X(balance, "Returns or sets load-aware RSS. Parameters: int port_id[, string on|off|ms]")   \
	X(profile_add, "Adds a profile. Parameters: int port_id, string name_or_file[...]")         \
	X(profile_del, "Deletes a profile. Parameters: int port_id, string name")                   \
	X(profile_set,                                                                              \
	  "Exchanges all profiles in one step. Parameters: int port_id, string name_or_file[...]")

// Without telemetry the commands are registered, but never called.
void ddp_telemetry_register(void) {
#define REGISTER(command, help) rte_telemetry_register_cmd("/net_ddp/" #command, command, help);
	COMMANDS(REGISTER)
#undef REGISTER
}
