/* SPDX-License-Identifier: BSD-3-Clause */
#include "harness.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <ethdev_driver.h>
#include <rte_bus_vdev.h>
#include <rte_ip.h>
#include <rte_malloc.h>
#include <rte_mbuf_dyn.h>
#include <rte_vect.h>

#include "base/isa.h"
#include "packet.h"
#include "port/state/port.h"

#define PORT_BASE 1000 // source port of flow 0

struct rte_mempool *pool;

static char probe_log[8192];

static uint64_t draw_state;
static bool draws_all;

static void draw_begin(void) {
	const char *seed = getenv("DRAW_SEED");

	draws_all = seed != NULL && strcmp(seed, "all") == 0;
	draw_state = seed != NULL && !draws_all ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
	printf("DRAW_SEED=%" PRIu64 "\n", draw_state);
	draw_state = draw_state * UINT64_C(6364136223846793005) + 1;
}

static unsigned int draw_below(unsigned int n) {
	return random_below(&draw_state, n);
}

unsigned int draw_step(unsigned int mean) {
#ifdef DDP_SANITIZED
	mean *= 12;
#endif
	return draws_all ? 1 : 1 + draw_below(2 * mean - 1);
}

void draw_cases(void (*run)(unsigned int i), unsigned int n) {
	const unsigned int first = draws_all ? 0 : draw_below(n), end = draws_all ? n : first + 1;

	for (unsigned int i = first; i < end; i++)
		run(i);
}

