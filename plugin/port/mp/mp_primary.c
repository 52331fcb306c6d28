/* SPDX-License-Identifier: BSD-3-Clause */
// Carries out what secondary processes ask for; see mp.h.
#include "port/app/app.h"
#include "port/counts/stats.h"
#include "port/exchange/exchange.h"
#include "port/mp/mp.h"
#include "port/quiesce/quiesce.h"
#include "port/state/control.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_malloc.h>

static int allmulticast(struct ddp_port *port, struct ddp_mp_request *request) {
	return ddp_allmulticast_set(port, request->n != 0);
}

static int attach(struct ddp_port *port, struct ddp_mp_request *request) {
	RTE_SET_USED(request);
	ddp_mp_watch(port);
	return 0;
}

static int fw_version(struct ddp_port *port, struct ddp_mp_request *request) {
	return ddp_fw_version_get(port, (char *)request->data, request->size);
}

static int info(struct ddp_port *port, struct ddp_mp_request *request) {
	ddp_info_get(port, (struct rte_eth_dev_info *)request->data);
	return 0;
}

static int link(struct ddp_port *port, struct ddp_mp_request *request) {
	ddp_link_get(port, request->n != 0, (struct rte_eth_link *)request->data);
	return 0;
}

static int link_set(struct ddp_port *port, struct ddp_mp_request *request) {
	uint16_t lower = port->lower.port_id;

	return DDP_LOWER_CALL(port, request->n != 0 ? rte_eth_dev_set_link_up(lower) :
						      rte_eth_dev_set_link_down(lower));
}

static int mtu(struct ddp_port *port, struct ddp_mp_request *request) {
	return ddp_mtu_set(port, request->n);
}

static int promiscuous(struct ddp_port *port, struct ddp_mp_request *request) {
	return ddp_promiscuous_set(port, request->n != 0);
}

static int ptypes(struct ddp_port *port, struct ddp_mp_request *request) {
	return ddp_ptypes_get(port, (uint32_t *)request->data);
}

static int reta_query(struct ddp_port *port, struct ddp_mp_request *request) {
	return ddp_rss_reta_query(port, (struct rte_eth_rss_reta_entry64 *)request->data,
				  request->n);
}

static int reta_update(struct ddp_port *port, struct ddp_mp_request *request) {
	return ddp_rss_reta_update(port, (struct rte_eth_rss_reta_entry64 *)request->data,
				   request->n);
}

// The configuration with its key, which is in the request.
static struct rte_eth_rss_conf *rss_conf(struct ddp_mp_request *request) {
	struct ddp_mp_rss *rss = (struct ddp_mp_rss *)request->data;

	rss->conf.rss_key = rss->has_key ? rss->key : NULL;
	return &rss->conf;
}

static int rss_hash_conf_get(struct ddp_port *port, struct ddp_mp_request *request) {
	ddp_rss_hash_get(port, rss_conf(request));
	return 0;
}

static int rss_hash_update(struct ddp_port *port, struct ddp_mp_request *request) {
	return ddp_rss_hash_update(port, rss_conf(request));
}

static int stats(struct ddp_port *port, struct ddp_mp_request *request) {
	return ddp_stats_get(port, (struct rte_eth_stats *)request->data);
}

static int stats_reset(struct ddp_port *port, struct ddp_mp_request *request) {
	RTE_SET_USED(request);
	return ddp_stats_reset(port);
}

static int xstats(struct ddp_port *port, struct ddp_mp_request *request) {
	return ddp_xstats_get(port, NULL, (struct rte_eth_xstat *)request->data, request->n);
}

static int xstats_names(struct ddp_port *port, struct ddp_mp_request *request) {
	return ddp_xstats_get(port, (struct rte_eth_xstat_name *)request->data, NULL, request->n);
}

static const struct {
	int (*run)(struct ddp_port *port, struct ddp_mp_request *request);
	bool changes;
} ops[DDP_MP_N_OPS] = {
#define OP(name, function, changes) [DDP_MP_##name] = {function, changes},
	DDP_MP_OPS(OP)
#undef OP
};

static int request_run(struct ddp_mp_request *request) {
	const uint16_t id = request->port_id;

	if (request->op >= RTE_DIM(ops))
		return -ENOTSUP;
	if (ops[request->op].changes)
		return DDP_PORT_CHANGE(id, port, ops[request->op].run(port, request));
	return DDP_PORT_READ(id, port, ops[request->op].run(port, request));
}

// The request is not ours any more.
static void request_end(struct ddp_mp_request *request, int ret) {
	uint32_t pending = DDP_MP_PENDING;

	request->ret = ret;
	if (!__atomic_compare_exchange_n(&request->state, &pending, DDP_MP_DONE, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		rte_free(request);
}

static void *request_thread(void *arg) {
	struct ddp_mp_request *request = arg;

	request_end(request, request_run(request));
	return NULL;
}

static int message_receive(const struct rte_mp_msg *msg, const void *peer) {
	struct ddp_mp_message message;
	pthread_t thread;
	int ret;

	RTE_SET_USED(peer);
	if (msg->len_param != sizeof(message))
		return -EINVAL;
	memcpy(&message, msg->param, sizeof(message));
	ret = pthread_create(&thread, NULL, request_thread, message.request);
	if (ret == 0)
		pthread_detach(thread);
	else
		request_end(message.request, -ret);
	return 0;
}

void ddp_mp_serve(void) {
	rte_mp_action_register(DDP_MP_NAME, message_receive);
}
