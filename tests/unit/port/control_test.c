/* SPDX-License-Identifier: BSD-3-Clause */
// While the lower device is called, an application can ask the port, from a callback or another
// thread, and nobody waits for ever.
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ethdev_driver.h>
#include <rte_alarm.h>
#include <rte_bus_vdev.h>
#include <rte_cycles.h>

#include "fake_nic.h"
#include "port/exchange/exchange.h"
#include "port/quiesce/quiesce.h"
#include "port_rules.h"

// A NIC that does all that a lower device can be asked for.
#define NIC \
	"dev(net_testsrc0,rxq=4,txq=4,spread=4,nic=2),profile=vxlan:outer,offload=auto:ice-comms"

struct inside {
	uint16_t port;
	bool is_asking; // so that what the asking calls is not asked in again
	bool done;
	uint32_t called; // bits of lower_ops
	unsigned int n_asked, n_failed, n_refused, n_changed;
};

static const char *const lower_ops[] = {
	"configure",   "start",      "stop",         "rx_queue_setup",  "tx_queue_setup",
	"link_update", "stats_get",  "mac_addr_add", "mac_addr_remove", "vlan_filter_set",
	"set_link_up", "reta_query", "reta_update",  "rss_hash_update", "vlan_offload_set",
	"tunnel_add",  "tunnel_del", "flow_create",  "flow_destroy",    "set_link_down",
};

static void *queries_run(void *arg) {
	struct inside *inside = arg;
	struct rte_pmd_ddp_profile profile;
	struct rte_eth_dev_info info;
	struct rte_eth_xstat xstat;
	struct rte_eth_stats stats;
	struct rte_eth_link link;
	bool good = rte_eth_link_get(inside->port, &link) == 0 &&
		    rte_eth_link_get_nowait(inside->port, &link) == 0 &&
		    rte_eth_stats_get(inside->port, &stats) == 0 &&
		    rte_eth_dev_info_get(inside->port, &info) == 0 &&
		    rte_eth_xstats_get(inside->port, &xstat, 1) >= 0 &&
		    rte_pmd_ddp_profiles_get(inside->port, &profile, 1) >= 0;

	__atomic_add_fetch(good ? &inside->n_asked : &inside->n_failed, 1, __ATOMIC_RELAXED);
	return NULL;
}

static const struct rte_flow_item pattern[] = {ITEM(ETH), ITEM(IPV4), ITEM(END)};
static const struct rte_flow_action actions[] = {TO_QUEUE(1), ACTION(END)};
static struct rte_ether_addr mac = {{2, 0, 0, 0, 0, 9}};
static struct rte_eth_udp_tunnel tunnel = {
	.udp_port = 8472,
	.prot_type = RTE_ETH_TUNNEL_TYPE_VXLAN,
};

