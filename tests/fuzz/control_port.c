/* SPDX-License-Identifier: BSD-3-Clause */
// Calls of ethdev, and devices that come and go.
#include "control.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ethdev_driver.h>
#include <rte_bus_vdev.h>
#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "port/state/rte_pmd_ddp.h"
#include "stress/pool.h"
#include "unit/port/testsrc.h"

#define N_TESTSRC 3

static const char *const names[] = {"net_ddp0", "net_ddp1", "net_ddp2"};
static const char *const lowers[] = {
	"net_testsrc0", "net_testsrc1",
	"net_testsrc2", // no others: net_null and net_ring leak when they go
};

bool is_ddp(uint16_t port) {
	struct rte_eth_dev_owner owner;
	char name[RTE_ETH_NAME_MAX_LEN];

	return rte_eth_dev_is_valid_port(port) && rte_eth_dev_get_name_by_port(port, name) == 0 &&
	       strncmp(name, "net_ddp", strlen("net_ddp")) == 0 &&
	       rte_eth_dev_owner_get(port, &owner) == 0 && owner.id == RTE_ETH_DEV_NO_OWNER;
}

/* Devices come and go */

static const char *const good_devargs[] = {
	"dev(net_testsrc0)",
	"dev(net_testsrc0),overflow=wait",
	"dev(net_testsrc1,rxq=4,txq=4),lower_queues=4,overflow=drop",
	"dev(net_testsrc1,rxq=8,txq=2,spread=4),profile=gtpu",
	"dev(net_testsrc2,promisc=0),profile=gtpu:ue;port=2153+vxlan",
	"dev(net_testsrc2,rxq=2),lower_queues=2,profile=5g-upf",
	"profile=e810-comms,dev(net_testsrc0,rxq=3)",
	"dev(net_testsrc0),profile=all",
	"dev(net_ddp1,dev(net_testsrc1))",
	"dev(net_ddp2,dev(net_testsrc2,rxq=2),profile=vxlan),overflow=wait,profile=gtpu",
	"dev(net_ddp1,dev(net_ddp2,dev(net_testsrc0)))",
};

// Unit tests have more, and what is said of them.
static const char *const bad_devargs[] = {
	"dev()",
	"dev(net_testsrc0",
	"dev(net_testsrc0,fail=1)",
	"dev(net_nosuch0)",
	"dev(net_testsrc0),overflow=perhaps",
	"dev(net_testsrc0),lower_queues=9",
	"dev(net_testsrc0),profile=gtpu+gtpu",
	"dev(net_testsrc0),profile=gtpu:nosuch",
	"dev(net_testsrc0),profile=gtpu;port=99999999",
	"dev(net_testsrc0),profile=/dev/null",
	"dev(net_ddp0,dev(net_testsrc0))",
	"dev(net_ddp1,dev(net_ddp0,dev(net_testsrc0)))",
	"dev(net_ddp1,dev(net_testsrc0),nosuch=1)",
	"profile=gtpu",
};

// Damage arguments behind the lower device only: nonsense for a lower device is not net_ddp's to
// refuse.
static const char *devargs_choose(void) {
	const char *good = PICK(good_devargs);
	char *text;

	if (!chance(30))
		return good;
	if (chance(60))
		return PICK(bad_devargs);
	text = zero_bytes(strlen(good) + 64);
	snprintf(text, strlen(good) + 64, "%s%s%s", good, chance(50) ? "," : "",
		 random_text(below(60)));
	return text;
}

static void probe(uint16_t port) {
	const char *name = chance(95) ? PICK(names) : text_copy("net_ddp");
	const char *devargs = devargs_choose();
	char both[512];

	snprintf(both, sizeof(both), "%s,%s", name, devargs);
	say(" %s", both);
	if (chance(80))
		rte_vdev_init(name, devargs);
	else
		rte_dev_probe(both);
}

static void removal(uint16_t port) {
	rte_vdev_uninit(PICK(names));
}

static void port_close(uint16_t port) {
	if (chance(80))
		rte_eth_dev_stop(port);
	rte_eth_dev_close(port);
}

