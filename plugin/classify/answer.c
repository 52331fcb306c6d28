/* SPDX-License-Identifier: BSD-3-Clause */
#include "answer.h"

#include <assert.h>

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
