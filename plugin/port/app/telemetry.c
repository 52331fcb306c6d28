/* SPDX-License-Identifier: BSD-3-Clause */
// The commands of DPDK's telemetry socket for our ports, which COMMANDS at the end lists.
//
// The socket's users have the rights of the process: profile_add reads any file that the process
// can read, and the error quotes the beginning of a file that is no profile. EAL makes the socket's
// folder accessible to the user of the process only.
//
// A failure answers {"ok": 0, "error": "..."}; if a handler returned an error, the user would get
// only null. Telemetry has no booleans, cuts strings to 127 characters, does not escape bytes above
// 127 (it reads outside a table instead), and drops what does not fit into 16 KB. So long errors
// continue in "error_2" and so on, text becomes ASCII, and lists have pages, from "next" on.
//
// Handlers run in telemetry's threads, several at once, for ever: each finds the port by its id.
#include "port/app/app.h"
#include "port/counts/stats.h"
#include "port/exchange/exchange.h"
#include "port/lower/lower.h"
#include "port/state/control.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>

#include <rte_cycles.h>
#include <rte_telemetry.h>

#define LINE_SIZE 512 // bytes
#define WORD_MAX 32   // characters of a wrong parameter that an error quotes
#define TEXT_MAX (RTE_TEL_MAX_STRING_LEN - 1)
#define PTYPES_PAGE 90   // at most 150 characters each
#define VERIFY_PAGE 52   // at most 200 characters each
#define QUEUES_PAGE 64   // at most 190 characters each
#define METRICS_PAGE 100 // at most 95 characters each, beside 6 KB about the port

/* Answers */

// At most TEXT_MAX characters of text, which may be NULL, as ASCII. Returns how many.
static size_t ascii_copy(char *to, const char *text) {
	size_t n = 0;

	for (; text != NULL && n < TEXT_MAX && text[n] != '\0'; n++)
		to[n] = isprint((unsigned char)text[n]) ? text[n] : '?';
	to[n] = '\0';
	return n;
}

// Add to a dict, or to an array: name NULL. Without d, where memory ran out, they do nothing.
static void text_add(struct rte_tel_data *d, const char *name, const char *text) {
	char ascii[TEXT_MAX + 1];

	ascii_copy(ascii, text);
	if (d != NULL && name != NULL)
		rte_tel_data_add_dict_string(d, name, ascii);
	else if (d != NULL)
		rte_tel_data_add_array_string(d, ascii);
}

static void number_add(struct rte_tel_data *d, const char *name, uint64_t number) {
	if (d != NULL && name != NULL)
		rte_tel_data_add_dict_uint(d, name, number);
	else if (d != NULL)
		rte_tel_data_add_array_uint(d, number);
}

__rte_format_printf(2, 3) static int fail(struct rte_tel_data *d, const char *fmt, ...) {
	char line[LINE_SIZE], ascii[TEXT_MAX + 1], name[16] = "error";
	const char *rest = line;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	rte_tel_data_start_dict(d);
	number_add(d, "ok", 0);
	for (unsigned int i = 2; *rest != '\0'; i++) {
		rest += ascii_copy(ascii, rest);
		rte_tel_data_add_dict_string(d, name, ascii);
		snprintf(name, sizeof(name), "error_%u", i);
	}
	return 0;
}

#define DICT -1
#define TEXTS RTE_TEL_STRING_VAL
#define NUMBERS RTE_TEL_UINT_VAL

static struct rte_tel_data *container_in(struct rte_tel_data *d, const char *name, int type) {
	struct rte_tel_data *container = d != NULL ? rte_tel_data_alloc() : NULL;

	if (container == NULL)
		return NULL;
	if (type == DICT)
		rte_tel_data_start_dict(container);
	else
		rte_tel_data_start_array(container, type);
	if (rte_tel_data_add_dict_container(d, name, container, 0) == 0)
		return container;
	rte_tel_data_free(container);
	return NULL;
}

static struct rte_tel_data *item_in(struct rte_tel_data *d, unsigned int number) {
	char name[16];

