/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_rules.h"

#include <pthread.h>
#include <sched.h>

#include <ethdev_driver.h>
#include <rte_bus_vdev.h>
#include <rte_cycles.h>
#include <rte_dev.h>

#define N_FLOWS 64
#define LOWER_PORT port_id_of("net_testsrc0")

static struct poller {
	uint16_t port;
	bool running;
	uint64_t n_packets;
} pollers[2];

// Poll the queue of this number.
static void *poller_main(void *arg) {
	struct poller *poller = arg;

	while (__atomic_load_n(&poller->running, __ATOMIC_RELAXED)) {
		uint16_t n = rx_free(poller->port, poller - pollers);

		__atomic_add_fetch(&poller->n_packets, n, __ATOMIC_RELAXED);
		if (n == 0)
			sched_yield();
	}
	return NULL;
}

TEST(a_device_removed_under_traffic_is_left_alone) {
	for (unsigned int i = 0; i < 20; i++) {
		uint16_t port = ddp_start("dev(net_testsrc0,rxq=2),lower_queues=2", 2, 1, 64);
		pthread_t threads[2];
		uint64_t n;

		for (unsigned int q = 0; q < 2; q++) {
			packets_feed(0, q, N_FLOWS, 5000);
			pollers[q] = (struct poller){.port = port, .running = true};
			assert_int_equal(
				pthread_create(&threads[q], NULL, poller_main, &pollers[q]), 0);
		}
		while (__atomic_load_n(&pollers[i % 2].n_packets, __ATOMIC_RELAXED) == 0)
			sched_yield();
		if (i % 2)
			testsrc_unplug(0); // as from an interrupt, some time before its end
		assert_int_equal(rte_vdev_uninit("net_testsrc0"), 0);
		// leak_teardown() checks for faults: no call was inside after this.
		n = xstat(port, "rx_delivered_packets");
		for (unsigned int q = 0; q < 2; q++) {
			__atomic_store_n(&pollers[q].running, false, __ATOMIC_RELAXED);
			pthread_join(threads[q], NULL);
		}
		assert_int_equal(xstat(port, "rx_delivered_packets"), n);
		assert_sum_holds(port);
		assert_int_equal(rte_eth_dev_is_removed(port), 1);
		assert_int_equal(rte_eth_dev_stop(port), 0);
		assert_int_equal(xstat(port, "rx_in_rings"), 0);
		assert_sum_holds(port);
		ddp_close(port);
		// The next device of that name delivers the packets that this one still had.
		port = ddp_start("dev(net_testsrc0,rxq=2),lower_queues=2", 2, 1, 1024);
		poll_to_end(port, 2, 0, NULL);
		ddp_end(port);
	}
}

static unsigned int n_seen[RTE_ETH_EVENT_MAX];
static struct rte_eth_link link_seen; // at the last one

static int event_note(uint16_t port, enum rte_eth_event_type type, void *arg, void *ret) {
	__atomic_add_fetch(&n_seen[type], 1, __ATOMIC_RELEASE);
	return rte_eth_link_get_nowait(port, &link_seen); // as bonding does
}

static void events_note(uint16_t port) {
	memset(n_seen, 0, sizeof(n_seen));
	for (int i = 0; i < RTE_ETH_EVENT_MAX; i++)
		assert_int_equal(rte_eth_dev_callback_register(port, i, event_note, NULL), 0);
}

static int end(void **state) {
	for (int i = 0; i < RTE_ETH_EVENT_MAX; i++)
		rte_eth_dev_callback_unregister(RTE_ETH_ALL, i, event_note, NULL);
	return leak_teardown(state);
}

