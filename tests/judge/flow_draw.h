/* SPDX-License-Identifier: BSD-3-Clause */
// Random flow rules.
#ifndef CLASSIFY_FLOW_DRAW_H
#define CLASSIFY_FLOW_DRAW_H

#include "classify/flow/flow.h"
#include "naive.h"

// A rule that begins as this packet does, most of whose values are its. It can always be built.
struct ddp_flow flow_draw(const struct naive *n, uint64_t *seed);

#endif
