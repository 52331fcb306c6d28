/* SPDX-License-Identifier: BSD-3-Clause */
// A fuzz test of the control path: random calls in processes of their own, half of which close all
// ports at the end while the other half goes to rte_eal_cleanup() with everything open. Nothing may
// crash, hang, leak, or count wrong. With sanitizers it shows most; meson test runs a short one,
// scripts/stress a long one.
#include "control.h"

#include <getopt.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_log.h>
#include <rte_malloc.h>
#include <rte_mempool.h>

#include "port/state/rte_pmd_ddp.h"
#include "scratch.h"
#include "stress/pool.h"
#include "unit/port/testsrc.h"

#define POOL_SIZE 8191
#define CALLS_PER_PROCESS 250
#define SECONDS_PER_PROCESS 300
#define MEMORY_MAX 1024
#define MESSAGES "messages"

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

/* Calls of rte_pmd_ddp.h, and commands on the telemetry socket: from this thread and, meanwhile,
 * from another */

#define ANSWER_SECONDS 60
#define ANSWER_SIZE 16384

static const char *const specs[] = {
	"gtpu",
	"gtpu",
	"gtpu:teid",
	"gtpu:ue;port=2153;ue_ipv4=10.0.0.0/8",
	"vxlan",
	"vxlan",
	"vxlan;port=8472",
	"geneve",
	"5g-upf",
	"pppoe+l2tpv2",
	"gtpu+vxlan",
	"base",
	"e810-comms",
	"gtpu-over-gre",
	"",
	"+",
	":",
	"gtpu+",
	"gtpu;port",
	"gtpu;port=",
	"gtpu;port=nonsense",
	"gtpu:nosuch",
	"nosuch",
	"./nosuch.yaml",
	"/",
	"/dev/null",
	"../../../../../../etc/passwd",
	"a%s%n%d",
};

// A profile of the name "text"; then again with one line or byte that is not as it should be.
static const char good_text[] = "profile: text\n"
				"version: 1.0.0\n"
				"summary: a header behind UDP\n"
				"requires: [base]\n"
				"headers:\n"
				"  thing:\n"
				"    after: udp(dport=7777)\n"
				"    layout: kind:8 length:8 id:16\n"
				"    length: 4 * length\n"
				"packet_types:\n"
				"  THING:\n"
				"    path: eth ipv4 udp thing\n"
				"    rss: thing.id\n"
				"    extract: thing.id\n";

// A text as add_text takes it: not ended by a NUL.
static char *text_make(size_t *size) {
	char *text = memcpy(zero_bytes(sizeof(good_text)), good_text, sizeof(good_text));

	*size = sizeof(good_text) - 1;
	if (chance(30))
		*size = below(*size + 1);
	for (uint32_t i = chance(40) ? 0 : below(6); *size > 0 && i > 0; i--)
		text[below(*size)] = random_bits();
	return memcpy(random_bytes(*size), text, *size);
}

static const char *spec_choose(void) {
	if (chance(90))
		return text_copy(PICK(specs));
	return random_text(chance(90) ? below(40) : below(5000));
}

struct message {
	char *text;
	size_t size;
};

static struct message message_make(void) {
	static const size_t sizes[] = {0, 1, 2, 16, 256, 256, 256};
	struct message message = {.size = PICK(sizes)};

	if (message.size > 0 || chance(50))
		message.text = zero_bytes(message.size);
	return message;
}

// One line, ended by a NUL; "" on success.
static void message_check(const struct message *message, int ret) {
	if (message->size == 0)
		return;
	if (memchr(message->text, '\0', message->size) == NULL ||
	    strchr(message->text, '\n') != NULL || (ret >= 0 && message->text[0] != '\0') ||
	    (ret < 0 && message->size > 1 && message->text[0] == '\0'))
		fault("message of a call that returned %d: '%.*s'", ret, (int)message->size,
		      message->text);
}

static void profile_add(uint16_t port) {
	struct message message = message_make();
	const char *spec = spec_choose();

	say(" %s", spec);
	message_check(&message, rte_pmd_ddp_profile_add(port, spec, message.text, message.size));
}

