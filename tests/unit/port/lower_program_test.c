/* SPDX-License-Identifier: BSD-3-Clause */
// Packets of which NIC and profile disagree among good ones, and rules of the NIC that come and go.
#include "harness.h"

#include <rte_log.h>
#include <rte_thash.h>

#include "fake_nic.h"
#include "package/small_package.h"
#include "port/exchange/exchange.h"
#include "port/lower/lower.h"
#include "port/state/control.h"
#include "port_rules.h"

#define OS "dev(net_testsrc0,nic=1),overflow=wait,offload=auto:ice-os"
#define COMMS "dev(net_testsrc0,nic=2),profile=gtpu,overflow=wait,offload=auto:ice-comms"
#define REQUIRED "dev(net_testsrc0,nic=2),profile=gtpu,offload=require:ice-comms"

#define N_FLOWS 64
#define UDP_PTYPE (RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4_EXT_UNKNOWN | RTE_PTYPE_L4_UDP)

static const struct {
	enum fake_nic_kind fake;
	const char *kind;
} all_nics[] = {
	{FAKE_NIC_OS, "generic"}, {FAKE_NIC_OS, "ice-os"}, {FAKE_NIC_COMMS, "ice-comms"},
	{FAKE_NIC_IAVF, "iavf"},  {FAKE_NIC_I40E, "i40e"}, {FAKE_NIC_MLX5, "mlx5"},
};

static uint16_t kind_start(unsigned int i) {
	char devargs[100];
	uint16_t port;

	snprintf(devargs, sizeof(devargs), "dev(net_testsrc0,nic=%u),overflow=wait,offload=auto:%s",
		 all_nics[i].fake, all_nics[i].kind);
	port = ddp_start(devargs, N_QUEUES, 1, 512);
	testsrc_nic(0)->credulous = true;
	return port;
}

// UDP for a credulous NIC, but not for the profile: the packet ends in its header. Where it ends
// before the ports, the NIC hashes zeros, which do not change the hash.
static struct rte_mbuf *cut_packet(unsigned int flow, bool ports) {
	struct rte_mbuf *mbuf = packet(flow, 0);

	if (!ports)
		memset(rte_pktmbuf_mtod_offset(mbuf, uint8_t *, 34), 0, 4);
	rte_pktmbuf_trim(mbuf, rte_pktmbuf_data_len(mbuf) - (ports ? 38 : 34));
	mbuf->vlan_tci_outer = 1; // an unused field
	return mbuf;
}

struct tally {
	unsigned int good, hashed; // good packets, and of them by the NIC
	unsigned int cut_udp;      // cut packets that are UDP for the application
	unsigned int wrong;        // good packets with a wrong hash
};

static void tally_add(struct tally *tally, const uint8_t *key, const struct rte_mbuf *mbuf) {
	const unsigned int flow = packet_flow(mbuf);
	uint32_t input[] = {flow_src(flow), FLOW_DST, flow_sport(flow) << 16 | 53};
	uint32_t words[RTE_DIM(input) + 1]; // of the key: rte_softrss() wants it aligned
	bool parsed = rte_pmd_ddp_meta_is_parsed(meta_of(mbuf));

	if (mbuf->vlan_tci_outer != 0) {
		tally->cut_udp += mbuf->packet_type == UDP_PTYPE;
		return;
	}
	tally->good++;
	tally->hashed += !parsed;
	memcpy(words, key, sizeof(words));
	tally->wrong +=
		mbuf->hash.rss != rte_softrss(input, RTE_DIM(input), (const uint8_t *)words);
}

#define INTERVAL 2560 // packets

// Let n packets come, about one in so many of them cut (0: none). After each INTERVAL, check for
// mismatches as an alarm does ten times a second, and verify a burst.
static struct tally flow_run(uint16_t port_id, unsigned int n, unsigned int one_in, bool ports) {
	struct ddp_port *ddp = rte_eth_devices[port_id].data->dev_private;
	struct tally tally = {0};
	uint32_t random = 1;

	for (unsigned int i = 0; i < n;) {
		for (unsigned int k = 0; k < 512; k++, i++) {
			const bool cut = one_in != 0 && (random >> 16) % one_in == 0;

			packet_feed(0,
				    cut ? cut_packet(i % N_FLOWS, ports) : packet(i % N_FLOWS, i));
			random = random * 1664525 + 1013904223;
		}
		for (unsigned int q = 0, got = 0; got < 512; q++) {
			uint16_t m = rx(port_id, q % N_QUEUES);

			for (uint16_t k = 0; k < m; k++)
				tally_add(&tally, ddp->rss.key, mbufs[k]);
			rte_pktmbuf_free_bulk(mbufs, m);
			got += m;
		}
		if (i % INTERVAL != 0)
			continue;
		ddp = ddp_registry_get(port_id);
		ddp_hw_ptypes_watch(ddp);
		ddp->lower_rxqs[0].n_bursts = DDP_PROOF_STRIDE - 1;
		ddp_registry_put(ddp);
	}
	assert_int_equal(tally.wrong, 0);
	return tally;
}

