/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile.h"

#define OURS 0xdd000000

// FNV-1a
static uint32_t text_hash(uint32_t hash, const char *text) {
	for (; *text != '\0'; text++)
		hash = (hash ^ (uint8_t)*text) * 16777619;
	return hash;
}

uint32_t ddp_profile_track_id(const char *name, const char *version) {
	return OURS | (text_hash(text_hash(2166136261, name), version) & 0xffffff);
}
