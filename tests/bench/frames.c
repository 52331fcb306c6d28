/* SPDX-License-Identifier: BSD-3-Clause */
// Frames, put together from the names of their headers, and the kinds of traffic.
#include "packets.h"

#include <assert.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ether.h>

// A field that says which header follows is a number of one of these.
enum space {
	NONE,
	ETHERTYPE,
	PPP,
	PORT,
	PROTOCOL, // from here on of 8 bits
	EXTENSION,
	BOTTOM, // of a stack of labels
	N_SPACES,
};

struct header {
	const char *name;
	const char *bytes; // in hex; x: a random digit; behind > that field, behind < a length
	enum space next;
	uint16_t ids[N_SPACES]; // its own numbers
	uint8_t length_from;    // the header's byte from which on the length counts
	const char *option;     // "name:3" has 3 of them behind it, each of which adds to a size
	uint8_t size_at, size_step;
};

#define RANDOM_12 "xxxxxxxxxxxxxxxxxxxxxxxx"
#define PORTS "cxxx>5xxx" // to one without a meaning

static const struct header headers[] = {
	{"eth", "02xxxxxxxxxx02xxxxxxxxxx>0000", ETHERTYPE,
	 .ids = {[ETHERTYPE] = RTE_ETHER_TYPE_TEB}},
	{"vlan", "0xxx>0000", ETHERTYPE, .ids = {[ETHERTYPE] = RTE_ETHER_TYPE_VLAN}},
	{"qinq", "0xxx>0000", ETHERTYPE, .ids = {[ETHERTYPE] = RTE_ETHER_TYPE_QINQ}},
	{"mpls", "xxxx>0040", BOTTOM, .ids = {[ETHERTYPE] = RTE_ETHER_TYPE_MPLS}},
	{"pppoe", "1100xxxx<0000", NONE, .ids = {[ETHERTYPE] = RTE_ETHER_TYPE_PPPOE_SESSION}, 6},
	{"ppp", ">0000", .next = PPP},
	{"ipv4", "4500<0000xxxx400040>000000xxxxxxxxxxxxxxxx", PROTOCOL,
	 .ids = {[ETHERTYPE] = RTE_ETHER_TYPE_IPV4, [PPP] = 0x21, [BOTTOM] = 1}, 0, "01010101", 0,
	 1},
	{"ipv6", "60000000<0000>004020010db8" RANDOM_12 "20010db8" RANDOM_12, PROTOCOL,
	 .ids = {[ETHERTYPE] = RTE_ETHER_TYPE_IPV6, [PPP] = 0x57, [BOTTOM] = 1}, 40},
	{"dstopts", ">0000010400000000", PROTOCOL, .ids = {[PROTOCOL] = IPPROTO_DSTOPTS}, 0,
	 "0106000000000000", 1, 1},
	{"udp", PORTS "<00000000", PORT, .ids = {[PROTOCOL] = IPPROTO_UDP}},
	{"tcp", PORTS "xxxxxxxxxxxxxxxx5010ffff00000000", NONE, .ids = {[PROTOCOL] = IPPROTO_TCP}},
	{"sctp", PORTS "xxxxxxxxxxxxxxxx", NONE, .ids = {[PROTOCOL] = IPPROTO_SCTP}},
	{"vxlan", "08000000xxxxxx00", NONE, .ids = {[PORT] = 4789}},
	{"geneve", "0000>0000xxxxxx00", ETHERTYPE, .ids = {[PORT] = 6081}, 0, "01020001xxxxxxxx", 0,
	 2},
	{"gre", "0000>0000", ETHERTYPE, .ids = {[PROTOCOL] = IPPROTO_GRE}},
	{"gre-key", "2000>0000xxxxxxxx", ETHERTYPE, .ids = {[PROTOCOL] = IPPROTO_GRE}},
	{"gre-checksum", "8000>000000000000", ETHERTYPE, .ids = {[PROTOCOL] = IPPROTO_GRE}},
	{"gre-key-seq", "3000>0000xxxxxxxxxxxxxxxx", ETHERTYPE, .ids = {[PROTOCOL] = IPPROTO_GRE}},
	{"l2tp", "0002xxxxxxxxff03", NONE, .ids = {[PORT] = 1701}},
	{"l2tp-length", "4002<0000xxxxxxxxff03", NONE, .ids = {[PORT] = 1701}},
	{"gtpu", "30ff<0000xxxxxxxx", NONE, .ids = {[PORT] = 2152}, 8},
	{"gtpu-seq", "32ff<0000xxxxxxxxxxxx0000", NONE, .ids = {[PORT] = 2152}, 8},
	{"gtpu-echo", "3201<0000xxxxxxxxxxxx0000", NONE, .ids = {[PORT] = 2152}, 8},
	{"gtpu-extended", "34ff<0000xxxxxxxxxxxx00>00", EXTENSION, .ids = {[PORT] = 2152}, 8},
	{"psc-uplink", "01100x>00", EXTENSION, .ids = {[EXTENSION] = 0x85}},
	{"psc-downlink", "01000x>00", EXTENSION, .ids = {[EXTENSION] = 0x85}},
	{"extension", "01xxxx>00", EXTENSION, .ids = {[EXTENSION] = 0xc0}},
	{"extension-2", "02xxxxxxxxxxxx>00", EXTENSION, .ids = {[EXTENSION] = 0xc0}},
};

