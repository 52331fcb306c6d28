/* SPDX-License-Identifier: BSD-3-Clause */
// Ports that are measured. All that fails ends the process.
#ifndef BENCH_END_H
#define BENCH_END_H

#include <stdint.h>

uint16_t port_open(const char *name, const char *args, uint16_t n_queues);
void port_close(uint16_t port, const char *name);

#endif
