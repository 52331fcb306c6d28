/* SPDX-License-Identifier: BSD-3-Clause */
// Real captures, as seeds: classic pcap files of Ethernet frames.
#ifndef EXACT_CAPTURE_H
#define EXACT_CAPTURE_H

#include "made_frame.h"

// Add up to `most` packets of each capture in a folder, spread over it; longer ones are cut.
// Anything else there is left out. Returns how many, 0 where there is no such folder.
unsigned int captures_add(struct frames *frames, const char *dir, unsigned int most);

#endif
