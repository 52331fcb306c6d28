/* SPDX-License-Identifier: BSD-3-Clause */
// UDP ports declared at run time, and packet types of port and application.
#include <errno.h>

#include <rte_byteorder.h>

#include "fake_nic.h"
#include "port_rules.h"

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
	struct rte_mbuf *mbuf = packet(0, (uint32_t)first << 24); // seq is the payload
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
	// A port that the profile itself names may be added, and stays.
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

	assert_int_equal(add(port, RTE_ETH_TUNNEL_TYPE_VXLAN, UDP_PORT), 0);
	assert_int_equal(rte_pmd_ddp_profile_del(port, "vxlan", NULL, 0), 0);
	assert_type(port, 0x08, "IPV4_UDP");
	assert_int_equal(rte_pmd_ddp_profile_add(port, "vxlan", NULL, 0), 0);
	assert_type(port, 0x08, "VXLAN");
}

#define OWN UINT32_C(0x80000123) // a packet type of the application's own
#define N_MAX 200

#define MINE                                                           \
	"profile: mine\nrequires: [base]\n"                            \
	"headers: {mine: {after: udp(dport=53), layout: number:32}}\n" \
	"packet_types: {MINE: {path: link ipv4 udp mine, rss: mine.number}}\n"

static uint32_t packet_type(uint16_t port) {
	struct rte_mbuf *mbuf;
	uint32_t packet_type;

	packets_feed(0, 0, 1, 1);
	assert_int_equal(rte_eth_rx_burst(port, 0, &mbuf, 1), 1);
	packet_type = mbuf->packet_type;
	rte_pktmbuf_free(mbuf);
	return packet_type;
}

static const struct rte_pmd_ddp_ptype *ptype_of(uint16_t port, const char *name) {
	static struct rte_pmd_ddp_ptype ptypes[N_MAX];
	int n = rte_pmd_ddp_ptypes_get(port, ptypes, N_MAX);

	assert_in_range(n, 1, N_MAX);
	for (int i = 0; i < n; i++)
		if (strcmp(ptypes[i].name, name) == 0)
			return &ptypes[i];
	fail_msg("no packet type %s", name);
	return NULL;
}

static int map(uint16_t port, const char *name, uint32_t rte_ptype, bool exclusive) {
	const struct rte_pmd_ddp_ptype_mapping item = {ptype_of(port, name)->id, rte_ptype};

	return rte_pmd_ddp_ptype_mapping_update(port, &item, 1, exclusive);
}

static unsigned int count(uint16_t port, uint32_t rte_ptype) {
	struct rte_pmd_ddp_ptype_mapping items[N_MAX];
	int n = rte_pmd_ddp_ptype_mapping_get(port, items, N_MAX);
	unsigned int found = 0;

	assert_in_range(n, 1, N_MAX);
	for (int i = 0; i < n; i++)
		found += items[i].rte_ptype == rte_ptype;
	return found;
}

TEST(a_mapped_type_has_what_it_is_mapped_to) {
	uint16_t port = profile_start(NULL, 1);
	uint32_t found = packet_type(port), ptypes[N_MAX];
	unsigned int n = rte_pmd_ddp_ptype_mapping_get(port, NULL, 0);

	assert_int_equal(found & RTE_PTYPE_L4_MASK, RTE_PTYPE_L4_UDP);
	assert_int_equal(map(port, "IPV4_TCP", OWN, false), 0);
	assert_int_equal(packet_type(port), found); // another type
	assert_int_equal(map(port, "IPV4_UDP", RTE_PTYPE_TUNNEL_VXLAN, false), 0);
	assert_int_equal(packet_type(port), RTE_PTYPE_TUNNEL_VXLAN);
	assert_int_equal(ptype_of(port, "IPV4_UDP")->rte_ptype, RTE_PTYPE_TUNNEL_VXLAN);
	assert_int_equal(map(port, "IPV4_UDP", RTE_PTYPE_UNKNOWN, false), 0);
	assert_int_equal(packet_type(port), RTE_PTYPE_UNKNOWN);
	assert_int_equal(rte_pmd_ddp_ptype_mapping_reset(port), 0);
	assert_int_equal(packet_type(port), found);
	assert_int_equal(count(port, RTE_PTYPE_UNKNOWN), 0);
	// An exclusive update leaves no other, and no other is supported.
	assert_int_equal(map(port, "IPV4_TCP", RTE_PTYPE_TUNNEL_VXLAN, true), 0);
	assert_int_equal(count(port, RTE_PTYPE_TUNNEL_VXLAN), 1);
	assert_int_equal(count(port, RTE_PTYPE_UNKNOWN), n - 1);
	assert_int_equal(packet_type(port), RTE_PTYPE_UNKNOWN);
	assert_int_equal(rte_eth_dev_get_supported_ptypes(port, RTE_PTYPE_ALL_MASK, ptypes, N_MAX),
			 1);
	assert_int_equal(ptypes[0], RTE_PTYPE_TUNNEL_VXLAN);
	assert_int_equal(rte_pmd_ddp_ptype_mapping_update(port, NULL, 0, true), 0);
	assert_int_equal(count(port, RTE_PTYPE_UNKNOWN), n);
}