static void profile_del(uint16_t port) {
	struct message message = message_make();
	const char *name = chance(30) ? "text" : spec_choose();

	say(" %s", name);
	message_check(&message, rte_pmd_ddp_profile_del(port, name, message.text, message.size));
}

static void profile_text(uint16_t port) {
	struct message message = message_make();
	size_t size;
	char *text = text_make(&size);

	message_check(&message,
		      (chance(60) ? rte_pmd_ddp_profile_add_text : rte_pmd_ddp_profile_del_text)(
			      port, text, size, message.text, message.size));
}

static void lists(uint16_t port) {
	unsigned int n = below(8), size = below(80);
	struct rte_pmd_ddp_profile *profiles = zero_bytes(n * sizeof(*profiles));
	struct rte_pmd_ddp_ptype *types = zero_bytes(n * sizeof(*types));
	struct rte_pmd_ddp_ptype_mapping *items = zero_bytes(n * sizeof(*items));

	rte_pmd_ddp_profiles_get(port, n > 0 ? profiles : NULL, n);
	rte_pmd_ddp_ptypes_get(port, n > 0 ? types : NULL, n);
	rte_pmd_ddp_ptype_mapping_get(port, n > 0 ? items : NULL, n);
	rte_pmd_ddp_ptype_name(port, chance(90) ? below(60) : random_bits(),
			       size > 0 ? zero_bytes(size) : NULL, size);
}

static uint32_t ptype(void) {
	return chance(70) ? random_bits() & RTE_PTYPE_ALL_MASK : random_bits();
}

static void mapping(uint16_t port) {
	unsigned int n = below(6);
	struct rte_pmd_ddp_ptype_mapping *items = zero_bytes(n * sizeof(*items));

	for (unsigned int i = 0; i < n; i++) {
		items[i].id = chance(95) ? 1 + below(12) : random_bits();
		items[i].rte_ptype = ptype();
	}
	if (chance(60))
		rte_pmd_ddp_ptype_mapping_update(port, n > 0 ? items : NULL, n, chance(30));
	else if (chance(60))
		rte_pmd_ddp_ptype_mapping_replace(port, ptype(), chance(50), ptype());
	else
		rte_pmd_ddp_ptype_mapping_reset(port);
}

/* Telemetry */

static int socket_open(void) {
	const struct timeval timeout = {.tv_sec = ANSWER_SECONDS};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	char hello[1024];

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/dpdk_telemetry.v2",
		 rte_eal_get_runtime_dir());
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
	    recv(fd, hello, sizeof(hello), 0) <= 0) {
		fault("no telemetry on %s", address.sun_path);
		close(fd);
		return -1;
	}
	return fd;
}

static const char *const commands[] = {
	"/net_ddp/list",        "/net_ddp/info",        "/net_ddp/ptypes",
	"/net_ddp/queues",      "/net_ddp/profile_add", "/net_ddp/profile_del",
	"/net_ddp/profile_add", "/net_ddp/profile_del", "/net_ddp/nosuch",
};

// Is the socket still good for a next command?
static bool command_run(int fd, const char *command) {
	static __thread char answer[ANSWER_SIZE];
	ssize_t size;

	if (send(fd, command, strlen(command), 0) < 0)
		return false;
	size = recv(fd, answer, sizeof(answer), 0);
	if (size <= 0 || answer[0] != '{') {
		fault("no answer to %s", command);
		return false;
	}
	return true;
}

static void command_make(char *command, size_t size) {
	const char *name = PICK(commands);

	if (chance(5))
		snprintf(command, size, "%s,%s", name, random_text(below(60)));
	else if (chance(10))
		snprintf(command, size, "%s", name);
	else
		snprintf(command, size, "%s,%u,%s", name, below(5),
			 chance(50) ? PICK(specs) :
			 chance(50) ? "3" :
				      "text");
}

static void telemetry(uint16_t port) {
	char command[256];
	int fd = socket_open();

	command_make(command, sizeof(command));
	say(" %s", command);
	if (fd >= 0) {
		command_run(fd, command);
		close(fd);
	}
}

