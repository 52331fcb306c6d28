/* SPDX-License-Identifier: BSD-3-Clause */
// Results of walks, and the bound of ddp_profile_bound(), which no packet may exceed: for every
// profile of the library, packets that nest and repeat all headers that can be, and damaged ones.
#include <glob.h>

#include "classify/classify.h"
#include "classify/run/walk.h"
#include "corpus.h"
#include "frames.h"
#include "unit.h"

static struct loaded loaded[COUNT(corpora)];

static int setup(void **state) {
	for (unsigned int i = 0; i < COUNT(corpora); i++)
		loaded[i] = load_good(corpora[i].spec);
	return 0;
}

// All that is known of a packet; the text stays until the next call but one.
static const char *class_text(const struct ddp_class *class) {
	static char texts[2][DDP_MAX_STEPS * 40];
	static unsigned int n;
	char *text = texts[n++ % 2];
	FILE *out = fmemopen(text, sizeof(texts[0]), "w");

	fprintf(out, "%u %u %u %u %u %u %u %d %x %x", class->type, class->type_id, class->status,
		class->n_matched, class->l3_off, class->inner_l3_off, class->encapsulated,
		class->inner_l3, class->rte_ptype, class->value);
	for (const struct ddp_seen *seen = class->seen; seen < class->seen + class->n_seen; seen++)
		fprintf(out, ", %u %u %u %u %u %u", seen->node, seen->groups, seen->off, seen->len,
			seen->state, seen->fragment);
	fclose(out);
	return text;
}

// Bytes behind the reach of a class decide nothing. Else ddpctl would say of a capture with a short
// snaplen that it knows what it does not: "TCP", with a byte missing that says UDP.
static void assert_settled(const struct ddp_program *program, const uint8_t *bytes, uint32_t len) {
	const struct ddp_packet packet = {bytes, len, len, NULL, NULL};
	uint8_t other[PACKET_MAX];
	struct ddp_class class, again;
	uint32_t reach = ddp_classify_reach(program, &packet, &class);

	classify_bytes(program, bytes, len, &again);
	assert_string_equal(class_text(&class), class_text(&again));
	if (reach == UINT32_MAX)
		return;
	assert_true(reach <= len);
	for (unsigned int fill = 0; fill < 256; fill += 85) {
		memcpy(other, bytes, len);
		memset(other + reach, fill, len - reach);
		classify_bytes(program, other, len, &again);
		again.value = class.value; // an extracted field decides nothing
		assert_string_equal(class_text(&class), class_text(&again));
	}
}

TEST(samples_are_what_the_reference_says) {
	for (unsigned int c = 0; c < COUNT(corpora); c++) {
		for (unsigned int i = 0; i < corpora[c].n_packets; i++) {
			uint8_t bytes[PACKET_MAX];
			uint32_t len = packet_build(corpora[c].packets[i], bytes);

			assert_agree(&loaded[c], bytes, len);
			for (uint32_t cut = 0; cut <= len; cut++)
				assert_settled(loaded[c].program, bytes, cut);
		}
	}
}

TEST(gtpu_leaves_what_base_classifies_alone) {
	for (unsigned int i = 0; i < corpora[0].n_packets; i++) {
		uint8_t bytes[PACKET_MAX];
		uint32_t len = packet_build(corpora[0].packets[i], bytes);
		struct ddp_class base, gtpu;

		classify_bytes(loaded[0].program, bytes, len, &base);
		classify_bytes(loaded[1].program, bytes, len, &gtpu);
		assert_string_equal(ddp_program_type(loaded[1].program, gtpu.type)->name,
				    ddp_program_type(loaded[0].program, base.type)->name);
		assert_int_equal(gtpu.rte_ptype, base.rte_ptype);
	}
}

// Without it, MPLS in UDP in a user's tunnel would take the user's IP and UDP from the mbuf's
// packet type, and each packet would pay for headers that are nobody's business.
TEST(a_tunnel_behind_the_packet_type_is_no_part_of_it) {
	const struct piece mpls_in_user_udp[] = {
		ETH(0x0800),       IPV4(17, GNB, UPF), UDP(2152, 2152),         GTPU(0x30, 255),
		IPV4(17, UE, NET), UDP(1024, 6635),    PIECE(0, 0, 0xa1, 0x40), END};
	struct loaded both = load_good("gtpu+mpls-in-udp");
	uint8_t bytes[PACKET_MAX];
	uint32_t len = packet_build(mpls_in_user_udp, bytes);
	const struct ddp_packet packet = {.data = bytes, .first_len = len, .len = len};
	const struct ddp_type_info *type;
	struct ddp_class class;

	classify_bytes(both.program, bytes, len, &class);
	type = ddp_program_type(both.program, class.type);
	assert_string_equal(type->name, "GTPU_IPV4_UDP");
	assert_int_equal(class.rte_ptype, type->rte_ptype);
	classify_type_traced(both.program, &packet, &class, NULL);
	assert_ptr_equal(ddp_program_type(both.program, class.type), type);
	assert_string_equal(chain_text(both.program, &class),
			    "eth@0 ipv4@14 udp@34 gtpu@42 ipv4@50 udp@70");
}