	snprintf(name, sizeof(name), "%u", number);
	return container_in(d, name, DICT);
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

static int port_run(const char *cmd, const char *params, struct rte_tel_data *d, bool changes,
		    void (*answer)(struct ddp_port *port, const char *params,
				   struct rte_tel_data *d)) {
	const int len = params == NULL ? 0 : RTE_MIN(strcspn(params, ","), (size_t)WORD_MAX);
	struct ddp_port *port;
	unsigned int id;
	int ret = -ENODEV;

	if (len == 0)
		return fail(d, "the port number is missing: %s,<port>", cmd);
	if (!number_take(params, &id, &params))
		return fail(d, "'%.*s' is not a port number: %s,<port>", len, params, cmd);
	port = changes ? ddp_registry_change(id, &ret) : ddp_registry_get(id);
	if (port == NULL)
		return fail(d,
			    ret == -ENODEV ? "port %u is not a net_ddp port" :
					     "port %u is being changed",
			    id);
	answer(port, params, d);
	if (changes)
		ddp_change_end(port);
	else
		ddp_registry_put(port);
	return 0;
}

struct slice {
	unsigned int start, end;
};

// Begin an answer that is one page of n items. Returns whether it did; else the error is in d.
static bool page_begin(struct rte_tel_data *d, const char *params, unsigned int n,
		       unsigned int size, struct slice *page) {
	const char *rest;

	page->start = 0;
	if (params != NULL &&
	    (!number_take(params, &page->start, &rest) || page->start > n || rest != NULL)) {
		fail(d, "'%s' is not a start index: there are %u entries", params, n);
		return false;
	}
	page->end = RTE_MIN(page->start + size, n);
	rte_tel_data_start_dict(d);
	number_add(d, "count", n);
	number_add(d, "start", page->start);
	if (page->end < n)
		number_add(d, "next", page->end);
	return true;
}

/* Commands */

static int list(__rte_unused const char *cmd, __rte_unused const char *params,
		struct rte_tel_data *d) {
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
	struct rte_tel_data *names = container_in(d, "profiles", TEXTS);

