/* SPDX-License-Identifier: BSD-3-Clause */
// Many paths through the parse graph.
#include <stdlib.h>

#include "packets.h"

#define N_INNER 6    // IPv4 and IPv6 with UDP, TCP and SCTP
#define N_TUNNELS 13 // 4 GTP-U, VXLAN, 4 Geneve, 4 GRE
#define N_BODIES (3 + N_TUNNELS * N_INNER)
#define N_TAGS 3  // none, VLAN, QinQ
#define N_OUTER 5 // IPv4 with 5 to 8 words, IPv6
#define N_PATHS (N_TAGS * N_OUTER * N_BODIES)

static const uint8_t l4_protocols[] = {IP_UDP, IP_TCP, IP_SCTP};
static const uint16_t gre_forms[] = {0, GRE_KEY, GRE_CHECKSUM, GRE_KEY | GRE_SEQUENCE};

static void put_l4(struct frame *frame, uint8_t protocol) {
	if (protocol == IP_UDP)
		put_udp(frame);
	else if (protocol == IP_TCP)
		put_tcp(frame);
	else
		put_sctp(frame);
}

/* A chosen number of them */

static uint16_t inner_type(unsigned int inner) {
	return inner / 3 == 0 ? TYPE_IPV4 : TYPE_IPV6;
}

static void put_inner(struct frame *frame, unsigned int inner) {
	uint8_t protocol = l4_protocols[inner % 3];

	if (inner_type(inner) == TYPE_IPV4)
		put_ipv4(frame, 5, protocol);
	else
		put_ipv6(frame, protocol);
	put_l4(frame, protocol);
}

static void put_gtpu_form(struct frame *frame, unsigned int form) {
	static const uint8_t flags[] = {0, GTPU_SEQUENCE, GTPU_EXTENDED, GTPU_EXTENDED};
	static const uint8_t first[] = {0, 0, GTPU_EXT_PSC, GTPU_EXT_OTHER};

	put_udp_to(frame, PORT_GTPU);
	put_gtpu(frame, flags[form], GTPU_DATA, first[form]);
	if (form == 3)
		put_gtpu_ext(frame, 1, GTPU_EXT_PSC);
	if (form >= 2)
		put_gtpu_psc(frame, true, 0);
}

// A tunnel behind an IP header that announced it.
static void put_tunnel(struct frame *frame, unsigned int tunnel, uint16_t type) {
	if (tunnel < 4) {
		put_gtpu_form(frame, tunnel);
	} else if (tunnel < 9) {
		put_udp_to(frame, tunnel == 4 ? PORT_VXLAN : PORT_GENEVE);
		if (tunnel == 4)
			put_vxlan(frame);
		else
			put_geneve(frame, tunnel - 5, TYPE_TEB);
		put_eth(frame, type);
	} else {
		put_gre(frame, gre_forms[tunnel - 9], type);
	}
}

static void put_body(struct frame *frame, unsigned int body) {
	if (body < 3) {
		put_l4(frame, l4_protocols[body]);
		return;
	}
	body -= 3;
	put_tunnel(frame, body / N_INNER, inner_type(body % N_INNER));
	put_inner(frame, body % N_INNER);
}

static uint8_t body_protocol(unsigned int body) {
	if (body < 3)
		return l4_protocols[body];
	return (body - 3) / N_INNER < 9 ? IP_UDP : IP_GRE;
}

static void put_path(struct frame *frame, unsigned int path) {
	static const uint16_t first_types[N_TAGS] = {0, TYPE_VLAN, TYPE_QINQ};
	unsigned int n_tags = path % N_TAGS, outer = path / N_TAGS % N_OUTER;
	unsigned int body = path / N_TAGS / N_OUTER;
	uint16_t type = outer < 4 ? TYPE_IPV4 : TYPE_IPV6;

	put_eth(frame, n_tags == 0 ? type : first_types[n_tags]);
	for (unsigned int i = n_tags; i > 0; i--)
		put_vlan(frame, i > 1 ? TYPE_VLAN : type);
	if (type == TYPE_IPV4)
		put_ipv4(frame, 5 + outer, body_protocol(body));
	else
		put_ipv6(frame, body_protocol(body));
	put_body(frame, body);
}

