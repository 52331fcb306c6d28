/* SPDX-License-Identifier: BSD-3-Clause */
// If the lower device spreads packets as net_ddp would, packets with a hardware hash bypass the
// rings, under the lower queue's lock only. None may be lost, overtaken, or on a wrong queue.
#include "harness.h"

#include <pthread.h>

#include "fake_nic.h"
#include "packet.h"
#include "port/lower/lower.h"
#include "port/quiesce/quiesce.h"
#include "port/state/control.h"
#include "port_rules.h"

#define OS "dev(net_testsrc0,nic=1,rxq=4),overflow=wait,offload=auto:ice-os"
#define N_FLOWS 64

static uint32_t next_seq[N_FLOWS];

// Let n packets of all flows in turn arrive at the NIC, which spreads them.
static void arrive(unsigned int n) {
	static unsigned int flow;

	for (unsigned int i = 0; i < n; i++, flow = (flow + 1) % N_FLOWS)
		packet_arrive(packet(flow, next_seq[flow]++));
}

// Packets for queue 0 on any lower queue, because they are not hashed.
static void feed_unknown(uint16_t queue, uint32_t seq, unsigned int n) {
	for (unsigned int i = 0; i < n; i++) {
		struct rte_mbuf *mbuf = packet(0, seq);

		*rte_pktmbuf_mtod_offset(mbuf, uint16_t *, 12) = 0xffff;
		packet_feed(queue, mbuf);
	}
}

static uint32_t seen_seq[N_FLOWS];

static void packet_look(uint16_t port, uint16_t queue, struct rte_mbuf *mbuf) {
	unsigned int flow = packet_flow(mbuf);

	assert_int_equal(reta_get(port, mbuf->hash.rss % 512), queue);
	assert_int_equal(packet_seq(mbuf), seen_seq[flow]++);
	assert_true((mbuf->ol_flags & RTE_MBUF_F_RX_RSS_HASH) != 0);
	assert_int_equal(mbuf->port, port);
	assert_int_equal(mbuf->packet_type,
			 RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4_EXT_UNKNOWN | RTE_PTYPE_L4_UDP);
	rte_pktmbuf_free(mbuf);
}

// A time without packets. A queue reads the lower queues of others that were not polled for a
// millisecond, in one of many calls; this thread may lose its CPU for longer.
struct silence {
	uint64_t since; // by TSC
	unsigned int n_calls;
};

static struct silence silence_begin(void) {
	return (struct silence){.since = rte_rdtsc()};
}

// Might still something come? Call this before each burst call.
static bool silence_is_short(struct silence *silence) {
	if (rte_rdtsc() < silence->since + rte_get_tsc_hz() / 200)
		silence->n_calls = 0;
	return silence->n_calls++ < 4096;
}

static unsigned int poll_look(uint16_t port, uint16_t queue, uint16_t n) {
	struct rte_mbuf *mbufs[32];
	uint16_t got = rte_eth_rx_burst(port, queue, mbufs, n);

	for (uint16_t i = 0; i < got; i++)
		packet_look(port, queue, mbufs[i]);
	return got;
}

static unsigned int poll_until_idle(uint16_t port, uint16_t first, uint16_t end) {
	struct silence silence = silence_begin();
	unsigned int n = 0;

	while (silence_is_short(&silence)) {
		unsigned int before = n;

		for (uint16_t q = first; q < end; q++)
			n += poll_look(port, q, 32);
		if (n > before)
			silence = silence_begin();
	}
	return n;
}

static bool is_bypassing(uint16_t port_id) {
	struct ddp_port *port = ddp_registry_get(port_id);
	bool bypasses = ddp_hw_ptypes_bypass(port->hw_ptypes);

	ddp_registry_put(port);
	return bypasses;
}

static uint16_t port_make(void) {
	uint16_t port = ddp_probe(OS);

	ddp_configure(port, N_QUEUES, 1, 512, RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP);
	return port;
}

