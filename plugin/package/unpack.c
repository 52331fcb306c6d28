/* SPDX-License-Identifier: BSD-3-Clause */
#include "unpack.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef DDP_HAVE_LZMA
#include <lzma.h>
#endif
#ifdef DDP_HAVE_ZSTD
#include <zstd.h>
#endif

#include "sysroot.h"

#define CHUNK (1U << 20) // a package and some more
#define MEMORY_MAX (256U << 20)

// What is unpacked so far.
struct unpacked {
	uint8_t *bytes;
	size_t size, room;
};

static const char *const suffixes[] = {
	[DDP_PLAIN] = "",
	[DDP_XZ] = ".xz",
	[DDP_ZST] = ".zst",
};

const char *ddp_packing_suffix(enum ddp_packing packing) {
	return suffixes[packing];
}

enum ddp_packing ddp_packing_of(const char *path) {
	size_t len = strlen(path);

	if (len >= 3 && strcmp(path + len - 3, suffixes[DDP_XZ]) == 0)
		return DDP_XZ;
	if (len >= 4 && strcmp(path + len - 4, suffixes[DDP_ZST]) == 0)
		return DDP_ZST;
	return DDP_PLAIN;
}

#if defined(DDP_HAVE_LZMA) || defined(DDP_HAVE_ZSTD)
// Room for more. NULL when all is well, else what is wrong.
static const char *grow(struct unpacked *unpacked) {
	uint8_t *bytes;

	if (unpacked->size < unpacked->room)
		return NULL;
	if (unpacked->room >= DDP_ROOT_FILE_MAX)
		return "unpacked it is far larger than a package";
	bytes = realloc(unpacked->bytes, unpacked->room + CHUNK);
	if (bytes == NULL)
		return "out of memory";
	unpacked->bytes = bytes;
	unpacked->room += CHUNK;
	return NULL;
}
#endif

#ifdef DDP_HAVE_LZMA
static const char *xz_error(lzma_ret ret) {
	if (ret == LZMA_FORMAT_ERROR)
		return "not an .xz file";
	if (ret == LZMA_BUF_ERROR)
		return "the .xz file is cut short";
	if (ret == LZMA_MEM_ERROR || ret == LZMA_MEMLIMIT_ERROR)
		return "the .xz file wants too much memory";
	return "the .xz file is damaged";
}

static const char *xz_unpack(const void *bytes, size_t size, struct unpacked *unpacked) {
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret ret = lzma_stream_decoder(&stream, MEMORY_MAX, 0);
	const char *problem = NULL;

	stream.next_in = bytes;
	stream.avail_in = size;
	while (ret == LZMA_OK && problem == NULL) {
		problem = grow(unpacked);
		if (problem != NULL)
			break;
		stream.next_out = unpacked->bytes + unpacked->size;
		stream.avail_out = unpacked->room - unpacked->size;
		ret = lzma_code(&stream, LZMA_FINISH);
		unpacked->size = unpacked->room - stream.avail_out;
	}
	lzma_end(&stream);
	return problem != NULL || ret == LZMA_STREAM_END ? problem : xz_error(ret);
}
#else
static const char *xz_unpack(const void *bytes, size_t size, struct unpacked *unpacked) {
	(void)bytes;
	(void)size;
	(void)unpacked;
	return "this build cannot unpack .xz";
}
#endif

#ifdef DDP_HAVE_ZSTD
static const char *zst_unpack(const void *bytes, size_t size, struct unpacked *unpacked) {
	ZSTD_inBuffer in = {.src = bytes, .size = size};
	ZSTD_DStream *stream = ZSTD_createDStream();
	const char *problem = stream == NULL ? "out of memory" : NULL;
	size_t left = 1; // 0: the frame is complete

	while (problem == NULL && left != 0) {
		ZSTD_outBuffer out;

		problem = grow(unpacked);
		if (problem != NULL)
			break;
		out = (ZSTD_outBuffer){
			.dst = unpacked->bytes, .size = unpacked->room, .pos = unpacked->size};
		left = ZSTD_decompressStream(stream, &out, &in);
		if (ZSTD_isError(left))
			problem = "not a .zst file, or a damaged one";
		else if (left != 0 && in.pos == in.size && out.pos == unpacked->size)
			problem = "the .zst file is cut short";
		unpacked->size = out.pos;
	}
	ZSTD_freeDStream(stream);
	return problem;
}
#else
static const char *zst_unpack(const void *bytes, size_t size, struct unpacked *unpacked) {
	(void)bytes;
	(void)size;
	(void)unpacked;
	return "this build cannot unpack .zst";
}
#endif

static const char *plain_copy(const void *bytes, size_t size, struct unpacked *unpacked) {
	unpacked->bytes = malloc(size + 1);
	if (unpacked->bytes == NULL)
		return "out of memory";
	memcpy(unpacked->bytes, bytes, size);
	unpacked->size = size;
	return NULL;
}

bool ddp_can_unpack(enum ddp_packing packing) {
#ifndef DDP_HAVE_LZMA
	if (packing == DDP_XZ)
		return false;
#endif
#ifndef DDP_HAVE_ZSTD
	if (packing == DDP_ZST)
		return false;
#endif
	(void)packing;
	return true;
}

void *ddp_unpack(enum ddp_packing packing, const void *bytes, size_t size, size_t *unpacked_size,
		 char *reason, size_t reason_size) {
	struct unpacked unpacked = {0};
	const char *problem;

	if (packing == DDP_XZ)
		problem = xz_unpack(bytes, size, &unpacked);
	else if (packing == DDP_ZST)
		problem = zst_unpack(bytes, size, &unpacked);
	else
		problem = plain_copy(bytes, size, &unpacked);
	if (problem != NULL) {
		snprintf(reason, reason_size, "%s", problem);
		free(unpacked.bytes);
		return NULL;
	}
	*unpacked_size = unpacked.size;
	return unpacked.bytes;
}

// The stream header: six bytes of magic, then flags whose last four bits name the check.
bool ddp_xz_suits_linux(const void *bytes, size_t size) {
	const uint8_t *header = bytes;

	return size >= 8 && header[6] == 0 && header[7] <= 1; // none or CRC32
}
