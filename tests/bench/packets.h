/* SPDX-License-Identifier: BSD-3-Clause */
// Random frames, the kinds of traffic that are measured, and their packets in mbufs.
#ifndef BENCH_PACKETS_H
#define BENCH_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

/* Random numbers that are the same on every machine (splitmix64) */

struct random {
	uint64_t state;
};

static inline uint64_t random_next(struct random *random) {
	uint64_t x = random->state += 0x9e3779b97f4a7c15;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

// 0 to n - 1.
static inline uint32_t random_below(struct random *random, uint32_t n) {
	return ((random_next(random) >> 32) * n) >> 32;
}

// low to high, both included.
static inline uint32_t random_from(struct random *random, uint32_t low, uint32_t high) {
	return low + random_below(random, high - low + 1);
}

// True so many times in a hundred.
static inline bool random_percent(struct random *random, unsigned int percent) {
	return random_below(random, 100) < percent;
}

/* Frames. Addresses, ports, labels and session ids are random. */

#define FRAME_MAX 512
#define VISITS 65536 // of a round over hot packets

struct frame {
	struct random *random;
	unsigned int len, n_lengths;
	unsigned int space; // of the field that says which header comes next
	uint8_t *next;
	struct {
		uint8_t *at;
		const uint8_t *from; // it counts all bytes from here on
	} lengths[16];
	uint8_t data[FRAME_MAX];
};

struct kind {
	const char *id, *title;
	const char *group;      // of the table it is in: "one", "mixed"
	unsigned int n_packets; // distinct ones; VISITS: too many to be hot, so they are prefetched
	const char *chain;      // as ddpctl prints it; NULL where packets differ in it
	void (*make)(struct frame *frame,
		     unsigned int i); // the headers of packet i, without a chain
};

extern const struct kind kinds[];
extern const unsigned int n_kinds;

// NULL: unknown.
const struct kind *kind_find(const char *id);
// Packet i of a kind.
void kind_frame(const struct kind *kind, unsigned int i, struct random *random,
		struct frame *frame);

void n3_make(struct frame *frame, unsigned int i);
void adversarial_make(struct frame *frame, unsigned int i);

/* Packets of a kind in mbufs, and the order in which they are visited */

#define BURST 32
#define LESSONS 8           // so many visits before what learns is measured
#define POOL_PACKETS 200000 // in the pool, at least

struct packets {
	unsigned int n, n_visits, next_visit;
	struct rte_mbuf **mbufs;
	struct rte_mbuf **visits; // n_visits of them, a multiple of BURST
};

// The pool that all packets are from.
struct rte_mempool *packets_pool(void);
// n packets. As many visits as packets visit each once, others choose at random. Exits where memory
// lacks.
void packets_make(struct packets *packets, const struct kind *kind, unsigned int n,
		  unsigned int n_visits);
void packets_free(struct packets *packets);
// Give an mbuf that is nobody else's a frame.
void packet_fill(struct rte_mbuf *mbuf, const struct frame *frame);

#endif
