/* SPDX-License-Identifier: BSD-3-Clause */
// What happened to one packet, ready to be told: explain_report_text.c does it for people,
// explain_report_json.c for machines.
#ifndef DDPCTL_EXPLAIN_EXPLAIN_REPORT_H
#define DDPCTL_EXPLAIN_EXPLAIN_REPORT_H

#include <stdint.h>

#include "common/json_writer.h"
#include "common/strbuf.h"
#include "ctl/options.h"
#include "reason.h"

struct explain_report {
	const struct options *options;
	const char *pcap;     // its name
	uint64_t n;           // which packet, from 1
	uint32_t len;         // captured,
	uint32_t wire_len;    // of so many bytes
	unsigned int snaplen; // that would do; 0: what was captured says all
	struct ddp_explain explain;
	const struct ddp_packet_type *type; // NULL for none
	int set;                            // index of the input set that applies, -1 for none
	struct ddp_answer steered;
	struct reason reason;
	struct strbuf text; // being written
	struct output *out;
	struct json_writer json;
};

const struct ddp_header *explain_report_header(const struct explain_report *report,
					       unsigned int at);

// How many of the first n steps have a place in the chain.
unsigned int explain_report_n_visible(const struct explain_report *report, unsigned int n);

// What a rule leads to, as the profile says it: "gtpu", "ethertype(type)", "stop".
void explain_report_target(struct explain_report *report, const struct ddp_rule *rule);

// Fields that mattered: bit f for field f of the step's header.
uint64_t explain_report_fields(const struct explain_report *report, const struct ddp_step *step);
struct ddp_ref explain_report_ref(const struct explain_report *report, const struct ddp_step *step,
				  unsigned int field);

// Why an input set does not apply, or does; nothing where it always does.
void explain_report_set_reason(struct explain_report *report, unsigned int set);

unsigned int explain_report_reta_index(const struct explain_report *report);

void explain_report_print(struct explain_report *report);
void explain_report_json(struct explain_report *report);

#endif
