/* SPDX-License-Identifier: BSD-3-Clause */
#include "verdict.h"

#include <inttypes.h>
#include <stdio.h>

// Bytes to hash, and how. Returns their number.
static unsigned int input_find(const struct ddp_policy *policy, const struct ddp_packet *packet,
			       const struct ddp_class *class, const struct ddp_flow_hit *hit,
			       uint8_t input[DDP_HASH_INPUT_MAX], uint8_t *function) {
	const struct ddp_flow_hashing *hashing = ddp_flow_hashing_of(policy->flows, hit);
	uint64_t rss_hf = policy->rss ? policy->rss_hf : DDP_RSS_HF_ALL;

	*function = policy->function;
	if (hashing == NULL)
		return policy->rss ? ddp_input_gather(policy->program, packet, class, rss_hf,
						      *function, input) :
				     0;
	*function = hashing->function;
	if (hashing->own_inputs)
		return ddp_flow_gather(policy->flows, packet, class, hit, *function, input);
	return ddp_input_gather(policy->program, packet, class, rss_hf, *function, input);
}

void verdict_find(struct verdict *verdict, const struct ddp_policy *policy,
		  const struct ddp_hash *hash, const uint8_t *bytes, uint32_t len) {
	const struct ddp_packet packet = {.data = bytes, .first_len = len, .len = len};
	struct ddp_flow_hit hit = {{NULL, NULL}, 0};
	uint8_t input[DDP_HASH_INPUT_MAX];
	struct ddp_class class;

	ddp_classify(policy->program, &packet, &class);
	if (policy->flows != NULL)
		ddp_flow_match(policy->flows, &packet, &class, &hit);
	verdict->type_id = class.type_id;
	verdict->packet_type = class.rte_ptype;
	if (class.type_id < policy->n_ptypes && policy->ptypes[class.type_id] != DDP_PTYPE_AS_FOUND)
		verdict->packet_type = policy->ptypes[class.type_id];
	verdict->packet_type &= ~policy->ptype_hidden;
	verdict->l3_off = class.l3_off;
	verdict->inner_l3_off = class.inner_l3_off;
	verdict->encapsulated = class.encapsulated;
	verdict->input_len = input_find(policy, &packet, &class, &hit, input, &verdict->function);
	verdict->value = class.value;
	verdict->steer = hit.rules[DDP_FLOW_STEER];
	verdict->hash = verdict->function == DDP_HASH_SIMPLE_XOR ?
				ddp_hash_simple_xor(input, verdict->input_len) :
				ddp_hash_compute(hash, input, verdict->input_len);
}

const char *verdict_difference(const struct verdict *verdict, const struct ddp_policy *policy,
			       const struct ddp_burst *burst, const uint8_t *bytes,
			       unsigned int i) {
	const struct ddp_verdict *path = ddp_burst_verdict(burst, i);

	if (path == NULL)
		return "there is no verdict";
	if (path->type_id != verdict->type_id)
		return "type_id";
	if (path->packet_type != verdict->packet_type)
		return "packet_type";
	if (path->l3_off != verdict->l3_off)
		return "l3_off";
	if (path->inner_l3_off != verdict->inner_l3_off)
		return "inner_l3_off";
	if (path->encapsulated != verdict->encapsulated)
		return "encapsulated";
	if (ddp_verdict_value(path, bytes) != verdict->value)
		return "value";
	if (path->input_len != verdict->input_len)
		return "input_len";
	if (policy->flows != NULL && burst->steer[i] != verdict->steer)
		return "steer";
	if (verdict->input_len == 0)
		return NULL;
	if (path->function != verdict->function)
		return "function";
	return burst->hashes[i] != verdict->hash ? "hash" : NULL;
}

// Both have these members.
#define PATH_PRINT(who, path)                                                                 \
	printf(who ": type_id %u packet_type 0x%08" PRIx32                                    \
		   " inner_l3_off %u input_len %u function %u",                               \
	       (path)->type_id, (path)->packet_type, (path)->inner_l3_off, (path)->input_len, \
	       (path)->function)

static void rest_print(uint32_t hash, uint32_t value, const struct ddp_flow_entry *steer) {
	printf(" hash 0x%08" PRIx32 " value 0x%08" PRIx32 " steer %" PRId64 "\n", hash, value,
	       steer != NULL ? (int64_t)steer->number : -1);
}

void verdict_print(const struct verdict *verdict, const struct ddp_policy *policy,
		   const struct ddp_burst *burst, const uint8_t *bytes, unsigned int i) {
	PATH_PRINT("interpreter", verdict);
	rest_print(verdict->hash, verdict->value, verdict->steer);
	if (ddp_burst_verdict(burst, i) == NULL)
		return;
	PATH_PRINT("cache      ", ddp_burst_verdict(burst, i));
	rest_print(burst->hashes[i], ddp_verdict_value(ddp_burst_verdict(burst, i), bytes),
		   policy->flows != NULL ? burst->steer[i] : NULL);
}
