/* SPDX-License-Identifier: BSD-3-Clause */
#include "kinds.h"

#include <stdlib.h>
#include <string.h>

#define HOT_PACKETS 256
#define MANY_PACKETS 1024
#define ADVERSARIAL_PACKETS 65536
#define KINDS_OF_MIX 7

static void ipv4_udp_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	put_eth(frame, TYPE_IPV4);
	put_ipv4(frame, 5, IP_UDP);
	put_udp(frame);
}

static void ipv4_tcp_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	put_eth(frame, TYPE_IPV4);
	put_ipv4(frame, 5, IP_TCP);
	put_tcp(frame);
}

static void ipv6_tcp_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	put_eth(frame, TYPE_IPV6);
	put_ipv6(frame, IP_TCP);
	put_tcp(frame);
}

static void vlan_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	put_eth(frame, TYPE_VLAN);
	put_vlan(frame, TYPE_IPV4);
	put_ipv4(frame, 5, IP_UDP);
	put_udp(frame);
}

static void gtpu_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	put_eth(frame, TYPE_IPV4);
	put_ipv4(frame, 5, IP_UDP);
	put_udp_to(frame, PORT_GTPU);
	put_gtpu(frame, 0, GTPU_DATA, 0);
	put_ipv4(frame, 5, IP_UDP);
	put_udp(frame);
}

static void vxlan_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	put_eth(frame, TYPE_IPV4);
	put_ipv4(frame, 5, IP_UDP);
	put_udp_to(frame, PORT_VXLAN);
	put_vxlan(frame);
	put_eth(frame, TYPE_IPV4);
	put_ipv4(frame, 5, IP_TCP);
	put_tcp(frame);
}

static void pppoe_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	put_eth(frame, TYPE_PPPOE);
	put_pppoe(frame, PPP_IPV4);
	put_ipv4(frame, 5, IP_TCP);
	put_tcp(frame);
}

static void mix_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	const struct kind *one = &kinds[random_below(frame->random, KINDS_OF_MIX)];

	one->make(one, frame, i);
}

// The first KINDS_OF_MIX are those of the mix.
const struct kind kinds[] = {
#define ONE(id, title, chain, make) \
	{ id, title, "one", HOT_PACKETS, false, chain, make, 0 }
#define MANY(id, title, make, n_paths) \
	{ id, title, "mixed", MANY_PACKETS, false, NULL, make, n_paths }
	ONE("ipv4-udp", "ipv4/udp", "eth ipv4 udp", ipv4_udp_make),
	ONE("ipv4-tcp", "ipv4/tcp", "eth ipv4 tcp", ipv4_tcp_make),
	ONE("ipv6-tcp", "ipv6/tcp", "eth ipv6 tcp", ipv6_tcp_make),
	ONE("vlan", "vlan/ipv4/udp", "eth vlan ipv4 udp", vlan_make),
	ONE("gtpu", "gtpu/ipv4/udp", "eth ipv4 udp gtpu ipv4 udp", gtpu_make),
	ONE("vxlan", "vxlan/ipv4/tcp", "eth ipv4 udp vxlan eth ipv4 tcp", vxlan_make),
	ONE("pppoe", "pppoe/ipv4/tcp", "eth pppoe ppp ipv4 tcp", pppoe_make),
	ONE("mix", "mix of these 7", NULL, mix_make),
	MANY("n3", "N3 5G", n3_make, 0),
	MANY("bng", "BNG", bng_make, 0),
	MANY("paths-8", "8 paths", paths_make, 8),
	MANY("paths-32", "32 paths", paths_make, 32),
	MANY("paths-128", "128 paths", paths_make, 128),
	MANY("paths-512", "512 paths", paths_make, 512),
	{"adversarial", "adversarial", "mixed", ADVERSARIAL_PACKETS, true, NULL, adversarial_make,
	 0},
};
const unsigned int n_kinds = sizeof(kinds) / sizeof(kinds[0]);

const struct kind *kind_find(const char *id) {
	for (unsigned int i = 0; i < n_kinds; i++)
		if (strcmp(kinds[i].id, id) == 0)
			return &kinds[i];
	return NULL;
}

void kind_frame(const struct kind *kind, unsigned int i, struct random *random,
		struct frame *frame) {
	frame_begin(frame, random);
	kind->make(kind, frame, i);
	frame_end(frame, random_from(random, FRAME_MIN, FRAME_MAX));
}
