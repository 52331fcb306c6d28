/* SPDX-License-Identifier: BSD-3-Clause */
#include "i40e_fake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "package/i40e_write.h"
#include "package/read.h"
#include "personality/package_open.h"
#include "unit.h"

#define SECTION_HEADER 16

struct i40e_fake i40e_fake;
uint16_t i40e_fake_port = 3;

static void note(const char *what, uint32_t track_id) {
	size_t len = strlen(i40e_fake.log);

	snprintf(i40e_fake.log + len, sizeof(i40e_fake.log) - len, "%s%s %08x", len > 0 ? "; " : "",
		 what, track_id);
}

// Is this call one that is to fail? Returns with what.
static int call(uint16_t port) {
	uint64_t bit = i40e_fake.n_calls < 64 ? UINT64_C(1) << i40e_fake.n_calls : 0;

	assert_int_equal(port, i40e_fake_port);
	i40e_fake.n_calls++;
	if ((i40e_fake.fail_calls & bit) == 0)
		return 0;
	return (i40e_fake.fail_calls & (bit - 1)) == 0 ? -EIO : -ENODEV;
}

#define CALL(port)                       \
	do {                             \
		int failed = call(port); \
                                         \
		if (failed < 0)          \
			return failed;   \
	} while (0)

/* Packages */

// The firmware writes a section, and leaves the old values in the buffer.
static int section_write(uint8_t *bytes, const struct i40e_section *section, uint32_t becomes) {
	uint8_t *values = bytes + section->offset + SECTION_HEADER + 4;
	uint8_t *at = i40e_fake.registers + section->data[0];

	if (i40e_fake.fail_section == 0)
		return -EIO;
	if (i40e_fake.fail_section > 0)
		i40e_fake.fail_section--;
	for (unsigned int i = 0; i < section->size - 4; i++) {
		uint8_t old = at[i];

		at[i] = values[i];
		values[i] = old;
	}
	le32_put(bytes + section->offset + 4, becomes);
	return 0;
}

static int sections_write(uint8_t *bytes, const struct i40e_package *i40e, uint32_t type,
			  bool backwards) {
	for (unsigned int n = 0; n < i40e->n_sections; n++) {
		const struct i40e_section *section =
			&i40e->sections[backwards ? i40e->n_sections - 1 - n : n];

		if (section->type != type)
			continue;
		if (section_write(bytes, section, I40E_RB_MMIO) < 0)
			return -EIO;
	}
	return 0;
}

static int find(uint32_t track_id) {
	for (unsigned int i = 0; i < i40e_fake.n_loaded; i++)
		if (i40e_fake.loaded[i] == track_id)
			return i;
	return -1;
}

static bool section_has(const struct i40e_package *i40e, uint32_t type) {
	for (unsigned int i = 0; i < i40e->n_sections; i++)
		if (i40e->sections[i].type == type)
			return true;
	return false;
}

static int add(uint8_t *bytes, const struct ddp_package *package) {
	note("add", package->track_id);
	if (i40e_fake.n_loaded > 0) { // itself, or one that excludes it
		i40e_fake.maps_ptypes = true;
		return -EEXIST;
	}
	if (package->i40e->is_rollback)
		return -EINVAL;
	if (sections_write(bytes, package->i40e, I40E_MMIO, false) < 0)
		return -EIO;
	i40e_fake.loaded[i40e_fake.n_loaded++] = package->track_id;
	i40e_fake.maps_ptypes = true;
	return 0;
}

static int del(uint8_t *bytes, const struct ddp_package *package) {
	int at = find(package->track_id);

	note("del", package->track_id);
	if (at < 0)
		return -EACCES;
	if (section_has(package->i40e, I40E_MMIO) || package->i40e->has_aq)
		return -EINVAL;
	if (sections_write(bytes, package->i40e, I40E_RB_MMIO, true) < 0)
		return -EIO;
	memmove(&i40e_fake.loaded[at], &i40e_fake.loaded[at + 1],
		(--i40e_fake.n_loaded - at) * sizeof(i40e_fake.loaded[0]));
	i40e_fake.maps_ptypes = false;
	return 0;
}

