/* SPDX-License-Identifier: BSD-3-Clause */
// RSS settings of the command line: the queues of packets.
#ifndef DDPCTL_STEER_STEER_H
#define DDPCTL_STEER_STEER_H

#include <stdbool.h>
#include <stdint.h>

#include "classify/answer.h"
#include "profile/profile.h"
#include "rss/rss.h"

#define STEER_QUEUES_MAX 1024 // queues, DPDK's default of RTE_MAX_QUEUES_PER_PORT
#define STEER_QUEUES 16       // queues, by default
#define STEER_RETA_MAX 4096   // entries

// The slot of a packet: an entry of the redirection table, or, from its size on, the queue of a
// packet that does not use the table.
#define STEER_SLOT_NONE UINT16_MAX // dropped

struct steer_config {
	unsigned int n_queues;  // 1 .. STEER_QUEUES_MAX
	unsigned int reta_size; // a power of two up to STEER_RETA_MAX
	enum ddp_hash_function function;
	uint8_t key[DDP_KEY_SIZE];
	uint64_t rss_hf;
	const uint16_t *reta; // reta_size entries; NULL: filled as by drivers
};

struct steer {
	struct steer_config config;
	uint16_t reta[STEER_RETA_MAX];
	struct ddp_hash hash;
};

#define RULE_OPTIONS_MAX 16 // options --rule

// Rules on the command line.
struct rule_options {
	const char *texts[RULE_OPTIONS_MAX];       // for rules_add()
	unsigned int candidates[RULE_OPTIONS_MAX]; // of each text: 0 is FILE, then each --with
	unsigned int n;
};

void steer_init(struct steer *steer, const struct steer_config *config);

// For ddp_answer(); valid as long as steer.
static inline struct ddp_answer_rss steer_of(const struct steer *steer) {
	return (struct ddp_answer_rss){&steer->hash, steer->reta, steer->config.reta_size,
				       steer->config.rss_hf};
}

// Read queues, redirection table and RSS key of a NIC, as "ethtool -x" prints them, from a file
// into steer. A key of the command line is kept, and the default key if the file has none. reta
// stores the table and must outlive steer. Errors are reported to stderr. Returns the exit status.
int indir_read(const char *path, struct steer_config *steer, uint16_t reta[STEER_RETA_MAX]);

#endif
