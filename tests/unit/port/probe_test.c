/* SPDX-License-Identifier: BSD-3-Clause */
#include "harness.h"

#include <sys/wait.h>
#include <unistd.h>

#include <rte_bus_vdev.h>
#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_log.h>

#include "port/app/app.h"
#include "port/run/extras.h"
#include "port/state/port.h"

// The devargs of a child choose its actions.
#define OLDER "dev(net_testsrc0),overflow=drop" // the lower device is older than net_ddp0
#define INTERRUPTED "dev(net_testsrc0),overflow=wait"

static const struct bad {
	const char *args, *error;
} refusals[] = {
	{"dev(net_testsrc0),bogus=1", "net_ddp0: unknown argument 'bogus'"},
	{"dev(net_\033[2J\nforged)",
	 "net_ddp0: no bus or driver for the lower device 'net_\\x1b[2J\\x0aforged'"},
	{"dev(net_testsrc0),profile=\xc2\x9b\xe2\x80\xae", "'\\u{9b}\\u{202e}'"},
	{"dev(net_nosuch0)", "net_ddp0: no bus or driver for the lower device 'net_nosuch0'"},
	{"dev(class=eth)", "net_ddp0: no bus or driver for the lower device 'class=eth'"},
	{"dev(bus=vdev,name=net_nosuch0)",
	 "net_ddp0: lower device 'bus=vdev,name=net_nosuch0' cannot be probed"},
	{"dev(net_testsrc0,fail=1)",
	 "net_ddp0: lower device 'net_testsrc0,fail=1' cannot be probed"},
	{"dev(net_testsrc0,rxq=2),lower_queues=3",
	 "net_ddp0: lower device net_testsrc0 has 2 Rx queues, 3 are needed"},
	{"dev(net_testsrc0),profile=no-such-profile", "net_ddp0: "},
	{"dev(net_testsrc0),package=a.pkgo",
	 "net_ddp0: package is for lower devices of driver net_i40e, net_testsrc0 is of net_testsrc"},
	{"dev(net_i40e0,nic=4),package=/nowhere/a.pkgo", "net_ddp0: package: /nowhere/a.pkgo: "},
	{"dev(net_ddp0,dev(net_testsrc0))",
	 "net_ddp0: the lower device net_ddp0 is this port itself"},
	{"dev(net_ddp1,dev(net_ddp0,dev(net_testsrc0)))",
	 "net_ddp1: the lower device net_ddp0 is this port itself"},
	{"dev(net_ddp1,dev(net_testsrc0),bogus=1)", "net_ddp1: unknown argument 'bogus'"},
};

TEST(refused_probes_undo_everything) {
	for (unsigned int i = 0; i < RTE_DIM(refusals); i++) {
		assert_int_equal(ddp_probe(refusals[i].args), -1);
		if (strstr(ddp_probe_log(), refusals[i].error) == NULL)
			fail_msg("%s: %s", refusals[i].args, ddp_probe_log());
		assert_int_equal(rte_eth_dev_count_total(), 0);
		// Nothing is left behind: the same names, and ids, work at once.
		assert_int_equal(ddp_start("dev(net_testsrc0)", 1, 1, 64), 0);
		ddp_end(0);
	}
}

// In DPDK's newer syntax of a device, too, our port alone is seen.
TEST(a_lower_device_may_be_given_by_bus_and_name) {
	assert_int_equal(ddp_start("dev(bus=vdev,name=net_testsrc0)", 2, 2, 64), 0);
	assert_int_equal(rte_eth_dev_count_avail(), 1);
	assert_int_equal(rte_eth_dev_count_total(), 2);
}

