/* SPDX-License-Identifier: BSD-3-Clause */
// Which 700-series packages DPDK refuses, and which it can remove again: a user who is told wrong
// finds out on a server that carries traffic.
#include <errno.h>

#include "i40e/i40e.h"
#include "unit.h"

#define OF_GROUP(group, number) (0x80000000 | (group) << 16 | (number))

static struct i40e_device devices[] = {
	{0x8086, 0x158b, 0xffff, 0xffff},
	{0x15b3, 0x1583, 0xffff, 0xffff},
};

#define ANY OF_GROUP(255, 2)

struct row {
	const char *name;
	struct i40e_package i40e;
	uint32_t track_id;
	int add;
	int rollback; // whether DPDK could remove it again
	uint16_t device;
	uint32_t loaded[3]; // 0 ends them
};

static const struct row rows[] = {
	{"any_device", {0}, OF_GROUP(5, 1), 0, 0, 0x1572, {0}},
	{"its_device", {.devices = devices, .n_devices = 2}, OF_GROUP(5, 1), 0, 0, 0x158b, {0}},
	{"other", {.devices = devices, .n_devices = 2}, OF_GROUP(5, 1), -ENODEV, 0, 0x1572, {0}},
	{"vendor", {.devices = devices, .n_devices = 2}, OF_GROUP(5, 1), -ENODEV, 0, 0x1583, {0}},
	{"no_intel", {.devices = devices + 1, .n_devices = 1}, OF_GROUP(5, 1), -ENODEV, 0, 0, {0}},
	{"x722", {.is_x722 = true}, OF_GROUP(5, 1), -EINVAL, 0, 0, {0}},
	{"an_invalid_track_id", {0}, 0xffffffff, -EINVAL, 0, 0, {0}},
	{"a_read_only_track_id", {0}, 0x00010001, -EINVAL, 0, 0, {0}},
	{"a_rollback_file", {.is_rollback = true}, OF_GROUP(5, 1), -ENOTSUP, -ENOTSUP, 0, {0}},
	{"commands", {.has_aq = true}, OF_GROUP(5, 1), 0, -ENOTSUP, 0, {0}},
	{"beside_its_group", {0}, OF_GROUP(5, 1), 0, 0, 0, {ANY, OF_GROUP(5, 2)}},
	{"beside_another_group", {0}, OF_GROUP(5, 1), -EEXIST, 0, 0, {ANY, OF_GROUP(6, 2)}},
	{"beside_group_0", {0}, OF_GROUP(5, 1), -EEXIST, 0, 0, {OF_GROUP(0, 2)}},
	{"group_0_beside_another", {0}, OF_GROUP(0, 1), -EEXIST, 0, 0, {OF_GROUP(5, 2)}},
	{"group_0_beside_255", {0}, OF_GROUP(0, 1), 0, 0, 0, {ANY}},
	{"group_255_beside_0", {0}, OF_GROUP(255, 1), 0, 0, 0, {OF_GROUP(0, 2)}},
	{"itself", {0}, OF_GROUP(255, 1), -EEXIST, 0, 0, {OF_GROUP(255, 1)}},
};

static void a_package_is_accepted_or_refused(void **state) {
	const struct row *row = *state;
	struct i40e_package i40e = row->i40e;
	struct ddp_package package = {.track_id = row->track_id, .i40e = &i40e};
	unsigned int n = 0;

	while (n < COUNT(row->loaded) && row->loaded[n] != 0)
		n++;
	assert_int_equal(i40e_add_verdict(&package, row->device, row->loaded, n).error, row->add);
	assert_int_equal(i40e_rollback_verdict(&package).error, row->rollback);
}

static void a_nic_lists_16_profiles(void **state) {
	struct i40e_package i40e = {0};
	struct ddp_package package = {.track_id = OF_GROUP(255, 99), .i40e = &i40e};
	uint32_t loaded[I40E_LOADED_MAX];

	for (unsigned int i = 0; i < COUNT(loaded); i++)
		loaded[i] = OF_GROUP(255, i);
	assert_int_equal(i40e_add_verdict(&package, 0, loaded, 15).error, 0);
	assert_int_equal(i40e_add_verdict(&package, 0, loaded, 16).error, -ENOSPC);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_nic_lists_16_profiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) +
	       rows_run("rules", a_package_is_accepted_or_refused, rows);
}
