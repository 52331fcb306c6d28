/* SPDX-License-Identifier: BSD-3-Clause */
// Attaches the lower device and closes it: it is probed by its devargs, or taken over if it exists
// already; owned, so that the application does not see it; then as our port is.
//
// Its device is removed from its bus when the application closes our port. It cannot be removed
// when our driver's remove is called instead: rte_eal_cleanup() may be the caller, which walks the
// list of devices and may hold a pointer to this one. Such a device stays on its bus without a
// port, an orphan. The bus removes it at clean-up, or we do before we probe it again.
#include "port/lower/lower.h"
#include "port/quiesce/quiesce.h"
#include "port/state/control.h"

#include <stdlib.h>

#include <rte_bus.h>
#include <rte_bus_vdev.h>
#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_errno.h>
#include <rte_string_fns.h>

#define REMOVAL_WAIT_S 10

struct orphan {
	LIST_ENTRY(orphan) link;
	char bus[RTE_DEV_NAME_MAX_LEN];
	char name[RTE_DEV_NAME_MAX_LEN];
};

static LIST_HEAD(, orphan) orphans = LIST_HEAD_INITIALIZER(orphans);
static pthread_mutex_t orphans_mutex = PTHREAD_MUTEX_INITIALIZER;

static const enum rte_eth_event_type event_types[] = {
	RTE_ETH_EVENT_NEW,
	RTE_ETH_EVENT_DESTROY,
	RTE_ETH_EVENT_INTR_LSC,
	RTE_ETH_EVENT_INTR_RMV,
	RTE_ETH_EVENT_INTR_RESET,
	RTE_ETH_EVENT_ERR_RECOVERING,
	RTE_ETH_EVENT_RECOVERY_SUCCESS,
	RTE_ETH_EVENT_RECOVERY_FAILED,
};

static bool is_vdev(const struct ddp_lower *lower) {
	return strcmp(lower->bus, "vdev") == 0;
}

static void device_remove(const struct ddp_port *port) {
	const struct ddp_lower *lower = &port->lower;
	int ret;

	if (is_vdev(lower))
		ret = rte_vdev_uninit(lower->name);
	else
		ret = rte_eal_hotplug_remove(lower->bus, lower->name);
	if (ret != 0)
		LOWER_LOG(WARNING, port, "stays on its bus: %s", rte_strerror(-ret));
}

static void orphan_add(const struct ddp_lower *lower) {
	struct orphan *orphan = calloc(1, sizeof(*orphan));

	if (orphan == NULL)
		return; // a later probe of the device logs the failure
	strlcpy(orphan->bus, lower->bus, sizeof(orphan->bus));
	strlcpy(orphan->name, lower->name, sizeof(orphan->name));
	pthread_mutex_lock(&orphans_mutex);
	LIST_INSERT_HEAD(&orphans, orphan, link);
	pthread_mutex_unlock(&orphans_mutex);
}

static bool orphan_del(const struct ddp_lower *lower) {
	struct orphan *orphan;

	pthread_mutex_lock(&orphans_mutex);
	LIST_FOREACH(orphan, &orphans, link)
		if (strcmp(orphan->bus, lower->bus) == 0 && strcmp(orphan->name, lower->name) == 0)
			break;
	if (orphan != NULL)
		LIST_REMOVE(orphan, link);
	pthread_mutex_unlock(&orphans_mutex);
	free(orphan);
	return orphan != NULL;
}

/* Port ids */

// ethdev gives a new port the first free id, and many applications expect that their n ports have
// the ids 0 to n - 1. So low ids are held while a lower device is probed: its port gets a high one.
//
// Such a port is allocated as by a driver, but never announced: ethdev's iterators skip
// it, its functions refuse it, and no event is sent when it is released.

// ids: high ones that stay free. A lower device may have several ports before the one that we use,
// as net_failsafe has; without a free id its probe would fail.
#define IDS_SPARE 4

static bool id_hold(struct ddp_ids *ids, uint16_t port_id) {
	char name[RTE_ETH_NAME_MAX_LEN];
	struct rte_eth_dev *dev;

	// Names differ while a net_ddp port is probed as lower device of another.
	snprintf(name, sizeof(name), "net_ddp held %u for %u", ids->n, port_id);
	dev = rte_eth_dev_allocate(name);
	if (dev == NULL)
		return false;
	if (dev->data->port_id >= DDP_LOWER_ID_MIN) {
		rte_eth_dev_release_port(dev);
		return false;
	}
	ids->devs[ids->n++] = dev;
	return true;
}