// Also of resets: a VF's application resets it then.
TEST(events_of_the_lower_device_are_told) {
	static const enum rte_eth_event_type types[] = {
		RTE_ETH_EVENT_INTR_RESET, RTE_ETH_EVENT_ERR_RECOVERING,
		RTE_ETH_EVENT_RECOVERY_SUCCESS, RTE_ETH_EVENT_RECOVERY_FAILED,
		RTE_ETH_EVENT_INTR_RMV};
	uint16_t port = ddp_start("dev(net_testsrc0)", 1, 1, 64);
	struct rte_eth_dev_info info;

	assert_int_equal(rte_eth_dev_info_get(port, &info), 0);
	assert_true((*info.dev_flags & RTE_ETH_DEV_INTR_LSC) != 0);
	assert_true((*info.dev_flags & RTE_ETH_DEV_INTR_RMV) != 0);
	events_note(port);
	testsrc_link(0, false);
	assert_int_equal(n_seen[RTE_ETH_EVENT_INTR_LSC], 1);
	assert_int_equal(link_seen.link_status, RTE_ETH_LINK_DOWN);
	testsrc_link(0, true);
	assert_int_equal(n_seen[RTE_ETH_EVENT_INTR_LSC], 2);
	assert_int_equal(link_seen.link_status, RTE_ETH_LINK_UP);
	// Notified while another call has the port's mutex, the application does not wait for ever.
	assert_int_equal(rte_eth_dev_set_link_down(port), 0);
	assert_int_equal(n_seen[RTE_ETH_EVENT_INTR_LSC], 3);
	for (unsigned int i = 0; i < RTE_DIM(types); i++) {
		assert_int_equal(n_seen[types[i]], 0);
		testsrc_tell(0, types[i]);
		assert_int_equal(n_seen[types[i]], 1);
	}
	assert_int_equal(poll_all(port, 1, NULL), 0);
}

// Some drivers refuse to be removed while their port runs, and the application stops ours only.
TEST(a_device_that_is_to_be_removed_is_stopped) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 1, 1, 64);
	const struct rte_eth_dev_data *lower = rte_eth_devices[LOWER_PORT].data;

	events_note(port);
	assert_int_equal(lower->dev_started, 1);
	rte_dev_event_callback_process("net_testsrc", RTE_DEV_EVENT_REMOVE);
	rte_delay_us_sleep(10000);
	assert_int_equal(lower->dev_started, 1); // another device
	rte_dev_event_callback_process("net_testsrc0", RTE_DEV_EVENT_REMOVE);
	wait_until(__atomic_load_n(&n_seen[RTE_ETH_EVENT_INTR_LSC], __ATOMIC_ACQUIRE) > 0);
	assert_int_equal(lower->dev_started, 0);
	assert_int_equal(poll_all(port, 1, NULL), 0);
	assert_int_equal(link_seen.link_status, RTE_ETH_LINK_DOWN);
}

// again: the application configures it and sets up its queues, as ethdev's documentation says.
TEST(a_port_works_as_configured_after_a_reset) {
	for (unsigned int again = 0; again < 2; again++) {
		uint16_t port =
			ddp_start("dev(net_testsrc0,rxq=2),lower_queues=2,overflow=wait", 2, 1, 64);

		reta_fill(port, 0, 1, 0);
		packets_feed(0, 0, N_FLOWS, 64);
		assert_true(poll_all(port, 1, NULL) > 0); // some are left
		assert_int_equal(rte_eth_dev_reset(port), 0);
		if (again)
			ddp_configure(port, 2, 1, 64, RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP);
		assert_int_equal(rte_eth_dev_start(port), 0);
		packets_feed(0, 1, N_FLOWS, 64);
		assert_true(poll_to_end(port, 2, 0, NULL) >= 64);
		assert_int_equal(reta_get(port, 1), 0);
		assert_sum_holds(port);
		ddp_end(port);
	}
}

// A driver that is not ours keeps some memory.
static int unchecked(void **state) {
	return 0;
}

TEST_WITH(a_port_that_cannot_be_reset_goes_on, unchecked, unchecked) {
	uint16_t port = ddp_start("dev(net_null0)", 1, 1, 64);

	assert_int_equal(rte_eth_dev_reset(port), -ENOTSUP);
	assert_int_equal(rte_eth_dev_start(port), 0);
	assert_int_equal(poll_all(port, 1, NULL), 32);
	ddp_end(port);
}

