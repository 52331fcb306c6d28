/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake_sysroot.h"

#include <fts.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static char dir[256];
static struct ddp_sysroot root;

int machine_setup(void **state) {
	const char *tmp = getenv("TMPDIR");
	struct ddp_diag diag;

	(void)state;
	snprintf(dir, sizeof(dir), "%s/ddp-machine-XXXXXX", tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(dir) == NULL)
		return -1;
	ddp_diag_init(&diag);
	return ddp_sysroot_open(&root, dir, &diag);
}

static FTS *tree_open(void) {
	static char *paths[] = {dir, NULL};

	return fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
}

int machine_teardown(void **state) {
	FTS *tree = tree_open();
	FTSENT *entry;

	(void)state;
	ddp_sysroot_close(&root);
	while ((entry = fts_read(tree)) != NULL)
		if (entry->fts_info != FTS_D)
			remove(entry->fts_accpath);
	return fts_close(tree);
}

const struct ddp_sysroot *machine_root(void) {
	return &root;
}

const char *machine_path(const char *path) {
	static char whole[1024];

	snprintf(whole, sizeof(whole), "%s%s", dir, path);
	return whole;
}

void machine_folder(const char *path) {
	char *whole = strdup(machine_path(path)), *at = whole + strlen(dir);

	while (*at != '\0') {
		char next;

		at = strchrnul(at + 1, '/');
		next = *at;
		*at = '\0';
		mkdir(whole, 0755);
		*at = next;
	}
	free(whole);
}

static void folder_above(const char *path) {
	char *above = strdup(path);

	*strrchr(above, '/') = '\0';
	if (above[0] != '\0')
		machine_folder(above);
	free(above);
}

void machine_file(const char *path, const void *bytes, size_t size) {
	FILE *file;

	folder_above(path);
	file = fopen(machine_path(path), "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

void machine_text(const char *path, const char *text) {
	machine_file(path, text, strlen(text));
}

void machine_link(const char *path, const char *target) {
	folder_above(path);
	assert_int_equal(symlink(target, machine_path(path)), 0);
}

static void put(uint8_t *to, uint32_t value, unsigned int n) {
	for (unsigned int i = 0; i < n; i++)
		to[i] = value >> 8 * i;
}

// One segment, one buffer, one section: the identity.
const uint8_t *tiny_package(unsigned int major, unsigned int minor, uint32_t track_id) {
	static uint8_t bytes[TINY_SIZE];
	uint8_t *segment = bytes + 12, *buffer = segment + 56, *identity = buffer + 12;

	memset(bytes, 0, sizeof(bytes));
	bytes[0] = 1;                   // format
	put(bytes + 4, 1, 4);           // segments
	put(bytes + 8, 12, 4);          // where it is
	put(segment, 0x10, 4);          // configuration
	segment[4] = 1;                 // its format
	put(segment + 8, 56 + 4096, 4); // its size
	put(segment + 52, 1, 4);        // buffers
	put(buffer, 1, 2);              // sections
	put(buffer + 2, 12 + 36, 2);    // end
	put(buffer + 4, 1, 4);          // identity
	put(buffer + 8, 12, 2);         // where it is
	put(buffer + 10, 36, 2);        // its size
	identity[0] = major;
	identity[1] = minor;
	identity[2] = 30;
	memcpy(identity + 4, "Tiny", 4);
	put(identity + 32, track_id, 4);
	return bytes;
}
