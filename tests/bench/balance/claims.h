/* SPDX-License-Identifier: BSD-3-Clause */
// What balancing must reach, and the cell that is farthest from it.
#ifndef BALANCE_CLAIMS_H
#define BALANCE_CLAIMS_H

#include "report.h"

void claims_spread(const struct cell *cell, const struct result *result);
void claims_latency(const struct cell *cell, const struct result *result);
void claims_decision(unsigned int n_queues, const struct decision_cost *cost);
void claims_print(void);
json_t *claims_json(void);

#endif
