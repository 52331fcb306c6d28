/* SPDX-License-Identifier: BSD-3-Clause */
// The command line.
#ifndef TRAFFIC_COMMAND_LINE_H
#define TRAFFIC_COMMAND_LINE_H

#include "traffic_options.h"

// Fill config, or print the help or what is wrong and exit.
void options_parse(struct config *config, int argc, char **argv);

#endif