// The lower device goes, or changes, without a call of net_ddp.
static void lower_meddle(uint16_t port) {
	const char *name = PICK(lowers);
	unsigned int number = name[strlen("net_testsrc")] - '0', how = below(16);
	uint16_t lower;

	if (rte_eth_dev_get_port_by_name(name, &lower) != 0)
		return;
	if (how == 0)
		rte_vdev_uninit(name);
	else if (how < 4)
		rte_eth_dev_stop(lower);
	else if (chance(10))
		testsrc_unplug(number);
	else
		testsrc_link(number, chance(50));
	if (how == 1)
		rte_eth_dev_close(lower);
}

// A device that net_ddp may take over later.
static void lower_probe(uint16_t port) {
	rte_vdev_init(PICK(lowers), "");
}

void devices_empty(void) {
	struct rte_mbuf *mbuf;

	for (unsigned int dev = 0; dev < N_TESTSRC; dev++)
		for (unsigned int q = 0; q < TESTSRC_QUEUES; q++)
			while ((mbuf = testsrc_sent(dev, q)) != NULL)
				rte_pktmbuf_free(mbuf);
}

void devices_warm_up(void) {
	for (unsigned int i = 0; i < RTE_DIM(lowers); i++) {
		char devargs[64];

		snprintf(devargs, sizeof(devargs), "dev(%s)", lowers[i]);
		if (rte_vdev_init("net_ddp0", devargs) != 0)
			fault("no port over %s", lowers[i]);
		devices_remove();
	}
}

void devices_remove(void) {
	for (unsigned int i = 0; i < RTE_DIM(names); i++) {
		uint16_t port;

		if (rte_eth_dev_get_port_by_name(names[i], &port) == 0) {
			rte_eth_dev_stop(port);
			rte_eth_dev_close(port);
		}
		rte_vdev_uninit(names[i]);
	}
	rte_vdev_uninit("net_ddp");
	for (unsigned int i = 0; i < RTE_DIM(lowers); i++)
		rte_vdev_uninit(lowers[i]);
	testsrc_clear();
}

/* Configuration */

static uint16_t queue_count(void) {
	static const uint16_t counts[] = {0, 1,  1,   2,   3,   4,    8,
					  8, 64, 255, 256, 257, 1024, UINT16_MAX};

	return PICK(counts);
}

static uint64_t sparse_bits(void) {
	return random_bits() & random_bits() & random_bits();
}

static void rss_conf_choose(struct rte_eth_rss_conf *conf) {
	static const uint8_t lens[] = {0, 1, 40, 51, 52, 52, 52, 52, 53, 255};

	conf->rss_hf = chance(70) ? RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP : sparse_bits();
	conf->rss_key_len = PICK(lens);
	conf->rss_key = chance(50) ? random_bytes(conf->rss_key_len) : NULL;
}

static void configure(uint16_t port) {
	struct rte_eth_conf *conf = zero_bytes(sizeof(*conf));

	conf->rxmode.mq_mode = chance(80) ? RTE_ETH_MQ_RX_RSS : below(16);
	rss_conf_choose(&conf->rx_adv_conf.rss_conf);
	if (chance(30)) {
		conf->rxmode.mtu = chance(50) ? 1500 : random_bits();
		conf->link_speeds = chance(50) ? 0 : random_bits();
		conf->rxmode.offloads = sparse_bits() & (chance(50) ? 0xf : UINT64_MAX);
		conf->txmode.offloads = sparse_bits() & (chance(50) ? 0xf : UINT64_MAX);
		conf->txmode.mq_mode = below(8);
		conf->lpbk_mode = below(3);
		conf->intr_conf.lsc = chance(50);
		conf->intr_conf.rxq = chance(20);
		conf->intr_conf.rmv = chance(20);
	}
	rte_eth_dev_configure(port, queue_count(), queue_count(), chance(99) ? conf : NULL);
}

