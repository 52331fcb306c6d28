/* SPDX-License-Identifier: BSD-3-Clause */
// The verdict, and the front end of ddpctl: ddp_answer() and what it is made of.
#include "classify/answer.h"
#include "base/arena.h"
#include "classify/run/walk.h"
#include "unit.h"
#include "verdict.h"

#define RETA_SIZE 128

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
	v->found.type_id = n->type != NULL ? n->type->id : 0;
	v->found.packet_type = n->rte_ptype;
	v->found.l3_off = n->l3_off;
	v->found.inner_l3_off = n->inner_l3_off;
	v->found.encapsulated = n->encapsulated;
	v->found.value = n->value;
	v->found.steer = hit.rules[DDP_FLOW_STEER];
	v->function = rule != NULL ? rule->hashing.function : way->policy.function;
	v->found.input_len = naive_input_find(v, &way->policy, rule);
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
	v->found.type_id = class.type_id;
	v->found.packet_type = class.rte_ptype;
	v->found.l3_off = class.l3_off;
	v->found.inner_l3_off = class.inner_l3_off;
	v->found.encapsulated = class.encapsulated;
	v->found.value = class.value;
	v->found.steer = flow_book_index(hit.rules[DDP_FLOW_STEER]);
	v->found.input_len = model_input_find(v, &way->policy, &packet, &class, &hit);
}

void verdict_find(struct verdict *verdict, const struct way *way, const struct ddp_hash *hash,
		  const uint8_t *bytes, uint32_t len) {
	const struct ddp_policy *policy = &way->policy;

	if (way->personality->package == NULL)
		naive_find(verdict, way, bytes, len);
	else
		model_find(verdict, way, bytes, len);
	if (verdict->found.type_id < policy->n_ptypes &&
	    policy->ptypes[verdict->found.type_id] != DDP_PTYPE_AS_FOUND)
		verdict->found.packet_type = policy->ptypes[verdict->found.type_id];
	verdict->found.packet_type &= ~policy->ptype_hidden;
	verdict->found.hash =
		naive_hash(verdict->function, hash->key, verdict->input, verdict->found.input_len);
	verdict->found.function = verdict->found.input_len > 0 ? verdict->function : 0;
}

static const char *headers_difference(const struct ddp_class *class, const struct naive *naive) {
	for (unsigned int i = 0; i < class->n_seen; i++) {
		const struct naive_header *theirs = &naive->headers[i];
		const struct ddp_seen *ours = &class->seen[i];

		if (ours->node != theirs->node || ours->off != theirs->off ||
		    ours->len != theirs->len)
			return "header";
		if (ours->fragment != theirs->fragment)
			return "fragment";
		if (ours->groups != theirs->groups)
			return "optional fields";
	}
	return NULL;
}

static const char *type_difference(const struct ddp_program *program, const struct ddp_class *class,
				   const struct naive *naive) {
	const struct ddp_type_info *type = ddp_program_type(program, class->type);

	if (strcmp(type->name, naive->type == NULL ? "UNKNOWN" : naive->type->name) != 0)
		return "type";
	if (class->type_id != type->id ||
	    class->type_id != (naive->type == NULL ? 0 : naive->type->id))
		return "type_id";
	if (class->l3_off != naive->l3_off)
		return "l3_off";
	if (class->inner_l3_off != naive->inner_l3_off)
		return "inner_l3_off";
	if (class->encapsulated != naive->encapsulated)
		return "encapsulated";
	if (class->rte_ptype != naive->rte_ptype)
		return "packet_type";
	return class->value != naive->value ? "value" : NULL;
}

static const char *inputs_difference(const struct ddp_program *program,
				     const struct ddp_packet *packet, const struct ddp_class *class,
				     struct naive *naive, uint64_t rss_hf) {
	for (enum ddp_hash_function function = 0; function < DDP_HASH_SIMPLE_XOR; function++) {
		uint8_t ours[DDP_MAX_INPUT_SIZE], theirs[DDP_MAX_INPUT_SIZE];
		unsigned int n = ddp_input_gather(program, packet, class, rss_hf, function, ours);

		if (n != naive_input(naive, rss_hf, function, theirs))
			return "number of bytes to hash";
		if (memcmp(ours, theirs, (n + 3) / 4 * 4) != 0) // zeros follow
			return "bytes to hash";
	}
	return NULL;
}

