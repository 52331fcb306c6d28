/* SPDX-License-Identifier: BSD-3-Clause */
// What becomes of one packet: packet type, headers, the bytes that are hashed, hash and queue.
//
// An application, ddpctl and tests all get it here. A port's bursts find the same in their own way
// (cache/).
//
//	struct ddp_answer_rss rss = {&hash, reta, 128, rss_hf};
//	struct ddp_answer answer;
//
//	ddp_answer(program, &rss, &packet, &answer);
//	printf("%u bytes hashed to 0x%08x: queue %u\n", answer.input_len, answer.hash,
//	       answer.queue);
//
// No call below allocates, fails or reads outside the packet, and any number of threads may use
// one program and one struct ddp_answer_rss.
#ifndef DDP_CLASSIFY_ANSWER_H
#define DDP_CLASSIFY_ANSWER_H

#include "classify.h"

// How a port hashes and spreads packets. What the pointers lead to stays the caller's and does not
// change meanwhile.
struct ddp_answer_rss {
	const struct ddp_hash *hash; // key and hash function
	const uint16_t *reta;        // queues by entry
	uint32_t reta_size;          // entries, a power of two
	uint64_t rss_hf;             // RTE_ETH_RSS_*; 0: RSS is off, nothing is hashed
};

// About 2 KB, of which only what says something about the packet is written: seen beyond n_seen
// and input beyond input_len (padded to 4 bytes) are undefined. Nothing to release.
struct ddp_answer {
	struct ddp_class class; // type id, packet_type of the mbuf, extracted value, status,
				// headers

	uint32_t hash;      // 0 if nothing is hashed
	uint32_t port_hash; // the same, unless a flow rule hashes by a key of its own
	uint16_t queue;     // 0 if nothing is hashed
	bool dropped;       // by a flow rule: no queue
	uint8_t function;   // enum ddp_hash_function by which the bytes were gathered and hashed
	uint8_t input_len;  // bytes hashed, 0 to DDP_MAX_INPUT_SIZE; 0: not hashed
	uint8_t input[DDP_MAX_INPUT_SIZE];
};

// All of answer, as a port without flow rules does it.
void ddp_answer(const struct ddp_program *program, const struct ddp_answer_rss *rss,
		const struct ddp_packet *packet, struct ddp_answer *answer);

// The same for a packet whose class is filled in.
void ddp_answer_steer(const struct ddp_program *program, const struct ddp_answer_rss *rss,
		      const struct ddp_packet *packet, struct ddp_answer *answer);

#endif