// ethdev does not ask a driver for the link where it is to have interrupts for it.
TEST(a_link_with_interrupts_is_known) {
	const struct rte_eth_conf conf = {.intr_conf.lsc = 1};
	uint16_t port = ddp_start("dev(net_testsrc0)", 1, 1, 64);
	struct rte_eth_link link;

	assert_int_equal(rte_eth_dev_stop(port), 0);
	ddp_configure_by(port, 1, 1, 64, &conf);
	assert_int_equal(rte_eth_dev_start(port), 0);
	events_note(port);
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_equal(rte_eth_link_get_nowait(port, &link), 0);
		assert_int_equal(link.link_status, i % 2 == 0);
		testsrc_link(0, i % 2);
		assert_int_equal(n_seen[RTE_ETH_EVENT_INTR_LSC], i + 1);
		assert_int_equal(link_seen.link_status, i % 2);
	}
	ddp_restart(port);
	assert_int_equal(rte_eth_link_get_nowait(port, &link), 0);
	assert_int_equal(link.link_status, RTE_ETH_LINK_UP);
	assert_int_equal(rte_vdev_uninit("net_testsrc0"), 0);
	assert_int_equal(n_seen[RTE_ETH_EVENT_INTR_LSC], 5);
	assert_int_equal(link_seen.link_status, RTE_ETH_LINK_DOWN);
}

TEST(addresses_filters_and_link_are_the_lower_devices) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 1, 1, 64);
	struct rte_ether_addr addr = {{2, 0, 0, 0, 0, 7}}, table[3];
	struct rte_eth_link link;

	assert_int_equal(rte_eth_dev_mac_addr_add(port, &addr, 0), 0);
	assert_int_equal(rte_eth_macaddrs_get(LOWER_PORT, table, 3), 3);
	assert_true(rte_is_same_ether_addr(&table[1], &addr));
	ddp_restart(port); // ethdev adds it again
	assert_int_equal(rte_eth_dev_mac_addr_remove(port, &addr), 0);
	assert_int_equal(rte_eth_macaddrs_get(LOWER_PORT, table, 3), 3);
	assert_true(rte_is_zero_ether_addr(&table[1]));

	assert_int_equal(rte_eth_dev_vlan_filter(port, 5, 1), -ENOSYS); // not turned on
	assert_int_equal(rte_eth_dev_set_vlan_offload(port, RTE_ETH_VLAN_FILTER_OFFLOAD), 0);
	assert_int_equal(rte_eth_dev_get_vlan_offload(LOWER_PORT), RTE_ETH_VLAN_FILTER_OFFLOAD);
	assert_int_equal(rte_eth_dev_vlan_filter(port, 5, 1), 0);
	// Stripping would take bytes away that are hashed.
	assert_int_equal(rte_eth_dev_set_vlan_offload(port, RTE_ETH_VLAN_STRIP_OFFLOAD), -EINVAL);
	assert_int_equal(rte_eth_dev_set_vlan_offload(port, 0), 0);
	assert_int_equal(rte_eth_dev_get_vlan_offload(LOWER_PORT), 0);

	assert_int_equal(rte_eth_dev_set_link_down(port), 0);
	assert_int_equal(rte_eth_link_get_nowait(port, &link), 0);
	assert_int_equal(link.link_status, RTE_ETH_LINK_DOWN);
	assert_int_equal(rte_eth_dev_set_link_up(port), 0);
	assert_int_equal(rte_eth_link_get_nowait(port, &link), 0);
	assert_int_equal(link.link_status, RTE_ETH_LINK_UP);
}

