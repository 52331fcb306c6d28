/* SPDX-License-Identifier: BSD-3-Clause */
// Load-aware RSS that moves entries at random: instead of the moves that plugin/rss decides on,
// which are few, each interval some entries move, from any queue to any that is polled. All else is
// that of net_ddp: the alarm, the exchange of the table, moves that are given up.
#ifndef DDP_TESTS_STRESS_MOVES_H
#define DDP_TESTS_STRESS_MOVES_H

#include <stdbool.h>

void moves_random(bool random);

#endif
