/* SPDX-License-Identifier: BSD-3-Clause */
// A fuzz test of the control path: random calls in processes of their own, half of which close all
// ports at the end while the other half goes to rte_eal_cleanup() with everything open. Nothing may
// crash, hang, leak, or count wrong. With sanitizers it shows most; meson test runs a short one,
// scripts/stress a long one.
#include "control.h"

#include <ftw.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_log.h>
#include <rte_malloc.h>
#include <rte_mempool.h>

#include "stress/pool.h"
#include "unit/port/testsrc.h"

#define POOL_SIZE 8191
#define CALLS_PER_PROCESS 250
#define SECONDS_PER_PROCESS 300
#define MEMORY_MAX 1024

struct rte_mempool *control_pool, *control_small_pool;

static uint64_t random_state;
static bool verbose;
static void *memory[MEMORY_MAX];
static unsigned int n_memory;

uint64_t random_bits(void) {
	uint64_t x = random_state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

uint32_t below(uint32_t n) {
	return ((random_bits() >> 32) * n) >> 32;
}

bool chance(unsigned int percent) {
	return below(100) < percent;
}

void *zero_bytes(size_t size) {
	if (n_memory == MEMORY_MAX)
		abort();
	return memory[n_memory++] = calloc(1, size > 0 ? size : 1);
}

void *random_bytes(size_t size) {
	uint8_t *bytes = zero_bytes(size);

	for (size_t i = 0; i < size; i++)
		bytes[i] = random_bits();
	return bytes;
}

char *random_text(size_t len) {
	char *text = random_bytes(len + 1);

	for (size_t i = 0; i < len; i++)
		if (text[i] == '\0' || chance(70))
			text[i] = ' ' + below('~' - ' ' + 1);
	text[len] = '\0';
	return text;
}

char *text_copy(const char *text) {
	return strcpy(zero_bytes(strlen(text) + 1), text);
}

void say(const char *fmt, ...) {
	va_list ap;

	if (!verbose)
		return;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
}

static void memory_free(void) {
	while (n_memory > 0)
		free(memory[--n_memory]);
}

/* One process */

static unsigned int ports_list(uint16_t ports[RTE_MAX_ETHPORTS]) {
	unsigned int n = 0;

	for (uint16_t i = 0; i < RTE_MAX_ETHPORTS; i++)
		if (is_ddp(i))
			ports[n++] = i;
	return n;
}

static uint16_t port_choose(void) {
	uint16_t ports[RTE_MAX_ETHPORTS];
	unsigned int n = ports_list(ports);

	if (n > 0 && !chance(3))
		return ports[below(n)];
	for (;;) {
		uint16_t port = chance(50) ? below(RTE_MAX_ETHPORTS + 2) : below(UINT16_MAX + 1);

		if (!rte_eth_dev_is_valid_port(port) || is_ddp(port))
			return port;
	}
}

static const struct control_call *call_choose(void) {
	static const struct control_call *const lists[] = {port_calls, flow_calls, profile_calls};
	const struct control_call *call;
	unsigned int sum = 0, at;

	for (unsigned int l = 0; l < RTE_DIM(lists); l++)
		for (call = lists[l]; call->name != NULL; call++)
			sum += call->weight;
	at = below(sum);
	for (unsigned int l = 0;; l++)
		for (call = lists[l]; call->name != NULL; at -= call++->weight)
			if (at < call->weight)
				return call;
}

static void call_make(unsigned int i) {
	uint16_t port = port_choose();
	// With no port there is not much else to do.
	const struct control_call *call =
		is_ddp(port) || chance(50) ? call_choose() : &port_calls[0];

	say("%u: %s %u", i, call->name, port);
	call->make(port);
	say("\n");
	memory_free();
	handles_age();
	devices_empty();
	if (i % 8 == 0)
		sums_check();
}

static size_t heap_used(void) {
	struct rte_malloc_socket_stats stats;

	rte_malloc_get_socket_stats(0, &stats);
	return stats.heap_allocsz_bytes;
}

static void end_check(size_t heap_before) {
	if (rte_eth_dev_count_total() != 0)
		fault("%u ports are left", rte_eth_dev_count_total());
	if (rte_mempool_avail_count(control_pool) != POOL_SIZE)
		fault("%u mbufs are missing", POOL_SIZE - rte_mempool_avail_count(control_pool));
	if (heap_used() > heap_before)
		fault("%zu bytes of DPDK's memory are lost", heap_used() - heap_before);
}

static int process_run(uint64_t seed, unsigned int n_calls, bool close, bool watched) {
	char words[] = "control_fuzz -l 0 --no-huge --no-pci --no-shconf -m 256 --file-prefix fuzz "
		       "--log-level=8";
	FILE *null = fopen("/dev/null", "w");
	size_t heap;

	alarm(SECONDS_PER_PROCESS);
	// Messages are made, and not shown.
	if (!verbose)
		rte_openlog_stream(null);
	eal_start(words);
	control_pool = pool_create("fuzz", POOL_SIZE, 2048);
	control_small_pool = pool_create("small", 255, 32);
	devices_warm_up();
	heap = heap_used();
	random_state = seed;
	if (watched)
		watcher_start();
	for (unsigned int i = 0; i < n_calls; i++)
		call_make(i);
	if (close) {
		devices_remove();
		end_check(heap);
	}
	if (testsrc_faults() != 0)
		fault("a lower device was used by two at once, or while stopped");
	rte_eal_cleanup();
	if (watched)
		watcher_stop();
	rte_openlog_stream(NULL);
	fclose(null);
	return fault_count() > 0;
}

/* All processes */

// DPDK keeps its socket and files of one process here.
static char folder[256];

static int path_remove(const char *path, const struct stat *stat, int type, struct FTW *ftw) {
	return remove(path);
}

static void folder_remove(void) {
	nftw(folder, path_remove, 8, FTW_DEPTH | FTW_PHYS);
}

static void folder_create(void) {
	const char *tmp = getenv("TMPDIR");

	snprintf(folder, sizeof(folder), "%s/ddp-fuzz-XXXXXX", tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(folder) == NULL || setenv("RUNTIME_DIRECTORY", folder, 1) != 0)
		abort();
	atexit(folder_remove);
}

// The messages of a process that failed: DPDK says on stderr if a port is used that is not started.
static const char *messages_path(void) {
	static char path[300];

	snprintf(path, sizeof(path), "%s/messages", folder);
	return path;
}

static void messages_show(void) {
	FILE *in = fopen(messages_path(), "r");
	char text[4096];
	size_t n;

	while (in != NULL && (n = fread(text, 1, sizeof(text), in)) > 0)
		fwrite(text, 1, n, stderr);
	if (in != NULL)
		fclose(in);
}

static int child_run(const char *self, uint64_t seed, unsigned int n_calls, unsigned int process) {
	char text[3][32];
	int status;
	pid_t pid;

	snprintf(text[0], sizeof(text[0]), "%lu", seed);
	snprintf(text[1], sizeof(text[1]), "%u", n_calls);
	snprintf(text[2], sizeof(text[2]), "%u", process);
	pid = fork();
	if (pid == 0) {
		if (freopen(messages_path(), "w", stderr) == NULL)
			_exit(126);
		execl("/proc/self/exe", self, "-s", text[0], "-n", text[1], "-p", text[2], NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int usage(FILE *out) {
	fprintf(out,
		"usage: control_fuzz [-n CALLS] [-s SEED] [-p PROCESS [-v]]\n"
		"  -n CALLS     how many in all (default 1000), " RTE_STR(
			CALLS_PER_PROCESS) " a process\n"
					   "  -s SEED      of all that is random (default 1)\n"
					   "  -p PROCESS   only this one, from 0\n"
					   "  -v           tell each call, and DPDK's messages\n");
	return out == stdout ? 0 : 2;
}

int main(int argc, char **argv) {
	unsigned int n_calls = 1000, process = 0;
	bool one = false;
	uint64_t seed = 1;

	for (int opt; (opt = getopt(argc, argv, "n:s:p:vh")) != -1;) {
		switch (opt) {
		case 'n':
			n_calls = atoi(optarg);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'p':
			process = atoi(optarg);
			one = true;
			break;
		case 'v':
			verbose = true;
			break;
		default:
			return usage(opt == 'h' ? stdout : stderr);
		}
	}
	if (getenv("RUNTIME_DIRECTORY") == NULL)
		folder_create();
	if (one)
		return process_run(
			seed * 1000003 + process,
			RTE_MIN(CALLS_PER_PROCESS, n_calls - process * CALLS_PER_PROCESS),
			process % 2 == 0, process / 2 % 2 == 0);
	printf("control_fuzz: %u calls, seed %lu\n", n_calls, seed);
	for (; process * CALLS_PER_PROCESS < n_calls; process++) {
		int ret = child_run(argv[0], seed, n_calls, process);

		if (ret != 0) {
			messages_show();
			fprintf(stderr,
				"control_fuzz: exit status %d; again: %s -n %u -s %lu -p %u -v\n",
				ret, argv[0], n_calls, seed, process);
			return 1;
		}
	}
	return 0;
}