#define REFUSED(call)                                   \
	do {                                            \
		int ret = call;                         \
                                                        \
		if (ret != -EBUSY)                      \
			fail_msg("%s: %d", #call, ret); \
	} while (0)

static void changes_of_a_started_port(uint16_t port) {
	struct rte_eth_rss_reta_entry64 reta[8] = {{.mask = UINT64_MAX}};
	struct rte_eth_rss_conf rss = {.rss_hf = RTE_ETH_RSS_IP};
	struct rte_flow_error flow_error;

	REFUSED(rte_eth_dev_stop(port));
	REFUSED(rte_eth_dev_rx_queue_stop(port, 0));
	REFUSED(rte_eth_dev_tx_queue_stop(port, 0));
	REFUSED(rte_eth_dev_set_mtu(port, 1400));
	REFUSED(rte_eth_dev_default_mac_addr_set(port, &mac));
	REFUSED(rte_eth_dev_mac_addr_add(port, &mac, 0));
	REFUSED(rte_eth_dev_set_mc_addr_list(port, &mac, 1));
	REFUSED(rte_eth_dev_set_vlan_offload(port, RTE_ETH_VLAN_FILTER_OFFLOAD));
	REFUSED(rte_eth_promiscuous_disable(port));
	REFUSED(rte_eth_allmulticast_enable(port));
	REFUSED(rte_eth_dev_set_link_up(port));
	REFUSED(rte_eth_dev_rss_hash_update(port, &rss));
	REFUSED(rte_eth_dev_rss_reta_update(port, reta, 512));
	REFUSED(rte_eth_dev_udp_tunnel_port_add(port, &tunnel));
	REFUSED(rte_eth_dev_udp_tunnel_port_delete(port, &tunnel));
	REFUSED(rte_eth_dev_set_ptypes(port, RTE_PTYPE_L3_MASK, NULL, 0));
	REFUSED(rte_flow_validate(port, &ingress, pattern, actions, &flow_error));
	assert_null(rte_flow_create(port, &ingress, pattern, actions, &flow_error));
	assert_int_equal(rte_errno, EBUSY);
	REFUSED(rte_flow_flush(port, &flow_error));
	REFUSED(rte_pmd_ddp_profile_add(port, "gtpu", NULL, 0));
	REFUSED(rte_pmd_ddp_profile_del(port, "gtpu", NULL, 0));
	REFUSED(rte_pmd_ddp_ptype_mapping_reset(port));
	REFUSED(rte_vdev_uninit("net_ddp0"));
}

static void changes_of_a_stopped_port(uint16_t port) {
	const struct rte_eth_conf conf = {0};

	REFUSED(rte_eth_rx_queue_setup(port, 0, 512, 0, NULL, pool));
	REFUSED(rte_eth_tx_queue_setup(port, 0, 512, 0, NULL));
	REFUSED(rte_eth_dev_start(port));
	REFUSED(rte_eth_dev_configure(port, 2, 1, &conf));
}

// The application may ask what it likes, here and elsewhere, but change nothing: this is a change
// of its own, or, where the lower device is only read from, no change at all.
static void ask_inside(const char *op, void *arg) {
	struct inside *inside = arg;
	int ret;

	if (inside->is_asking)
		return;
	inside->is_asking = true;
	for (unsigned int i = 0; i < RTE_DIM(lower_ops); i++)
		inside->called |= (strcmp(lower_ops[i], op) == 0) << i;
	queries_run(inside);
	assert_true(ends_elsewhere(queries_run, inside));
	if (strcmp(op, "set_link_down") == 0) {
		if (rte_eth_devices[inside->port].data->dev_started)
			changes_of_a_started_port(inside->port);
		else
			changes_of_a_stopped_port(inside->port);
	}
	ret = rte_pmd_ddp_ptype_mapping_reset(inside->port);
	assert_true(ret == -EBUSY || ret == 0);
	if (ret == -EBUSY)
		inside->n_refused++;
	else
		inside->n_changed++;
	inside->is_asking = false;
}

static void everything_change(uint16_t port) {
	uint8_t key[40] = {1, 2, 3};
	struct rte_eth_rss_conf rss = {key, sizeof(key), RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP};
	struct rte_flow_error flow_error;
	struct rte_eth_stats stats;
	struct rte_flow *flow;

	reta_fill(port, 0, N_QUEUES, 1);
	assert_int_equal(rte_eth_dev_rss_hash_update(port, &rss), 0);
	assert_int_equal(rte_pmd_ddp_profile_add(port, "gtpu", NULL, 0), 0);
	assert_int_equal(rte_eth_dev_udp_tunnel_port_add(port, &tunnel), 0);
	assert_int_equal(rte_eth_dev_udp_tunnel_port_delete(port, &tunnel), 0);
	flow = rte_flow_create(port, &ingress, pattern, actions, &flow_error);
	assert_non_null(flow);
	assert_int_equal(rte_flow_destroy(port, flow, &flow_error), 0);
	assert_int_equal(rte_pmd_ddp_profile_del(port, "gtpu", NULL, 0), 0);
	assert_int_equal(rte_eth_dev_mac_addr_add(port, &mac, 0), 0);
	assert_int_equal(rte_eth_dev_mac_addr_remove(port, &mac), 0);
	assert_int_equal(rte_eth_dev_vlan_filter(port, 7, 1), 0);
	assert_int_equal(rte_eth_dev_set_vlan_offload(port, 0), 0);
	assert_int_equal(rte_eth_dev_set_link_down(port), 0);
	assert_int_equal(rte_eth_dev_set_link_up(port), 0);
	assert_int_equal(rte_eth_stats_get(port, &stats), 0);
	assert_int_equal(rte_eth_stats_reset(port), 0);
}

TEST(an_application_can_ask_but_not_change_while_the_lower_device_is_called) {
	struct inside inside = {.port = ddp_probe(NIC)};
	const struct rte_eth_conf conf = {
		.rxmode = {.mq_mode = RTE_ETH_MQ_RX_RSS,
			   .offloads = RTE_ETH_RX_OFFLOAD_VLAN_FILTER},
		.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP,
	};

	testsrc_control_hook(ask_inside, &inside);
	ddp_configure_by(inside.port, N_QUEUES, 1, 512, &conf);
	assert_int_equal(rte_eth_dev_start(inside.port), 0);
	everything_change(inside.port);
	assert_int_equal(rte_eth_dev_stop(inside.port), 0);
	assert_int_equal(rte_eth_dev_set_link_down(inside.port), 0);
	testsrc_control_hook(NULL, NULL);
	assert_int_equal(inside.called, RTE_BIT32(RTE_DIM(lower_ops)) - 1); // each of them
	assert_int_equal(inside.n_failed, 0);
	assert_int_equal(inside.n_asked, 2 * (inside.n_refused + inside.n_changed));
	assert_true(inside.n_refused > 20);
	ddp_configure(inside.port, N_QUEUES, 1, 512, RTE_ETH_RSS_IP); // ethdev took queues away
	assert_int_equal(rte_eth_dev_start(inside.port), 0);
	packets_pass(inside.port, N_QUEUES, 16);
}

static void interrupted(void *arg) {
	struct inside *inside = arg;

	queries_run(inside);
	if (rte_pmd_ddp_profile_add(inside->port, "gtpu", NULL, 0) == -EBUSY)
		inside->n_refused++;
	__atomic_store_n(&inside->done, true, __ATOMIC_RELEASE);
}

static void wait_for_the_interrupt_thread(const char *op, void *arg) {
	struct inside *inside = arg;

	if (strcmp(op, "stop") != 0)
		return;
	assert_int_equal(rte_eal_alarm_set(1, interrupted, inside), 0);
	wait_until(__atomic_load_n(&inside->done, __ATOMIC_ACQUIRE)); // else it waits for a lock
}

TEST(the_interrupt_thread_never_waits_for_a_change) {
	uint16_t port = ddp_start("dev(net_testsrc0)", N_QUEUES, 1, 512);
	struct inside inside = {.port = port};

	testsrc_control_hook(wait_for_the_interrupt_thread, &inside);
	assert_int_equal(rte_eth_dev_stop(port), 0);
	testsrc_control_hook(NULL, NULL);
	assert_int_equal(inside.n_asked, 1);
	assert_int_equal(inside.n_refused, 1);
}

static void *add(void *arg) {
	struct inside *inside = arg;

	if (rte_pmd_ddp_profile_add(inside->port, "gtpu", NULL, 0) == 0)
		__atomic_store_n(&inside->n_changed, 1, __ATOMIC_RELEASE);
	return NULL;
}

static pthread_t adder;

static void add_elsewhere(const char *op, void *arg) {
	struct inside *inside = arg;

	if (strcmp(op, "stop") != 0)
		return;
	assert_int_equal(pthread_create(&adder, NULL, add, inside), 0);
	rte_delay_us_sleep(20000); // longer than it would take
	assert_int_equal(__atomic_load_n(&inside->n_changed, __ATOMIC_ACQUIRE), 0);
}

TEST(a_change_waits_for_the_change_of_another_thread) {
	uint16_t port = ddp_start("dev(net_testsrc0)", N_QUEUES, 1, 512);
	struct inside inside = {.port = port};

	testsrc_control_hook(add_elsewhere, &inside);
	assert_int_equal(rte_eth_dev_stop(port), 0);
	testsrc_control_hook(NULL, NULL);
	pthread_join(adder, NULL);
	assert_int_equal(inside.n_changed, 1);
}

static void unplug_in(const char *op, void *arg) {
	if (strcmp(op, arg) == 0)
		testsrc_unplug(0);
}

// "": while it is stopped.
TEST(a_device_unplugged_while_the_port_starts_is_not_used) {
	static const char *const ops[] = {"start", "reta_query", "rss_hash_update", ""};

	for (unsigned int i = 0; i < RTE_DIM(ops); i++) {
		uint16_t port = ddp_start(NIC, N_QUEUES, 1, 512);
		struct rte_eth_dev *dev = &rte_eth_devices[port];

		assert_int_equal(rte_eth_dev_stop(port), 0);
		testsrc_control_hook(unplug_in, (void *)(uintptr_t)ops[i]);
		if (ops[i][0] == '\0')
			testsrc_unplug(0);
		assert_int_equal(rte_eth_dev_start(port), -EIO);
		testsrc_control_hook(NULL, NULL);
		packets_feed(0, 0, 16, 16);
		// A call of a thread that was on its way into the driver.
		assert_int_equal(dev->rx_pkt_burst(dev->data->rx_queues[0], mbufs, 32), 0);
		assert_int_equal(testsrc_left(0), 16);
		assert_int_equal(rte_eth_dev_start(port), -EIO); // nor later
		assert_int_equal(rte_eth_dev_is_removed(port), 1);
		testsrc_clear();
		ddp_end(port);
	}
}

#define N_CLOSES DRAWN(80)
#define N_READERS 2

// A thread that ethdev has let in calls an operation, however long ago that was.
static struct reader {
	struct rte_eth_dev *dev;
	const struct eth_dev_ops *ops;
	bool done;
	unsigned int n_open, n_closed, n_failed;
} reader;

static void read_all(struct rte_eth_dev *dev, const struct eth_dev_ops *ops) {
	static __thread struct rte_eth_xstat_name names[512];
	static __thread struct rte_eth_xstat values[512];
	struct rte_eth_rss_conf rss = {0};
	struct rte_flow_error error;
	struct rte_eth_dev_info info;
	char version[64];
	int ret = ops->dev_infos_get(dev, &info);

	__atomic_add_fetch(ret == 0       ? &reader.n_open :
			   ret == -ENODEV ? &reader.n_closed :
					    &reader.n_failed,
			   1, __ATOMIC_RELAXED);
	ops->xstats_get(dev, values, RTE_DIM(values));
	ops->xstats_get_names(dev, names, RTE_DIM(names));
	ops->link_update(dev, 0);
	ops->rss_hash_conf_get(dev, &rss);
	ops->fw_version_get(dev, version, sizeof(version));
	ddp_flow_ops.dev_dump(dev, NULL, NULL, &error);
	ops->set_mc_addr_list(dev, &mac, 1); // a change
	if (ops->is_removed(dev) != 0)
		__atomic_add_fetch(&reader.n_failed, 1, __ATOMIC_RELAXED);
}

static void *read_on(void *arg) {
	while (!__atomic_load_n(&reader.done, __ATOMIC_RELAXED))
		read_all(reader.dev, reader.ops);
	return NULL;
}

TEST(a_port_can_be_closed_while_other_threads_read_it) {
	pthread_t threads[N_READERS];
	uint16_t port = ddp_start("dev(net_testsrc0)", 1, 1, 64);

	reader.dev = &rte_eth_devices[port];
	reader.ops = reader.dev->dev_ops;
	for (unsigned int i = 0; i < N_READERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, read_on, NULL), 0);
	for (unsigned int i = 0; i < N_CLOSES; i++) {
		rte_delay_us_sleep(50 * (i % 8));
		ddp_end(port);
		rte_delay_us_sleep(50 * (i % 3));
		assert_int_equal(ddp_start("dev(net_testsrc0)", 1, 1, 64), port);
	}
	__atomic_store_n(&reader.done, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < N_READERS; i++)
		pthread_join(threads[i], NULL);
	assert_true(reader.n_open > 0 && reader.n_closed > 0);
	assert_int_equal(reader.n_failed, 0);
}