static uint16_t desc_count(void) {
	static const uint16_t counts[] = {0,   1,   2,    3,     16,    64,
					  512, 512, 4096, 32768, 32769, UINT16_MAX};

	return PICK(counts);
}

static uint16_t queue_id(void) {
	return chance(95) ? below(9) : random_bits();
}

static struct rte_mempool *pool_choose(void) {
	if (chance(96))
		return control_pool;
	return chance(50) ? control_small_pool : NULL;
}

static void rx_queue_setup(uint16_t port) {
	struct rte_eth_rxconf *conf = zero_bytes(sizeof(*conf));

	conf->rx_deferred_start = chance(10);
	conf->rx_drop_en = chance(50);
	conf->offloads = chance(90) ? 0 : sparse_bits();
	rte_eth_rx_queue_setup(port, queue_id(), desc_count(), below(3) - 1,
			       chance(50) ? conf : NULL, pool_choose());
}

static void tx_queue_setup(uint16_t port) {
	struct rte_eth_txconf *conf = zero_bytes(sizeof(*conf));

	conf->tx_deferred_start = chance(10);
	conf->tx_rs_thresh = below(64);
	conf->tx_free_thresh = below(64);
	conf->offloads = chance(90) ? 0 : sparse_bits();
	rte_eth_tx_queue_setup(port, queue_id(), desc_count(), below(3) - 1,
			       chance(50) ? conf : NULL);
}

// Set a port up as an application does: else hardly any port would ever run.
static void bring_up(uint16_t port) {
	struct rte_eth_conf conf = {.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS};
	uint16_t n_rxq = 1 + below(8), n_txq = below(9), n_desc = 1 + below(600);

	rss_conf_choose(&conf.rx_adv_conf.rss_conf);
	conf.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_IP;
	conf.rx_adv_conf.rss_conf.rss_key = NULL;
	rte_eth_dev_stop(port);
	if (rte_eth_dev_configure(port, n_rxq, n_txq, &conf) != 0)
		return;
	for (uint16_t i = 0; i < n_rxq; i++)
		rte_eth_rx_queue_setup(port, i, n_desc, 0, NULL, control_pool);
	for (uint16_t i = 0; i < n_txq; i++)
		rte_eth_tx_queue_setup(port, i, n_desc, 0, NULL);
	rte_eth_dev_start(port);
}

static void state(uint16_t port) {
	static int (*const calls[])(uint16_t port) = {
		rte_eth_dev_start, rte_eth_dev_start, rte_eth_dev_start,
		rte_eth_dev_start, rte_eth_dev_stop,  rte_eth_dev_stop,
		rte_eth_dev_stop,  rte_eth_dev_stop,  rte_eth_dev_reset,
	};

	PICK(calls)(port);
}

static void queue_state(uint16_t port) {
	static int (*const calls[])(uint16_t port, uint16_t id) = {
		rte_eth_dev_rx_queue_start,
		rte_eth_dev_rx_queue_stop,
		rte_eth_dev_tx_queue_start,
		rte_eth_dev_tx_queue_stop,
	};

	PICK(calls)(port, queue_id());
}

/* Packets */

static void packet_write(struct rte_mbuf *mbuf) {
	// Ethernet, IPv4, UDP, GTP-U, IPv4, UDP: more is seen of what is nearly right.
	static const uint8_t seed[] = {
		2, 0,  0,    0,    0,  1,    2,  0,    0, 0, 0,    2,    8, 0,  0x45, 0,
		0, 64, 0,    0,    0,  0,    64, 17,   0, 0, 10,   0,    0, 1,  10,   0,
		0, 2,  8,    0x68, 8,  0x68, 0,  44,   0, 0, 0x30, 0xff, 0, 28, 0,    0,
		0, 1,  0x45, 0,    0,  28,   0,  0,    0, 0, 64,   17,   0, 0,  10,   45,
		0, 0,  1,    198,  18, 0,    1,  0xee, 0, 1, 0xbb, 0,    8, 0,  0,
	};
	uint16_t len = chance(80) ? sizeof(seed) : below(1500);
	uint8_t *bytes = (uint8_t *)rte_pktmbuf_append(mbuf, len);

	for (uint16_t i = 0; i < len; i++)
		bytes[i] = i < sizeof(seed) ? seed[i] : i;
	for (uint32_t i = below(8); len > 0 && i > 0; i--)
		bytes[below(len)] = random_bits();
}

