/* SPDX-License-Identifier: BSD-3-Clause */
// Where RSS sends a classified packet.
#ifndef DDPCTL_PROFILE_STEER_H
#define DDPCTL_PROFILE_STEER_H

#include <stdbool.h>
#include <stdint.h>

#include "classify/classify.h"
#include "common/json_writer.h"
#include "profile/profile.h"
#include "rss/rss.h"

#define STEER_QUEUES_MAX 1024 // as many as DPDK has by default (RTE_MAX_QUEUES_PER_PORT)
#define STEER_QUEUES 16       // unless the command line says
#define STEER_RETA_MAX 4096

// The place of a packet: an entry of the redirection table below its size, from there on the queue
// that the packet gets without the table.
#define STEER_PLACE_NONE UINT16_MAX // it is dropped

struct steer_config {
	unsigned int n_queues;  // 1 .. STEER_QUEUES_MAX
	unsigned int reta_size; // a power of two up to STEER_RETA_MAX
	enum ddp_hash_function function;
	uint8_t key[DDP_KEY_SIZE];
	uint64_t rss_hf;
	const uint16_t *reta; // of reta_size; NULL: as drivers fill it
};

struct steer {
	struct steer_config config;
	uint16_t reta[STEER_RETA_MAX];
	struct ddp_hash hash;
};

struct steered {
	unsigned int input_len; // bytes hashed; 0: not hashed, hash means nothing
	uint8_t input[DDP_MAX_INPUT_SIZE];
	uint32_t hash;
	uint32_t port_hash; // the same, but for a rule that hashes by a key of its own
	unsigned int queue;
	bool dropped; // by a rule: no queue
};

void steer_init(struct steer *steer, const struct steer_config *config);

void steer_packet(const struct steer *steer, const struct ddp_program *program,
		  const struct ddp_packet *packet, const struct ddp_class *class,
		  struct steered *steered);

// Hash and queue of the input that is filled in.
void steer_input(const struct steer *steer, struct steered *steered);

// As "hash", "input" and "queue" of an object.
void steered_write(const struct steered *steered, struct json_writer *json);

#endif
