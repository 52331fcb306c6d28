/* SPDX-License-Identifier: BSD-3-Clause */
#include "small_package.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER_SIZE 4096
#define BUFFERS_MAX 64
#define SECTIONS_MAX 64
#define SEGMENTS_MAX 8
#define DEVICES_MAX 4
#define PACKAGE_SIZE_MAX (BUFFERS_MAX * BUFFER_SIZE + 65536)
#define SEGMENT_HEADER_SIZE 44
#define METADATA_SIZE 84

struct buffer {
	unsigned int n_sections;
	struct {
		uint32_t id;
		uint16_t from, size; // in data
	} sections[SECTIONS_MAX];
	size_t size;
	uint8_t data[BUFFER_SIZE];
};

struct build {
	struct buffer buffers[BUFFERS_MAX];
	unsigned int n_buffers;
	struct {
		uint32_t type;
		const char *name;
		uint8_t payload[16384];
		size_t size;
	} segments[SEGMENTS_MAX];
	unsigned int n_segments;
	uint16_t devices[DEVICES_MAX][2];
	unsigned int n_devices;
	char name[28];
	uint8_t version[4];
	bool has_identity;
	uint8_t bytes[PACKAGE_SIZE_MAX];
	size_t size, configuration, first_buffer;
};

static void need(bool it) {
	if (!it)
		abort();
}

void put16(uint8_t *bytes, uint16_t value) {
	bytes[0] = value;
	bytes[1] = value >> 8;
}

void put32(uint8_t *bytes, uint32_t value) {
	put16(bytes, value);
	put16(bytes + 2, value >> 16);
}

struct build *build_create(void) {
	struct build *build = calloc(1, sizeof(*build));

	need(build != NULL);
	build_identity(build, "Test Package", 7, 1);
	return build;
}

void build_destroy(struct build *build) {
	free(build);
}

void build_identity(struct build *build, const char *name, uint8_t update, uint8_t draft) {
	memset(build->name, 0, sizeof(build->name));
	need(strlen(name) < sizeof(build->name));
	strcpy(build->name, name);
	memcpy(build->version, (uint8_t[]){1, 3, update, draft}, sizeof(build->version));
}

void build_device(struct build *build, uint16_t device, uint16_t vendor) {
	need(build->n_devices < DEVICES_MAX);
	build->devices[build->n_devices][0] = device;
	build->devices[build->n_devices++][1] = vendor;
}

void build_segment(struct build *build, uint32_t type, const char *name, const void *payload,
		   size_t size) {
	unsigned int i = build->n_segments++;

	need(i < SEGMENTS_MAX && size <= sizeof(build->segments[i].payload));
	build->segments[i].type = type;
	build->segments[i].name = name;
	memcpy(build->segments[i].payload, payload, size);
	build->segments[i].size = size;
}

void build_buffer(struct build *build) {
	need(build->n_buffers++ < BUFFERS_MAX);
}

static void identity_add(struct build *build) {
	uint8_t bytes[36] = {0};

	memcpy(bytes, build->version, 4);
	memcpy(bytes + 4, build->name, sizeof(build->name));
	put32(bytes + 32, 0xc0000001);
	build_section(build, 1, bytes, sizeof(bytes));
}

static size_t list_size(unsigned int n_sections) {
	return 4 + 8 * (size_t)n_sections;
}

void build_section(struct build *build, uint32_t id, const void *bytes, size_t size) {
	struct buffer *buffer;
	unsigned int i;

	if (id == 1)
		build->has_identity = true;
	if (!build->has_identity)
		identity_add(build);
	if (build->n_buffers == 0)
		build_buffer(build);
	buffer = &build->buffers[build->n_buffers - 1];
	if (buffer->n_sections == SECTIONS_MAX ||
	    list_size(buffer->n_sections + 1) + buffer->size + size > BUFFER_SIZE) {
		build_buffer(build);
		buffer++;
	}
	need(list_size(1) + size <= BUFFER_SIZE);
	i = buffer->n_sections++;
	buffer->sections[i].id = id;
	buffer->sections[i].from = buffer->size;
	buffer->sections[i].size = size;
	memcpy(buffer->data + buffer->size, bytes, size);
	buffer->size += size;
}

static void counted(struct build *build, uint32_t id, const void *head, size_t head_size,
		    const void *entries, size_t size) {
	uint8_t bytes[BUFFER_SIZE];

	need(head_size + size <= sizeof(bytes));
	memcpy(bytes, head, head_size);
	memcpy(bytes + head_size, entries, size);
	build_section(build, id, bytes, head_size + size);
}