static int process(uint16_t port, uint8_t *bytes, uint32_t size, int op) {
	struct ddp_package *package;
	struct ddp_diag diag;
	int ret = call(port);

	if (ret < 0)
		return ret;
	if (i40e_fake.started)
		return -EBUSY;
	ddp_diag_init(&diag);
	package = ddp_package_read("given", bytes, size, &diag);
	ddp_diag_fini(&diag);
	assert_non_null(package);
	ret = op == DDP_I40E_ADD ? add(bytes, package) : del(bytes, package);
	ddp_package_close(package);
	return ret;
}

static int list(uint16_t port, uint8_t *bytes, uint32_t size) {
	CALL(port);
	if (size < 4 + 48 * I40E_LOADED_MAX)
		return -EINVAL;
	le32_put(bytes, i40e_fake.n_loaded);
	for (unsigned int i = 0; i < i40e_fake.n_loaded; i++)
		le32_put(bytes + 4 + 48 * i, i40e_fake.loaded[i]);
	return 0;
}

/* Tables */

static int flow_types_get(uint16_t port, struct ddp_i40e_flow_type *types) {
	CALL(port);
	memcpy(types, i40e_fake.flow_types, sizeof(i40e_fake.flow_types));
	return 0;
}

static int flow_types_update(uint16_t port, struct ddp_i40e_flow_type *types, uint16_t n,
			     uint8_t exclusive) {
	CALL(port);
	assert_int_equal(exclusive, 0);
	if (n > DDP_I40E_FLOW_TYPES)
		return -EINVAL;
	for (unsigned int i = 0; i < n; i++) // flow type 0 and pctype 0 are "unknown" and "invalid"
		if (types[i].flow_type == 0 || types[i].flow_type >= DDP_I40E_FLOW_TYPES ||
		    (types[i].pctype & 1) != 0)
			return -EINVAL;
	for (unsigned int i = 0; i < n; i++)
		i40e_fake.flow_types[types[i].flow_type].pctype = types[i].pctype;
	return 0;
}

static int inset_get(uint16_t port, uint8_t pctype, struct ddp_i40e_inset *inset, int type) {
	CALL(port);
	assert_int_equal(type, DDP_I40E_INSET_HASH);
	*inset = i40e_fake.insets[pctype];
	return 0;
}

static int inset_set(uint16_t port, uint8_t pctype, struct ddp_i40e_inset *inset, int type) {
	CALL(port);
	assert_int_equal(type, DDP_I40E_INSET_HASH);
	i40e_fake.insets[pctype] = *inset;
	return 0;
}

const struct ddp_i40e_calls i40e_fake_calls = {
	.process_ddp_package = process,
	.get_ddp_list = list,
	.flow_type_mapping_get = flow_types_get,
	.flow_type_mapping_update = flow_types_update,
	.inset_get = inset_get,
	.inset_set = inset_set,
};

/* Tests' side */

void i40e_fake_restart(void) {
	memset(i40e_fake.flow_types, 0, sizeof(i40e_fake.flow_types));
	for (unsigned int i = 0; i < DDP_I40E_FLOW_TYPES; i++)
		i40e_fake.flow_types[i].flow_type = i;
	i40e_fake.flow_types[2].pctype = UINT64_C(1) << 31; // as DPDK has it
	i40e_fake.maps_ptypes = false;
	i40e_fake.fail_section = -1;
	i40e_fake.log[0] = '\0';
	i40e_fake.n_calls = 0;
}

void i40e_fake_reset(void) {
	memset(&i40e_fake, 0, sizeof(i40e_fake));
	for (unsigned int i = 0; i < FAKE_REGISTERS; i++)
		i40e_fake.registers[i] = i;
	i40e_fake_restart();
}
