/* SPDX-License-Identifier: BSD-3-Clause */
#include "sample.h"

#include <stdlib.h>
#include <string.h>

#include "common/output.h"

void sample_init(struct sample *sample) {
	*sample = (struct sample){.stride = 1};
	sample->lens = calloc_or_exit(SAMPLE_PACKETS, sizeof(*sample->lens));
	sample->wire_lens = calloc_or_exit(SAMPLE_PACKETS, sizeof(*sample->wire_lens));
	sample->bytes = calloc_or_exit(SAMPLE_PACKETS, sizeof(*sample->bytes));
}

void sample_fini(struct sample *sample) {
	free(sample->lens);
	free(sample->wire_lens);
	free(sample->bytes);
	*sample = (struct sample){0};
}

// Leave out every second one.
static void thin(struct sample *sample) {
	for (unsigned int i = 0; i < SAMPLE_PACKETS; i += 2) {
		sample->lens[i / 2] = sample->lens[i];
		sample->wire_lens[i / 2] = sample->wire_lens[i];
		memcpy(sample->bytes[i / 2], sample->bytes[i], sample->lens[i]);
	}
	sample->n = SAMPLE_PACKETS / 2;
	sample->stride *= 2;
}

void sample_take(struct sample *sample, const struct capture_batch *batch) {
	for (unsigned int i = 0; i < batch->n; i++) {
		const struct capture_packet *packet = &batch->packets[i];

		if ((batch->first - 1 + i) % sample->stride != 0)
			continue;
		if (sample->n == SAMPLE_PACKETS) {
			thin(sample);
			if ((batch->first - 1 + i) % sample->stride != 0)
				continue;
		}
		sample->lens[sample->n] = packet->len < SAMPLE_BYTES ? packet->len : SAMPLE_BYTES;
		sample->wire_lens[sample->n] = packet->wire_len;
		memcpy(sample->bytes[sample->n], packet->data, sample->lens[sample->n]);
		sample->n++;
	}
}
