/* SPDX-License-Identifier: BSD-3-Clause */
// Answers plugin/port/exchange/port_personality.c and tunnel_attach(): UDP ports declared at run
// time.
#include "fake_nic.h"
#include "harness.h"

#include <errno.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_mbuf_dyn.h>

#define UDP_PORT 53 // of all packets of the harness

static int add(uint16_t port, uint8_t type, uint16_t udp_port) {
	struct rte_eth_udp_tunnel tunnel = {.prot_type = type, .udp_port = udp_port};

	return rte_eth_dev_udp_tunnel_port_add(port, &tunnel);
}

static int del(uint16_t port, uint8_t type, uint16_t udp_port) {
	struct rte_eth_udp_tunnel tunnel = {.prot_type = type, .udp_port = udp_port};

	return rte_eth_dev_udp_tunnel_port_delete(port, &tunnel);
}

// The packet type of a packet whose UDP payload begins with this byte, and zeros.
static void assert_type(uint16_t port, uint8_t first, const char *expected) {
	struct rte_mbuf *mbuf = packet(0, rte_cpu_to_le_32(first)); // seq is the payload
	char name[64];

	memset(rte_pktmbuf_append(mbuf, 100), 0, 100);
	testsrc_feed(0, 0, &mbuf, 1);
	assert_int_equal(rte_eth_rx_burst(port, 0, &mbuf, 1), 1);
	assert_true(rte_pmd_ddp_ptype_name(port, meta_of(mbuf)->ptype_id, name, sizeof(name)) > 0);
	assert_string_equal(name, expected);
	rte_pktmbuf_free(mbuf);
}

TEST(a_declared_port_leads_to_its_tunnel) {
	static const struct {
		uint8_t type, first;
		const char *name;
	} rows[] = {
		{RTE_ETH_TUNNEL_TYPE_VXLAN, 0x08, "VXLAN"},
		{RTE_ETH_TUNNEL_TYPE_VXLAN_GPE, 0x0c, "VXLAN_GPE"},
		{RTE_ETH_TUNNEL_TYPE_GENEVE, 0, "GENEVE"},
		{RTE_ETH_TUNNEL_TYPE_ECPRI, 0x10, "ECPRI_UDP"},
	};
	uint16_t port =
		ddp_start("dev(net_testsrc0),profile=vxlan+vxlan-gpe+geneve+ecpri", 1, 1, 64);

	for (unsigned int i = 0; i < RTE_DIM(rows); i++) {
		assert_type(port, rows[i].first, "IPV4_UDP");
		assert_int_equal(add(port, rows[i].type, UDP_PORT), 0);
		assert_type(port, rows[i].first, rows[i].name);
		// Another port of the same tunnel changes nothing for this one.
		assert_int_equal(add(port, rows[i].type, 1), 0);
		assert_type(port, rows[i].first, rows[i].name);
		ddp_restart(port);
		assert_type(port, rows[i].first, rows[i].name);
		assert_int_equal(del(port, rows[i].type, UDP_PORT), 0);
		assert_type(port, rows[i].first, "IPV4_UDP");
		assert_int_equal(del(port, rows[i].type, 1), 0);
	}
}

TEST(refusals_change_nothing) {
	uint16_t port = ddp_start("dev(net_testsrc0),profile=vxlan+geneve", 1, 1, 64);

	assert_int_equal(del(port, RTE_ETH_TUNNEL_TYPE_VXLAN, UDP_PORT), -ENOENT);
	assert_int_equal(add(port, RTE_ETH_TUNNEL_TYPE_VXLAN, UDP_PORT), 0);
	assert_int_equal(add(port, RTE_ETH_TUNNEL_TYPE_VXLAN, UDP_PORT), -EEXIST);
	assert_int_equal(add(port, RTE_ETH_TUNNEL_TYPE_GENEVE, UDP_PORT), -EEXIST);
	assert_int_equal(add(port, RTE_ETH_TUNNEL_TYPE_GENEVE, 4789), -EINVAL); // the profile's own
	assert_int_equal(add(port, RTE_ETH_TUNNEL_TYPE_ECPRI, 7000), -ENOTSUP);
	assert_int_equal(add(port, RTE_ETH_TUNNEL_TYPE_TEREDO, 7000), -ENOTSUP);
	assert_int_equal(del(port, RTE_ETH_TUNNEL_TYPE_TEREDO, 7000), -ENOTSUP);
	assert_int_equal(del(port, RTE_ETH_TUNNEL_TYPE_GENEVE, UDP_PORT), -ENOENT);
	assert_type(port, 0x08, "VXLAN");
	// What the profile says itself may be said again, and stays.
	assert_int_equal(add(port, RTE_ETH_TUNNEL_TYPE_VXLAN, 4789), 0);
	assert_int_equal(del(port, RTE_ETH_TUNNEL_TYPE_VXLAN, 4789), 0);
	assert_int_equal(add(port, RTE_ETH_TUNNEL_TYPE_GENEVE, 4789), -EINVAL);
}

// The lower device is to hash all of it, and does not take the rules: the tunnel stays declared.
TEST(a_delete_that_fails_changes_nothing) {
	uint16_t port = ddp_start(
		"dev(net_testsrc0,nic=2),profile=gtpu+vxlan,offload=require:ice-comms", 1, 1, 64);
	struct fake_nic *nic = testsrc_nic(0);

	assert_int_equal(add(port, RTE_ETH_TUNNEL_TYPE_VXLAN, 1000), 0);
	assert_int_equal(add(port, RTE_ETH_TUNNEL_TYPE_VXLAN, UDP_PORT), 0);
	nic->fail_at = nic->n_created + 1;
	assert_true(del(port, RTE_ETH_TUNNEL_TYPE_VXLAN, UDP_PORT) < 0);
	assert_type(port, 0x08, "VXLAN");
	assert_int_equal(add(port, RTE_ETH_TUNNEL_TYPE_VXLAN, UDP_PORT), -EEXIST);
	assert_int_equal(del(port, RTE_ETH_TUNNEL_TYPE_VXLAN, UDP_PORT), 0);
	assert_type(port, 0x08, "IPV4_UDP");
}

TEST(as_many_ports_as_there_is_room_for) {
	uint16_t port = ddp_start("dev(net_testsrc0),profile=vxlan", 1, 1, 64);
	unsigned int n = 0;
	int ret;

	while ((ret = add(port, RTE_ETH_TUNNEL_TYPE_VXLAN, 1000 + n)) == 0)
		n++;
	assert_int_equal(ret, -ENOSPC);
	assert_int_equal(n, 64);
	assert_int_equal(del(port, RTE_ETH_TUNNEL_TYPE_VXLAN, 1000), 0);
	assert_int_equal(add(port, RTE_ETH_TUNNEL_TYPE_VXLAN, UDP_PORT), 0);
	assert_type(port, 0x08, "VXLAN");
}

TEST(a_port_waits_for_the_profile_to_come_back) {
	uint16_t port = ddp_start("dev(net_testsrc0),profile=geneve+vxlan", 1, 1, 64);
	char error[256];

	assert_int_equal(add(port, RTE_ETH_TUNNEL_TYPE_VXLAN, UDP_PORT), 0);
	assert_type(port, 0x08, "VXLAN");
	assert_int_equal(rte_pmd_ddp_profile_del(port, "vxlan", error, sizeof(error)), 0);
	assert_type(port, 0x08, "IPV4_UDP");
	assert_int_equal(rte_pmd_ddp_profile_add(port, "vxlan", error, sizeof(error)), 0);
	assert_type(port, 0x08, "VXLAN");
}

PORT_TESTS(leak_setup)
