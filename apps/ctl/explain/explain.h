/* SPDX-License-Identifier: BSD-3-Clause */
// The answer for one packet with its steps, for people (explain_text.c) and programs
// (explain_json.c). A profile's and a package's look alike.
#ifndef DDPCTL_EXPLAIN_EXPLAIN_H
#define DDPCTL_EXPLAIN_EXPLAIN_H

#include "common/json_writer.h"
#include "common/strbuf.h"
#include "ctl/steer/steer.h"
#include "personality/personality.h"

struct explanation {
	const struct steer_config *steer;
	bool is_json;
	const struct ddp_personality *loaded;
	const char *pcap;     // its name
	uint64_t n;           // which packet, from 1
	uint32_t len;         // captured,
	uint32_t wire_len;    // of so many bytes
	unsigned int snaplen; // that would do; 0: what was captured says all
	struct ddp_answer answer;
	struct strbuf text; // being written
	struct output *out;
};

// How many of the first n headers have a place in the chain.
unsigned int explain_n_visible(const struct explanation *explanation, unsigned int n);

unsigned int explain_reta_index(const struct explanation *explanation);

void explain_print(struct explanation *explanation);
void explain_json(struct explanation *explanation);

#endif
