/* SPDX-License-Identifier: BSD-3-Clause */
#include "arrivals.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_gtp.h>
#include <rte_ip.h>
#include <rte_udp.h>

// RTE_IPV4() shifts bits into the sign of an int.
#define IPV4(a, b, c, d) ((uint32_t)(a) << 24 | (b) << 16 | (c) << 8 | (d))

#define MAGIC 0x70616365
#define FLOWS_OF_UE 8
#define FRACTION_BITS 20 // of the random number that chooses between a flow and its other

struct headers {
	struct rte_ether_hdr eth;
	struct rte_ipv4_hdr outer;
	struct rte_udp_hdr udp;
	struct rte_gtp_hdr gtp;
	struct rte_ipv4_hdr inner;
	struct rte_udp_hdr inner_udp;
} __attribute__((packed, aligned(2)));

/* Flows */

// What tells a flow from others, in network byte order: what is hashed.
struct tuple {
	rte_be32_t src, dst;
	rte_be16_t sport, dport;
};

static struct tuple tuple_of(uint32_t flow, uint32_t life) {
	struct random random = {.state = (uint64_t)life << 32 | flow};
	uint64_t drawn = random_next(&random);

	return (struct tuple){
		.src = rte_cpu_to_be_32(IPV4(10, 45, 0, 1) + flow / FLOWS_OF_UE),
		.dst = rte_cpu_to_be_32(IPV4(198, 18, 0, 0) + (drawn & 0x1ffff)),
		.sport = rte_cpu_to_be_16(0x8000 | drawn >> 49),
		.dport = rte_cpu_to_be_16(443),
	};
}

static void flow_begin(struct arrivals *arrivals, uint32_t flow) {
	struct tuple tuple = tuple_of(flow, arrivals->flows[flow].life);

	arrivals->flows[flow].hash =
		ddp_hash_compute(&arrivals->hash, (const uint8_t *)&tuple, sizeof(tuple));
	arrivals->flows[flow].seq = 0;
}

/* Chance */

static double uniform(struct random *random) {
	return ((random_next(random) >> 11) + 0.5) / (UINT64_C(1) << 53);
}

// Vose's alias method: each place has 1 / n of all packets, of at most two flows. parts are flows'
// shares times n; in queue small flows are listed from the front, large ones from the back.
static void alias_init(struct arrivals *arrivals, double *parts, uint32_t *queue) {
	unsigned int n = arrivals->traffic.n_flows, n_small = 0, n_large = n;

	for (unsigned int i = 0; i < n; i++) {
		arrivals->flows[i].limit = UINT32_MAX;
		if (parts[i] < 1)
			queue[n_small++] = i;
		else
			queue[--n_large] = i;
	}
	n_large = n - n_large;
	while (n_small > 0 && n_large > 0) {
		uint32_t less = queue[--n_small], more = queue[n - n_large];

		arrivals->flows[less].limit = parts[less] * (1 << FRACTION_BITS);
		arrivals->flows[less].other = more;
		parts[more] -= 1 - parts[less];
		if (parts[more] < 1) {
			n_large--;
			queue[n_small++] = more;
		}
	}
}

static int shares_init(struct arrivals *arrivals) {
	unsigned int n = arrivals->traffic.n_flows;
	double *parts = calloc(n, sizeof(*parts)), sum = 0;
	uint32_t *queue = calloc(n, sizeof(*queue));

	if (parts == NULL || queue == NULL) {
		free(parts);
		free(queue);
		return -ENOMEM;
	}
	for (unsigned int i = 0; i < n; i++)
		sum += parts[i] = pow(i + 1, -arrivals->traffic.zipf);
	for (unsigned int i = 0; i < n; i++)
		parts[i] *= n / sum;
	alias_init(arrivals, parts, queue);
	free(parts);
	free(queue);
	return 0;
}

static struct headers template; // of all frames

static struct headers headers_make(void) {
	const uint16_t outer_len = PACED_FRAME_LEN - sizeof(struct rte_ether_hdr);
	const uint16_t udp_len = outer_len - sizeof(struct rte_ipv4_hdr);
	const uint16_t gtp_len = udp_len - sizeof(struct rte_udp_hdr) - sizeof(struct rte_gtp_hdr);
	struct headers headers = {
		.eth = {.dst_addr = {{2, 0, 0, 0, 0, 1}},
			.src_addr = {{2, 0, 0, 0, 0, 2}},
			.ether_type = rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4)},
		.outer = {.version_ihl = RTE_IPV4_VHL_DEF,
			  .total_length = rte_cpu_to_be_16(outer_len),
			  .time_to_live = 64,
			  .next_proto_id = IPPROTO_UDP,
			  .src_addr = rte_cpu_to_be_32(IPV4(192, 0, 2, 1)),
			  .dst_addr = rte_cpu_to_be_32(IPV4(192, 0, 2, 2))},
		.udp = {.src_port = rte_cpu_to_be_16(RTE_GTPU_UDP_PORT),
			.dst_port = rte_cpu_to_be_16(RTE_GTPU_UDP_PORT),
			.dgram_len = rte_cpu_to_be_16(udp_len)},
		.gtp = {.gtp_hdr_info = 0x30, .msg_type = 0xff, .plen = rte_cpu_to_be_16(gtp_len)},
		.inner = {.version_ihl = RTE_IPV4_VHL_DEF,
			  .total_length = rte_cpu_to_be_16(gtp_len),
			  .time_to_live = 64,
			  .next_proto_id = IPPROTO_UDP},
		.inner_udp = {.dgram_len = rte_cpu_to_be_16(gtp_len - sizeof(struct rte_ipv4_hdr))},
	};

	headers.outer.hdr_checksum = rte_ipv4_cksum(&headers.outer);
	return headers;
}

