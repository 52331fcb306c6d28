/* SPDX-License-Identifier: BSD-3-Clause */
// The packet types that the lower device hashes for us: built from the plan, exchanged under
// traffic, and watched for wrong hashes.
#include "port/lower/lower.h"
#include "port/quiesce/quiesce.h"
#include "port/state/control.h"

#include <stdio.h>

#include <rte_cycles.h>
#include <rte_malloc.h>

#define WATCH_US 100000
#define LEVEL_MAX 6    // doublings: a proof has 64 to 4096 packets
#define LOG_SECONDS 60 // s: between two log lines; the first one of a packet type does not wait

/* Mismatches */

// The RTE_PTYPE_* of a packet type of the profile, without layer 2.
static uint32_t rte_ptype_of(const struct ddp_port *port, uint16_t id) {
	const struct ddp_program *program = port->personality->program;
	const uint32_t l2 = RTE_PTYPE_L2_MASK | RTE_PTYPE_INNER_L2_MASK;

	for (unsigned int i = 0; i < ddp_program_n_types(program); i++)
		if (ddp_program_type(program, i)->id == id)
			return ddp_program_type(program, i)->rte_ptype & ~l2;
	return 0;
}

// Did the profile find fewer headers in a packet than the NIC, and no others?
static bool is_cut(uint32_t found, uint32_t nic) {
	for (unsigned int shift = 0; shift < 32; shift += 4) {
		const uint32_t layer = found & UINT32_C(15) << shift;
		const bool any = layer != 0 && layer != RTE_PTYPE_L4_NONFRAG &&
				 layer != RTE_PTYPE_INNER_L4_NONFRAG;

		if (any && layer != (nic & UINT32_C(15) << shift))
			return false;
	}
	return found != nic;
}

static void mismatch_log(struct ddp_port *port, const struct ddp_hw_ptype *hw_ptype, uint16_t id,
			 bool first) {
	struct ddp_offload *offload = &port->offload;
	const uint64_t now = rte_rdtsc();
	char more[64] = "";

	if (!first && now < offload->log_at) {
		offload->n_unlogged++;
		return;
	}
	if (offload->n_unlogged > 0)
		snprintf(more, sizeof(more), " (this happened %u more times since the last line)",
			 offload->n_unlogged);
	PORT_LOG(WARNING, port->name,
		 "lower device %s (%s): of %u packets of its packet type 0x%08x verified, %u had "
		 "another hash than expected, the last one of type %s: they are hashed in software "
		 "until the type is proven again%s",
		 port->lower.name, ddp_nic_name(offload->nic),
		 ddp_hw_ptype_read(&hw_ptype->checked), hw_ptype->rte_ptype,
		 ddp_hw_ptype_read(&hw_ptype->wrong), id != 0 ? ddp_types_name(port, id) : "none",
		 more);
	offload->n_unlogged = 0;
	offload->log_at = now + LOG_SECONDS * rte_get_tsc_hz();
}

static void mismatch_watch(struct ddp_port *port, struct ddp_hw_ptype *hw_ptype) {
	struct ddp_offload_ptype *planned = &port->offload.plan->ptypes[hw_ptype->planned];
	const bool refuted =
		__atomic_load_n(&hw_ptype->unproven, __ATOMIC_ACQUIRE) == DDP_PROOF_REFUTED;
	const uint16_t id = __atomic_load_n(&hw_ptype->wrong_id, __ATOMIC_RELAXED);
	const bool first = planned->wrong == 0;

	if (first && !refuted)
		return;
	port->offload.n_mismatched += first;
	planned->checked = ddp_hw_ptype_read(&hw_ptype->checked);
	planned->wrong = ddp_hw_ptype_read(&hw_ptype->wrong);
	if (!refuted)
		return;
	if (!is_cut(rte_ptype_of(port, id), rte_ptype_of(port, hw_ptype->verdict.type_id)) &&
	    planned->level < LEVEL_MAX)
		planned->level++;
	mismatch_log(port, hw_ptype, id, first);
	__atomic_store_n(&hw_ptype->unproven, DDP_PROOF_PACKETS << planned->level,
			 __ATOMIC_RELAXED);
}

