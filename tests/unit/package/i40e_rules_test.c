/* SPDX-License-Identifier: BSD-3-Clause */
// Which 700-series packages DPDK refuses, and which it can remove again: a user who is told wrong
// finds out on a server that carries traffic.
#include <errno.h>

#include "i40e/i40e.h"
#include "personality/package_open.h"
#include "unit.h"

#define OF_GROUP(group, number) (0x80000000 | (group) << 16 | (number))

static struct i40e_device devices[] = {
	{0x8086, 0x158b, 0xffff, 0xffff},
	{0x15b3, 0x1583, 0xffff, 0xffff},
};

struct row {
	const char *name;
	struct i40e_package i40e;
	uint32_t track_id;
	uint32_t loaded[3]; // 0 ends them
	uint16_t device;
	int add;
	int rollback; // whether DPDK could remove it again
};

static const struct row rows[] = {
	{"any_device", {0}, OF_GROUP(5, 1), {0}, 0x1572, 0, 0},
	{"its_device", {.devices = devices, .n_devices = 2}, OF_GROUP(5, 1), {0}, 0x158b, 0, 0},
	{"another_device",
	 {.devices = devices, .n_devices = 2},
	 OF_GROUP(5, 1),
	 {0},
	 0x1572,
	 -ENODEV,
	 0},
	{"a_device_of_another_vendor",
	 {.devices = devices, .n_devices = 2},
	 OF_GROUP(5, 1),
	 {0},
	 0x1583,
	 -ENODEV,
	 0},
	{"no_device_of_intels",
	 {.devices = devices + 1, .n_devices = 1},
	 OF_GROUP(5, 1),
	 {0},
	 0,
	 -ENODEV,
	 0},
	{"x722", {.is_x722 = true}, OF_GROUP(5, 1), {0}, 0, -EINVAL, 0},
	{"an_invalid_track_id", {0}, 0xffffffff, {0}, 0, -EINVAL, 0},
	{"a_read_only_track_id", {0}, 0x00010001, {0}, 0, -EINVAL, 0},
	{"a_rollback_file", {.is_rollback = true}, OF_GROUP(5, 1), {0}, 0, -ENOTSUP, -ENOTSUP},
	{"commands", {.has_aq = true}, OF_GROUP(5, 1), {0}, 0, 0, -ENOTSUP},
	{"beside_its_group", {0}, OF_GROUP(5, 1), {OF_GROUP(255, 2), OF_GROUP(5, 2)}, 0, 0, 0},
	{"beside_another_group",
	 {0},
	 OF_GROUP(5, 1),
	 {OF_GROUP(255, 2), OF_GROUP(6, 2)},
	 0,
	 -EEXIST,
	 0},
	{"beside_group_0", {0}, OF_GROUP(5, 1), {OF_GROUP(0, 2)}, 0, -EEXIST, 0},
	{"group_0_beside_another", {0}, OF_GROUP(0, 1), {OF_GROUP(5, 2)}, 0, -EEXIST, 0},
	{"group_0_beside_255", {0}, OF_GROUP(0, 1), {OF_GROUP(255, 2)}, 0, 0, 0},
	{"group_255_beside_0", {0}, OF_GROUP(255, 1), {OF_GROUP(0, 2)}, 0, 0, 0},
	{"itself", {0}, OF_GROUP(255, 1), {OF_GROUP(255, 1)}, 0, -EEXIST, 0},
};

static void a_package_is_accepted_or_refused(void **state) {
	const struct row *row = *state;
	struct i40e_package i40e = row->i40e;
	struct ddp_package package = {.track_id = row->track_id, .i40e = &i40e};
	struct i40e_loaded loaded[COUNT(row->loaded)] = {0};
	unsigned int n = 0;

	for (; n < COUNT(loaded) && row->loaded[n] != 0; n++)
		loaded[n].track_id = row->loaded[n];
	assert_int_equal(i40e_add_verdict(&package, row->device, loaded, n).error, row->add);
	assert_int_equal(i40e_rollback_verdict(&package).error, row->rollback);
}

static void a_nic_lists_16_profiles(void **state) {
	struct i40e_package i40e = {0};
	struct ddp_package package = {.track_id = OF_GROUP(255, 99), .i40e = &i40e};
	struct i40e_loaded loaded[I40E_LOADED_MAX] = {0};

	(void)state;
	for (unsigned int i = 0; i < COUNT(loaded); i++)
		loaded[i].track_id = OF_GROUP(255, i);
	assert_int_equal(i40e_add_verdict(&package, 0, loaded, 15).error, 0);
	assert_int_equal(i40e_add_verdict(&package, 0, loaded, 16).error, -ENOSPC);
}

