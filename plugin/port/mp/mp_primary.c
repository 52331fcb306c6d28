/* SPDX-License-Identifier: BSD-3-Clause */
// Carries out what secondary processes ask for; see mp.h.
#include "port/app/app.h"
#include "port/counts/stats.h"
#include "port/mp/mp.h"
#include "port/quiesce/quiesce.h"
#include "port/state/control.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_malloc.h>

// The configuration with its key, which is in the request.
static struct rte_eth_rss_conf *rss_conf(struct ddp_mp_rss *rss) {
	rss->conf.rss_key = rss->has_key ? rss->key : NULL;
	return &rss->conf;
}

static int request_run(struct ddp_mp_request *request) {
	const struct eth_dev_ops *ops = &ddp_port_ops;
	struct rte_eth_dev *dev;
	void *data = request->data;

	if (request->port_id >= RTE_MAX_ETHPORTS)
		return -ENODEV;
	dev = &rte_eth_devices[request->port_id];
	switch (request->op) {
#define CASE(name, call)    \
	case DDP_MP_##name: \
		return call;
		DDP_MP_OPS(CASE)
#undef CASE
	default:
		return -ENOTSUP;
	}
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
	struct ddp_mp_request *request;
	pthread_t thread;
	int ret;

	RTE_SET_USED(peer);
	if (msg->len_param != sizeof(request))
		return -EINVAL;
	memcpy(&request, msg->param, sizeof(request));
	ret = pthread_create(&thread, NULL, request_thread, request);
	if (ret == 0)
		pthread_detach(thread);
	else
		request_end(request, -ret);
	return 0;
}

void ddp_mp_serve(void) {
	rte_mp_action_register(DDP_MP_NAME, message_receive);
}
