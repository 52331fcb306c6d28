/* SPDX-License-Identifier: BSD-3-Clause */
// No packet takes a walk beyond the bound that ddp_profile_bound() proves: for every profile of the
// library, packets that nest and repeat whatever can be, and what becomes of them when they are
// damaged.
#include <glob.h>

#include "classify/classify.h"
#include "corpus.h"
#include "unit.h"

#define BYTES_MAX 65600 // of a packet: more than a walk looks at
#define DAMAGED 150     // packets of each kind and profile

struct packet {
	uint8_t bytes[BYTES_MAX];
	unsigned int len;
};

static void put(struct packet *packet, const struct piece *pieces) {
	uint8_t bytes[PACKET_MAX];
	unsigned int len = packet_build(pieces, bytes);

	assert_true(packet->len + len <= sizeof(packet->bytes));
	memcpy(packet->bytes + packet->len, bytes, len);
	packet->len += len;
}

#define PUT(packet, ...) put(packet, (const struct piece[]){__VA_ARGS__, END})
#define MAC 2, 0, 0, 0, 0, 0xdd, 2, 0, 0, 0, 0, 0x55

static void tunnels_of_gtpu(struct packet *p) {
	PUT(p, ETH(0x0800));
	for (unsigned int i = 0; i < 12; i++)
		PUT(p, IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU_OPT(0x34, 255, 0xc0),
		    GTPU_EXT(0x85), PSC(UPLINK, 9, 0));
	PUT(p, IPV4(6, UE, NET), TCP(1024, 80));
}

static void tunnels_of_vxlan(struct packet *p) {
	PUT(p, ETH(0x0800));
	for (unsigned int i = 0; i < 12; i++)
		PUT(p, IPV4(17, GNB, UPF), UDP(50000, 4789), PIECE(8, 0, 0, 0, 0, 0, i, 0),
		    ETH(0x0800));
	PUT(p, IPV4(17, UE, NET), UDP(1, 2));
}

static void tunnels_of_gre(struct packet *p) {
	PUT(p, ETH(0x86dd));
	for (unsigned int i = 0; i < 40; i++)
		PUT(p, IPV6(47, UE6, NET6), PIECE(0x20, 0, 0x86, 0xdd, 0, 0, 0, i));
	PUT(p, IPV6(59, UE6, NET6));
}

static void ip_in_ip(struct packet *p) {
	PUT(p, ETH(0x0800));
	for (unsigned int i = 0; i < 100; i++)
		PUT(p, IPV4(4, GNB, UPF));
}

static void labels(struct packet *p) {
	PUT(p, ETH(0x8847));
	for (unsigned int i = 0; i < 20; i++)
		PUT(p, PIECE(0, i, i == 19, 64));
	PUT(p, IPV4(17, UE, NET), UDP(1, 2));
}

// Each pseudowire with a control word, the next one inside.
static void pseudowires(struct packet *p) {
	PUT(p, ETH(0x8847));
	for (unsigned int i = 0; i < 70; i++)
		PUT(p, PIECE(0, i, 0x11, 64), PIECE(ZEROS4), PIECE(MAC, 0x88, 0x47));
}

static void tags(struct packet *p) {
	PUT(p, ETH(0x88a8));
	for (unsigned int i = 0; i < 8; i++)
		PUT(p, VLAN(i, i < 7 ? 0x8100 : 0x0800));
	PUT(p, IPV4(17, UE, NET), UDP(1, 2));
}

static void endless_tags(struct packet *p) {
	PUT(p, ETH(0x8100));
	for (unsigned int i = 0; i < 500; i++)
		PUT(p, VLAN(i, 0x8100));
}

static void endless_extensions(struct packet *p) {
	PUT(p, ETH(0x86dd), IPV6(60, UE6, NET6));
	for (unsigned int i = 0; i < 200; i++)
		PUT(p, EXT8(i % 2 == 0 ? 43 : 60));
}

static void the_largest_extensions(struct packet *p) {
	PUT(p, ETH(0x86dd), IPV6(60, UE6, NET6));
	for (; p->len + 2048 <= sizeof(p->bytes); p->len += 2048) {
		p->bytes[p->len] = 60;
		p->bytes[p->len + 1] = 255;
	}
}

static void extensions_of_no_length(struct packet *p) {
	PUT(p, ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU_OPT(0x34, 255, 0xc0));
	for (unsigned int i = 0; i < 100; i++)
		PUT(p, PIECE(0, 0, 0, 0xc0));
}

static void endless_extensions_of_gtpu(struct packet *p) {
	PUT(p, ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU_OPT(0x34, 255, 0xc0));
	for (unsigned int i = 0; i < 100; i++)
		PUT(p, i % 2 == 0 ? (struct piece)GTPU_EXT(0x85) :
				    (struct piece)PSC(DOWNLINK, 1, 0xc0));
}

static const struct kind {
	const char *name;
	void (*make)(struct packet *packet);
} kinds[] = {
	{"tunnels_of_gtpu", tunnels_of_gtpu},
	{"tunnels_of_vxlan", tunnels_of_vxlan},
	{"tunnels_of_gre", tunnels_of_gre},
	{"ip_in_ip", ip_in_ip},
	{"labels", labels},
	{"pseudowires", pseudowires},
	{"tags", tags},
	{"endless_tags", endless_tags},
	{"endless_extensions", endless_extensions},
	{"the_largest_extensions", the_largest_extensions},
	{"extensions_of_no_length", extensions_of_no_length},
	{"endless_extensions_of_gtpu", endless_extensions_of_gtpu},
};

