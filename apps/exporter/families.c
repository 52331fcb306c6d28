/* SPDX-License-Identifier: BSD-3-Clause */
#include "families.h"

#include <stdlib.h>
#include <string.h>

#include "rss/rss.h"

struct family {
	enum metric_type type;
	const char *name, *help;
	void (*write)(struct exposition *text, const struct scrape *scrape,
		      const struct family *family);
	const char *key;  // in the answer
	double unit;      // of its value; 0: 1
	const char *item; // family_list: the label, by name if the answer has names of this key
	const char *names;
};

static double number_of(const json_t *object, const char *key) {
	return json_integer_value(json_object_get(object, key));
}

static const char *text_of(const json_t *object, const char *key) {
	return json_string_value(json_object_get(object, key)) ?: "";
}

/* Labels */

static void process_labels(struct labels *labels, const struct process *process) {
	labels->len = 0;
	labels->text[0] = '\0';
	label_add(labels, "process", process->name);
}

static void port_labels(struct labels *labels, const struct process *process, const json_t *port) {
	process_labels(labels, process);
	label_add(labels, "port", text_of(port, "name"));
}

// What follows one another, divided by '+'.
static void profiles_label(struct labels *labels, const json_t *port) {
	char text[LABELS_SIZE / 8] = "";
	size_t len = 0, i;
	json_t *name;

	json_array_foreach(json_object_get(port, "profiles"), i, name) {
		len += snprintf(text + len, sizeof(text) - len, "%s%s", i > 0 ? "+" : "",
				json_string_value(name));
		if (len >= sizeof(text))
			break;
	}
	label_add(labels, "profiles", text);
}

/* Of the exporter and of each process */

static void build_info_write(struct exposition *text, const struct scrape *scrape,
			     const struct family *family) {
	struct labels labels = {0};

	(void)scrape;
	(void)family;
	label_add(&labels, "version", DDP_VERSION);
	exposition_uint(text, labels.text, 1);
}

static void scrape_seconds_write(struct exposition *text, const struct scrape *scrape,
				 const struct family *family) {
	(void)family;
	exposition_real(text, "", scrape->seconds);
}

static void left_out_write(struct exposition *text, const struct scrape *scrape,
			   const struct family *family) {
	(void)family;
	exposition_uint(text, "", scrape->n_left_out);
}

static void up_write(struct exposition *text, const struct scrape *scrape,
		     const struct family *family) {
	struct labels labels;

	(void)family;
	for (unsigned int i = 0; i < scrape->n_processes; i++) {
		process_labels(&labels, &scrape->processes[i]);
		exposition_uint(text, labels.text, scrape->processes[i].up);
	}
}

static void process_seconds_write(struct exposition *text, const struct scrape *scrape,
				  const struct family *family) {
	struct labels labels;

	(void)family;
	for (unsigned int i = 0; i < scrape->n_processes; i++) {
		process_labels(&labels, &scrape->processes[i]);
		exposition_real(text, labels.text, scrape->processes[i].seconds);
	}
}

/* Of each port */

// Call fn with each port and its labels, which fn may extend and must leave as they were.
static void ports_each(struct exposition *text, const struct scrape *scrape,
		       const struct family *family,
		       void (*fn)(struct exposition *text, const struct family *family,
				  const json_t *port, struct labels *labels)) {
	struct labels labels;

	for (unsigned int i = 0; i < scrape->n_processes; i++) {
		const struct process *process = &scrape->processes[i];
		json_t *port;
		size_t j;

		json_array_foreach(process->ports, j, port) {
			port_labels(&labels, process, port);
			fn(text, family, port, &labels);
		}
	}
}

static void labels_cut(struct labels *labels, size_t len) {
	labels->len = len;
	labels->text[len] = '\0';
}

static void port_info(struct exposition *text, const struct family *family, const json_t *port,
		      struct labels *labels) {
	static const char *const names[][2] = {
		{"version", "version"}, {"lower", "lower_device"},          {"isa", "isa"},
		{"nic", "offload"},     {"offload_state", "offload_state"},
	};

	(void)family;
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		label_add(labels, names[i][0], text_of(port, names[i][1]));
	profiles_label(labels, port);
	exposition_uint(text, labels->text, 1);
}

