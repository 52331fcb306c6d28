/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture_source.h"

#include <byteswap.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#define MAGIC 0xa1b2c3d4
#define LINKTYPE_ETHERNET 1

// Microseconds or nanoseconds: nobody looks at the time.
#define MAGIC_NS 0xa1b23c4d

struct file_header {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t zone, accuracy, snaplen, linktype;
};

struct record_header {
	uint32_t seconds, fraction, captured, len;
};

struct capture {
	FILE *file;
	bool swapped;
};

static uint32_t number(const struct capture *c, uint32_t n) {
	return c->swapped ? bswap_32(n) : n;
}

static bool header_read(struct capture *c) {
	struct file_header h;

	if (fread(&h, sizeof(h), 1, c->file) != 1)
		return false;
	c->swapped = h.magic == bswap_32(MAGIC) || h.magic == bswap_32(MAGIC_NS);
	return (number(c, h.magic) == MAGIC || number(c, h.magic) == MAGIC_NS) &&
	       (number(c, h.linktype) & 0xffff) == LINKTYPE_ETHERNET;
}

// The next packet, cut to what there is room for. False: there is none.
static bool record_read(struct capture *c, uint8_t bytes[PACKET_MAX], uint32_t *len) {
	struct record_header h;
	uint32_t rest;

	if (fread(&h, sizeof(h), 1, c->file) != 1)
		return false;
	*len = number(c, h.captured);
	rest = *len > PACKET_MAX ? *len - PACKET_MAX : 0;
	*len -= rest;
	return fread(bytes, 1, *len, c->file) == *len && fseek(c->file, rest, SEEK_CUR) == 0;
}

static unsigned int records_count(const char *path) {
	struct capture c = {.file = fopen(path, "rb")};
	uint8_t bytes[PACKET_MAX];
	unsigned int n = 0;
	uint32_t len;

	if (c.file == NULL)
		return 0;
	if (header_read(&c))
		while (record_read(&c, bytes, &len))
			n++;
	fclose(c.file);
	return n;
}

static unsigned int capture_add(struct frames *frames, const char *path, unsigned int most) {
	unsigned int step = records_count(path) / most + 1, n_added = 0;
	struct capture c = {.file = fopen(path, "rb")};
	uint8_t bytes[PACKET_MAX];
	uint32_t len;

	if (c.file == NULL)
		return 0;
	if (header_read(&c))
		for (unsigned int i = 0; record_read(&c, bytes, &len); i++)
			if (i % step == 0) {
				frame_add(frames, bytes, len);
				n_added++;
			}
	fclose(c.file);
	return n_added;
}

unsigned int captures_add(struct frames *frames, const char *dir, unsigned int most) {
	unsigned int n_added = 0;
	glob_t files;
	char *pattern;

	if (asprintf(&pattern, "%s/*cap", dir) < 0)
		return 0;
	if (glob(pattern, 0, NULL, &files) == 0) {
		for (unsigned int i = 0; i < files.gl_pathc; i++)
			n_added += capture_add(frames, files.gl_pathv[i], most);
		globfree(&files);
	}
	free(pattern);
	return n_added;
}