static double share(const struct tally *tally) {
	return (double)tally->hashed / tally->good;
}

static struct ddp_hw_ptype udp_ptype(uint16_t port_id) {
	struct ddp_port *port = ddp_registry_get(port_id);
	const struct ddp_hw_ptype *found = ddp_hw_ptypes_find(port->hw_ptypes, UDP_PTYPE);
	struct ddp_hw_ptype ptype;

	assert_non_null(found);
	ptype = *found;
	ddp_registry_put(port);
	return ptype;
}

static void other_type_check(unsigned int nic) {
	static const unsigned int one_in[] = {2, 256};

	for (unsigned int k = 0; k < RTE_DIM(one_in); k++) {
		uint16_t port = kind_start(nic);
		struct ddp_hw_ptype ptype;
		struct tally tallies[3];

		flow_run(port, 512, one_in[k], false); // they do not disturb the proof
		assert_int_equal(udp_ptype(port).unproven, 0);
		tallies[0] = flow_run(port, INTERVAL, 0, false);
		tallies[1] = flow_run(port, 4 * INTERVAL, one_in[k], false);
		tallies[2] = flow_run(port, INTERVAL, 0, false);
		for (unsigned int t = 0; t < 3; t++)
			assert_true(share(&tallies[t]) > 0.98);
		// The NIC's type, but the profile's for those that are verified.
		assert_true(tallies[1].cut_udp > 4 * INTERVAL / one_in[k] * 2 / 3);
		ptype = udp_ptype(port);
		assert_int_equal(ptype.wrong, 0);
		assert_true(ptype.other > 0);
		assert_int_equal(mismatched(port), 0);
		ddp_end(port);
	}
}

// Most of what anyone can send to make NIC and profile disagree: the hash is the same.
TEST(packets_of_another_type_do_not_end_the_offload) {
	draw_cases(other_type_check, RTE_DIM(all_nics));
}

// The number of times that the proof of the only packet type with mismatches was doubled.
static unsigned int level(uint16_t port_id) {
	struct ddp_port *port = ddp_registry_get(port_id);
	const struct ddp_plan *plan = port->offload.plan;
	unsigned int i = 0, level;

	while (plan->ptypes[i].wrong == 0 && i + 1 < plan->n_ptypes)
		i++;
	level = plan->ptypes[i].level;
	assert_int_equal(port->offload.n_mismatched, 1);
	ddp_registry_put(port);
	return level;
}

static void other_hash_check(unsigned int nic) {
	uint16_t port = kind_start(nic);
	struct tally tallies[3];

	flow_run(port, 512, 0, true);
	tallies[0] = flow_run(port, INTERVAL, 0, true);
	tallies[1] = flow_run(port, 40 * INTERVAL, 128, true);
	flow_run(port, INTERVAL, 0, true);
	tallies[2] = flow_run(port, INTERVAL, 0, true);
	assert_true(udp_ptype(port).wrong > 0);
	assert_int_equal(level(port), 0);
	assert_true(share(&tallies[0]) > 0.98);
	assert_true(share(&tallies[1]) > 0.4);
	assert_true(share(&tallies[2]) > 0.98);
	ddp_end(port);
}

// The NIC hashes ports that the packet does not have. Its packets prove nothing of others.
TEST(packets_with_another_hash_interrupt_the_offload) {
	draw_cases(other_hash_check, RTE_DIM(all_nics));
}

static uint8_t other_key[40] = {1, 2, 3};

// Its packets never get its hash. Later it is right, and used again.
TEST(a_nic_that_hashes_one_type_wrongly_is_not_used) {
	uint16_t port = kind_start(1);
	struct tally tally;

	testsrc_nic(0)->garbles_udp = true;
	flow_run(port, 8 * INTERVAL, 0, true);
	assert_int_equal(level(port), 6);
	assert_int_equal(xstat(port, "rx_offloaded"), 0);
	testsrc_nic(0)->garbles_udp = false;
	// A change of the steering does not make the NIC more reliable.
	rss_key_set(port, other_key, sizeof(other_key));
	assert_int_equal(udp_ptype(port).unproven, 4096);
	assert_true(udp_ptype(port).wrong > 0);
	tally = flow_run(port, INTERVAL, 0, true);
	assert_int_equal(tally.hashed, 0);
	flow_run(port, 2 * INTERVAL, 0, true);
	tally = flow_run(port, INTERVAL, 0, true);
	assert_true(share(&tally) > 0.98);
}

