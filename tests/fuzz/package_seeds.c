/* SPDX-License-Identifier: BSD-3-Clause */
// The first inputs of the fuzzer of packages: a small package with a bit of everything, one of the
// 700 series, and each buffer of the packages given as a package of its own. A whole one is too
// large to be changed often.
//
//	package_seeds FOLDER [PACKAGE...]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "e810/e810.h"
#include "personality/personality.h"
#include "unit/package/i40e_write.h"
#include "unit/package/small_package.h"

#define BUFFER_SIZE 4096

static void bytes_write(const char *folder, const char *name, unsigned int number,
			const uint8_t *bytes, size_t size) {
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s-%u", folder, name, number);
	out = fopen(path, "w");
	if (out == NULL || fwrite(bytes, 1, size, out) != size || fclose(out) != 0) {
		perror(path);
		exit(1);
	}
}

static void seed_write(const char *folder, const char *name, unsigned int number,
		       struct build *build) {
	size_t size;
	const uint8_t *bytes = build_end(build, &size);

	bytes_write(folder, name, number, bytes, size);
	build_destroy(build);
}

static void i40e_seed_write(const char *folder) {
	size_t size;
	uint8_t *bytes = i40e_write(&i40e_gtp, &size);

	bytes_write(folder, "i40e", 0, bytes, size);
	free(bytes);
}

static void everything_write(const char *folder) {
	static const uint8_t entries[1024], signature[68 + BUFFER_SIZE];
	struct build *build = build_create();

	build_device(build, 0x1592, 0x8086);
	build_table(build, E810_IMEM, 3, entries, 48, 2);
	build_table(build, E810_PTYPE_TCAM, 0, entries, 24, 1);
	build_list(build, E810_RSS_TCAM, entries, 13, 1);
	build_section(build, E810_RSS_KEY_BUILDER, entries, 204);
	build_buffer(build);
	build_label(build, E810_LABELS_PTYPE, 24, "MAC_IPV4_UDP_PAY");
	build_list(build, E810_PROTOCOL_PTYPES, entries, 130, 2);
	build_segment(build, 0x2, "Notes", "made for tests", 15);
	build_segment(build, 0x20, "Run Time", entries, 12);
	build_segment(build, 0x1001, "Signature", signature, 68);
	seed_write(folder, "everything", 0, build);
}

// Each buffer of a package, alone.
static void buffers_write(const char *folder, const char *path) {
	const char *name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
	struct ddp_diag diag;
	struct ddp_package *package;
	const struct e810_part *parts;
	unsigned int n, i = 0;

	ddp_diag_init(&diag);
	package = ddp_package_open(path, &diag);
	if (package == NULL) {
		ddp_diag_print(&diag, stderr);
		exit(1);
	}
	parts = package->e810->parts;
	n = package->e810->n_parts;
	while (i < n) {
		struct build *build = build_create();
		unsigned int buffer = parts[i].buffer;

		for (; i < n && parts[i].buffer == buffer; i++)
			build_section(build, parts[i].id, package->bytes + parts[i].offset,
				      parts[i].size);
		seed_write(folder, name, buffer, build);
	}
	ddp_package_close(package);
	ddp_diag_fini(&diag);
}

int main(int argc, char **argv) {
	if (argc < 2) {
		fputs("usage: package_seeds FOLDER [PACKAGE...]\n", stderr);
		return 2;
	}
	everything_write(argv[1]);
	i40e_seed_write(argv[1]);
	for (int i = 2; i < argc; i++)
		buffers_write(argv[1], argv[i]);
	return 0;
}
