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

void steered_write(const struct ddp_answer *answer, struct json_writer *json) {
	const bool hashed = answer->input_len > 0;
	char text[2 * DDP_MAX_INPUT_SIZE + 1];

	if (hashed)
		jsonw_key_hex(json, "hash", answer->hash, 8);
	else
		jsonw_key_text(json, "hash", NULL);
	for (unsigned int i = 0; i < answer->input_len; i++) {
		text[2 * i] = "0123456789abcdef"[answer->input[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[answer->input[i] & 0xf];
	}
	text[2 * answer->input_len] = '\0';
	jsonw_key_text(json, "input", hashed ? text : NULL);
	jsonw_key_uint_or_null(json, "queue", !answer->dropped, answer->queue);
}