/* Rollback files */

static const uint8_t registers[16] = {1, 2, 3, 4, 5, 6, 7, 8};
static struct i40e_section sections[] = {
	{.type = I40E_MMIO, .size = sizeof(registers), .data = registers},
	{.type = I40E_NAME, .size = 5, .data = (const uint8_t *)"name"},
	{.type = I40E_MMIO, .size = sizeof(registers) / 2, .data = registers},
};

static struct ddp_package *loaded_package(void) {
	struct i40e_package i40e = {.sections = sections, .n_sections = COUNT(sections)};
	struct ddp_package description = {.track_id = OF_GROUP(5, 1), .i40e = &i40e}, *package;
	struct ddp_diag diag;
	uint8_t *bytes;
	size_t size;

	assert_int_equal(i40e_write(&description, &bytes, &size), 0);
	ddp_diag_init(&diag);
	package = ddp_package_read("p.pkg", bytes, size, &diag);
	assert_non_null(package);
	ddp_diag_fini(&diag);
	free(bytes);
	return package;
}

// What the firmware leaves in the driver's buffer: the registers were all 9.
static uint8_t *readback_make(const struct ddp_package *package) {
	uint8_t *bytes = malloc(package->size);

	memcpy(bytes, package->bytes, package->size);
	for (unsigned int i = 0; i < package->i40e->n_sections; i++) {
		const struct i40e_section *section = &package->i40e->sections[i];

		if (section->type != I40E_MMIO)
			continue;
		bytes[section->offset + 5] = I40E_RB_MMIO >> 8;
		memset(bytes + section->offset + 16, 9, section->size);
	}
	return bytes;
}

static void a_rollback_file_has_the_registers_of_before(void **state) {
	struct ddp_package *package = loaded_package(), *rollback;
	uint8_t *readback = readback_make(package), *bytes;
	struct ddp_diag diag;
	size_t size;

	(void)state;
	ddp_diag_init(&diag);
	assert_int_equal(i40e_rollback(package, readback, package->size, &bytes, &size, &diag), 0);
	assert_int_equal(size, package->size);
	rollback = ddp_package_read("r.pkg", bytes, size, &diag);
	assert_non_null(rollback);
	assert_int_equal(diag.n_warnings, 0);
	assert_true(rollback->i40e->is_rollback);
	assert_false(rollback->i40e->has_mmio);
	assert_int_equal(rollback->i40e->sections[0].type, I40E_RB_MMIO);
	assert_int_equal(rollback->i40e->sections[0].data[15], 9);
	assert_int_equal(rollback->i40e->sections[1].type, I40E_NAME);
	assert_int_equal(rollback->i40e->sections[2].data[7], 9);
	assert_int_equal(i40e_add_verdict(rollback, 0, NULL, 0).error, -ENOTSUP);
	ddp_package_close(rollback);
	ddp_package_close(package);
	ddp_diag_fini(&diag);
	free(readback);
	free(bytes);
}

static void told_of(const struct ddp_package *package, const uint8_t *readback, size_t size,
		    const char *message) {
	struct ddp_diag diag;
	uint8_t *bytes;
	size_t bytes_size;

	ddp_diag_init(&diag);
	assert_int_equal(i40e_rollback(package, readback, size, &bytes, &bytes_size, &diag),
			 -EINVAL);
	assert_string_equal(ddp_diag_first(&diag), message);
	ddp_diag_fini(&diag);
}

// A file that would write the wrong registers must not come about.
static void what_was_not_read_back_is_no_rollback_file(void **state) {
	struct ddp_package *package = loaded_package();
	uint8_t *readback = readback_make(package);

	(void)state;
	told_of(package, readback, package->size - 1,
		"p.pkg: error: 295 bytes were read back, the file has 296");
	readback[package->i40e->sections[2].offset + 5] = I40E_MMIO >> 8;
	told_of(package, readback, package->size,
		"p.pkg:0x110: error: these registers were not read back");
	readback[package->i40e->sections[2].offset + 5] = I40E_RB_MMIO >> 8;
	readback[package->i40e->sections[1].offset + 16] = 'g';
	told_of(package, readback, package->size,
		"p.pkg:0x108: error: what was read back is of another file");
	free(readback);
	ddp_package_close(package);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_nic_lists_16_profiles),
		cmocka_unit_test(a_rollback_file_has_the_registers_of_before),
		cmocka_unit_test(what_was_not_read_back_is_no_rollback_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) +
	       rows_run("rules", a_package_is_accepted_or_refused, rows);
}