static uint32_t named_bytes(const struct ddp_header *header) {
	uint32_t bits = header->start_bits + header->end_bits;

	for (unsigned int i = 0; i < header->n_groups; i++)
		bits += header->groups[i].bits;
	return bits / 8 + (header->ahead_bits + 7) / 8;
}

static void assert_within(const struct loaded *loaded, const struct ddp_bound *bound,
			  const struct ddp_class *class) {
	unsigned int n_headers = 0;
	uint32_t n_bytes = 0, end = 0;

	for (unsigned int i = 0; i < class->n_seen; i++) {
		const struct ddp_seen *seen = &class->seen[i];
		const struct ddp_header *header = &loaded->profile->headers[seen->node];

		n_headers += !header->hidden;
		n_bytes += named_bytes(header);
		end = seen->off + seen->len;
	}
	assert_true(class->n_seen <= bound->n_steps);
	assert_true(n_headers <= bound->n_headers);
	assert_true(end <= bound->end);
	assert_true(n_bytes <= bound->n_bytes);
}

// The bytes end where a block of memory does, for AddressSanitizer to watch.
static void walk(const struct loaded *loaded, const struct ddp_bound *bound,
		 const struct packet *packet) {
	uint8_t *bytes = malloc(packet->len + 1);
	struct ddp_packet p = {.data = bytes + 1, .first_len = packet->len, .len = packet->len};
	struct ddp_class class;

	memcpy(bytes + 1, packet->bytes, packet->len);
	ddp_classify(loaded->program, &p, &class);
	assert_within(loaded, bound, &class);
	free(bytes);
}

static void damage(struct packet *packet, uint64_t *random) {
	unsigned int n = 1 + random_below(random, 6);
	unsigned int head = packet->len < 600 ? packet->len : 600;

	for (unsigned int i = 0; i < n; i++) {
		uint8_t *byte = &packet->bytes[random_below(random, head)];

		if (random_below(random, 2) == 0)
			*byte ^= 1u << random_below(random, 8);
		else
			*byte = random_next(random) >> 20;
	}
	if (random_below(random, 4) == 0)
		packet->len = random_below(random, packet->len + 1);
}

static void bound_check(const char *profile) {
	static struct packet whole, damaged;
	struct loaded loaded = load_good(profile);
	uint64_t random = 20261121;
	struct ddp_bound bound;

	assert_int_equal(ddp_profile_bound(loaded.profile, DDP_MAX_HEADERS, DDP_MAX_STEPS,
					   UINT16_MAX, NULL, &bound),
			 0);
	for (unsigned int i = 0; i < COUNT(kinds); i++) {
		whole.len = 0;
		kinds[i].make(&whole);
		walk(&loaded, &bound, &whole);
		for (unsigned int j = 0; j < DAMAGED; j++) {
			damaged.len = whole.len;
			memcpy(damaged.bytes, whole.bytes, whole.len);
			damage(&damaged, &random);
			walk(&loaded, &bound, &damaged);
		}
	}
}

TEST(no_packet_goes_beyond_the_bound_of_a_profile) {
	glob_t profiles;

	assert_int_equal(glob(PROFILES "/*.yaml", 0, NULL, &profiles), 0);
	for (size_t i = 0; i < profiles.gl_pathc; i++) {
		print_message("%s\n", profiles.gl_pathv[i]);
		bound_check(profiles.gl_pathv[i]);
	}
	globfree(&profiles);
}

static const struct end {
	const char *name, *profile;
	void (*make)(struct packet *packet);
	enum ddp_status status;
} ends[] = {
	{"tunnels_of_gtpu", "gtpu", tunnels_of_gtpu, DDP_STATUS_OK},
	{"tunnels_of_gtpu_in_all", "all", tunnels_of_gtpu, DDP_STATUS_OK},
	{"tunnels_of_vxlan", "vxlan", tunnels_of_vxlan, DDP_STATUS_OK},
	{"tunnels_of_vxlan_in_all", "all", tunnels_of_vxlan, DDP_STATUS_OK},
	{"labels", "mpls", labels, DDP_STATUS_OK},
	{"tags", "base", tags, DDP_STATUS_OK},
	{"tunnels_of_gre", "gre", tunnels_of_gre, DDP_STATUS_TOO_DEEP},
	{"ip_in_ip", "ipip", ip_in_ip, DDP_STATUS_TOO_DEEP},
	{"pseudowires", "mpls", pseudowires, DDP_STATUS_TOO_DEEP},
	{"endless_tags", "base", endless_tags, DDP_STATUS_TOO_DEEP},
	{"endless_extensions", "base", endless_extensions, DDP_STATUS_TOO_DEEP},
	{"endless_extensions_of_gtpu", "gtpu", endless_extensions_of_gtpu, DDP_STATUS_TOO_DEEP},
	{"extensions_of_no_length", "gtpu", extensions_of_no_length, DDP_STATUS_MALFORMED},
};

ROWS_TEST(has_this_end, ends) {
	static struct packet packet;
	const struct end *row = *state;
	struct loaded loaded = load_good(row->profile);
	const struct ddp_seen *last;
	struct ddp_class class;

	packet.len = 0;
	row->make(&packet);
	classify_bytes(loaded.program, packet.bytes, packet.len, &class);
	assert_int_equal(class.status, row->status);
	last = &class.seen[class.n_seen - 1];
	if (row->status == DDP_STATUS_OK)
		assert_int_equal(last->off + last->len, packet.len);
}