// Bonding gives its ports one address; a capture cannot be told, and delivers everything anyway.
TEST(an_address_is_set_where_all_is_received) {
	struct rte_ether_addr addr = {{2, 0, 0, 0, 0, 9}}, now;
	uint16_t port = ddp_start("dev(net_testsrc0)", 1, 1, 64);

	assert_int_equal(rte_eth_dev_default_mac_addr_set(port, &addr), 0);
	assert_int_equal(rte_eth_dev_set_mc_addr_list(port, &addr, 1), 0);
	ddp_restart(port);
	assert_int_equal(rte_eth_macaddr_get(port, &now), 0);
	assert_true(rte_is_same_ether_addr(&now, &addr));
	ddp_end(port);
	port = ddp_start("dev(net_testsrc0,promisc=0)", 1, 1, 64);
	assert_int_equal(rte_eth_dev_default_mac_addr_set(port, &addr), -ENOTSUP);
	assert_int_equal(rte_eth_dev_set_mc_addr_list(port, &addr, 1), -ENOTSUP);
}

TEST(what_the_lower_device_can_beside_packets_is_passed_on) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 1, 2, 64);
	struct rte_eth_fc_conf set = {.high_water = 70, .pause_time = 5, .mode = RTE_ETH_FC_FULL};
	struct rte_eth_dev_module_info info;
	uint8_t bytes[16];
	struct rte_dev_eeprom_info eeprom = {.data = bytes, .length = sizeof(bytes)};
	struct rte_eth_fc_conf get;
	uint64_t clock;

	assert_int_equal(rte_eth_dev_flow_ctrl_set(port, &set), 0);
	assert_int_equal(rte_eth_dev_flow_ctrl_get(LOWER_PORT, &get), 0);
	assert_int_equal(get.high_water, 70);
	assert_int_equal(rte_eth_dev_flow_ctrl_get(port, &get), 0);
	assert_int_equal(get.pause_time, 5);
	assert_int_equal(rte_eth_dev_get_module_info(port, &info), 0);
	assert_int_equal(info.eeprom_len, 256);
	assert_int_equal(rte_eth_dev_get_module_eeprom(port, &eeprom), 0);
	assert_int_equal(bytes[15], 0x5a);
	assert_int_equal(rte_eth_read_clock(port, &clock), 0);
	assert_int_equal(clock, 123456789);
	assert_int_equal(rte_eth_dev_pool_ops_supported(port, "stack"), -ENOTSUP);
	assert_int_equal(rte_eth_dev_pool_ops_supported(port, "ring_mp_mc"), 0);
	assert_int_equal(rte_eth_tx_done_cleanup(port, 1, 3), 3); // of a shared lower queue
	assert_int_equal(rte_eth_dev_tx_queue_stop(port, 1), 0);
	assert_int_equal(rte_eth_tx_done_cleanup(port, 1, 3), -ENODEV);
}

// The port refuses settings without effect: see LIMITS in net_ddp(7).
TEST(what_is_not_supported_is_refused) {
	static const struct {
		const char *reason;
		struct rte_eth_conf conf;
	} rows[] = {
		{"RSS is the only multi-queue mode", {.rxmode.mq_mode = RTE_ETH_MQ_RX_DCB}},
		{"RSS is the only multi-queue mode", {.txmode.mq_mode = RTE_ETH_MQ_TX_VMDQ_ONLY}},
		{"RSS is the only multi-queue mode",
		 {.dcb_capability_en = RTE_ETH_DCB_PFC_SUPPORT}},
		{"loopback modes are not supported", {.lpbk_mode = 1}},
		{"VLAN tags are not inserted or rejected by port", {.txmode.pvid = 5}},
		{"VLAN tags are not inserted", {.txmode.hw_vlan_insert_pvid = 1}},
		{"VLAN tags are not inserted", {.txmode.hw_vlan_reject_tagged = 1}},
		{"VLAN tags are not inserted", {.txmode.hw_vlan_reject_untagged = 1}},
	};
	const struct rte_eth_conf usual = {0};
	struct rte_ether_addr addr = {{2, 0, 0, 0, 0, 7}};
	int port = ddp_probe("dev(net_testsrc0)");
	struct rte_eth_pfc_conf pfc = {0};
	char log[300];

	for (unsigned int i = 0; i < RTE_DIM(rows); i++) {
		assert_int_equal(logged(log, rte_eth_dev_configure(port, 1, 1, &rows[i].conf)),
				 -ENOTSUP);
		assert_non_null(strstr(log, rows[i].reason));
	}
	assert_int_equal(rte_eth_dev_configure(port, 1, 1, &usual), 0);
	assert_int_equal(rte_eth_dev_mac_addr_add(port, &addr, 1), -ENOTSUP); // to a VMDq pool
	assert_int_equal(rte_eth_dev_priority_flow_ctrl_set(port, &pfc), -ENOTSUP);
	assert_int_equal(rte_eth_dev_set_vlan_pvid(port, 5, 1), -ENOTSUP);
	assert_int_equal(rte_eth_timesync_enable(port), -ENOTSUP);
	assert_int_equal(rte_eth_led_on(port), -ENOTSUP);
	assert_int_equal(rte_eth_dev_get_eeprom_length(port), -ENOTSUP);
}

