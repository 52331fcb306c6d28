/* SPDX-License-Identifier: BSD-3-Clause */
#include "answer.h"

#include <assert.h>

#include "classify/run/walk.h"

void ddp_answer_steer(const struct ddp_program *program, const struct ddp_answer_rss *rss,
		      const struct ddp_packet *packet, struct ddp_answer *answer) {
	assert((rss->reta_size & (rss->reta_size - 1)) == 0);
	answer->function = rss->hash->function;
	answer->hash = answer->queue = 0;
	answer->dropped = false;
	answer->steps = NULL;
	answer->input_len = 0;
	if (rss->rss_hf != 0)
		answer->input_len = ddp_input_gather(program, packet, &answer->class, rss->rss_hf,
						     rss->hash->function, answer->input);
	assert(answer->input_len <= sizeof(answer->input));
	if (answer->input_len > 0) {
		answer->hash = ddp_hash_compute(rss->hash, answer->input, answer->input_len);
		answer->queue = rss->reta[answer->hash & (rss->reta_size - 1)];
	}
	answer->port_hash = answer->hash;
}

void ddp_answer(const struct ddp_program *program, const struct ddp_answer_rss *rss,
		const struct ddp_packet *packet, struct ddp_answer *answer) {
	ddp_classify(program, packet, &answer->class);
	ddp_answer_steer(program, rss, packet, answer);
}

bool ddp_program_reads_ahead(const struct ddp_program *program) {
	return program->model != NULL;
}

uint32_t ddp_classify_reach(const struct ddp_program *program, const struct ddp_packet *packet,
			    struct ddp_class *class) {
	struct trace trace = {0};
	uint32_t reach = 0;

	classify_traced(program, packet, class, &trace);
	// A header contradicts itself whatever follows it; a package's parser may fail by the end.
	if (trace.lost && class->status == DDP_STATUS_MALFORMED && program->model == NULL)
		return trace.min_len;
	if (trace.lost)
		return UINT32_MAX;
	for (unsigned int i = 0; i < TRACE_REACH; i++)
		if (trace.mask[i] != 0)
			reach = i + 1;
	for (unsigned int i = 0; i < trace.n_words; i++)
		if (reach < trace.words[i].byte + 2u)
			reach = trace.words[i].byte + 2u;
	for (unsigned int i = 0; i < trace.n_lists; i++)
		if (reach < trace.lists[i].byte + 2u)
			reach = trace.lists[i].byte + 2u;
	return reach;
}