const char *class_difference(const struct ddp_program *program, const struct ddp_packet *packet,
			     struct naive *naive, uint64_t rss_hf) {
	struct ddp_class class;
	const char *what;

	memset(&class, 0xa5, sizeof(class));
	ddp_classify(program, packet, &class);
	if (class.n_seen != naive->n_headers)
		return "number of headers";
	if (class.status != naive->status)
		return "status";
	if (class.n_matched != naive->n_matched)
		return "number of headers of the type";
	if ((what = headers_difference(&class, naive)) != NULL ||
	    (what = type_difference(program, &class, naive)) != NULL ||
	    (what = inputs_difference(program, packet, &class, naive, rss_hf)) != NULL)
		return what;
	// Classification of the type alone finds no more headers, and agrees otherwise.
	memset(&class, 0xa5, sizeof(class));
	classify_type_traced(program, packet, &class, NULL);
	if (class.n_seen > naive->n_headers || class.n_matched > class.n_seen)
		return "number of headers for the type alone";
	if ((what = headers_difference(&class, naive)) != NULL ||
	    (what = type_difference(program, &class, naive)) != NULL)
		return what;
	return inputs_difference(program, packet, &class, naive, rss_hf);
}

static const char *flow_difference(struct verdict *verdict, const struct way *way,
				   const struct ddp_packet *packet, const struct ddp_class *class) {
	const struct ddp_policy *policy = &way->policy;
	const struct ddp_flow_hashing *hashing;
	uint8_t input[DDP_HASH_INPUT_MAX];
	struct ddp_flow_hit hit;
	unsigned int n;

	ddp_flow_match(policy->flows, packet, class, &hit);
	if (flow_book_index(hit.rules[DDP_FLOW_STEER]) != verdict->found.steer)
		return "rule that steers";
	for (unsigned int s = 0; s < DDP_FLOW_STAGES; s++)
		if (hit.rules[s] != NULL && class->type != DDP_TYPE_NONE &&
		    !ddp_flow_set_reaches(policy->flows, class->type))
			return "reach of the rules";
	hashing = ddp_flow_hashing_of(policy->flows, &hit);
	if (hashing == NULL || !hashing->own_inputs)
		return NULL;
	n = ddp_flow_gather(policy->flows, packet, class, &hit, hashing->function, input);
	if (hashing->function != verdict->function || n != verdict->found.input_len)
		return "rule that hashes";
	return memcmp(input, verdict->input, n) != 0 ? "bytes that a rule hashes" : NULL;
}

// The whole answer; steps, which take long, now and then.
static const char *whole_difference(const struct verdict *verdict, const struct way *way,
				    const struct ddp_hash *hash, const struct ddp_packet *packet) {
	uint16_t reta[RETA_SIZE];
	const struct ddp_answer_rss rss = {hash, reta, RETA_SIZE, way->policy.rss_hf};
	static unsigned int n_calls;
	struct ddp_arena *arena = n_calls++ % 4 == 0 ? ddp_arena_create() : NULL;
	struct ddp_answer answer;
	int ret;

	for (unsigned int i = 0; i < RETA_SIZE; i++)
		reta[i] = i * 7 + 1;
	ret = ddp_personality_answer(way->personality, &rss, packet, arena, &answer);
	ddp_arena_destroy(arena);
	if (ret < 0)
		return "memory for steps";
	if (answer.class.type_id != verdict->found.type_id)
		return "type_id of the answer";
	if (answer.input_len != verdict->found.input_len ||
	    memcmp(answer.input, verdict->input, verdict->found.input_len) != 0)
		return "input of the answer";
	if (answer.hash != verdict->found.hash)
		return "hash of the answer";
	if (answer.queue !=
	    (verdict->found.input_len > 0 ? reta[verdict->found.hash % RETA_SIZE] : 0))
		return "queue of the answer";
	return NULL;
}

const char *answer_difference(struct verdict *verdict, const struct way *way,
			      const struct ddp_hash *hash, const struct ddp_packet *packet) {
	const struct ddp_program *program = way->policy.program;
	struct ddp_class class;
	const char *what = NULL;

	if (verdict->naive.profile != NULL)
		what = class_difference(program, packet, &verdict->naive, way->policy.rss_hf);
	if (what == NULL && way->book != NULL) {
		ddp_classify(program, packet, &class);
		what = flow_difference(verdict, way, packet, &class);
	}
	if (what == NULL && way->book == NULL && way->policy.rss && way->policy.rss_hf != 0 &&
	    way->policy.function == hash->function)
		what = whole_difference(verdict, way, hash, packet);
	return what;
}
