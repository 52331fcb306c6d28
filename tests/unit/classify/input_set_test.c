/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rss_hf.h"
#include "classify/classify.h"
#include "corpus.h"
#include "scratch.h"
#include "unit.h"

struct hashed {
	uint8_t bytes[PACKET_MAX];
	struct ddp_class class;
	unsigned int n; // bytes of input
	uint8_t input[48];
};

static void hashed_of(const struct ddp_program *program, const struct piece *pieces,
		      uint64_t rss_hf, enum ddp_hash_function function, struct hashed *hashed) {
	uint32_t len = packet_build(pieces, hashed->bytes);
	const struct ddp_packet packet = {.data = hashed->bytes, .first_len = len, .len = len};

	ddp_classify(program, &packet, &hashed->class);
	hashed->n =
		ddp_input_gather(program, &packet, &hashed->class, rss_hf, function, hashed->input);
}

static bool same_input(const struct hashed *a, const struct hashed *b) {
	return a->n == b->n && memcmp(a->input, b->input, a->n) == 0;
}

struct directions {
	const char *name;
	const char *spec;
	struct piece one[10], other[10];
};

static const struct directions directions[] = {
	{"both_directions_of_ipv4_udp_meet",
	 "base",
	 {ETH(0x0800), IPV4(17, UE, NET), UDP(1024, 53), END},
	 {ETH(0x0800), IPV4(17, NET, UE), UDP(53, 1024), END}},
	{"both_directions_of_ipv4_tcp_meet",
	 "base",
	 {ETH(0x0800), IPV4(6, UE, NET), TCP(1024, 53), END},
	 {ETH(0x0800), IPV4(6, NET, UE), TCP(53, 1024), END}},
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
	{"both_directions_of_a_users_ipv6_flow_meet",
	 "gtpu",
	 {ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU(0x30, 255), IPV6(17, UE6, NET6),
	  UDP(1024, 80), END},
	 {ETH(0x0800), IPV4(17, UPF, GNB), UDP(2152, 2152), GTPU(0x30, 255), IPV6(17, NET6, UE6),
	  UDP(80, 1024), END}},
	{"both_directions_of_signalling_meet",
	 "gtpu",
	 {ETH(0x0800), IPV4(17, GNB, UPF), UDP(4000, 2152), GTPU_OPT(0x32, 1, 0), END},
	 {ETH(0x0800), IPV4(17, UPF, GNB), UDP(4000, 2152), GTPU_OPT(0x32, 2, 0), END}},
};

ROWS_TEST(meet_with_a_symmetric_hash, directions) {
	const struct directions *row = *state;
	struct loaded loaded = load_good(row->spec);
	struct hashed one, other, plain;

	hashed_of(loaded.program, row->one, UINT64_MAX, DDP_HASH_SYMMETRIC_TOEPLITZ, &one);
	hashed_of(loaded.program, row->other, UINT64_MAX, DDP_HASH_SYMMETRIC_TOEPLITZ, &other);
	assert_true(one.n > 0);
	assert_true(same_input(&one, &other));
	hashed_of(loaded.program, row->one, UINT64_MAX, false, &plain);
	assert_int_equal(plain.n, one.n); // as long as the plain one
	hashed_of(loaded.program, row->other, UINT64_MAX, false, &other);
	assert_false(same_input(&plain, &other));
	hashed_of(loaded.program, row->one, UINT64_MAX, DDP_HASH_SYMMETRIC_TOEPLITZ_SORT, &one);
	hashed_of(loaded.program, row->other, UINT64_MAX, DDP_HASH_SYMMETRIC_TOEPLITZ_SORT, &other);
	assert_true(same_input(&one, &other));
}

static const struct piece ipv4_udp[] = {ETH(0x0800), IPV4(17, UE, NET), UDP(1024, 53), END};

static void assert_pairs(enum ddp_hash_function function, const uint8_t expected[12]) {
	struct loaded loaded = load_good("base");
	struct hashed hashed;

	hashed_of(loaded.program, ipv4_udp, UINT64_MAX, function, &hashed);
	assert_int_equal(hashed.n, 12);
	assert_memory_equal(hashed.input, expected, 12);
}

