/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CTL_FILES_H
#define CTL_FILES_H

#include "scratch_folder.h"

#define MAGIC_US 0xa1b2c3d4
#define MAGIC_NS 0xa1b23c4d

#define LINK_ETHERNET 1
#define LINK_RAW 101
#define LINK_SLL 113

struct image {
	bool big; // byte order
	size_t len;
	uint8_t bytes[8 << 20];
};

static inline void put_mem(struct image *image, const void *data, size_t len) {
	assert_true(image->len + len <= sizeof(image->bytes));
	memcpy(image->bytes + image->len, data, len);
	image->len += len;
}

static inline void put8(struct image *image, uint8_t value) {
	put_mem(image, &value, 1);
}

static inline void put16(struct image *image, uint16_t value) {
	put8(image, image->big ? value >> 8 : value);
	put8(image, image->big ? value : value >> 8);
}

static inline void put32(struct image *image, uint32_t value) {
	put16(image, image->big ? value >> 16 : value);
	put16(image, image->big ? value : value >> 16);
}

static inline void pcap_begin(struct image *image, bool big, uint32_t magic, uint32_t snap_len,
			      uint32_t link_type) {
	image->big = big;
	image->len = 0;
	put32(image, magic);
	put16(image, 2);
	put16(image, 4);
	put32(image, 0);
	put32(image, 0);
	put32(image, snap_len);
	put32(image, link_type);
}

static inline void pcap_put(struct image *image, uint32_t seconds, uint32_t fraction,
			    const void *data, uint32_t len, uint32_t wire_len) {
	put32(image, seconds);
	put32(image, fraction);
	put32(image, len);
	put32(image, wire_len);
	put_mem(image, data, len);
}

static inline void block_put(struct image *image, uint32_t type, const uint32_t *head, size_t n,
			     const void *data, size_t len) {
	size_t padded = (len + 3) / 4 * 4, size = 12 + 4 * n + padded;

	put32(image, type);
	put32(image, size);
	for (size_t i = 0; i < n; i++)
		put32(image, head[i]);
	put_mem(image, data, len);
	put_mem(image, "\0\0\0", padded - len);
	put32(image, size);
}

static inline void section_put(struct image *image, bool big) {
	image->big = big;
	// version 1.0 is two 16-bit words
	block_put(image, 0x0a0d0d0a,
		  (const uint32_t[]){0x1a2b3c4d, big ? 0x00010000 : 0x00000001, UINT32_MAX,
				     UINT32_MAX},
		  4, "", 0);
}

static inline void interface_put(struct image *image, uint16_t link_type, uint32_t snap_len,
				 const void *options, size_t options_len) {
	uint32_t type = image->big ? (uint32_t)link_type << 16 : link_type;

	block_put(image, 1, (const uint32_t[]){type, snap_len}, 2, options, options_len);
}

static inline void enhanced_put(struct image *image, uint32_t interface, uint64_t time,
				const void *data, uint32_t len, uint32_t wire_len) {
	block_put(image, 6, (const uint32_t[]){interface, time >> 32, time, len, wire_len}, 5, data,
		  len);
}

static inline void simple_put(struct image *image, const void *data, uint32_t len,
			      uint32_t wire_len) {
	block_put(image, 3, &wire_len, 1, data, len);
}

static inline const char *image_write(const struct image *image, const char *name) {
	return file_write(name, image->bytes, image->len);
}

#endif
