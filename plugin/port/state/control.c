/* SPDX-License-Identifier: BSD-3-Clause */
// Access to a port: reading and changing.
//
// The mutex is held for short times only. A change (of queues, profiles, rules, RSS, the lower
// device) takes longer: it calls the lower device several times, without the mutex. So `changing`
// marks a change in progress, and other changes wait for its end with no lock held. They poll
// instead of waiting on a condition, so that a port can be removed while they wait: see
// ddp_registry_change().
#include "port/state/control.h"

#include <errno.h>

#include <rte_interrupts.h>

static bool is_own(const struct ddp_port *port) {
	return port->changing && pthread_equal(port->changer, pthread_self());
}

int ddp_change_try(struct ddp_port *port) {
	if (is_own(port)) {
		PORT_LOG(
			ERR, port->name,
			"change refused: called from within another change, by lower device %s or a callback",
			port->lower.name);
		return -EBUSY;
	}
	if (port->changing && rte_thread_is_intr()) {
		PORT_LOG(ERR, port->name,
			 "change refused: the interrupt thread must not wait for another change");
		return -EBUSY;
	}
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
