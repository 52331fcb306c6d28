/* SPDX-License-Identifier: BSD-3-Clause */
// Answers plugin/port/lower/attach.c: an application's ports have the ids 0 to n - 1, and it
// learns nothing of how.
#include "harness.h"

#include <stdio.h>
#include <string.h>

#include <rte_bus_vdev.h>
#include <rte_dev.h>

#include "port/state/port.h"

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

TEST(a_port_that_is_taken_over_keeps_its_id) {
	assert_int_equal(rte_vdev_init("net_testsrc0", ""), 0);
	assert_int_equal(port_make(0, "dev(net_testsrc0)"), 0);
	assert_int_equal(port_id_of("net_testsrc0"), 0);
	assert_int_equal(port_id_of("net_ddp0"), 1);
	port_end("net_ddp0");
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

TEST(a_refused_probe_holds_nothing) {
	assert_int_equal(ddp_probe("dev(net_testsrc0,fail=1)"), -1);
	assert_int_equal(rte_vdev_init("net_testsrc1", ""), 0);
	assert_int_equal(port_id_of("net_testsrc1"), 0);
	port_end("net_testsrc1");
}

/* More ports than there are ids */

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

/* What an application sees */

struct seen {
	uint16_t made[8], gone[8];
	unsigned int n_made, n_gone, n_valid;
};

static int made_note(uint16_t port, enum rte_eth_event_type type, void *arg, void *ret) {
	struct seen *seen = arg;

	assert_true(seen->n_made < RTE_DIM(seen->made));
	seen->made[seen->n_made++] = port;
	seen->n_valid = RTE_MAX(seen->n_valid, rte_eth_dev_count_total());
	return 0;
}

static int gone_note(uint16_t port, enum rte_eth_event_type type, void *arg, void *ret) {
	struct seen *seen = arg;

	assert_true(seen->n_gone < RTE_DIM(seen->gone));
	seen->gone[seen->n_gone++] = port;
	return 0;
}

TEST(nothing_is_told_of_the_ids_that_are_held) {
	struct seen seen = {0};

	rte_eth_dev_callback_register(RTE_ETH_ALL, RTE_ETH_EVENT_NEW, made_note, &seen);
	rte_eth_dev_callback_register(RTE_ETH_ALL, RTE_ETH_EVENT_DESTROY, gone_note, &seen);
	assert_int_equal(port_make(0, "dev(net_testsrc0)"), 0);
	assert_int_equal(seen.n_made, 2);
	assert_int_equal(seen.made[0], DDP_LOWER_ID_MIN);
	assert_int_equal(seen.made[1], 0);
	assert_in_range(seen.n_valid, 0, 2);
	assert_int_equal(seen.n_gone, 0);
	port_end("net_ddp0");
	assert_int_equal(seen.n_made, 2);
	assert_int_equal(seen.n_gone, 2);
	assert_int_equal(seen.gone[0] + seen.gone[1], DDP_LOWER_ID_MIN);
	rte_eth_dev_callback_unregister(RTE_ETH_ALL, RTE_ETH_EVENT_NEW, made_note, &seen);
	rte_eth_dev_callback_unregister(RTE_ETH_ALL, RTE_ETH_EVENT_DESTROY, gone_note, &seen);
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

PORT_TESTS(leak_setup)
