/* SPDX-License-Identifier: BSD-3-Clause */
// The model of the 800 series' parser on Intel's public packages. A user who asks what the NIC
// makes of a packet would be predicted otherwise if one of these failed.
#include "e810_kinds.h"
#include "frames.h"
#include "genuine.h"
#include "personality/personality.h"
#include "read_all.h"
#include "unit.h"

#define PAYLOAD "5041594c4f41442d"
static const char gtpu_uplink[] =
	"x=0200000000010200000000020800 x=45000078000100004011666f0a0100010a020002 "
	"x=9c40086800641f9e x=34ff00541122334400000085 x=01100900 "
	"x=4500004c0001000040111d76ac100001ac100509 x=9c409c410038fbe7 "
	"x=" PAYLOAD PAYLOAD PAYLOAD PAYLOAD PAYLOAD PAYLOAD;

// Node, instruction and offset; the key; the boost entry with its index and the next protocol; the
// edge and where it leads to; markers; protocols.
static const char *const gtpu_steps[] = {
	"0 0 12 | 0a0100010a6f6611400000010078000045000880 | 15 6 0x11 | 1499 8 6 34 | 0 1 | "
	"1:0 32:14 9:12",
	"8 6 34 | 000000443322115400ff349e1f64006808409c03 | 76 30 0 | 1863 26 21 53 | | 52:34",
	"26 21 53 | 10ac761d1140000001004c000045000910018528 | 80 33 0 | 1693 26 21 57 | |",
	"26 21 57 | 10ac010010ac761d1140000001004c0000450028 | 79 32 0x4 | 991 11 9 58 | 28 |",
	"11 9 58 | 0510ac010010ac761d1140000001004c00004510 | 24 9 0x11 | 1938 16 17 78 | 5 | 33:58",
	"16 17 78 | 5941502d44414f4c594150e7fb3800419c409c22 | 117 15 0 | 460 21 191 86 | 12 | "
	"53:78",
};

static void protocols_print(FILE *out, const struct e810_protocol *protocols, unsigned int n,
			    unsigned int from) {
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, " %u:%u", protocols[i].id, from + protocols[i].offset);
}

static void step_is_as_specified(void *arg, const struct e810_step *step) {
	unsigned int *n = arg;
	char text[256] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	fprintf(out, "%u %u %u | ", step->node, step->pc, step->offset);
	for (unsigned int i = 0; i < 20; i++)
		fprintf(out, "%02x", step->key[i]);
	fprintf(out, " | %d %u %#x | ", step->boost, step->boost_index, step->next_protocol);
	assert_non_null(step->edge);
	fprintf(out, "%u %u %u %u |", step->edge->index, step->next_node, step->next_pc,
		step->next_offset);
	for (unsigned int m = 0; m < E810_N_MARKERS; m++)
		if (e810_edge_marks(step->edge, m))
			fprintf(out, " %u", m);
	fputs(" |", out);
	protocols_print(out, step->edge->protocols, step->edge->n_protocols, step->protocol_offset);
	fclose(out);
	assert_in_range(*n, 0, COUNT(gtpu_steps) - 1);
	assert_string_equal(text, gtpu_steps[(*n)++]);
	assert_false(step->edge->no_match);
	assert_int_equal(step->edge->last, *n == COUNT(gtpu_steps));
}

static void protocols_are(const struct e810_result *result, const char *expected) {
	char text[256] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	protocols_print(out, result->protocols, result->n_protocols, 0);
	fclose(out);
	assert_string_equal(text, expected);
}

TEST(the_worked_example_is_walked_step_by_step) {
	struct e810_result result;
	struct e810_parser *parser = genuine_parser(GENUINE_COMMS, NULL);
	unsigned int n_steps = 0;
	struct frame frame;

	frame_make(&frame, gtpu_uplink);
	assert_int_equal(frame.len, 134);
	e810_parse_watched(parser, frame.bytes, frame.len, &result, NULL, step_is_as_specified,
			   &n_steps);
	assert_int_equal(n_steps, COUNT(gtpu_steps));
	assert_int_equal(result.status, E810_OK);
	assert_int_equal(result.n_steps, 6);
	assert_int_equal(result.ptype, 333);
	assert_int_equal(result.parser_flags, 0x9060000000000000);
	assert_int_equal(result.packet_flags, 0x0060000000000000);
	assert_int_equal(result.rss_flags, 0x6000);
	assert_int_equal(result.fd_flags, 0x6000);
	assert_int_equal(result.sw_flags, 0x4000);
	assert_int_equal(result.end, 86);
	assert_int_equal(result.node, 21);
	protocols_are(&result, " 1:0 9:12 32:14 33:58 52:34 53:78");
}

