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
	i40e.is_x722 = random_below(random, 20) == 0;
	i40e.notes = random_below(random, 3) > 0 ? i40e.notes : NULL;
	i40e.n_devices = random_below(random, i40e.n_devices + 1);
	i40e.n_nvms = random_below(random, i40e.n_nvms + 1);
	i40e.n_pctypes = random_below(random, i40e.n_pctypes + 1);
	i40e.n_ptypes = random_below(random, i40e.n_ptypes + 1);
	i40e.n_sections = random_below(random, i40e.n_sections + 1);
	return i40e_write(&package, size);
}

// A 32-bit number that is near a limit, or an offset of the file.
static uint32_t number_draw(uint64_t *random, size_t size) {
	static const uint32_t limits[] = {0,      1,          2,          0x10,       0x7f,
					  0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0};

	switch (random_below(random, 4)) {
	case 0:
		return limits[random_below(random, COUNT(limits))];
	case 1:
		return random_below(random, size + 64);
	case 2:
		return UINT32_C(1) << random_below(random, 32);
	}
	return random_next(random);
}

static void number_damage(uint64_t *random, uint8_t *bytes, size_t size) {
	size_t at = random_below(random, size - 3);
	uint32_t number = number_draw(random, size), old;

	if (random_below(random, 4) > 0)
		at -= at % 4;
	memcpy(&old, bytes + at, sizeof(old));
	if (random_below(random, 3) == 0)
		number = old + random_below(random, 65) - 32;
	memcpy(bytes + at, &number, sizeof(number));
}

static void damage(uint64_t *random, uint8_t *bytes, size_t *size) {
	size_t at, from, len;

	if (*size < 8)
		return;
	at = random_below(random, *size);
	switch (random_below(random, 12)) {
	case 0:
		*size = at;
		return;
	case 1:
		from = random_below(random, *size);
		len = random_below(random, *size - (at > from ? at : from) + 1);
		memmove(bytes + at, bytes + from, len);
		return;
	case 2:
	case 3:
	case 4:
		bytes[at] ^= 1 << random_below(random, 8);
		return;
	case 5:
	case 6:
		bytes[at] = random_below(random, 256);
		return;
	default:
		number_damage(random, bytes, *size);
	}
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

static void whole_try(const uint8_t *bytes, size_t size, uint64_t seed) {
	struct ddp_package *package = bytes_read(bytes, size);

	if (package == NULL)
		fail_msg("seed %#llx: a good package is refused", (unsigned long long)seed);
	judge(package, seed);
	ddp_package_close(package);
}

static void damaged_try(const uint8_t *bytes, size_t size, uint64_t *random, struct tally *tally) {
	uint8_t *copy = malloc(size);
	struct ddp_package *package;

	memcpy(copy, bytes, size);
	for (unsigned int n = 1 + random_below(random, 3); n > 0; n--)
		damage(random, copy, &size);
	package = bytes_read(copy, size);
	tally->n_damaged++;
	if (package != NULL && package->kind == DDP_PACKAGE_I40E) {
		judge(package, tally->seed);
		tally->n_accepted++;
	}
	ddp_package_close(package);
	free(copy);
}

static void package_try(uint64_t seed, struct tally *tally) {
	uint64_t random = seed * 2 + 1;
	uint8_t *bytes;
	size_t size;

	bytes = package_draw(&random, &size);
	tally->seed = seed;
	whole_try(bytes, size, seed);
	tally->n_packages++;
	for (unsigned int i = 0; i < DAMAGED; i++)
		damaged_try(bytes, size, &random, tally);
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
