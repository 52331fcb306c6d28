/* SPDX-License-Identifier: BSD-3-Clause */
// All net_ddp ports of the process, for code that has only a port id or runs in another thread:
// ethdev's events, the public functions, telemetry.
//
// A port is removed from the registry before it is freed; no other thread uses it from then on. A
// thread with the registry's mutex never waits for a port's mutex.
#include "port.h"

#include <errno.h>
#include <sched.h>

#include <rte_cycles.h>

static struct ddp_port *ports[RTE_MAX_ETHPORTS];
static pthread_mutex_t ports_mutex = PTHREAD_MUTEX_INITIALIZER;

void ddp_registry_add(struct ddp_port *port) {
	assert(port->id < RTE_MAX_ETHPORTS);
	pthread_mutex_lock(&ports_mutex);
	ports[port->id] = port;
	pthread_mutex_unlock(&ports_mutex);
}

void ddp_registry_del(struct ddp_port *port) {
	bool alone = false;

	pthread_mutex_lock(&ports_mutex);
	assert(ports[port->id] == port);
	ports[port->id] = NULL;
	pthread_mutex_unlock(&ports_mutex);
	while (!alone) { // other threads may have found it before
		pthread_mutex_lock(&port->mutex);
		alone = ddp_is_alone(port);
		pthread_mutex_unlock(&port->mutex);
		if (!alone)
			rte_delay_us_sleep(DDP_CONTROL_WAIT_US);
	}
}

// Returns whether the result is final: port_id's port with its mutex held, or NULL.
static bool registry_try(uint16_t port_id, struct ddp_port **port) {
	bool found = true;

	pthread_mutex_lock(&ports_mutex);
	*port = port_id < RTE_DIM(ports) ? ports[port_id] : NULL;
	if (*port != NULL)
		found = pthread_mutex_trylock(&(*port)->mutex) == 0;
	pthread_mutex_unlock(&ports_mutex);
	return found;
}

struct ddp_port *ddp_registry_get_early(uint16_t port_id) {
	struct ddp_port *port;

	while (!registry_try(port_id, &port))
		sched_yield();
	return port;
}

struct ddp_port *ddp_registry_get(uint16_t port_id) {
	struct ddp_port *port = ddp_registry_get_early(port_id);

	if (port == NULL || port->ready)
		return port;
	ddp_registry_put(port);
	return NULL;
}

void ddp_registry_put(struct ddp_port *port) {
	pthread_mutex_unlock(&port->mutex);
}

struct ddp_port *ddp_registry_change(uint16_t port_id, int *ret) {
	for (;;) {
		struct ddp_port *port = ddp_registry_get(port_id);

		*ret = port != NULL ? ddp_change_try(port) : -ENODEV;
		if (*ret == 0)
			return port;
		if (port != NULL)
			ddp_registry_put(port);
		if (*ret != -EAGAIN)
			return NULL;
		rte_delay_us_sleep(DDP_CONTROL_WAIT_US);
	}
}

void ddp_registry_each(void (*fn)(struct ddp_port *port, void *arg), void *arg) {
	pthread_mutex_lock(&ports_mutex);
	for (unsigned int i = 0; i < RTE_DIM(ports); i++)
		if (ports[i] != NULL)
			fn(ports[i], arg);
	pthread_mutex_unlock(&ports_mutex);
}
