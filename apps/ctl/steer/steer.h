/* SPDX-License-Identifier: BSD-3-Clause */
// How the command line's port steers packets.
#ifndef DDPCTL_STEER_STEER_H
#define DDPCTL_STEER_STEER_H

#include <stdbool.h>
#include <stdint.h>

#include "classify/answer.h"
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

#define RULE_OPTIONS_MAX 16

// Rules on the command line.
struct rule_options {
	const char *texts[RULE_OPTIONS_MAX];       // as rules_add() takes them
	unsigned int candidates[RULE_OPTIONS_MAX]; // of each: 0 is FILE, then each --with
	unsigned int n;
};

void steer_init(struct steer *steer, const struct steer_config *config);

// For ddp_answer(); valid as long as steer.
static inline struct ddp_answer_rss steer_of(const struct steer *steer) {
	return (struct ddp_answer_rss){&steer->hash, steer->reta, steer->config.reta_size,
				       steer->config.rss_hf};
}

// The redirection table and the RSS key of a NIC, as "ethtool -x" prints them, from a file: queues,
// table and key of steer become those of the NIC. A key that the command line gave stays, and so
// does the default if the file has none. reta is where the table is kept, at least as long as
// steer. Whatever is wrong is reported. Returns the exit status.
int indir_read(const char *path, struct steer_config *steer, uint16_t reta[STEER_RETA_MAX]);

#endif
