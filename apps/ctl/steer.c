/* SPDX-License-Identifier: BSD-3-Clause */
#include "steer.h"

void steer_init(struct steer *steer, const struct steer_config *config) {
	steer->config = *config;
	ddp_hash_init(&steer->hash, config->function, config->key);
	ddp_reta_fill(steer->reta, config->reta_size, config->n_queues);
}

void steer_packet(const struct steer *steer, const struct ddp_program *program,
		  const struct ddp_packet *packet, const struct ddp_class *class,
		  struct steered *steered) {
	const struct steer_config *config = &steer->config;
	bool symmetric = config->function == DDP_HASH_SYMMETRIC_TOEPLITZ;

	steered->input_len = 0;
	steered->hash = 0;
	steered->queue = 0;
	if (config->rss_hf != 0) // 0 turns RSS off, whatever the profile says
		steered->input_len = ddp_input_gather(program, packet, class, config->rss_hf,
						      symmetric, steered->input);
	if (steered->input_len == 0)
		return;
	steered->hash = ddp_hash_compute(&steer->hash, steered->input, steered->input_len);
	steered->queue = steer->reta[steered->hash & (config->reta_size - 1)];
}
