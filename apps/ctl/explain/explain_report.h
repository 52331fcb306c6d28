/* SPDX-License-Identifier: BSD-3-Clause */
// What happened to one packet, ready to be told: story_text.c does it for people, story_json.c for machines.
#ifndef DDPCTL_EXPLAIN_EXPLAIN_REPORT_H
#define DDPCTL_EXPLAIN_EXPLAIN_REPORT_H

#include <stdint.h>

#include "common/json_writer.h"
#include "common/strbuf.h"
#include "ctl/options.h"
#include "reason.h"

struct story {
	const struct options *options;
	const char *pcap; // its name
	uint64_t n;       // which packet, from 1
	uint32_t len;     // captured
	struct ddp_explain explain;
	const struct ddp_packet_type *type; // NULL for none
	int set;                            // index of the input set that applies, -1 for none
	struct steered steered;
	struct why why;
	struct text text; // being written
	struct output *out;
	struct emit emit;
};

const struct ddp_header *story_header(const struct story *story, unsigned int at);

// How many of the first n steps have a place in the chain.
unsigned int story_n_visible(const struct story *story, unsigned int n);

// What a rule leads to, as the profile says it: "gtpu", "ethertype(type)", "stop".
void story_target(struct story *story, const struct ddp_rule *rule);

// Fields that mattered: bit f for field f of the step's header.
uint64_t story_fields(const struct story *story, const struct ddp_step *step);
struct ddp_ref story_ref(const struct story *story, const struct ddp_step *step, unsigned int field);

// Why an input set does not apply, or does; nothing where it always does.
void story_set_why(struct story *story, unsigned int set);

unsigned int story_reta_index(const struct story *story);

void story_print(struct story *story);
void story_json(struct story *story);

#endif
