/* SPDX-License-Identifier: BSD-3-Clause */
// Entry points of a port and of ddp-fwd without memory. Each fails and says so, and what was there
// stays as it was: profiles, rules, and where packets go. Of the rest of the library see the runs
// of ddpctl in meson.build.
//
// The linker replaces the allocating calls of the code under test (--wrap, meson.build), not those
// of DPDK and libc. An event of libyaml's parser counts as an allocation.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <rte_bus_vdev.h>
#include <rte_log.h>
#include <rte_telemetry.h>
#include <yaml.h>

#include "fwd/counts.h"
#include "port/harness.h"
#include "port/port_rules.h"
#include "rss/rss.h"

#define N_FLOWS 8

static bool counting;
static unsigned int n_calls, failing = UINT_MAX;
static long n_blocks; // allocated and not freed by the code under test

// The next n allocations succeed, the one after them fails; UINT_MAX: none fails.
static void failing_begin(unsigned int n) {
	n_calls = 0;
	failing = n;
	counting = true;
}

// Returns how many there were.
static unsigned int failing_end(void) {
	counting = false;
	return n_calls;
}

static bool fails(void) {
	if (!counting || n_calls++ != failing)
		return false;
	errno = ENOMEM;
	return true;
}

static void *given(void *block) {
	n_blocks += block != NULL;
	return block;
}

// A call that fails with "failed", and else returns "result" of what it really returns.
#define WRAP(type, name, parameters, arguments, failed, result) \
	type __real_##name parameters;                          \
	type __wrap_##name parameters;                          \
	type __wrap_##name parameters {                         \
		type real;                                      \
                                                                \
		if (fails())                                    \
			return failed;                          \
		real = __real_##name arguments;                 \
		return result;                                  \
	}

/* libc */

WRAP(void *, malloc, (size_t size), (size), NULL, given(real))
WRAP(void *, calloc, (size_t n, size_t size), (n, size), NULL, given(real))
WRAP(void *, aligned_alloc, (size_t align, size_t size), (align, size), NULL, given(real))
WRAP(void *, realloc, (void *old, size_t size), (old, size), NULL, old == NULL ? given(real) : real)
WRAP(void *, reallocarray, (void *old, size_t n, size_t size), (old, n, size), NULL,
     old == NULL ? given(real) : real)
WRAP(char *, strdup, (const char *s), (s), NULL, given(real))
WRAP(char *, strndup, (const char *s, size_t n), (s, n), NULL, given(real))
// Of this the text is freed.
WRAP(FILE *, open_memstream, (char **text, size_t *size), (text, size), NULL, given(real))

void __real_free(void *block);
void __wrap_free(void *block);
void __wrap_free(void *block) {
	n_blocks -= block != NULL;
	__real_free(block);
}

