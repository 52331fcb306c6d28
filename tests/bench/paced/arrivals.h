/* SPDX-License-Identifier: BSD-3-Clause */
// What arrives, and when: 5G uplink, GTP-U from one gNB, flows whose sizes are by Zipf's law. Gaps
// between packets are exponential, so arrivals are a Poisson process. All of it follows from a
// seed: two runs get the same packets at the same (paced) times, whatever becomes of them.
#ifndef PACED_ARRIVALS_H
#define PACED_ARRIVALS_H

#include <stdint.h>

#include <rte_mbuf.h>

#include "random.h"
#include "rss/rss.h"

#define PACED_GAPS 4096
#define PACED_FRAME_LEN 128

struct paced_traffic {
	double rate;          // packets a second
	unsigned int n_flows; // eight of each UE
	double zipf;          // 0: all of one size
	double churn;         // percent of the flows that are replaced in 100 ms
	uint64_t seed;
};

// A flow: a place of a certain size, taken by one flow after the other.
struct paced_flow {
	uint32_t limit, other; // alias method: below the limit it is this flow, else the other
	uint32_t hash;         // Toeplitz of the inner addresses and ports
	uint32_t life;         // which one it is
	uint32_t seq;          // packets so far
};

// One packet, as its descriptor has it and its payload keeps it.
struct paced_stamp {
	uint64_t arrival; // paced time
	uint32_t flow, life, seq;
	uint32_t magic;
};

struct arrivals {
	struct paced_traffic traffic;
	struct random random;
	struct paced_flow *flows;
	double gaps[PACED_GAPS];      // in cycles
	double next;                  // when the next packet arrives, in cycles
	double next_birth, birth_gap; // of flows, mean gap in cycles; 0: never
	struct ddp_hash hash;
};

// 0 or -ENOMEM. hz: cycles a second.
int arrivals_init(struct arrivals *arrivals, const struct paced_traffic *traffic, uint64_t hz);
void arrivals_fini(struct arrivals *arrivals);

// The next packet, if it arrives until now. Returns its flow, or NULL.
const struct paced_flow *arrivals_next(struct arrivals *arrivals, uint64_t now,
				       struct paced_stamp *stamp);

// Its frame, with the stamp at the end.
void arrivals_frame(struct rte_mbuf *mbuf, const struct paced_stamp *stamp);

// The stamp of a packet that comes back, NULL if it has none.
const struct paced_stamp *arrivals_stamp(const struct rte_mbuf *mbuf, struct paced_stamp *copy);

#endif