static void info_write(struct exposition *text, const struct scrape *scrape,
		       const struct family *family) {
	ports_each(text, scrape, family, port_info);
}

static void port_running(struct exposition *text, const struct family *family, const json_t *port,
			 struct labels *labels) {
	(void)family;
	exposition_uint(text, labels->text, strcmp(text_of(port, "state"), "running") == 0);
}

static void running_write(struct exposition *text, const struct scrape *scrape,
			  const struct family *family) {
	ports_each(text, scrape, family, port_running);
}

static void port_offload(struct exposition *text, const struct family *family, const json_t *port,
			 struct labels *labels) {
	(void)family;
	exposition_uint(text, labels->text, strcmp(text_of(port, "offload_state"), "on") == 0);
}

static void port_offload_ptypes(struct exposition *text, const struct family *family,
				const json_t *port, struct labels *labels) {
	(void)family;
	exposition_uint(text, labels->text,
			json_array_size(json_object_get(port, "offload_ptypes")));
}

static void offload_ptypes_write(struct exposition *text, const struct scrape *scrape,
				 const struct family *family) {
	ports_each(text, scrape, family, port_offload_ptypes);
}

static void offload_write(struct exposition *text, const struct scrape *scrape,
			  const struct family *family) {
	ports_each(text, scrape, family, port_offload);
}

// A number of the answer or of its counters. What this version of net_ddp does not tell is left
// out.
static void value_write(struct exposition *text, const struct family *family, const json_t *object,
			const struct labels *labels) {
	const json_t *value = json_object_get(object, family->key);

	if (!json_is_integer(value))
		return;
	if (family->unit != 0)
		exposition_real(text, labels->text, family->unit * json_integer_value(value));
	else
		exposition_uint(text, labels->text, json_integer_value(value));
}

static void port_number(struct exposition *text, const struct family *family, const json_t *port,
			struct labels *labels) {
	const json_t *counters = json_object_get(port, "counters");

	value_write(text, family, json_object_get(counters, family->key) ? counters : port, labels);
}

static void number_write(struct exposition *text, const struct scrape *scrape,
			 const struct family *family) {
	ports_each(text, scrape, family, port_number);
}

static void port_lower(struct exposition *text, const struct family *family, const json_t *port,
		       struct labels *labels) {
	label_add(labels, "lower", text_of(port, "lower_device"));
	port_number(text, family, port, labels);
}

static void lower_write(struct exposition *text, const struct scrape *scrape,
			const struct family *family) {
	ports_each(text, scrape, family, port_lower);
}

static void port_list(struct exposition *text, const struct family *family, const json_t *port,
		      struct labels *labels) {
	const json_t *names = family->names != NULL ? json_object_get(port, family->names) : NULL;
	size_t len = labels->len, i;
	json_t *value;

	json_array_foreach(json_object_get(port, family->key), i, value) {
		if (names != NULL)
			label_add(labels, family->item,
				  json_string_value(json_array_get(names, i)));
		else
			label_add_uint(labels, family->item, i);
		exposition_uint(text, labels->text, json_integer_value(value));
		labels_cut(labels, len);
	}
}

static void list_write(struct exposition *text, const struct scrape *scrape,
		       const struct family *family) {
	ports_each(text, scrape, family, port_list);
}

// A figure of all that was meant for the queues.
static void port_spread(struct exposition *text, const json_t *port, const struct labels *labels,
			double (*figure)(const uint64_t *loads, unsigned int n)) {
	const json_t *packets = json_object_get(port, "rx_packets");
	const json_t *missed = json_object_get(port, "rx_missed");
	size_t n = json_array_size(packets), i;
	uint64_t *loads = calloc(n + 1, sizeof(*loads));
	json_t *value;

	if (loads == NULL)
		return;
	json_array_foreach(packets, i, value)
		loads[i] =
			json_integer_value(value) + json_integer_value(json_array_get(missed, i));
	exposition_real(text, labels->text, figure(loads, n));
	free(loads);
}

static void port_imbalance(struct exposition *text, const struct family *family, const json_t *port,
			   struct labels *labels) {
	(void)family;
	port_spread(text, port, labels, ddp_imbalance);
}