int __wrap_asprintf(char **text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int __wrap_asprintf(char **text, const char *fmt, ...) {
	va_list ap;
	int len;

	if (fails()) {
		*text = (char *)(uintptr_t)0xdead; // undefined by libc
		return -1;
	}
	va_start(ap, fmt);
	len = vasprintf(text, fmt, ap);
	va_end(ap);
	if (len >= 0)
		given(*text);
	return len;
}

/* libyaml */

static int parser_failed(yaml_parser_t *parser, yaml_event_t *event) {
	memset(event, 0, sizeof(*event));
	parser->error = YAML_MEMORY_ERROR;
	return 0;
}

WRAP(int, yaml_parser_initialize, (yaml_parser_t * parser), (parser), 0, real)
WRAP(int, yaml_parser_parse, (yaml_parser_t * parser, yaml_event_t *event), (parser, event),
     parser_failed(parser, event), real)

/* DPDK */

WRAP(void *, rte_malloc_socket, (const char *type, size_t size, unsigned int align, int socket),
     (type, size, align, socket), NULL, real)
WRAP(void *, rte_zmalloc, (const char *type, size_t size, unsigned int align), (type, size, align),
     NULL, real)
WRAP(void *, rte_zmalloc_socket, (const char *type, size_t size, unsigned int align, int socket),
     (type, size, align, socket), NULL, real)
WRAP(void *, rte_calloc_socket,
     (const char *type, size_t n, size_t size, unsigned int align, int socket),
     (type, n, size, align, socket), NULL, real)

WRAP(struct rte_tel_data *, rte_tel_data_alloc, (void), (), NULL, real)

/* Operations */

#define ERROR_SIZE 4096

// An operation returns 0, or -errno with its reason in error (of ERROR_SIZE, empty before) or the
// log.
typedef int operation_fn(const void *arg, char *error);

// The ports of an operation: bits of some of ports[].
#define GTPU 0x6
#define ALL 0xf

struct operation {
	const char *name;
	operation_fn *run;
	operation_fn *undo; // a second operation, after which all is as before; NULL: none
	const void *arg;
	unsigned int on;
};

static void (*check)(void); // asserts that all is as before; NULL: nothing to check

// In our words, or in errno's if a lower device's driver has no memory.
static bool memory_named(const char *error) {
	return strstr(error, "out of memory") != NULL || strstr(error, "no memory for") != NULL ||
	       strstr(error, strerror(ENOMEM)) != NULL;
}

// Returns whether it succeeded. Any failure but of the failing allocation at fails the test.
static bool step(const struct operation *operation, operation_fn *fn, unsigned int at) {
	char error[ERROR_SIZE] = "", log[ERROR_SIZE];
	int ret = logged(log, fn(operation->arg, error));

	if (error[0] == '\0')
		strcpy(error, log);
	if (ret != 0 && (ret != -ENOMEM || !memory_named(error) || at == UINT_MAX))
		fail_msg("%s, allocation %u: %d, '%s'", operation->name, at, ret, error);
	return ret == 0;
}

// Returns how many allocations there were.
static unsigned int operation_fail(const struct operation *operation, unsigned int at) {
	operation_fn *undo = operation->undo;
	bool ran, undone = true;
	long before = n_blocks;
	unsigned int n;

	failing_begin(at);
	ran = step(operation, operation->run, at);
	if (ran && undo != NULL)
		undone = step(operation, undo, at);
	n = failing_end();
	if (!undone)
		step(operation, undo, UINT_MAX);
	if (check != NULL)
		check();
	if (n_blocks < before) { // a part that a port can do without is back after the next change
		step(operation, operation->run, UINT_MAX);
		if (undo != NULL)
			step(operation, undo, UINT_MAX);
	}
	if (n_blocks != before && at != UINT_MAX)
		fail_msg("%s, allocation %u: %ld blocks are lost", operation->name, at,
			 n_blocks - before);
	return n;
}

// Run the operation and its undo, with one failing allocation each time, for a sample of OOM_MAX
// allocations (with OOM_ALL in the environment: for all). Run fails with -ENOMEM and says so, or
// succeeds; so does undo, which must succeed the second time. No memory is lost.
static void operation_sweep(const struct operation *operation) {
	unsigned int n, step_size;

	operation_fail(operation, UINT_MAX); // allocations of a first time, for good
	n = operation_fail(operation, UINT_MAX);
	step_size = getenv("OOM_ALL") != NULL || n <= OOM_MAX ? 1 : n / OOM_MAX;
	assert_true(n > 0);
	for (unsigned int at = 0; at < n; at += step_size)
		if (operation_fail(operation, at) <= at)
			fail_msg("%s: has not %u allocations each time", operation->name, n);
	print_message("%s: %u allocations\n", operation->name, n);
}

/* The life of a port */

static int start(void) {
	const struct rte_eth_conf conf = {
		.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS,
		.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP,
	};
	int ret = rte_eth_dev_configure(0, N_QUEUES, N_QUEUES, &conf);

	for (uint16_t q = 0; q < N_QUEUES && ret == 0; q++)
		ret = rte_eth_rx_queue_setup(0, q, 512, 0, NULL, pool);
	for (uint16_t q = 0; q < N_QUEUES && ret == 0; q++)
		ret = rte_eth_tx_queue_setup(0, q, 512, 0, NULL);
	return ret == 0 ? rte_eth_dev_start(0) : ret;
}

// A port that does not start can be started again.
static int live_and_end(const void *arg, char *error) {
	int ret = rte_vdev_init("net_ddp0", arg);

	if (ret != 0)
		return ret;
	ret = start();
	if (ret != 0) {
		failing_end();
		assert_int_equal(start(), 0);
	}
	assert_int_equal(seen_of_flow(0, 1).hash, hash_of(1));
	ddp_end(0);
	return ret;
}

static void ports_absent(void) {
	assert_int_equal(rte_eth_dev_count_total(), 0);
}

/* A running port */

static struct rte_flow *flow;

// An operation that is one call.
#define OPERATION(name, call)                           \
	static int name(const void *arg, char *error) { \
		return call;                            \
	}

OPERATION(profile_add, rte_pmd_ddp_profile_add(0, arg, error, ERROR_SIZE))
OPERATION(profile_del, rte_pmd_ddp_profile_del(0, arg, error, ERROR_SIZE))
OPERATION(text_add, rte_pmd_ddp_profile_add_text(0, arg, strlen(arg), error, ERROR_SIZE))
OPERATION(text_del, rte_pmd_ddp_profile_del_text(0, arg, strlen(arg), error, ERROR_SIZE))

static int key_set(const uint8_t *key, uint64_t rss_hf) {
	struct rte_eth_rss_conf conf = {
		.rss_key = (uint8_t *)(uintptr_t)key, .rss_key_len = 40, .rss_hf = rss_hf};

	return rte_eth_dev_rss_hash_update(0, &conf);
}

static const uint8_t other_key[40] = {1, 2, 3};

OPERATION(key_update, key_set(other_key, RTE_ETH_RSS_IPV4))
OPERATION(key_undo, key_set(ddp_default_key, RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP))

static int reta_set(uint16_t first) {
	struct rte_eth_rss_reta_entry64 reta[512 / RTE_ETH_RETA_GROUP_SIZE];

	for (unsigned int i = 0; i < 512; i++) {
		reta[i / 64].mask = UINT64_MAX;
		reta[i / 64].reta[i % 64] = (first + i) % N_QUEUES;
	}
	return rte_eth_dev_rss_reta_update(0, reta, 512);
}

OPERATION(reta_update, reta_set(1))
OPERATION(reta_undo, reta_set(0))

static struct rte_eth_udp_tunnel tunnel = {4790, RTE_ETH_TUNNEL_TYPE_VXLAN};

OPERATION(tunnel_add, rte_eth_dev_udp_tunnel_port_add(0, &tunnel))
OPERATION(tunnel_del, rte_eth_dev_udp_tunnel_port_delete(0, &tunnel))

OPERATION(queue_stop, rte_eth_dev_rx_queue_stop(0, 1))
OPERATION(queue_start, rte_eth_dev_rx_queue_start(0, 1))

// These have only their return value.
static int said(int ret, char *error) {
	snprintf(error, ERROR_SIZE, "out of memory");
	return ret;
}

static int mapping_update(const void *arg, char *error) {
	struct rte_pmd_ddp_ptype_mapping item;

	assert_true(rte_pmd_ddp_ptype_mapping_get(0, &item, 1) > 0);
	item.rte_ptype = RTE_PTYPE_L2_ETHER;
	return said(rte_pmd_ddp_ptype_mapping_update(0, &item, 1, true), error);
}

OPERATION(mapping_reset, said(rte_pmd_ddp_ptype_mapping_reset(0), error))
OPERATION(ptypes_set, said(rte_eth_dev_set_ptypes(0, RTE_PTYPE_L3_MASK, NULL, 0), error))
OPERATION(ptypes_undo, said(rte_eth_dev_set_ptypes(0, RTE_PTYPE_ALL_MASK, NULL, 0), error))

/* Rules */

static struct rte_flow_error flow_error;

static int reported(int ret, char *error) {
	if (ret < 0)
		snprintf(error, ERROR_SIZE, "%s", flow_error.message);
	return ret;
}

static int flow_create(const struct rte_flow_item *items, const struct rte_flow_action *actions,
		       char *error) {
	flow = rte_flow_create(0, &ingress, items, actions, &flow_error);
	return reported(flow != NULL ? 0 : -rte_errno, error);
}

OPERATION(flow_destroy, reported(rte_flow_destroy(0, flow, &flow_error), error))
OPERATION(rules_flush, reported(rte_flow_flush(0, &flow_error), error))

static int steering_create(const void *arg, char *error) {
	return flow_create(items_of_flow(*(const char *)arg - '0'),
			   ACTIONS(TO_QUEUE(2), ACTION(COUNT)), error);
}

static int hash_create(const void *arg, char *error) {
	static const struct rte_flow_action_rss rss = {.types = RTE_ETH_RSS_IPV4};

	return flow_create(udp_items, ACTIONS(ACTION(RSS, .conf = &rss)), error);
}

// The profile of a rule cannot be deleted.
static int needed_del(const void *arg, char *error) {
	int ret = flow_create(ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(UDP), ITEM(GTPU)),
			      ACTIONS(TO_QUEUE(2)), error);

	if (ret == 0) {
		ret = profile_del(arg, error);
		if (ret == -EBUSY)
			return 0;
		assert_int_equal(rte_flow_destroy(0, flow, NULL), 0);
	}
	return ret;
}

