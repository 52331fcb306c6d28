/* SPDX-License-Identifier: BSD-3-Clause */
// Parts of a 700-series package, whole and damaged: what our reader takes, DPDK must be able to
// read, and say the same of it. A user would lose a process, or see another profile than the driver
// does.
#include "i40e_write.h"
#include "personality/personality.h"
#include "unit.h"

#define PACKAGES 6000
#define DAMAGED 12 // of each package

static uint8_t *package_draw(uint64_t *random, size_t *size) {
	struct ddp_package package = i40e_gtp;
	struct i40e_package i40e = *i40e_gtp.i40e;

	package.i40e = &i40e;
	i40e.notes = random_below(random, 3) > 0 ? i40e.notes : NULL;
	package.n_devices = random_below(random, package.n_devices + 1);
	package.n_nvm_versions = random_below(random, package.n_nvm_versions + 1);
	i40e.pctypes.n = random_below(random, i40e.pctypes.n + 1);
	i40e.ptypes.n = random_below(random, i40e.ptypes.n + 1);
	i40e.n_sections = random_below(random, i40e.n_sections + 1);
	return i40e_write(&package, size);
}

// A bit, or a 32-bit number that becomes one near a limit, an offset of the file or its own value;
// or the end is cut off.
static void damage(uint64_t *random, uint8_t *bytes, size_t *size) {
	static const uint32_t limits[] = {0,      1,          2,          0x10,       0x7f,
					  0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0};
	size_t at = random_below(random, *size - 3);
	unsigned int what = random_below(random, 8);
	uint32_t number;

	if (what == 0)
		*size = at + 4;
	if (what > 0 && what < 4)
		bytes[at] ^= 1 << random_below(random, 8);
	if (what < 4)
		return;
	at -= at % 4;
	memcpy(&number, bytes + at, sizeof(number));
	if (what == 4)
		number += random_below(random, 65) - 32;
	else if (what == 5)
		number = random_below(random, *size + 64);
	else
		number = limits[random_below(random, COUNT(limits))];
	memcpy(bytes + at, &number, sizeof(number));
}

// Is it accepted? Then DPDK must read the same. The bytes end where their memory ends.
static bool bytes_try(const uint8_t *bytes, size_t size, unsigned int seed) {
	uint8_t *copy = malloc(size);
	struct ddp_package *package;
	struct ddp_diag *diag = diag_new();
	bool accepted;

	memcpy(copy, bytes, size);
	package = ddp_package_read("p.pkg", copy, size, diag);
	accepted = package != NULL && package->kind == DDP_PACKAGE_I40E;
	assert_int_equal(package != NULL, diag->n_errors == 0);
	if (accepted && i40e_dpdk_differs(package) != NULL)
		fail_msg("seed %u: DPDK reads other %s", seed, i40e_dpdk_differs(package));
	ddp_package_close(package);
	free(copy);
	return accepted;
}

TEST(what_we_accept_dpdk_reads_alike) {
	unsigned int n_accepted = 0;

	for (unsigned int seed = 0; seed < PACKAGES; seed++) {
		uint64_t random = 2 * seed + 1;
		size_t size;
		uint8_t *bytes = package_draw(&random, &size), *copy = malloc(size);

		assert_true(bytes_try(bytes, size, seed));
		for (unsigned int i = 0; i < DAMAGED; i++) {
			size_t damaged_size = size;

			memcpy(copy, bytes, size);
			for (unsigned int n = 1 + random_below(&random, 3); n > 0; n--)
				damage(&random, copy, &damaged_size);
			n_accepted += bytes_try(copy, damaged_size, seed);
		}
		free(copy);
		free(bytes);
	}
	// damage must reach the reader's checks, and not always stop there
	assert_in_range(n_accepted, PACKAGES * DAMAGED / 10, PACKAGES * DAMAGED * 9 / 10);
}
