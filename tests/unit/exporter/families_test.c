/* SPDX-License-Identifier: BSD-3-Clause */
// The samples of a scrape.
#include "unit.h"

#include "exporter/families.h"

static json_t *port_make(const char *name) {
	return json_pack(
		"{ss ss ss ss ss ss ss s[ss] s{sI sI sI sI sI} si s[ii] s[ii] s[ii] s[i] s[i] s[ss] s[ii] "
		"s[s] s[i] s[i] s[i] si}",
		"name", name, "version", "1.0.0", "state", "running", "isa", "avx2", "lower_device",
		"net_pcap0", "offload", "ice", "offload_state", "on", "profiles", "gtpu", "vxlan",
		"counters", "rx_lower_packets", (json_int_t)42, "balance_longest_parking_us",
		(json_int_t)1500, "balance_after_permille", (json_int_t)1040,
		"lower_rx_missed_errors", (json_int_t)13, "rx_path_cache_hits", (json_int_t)7,
		"balance_interval_ms", 100, "rx_packets", 10, 20, "rx_bytes", 1000, 2000,
		"rx_missed", 0, 10, "tx_packets", 5, "tx_bytes", 500, "ptypes", "none", "IPV4_UDP",
		"ptype_packets", 3, 39, "offload_ptypes", "IPV4_UDP", "offload_checked", 64,
		"offload_wrong", 1, "offload_proven", 0, "profile_changes", 2);
}

static char *text_of(const struct scrape *scrape) {
	struct exposition text = {0};
	char *written;
	size_t size;

	text.to = open_memstream(&written, &size);
	families_write(&text, scrape);
	fclose(text.to);
	return written;
}

#define PORT "process=\"upf\",port=\"net_ddp0\""

static const char *const samples[] = {
	"ddp_process_up{process=\"upf\"} 1\n",
	"ddp_process_up{process=\"dead\"} 0\n",
	"net_ddp_port_info{" PORT ",version=\"1.0.0\",lower=\"net_pcap0\",isa=\"avx2\",nic=\"ice\","
	"offload_state=\"on\",profiles=\"gtpu+vxlan\"} 1\n",
	"net_ddp_running{" PORT "} 1\n",
	"net_ddp_rx_packets_total{" PORT ",queue=\"1\"} 20\n",
	"net_ddp_rx_bytes_total{" PORT ",queue=\"0\"} 1000\n",
	"net_ddp_rx_missed_packets_total{" PORT ",queue=\"1\"} 10\n",
	"net_ddp_tx_packets_total{" PORT ",queue=\"0\"} 5\n",
	"net_ddp_ptype_packets_total{" PORT ",ptype=\"none\"} 3\n",
	"net_ddp_ptype_packets_total{" PORT ",ptype=\"IPV4_UDP\"} 39\n",
	"net_ddp_rx_imbalance_ratio{" PORT "} 1.5\n",
	"net_ddp_rx_jain_ratio{" PORT "} 0.8\n",
	"net_ddp_lower_packets_total{" PORT ",lower=\"net_pcap0\"} 42\n",
	"net_ddp_cache_hits_total{" PORT "} 7\n",
	"net_ddp_profile_changes_total{" PORT "} 2\n",
	"net_ddp_offload_on{" PORT "} 1\n",
	"net_ddp_offload_ptypes{" PORT "} 1\n",
	"net_ddp_lower_missed_packets_total{" PORT "} 13\n",
	"net_ddp_offload_checked_packets_total{" PORT ",ptype=\"IPV4_UDP\"} 64\n",
	"net_ddp_offload_refuted_packets_total{" PORT ",ptype=\"IPV4_UDP\"} 1\n",
	"net_ddp_offload_proven{" PORT ",ptype=\"IPV4_UDP\"} 0\n",
	"net_ddp_balance_interval_seconds{" PORT "} 0.1\n",
	"net_ddp_balance_after_ratio{" PORT "} 1.04\n",
	"net_ddp_order_longest_parking_seconds{" PORT "} 0.0015\n",
	"ddp_fwd_latency_seconds_bucket{process=\"upf\",le=\"1e-07\"} 1\n"
	"ddp_fwd_latency_seconds_bucket{process=\"upf\",le=\"0.002\"} 2\n"
	"ddp_fwd_latency_seconds_bucket{process=\"upf\",le=\"+Inf\"} 3\n"
	"ddp_fwd_latency_seconds_sum{process=\"upf\"} 2.5\n"
	"ddp_fwd_latency_seconds_count{process=\"upf\"} 3\n",
	"ddp_fwd_latency_max_seconds{process=\"upf\"} 2.25\n",
	"ddp_fwd_worker_packets_total{process=\"upf\",worker=\"1\"} 8\n",
	"ddp_fwd_worker_busy_seconds_total{process=\"upf\",worker=\"1\"} 1.5\n",
};

static void each_number_becomes_a_sample(void **state) {
	struct scrape *scrape = calloc(1, sizeof(*scrape));
	char *text;

	(void)state;
	scrape->n_processes = 2;
	scrape->processes[0] = (struct process){.name = "upf", .up = true, .ports = json_array()};
	scrape->processes[1] = (struct process){.name = "dead", .ports = json_array()};
	json_array_append_new(scrape->processes[0].ports, port_make("net_ddp0"));
	scrape->processes[0].latency = json_pack(
		"{sI sI sI s[ii] s[ii]}", "count", (json_int_t)3, "sum_ns", (json_int_t)2500000000,
		"max_ns", (json_int_t)2250000000, "le_ns", 100, 2000000, "packets_le", 1, 2);
	scrape->processes[0].workers = json_pack("[{} {sI sI}]", "packets", (json_int_t)8,
						 "busy_ns", (json_int_t)1500000000);
	text = text_of(scrape);
	for (unsigned int i = 0; i < COUNT(samples); i++)
		if (strstr(text, samples[i]) == NULL)
			fail_msg("not there: %s", samples[i]);
	assert_null(strstr(text, "net_ddp_flow_rules{")); // not told, so not made up
	free(text);
	scrape_destroy(scrape);
}

// Prometheus refuses a family whose samples are apart.
static void a_family_is_in_one_place(void **state) {
	struct scrape *scrape = calloc(1, sizeof(*scrape));
	char family[128] = "", seen[1 << 14] = "\n";
	char *text, *line, *rest;

	(void)state;
	scrape->n_processes = 2;
	scrape->processes[0] = (struct process){.name = "a", .up = true, .ports = json_array()};
	scrape->processes[1] = (struct process){.name = "b", .up = true, .ports = json_array()};
	json_array_append_new(scrape->processes[0].ports, port_make("net_ddp0"));
	json_array_append_new(scrape->processes[0].ports, port_make("net_ddp1"));
	json_array_append_new(scrape->processes[1].ports, port_make("net_ddp0"));
	text = text_of(scrape);
	rest = text;
	while ((line = strsep(&rest, "\n")) != NULL && line[0] != '\0') {
		char name[130];

		if (sscanf(line, "# HELP %127s", family) == 1) {
			snprintf(name, sizeof(name), "\n%s\n", family);
			assert_null(strstr(seen, name));
			strcat(seen, name + 1);
		} else if (line[0] != '#') {
			assert_memory_equal(line, family, strlen(family));
			assert_non_null(strchr("{ _", line[strlen(family)]));
		}
	}
	free(text);
	scrape_destroy(scrape);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_number_becomes_a_sample),
		cmocka_unit_test(a_family_is_in_one_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