TEST(a_port_that_is_there_is_taken_over) {
	struct rte_eth_dev_owner owner;
	uint16_t lower;

	assert_int_equal(rte_vdev_init("net_testsrc0", ""), 0);
	lower = port_id_of("net_testsrc0");
	// A probe that fails later gives it back.
	assert_int_equal(ddp_probe("dev(net_testsrc0),lower_queues=9"), -1);
	assert_int_equal(rte_eth_dev_owner_get(lower, &owner), 0);
	assert_int_equal(owner.id, RTE_ETH_DEV_NO_OWNER);
	assert_int_equal(ddp_start("dev(net_testsrc0)", 1, 1, 64), 1);
	assert_int_equal(port_id_of("net_testsrc0"), lower); // it keeps its id
	assert_int_equal(rte_eth_dev_owner_get(lower, &owner), 0);
	assert_string_equal(owner.name, "net_ddp0");
	assert_int_not_equal(rte_vdev_init("net_ddp1", "dev(net_testsrc0)"), 0);
	assert_int_equal(rte_eth_dev_count_total(), 2);
}

TEST(close_and_probe_again_many_times) {
	for (unsigned int i = 0; i < DRAWN(40); i++) {
		uint16_t port = ddp_start("dev(net_testsrc0),overflow=wait", 4, 4, i % 2 ? 384 : 1);

		assert_int_equal(port, 0);
		packets_feed(0, 0, 16, 100);
		for (unsigned int j = 0; j < 4; j++)
			poll_all(port, 4, NULL); // leaves packets on rings and held
		assert_int_equal(rte_eth_dev_stop(port), 0);
		assert_sum_holds(port);
		ddp_close(port);
		testsrc_clear(); // packets that were not taken
	}
}

TEST(removed_without_close_leaves_orphans_that_are_reused) {
	static const char *const devargs[] = {"dev(net_testsrc0)",
					      "dev(net_ddp1,dev(net_testsrc0))"};

	for (unsigned int i = 0; i < 6; i++) {
		ddp_start(devargs[i / 3], 1, 1, 64);
		assert_int_equal(rte_vdev_uninit("net_ddp0"), 0);
		assert_int_equal(rte_eth_dev_count_total(), 0);
		// net_testsrc0 is still on its bus, without a port.
		assert_int_not_equal(rte_vdev_init("net_testsrc0", ""), 0);
		if (i % 3 < 2)
			continue;
		ddp_start(devargs[i / 3], 2, 2, 64);
		packets_feed(0, 0, 8, 64);
		assert_int_equal(poll_to_end(0, 2, 0, NULL), 64);
		ddp_end(0);
		assert_int_equal(rte_vdev_init("net_testsrc0", ""), 0);
		assert_int_equal(rte_vdev_uninit("net_testsrc0"), 0);
	}
}

TEST(an_orderly_end_says_nothing) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 2, 2, 64);
	static char said[4096];

	log_capture(said, sizeof(said));
	ddp_end(port);
	log_release();
	assert_string_equal(said, "");
}

TEST(without_its_lower_device_a_port_sends_nothing_and_cannot_start) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 2, 4, 64);
	struct rte_mbuf *mbuf = packet(0, 0);
	struct rte_eth_link link;

	assert_int_equal(rte_vdev_uninit("net_testsrc0"), 0);
	assert_int_equal(rte_eth_tx_burst(port, 0, &mbuf, 1), 0);
	rte_pktmbuf_free(mbuf);
	assert_int_equal(rte_eth_link_get_nowait(port, &link), 0);
	assert_int_equal(link.link_status, RTE_ETH_LINK_DOWN);
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_not_equal(rte_eth_dev_start(port), 0);
}

