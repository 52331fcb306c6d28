/* SPDX-License-Identifier: BSD-3-Clause */
// Commands with the arguments FILE and PCAP.
#ifndef DDPCTL_CMD_CAPTURE_USE_H
#define DDPCTL_CMD_CAPTURE_USE_H

#include "ctl/options.h"
#include "personality/personality.h"

// Run a command with its FILE loaded and its PCAP opened; options begin with struct packet_options.
// Returns the exit status.
int capture_use(const void *options, struct output *out,
		int (*command)(const void *options, const struct ddp_personality *loaded,
			       struct capture *capture, struct output *out));

#endif
