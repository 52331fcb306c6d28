/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rss_hf.h"
#include "classify/classify.h"
#include "corpus.h"
#include "scratch.h"
#include "unit.h"

struct hashed {
	uint8_t bytes[PACKET_MAX];
	struct ddp_packet packet;
	struct ddp_class class;
	char input[2 * DDP_MAX_INPUT_SIZE + 1]; // in hex
};

static void hashed_of(const struct ddp_program *program, const struct piece *pieces,
		      uint64_t rss_hf, enum ddp_hash_function function, struct hashed *hashed) {
	uint32_t len = packet_build(pieces, hashed->bytes);
	uint8_t input[DDP_MAX_INPUT_SIZE];
	unsigned int n;

	hashed->packet = (struct ddp_packet){.data = hashed->bytes, .first_len = len, .len = len};
	ddp_classify(program, &hashed->packet, &hashed->class);
	n = ddp_input_gather(program, &hashed->packet, &hashed->class, rss_hf, function, input);
	hashed->input[0] = '\0';
	for (unsigned int i = 0; i < n; i++)
		snprintf(hashed->input + 2 * i, 3, "%02x", input[i]);
}

static const struct directions {
	const char *name;
	const char *spec;
	struct piece one[10], other[10];
} directions[] = {
	{"both_directions_of_ipv4_udp_meet",
	 "base",
	 {ETH(0x0800), IPV4(17, UE, NET), UDP(1024, 53), END},
	 {ETH(0x0800), IPV4(17, NET, UE), UDP(53, 1024), END}},
	{"both_directions_of_ipv6_sctp_meet",
	 "base",
	 {ETH(0x86dd), IPV6(132, UE6, NET6), SCTP(1024, 53), END},
	 {ETH(0x86dd), IPV6(132, NET6, UE6), SCTP(53, 1024), END}},
	{"both_directions_of_fragments_meet",
	 "base",
	 {ETH(0x0800), IPV4_AS(0x45, MF, 17, UE, NET), UDP(1024, 53), END},
	 {ETH(0x0800), IPV4_AS(0x45, 77, 17, NET, UE), DATA, END}},
	{"both_directions_of_a_users_flow_meet",
	 "gtpu",
	 {ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU_OPT(0x34, 255, 0x85),
	  PSC(UPLINK, 9, 0), IPV4(6, UE, NET), TCP(1024, 80), END},
	 {ETH(0x0800), IPV4(17, UPF, GNB), UDP(2152, 2152), GTPU_OPT(0x34, 255, 0x85),
	  PSC(DOWNLINK, 9, 0), IPV4(6, NET, UE), TCP(80, 1024), END}},
	{"both_directions_of_signalling_meet",
	 "gtpu",
	 {ETH(0x0800), IPV4(17, GNB, UPF), UDP(4000, 2152), GTPU_OPT(0x32, 1, 0), END},
	 {ETH(0x0800), IPV4(17, UPF, GNB), UDP(4000, 2152), GTPU_OPT(0x32, 2, 0), END}},
};

ROWS_TEST(meet_with_a_symmetric_hash, directions) {
	const struct directions *row = *state;
	struct loaded loaded = load_good(row->spec);
	struct hashed one[3], other[3];

	for (enum ddp_hash_function f = 0; f <= DDP_HASH_SYMMETRIC_TOEPLITZ_SORT; f++) {
		hashed_of(loaded.program, row->one, UINT64_MAX, f, &one[f]);
		hashed_of(loaded.program, row->other, UINT64_MAX, f, &other[f]);
		assert_int_equal(strlen(one[f].input), strlen(one[0].input));
		assert_int_equal(strcmp(one[f].input, other[f].input) == 0, f != DDP_HASH_TOEPLITZ);
	}
}

#define N3_OUTER ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU(0x30, 255)

#define A4 "0a010203c6336407"
#define A6 "20010db80000007701020304050607082606470000000000000000000000002a"
#define UDP4 ETH(0x0800), IPV4(17, UE, NET), UDP(1024, 53)
#define UDP6 ETH(0x86dd), IPV6(17, UE6, NET6), UDP(1024, 53)
#define TCP6_EXT ETH(0x86dd), IPV6(0, UE6, NET6), EXT8(6), TCP(1024, 80)

#define USER N3_OUTER, IPV4(17, UE, NET), UDP(1024, 53)

