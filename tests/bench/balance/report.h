/* SPDX-License-Identifier: BSD-3-Clause */
// Results for people and for programs.
#ifndef BALANCE_REPORT_H
#define BALANCE_REPORT_H

#include <jansson.h>

#include "run.h"

// Of a cell, such as "16 queues, 512 entries, 10000 UEs, Zipf 1.0, churn 2 %".
void cell_name(char *name, size_t size, const struct cell *cell);

// max/mean of each policy, a line a cell.
void spread_heading(void);
void spread_print(const struct cell *cell, const struct result *result);

// All that single packets tell, a line a policy.
void latency_print(const struct cell *cell, const struct result *result);

json_t *result_json(const struct cell *cell, const struct result *result, bool packets);

double imbalance_of(const struct result *result, unsigned int policy);
double moves_of(const struct result *result, unsigned int policy);

#endif
