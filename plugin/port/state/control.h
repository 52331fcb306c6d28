/* SPDX-License-Identifier: BSD-3-Clause */
// Access to a port: reading, changing, and finding it.
#pragma once

#include "port/state/port.h"

// registry.c
#define DDP_CONTROL_WAIT_US 100 // poll interval of a thread that waits for a change to end
// Begin a change, with the mutex held. -EAGAIN: not during another thread's change. -EBUSY (logged)
// if waiting for the end of a change would never end: within a change by this thread (the lower
// device, or a callback of the application, called the port again), or in the interrupt thread.
int ddp_change_try(struct ddp_port *port);
// End it, and release the mutex.
void ddp_change_end(struct ddp_port *port);
// Release the mutex to call the lower device, and take it again. false: it is gone; stays locked.
bool ddp_lower_enter(struct ddp_port *port);
void ddp_lower_leave(struct ddp_port *port);
// Is no other thread inside the lower device for this port? The mutex is held.
bool ddp_is_alone(const struct ddp_port *port);
// Call the lower device, or anything else that may call back or wait, with the mutex released. The
// value is that of the call, an int, or -ENODEV if the lower device was removed.
#define DDP_LOWER_CALL(port, call)             \
	({                                     \
		int ret_ = -ENODEV;            \
                                               \
		if (ddp_lower_enter(port)) {   \
			ret_ = (call);         \
			ddp_lower_leave(port); \
		}                              \
		ret_;                          \
	})

// For ethdev's operations. While another thread closes the port, ethdev clears dev and dev->data.
static inline uint16_t ddp_port_id(const struct rte_eth_dev *dev) {
	return dev - rte_eth_devices;
}
void ddp_registry_add(struct ddp_port *port);
// When this returns, no thread can find the port, and no thread that found it before still uses it.
void ddp_registry_del(struct ddp_port *port);
// A port with its mutex held, for reading, up to ddp_registry_put(). NULL: none, or not yet.
struct ddp_port *ddp_registry_get(uint16_t port_id);
// Likewise, including a port that is being set up.
struct ddp_port *ddp_registry_get_early(uint16_t port_id);
void ddp_registry_put(struct ddp_port *port);
// A port with a change begun, up to ddp_change_end(). Waits for another thread's change. NULL:
// -ENODEV, or -EBUSY as above, in ret.
struct ddp_port *ddp_registry_change(uint16_t port_id, int *ret);
// The interrupt thread calls fn in us microseconds, once the port is set up, with the port's mutex
// held, within a change from DDP_ALARM_CHANGES on, and never after the port is removed. fn releases
// it with ddp_registry_put() or ddp_change_end(). Does nothing if the alarm is set. Any thread,
// without a mutex, too. false: there is no memory (logged).
typedef void ddp_alarm_fn(struct ddp_port *port);
bool ddp_alarm_set(struct ddp_port *port, enum ddp_alarm alarm, uint64_t us, ddp_alarm_fn *fn);
static inline void ddp_alarm_unset(struct ddp_port *port, enum ddp_alarm alarm) {
	__atomic_store_n(&port->alarms[alarm], NULL, __ATOMIC_SEQ_CST);
}
// One call that reads a port, or is a change of it. The value is that of the call, an int, or
// -ENODEV or -EBUSY as above. port: what the call names the port.
#define DDP_PORT_READ(port_id, port, call)                         \
	({                                                         \
		struct ddp_port *port = ddp_registry_get(port_id); \
		int ret_ = -ENODEV;                                \
                                                                   \
		if (port != NULL) {                                \
			ret_ = (call);                             \
			ddp_registry_put(port);                    \
		}                                                  \
		ret_;                                              \
	})
#define DDP_PORT_CHANGE(port_id, port, call)                                 \
	({                                                                   \
		int ret_;                                                    \
		struct ddp_port *port = ddp_registry_change(port_id, &ret_); \
                                                                             \
		if (port != NULL) {                                          \
			ret_ = (call);                                       \
			ddp_change_end(port);                                \
		}                                                            \
		ret_;                                                        \
	})
void ddp_registry_each(void (*fn)(struct ddp_port *port, void *arg), void *arg);

// The name of a packet type's id, NULL for none. The port's mutex is held.
static inline const char *ddp_types_name(const struct ddp_port *port, unsigned int id) {
	return id < port->n_type_ids ? port->type_names[id] : NULL;
}
