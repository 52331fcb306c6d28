/* SPDX-License-Identifier: BSD-3-Clause */
// libFuzzer target: whatever a text says, loading it gives messages or a profile whose walk stays
// inside every packet. scripts/fuzz builds and runs it.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "classify/classify.h"
#include "classify/run/walk.h"
#include "profile/profile.h"
#include "rss/rss.h"

#define N_PACKETS 24
#define PACKET_SIZE_MAX 200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A packet that ends where its memory ends, so that a read behind it is seen.
static void packet_try(const struct ddp_program *program, const uint8_t *bytes, uint32_t len) {
	uint8_t *copy = malloc(len > 0 ? len : 1), input[DDP_HASH_INPUT_MAX];
	struct ddp_packet packet = {.data = copy, .first_len = len, .len = len};
	struct ddp_class class, type;
	uint32_t end = 0;

	memcpy(copy, bytes, len);
	ddp_classify(program, &packet, &class);
	assert(class.n_seen <= DDP_MAX_STEPS && class.n_matched <= class.n_seen);
	for (unsigned int i = 0; i < class.n_seen; i++) {
		assert(class.seen[i].off == end);
		end += class.seen[i].len;
		assert(end <= len);
	}
	assert(ddp_input_gather(program, &packet, &class, DDP_RSS_HF_ALL, true, input) <=
	       DDP_HASH_INPUT_MAX);
	classify_type_traced(program, &packet, &type, NULL);
	assert(type.type == class.type && type.rte_ptype == class.rte_ptype &&
	       type.value == class.value && type.inner_l3_off == class.inner_l3_off);
	free(copy);
}

static void packets_try(const struct ddp_program *program, const uint8_t *data, size_t size) {
	// GTP-U with a PDU session container and IPv4/UDP inside; its bytes are changed by the
	// input's.
	static const uint8_t seed[] = {
		2, 0,    0,   0,  0,    1,  2,    0,    0,  0,    0, 2, 8,  0,  0x45, 0, 0,  72,
		0, 0,    0,   0,  64,   17, 0,    0,    10, 0,    0, 1, 10, 0,  0,    2, 8,  0x68,
		8, 0x68, 0,   52, 0,    0,  0x34, 0xff, 0,  36,   0, 0, 0,  1,  0,    0, 0,  0x85,
		1, 0x10, 9,   0,  0x45, 0,  0,    28,   0,  0,    0, 0, 64, 17, 0,    0, 10, 45,
		0, 1,    198, 18, 0,    1,  0xee, 0,    1,  0xbb, 0, 8, 0,  0,
	};
	uint8_t bytes[PACKET_SIZE_MAX] = {0};
	uint32_t random = size;

	memcpy(bytes, seed, sizeof(seed));
	for (unsigned int i = 0; i < N_PACKETS; i++) {
		for (unsigned int j = 0; j < i / 2; j++) {
			random = random * 1664525 + 1013904223;
			bytes[12 + random % 90] = data[(random >> 8) % size];
		}
		packet_try(program, bytes, i < N_PACKETS / 2 ? sizeof(bytes) : random % 100);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	const struct ddp_source source = {.text = (const char *)data, .size = size};
	const struct ddp_load load = {.sources = &source, .n_sources = 1};
	struct ddp_program *program = NULL;
	struct ddp_profile *profile;
	struct ddp_diag diag;

	if (size == 0)
		return 0;
	ddp_diag_init(&diag);
	profile = ddp_profile_read(&load, &diag);
	assert((profile != NULL) == (diag.n_errors == 0));
	if (profile != NULL)
		program = ddp_program_build(profile, &diag);
	if (program != NULL)
		packets_try(program, data, size);
	ddp_program_destroy(program);
	ddp_profile_destroy(profile);
	ddp_diag_fini(&diag);
	return 0;
}
