/* SPDX-License-Identifier: BSD-3-Clause */
#include "cut.h"

#include <assert.h>
#include <string.h>

#include "common/strbuf.h"
#include "rules/rules.h"

#define SNAPLEN_MORE 80 // bytes: room for further headers, such as a tunnel's, IPv6 and TCP
#define SNAPLEN_STEP 32 // bytes

// Read bytes; those that were not captured are 0, and cut->needed is raised.
static const void *missing_read(const void *ctx, uint32_t off, uint32_t len, void *buf) {
	struct cut *cut = (struct cut *)(uintptr_t)ctx;
	const struct capture_packet *captured = cut->captured;
	uint32_t there = off < captured->len ? captured->len - off : 0;

	if (len > there) {
		if (cut->needed < off + len)
			cut->needed = off + len;
	} else {
		there = len;
	}
	memset(buf, 0, len);
	memcpy(buf, captured->data + off, there);
	return buf;
}

static void as_captured(struct cut *cut) {
	cut->packet = (struct ddp_packet){
		.data = cut->captured->data,
		.first_len = cut->captured->len,
		.len = cut->captured->len,
	};
}

static void as_sent(struct cut *cut) {
	cut->packet = (struct ddp_packet){
		.data = cut->captured->data,
		.first_len = cut->captured->len,
		.len = cut->captured->wire_len,
		.read = missing_read,
		.ctx = cut,
	};
}

static void unknown_classify(struct cut *cut, const struct ddp_program *program,
			     struct ddp_class *class) {
	as_captured(cut);
	ddp_classify(program, &cut->packet, class);
	cut->unknown = true;
}

// Find how many bytes the parser reads; its result is not used.
static void package_classify(struct cut *cut, const struct ddp_program *program,
			     struct ddp_class *class) {
	uint32_t reach;

	assert(is_cut(cut->captured));
	as_captured(cut);
	reach = ddp_classify_reach(program, &cut->packet, class);
	as_sent(cut);
	if (reach == UINT32_MAX)
		reach = ddp_classify_reach(program, &cut->packet, class);
	if (reach == UINT32_MAX)
		reach = cut->captured->len + 1;
	cut->needed = reach > cut->captured->len ? reach : 0;
}

void cut_classify(struct cut *cut, const struct ddp_program *program, struct ddp_class *class) {
	cut->needed = 0;
	cut->unknown = false;
	if (!is_cut(cut->captured)) {
		as_captured(cut);
		ddp_classify(program, &cut->packet, class);
	} else if (ddp_program_reads_ahead(program)) {
		package_classify(cut, program, class);
	} else {
		as_sent(cut);
		ddp_classify(program, &cut->packet, class);
	}
	if (cut->needed > 0)
		unknown_classify(cut, program, class);
}

static void rule_hash(const struct ddp_policy *policy, const struct steer *steer,
		      const struct ddp_packet *packet, const struct ddp_flow_hit *hit,
		      struct ddp_answer *answer) {
	const struct ddp_flow_hashing *hashing = ddp_flow_hashing_of(policy->flows, hit);

	answer->function = hashing->function;
	if (hashing->own_inputs)
		answer->input_len = ddp_flow_gather(policy->flows, packet, &answer->class, hit,
						    hashing->function, answer->input);
	else
		answer->input_len = ddp_input_gather(policy->program, packet, &answer->class,
						     policy->rss ? policy->rss_hf : DDP_RSS_HF_ALL,
						     hashing->function, answer->input);
	answer->hash = answer->queue = 0;
	if (answer->input_len > 0) {
		answer->hash = ddp_hash_compute_by(&steer->hash, hashing->function, answer->input,
						   answer->input_len);
		answer->queue = steer->reta[answer->hash & (steer->config.reta_size - 1)];
	}
	answer->port_hash = answer->hash;
}

// ddp_answer_steer() with rules unless policy is NULL, by the interpreter. Returns the rule that
// steers the packet, NULL for none.
static const struct ddp_flow_entry *
rule_steer(const struct ddp_program *program, const struct ddp_policy *policy,
	   const struct steer *steer, const struct ddp_packet *packet, struct ddp_answer *answer) {
	const struct ddp_answer_rss rss = steer_of(steer);
	struct ddp_flow_hit hit = {{NULL, NULL}, 0};
	const struct ddp_flow_entry *rule;
	const struct ddp_flow_action *action;
	const struct ddp_hash *key;

	if (policy != NULL && policy->flows != NULL)
		ddp_flow_match(policy->flows, packet, &answer->class, &hit);
	ddp_answer_steer(program, &rss, packet, answer);
	if (hit.rules[DDP_FLOW_HASH] != NULL)
		rule_hash(policy, steer, packet, &hit, answer);
	rule = hit.rules[DDP_FLOW_STEER];
	if (rule == NULL)
		return NULL;
	action = ddp_flow_action_of(rule);
	key = ddp_flow_key_of(action);
	if (key != NULL && answer->input_len > 0)
		answer->hash = ddp_hash_compute_by(key, answer->function, answer->input,
						   answer->input_len);
	answer->dropped = action->fate == DDP_FLOW_DROP;
	if (action->fate == DDP_FLOW_DROP)
		answer->queue = 0;
	else if (action->fate != DDP_FLOW_PASS)
		answer->queue = ddp_flow_queue(action, answer->input_len > 0, answer->hash);
	return rule;
}

const struct ddp_flow_entry *cut_answer(struct cut *cut, const struct ddp_program *program,
					const struct steer *steer, const struct ddp_policy *policy,
					struct ddp_answer *answer) {
	const struct ddp_flow_entry *rule;

	cut_classify(cut, program, &answer->class);
	rule = rule_steer(program, policy, steer, &cut->packet, answer);
	if (cut->unknown || cut->needed == 0)
		return rule;
	unknown_classify(cut, program, &answer->class); // hashed bytes are missing
	return rule_steer(program, policy, steer, &cut->packet, answer);
}

void cut_count_add(struct cut_count *count, const struct cut *cut) {
	assert(!cut->unknown || cut->needed > 0);
	count->packets += cut->unknown;
	if (cut->unknown && count->needed < cut->needed)
		count->needed = cut->needed;
}

unsigned int cut_snaplen(uint32_t needed) {
	return (needed + SNAPLEN_MORE + SNAPLEN_STEP - 1) / SNAPLEN_STEP * SNAPLEN_STEP;
}

void cut_warning_write(FILE *to, const struct capture *capture, const char *unknown,
		       uint32_t needed) {
	fprintf(to,
		"warning: %s of the packets were cut by the capture, which has at most %u bytes of "
		"each. That is too little for %s: what is not known counts as if the packet ended there. "
		"A snaplen of %u would do (tcpdump -s %u).",
		share_text((double)capture->n_cut / capture->n_packets, 1, " %").text,
		capture->cut_len, unknown, cut_snaplen(needed), cut_snaplen(needed));
}