static void ids_hold(struct ddp_ids *ids, uint16_t port_id) {
	unsigned int n_free = 0;

	ids->n = 0;
	for (uint16_t id = DDP_LOWER_ID_MIN; id < RTE_MAX_ETHPORTS; id++) {
		const struct rte_eth_dev_data *data = rte_eth_devices[id].data;

		n_free += data == NULL || data->name[0] == '\0'; // else also if not announced yet
	}
	while (n_free >= IDS_SPARE && ids->n < RTE_DIM(ids->devs) && id_hold(ids, port_id))
		;
}

static void ids_release(struct ddp_ids *ids) {
	while (ids->n > 0)
		rte_eth_dev_release_port(ids->devs[--ids->n]);
}

/* Events */

struct event {
	enum rte_eth_event_type type;
	uint16_t port_id;
	uint16_t above; // the net_ddp port above this lower port; DDP_PORT_NONE: none
};

// Own the port of our lower device before the application sees it.
static void lower_new(struct ddp_port *port, uint16_t port_id) {
	struct ddp_lower *lower = &port->lower;

	if (lower->port_id == DDP_PORT_NONE &&
	    strcmp(rte_dev_name(rte_eth_devices[port_id].device), lower->name) == 0 &&
	    rte_eth_dev_owner_set(port_id, &lower->owner) == 0) {
		lower->port_id = port_id;
		ids_release(&lower->held); // the device's other ports are the application's
	}
}

// The lower device was unplugged; its port stays until we close it. A start sees this, too.
static void lower_unplugged(struct ddp_port *port) {
	__atomic_store_n(&port->lower.unplugged, true, __ATOMIC_SEQ_CST);
	__atomic_store_n(&port->running, false, __ATOMIC_SEQ_CST);
	LOWER_LOG(ERR, port, "was unplugged");
}

// The lower port is being released. When this returns, no thread uses it.
static void lower_destroyed(uint16_t port_id) {
	struct ddp_port *port = ddp_registry_get_early(port_id);

	if (port == NULL)
		return;
	port->lower.gone = true;
	port->lower.started = false;
	__atomic_store_n(&port->running, false, __ATOMIC_SEQ_CST);
	// A call that a signal handler interrupted does not end meanwhile: see app/ethdev.c.
	if (!port->stuck)
		port->stuck = !ddp_port_quiesce(port, REMOVAL_WAIT_S);
	LOWER_LOG(ERR, port, "was removed");
	while (port != NULL && !ddp_is_alone(port)) { // other threads use the lower port
		ddp_registry_put(port);
		rte_delay_us_sleep(DDP_CONTROL_WAIT_US);
		port = ddp_registry_get_early(port_id);
	}
	if (port != NULL)
		ddp_registry_put(port);
}

static void port_event(struct ddp_port *port, void *arg) {
	struct event *event = arg;

	if (event->type == RTE_ETH_EVENT_NEW) {
		lower_new(port, event->port_id);
		return;
	}
	if (event->port_id != port->lower.port_id || port->lower.gone)
		return;
	if (event->type == RTE_ETH_EVENT_INTR_RMV)
		lower_unplugged(port);
	if (event->type == RTE_ETH_EVENT_RECOVERY_SUCCESS)
		ddp_offload_recovered(port);
	event->above = port->id;
}

// Pass an event of a lower port to the application as an event of our port. Not under the
// registry's mutex. After its own removal the application gets a link event.
static int any_event(uint16_t port_id, enum rte_eth_event_type type, void *arg, void *ret_param) {
	struct event event = {.type = type, .port_id = port_id, .above = DDP_PORT_NONE};

	RTE_SET_USED(arg);
	RTE_SET_USED(ret_param);
	ddp_registry_each(port_event, &event);
	if (event.above == DDP_PORT_NONE)
		return 0;
	if (type == RTE_ETH_EVENT_DESTROY) {
		lower_destroyed(event.above);
		type = RTE_ETH_EVENT_INTR_LSC;
	}
	rte_eth_dev_callback_process(&rte_eth_devices[event.above], type, NULL);
	return 0;
}

// The device of a lower port is about to be removed. Some drivers refuse that while their port
// runs, and the application cannot stop a port that it does not see.
static void leaving_stop(struct ddp_port *port) {
	const uint16_t port_id = port->id;

	if (!port->lower.gone && ddp_port_quiesce(port, REMOVAL_WAIT_S))
		ddp_lower_stop(port);
	ddp_change_end(port);
	rte_eth_dev_callback_process(&rte_eth_devices[port_id], RTE_ETH_EVENT_INTR_LSC, NULL);
}

