/* SPDX-License-Identifier: BSD-3-Clause */
// Flows that begin and end.
//
// The schedule deals packets out to places: the flows of all UEs, each of its own size, and behind
// them a place for each elephant. A place has one flow at a time. With churn a flow ends and
// another one of the same UE takes its place and size; an elephant's place is empty while it is
// away. Flows are numbered in the order in which they begin. Times are in microseconds since the
// first packet.
#ifndef TRAFFIC_LIVES_H
#define TRAFFIC_LIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "population.h"
#include "rng.h"
#include "truth.h"

struct config;

// A place and its flow.
struct place {
	bool lives;        // else there is no flow
	uint32_t n_before; // flows that were here
	struct life life;
};

struct lives {
	const struct config *config;
	struct truth *truth;  // is told of each flow that ends; NULL: nobody
	uint64_t n_places;    // without elephants
	struct place *places; // n_places, then the elephants; NULL: nothing changes, nobody counts
	uint64_t n_flows;     // that have begun
	uint64_t n_replaced;  // flows
	uint64_t next_us;     // when the next flow begins or ends
	struct rng churn_rng, share_rng;
};

// 0 or -ENOMEM.
int lives_init(struct lives *lives, const struct config *config, struct truth *truth);
void lives_fini(struct lives *lives);

// Whether a flow begins or ends until this time. If so, the first one has, and place says where.
bool lives_change(struct lives *lives, uint64_t time_us, uint64_t *place);

// Which place sends the packet that the schedule has for this one: an elephant may take it.
uint64_t lives_sender(struct lives *lives, uint64_t place);

// The flow in a place.
struct flow lives_flow(const struct lives *lives, uint64_t place);

// It sent a frame.
static inline void lives_count(struct lives *lives, uint64_t place, uint64_t time_us,
			       uint32_t size) {
	struct life *life;

	if (lives->places == NULL)
		return;
	life = &lives->places[place].life;
	if (life->packets++ == 0)
		life->first_us = time_us;
	life->last_us = time_us;
	life->bytes += size;
}

// All flows end.
void lives_end(struct lives *lives, uint64_t time_us);

#endif
