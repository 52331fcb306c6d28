/* SPDX-License-Identifier: BSD-3-Clause */
// A make-believe NIC of the 800 or 700 series, or a ConnectX, for net_testsrc: what its driver
// accepts as RSS rules, what its parser distinguishes, and what it hashes. Written from DPDK's
// documentation and drivers, and without plugin/offload, which it is to judge.
#ifndef DDP_TESTS_FAKE_NIC_H
#define DDP_TESTS_FAKE_NIC_H

#include <stdbool.h>
#include <stdint.h>

#include <ethdev_driver.h>
#include <rte_flow_driver.h>
#include <rte_mbuf.h>

#define FAKE_NIC_RULES 512
#define FAKE_NIC_RETA 512
#define FAKE_NIC_VXLAN_PORTS 4

enum fake_nic_kind {
	FAKE_NIC_NONE,
	FAKE_NIC_OS,    // ice with the OS default package
	FAKE_NIC_COMMS, // with the Comms package
	FAKE_NIC_IAVF,  // a virtual function of that
	FAKE_NIC_I40E,  // 700 series
	FAKE_NIC_MLX5,  // ConnectX that parses GTP
};

struct parsed;

// A package for GTP-U.
struct fake_extension {
	bool (*has_gtpu)(void);       // else it is plain UDP
	uint64_t (*flow_types)(void); // bits of rss_hf besides the NIC's own
	// Set the packet type; returns how many bytes are hashed with rss_hf, 0 for none.
	unsigned int (*gtpu)(const uint8_t *bytes, struct parsed *p, uint64_t rss_hf,
			     uint8_t *input);
};

struct fake_rule;

struct fake_nic {
	enum fake_nic_kind kind;
	uint8_t key[52];
	uint64_t rss_hf;
	uint16_t reta[FAKE_NIC_RETA];
	uint16_t vxlan_ports[FAKE_NIC_VXLAN_PORTS]; // 0: none
	struct fake_rule *rules[FAKE_NIC_RULES];    // oldest first
	unsigned int n_rules;
	// for tests
	unsigned int n_created, n_destroyed;
	unsigned int fail_at;   // the rule that cannot be created, counted from 1, once; 0: all can
	unsigned int n_refused; // rules that were refused when they were created
	unsigned int n_starved; // the next Rx calls find nothing, as if the mempool were empty
	unsigned int
		n_staged;  // packets that wait on an Rx queue, in the driver, and are not counted
	bool no_raw;       // a driver without raw patterns
	bool credulous;    // takes cut headers for whole ones, as net_e1000_igb does
	bool garbles_udp;  // hashes UDP in IP by some other key
	bool mistakes_tcp; // says of TCP in IP that it is UDP; its hash is right
	bool keeps_reta;   // accepts a redirection table and does nothing
	bool hides_reta;   // does not say what is in its redirection table
	bool no_rss;       // RSS cannot be changed
	unsigned int fail_start; // this start fails, counted from 1, once; 0: none does
	const struct fake_extension *extension; // NULL: nothing
};

void fake_nic_init(struct fake_nic *nic, enum fake_nic_kind kind);
void fake_nic_fini(struct fake_nic *nic);
void fake_nic_info(const struct fake_nic *nic, struct rte_eth_dev_info *info);
int fake_nic_rss(struct fake_nic *nic, const struct rte_eth_rss_conf *conf);
int fake_nic_reta_update(struct fake_nic *nic, const struct rte_eth_rss_reta_entry64 *reta,
			 unsigned int n);
int fake_nic_reta_query(const struct fake_nic *nic, struct rte_eth_rss_reta_entry64 *reta,
			unsigned int n);
int fake_nic_tunnel(struct fake_nic *nic, const struct rte_eth_udp_tunnel *tunnel, bool add);
int fake_nic_validate(const struct fake_nic *nic, const struct rte_flow_item *items,
		      const struct rte_flow_action *actions, struct rte_flow_error *error);
struct rte_flow *fake_nic_create(struct fake_nic *nic, const struct rte_flow_item *items,
				 const struct rte_flow_action *actions,
				 struct rte_flow_error *error);
int fake_nic_destroy(struct fake_nic *nic, struct rte_flow *flow, struct rte_flow_error *error);
uint16_t fake_nic_queue(const struct fake_nic *nic, const struct rte_mbuf *mbuf);
void fake_nic_receive(const struct fake_nic *nic, struct rte_mbuf *mbuf);

// fake_parser.c: the headers that its parser finds in a packet.
struct layer3 {
	unsigned int version; // 0: there is none
	uint16_t off, l4_off;
	uint32_t l4; // RTE_PTYPE_L4_*, as of an outer packet
};

struct parsed {
	struct layer3 outer, inner; // outer.version 0: no IP; inner.version 0: no tunnel
	uint32_t ptype;
	bool gtpu, psc, pppoe;
	unsigned int pdu_type;
	uint16_t gtpu_off;
	bool bad; // headers that contradict themselves or are cut: not in the model
};

void fake_parse(const struct fake_nic *nic, const uint8_t *bytes, uint32_t len, struct parsed *p);

// The index of a declared port, or of a free place (port 0). -1: there is none.
int fake_vxlan_port_find(const struct fake_nic *nic, uint16_t port);

#endif