int arrivals_init(struct arrivals *arrivals, const struct paced_traffic *traffic, uint64_t hz) {
	memset(arrivals, 0, sizeof(*arrivals));
	arrivals->traffic = *traffic;
	arrivals->random.state = traffic->seed;
	arrivals->flows = calloc(traffic->n_flows, sizeof(*arrivals->flows));
	if (arrivals->flows == NULL || shares_init(arrivals) < 0)
		return -ENOMEM;
	template = headers_make();
	ddp_hash_init(&arrivals->hash, DDP_HASH_TOEPLITZ, ddp_default_key);
	for (unsigned int i = 0; i < PACED_GAPS; i++)
		arrivals->gaps[i] = -log((i + 0.5) / PACED_GAPS) * hz / traffic->rate;
	for (unsigned int i = 0; i < traffic->n_flows; i++) {
		arrivals->flows[i].life = traffic->seed;
		flow_begin(arrivals, i);
	}
	if (traffic->churn > 0)
		arrivals->birth_gap = hz / (traffic->n_flows * traffic->churn / 100 * 10);
	arrivals->next_birth = arrivals->birth_gap;
	return 0;
}

void arrivals_fini(struct arrivals *arrivals) {
	free(arrivals->flows);
	arrivals->flows = NULL;
}

/* Packets */

static void flows_churn(struct arrivals *arrivals) {
	while (arrivals->birth_gap > 0 && arrivals->next_birth <= arrivals->next) {
		uint32_t flow = random_below(&arrivals->random, arrivals->traffic.n_flows);

		arrivals->flows[flow].life++;
		flow_begin(arrivals, flow);
		arrivals->next_birth -= log(uniform(&arrivals->random)) * arrivals->birth_gap;
	}
}

const struct paced_flow *arrivals_next(struct arrivals *arrivals, uint64_t now,
				       struct paced_stamp *stamp) {
	struct paced_flow *flow;
	uint64_t drawn;
	uint32_t place;

	if (arrivals->next > now)
		return NULL;
	flows_churn(arrivals);
	drawn = random_next(&arrivals->random);
	place = ((drawn >> 32) * arrivals->traffic.n_flows) >> 32;
	if ((drawn & ((1 << FRACTION_BITS) - 1)) >= arrivals->flows[place].limit)
		place = arrivals->flows[place].other;
	flow = &arrivals->flows[place];
	*stamp = (struct paced_stamp){
		.arrival = arrivals->next,
		.flow = place,
		.life = flow->life,
		.seq = ++flow->seq,
		.magic = MAGIC,
	};
	// The upper bits of the lower half: those of the fraction are used.
	arrivals->next += arrivals->gaps[(uint32_t)drawn >> FRACTION_BITS];
	return flow;
}

// The inner IPv4 checksum stays 0: nobody here looks at it.
void arrivals_frame(struct rte_mbuf *mbuf, const struct paced_stamp *stamp) {
	struct tuple tuple = tuple_of(stamp->flow, stamp->life);
	struct headers *headers = rte_pktmbuf_mtod(mbuf, struct headers *);

	*headers = template;
	headers->gtp.teid = rte_cpu_to_be_32(stamp->flow / FLOWS_OF_UE + 1);
	headers->inner.src_addr = tuple.src;
	headers->inner.dst_addr = tuple.dst;
	headers->inner_udp.src_port = tuple.sport;
	headers->inner_udp.dst_port = tuple.dport;
	memcpy((uint8_t *)headers + PACED_FRAME_LEN - sizeof(*stamp), stamp, sizeof(*stamp));
	mbuf->data_len = mbuf->pkt_len = PACED_FRAME_LEN;
}

const struct paced_stamp *arrivals_stamp(const struct rte_mbuf *mbuf, struct paced_stamp *copy) {
	if (mbuf->data_len < sizeof(*copy))
		return NULL;
	memcpy(copy, rte_pktmbuf_mtod_offset(mbuf, const uint8_t *, mbuf->data_len - sizeof(*copy)),
	       sizeof(*copy));
	return copy->magic == MAGIC ? copy : NULL;
}
