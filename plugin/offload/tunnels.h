/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/offload: UDP ports that a profile uses for tunnels.
#ifndef DDP_OFFLOAD_TUNNELS_H
#define DDP_OFFLOAD_TUNNELS_H

#include "offload.h"

// Find the UDP destination ports that the profile uses for a header. Returns their number.
unsigned int tunnels_find(const struct ddp_profile *profile, const char *header,
			  struct ddp_offload_tunnel tunnels[DDP_OFFLOAD_TUNNELS]);

#endif