void eal_begin(void) {
	static char words[] = "test -l 0 --no-huge --no-shconf --no-pci --no-telemetry -m 256 "
			      "--log-level=lib.*:3 --log-level=user*:3";
	const char *bits = getenv("DDP_SIMD_BITS"); // scripts/cpus
	char *argv[16];
	int argc = 0;

	for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
		argv[argc++] = word;
	if (rte_eal_init(argc, argv) < 0)
		exit(1);
	if (bits != NULL && rte_vect_set_max_simd_bitwidth(strtoul(bits, NULL, 10)) < 0)
		exit(1);
	printf("instruction set: %s\n",
	       ddp_isa_name(ddp_isa_best(rte_vect_get_max_simd_bitwidth())));
	draw_begin();
	pool = rte_pktmbuf_pool_create("test", POOL_SIZE, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	if (pool == NULL)
		exit(1);
}

void ports_first(void) {
	for (unsigned int i = 0; i < 2; i++) {
		char devargs[32];

		snprintf(devargs, sizeof(devargs), "dev(net_testsrc%u)", i);
		if (rte_vdev_init("net_ddp0", devargs) != 0)
			exit(1);
		rte_eth_dev_close(0);
		rte_vdev_uninit("net_ddp0");
	}
}

void eal_start(void) {
	eal_begin();
	ports_first();
}

uint32_t flow_src(unsigned int flow) {
	return RTE_IPV4(10, 0, 0, 0) + (flow * 2654435761U >> 8);
}

uint16_t flow_sport(unsigned int flow) {
	return PORT_BASE + flow;
}

struct rte_mbuf *packet(unsigned int flow, uint32_t seq) {
	const struct piece pieces[] = {ETH(0x0800), IPV4(17, BE32(flow_src(flow)), BE32(FLOW_DST)),
				       UDP(flow_sport(flow), 53), PIECE(BE32(seq)), END};
	struct rte_mbuf *mbuf = packet_of(pieces);
	uint8_t *bytes = rte_pktmbuf_mtod(mbuf, uint8_t *);

	bytes[17] = mbuf->pkt_len - 14; // the lengths of IP and UDP
	bytes[39] = mbuf->pkt_len - 34;
	return mbuf;
}

unsigned int packet_flow(const struct rte_mbuf *mbuf) {
	return rte_be_to_cpu_16(*rte_pktmbuf_mtod_offset(mbuf, rte_be16_t *, 34)) - PORT_BASE;
}

uint32_t packet_seq(const struct rte_mbuf *mbuf) {
	rte_be32_t seq;

	memcpy(&seq, rte_pktmbuf_mtod_offset(mbuf, void *, 42), sizeof(seq));
	return rte_be_to_cpu_32(seq);
}

struct rte_mbuf *packet_of(const struct piece *pieces) {
	struct rte_mbuf *mbuf = rte_pktmbuf_alloc(pool);
	uint8_t bytes[PACKET_MAX];
	unsigned int len = packet_build(pieces, bytes);

	assert_non_null(mbuf);
	memcpy(rte_pktmbuf_append(mbuf, len), bytes, len);
	return mbuf;
}

#define IN_GTPU(protocol) \
	ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU(0x30, 255), IPV4(protocol, UE, NET)

struct rte_mbuf *gtpu_packet(void) {
	const struct piece pieces[] = {IN_GTPU(17), UDP(1024, 53), DATA, END};

	return packet_of(pieces);
}

struct rte_mbuf *gtpu_tcp_packet(void) {
	const struct piece pieces[] = {IN_GTPU(6), TCP(1024, 80), DATA, END};

	return packet_of(pieces);
}

void packets_feed(unsigned int dev, unsigned int queue, unsigned int n_flows, unsigned int n) {
	for (unsigned int i = 0; i < n; i++) {
		struct rte_mbuf *mbuf = packet(i % n_flows, i / n_flows);

		testsrc_feed(dev, queue, &mbuf, 1);
	}
}

void packets_pass(uint16_t port, uint16_t n_rxq, unsigned int n) {
	packets_feed(0, 0, 16, n);
	assert_int_equal(poll_to_end(port, n_rxq, 0, NULL), n);
}

void packet_feed(unsigned int queue, struct rte_mbuf *mbuf) {
	testsrc_feed(0, queue, &mbuf, 1);
}

void packet_arrive(struct rte_mbuf *mbuf) {
	testsrc_arrive(0, &mbuf, 1);
}

void flow_feed(unsigned int queue, unsigned int flow, uint32_t seq, unsigned int n) {
	for (unsigned int i = 0; i < n; i++)
		packet_feed(queue, packet(flow, seq + i));
}

struct rte_pmd_ddp_meta *meta_of(const struct rte_mbuf *mbuf) {
	int off = rte_mbuf_dynfield_lookup(RTE_PMD_DDP_META_DYNFIELD, NULL);

	return RTE_MBUF_DYNFIELD(mbuf, off, struct rte_pmd_ddp_meta *);
}

uint16_t port_id_of(const char *name) {
	uint16_t id;

	if (rte_eth_dev_get_port_by_name(name, &id) != 0)
		fail_msg("no port %s", name);
	return id;
}

static FILE *log_file;

void log_capture(char *text, size_t size) {
	memset(text, 0, size);
	log_file = fmemopen(text, size, "w");
	rte_openlog_stream(log_file);
}

void log_release(void) {
	rte_openlog_stream(NULL);
	fclose(log_file);
}

int ddp_probe(const char *devargs) {
	if (logged(probe_log, rte_vdev_init("net_ddp0", devargs)) != 0)
		return -1;
	return port_id_of("net_ddp0");
}

const char *ddp_probe_log(void) {
	return probe_log;
}

void ddp_configure(uint16_t port, uint16_t n_rxq, uint16_t n_txq, uint16_t n_desc,
		   uint64_t rss_hf) {
	struct rte_eth_conf conf = {
		.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS,
		.rx_adv_conf.rss_conf.rss_hf = rss_hf,
	};

	ddp_configure_by(port, n_rxq, n_txq, n_desc, &conf);
}

void ddp_configure_by(uint16_t port, uint16_t n_rxq, uint16_t n_txq, uint16_t n_desc,
		      const struct rte_eth_conf *conf) {
	assert_int_equal(rte_eth_dev_configure(port, n_rxq, n_txq, conf), 0);
	for (uint16_t i = 0; i < n_rxq; i++)
		assert_int_equal(rte_eth_rx_queue_setup(port, i, n_desc, 0, NULL, pool), 0);
	for (uint16_t i = 0; i < n_txq; i++)
		assert_int_equal(rte_eth_tx_queue_setup(port, i, n_desc, 0, NULL), 0);
}

uint16_t ddp_start(const char *devargs, uint16_t n_rxq, uint16_t n_txq, uint16_t n_desc) {
	int port = ddp_probe(devargs);

	if (port < 0)
		fail_msg("%s", ddp_probe_log());
	ddp_configure(port, n_rxq, n_txq, n_desc, RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP);
	assert_int_equal(rte_eth_dev_start(port), 0);
	return port;
}

void ddp_restart(uint16_t port) {
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(rte_eth_dev_start(port), 0);
}

void ddp_reconfigure(uint16_t port, uint16_t n_rxq, uint16_t n_desc, uint64_t rss_hf) {
	assert_int_equal(rte_eth_dev_stop(port), 0);
	ddp_configure(port, n_rxq, 1, n_desc, rss_hf);
	assert_int_equal(rte_eth_dev_start(port), 0);
}

static void rss_set(uint16_t port, uint8_t *key, uint8_t len, uint64_t rss_hf) {
	struct rte_eth_rss_conf conf = {.rss_key = key, .rss_key_len = len, .rss_hf = rss_hf};

	assert_int_equal(rte_eth_dev_rss_hash_update(port, &conf), 0);
}

void rss_hf_set(uint16_t port, uint64_t rss_hf) {
	rss_set(port, NULL, 0, rss_hf);
}

void rss_key_set(uint16_t port, uint8_t *key, uint8_t len) {
	rss_set(port, key, len, RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP);
}

void ddp_close(uint16_t port) {
	assert_int_equal(rte_eth_dev_close(port), 0);
	assert_int_equal(rte_vdev_uninit("net_ddp0"), 0);
}

void ddp_end(uint16_t port) {
	assert_int_equal(rte_eth_dev_stop(port), 0);
	ddp_close(port);
}

__thread struct rte_mbuf *mbufs[32];

uint16_t rx(uint16_t port, uint16_t queue) {
	return rte_eth_rx_burst(port, queue, mbufs, RTE_DIM(mbufs));
}

uint16_t rx_free(uint16_t port, uint16_t queue) {
	uint16_t n = rx(port, queue);

	rte_pktmbuf_free_bulk(mbufs, n);
	return n;
}

unsigned int poll_all(uint16_t port, uint16_t n_rxq, uint64_t *counts) {
	struct rte_mbuf *got[32];
	unsigned int sum = 0;

	for (uint16_t q = 0; q < n_rxq; q++) {
		uint16_t n = rte_eth_rx_burst(port, q, got, RTE_DIM(got));

		rte_pktmbuf_free_bulk(got, n);
		sum += n;
		if (counts != NULL)
			counts[q] += n;
	}
	return sum;
}

unsigned int poll_to_end(uint16_t port, uint16_t n_rxq, unsigned int dev, uint64_t *counts) {
	unsigned int sum = 0;

	for (unsigned int n_idle = 0; n_idle < 3;) {
		unsigned int n = poll_all(port, n_rxq, counts);

		sum += n;
		n_idle = n == 0 && testsrc_left(dev) == 0 ? n_idle + 1 : 0;
	}
	return sum;
}

#define XSTATS_MAX 70000 // one for each packet type, and others

static struct rte_eth_xstat_name xstat_names[XSTATS_MAX];
static struct rte_eth_xstat xstats[XSTATS_MAX];
static int n_xstats;

// All at one moment: traffic may be running.
static void xstats_read(uint16_t port) {
	n_xstats = rte_eth_xstats_get(port, xstats, XSTATS_MAX);
	assert_in_range(n_xstats, 1, XSTATS_MAX);
	assert_int_equal(rte_eth_xstats_get_names(port, xstat_names, XSTATS_MAX), n_xstats);
}

static uint64_t xstat_find(const char *name) {
	for (int i = 0; i < n_xstats; i++)
		if (strcmp(xstat_names[i].name, name) == 0)
			return xstats[i].value;
	fail_msg("no statistic %s", name);
	return 0;
}

uint64_t xstat(uint16_t port, const char *name) {
	xstats_read(port);
	return xstat_find(name);
}

void assert_sum_holds(uint16_t port) {
	xstats_read(port);
	assert_int_equal(xstat_find("rx_lower_packets"),
			 xstat_find("rx_delivered_packets") + xstat_find("rx_missed_packets") +
				 xstat_find("rx_dropped_by_rule") +
				 xstat_find("rx_dropped_at_stop") + xstat_find("rx_in_rings"));
	assert_in_range(xstat_find("rx_in_rings"), 0, POOL_SIZE);
}

static size_t heap_used(void) {
	struct rte_malloc_socket_stats stats;

	rte_malloc_get_socket_stats(0, &stats);
	return stats.heap_allocsz_bytes;
}

static size_t heap_before;

static bool is_wanted(const struct ddp_port *port) {
	if (!__atomic_load_n(&port->running, __ATOMIC_RELAXED))
		return true; // by a stop, which waits for calls inside
	for (unsigned int i = 0; i < port->n_lower_rxqs; i++)
		if (__atomic_load_n(&port->lower_rxqs[i].wanted, __ATOMIC_RELAXED))
			return true;
	for (unsigned int i = 0; i < port->n_lower_txqs; i++)
		if (__atomic_load_n(&port->lower_txqs[i].wanted, __ATOMIC_RELAXED))
			return true;
	return false;
}

void wait_wanted(uint16_t port) {
	const struct ddp_port *ddp = rte_eth_devices[port].data->dev_private;
	uint64_t end = rte_rdtsc() + 20 * rte_get_tsc_hz();

	while (!is_wanted(ddp)) {
		if (rte_rdtsc() > end) {
			fprintf(stderr, "nobody waited for a burst call to end\n");
			abort();
		}
		sched_yield();
	}
	usleep(1000);
}

bool ends_elsewhere(void *(*fn)(void *arg), void *arg) {
	struct timespec end;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, fn, arg), 0);
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 10;
	return pthread_timedjoin_np(thread, NULL, &end) == 0;
}

