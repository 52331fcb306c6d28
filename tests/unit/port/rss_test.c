/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_rules.h"

#include <rte_byteorder.h>
#include <rte_mbuf_dyn.h>

#include "base/dpdk_compat.h"
#include "naive.h"
#include "rss/rss.h"

static void all_is_on_queue_0(uint16_t port) {
	packets_feed(0, 0, 16, 32);
	assert_int_equal(rx(port, 0), 32);
	for (unsigned int i = 0; i < 32; i++) {
		assert_int_equal(mbufs[i]->ol_flags & RTE_MBUF_F_RX_RSS_HASH, 0);
		assert_int_equal(packet_flow(mbufs[i]), i % 16);
	}
	rte_pktmbuf_free_bulk(mbufs, 32);
}

TEST(without_rss_all_is_on_queue_0) {
	const struct rte_eth_conf none = {.rxmode.mq_mode = RTE_ETH_MQ_RX_NONE};
	uint16_t port = ddp_start("dev(net_testsrc0)", N_QUEUES, 1, 512);

	rss_hf_set(port, 0);
	all_is_on_queue_0(port);
	rss_hf_set(port, RTE_ETH_RSS_IP);
	packets_feed(0, 0, 64, 64);
	assert_in_range(rx_free(port, 0), 1, 31);
	poll_to_end(port, N_QUEUES, 0, NULL);
	assert_int_equal(rte_eth_dev_stop(port), 0);
	ddp_configure_by(port, N_QUEUES, 1, 512, &none);
	assert_int_equal(rte_eth_dev_start(port), 0);
	all_is_on_queue_0(port);
}

TEST(configure_takes_a_key_of_40_bytes) {
	uint8_t key[52] = {1, 2, 3};
	struct rte_eth_conf conf = {
		.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS,
		.rx_adv_conf.rss_conf = {.rss_key = key,
					 .rss_key_len = 39,
					 .rss_hf = RTE_ETH_RSS_IP},
	};
	int port = ddp_probe("dev(net_testsrc0)");

	assert_int_equal(rte_eth_dev_configure(port, 4, 1, &conf), -EINVAL);
	conf.rx_adv_conf.rss_conf.rss_key_len = 40;
	assert_int_equal(rte_eth_dev_configure(port, 4, 1, &conf), 0);
	assert_int_equal(rte_eth_dev_conf_get(port, &conf), 0);
	assert_true((conf.rxmode.offloads & RTE_ETH_RX_OFFLOAD_RSS_HASH) != 0);
}

// With a checksum in the hash, packets of one flow would be on different queues.
static uint64_t rss_hf_of(uint16_t port) {
	struct rte_eth_rss_conf conf = {0};

	assert_int_equal(rte_eth_dev_rss_hash_conf_get(port, &conf), 0);
	return conf.rss_hf;
}

TEST(who_asks_for_everything_does_not_ask_for_checksums) {
	const uint64_t checksums = RTE_ETH_RSS_IPV4_CHKSUM | RTE_ETH_RSS_L4_CHKSUM;
	const uint64_t one = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_L4_CHKSUM;
	uint16_t port = ddp_start("dev(net_testsrc0),profile=e810-comms", N_QUEUES, 1, 512);
	struct rte_eth_dev_info info;

	assert_int_equal(rte_eth_dev_info_get(port, &info), 0);
	assert_int_equal(info.flow_type_rss_offloads & checksums, checksums);
	rss_hf_set(port, info.flow_type_rss_offloads);
	assert_int_equal(rss_hf_of(port), info.flow_type_rss_offloads & ~checksums);
	rss_hf_set(port, one);
	assert_int_equal(rss_hf_of(port), one);
	ddp_reconfigure(port, N_QUEUES, 512, info.flow_type_rss_offloads);
	assert_int_equal(rss_hf_of(port), info.flow_type_rss_offloads & ~checksums);
}

