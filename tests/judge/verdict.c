/* SPDX-License-Identifier: BSD-3-Clause */
#include "verdict.h"

#include "naive_flow.h"

// Bytes to hash: those of the rule that hashes (NULL: none), or of the packet type.
static unsigned int naive_input_find(struct verdict *v, const struct ddp_policy *policy,
				     const struct ddp_flow *rule) {
	uint64_t rss_hf = policy->rss ? policy->rss_hf : DDP_RSS_HF_ALL;

	if (rule == NULL && !policy->rss)
		return 0;
	if (rule != NULL && rule->hashing.own_inputs)
		return naive_flow_input(&v->naive, rule, v->function, v->input);
	return naive_input(&v->naive, rss_hf, v->function, v->input);
}

static void naive_find(struct verdict *v, const struct way *way, const uint8_t *bytes,
		       uint32_t len) {
	const struct ddp_flow *rules[FLOW_BOOK_MAX], *rule = NULL;
	struct naive_hit hit = {{-1, -1}};
	struct naive *n = &v->naive;

	naive_classify(way->personality->profile, bytes, len, n);
	for (unsigned int i = 0; way->book != NULL && i < way->book->n; i++)
		rules[i] = way->book->rules[i].in ? &way->rules[i] : NULL;
	if (way->book != NULL)
		naive_flow_match(n, rules, way->book->n, &hit);
	if (hit.rules[DDP_FLOW_HASH] >= 0)
		rule = &way->rules[hit.rules[DDP_FLOW_HASH]];
	v->type_id = n->type != NULL ? n->type->id : 0;
	v->packet_type = n->rte_ptype;
	v->l3_off = n->l3_off;
	v->inner_l3_off = n->inner_l3_off;
	v->encapsulated = n->encapsulated;
	v->value = n->value;
	v->steer = hit.rules[DDP_FLOW_STEER];
	v->function = rule != NULL ? rule->hashing.function : way->policy.function;
	v->input_len = naive_input_find(v, &way->policy, rule);
}

static unsigned int model_input_find(struct verdict *v, const struct ddp_policy *policy,
				     const struct ddp_packet *packet, const struct ddp_class *class,
				     const struct ddp_flow_hit *hit) {
	const struct ddp_flow_hashing *hashing = ddp_flow_hashing_of(policy->flows, hit);
	uint64_t rss_hf = policy->rss ? policy->rss_hf : DDP_RSS_HF_ALL;

	v->function = hashing != NULL ? hashing->function : policy->function;
	if (hashing == NULL && !policy->rss)
		return 0;
	if (hashing != NULL && hashing->own_inputs)
		return ddp_flow_gather(policy->flows, packet, class, hit, v->function, v->input);
	return ddp_input_gather(policy->program, packet, class, rss_hf, v->function, v->input);
}

static void model_find(struct verdict *v, const struct way *way, const uint8_t *bytes,
		       uint32_t len) {
	const struct ddp_packet packet = {.data = bytes, .first_len = len, .len = len};
	struct ddp_flow_hit hit = {{NULL, NULL}, 0};
	struct ddp_class class;

	v->naive.profile = NULL;
	ddp_classify(way->policy.program, &packet, &class);
	if (way->book != NULL)
		ddp_flow_match(way->policy.flows, &packet, &class, &hit);
	v->type_id = class.type_id;
	v->packet_type = class.rte_ptype;
	v->l3_off = class.l3_off;
	v->inner_l3_off = class.inner_l3_off;
	v->encapsulated = class.encapsulated;
	v->value = class.value;
	v->steer = flow_book_index(hit.rules[DDP_FLOW_STEER]);
	v->input_len = model_input_find(v, &way->policy, &packet, &class, &hit);
}

void verdict_find(struct verdict *verdict, const struct way *way, const struct ddp_hash *hash,
		  const uint8_t *bytes, uint32_t len) {
	const struct ddp_policy *policy = &way->policy;

	if (way->personality->package == NULL)
		naive_find(verdict, way, bytes, len);
	else
		model_find(verdict, way, bytes, len);
	if (verdict->type_id < policy->n_ptypes &&
	    policy->ptypes[verdict->type_id] != DDP_PTYPE_AS_FOUND)
		verdict->packet_type = policy->ptypes[verdict->type_id];
	verdict->packet_type &= ~policy->ptype_hidden;
	verdict->hash =
		naive_hash(verdict->function, hash->key, verdict->input, verdict->input_len);
}