int leak_setup(void **state) {
	heap_before = heap_used();
	return 0;
}

static void port_end(void) {
	uint16_t port;

	if (rte_eth_dev_get_port_by_name("net_ddp0", &port) != 0)
		return;
	assert_sum_holds(port);
	if (rte_eth_devices[port].data->dev_started)
		ddp_end(port);
	else
		ddp_close(port);
}

int leak_teardown(void **state) {
	testsrc_hook(NULL, NULL);
	testsrc_control_hook(NULL, NULL);
	port_end();
	testsrc_clear();
	if (rte_mempool_avail_count(pool) != POOL_SIZE) {
		print_error("%u mbufs are missing\n", POOL_SIZE - rte_mempool_avail_count(pool));
		return -1;
	}
	if (rte_eth_dev_count_total() != 0 || testsrc_faults() != 0) {
		print_error("%u ports left, %u faults\n", rte_eth_dev_count_total(),
			    testsrc_faults());
		return -1;
	}
	if (heap_used() > heap_before) {
		print_error("%zu bytes are lost\n", heap_used() - heap_before);
		return -1;
	}
	return 0;
}

uint16_t reta_get(uint16_t port, unsigned int entry) {
	struct rte_eth_rss_reta_entry64 reta[512 / RTE_ETH_RETA_GROUP_SIZE];

	memset(reta, 0, sizeof(reta));
	reta[entry / 64].mask = RTE_BIT64(entry % 64);
	assert_int_equal(rte_eth_dev_rss_reta_query(port, reta, 512), 0);
	return reta[entry / 64].reta[entry % 64];
}

void reta_fill(uint16_t port, uint16_t first, uint16_t n, unsigned int by) {
	struct rte_eth_rss_reta_entry64 reta[512 / RTE_ETH_RETA_GROUP_SIZE];

	for (unsigned int i = 0; i < 512; i++) {
		reta[i / 64].mask = UINT64_MAX;
		reta[i / 64].reta[i % 64] = first + (i + by) % n;
	}
	assert_int_equal(rte_eth_dev_rss_reta_update(port, reta, 512), 0);
}

int port_setup(void **state) {
	eal_start();
	return 0;
}
