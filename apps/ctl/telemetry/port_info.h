/* SPDX-License-Identifier: BSD-3-Clause */
// What a port and its process say of themselves, and how parts of it are shown.
#ifndef DDPCTL_PORT_INFO_H
#define DDPCTL_PORT_INFO_H

#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "common/port_telemetry.h"
#include "common/table.h"
#include "ctl/options.h"

// Open the port that the command line names first. Returns the status.
int port_start(struct port *port, const struct port_options *options);

// The answer to /net_ddp/info with "port", and with "pid", "program" and "file_prefix" of the
// process; NULL with the status set.
json_t *port_info(struct port *port);

// A list of words: "gtpu vxlan".
void words_write(const json_t *words, FILE *to);

// "12.3%"
void percent_cell(struct table *table, uint64_t part, uint64_t all);

#endif
