/* SPDX-License-Identifier: BSD-3-Clause */
#include "frame.h"

#include <assert.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>

#include "population.h"
#include "rng.h"

#define MAC_SIZE 6
#define IPV4_SIZE 20
#define IPV6_SIZE 40
#define UDP_SIZE 8
#define TCP_SIZE 20
#define MARK_SIZE 8 // per-flow sequence number and flow id

#define ETHERTYPE_IPV4 0x0800
#define ETHERTYPE_IPV6 0x86dd
#define ETHERTYPE_VLAN 0x8100

// GTP-U, TS 29.281 clause 5.1.
#define GTPU_PORT 2152
#define GTPU_SIZE 8
#define GTPU_OPTIONAL_SIZE 4
#define GTPU_V1 0x30 // version 1, protocol type GTP
#define GTPU_E 0x04
#define GTPU_S 0x02
#define GTPU_G_PDU 255
#define GTPU_NEXT_PSC 0x85
#define GTPU_NEXT_NONE 0

// PDU session container, TS 38.415 clause 5.5.2.
#define PSC_SIZE 4
#define PSC_DL 0
#define PSC_UL 1

static_assert(14 + 4 + IPV6_SIZE + UDP_SIZE + GTPU_SIZE + GTPU_OPTIONAL_SIZE + PSC_SIZE ==
		      N3_HEADERS_MAX,
	      "PACKET_SIZE_MAX fills the largest frame");

static const struct {
	uint8_t dst[MAC_SIZE];
	uint8_t src[MAC_SIZE];
} macs[N_KINDS] = {
	// the UPF and the gNBs' router
	[KIND_N3_UP] = {{2, 0, 0, 0, 3, 2}, {2, 0, 0, 0, 3, 1}},
	[KIND_N3_DOWN] = {{2, 0, 0, 0, 3, 1}, {2, 0, 0, 0, 3, 2}},
	// the UPF and the data network's router
	[KIND_N6_UP] = {{2, 0, 0, 0, 6, 2}, {2, 0, 0, 0, 6, 1}},
	[KIND_N6_DOWN] = {{2, 0, 0, 0, 6, 1}, {2, 0, 0, 0, 6, 2}},
};

// IMIX, with room on the link for the tunnel: sizes of IP packets, 7 : 4 : 1.
static const uint16_t imix[] = {40, 40, 40, 40, 40, 40, 40, 576, 576, 576, 576, 1400};

// Between whom an IP packet travels.
struct ends {
	bool ipv6;
	struct address src;
	struct address dst;
};

static void put8(uint8_t **at, uint8_t value) {
	*(*at)++ = value;
}

static void put16(uint8_t **at, uint16_t value) {
	put8(at, value >> 8);
	put8(at, value);
}

static void put32(uint8_t **at, uint32_t value) {
	put16(at, value >> 16);
	put16(at, value);
}

static void put_bytes(uint8_t **at, const void *bytes, size_t size) {
	memcpy(*at, bytes, size);
	*at += size;
}

static void put_address(uint8_t **at, const struct address *addr, bool ipv6) {
	put_bytes(at, addr->bytes, ipv6 ? 16 : 4);
}

// RFC 1071. Sums what is in memory as the machine reads it: byte order falls out of the result as
// long as that is stored the same way.
static uint64_t sum_add(uint64_t sum, const uint8_t *bytes, size_t size) {
	uint32_t word = 0;

	for (; size >= sizeof(word); bytes += sizeof(word), size -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		sum += word;
	}
	word = 0;
	memcpy(&word, bytes, size);
	return sum + word;
}