static struct rte_mbuf *packet_make(void) {
	struct rte_mbuf *mbuf = rte_pktmbuf_alloc(control_pool);

	if (mbuf == NULL)
		return NULL;
	packet_write(mbuf);
	while (chance(20)) {
		struct rte_mbuf *next = rte_pktmbuf_alloc(control_pool);

		if (next == NULL)
			break;
		packet_write(next);
		rte_pktmbuf_chain(mbuf, next);
	}
	return mbuf;
}

static void feed(uint16_t port) {
	unsigned int dev = below(N_TESTSRC), queue = below(TESTSRC_QUEUES);

	if (testsrc_left(dev) > 1000)
		return;
	for (uint32_t n = below(200); n > 0; n--) {
		struct rte_mbuf *mbuf = packet_make();

		if (mbuf == NULL)
			return;
		testsrc_feed(dev, queue, &mbuf, 1);
	}
}

// A queue that the port has, if it has any: ethdev does not check.
static bool queue_choose(uint16_t port, bool rx, uint16_t *id) {
	struct rte_eth_dev_info info;
	uint16_t n;

	if (rte_eth_dev_info_get(port, &info) != 0)
		return false;
	n = rx ? info.nb_rx_queues : info.nb_tx_queues;
	*id = n > 0 ? below(n) : 0;
	return n > 0;
}

static void rx_burst(uint16_t port) {
	struct rte_mbuf *mbufs[64];
	uint16_t id, n;

	for (unsigned int i = 0; i < 16 && queue_choose(port, true, &id); i++) {
		n = rte_eth_rx_burst(port, id, mbufs, below(RTE_DIM(mbufs) + 1));
		rte_pktmbuf_free_bulk(mbufs, n);
	}
}

static void tx_burst(uint16_t port) {
	struct rte_mbuf *mbufs[64];
	uint16_t id, n = 0, n_sent;

	if (!queue_choose(port, false, &id))
		return;
	for (uint32_t want = below(RTE_DIM(mbufs) + 1); n < want; n++) {
		mbufs[n] = packet_make();
		if (mbufs[n] == NULL)
			break;
	}
	testsrc_tx_room(below(N_TESTSRC), chance(50) ? UINT32_MAX : below(64));
	if (chance(20))
		rte_eth_tx_prepare(port, id, mbufs, n);
	n_sent = rte_eth_tx_burst(port, id, mbufs, n);
	rte_pktmbuf_free_bulk(&mbufs[n_sent], n - n_sent);
}

static void queue_read(uint16_t port) {
	struct rte_eth_burst_mode mode;
	struct rte_eth_rxq_info rxq;
	struct rte_eth_txq_info txq;
	uint16_t id = queue_id();

	rte_eth_rx_queue_info_get(port, id, &rxq);
	rte_eth_tx_queue_info_get(port, id, &txq);
	rte_eth_rx_burst_mode_get(port, id, &mode);
	rte_eth_tx_burst_mode_get(port, id, &mode);
	rte_eth_dev_rx_intr_enable(port, id);
	rte_eth_dev_rx_intr_disable(port, id);
	if (queue_choose(port, true, &id)) {
		rte_eth_rx_queue_count(port, id);
		rte_eth_rx_descriptor_status(port, id, random_bits());
	}
	if (queue_choose(port, false, &id)) {
		rte_eth_tx_descriptor_status(port, id, random_bits());
		rte_eth_tx_done_cleanup(port, id, below(100));
	}
}

/* RSS */

static void rss_hash(uint16_t port) {
	struct rte_eth_rss_conf *conf = zero_bytes(sizeof(*conf));
	uint8_t key[256];

	rss_conf_choose(conf);
	rte_eth_dev_rss_hash_update(port, conf);
	conf->rss_key = chance(80) ? key : NULL;
	conf->rss_key_len = PICK(((uint8_t[]){0, 40, 52, 255}));
	rte_eth_dev_rss_hash_conf_get(port, conf);
}