// And a declared UDP port is declared on the lower device. A driver that keeps neither has none
// after it recovered from an error: they are created again.
TEST(rules_exist_while_the_port_runs) {
	uint16_t port = ddp_start("dev(net_testsrc0,nic=2),profile=gtpu+vxlan:outer,overflow=wait,"
				  "offload=auto:ice-comms",
				  N_QUEUES, 1, 64);
	struct fake_nic *nic = testsrc_nic(0);
	const unsigned int n_rules = nic->n_rules;

	for (unsigned int i = 0; i < 2; i++) {
		assert_true(nic->n_rules >= 8);
		assert_int_equal(nic->vxlan_ports[0], 4789);
		assert_memory_equal(nic->key, ddp_default_key, 52);
		assert_int_equal(rte_eth_dev_stop(port), 0);
		assert_int_equal(nic->n_rules, 0);
		assert_int_equal(nic->n_created, nic->n_destroyed);
		assert_int_equal(nic->vxlan_ports[0], 0);
		assert_int_equal(rte_eth_dev_start(port), 0);
	}
	fake_nic_fini(nic);
	nic->vxlan_ports[0] = 0;
	testsrc_tell(0, RTE_ETH_EVENT_RECOVERY_SUCCESS);
	wait_until(nic->n_rules == n_rules && nic->vxlan_ports[0] == 4789);
	assert_int_equal(nic->n_destroyed, 2 * n_rules);
}

TEST(another_net_ddp_is_no_nic) {
	uint16_t port =
		ddp_start("dev(net_ddp1,dev(net_testsrc0),profile=e810-comms),offload=auto:generic",
			  N_QUEUES, 1, 64);
	const struct ddp_port *ddp = rte_eth_devices[port].data->dev_private;

	assert_string_equal(ddp_nic_name(ddp->offload.nic), "none");
	assert_null(ddp->hw_ptypes);
}

static void package_write(const char *name, uint32_t track_id) {
	struct build *build = build_create();
	uint8_t identity[36] = {1, 3, 1, 0, 'T'};
	uint8_t *bytes;
	size_t size;

	put32(identity + 32, track_id);
	build_section(build, 1, identity, sizeof(identity));
	bytes = build_end(build, &size);
	scratch_write(name, bytes, size);
	build_destroy(build);
}

// Unless the user knows better.
TEST(a_port_of_net_ice_is_the_kind_of_its_package) {
	static const struct {
		const char *file, *offload, *kind, *said;
	} rows[] = {
		{NULL, "auto", "ice-os", ""},
		{"comms.pkg", "auto", "ice-comms", "comms.pkg: it counts as ice-comms"},
		{"comms.pkg", "auto:ice-os", "ice-os", ""},
		{"os.pkg", "auto", "ice-os", "os.pkg: it counts as ice-os"},
		{"other.pkg", "auto", "ice-os", "it is none of Intel's known ones"},
		{"missing.pkg", "auto", "ice-os", "No such file or directory"},
	};

	rte_log_set_level(ddp_port_logtype, RTE_LOG_INFO);
	package_write("comms.pkg", 0xc0000002);
	package_write("os.pkg", 0xc0000001);
	package_write("other.pkg", 0xc0000009);
	for (unsigned int i = 0; i < RTE_DIM(rows); i++) {
		const char *file = rows[i].file;
		const struct ddp_port *ddp;
		char devargs[300];
		uint16_t port;

		snprintf(devargs, sizeof(devargs),
			 "dev(net_ice0,nic=2%s%s),profile=gtpu,offload=%s",
			 file != NULL ? ",ddp_pkg_file=" : "",
			 file != NULL ? scratch_path(file) : "", rows[i].offload);
		port = ddp_start(devargs, N_QUEUES, 1, 64);
		ddp = rte_eth_devices[port].data->dev_private;
		assert_string_equal(ddp_nic_name(ddp->offload.nic), rows[i].kind);
		assert_non_null(strstr(ddp_probe_log(), rows[i].said));
		assert_int_equal(testsrc_nic(0)->n_rules >= 8,
				 strstr(rows[i].kind, "comms") != NULL);
		ddp_end(port);
	}
	rte_log_set_level(ddp_port_logtype, RTE_LOG_WARNING);
}

static uint64_t pass(uint16_t port, unsigned int n) {
	packets_pass(port, N_QUEUES, n);
	return xstat(port, "rx_offloaded");
}