static void device_leaves(struct ddp_port *port, void *arg) {
	const char *name = arg;

	if (strcmp(port->lower.name, name) != 0 || ddp_lower_is_unplugged(port))
		return;
	lower_unplugged(port);
	ddp_alarm_set(port, DDP_ALARM_LEAVING, 1, leaving_stop);
}

static void any_device_event(const char *name, enum rte_dev_event_type type, void *arg) {
	RTE_SET_USED(arg);
	if (type == RTE_DEV_EVENT_REMOVE)
		ddp_registry_each(device_leaves, (void *)(uintptr_t)name);
}

// Registered once, for all ports, and never unregistered: ethdev keeps the callback of a closed
// port for the next one with that id, and does not say that one is being called.
static int events_register(void) {
	static bool registered;
	int ret = 0;

	for (unsigned int i = 0; ret == 0 && i < RTE_DIM(event_types); i++)
		ret = rte_eth_dev_callback_register(RTE_ETH_ALL, event_types[i], any_event, NULL);
	if (ret != 0 || __atomic_exchange_n(&registered, true, __ATOMIC_RELAXED))
		return ret; // EAL would log an error
	return rte_dev_event_callback_register(NULL, any_device_event, NULL);
}

/* Attaching */

// Find bus and name of the lower device. On success args is what follows its name, to be freed.
static int lower_identify(struct ddp_port *port, const char *devargs, char **args) {
	struct ddp_lower *lower = &port->lower;
	struct rte_eth_dev *same_name;
	struct rte_devargs da = {0};

	if (rte_devargs_parse(&da, devargs) != 0 || da.bus == NULL) { // as of class=...
		rte_devargs_reset(&da);
		return PORT_FAIL(port->name, -ENODEV, "no bus or driver for the lower device '%s'",
				 devargs);
	}
	strlcpy(lower->bus, rte_bus_name(da.bus), sizeof(lower->bus));
	strlcpy(lower->name, da.name, sizeof(lower->name));
	same_name = rte_eth_dev_allocated(lower->name);
	if (same_name != NULL && same_name->state == RTE_ETH_DEV_UNUSED) {
		PORT_LOG(ERR, port->name, "the lower device %s is this port itself", lower->name);
		rte_devargs_reset(&da);
		return -ELOOP;
	}
	*args = strdup(da.args != NULL ? da.args : ""); // bus=...,name=...
	rte_devargs_reset(&da);
	if (*args == NULL)
		return PORT_FAIL(port->name, -ENOMEM, "out of memory");
	return 0;
}

static int lower_probe(struct ddp_port *port, const char *devargs, const char *args) {
	struct ddp_lower *lower = &port->lower;
	int ret = -EEXIST;

	ids_hold(&lower->held, port->id);
	// Virtual devices are removed from their bus even if their driver refuses them.
	// rte_dev_probe() would leave it there: the bus would never remove it.
	if (is_vdev(lower))
		ret = rte_vdev_init(lower->name, args);
	if (ret == -EEXIST) // or on another bus; it has no port, so it was not probed
		ret = rte_dev_probe(devargs);
	ids_release(&lower->held);
	if (ret != 0) {
		PORT_LOG(ERR, port->name, "lower device '%s' cannot be probed: %s", devargs,
			 ret == -1 ? "its driver refuses it" :
				     rte_strerror(-ret)); // -1 is no errno
		return ret < 0 ? ret : -ENODEV;
	}
	lower->probed = true;
	if (lower->port_id == DDP_PORT_NONE) // lower_new() sets it
		return LOWER_FAIL(port, -ENODEV, "has no Ethernet port");
	return 0;
}

static int lower_find(struct ddp_port *port, const char *devargs, const char *args) {
	const bool orphaned = orphan_del(&port->lower);
	struct rte_eth_dev_owner owner = {0};
	uint16_t i = rte_eth_find_next(0);

	while (i < RTE_MAX_ETHPORTS &&
	       strcmp(rte_dev_name(rte_eth_devices[i].device), port->lower.name) != 0)
		i = rte_eth_find_next(i + 1);
	if (i == RTE_MAX_ETHPORTS) {
		if (orphaned)
			device_remove(port);
		return lower_probe(port, devargs, args);
	}
	if (rte_eth_dev_owner_set(i, &port->lower.owner) != 0) {
		rte_eth_dev_owner_get(i, &owner);
		return LOWER_FAIL(port, -EBUSY, "is in use by %s", owner.name);
	}
	port->lower.port_id = i;
	return 0;
}

