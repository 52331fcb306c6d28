/* SPDX-License-Identifier: BSD-3-Clause */
// Ways to find out what a packet is and where it goes. All of them write packet_type, hash.rss and
// ol_flags to the mbuf and look the queue up, but for those that say that they do less.
#ifndef BENCH_METHODS_H
#define BENCH_METHODS_H

#include "work.h"

#define METHODS_MAX 32

struct method {
	char id[24];
	char title[48];
	// n is at most BURST. NULL: there is nothing to measure in packets that are at hand.
	void (*run)(void *arg, struct rte_mbuf *const *mbufs, unsigned int n);
	// The same; and prefetch the headers of the next BURST packets, between the work on these.
	// NULL: this CPU does not run it.
	void (*run_ahead)(void *arg, struct rte_mbuf *const *mbufs, unsigned int n,
			  struct rte_mbuf *const *next);
	// Forget what was learned; may be NULL.
	void (*reset)(void *arg);
	void *arg;
};

// Both functions of a method over one inline body, whose argument next is NULL in the first.
#define METHOD_FUNCTIONS(name)                                                                 \
	static void name##_run(void *arg, struct rte_mbuf *const *mbufs, unsigned int n) {     \
		name(arg, mbufs, n, NULL);                                                     \
	}                                                                                      \
	static void name##_run_ahead(void *arg, struct rte_mbuf *const *mbufs, unsigned int n, \
				     struct rte_mbuf *const *next) {                           \
		name(arg, mbufs, n, next);                                                     \
	}

// GFNI and AVX-512, as rte_thash_gfni() needs them.
bool machine_has_gfni(void);

extern struct method methods[METHODS_MAX];
extern unsigned int n_methods;

// A new method with id and title; the caller fills in the rest.
struct method *method_add(const char *id, const char *title);
// NULL: there is none.
const struct method *method_find(const char *id);
// The one that others are compared with.
#define METHOD_BASE "ptype"
// Our best one, and the one that runs unless EAL is told otherwise.
const struct method *method_ours(void);
const struct method *method_usual(void);

// Make a list of all methods that this machine runs.
void methods_init(void);
void methods_fini(void);
// By file, in the order of the tables.
void floor_methods_add(void);
void peer_methods_add(void);
void interpreter_methods_add(void);
void cache_methods_add(void);
void cache_methods_fini(void);
void driver_methods_add(void);

#endif