static void pass(uint16_t port, unsigned int n) {
	arrive(n);
	assert_int_equal(poll_until_idle(port, 0, N_QUEUES), n);
}

static uint16_t bypass_start(const char *devargs, uint16_t n_desc) {
	uint16_t port = ddp_start(devargs, N_QUEUES, 1, n_desc);

	pass(port, 512);
	assert_true(is_bypassing(port));
	return port;
}

static int begin(void **state) {
	memset(next_seq, 0, sizeof(next_seq));
	memset(seen_seq, 0, sizeof(seen_seq));
	return leak_setup(state);
}

TEST(hardware_hashed_packets_bypass_the_rings) {
	uint16_t port = ddp_start(OS, N_QUEUES, 1, 512);

	assert_true(is_bypassing(port));
	for (unsigned int i = 0; i < 20; i++)
		pass(port, 512);
	assert_true(xstat(port, "rx_offloaded") > 9000);
	assert_int_equal(xstat(port, "rx_type_IPV4_UDP_packets"), 20 * 512);
}

// The lower device's table is restored for its next user.
TEST(the_lower_redirection_table_is_written_and_restored) {
	uint16_t port = port_make();
	struct fake_nic *nic = testsrc_nic(0);

	for (unsigned int i = 0; i < 512; i++)
		nic->reta[i] = i % 3; // left by its last user
	assert_int_equal(rte_eth_dev_start(port), 0);
	for (unsigned int by = 0; by < 6; by++) {
		reta_fill(port, 0, N_QUEUES, by);
		for (unsigned int i = 0; i < 512; i++)
			assert_int_equal(nic->reta[i], (i + by) % N_QUEUES);
		pass(port, 512);
	}
	assert_true(is_bypassing(port));
	assert_int_equal(rte_eth_dev_stop(port), 0);
	for (unsigned int i = 0; i < 512; i++)
		assert_int_equal(nic->reta[i], i % 3);
	assert_int_equal(rte_eth_dev_start(port), 0);
	assert_true(is_bypassing(port));
}

// Packets that wait in the NIC were spread by its former table. Changes may follow each other
// faster than a queue is polled; every second one here changes nothing of how the NIC spreads.
TEST(packets_from_before_changes_follow_the_new_table) {
	uint16_t port = bypass_start(OS, 512);

	for (unsigned int by = 1; by < 12; by++) {
		arrive(512);
		reta_fill(port, 0, N_QUEUES, by);
		if (by > 5)
			reta_fill(port, 0, N_QUEUES, by);
		assert_int_equal(poll_until_idle(port, 0, N_QUEUES), 512);
		assert_true(is_bypassing(port));
	}
}

// Then all queues read from all lower queues; packets for a queue that is not polled wait for it.
TEST(a_nic_that_ignores_the_table_is_detected) {
	uint16_t port = port_make();
	unsigned int n = 0;

	testsrc_nic(0)->keeps_reta = true; // all packets are on lower queue 0
	assert_int_equal(rte_eth_dev_start(port), 0);
	for (unsigned int i = 0; i < 20; i++)
		pass(port, 512);
	assert_false(is_bypassing(port));
	assert_true(xstat(port, "rx_offloaded") > 9000); // the hashes are right
	arrive(512);
	for (unsigned int i = 0; i < 64; i++)
		n += poll_look(port, 1, 32);
	assert_int_equal(testsrc_left(0), 0);
	assert_int_equal(n + poll_until_idle(port, 0, N_QUEUES), 512);
}

// A table that could not be restored must not be changed.
TEST(a_table_that_cannot_be_read_is_not_written) {
	uint16_t port = port_make();

	testsrc_nic(0)->hides_reta = true;
	assert_int_equal(rte_eth_dev_start(port), 0);
	assert_false(is_bypassing(port));
	for (unsigned int i = 0; i < 512; i++)
		assert_int_equal(testsrc_nic(0)->reta[i], 0);
	for (unsigned int i = 0; i < 4; i++)
		pass(port, 512);
	assert_true(xstat(port, "rx_offloaded") > 0);
}