void ddp_hw_ptypes_watch(struct ddp_port *port) {
	struct ddp_hw_ptypes *hw_ptypes = port->hw_ptypes;

	for (uint32_t i = 0; hw_ptypes != NULL && i <= hw_ptypes->mask; i++)
		if (hw_ptypes->slots[i].rte_ptype != 0 && !hw_ptypes->slots[i].ruled)
			mismatch_watch(port, &hw_ptypes->slots[i]);
	if (hw_ptypes == NULL || port->offload.misrouted ||
	    ddp_hw_ptype_read(&hw_ptypes->misrouted) == 0)
		return;
	port->offload.misrouted = true;
	PORT_LOG(
		WARNING, port->name,
		"lower device %s (%s): packets are not on the queues of its redirection table: they "
		"are steered in software from now on",
		port->lower.name, ddp_nic_name(port->offload.nic));
}

void ddp_hw_ptypes_idle_watch(struct ddp_port *port) {
	struct ddp_offload *offload = &port->offload;
	const uint64_t taken_was = offload->taken, offloaded_was = offload->offloaded;

	offload->taken = offload->offloaded = 0;
	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++) {
		offload->taken += counter_read(&port->lower_rxqs[i].taken);
		offload->offloaded += counter_read(&port->lower_rxqs[i].offloaded);
	}
	if (offload->offloaded != offloaded_was)
		offload->idle_checks = 0;
	else if (port->hw_ptypes != NULL && offload->taken != taken_was &&
		 offload->idle_checks < DDP_IDLE_CHECKS &&
		 ++offload->idle_checks == DDP_IDLE_CHECKS)
		PORT_LOG(WARNING, port->name,
			 "lower device %s (%s) hashed no packet in 10 s of traffic, though %u of "
			 "its packet types are to be: 'ddpctl port verify' names them",
			 port->lower.name, ddp_nic_name(offload->nic), offload->plan->n_ptypes);
}

static void watch_ring(struct ddp_port *port) {
	ddp_hw_ptypes_watch(port);
	ddp_hw_ptypes_idle_watch(port);
	if (port->offload.on)
		ddp_alarm_set(port, DDP_ALARM_HW_PTYPES, WATCH_US, watch_ring);
	ddp_registry_put(port);
}

/* The table */

static bool is_ruled(const struct ddp_port *port, const struct ddp_offload_ptype *ptype) {
	return port->flows != NULL && port->flows->n > 0 &&
	       ddp_flow_set_reaches(port->flows->set, ptype->type);
}

unsigned int ddp_hw_ptypes_n_ruled(const struct ddp_port *port) {
	const struct ddp_plan *plan = port->offload.plan;
	unsigned int n = 0;

	for (unsigned int i = 0; plan != NULL && i < plan->n_ptypes; i++)
		n += is_ruled(port, &plan->ptypes[i]);
	return n;
}

// NULL: out of memory.
static struct ddp_hw_ptypes *hw_ptypes_make(struct ddp_port *port) {
	const struct ddp_plan *plan = port->offload.plan;
	unsigned int n = rte_align32pow2(2 * plan->n_ptypes + 2);
	struct ddp_hw_ptypes *hw_ptypes = rte_zmalloc(
		"ddp_hw_ptypes", sizeof(*hw_ptypes) + n * sizeof(hw_ptypes->slots[0]), 0);

