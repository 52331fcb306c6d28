/* SPDX-License-Identifier: BSD-3-Clause */
// What will not work as the author of a package means, though it can be read.
#include <inttypes.h>

#include "i40e.h"
#include "i40e_file.h"
#include "package/read.h"

#define PCTYPES 64     // of the hardware
#define SEGMENT_LIST 8 // offset in the file

// For Linux alone: DPDK takes any.
static void container_advise(struct package_reader *reader) {
	const struct ddp_package *package = reader->package;

	if (package->bytes[0] != 0)
		reader_warn(reader, 0, "Linux refuses the file: its version is %u, not 0",
			    package->bytes[0]);
	for (unsigned int i = 0; i < package->n_segments; i++)
		if (package->segments[i].offset % I40E_SEGMENT_ALIGN != 0)
			reader_warn(reader, SEGMENT_LIST + 4 * i,
				    "Linux refuses the file: segment %u at 0x%" PRIx32
				    " does not begin at a multiple of %u bytes",
				    i, package->segments[i].offset, I40E_SEGMENT_ALIGN);
}

static uint32_t list_offset(const struct i40e_package *i40e, uint32_t type) {
	for (unsigned int i = 0; i < i40e->n_sections; i++)
		if (i40e->sections[i].type == type)
			return i40e->sections[i].offset;
	return 0;
}

// Whether an id is in a list for the first time.
static bool id_take(bool taken[UINT8_MAX + 1], uint8_t id) {
	bool first = !taken[id];

	taken[id] = true;
	return first;
}

static void protocols_advise(struct package_reader *reader) {
	const struct i40e_package *i40e = reader->package->i40e;
	bool taken[UINT8_MAX + 1] = {false};

	for (unsigned int i = 0; i < i40e->n_protocols; i++) {
		const struct i40e_protocol *protocol = &i40e->protocols[i];

		if (!id_take(taken, protocol->id))
			reader_warn(reader, list_offset(i40e, I40E_PROTOCOL),
				    "protocol %u has a second name '%s', which drivers do not see",
				    protocol->id, protocol->name);
	}
}

// Each protocol without a name is told once.
static void type_advise(struct package_reader *reader, uint32_t offset, const char *kind,
			const struct i40e_type *type, bool told[UINT8_MAX + 1]) {
	const struct i40e_package *i40e = reader->package->i40e;

	for (unsigned int i = 0; i < I40E_TYPE_PROTOCOLS; i++)
		if (type->protocols[i] != I40E_NO_PROTOCOL &&
		    i40e_protocol_find(i40e, type->protocols[i]) == NULL &&
		    id_take(told, type->protocols[i]))
			reader_warn(reader, offset, "%s %u has protocol %u, which has no name",
				    kind, type->id, type->protocols[i]);
}

static void types_advise(struct package_reader *reader, uint32_t section, const char *kind,
			 const struct i40e_type *types, unsigned int n) {
	uint32_t offset = list_offset(reader->package->i40e, section);
	bool taken[UINT8_MAX + 1] = {false}, told[UINT8_MAX + 1] = {false};

	for (unsigned int i = 0; i < n; i++) {
		if (!id_take(taken, types[i].id))
			reader_warn(reader, offset, "%s %u is there twice", kind, types[i].id);
		type_advise(reader, offset, kind, &types[i], told);
	}
}

// DPDK does not forget the last name it knew.
static void known_advise(struct package_reader *reader) {
	const struct i40e_package *i40e = reader->package->i40e;
	char name[I40E_TYPE_NAME_SIZE];
	int last = -1;

	for (unsigned int i = 0; i < i40e->n_pctypes; i++) {
		const struct i40e_type *pctype = &i40e->pctypes[i];
		int known;

		if (pctype->id >= PCTYPES)
			reader_warn(reader, list_offset(i40e, I40E_PCTYPE),
				    "pctype %u: the NIC has %u", pctype->id, PCTYPES);
		i40e_type_name(i40e, pctype, name);
		known = i40e_known_find(name);
		if (known >= 0)
			last = known;
		else if (last >= 0 && i40e->n_protocols > 0)
			reader_warn(reader, list_offset(i40e, I40E_PCTYPE),
				    "DPDK takes pctype %u (%s) for %s: it does not know the name, "
				    "and %s was the last that it knew",
				    pctype->id, name, i40e_known_name(last), i40e_known_name(last));
	}
}

static void ptypes_advise(struct package_reader *reader) {
	const struct i40e_package *i40e = reader->package->i40e;
	const struct i40e_type *ptype = i40e_refused_ptype(i40e);
	char name[I40E_TYPE_NAME_SIZE];

	if (ptype == NULL)
		return;
	i40e_type_name(i40e, ptype, name);
	reader_warn(reader, list_offset(i40e, I40E_PTYPE),
		    "DPDK takes none of the ptypes: %u (%s) becomes 0x%08" PRIx32
		    ", which is no packet type",
		    ptype->id, name, i40e_rte_ptype(i40e, ptype));
}

static void adding_advise(struct package_reader *reader) {
	const struct ddp_package *package = reader->package;
	const struct i40e_package *i40e = package->i40e;
	struct i40e_verdict verdict = i40e_add_verdict(I40E_DPDK, package, 0, NULL, 0);

	if (verdict.error != 0 && !i40e->is_rollback)
		reader_warn(reader, 0, "no driver adds it: %s", verdict.reason);
	if (i40e->is_rollback && i40e->has_mmio)
		reader_warn(reader, 0,
			    "a rollback file with registers to write: drivers can "
			    "neither add it nor take it back");
	if (!i40e->is_rollback && !i40e->has_mmio && !i40e->has_aq)
		reader_warn(reader, 0, "it has nothing that a driver could write to the NIC");
}

void i40e_advise(struct package_reader *reader) {
	const struct i40e_package *i40e = reader->package->i40e;

	container_advise(reader);
	protocols_advise(reader);
	types_advise(reader, I40E_PCTYPE, "pctype", i40e->pctypes, i40e->n_pctypes);
	types_advise(reader, I40E_PTYPE, "ptype", i40e->ptypes, i40e->n_ptypes);
	known_advise(reader);
	ptypes_advise(reader);
	adding_advise(reader);
}
