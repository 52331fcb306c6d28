/* SPDX-License-Identifier: BSD-3-Clause */
// A package in a 700-series NIC, against a fake of it: what goes wrong must leave the NIC as it
// was, for the next application gets the same NIC. Where nothing fails: port/lower_i40e_test.c.
#include "offload/i40e_port.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "i40e_fake.h"
#include "package/i40e_write.h"
#include "unit.h"

#define DEVICE 0x1572

static struct ddp_i40e_port port;
static struct ddp_diag diag;
static struct i40e_fake before;

static int setup(void **state) {
	i40e_fake_reset();
	ddp_i40e_port_init(&port, &i40e_fake_calls, 3, DEVICE);
	ddp_diag_init(&diag);
	before = i40e_fake;
	return 0;
}

static int teardown(void **state) {
	ddp_diag_fini(&diag);
	return 0;
}

static void assert_as_before(void) {
	assert_memory_equal(i40e_fake.registers, before.registers, sizeof(before.registers));
	assert_int_equal(i40e_fake.n_loaded, before.n_loaded);
	assert_memory_equal(i40e_fake.loaded, before.loaded,
			    before.n_loaded * sizeof(before.loaded[0]));
	assert_memory_equal(i40e_fake.flow_types, before.flow_types, sizeof(before.flow_types));
	assert_memory_equal(i40e_fake.insets, before.insets, sizeof(before.insets));
	assert_true(i40e_fake.ptypes_default);
}

static int add(void) {
	struct ddp_package *package = i40e_write_gtp(I40E_GTP);
	int ret = ddp_i40e_port_add(&port, package, &diag);

	ddp_package_close(package);
	return ret;
}

static void assert_told(const char *message) {
	assert_string_equal(ddp_diag_first(&diag), message);
	ddp_diag_fini(&diag);
	ddp_diag_init(&diag);
}

static void a_nic_that_goes_on_failing_is_said_to_need_a_reset(void **state) {
	i40e_fake.fail_section = 0;
	assert_int_equal(add(), -EIO);
	assert_told("error: port 3: gtp.pkgo: Input/output error"); // nothing was written
	assert_as_before();
	i40e_fake.fail_section = 1;
	assert_int_equal(add(), -EIO);
	assert_int_equal(diag.n_errors, 2);
	assert_string_equal(
		diag.messages[1],
		"error: port 3: what the load had written could not be taken back, only a "
		"reset of the NIC helps: Input/output error");
}

static int process_once(uint16_t id, uint8_t *bytes, uint32_t size, int op) {
	int ret = i40e_fake_calls.process(id, bytes, size, op);

	i40e_fake.fail_section = -1; // the next call is good
	return ret;
}

static uint32_t unread_at; // a section that the firmware does not replace

static int process_unread(uint16_t id, uint8_t *bytes, uint32_t size, int op) {
	int ret = i40e_fake_calls.process(id, bytes, size, op);

	if (op == DDP_I40E_ADD)
		bytes[unread_at + 5] = I40E_MMIO >> 8;
	return ret;
}

// A file that writes wrong registers must not remove it.
static void registers_that_are_not_read_back_are_an_error(void **state) {
	struct ddp_package *package = i40e_write_gtp(I40E_GTP);
	struct ddp_i40e_calls calls = i40e_fake_calls;

	calls.process = process_unread;
	unread_at = package->i40e->sections[4].offset;
	ddp_i40e_port_init(&port, &calls, 3, DEVICE);
	assert_int_equal(ddp_i40e_port_add(&port, package, &diag), -EIO);
	assert_told("error: port 3: gtp.pkgo: its registers were not read back");
	assert_string_equal(i40e_fake.log, "add 80000008; write 80000008");
	assert_int_equal(i40e_fake.registers[I40E_GTP_REGISTER], I40E_GTP_REGISTER);
	assert_int_equal(i40e_fake.registers[I40E_GTP_REGISTER + 7], I40E_GTP_REGISTER + 7);
	assert_int_equal(ddp_i40e_port_undo(&port, &diag), 0);
	ddp_package_close(package);
}