TEST(packet_types_are_listed_layer_by_layer) {
	uint16_t port = ddp_start("dev(net_testsrc0),profile=gtpu", 1, 1, 64);
	uint32_t ptypes[16], set[16];
	struct rte_mbuf *mbuf;

	assert_int_equal(rte_eth_dev_get_supported_ptypes(port, RTE_PTYPE_TUNNEL_MASK, ptypes, 16),
			 1);
	assert_int_equal(ptypes[0], RTE_PTYPE_TUNNEL_GTPU);
	assert_int_equal(
		rte_eth_dev_get_supported_ptypes(port, RTE_PTYPE_INNER_L3_MASK, ptypes, 16), 2);
	assert_int_equal(ptypes[0], RTE_PTYPE_INNER_L3_IPV4_EXT_UNKNOWN);
	assert_int_equal(ptypes[1], RTE_PTYPE_INNER_L3_IPV6_EXT_UNKNOWN);
	assert_in_range(rte_eth_dev_get_supported_ptypes(port, RTE_PTYPE_L4_MASK, ptypes, 16), 3,
			15);

	// All, only L3, and all again.
	for (unsigned int i = 0; i < 3; i++) {
		static const uint32_t masks[] = {0, RTE_PTYPE_L3_MASK, RTE_PTYPE_ALL_MASK};

		assert_int_equal(rte_eth_dev_set_ptypes(port, masks[i], set, 16), 0);
		packets_feed(0, 0, 1, 1);
		assert_int_equal(rte_eth_rx_burst(port, 0, &mbuf, 1), 1);
		assert_int_equal(mbuf->packet_type, i == 1 ? RTE_PTYPE_L3_IPV4_EXT_UNKNOWN :
							     RTE_PTYPE_L2_ETHER |
								     RTE_PTYPE_L3_IPV4_EXT_UNKNOWN |
								     RTE_PTYPE_L4_UDP);
		rte_pktmbuf_free(mbuf);
	}
}

TEST(the_firmware_is_the_profiles) {
	char version[64];
	uint16_t port;
	int len;

	port = ddp_start("dev(net_testsrc0),profile=gtpu+vxlan", 1, 1, 64);
	assert_int_equal(rte_eth_dev_fw_version_get(port, version, sizeof(version)), 0);
	assert_string_equal(version, "gtpu 1.0.0+vxlan 1.0.0");
	len = strlen(version) + 1;
	assert_int_equal(rte_eth_dev_fw_version_get(port, version, 4), len);
	assert_string_equal(version, "gtp");
	assert_int_equal(rte_eth_dev_fw_version_get(port, NULL, 0), len);
	ddp_end(port);
	port = ddp_start("dev(net_testsrc0)", 1, 1, 64);
	assert_int_equal(rte_eth_dev_fw_version_get(port, version, sizeof(version)), 0);
	assert_string_equal(version, "base 1.0.0");
}

