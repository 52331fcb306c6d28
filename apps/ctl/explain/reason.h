/* SPDX-License-Identifier: BSD-3-Clause */
// Reasons, in words: why a condition holds or not for a packet, why a rule was passed over or
// decided, how a header came to its size. `ddpctl explain` says the same in its text and in its
// JSON.
#ifndef DDPCTL_EXPLAIN_REASON_H
#define DDPCTL_EXPLAIN_REASON_H

#include <stdio.h>

#include "classify/explain.h"
#include "ctl/profile/profile_format.h"

struct reason {
	const struct ddp_explain *explain;
	struct profile_format format;
};

void reason_init(struct reason *reason, const struct ddp_explain *explain);

// "next_ext 0x85": a field with its value as step at sees it (DDP_EXPLAIN_TYPE: as packet types see
// it).
void reason_value(struct reason *reason, FILE *to, unsigned int at, const struct ddp_ref *ref);

// "next_ext is 0xc0, not 0x85"
void reason_cond(struct reason *reason, FILE *to, const struct ddp_question *question);

// The rule of step at: why it decided, or why it was passed over.
void reason_rule(struct reason *reason, FILE *to, unsigned int at, unsigned int rule);

// "12 bytes, 8 and 4 for [seq npdu next_ext] because e | s | pn is true (e 1, s 0, pn 0)"
void reason_size(struct reason *reason, FILE *to, unsigned int at);

// What is wrong with the header of step at.
void reason_flaw(struct reason *reason, FILE *to, unsigned int at);

#endif
