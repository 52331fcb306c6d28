/* SPDX-License-Identifier: BSD-3-Clause */
// Read everything that a loaded package offers: sanitizers report what lies outside of it.
#ifndef PACKAGE_READ_ALL_H
#define PACKAGE_READ_ALL_H

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "e810/e810.h"

static volatile uint8_t read_sink; // reads must happen

static inline void bytes_read(const uint8_t *bytes, size_t size) {
	uint8_t sum = 0;

	for (size_t i = 0; i < size; i++)
		sum += bytes[i];
	read_sink = sum;
}

static inline void section_read(const struct ddp_package *package, const struct e810_part *part) {
	const struct e810_table *table = e810_table(package, part->id);
	unsigned int n_labels;
	const struct e810_label *labels = e810_labels(package, part->id, &n_labels);

	assert(part->buffer < package->e810->n_buffers);
	assert((size_t)part->offset + part->size <= package->size);
	bytes_read(package->bytes + part->offset, part->size);
	bytes_read(table->entries, (size_t)table->n_entries * table->entry_size);
	assert(e810_table_live(package, part->id) <= (int)table->n_entries);
	for (unsigned int i = 0; i < n_labels; i++) {
		assert(strlen(labels[i].name) < sizeof(labels[i].name));
		assert(e810_label(package, part->id, labels[i].value) != NULL);
	}
}

static inline void e810_read_all(const struct ddp_package *package) {
	for (unsigned int i = 0; i < package->e810->n_parts; i++)
		section_read(package, &package->e810->parts[i]);
	bytes_read((const uint8_t *)package->devices,
		   package->n_devices * sizeof(struct ddp_device));
	bytes_read((const uint8_t *)package->nvm_versions,
		   package->n_nvm_versions * sizeof(uint32_t));
	assert(package->e810->first_metadata <= package->e810->n_buffers);
}

#endif