int ddp_lower_attach(struct ddp_port *port, const char *devargs) {
	struct ddp_lower *lower = &port->lower;
	char *args;
	int ret;

	assert(lower->port_id == DDP_PORT_NONE && !lower->probed);
	if (rte_eth_dev_owner_new(&lower->owner.id) != 0 || events_register() != 0)
		return PORT_FAIL(port->name, -ENOMEM, "cannot register as owner of a lower port");
	strlcpy(lower->owner.name, port->name, sizeof(lower->owner.name));
	ret = lower_identify(port, devargs, &args);
	if (ret < 0)
		return ret;
	ret = lower_find(port, devargs, args);
	free(args);
	if (ret < 0)
		return ret;
	ret = rte_eth_dev_info_get(lower->port_id, &lower->info);
	if (ret < 0)
		LOWER_LOG(ERR, port, "rte_eth_dev_info_get failed: %s", rte_strerror(-ret));
	return ret;
}

void ddp_lower_release(struct ddp_port *port) {
	struct ddp_lower *lower = &port->lower;

	if (lower->probed)
		ddp_lower_close(port, true);
	else if (lower->port_id != DDP_PORT_NONE && !lower->gone)
		rte_eth_dev_owner_unset(lower->port_id, lower->owner.id);
	lower->port_id = DDP_PORT_NONE;
}

void ddp_lower_close(struct ddp_port *port, bool remove_device) {
	struct ddp_lower *lower = &port->lower;

	if (lower->gone)
		return; // its device is no longer ours
	if (lower->port_id != DDP_PORT_NONE)
		rte_eth_dev_close(lower->port_id);
	lower->port_id = DDP_PORT_NONE;
	if (remove_device)
		device_remove(port);
	else
		orphan_add(lower);
}

bool ddp_lower_can_hash(const struct ddp_port *port) {
	return port->offload.mode != DDP_OFFLOAD_OFF &&
	       (port->lower.info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_RSS_HASH) != 0 &&
	       port->lower.info.hash_key_size > 0;
}

// Drivers that support segments without announcing SCATTER and MULTI_SEGS.
static bool takes_segments(const struct ddp_port *port) {
	return ddp_lower_is(port, "net_pcap") || ddp_lower_is(port, "net_ring") ||
	       ddp_lower_is(port, "net_null") || ddp_lower_is(port, "net_memif");
}

uint64_t ddp_lower_tx_capa(const struct ddp_port *port) {
	uint64_t capa = port->lower.info.tx_offload_capa;

	return takes_segments(port) ? capa | RTE_ETH_TX_OFFLOAD_MULTI_SEGS : capa;
}

static void conf_fill(struct rte_eth_conf *out, const struct ddp_port *port,
		      const struct rte_eth_conf *conf, uint16_t n_rxq) {
	const struct ddp_lower *lower = &port->lower;
	const bool hashes = ddp_lower_can_hash(port);
	// net_i40e accepts no types later if it is configured with none.
	uint64_t rss_hf =
		n_rxq > 1 || hashes ? lower->info.flow_type_rss_offloads & DDP_LOWER_SPREAD_HF : 0;

	memset(out, 0, sizeof(*out)); // including padding: it is compared by memcmp()
	out->link_speeds = conf->link_speeds;
	out->rxmode.mtu = conf->rxmode.mtu;
	out->rxmode.offloads =
		conf->rxmode.offloads & ~(RTE_ETH_RX_OFFLOAD_RSS_HASH | port->rx_checksums);
	if ((lower->info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER) == 0)
		out->rxmode.offloads &= ~RTE_ETH_RX_OFFLOAD_SCATTER;
	out->txmode.offloads = conf->txmode.offloads & ~port->tx_checksums;
	if ((lower->info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) == 0)
		out->txmode.offloads &= ~RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	if (hashes)
		out->rxmode.offloads |= RTE_ETH_RX_OFFLOAD_RSS_HASH;
	out->rxmode.mq_mode = rss_hf != 0 || hashes ? RTE_ETH_MQ_RX_RSS : RTE_ETH_MQ_RX_NONE;
	out->rx_adv_conf.rss_conf.rss_hf = rss_hf;
	out->intr_conf.lsc = conf->intr_conf.lsc;
	out->intr_conf.rmv = conf->intr_conf.rmv;
	out->intr_conf.rxq = conf->intr_conf.rxq;
}