TEST(a_pair_is_replaced_by_its_xor_in_both_places) {
	// 10.1.2.3 ^ 198.51.100.7 and 1024 ^ 53, each twice
	static const uint8_t expected[] = {
		0xcc, 0x32, 0x66, 0x04, 0xcc, 0x32, 0x66, 0x04, 0x04, 0x35, 0x04, 0x35,
	};

	assert_pairs(DDP_HASH_SYMMETRIC_TOEPLITZ, expected);
}

TEST(a_pair_is_sorted_by_value) {
	// 10.1.2.3 is less than 198.51.100.7, but 1024 more than 53.
	static const uint8_t expected[] = {10, 1, 2, 3, 198, 51, 100, 7, 0, 53, 4, 0};

	assert_pairs(DDP_HASH_SYMMETRIC_TOEPLITZ_SORT, expected);
}

static void field_count(void *arg, const char *name, unsigned int width, const uint8_t value[16]) {
	unsigned int *n = arg;

	(void)name;
	(void)width;
	(void)value;
	(*n)++;
}

// A tunnel's OAM packet with Intel's packages: hashed, it would leave the queue on which a NIC has
// it.
TEST(a_packet_that_is_not_to_be_hashed_has_no_input) {
	struct loaded loaded = load_good("base");
	unsigned int n_fields[2] = {0};
	struct hashed hashed;

	for (unsigned int unhashed = 0; unhashed < 2; unhashed++) {
		struct ddp_packet packet = {.data = hashed.bytes};
		uint8_t input[48];

		packet.first_len = packet.len = packet_build(ipv4_udp, hashed.bytes);
		ddp_classify(loaded.program, &packet, &hashed.class);
		assert_false(hashed.class.unhashed);
		hashed.class.unhashed = unhashed;
		for (unsigned int symmetric = 0; symmetric < 2; symmetric++)
			assert_int_equal(ddp_input_gather(loaded.program, &packet, &hashed.class,
							  UINT64_MAX, symmetric, input),
					 unhashed ? 0 : 12);
		ddp_fields_each(loaded.program, &packet, &hashed.class, UINT64_MAX, field_count,
				&n_fields[unhashed]);
	}
	assert_int_equal(n_fields[0], 4);
	assert_int_equal(n_fields[1], 0);
}

struct datagram {
	const char *name;
	const char *spec;
	struct piece fragments[3][10];
};

#define N3_OUTER ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU(0x30, 255)