// ethdev takes all queues away when it cannot configure a port. Then rules would need queues that
// there are not, and nothing could be changed, not even those rules.
TEST(rules_outlive_a_failed_configure) {
	struct rte_eth_conf conf = {.rxmode.mq_mode = RTE_ETH_MQ_RX_DCB};
	uint16_t port = ddp_start("dev(net_testsrc0)", 4, 1, 64);
	const struct rte_flow_item *all = ITEMS(ITEM(ETH));
	struct rte_flow *first = rule_create(port, all, ACTIONS(TO_QUEUE(3)));

	rule_create_at(port, 1, all, ACTIONS(TO_QUEUE(2)));
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_not_equal(rte_eth_dev_configure(port, 4, 1, &conf), 0);
	assert_int_equal(rte_pmd_ddp_profile_add(port, "gtpu", NULL, 0), 0);
	rule_destroy(port, first);
	assert_int_equal(rte_pmd_ddp_profile_del(port, "gtpu", NULL, 0), 0);
	rule_refused(port, &ingress, all, ACTIONS(TO_QUEUE(2)), EINVAL,
		     "the port has no such Rx queue"); // now
	ddp_configure(port, 3, 1, 64, RTE_ETH_RSS_IP);
	assert_int_equal(rte_eth_dev_start(port), 0);
	packets_pass(port, 3, 8);
	assert_int_equal(xstat(port, "rx_q2_packets"), 8);
}

TEST(a_port_works_as_before_once_it_is_configured_so_again) {
	uint16_t port = ddp_start("dev(net_testsrc0,paired=1)", 1, 1, 64);
	struct rte_eth_conf conf = {0};

	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_true(rte_eth_dev_configure(port, 0, 1, &conf) != 0); // the lower device refuses
	ddp_configure(port, 1, 1, 64, RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP);
	assert_int_equal(rte_eth_dev_start(port), 0);
	packets_pass(port, 1, 8);
}

static unsigned int xstats_named(uint16_t port, const char *prefix) {
	struct rte_eth_xstat_name names[512];
	int n = rte_eth_xstats_get_names(port, names, RTE_DIM(names));
	unsigned int n_named = 0;

	assert_in_range(n, 1, RTE_DIM(names));
	for (int i = 0; i < n; i++)
		n_named += strncmp(names[i].name, prefix, strlen(prefix)) == 0;
	return n_named;
}

TEST(each_queue_has_statistics_and_no_other) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 3, 2, 64);

	assert_int_equal(xstats_named(port, "rx_q"), 3 * 3);
	assert_int_equal(xstats_named(port, "rx_q2_"), 3);
	assert_int_equal(xstats_named(port, "tx_q"), 2 * 2);
	assert_int_equal(xstats_named(port, "tx_q1_"), 2);
}

// By the same id as the name. Types of profiles come behind them, so that their ids stay.
static uint64_t xstat_by_id(uint16_t port, const char *name) {
	uint64_t id, value = 0;
	struct rte_eth_xstat_name again;

	assert_int_equal(rte_eth_xstats_get_id_by_name(port, name, &id), 0);
	assert_int_equal(rte_eth_xstats_get_names_by_id(port, &again, 1, &id), 1);
	assert_string_equal(again.name, name);
	assert_int_equal(rte_eth_xstats_get_by_id(port, &id, &value, 1), 1);
	return value;
}