// Without forms all headers of packets whose path is not cached take the slower steps.
TEST(an_ipv4_header_has_a_form) {
	int ipv4 = ddp_header_find(loaded[0].profile, "ipv4");

	assert_true(ipv4 >= 0 && loaded[0].program->forms[ipv4].mask != 0);
}

#define BYTES_MAX 65600 // of a packet: more than a walk reads
#define DAMAGED 150     // packets of each kind and profile

struct packet {
	uint8_t bytes[BYTES_MAX];
	unsigned int len;
};

#define MAC 2, 0, 0, 0, 0, 0xdd, 2, 0, 0, 0, 0, 0x55
#define TUNNEL IPV4(17, GNB, UPF), UDP(2152, 2152)
#define TUNNELS_OF_GTPU                                                                        \
	{ETH(0x0800)}, {TUNNEL, GTPU_OPT(0x34, 255, 0xc0), GTPU_EXT(0x85), PSC(UPLINK, 9, 0)}, \
		{IPV4(6, UE, NET), TCP(1024, 80)}, 12
#define TUNNELS_OF_VXLAN                                                                        \
	{ETH(0x0800)},                                                                          \
		{IPV4(17, GNB, UPF), UDP(50000, 4789), PIECE(8, ZEROS4, 0, 7, 0), ETH(0x0800)}, \
		{IPV4(17, UE, NET), UDP(1, 2)}, 12

static const uint8_t largest_extension[2048] = {60, 255};

// clang-format off
static const struct end {
	const char *name, *profile;
	struct piece start[5], again[7], rest[4];
	unsigned int n; // times again
	enum ddp_status status;
	const char *type;
	uint32_t end; // of the last header; 0: of the packet, unless it is too deep
} ends[] = {
	{"tunnels_of_gtpu", "gtpu", TUNNELS_OF_GTPU, DDP_STATUS_OK, "GTPU_IPV4_UDP"},
	{"tunnels_of_gtpu_in_all", "all", TUNNELS_OF_GTPU, DDP_STATUS_OK, "NESTED_IPV4_TCP"},
	{"tunnels_of_vxlan", "vxlan", TUNNELS_OF_VXLAN, DDP_STATUS_OK, "VXLAN_IPV4_UDP"},
	{"tunnels_of_vxlan_in_all", "all", TUNNELS_OF_VXLAN, DDP_STATUS_OK, "NESTED_IPV4_UDP"},
	{"labels", "mpls", {ETH(0x8847)}, {PIECE(0, 5, 0, 64)},
	 {PIECE(0, 5, 1, 64), IPV4(17, UE, NET), UDP(1, 2)}, 19, DDP_STATUS_OK, "MPLS_IPV4_UDP"},
	{"sixty_four_headers", "base", {ETH(0x8100)}, {VLAN(1, 0x8100)}, {VLAN(1, 0x1234)},
	 DDP_MAX_HEADERS - 2, DDP_STATUS_OK, "ETH"},
	// "ip" behind the last GTP-U header, which looks which IP follows, is none of the 64.
	{"a_hidden_header_behind_64", "gtpu", {ETH(0x0800)}, {TUNNEL, GTPU(0x30, 255)}, {DATA},
	 (DDP_MAX_HEADERS - 1) / 3, DDP_STATUS_OK, "GTPU_IPV4_UDP",
	 14 + (DDP_MAX_HEADERS - 1) / 3 * 36},
	{"tunnels_of_gre", "gre", {ETH(0x86dd)},
	 {IPV6(47, UE6, NET6), PIECE(0x20, 0, 0x86, 0xdd, ZEROS4)}, {IPV6(59, UE6, NET6)}, 40,
	 DDP_STATUS_TOO_DEEP, "GRE_IPV6"},
	{"ip_in_ip", "ipip", {ETH(0x0800)}, {IPV4(4, GNB, UPF)}, {END}, 100, DDP_STATUS_TOO_DEEP,
	 "IPIP_IPV4"},
	// Each with a control word, the next one inside.
	{"pseudowires", "mpls", {ETH(0x8847)},
	 {PIECE(0, 1, 0x11, 64), PIECE(ZEROS4), PIECE(MAC, 0x88, 0x47)}, {END}, 70,
	 DDP_STATUS_TOO_DEEP, "MPLS"},
	{"endless_tags", "base", {ETH(0x8100)}, {VLAN(1, 0x8100)}, {END}, 500, DDP_STATUS_TOO_DEEP,
	 "ETH"},
	{"endless_extensions", "base", {ETH(0x86dd), IPV6(60, UE6, NET6)}, {EXT8(43), EXT8(60)},
	 {END}, 100, DDP_STATUS_TOO_DEEP, "IPV6"},
	{"endless_fragment_headers", "base", {ETH(0x86dd), IPV6(44, UE6, NET6)}, {FRAG6(44, 0, 1)},
	 {END}, 100, DDP_STATUS_TOO_DEEP, "IPV6_FRAG"},
	{"endless_extensions_of_gtpu", "gtpu", {ETH(0x0800), TUNNEL, GTPU_OPT(0x34, 255, 0xc0)},
	 {GTPU_EXT(0x85), PSC(DOWNLINK, 1, 0xc0)}, {END}, 50, DDP_STATUS_TOO_DEEP, "GTPU"},
	{"extensions_of_no_length", "gtpu", {ETH(0x0800), TUNNEL, GTPU_OPT(0x34, 255, 0xc0)},
	 {PIECE(0, 0, 0, 0xc0)}, {END}, 100, DDP_STATUS_MALFORMED, "GTPU", 54},
	// Offsets have 16 bits: what lies behind 64 KB is not read.
	{"the_largest_extensions", "base", {ETH(0x86dd), IPV6(60, UE6, NET6)},
	 {{largest_extension, sizeof(largest_extension)}}, {END}, 32, DDP_STATUS_TRUNCATED, "IPV6",
	 54 + 31 * sizeof(largest_extension)},
};
// clang-format on