TEST(reta_is_round_robin_until_set) {
	uint16_t port = ddp_start("dev(net_testsrc0)", N_QUEUES, 1, 512);
	struct rte_eth_rss_reta_entry64 reta[8] = {{.mask = 1, .reta = {N_QUEUES}}};
	uint64_t counts[N_QUEUES] = {0};

	for (unsigned int i = 0; i < 512; i++)
		assert_int_equal(reta_get(port, i), i % N_QUEUES);
	assert_int_not_equal(rte_eth_dev_rss_reta_update(port, reta, 512), 0);
	assert_int_not_equal(rte_eth_dev_rss_reta_update(port, reta, 128), 0);
	assert_int_equal(reta_get(port, 0), 0);
	reta[0].reta[0] = 3;
	assert_int_equal(rte_eth_dev_rss_reta_update(port, reta, 512), 0);
	assert_int_equal(reta_get(port, 0), 3);
	assert_int_equal(reta_get(port, 1), 1);
	reta_fill(port, 3, 1, 0);
	packets_feed(0, 0, 64, 64);
	assert_int_equal(poll_to_end(port, N_QUEUES, 0, counts), 64);
	assert_int_equal(counts[3], 64);
	// The table survives a stop and a configuration with as many queues, not another number of
	// them.
	ddp_reconfigure(port, N_QUEUES, 512, RTE_ETH_RSS_IP);
	assert_int_equal(reta_get(port, 0), 3);
	ddp_reconfigure(port, 3, 512, RTE_ETH_RSS_IP);
	assert_int_equal(reta_get(port, 5), 2);
}

// Over the addresses of packet(flow), or with 3 words also its ports.
static uint32_t hash_made(enum ddp_hash_function function, unsigned int flow, unsigned int n_words,
			  const uint8_t *key) {
	const uint32_t values[] = {flow_src(flow), FLOW_DST, flow_sport(flow), 53};
	uint32_t paired[4], words[3];

	for (unsigned int i = 0; i < 4; i++)
		paired[i] = naive_paired(function, values[i], values[i ^ 1], i % 2 == 0);
	words[0] = rte_cpu_to_be_32(paired[0]);
	words[1] = rte_cpu_to_be_32(paired[1]);
	words[2] = rte_cpu_to_be_32(paired[2] << 16 | paired[3]);
	return naive_hash(function, key, (const uint8_t *)words, 4 * n_words);
}

// Feed 256 packets, which all must have the hash of these words and its queue.
static void burst_check_by(uint16_t port, enum ddp_hash_function function, const uint8_t *key,
			   unsigned int n_words) {
	const int tsc_off = rte_mbuf_dynfield_lookup(RTE_PMD_DDP_RX_TSC_DYNFIELD, NULL);
	const uint64_t before = rte_rdtsc();
	unsigned int n_seen = 0;

	packets_feed(0, 0, 64, 256);
	for (uint16_t q = 0; q < 20 * N_QUEUES; q++) {
		uint16_t n = rx(port, q % N_QUEUES);

		for (uint16_t i = 0; i < n; i++) {
			struct rte_mbuf *m = mbufs[i];
			const uint32_t hash = hash_made(function, packet_flow(m), n_words, key);

			assert_int_equal(m->port, port);
			assert_true((m->ol_flags & RTE_MBUF_F_RX_RSS_HASH) != 0);
			assert_int_equal(m->hash.rss, hash);
			assert_int_equal(reta_get(port, hash % 512), q % N_QUEUES);
			assert_int_not_equal(meta_of(m)->ptype_id, 0);
			assert_in_range(*RTE_MBUF_DYNFIELD(m, tsc_off, uint64_t *), before,
					rte_rdtsc());
		}
		rte_pktmbuf_free_bulk(mbufs, n);
		n_seen += n;
	}
	assert_int_equal(n_seen, 256);
}

static void burst_check(uint16_t port, const uint8_t *key, unsigned int n_words) {
	burst_check_by(port, DDP_HASH_TOEPLITZ, key, n_words);
}

// Packets are hashed with the key, which goes on with its own beginning.
static void key_check(uint16_t port, uint8_t *key, uint8_t len) {
	uint8_t whole[DDP_KEY_SIZE];

	memcpy(whole, key, len);
	memcpy(whole + len, key, sizeof(whole) - len);
	rss_key_set(port, key, len);
	rss_key_set(port, NULL, len); // keeps the key
	burst_check(port, whole, 3);
}

