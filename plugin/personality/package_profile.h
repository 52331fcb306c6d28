/* SPDX-License-Identifier: BSD-3-Clause */
// Intel's 800-series packages as profiles, for loads that may name them.
#ifndef DDP_PERSONALITY_PACKAGE_PROFILE_H
#define DDP_PERSONALITY_PACKAGE_PROFILE_H

#include "personality.h"
#include "profile/loader.h"

struct package_format {
	struct ddp_profile_format format;
	struct ddp_personality
		*personality; // owns the package and its model's parts, if there is one
};

void package_format_init(struct package_format *format, struct ddp_personality *personality);

#endif
