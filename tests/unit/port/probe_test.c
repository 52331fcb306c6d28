/* SPDX-License-Identifier: BSD-3-Clause */
// Answers plugin/port/mp/probe.c, lower/attach.c and lower/lower.c: a port's beginning and end.
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_bus_vdev.h>
#include <rte_eal.h>
#include <rte_log.h>

#include "port/run/cksum.h"

#define INTERRUPTED "interrupted"

struct refusal {
	const char *devargs, *line;
};

static const struct refusal refusals[] = {
	{"profile=gtpu", "net_ddp0: the lower device is missing"},
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
		uint16_t port;

		assert_int_equal(ddp_probe(refusals[i].devargs), -1);
		if (strstr(ddp_probe_log(), refusals[i].line) == NULL)
			fail_msg("%s: %s", refusals[i].devargs, ddp_probe_log());
		assert_int_equal(rte_eth_dev_count_total(), 0);
		// Nothing is left behind: the same names work at once.
		port = ddp_start("dev(net_testsrc0)", 1, 1, 64);
		ddp_end(port);
	}
}

TEST(only_our_port_is_seen) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 2, 2, 64);

	assert_int_equal(port, 0);
	assert_int_equal(rte_eth_dev_count_avail(), 1);
	assert_int_equal(rte_eth_dev_count_total(), 2);
}

// DPDK's newer syntax of a device.
TEST(a_lower_device_may_be_given_by_bus_and_name) {
	ddp_start("dev(bus=vdev,name=net_testsrc0)", 2, 2, 64);
	assert_int_equal(rte_eth_dev_count_total(), 2);
}

TEST(a_port_that_is_there_is_taken_over) {
	struct rte_eth_dev_owner owner;
	uint16_t lower;

	assert_int_equal(rte_vdev_init("net_testsrc0", ""), 0);
	assert_int_equal(rte_eth_dev_get_port_by_name("net_testsrc0", &lower), 0);
	// A probe that fails later gives it back.
	assert_int_equal(ddp_probe("dev(net_testsrc0),lower_queues=9"), -1);
	assert_int_equal(rte_eth_dev_owner_get(lower, &owner), 0);
	assert_int_equal(owner.id, RTE_ETH_DEV_NO_OWNER);
	ddp_start("dev(net_testsrc0)", 1, 1, 64);
	assert_int_equal(rte_eth_dev_owner_get(lower, &owner), 0);
	assert_string_equal(owner.name, "net_ddp0");
	// A second net_ddp cannot have it.
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
		port = ddp_start("dev(net_testsrc0)", 1, 1, 512);
		poll_to_end(port, 1, 0, NULL); // what the last round did not take
		ddp_end(port);
	}
}

TEST(removed_without_close_leaves_an_orphan_that_is_reused) {
	for (unsigned int i = 0; i < 3; i++) {
		ddp_start("dev(net_testsrc0)", 1, 1, 64);
		assert_int_equal(rte_vdev_uninit("net_ddp0"), 0);
		assert_int_equal(rte_eth_dev_count_total(), 0);
	}
	// net_testsrc0 is still on its bus, without a port.
	assert_int_not_equal(rte_vdev_init("net_testsrc0", ""), 0);
	ddp_end(ddp_start("dev(net_testsrc0)", 1, 1, 64));
	assert_int_equal(rte_vdev_init("net_testsrc0", ""), 0);
	assert_int_equal(rte_vdev_uninit("net_testsrc0"), 0);
}

TEST(an_orphan_below_an_orphan_is_reused) {
	const char *devargs = "dev(net_ddp1,dev(net_testsrc0))";
	uint16_t port;

	ddp_start(devargs, 1, 1, 64);
	assert_int_equal(rte_vdev_uninit("net_ddp0"), 0);
	assert_int_equal(rte_eth_dev_count_total(), 0);
	port = ddp_start(devargs, 2, 2, 64);
	packets_feed(0, 0, 8, 64);
	assert_int_equal(poll_to_end(port, 2, 0, NULL), 64);
}

TEST(an_orderly_end_says_nothing) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 2, 2, 64);
	static char said[4096];

	log_capture(said, sizeof(said));
	ddp_end(port);
	log_release();
	assert_string_equal(said, "");
}

TEST(a_lower_device_that_goes_is_survived) {
	struct rte_eth_link link;
	struct rte_mbuf *mbuf;
	uint16_t port;

	port = ddp_start("dev(net_testsrc0)", 2, 4, 64);
	packets_feed(0, 0, 8, 32);
	poll_all(port, 1, NULL); // queue 1 has packets on its ring
	assert_int_equal(rte_vdev_uninit("net_testsrc0"), 0);
	assert_int_equal(poll_all(port, 2, NULL), 0);
	mbuf = packet(0, 0);
	assert_int_equal(rte_eth_tx_burst(port, 0, &mbuf, 1), 0);
	rte_pktmbuf_free(mbuf);
	assert_int_equal(rte_eth_link_get_nowait(port, &link), 0);
	assert_int_equal(link.link_status, RTE_ETH_LINK_DOWN);
	assert_int_equal(rte_eth_dev_is_removed(port), 1);
	assert_sum_holds(port);
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(xstat(port, "rx_in_rings"), 0);
	assert_sum_holds(port);
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

// An application that goes without closing its ports, in a process of its own.
static const char *const never_closed[] = {
	"dev(net_testsrc0)",
	"dev(net_ddp1,dev(net_testsrc0))",
	"dev(net_ddp1,dev(net_ddp2,dev(net_testsrc0)))",
	"dev(net_ring0)",
	NULL, // the lower device is older than net_ddp0
};

static int child(const char *number) {
	const char *devargs = never_closed[atoi(number)];
	uint16_t port;

	eal_start();
	if (devargs == NULL) {
		devargs = "dev(net_testsrc0)";
		rte_vdev_init("net_testsrc0", "");
	}
	port = ddp_start(devargs, 4, 4, 64);
	if (strstr(devargs, "testsrc") != NULL)
		packets_feed(0, 0, 16, 64);
	poll_all(port, 2, NULL);
	return rte_eal_cleanup();
}

// An application that cleans up in a signal handler, which has interrupted a burst call.
static void clean_up(void *arg) {
	_exit(rte_eal_cleanup() != 0);
}

static int interrupted_child(void) {
	uint16_t port;

	eal_start();
	port = ddp_start("dev(net_testsrc0)", 1, 1, 64);
	testsrc_hook(clean_up, NULL);
	poll_all(port, 1, NULL);
	return 1; // it was not interrupted
}

static int run_child(const char *what) {
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		alarm(30);
		execl("/proc/self/exe", "port_tests", "probe", what, NULL);
		_exit(127);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

TEST(a_cleanup_inside_a_burst_call_ends) {
	assert_int_equal(run_child(INTERRUPTED), 0);
}

TEST(never_closed_before_eal_cleanup) {
	for (unsigned int i = 0; i < RTE_DIM(never_closed); i++) {
		char number[8];
		int status;

		snprintf(number, sizeof(number), "%u", i);
		status = run_child(number);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
			fail_msg("%s: status 0x%x", never_closed[i], status);
	}
}

static int probe_setup(void **state) {
	if (unit_argument != NULL)
		exit(strcmp(unit_argument, INTERRUPTED) == 0 ? interrupted_child() :
							       child(unit_argument));
	return port_setup(state);
}

GROUP(probe_setup, NULL)
EACH(leak_setup, leak_teardown)