static void accepted_but_not_listed_is_no_success(void **state) {
	i40e_fake.forgets = true;
	assert_int_equal(add(), -EIO);
	assert_told("error: port 3: gtp.pkgo: the driver took it, but the NIC does not list it");
	assert_as_before();
}

// Its sections write the same registers: only from the last one to the first the old values come
// back.
static void a_load_that_fails_is_taken_back_in_the_opposite_order(void **state) {
	struct ddp_i40e_calls calls = i40e_fake_calls;

	calls.process = process_once;
	ddp_i40e_port_init(&port, &calls, 3, DEVICE);
	for (int n = 0; n < 3; n++) {
		i40e_fake.fail_section = n;
		assert_int_equal(add(), -EIO);
		assert_int_equal(diag.n_errors, 1);
		assert_told("error: port 3: gtp.pkgo: Input/output error");
		assert_as_before();
	}
	assert_int_equal(add(), 0);
	assert_int_equal(ddp_i40e_port_undo(&port, &diag), 0);
	assert_as_before();
}

/* Each call fails once */

// All that a port is asked for: a package, its types, two input sets. Stops where it
// fails, as callers do.
static int all_load(void) {
	static const uint8_t words[] = {15, 16, 27, 28};
	struct ddp_package *package = i40e_write_gtp(I40E_GTP);
	uint64_t rss_hf = 0;
	int ret = ddp_i40e_port_add(&port, package, &diag);

	if (ret == 0)
		ret = ddp_i40e_port_types(&port, package, &rss_hf, &diag);
	if (ret == 0)
		ret = ddp_i40e_port_hash(&port, 22, words, 4, &diag);
	if (ret == 0)
		ret = ddp_i40e_port_hash(&port, 25, words, 2, &diag);
	ddp_package_close(package);
	return ret;
}

static void calls_fail(uint64_t fail_calls) {
	i40e_fake.n_calls = 0;
	i40e_fake.fail_calls = fail_calls;
}

static void begin_anew(void) {
	ddp_i40e_port_forget(&port);
	teardown(NULL);
	setup(NULL);
	i40e_fake.insets[22].words = 42;
	i40e_fake.insets[25].words = 43;
	before = i40e_fake;
}

static unsigned int calls_of_a_load(void) {
	begin_anew();
	calls_fail(0);
	assert_int_equal(all_load(), 0);
	return i40e_fake.n_calls;
}

static unsigned int calls_of_an_undo(void) {
	calls_of_a_load();
	calls_fail(0);
	assert_int_equal(ddp_i40e_port_undo(&port, &diag), 0);
	assert_as_before();
	return i40e_fake.n_calls;
}

// What an undo could not take back, and nothing else; the first error is the one that is returned.
static unsigned int left_behind(void) {
	unsigned int n = i40e_fake.n_loaded - before.n_loaded;

	n += memcmp(i40e_fake.flow_types, before.flow_types, sizeof(before.flow_types)) != 0;
	for (unsigned int i = 0; i < COUNT(before.insets); i++)
		n += memcmp(&i40e_fake.insets[i], &before.insets[i], sizeof(before.insets[i])) != 0;
	return n + !i40e_fake.ptypes_default;
}

static void an_undo_goes_on_behind_what_fails_and_says_so(void **state) {
	unsigned int n = calls_of_an_undo();

	assert_in_range(n, 5, 60);
	for (unsigned int i = 0; i < n; i++) {
		int ret;

		calls_of_a_load();
		calls_fail(UINT64_C(1) << i);
		ret = ddp_i40e_port_undo(&port, &diag);
		assert_in_range(left_behind(), 0, 1);
		assert_true(diag.n_errors >= left_behind());
		// an input set that cannot be read is written all the same
		assert_int_equal(ret, diag.n_errors == 0 ? 0 : -EIO);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
	const struct CMUnitTest tests[] = {
		TEST(a_nic_that_goes_on_failing_is_said_to_need_a_reset),
		TEST(registers_that_are_not_read_back_are_an_error),
		TEST(accepted_but_not_listed_is_no_success),
		TEST(a_load_that_fails_is_taken_back_in_the_opposite_order),
		TEST(an_undo_goes_on_behind_what_fails_and_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