static void imbalance_write(struct exposition *text, const struct scrape *scrape,
			    const struct family *family) {
	ports_each(text, scrape, family, port_imbalance);
}

static void port_jain(struct exposition *text, const struct family *family, const json_t *port,
		      struct labels *labels) {
	(void)family;
	port_spread(text, port, labels, ddp_jain);
}

static void jain_write(struct exposition *text, const struct scrape *scrape,
		       const struct family *family) {
	ports_each(text, scrape, family, port_jain);
}

/* Of each ddp-fwd */

static void buckets_write(struct exposition *text, const json_t *latency, struct labels *labels) {
	const json_t *packets = json_object_get(latency, "packets_le");
	size_t len = labels->len, i;
	json_t *bound;

	json_array_foreach(json_object_get(latency, "le_ns"), i, bound) {
		char le[32];

		snprintf(le, sizeof(le), "%g", json_integer_value(bound) / 1e9);
		label_add(labels, "le", le);
		exposition_part(text, "_bucket", labels->text,
				json_integer_value(json_array_get(packets, i)));
		labels_cut(labels, len);
	}
	label_add(labels, "le", "+Inf");
	exposition_part(text, "_bucket", labels->text, number_of(latency, "count"));
	labels_cut(labels, len);
}

static void latency_write(struct exposition *text, const struct scrape *scrape,
			  const struct family *family) {
	struct labels labels;

	(void)family;
	for (unsigned int i = 0; i < scrape->n_processes; i++) {
		const json_t *latency = scrape->processes[i].latency;

		if (latency == NULL)
			continue;
		process_labels(&labels, &scrape->processes[i]);
		buckets_write(text, latency, &labels);
		exposition_part(text, "_sum", labels.text, number_of(latency, "sum_ns") / 1e9);
		exposition_part(text, "_count", labels.text, number_of(latency, "count"));
	}
}

static void latency_max_write(struct exposition *text, const struct scrape *scrape,
			      const struct family *family) {
	struct labels labels;

	(void)family;
	for (unsigned int i = 0; i < scrape->n_processes; i++) {
		if (scrape->processes[i].latency == NULL)
			continue;
		process_labels(&labels, &scrape->processes[i]);
		exposition_real(text, labels.text,
				number_of(scrape->processes[i].latency, "max_ns") / 1e9);
	}
}

static void workers_write(struct exposition *text, const struct scrape *scrape,
			  const struct family *family) {
	struct labels labels;

	for (unsigned int i = 0; i < scrape->n_processes; i++) {
		json_t *worker;
		size_t j;

		json_array_foreach(scrape->processes[i].workers, j, worker) {
			process_labels(&labels, &scrape->processes[i]);
			label_add_uint(&labels, "worker", j);
			value_write(text, family, worker, &labels);
		}
	}
}

/* All of them */

#define NUMBER(kind, n, k, h) \
	{ .type = kind, .name = "net_ddp_" n, .help = h, .write = number_write, .key = k }
#define SCALED(n, k, u, h)                                                                    \
	{                                                                                     \
		.type = METRIC_GAUGE, .name = "net_ddp_" n, .help = h, .write = number_write, \
		.key = k, .unit = u                                                           \
	}
#define QUEUES(n, k, h)                                                                       \
	{                                                                                     \
		.type = METRIC_COUNTER, .name = "net_ddp_" n, .help = h, .write = list_write, \
		.key = k, .item = "queue"                                                     \
	}
#define PTYPES(kind, n, k, of, h)                                                             \
	{                                                                                     \
		.type = kind, .name = "net_ddp_" n, .help = h, .write = list_write, .key = k, \
		.item = "ptype", .names = of                                                  \
	}
#define WORKERS(n, k, u, h)                                                     \
	{                                                                       \
		.type = METRIC_COUNTER, .name = "ddp_fwd_worker_" n, .help = h, \
		.write = workers_write, .key = k, .unit = u                     \
	}
#define OTHER(kind, n, w, h) \
	{ .type = kind, .name = n, .help = h, .write = w }

