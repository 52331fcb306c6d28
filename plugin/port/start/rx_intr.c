/* SPDX-License-Identifier: BSD-3-Clause */
// Rx interrupts: they wake a thread that sleeps until an Rx queue has packets.
//
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
// two. A queue also stays awake while packets are parked or held, or wait to be sent: these need
// polls.
#include "port/run/order.h"
#include "port/run/ring.h"
#include "port/start/start.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <rte_errno.h>
#include <rte_interrupts.h>

static_assert(DDP_PORT_QUEUES <= RTE_MAX_RXTX_INTR_VEC_ID, "each Rx queue has a vector");

#define EVENTS (DDP_PORT_QUEUES + 1) // in an epoll instance

static struct rte_eth_dev *lower_dev(const struct ddp_port *port) {
	return &rte_eth_devices[port->lower.port_id];
}

int ddp_rx_intr_check(const struct ddp_port *port) {
	const struct rte_eth_dev *dev = lower_dev(port);

	if (dev->intr_handle != NULL || dev->dev_ops->rx_queue_intr_enable != NULL)
		return 0;
	PORT_LOG(ERR, port->name, "lower device %s has no Rx interrupts", port->lower.name);
	return -ENOTSUP;
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

// Clear the events that have happened.
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
int ddp_rx_intr_assign(struct ddp_port *port) {
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

int ddp_rx_intr_start(struct ddp_port *port) {
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
		return ddp_rx_intr_assign(port);
	PORT_LOG(ERR, port->name, "no file descriptors for Rx interrupts");
	return ret;
}

void ddp_rx_intr_stop(struct ddp_port *port) {
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