// A callback for the end of a port may ask for what it was.
static int end_noted(uint16_t port, enum rte_eth_event_type type, void *arg, void *ret) {
	struct rte_eth_dev_info info;
	struct rte_eth_stats stats;

	assert_int_equal(rte_eth_dev_info_get(port, &info), -ENODEV);
	assert_int_equal(rte_eth_stats_get(port, &stats), -ENODEV);
	*(unsigned int *)arg += 1;
	return 0;
}

TEST(a_closed_port_is_refused_in_its_last_event) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 1, 1, 64);
	unsigned int n = 0;

	assert_int_equal(rte_eth_dev_callback_register(port, RTE_ETH_EVENT_DESTROY, end_noted, &n),
			 0);
	ddp_end(port);
	assert_int_equal(n, 1);
	rte_eth_dev_callback_unregister(RTE_ETH_ALL, RTE_ETH_EVENT_DESTROY, end_noted, &n);
}

static void *balance_begin(void *arg) {
	assert_int_equal(rte_pmd_ddp_balance_set(*(uint16_t *)arg, 60000), 0);
	return NULL;
}

// Is the lower queue free for others some time after a change began to wait for its lock?
static bool others_may_poll(struct ddp_port *port, struct ddp_lower_rxq *lower) {
	const uint64_t ms = rte_get_tsc_hz() / 1000;
	bool free = false;
	pthread_t thread;
	uint64_t start;

	assert_true(ddp_trylock(&lower->lock));
	assert_int_equal(pthread_create(&thread, NULL, balance_begin, &port->id), 0);
	while (!__atomic_load_n(&lower->wanted, __ATOMIC_RELAXED) &&
	       !__atomic_load_n(&port->changing, __ATOMIC_RELAXED))
		rte_delay_us_sleep(100);
	for (start = rte_rdtsc(); rte_rdtsc() - start < 50 * ms; rte_delay_us_sleep(100))
		free |= rte_rdtsc() - start > 10 * ms &&
			!__atomic_load_n(&lower->wanted, __ATOMIC_RELAXED);
	ddp_unlock(&lower->lock);
	pthread_join(thread, NULL);
	assert_false(lower->wanted);
	assert_int_equal(rte_pmd_ddp_balance_set(port->id, 0), 0);
	return free;
}

