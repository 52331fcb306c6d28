/* SPDX-License-Identifier: BSD-3-Clause */
// Starts and stops the port's queues: rings from lower queues to ours, path caches, interrupts.
#include "port/start/start.h"
#include "port/lower/lower.h"
#include "port/quiesce/quiesce.h"
#include "port/run/order.h"
#include "port/run/ring.h"
#include "port/run/run.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <rte_errno.h>
#include <rte_interrupts.h>
#include <rte_malloc.h>
#include <rte_vect.h>

/* Rx interrupts: they wake a thread that sleeps until an Rx queue has packets */

// The file descriptor that ethdev gives for an Rx queue is an epoll instance. Two kinds of others
// are in it, all level-triggered, so it is readable as long as one of them is:
//
//   - An event of the queue's own. The thread that puts packets on a ring of the queue writes it if
//     the queue is armed, which clears that: at most one system call for each time that the queue
//     is armed. This is the only one in the data path.
//   - The interrupts of lower queues, which the queue's thread reads for all. Each lower queue
//     wakes one Rx queue: the one of its number, modulo their number, or the next one that is
//     started. That queue either is polled, and reads the lower queue, or sleeps and is woken. So
//     no interrupt wakes more than one thread.
//
// No event is missed: a thread that puts packets on a ring publishes them, then reads `armed`; one
// that arms a queue sets `armed`, then checks for packets; each with a full barrier between the
// two. A queue also stays awake while packets are parked, held, or unsent: these need polls.
static_assert(DDP_PORT_QUEUES <= RTE_MAX_RXTX_INTR_VEC_ID, "each Rx queue has a vector");

#define EVENTS (DDP_PORT_QUEUES + 1) // in an epoll instance

static struct rte_eth_dev *lower_dev(const struct ddp_port *port) {
	return &rte_eth_devices[port->lower.port_id];
}

int ddp_rx_intr_check(const struct ddp_port *port) {
	const struct rte_eth_dev *dev = lower_dev(port);

	if (dev->intr_handle != NULL || dev->dev_ops->rx_queue_intr_enable != NULL)
		return 0;
	return LOWER_FAIL(port, -ENOTSUP, "has no Rx interrupts");
}

// Returns the number of bytes to read from an interrupt's descriptor to clear it, as EAL does.
static uint32_t counter_size(const struct rte_intr_handle *handle) {
	switch (rte_intr_type_get(handle)) {
	case RTE_INTR_HANDLE_UIO:
	case RTE_INTR_HANDLE_UIO_INTX:
		return sizeof(uint32_t);
	case RTE_INTR_HANDLE_VFIO_LEGACY:
	case RTE_INTR_HANDLE_VFIO_MSI:
	case RTE_INTR_HANDLE_VFIO_MSIX:
		return sizeof(uint64_t);
	case RTE_INTR_HANDLE_VDEV:
		return RTE_MIN((size_t)rte_intr_efd_counter_size_get(handle), sizeof(uint64_t));
	default: // packets are read from it
		return 0;
	}
}

static int event_add(int epoll_fd, int fd, uint32_t size) {
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t)size << 32 | fd};

	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : -errno;
}

static void events_clear(const struct ddp_rxq *queue) {
	struct epoll_event events[EVENTS];
	int n = epoll_wait(queue->intr_fd, events, EVENTS, 0);

	for (int i = 0; i < n; i++) {
		const uint32_t size = events[i].data.u64 >> 32;
		uint64_t counter;

		// Another thread may have read it. The value does not matter.
		if (size > 0 && read((int)(uint32_t)events[i].data.u64, &counter, size) < 0)
			continue;
	}
}

// Assign a lower queue's interrupt to the Rx queue that it wakes. DDP_PORT_QUEUES: none.
static int lower_assign(struct ddp_port *port, struct ddp_lower_rxq *lower) {
	const uint16_t before = lower->wakes;
	uint16_t now = DDP_PORT_QUEUES;
	int fd = rte_eth_dev_rx_intr_ctl_q_get_fd(port->lower.port_id, lower->id);

	for (unsigned int i = 0; now == DDP_PORT_QUEUES && i < port->n_rxqs; i++)
		if (port->rxqs[(lower->id + i) % port->n_rxqs].started)
			now = (lower->id + i) % port->n_rxqs;
	if (before == now)
		return 0;
	if (fd < 0)
		return -ENOTSUP;
	if (before < DDP_PORT_QUEUES)
		epoll_ctl(port->rxqs[before].intr_fd, EPOLL_CTL_DEL, fd, NULL);
	lower->wakes = now;
	if (now == DDP_PORT_QUEUES)
		return 0;
	return event_add(port->rxqs[now].intr_fd, fd, counter_size(lower_dev(port)->intr_handle));
}

