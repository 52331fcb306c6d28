/* SPDX-License-Identifier: BSD-3-Clause */
// All net_ddp ports of the process, for code that has only a port id or runs in another thread:
// ethdev's events, the public functions, telemetry.
//
// A port is removed from the registry before it is freed; no other thread uses it from then on. The
// ports' mutexes are not freed with them: ethdev does not keep a thread (of telemetry, for example)
// out of a port that another thread closes. Such a thread locks the mutex, and finds no port.
//
// A thread with the registry's mutex never waits for a port's mutex. One with a port's mutex may
// wait for that of the net_ddp below, and for no other.
#include "port.h"

#include <errno.h>

#include <rte_cycles.h>

// Of all ids.
static pthread_mutex_t port_mutexes[RTE_MAX_ETHPORTS] = {
	[0 ... RTE_MAX_ETHPORTS - 1] = PTHREAD_MUTEX_INITIALIZER,
};

// Written under both mutexes, the port's and the registry's, and read under either.
static struct ddp_port *ports[RTE_MAX_ETHPORTS];
static pthread_mutex_t ports_mutex = PTHREAD_MUTEX_INITIALIZER;

static void port_set(uint16_t port_id, struct ddp_port *port) {
	pthread_mutex_lock(&ports_mutex);
	ports[port_id] = port;
	pthread_mutex_unlock(&ports_mutex);
}

void ddp_registry_add(struct ddp_port *port) {
	assert(port->id < RTE_MAX_ETHPORTS);
	port->mutex = &port_mutexes[port->id];
	pthread_mutex_lock(port->mutex);
	port_set(port->id, port);
	pthread_mutex_unlock(port->mutex);
}

void ddp_registry_del(struct ddp_port *port) {
	pthread_mutex_lock(port->mutex);
	assert(ports[port->id] == port);
	port_set(port->id, NULL);
	while (!ddp_is_alone(port)) { // other threads found it before
		pthread_mutex_unlock(port->mutex);
		rte_delay_us_sleep(DDP_CONTROL_WAIT_US);
		pthread_mutex_lock(port->mutex);
	}
	pthread_mutex_unlock(port->mutex);
}

struct ddp_port *ddp_registry_get_early(uint16_t port_id) {
	struct ddp_port *port;

	if (port_id >= RTE_DIM(ports))
		return NULL;
	pthread_mutex_lock(&port_mutexes[port_id]);
	port = ports[port_id];
	if (port == NULL)
		pthread_mutex_unlock(&port_mutexes[port_id]);
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
	pthread_mutex_unlock(port->mutex);
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

struct ddp_port *ddp_registry_change_alarm(uint16_t port_id, unsigned int us,
					   rte_eal_alarm_callback fn) {
	struct ddp_port *port = ddp_registry_get(port_id);

	// The interrupt thread, which calls fn, must not wait.
	if (port == NULL || (!port->changing && ddp_change_try(port) == 0))
		return port;
	ddp_registry_put(port);
	rte_eal_alarm_set(us, fn, (void *)(uintptr_t)port_id);
	return NULL;
}

void ddp_registry_each(void (*fn)(struct ddp_port *port, void *arg), void *arg) {
	pthread_mutex_lock(&ports_mutex);
	for (unsigned int i = 0; i < RTE_DIM(ports); i++)
		if (ports[i] != NULL)
			fn(ports[i], arg);
	pthread_mutex_unlock(&ports_mutex);
}