TEST(a_rule_that_fails_removes_all_others) {
	for (unsigned int fail_at = 1; fail_at <= 8; fail_at += draw_step(3))
		for (unsigned int required = 0; required < 2; required++) {
			uint16_t port = ddp_probe(required ? REQUIRED : COMMS);

			ddp_configure(port, N_QUEUES, 1, 64, RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP);
			testsrc_nic(0)->fail_at = fail_at;
			assert_int_equal(rte_eth_dev_start(port) < 0, required);
			assert_int_equal(testsrc_nic(0)->n_refused, 1);
			assert_int_equal(testsrc_nic(0)->n_rules, 0);
			if (required) // now none fails
				assert_int_equal(rte_eth_dev_start(port), 0);
			else
				assert_int_equal(pass(port, 64), 0);
			ddp_end(port);
		}
}

// With a driver without raw patterns the other rules remain.
TEST(refused_patterns_stay_in_software) {
	uint16_t port = ddp_probe(COMMS);

	ddp_configure(port, N_QUEUES, 1, 64, RTE_ETH_RSS_IP);
	testsrc_nic(0)->no_raw = true;
	assert_int_equal(rte_eth_dev_start(port), 0);
	assert_int_equal(testsrc_nic(0)->n_refused, 0);
	assert_true(testsrc_nic(0)->n_rules > 0);
}

// If the lower device refuses one that is required, the change fails.
TEST(a_profile_change_creates_new_rules) {
	uint16_t port = ddp_start(REQUIRED, N_QUEUES, 1, 64);
	struct fake_nic *nic = testsrc_nic(0);
	unsigned int before = nic->n_rules;
	struct rte_pmd_ddp_profile profiles[2];
	char error[200];

	assert_int_equal(rte_pmd_ddp_profile_add(port, "ipip", NULL, 0), 0);
	assert_true(nic->n_rules > before);
	assert_int_equal(rte_pmd_ddp_profile_del(port, "ipip", NULL, 0), 0);
	assert_int_equal(nic->n_rules, before);
	nic->fail_at = nic->n_created + 5;
	assert_true(rte_pmd_ddp_profile_add(port, "ipip", error, sizeof(error)) < 0);
	assert_non_null(strstr(error, "offload=require: rule 5 of"));
	assert_int_equal(rte_pmd_ddp_profiles_get(port, profiles, 2), 1);
	assert_int_equal(nic->n_rules, before);
	assert_int_equal(rte_pmd_ddp_profile_del(port, "gtpu", NULL, 0), 0);
	assert_true(nic->n_rules < before);
}

// Packets that wait in the NIC were hashed by the rules of their arrival.
TEST(packets_from_before_a_change_are_hashed_again) {
	uint16_t port = ddp_start(OS, N_QUEUES, 1, 512);

	// As many are hashed in software after a change, even if none are reported as waiting.
	pass(port, DDP_PORT_BURST);
	assert_int_equal(pass(port, 64), 0); // they prove that it is right
	assert_int_equal(pass(port, 64), 64);
	packets_feed(0, 0, 16, 64);
	rss_key_set(port, other_key, sizeof(other_key));
	assert_memory_equal(testsrc_nic(0)->key, other_key, sizeof(other_key));
	rss_key_set(port, other_key, sizeof(other_key)); // changes nothing
	assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), 64);
	assert_int_equal(xstat(port, "rx_offloaded"), 64);
	pass(port, DDP_PORT_BURST);
	for (unsigned int i = 1; i <= 2; i++) // and once more
		assert_int_equal(pass(port, 64), 64 * i);
	assert_int_equal(mismatched(port), 0);
}

// A driver returns no packets while the mempool is empty, although packets wait. If such a burst
// were taken for an empty queue, packets would reach the application with the hash of the old key,
// and on its queue.
TEST(an_empty_burst_does_not_mean_an_empty_queue) {
	uint16_t port = ddp_start(OS, N_QUEUES, 1, 512);
	packets_feed(0, 0, 16, 256);
	rss_key_set(port, other_key, sizeof(other_key));
	testsrc_nic(0)->n_starved = 1;
	assert_int_equal(rx(port, 0), 0);
	assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), 256);
	assert_int_equal(xstat(port, "rx_offloaded"), 0);
}

// A driver does not count packets in its own buffer.
TEST(uncounted_packets_are_drained_too) {
	uint16_t port = ddp_start(OS, N_QUEUES, 1, 512);

	packets_feed(0, 0, 16, DDP_PORT_BURST);
	testsrc_nic(0)->n_staged = DDP_PORT_BURST;
	rss_key_set(port, other_key, sizeof(other_key));
	packets_feed(0, 0, 16, 64);
	assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), DDP_PORT_BURST + 64);
	assert_int_equal(xstat(port, "rx_offloaded"), 0); // the last 64 prove that it is right
	assert_int_equal(pass(port, 64), 64);
}

PORT_TESTS(leak_setup)