// Sleeping queues are woken, and arm the interrupts that are assigned to them now.
static int rx_intr_assign(struct ddp_port *port) {
	int ret = 0;

	if (!port->rx_intr)
		return 0;
	for (unsigned int i = 0; ret == 0 && i < port->n_lower_rxqs; i++)
		ret = lower_assign(port, &port->lower_rxqs[i]);
	ddp_rx_intr_wake_all(port);
	if (ret < 0)
		PORT_LOG(ERR, port->name, "Rx interrupts of lower device %s cannot be used: %s",
			 port->lower.name, rte_strerror(-ret));
	return ret;
}

static int queue_open(struct ddp_rxq *queue, struct rte_intr_handle *handle) {
	queue->armed = false;
	queue->intr_fd = epoll_create1(EPOLL_CLOEXEC);
	queue->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (queue->intr_fd < 0 || queue->wake_fd < 0 ||
	    rte_intr_efds_index_set(handle, queue->id, queue->intr_fd) < 0 ||
	    rte_intr_vec_list_index_set(handle, queue->id, RTE_INTR_VEC_RXTX_OFFSET + queue->id) <
		    0)
		return -EMFILE;
	return event_add(queue->intr_fd, queue->wake_fd, sizeof(uint64_t));
}

// After the lower device was started, before running is set. Errors are logged. rx_intr_stop():
// before the lower device is stopped, or if the start failed.
static int rx_intr_start(struct ddp_port *port) {
	struct rte_eth_dev *dev = &rte_eth_devices[port->id];
	int ret = 0;

	if (!port->data->dev_conf.intr_conf.rxq || port->n_rxqs == 0)
		return 0;
	// The handle stays until the port is closed: an application's epoll instance may refer to
	// it. With a counter of no bytes, EAL reads nothing from our descriptors.
	if (dev->intr_handle == NULL)
		dev->intr_handle = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE);
	if (dev->intr_handle == NULL ||
	    rte_intr_type_set(dev->intr_handle, RTE_INTR_HANDLE_VDEV) < 0 ||
	    rte_intr_efd_counter_size_set(dev->intr_handle, 0) < 0 ||
	    rte_intr_vec_list_alloc(dev->intr_handle, NULL, port->n_rxqs) < 0 ||
	    rte_intr_nb_efd_set(dev->intr_handle, port->n_rxqs) < 0)
		return -ENOMEM;
	port->rx_intr = true;
	for (unsigned int i = 0; i < port->n_rxqs; i++)
		port->rxqs[i].intr_fd = port->rxqs[i].wake_fd = -1;
	for (unsigned int i = 0; i < port->n_lower_rxqs; i++)
		port->lower_rxqs[i].wakes = DDP_PORT_QUEUES;
	for (unsigned int i = 0; ret == 0 && i < port->n_rxqs; i++)
		ret = queue_open(&port->rxqs[i], dev->intr_handle);
	if (ret == 0)
		return rx_intr_assign(port);
	return PORT_FAIL(port->name, ret, "no file descriptors for Rx interrupts");
}

static void rx_intr_stop(struct ddp_port *port) {
	struct rte_intr_handle *handle = rte_eth_devices[port->id].intr_handle;

	if (!port->rx_intr)
		return;
	port->rx_intr = false;
	rte_intr_free_epoll_fd(handle);
	rte_intr_vec_list_free(handle);
	rte_intr_nb_efd_set(handle, 0);
	for (unsigned int i = 0; i < port->n_rxqs; i++) {
		close(port->rxqs[i].intr_fd); // -1: not opened
		close(port->rxqs[i].wake_fd);
	}
}

// Arm or disarm the interrupts of lower queues that wake a queue. Some devices have nothing to arm.
static int lowers_arm(const struct ddp_port *port, uint16_t id, bool on) {
	const uint16_t lower = port->lower.port_id;

	for (unsigned int i = 0; i < port->n_lower_rxqs; i++) {
		int ret = 0;

		if (port->lower_rxqs[i].wakes == id)
			ret = on ? rte_eth_dev_rx_intr_enable(lower, i) :
				   rte_eth_dev_rx_intr_disable(lower, i);
		if (ret < 0 && ret != -ENOTSUP)
			return ret;
	}
	return 0;
}

