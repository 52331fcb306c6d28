/* SPDX-License-Identifier: BSD-3-Clause */
// Rules by what they are looked up by: the application's handle, or their pattern.
#include <errno.h>
#include <stdlib.h>

#include "rules.h"

#define BUCKETS_FIRST 64

static struct ddp_flow_node **bucket_of(const struct ddp_flow_index *index, uint64_t hash) {
	return &index->buckets[hash & (index->n_buckets - 1)];
}

int ddp_flow_index_reserve(struct ddp_flow_index *index) {
	struct ddp_flow_index larger = {
		.n_buckets = index->n_buckets > 0 ? 2 * index->n_buckets : BUCKETS_FIRST,
	};

	if (index->n < index->n_buckets)
		return 0;
	larger.buckets = calloc(larger.n_buckets, sizeof(*larger.buckets));
	if (larger.buckets == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < index->n_buckets; i++)
		while (index->buckets[i] != NULL) {
			struct ddp_flow_node *node = index->buckets[i];

			index->buckets[i] = node->next;
			ddp_flow_index_insert(&larger, node);
		}
	free(index->buckets);
	*index = larger;
	return 0;
}

void ddp_flow_index_insert(struct ddp_flow_index *index, struct ddp_flow_node *node) {
	struct ddp_flow_node **bucket = bucket_of(index, node->hash);

	node->next = *bucket;
	*bucket = node;
	index->n++;
}

void ddp_flow_index_remove(struct ddp_flow_index *index, struct ddp_flow_node *node) {
	struct ddp_flow_node **place = bucket_of(index, node->hash);

	while (*place != node)
		place = &(*place)->next;
	*place = node->next;
	index->n--;
}

static struct ddp_flow_node *same_find(struct ddp_flow_node *node, uint64_t hash) {
	while (node != NULL && node->hash != hash)
		node = node->next;
	return node;
}

struct ddp_flow_node *ddp_flow_index_first(const struct ddp_flow_index *index, uint64_t hash) {
	return index->n_buckets == 0 ? NULL : same_find(*bucket_of(index, hash), hash);
}

struct ddp_flow_node *ddp_flow_index_next(const struct ddp_flow_node *node) {
	return same_find(node->next, node->hash);
}