static void frame_parse(const struct e810_parser *parser, const char *words,
			struct e810_result *result) {
	struct frame frame;

	frame_make(&frame, words);
	e810_parse(parser, frame.bytes, frame.len, result);
}

static void chain_is(const char *const *chain, unsigned int n, const char *expected) {
	char text[256] = "";

	for (unsigned int i = 0; i < n; i++)
		strcat(strcat(text, i > 0 ? " " : ""), chain[i]);
	assert_string_equal(text, expected);
}

static void result_chain_is(const struct e810_parser *parser, const struct e810_result *result,
			    const struct frame *frame, const char *expected) {
	const char *chain[E810_CHAIN_MAX];
	uint16_t offsets[E810_CHAIN_MAX];
	unsigned int n =
		e810_result_chain(parser, result, frame->bytes, frame->len, chain, offsets, NULL);

	chain_is(chain, n, expected);
	for (unsigned int i = 0; i < n; i++)
		assert_true(i == 0 ? offsets[i] == 0 : offsets[i] > offsets[i - 1]);
}

ROWS_TEST(kind_is_classified, kinds) {
	const struct kind *kind = *state;
	struct frame frame;

	frame_make(&frame, kind->words);
	for (unsigned int i = 0; i < N_GENUINE; i++) {
		struct e810_parser *parser = genuine_parser(i, &kind_configs[kind->mode]);
		struct e810_result result;

		e810_parse(parser, frame.bytes, frame.len, &result);
		assert_int_equal(result.ptype, i == GENUINE_OS ? kind->os : kind->comms);
		if (i == GENUINE_COMMS) {
			assert_int_equal(result.status, kind->status);
			result_chain_is(parser, &result, &frame, kind->chain);
		}
	}
}

TEST(where_labels_are_too_many_the_ip_header_is_there) {
	struct e810_parser *parser = genuine_parser(GENUINE_COMMS, NULL);
	struct e810_result result;
	struct frame frame;
	char words[256] = "eth";

	for (unsigned int i = 0; i < 20; i++)
		strcat(words, " mpls");
	strcat(words, " ipv4 tcp");
	frame_make(&frame, words);
	e810_parse(parser, frame.bytes, frame.len, &result);
	result_chain_is(parser, &result, &frame,
			"eth mpls mpls mpls mpls mpls mpls mpls mpls mpls mpls mpls mpls mpls ipv4 "
			"tcp");
}

#define FLAG(n) (UINT64_C(1) << (n))
#define TUNNEL (FLAG(38) | FLAG(39) | FLAG(40) | FLAG(41))
#define PSC (FLAG(53) | FLAG(54)) // there is a session container; it is an uplink's

static const struct flags_row {
	const char *words;
	uint64_t mask, flags; // packet flags
	int mode;
} flags_rows[] = {
	{"eth ipv4 udp=4789 vxlan eth ipv4 tcp", TUNNEL, FLAG(39) | FLAG(41), PORTS},
	{"eth ipv4 udp=6081 geneve eth ipv4 tcp", TUNNEL, TUNNEL & ~FLAG(40), PORTS},
	{"eth ipv4 udp=4790 gpe eth ipv4 tcp", TUNNEL, FLAG(38) | FLAG(41)},
	{"eth ipv4 gre ipv4 tcp", TUNNEL, FLAG(40) | FLAG(41)},
	{"eth ipv4 udp=2152 gtpu ipv4 tcp", TUNNEL | PSC, 0},
	{"eth ipv4 udp=2152 gtpu=34ff000c0000000100000085 x=01000900 ipv4 tcp", PSC, FLAG(53)},
	{"eth ipv4 udp=2152 gtpu=34ff000c0000000100000085 x=01100900 ipv4 tcp", PSC, PSC},
	{"eth mpls ipv4 tcp", FLAG(18) | FLAG(21), FLAG(18)},
	{"eth mpls mpls ipv4 tcp", FLAG(18) | FLAG(21), FLAG(18) | FLAG(21)},
	{"eth vlan ipv4 tcp", FLAG(16) | FLAG(26), FLAG(16)},
	{"eth vlan vlan ipv4 tcp", FLAG(26), FLAG(26), DOUBLE_VLAN},
	{"eth ipv6 dest tcp", FLAG(25), FLAG(25)},
	{"eth ipv6 hop tcp", FLAG(25), 0},
	{"eth ipv4 tcp", UINT64_C(0x3f) << 32, FLAG(33)}, // its flags in wire order: ACK
	// the model's ALU reads the last 8 bits of a checksum
	{"eth ipv4 proto=17 x=9c400035000c1200 x=00000000", FLAG(29), FLAG(29)},
	{"eth ipv4 proto=17 x=9c400035000c0012 x=00000000", FLAG(29), 0},
};