static uint16_t sum_finish(uint64_t sum) {
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

// Of a TCP or UDP packet whose checksum field is 0; RFC 8200 clause 8.1 for both versions of IP, as
// the order of the pseudo header's words does not matter.
static uint16_t l4_checksum(const struct ends *ends, uint8_t protocol, const uint8_t *l4,
			    size_t size) {
	uint8_t pseudo[40], *at = pseudo;

	put_address(&at, &ends->src, ends->ipv6);
	put_address(&at, &ends->dst, ends->ipv6);
	put32(&at, size);
	put32(&at, protocol);
	return sum_finish(sum_add(sum_add(0, pseudo, at - pseudo), l4, size));
}

static uint16_t ip_header_size(bool ipv6) {
	return ipv6 ? IPV6_SIZE : IPV4_SIZE;
}

static void ipv4_put(uint8_t **at, const struct ends *ends, uint8_t protocol, uint16_t payload,
		     uint8_t ttl) {
	uint8_t *header = *at;
	uint16_t checksum;

	put16(at, 0x4500); // version 4, 5 words, no DSCP
	put16(at, IPV4_SIZE + payload);
	put32(at, 0x00004000); // no identification: don't fragment
	put8(at, ttl);
	put8(at, protocol);
	put16(at, 0);
	put_address(at, &ends->src, false);
	put_address(at, &ends->dst, false);
	checksum = sum_finish(sum_add(0, header, IPV4_SIZE));
	memcpy(header + 10, &checksum, sizeof(checksum));
}

static void ipv6_put(uint8_t **at, const struct ends *ends, uint8_t protocol, uint16_t payload,
		     uint8_t ttl) {
	put32(at, 0x60000000); // version 6, no traffic class, no flow label
	put16(at, payload);
	put8(at, protocol);
	put8(at, ttl);
	put_address(at, &ends->src, true);
	put_address(at, &ends->dst, true);
}

static void ip_put(uint8_t **at, const struct ends *ends, uint8_t protocol, uint16_t payload,
		   uint8_t ttl) {
	if (ends->ipv6)
		ipv6_put(at, ends, protocol, payload, ttl);
	else
		ipv4_put(at, ends, protocol, payload, ttl);
}

// The checksum is left 0, which is "none" over IPv4.
static void udp_put(uint8_t **at, uint16_t sport, uint16_t dport, uint16_t payload) {
	put16(at, sport);
	put16(at, dport);
	put16(at, UDP_SIZE + payload);
	put16(at, 0);
}

static void udp_checksum_set(uint8_t *udp, const struct ends *ends, size_t size) {
	uint16_t checksum = l4_checksum(ends, IPPROTO_UDP, udp, size);

	if (checksum == 0)
		checksum = 0xffff; // 0 would mean none
	memcpy(udp + 6, &checksum, sizeof(checksum));
}

// In the middle of a connection: the other side has sent nothing yet that was not acknowledged.
static void tcp_put(uint8_t **at, uint16_t sport, uint16_t dport, uint32_t seq, uint32_t ack) {
	put16(at, sport);
	put16(at, dport);
	put32(at, seq);
	put32(at, ack);
	put16(at, 0x5018); // 5 words, PSH and ACK
	put16(at, 0xffff);
	put16(at, 0);
	put16(at, 0);
}

static void tcp_checksum_set(uint8_t *tcp, const struct ends *ends, size_t size) {
	uint16_t checksum = l4_checksum(ends, IPPROTO_TCP, tcp, size);

	memcpy(tcp + 16, &checksum, sizeof(checksum));
}

static void payload_put(uint8_t **at, const struct packet *packet, uint16_t size) {
	put32(at, packet->seq);
	put32(at, packet->flow->id);
	memset(*at, 'u', size - MARK_SIZE);
	*at += size - MARK_SIZE;
}

static uint16_t l4_header_size(const struct flow *flow) {
	return flow->protocol == IPPROTO_TCP ? TCP_SIZE : UDP_SIZE;
}

// The UE's own packet, the same on N3 and N6.
static void inner_put(uint8_t **at, const struct packet *packet) {
	const struct flow *flow = packet->flow;
	bool down = kind_is_down(packet->kind);
	struct ends ends = {
		.ipv6 = flow->ue.ipv6,
		.src = down ? flow->server : flow->ue.addr,
		.dst = down ? flow->ue.addr : flow->server,
	};
	uint16_t sport = down ? flow->server_port : flow->ue_port;
	uint16_t dport = down ? flow->ue_port : flow->server_port;
	uint32_t seq = (down ? flow->isn_down : flow->isn_up) + packet->bytes;
	uint32_t ack = down ? flow->isn_up : flow->isn_down;
	uint16_t payload = packet_payload(packet);
	uint8_t *l4;

	ip_put(at, &ends, flow->protocol, l4_header_size(flow) + payload, down ? 56 : 64);
	l4 = *at;
	if (flow->protocol == IPPROTO_TCP)
		tcp_put(at, sport, dport, seq, ack);
	else
		udp_put(at, sport, dport, payload);
	payload_put(at, packet, payload);
	if (flow->protocol == IPPROTO_TCP)
		tcp_checksum_set(l4, &ends, *at - l4);
	else
		udp_checksum_set(l4, &ends, *at - l4);
}

// The optional fields are there when any of their flags is set.
static bool gtpu_has_optional(const struct config *config, const struct packet *packet) {
	return !config->no_psc || packet->flow->ue.sequenced;
}

static uint16_t gtpu_header_size(const struct config *config, const struct packet *packet) {
	return GTPU_SIZE + (gtpu_has_optional(config, packet) ? GTPU_OPTIONAL_SIZE : 0) +
	       (config->no_psc ? 0 : PSC_SIZE);
}

static void psc_put(uint8_t **at, const struct packet *packet) {
	put8(at, PSC_SIZE / 4);
	put8(at, (kind_is_down(packet->kind) ? PSC_DL : PSC_UL) << 4);
	put8(at, packet->flow->qfi);
	put8(at, GTPU_NEXT_NONE);
}

static void gtpu_put(uint8_t **at, const struct config *config, const struct packet *packet) {
	const struct ue *ue = &packet->flow->ue;
	bool down = kind_is_down(packet->kind);

	put8(at, GTPU_V1 | (config->no_psc ? 0 : GTPU_E) | (ue->sequenced ? GTPU_S : 0));
	put8(at, GTPU_G_PDU);
	put16(at, gtpu_header_size(config, packet) - GTPU_SIZE + packet->size);
	put32(at, down ? ue->teid_down : ue->teid_up);
	if (gtpu_has_optional(config, packet)) {
		put16(at, ue->sequenced ? packet->gtpu_seq : 0);
		put8(at, 0); // no N-PDU number
		put8(at, config->no_psc ? GTPU_NEXT_NONE : GTPU_NEXT_PSC);
	}
	if (!config->no_psc)
		psc_put(at, packet);
}

static void tunnel_put(uint8_t **at, const struct config *config, const struct packet *packet) {
	bool down = kind_is_down(packet->kind);
	struct address gnb = gnb_address(config, packet->flow->ue.gnb), upf = upf_address(config);
	struct ends ends = {
		.ipv6 = config->outer_ipv6,
		.src = down ? upf : gnb,
		.dst = down ? gnb : upf,
	};
	uint16_t payload = gtpu_header_size(config, packet) + packet->size;
	uint8_t *udp;

	ip_put(at, &ends, IPPROTO_UDP, UDP_SIZE + payload, 255);
	udp = *at;
	udp_put(at, GTPU_PORT, GTPU_PORT, payload);
	gtpu_put(at, config, packet);
	inner_put(at, packet);
	if (config->outer_ipv6)
		udp_checksum_set(udp, &ends, *at - udp);
}

static void ethernet_put(uint8_t **at, enum kind kind, uint16_t vlan, bool ipv6) {
	put_bytes(at, macs[kind].dst, MAC_SIZE);
	put_bytes(at, macs[kind].src, MAC_SIZE);
	if (vlan != 0) {
		put16(at, ETHERTYPE_VLAN);
		put16(at, vlan);
	}
	put16(at, ipv6 ? ETHERTYPE_IPV6 : ETHERTYPE_IPV4);
}

uint16_t packet_size(const struct config *config, enum kind kind, const struct flow *flow,
		     uint32_t seq) {
	uint16_t least = ip_header_size(flow->ue.ipv6) + l4_header_size(flow) + MARK_SIZE;
	uint16_t size = config->size;

	if (size == 0) {
		enum rng_domain domain = kind_is_down(kind) ? RNG_SIZE_DOWN : RNG_SIZE_UP;
		struct rng rng = rng_for(config->seed, domain, (uint64_t)flow->id << 32 | seq);

		size = imix[rng_below(&rng, sizeof(imix) / sizeof(*imix))];
	}
	return size < least ? least : size;
}

uint16_t packet_payload(const struct packet *packet) {
	return packet->size - ip_header_size(packet->flow->ue.ipv6) - l4_header_size(packet->flow);
}

size_t frame_build(const struct config *config, const struct packet *packet,
		   uint8_t frame[FRAME_MAX]) {
	uint8_t *at = frame;

	if (kind_is_n3(packet->kind)) {
		ethernet_put(&at, packet->kind, config->vlan, config->outer_ipv6);
		tunnel_put(&at, config, packet);
	} else {
		ethernet_put(&at, packet->kind, 0, packet->flow->ue.ipv6);
		inner_put(&at, packet);
	}
	while (at < frame + FRAME_MIN)
		put8(&at, 0);
	return at - frame;
}