static void reta(uint16_t port) {
	static const uint16_t sizes[] = {0, 1, 63, 64, 128, 511, 512, 512, 512, 512, 1024};
	uint16_t size = PICK(sizes), n_queues = chance(90) ? 4 : 300;
	unsigned int n_groups = (size + RTE_ETH_RETA_GROUP_SIZE - 1) / RTE_ETH_RETA_GROUP_SIZE;
	struct rte_eth_rss_reta_entry64 *groups = zero_bytes(n_groups * sizeof(*groups));

	for (unsigned int i = 0; i < n_groups; i++) {
		groups[i].mask = chance(70) ? UINT64_MAX : sparse_bits();
		for (unsigned int j = 0; j < RTE_ETH_RETA_GROUP_SIZE; j++)
			groups[i].reta[j] = below(n_queues);
	}
	if (chance(60))
		rte_eth_dev_rss_reta_update(port, groups, size);
	else
		rte_eth_dev_rss_reta_query(port, groups, size);
}

static void ptypes(uint16_t port) {
	unsigned int n = below(40);
	uint32_t *types = zero_bytes(n * sizeof(*types));
	uint32_t mask = chance(50) ? RTE_PTYPE_ALL_MASK : random_bits();

	if (chance(50))
		answered(rte_eth_dev_get_supported_ptypes(port, mask, n > 0 ? types : NULL, n));
	else
		rte_eth_dev_set_ptypes(port, mask, n > 0 ? types : NULL, n);
}

static void tunnel(uint16_t port) {
	struct rte_eth_udp_tunnel tunnel = {
		.udp_port = chance(80) ? 4789 + below(3) : random_bits(),
		.prot_type = below(12),
	};

	if (chance(60))
		rte_eth_dev_udp_tunnel_port_add(port, &tunnel);
	else
		rte_eth_dev_udp_tunnel_port_delete(port, &tunnel);
}

/* Statistics and the rest */

static void stats(uint16_t port) {
	unsigned int n = below(300);
	struct rte_eth_xstat *values = zero_bytes(n * sizeof(*values));
	struct rte_eth_xstat_name *xstat_names = zero_bytes(n * sizeof(*xstat_names));
	uint64_t *ids = random_bytes(n * sizeof(*ids)), *by_id = zero_bytes(n * sizeof(*by_id));
	struct rte_eth_stats all;

	for (unsigned int i = 0; i < n; i++)
		if (chance(99))
			ids[i] %= 40;
	rte_eth_stats_get(port, &all);
	rte_eth_xstats_get(port, n > 0 ? values : NULL, n);
	rte_eth_xstats_get_names(port, n > 0 ? xstat_names : NULL, n);
	rte_eth_xstats_get_by_id(port, ids, by_id, n);
	rte_eth_xstats_get_names_by_id(port, xstat_names, n, ids);
	rte_eth_xstats_get_id_by_name(port, chance(50) ? "rx_q0_packets" : random_text(20), ids);
	if (chance(20))
		rte_eth_stats_reset(port);
	if (chance(20))
		rte_eth_xstats_reset(port);
}

static void mac(uint16_t port) {
	struct rte_ether_addr *addr = random_bytes(sizeof(*addr));
	uint32_t n = below(20);

	if (chance(80))
		addr->addr_bytes[0] = 2;
	if (chance(50))
		rte_eth_dev_default_mac_addr_set(port, addr);
	rte_eth_dev_mac_addr_add(port, addr, below(3));
	rte_eth_macaddrs_get(port, random_bytes(n * sizeof(*addr)), n);
	if (chance(50))
		rte_eth_macaddr_get(port, addr);
	rte_eth_dev_mac_addr_remove(port, addr);
	rte_eth_dev_set_mc_addr_list(port, n > 0 ? random_bytes(n * sizeof(*addr)) : NULL, n);
}

