/* SPDX-License-Identifier: BSD-3-Clause */
// Which 700-series packages a NIC takes beside others, in which order, and what can be taken back:
// a user who is told wrong finds out on a server that carries traffic.
#include <errno.h>

#include "i40e/i40e.h"
#include "personality/package_open.h"
#include "unit.h"

#define OF_GROUP(group, number) (0x80000000 | (group) << 16 | (number))

static struct i40e_device devices[] = {
	{0x8086, 0x1572, 0xffff, 0xffff},
	{0x8086, 0x158b, 0xffff, 0xffff},
	{0x15b3, 0x1583, 0xffff, 0xffff},
};

/* A NIC without profiles */

struct lone {
	const char *name;
	struct i40e_package i40e;
	uint32_t track_id;
	uint16_t device;
	int error;
	const char *reason;
};

static struct i40e_section large = {.type = I40E_MMIO, .size = 4081};
static struct i40e_section large_enough = {.type = I40E_MMIO, .size = 4080};
static const uint8_t command[22 + 4097] = {[20] = 0x01, [21] = 0x10}; // 4097 bytes of data
static struct i40e_section large_command = {
	.type = I40E_AQ, .size = sizeof(command), .data = command};

static const struct lone lones[] = {
	{"any_device",
	 {.has_mmio = true},
	 OF_GROUP(1, 1),
	 0x1572,
	 0,
	 "no profile of another group is loaded"},
	{"a_device_of_the_table",
	 {.devices = devices, .n_devices = 3},
	 OF_GROUP(1, 1),
	 0x158b,
	 0,
	 "no profile of another group is loaded"},
	{"another_device",
	 {.devices = devices, .n_devices = 3},
	 OF_GROUP(1, 1),
	 0x1584,
	 -ENODEV,
	 "device 8086:1584 is not in its table"},
	{"a_device_of_another_vendor",
	 {.devices = devices, .n_devices = 3},
	 OF_GROUP(1, 1),
	 0x1583,
	 -ENODEV,
	 "device 8086:1583 is not in its table"},
	{"no_device_of_intels",
	 {.devices = devices + 2, .n_devices = 1},
	 OF_GROUP(1, 1),
	 0,
	 -ENODEV,
	 "no device of Intel's is in its table"},
	{"x722",
	 {.is_x722 = true},
	 OF_GROUP(1, 1),
	 0,
	 -EINVAL,
	 "it is for X722, which takes no profile"},
	{"an_invalid_track_id",
	 {.has_mmio = true},
	 0xffffffff,
	 0,
	 -EINVAL,
	 "its track id 0xffffffff is invalid"},
	{"a_read_only_track_id",
	 {.has_mmio = true},
	 0x00010001,
	 0,
	 -ENOTSUP,
	 "its track id 0x00010001 is of type 0, read only"},
	{"a_rollback_file",
	 {.is_rollback = true},
	 OF_GROUP(1, 1),
	 0,
	 -ENOTSUP,
	 "it is a rollback file"},
	{"a_section_that_fits_the_admin_queue",
	 {.sections = &large_enough, .n_sections = 1},
	 OF_GROUP(1, 1),
	 0,
	 0,
	 "no profile of another group is loaded"},
	{"a_section_that_does_not",
	 {.sections = &large, .n_sections = 1},
	 OF_GROUP(1, 1),
	 0,
	 -E2BIG,
	 "its section MMIO at 0x0 is larger than the admin queue's 4096 bytes"},
	{"a_command_that_does_not",
	 {.sections = &large_command, .n_sections = 1},
	 OF_GROUP(1, 1),
	 0,
	 -E2BIG,
	 "its section AQ at 0x0 is larger than the admin queue's 4096 bytes"},
	{"group_0",
	 {.has_mmio = true},
	 OF_GROUP(0, 1),
	 0,
	 0,
	 "no profile of another group is loaded"},
};