static const struct datagram datagrams[] = {
	{"fragments_of_ipv4_stay_together",
	 "base",
	 {{ETH(0x0800), IPV4_AS(0x45, MF, 17, UE, NET), UDP(1024, 53), END},
	  {ETH(0x0800), IPV4_AS(0x45, MF | 3, 17, UE, NET), UDP(7, 8), END},
	  {ETH(0x0800), IPV4_AS(0x45, 6, 17, UE, NET), UDP(9, 2152), END}}},
	{"fragments_of_tagged_ipv6_stay_together",
	 "base",
	 {{ETH(0x8100), VLAN(3, 0x86dd), IPV6(44, UE6, NET6), FRAG6(6, 0, 1), TCP(1, 2), END},
	  {ETH(0x8100), VLAN(3, 0x86dd), IPV6(44, UE6, NET6), FRAG6(6, 9, 1), TCP(3, 4), END},
	  {ETH(0x8100), VLAN(3, 0x86dd), IPV6(44, UE6, NET6), FRAG6(6, 18, 0), DATA, END}}},
	{"fragments_of_ipv6_with_options_stay_together",
	 "base",
	 {{ETH(0x86dd), IPV6(0, UE6, NET6), EXT8(44), FRAG6(60, 0, 1), EXT8(17), UDP(1, 2), END},
	  {ETH(0x86dd), IPV6(0, UE6, NET6), EXT8(44), FRAG6(60, 9, 1), EXT8(17), UDP(1, 2), END},
	  {ETH(0x86dd), IPV6(0, UE6, NET6), EXT8(44), FRAG6(60, 18, 0), DATA, END}}},
	{"a_users_fragments_stay_together",
	 "gtpu",
	 {{N3_OUTER, IPV4_AS(0x45, MF, 17, UE, NET), UDP(1024, 53), END},
	  {N3_OUTER, IPV4_AS(0x45, MF | 3, 17, UE, NET), UDP(7, 2152), END},
	  {N3_OUTER, IPV4_AS(0x45, 6, 17, UE, NET), DATA, END}}},
	{"a_users_ipv6_fragments_stay_together",
	 "gtpu",
	 {{N3_OUTER, IPV6(44, UE6, NET6), FRAG6(17, 0, 1), UDP(1024, 53), END},
	  {N3_OUTER, IPV6(44, UE6, NET6), FRAG6(17, 9, 1), UDP(7, 8), END},
	  {N3_OUTER, IPV6(44, UE6, NET6), FRAG6(17, 18, 0), DATA, END}}},
	{"a_users_fragments_stay_together_by_ue",
	 "gtpu:ue",
	 {{N3_OUTER, IPV4_AS(0x45, MF, 17, UE, NET), UDP(1024, 53), END},
	  {N3_OUTER, IPV4_AS(0x45, MF | 3, 17, UE, NET), UDP(7, 2152), END},
	  {N3_OUTER, IPV4_AS(0x45, 6, 17, UE, NET), DATA, END}}},
	{"outer_fragments_of_a_tunnel_stay_together",
	 "gtpu",
	 {{ETH(0x0800), IPV4_AS(0x45, MF, 17, GNB, UPF), UDP(2152, 2152), GTPU(0x30, 255),
	   IPV4(17, UE, NET), UDP(1024, 53), END},
	  {ETH(0x0800), IPV4_AS(0x45, MF | 185, 17, GNB, UPF), DATA, END},
	  {ETH(0x0800), IPV4_AS(0x45, 370, 17, GNB, UPF), UDP(2152, 2152), GTPU(0x30, 255), END}}},
	{"outer_ipv6_fragments_of_a_tunnel_stay_together",
	 "gtpu",
	 {{ETH(0x86dd), IPV6(44, GNB6, UPF6), FRAG6(17, 0, 1), UDP(2152, 2152), GTPU(0x30, 255),
	   IPV6(17, UE6, NET6), UDP(1024, 53), END},
	  {ETH(0x86dd), IPV6(44, GNB6, UPF6), FRAG6(17, 181, 1), DATA, END},
	  {ETH(0x86dd), IPV6(44, GNB6, UPF6), FRAG6(17, 362, 0), UDP(2152, 2152), END}}},
};

ROWS_TEST(stay_together, datagrams) {
	const struct datagram *row = *state;
	struct loaded loaded = load_good(row->spec);
	struct hashed first, later;

	for (unsigned int symmetric = 0; symmetric < 2; symmetric++) {
		hashed_of(loaded.program, row->fragments[0], UINT64_MAX, symmetric, &first);
		assert_true(first.n > 0);
		for (unsigned int i = 1; i < 3; i++) {
			hashed_of(loaded.program, row->fragments[i], UINT64_MAX, symmetric, &later);
			assert_true(same_input(&first, &later));
			assert_int_equal(later.class.type_id, first.class.type_id);
		}
	}
}

struct by_hf {
	const char *name;
	const char *spec;
	const char *rss_hf;
	struct piece packet[10];
	const char *input;
};

#define A4 "0a010203c6336407"
#define A6 "20010db80000007701020304050607082606470000000000000000000000002a"
#define UDP4 ETH(0x0800), IPV4(17, UE, NET), UDP(1024, 53)
#define UDP6 ETH(0x86dd), IPV6(17, UE6, NET6), UDP(1024, 53)
#define TCP6_EXT ETH(0x86dd), IPV6(0, UE6, NET6), EXT8(6), TCP(1024, 80)

#define USER N3_OUTER, IPV4(17, UE, NET), UDP(1024, 53)