// The manual page repeats this list, and a test compares them.
static const struct family families[] = {
	OTHER(METRIC_INFO, "ddp_exporter_build", build_info_write, "Version of ddp-exporter"),
	OTHER(METRIC_GAUGE, "ddp_exporter_scrape_duration_seconds", scrape_seconds_write,
	      "Time that asking all processes took"),
	OTHER(METRIC_GAUGE, "ddp_exporter_sockets_left_out", left_out_write,
	      "Telemetry sockets beyond the limit of 256"),
	OTHER(METRIC_GAUGE, "ddp_process_up", up_write,
	      "Whether the process answered in time and in full"),
	OTHER(METRIC_GAUGE, "ddp_process_scrape_duration_seconds", process_seconds_write,
	      "Time that asking the process took"),
	OTHER(METRIC_INFO, "net_ddp_port", info_write,
	      "Version, profiles and lower device of a port"),
	OTHER(METRIC_GAUGE, "net_ddp_running", running_write, "Whether the port is started"),
	QUEUES("rx_packets", "rx_packets", "Packets received from an Rx queue"),
	QUEUES("rx_bytes", "rx_bytes", "Bytes received from an Rx queue"),
	QUEUES("rx_missed_packets", "rx_missed", "Packets dropped because an Rx queue was full"),
	QUEUES("tx_packets", "tx_packets", "Packets sent to a Tx queue"),
	QUEUES("tx_bytes", "tx_bytes", "Bytes sent to a Tx queue"),
	PTYPES(METRIC_COUNTER, "ptype_packets", "ptype_packets", "ptypes",
	       "Packets by packet type, none for packets that no profile knows"),
	OTHER(METRIC_GAUGE, "net_ddp_rx_imbalance_ratio", imbalance_write,
	      "Packets of the most loaded Rx queue over the mean, missed ones included"),
	OTHER(METRIC_GAUGE, "net_ddp_rx_jain_ratio", jain_write,
	      "Jain's index of the packets of the Rx queues, 1 for an even load"),
	{.type = METRIC_COUNTER,
	 .name = "net_ddp_lower_packets",
	 .help = "Packets read from the lower device",
	 .write = lower_write,
	 .key = "rx_lower_packets"},
	NUMBER(METRIC_COUNTER, "lower_missed_packets", "lower_rx_missed_errors",
	       "Packets missed by the lower device"),
	NUMBER(METRIC_COUNTER, "lower_error_packets", "lower_rx_errors",
	       "Packets that the lower device received with an error"),
	NUMBER(METRIC_COUNTER, "lower_no_mbuf_packets", "lower_rx_mbuf_allocation_errors",
	       "Packets for which the lower device had no mbuf"),
	NUMBER(METRIC_COUNTER, "rule_dropped_packets", "rx_dropped_by_rule",
	       "Packets dropped by flow rules"),
	NUMBER(METRIC_GAUGE, "flow_rules", "flow_rules", "Flow rules of the port"),
	NUMBER(METRIC_GAUGE, "rx_ring_packets", "rx_in_rings", "Packets waiting for an Rx queue"),
	NUMBER(METRIC_GAUGE, "tx_ring_packets", "tx_in_rings", "Packets waiting to be sent"),
	NUMBER(METRIC_COUNTER, "rx_stop_dropped_packets", "rx_dropped_at_stop",
	       "Received packets dropped when the port stopped"),
	NUMBER(METRIC_COUNTER, "tx_stop_dropped_packets", "tx_dropped_at_stop",
	       "Packets never sent because the port stopped"),
	NUMBER(METRIC_COUNTER, "decapped_packets", "rx_decapped_packets",
	       "Packets whose tunnel was removed"),
	NUMBER(METRIC_COUNTER, "not_decapped_packets", "rx_not_decapped_packets",
	       "Packets without a tunnel that could be removed"),
	NUMBER(METRIC_COUNTER, "cache_hits", "rx_path_cache_hits",
	       "Packets whose path was in the path cache"),
	NUMBER(METRIC_COUNTER, "cache_misses", "rx_path_cache_misses",
	       "Packets whose path was not in the path cache"),
	NUMBER(METRIC_COUNTER, "cache_learned_paths", "rx_path_cache_learned",
	       "Paths added to the path cache"),
	NUMBER(METRIC_GAUGE, "cache_paths", "rx_path_cache_entries", "Paths in the path cache"),
	NUMBER(METRIC_COUNTER, "profile_changes", "profile_changes",
	       "Changes of the port's profiles while it existed"),
	OTHER(METRIC_GAUGE, "net_ddp_offload_on", offload_write,
	      "Whether the lower device hashes packets"),
	NUMBER(METRIC_GAUGE, "offload_bypass", "offload_bypass",
	       "Whether packets hashed by the lower device bypass the rings"),
	NUMBER(METRIC_GAUGE, "offload_rules", "offload_rules",
	       "Flow rules created on the lower device"),
	OTHER(METRIC_GAUGE, "net_ddp_offload_ptypes", offload_ptypes_write,
	      "Packet types that the lower device is to hash"),
	NUMBER(METRIC_COUNTER, "offloaded_packets", "rx_offloaded",
	       "Packets hashed by the lower device"),
	PTYPES(METRIC_COUNTER, "offload_checked_packets", "offload_checked", "offload_ptypes",
	       "Packets hashed in software, too, to verify the lower device"),
	PTYPES(METRIC_COUNTER, "offload_refuted_packets", "offload_wrong", "offload_ptypes",
	       "Packets for which the lower device had another hash than software"),
	PTYPES(METRIC_GAUGE, "offload_proven", "offload_proven", "offload_ptypes",
	       "Whether the hashes of the lower device are proven for a packet type"),
	SCALED("balance_interval_seconds", "balance_interval_ms", 1e-3,
	       "Interval of load-aware RSS, 0 if it is off"),
	NUMBER(METRIC_COUNTER, "balance_rounds", "balance_rounds",
	       "Intervals of load-aware RSS so far"),
	NUMBER(METRIC_COUNTER, "balance_moves", "balance_moves",
	       "Entries of the redirection table that load-aware RSS moved"),
	SCALED("balance_before_ratio", "balance_before_permille", 1e-3,
	       "Load of the most loaded queue over the mean in the last interval, without its moves"),
	SCALED("balance_after_ratio", "balance_after_permille", 1e-3,
	       "Load of the most loaded queue over the mean in the last interval, with its moves"),
	NUMBER(METRIC_COUNTER, "order_parked_packets", "balance_parked",
	       "Packets that waited so that they overtake none of their flow"),
	NUMBER(METRIC_COUNTER, "order_given_up", "balance_given_up",
	       "Queues that a change or a move stopped waiting for"),
	SCALED("order_longest_parking_seconds", "balance_longest_parking_us", 1e-6,
	       "Longest time that packets waited for their order"),
	OTHER(METRIC_HISTOGRAM, "ddp_fwd_latency_seconds", latency_write,
	      "Time of packets from net_ddp to the Tx queue or their release, without the lower device"),
	OTHER(METRIC_GAUGE, "ddp_fwd_latency_max_seconds", latency_max_write,
	      "Longest time of a packet since the start"),
	WORKERS("packets", "packets", 0, "Packets received by a worker"),
	WORKERS("bytes", "bytes", 0, "Bytes received by a worker"),
	WORKERS("sent_packets", "sent", 0, "Packets of a worker that a Tx queue accepted"),
	WORKERS("consumed_packets", "consumed", 0, "Packets that a worker released, not sent"),
	WORKERS("tx_full_packets", "tx_full", 0, "Packets dropped because a Tx queue was full"),
	WORKERS("busy_seconds", "busy_ns", 1e-9, "Time of polling that found packets"),
};

#define N_FAMILIES (sizeof(families) / sizeof(families[0]))

void families_write(struct exposition *text, const struct scrape *scrape) {
	for (unsigned int i = 0; i < N_FAMILIES; i++) {
		exposition_family(text, families[i].type, families[i].name, families[i].help);
		families[i].write(text, scrape, &families[i]);
	}
	exposition_end(text);
}

bool families_name(unsigned int i, char name[64], const char **help) {
	if (i >= N_FAMILIES)
		return false;
	snprintf(name, 64, "%s%s", families[i].name, exposition_suffix(families[i].type));
	*help = families[i].help;
	return true;
}
