/* SPDX-License-Identifier: BSD-3-Clause */
#include "population.h"

#include <netinet/in.h>

#include "rng.h"
#include "traffic_options.h"

// MAX_FLOWS of IANA's dynamic ports, from a range where none has a dissector: our payload is
// malformed to most of them.
#define EPHEMERAL_FIRST 60416
#define TCP_PERCENT 60 // of flows; the others are UDP

_Static_assert(EPHEMERAL_FIRST + MAX_FLOWS + ELEPHANTS_MAX <= UINT16_MAX, "ports for elephants");

// Services that UEs use. A share is out of the sum of its protocol's shares. No port is a tunnel's,
// and none is that of DNS, for the same reason.
struct service {
	uint16_t port;
	uint8_t share;
	uint8_t qfi;
};

static const struct service tcp_services[] = {
	{443, 70, 9}, // web
	{80, 12, 9},  // web, in clear
	{8080, 6, 9}, // web proxies
	{5228, 6, 8}, // push messages
	{993, 4, 8},  // mail
	{22, 2, 6},   // shells
};

static const struct service udp_services[] = {
	{443, 64, 9},   // QUIC
	{3480, 12, 2},  // conversational video
	{16384, 10, 1}, // voice
	{5060, 8, 5},   // IMS signalling
	{27015, 6, 3},  // games
};

struct services {
	const struct service *entries;
	unsigned int n_entries;
	uint8_t protocol;
};

#define SERVICES(of, entries) \
	{ entries, sizeof(entries) / sizeof(*(entries)), of }

static const struct services tcp = SERVICES(IPPROTO_TCP, tcp_services);
static const struct services udp = SERVICES(IPPROTO_UDP, udp_services);

static const struct service *service_pick(const struct services *services, struct rng *rng) {
	const struct service *service = services->entries;
	unsigned int sum = 0, drawn;

	for (unsigned int i = 0; i < services->n_entries; i++)
		sum += services->entries[i].share;
	for (drawn = rng_below(rng, sum); drawn >= service->share; service++)
		drawn -= service->share;
	return service;
}

static void put_be(uint8_t *to, uint64_t value, unsigned int size) {
	while (size-- > 0) {
		to[size] = value;
		value >>= 8;
	}
}

static struct address ipv4_address(uint32_t value) {
	struct address addr = {0};

	put_be(addr.bytes, value, 4);
	return addr;
}

static struct address ipv6_address(uint64_t prefix, uint64_t interface) {
	struct address addr;

	put_be(addr.bytes, prefix, 8);
	put_be(addr.bytes + 8, interface, 8);
	return addr;
}

// From 10.45.0.1 on, or a random interface identifier in a /64 of its own from 2001:db8:45::/64 on.
static struct address ue_address(uint32_t id, bool ipv6, uint64_t interface) {
	if (ipv6)
		return ipv6_address(0x20010db800450000 + id, interface);
	return ipv4_address(0x0a2d0001 + id);
}

// 198.18.0.0/15, 203.0.113.0/24 or 3fff::/20: never in the UEs' pools.
static struct address server_address(bool ipv6, struct rng *rng) {
	const uint32_t n_benchmark = 1 << 17;
	uint32_t drawn;

	if (ipv6) {
		uint64_t prefix = rng_next(rng) >> 36 << 16;

		return ipv6_address(0x3fff000000000000 | prefix, 1 + rng_below(rng, 65535));
	}
	drawn = rng_below(rng, n_benchmark + 256);
	if (drawn < n_benchmark)
		return ipv4_address(0xc6120000 + drawn);
	return ipv4_address(0xcb007100 + drawn - n_benchmark);
}

// Distinct and never 0: multiplying by an odd number permutes the 32-bit numbers and keeps 0.
static uint32_t teid_make(uint32_t tunnel) {
	return (tunnel + 1) * UINT32_C(0x9e3779b1);
}

static struct ue ue_make(const struct config *config, uint32_t id, uint16_t *first_port) {
	struct rng rng = rng_for(config->seed, RNG_UE, id);
	struct ue ue = {
		.teid_up = teid_make(2 * id),
		.teid_down = teid_make(2 * id + 1),
	};

	ue.gnb = rng_below(&rng, config->gnbs);
	ue.ipv6 = rng_below(&rng, 100) < config->ipv6;
	ue.sequenced = rng_below(&rng, 4) == 0;
	ue.addr = ue_address(id, ue.ipv6, rng_next(&rng));
	*first_port = rng_below(&rng, MAX_FLOWS);
	return ue;
}

uint64_t flow_count(const struct config *config) {
	return config->ues * config->flows;
}

static uint16_t ue_port(uint16_t first_port, uint32_t nth) {
	return EPHEMERAL_FIRST + (nth < MAX_FLOWS ? (first_port + nth) % MAX_FLOWS : nth);
}

uint32_t elephant_ue(const struct config *config, uint32_t id) {
	struct rng rng = rng_for(config->seed, RNG_ELEPHANT, id);

	return rng_below(&rng, config->ues);
}

struct flow flow_make(const struct config *config, uint32_t id, uint32_t ue_id, uint32_t nth) {
	struct rng rng = rng_for(config->seed, RNG_FLOW, id);
	struct flow flow = {.id = id, .ue_id = ue_id};
	const struct services *services;
	const struct service *service;
	uint16_t first_port;

	flow.ue = ue_make(config, flow.ue_id, &first_port);
	flow.ue_port = ue_port(first_port, nth);
	flow.server = server_address(flow.ue.ipv6, &rng);
	services = rng_below(&rng, 100) < TCP_PERCENT ? &tcp : &udp;
	service = service_pick(services, &rng);
	flow.protocol = services->protocol;
	flow.server_port = service->port;
	flow.qfi = service->qfi;
	flow.isn_up = rng_next(&rng);
	flow.isn_down = rng_next(&rng);
	return flow;
}

// The transport network of N3: 172.16.0.0/12 or fd00:3::/32.
struct address gnb_address(const struct config *config, uint32_t gnb) {
	if (config->outer_ipv6)
		return ipv6_address(0xfd00000300010000, 1 + gnb);
	return ipv4_address(0xac110001 + gnb);
}

struct address upf_address(const struct config *config) {
	if (config->outer_ipv6)
		return ipv6_address(0xfd00000300000000, 1);
	return ipv4_address(0xac100001);
}