// clang-format off
static const struct by_hf by_hf[] = {
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
	{"the_outermost_level_hashes_outer_addresses_and_ports", "gtpu", "ip+level-outer",
	 {N3_OUTER, IPV4(17, UE, NET), TCP(1024, 53)}, "c0000201c000026408680868"},
	{"the_outermost_level_of_a_plain_packet", "gtpu", "ip+level-outer", {UDP6}, A6 "04000035"},
	{"the_outermost_level_hashes_no_ports_of_fragments", "gtpu", "ip+level-outer",
	 {ETH(0x0800), IPV4_AS(0x45, MF, 17, UE, NET), UDP(2152, 2152)}, A4},
	{"the_innermost_level_hashes_what_the_profile_says", "gtpu", "ip+level-inner",
	 {USER}, A4 "04000035"},
	{"both_levels_are_none", "gtpu", "ip+level-inner+level-outer", {USER}, A4 "04000035"},
};
// clang-format on

// Users who ask for the outermost level get the queues that they know of a NIC without a profile.
TEST(outermost_is_as_without_a_profile) {
	static const char *const specs[] = {"gtpu", "all", "vxlan", "gre", "5g-upf"};
	struct loaded base = load_good("base");

	for (unsigned int s = 0; s < sizeof(specs) / sizeof(specs[0]); s++) {
		struct loaded loaded = load_good(specs[s]);

		for (unsigned int i = 0; i < corpora[1].n_samples; i++) {
			const struct piece *packet = corpora[1].samples[i].packet;
			struct hashed without, outermost;

			hashed_of(base.program, packet, DDP_RSS_HF_ALL, 0, &without);
			hashed_of(loaded.program, packet, DDP_RSS_LEVEL_OUTERMOST, 0, &outermost);
			if (without.n > 0 && outermost.n > 0)
				assert_true(same_input(&without, &outermost));
		}
	}
}

static const char *hex_of(const struct hashed *hashed) {
	static char text[97];

	text[0] = '\0';
	for (unsigned int i = 0; i < hashed->n; i++)
		snprintf(text + 2 * i, 3, "%02x", hashed->input[i]);
	return text;
}

ROWS_TEST(hashes_by_rss_hf, by_hf) {
	const struct by_hf *row = *state;
	struct loaded loaded = load_good(row->spec);
	struct hashed hashed;
	const char *unknown;
	size_t unknown_len;
	uint64_t rss_hf;

	assert_int_equal(ddp_rss_hf_parse(row->rss_hf, &rss_hf, &unknown, &unknown_len), 0);
	hashed_of(loaded.program, row->packet, rss_hf, false, &hashed);
	assert_string_equal(hex_of(&hashed), row->input);
}

struct told {
	char text[400];
};

static void tell(void *arg, const char *name, unsigned int width, const uint8_t value[16]) {
	struct told *told = arg;
	size_t len = strlen(told->text);

	snprintf(told->text + len, sizeof(told->text) - len, "%s:%u=%02x%02x%02x%02x ", name, width,
		 value[12], value[13], value[14], value[15]);
}

static void fields_told(const char *spec, const struct piece *pieces, const char *expected) {
	struct loaded loaded = load_good(spec);
	struct told told = {""};
	struct hashed hashed;
	struct ddp_packet packet;

	hashed_of(loaded.program, pieces, UINT64_MAX, false, &hashed);
	packet.len = packet.first_len = packet_build(pieces, hashed.bytes);
	packet.data = hashed.bytes;
	ddp_fields_each(loaded.program, &packet, &hashed.class, UINT64_MAX, tell, &told);
	assert_string_equal(told.text, expected);
}

static const struct piece uplink[] = {
	ETH(0x0800),       IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU_OPT(0x34, 255, 0x85),
	PSC(UPLINK, 9, 0), IPV4(6, UE, NET),   TCP(1024, 80),   END,
};

TEST(each_field_is_told_once_in_order) {
	fields_told("gtpu", uplink,
		    "inner.ipv4.src:32=0a010203 inner.ipv4.dst:32=c6336407 "
		    "inner.tcp.sport:16=00000400 inner.tcp.dport:16=00000050 gtpu.teid:32=11223344 "
		    "gtpu_psc.qfi:6=00000009 ");
	fields_told("gtpu:teid", uplink, "gtpu.teid:32=11223344 gtpu_psc.qfi:6=00000009 ");
	fields_told("base", ipv4_udp,
		    "ipv4.src:32=0a010203 ipv4.dst:32=c6336407 udp.sport:16=00000400 "
		    "udp.dport:16=00000035 ");
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
