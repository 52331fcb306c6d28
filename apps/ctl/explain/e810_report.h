/* SPDX-License-Identifier: BSD-3-Clause */
// What happened to one packet in an 800-series NIC, ready to be told: e810_report_text.c does it
// for people, e810_report_json.c for machines.
#ifndef DDPCTL_EXPLAIN_E810_REPORT_H
#define DDPCTL_EXPLAIN_E810_REPORT_H

#include "ctl/package/e810_nic.h"

#define E810_MARKERS 72

struct e810_report {
	const struct e810_nic *nic;
	const char *pcap; // its name
	struct e810_nic_packet packet;
	struct e810_step *steps;
	unsigned int n_steps;
	bool markers[E810_MARKERS];
	int entry; // address of the packet type TCAM's entry that has just these markers, -1 for
		   // none
	struct e810_hashed_field fields[E810_WORDS];
	unsigned int n_fields;
	struct strbuf text; // being written
	struct output *out;
	struct json_writer json;
};

// How the walk ended, as a sentence.
void e810_report_end(struct e810_report *report);
// Why there is no packet type, or why nothing is hashed.
void e810_report_no_ptype(struct e810_report *report);
void e810_report_no_hash(struct e810_report *report);
// What a bit of the RSS block's flags stands for, or NULL.
const char *e810_report_rss_flag(const struct e810_report *report, unsigned int bit);

void e810_report_print(struct e810_report *report);
void e810_report_json(struct e810_report *report);

#endif
