/* SPDX-License-Identifier: BSD-3-Clause */
#include "packets.h"

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

/* Traffic as it comes on operators' links */

static void put_l4(struct frame *frame, bool tcp) {
	if (tcp)
		put_tcp(frame);
	else
		put_udp(frame);
}

static void put_ip(struct frame *frame, bool ipv6, bool tcp) {
	if (ipv6)
		put_ipv6(frame, tcp ? IP_TCP : IP_UDP);
	else
		put_ipv4(frame, 5, tcp ? IP_TCP : IP_UDP);
	put_l4(frame, tcp);
}

// The traffic of a UPF's port: users' packets in both directions with their PDU session container,
// plain IP beyond the UPF, and the echo by which the ends of a tunnel watch each other.
void n3_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	bool tcp = random_percent(frame->random, 60), ipv6 = random_percent(frame->random, 10);
	unsigned int what = random_below(frame->random, 100);

	put_eth(frame, TYPE_IPV4);
	if (what < 16) { // N6
		put_ip(frame, false, tcp);
		return;
	}
	put_ipv4(frame, 5, IP_UDP);
	put_udp_to(frame, PORT_GTPU);
	if (what < 18) {
		put_gtpu(frame, GTPU_SEQUENCE, GTPU_ECHO, 0);
		return;
	}
	put_gtpu(frame, GTPU_EXTENDED, GTPU_DATA, GTPU_EXT_PSC);
	put_gtpu_psc(frame, random_percent(frame->random, 40), 0);
	put_ip(frame, ipv6, tcp);
}

// The VLAN tags of a subscriber; type is what follows.
static void put_tags(struct frame *frame, bool two, uint16_t type) {
	put_eth(frame, two ? TYPE_QINQ : TYPE_VLAN);
	if (two)
		put_vlan(frame, TYPE_VLAN);
	put_vlan(frame, type);
}

// The traffic of a BNG's ports: PPPoE and plain IP (IPoE) of subscribers behind one tag or two, and
// sessions of other providers in L2TP.
static void bng_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	bool tcp = random_percent(frame->random, 70), ipv6 = random_percent(frame->random, 25);
	bool two = random_percent(frame->random, 60);
	unsigned int what = random_below(frame->random, 100);

	if (what < 60) {
		put_tags(frame, two, TYPE_PPPOE);
		put_pppoe(frame, ipv6 ? PPP_IPV6 : PPP_IPV4);
	} else if (what < 85) {
		put_tags(frame, two, ipv6 ? TYPE_IPV6 : TYPE_IPV4);
	} else {
		put_eth(frame, TYPE_IPV4);
		put_ipv4(frame, 5, IP_UDP);
		put_udp_to(frame, PORT_L2TP);
		put_l2tpv2(frame, two, ipv6 ? PPP_IPV6 : PPP_IPV4);
	}
	put_ip(frame, ipv6, tcp);
}

// The first KINDS_OF_MIX are those of the mix.
const struct kind kinds[] = {
#define ONE(id, title, chain, make) \
	{ id, title, "one", HOT_PACKETS, false, chain, make }
#define MANY(id, title, make) \
	{ id, title, "mixed", MANY_PACKETS, false, NULL, make }
	ONE("ipv4-udp", "ipv4/udp", "eth ipv4 udp", ipv4_udp_make),
	ONE("ipv4-tcp", "ipv4/tcp", "eth ipv4 tcp", ipv4_tcp_make),
	ONE("ipv6-tcp", "ipv6/tcp", "eth ipv6 tcp", ipv6_tcp_make),
	ONE("vlan", "vlan/ipv4/udp", "eth vlan ipv4 udp", vlan_make),
	ONE("gtpu", "gtpu/ipv4/udp", "eth ipv4 udp gtpu ipv4 udp", gtpu_make),
	ONE("vxlan", "vxlan/ipv4/tcp", "eth ipv4 udp vxlan eth ipv4 tcp", vxlan_make),
	ONE("pppoe", "pppoe/ipv4/tcp", "eth pppoe ppp ipv4 tcp", pppoe_make),
	ONE("mix", "mix of these 7", NULL, mix_make),
	MANY("n3", "N3 5G", n3_make),
	MANY("bng", "BNG", bng_make),
	MANY("paths-512", "512 paths", paths_make),
	{"adversarial", "adversarial", "mixed", ADVERSARIAL_PACKETS, true, NULL, adversarial_make},
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
