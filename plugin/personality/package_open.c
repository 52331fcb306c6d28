/* SPDX-License-Identifier: BSD-3-Clause */
// A package from its file, whatever its family.
#include "package_open.h"

#include <string.h>

#include "base/file.h"
#include "e810/e810.h"
#include "i40e/i40e.h"
#include "package/read.h"

bool ddp_is_package(const char *spec) {
	static const char *const ends[] = {".pkg", ".pkgo"};
	size_t len = strcspn(spec, ":;");

	for (unsigned int i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t end_len = strlen(ends[i]);

		if (len > end_len && strncmp(spec + len - end_len, ends[i], end_len) == 0)
			return true;
	}
	return false;
}

// Read the family's own part, by the first segment that holds a configuration.
static void family_read(struct package_reader *reader) {
	struct ddp_package *package = reader->package;

	for (unsigned int i = 0; i < package->n_segments; i++) {
		switch (package->segments[i].type) {
		case SEGMENT_E810:
		case SEGMENT_E830:
			package->kind = DDP_PACKAGE_E810;
			e810_read(reader);
			return;
		case SEGMENT_I40E:
			i40e_read(reader);
			return;
		}
	}
	reader_error(reader, 4, "no segment holds the configuration of an 800- or 700-series NIC");
}

static void all_read(void *arg) {
	struct package_reader *reader = arg;

	if (container_read(reader) == 0)
		family_read(reader);
	reader_end(reader);
}

struct ddp_package *ddp_package_read(const char *path, const void *bytes, size_t size,
				     struct ddp_diag *diag) {
	struct ddp_package *package = package_create(path, bytes, size, diag);
	struct package_reader reader = {.package = package, .diag = diag};

	if (package == NULL)
		return NULL;
	if (ddp_arena_run(all_read, &reader) < 0)
		ddp_no_memory(diag);
	else if (reader.n_errors == 0)
		return package;
	ddp_package_close(package);
	return NULL;
}

struct ddp_package *ddp_package_open(const char *path, struct ddp_diag *diag) {
	struct ddp_arena *arena = ddp_arena_create();
	struct ddp_package *package = NULL;
	size_t size;
	const char *bytes = ddp_file_read(path, PACKAGE_SIZE_MAX, &size, arena, diag);

	if (bytes != NULL)
		package = ddp_package_read(path, bytes, size, diag);
	ddp_arena_destroy(arena);
	return package;
}