static void key_is(uint16_t port, const uint8_t *key, uint8_t len, uint8_t n) {
	uint8_t got[64];
	struct rte_eth_rss_conf conf = {.rss_key = got, .rss_key_len = sizeof(got)};
	struct rte_eth_dev_info info;

	assert_int_equal(rte_eth_dev_info_get(port, &info), 0);
	assert_int_equal(info.hash_key_size, len);
	assert_int_equal(rte_eth_dev_rss_hash_conf_get(port, &conf), 0);
	assert_int_equal(conf.rss_key_len, len);
	assert_memory_equal(got, key, n);
}

// Also after a change of the profiles: ethdev of newer DPDK refuses a key of any other length, and
// the application has its key.
TEST(key_has_the_length_that_the_device_tells) {
	static const struct {
		const char *devargs, *later; // profiles
		uint8_t len;
	} ports[] = {
		{"dev(net_testsrc0)", "e810-comms", 40},
		{"dev(net_testsrc0),profile=base", "i40e-default", 40},
		{"dev(net_testsrc0),rss_key_len=40,profile=e810-comms", "base", 40},
		{"dev(net_testsrc0),rss_key_len=52", "gtpu", 52},
		{"dev(net_testsrc0),profile=e810-comms", "gtpu", 52},
	};
	uint8_t key[52];
	const struct rte_eth_rss_conf odd = {.rss_key = key, .rss_key_len = 41};

	for (unsigned int i = 0; i < sizeof(key); i++)
		key[i] = i * 37 + 1;
	for (unsigned int i = 0; i < RTE_DIM(ports); i++) {
		uint16_t port = ddp_start(ports[i].devargs, N_QUEUES, 1, 512);
		struct rte_eth_rss_conf conf = odd;

		key_is(port, ddp_default_key, ports[i].len, ports[i].len);
		key_check(port, key, ports[i].len);
#if !DPDK_SINCE(23, 11) // from then on ethdev refuses any other length
		key_check(port, key, ports[i].len == 40 ? 52 : 40);
#endif
		assert_int_equal(rte_eth_dev_rss_hash_update(port, &conf), -EINVAL);
		ddp_restart(port);
		assert_int_equal(rte_pmd_ddp_profile_set(port, ports[i].later, NULL, 0), 0);
		key_is(port, key, ports[i].len, 40);
		ddp_end(port);
	}
}

// A change of the key or the redirection table costs no packet; after a change of what is
// hashed no packet is hashed as before.
TEST(paths_stay_learned_when_only_key_or_reta_change) {
	uint16_t port = ddp_start("dev(net_testsrc0)", N_QUEUES, 1, 512);
	uint8_t key[DDP_KEY_SHORT];
	uint64_t learned, misses, hits;

	assert_int_equal(rte_mbuf_dynfield_lookup(RTE_PMD_DDP_META_DYNFIELD, NULL),
			 rte_mbuf_dynfield_lookup(RTE_PMD_DDP_RX_TSC_DYNFIELD, NULL) +
				 8); // or each burst takes the longer way
	burst_check(port, ddp_default_key, 3);
	burst_check(port, ddp_default_key, 3);
	learned = xstat(port, "rx_path_cache_learned");
	misses = xstat(port, "rx_path_cache_misses");
	hits = xstat(port, "rx_path_cache_hits");
	assert_true(learned > 0 && xstat(port, "rx_path_cache_entries") == learned);
	assert_int_equal(hits + misses, 512);
	memset(key, 0x5a, sizeof(key));
	rss_key_set(port, key, sizeof(key));
	reta_fill(port, 3, 1, 0);
	burst_check(port, key, 3);
	assert_int_equal(xstat(port, "rx_path_cache_learned"), learned);
	assert_int_equal(xstat(port, "rx_path_cache_misses"), misses);
	assert_int_equal(xstat(port, "rx_path_cache_hits"), hits + 256);
	rss_hf_set(port, RTE_ETH_RSS_IP);
	burst_check(port, key, 2);
	assert_true(xstat(port, "rx_path_cache_learned") > learned);
	// A stop takes what was learned, and no count.
	learned = xstat(port, "rx_path_cache_learned");
	misses = xstat(port, "rx_path_cache_misses");
	hits = xstat(port, "rx_path_cache_hits");
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(xstat(port, "rx_path_cache_entries"), 0);
	assert_int_equal(xstat(port, "rx_path_cache_learned"), learned);
	assert_true(misses > 0 && hits > 0);
	assert_int_equal(xstat(port, "rx_path_cache_misses"), misses);
	assert_int_equal(xstat(port, "rx_path_cache_hits"), hits);
}