static const struct header *header_find(const char *name, size_t len) {
	for (const struct header *header = headers;; header++) {
		assert(header < headers + RTE_DIM(headers));
		if (strncmp(header->name, name, len) == 0 && header->name[len] == '\0')
			return header;
	}
}

static uint8_t digit(struct random *random, char c) {
	if (c == 'x')
		return random_next(random) & 15;
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

static void put16(uint8_t *at, uint16_t value) {
	at[0] = value >> 8;
	at[1] = value;
}

static void bytes_put(struct frame *frame, const char *bytes, const uint8_t *length_from) {
	for (; *bytes != '\0'; bytes++) {
		uint8_t *at = &frame->data[frame->len];

		assert(frame->len < FRAME_MAX && frame->n_lengths < RTE_DIM(frame->lengths));
		if (*bytes == '>') {
			frame->next = at;
		} else if (*bytes == '<') {
			frame->lengths[frame->n_lengths].at = at;
			frame->lengths[frame->n_lengths++].from = length_from;
		} else {
			*at = digit(frame->random, *bytes++) << 4;
			*at |= digit(frame->random, *bytes);
			frame->len++;
		}
	}
}

static void header_put(struct frame *frame, const struct header *header, unsigned int n_options) {
	const uint16_t id = header->ids[frame->space];
	uint8_t *start = &frame->data[frame->len];

	if (id != 0 && frame->space < PROTOCOL)
		put16(frame->next, id);
	else if (id != 0)
		*frame->next = id;
	bytes_put(frame, header->bytes, start + header->length_from);
	start[header->size_at] += header->size_step * n_options;
	while (n_options-- > 0)
		bytes_put(frame, header->option, NULL);
	frame->space = header->next;
}

static void put(struct frame *frame, const char *words) {
	while (*words != '\0') {
		size_t len = strcspn(words, ": ");
		const struct header *header = header_find(words, len);
		char *end = (char *)(uintptr_t)words + len;

		header_put(frame, header, *end == ':' ? strtoul(end + 1, &end, 10) : 0);
		words = end + (*end == ' ');
	}
}

/* Kinds */

// So many percent of the packets are IPv6 and TCP.
static void put_ip(struct frame *frame, unsigned int ipv6, unsigned int tcp) {
	put(frame, random_percent(frame->random, ipv6) ? "ipv6" : "ipv4");
	put(frame, random_percent(frame->random, tcp) ? "tcp" : "udp");
}

#define KINDS_OF_MIX 7

static void mix_make(struct frame *frame, unsigned int i) {
	put(frame, kinds[random_below(frame->random, KINDS_OF_MIX)].chain);
}

// The traffic of a UPF's port: users' packets in both directions with their PDU session container,
// plain IP beyond the UPF, and the echo by which the ends of a tunnel watch each other.
void n3_make(struct frame *frame, unsigned int i) {
	unsigned int what = random_below(frame->random, 100);

	put(frame, "eth");
	if (what < 16) { // N6
		put_ip(frame, 0, 60);
		return;
	}
	put(frame, "ipv4 udp");
	if (what < 18) {
		put(frame, "gtpu-echo");
		return;
	}
	put(frame, "gtpu-extended");
	put(frame, random_percent(frame->random, 40) ? "psc-uplink" : "psc-downlink");
	put_ip(frame, 10, 60);
}

// The traffic of a BNG's ports: PPPoE and plain IP (IPoE) of subscribers behind one tag or two, and
// sessions of other providers in L2TP.
static void bng_make(struct frame *frame, unsigned int i) {
	bool two = random_percent(frame->random, 60);
	unsigned int what = random_below(frame->random, 100);

	put(frame, "eth");
	if (what < 85) {
		put(frame, two ? "qinq vlan" : "vlan");
		put(frame, what < 60 ? "pppoe ppp" : "");
	} else {
		put(frame, "ipv4 udp");
		put(frame, two ? "l2tp-length ppp" : "l2tp ppp");
	}
	put_ip(frame, 25, 70);
}

#define N_GRES 4

static const char *const l4s[] = {"udp", "tcp", "sctp"};
static const char *const tunnels[] = {
	"gre",
	"gre-key",
	"gre-checksum",
	"gre-key-seq",
	"udp gtpu",
	"udp gtpu-seq",
	"udp gtpu-extended psc-uplink",
	"udp gtpu-extended extension psc-uplink",
	"udp vxlan eth",
	"udp geneve eth",
	"udp geneve:1 eth",
	"udp geneve:2 eth",
	"udp geneve:3 eth",
};

// 512 of the 1215 combinations of these, in turn.
static void paths_make(struct frame *frame, unsigned int i) {
	static const char *const links[] = {"eth", "eth vlan", "eth qinq vlan"};
	static const char *const outers[] = {"ipv4", "ipv4:1", "ipv4:2", "ipv4:3", "ipv6"};
	unsigned int path = i % 512 * 607 % 1215, body = path / 3 / 5;

	put(frame, links[path % 3]);
	put(frame, outers[path / 3 % 5]);
	if (body >= 3) {
		put(frame, tunnels[body / 3 / 2 % RTE_DIM(tunnels)]);
		put(frame, body / 3 % 2 == 0 ? "ipv4" : "ipv6");
	}
	put(frame, l4s[body % 3]);
}

// Zero to so many of a header.
static void put_some(struct frame *frame, const char *word, unsigned int n_max) {
	for (unsigned int n = random_below(frame->random, n_max + 1); n > 0; n--)
		put(frame, word);
}

static void put_long_ip(struct frame *frame) {
	char word[16];

	if (random_percent(frame->random, 50)) {
		put(frame, "ipv6");
		put_some(frame, "dstopts", 2);
		put_some(frame, "dstopts:1", 2);
		return;
	}
	snprintf(word, sizeof(word), "ipv4:%u", random_below(frame->random, 11));
	put(frame, word);
}

// A new path each time.
void adversarial_make(struct frame *frame, unsigned int i) {
	unsigned int tunnel = random_below(frame->random, 4);
	char words[32];

	put(frame, "eth");
	put_some(frame, "vlan", 12);
	put_some(frame, "mpls", random_below(frame->random, 2) * 12);
	put_long_ip(frame);
	if (tunnel == 0) {
		put(frame, tunnels[random_below(frame->random, N_GRES)]);
	} else if (tunnel == 1) {
		put(frame, "udp gtpu-extended");
		put_some(frame, "extension", 4);
		put_some(frame, "extension-2", 4);
	} else {
		snprintf(words, sizeof(words), "udp geneve:%u eth", random_below(frame->random, 8));
		put(frame, tunnel == 2 ? "udp vxlan eth" : words);
		put_some(frame, "vlan", 3);
	}
	put_long_ip(frame);
	put(frame, l4s[random_below(frame->random, RTE_DIM(l4s))]);
}

// The first KINDS_OF_MIX are those of the mix.
const struct kind kinds[] = {
#define ONE(id, title, chain) \
	{ id, title, "one", 256, chain, NULL }
#define MANY(id, title, make) \
	{ id, title, "mixed", 1024, NULL, make }
	ONE("ipv4-udp", "ipv4/udp", "eth ipv4 udp"),
	ONE("ipv4-tcp", "ipv4/tcp", "eth ipv4 tcp"),
	ONE("ipv6-tcp", "ipv6/tcp", "eth ipv6 tcp"),
	ONE("vlan", "vlan/ipv4/udp", "eth vlan ipv4 udp"),
	ONE("gtpu", "gtpu/ipv4/udp", "eth ipv4 udp gtpu ipv4 udp"),
	ONE("vxlan", "vxlan/ipv4/tcp", "eth ipv4 udp vxlan eth ipv4 tcp"),
	ONE("pppoe", "pppoe/ipv4/tcp", "eth pppoe ppp ipv4 tcp"),
	{"mix", "mix of these 7", "one", 256, NULL, mix_make},
	MANY("n3", "N3 5G", n3_make),
	MANY("bng", "BNG", bng_make),
	MANY("paths-512", "512 paths", paths_make),
	{"adversarial", "adversarial", "mixed", VISITS, NULL, adversarial_make},
};
const unsigned int n_kinds = RTE_DIM(kinds);

const struct kind *kind_find(const char *id) {
	for (unsigned int i = 0; i < n_kinds; i++)
		if (strcmp(kinds[i].id, id) == 0)
			return &kinds[i];
	return NULL;
}

void kind_frame(const struct kind *kind, unsigned int i, struct random *random,
		struct frame *frame) {
	unsigned int len = random_from(random, 60, FRAME_MAX);

	frame->random = random;
	frame->len = frame->n_lengths = frame->space = 0;
	if (kind->make != NULL)
		kind->make(frame, i);
	else
		put(frame, kind->chain);
	while (frame->len < len)
		frame->data[frame->len++] = random_next(random);
	for (unsigned int k = 0; k < frame->n_lengths; k++)
		put16(frame->lengths[k].at, &frame->data[frame->len] - frame->lengths[k].from);
}