/* Telemetry */

static struct {
	const char *command;
	telemetry_cb call;
} telemetry[32];
static unsigned int n_telemetry;

int __wrap_rte_telemetry_register_cmd(const char *command, telemetry_cb call, const char *help);
int __wrap_rte_telemetry_register_cmd(const char *command, telemetry_cb call, const char *help) {
	telemetry[n_telemetry].command = command;
	telemetry[n_telemetry++].call = call;
	return 0;
}

#ifndef OOM_SANITIZED
// An answer leaves out parts for which there is no memory. It is leaked: only the socket's thread
// could free its parts.
static int telemetry_ask(const void *arg, char *error) {
	for (unsigned int i = 0; i < n_telemetry; i++)
		if (strstr(telemetry[i].command, "profile_") == NULL) // these change something
			telemetry[i].call(telemetry[i].command, arg, __real_rte_tel_data_alloc());
	return 0;
}
#endif

/* ddp-fwd */

static struct workers workers;
static struct live live;
static struct report report;
static FILE *nowhere;

static int forward_end(const void *arg, char *text) {
	report_fini(&report);
	live_fini(&live);
	workers_destroy(&workers);
	return 0;
}

// With its counters, the live table, whose tables take turns, and the report.
static int forward(const void *arg, char *text) {
	static const struct config config = {.n_rxq = 4, .n_txq = 4, .burst = 32};
	static struct ports ports = {.n = 1};
	static struct control control;
	struct error error = {.text = "out of memory"};

	memset(&live, 0, sizeof(live));
	if (workers_create(&workers, &ports, &config, 1, &control, &error) == 0 &&
	    live_init(&live, nowhere, &config, &ports, &workers) == 0 &&
	    report_init(&report, &config, &ports, &workers) == 0 &&
	    live_show(&live, &workers, 1) == 0 && live_show(&live, &workers, 2) == 0)
		return 0;
	snprintf(text, ERROR_SIZE, "%.200s", error.text);
	forward_end(arg, text);
	return -ENOMEM;
}

