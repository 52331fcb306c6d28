/* SPDX-License-Identifier: BSD-3-Clause */
// What happened to one packet in an 800-series NIC, ready to be told: nic_story_text.c does it for people,
// nic_story_json.c for machines.
#ifndef DDPCTL_EXPLAIN_E810_REPORT_H
#define DDPCTL_EXPLAIN_E810_REPORT_H

#include "ctl/package/e810_device.h"

#define NIC_MARKERS 72

struct nic_story {
	const struct nic *nic;
	const char *pcap; // its name
	struct nic_packet packet;
	struct e810_step *steps;
	unsigned int n_steps;
	bool markers[NIC_MARKERS];
	int entry; // address of the packet type TCAM's entry that has just these markers, -1 for none
	struct nic_field fields[E810_WORDS];
	unsigned int n_fields;
	struct text text; // being written
	struct output *out;
	struct emit emit;
};

// How the walk ended, as a sentence.
void nic_story_end(struct nic_story *story);
// Why there is no packet type, or why nothing is hashed.
void nic_story_no_ptype(struct nic_story *story);
void nic_story_no_hash(struct nic_story *story);
// What a bit of the RSS block's flags stands for, or NULL.
const char *nic_story_rss_flag(const struct nic_story *story, unsigned int bit);

void nic_story_print(struct nic_story *story);
void nic_story_json(struct nic_story *story);

#endif