TEST(limits_are_those_of_both) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 1, 1, 64);
	struct rte_eth_dev_info info;

	assert_int_equal(rte_eth_dev_info_get(port, &info), 0);
	assert_int_equal(info.max_rx_queues, 256);
	assert_int_equal(info.max_tx_queues, 256);
	assert_int_equal(info.max_mac_addrs, 3);
	assert_int_equal(info.switch_info.domain_id, RTE_ETH_DEV_SWITCH_DOMAIN_ID_INVALID);
	assert_int_equal(info.reta_size, 512);
	assert_int_equal(info.hash_key_size, 40);
	assert_int_equal(info.max_mtu, 9600);
	assert_int_equal(info.max_rx_pktlen, 9618);
	assert_int_equal(info.speed_capa, RTE_ETH_LINK_SPEED_25G);
	assert_int_equal(info.rx_offload_capa, DDP_RX_CHECKSUMS | RTE_ETH_RX_OFFLOAD_VLAN_FILTER |
						       RTE_ETH_RX_OFFLOAD_SCATTER |
						       RTE_ETH_RX_OFFLOAD_RSS_HASH);
	assert_int_equal(info.tx_offload_capa, DDP_TX_CHECKSUMS | RTE_ETH_TX_OFFLOAD_MULTI_SEGS);
	assert_int_equal(info.rx_desc_lim.nb_min, 1);
	assert_int_equal(info.rx_desc_lim.nb_max, 32768);
	assert_int_equal(info.rx_desc_lim.nb_align, 1);
	assert_true((info.flow_type_rss_offloads & RTE_ETH_RSS_IP) != 0);
	assert_int_equal(rte_eth_promiscuous_enable(port), 0);
}

// A device that has a limit and cannot change its MTU, and one that takes packets of any length.
TEST(mtu_is_not_more_than_the_lower_device_takes) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 1, 1, 64);
	uint16_t mtu;

	assert_int_equal(rte_eth_dev_set_mtu(port, 9000), -ENOTSUP);
	assert_int_equal(rte_eth_dev_get_mtu(port, &mtu), 0);
	assert_int_equal(mtu, 1500);
	assert_int_equal(rte_eth_dev_set_mtu(port, 9601), -EINVAL);
	ddp_end(port);
	port = ddp_start("dev(net_ring0)", 1, 1, 64);
	assert_int_equal(rte_eth_dev_set_mtu(port, 9000), 0);
}

TEST(two_hundred_and_fifty_six_queues_work) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 256, 256, 64);

	packets_feed(0, 0, 1000, 1000);
	assert_int_equal(poll_to_end(port, 256, 0, NULL), 1000);
}

static const char *const never_closed[] = {
	"dev(net_testsrc0)",
	"dev(net_ddp1,dev(net_testsrc0))",
	"dev(net_ddp1,dev(net_ddp2,dev(net_testsrc0)))",
	"dev(net_ring0)",
	OLDER,
	INTERRUPTED,
};

// An application that cleans up in a signal handler, which has interrupted a burst call.
static void clean_up(void *arg) {
	_exit(rte_eal_cleanup() != 0);
}

// An application that goes without closing its ports, in a process of its own.
static int child(const char *devargs) {
	uint16_t port;

	eal_start();
	if (strcmp(devargs, OLDER) == 0)
		rte_vdev_init("net_testsrc0", "");
	port = ddp_start(devargs, 4, 4, 64);
	if (strstr(devargs, "testsrc") != NULL)
		packets_feed(0, 0, 16, 64);
	if (strcmp(devargs, INTERRUPTED) == 0)
		testsrc_hook(clean_up, NULL);
	poll_all(port, 2, NULL);
	return strcmp(devargs, INTERRUPTED) == 0 ? 1 : rte_eal_cleanup();
}

