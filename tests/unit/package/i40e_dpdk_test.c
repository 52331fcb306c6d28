/* SPDX-License-Identifier: BSD-3-Clause */
// Random 700-series packages, whole and damaged: what our reader takes, DPDK must be able to read,
// and say the same of it. A user would lose a process, or see another profile than the driver does.
//
// usage: i40e_dpdk_test [SECONDS [SEED]]    without them a fixed number of packages, the same in
// every run
#include <time.h>

#include "i40e_dpdk.h"
#include "i40e_draw.h"
#include "personality/package_open.h"
#include "unit.h"

#define SEED 700
#define PACKAGES 6000
#define DAMAGED 12 // of each package

struct tally {
	unsigned int n_packages, n_damaged, n_accepted;
	uint64_t seed;
};

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
		i40e_damage(random, copy, &size);
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

	bytes = i40e_draw(&random, &size);
	assert_non_null(bytes);
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

	(void)state;
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
