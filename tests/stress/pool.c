/* SPDX-License-Identifier: BSD-3-Clause */
#include "pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#define FAULTS_TOLD 20
#define XSTAT_TRIES 10

static atomic_uint n_faults;

void fault(const char *fmt, ...) {
	char text[512];
	va_list ap;

	if (n_faults++ >= FAULTS_TOLD)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "FAULT: %s\n", text);
}

unsigned int fault_count(void) {
	return n_faults;
}

// ethdev asks for the number of statistics first and then for all: it fails if a profile, which
// another thread adds, brings more of them in between.
bool xstat_read(uint16_t port, const char *name, uint64_t *value) {
	uint64_t id;

	for (unsigned int i = 0; i < XSTAT_TRIES; i++)
		if (rte_eth_xstats_get_id_by_name(port, name, &id) == 0 &&
		    rte_eth_xstats_get_by_id(port, &id, value, 1) == 1)
			return true;
	return false;
}

uint64_t xstat_dropped_by_rule(uint16_t port) {
	uint64_t n = 0;

	xstat_read(port, "rx_dropped_by_rule", &n);
	return n;
}

void eal_start(char *words) {
	char *argv[16];
	int argc = 0;

	for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
		argv[argc++] = word;
	if (rte_eal_init(argc, argv) < 0)
		exit(1);
}

#define POOL_OPS "stress"

// In the private area of each mbuf. 0, which rte_pktmbuf_init() leaves there, is free.
enum state {
	STATE_FREE,
	STATE_USED
};

struct list {
	pthread_mutex_t mutex;
	bool watching; // all mbufs are initialised
	unsigned int n;
	void *objs[];
};

static void state_change(void *obj, uint32_t from, uint32_t to) {
	uint32_t *state = rte_mbuf_to_priv(obj);

	if (*state != from)
		fault("mbuf %p is %s twice", obj, to == STATE_FREE ? "freed" : "handed out");
	*state = to;
}

static int list_alloc(struct rte_mempool *mp) {
	// DPDK's memory: it goes with rte_eal_cleanup(), also where nobody could free the pool.
	struct list *list = rte_zmalloc("list", sizeof(*list) + mp->size * sizeof(void *), 0);

	if (list == NULL)
		return -ENOMEM;
	pthread_mutex_init(&list->mutex, NULL);
	mp->pool_data = list;
	return 0;
}

static void list_free(struct rte_mempool *mp) {
	rte_free(mp->pool_data);
}

static int list_put(struct rte_mempool *mp, void *const *objs, unsigned int n) {
	struct list *list = mp->pool_data;

	pthread_mutex_lock(&list->mutex);
	for (unsigned int i = 0; i < n; i++) {
		if (list->watching)
			state_change(objs[i], STATE_USED, STATE_FREE);
		list->objs[list->n++] = objs[i];
	}
	pthread_mutex_unlock(&list->mutex);
	return 0;
}

static int list_get(struct rte_mempool *mp, void **objs, unsigned int n) {
	struct list *list = mp->pool_data;
	int ret = -ENOBUFS;

	pthread_mutex_lock(&list->mutex);
	if (list->n >= n) {
		for (unsigned int i = 0; i < n; i++) {
			objs[i] = list->objs[--list->n];
			state_change(objs[i], STATE_FREE, STATE_USED);
		}
		ret = 0;
	}
	pthread_mutex_unlock(&list->mutex);
	return ret;
}

static unsigned int list_count(const struct rte_mempool *mp) {
	struct list *list = mp->pool_data;
	unsigned int n;

	pthread_mutex_lock(&list->mutex);
	n = list->n;
	pthread_mutex_unlock(&list->mutex);
	return n;
}

static const struct rte_mempool_ops list_ops = {
	.name = POOL_OPS,
	.alloc = list_alloc,
	.free = list_free,
	.enqueue = list_put,
	.dequeue = list_get,
	.get_count = list_count,
};

RTE_MEMPOOL_REGISTER_OPS(list_ops);

struct rte_mempool *pool_create(const char *name, unsigned int n, unsigned int size) {
	struct rte_mempool *pool = rte_pktmbuf_pool_create_by_ops(name, n, 0, RTE_CACHE_LINE_SIZE,
								  RTE_PKTMBUF_HEADROOM + size,
								  SOCKET_ID_ANY, POOL_OPS);

	if (pool == NULL) {
		fprintf(stderr, "no memory for %u mbufs\n", n);
		abort();
	}
	((struct list *)pool->pool_data)->watching = true;
	return pool;
}