// If that call's thread was preempted, it holds the lock until the change sleeps, and as long as
// the change wants the lock no other thread takes packets from the lower queue.
TEST(a_change_that_waits_for_a_burst_call_lets_others_poll) {
	uint16_t id = ddp_start("dev(net_testsrc0)", 2, 1, 64);
	struct ddp_port *port = rte_eth_devices[id].data->dev_private;
	bool free = false;

	for (unsigned int i = 0; i < 10 && !free; i++) // this thread may not have run in that time
		free = others_may_poll(port, &port->lower_rxqs[0]);
	assert_true(free);
}

static void *pause_for_ever(void *arg) {
	for (;;)
		pause();
	return NULL;
}

// leaves: as an application does whose first thread ends before its lcores.
static pid_t child_start(bool leaves) {
	pid_t pid = fork();
	pthread_t thread;

	assert_true(pid >= 0);
	if (pid > 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that fails leaves none behind
	if (leaves && pthread_create(&thread, NULL, pause_for_ever, NULL) == 0)
		pthread_exit(NULL);
	pause_for_ever(NULL);
	_exit(1);
}

static char state_of(pid_t pid) {
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*d %*s %c", &state), 1);
	fclose(file);
	return state;
}

// Others then take its locks: if it still ran, both would write the same rings; if one that ended
// were not seen, a port would wait for it for ever.
TEST(a_process_has_ended_with_its_last_thread) {
	for (unsigned int leaves = 0; leaves < 2; leaves++) {
		pid_t pid = child_start(leaves);
		siginfo_t info;

		wait_until(state_of(pid) == (leaves ? 'Z' : 'S'));
		assert_false(ddp_mp_has_ended(pid));
		assert_int_equal(kill(pid, SIGKILL), 0);
		assert_int_equal(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
		assert_true(ddp_mp_has_ended(pid)); // a zombie: its parent (we) did not wait for it
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		assert_true(ddp_mp_has_ended(pid));
	}
}

// The owner in a lock that no process holds, or whose process is not known.
TEST(what_is_no_process_has_not_ended) {
	assert_false(ddp_mp_has_ended(0));
	assert_false(ddp_mp_has_ended(1));
	assert_false(ddp_mp_has_ended(INT_MAX));
	assert_false(ddp_mp_has_ended(-1));
	assert_false(ddp_mp_has_ended(getpid()));
}

PORT_TESTS(leak_setup)