// Poll queue 0; its packets go back to lower queue 1. Returns how many have this number.
static unsigned int go_round(uint16_t port, uint32_t seq) {
	struct silence silence = silence_begin();
	unsigned int n = 0;

	while (silence_is_short(&silence)) {
		uint16_t got = rx(port, 0);

		for (uint16_t k = 0; k < got; k++)
			n += packet_seq(mbufs[k]) == seq;
		testsrc_feed(0, 1, mbufs, got);
	}
	return n;
}

// Queues 1 and 2 are not polled. A lower queue that always has packets must not prevent reading the
// others.
TEST(two_queues_that_are_not_polled_are_both_read) {
	uint16_t port = bypass_start(OS, 512);

	feed_unknown(1, 1, 256);
	assert_int_equal(go_round(port, 2), 0);
	feed_unknown(2, 2, 1);
	assert_true(go_round(port, 2) > 0);
	assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), 257);
}

// Each lower queue has packets for queue 0, more than it can take. None of them may wait for ever.
TEST(a_queue_in_overload_takes_packets_from_all_lower_queues) {
	uint16_t port = bypass_start(OS, 512);
	unsigned int n[N_QUEUES] = {0}, sum = 0;

	for (uint16_t lower = 0; lower < N_QUEUES; lower++)
		feed_unknown(lower, lower, 128);
	for (unsigned int i = 0; i < 1000; i++) {
		uint16_t got;

		for (uint16_t q = 1; q < N_QUEUES; q++) // which put them on the rings of queue 0
			assert_int_equal(rx(port, q), 0);
		got = rx(port, 0);
		for (uint16_t k = 0; k < got; k++) {
			uint32_t lower = packet_seq(mbufs[k]);

			n[lower]++;
			testsrc_feed(0, lower, &mbufs[k], 1);
		}
		sum += got;
	}
	for (unsigned int lower = 0; lower < N_QUEUES; lower++)
		assert_in_range(n[lower], sum / 16, sum);
	assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), N_QUEUES * 128);
}

// Packets that wait for a full ring come before packets that are read later, and are at most one
// burst.
TEST(nothing_overtakes_held_packets) {
	uint16_t port = bypass_start(OS, 64);
	unsigned int left, n = 0;
	uint32_t next = 0;

	for (uint32_t seq = 0; seq < 1000; seq++)
		feed_unknown(1, seq, 1);
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(rx(port, 1), 0);
	left = testsrc_left(0);
	assert_in_range(left, 1000 - 64 - 2 * 32, 1000 - 64);
	assert_sum_holds(port);
	for (unsigned int idle = 0; idle < 4096;) {
		uint16_t got = rx(port, idle % 2);

		for (uint16_t k = 0; k < got; k++, next++)
			assert_int_equal(packet_seq(mbufs[k]), next);
		rte_pktmbuf_free_bulk(mbufs, got);
		n += got;
		idle = got > 0 ? 0 : idle + 1;
	}
	assert_int_equal(n, 1000);
}

// A burst that is verified, or that only partly has hardware hashes, is counted like any other.
TEST(bytes_of_all_bursts_are_counted) {
	uint16_t port = bypass_start(OS, 512);
	struct rte_eth_stats stats;

	for (unsigned int i = 0; i < 200; i++) {
		arrive(64);
		feed_unknown(0, 0, 1); // for queue 0, as its lower queue is
		for (uint16_t q = 0; q < N_QUEUES; q++)
			for (unsigned int k = 0; k < 4; k++)
				rx_free(port, q);
	}
	poll_to_end(port, N_QUEUES, 0, NULL);
	assert_int_equal(rte_eth_stats_get(port, &stats), 0);
	assert_int_equal(stats.ibytes, 46 * (512 + 200 * 65));
}

static uint16_t poll_in_a_circle(uint16_t port, uint16_t queue) {
	uint16_t got = rx(port, queue);

	testsrc_arrive(0, mbufs, got);
	return got;
}

