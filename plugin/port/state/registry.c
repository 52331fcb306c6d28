/* SPDX-License-Identifier: BSD-3-Clause */
// All net_ddp ports of the process, for code that has only a port id or runs in another thread:
// ethdev's events, the public functions, telemetry.
//
// A port is removed from the registry before it is freed; no other thread uses it from then on. The
// ports' mutexes are not freed with them: ethdev does not keep a thread (of telemetry, for example)
// out of a port that another thread closes. Such a thread locks the mutex, and finds no port.
//
// A thread that holds the registry's mutex waits for no port's mutex, and one that holds a port's
// mutex for no other port's.
#include "port/state/control.h"

#include <rte_alarm.h>
#include <rte_cycles.h>
#include <rte_interrupts.h>

#define ALARM_RETRY_US 1000

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

/* Changes */

// The mutex is held for short times only. A change (of queues, profiles, rules, RSS, the lower
// device) takes longer: it calls the lower device several times, without the mutex. So `changing`
// marks a change in progress, and other changes wait for its end with no lock held. They poll, so
// that a port can be removed while they wait: see ddp_registry_change().

static bool is_own(const struct ddp_port *port) {
	return port->changing && pthread_equal(port->changer, pthread_self());
}

int ddp_change_try(struct ddp_port *port) {
	if (is_own(port))
		return PORT_FAIL(
			port->name, -EBUSY,
			"change refused: called from within another change, by lower device %s or a callback",
			port->lower.name);
	if (port->changing && rte_thread_is_intr())
		return PORT_FAIL(
			port->name, -EBUSY,
			"change refused: the interrupt thread must not wait for another change");
	if (port->changing)
		return -EAGAIN;
	port->changing = true;
	port->changer = pthread_self();
	return 0;
}

void ddp_change_end(struct ddp_port *port) {
	assert(is_own(port));
	port->changing = false;
	pthread_mutex_unlock(port->mutex);
}

bool ddp_lower_enter(struct ddp_port *port) {
	assert(port != NULL);
	if (port->lower.gone)
		return false;
	port->n_out++;
	pthread_mutex_unlock(port->mutex);
	return true;
}

void ddp_lower_leave(struct ddp_port *port) {
	pthread_mutex_lock(port->mutex);
	assert(port->n_out > 0);
	port->n_out--;
}

bool ddp_is_alone(const struct ddp_port *port) {
	return port->n_out == (is_own(port) ? 1 : 0);
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

/* Alarms */

static ddp_alarm_fn *alarm_fns[DDP_N_ALARMS];

// When this runs, the port may be closed, its id reused, or the alarm set again.
static void alarm_ring(void *arg) {
	struct ddp_port *port = ddp_registry_get_early((uintptr_t)arg & UINT16_MAX);
	unsigned int alarm = 0;

	if (port == NULL)
		return;
	while (alarm < DDP_N_ALARMS &&
	       __atomic_load_n(&port->alarms[alarm], __ATOMIC_SEQ_CST) != arg)
		alarm++;
	if (alarm == DDP_N_ALARMS) {
		ddp_registry_put(port);
		return;
	}
	// This is the interrupt thread, which must not wait for another change.
	if (!port->ready ||
	    (alarm >= DDP_ALARM_CHANGES && (port->changing || ddp_change_try(port) < 0))) {
		if (rte_eal_alarm_set(ALARM_RETRY_US, alarm_ring, arg) < 0)
			ddp_alarm_unset(port, alarm);
		ddp_registry_put(port);
		return;
	}
	ddp_alarm_unset(port, alarm);
	alarm_fns[alarm](port);
}

bool ddp_alarm_set(struct ddp_port *port, enum ddp_alarm alarm, uint64_t us, ddp_alarm_fn *fn) {
	static uintptr_t last;
	void *none = NULL, *arg;

	arg = (void *)(__atomic_add_fetch(&last, 1, __ATOMIC_RELAXED) << 16 | port->id);
	if (!__atomic_compare_exchange_n(&port->alarms[alarm], &none, arg, false, __ATOMIC_SEQ_CST,
					 __ATOMIC_SEQ_CST))
		return true;
	__atomic_store_n(&alarm_fns[alarm], fn, __ATOMIC_RELAXED);
	if (rte_eal_alarm_set(us, alarm_ring, arg) == 0)
		return true;
	ddp_alarm_unset(port, alarm);
	PORT_LOG(ERR, port->name, "no alarm can be set");
	return false;
}

void ddp_registry_each(void (*fn)(struct ddp_port *port, void *arg), void *arg) {
	pthread_mutex_lock(&ports_mutex);
	for (unsigned int i = 0; i < RTE_DIM(ports); i++)
		if (ports[i] != NULL)
			fn(ports[i], arg);
	pthread_mutex_unlock(&ports_mutex);
}