	assert(plan != NULL);
	if (hw_ptypes == NULL)
		return NULL;
	hw_ptypes->mask = n - 1;
	hw_ptypes->bypass = port->offload.bypass;
	hw_ptypes->shift = 32 - __builtin_ctz(n);
	for (unsigned int i = 0; i < plan->n_ptypes; i++) {
		const struct ddp_offload_ptype *ptype = &plan->ptypes[i];
		uint16_t id = ddp_program_type(port->personality->program, ptype->type)->id;
		uint32_t at = ddp_hw_ptypes_slot(hw_ptypes, ptype->rte_ptype);
		struct ddp_hw_ptype hw_ptype = {
			.rte_ptype = ptype->rte_ptype,
			.verdict =
				{
					.packet_type =
						ddp_mapping_apply(port->mapping, id, ptype->found) &
						port->ptype_mask,
					.type_id = id,
					.l3_off = UINT16_MAX,
					.inner_l3_off = RTE_PMD_DDP_UNPARSED,
					.input_len = 1,
					.own = true,
				},
			.planned = i,
			.ruled = is_ruled(port, ptype),
			.unproven = DDP_PROOF_PACKETS << ptype->level,
			.checked = ptype->checked,
			.wrong = ptype->wrong,
		};

		if (hw_ptype.ruled)
			hw_ptype.unproven = DDP_PROOF_REFUTED;
		assert(hw_ptype.rte_ptype != 0);
		while (hw_ptypes->slots[at].rte_ptype != 0)
			at = (at + 1) & hw_ptypes->mask;
		hw_ptypes->slots[at] = hw_ptype;
	}
	return hw_ptypes;
}

// The lower queue's lock is held. If packets do not bypass the rings, all Rx queues read from this
// lower queue.
void ddp_hw_ptypes_lower_set(struct ddp_port *port, struct ddp_lower_rxq *lower,
			     struct ddp_hw_ptypes *hw_ptypes) {
	bool bypasses = ddp_hw_ptypes_bypass(hw_ptypes) && lower->id < port->n_lower_rxqs;

	assert(rte_spinlock_is_locked(&lower->lock));
	lower->hw_ptypes = hw_ptypes;
	port->rxqs[lower->id].last = NULL;
	__atomic_store_n(&port->rxqs[lower->id].own, bypasses ? lower : NULL, __ATOMIC_RELAXED);
}

void ddp_hw_ptypes_replace(struct ddp_port *port, struct ddp_hw_ptypes *hw_ptypes) {
	ddp_hw_ptypes_watch(port);
	rte_free(port->hw_ptypes);
	port->hw_ptypes = hw_ptypes;
}

static void hw_ptypes_set(struct ddp_port *port, struct ddp_hw_ptypes *hw_ptypes, bool drain) {
	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++) {
		struct ddp_lower_rxq *lower = &port->lower_rxqs[i];

		ddp_lower_rxq_lock(lower);
		ddp_hw_ptypes_lower_set(port, lower, hw_ptypes);
		// The queues are not notified yet of packets on their rings.
		for (unsigned int q = 0; hw_ptypes != NULL && q < port->n_rxqs; q++)
			__atomic_store_n(&port->rxqs[q].waiting, true, __ATOMIC_RELEASE);
		if (drain && i < port->lower.n_rxq) { // else the count of an earlier change stays
			int n = rte_eth_rx_queue_count(port->lower.port_id, i);

			// A driver does not count a burst that it took from the NIC and has not
			// returned yet.
			lower->drain = (n < 0 ? port->lower.n_rxd : n) + DDP_PORT_BURST;
		}
		ddp_unlock(&lower->lock);
	}
	ddp_hw_ptypes_replace(port, hw_ptypes);
}

bool ddp_hw_ptypes_begin(struct ddp_port *port) {
	struct ddp_hw_ptypes *hw_ptypes = hw_ptypes_make(port);

	if (hw_ptypes == NULL)
		return false;
	hw_ptypes_set(port, hw_ptypes, port->offload.drain);
	port->offload.drain = false;
	ddp_alarm_set(port, DDP_ALARM_HW_PTYPES, WATCH_US, watch_ring);
	return true;
}

void ddp_hw_ptypes_end(struct ddp_port *port) {
	hw_ptypes_set(port, NULL, false);
}