TEST(statistics_of_the_lower_device_have_its_names) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 2, 1, 64);
	struct rte_eth_stats stats;
	uint64_t id, later;

	packets_pass(port, 2, 8);
	assert_int_equal(rte_eth_stats_get(LOWER_PORT, &stats), 0);
	assert_int_equal(xstats_named(port, "lower_"),
			 rte_eth_xstats_get_names(LOWER_PORT, NULL, 0));
	assert_int_equal(xstat_by_id(port, "lower_rx_good_packets"), stats.ipackets);
	assert_int_equal(xstat_by_id(port, "lower_rx_missed_errors"), 7);
	assert_int_equal(xstat_by_id(port, "lower_rx_pauses"), 9);
	assert_int_equal(rte_eth_xstats_get_id_by_name(port, "lower_rx_pauses", &id), 0);
	assert_int_equal(rte_pmd_ddp_profile_add(port, "gtpu", NULL, 0), 0);
	assert_int_equal(rte_eth_xstats_get_id_by_name(port, "lower_rx_pauses", &later), 0);
	assert_int_equal(id, later);
	assert_int_equal(rte_eth_xstats_reset(port), 0);
	assert_int_equal(xstat_by_id(port, "lower_rx_pauses"), 0);
	assert_int_equal(rte_vdev_uninit("net_testsrc0"), 0);
	assert_int_equal(xstats_named(port, "lower_"), 0);
}

// An application's array may be too small for all of them: nothing is written behind it.
TEST(extended_statistics_stay_in_their_array) {
	uint16_t port = ddp_start("dev(net_testsrc0)", N_QUEUES, 1, 512);
	struct rte_eth_dev *dev = &rte_eth_devices[port];
	int n = dev->dev_ops->xstats_get(dev, NULL, 0);
	struct rte_eth_xstat *values = calloc(n + 1, sizeof(*values));

	assert_true(n > 0);
	assert_non_null(values);
	for (int size = 0; size <= n; size++) {
		values[size].value = UINT64_MAX;
		assert_int_equal(dev->dev_ops->xstats_get(dev, values, size), n);
		assert_true(values[size].value == UINT64_MAX);
	}
	free(values);
}

// Open vSwitch makes another mempool when the number of Rx queues changes. net_pcap, which reads
// its capture when its queue is set up, refuses to be set up again; the port goes on all the same.
// (net_pcap keeps some memory of its own, so leaks are not looked for here.)
TEST_WITH(a_capture_played_for_ever_survives_another_number_of_queues, unchecked, unchecked) {
	struct rte_mempool *other = rte_pktmbuf_pool_create("other", 1023, 0, 0, 2048 + 128, 0);
	struct {
		uint32_t header[6], record[4];
		uint8_t bytes[48];
	} capture = {{0xa1b2c3d4, 0x00040002, 0, 0, 65535, 1}, {0, 0, 48, 48}, {0}};
	struct rte_mbuf *mbuf = packet(0, 0);
	char devargs[600];
	struct rte_eth_conf conf = {
		.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS,
		.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP,
	};
	unsigned int n = 0;
	uint16_t port;

	assert_non_null(other);
	memcpy(capture.bytes, rte_pktmbuf_mtod(mbuf, void *), mbuf->pkt_len);
	rte_pktmbuf_free(mbuf);
	scratch_write("endless.pcap", &capture, sizeof(capture));
	snprintf(devargs, sizeof(devargs), "dev(net_pcap0,rx_pcap=%s,infinite_rx=1)",
		 scratch_path("endless.pcap"));
	port = ddp_start(devargs, N_QUEUES, 1, 512);
	while (n < 2 * N_FLOWS)
		n += poll_all(port, N_QUEUES, NULL);
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(rte_eth_dev_configure(port, 2, 1, &conf), 0);
	for (uint16_t q = 0; q < 2; q++)
		assert_int_equal(rte_eth_rx_queue_setup(port, q, 512, 0, NULL, other), 0);
	assert_int_equal(rte_eth_tx_queue_setup(port, 0, 512, 0, NULL), 0);
	assert_int_equal(rte_eth_dev_start(port), 0);
	n = 0;
	for (unsigned int i = 0; n < 2 * N_FLOWS; i++) {
		if (rte_eth_rx_burst(port, i % 2, &mbuf, 1) == 0)
			continue;
		assert_ptr_equal(mbuf->pool, other);
		rte_pktmbuf_free(mbuf);
		n++;
	}
	ddp_end(port);
	rte_mempool_free(other);
}

GROUP(port_setup, NULL)
EACH(leak_setup, end)