static void a_package_by_itself(void **state) {
	const struct lone *lone = *state;
	struct i40e_package i40e = lone->i40e;
	struct ddp_package package = {.path = "p.pkg", .track_id = lone->track_id, .i40e = &i40e};

	for (enum i40e_driver driver = I40E_DPDK; driver <= I40E_LINUX; driver++) {
		struct i40e_verdict verdict =
			i40e_add_verdict(driver, &package, lone->device, NULL, 0);

		assert_string_equal(verdict.reason, lone->reason);
		assert_int_equal(verdict.error, lone->error);
	}
}

/* Beside others */

struct beside {
	const char *name;
	uint32_t track_id;
	uint32_t loaded[3]; // 0 ends them
	int dpdk, linux_;
};

static const struct beside besides[] = {
	{"nothing", OF_GROUP(5, 1), {0}, 0, 0},
	{"the_same_group", OF_GROUP(5, 1), {OF_GROUP(5, 2)}, 0, 0},
	{"another_group", OF_GROUP(5, 1), {OF_GROUP(6, 2)}, -EEXIST, -EEXIST},
	{"one_of_another_group",
	 OF_GROUP(5, 1),
	 {OF_GROUP(5, 2), OF_GROUP(6, 2)},
	 -EEXIST,
	 -EEXIST},
	{"group_255", OF_GROUP(5, 1), {OF_GROUP(255, 2)}, 0, 0},
	{"group_255_and_the_same", OF_GROUP(5, 1), {OF_GROUP(255, 2), OF_GROUP(5, 3)}, 0, 0},
	{"group_255_and_another",
	 OF_GROUP(5, 1),
	 {OF_GROUP(255, 2), OF_GROUP(6, 3)},
	 -EEXIST,
	 -EEXIST},
	{"group_0", OF_GROUP(5, 1), {OF_GROUP(0, 2)}, -EEXIST, -EEXIST},
	{"group_0_last", OF_GROUP(5, 1), {OF_GROUP(255, 2), OF_GROUP(0, 2)}, -EEXIST, -EEXIST},
	{"new_255_beside_0", OF_GROUP(255, 1), {OF_GROUP(0, 2)}, 0, 0},
	{"new_255_beside_any", OF_GROUP(255, 1), {OF_GROUP(5, 2), OF_GROUP(255, 2)}, 0, 0},
	{"new_0_beside_0", OF_GROUP(0, 1), {OF_GROUP(0, 2)}, -EEXIST, -EEXIST},
	{"new_0_beside_5", OF_GROUP(0, 1), {OF_GROUP(5, 2)}, -EEXIST, -EEXIST},
	{"new_0_beside_255", OF_GROUP(0, 1), {OF_GROUP(255, 2)}, 0, -EEXIST},
	{"itself", OF_GROUP(5, 1), {OF_GROUP(5, 1)}, -EEXIST, -EEXIST},
	{"itself_of_group_255", OF_GROUP(255, 1), {OF_GROUP(255, 1)}, -EEXIST, -EEXIST},
};

static void a_package_beside_others(void **state) {
	const struct beside *beside = *state;
	struct i40e_package i40e = {.has_mmio = true};
	struct ddp_package package = {.path = "p.pkg", .track_id = beside->track_id, .i40e = &i40e};
	struct i40e_loaded loaded[COUNT(beside->loaded)] = {0};
	unsigned int n = 0;

	while (n < COUNT(beside->loaded) && beside->loaded[n] != 0) {
		loaded[n].track_id = beside->loaded[n];
		n++;
	}
	assert_int_equal(i40e_add_verdict(I40E_DPDK, &package, 0, loaded, n).error, beside->dpdk);
	assert_int_equal(i40e_add_verdict(I40E_LINUX, &package, 0, loaded, n).error,
			 beside->linux_);
}