	for (unsigned int i = 0; i < profile->n_named; i++)
		text_add(names, NULL, profile->named[i]->name);
}

// Packets of a profile's types or of those it requires; base's count if there are no others.
static uint64_t profile_packets(const struct ddp_port *port, const struct ddp_stats *stats,
				const struct ddp_profile_part *part) {
	const struct ddp_profile *profile = port->personality->profile;
	const uint64_t parts = part->requires | RTE_BIT64(part - profile->parts);
	uint64_t n = 0, n_base = 0;
	bool only_base = true;

	for (unsigned int t = 0; t < profile->n_types; t++) {
		const uint16_t id = ddp_program_type(port->personality->program, t)->id;
		unsigned int i = 0;

		while (profile->parts[i].name != profile->types[t].profile)
			i++;
		if ((parts & RTE_BIT64(i)) == 0)
			continue;
		if (strcmp(profile->parts[i].name, "base") == 0) {
			n_base += stats->types[id];
		} else {
			n += stats->types[id];
			only_base = false;
		}
	}
	return only_base ? n_base : n;
}

static void profile_details_fill(struct rte_tel_data *d, struct ddp_port *port) {
	const struct ddp_profile *profile = port->personality->profile;
	struct rte_tel_data *specs = container_in(d, "profile_specs", TEXTS);
	struct rte_tel_data *versions = container_in(d, "profile_versions", TEXTS);
	struct rte_tel_data *packets = container_in(d, "profile_packets", NUMBERS);
	const struct ddp_stats *stats = ddp_stats_read(port);

	for (unsigned int i = 0; i < profile->n_named; i++) {
		const struct ddp_profile_part *part = profile->named[i];

		text_add(specs, NULL, part->source.spec != NULL ? part->source.spec : "<text>");
		text_add(versions, NULL, part->version);
		number_add(packets, NULL, profile_packets(port, stats, part));
	}
}

static void rss_fill(struct rte_tel_data *d, const struct ddp_port *port) {
	struct rte_tel_data *names;

	number_add(d, "rss", port->steering != NULL && port->steering->policy.rss);
	text_add(d, "rss_hash_function", ddp_hash_function_name(ddp_flows_function(port)));
	text_add(d, "rss_fields_by", port->personality->profile->by_rss_hf ? "rss_hf" : "profiles");
	names = container_in(d, "rss_hf", TEXTS);
	for (unsigned int bit = 0; bit < 64; bit++)
		if ((port->rss.rss_hf & RTE_BIT64(bit)) != 0)
			text_add(names, NULL, ddp_rss_hf_name(bit));
}

#define COUNTERS_MAX 32 // counters

static void counters_fill(struct rte_tel_data *d, struct ddp_port *port,
			  const struct rte_eth_stats *lower) {
	struct rte_eth_xstat_name names[COUNTERS_MAX];
	struct rte_eth_xstat values[COUNTERS_MAX];
	struct rte_tel_data *dict = container_in(d, "counters", DICT);
	unsigned int n = ddp_xstats_port_get(port, lower, names, values, COUNTERS_MAX);

	for (unsigned int i = 0; i < RTE_MIN(n, COUNTERS_MAX); i++)
		number_add(dict, names[i].name, values[i].value);
}

// The lower device's part. ptypes: how many of its packet types; metrics have a list of this name.
static void offload_fill(struct rte_tel_data *d, const struct ddp_port *port, bool ptypes) {
	const struct ddp_offload *offload = &port->offload;

	text_add(d, "offload", offload->nic != NULL ? ddp_nic_name(offload->nic) : "");
	number_add(d, "offload_rules", offload->n_flows);
	text_add(d, "offload_state", ddp_offload_state(port));
	number_add(d, "offload_ruled", port->hw_ptypes != NULL ? ddp_hw_ptypes_n_ruled(port) : 0);
	if (ptypes)
		number_add(d, "offload_ptypes",
			   offload->plan != NULL ? offload->plan->n_ptypes : 0);
}

static void port_fill(struct rte_tel_data *d, const struct ddp_port *port) {
	text_add(d, "name", port->name);
	text_add(d, "version", DDP_VERSION);
	if (ddp_lower_is_unplugged(port))
		text_add(d, "state", "lower device gone");
	else
		text_add(d, "state",
			 __atomic_load_n(&port->running, __ATOMIC_RELAXED) ? "running" : "stopped");
	text_add(d, "isa", port->data->dev_started ? ddp_isa_name(port->isa) : "");
}

static void info(struct ddp_port *port, __rte_unused const char *params, struct rte_tel_data *d) {
	// First, because it releases the mutex.
	const struct rte_eth_stats lower = ddp_stats_lower(port);

	rte_tel_data_start_dict(d);
	port_fill(d, port);
	text_add(d, "overflow", port->overflow == DDP_OVERFLOW_WAIT ? "wait" : "drop");
	text_add(d, "lower_device", port->lower.name);
	number_add(d, "lower_port", port->lower.port_id);
	number_add(d, "lower_rx_queues", port->lower.n_rxq);
	number_add(d, "lower_tx_queues", port->lower.n_txq);
	offload_fill(d, port, true);
	number_add(d, "rx_queues", port->data->nb_rx_queues);
	number_add(d, "tx_queues", port->data->nb_tx_queues);
	rss_fill(d, port);
	profiles_fill(d, port->personality->profile);
	profile_details_fill(d, port);
	if (port->personality->package != NULL) { // the package's own name, whatever its file name
		text_add(d, "package_name", port->personality->package->name);
		number_add(d, "package_track_id", port->personality->package->track_id);
	}
	number_add(d, "packet_types", port->personality->n_types);
	number_add(d, "flow_rules", port->rules.n);
	counters_fill(d, port, &lower);
}

static void ptypes(struct ddp_port *port, const char *params, struct rte_tel_data *d) {
	const struct ddp_personality *personality = port->personality;
	const struct ddp_stats *stats;
	struct rte_tel_data *all;
	struct slice page;

	if (!page_begin(d, params, personality->n_types, PTYPES_PAGE, &page))
		return;
	stats = ddp_stats_read(port);
	all = container_in(d, "ptypes", DICT);
	for (unsigned int i = page.start; i < page.end; i++) {
		const struct ddp_type_info *type = ddp_program_type(personality->program, i);
		struct rte_tel_data *one = item_in(all, type->id);

		text_add(one, "name", type->name);
		number_add(one, "packets", stats->types[type->id]);
		number_add(one, "rte_ptype", ddp_mapping_of(port, type));
	}
}

static const char *hw_ptype_state(const struct ddp_hw_ptype *hw_ptype) {
	if (hw_ptype->ruled)
		return "flow rules";
	if (ddp_hw_ptype_is_proven(hw_ptype))
		return "proven";
	return ddp_hw_ptype_read(&hw_ptype->wrong) > 0 ? "wrong" : "unproven";
}

// Show whether the lower device hashes as its plan, of which the table is made, expects.
static void verify(struct ddp_port *port, const char *params, struct rte_tel_data *d) {
	const struct ddp_plan *plan = port->offload.plan;
	struct rte_tel_data *all, *one;
	struct slice page;

	ddp_hw_ptypes_watch(port);
	if (!page_begin(d, params, port->hw_ptypes != NULL ? plan->n_ptypes : 0, VERIFY_PAGE,
			&page))
		return;
	offload_fill(d, port, true);
	number_add(d, "straight", ddp_hw_ptypes_bypass(port->hw_ptypes));
	all = container_in(d, "ptypes", DICT);
	for (unsigned int i = page.start; i < page.end && (one = item_in(all, i)) != NULL; i++) {
		const struct ddp_offload_ptype *ptype = &plan->ptypes[i];
		const struct ddp_hw_ptype *hw_ptype =
			ddp_hw_ptypes_find(port->hw_ptypes, ptype->rte_ptype);

		assert(hw_ptype != NULL);
		text_add(one, "name",
			 ddp_program_type(port->personality->program, ptype->type)->name);
		number_add(one, "rte_ptype", ptype->rte_ptype);
		number_add(one, "checked", ddp_hw_ptype_read(&hw_ptype->checked));
		number_add(one, "wrong", ddp_hw_ptype_read(&hw_ptype->wrong));
		number_add(one, "other_type", ddp_hw_ptype_read(&hw_ptype->other));
		text_add(one, "state", hw_ptype_state(hw_ptype));
	}
}

static void queues(struct ddp_port *port, const char *params, struct rte_tel_data *d) {
	const struct ddp_stats *stats;
	struct rte_tel_data *all, *one;
	struct slice page;

	if (!page_begin(d, params, RTE_MAX(port->n_rxqs, port->n_txqs), QUEUES_PAGE, &page))
		return;
	stats = ddp_stats_read(port);
	all = container_in(d, "queues", DICT);
	for (unsigned int i = page.start; i < page.end && (one = item_in(all, i)) != NULL; i++) {
		if (i < port->n_rxqs) {
			number_add(one, "rx_packets", stats->rx[i].packets);
			number_add(one, "rx_bytes", stats->rx[i].bytes);
			number_add(one, "rx_missed", stats->rx[i].missed);
		}
		if (i < port->n_txqs) {
			number_add(one, "tx_packets", stats->tx[i].packets);
			number_add(one, "tx_bytes", stats->tx[i].bytes);
		}
	}
}

// The page's part of one of several lists, of which the pages are made. The list's n items begin at
// index *first of all items; *first is set to the beginning of the next list.
static struct slice part_take(const struct slice *page, unsigned int *first, unsigned int n) {
	unsigned int start = RTE_MAX(page->start, *first), end = RTE_MIN(page->end, *first + n);
	struct slice part = {start - *first, RTE_MAX(start, end) - *first};

