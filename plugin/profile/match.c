/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile.h"

bool ddp_patterns_meet(const struct ddp_match *a, const struct ddp_match *b) {
	for (unsigned int i = 0; i < a->n_patterns; i++) {
		for (unsigned int j = 0; j < b->n_patterns; j++) {
			const struct ddp_pattern *p = &a->patterns[i], *q = &b->patterns[j];

			if (((p->value_lo ^ q->value_lo) & p->mask_lo & q->mask_lo) == 0 &&
			    ((p->value_hi ^ q->value_hi) & p->mask_hi & q->mask_hi) == 0)
				return true;
		}
	}
	return false;
}