static int conf_apply(struct ddp_port *port, const struct rte_eth_conf *conf, uint16_t n_rxq,
		      uint16_t n_txq) {
	struct ddp_lower *lower = &port->lower;
	int ret;

	assert(conf != &lower->conf);
	// On failure ethdev has released the queues: no configuration is applied then.
	lower->n_rxq = lower->n_txq = 0;
	lower->queues_ready = false;
	memset(&lower->conf, 0, sizeof(lower->conf));
	ret = DDP_LOWER_CALL(port, rte_eth_dev_configure(lower->port_id, n_rxq, n_txq, conf));
	if (ret < 0)
		return LOWER_FAIL(port, ret, "cannot have %u Rx and %u Tx queues as configured: %s",
				  n_rxq, n_txq, rte_strerror(-ret));
	lower->n_rxq = n_rxq;
	lower->n_txq = n_txq;
	memcpy(&lower->conf, conf, sizeof(*conf));
	return 0;
}

// Nothing if nothing changed: set up again, net_pcap with infinite_rx would read its file again.
int ddp_lower_configure(struct ddp_port *port, const struct rte_eth_conf *upper_conf) {
	struct ddp_lower *lower = &port->lower;
	uint16_t n_rxq = port->data->nb_rx_queues, n_txq;
	struct rte_eth_conf conf;

	if (n_rxq > 0 && (lower->n_rxq_fixed || n_rxq > lower->n_rxq_max))
		n_rxq = lower->n_rxq_max;
	// As many as Rx queues: some devices require that, and more would be of no use.
	n_txq = RTE_MIN(lower->info.max_tx_queues, RTE_MAX(n_rxq, 1));
	conf_fill(&conf, port, upper_conf, n_rxq);
	if (lower->n_rxq == n_rxq && lower->n_txq == n_txq &&
	    memcmp(&lower->conf, &conf, sizeof(conf)) == 0)
		return 0;
	return conf_apply(port, &conf, n_rxq, n_txq);
}

int ddp_lower_reset(struct ddp_port *port) {
	struct ddp_lower *lower = &port->lower;
	uint16_t n_rxq = lower->n_rxq, n_txq = lower->n_txq;
	struct rte_eth_conf conf;
	int ret;

	assert(!lower->started);
	memcpy(&conf, &lower->conf, sizeof(conf));
	ret = DDP_LOWER_CALL(port, rte_eth_dev_reset(lower->port_id));
	if (ret == 0)
		return n_rxq > 0 ? conf_apply(port, &conf, n_rxq, n_txq) : 0;
	LOWER_LOG(ERR, port, "cannot be reset: %s", rte_strerror(-ret));
	if (ret != -ENOTSUP) // it may have forgotten its configuration
		lower->n_rxq = lower->n_txq = 0;
	return ret;
}

// An application that enables SCATTER may have mbufs smaller than packets.
static int scatter_check(const struct ddp_port *port, struct rte_mempool *pool) {
	const struct rte_eth_rxmode *mode = &port->data->dev_conf.rxmode;
	unsigned int room = pool == NULL ? 0 : rte_pktmbuf_data_room_size(pool);
	unsigned int packet = mode->mtu + RTE_ETHER_HDR_LEN;

	if ((mode->offloads & RTE_ETH_RX_OFFLOAD_SCATTER) == 0 || pool == NULL ||
	    takes_segments(port) ||
	    (port->lower.info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER) != 0 ||
	    packet + RTE_PKTMBUF_HEADROOM <= room)
		return 0;
	return LOWER_FAIL(port, -ENOTSUP, "cannot scatter packets of %u bytes over mbufs of %u",
			  packet, room);
}