	*first += n;
	return part;
}

// Add the numbers of a part of a list. They are members of structures of this size.
static void column_fill(struct rte_tel_data *d, const char *name, struct slice part,
			const uint64_t *column, size_t size) {
	struct rte_tel_data *numbers =
		part.start < part.end ? container_in(d, name, NUMBERS) : NULL;

	for (unsigned int i = part.start; i < part.end; i++)
		number_add(numbers, NULL, *(const uint64_t *)((const char *)column + i * size));
}

static void ptype_columns_fill(struct rte_tel_data *d, const struct ddp_port *port,
			       const struct ddp_stats *stats, struct slice part) {
	struct rte_tel_data *names =
		part.start < part.end ? container_in(d, "ptypes", TEXTS) : NULL;

	for (unsigned int i = part.start; i < part.end; i++)
		text_add(names, NULL, i == 0 ? "none" : ddp_types_name(port, i));
	column_fill(d, "ptype_packets", part, stats->types, sizeof(stats->types[0]));
}

// A packet type of the profile: the sum of the NIC's packet types that it covers.
struct verified {
	uint64_t checked, wrong;
	uint64_t proven; // 1: all of those that had packets are proven
	bool unproven;   // one of those that had packets is not proven
	uint16_t type;
};

// The profile's packet types that the lower device hashes, in the NIC's order. Returns how many.
static unsigned int verified_read(const struct ddp_port *port, struct verified **verified) {
	const struct ddp_plan *plan = port->offload.plan;
	unsigned int n = 0;

	*verified = port->hw_ptypes != NULL ? calloc(plan->n_ptypes, sizeof(**verified)) : NULL;
	for (unsigned int i = 0; *verified != NULL && i < plan->n_ptypes; i++) {
		const struct ddp_offload_ptype *ptype = &plan->ptypes[i];
		const struct ddp_hw_ptype *hw_ptype =
			ddp_hw_ptypes_find(port->hw_ptypes, ptype->rte_ptype);
		struct verified *sum = *verified;
		uint32_t checked;

		assert(hw_ptype != NULL);
		checked = ddp_hw_ptype_read(&hw_ptype->checked);
		while (sum < *verified + n && sum->type != ptype->type)
			sum++;
		if (sum == *verified + n)
			(*verified)[n++].type = ptype->type;
		sum->checked += checked;
		sum->wrong += ddp_hw_ptype_read(&hw_ptype->wrong);
		if (ddp_hw_ptype_is_proven(hw_ptype))
			sum->proven = !sum->unproven;
		else if (checked > 0)
			sum->unproven = true;
		sum->proven &= !sum->unproven;
	}
	return n;
}

static void verify_columns_fill(struct rte_tel_data *d, const struct ddp_port *port,
				const struct verified *verified, struct slice part) {
	struct rte_tel_data *names;

	if (part.start == part.end)
		return;
	names = container_in(d, "offload_ptypes", TEXTS);
	for (unsigned int i = part.start; i < part.end; i++)
		text_add(names, NULL,
			 ddp_program_type(port->personality->program, verified[i].type)->name);
	column_fill(d, "offload_checked", part, &verified->checked, sizeof(*verified));
	column_fill(d, "offload_wrong", part, &verified->wrong, sizeof(*verified));
	column_fill(d, "offload_proven", part, &verified->proven, sizeof(*verified));
}

// A monitor reads this every few seconds. Arrays take a tenth of the time of dicts. Types of
// deleted profiles count, too, so that no counter goes backwards.
static void metrics(struct ddp_port *port, const char *params, struct rte_tel_data *d) {
	struct rte_eth_stats lower = {0};
	const struct ddp_stats *stats;
	unsigned int first = 0, n_verified;
	struct verified *verified;
	struct slice page, part;

	if (params == NULL || strcmp(params, "0") == 0)
		lower = ddp_stats_lower(port); // first, because it releases the mutex
	ddp_hw_ptypes_watch(port);
	n_verified = verified_read(port, &verified);
	if (!page_begin(d, params, port->n_rxqs + port->n_txqs + port->n_type_ids + n_verified,
			METRICS_PAGE, &page)) {
		free(verified);
		return;
	}
	if (page.start == 0) {
		port_fill(d, port);
		text_add(d, "lower_device", port->lower.name);
		offload_fill(d, port, false);
		number_add(d, "offload_bypass", ddp_hw_ptypes_bypass(port->hw_ptypes));
		profiles_fill(d, port->personality->profile);
		number_add(d, "profile_changes", port->n_profile_changes);
		number_add(d, "flow_rules", port->rules.n);
		number_add(d, "balance_interval_ms", port->balance != NULL ? port->balance->ms : 0);
		counters_fill(d, port, &lower);
	}
	stats = ddp_stats_read(port);
	part = part_take(&page, &first, port->n_rxqs);
	column_fill(d, "rx_packets", part, &stats->rx[0].packets, sizeof(stats->rx[0]));
	column_fill(d, "rx_bytes", part, &stats->rx[0].bytes, sizeof(stats->rx[0]));
	column_fill(d, "rx_missed", part, &stats->rx[0].missed, sizeof(stats->rx[0]));
	part = part_take(&page, &first, port->n_txqs);
	column_fill(d, "tx_packets", part, &stats->tx[0].packets, sizeof(stats->tx[0]));
	column_fill(d, "tx_bytes", part, &stats->tx[0].bytes, sizeof(stats->tx[0]));
	ptype_columns_fill(d, port, stats, part_take(&page, &first, port->n_type_ids));
	verify_columns_fill(d, port, verified, part_take(&page, &first, n_verified));
	free(verified);
}

// Telemetry has no real numbers.
static void permille_add(struct rte_tel_data *d, const char *name, double value) {
	number_add(d, name, 1000 * value + 0.5);
}

static void moves_fill(struct rte_tel_data *d, const struct ddp_balancer *balancer) {
	const unsigned int n = RTE_MIN(balancer->n_moves, (uint64_t)DDP_BALANCER_LAST);
	struct rte_tel_data *all = container_in(d, "last_moves", DICT), *one;

	for (unsigned int i = 0; i < n && (one = item_in(all, i)) != NULL; i++) {
		const struct ddp_balancer_move *move =
			&balancer->moves[(balancer->n_moves - 1 - i) % DDP_BALANCER_LAST];

		number_add(one, "round", move->round);
		number_add(one, "ms_ago", (rte_rdtsc() - move->when) / (rte_get_tsc_hz() / 1000));
		number_add(one, "entry", move->entry);
		number_add(one, "from", move->from);
		number_add(one, "to", move->to);
		permille_add(one, "share_permille", move->share);
		permille_add(one, "from_load_permille", move->from_load);
		permille_add(one, "to_load_permille", move->to_load);
	}
}

static void past_fill(struct rte_tel_data *d, const struct ddp_balancer *balancer) {
	const unsigned int n = RTE_MIN(balancer->n_past, (uint64_t)DDP_BALANCER_LAST);
	struct rte_tel_data *all = container_in(d, "last_intervals", DICT), *one;

	for (unsigned int i = 0; i < n && (one = item_in(all, i)) != NULL; i++) {
		const struct ddp_balancer_past *past =
			&balancer->past[(balancer->n_past - 1 - i) % DDP_BALANCER_LAST];

		number_add(one, "round", past->round);
		permille_add(one, "before_permille", past->before);
		permille_add(one, "after_permille", past->after);
		number_add(one, "moves", past->n_moves);
	}
}

// Loads of queues are in thousandths of the mean, those of entries in thousandths of the port's.
static void balance_fill(struct rte_tel_data *d, struct ddp_port *port) {
	const struct rte_pmd_ddp_balance numbers = ddp_balance_numbers(port, ddp_stats_read(port));
	static const struct ddp_balancer none;
	const struct ddp_balancer *balancer =
		port->balance != NULL ? &port->balance->balancer : &none;

	rte_tel_data_start_dict(d);
	number_add(d, "interval_ms", numbers.interval_ms);
	number_add(d, "rounds", numbers.rounds);
	number_add(d, "moves", numbers.moves);
	number_add(d, "given_up", numbers.given_up);
	number_add(d, "order_parked", numbers.order_parked);
	number_add(d, "order_longest_parking_us", numbers.order_longest_parking_us);
	permille_add(d, "before_permille", numbers.before);
	permille_add(d, "after_permille", numbers.after);
	permille_add(d, "worst_permille", numbers.worst);
	if (numbers.bound_entry != RTE_PMD_DDP_NO_ENTRY) {
		number_add(d, "bound_entry", numbers.bound_entry);
		permille_add(d, "bound_share_permille", numbers.bound_share);
		text_add(d, "bound_flow", numbers.bound_flow);
	}
	past_fill(d, balancer);
	moves_fill(d, balancer);
}

// params: NULL to read.
static void balance(struct ddp_port *port, const char *params, struct rte_tel_data *d) {
	unsigned int ms;

	if (params != NULL && ddp_balance_ms_read(params, &ms) < 0)
		fail(d, "'%.*s' is not off, on, or milliseconds from 1 to %d", WORD_MAX, params,
		     DDP_BALANCE_MS_MAX);
	else if (params != NULL && ddp_balance_set(port, ms) < 0)
		fail(d, "out of memory");
	else
		balance_fill(d, port);
}

static void profile_change(struct ddp_port *port, const char *params, struct rte_tel_data *d,
			   const char *command, ddp_personality_change_fn *change) {
	const struct ddp_source source = {.spec = params};
	char line[DDP_ERROR_SIZE];

	if (params == NULL || *params == '\0') {
		fail(d, "a profile is missing: /net_ddp/%s,<port>,<profile>", command);
	} else if (change(port, &source, line) < 0) {
		fail(d, "%s", line);
	} else {
		rte_tel_data_start_dict(d);
		number_add(d, "ok", 1);
		profiles_fill(d, port->personality->profile);
	}
}

#define PROFILE_CHANGE(name)                                                               \
	static void profile_##name(struct ddp_port *port, const char *params,              \
				   struct rte_tel_data *d) {                               \
		profile_change(port, params, d, "profile_" #name, ddp_personality_##name); \
	}
PROFILE_CHANGE(add)
PROFILE_CHANGE(del)
PROFILE_CHANGE(set)

// X(command, is it a change, help): run by the function of the command's name.
#define COMMANDS(X)                                                                                 \
	X(info, false, "Returns a port, its profiles and counters. Parameters: int port_id")        \
	X(ptypes, false, "Returns packet types by id. Parameters: int port_id[, int start]")        \
	X(verify, false,                                                                            \
	  "Returns the results of verifying hardware hashes. Parameters: int port_id[, int start]") \
	X(queues, false, "Returns the counters of queues. Parameters: int port_id[, int start]")    \
	X(metrics, false, "Returns all counters as lists. Parameters: int port_id[, int start]")    \
	X(balance, params != NULL && strchr(params, ',') != NULL,                                   \
	  "Returns or sets load-aware RSS. Parameters: int port_id[, string on|off|ms]")            \
	X(profile_add, true, "Adds a profile. Parameters: int port_id, string name_or_file[...]")   \
	X(profile_del, true, "Deletes a profile. Parameters: int port_id, string name")             \
	X(profile_set, true,                                                                        \
	  "Exchanges all profiles in one step. Parameters: int port_id, string name_or_file[...]")

#define RUN(command, changes, help)                                                             \
	static int command##_run(const char *cmd, const char *params, struct rte_tel_data *d) { \
		return port_run(cmd, params, d, changes, command);                              \
	}
COMMANDS(RUN)

// Without telemetry the commands are registered, but never called.
void ddp_telemetry_register(void) {
	rte_telemetry_register_cmd("/net_ddp/list", list,
				   "Returns the ids of net_ddp ports. Takes no parameters");
#define REGISTER(command, changes, help) \
	rte_telemetry_register_cmd("/net_ddp/" #command, command##_run, help);
	COMMANDS(REGISTER)
}