ROWS_TEST(flags_are_set, flags_rows) {
	const struct flags_row *row = *state;
	struct e810_parser *parser = genuine_parser(GENUINE_COMMS, &kind_configs[row->mode]);
	struct e810_result result;

	frame_parse(parser, row->words, &result);
	assert_int_equal(result.packet_flags & row->mask, row->flags);
}

static void tag_has_id(enum genuine which, const char *words, bool double_vlan,
		       const char *expected) {
	struct e810_config config = {.double_vlan = double_vlan};
	struct e810_result result;

	frame_parse(genuine_parser(which, &config), words, &result);
	protocols_are(&result, expected);
}

TEST(the_vlan_mode_decides_which_tag_is_external) {
	for (unsigned int i = 0; i < N_GENUINE; i++) {
		tag_has_id(i, "eth vlan arp", false, " 1:0 9:16 17:14 118:18");
		tag_has_id(i, "eth vlan arp", true, " 1:0 9:16 16:14 118:18");
		tag_has_id(i, "eth vlan=88a8 vlan arp", false, " 1:0 9:20 16:14 17:18 118:22");
		tag_has_id(i, "eth vlan vlan arp", true, " 1:0 9:20 16:14 17:18 118:22");
	}
}

TEST(a_driver_has_two_ports_a_function_and_the_model_sixteen) {
	struct e810_config config = {
		.tunnels = {[E810_VXLAN].n = E810_PORTS_MAX, [E810_GENEVE].n = E810_PORTS_MAX}};

	for (unsigned int i = 0; i < E810_PORTS_MAX; i++) {
		config.tunnels[E810_VXLAN].ports[i] = 5000 + i;
		config.tunnels[E810_GENEVE].ports[i] = 6000 + i;
	}
	for (unsigned int i = 0; i < N_GENUINE; i++) {
		struct e810_parser *parser = genuine_parser(i, &config);

		for (unsigned int p = 0; p < 2 * E810_PORTS_MAX; p++) {
			struct e810_result result;
			char words[64];

			snprintf(words, sizeof(words), "eth ipv4 udp=%u %s eth ipv4 udp=53 pay",
				 p < E810_PORTS_MAX ? 5000 + p : 6000 + p - E810_PORTS_MAX,
				 p < E810_PORTS_MAX ? "vxlan" : "geneve");
			frame_parse(parser, words, &result);
			assert_int_equal(result.ptype, 61);
		}
	}
}

TEST(a_port_that_the_package_has_no_place_for_is_an_error) {
	struct e810_config config = {.tunnels = {[E810_ECPRI] = {{9000}, 1}}};

	for (unsigned int i = 0; i < N_GENUINE; i++) {
		const struct ddp_package *package = genuine_package(i);
		struct ddp_diag *diag = diag_new();
		struct e810_parser *parser = e810_parser_create(package, &config, diag);

		assert_non_null(parser);
		e810_parser_destroy(parser);
		assert_int_equal(diag->n_kept, 1);
		assert_string_equal(
			diag->messages[0].s + strlen(package->path),
			": warning: the package has no entry for eCPRI ports: 9000 stays plain UDP");
	}
}

static void parse_exactly(const struct e810_parser *parser, const uint8_t *bytes, uint32_t len,
			  struct e810_result *result) {
	uint8_t *copy = malloc(len > 0 ? len : 1);

	memcpy(copy, bytes, len);
	e810_parse(parser, copy, len, result);
	free(copy);
}