// clang-format off
static const struct by_hf {
	const char *name;
	const char *spec;
	const char *rss_hf;
	struct piece packet[10];
	const char *input;
	enum ddp_hash_function function;
} by_hf[] = {
	{"ip_alone_hashes_the_addresses_of_udp", "base", "ip", {UDP4}, A4},
	{"ip_and_udp_hash_the_ports_too", "base", "ip+udp", {UDP4}, A4 "04000035"},
	{"udp_alone_hashes_the_ports_too", "base", "ipv4-udp", {UDP4}, A4 "04000035"},
	{"tcp_alone_does_not_hash_udp", "base", "tcp", {UDP4}, ""},
	{"none_hashes_nothing", "base", "none", {UDP4}, ""},
	{"ipv6_does_not_hash_ipv4", "base", "ipv6+ipv6-udp", {UDP4}, ""},
	{"ipv4_other_does_not_hash_udp", "base", "ipv4-other", {UDP4}, ""},
	{"ipv4_other_hashes_icmp", "base", "ipv4-other", {ETH(0x0800), IPV4(1, UE, NET), ICMP}, A4},
	{"ipv4_other_does_not_hash_fragments", "base", "ipv4-other",
	 {ETH(0x0800), IPV4_AS(0x45, MF, 1, UE, NET), ICMP}, ""},
	{"ipv4_frag_hashes_fragments", "base", "ipv4-frag",
	 {ETH(0x0800), IPV4_AS(0x45, MF, 17, UE, NET), UDP(1, 2)}, A4},
	{"udp_does_not_hash_fragments_of_udp", "base", "udp",
	 {ETH(0x0800), IPV4_AS(0x45, MF, 17, UE, NET), UDP(1, 2)}, ""},
	{"ip_hashes_fragments", "base", "ip",
	 {ETH(0x0800), IPV4_AS(0x45, 9, 17, UE, NET), UDP(1, 2)}, A4},
	{"ipv6_udp_hashes_the_ports", "base", "ipv6-udp", {UDP6}, A6 "04000035"},
	{"ip_hashes_the_addresses_of_ipv6", "base", "ip", {UDP6}, A6},
	{"ipv6_tcp_ex_hashes_tcp_behind_options", "base", "ipv6-tcp-ex", {TCP6_EXT}, A6 "04000050"},
	{"ipv6_frag_hashes_fragments", "base", "ipv6-frag",
	 {ETH(0x86dd), IPV6(44, UE6, NET6), FRAG6(17, 0, 1), UDP(1, 2)}, A6},
	{"a_profile_of_the_users_does_not_ask_rss_hf", "gtpu", "ip", {UDP4}, A4 "04000035"},
	{"inner_fields_are_hashed_whatever_rss_hf_says", "gtpu", "ip", {USER}, A4 "04000035"},
	{"a_later_fragment_of_ipv6", "base", "ip",
	 {ETH(0x86dd), IPV6(44, UE6, NET6), FRAG6(17, 181, 0), DATA}, A6},
	{"a_users_first_fragment", "gtpu", "ip",
	 {N3_OUTER, IPV4_AS(0x45, MF, 17, UE, NET), UDP(1024, 53)}, A4},
	{"a_users_later_fragment", "gtpu", "ip", {N3_OUTER, IPV4_AS(0x45, 6, 17, UE, NET)}, A4},
	{"a_users_first_ipv6_fragment", "gtpu", "ip",
	 {N3_OUTER, IPV6(44, UE6, NET6), FRAG6(17, 0, 1), UDP(1024, 53)}, A6},
	{"a_users_later_ipv6_fragment", "gtpu", "ip",
	 {N3_OUTER, IPV6(44, UE6, NET6), FRAG6(17, 9, 1), UDP(7, 8)}, A6},
	{"the_first_outer_fragment", "gtpu", "ip",
	 {ETH(0x0800), IPV4_AS(0x45, MF, 17, UE, NET), UDP(2152, 2152), GTPU(0x30, 255),
	  IPV4(17, GNB, UPF), UDP(1, 2)}, A4},
	{"the_outermost_level_hashes_outer_addresses_and_ports", "gtpu", "ip+level-outer",
	 {N3_OUTER, IPV4(17, UE, NET), TCP(1024, 53)}, "c0000201c000026408680868"},
	{"the_outermost_level_of_a_plain_packet", "gtpu", "ip+level-outer", {UDP6}, A6 "04000035"},
	{"the_outermost_level_hashes_no_ports_of_fragments", "gtpu", "ip+level-outer",
	 {ETH(0x0800), IPV4_AS(0x45, MF, 17, UE, NET), UDP(2152, 2152)}, A4},
	{"the_innermost_level_hashes_what_the_profile_says", "gtpu", "ip+level-inner",
	 {USER}, A4 "04000035"},
	{"both_levels_are_none", "gtpu", "ip+level-inner+level-outer", {USER}, A4 "04000035"},
	// 10.1.2.3 is less than 198.51.100.7, but 1024 more than 53.
	{"a_pair_is_replaced_by_its_xor_in_both_places", "base", "ip+udp", {UDP4},
	 "cc326604cc32660404350435", DDP_HASH_SYMMETRIC_TOEPLITZ},
	{"a_pair_is_sorted_by_value", "base", "ip+udp", {UDP4}, A4 "00350400",
	 DDP_HASH_SYMMETRIC_TOEPLITZ_SORT},
};
// clang-format on