TEST(never_closed_before_eal_cleanup) {
	for (unsigned int i = 0; i < RTE_DIM(never_closed); i++) {
		int status = 0;
		pid_t pid = fork();

		if (pid == 0) {
			alarm(30);
			execl("/proc/self/exe", "port_tests", "probe", never_closed[i], NULL);
			_exit(127);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
			fail_msg("%s: status 0x%x", never_closed[i], status);
	}
}

static int probe_setup(void **state) {
	if (unit_argument != NULL)
		exit(child(unit_argument));
	return port_setup(state);
}

struct good {
	const char *args, *lower, *profile;
	enum ddp_overflow overflow;
	unsigned int lower_queues, balance_ms;
	enum ddp_offload_mode offload;
	const char *nic; // NULL: none given
};

static const struct good good[] = {
	{"dev(net_null0)", .lower = "net_null0"},
	{"dev(net_pcap0,rx_pcap=a.pcap,tx_pcap=b.pcap),profile=gtpu",
	 "net_pcap0,rx_pcap=a.pcap,tx_pcap=b.pcap", .profile = "gtpu"},
	{"profile=gtpu:ue;port=2153;x=1+vxlan,dev(net_null0)", "net_null0",
	 .profile = "gtpu:ue;port=2153;x=1+vxlan"},
	{"dev(net_ddp1,dev(net_null0),overflow=drop),overflow=wait",
	 "net_ddp1,dev(net_null0),overflow=drop", .overflow = DDP_OVERFLOW_WAIT},
	{"overflow=drop,lower_queues=256,dev(0000:01:00.0)", "0000:01:00.0", .lower_queues = 256},
	{"dev(net_null0),,lower_queues=1,", "net_null0", .lower_queues = 1},
	{"dev(net_null0),profile=/a(b)/c.yaml", "net_null0", .profile = "/a(b)/c.yaml"},
	{"dev(net_null0),offload=off", "net_null0", .offload = DDP_OFFLOAD_OFF},
	{"offload=require:ice-comms,dev(net_null0)", "net_null0", .offload = DDP_OFFLOAD_REQUIRE,
	 .nic = "ice-comms"},
	{"dev(net_null0),offload=auto:e810", "net_null0", .nic = "ice-comms"},
	{"balance=on,dev(net_null0)", "net_null0", .balance_ms = DDP_BALANCER_MS},
	{"dev(net_null0),balance=1", "net_null0", .balance_ms = 1},
	{"dev(net_null0),balance=60000", "net_null0", .balance_ms = DDP_BALANCE_MS_MAX},
};

static const struct bad bad[] = {
	{NULL, "the lower device is missing"},
	{"", "the lower device is missing"},
	{"profile=gtpu", "the lower device is missing"},
	{"dev()", "dev() names no lower device"},
	{"dev(net_null0", "the parenthesis of 'dev(net_null0' is not closed"},
	{"dev(net_ddp1,dev(net_null0)", "is not closed"},
	{"dev(net_null0))", "a comma is missing after dev(...), before ')'"},
	{"dev(net_null0)profile=gtpu", "a comma is missing after dev(...), before 'profile=gtpu'"},
	{"dev(net_null0),dev(net_null1)", "dev(...) is given twice"},
	{"dev(net_null0),profil=gtpu", "unknown argument 'profil', did you mean 'profile'?"},
	{"dev(net_null0),speed=1",
	 "unknown argument 'speed' (there are dev(...), profile=, meta=, overflow=, offload=, lower_queues=, "
	 "rss_key_len=, package=, decap=, balance=)"},
	{"dev=net_null0", "unknown argument 'dev'"},
	{"dev(net_null0),profile", "argument 'profile' needs a value"},
	{"dev(net_null0),profile=", "argument 'profile' needs a value"},
	{"dev(net_null0),profile=a,profile=b", "profile is given twice (join profiles with '+')"},
	{"dev(net_null0),overflow=stop", "overflow is drop or wait, not 'stop'"},
	{"dev(net_null0),overflow=drop,overflow=drop", "overflow is given twice"},
	{"dev(net_null0),offload=on", "offload is off, auto or require, not 'on'"},
	{"dev(net_null0),offload=aut", "not 'aut'"},
	{"dev(net_null0),offload=auto:e1000", "no kind of NIC is called 'e1000'"},
	{"dev(net_null0),offload=auto:", "no kind of NIC is called ''"},
	{"dev(net_null0),meta=no", "meta is on or off, not 'no'"},
	{"dev(net_null0),lower_queues=0", "lower_queues is a number from 1 to 256, not '0'"},
	{"dev(net_null0),lower_queues=257", "not '257'"},
	{"dev(net_null0),lower_queues=-1", "not '-1'"},
	{"dev(net_null0),lower_queues=2x", "not '2x'"},
	{"dev(net_null0),lower_queues=99999999999999999999", "not '99999999999999999999'"},
	{"dev(net_null0),decap=yes", "decap is on or off, not 'yes'"},
	{"dev(net_null0),rss_key_len=48", "rss_key_len is 40 or 52, not '48'"},
	{"dev(net_null0),balance=auto",
	 "balance is off, on, or milliseconds from 1 to 60000, not 'auto'"},
	{"dev(net_null0),balance=0", "not '0'"},
	{"dev(net_null0),balance=100ms", "not '100ms'"},
	{"dev(net_null0),balance=60001", "not '60001'"},
	{"dev(net_null0),balance=99999999999999999999", "not '99999999999999999999'"},
};

static void assert_text(const char *text, const char *expected) {
	assert_int_equal(text == NULL, expected == NULL);
	if (text != NULL)
		assert_string_equal(text, expected);
}

TEST(good_devargs_are_taken_apart) {
	for (unsigned int i = 0; i < RTE_DIM(good); i++) {
		struct ddp_devargs devargs;
		char error[DDP_ERROR_SIZE] = "";

		if (ddp_devargs_parse(good[i].args, &devargs, error) != 0)
			fail_msg("%s: %s", good[i].args, error);
		assert_text(devargs.lower, good[i].lower);
		assert_text(devargs.profile, good[i].profile);
		assert_text(devargs.nic != NULL ? ddp_nic_name(devargs.nic) : NULL, good[i].nic);
		assert_int_equal(devargs.overflow, good[i].overflow);
		assert_int_equal(devargs.lower_queues, good[i].lower_queues);
		assert_int_equal(devargs.balance_ms, good[i].balance_ms);
		assert_int_equal(devargs.offload, good[i].offload);
		ddp_devargs_fini(&devargs);
	}
}

TEST(bad_devargs_have_one_clear_line) {
	for (unsigned int i = 0; i < RTE_DIM(bad); i++) {
		struct ddp_devargs devargs;
		char error[DDP_ERROR_SIZE] = "";

		if (ddp_devargs_parse(bad[i].args, &devargs, error) >= 0)
			fail_msg("%s is accepted", bad[i].args);
		if (strstr(error, bad[i].error) == NULL || strchr(error, '\n') != NULL)
			fail_msg("%s: %s", bad[i].args, error);
		ddp_devargs_fini(&devargs);
	}
}

// An application's ports have the ids 0 to n - 1, and it learns nothing of how.
static int port_make(unsigned int n, const char *devargs) {
	char name[32];

	snprintf(name, sizeof(name), "net_ddp%u", n);
	return rte_vdev_init(name, devargs);
}

static void port_end(const char *name) {
	assert_int_equal(rte_eth_dev_close(port_id_of(name)), 0);
	assert_int_equal(rte_vdev_uninit(name), 0);
}

TEST(ports_have_the_first_ids) {
	assert_int_equal(port_make(0, "dev(net_testsrc0)"), 0);
	assert_int_equal(rte_eal_hotplug_add("vdev", "net_ddp1", "dev(net_testsrc1)"), 0);
	assert_int_equal(rte_vdev_init("net_null0", ""), 0);
	assert_int_equal(port_id_of("net_ddp0"), 0);
	assert_int_equal(port_id_of("net_ddp1"), 1);
	assert_int_equal(port_id_of("net_null0"), 2);
	assert_int_equal(port_id_of("net_testsrc0"), DDP_LOWER_ID_MIN);
	assert_int_equal(port_id_of("net_testsrc1"), DDP_LOWER_ID_MIN + 1);
	port_end("net_ddp0");
	assert_int_equal(port_make(3, "dev(net_testsrc0)"), 0);
	assert_int_equal(port_id_of("net_ddp3"), 0);
	assert_int_equal(port_id_of("net_testsrc0"), DDP_LOWER_ID_MIN);
	port_end("net_ddp3");
	port_end("net_ddp1");
	port_end("net_null0");
}

TEST(a_lower_port_of_our_own_kind_has_a_high_id) {
	assert_int_equal(port_make(0, "dev(net_ddp1,dev(net_testsrc0))"), 0);
	assert_int_equal(port_make(2, "dev(net_testsrc1)"), 0);
	assert_int_equal(port_id_of("net_ddp0"), 0);
	assert_int_equal(port_id_of("net_ddp2"), 1);
	assert_true(port_id_of("net_ddp1") >= DDP_LOWER_ID_MIN);
	assert_true(port_id_of("net_testsrc0") >= DDP_LOWER_ID_MIN);
	port_end("net_ddp2");
	port_end("net_ddp0");
}

static int null_make(unsigned int n) {
	char devargs[32];

	snprintf(devargs, sizeof(devargs), "dev(net_null%u)", n);
	return port_make(n, devargs);
}

TEST(every_id_can_be_used) {
	unsigned int n = 0, n_first = 0;
	char name[32];

	while (null_make(n) == 0) {
		snprintf(name, sizeof(name), "net_ddp%u", n);
		n_first += n_first == n && port_id_of(name) == n;
		n++;
	}
	assert_int_equal(n, RTE_MAX_ETHPORTS / 2);
	assert_int_equal(rte_eth_dev_count_total(), RTE_MAX_ETHPORTS);
	// The next one's lower port had to have a low id, to leave a few high ones.
	assert_int_equal(n_first, RTE_MAX_ETHPORTS / 2 - 2);
	port_end("net_ddp0");
	assert_int_equal(null_make(0), 0);
	assert_int_equal(port_id_of("net_ddp0"), 0);
	while (n > 0) {
		snprintf(name, sizeof(name), "net_ddp%u", --n);
		port_end(name);
	}
}

// Each event as its port's id and the number of ports then.
static char events[100];

static int port_note(uint16_t port, enum rte_eth_event_type type, void *arg, void *ret) {
	snprintf(events + strlen(events), sizeof(events) - strlen(events), "%s%u/%u ",
		 type == RTE_ETH_EVENT_NEW ? "+" : "-", port, rte_eth_dev_count_total());
	return 0;
}

TEST(nothing_is_told_of_the_ids_that_are_held) {
	char expected[100];

	rte_eth_dev_callback_register(RTE_ETH_ALL, RTE_ETH_EVENT_NEW, port_note, NULL);
	rte_eth_dev_callback_register(RTE_ETH_ALL, RTE_ETH_EVENT_DESTROY, port_note, NULL);
	assert_int_equal(port_make(0, "dev(net_testsrc0)"), 0);
	port_end("net_ddp0");
	snprintf(expected, sizeof(expected), "+%u/0 +0/1 -%u/2 -0/1 ", DDP_LOWER_ID_MIN,
		 DDP_LOWER_ID_MIN);
	assert_string_equal(events, expected);
	rte_eth_dev_callback_unregister(RTE_ETH_ALL, RTE_ETH_EVENT_NEW, port_note, NULL);
	rte_eth_dev_callback_unregister(RTE_ETH_ALL, RTE_ETH_EVENT_DESTROY, port_note, NULL);
}

// As a device with several ports makes the next one after it has announced the first, which is
// ours.
static int second_make(uint16_t port, enum rte_eth_event_type type, void *arg, void *ret) {
	if (port == DDP_LOWER_ID_MIN)
		*(int *)arg = rte_vdev_init("net_testsrc1", "");
	return 0;
}

TEST(other_ports_of_a_lower_device_have_low_ids) {
	int made = -1;

	rte_eth_dev_callback_register(RTE_ETH_ALL, RTE_ETH_EVENT_NEW, second_make, &made);
	assert_int_equal(port_make(0, "dev(net_testsrc0)"), 0);
	assert_int_equal(made, 0);
	assert_int_equal(port_id_of("net_testsrc1"), 1);
	rte_eth_dev_callback_unregister(RTE_ETH_ALL, RTE_ETH_EVENT_NEW, second_make, &made);
	port_end("net_testsrc1");
	port_end("net_ddp0");
}

GROUP(probe_setup, NULL)
EACH(leak_setup, leak_teardown)
