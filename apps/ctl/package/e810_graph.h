/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DDPCTL_PACKAGE_E810_GRAPH_H
#define DDPCTL_PACKAGE_E810_GRAPH_H

#include "ctl/options.h"

struct ddp_package;

// Write the parse graph of an 800-series package.
void e810_graph(const struct ddp_package *package, enum format format, struct output *out);

#endif