static void put(struct packet *packet, const struct piece *pieces) {
	packet->len += packet_build(pieces, packet->bytes + packet->len);
	assert_true(packet->len <= sizeof(packet->bytes));
}

static void end_make(const struct end *end, struct packet *packet) {
	packet->len = 0;
	put(packet, end->start);
	for (unsigned int i = 0; i < end->n; i++)
		put(packet, end->again);
	put(packet, end->rest);
}

static uint32_t named_bytes(const struct ddp_header *header) {
	uint32_t bits = header->start_bits + header->end_bits;

	for (unsigned int i = 0; i < header->n_groups; i++)
		bits += header->groups[i].bits;
	return bits / 8 + (header->ahead_bits + 7) / 8;
}

static unsigned int visible(const struct ddp_program *program, const struct ddp_class *class) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < class->n_seen; i++)
		n += !ddp_program_node(program, class->seen[i].node)->hidden;
	return n;
}

static void assert_within(const struct loaded *loaded, const struct ddp_bound *bound,
			  const struct packet *packet) {
	uint32_t n_bytes = 0, end = 0;
	struct ddp_class class;

	classify_bytes(loaded->program, packet->bytes, packet->len, &class);
	for (unsigned int i = 0; i < class.n_seen; i++) {
		n_bytes += named_bytes(&loaded->profile->headers[class.seen[i].node]);
		end = class.seen[i].off + class.seen[i].len;
	}
	assert_true(class.n_seen <= bound->n_steps);
	assert_true(visible(loaded->program, &class) <= bound->n_headers);
	assert_true(end <= bound->end);
	assert_true(n_bytes <= bound->n_bytes);
}

static void bound_check(const char *profile) {
	static struct packet whole, damaged;
	struct loaded loaded = load_good(profile);
	uint64_t random = 20261121;
	struct ddp_bound bound;

	assert_int_equal(ddp_profile_bound(loaded.profile, DDP_MAX_HEADERS, DDP_MAX_STEPS,
					   UINT16_MAX, NULL, &bound),
			 0);
	for (unsigned int i = 0; i < COUNT(ends); i++) {
		end_make(&ends[i], &whole);
		assert_within(&loaded, &bound, &whole);
		for (unsigned int j = 0; j < DAMAGED; j++) {
			memcpy(damaged.bytes, whole.bytes, whole.len);
			damaged.len = whole.len;
			if (whole.len <= PACKET_MAX)
				damaged.len = mutate(damaged.bytes, whole.len, &random);
			else
				mutate(damaged.bytes, PACKET_MAX, &random);
			assert_within(&loaded, &bound, &damaged);
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

ROWS_TEST(has_this_end, ends) {
	static struct packet packet;
	const struct end *row = *state;
	struct loaded loaded = load_good(row->profile);
	const struct ddp_seen *last;
	struct ddp_class class;

	end_make(row, &packet);
	classify_bytes(loaded.program, packet.bytes, packet.len, &class);
	assert_string_equal(status_text(class.status), status_text(row->status));
	assert_string_equal(ddp_program_type(loaded.program, class.type)->name, row->type);
	last = &class.seen[class.n_seen - 1];
	if (row->status == DDP_STATUS_TOO_DEEP)
		assert_int_equal(visible(loaded.program, &class), DDP_MAX_HEADERS);
	else
		assert_int_equal(last->off + last->len, row->end != 0 ? row->end : packet.len);
}

GROUP(setup, NULL)