TEST(a_packet_cut_anywhere_ends) {
	for (unsigned int k = 0; k < COUNT(kinds); k++) {
		struct frame frame;

		frame_make(&frame, kinds[k].words);
		for (unsigned int i = 0; i < N_GENUINE; i++) {
			struct e810_parser *parser =
				genuine_parser(i, &kind_configs[kinds[k].mode]);
			struct e810_result result;

			for (unsigned int len = 0; len <= frame.len; len++) {
				parse_exactly(parser, frame.bytes, len, &result);
				// each byte may stall the walk, no more often
				assert_in_range(result.n_steps, 1, 64 * (len + 1));
				assert_true(result.ptype == NONE ||
					    e810_ptype_used(parser, result.ptype));
			}
		}
	}
}

TEST(an_extension_header_of_no_length_is_a_loop) {
	struct e810_result result;
	struct e810_parser *parser = genuine_parser(GENUINE_COMMS, NULL);
	struct frame frame;

	frame_make(&frame, "eth ipv4 udp=2152 gtpu=34ff000c0000000100000085 x=00100900 ipv4 tcp");
	parse_exactly(parser, frame.bytes, frame.len, &result);
	assert_int_equal(result.status, E810_LOOP);
	assert_int_equal(result.ptype, NONE);
	assert_int_equal(result.n_steps, 66);
	// cut at 54 bytes: the length that would follow reads as zero
	frame_make(&frame, "eth ipv4 udp=2152 gtpu=34ff000c0000000100000085");
	assert_int_equal(frame.len, 54);
	parse_exactly(parser, frame.bytes, frame.len, &result);
	assert_int_equal(result.status, E810_LOOP);
}

TEST(a_frame_of_mpls_labels_is_walked_to_its_end) {
	for (unsigned int i = 0; i < N_GENUINE; i++) {
		struct e810_parser *parser = genuine_parser(i, NULL);
		struct e810_result result;
		struct frame frame;

		frame_make(&frame, "eth mpls");
		while (frame.len < 9000) {
			memcpy(frame.bytes + frame.len, "\0\1\0\100", 4);
			frame.len += 4;
		}
		frame.len = 9000;
		parse_exactly(parser, frame.bytes, frame.len, &result);
		assert_int_equal(result.status, E810_OK);
		assert_in_range(result.end, 9000, 9003);
		// beyond the window labels are zeros, but still labels
		assert_in_range(result.n_steps, 2240, 2260);
	}
}

TEST(packet_types_have_names_and_chains) {
	static const struct {
		uint16_t ptype;
		const char *name, *chain;
		uint32_t rte;
	} rows[] = {
		{1, "MAC_PAY", "eth", 0x1},
		{2, "MAC_PTP", "eth ptp", 0x2},
		{11, "MAC_ARP", "eth arp", 0x3},
		{22, "MAC_IPV4_FRAG", "eth ipv4", 0x391},
		{26, "MAC_IPV4_TCP", "eth ipv4 tcp", 0x191},
		{61, "MAC_IPV4_TUN_MAC_IPV4_UDP_PAY", "eth ipv4 tunnel eth ipv4 udp", 0x2416091},
		{88, "MAC_IPV6_FRAG", "eth ipv6 ipv6_frag", 0x3e1},
		{94, "MAC_IPV6_ICMPV6", "eth ipv6 icmp6", 0x5e1},
		{138, "MAC_IPV6_TUN_MAC_IPV6_ICMPV6", "eth ipv6 tunnel eth ipv6 icmp6", 0x56160e1},
		{160, "MAC_IPV4_ESP", "eth ipv4 esp", 0},
		{164, "MAC_IPV4_NAT_T_ESP", "eth ipv4 udp esp", 0},
		{300, "MAC_PPPOD_PAY", "eth pppoed", 0x8},
		{305, "MAC_PPPOE_IPV4_TCP", "eth pppoe ppp ipv4 tcp", 0x198},
		{325, "MAC_IPV4_GTPC_TEID", "eth ipv4 udp gtpc", 0x7091},
		{333, "MAC_IPV4_GTPU_IPV4_UDP_PAY", "eth ipv4 udp gtpu ipv4 udp", 0x2408091},
		{350, "MAC_IPV6_GTPU_IPV6_ICMPV6", "eth ipv6 udp gtpu ipv6 icmp6", 0x56080e1},
		{352, "MAC_IPV4_PFCP_SESSION", "eth ipv4 udp pfcp", 0},
		{360, "MAC_IPV4_L2TPV3", "eth ipv4 l2tpv3", 0},
		{25, "PTYPE_25", "", 0},
		{417, "PTYPE_417", "", 0},
		{NONE, "NONE", "", 0},
	};
	struct e810_parser *parser = genuine_parser(GENUINE_COMMS, NULL);

	for (unsigned int i = 0; i < COUNT(rows); i++) {
		const char *chain[E810_CHAIN_MAX];

		chain_is(chain, e810_ptype_chain(parser, rows[i].ptype, chain), rows[i].chain);
		assert_string_equal(e810_ptype_name(parser, rows[i].ptype), rows[i].name);
		assert_int_equal(e810_ptype_rte(rows[i].ptype), rows[i].rte);
	}
}