static void modes(uint16_t port) {
	static int (*const calls[])(uint16_t port) = {
		rte_eth_promiscuous_enable,  rte_eth_promiscuous_disable,  rte_eth_promiscuous_get,
		rte_eth_allmulticast_enable, rte_eth_allmulticast_disable, rte_eth_allmulticast_get,
		rte_eth_dev_set_link_up,     rte_eth_dev_set_link_down,    rte_eth_dev_is_removed,
		rte_eth_timesync_enable,     rte_eth_dev_get_vlan_offload,
	};

	PICK(calls)(port);
}

static void vlan(uint16_t port) {
	rte_eth_dev_set_vlan_offload(port, random_bits() & 0x1f);
	rte_eth_dev_vlan_filter(port, chance(90) ? below(4096) : random_bits(), chance(50));
	rte_eth_dev_set_vlan_strip_on_queue(port, queue_id(), chance(50));
	rte_eth_dev_set_vlan_pvid(port, below(4096), chance(50));
	rte_eth_dev_set_vlan_ether_type(port, RTE_ETH_VLAN_TYPE_OUTER, 0x88a8);
}

static void state_read(uint16_t port) {
	struct rte_eth_fc_conf fc = {0};
	struct rte_eth_dev_info info;
	struct rte_eth_link link;
	char version[8];
	uint16_t mtu;

	answered(rte_eth_dev_info_get(port, &info));
	answered(rte_eth_link_get_nowait(port, &link));
	answered(rte_eth_link_get(port, &link));
	answered(rte_eth_dev_fw_version_get(port, version, below(sizeof(version) + 1)));
	rte_eth_dev_flow_ctrl_get(port, &fc);
	rte_eth_dev_flow_ctrl_set(port, &fc);
	rte_eth_dev_get_mtu(port, &mtu);
	rte_eth_dev_set_mtu(port, chance(50) ? 1500 : random_bits());
}

const struct control_call port_calls[] = {
	{"probe", 40, probe}, // first: see control_fuzz.c
	{"remove", 4, removal},
	{"close", 5, port_close},
	{"probe lower", 5, lower_probe},
	{"meddle with lower", 15, lower_meddle},
	{"configure", 25, configure},
	{"Rx queue", 25, rx_queue_setup},
	{"Tx queue", 25, tx_queue_setup},
	{"bring up", 80, bring_up},
	{"state", 45, state},
	{"queue state", 40, queue_state},
	{"feed", 80, feed},
	{"Rx burst", 100, rx_burst},
	{"Tx burst", 100, tx_burst},
	{"queue read", 30, queue_read},
	{"RSS hash", 40, rss_hash},
	{"RETA", 40, reta},
	{"packet types", 20, ptypes},
	{"tunnel", 30, tunnel},
	{"statistics", 40, stats},
	{"MAC", 30, mac},
	{"modes", 30, modes},
	{"VLAN", 15, vlan},
	{"read", 30, state_read},
	{0},
};

/* Sums */

static uint64_t xstat(uint16_t port, const char *name) {
	uint64_t value = 0;

	if (!xstat_read(port, name, &value))
		fault("no statistic %s", name);
	return value;
}

static void port_sum_check(uint16_t port) {
	const uint64_t in_rings = xstat(port, "rx_in_rings");

	if (in_rings > UINT16_MAX ||
	    xstat(port, "rx_lower_packets") != in_rings + xstat(port, "rx_delivered_packets") +
						       xstat(port, "rx_missed_packets") +
						       xstat(port, "rx_dropped_by_rule") +
						       xstat(port, "rx_dropped_at_stop"))
		fault("port %u: sums do not hold, %lu packets in rings", port, in_rings);
	if (!rte_eth_devices[port].data->dev_started && in_rings != 0)
		fault("port %u is stopped and has %lu packets", port, in_rings);
}

void sums_check(void) {
	for (uint16_t port = 0; port < RTE_MAX_ETHPORTS; port++)
		if (is_ddp(port))
			port_sum_check(port);
}
