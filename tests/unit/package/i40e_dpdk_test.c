/* SPDX-License-Identifier: BSD-3-Clause */
// Parts of a 700-series package, whole and damaged: what our reader takes, DPDK must be able to
// read, and say the same of it. A user would lose a process, or see another profile than the driver
// does.
//
// usage: i40e_dpdk_test [SECONDS [SEED]]    without them a fixed number of packages, the same in
// every run
#include <time.h>

#include "i40e_dpdk.h"
#include "i40e_write.h"
#include "personality/package_open.h"
#include "unit.h"

#define SEED 700
#define PACKAGES 6000
#define DAMAGED 12 // of each package

struct tally {
	unsigned int n_packages, n_damaged, n_accepted;
	uint64_t seed;
};

// Parts of the package for GTP.
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

	if (what == 0) {
		*size = at + 4;
		return;
	}
	if (what < 4) {
		bytes[at] ^= 1 << random_below(random, 8);
		return;
	}
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

// Read a copy that ends where its memory ends; NULL if it is refused.
static struct ddp_package *bytes_read(const uint8_t *bytes, size_t size) {
	uint8_t *copy = malloc(size > 0 ? size : 1);
	struct ddp_package *package;
	struct ddp_diag diag;

	ddp_diag_init(&diag);
	memcpy(copy, bytes, size);
	package = ddp_package_read("p.pkg", copy, size, &diag);
	assert_int_equal(package != NULL, diag.n_errors == 0);
	ddp_diag_fini(&diag);
	free(copy);
	return package;
}

static void judge(const struct ddp_package *package, uint64_t seed) {
	const char *differs = i40e_dpdk_differs(package);

	if (differs != NULL)
		fail_msg("seed %#llx: DPDK reads other %s", (unsigned long long)seed, differs);
}

static void bytes_try(const uint8_t *bytes, size_t size, bool damaged, struct tally *tally) {
	struct ddp_package *package = bytes_read(bytes, size);

	if (package == NULL && !damaged)
		fail_msg("seed %#llx: a good package is refused", (unsigned long long)tally->seed);
	if (package != NULL && package->kind == DDP_PACKAGE_I40E) {
		judge(package, tally->seed);
		tally->n_accepted += damaged;
	}
	ddp_package_close(package);
}

static void package_try(uint64_t seed, struct tally *tally) {
	uint64_t random = seed * 2 + 1;
	uint8_t *bytes, *copy;
	size_t size;

	bytes = package_draw(&random, &size);
	copy = malloc(size);
	tally->seed = seed;
	tally->n_packages++;
	bytes_try(bytes, size, false, tally);
	for (unsigned int i = 0; i < DAMAGED; i++, tally->n_damaged++) {
		size_t damaged_size = size;

		memcpy(copy, bytes, size);
		for (unsigned int n = 1 + random_below(&random, 3); n > 0; n--)
			damage(&random, copy, &damaged_size);
		bytes_try(copy, damaged_size, true, tally);
	}
	free(copy);
	free(bytes);
}

static unsigned int seconds;
static uint64_t first_seed = SEED;

static void what_we_accept_dpdk_reads_alike(void **state) {
	time_t end = time(NULL) + seconds;
	struct tally tally = {0};

	for (uint64_t i = 0; seconds > 0 ? time(NULL) < end : i < PACKAGES; i++)
		package_try(first_seed + i, &tally);
	printf("seeds %#llx to %#llx: %u packages, %u damaged ones, %u of them accepted\n",
	       (unsigned long long)first_seed, (unsigned long long)tally.seed, tally.n_packages,
	       tally.n_damaged, tally.n_accepted);
	// damage must reach the reader's checks, and not always stop there
	assert_in_range(tally.n_accepted, tally.n_damaged / 10, tally.n_damaged * 9 / 10);
}

int main(int argc, char **argv) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_we_accept_dpdk_reads_alike),
	};

	if (argc > 1)
		seconds = atoi(argv[1]);
	if (argc > 2)
		first_seed = strtoull(argv[2], NULL, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