// Users who ask for the outermost level get the queues that they know of a NIC without a profile.
TEST(outermost_is_as_without_a_profile) {
	static const char *const specs[] = {"gtpu", "all", "vxlan", "gre", "5g-upf"};
	struct loaded base = load_good("base");

	for (unsigned int s = 0; s < COUNT(specs); s++) {
		struct loaded loaded = load_good(specs[s]);

		for (unsigned int i = 0; i < corpora[1].n_packets; i++) {
			const struct piece *packet = corpora[1].packets[i];
			struct hashed without, outermost;

			hashed_of(base.program, packet, DDP_RSS_HF_ALL, 0, &without);
			hashed_of(loaded.program, packet, DDP_RSS_LEVEL_OUTERMOST, 0, &outermost);
			if (without.input[0] != '\0' && outermost.input[0] != '\0')
				assert_string_equal(without.input, outermost.input);
		}
	}
}

ROWS_TEST(hashes_by_rss_hf, by_hf) {
	const struct by_hf *row = *state;
	struct loaded loaded = load_good(row->spec);
	struct hashed hashed;
	const char *unknown;
	size_t unknown_len;
	uint64_t rss_hf;

	assert_int_equal(ddp_rss_hf_parse(row->rss_hf, &rss_hf, &unknown, &unknown_len), 0);
	hashed_of(loaded.program, row->packet, rss_hf, row->function, &hashed);
	assert_string_equal(hashed.input, row->input);
}

static void field_write(void *arg, const char *name, unsigned int width, const uint8_t value[16]) {
	char *text = arg;

	sprintf(text + strlen(text), "%s:%u=%02x%02x%02x%02x ", name, width, value[12], value[13],
		value[14], value[15]);
}

// unhashed: a tunnel's OAM packet with Intel's packages. Hashed, it would leave the queue on which
// a NIC has it.
static void fields_told(const char *spec, const struct piece *pieces, bool unhashed,
			const char *expected) {
	struct loaded loaded = load_good(spec);
	uint8_t input[DDP_MAX_INPUT_SIZE];
	struct hashed hashed;
	char text[400] = "";

	hashed_of(loaded.program, pieces, UINT64_MAX, DDP_HASH_TOEPLITZ, &hashed);
	hashed.class.unhashed = unhashed;
	ddp_fields_each(loaded.program, &hashed.packet, &hashed.class, UINT64_MAX, field_write,
			text);
	assert_string_equal(text, expected);
	for (enum ddp_hash_function f = 0; f <= DDP_HASH_SYMMETRIC_TOEPLITZ; f++)
		assert_int_equal(ddp_input_gather(loaded.program, &hashed.packet, &hashed.class,
						  UINT64_MAX, f, input) == 0,
				 unhashed);
}

TEST(each_field_is_told_once_in_order) {
	const struct piece udp[] = {UDP4, END};
	const struct piece uplink[] = {
		ETH(0x0800),       IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU_OPT(0x34, 255, 0x85),
		PSC(UPLINK, 9, 0), IPV4(6, UE, NET),   TCP(1024, 80),   END,
	};

	fields_told("gtpu", uplink, false,
		    "inner.ipv4.src:32=0a010203 inner.ipv4.dst:32=c6336407 "
		    "inner.tcp.sport:16=00000400 inner.tcp.dport:16=00000050 gtpu.teid:32=11223344 "
		    "gtpu_psc.qfi:6=00000009 ");
	fields_told("gtpu:teid", uplink, false, "gtpu.teid:32=11223344 gtpu_psc.qfi:6=00000009 ");
	fields_told("base", udp, false,
		    "ipv4.src:32=0a010203 ipv4.dst:32=c6336407 udp.sport:16=00000400 "
		    "udp.dport:16=00000035 ");
	fields_told("base", udp, true, "");
}

TEST(the_input_is_padded_to_words_and_no_further) {
	static const char text[] = "profile: t\nheaders: {a: {first: true, layout: x:8 y:128}}\n"
				   "packet_types: {A: {path: a, rss: a.x}, B: {path: a, when: "
				   "{a.x: 2}, rss: a.y a.x}}\n";
	uint8_t bytes[17] = {1, 2, 3};
	const struct ddp_packet packet = {.data = bytes, .first_len = 17, .len = 17};
	uint8_t *input = malloc(48);
	struct ddp_class class;
	struct loaded loaded;

	scratch_write_text("t.yaml", text);
	loaded = load_good("t");
	for (bytes[0] = 1; bytes[0] <= 2; bytes[0]++) {
		unsigned int n, padded;

		memset(input, 0xee, 48);
		ddp_classify(loaded.program, &packet, &class);
		n = ddp_input_gather(loaded.program, &packet, &class, 1, false, input);
		padded = (n + 3) / 4 * 4;
		assert_int_equal(n, bytes[0] == 1 ? 1 : 17);
		assert_int_equal(input[n - 1], bytes[0]);
		for (unsigned int i = n; i < padded; i++)
			assert_int_equal(input[i], 0);
		for (unsigned int i = padded; i < 48; i++)
			assert_int_equal(input[i], 0xee);
	}
	free(input);
}
