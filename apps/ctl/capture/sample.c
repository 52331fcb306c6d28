/* SPDX-License-Identifier: BSD-3-Clause */
#include "sample.h"

#include <string.h>

// Leave out every second one.
static void halve(struct sample *sample) {
	for (unsigned int i = 0; i < SAMPLE_PACKETS; i += 2)
		sample->packets[i / 2] = sample->packets[i];
	sample->n = SAMPLE_PACKETS / 2;
	sample->stride *= 2;
}

void sample_take(struct sample *sample, const struct capture_batch *batch) {
	for (unsigned int i = 0; i < batch->n; i++) {
		const struct capture_packet *packet = &batch->packets[i];
		struct sample_packet *to;

		if ((batch->first - 1 + i) % sample->stride == 0 && sample->n == SAMPLE_PACKETS)
			halve(sample);
		if ((batch->first - 1 + i) % sample->stride != 0)
			continue;
		to = &sample->packets[sample->n++];
		to->wire_len = packet->wire_len;
		to->len = packet->len < SAMPLE_BYTES ? packet->len : SAMPLE_BYTES;
		memcpy(to->bytes, packet->data, to->len);
	}
}