// DPDK goes by the track id alone.
static void linux_tells_versions_and_names_apart(void **state) {
	struct i40e_package i40e = {.version = {1, 0, 3, 0}, .name = "a"};
	struct ddp_package package = {.track_id = OF_GROUP(5, 1), .i40e = &i40e};
	struct i40e_loaded same = i40e_loaded_as(&package), version = same, name = same;

	(void)state;
	version.version.update = 4;
	name.name[0] = 'b';
	assert_int_equal(i40e_add_verdict(I40E_LINUX, &package, 0, &same, 1).error, -EEXIST);
	assert_int_equal(i40e_add_verdict(I40E_LINUX, &package, 0, &version, 1).error, 0);
	assert_int_equal(i40e_add_verdict(I40E_LINUX, &package, 0, &name, 1).error, 0);
	assert_int_equal(i40e_add_verdict(I40E_DPDK, &package, 0, &version, 1).error, -EEXIST);
	assert_int_equal(i40e_add_verdict(I40E_DPDK, &package, 0, &name, 1).error, -EEXIST);
}

static void a_nic_lists_16_profiles(void **state) {
	struct i40e_package i40e = {.has_mmio = true};
	struct ddp_package package = {.track_id = OF_GROUP(255, 99), .i40e = &i40e};
	struct i40e_loaded loaded[I40E_LOADED_MAX] = {0};

	(void)state;
	for (unsigned int i = 0; i < COUNT(loaded); i++)
		loaded[i].track_id = OF_GROUP(255, i);
	assert_int_equal(i40e_add_verdict(I40E_DPDK, &package, 0, loaded, 15).error, 0);
	assert_int_equal(i40e_add_verdict(I40E_DPDK, &package, 0, loaded, 16).error, -ENOSPC);
}

/* Taking back */

struct taking {
	const char *name;
	struct i40e_package i40e;
	uint32_t loaded;
	int del;
	int rollback; // whether its like can be made
};

static const struct taking takings[] = {
	{"a_rollback_file", {.is_rollback = true}, OF_GROUP(5, 1), 0, -ENOTSUP},
	{"of_what_is_not_loaded", {.is_rollback = true}, OF_GROUP(5, 2), -EACCES, -ENOTSUP},
	{"the_package_itself", {.has_mmio = true}, OF_GROUP(5, 1), -ENOTSUP, 0},
	{"with_commands", {.has_mmio = true, .has_aq = true}, OF_GROUP(5, 1), -ENOTSUP, -ENOTSUP},
	{"with_commands_that_were_done",
	 {.is_rollback = true, .has_aq = true},
	 OF_GROUP(5, 1),
	 -ENOTSUP,
	 -ENOTSUP},
	{"of_both_kinds",
	 {.is_rollback = true, .has_mmio = true},
	 OF_GROUP(5, 1),
	 -ENOTSUP,
	 -ENOTSUP},
	{"of_nothing", {.has_mmio = false}, OF_GROUP(5, 1), 0, 0},
	{"for_x722", {.is_x722 = true}, OF_GROUP(5, 1), -EINVAL, 0},
};

static void a_package_is_taken_back(void **state) {
	const struct taking *taking = *state;
	struct i40e_package i40e = taking->i40e;
	struct ddp_package package = {.track_id = OF_GROUP(5, 1), .i40e = &i40e};
	struct i40e_loaded loaded = {.track_id = taking->loaded};

	assert_int_equal(i40e_del_verdict(&package, &loaded, 1).error, taking->del);
	assert_int_equal(i40e_rollback_verdict(&package).error, taking->rollback);
}

/* All together */

struct set {
	const char *name;
	uint32_t track_ids[3]; // 0 ends them
	unsigned int order[3];
	int error;
	const char *reason;
};