// A call finds nothing while the control path has the lock of the lower queue.
static void get_packets(uint16_t port, uint16_t queue) {
	struct silence silence = silence_begin();

	while (poll_in_a_circle(port, queue) == 0)
		assert_true(silence_is_short(&silence));
}

static bool uses_rings(uint16_t port_id, uint16_t queue) {
	const struct ddp_port *port = rte_eth_devices[port_id].data->dev_private;

	return __atomic_load_n(&port->rxqs[queue].waiting, __ATOMIC_RELAXED);
}

// All packets are for queue 0, more than it can take.
static uint16_t start_with_one_busy_queue(void) {
	uint16_t port = ddp_start(OS, N_QUEUES, 1, 512);

	reta_fill(port, 0, 1, 0);
	pass(port, 512);
	arrive(256);
	for (unsigned int i = 0; i < 100 || uses_rings(port, 0); i++) {
		assert_in_range(i, 0, 110);
		get_packets(port, 0);
	}
	return port;
}

// Else a queue would hand out all its packets by way of a ring, from one such packet on until it
// is idle for the first time.
TEST(a_busy_queue_bypasses_its_rings_again_after_a_stray_packet) {
	uint16_t port = start_with_one_busy_queue();

	for (unsigned int i = 0; i < 20; i++) {
		feed_unknown(1, 0, 1);
		for (struct silence silence = silence_begin(); !uses_rings(port, 0);) {
			assert_true(silence_is_short(&silence));
			poll_in_a_circle(port, 1);
		}
		for (unsigned int k = 0; k < 4 && uses_rings(port, 0); k++)
			get_packets(port, 0);
		assert_false(uses_rings(port, 0));
	}
	assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), 256 + 20);
}

// The other queues are idle, and polled more often.
TEST(others_do_not_fill_the_rings_of_a_busy_queue) {
	struct silence silence;
	bool uses = true;
	uint16_t port = start_with_one_busy_queue();

	silence = silence_begin();
	while (silence_is_short(&silence)) // queue 0 is late: others fill its rings
		for (uint16_t q = 1; q < N_QUEUES; q++)
			assert_int_equal(poll_in_a_circle(port, q), 0);
	assert_true(uses_rings(port, 0));
	for (unsigned int i = 0; i < 100 && uses; i++) {
		for (unsigned int k = 0; k < 300; k++)
			poll_in_a_circle(port, 1 + k % (N_QUEUES - 1));
		get_packets(port, 0);
		uses = uses_rings(port, 0);
	}
	assert_false(uses);
	assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), 256);
}

// Packets from other lower queues are always on its rings.
TEST(full_rings_do_not_keep_a_queue_from_its_lower_queue) {
	unsigned int n_hashed = 0;
	uint16_t port = start_with_one_busy_queue();

	for (unsigned int i = 0; i < 100; i++) {
		uint16_t got;

		feed_unknown(1, 0, 32);
		assert_int_equal(rx(port, 1), 0);
		got = rx(port, 0);
		for (uint16_t k = 0; k < got; k++)
			n_hashed += (mbufs[k]->ol_flags & RTE_MBUF_F_RX_RSS_HASH) != 0;
		rte_pktmbuf_free_bulk(mbufs, got);
		arrive(32);
	}
	assert_true(n_hashed >= 32 * 25);
	poll_to_end(port, N_QUEUES, 0, NULL);
}

// A thread may be late or gone: its packets wait for it, and no others behind them.
TEST(packets_of_queues_that_are_not_polled_wait_for_them) {
	uint16_t port = bypass_start(OS, 4096);
	unsigned int n;

	arrive(2048);
	n = poll_until_idle(port, 1, 2);
	assert_true(n > 0 && n < 2048);
	assert_int_equal(testsrc_left(0), 0);
	assert_int_equal(n + poll_until_idle(port, 0, N_QUEUES), 2048);
}

