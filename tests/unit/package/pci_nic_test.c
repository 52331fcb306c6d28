/* SPDX-License-Identifier: BSD-3-Clause */
// A wrong serial number is a file name that no driver asks for; a reader that runs astray hangs or
// crashes.
#include "package/pci_nic.h"

#include <errno.h>

#include "fake_sysroot.h"
#include "unit.h"

#define DEVICES "/sys/bus/pci/devices/"
#define NIC DEVICES "0000:81:00.0/"

struct capability {
	uint16_t offset, id, next;
};

struct space {
	const char *name;
	size_t size;
	struct capability capabilities[3]; // offset 0: no more
	int ret;
};

static void put(uint8_t *to, uint64_t value, unsigned int n) {
	for (unsigned int i = 0; i < n; i++)
		to[i] = value >> 8 * i;
}

// Exactly size bytes, so that a sanitizer sees who reads more.
static uint8_t *space_make(const struct space *space) {
	uint8_t config[4096] = {0}, *exact = malloc(space->size);

	for (const struct capability *c = space->capabilities; c->offset != 0; c++) {
		put(config + c->offset, c->id | 1 << 16 | (uint32_t)c->next << 20, 4);
		if (c->id == 3 && c->offset + 12 <= 4096)
			put(config + c->offset + 4, SERIAL, 8);
	}
	assert_non_null(exact);
	return memcpy(exact, config, space->size);
}

static void serial_is_found_in(void **state) {
	const struct space *space = *state;
	uint8_t *config = space_make(space);
	uint64_t serial = 0;

	assert_int_equal(ddp_serial_find(config, space->size, &serial), space->ret);
	assert_true(serial == (space->ret == 0 ? SERIAL : 0));
	free(config);
}

static const struct space spaces[] = {
	{"the first capability", 4096, {{0x100, 3, 0}}, 0},
	{"the last capability of several",
	 4096,
	 {{0x100, 1, 0x148}, {0x148, 0xe, 0x150}, {0x150, 3, 0}},
	 0},
	{"the last bytes that there can be", 4096, {{0x100, 1, 0xff4}, {0xff4, 3, 0}}, 0},
	{"no capability at all", 4096, {}, -ENOENT},
	{"other capabilities only", 4096, {{0x100, 1, 0x148}, {0x148, 0xe, 0}}, -ENOENT},
	{"a device of plain PCI", 256, {}, -ENOENT},
	{"what anybody may read", 64, {}, -ENODATA},
	{"an empty file", 0, {}, -ENODATA},
	{"a list that is cut", 0x140, {{0x100, 1, 0x150}, {0x150, 3, 0}}, -ENODATA},
	{"a capability that is cut", 0x108, {{0x100, 3, 0}}, -ENODATA},
	{"a capability at the very end", 4096, {{0x100, 1, 0xffc}, {0xffc, 3, 0}}, -ENODATA},
	{"a list that leads back to itself", 4096, {{0x100, 1, 0x100}}, -ELOOP},
	{"a list that goes round", 4096, {{0x100, 1, 0x148}, {0x148, 0xe, 0x100}}, -ELOOP},
	{"a list that leads to where no extended capability is", 4096, {{0x100, 1, 0x40}}, -ENOENT},
};

static void a_device_that_is_gone_has_no_serial_number(void **state) {
	uint8_t config[4096];
	uint64_t serial;

	(void)state;
	memset(config, 0xff, sizeof(config));
	assert_int_equal(ddp_serial_find(config, sizeof(config), &serial), -ENOENT);
}

struct written {
	const char *name; // and text
	bool good;
};

static void serial_is_written_as(void **state) {
	const struct written *written = *state;
	char text[DDP_SERIAL_SIZE];
	uint64_t serial = 0;

	assert_int_equal(ddp_serial_parse(written->name, &serial), written->good ? 0 : -EINVAL);
	if (!written->good)
		return;
	assert_true(serial == SERIAL);
	ddp_serial_print(serial, text);
	assert_string_equal(text, "00-cc-bb-ff-ff-aa-05-68");
}

static const struct written writings[] = {
	{"00-cc-bb-ff-ff-aa-05-68", true},
	{"00-CC-BB-FF-FF-AA-05-68", true},
	{"00:cc:bb:ff:ff:aa:05:68", true},
	{"00ccbbffffaa0568", true},
	{"", false},
	{"00ccbbffffaa056", false},
	{"00ccbbffffaa05688", false},
	{"00-cc-bb-ff-ff-aa-05-68-", false},
	{"-00ccbbffffaa0568", false},
	{"0-0ccbbffffaa0568", false},
	{"00ccbbffffaa056g", false},
	{"0x00ccbbffffaa0568", false},
};

static void nic_make(const char *folder, const char *vendor, const char *device,
		     size_t config_size) {
	const struct space space = {.size = config_size, .capabilities = {{0x100, 3, 0}}};
	uint8_t *config = space_make(&space);
	char path[256];

	snprintf(path, sizeof(path), "%svendor", folder);
	machine_text(path, vendor);
	snprintf(path, sizeof(path), "%sdevice", folder);
	machine_text(path, device);
	snprintf(path, sizeof(path), "%sconfig", folder);
	machine_file(path, config, config_size);
	free(config);
}