static pthread_t watcher;
static atomic_bool watching;

// A thread that reads all ports continuously, and changes one at times.
static void *watcher_main(void *arg) {
	int fd = socket_open();
	unsigned int i = 0;

	while (fd >= 0 && watching) {
		char command[64];

		snprintf(command, sizeof(command), "%s,%u,%s", commands[i % RTE_DIM(commands)],
			 i / 7 % 5, i % 2 ? "geneve" : "0");
		if (!command_run(fd, command))
			break;
		usleep(1000);
		i++;
	}
	if (fd >= 0)
		close(fd);
	return NULL;
}

static void watcher_start(void) {
	watching = true;
	if (pthread_create(&watcher, NULL, watcher_main, NULL) != 0)
		abort();
}

static void watcher_stop(void) {
	watching = false;
	pthread_join(watcher, NULL);
}

static const struct control_call profile_calls[] = {
	{"profile add", 60, profile_add},
	{"profile del", 60, profile_del},
	{"profile text", 70, profile_text},
	{"lists", 30, lists},
	{"mapping", 30, mapping},
	{"telemetry", 30, telemetry},
	{0},
};

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

static int process_run(uint64_t seed, unsigned int n_calls, unsigned int process) {
	const bool close = process % 2 == 0, watched = process / 2 % 2 == 0;
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
	random_state = seed * 1000003 + process;
	if (watched)
		watcher_start();
	n_calls = RTE_MIN(CALLS_PER_PROCESS, n_calls - process * CALLS_PER_PROCESS);
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

// The messages of a process that failed: DPDK says on stderr if a port is used that is not started.
static void messages_show(void) {
	FILE *in = fopen(scratch_path(MESSAGES), "r");
	char text[4096];
	size_t n;

	while (in != NULL && (n = fread(text, 1, sizeof(text), in)) > 0)
		fwrite(text, 1, n, stderr);
	if (in != NULL)
		fclose(in);
}

static int child_run(uint64_t seed, unsigned int n_calls, unsigned int process) {
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (freopen(scratch_path(MESSAGES), "w", stderr) == NULL)
			_exit(126);
		exit(process_run(seed, n_calls, process));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int usage(FILE *out) {
	fprintf(out,
		"usage: control_fuzz [-n CALLS] [-s SEED] [-p PROCESS [-v]]\n"
		"  -n CALLS     how many in all (default 1000), %d a process\n"
		"  -s SEED      of all that is random (default 1)\n"
		"  -p PROCESS   only this one, from 0\n"
		"  -v           print each call, and DPDK's messages\n",
		CALLS_PER_PROCESS);
	return out == stdout ? 0 : 2;
}

int main(int argc, char **argv) {
	unsigned long options[128] = {['n'] = 1000, ['s'] = 1};
	unsigned long n_calls, seed;
	bool one = false;

	for (int opt; (opt = getopt(argc, argv, "n:s:p:vh")) != -1;) {
		if (opt == 'h' || opt == '?')
			return usage(opt == 'h' ? stdout : stderr);
		one |= opt == 'p';
		options[opt] = optarg != NULL ? strtoul(optarg, NULL, 0) : 1;
	}
	n_calls = options['n'];
	seed = options['s'];
	verbose = options['v'];
	// DPDK keeps its socket and files of one process here.
	scratch_begin();
	setenv("RUNTIME_DIRECTORY", scratch_dir(), 1);
	if (one)
		return process_run(seed, n_calls, options['p']);
	printf("control_fuzz: %lu calls, seed %lu\n", n_calls, seed);
	fflush(stdout);
	for (unsigned int process = 0; process * CALLS_PER_PROCESS < n_calls; process++) {
		int ret = child_run(seed, n_calls, process);

		if (ret == 0)
			continue;
		messages_show();
		fprintf(stderr, "control_fuzz: exit status %d; again: %s -n %lu -s %lu -p %u -v\n",
			ret, argv[0], n_calls, seed, process);
		return 1;
	}
	return 0;
}