// Must the queue's thread poll, or is there an event already?
static bool has_work(const struct ddp_port *port, const struct ddp_rxq *queue) {
	struct pollfd event = {.fd = queue->intr_fd, .events = POLLIN};

	for (unsigned int i = 0; i < port->n_lower_rxqs; i++) {
		const struct ddp_lower_rxq *lower = &port->lower_rxqs[i];
		const struct ddp_ring *ring = lower->all_rings[queue->id];

		if (__atomic_load_n(&lower->order, __ATOMIC_ACQUIRE) != DDP_ORDER_NONE ||
		    __atomic_load_n(&lower->held.n, __ATOMIC_ACQUIRE) > 0 ||
		    (ring != NULL && ddp_ring_count(ring) > 0))
			return true;
	}
	for (unsigned int i = 0; port->tx_shared && i < port->n_lower_txqs; i++)
		if (__atomic_load_n(&port->lower_txqs[i].waiting, __ATOMIC_ACQUIRE))
			return true;
	return poll(&event, 1, 0) > 0;
}

int ddp_rx_intr_enable(struct ddp_port *port, uint16_t id) {
	struct ddp_rxq *queue = &port->rxqs[id];
	int ret;

	if (!port->rx_intr || port->lower.gone)
		return -ENOTSUP;
	events_clear(queue);
	ret = lowers_arm(port, id, true);
	if (ret < 0)
		return ret;
	__atomic_store_n(&queue->armed, true, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (has_work(port, queue))
		ddp_rx_intr_wake(queue);
	return 0;
}

int ddp_rx_intr_disable(struct ddp_port *port, uint16_t id) {
	if (!port->rx_intr || port->lower.gone)
		return -ENOTSUP;
	__atomic_store_n(&port->rxqs[id].armed, false, __ATOMIC_RELAXED);
	return lowers_arm(port, id, false);
}

/* Queues */

static unsigned int rx_ring_free(struct ddp_lower_rxq *lower, unsigned int id) {
	struct ddp_ring *ring = lower->rings[id];
	struct rte_mbuf *mbuf;
	unsigned int n = 0;
	uint64_t bytes = 0; // not used

	lower->rings[id] = lower->all_rings[id] = NULL;
	for (; ring != NULL && ddp_ring_take(ring, &mbuf, 1, &bytes) == 1; n++)
		rte_pktmbuf_free(mbuf);
	rte_free(ring);
	return n;
}

static unsigned int tx_ring_clear(struct rte_ring *ring) {
	struct ddp_tx_slot slot;
	unsigned int n = 0;

	while (ring != NULL && rte_ring_sc_dequeue_elem(ring, &slot, sizeof(slot)) == 0) {
		rte_pktmbuf_free(slot.mbuf);
		n++;
	}
	return n;
}

// Path caches of the lower queues in use, and room for parked packets: large, so until stop.
static int caches_alloc(struct ddp_port *port) {
	port->isa = ddp_isa_best(rte_vect_get_max_simd_bitwidth()); // may change between starts
	for (unsigned int i = 0; i < port->n_lower_rxqs; i++) {
		struct ddp_lower_rxq *lower = &port->lower_rxqs[i];

		lower->cache = rte_malloc_socket("ddp_cache", ddp_cache_size(), DDP_CACHE_ALIGN,
						 port->data->numa_node);
		lower->orders = rte_zmalloc_socket("ddp_order", sizeof(*lower->orders),
						   RTE_CACHE_LINE_SIZE, port->data->numa_node);
		if (lower->cache != NULL)
			ddp_cache_init(lower->cache, port->isa);
		if (lower->cache == NULL || lower->orders == NULL)
			return PORT_FAIL(port->name, -ENOMEM,
					 "no memory for the path cache of lower queue %u", i);
	}
	return 0;
}

// Allow or forbid polling of a queue. Once it is forbidden, no burst call is inside.
static void started_set(struct ddp_port *port, bool *queue_started, rte_spinlock_t *busy,
			uint8_t *state, bool started) {
	__atomic_store_n(queue_started, started, __ATOMIC_RELEASE);
	if (!started)
		ddp_call_wait(port, busy);
	*state = started ? RTE_ETH_QUEUE_STATE_STARTED : RTE_ETH_QUEUE_STATE_STOPPED;
}

static void rxq_started_set(struct ddp_port *port, struct ddp_rxq *queue, bool started) {
	started_set(port, &queue->started, &queue->busy, &port->data->rx_queue_state[queue->id],
		    started);
}

static void txq_started_set(struct ddp_port *port, struct ddp_txq *queue, bool started) {
	started_set(port, &queue->started, &queue->busy, &port->data->tx_queue_state[queue->id],
		    started);
}

int ddp_rxq_start(struct ddp_port *port, uint16_t id) {
	struct ddp_rxq *queue = &port->rxqs[id];

	assert(id < port->n_rxqs && port->n_lower_rxqs > 0);
	for (unsigned int i = 0; i < port->n_lower_rxqs; i++) {
		struct ddp_lower_rxq *lower = &port->lower_rxqs[i];
		struct ddp_ring *ring =
			rte_malloc_socket("ddp_ring", ddp_ring_memsize(queue->n_desc),
					  RTE_CACHE_LINE_SIZE, port->data->numa_node);

		if (ring == NULL) {
			PORT_LOG(ERR, port->name, "no memory for the rings of Rx queue %u", id);
			ddp_rxq_stop(port, id);
			return -ENOMEM;
		}
		ddp_ring_init(ring, queue->n_desc);
		ddp_lower_rxq_lock(lower);
		lower->rings[id] = lower->all_rings[id] = ring;
		ddp_unlock(&lower->lock);
	}
	// spread the queues over the lower queues
	queue->next = queue->next_other = id % port->n_lower_rxqs;
	__atomic_store_n(&queue->absent, UINT32_MAX, __ATOMIC_RELAXED);
	queue->load.got = 0;
	rxq_started_set(port, queue, true);
	return rx_intr_assign(port);
}

void ddp_rxq_stop(struct ddp_port *port, uint16_t id) {
	assert(id < port->n_rxqs);
	rxq_started_set(port, &port->rxqs[id], false); // from now on its rings are not read
	for (unsigned int i = 0; i < port->n_lower_rxqs; i++) {
		struct ddp_lower_rxq *lower = &port->lower_rxqs[i];

		ddp_lower_rxq_lock(lower);
		ddp_order_queue_stop(lower, id);
		counter_add(&lower->missed[id], rx_ring_free(lower, id));
		ddp_unlock(&lower->lock);
	}
	rx_intr_assign(port); // its errors were those of the start
}

void ddp_txq_start(struct ddp_port *port, uint16_t id) {
	assert(id < port->n_txqs && port->txqs[id].lower != NULL);
	txq_started_set(port, &port->txqs[id], true);
}

void ddp_txq_stop(struct ddp_port *port, uint16_t id) {
	struct ddp_txq *queue = &port->txqs[id];

	assert(id < port->n_txqs && port->txqs[id].lower != NULL);
	txq_started_set(port, queue, false); // from now on nothing is added to its ring
	if (queue->ring == NULL)
		return;
	ddp_lower_txq_lock(queue->lower);
	if (port->lower.started) // and not removed
		ddp_tx_lower_flush(port, queue->lower);
	port->tx_dropped += tx_ring_clear(queue->ring);
	ddp_unlock(&queue->lower->lock);
	if (port->lower.started)
		ddp_tx_flush(port); // packets that other threads left meanwhile
}

static int rxqs_start(struct ddp_port *port) {
	int ret = 0;

	for (unsigned int q = 0; ret == 0 && q < port->n_rxqs; q++)
		if (!port->rxqs[q].deferred)
			ret = ddp_rxq_start(port, q);
	return ret;
}

// Map Tx queue t to lower queue t modulo their number. Rings are not in DPDK's limited list.
static int txqs_start(struct ddp_port *port) {
	assert(port->n_lower_txqs > 0 || port->n_txqs == 0);
	port->tx_shared = port->n_txqs > port->n_lower_txqs;
	for (unsigned int i = 0; i < port->n_lower_txqs; i++) {
		port->lower_txqs[i].shared = i + port->n_lower_txqs < port->n_txqs;
		port->lower_txqs[i].waiting = false;
	}
	for (unsigned int t = 0; t < port->n_txqs; t++) {
		struct ddp_txq *queue = &port->txqs[t];
		ssize_t size = rte_ring_get_memsize_elem(sizeof(struct ddp_tx_slot),
							 rte_align32pow2(queue->n_desc + 1));

		queue->lower = &port->lower_txqs[t % port->n_lower_txqs];
		if (queue->lower->shared) {
			queue->ring = rte_malloc_socket("ddp_ring", size, RTE_CACHE_LINE_SIZE,
							port->data->numa_node);
			if (queue->ring == NULL)
				return PORT_FAIL(port->name, -ENOMEM,
						 "no memory for the ring of Tx queue %u", t);
			rte_ring_init(queue->ring, "ddp", queue->n_desc,
				      RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
		}
		if (!queue->deferred)
			ddp_txq_start(port, t);
	}
	return 0;
}

static void queues_stop(struct ddp_port *port) {
	assert(!__atomic_load_n(&port->running, __ATOMIC_RELAXED));
	for (unsigned int i = 0; i < port->n_lower_rxqs; i++) {
		struct ddp_lower_rxq *lower = &port->lower_rxqs[i];

		if (lower->cache != NULL)
			ddp_stats_cache_keep(lower);
		rte_free(lower->cache);
		lower->cache = NULL;
		port->rx_dropped += ddp_order_clear(lower) + lower->held.n;
		rte_free(lower->orders);
		lower->orders = NULL;
		rte_pktmbuf_free_bulk(lower->held.mbufs, lower->held.n);
		lower->held.n = 0;
		for (unsigned int q = 0; q < port->n_rxqs; q++)
			port->rx_dropped += rx_ring_free(lower, q);
	}
	for (unsigned int q = 0; q < port->n_rxqs; q++)
		rxq_started_set(port, &port->rxqs[q], false);
	for (unsigned int t = 0; t < port->n_txqs; t++) {
		port->tx_dropped += tx_ring_clear(port->txqs[t].ring);
		rte_free(port->txqs[t].ring);
		port->txqs[t].ring = NULL;
		txq_started_set(port, &port->txqs[t], false);
	}
}

static int queues_check(const struct ddp_port *port) {
	const struct rte_eth_dev_data *data = port->data;

	for (unsigned int i = 0; i < data->nb_rx_queues; i++)
		if (data->rx_queues[i] == NULL)
			return PORT_FAIL(port->name, -EINVAL, "Rx queue %u is not set up", i);
	for (unsigned int i = 0; i < data->nb_tx_queues; i++)
		if (data->tx_queues[i] == NULL)
			return PORT_FAIL(port->name, -EINVAL, "Tx queue %u is not set up", i);
	if (data->nb_rx_queues > 0 && port->lower.n_rxq == 0)
		return LOWER_FAIL(port, -EINVAL, "is not configured");
	if (data->nb_tx_queues > 0 && port->lower.n_txq == 0)
		return LOWER_FAIL(port, -ENOTSUP, "has no Tx queue");
	return 0;
}

// Start the data path unless the lower device was unplugged meanwhile. lower_unplugged() sets its
// flag, then clears running; this sets running, then reads the flag: one of them stops it.
static int running_set(struct ddp_port *port) {
	__atomic_store_n(&port->running, true, __ATOMIC_SEQ_CST);
	if (!ddp_lower_is_unplugged(port))
		return 0;
	__atomic_store_n(&port->running, false, __ATOMIC_SEQ_CST);
	ddp_port_quiesce(port, 0);
	return LOWER_FAIL(port, -ENODEV, "was unplugged");
}

int ddp_port_start(struct ddp_port *port) {
	static int (*const steps[])(struct ddp_port *) = {
		caches_alloc,    rxqs_start,        txqs_start,    ddp_offload_prepare,
		ddp_lower_start, ddp_offload_start, rx_intr_start, running_set,
	};
	int ret;

	if (ddp_lower_is_unplugged(port))
		return LOWER_FAIL(port, -ENODEV, "was unplugged");
	ret = queues_check(port);
	if (ret < 0)
		return ret;
	port->n_rxqs = port->data->nb_rx_queues;
	port->n_txqs = port->data->nb_tx_queues;
	port->n_lower_rxqs = port->lower.n_rxq;
	port->n_lower_txqs = port->lower.n_txq;
	for (unsigned int i = 0; i < port->n_lower_rxqs; i++)
		port->lower_rxqs[i].port_id = port->lower.port_id;
	for (unsigned int i = 0; ret == 0 && i < RTE_DIM(steps); i++)
		ret = steps[i](port);
	if (ret == 0)
		return 0;
	rx_intr_stop(port);
	ddp_offload_stop(port);
	ddp_lower_stop(port);
	ddp_package_unload(port);
	queues_stop(port);
	return ret;
}

void ddp_port_stop(struct ddp_port *port) {
	__atomic_store_n(&port->running, false, __ATOMIC_RELAXED);
	ddp_port_quiesce(port, 0);
	if (port->lower.started)
		ddp_tx_flush(port);
	rx_intr_stop(port);
	ddp_offload_stop(port);
	queues_stop(port);
	if (!port->lower.gone)
		ddp_lower_stop(port);
	ddp_package_unload(port);
	port->data->dev_link.link_status = RTE_ETH_LINK_DOWN;
}