TEST(types_are_replaced_by_value_or_by_mask) {
	uint16_t port = profile_start(NULL, 1);
	uint32_t udp = ptype_of(port, "IPV4_UDP")->rte_ptype;
	unsigned int n = count(port, udp);

	assert_true(n > 0);
	assert_int_equal(rte_pmd_ddp_ptype_mapping_replace(port, udp, false, OWN), 0);
	assert_int_equal(count(port, udp), 0);
	assert_int_equal(count(port, OWN), n);
	assert_int_equal(packet_type(port), OWN);
	// Now from the values that replaced them; RTE_PTYPE_L4_UDP alone matches none.
	assert_int_equal(rte_pmd_ddp_ptype_mapping_replace(port, OWN, false, udp), 0);
	assert_int_equal(rte_pmd_ddp_ptype_mapping_replace(port, RTE_PTYPE_L4_UDP, false, OWN), 0);
	assert_int_equal(count(port, OWN), 0);
	assert_int_equal(rte_pmd_ddp_ptype_mapping_replace(port, RTE_PTYPE_L4_UDP, true, OWN), 0);
	assert_int_equal(ptype_of(port, "IPV4_UDP")->rte_ptype, OWN);
	assert_int_equal(ptype_of(port, "IPV6_UDP")->rte_ptype, OWN);
	assert_int_not_equal(ptype_of(port, "IPV4_TCP")->rte_ptype, OWN);
}

TEST(what_is_no_type_is_refused) {
	const struct rte_pmd_ddp_ptype_mapping items[] = {{1, OWN}, {9999, OWN}};
	const struct rte_pmd_ddp_ptype_mapping none = {0, OWN};
	uint16_t port = profile_start(NULL, 1);
	uint32_t found = packet_type(port);

	assert_int_equal(rte_pmd_ddp_ptype_mapping_update(port, items, 2, false), -EINVAL);
	assert_int_equal(rte_pmd_ddp_ptype_mapping_update(port, &none, 1, false), -EINVAL);
	assert_int_equal(map(port, "IPV4_UDP", UINT32_C(0x10000000), false), -EINVAL);
	assert_int_equal(map(port, "IPV4_UDP", UINT32_C(0x70000000), true), -EINVAL);
	assert_int_equal(rte_pmd_ddp_ptype_mapping_replace(port, UINT32_C(0x40000000), false, 0),
			 -EINVAL);
	assert_int_equal(rte_pmd_ddp_ptype_mapping_replace(port, 0, true, UINT32_C(0x40000000)),
			 -EINVAL);
	assert_int_equal(count(port, OWN), 0);
	assert_int_equal(packet_type(port), found);
	assert_int_equal(rte_pmd_ddp_ptype_mapping_get(77, NULL, 0), -ENODEV);
	assert_int_equal(rte_pmd_ddp_ptype_mapping_update(77, items, 1, false), -ENODEV);
	assert_int_equal(rte_pmd_ddp_ptype_mapping_replace(77, 0, false, 0), -ENODEV);
	assert_int_equal(rte_pmd_ddp_ptype_mapping_reset(77), -ENODEV);
}

TEST(a_mapping_outlives_the_profile) {
	uint16_t port = profile_start(NULL, 1);
	uint32_t found = packet_type(port);

	assert_int_equal(map(port, "IPV4_UDP", RTE_PTYPE_L4_SCTP, false), 0);
	assert_int_equal(rte_pmd_ddp_profile_add_text(port, MINE, strlen(MINE), NULL, 0), 0);
	assert_int_equal(packet_type(port), found); // MINE, which is not mapped
	assert_int_equal(map(port, "MINE", OWN, false), 0);
	assert_int_equal(packet_type(port), OWN);
	assert_int_equal(rte_pmd_ddp_profile_del(port, "mine", NULL, 0), 0);
	assert_int_equal(packet_type(port), RTE_PTYPE_L4_SCTP);
	assert_int_equal(rte_pmd_ddp_profile_add_text(port, MINE, strlen(MINE), NULL, 0), 0);
	assert_int_equal(packet_type(port), OWN);
}

PORT_TESTS(leak_setup)