/* All of them */

static const char *const ports[] = {
	"dev(net_testsrc0)",
	"dev(net_testsrc0,rxq=4),profile=gtpu+vxlan,lower_queues=4",
	"dev(net_testsrc0,rxq=4,nic=2),profile=gtpu,overflow=wait",
	"dev(net_testsrc0,rxq=4,nic=2),profile=gtpu,offload=require:ice-comms,overflow=wait",
};

#define PROFILE                                                   \
	"profile: mine\nrequires: [base]\n"                       \
	"headers: {mine: {after: udp(dport=54), layout: n:32}}\n" \
	"packet_types: {MINE: {path: eth ipv4 udp mine, rss: mine.n}}\n"

static const struct operation rows[] = {
	{"add and delete a profile", profile_add, profile_del, "geneve", ALL},
	{"add and delete a text", text_add, text_del, PROFILE, ALL},
	{"delete a profile that a rule needs", needed_del, flow_destroy, "gtpu", GTPU},
	{"declare a UDP port", tunnel_add, tunnel_del, NULL, 1 << 1},
	{"set the RSS key and types", key_update, key_undo, NULL, ALL},
	{"set the redirection table", reta_update, reta_undo, NULL, ALL},
	{"set the layers of packet types", ptypes_set, ptypes_undo, NULL, ALL},
	{"map a packet type", mapping_update, mapping_reset, NULL, ALL},
	{"stop and start a queue", queue_stop, queue_start, NULL, ALL},
	{"create and destroy a rule", steering_create, flow_destroy, "3", ALL},
	{"create and destroy a hash rule", hash_create, flow_destroy, NULL, ALL},
	{"flush rules", rules_flush, steering_create, "5", ALL},
#ifndef OOM_SANITIZED
	{"ask by telemetry", telemetry_ask, NULL, "0", 1 << 3},
#endif
	{"forward", forward, forward_end, NULL, GTPU},
};

static struct state {
	struct rte_pmd_ddp_profile profiles[8];
	struct seen seen[N_FLOWS];
} before, after;

static void state_read(struct state *state) {
	memset(state, 0, sizeof(*state));
	rte_pmd_ddp_profiles_get(0, state->profiles, RTE_DIM(state->profiles));
	for (unsigned int i = 0; i < N_FLOWS; i++) {
		struct seen seen = seen_of_flow(0, i);

		state->seen[i].queue = seen.queue; // no padding
		state->seen[i].hash = seen.hash;
		state->seen[i].flags = seen.flags;
		state->seen[i].mark = seen.mark;
	}
}

static void state_check(void) {
	state_read(&after);
	assert_memory_equal(&after, &before, sizeof(before));
}

static void a_port_starts_or_is_not_there(void **state) {
	check = ports_absent;
	for (unsigned int i = 0; i < RTE_DIM(ports); i++)
		operation_sweep(&(struct operation){ports[i], live_and_end, NULL, ports[i], 0});
}

static void a_running_port_changes_or_stays(void **state) {
	char error[ERROR_SIZE];

	nowhere = fopen("/dev/null", "w");
	check = state_check;
	for (unsigned int i = 0; i < RTE_DIM(ports); i++) {
		print_message("%s\n", ports[i]);
		assert_int_equal(ddp_start(ports[i], N_QUEUES, 1, 512), 0);
		assert_int_equal(steering_create("5", error), 0);
		state_read(&before);
		for (unsigned int row = 0; row < RTE_DIM(rows); row++)
			if ((rows[row].on & 1 << i) != 0)
				operation_sweep(&rows[row]);
		ddp_end(0);
	}
	fclose(nowhere);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		port_test(a_port_starts_or_is_not_there),
		port_test(a_running_port_changes_or_stays),
	};

	eal_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