TEST(small_bursts_return_packets) {
	uint16_t port = ddp_start(OS, N_QUEUES, 1, 512);
	unsigned int n = 0;

	arrive(512);
	for (unsigned int i = 0; i < 20000 && n < 512; i++)
		n += poll_look(port, i % N_QUEUES, 3);
	assert_int_equal(n, 512);
}

#define COMMS "dev(net_testsrc0,nic=2,rxq=4),overflow=wait,profile=gtpu,offload=auto:ice-comms"

// One burst call in many reads rings and other lower queues, whose packets are parsed: the last
// call of a queue here is none of these.
static uint16_t gtpu_bypass(uint16_t port_id, struct rte_mbuf *mbufs[32]) {
	struct ddp_port *port = rte_eth_devices[port_id].data->dev_private;
	uint16_t queue = 0;

	for (unsigned int i = 0; i < 512; i++)
		packet_arrive(gtpu_tcp_packet());
	assert_int_equal(poll_to_end(port_id, N_QUEUES, 0, NULL), 512);
	for (unsigned int i = 0; i < 32; i++) {
		struct rte_mbuf *mbuf = gtpu_tcp_packet();

		memset(meta_of(mbuf), 0xab, sizeof(struct rte_pmd_ddp_meta));
		packet_arrive(mbuf);
	}
	for (unsigned int q = 0; q < N_QUEUES; q++)
		port->rxqs[q].bypass_left = 1;
	while (rte_eth_rx_burst(port_id, queue, mbufs, 32) != 32)
		assert_in_range(++queue, 1, N_QUEUES - 1);
	return queue;
}

static void all_are_parsed(uint16_t port, struct rte_mbuf *const *mbufs, unsigned int n) {
	for (unsigned int i = 0; i < n; i++) {
		char name[64];

		assert_true(rte_pmd_ddp_meta_is_parsed(meta_of(mbufs[i])));
		assert_int_equal(meta_of(mbufs[i])->value, TEID);
		assert_int_equal(meta_of(mbufs[i])->inner_l3_off, 50);
		assert_true(rte_pmd_ddp_ptype_name(port, meta_of(mbufs[i])->ptype_id, name,
						   sizeof(name)) > 0);
		assert_string_equal(name, "GTPU_IPV4_TCP");
	}
}

// An application must not take 0 for a TEID.
TEST(packets_hashed_by_hardware_say_so_and_are_parsed_on_demand) {
	struct rte_mbuf *mbufs[33];
	uint16_t port = ddp_start(COMMS, N_QUEUES, 1, 512);
	uint16_t queue = gtpu_bypass(port, mbufs);

	assert_int_equal(rte_pmd_ddp_meta_is_on(port), 1);
	for (unsigned int i = 0; i < 32; i++) {
		assert_false(rte_pmd_ddp_meta_is_parsed(meta_of(mbufs[i])));
		assert_in_range(meta_of(mbufs[i])->ptype_id, 1, UINT16_MAX - 1);
	}
	mbufs[32] = mbufs[0];
	*meta_of(mbufs[5]) =
		(struct rte_pmd_ddp_meta){.ptype_id = 7, .inner_l3_off = 9, .value = 8};
	assert_int_equal(rte_pmd_ddp_meta_fill(port, queue, mbufs, 33), 33);
	assert_int_equal(meta_of(mbufs[5])->value, 8); // was parsed
	all_are_parsed(port, mbufs, 5);
	all_are_parsed(port, mbufs + 6, 27);
	assert_int_equal(rte_pmd_ddp_meta_fill(port, N_QUEUES, mbufs, 1), -EINVAL);
	assert_int_equal(rte_pmd_ddp_meta_fill(port, 0, NULL, 1), -EINVAL);
	assert_int_equal(rte_pmd_ddp_meta_fill(port, 0, mbufs, 0), 0);
	assert_int_equal(rte_pmd_ddp_meta_fill(port_id_of("net_testsrc0"), 0, mbufs, 1), -ENODEV);
	assert_int_equal(rte_pmd_ddp_meta_fill(UINT16_MAX, 0, mbufs, 1), -ENODEV);
	rte_pktmbuf_free_bulk(mbufs, 32);
}

