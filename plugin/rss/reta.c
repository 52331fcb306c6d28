/* SPDX-License-Identifier: BSD-3-Clause */
#include "rss.h"

void ddp_reta_fill(uint16_t *reta, unsigned int size, unsigned int n_queues) {
	for (unsigned int i = 0; i < size; i++)
		reta[i] = i % n_queues;
}