static const enum rte_eth_hash_function functions[] = {
	[DDP_HASH_TOEPLITZ] = RTE_ETH_HASH_FUNCTION_TOEPLITZ,
	[DDP_HASH_SYMMETRIC_TOEPLITZ] = RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ,
	[DDP_HASH_SYMMETRIC_TOEPLITZ_SORT] = RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ_SORT,
	[DDP_HASH_SIMPLE_XOR] = RTE_ETH_HASH_FUNCTION_SIMPLE_XOR,
};

static void functions_or_skip(void) {
	struct rte_eth_rss_conf conf = {0};

	DPDK_RSS_FUNCTION_SET(&conf, RTE_ETH_HASH_FUNCTION_TOEPLITZ);
	if (DPDK_RSS_FUNCTION(&conf) == RTE_ETH_HASH_FUNCTION_TOEPLITZ)
		return;
	print_message("skipped: this DPDK has no hash function in a port's RSS configuration\n");
	skip();
}

static enum rte_eth_hash_function function_of(uint16_t port) {
	struct rte_eth_rss_conf conf = {0};

	assert_int_equal(rte_eth_dev_rss_hash_conf_get(port, &conf), 0);
	return DPDK_RSS_FUNCTION(&conf);
}

TEST(hash_functions_change_what_is_hashed) {
	uint16_t port;
	struct rte_eth_rss_conf conf = {0};

	functions_or_skip();
	port = ddp_start("dev(net_testsrc0)", N_QUEUES, 1, 512);
	assert_int_equal(function_of(port), RTE_ETH_HASH_FUNCTION_TOEPLITZ);
	for (unsigned int i = 0; i < RTE_DIM(functions); i++) {
		conf.rss_hf = RTE_ETH_RSS_IP;
		DPDK_RSS_FUNCTION_SET(&conf, functions[i]);
		assert_int_equal(rte_eth_dev_rss_hash_update(port, &conf), 0);
		assert_int_equal(function_of(port), functions[i]);
		burst_check_by(port, i, ddp_default_key, 2);
		conf.rss_hf |= RTE_ETH_RSS_UDP;
		DPDK_RSS_FUNCTION_SET(&conf, RTE_ETH_HASH_FUNCTION_DEFAULT); // keeps it
		assert_int_equal(rte_eth_dev_rss_hash_update(port, &conf), 0);
		for (unsigned int round = 0; round < 2; round++) // learned, then known
			burst_check_by(port, i, ddp_default_key, 3);
	}
	ddp_reconfigure(port, N_QUEUES, 512, RTE_ETH_RSS_IP);
	assert_int_equal(function_of(port), RTE_ETH_HASH_FUNCTION_TOEPLITZ);
	burst_check(port, ddp_default_key, 2);
}

TEST(configure_takes_functions_that_there_are) {
	struct rte_eth_conf conf = {
		.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS,
		.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_IP,
	};
	int port;

	functions_or_skip();
	port = ddp_probe("dev(net_testsrc0)");
	for (unsigned int i = 0; i < RTE_DIM(functions); i++) {
		DPDK_RSS_FUNCTION_SET(&conf.rx_adv_conf.rss_conf, functions[i]);
		assert_int_equal(rte_eth_dev_configure(port, 4, 1, &conf), 0);
		assert_int_equal(function_of(port), functions[i]);
	}
	DPDK_RSS_FUNCTION_SET(&conf.rx_adv_conf.rss_conf, 31);
	assert_int_equal(rte_eth_dev_configure(port, 4, 1, &conf), -EINVAL);
}

PORT_TESTS(leak_setup)
