/* SPDX-License-Identifier: BSD-3-Clause */
// Look at everything that a package which was read offers: with sanitizers, what lies outside of it
// is seen.
#ifndef PACKAGE_LOOK_H
#define PACKAGE_LOOK_H

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "e810/e810.h"

static volatile uint8_t look_sink; // reads must happen

static inline void bytes_look(const uint8_t *bytes, size_t size) {
	uint8_t sum = 0;

	for (size_t i = 0; i < size; i++)
		sum += bytes[i];
	look_sink = sum;
}

static inline void section_look(const struct ddp_package *package, const struct e810_part *part) {
	const struct e810_table *table = e810_table(package, part->id);
	unsigned int n_labels;
	const struct e810_label *labels = e810_labels(package, part->id, &n_labels);

	assert(part->buffer < package->e810->n_buffers);
	assert((size_t)part->offset + part->size <= package->size);
	bytes_look(package->bytes + part->offset, part->size);
	bytes_look(table->entries, (size_t)table->n_entries * table->entry_size);
	assert(e810_table_live(package, part->id) <= (int)table->n_entries);
	for (unsigned int i = 0; i < n_labels; i++) {
		assert(strlen(labels[i].name) < sizeof(labels[i].name));
		assert(e810_label(package, part->id, labels[i].value) != NULL);
	}
}

static inline void e810_look(const struct ddp_package *package) {
	for (unsigned int i = 0; i < package->e810->n_parts; i++)
		section_look(package, &package->e810->parts[i]);
	bytes_look((const uint8_t *)package->devices,
		   package->n_devices * sizeof(struct ddp_device));
	bytes_look((const uint8_t *)package->nvm_versions,
		   package->n_nvm_versions * sizeof(uint32_t));
	assert(package->e810->first_metadata <= package->e810->n_buffers);
}

#endif
