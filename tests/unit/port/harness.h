/* SPDX-License-Identifier: BSD-3-Clause */
// EAL, a pool, packets and a port over net_testsrc.
#ifndef DDP_TESTS_PORT_HARNESS_H
#define DDP_TESTS_PORT_HARNESS_H

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "port/state/rte_pmd_ddp.h"
#include "scratch.h"
#include "testsrc.h"
#include "unit.h"

#define POOL_SIZE 16383
#define FLOW_DST 0xc0a80001U // 192.168.0.1

extern struct rte_mempool *pool;

// EAL without hugepages and the pool. A second call in one process is not possible.
void eal_start(void);
// Its two halves: the second makes the first ports, so that what a first time allocates for good
// does not look like a leak.
void eal_begin(void);
void ports_first(void);

// A UDP packet of a flow, from flow_src():flow_sport() to 192.168.0.1:53; seq is its payload. The
// source address is scattered: flows with addresses and ports in step hardly differ to Toeplitz.
uint32_t flow_src(unsigned int flow);
uint16_t flow_sport(unsigned int flow);
struct rte_mbuf *packet(unsigned int flow, uint32_t seq);
unsigned int packet_flow(const struct rte_mbuf *mbuf);
uint32_t packet_seq(const struct rte_mbuf *mbuf);
struct piece;
// A packet of pieces (packet.h).
struct rte_mbuf *packet_of(const struct piece *pieces);
// A G-PDU of the TEID that packet.h has, with a UDP or TCP packet of a UE behind 50 bytes.
struct rte_mbuf *gtpu_packet(void);
struct rte_mbuf *gtpu_tcp_packet(void);
void packets_feed(unsigned int dev, unsigned int queue, unsigned int n_flows, unsigned int n);
void packet_feed(unsigned int queue, struct rte_mbuf *mbuf);
// Let one arrive at net_testsrc0, a fake NIC.
void packet_arrive(struct rte_mbuf *mbuf);
// Feed n packets of one flow, numbered from seq on, to a queue of net_testsrc0.
void flow_feed(unsigned int queue, unsigned int flow, uint32_t seq, unsigned int n);
// Feed n packets of 16 flows to queue 0 of net_testsrc0: they come from the port's n_rxq queues.
void packets_pass(uint16_t port, uint16_t n_rxq, unsigned int n);
struct rte_pmd_ddp_meta *meta_of(const struct rte_mbuf *mbuf);

// Copy to text all that is logged between the two.
void log_capture(char *text, size_t size);
void log_release(void);
// What a call returns; text, an array, has all that is logged meanwhile.
#define logged(text, call)                       \
	({                                       \
		int logged_ret;                  \
                                                 \
		log_capture(text, sizeof(text)); \
		logged_ret = (call);             \
		log_release();                   \
		logged_ret;                      \
	})
// Probe net_ddp0 with these devargs. Returns its port, or -1 (then error has the log of it).
int ddp_probe(const char *devargs);
const char *ddp_probe_log(void);
// The id of a port, which need not be the application's; asserts that there is one.
uint16_t port_id_of(const char *name);
// Probe, configure with RSS over addresses and ports, set up n_desc a queue, start; asserts all
// works.
uint16_t ddp_start(const char *devargs, uint16_t n_rxq, uint16_t n_txq, uint16_t n_desc);
void ddp_configure(uint16_t port, uint16_t n_rxq, uint16_t n_txq, uint16_t n_desc, uint64_t rss_hf);
void ddp_configure_by(uint16_t port, uint16_t n_rxq, uint16_t n_txq, uint16_t n_desc,
		      const struct rte_eth_conf *conf);
// The queue of an entry of the redirection table, of 512.
uint16_t reta_get(uint16_t port, unsigned int entry);
// Entry i to queue first + (i + by) % n.
void reta_fill(uint16_t port, uint16_t first, uint16_t n, unsigned int by);
void ddp_restart(uint16_t port);
// Stop, configure as ddp_start() does but for these, and start.
void ddp_reconfigure(uint16_t port, uint16_t n_rxq, uint16_t n_desc, uint64_t rss_hf);
// Hash by these types from now on; addresses and ports by this key.
void rss_hf_set(uint16_t port, uint64_t rss_hf);
void rss_key_set(uint16_t port, uint8_t *key, uint8_t len);
// Close and remove net_ddp0, which is stopped; and stop it first.
void ddp_close(uint16_t port);
void ddp_end(uint16_t port);

// Poll a queue for a burst, which mbufs then has; and free it. Return how many came.
extern __thread struct rte_mbuf *mbufs[32];
uint16_t rx(uint16_t port, uint16_t queue);
uint16_t rx_free(uint16_t port, uint16_t queue);
// Poll all queues once, freeing what comes. Returns how many came; counts (may be NULL) has a sum
// for each queue.
unsigned int poll_all(uint16_t port, uint16_t n_rxq, uint64_t *counts);
// Poll until the lower device is empty and nothing came for a while.
unsigned int poll_to_end(uint16_t port, uint16_t n_rxq, unsigned int dev, uint64_t *counts);

uint64_t xstat(uint16_t port, const char *name);
// taken = delivered + missed + dropped at stop + in rings; asserts it.
void assert_sum_holds(uint16_t port);

// Inside a burst call of the lower device: wait until the control path stops the port, or asks for
// a lower queue's lock; and then as long as it would take for one that does not wait for this call.
// Aborts if nobody does.
void wait_wanted(uint16_t port);

// Does fn end in another thread within 10 s, while this one is where it is? If not, it is given up.
bool ends_elsewhere(void *(*fn)(void *arg), void *arg);

#define wait_until(condition)                                                  \
	do {                                                                   \
		const uint64_t wait_end = rte_rdtsc() + 20 * rte_get_tsc_hz(); \
                                                                               \
		for (; !(condition); rte_delay_us_sleep(200))                  \
			if (rte_rdtsc() > wait_end)                            \
				fail_msg("not within 20 s: %s", #condition);   \
	} while (0)

// Numbers by a seed that each run draws anew and prints: DRAW_SEED=N repeats it.
// To the next case of a loop: 1 with DRAW_SEED=all, else about so many, of the first with a
// sanitizer, which finds other errors than a wrong answer, twelve times as many.
unsigned int draw_step(unsigned int mean);
// Run one of n cases; with DRAW_SEED=all each of them.
void draw_cases(void (*run)(unsigned int i), unsigned int n);

// Before and after each test. The latter ends net_ddp0, whose packets must add up; then all mbufs
// are in the pool, no port is left, and no memory of EAL's is lost.
int leak_setup(void **state);
int leak_teardown(void **state);

#define port_test(fn) cmocka_unit_test_setup_teardown(fn, leak_setup, leak_teardown)

int port_setup(void **state);
#define PORT_TESTS(setup)       \
	GROUP(port_setup, NULL) \
	EACH(setup, leak_teardown)

#endif