// The error of ddp_nic_get; "" for none.
static int nic_get(const char *address, struct ddp_nic *nic, char error[256]) {
	struct ddp_diag diag;
	int ret;

	ddp_diag_init(&diag);
	ret = ddp_nic_get(machine_root(), address, nic, &diag);
	snprintf(error, 256, "%s", ddp_diag_first(&diag));
	assert_int_equal(diag.n_errors, ret < 0);
	ddp_diag_fini(&diag);
	return ret;
}

static void nic_is_known_by_address(void **state) {
	struct ddp_nic nic;
	char error[256];

	(void)state;
	nic_make(NIC, "0x8086\n", "0x1592\n", 4096);
	assert_int_equal(nic_get("0000:81:00.0", &nic, error), 0);
	assert_string_equal(nic.address, "0000:81:00.0");
	assert_string_equal(nic.model, "E810-C for QSFP");
	assert_int_equal(nic.segment, 0x10);
	assert_int_equal(nic.serial_state, DDP_SERIAL_KNOWN);
	assert_true(nic.serial == SERIAL);
	assert_int_equal(nic_get("81:00.0", &nic, error), 0);
	assert_string_equal(nic.address, "0000:81:00.0");
}

static void nic_without_rights_has_a_hidden_serial_number(void **state) {
	struct ddp_nic nic;
	char error[256];

	(void)state;
	nic_make(NIC, "0x8086\n", "0x12d2\n", 64);
	assert_int_equal(nic_get("81:00.0", &nic, error), 0);
	assert_int_equal(nic.serial_state, DDP_SERIAL_HIDDEN);
	assert_int_equal(nic.segment, 0x17);
}

static void what_is_no_nic_is_told(void **state) {
	struct ddp_nic nic;
	char error[256];

	(void)state;
	assert_int_equal(nic_get("81:00.0", &nic, error), -ENOENT);
	assert_string_equal(error, "81:00.0: error: no such PCI device");
	nic_make(NIC, "0x8086\n", "0x1572\n", 4096);
	assert_int_equal(nic_get("81:00.0", &nic, error), -ENODEV);
	assert_string_equal(error, "81:00.0: error: 8086:1572 is not an 800-series NIC");
	nic_make(NIC, "0x15b3\n", "0x1592\n", 4096);
	assert_int_equal(nic_get("81:00.0", &nic, error), -ENODEV);
	nic_make(NIC, "0x8086\n", "0x1889\n", 4096);
	assert_int_equal(nic_get("81:00.0", &nic, error), -ENODEV);
	assert_non_null(strstr(error, "virtual function"));
	nic_make(NIC, "", "0x1592\n", 4096);
	assert_int_equal(nic_get("81:00.0", &nic, error), -EINVAL);
	nic_make(NIC, "0x8086\n", "0x1592\n", 0x104);
	assert_int_equal(nic_get("81:00.0", &nic, error), -ENODATA);
	assert_non_null(strstr(error, "cut short after 260 bytes"));
	assert_int_equal(nic_get("../../../../etc", &nic, error), -ENOENT);
}

static void all_nics_are_found_in_order(void **state) {
	struct ddp_nic *nics;
	struct ddp_diag diag;
	unsigned int n;

	(void)state;
	ddp_diag_init(&diag);
	assert_int_equal(ddp_nics_get(machine_root(), &nics, &n, &diag), 0);
	assert_int_equal(n, 0);
	nic_make(DEVICES "0000:ca:00.0/", "0x8086\n", "0x159b\n", 4096);
	nic_make(DEVICES "0000:00:1f.0/", "0x8086\n", "0xa1c1\n", 256);
	nic_make(DEVICES "0000:81:00.1/", "0x8086\n", "0x1592\n", 4096);
	nic_make(NIC, "0x8086\n", "0x1592\n", 4096);
	assert_int_equal(ddp_nics_get(machine_root(), &nics, &n, &diag), 0);
	assert_int_equal(n, 3);
	assert_string_equal(nics[0].address, "0000:81:00.0");
	assert_string_equal(nics[1].address, "0000:81:00.1");
	assert_string_equal(nics[2].address, "0000:ca:00.0");
	free(nics);
	ddp_diag_fini(&diag);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_that_is_gone_has_no_serial_number),
#define ON_A_MACHINE(test) cmocka_unit_test_setup_teardown(test, machine_setup, machine_teardown)
		ON_A_MACHINE(nic_is_known_by_address),
		ON_A_MACHINE(nic_without_rights_has_a_hidden_serial_number),
		ON_A_MACHINE(what_is_no_nic_is_told),
		ON_A_MACHINE(all_nics_are_found_in_order),
	};

	return rows_run("serial_is_found_in", serial_is_found_in, spaces) +
	       rows_run("serial_is_written_as", serial_is_written_as, writings) +
	       cmocka_run_group_tests(tests, NULL, NULL);
}