// Each thread that polls an Rx queue takes mbufs for all of them, and frees mbufs of any. One that
// sends on a lower Tx queue makes it free mbufs that other threads sent there.
int ddp_lower_pool_check(const struct ddp_port *port, const struct rte_mempool *pool) {
	const char *ops = rte_mempool_get_ops(pool->ops_index)->name;
	const uint16_t n_rxq = port->data->nb_rx_queues, n_txq = port->data->nb_tx_queues;
	const bool single = (pool->flags & (RTE_MEMPOOL_F_SP_PUT | RTE_MEMPOOL_F_SC_GET)) != 0 ||
			    strcmp(ops, "ring_sp_sc") == 0 || strcmp(ops, "ring_sp_mc") == 0 ||
			    strcmp(ops, "ring_mp_sc") == 0;

	if ((n_rxq <= 1 && n_txq <= port->lower.n_txq) || !single)
		return 0;
	return PORT_FAIL(
		port->name, -EINVAL,
		"mempool %s (%s) is for one thread, but those of %u Rx and %u Tx queues, over %u of "
		"the lower device, use it: give Rx queue 0 one for several threads (ring_mp_mc)",
		pool->name, ops, n_rxq, n_txq, port->lower.n_txq);
}

// again: the queues were set up before.
static int all_setup(struct ddp_port *port, bool again) {
	struct ddp_lower *lower = &port->lower;
	struct rte_eth_rxconf rxconf = lower->info.default_rxconf;
	struct rte_eth_txconf txconf = lower->info.default_txconf;
	int socket = rte_eth_dev_socket_id(lower->port_id), ret = 0;

	assert(lower->n_rxq <= lower->n_rxq_max);
	rxconf.offloads = lower->conf.rxmode.offloads;
	txconf.offloads = lower->conf.txmode.offloads;
	for (uint16_t i = 0; i < lower->n_rxq; i++) {
		ret = DDP_LOWER_CALL(port, rte_eth_rx_queue_setup(lower->port_id, i, lower->n_rxd,
								  socket, &rxconf, lower->pool));

		// net_pcap with infinite_rx reads its capture when a queue is set up, and cannot
		// read it again. By then it has the new mempool, and goes on with what it read.
		if (ret < 0 && !(again && ret == -ENOENT && ddp_lower_is(port, "net_pcap")))
			return ret;
	}
	ret = 0;
	for (uint16_t i = 0; ret >= 0 && i < lower->n_txq; i++)
		ret = DDP_LOWER_CALL(port, rte_eth_tx_queue_setup(lower->port_id, i, lower->n_txd,
								  socket, &txconf));
	return ret;
}

static int queues_setup(struct ddp_port *port) {
	struct ddp_lower *lower = &port->lower;
	struct rte_mempool *pool = port->rxqs[0].pool;
	uint16_t n_rxd = port->n_rxqs > 0 ? port->rxqs[0].n_desc : DDP_PORT_DESC_DEFAULT;
	uint16_t n_txd = port->n_txqs > 0 ? port->txqs[0].n_desc : DDP_PORT_DESC_DEFAULT;
	bool again;
	int ret;

	ret = scatter_check(port, pool);
	if (ret == 0 && pool != NULL) // queue 0 may have been set up for fewer queues
		ret = ddp_lower_pool_check(port, pool);
	if (ret < 0)
		return ret;
	DDP_LOWER_CALL(port, rte_eth_dev_adjust_nb_rx_tx_desc(lower->port_id, &n_rxd, &n_txd));
	if (lower->queues_ready && lower->pool == pool && lower->n_rxd == n_rxd &&
	    lower->n_txd == n_txd)
		return 0;
	again = lower->pool != NULL;
	lower->queues_ready = false;
	lower->pool = pool;
	lower->n_rxd = n_rxd;
	lower->n_txd = n_txd;
	ret = all_setup(port, again);
	if (ret < 0)
		return PORT_FAIL(port->name, ret, "queues of lower device %s cannot be set up: %s",
				 lower->name, rte_strerror(-ret));
	lower->queues_ready = true;
	return 0;
}

int ddp_lower_start(struct ddp_port *port) {
	struct ddp_lower *lower = &port->lower;
	int ret = queues_setup(port);

	if (ret < 0)
		return ret;
	ret = DDP_LOWER_CALL(port, rte_eth_dev_start(lower->port_id));
	if (ret < 0)
		return LOWER_FAIL(port, ret, "cannot be started: %s", rte_strerror(-ret));
	lower->started = !lower->gone;
	return 0;
}

void ddp_lower_stop(struct ddp_port *port) {
	struct ddp_lower *lower = &port->lower;
	int ret;

	if (!lower->started)
		return;
	ret = DDP_LOWER_CALL(port, rte_eth_dev_stop(lower->port_id));
	if (ret < 0 && !lower->gone)
		LOWER_LOG(ERR, port, "cannot be stopped: %s", rte_strerror(-ret));
	lower->started = false;
}
