/* SPDX-License-Identifier: BSD-3-Clause */
#include "kinds.h"

#include <stdlib.h>
#include <string.h>

#define HOT_PACKETS 256
#define MANY_PACKETS 1024
#define ADVERSARIAL_PACKETS 65536
#define KINDS_OF_MIX 7

static void ipv4_udp_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	(void)kind, (void)i;
	put_eth(frame, TYPE_IPV4);
	put_ipv4(frame, 5, IP_UDP);
	put_udp(frame);
}

static void ipv4_tcp_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	(void)kind, (void)i;
	put_eth(frame, TYPE_IPV4);
	put_ipv4(frame, 5, IP_TCP);
	put_tcp(frame);
}

static void ipv6_tcp_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	(void)kind, (void)i;
	put_eth(frame, TYPE_IPV6);
	put_ipv6(frame, IP_TCP);
	put_tcp(frame);
}

static void vlan_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	(void)kind, (void)i;
	put_eth(frame, TYPE_VLAN);
	put_vlan(frame, TYPE_IPV4);
	put_ipv4(frame, 5, IP_UDP);
	put_udp(frame);
}

static void gtpu_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	(void)kind, (void)i;
	put_eth(frame, TYPE_IPV4);
	put_ipv4(frame, 5, IP_UDP);
	put_udp_to(frame, PORT_GTPU);
	put_gtpu(frame, 0, GTPU_DATA, 0);
	put_ipv4(frame, 5, IP_UDP);
	put_udp(frame);
}

static void vxlan_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	(void)kind, (void)i;
	put_eth(frame, TYPE_IPV4);
	put_ipv4(frame, 5, IP_UDP);
	put_udp_to(frame, PORT_VXLAN);
	put_vxlan(frame);
	put_eth(frame, TYPE_IPV4);
	put_ipv4(frame, 5, IP_TCP);
	put_tcp(frame);
}

static void pppoe_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	(void)kind, (void)i;
	put_eth(frame, TYPE_PPPOE);
	put_pppoe(frame, PPP_IPV4);
	put_ipv4(frame, 5, IP_TCP);
	put_tcp(frame);
}

static void mix_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	const struct kind *one = &kinds[random_below(frame->random, KINDS_OF_MIX)];

	(void)kind;
	one->make(one, frame, i);
}

// The first KINDS_OF_MIX are those of the mix.
const struct kind kinds[] = {
	{
		.id = "ipv4-udp",
		.title = "ipv4/udp",
		.group = "one",
		.n_packets = HOT_PACKETS,
		.chain = "eth ipv4 udp",
		.make = ipv4_udp_make,
	},
	{
		.id = "ipv4-tcp",
		.title = "ipv4/tcp",
		.group = "one",
		.n_packets = HOT_PACKETS,
		.chain = "eth ipv4 tcp",
		.make = ipv4_tcp_make,
	},
	{
		.id = "ipv6-tcp",
		.title = "ipv6/tcp",
		.group = "one",
		.n_packets = HOT_PACKETS,
		.chain = "eth ipv6 tcp",
		.make = ipv6_tcp_make,
	},
	{
		.id = "vlan",
		.title = "vlan/ipv4/udp",
		.group = "one",
		.n_packets = HOT_PACKETS,
		.chain = "eth vlan ipv4 udp",
		.make = vlan_make,
	},
	{
		.id = "gtpu",
		.title = "gtpu/ipv4/udp",
		.group = "one",
		.n_packets = HOT_PACKETS,
		.chain = "eth ipv4 udp gtpu ipv4 udp",
		.make = gtpu_make,
	},
	{
		.id = "vxlan",
		.title = "vxlan/ipv4/tcp",
		.group = "one",
		.n_packets = HOT_PACKETS,
		.chain = "eth ipv4 udp vxlan eth ipv4 tcp",
		.make = vxlan_make,
	},
	{
		.id = "pppoe",
		.title = "pppoe/ipv4/tcp",
		.group = "one",
		.n_packets = HOT_PACKETS,
		.chain = "eth pppoe ppp ipv4 tcp",
		.make = pppoe_make,
	},
	{
		.id = "mix",
		.title = "mix of these 7",
		.group = "one",
		.n_packets = HOT_PACKETS,
		.make = mix_make,
	},
	{
		.id = "n3",
		.title = "N3 5G",
		.group = "mixed",
		.n_packets = MANY_PACKETS,
		.make = n3_make,
	},
	{
		.id = "bng",
		.title = "BNG",
		.group = "mixed",
		.n_packets = MANY_PACKETS,
		.make = bng_make,
	},
	{
		.id = "paths-8",
		.title = "8 paths",
		.group = "mixed",
		.n_packets = MANY_PACKETS,
		.n_paths = 8,
		.make = paths_make,
	},
	{
		.id = "paths-32",
		.title = "32 paths",
		.group = "mixed",
		.n_packets = MANY_PACKETS,
		.n_paths = 32,
		.make = paths_make,
	},
	{
		.id = "paths-128",
		.title = "128 paths",
		.group = "mixed",
		.n_packets = MANY_PACKETS,
		.n_paths = 128,
		.make = paths_make,
	},
	{
		.id = "paths-512",
		.title = "512 paths",
		.group = "mixed",
		.n_packets = MANY_PACKETS,
		.n_paths = 512,
		.make = paths_make,
	},
	{
		.id = "adversarial",
		.title = "adversarial",
		.group = "mixed",
		.n_packets = ADVERSARIAL_PACKETS,
		.ahead = true,
		.make = adversarial_make,
	},
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