// All paths in an order of no meaning, always the same.
static const uint16_t *paths_shuffled(void) {
	static uint16_t paths[N_PATHS];
	struct random random = {1};

	if (paths[0] != paths[1])
		return paths;
	for (unsigned int i = 0; i < N_PATHS; i++) {
		unsigned int k = random_below(&random, i + 1);

		paths[i] = paths[k];
		paths[k] = i;
	}
	return paths;
}

void paths_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	put_path(frame, paths_shuffled()[i % 512]);
}

/* A new one each time */

static void put_long_ip(struct frame *frame, bool ipv6, unsigned int exts_max, uint8_t protocol) {
	unsigned int n_exts = random_below(frame->random, exts_max + 1);

	if (!ipv6) {
		put_ipv4(frame, random_from(frame->random, 5, 15), protocol);
		return;
	}
	put_ipv6(frame, n_exts == 0 ? protocol : IP_DSTOPTS);
	for (unsigned int i = n_exts; i > 0; i--)
		put_ipv6_ext(frame, i > 1 ? IP_DSTOPTS : protocol,
			     random_from(frame->random, 1, 2));
}

static void put_long_gtpu(struct frame *frame) {
	unsigned int n_exts = random_below(frame->random, 9);

	put_udp_to(frame, PORT_GTPU);
	put_gtpu(frame, n_exts > 0 ? GTPU_EXTENDED : random_below(frame->random, 2) * GTPU_SEQUENCE,
		 GTPU_DATA, n_exts > 0 ? GTPU_EXT_OTHER : 0);
	for (unsigned int i = n_exts; i > 0; i--)
		put_gtpu_ext(frame, random_from(frame->random, 1, 2), i > 1 ? GTPU_EXT_OTHER : 0);
}

static void put_long_overlay(struct frame *frame, bool vxlan, uint16_t type) {
	unsigned int n_tags = random_below(frame->random, 4);

	put_udp_to(frame, vxlan ? PORT_VXLAN : PORT_GENEVE);
	if (vxlan)
		put_vxlan(frame);
	else
		put_geneve(frame, random_below(frame->random, 8), TYPE_TEB);
	put_eth(frame, n_tags == 0 ? type : TYPE_VLAN);
	for (unsigned int i = n_tags; i > 0; i--)
		put_vlan(frame, i > 1 ? TYPE_VLAN : type);
}

// Tags, then labels or nothing, then the type of the IP packet that follows.
static void put_long_link(struct frame *frame, uint16_t type) {
	unsigned int n_tags = random_below(frame->random, 13);
	unsigned int n_labels = random_below(frame->random, 2) * random_from(frame->random, 1, 12);

	if (n_labels > 0)
		type = TYPE_MPLS;
	put_eth(frame, n_tags == 0 ? type : TYPE_VLAN);
	for (unsigned int i = n_tags; i > 0; i--)
		put_vlan(frame, i > 1 ? TYPE_VLAN : type);
	for (unsigned int i = n_labels; i > 0; i--)
		put_mpls(frame, i == 1);
}

void adversarial_make(const struct kind *kind, struct frame *frame, unsigned int i) {
	bool ipv6 = random_percent(frame->random, 50),
	     inner_ipv6 = random_percent(frame->random, 50);
	uint16_t inner = inner_ipv6 ? TYPE_IPV6 : TYPE_IPV4;
	uint8_t protocol = l4_protocols[random_below(frame->random, 3)];
	unsigned int tunnel = random_below(frame->random, 4);

	put_long_link(frame, ipv6 ? TYPE_IPV6 : TYPE_IPV4);
	put_long_ip(frame, ipv6, 4, tunnel == 0 ? IP_GRE : IP_UDP);
	if (tunnel == 0)
		put_gre(frame, gre_forms[random_below(frame->random, 4)], inner);
	else if (tunnel == 1)
		put_long_gtpu(frame);
	else
		put_long_overlay(frame, tunnel == 2, inner);
	put_long_ip(frame, inner_ipv6, 4, protocol);
	put_l4(frame, protocol);
}