static const struct set sets[] = {
	{"one_group",
	 {OF_GROUP(5, 1), OF_GROUP(5, 2), OF_GROUP(5, 3)},
	 {0, 1, 2},
	 0,
	 "one after the other in this order"},
	{"two_groups",
	 {OF_GROUP(5, 1), OF_GROUP(6, 2)},
	 {0, 1},
	 -EEXIST,
	 "b.pkg: 0x80050001 is loaded, of group 5; this package is of group 6"},
	{"group_0_goes_first",
	 {OF_GROUP(255, 1), OF_GROUP(0, 2), OF_GROUP(255, 3)},
	 {1, 0, 2},
	 0,
	 "one after the other in this order"},
	{"group_0_and_another",
	 {OF_GROUP(5, 1), OF_GROUP(0, 2)},
	 {1, 0},
	 -EEXIST,
	 "a.pkg: 0x80000002 is loaded, and group 0 takes no other profile beside it"},
	{"group_0_twice",
	 {OF_GROUP(0, 1), OF_GROUP(0, 2)},
	 {0, 1},
	 -EEXIST,
	 "b.pkg: 0x80000001 is loaded, and group 0 takes no other profile beside it"},
	{"one_twice",
	 {OF_GROUP(5, 1), OF_GROUP(5, 1)},
	 {0, 1},
	 -EEXIST,
	 "b.pkg: 0x80050001 is loaded already; DPDK learns its names all the same"},
	{"one_that_cannot_be_added",
	 {OF_GROUP(5, 1), 0x00050001},
	 {0, 1},
	 -ENOTSUP,
	 "b.pkg: its track id 0x00050001 is of type 0, read only"},
};

static void packages_go_together(void **state) {
	static const char *const paths[] = {"a.pkg", "b.pkg", "c.pkg"};
	const struct set *set = *state;
	struct i40e_package i40e = {.has_mmio = true};
	const struct ddp_package *pointers[COUNT(set->track_ids)];
	struct ddp_package packages[COUNT(set->track_ids)] = {0};
	unsigned int order[COUNT(set->track_ids)], n;
	struct i40e_verdict verdict;

	for (n = 0; n < COUNT(packages) && set->track_ids[n] != 0; n++) {
		packages[n] = (struct ddp_package){
			.path = paths[n], .track_id = set->track_ids[n], .i40e = &i40e};
		pointers[n] = &packages[n];
	}
	verdict = i40e_together(pointers, n, order);
	assert_string_equal(verdict.reason, set->reason);
	assert_int_equal(verdict.error, set->error);
	assert_memory_equal(order, set->order, n * sizeof(order[0]));
}

static void packages_for_different_nics_do_not_meet(void **state) {
	struct i40e_package one = {.devices = devices, .n_devices = 1};
	struct i40e_package other = {.devices = devices + 1, .n_devices = 2}, any = {0};
	struct ddp_package packages[] = {
		{.path = "a.pkg", .track_id = OF_GROUP(5, 1), .i40e = &one},
		{.path = "b.pkg", .track_id = OF_GROUP(5, 2), .i40e = &any},
		{.path = "c.pkg", .track_id = OF_GROUP(5, 3), .i40e = &other},
	};
	const struct ddp_package *pointers[] = {&packages[0], &packages[1], &packages[2]};
	unsigned int order[COUNT(packages)];

	(void)state;
	assert_int_equal(i40e_together(pointers, 2, order).error, 0);
	assert_int_equal(i40e_together(pointers, 3, order).error, -ENODEV);
	assert_int_equal(i40e_together(pointers + 1, 2, order).error, 0);
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
	struct i40e_loaded loaded = i40e_loaded_as(package);
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
	assert_int_equal(i40e_del_verdict(rollback, &loaded, 1).error, 0);
	assert_int_equal(i40e_add_verdict(I40E_DPDK, rollback, 0, NULL, 0).error, -ENOTSUP);
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
		cmocka_unit_test(linux_tells_versions_and_names_apart),
		cmocka_unit_test(a_nic_lists_16_profiles),
		cmocka_unit_test(packages_for_different_nics_do_not_meet),
		cmocka_unit_test(a_rollback_file_has_the_registers_of_before),
		cmocka_unit_test(what_was_not_read_back_is_no_rollback_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) +
	       rows_run("lone", a_package_by_itself, lones) +
	       rows_run("beside", a_package_beside_others, besides) +
	       rows_run("takings", a_package_is_taken_back, takings) +
	       rows_run("together", packages_go_together, sets);
}
