/* SPDX-License-Identifier: BSD-3-Clause */
// Names that a package gives to the entries of its tables.
#include "e810_layout.h"

static struct e810_label *labels_make(struct ddp_arena *arena, const struct e810_table *table) {
	struct e810_label *labels = ddp_arena_alloc(arena, table->n_entries * sizeof(*labels));

	for (unsigned int i = 0; i < table->n_entries; i++) {
		const uint8_t *entry = table->entries + (size_t)i * E810_LABEL_SIZE;

		labels[i].value = le16_get(entry);
		package_text(labels[i].name, entry + 2, E810_LABEL_SIZE - 2);
	}
	return labels;
}

void e810_labels_read(struct ddp_package *package) {
	struct e810_package *e810 = package->e810;

	e810->labels =
		ddp_arena_alloc(package->arena, e810_n_layouts * sizeof(struct e810_label *));
	for (unsigned int i = 0; i < e810_n_layouts; i++)
		if (e810_is_label(&e810_layouts[i]))
			e810->labels[i] = labels_make(package->arena, &e810->tables[i]);
}

const struct e810_label *e810_labels(const struct ddp_package *package, uint32_t id,
				     unsigned int *n) {
	const struct e810_layout *layout = e810_layout_find(id);

	*n = 0;
	if (layout == NULL || !e810_is_label(layout))
		return NULL;
	*n = package->e810->tables[layout - e810_layouts].n_entries;
	return package->e810->labels[layout - e810_layouts];
}

const char *e810_label(const struct ddp_package *package, uint32_t id, uint16_t value) {
	unsigned int n;
	const struct e810_label *labels = e810_labels(package, id, &n);

	for (unsigned int i = 0; i < n; i++)
		if (labels[i].value == value)
			return labels[i].name;
	return NULL;
}