TEST(with_meta_off_no_field_is_to_be_read_before) {
	struct rte_mbuf *mbufs[32];
	uint16_t port_id = ddp_start(COMMS ",meta=off", N_QUEUES, 1, 512);
	uint16_t queue = gtpu_bypass(port_id, mbufs);
	struct ddp_port *port = rte_eth_devices[port_id].data->dev_private;

	assert_int_equal(rte_pmd_ddp_meta_is_on(port_id), 0);
	assert_int_equal(meta_of(mbufs[0])->value, 0xabababab);
	for (unsigned int i = 0; i < N_QUEUES; i++)
		ddp_lower_rxq_lock(&port->lower_rxqs[i]);
	assert_int_equal(rte_pmd_ddp_meta_fill(port_id, queue, mbufs, 32), 0); // does not wait
	ddp_unlock(&port->lower_rxqs[0].lock);
	assert_int_equal(rte_pmd_ddp_meta_fill(port_id, queue, mbufs, 32), 32);
	all_are_parsed(port_id, mbufs, 32);
	for (unsigned int i = 1; i < N_QUEUES; i++)
		ddp_unlock(&port->lower_rxqs[i].lock);
	assert_int_equal(rte_eth_dev_stop(port_id), 0);
	assert_int_equal(rte_pmd_ddp_meta_fill(port_id, queue, mbufs, 32), 0);
	rte_pktmbuf_free_bulk(mbufs, 32);
}

static bool counting;
static unsigned int most_counted;

static void *count(void *port) {
	while (__atomic_load_n(&counting, __ATOMIC_RELAXED)) {
		unsigned int n = rte_eth_rx_queue_count(*(uint16_t *)port, 1);

		__atomic_store_n(&most_counted, RTE_MAX(most_counted, n), __ATOMIC_RELAXED);
	}
	return NULL;
}

// An application that sleeps until a queue is full enough relies on this count. Packets of a burst
// that cannot bypass the rings replace the queue's ring for a moment.
TEST(waiting_packets_are_counted_during_a_bypass) {
	uint16_t port = bypass_start(OS, 512);
	pthread_t thread;
	unsigned int n = 0, n_fed = 0, counted = 0;

	counting = true;
	assert_int_equal(pthread_create(&thread, NULL, count, &port), 0);
	// The thread may begin late.
	for (unsigned int i = 0; i < 40000 || (counted == 0 && i < 1000 * 40000); i++) {
		counted = __atomic_load_n(&most_counted, __ATOMIC_RELAXED);
		if (testsrc_left(0) == 0) {
			feed_unknown(1, i, RTE_DIM(mbufs)); // for queue 0, on lower queue 1
			n_fed += RTE_DIM(mbufs);
		}
		for (uint16_t q = 0; q < 2; q++)
			n += rx_free(port, q);
	}
	__atomic_store_n(&counting, false, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	assert_int_equal(n + poll_to_end(port, N_QUEUES, 0, NULL), n_fed);
	assert_in_range(most_counted, 1, 512 * N_QUEUES);
}

// They wait on the lower queue of the same number.
TEST(packets_that_will_bypass_the_rings_are_counted) {
	uint16_t port = bypass_start(OS, 512);
	int n = 0;

	arrive(512);
	for (uint16_t q = 0; q < N_QUEUES; q++) {
		int count = rte_eth_rx_queue_count(port, q);

		assert_in_range(count, 1, 511);
		assert_int_equal(rte_eth_rx_descriptor_status(port, q, count - 1),
				 RTE_ETH_RX_DESC_DONE);
		assert_int_equal(rte_eth_rx_descriptor_status(port, q, count),
				 RTE_ETH_RX_DESC_AVAIL);
		n += count;
	}
	assert_int_equal(n, 512);
	assert_int_equal(poll_until_idle(port, 0, N_QUEUES), 512);
}

GROUP(port_setup, NULL)
EACH(begin, leak_teardown)
