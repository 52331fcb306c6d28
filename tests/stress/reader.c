/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_telemetry.h>

#include "packet_stream.h"
#include "poller.h"
#include "pool.h"
#include "port/state/rte_pmd_ddp.h"
#include "stress_flows.h"

#define XSTATS_MAX 1024
#define HANDLERS_MAX 16
#define ANSWERS_MAX 1024

/* Telemetry: the handlers of net_ddp, called as the socket's thread does */

static struct handler {
	const char *command;
	telemetry_cb fn;
} handlers[HANDLERS_MAX];
static unsigned int n_handlers;

int __real_rte_telemetry_register_cmd(const char *cmd, telemetry_cb fn, const char *help);
int __wrap_rte_telemetry_register_cmd(const char *cmd, telemetry_cb fn, const char *help);

// The linker gives us these calls (meson.build).
int __wrap_rte_telemetry_register_cmd(const char *cmd, telemetry_cb fn, const char *help) {
	if (n_handlers < HANDLERS_MAX && strstr(cmd, "/profile_") == NULL)
		handlers[n_handlers++] = (struct handler){cmd, fn};
	return __real_rte_telemetry_register_cmd(cmd, fn, help);
}

// An answer and what is in it: only the socket's thread would free the latter.
static struct rte_tel_data *answers[ANSWERS_MAX];
static unsigned int n_answers;

struct rte_tel_data *__real_rte_tel_data_alloc(void);
struct rte_tel_data *__wrap_rte_tel_data_alloc(void);

struct rte_tel_data *__wrap_rte_tel_data_alloc(void) {
	if (n_answers == ANSWERS_MAX)
		return NULL;
	answers[n_answers] = __real_rte_tel_data_alloc();
	return answers[n_answers++];
}

static void telemetry_read(uint16_t port) {
	char params[16];

	snprintf(params, sizeof(params), "%u", port);
	for (unsigned int i = 0; i < n_handlers; i++) {
		struct rte_tel_data *data = rte_tel_data_alloc();

		if (data == NULL || handlers[i].fn(handlers[i].command, params, data) < 0)
			fault("telemetry's %s fails", handlers[i].command);
		while (n_answers > 0)
			rte_tel_data_free(answers[--n_answers]);
	}
}

/* Queues */

static pthread_mutex_t parking = PTHREAD_MUTEX_INITIALIZER;

// Whether a number of packets fits the rings of a queue, one for each lower queue, and the queues
// of the NIC.
static void count_check(uint16_t queue, int n, uint16_t n_desc) {
	if (n < 0 || n > STREAM_RXQ_MAX * (n_desc + NIC_DESC + STREAM_RXQ_MAX * n_desc))
		fault("Rx queue %u of %u descriptors: %d packets wait", queue, n_desc, n);
}

static void queues_read(uint16_t port, const struct rte_eth_dev_info *info) {
	struct rte_eth_burst_mode mode;
	struct rte_eth_rxq_info rxq;
	struct rte_eth_txq_info txq;

	for (uint16_t q = 0; q < info->nb_rx_queues; q++) {
		rte_eth_rx_queue_info_get(port, q, &rxq);
		count_check(q, rte_eth_rx_queue_count(port, q), rxq.nb_desc);
		if (rte_eth_rx_descriptor_status(port, q, 0) < 0)
			fault("Rx queue %u: no status of its first descriptor", q);
		rte_eth_rx_burst_mode_get(port, q, &mode);
	}
	for (uint16_t q = 0; q < info->nb_tx_queues; q++) {
		rte_eth_tx_queue_info_get(port, q, &txq);
		if (rte_eth_tx_descriptor_status(port, q, 0) < 0)
			fault("Tx queue %u: no status of its first descriptor", q);
	}
}

/* The port */

static void flow_read(uint16_t port) {
	static FILE *null;
	struct rte_flow_error error;

	if (null == NULL)
		null = fopen("/dev/null", "w");
	if (null != NULL && rte_flow_dev_dump(port, NULL, null, &error) < 0)
		fault("rte_flow_dev_dump: %s", error.message != NULL ? error.message : "?");
}

static void port_read(uint16_t port) {
	static struct rte_eth_xstat values[XSTATS_MAX];
	static struct rte_pmd_ddp_ptype types[256];
	static struct rte_pmd_ddp_ptype_mapping mappings[256];
	struct rte_eth_rss_reta_entry64 groups[RETA_SIZE / RTE_ETH_RETA_GROUP_SIZE] = {0};
	struct rte_pmd_ddp_profile profiles[4];
	struct rte_eth_rss_conf conf = {0};
	struct rte_eth_dev_info info;
	struct rte_eth_stats stats;
	struct rte_eth_link link;
	uint32_t ptypes[64];
	char version[128];

	groups[0].mask = UINT64_MAX;
	rte_eth_stats_get(port, &stats);
	rte_eth_xstats_get(port, values, XSTATS_MAX);
	rte_eth_dev_rss_hash_conf_get(port, &conf);
	rte_eth_dev_rss_reta_query(port, groups, RETA_SIZE);
	rte_pmd_ddp_profiles_get(port, profiles, RTE_DIM(profiles));
	rte_pmd_ddp_ptypes_get(port, types, RTE_DIM(types));
	rte_pmd_ddp_ptype_mapping_get(port, mappings, RTE_DIM(mappings));
	answered(rte_eth_dev_get_supported_ptypes(port, UINT32_MAX, ptypes, RTE_DIM(ptypes)));
	answered(rte_eth_dev_fw_version_get(port, version, sizeof(version)));
	answered(rte_eth_link_get(port, &link));
	answered(rte_eth_link_get_nowait(port, &link));
	flow_read(port);
	telemetry_read(port);
	if (rte_eth_dev_info_get(port, &info) < 0)
		return;
	pthread_mutex_lock(&parking);
	queues_read(port, &info);
	pthread_mutex_unlock(&parking);
}

void reader_park(void) {
	pthread_mutex_lock(&parking);
}

void reader_resume(void) {
	pthread_mutex_unlock(&parking);
}

static pthread_t thread;
static uint16_t read_port;
static atomic_bool reading;

static void *reader_main(void *arg) {
	while (reading) {
		port_read(read_port);
		usleep(1000);
	}
	return NULL;
}

void reader_start(uint16_t port) {
	read_port = port;
	reading = true;
	if (pthread_create(&thread, NULL, reader_main, NULL) != 0)
		abort();
}

void reader_stop(void) {
	reading = false;
	pthread_join(thread, NULL);
}