void build_table(struct build *build, uint32_t id, uint16_t first, const void *entries,
		 size_t entry_size, uint16_t n) {
	uint8_t head[4];

	put16(head, n);
	put16(head + 2, first);
	counted(build, id, head, sizeof(head), entries, n * entry_size);
}

void build_list(struct build *build, uint32_t id, const void *entries, size_t entry_size,
		uint16_t n) {
	uint8_t head[2];

	put16(head, n);
	counted(build, id, head, sizeof(head), entries, n * entry_size);
}

void build_label(struct build *build, uint32_t id, uint16_t value, const char *name) {
	uint8_t entry[66] = {0};

	need(strlen(name) <= sizeof(entry) - 2);
	put16(entry, value);
	memcpy(entry + 2, name, strlen(name));
	build_list(build, id, entry, sizeof(entry), 1);
}

static uint8_t *extend(struct build *build, size_t size) {
	uint8_t *at = build->bytes + build->size;

	need(build->size + size <= sizeof(build->bytes));
	memset(at, 0, size);
	build->size += size;
	return at;
}

static uint8_t *segment_begin(struct build *build, unsigned int index, uint32_t type,
			      const char *name) {
	uint8_t *at;

	put32(build->bytes + 8 + 4 * (size_t)index, build->size);
	at = extend(build, SEGMENT_HEADER_SIZE);
	put32(at, type);
	at[4] = 1;
	strncpy((char *)at + 12, name, 32);
	return at;
}

static void segment_end(struct build *build, uint8_t *at) {
	put32(at + 8, build->bytes + build->size - at);
}

static void metadata_write(struct build *build) {
	uint8_t *segment = segment_begin(build, 0, 1, "Global Metadata"), *at;

	at = extend(build, METADATA_SIZE - SEGMENT_HEADER_SIZE);
	memcpy(at, build->version, 4);
	put32(at + 4, UINT32_MAX);
	memcpy(at + 8, build->name, sizeof(build->name));
	segment_end(build, segment);
}

static void buffer_write(struct build *build, const struct buffer *buffer) {
	uint8_t *at = extend(build, BUFFER_SIZE);
	size_t list = list_size(buffer->n_sections);

	put16(at, buffer->n_sections);
	put16(at + 2, list + buffer->size);
	for (unsigned int i = 0; i < buffer->n_sections; i++) {
		put32(at + list_size(i), buffer->sections[i].id);
		put16(at + list_size(i) + 4, list + buffer->sections[i].from);
		put16(at + list_size(i) + 6, buffer->sections[i].size);
	}
	memcpy(at + list, buffer->data, buffer->size);
}

static void configuration_write(struct build *build) {
	uint8_t *segment = segment_begin(build, 1, 0x10, "ICE Configuration Data"), *at;

	build->configuration = segment - build->bytes;
	put32(extend(build, 4), build->n_devices);
	for (unsigned int i = 0; i < build->n_devices; i++) {
		at = extend(build, 8);
		put16(at, build->devices[i][0]);
		put16(at + 2, build->devices[i][1]);
	}
	put32(extend(build, 4), 0);
	put32(extend(build, 4), build->n_buffers);
	build->first_buffer = build->size;
	for (unsigned int i = 0; i < build->n_buffers; i++)
		buffer_write(build, &build->buffers[i]);
	segment_end(build, segment);
}

static void others_write(struct build *build) {
	for (unsigned int i = 0; i < build->n_segments; i++) {
		uint8_t *segment = segment_begin(build, 2 + i, build->segments[i].type,
						 build->segments[i].name);

		memcpy(extend(build, build->segments[i].size), build->segments[i].payload,
		       build->segments[i].size);
		segment_end(build, segment);
	}
}

uint8_t *build_end(struct build *build, size_t *size) {
	unsigned int n_segments = 2 + build->n_segments;

	if (!build->has_identity)
		identity_add(build);
	build->size = 0;
	extend(build, 8 + 4 * (size_t)n_segments);
	build->bytes[0] = 1;
	put32(build->bytes + 4, n_segments);
	metadata_write(build);
	configuration_write(build);
	others_write(build);
	*size = build->size;
	return build->bytes;
}

size_t build_configuration(const struct build *build) {
	return build->configuration;
}

size_t build_buffer_at(const struct build *build, unsigned int index) {
	return build->first_buffer + (size_t)index * BUFFER_SIZE;
}