// The package says which packet types can carry a protocol (section 0x80000042): 66 words of 16
// bits, the protocol and a bitmap.
TEST(what_is_recorded_fits_the_package_s_own_bitmaps) {
	for (unsigned int i = 0; i < N_GENUINE; i++) {
		const struct e810_table *table =
			e810_table(genuine_package(i), E810_PROTOCOL_PTYPES);
		unsigned int n_checked = 0;

		assert_non_null(table);
		assert_int_equal(table->entry_size, 130);
		for (unsigned int k = 0; k < COUNT(kinds); k++) {
			struct e810_parser *parser =
				genuine_parser(i, &kind_configs[kinds[k].mode]);
			struct e810_result result;
			struct frame frame;

			frame_make(&frame, kinds[k].words);
			e810_parse(parser, frame.bytes, frame.len, &result);
			for (unsigned int e = 0; e < table->n_entries && result.ptype != NONE;
			     e++) {
				const uint8_t *entry = table->entries + 130 * e;

				for (unsigned int p = 0; p < result.n_protocols; p++) {
					if (result.protocols[p].id != entry[0] || entry[1] != 0)
						continue;
					assert_true(entry[2 + result.ptype / 8] >>
							    result.ptype % 8 &
						    1);
					n_checked++;
				}
			}
		}
		assert_true(n_checked > 100);
	}
}

// The place of a number that others depend on: in the headers of the file and of a segment, before
// the buffers, in a buffer's header and entries, or at the begin of a section.
static size_t structure_draw(const struct ddp_package *package, uint64_t *random) {
	const struct e810_package *e810 = package->e810;
	size_t buffers =
		e810->segment->offset + e810->segment->size - (size_t)e810->n_buffers * 4096;
	const size_t offsets[] = {
		random_below(random, 8 + 4 * package->n_segments),
		package->segments[random_below(random, package->n_segments)].offset +
			random_below(random, 12),
		buffers - 1 - random_below(random, 12),
		buffers + (size_t)random_below(random, e810->n_buffers) * 4096 +
			random_below(random, 68),
		e810->parts[random_below(random, e810->n_parts)].offset + random_below(random, 4),
	};

	return offsets[random_below(random, COUNT(offsets))];
}

static void damaged_read(const uint8_t *bytes, size_t size, bool is_cut) {
	struct ddp_diag *diag = diag_new();
	struct ddp_package *package = ddp_package_read("damaged.pkg", bytes, size, diag);

	assert_int_equal(package == NULL, diag->n_errors > 0);
	assert_true(diag->n_errors <= 21 && !(is_cut && package != NULL));
	if (package != NULL && package->kind == DDP_PACKAGE_E810)
		e810_read_all(package);
	ddp_package_close(package);
}

// Cut, or with wrong bytes anywhere or in structures: a package is refused with messages or read
// safely.
TEST(no_damage_is_read_unsafely) {
	uint64_t random = 7;

	for (unsigned int i = 0; i < N_GENUINE; i++) {
		const struct ddp_package *package = genuine_package(i);
		uint8_t *bytes = malloc(package->size);

		assert_non_null(bytes);
		after_test(free, bytes);
		for (unsigned int v = 0; v < DRAWN(400); v++) {
			unsigned int n = v % 4 == 1 ? 32 : 2;

			memcpy(bytes, package->bytes, package->size);
			for (unsigned int k = random_below(&random, n) + 1; k > 0 && v % 4 > 0; k--)
				bytes[v % 4 == 1 ? random_below(&random, package->size) :
						   structure_draw(package, &random)] ^=
					1 + random_below(&random, 255);
			damaged_read(bytes,
				     v % 4 == 0 ? random_below(&random, package->size) :
						  package->size,
				     v % 4 == 0);
		}
	}
}
