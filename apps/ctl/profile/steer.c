/* SPDX-License-Identifier: BSD-3-Clause */
#include "steer.h"

#include <string.h>

void steer_init(struct steer *steer, const struct steer_config *config) {
	steer->config = *config;
	ddp_hash_init(&steer->hash, config->function, config->key);
	if (config->reta != NULL)
		memcpy(steer->reta, config->reta, config->reta_size * sizeof(steer->reta[0]));
	else
		ddp_reta_fill(steer->reta, config->reta_size, config->n_queues);
}

void steer_input(const struct steer *steer, struct steered *steered) {
	steered->hash = 0;
	steered->port_hash = 0;
	steered->queue = 0;
	steered->dropped = false;
	if (steered->input_len == 0)
		return;
	steered->hash = ddp_hash_compute(&steer->hash, steered->input, steered->input_len);
	steered->port_hash = steered->hash;
	steered->queue = steer->reta[steered->hash & (steer->config.reta_size - 1)];
}

void steer_packet(const struct steer *steer, const struct ddp_program *program,
		  const struct ddp_packet *packet, const struct ddp_class *class,
		  struct steered *steered) {
	const struct steer_config *config = &steer->config;

	steered->input_len = 0;
	if (config->rss_hf != 0) // 0 turns RSS off, whatever the profile says
		steered->input_len = ddp_input_gather(program, packet, class, config->rss_hf,
						      config->function, steered->input);
	steer_input(steer, steered);
}

void steered_write(const struct steered *steered, struct json_writer *json) {
	const bool hashed = steered->input_len > 0;
	char text[2 * DDP_MAX_INPUT_SIZE + 1];

	if (hashed)
		jsonw_key_hex(json, "hash", steered->hash, 8);
	else
		jsonw_key_text(json, "hash", NULL);
	for (unsigned int i = 0; i < steered->input_len; i++) {
		text[2 * i] = "0123456789abcdef"[steered->input[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[steered->input[i] & 0xf];
	}
	text[2 * steered->input_len] = '\0';
	jsonw_key_text(json, "input", hashed ? text : NULL);
	jsonw_key_uint_or_null(json, "queue", !steered->dropped, steered->queue);
}
