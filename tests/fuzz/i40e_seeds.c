/* SPDX-License-Identifier: BSD-3-Clause */
// usage: i40e_seeds FOLDER    write 700-series packages for the fuzzer to begin with
#include <stdio.h>
#include <stdlib.h>

#include "unit/package/i40e_draw.h"

#define SEEDS 64

static int seed_write(const char *folder, unsigned int n) {
	uint64_t random = 2 * n + 1;
	char path[4096];
	uint8_t *bytes;
	size_t size;
	FILE *out;
	int ret;

	bytes = i40e_draw(&random, &size);
	snprintf(path, sizeof(path), "%s/drawn-%u.pkg", folder, n);
	out = fopen(path, "wb");
	if (bytes == NULL || out == NULL)
		return -1;
	ret = fwrite(bytes, 1, size, out) == size ? 0 : -1;
	free(bytes);
	return fclose(out) == 0 ? ret : -1;
}

int main(int argc, char **argv) {
	if (argc != 2) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	for (unsigned int n = 0; n < SEEDS; n++) {
		if (seed_write(argv[1], n) < 0) {
			perror(argv[1]);
			return 1;
		}
	}
	return 0;
}
