/* SPDX-License-Identifier: BSD-3-Clause */
// ddp_classify(), ddp_classify_type() and ddp_input_gather() compared with the naive reading of the
// same profile.
#ifndef CLASSIFY_ORACLE_H
#define CLASSIFY_ORACLE_H

#include "corpus.h"

// Fail unless both say the same of these bytes. class is what they say.
void assert_agree(const struct loaded *loaded, const uint8_t *bytes, uint32_t len,
		  struct ddp_class *class);

// Change a packet here and there, in at most PACKET_MAX bytes. Returns its new length.
uint32_t mutate(uint8_t bytes[PACKET_MAX], uint32_t len, uint64_t *seed);

#endif
