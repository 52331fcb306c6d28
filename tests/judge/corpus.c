/* SPDX-License-Identifier: BSD-3-Clause */
#include "corpus.h"

#include "base/rte_ptype.h"
#include "classify/classify.h"
#include "profile/profile.h"
#include "unit.h"
#include "verdict.h"

// The naive reference says what they are; tests/library has the like judged by tshark.
// clang-format off
static const struct sample base_samples[] = {
	{"an_unknown_ethertype", {ETH(0x1234), DATA}},
	{"no_bytes_at_all", {END}},
	{"arp", {ETH(0x0806), ARP(UE, NET)}},
	{"ipv4_udp", {ETH(0x0800), IPV4(17, UE, NET), UDP(1024, 53), DATA}},
	{"ipv4_tcp", {ETH(0x0800), IPV4(6, UE, NET), TCP(1024, 80), DATA}},
	{"ipv4_tcp_with_options",
	 {ETH(0x0800), IPV4(6, UE, NET), TCP_AS(1024, 80, 6, 0, 0, 1, 1, 1, 1)}},
	{"ipv4_sctp", {ETH(0x0800), IPV4(132, UE, NET), SCTP(38412, 38412), DATA}},
	{"ipv4_icmp", {ETH(0x0800), IPV4(1, UE, NET), ICMP, DATA}},
	{"ipv4_igmp_is_hashed_by_its_addresses", {ETH(0x0800), IPV4(2, UE, NET), IGMP}},
	{"an_unknown_protocol", {ETH(0x0800), IPV4(99, UE, NET), DATA}},
	{"ipv4_with_options", {ETH(0x0800), IPV4_OPTIONS(17, UE, NET), UDP(1024, 53), DATA}},
	{"one_vlan_tag", {ETH(0x8100), VLAN(5, 0x0800), IPV4(17, UE, NET), UDP(1024, 53)}},
	{"qinq",
	 {ETH(0x88a8), VLAN(5, 0x8100), VLAN(6, 0x86dd), IPV6(6, UE6, NET6), TCP(1024, 80)}},
	{"qinq_as_it_was_before_the_standard",
	 {ETH(0x9100), VLAN(5, 0x9100), VLAN(6, 0x0806), ARP(UE, NET)}},
	{"a_tagged_frame_of_an_unknown_kind", {ETH(0x8100), VLAN(5, 0x1234), DATA}},

	{"ipv6_udp", {ETH(0x86dd), IPV6(17, UE6, NET6), UDP(1024, 53), DATA}},
	{"ipv6_sctp", {ETH(0x86dd), IPV6(132, UE6, NET6), SCTP(38412, 38412)}},
	{"ipv6_icmp", {ETH(0x86dd), IPV6(58, UE6, NET6), ICMP6, DATA}},
	{"ipv6_with_no_next_header", {ETH(0x86dd), IPV6(59, UE6, NET6), DATA}},
	{"ipv6_hop_by_hop_options", {ETH(0x86dd), IPV6(0, UE6, NET6), EXT8(17), UDP(1024, 53)}},
	{"ipv6_with_all_its_extension_headers",
	 {ETH(0x86dd), IPV6(0, UE6, NET6), EXT8(43), EXT16(60), EXT8(135), EXT8(6), TCP(1024, 80)}},
	{"an_extension_header_of_ipv6_is_none_of_ipv4",
	 {ETH(0x0800), IPV4(43, UE, NET), EXT8(17), UDP(1024, 53)}},

	{"the_first_fragment_of_ipv4_is_not_hashed_by_its_ports",
	 {ETH(0x0800), IPV4_AS(0x45, MF, 17, UE, NET), UDP(1024, 53), DATA}},
	{"a_later_fragment_of_ipv4", {ETH(0x0800), IPV4_AS(0x45, MF | 185, 17, UE, NET), DATA}},
	{"the_last_fragment_of_ipv4", {ETH(0x0800), IPV4_AS(0x45, 370, 17, UE, NET), DATA}},
	{"do_not_fragment_is_no_fragment",
	 {ETH(0x0800), IPV4_AS(0x45, 0x4000, 17, UE, NET), UDP(1024, 53)}},
	{"the_first_fragment_of_ipv6",
	 {ETH(0x86dd), IPV6(44, UE6, NET6), FRAG6(17, 0, 1), UDP(1024, 53), DATA}},
	{"a_later_fragment_of_ipv6", {ETH(0x86dd), IPV6(44, UE6, NET6), FRAG6(17, 181, 0), DATA}},
	{"the_only_fragment_of_ipv6",
	 {ETH(0x86dd), IPV6(44, UE6, NET6), FRAG6(17, 0, 0), UDP(1024, 53)}},
	{"a_first_fragment_between_extension_headers",
	 {ETH(0x86dd), IPV6(0, UE6, NET6), EXT8(44), FRAG6(60, 0, 1), EXT8(6), TCP(1024, 80)}},
	{"a_later_fragment_behind_extension_headers",
	 {ETH(0x86dd), IPV6(0, UE6, NET6), EXT8(44), FRAG6(60, 2, 1), EXT8(6), TCP(1024, 80)}},

	{"an_ihl_too_small", {ETH(0x0800), IPV4_AS(0x44, 0, 17, UE, NET), UDP(1024, 53)}},
	{"ipv6_where_ipv4_is_announced", {ETH(0x0800), IPV6(17, UE6, NET6), UDP(1024, 53)}},
	{"version_7_where_ipv4_is_announced",
	 {ETH(0x0800), IPV4_AS(0x75, 0, 17, UE, NET), UDP(1024, 53)}},
	{"ipv4_where_ipv6_is_announced",
	 {ETH(0x86dd), IPV6_AS(0x45, 17, UE6, NET6), UDP(1024, 53)}},
	{"a_tcp_header_too_short_for_itself",
	 {ETH(0x0800), IPV4(6, UE, NET), TCP_AS(1024, 80, 4, 0, 0), DATA}},
	{"a_tcp_header_longer_than_the_packet",
	 {ETH(0x0800), IPV4(6, UE, NET), TCP_AS(1024, 80, 15, 0, 0), DATA}},
	{"an_extension_header_longer_than_the_packet",
	 {ETH(0x86dd), IPV6(0, UE6, NET6), PIECE(17, 255, 0, 0, ZEROS4), UDP(1024, 53)}},
};
// clang-format on

// An N3 packet up to UDP.
#define OUTER ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152)
#define GPDU OUTER, GTPU(0x30, 255)
#define USER_UDP IPV4(17, UE, NET), UDP(1024, 53), DATA

// clang-format off
static const struct sample gtpu_samples[] = {
	{"g_pdu", {GPDU, USER_UDP}},

	// Any of E, S and PN brings all optional fields.
	{"g_pdu_with_a_sequence_number", {OUTER, GTPU_OPT(0x32, 255, 0), USER_UDP}},
	{"g_pdu_with_an_n_pdu_number", {OUTER, GTPU_OPT(0x31, 255, 0), USER_UDP}},
	{"g_pdu_with_both_numbers", {OUTER, GTPU_OPT(0x33, 255, 0), USER_UDP}},
	{"g_pdu_that_announces_no_extension_header", {OUTER, GTPU_OPT(0x34, 255, 0), USER_UDP}},
	{"g_pdu_with_a_stale_next_extension_type_but_no_e_flag",
	 {OUTER, GTPU_OPT(0x32, 255, 0x85), USER_UDP}},
	{"g_pdu_with_the_spare_bit_set", {OUTER, GTPU(0x38, 255), USER_UDP}},
	{"g_pdu_with_numbers_and_an_extension_header",
	 {OUTER, GTPU_OPT(0x37, 255, 0x85), PSC(UPLINK, 9, 0), USER_UDP}},

	// Extension headers
	{"uplink", {OUTER, GTPU_OPT(0x34, 255, 0x85), PSC(UPLINK, 9, 0), USER_UDP}},
	{"downlink",
	 {OUTER, GTPU_OPT(0x34, 255, 0x85), PSC(DOWNLINK, 9, 0), IPV4(6, NET, UE), TCP(80, 1024)}},
	{"a_longer_pdu_session_container",
	 {OUTER, GTPU_OPT(0x34, 255, 0x85), PSC8(UPLINK, 9, 0), USER_UDP}},
	{"an_extension_header_of_another_kind",
	 {OUTER, GTPU_OPT(0x34, 255, 0x20), GTPU_EXT(0), USER_UDP}},
	{"a_chain_of_extension_headers",
	 {OUTER, GTPU_OPT(0x34, 255, 0x20), GTPU_EXT(0x85), PSC8(UPLINK, 9, 0x40), GTPU_EXT(0xc0),
	  GTPU_EXT(0), USER_UDP}},
	{"an_extension_header_of_no_length",
	 {OUTER, GTPU_OPT(0x34, 255, 0x20), PIECE(0, 0xaa, 0xbb, 0), USER_UDP}},
	{"a_pdu_session_container_of_no_length",
	 {OUTER, GTPU_OPT(0x34, 255, 0x85), PIECE(0, 0x10, 9, 0), USER_UDP}},

	// What the user sends
	{"a_users_tcp", {GPDU, IPV4(6, UE, NET), TCP(1024, 80)}},
	{"a_users_sctp", {GPDU, IPV4(132, UE, NET), SCTP(1024, 80)}},
	{"a_users_ping", {GPDU, IPV4(1, UE, NET), ICMP, DATA}},
	{"a_users_ipv6_udp", {GPDU, IPV6(17, UE6, NET6), UDP(1024, 53)}},
	{"a_users_ipv6_tcp_behind_options",
	 {OUTER, GTPU_OPT(0x34, 255, 0x85), PSC(UPLINK, 9, 0), IPV6(0, UE6, NET6), EXT8(60),
	  EXT16(6), TCP(1024, 80)}},
	{"a_users_ipv6_sctp", {GPDU, IPV6(132, UE6, NET6), SCTP(1024, 80)}},
	{"a_users_ipv6_ping", {GPDU, IPV6(58, UE6, NET6), ICMP6, DATA}},
	{"a_users_first_fragment", {GPDU, IPV4_AS(0x45, MF, 17, UE, NET), UDP(1024, 53), DATA}},
	{"a_users_later_fragment", {GPDU, IPV4_AS(0x45, 185, 17, UE, NET), DATA}},
	{"a_users_first_ipv6_fragment", {GPDU, IPV6(44, UE6, NET6), FRAG6(6, 0, 1), TCP(1024, 80)}},
	{"a_users_later_ipv6_fragment", {GPDU, IPV6(44, UE6, NET6), FRAG6(6, 181, 0), DATA}},
	{"a_users_own_tunnel_is_the_users_udp",
	 {GPDU, IPV4(17, UE, NET), UDP(4096, 2152), GTPU(0x30, 255), IPV4(6, NET, UE), TCP(7, 8)}},

	// What carries it
	{"outer_ipv6",
	 {ETH(0x86dd), IPV6(17, GNB6, UPF6), UDP(2152, 2152), GTPU(0x30, 255), USER_UDP}},
	{"outer_ipv6_with_options_and_inner_ipv6",
	 {ETH(0x86dd), IPV6(0, GNB6, UPF6), EXT8(17), UDP(2152, 2152), GTPU(0x30, 255),
	  IPV6(6, UE6, NET6), TCP(1024, 80)}},
	{"outer_vlan_and_ipv4_options",
	 {ETH(0x8100), VLAN(5, 0x0800), IPV4_OPTIONS(17, GNB, UPF), UDP(2152, 2152),
	  GTPU(0x30, 255), USER_UDP}},
	{"the_first_outer_fragment_is_hashed_by_the_outer_addresses",
	 {ETH(0x0800), IPV4_AS(0x45, MF, 17, GNB, UPF), UDP(2152, 2152), GTPU(0x30, 255),
	  USER_UDP}},
	{"a_later_outer_fragment_too", {ETH(0x0800), IPV4_AS(0x45, 185, 17, GNB, UPF), DATA}},
	{"the_first_outer_ipv6_fragment",
	 {ETH(0x86dd), IPV6(44, GNB6, UPF6), FRAG6(17, 0, 1), UDP(2152, 2152), GTPU(0x30, 255),
	  USER_UDP}},

	// What is no user's packet
	{"echo_request", {OUTER, GTPU_OPT(0x32, 1, 0)}},
	{"end_marker", {OUTER, GTPU(0x30, 254)}},
	{"an_error_indication_with_an_extension_header_has_no_ip_inside",
	 {OUTER, GTPU_OPT(0x34, 26, 0x40), GTPU_EXT(0), IPV4(17, UE, NET)}},
	{"signalling_over_outer_ipv6",
	 {ETH(0x86dd), IPV6(17, GNB6, UPF6), UDP(2152, 2152), GTPU(0x30, 254)}},
	{"a_g_pdu_that_holds_no_ip", {GPDU, DATA}},
	{"a_g_pdu_that_holds_nothing", {GPDU}},
	{"a_users_ihl_too_small", {GPDU, IPV4_AS(0x43, 0, 17, UE, NET), UDP(1024, 53)}},
	{"a_frame_of_a_user_is_no_ip",
	 {OUTER, PIECE(0x30, 255, 0, 50, BE32(TEID)), IPV4_AS(0x46, 0, 17, UE, NET),
	  UDP(1024, 53)}},
	{"gtp_version_2_is_not_gtpu", {OUTER, GTPU(0x50, 255), USER_UDP}},
	{"gtp_prime_is_not_gtpu", {OUTER, GTPU(0x20, 255), USER_UDP}},
	{"answers_come_from_the_port",
	 {ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 9), GTPU(0x30, 255), USER_UDP}},
	{"another_port_is_no_tunnel",
	 {ETH(0x0800), IPV4(17, GNB, UPF), UDP(2151, 9), GTPU(0x30, 255), USER_UDP}},
	{"plain_packets_are_hashed_beside", {ETH(0x0800), IPV4(6, UE, NET), TCP(1024, 80)}},
};
// clang-format on

const struct corpus corpora[2] = {
	{"base", base_samples, COUNT(base_samples)},
	{"gtpu", gtpu_samples, COUNT(gtpu_samples)},
};

static void profile_end(void *profile) {
	ddp_profile_destroy(profile);
}

static void program_end(void *program) {
	ddp_program_destroy(program);
}

struct loaded load_good(const char *spec) {
	struct loaded loaded = {NULL, NULL};
	struct ddp_diag diag;

	ddp_diag_init(&diag);
	loaded.profile = ddp_profile_load(spec, &diag);
	assert_string_equal(ddp_diag_first(&diag), "");
	loaded.program = ddp_program_build(loaded.profile, &diag);
	assert_string_equal(ddp_diag_first(&diag), "");
	ddp_diag_fini(&diag);
	after_test(profile_end, loaded.profile);
	after_test(program_end, loaded.program);
	return loaded;
}

uint8_t *copy_of(const uint8_t *bytes, uint32_t len) {
	uint8_t *copy = malloc(len);

	if (len > 0)
		memcpy(copy, bytes, len);
	return copy;
}

void classify_bytes(const struct ddp_program *program, const uint8_t *bytes, uint32_t len,
		    struct ddp_class *class) {
	uint8_t *copy = copy_of(bytes, len);
	const struct ddp_packet packet = {.data = copy, .first_len = len, .len = len};

	ddp_classify(program, &packet, class);
	free(copy);
}

const char *input_text(const struct ddp_program *program, const uint8_t *bytes, uint32_t len,
		       const struct ddp_class *class) {
	static char text[2 * DDP_MAX_INPUT_SIZE + 1];
	uint8_t *copy = copy_of(bytes, len);
	const struct ddp_packet packet = {.data = copy, .first_len = len, .len = len};
	uint8_t *input = malloc(DDP_MAX_INPUT_SIZE);
	unsigned int n = ddp_input_gather(program, &packet, class, UINT64_MAX, false, input);

	text[0] = '\0';
	for (unsigned int i = 0; i < n; i++)
		snprintf(text + 2 * i, 3, "%02x", input[i]);
	free(input);
	free(copy);
	return text;
}

const char *chain_text(const struct ddp_program *program, const struct ddp_class *class) {
	static char text[DDP_MAX_STEPS * 40];
	size_t len = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < class->n_seen; i++) {
		const struct ddp_node_info *node = ddp_program_node(program, class->seen[i].node);

		if (!node->hidden)
			len += snprintf(text + len, sizeof(text) - len, "%s%s@%u",
					len == 0 ? "" : " ", node->token, class->seen[i].off);
	}
	return text;
}

const char *status_text(unsigned int status) {
	static const char *const texts[] = {
		[DDP_STATUS_OK] = "ok",
		[DDP_STATUS_TRUNCATED] = "truncated",
		[DDP_STATUS_MALFORMED] = "malformed",
		[DDP_STATUS_TOO_DEEP] = "too deep",
	};

	return status < COUNT(texts) ? texts[status] : "no status";
}

// "L2_ETHER L4_UDP" as bits.
static uint32_t ptype_bits(const char *words) {
	static const struct {
		const char *word;
		uint32_t bits;
	} known[] = {
#define X(name, bits) {#name, bits},
		DDP_RTE_PTYPES(X)
#undef X
	};
	uint32_t sum = 0;

	while (*words != '\0') {
		size_t len = strcspn(words, " ");
		unsigned int i = 0;

		while (i < COUNT(known) &&
		       (strlen(known[i].word) != len || memcmp(known[i].word, words, len) != 0))
			i++;
		assert_true(i < COUNT(known));
		sum |= known[i].bits;
		words += len + strspn(words + len, " ");
	}
	return sum;
}

void assert_agree(const struct loaded *loaded, const uint8_t *bytes, uint32_t len) {
	uint8_t *copy = copy_of(bytes, len);
	const struct ddp_packet packet = {.data = copy, .first_len = len, .len = len};
	static struct naive naive;
	const char *what;

	naive_classify(loaded->profile, copy, len, &naive);
	what = class_difference(loaded->program, &packet, &naive, UINT64_MAX);
	if (what != NULL)
		fail_msg("%s of a packet of %u bytes", what, len);
	free(copy);
}

void assert_sample(const struct ddp_program *program, const struct sample *sample) {
	struct ddp_class class;
	uint8_t bytes[PACKET_MAX];
	uint32_t len = packet_build(sample->packet, bytes);

	classify_bytes(program, bytes, len, &class);
	assert_string_equal(chain_text(program, &class), sample->chain);
	assert_string_equal(ddp_program_type(program, class.type)->name, sample->type);
	assert_int_equal(class.type_id, ddp_program_type(program, class.type)->id);
	assert_string_equal(status_text(class.status),
			    sample->status == NULL ? "ok" : sample->status);
	assert_int_equal(class.rte_ptype, ptype_bits(sample->ptype));
	assert_int_equal(class.inner_l3_off, sample->inner_l3 == 0 ? UINT16_MAX : sample->inner_l3);
	assert_int_equal(class.value, sample->value);
	assert_string_equal(input_text(program, bytes, len, &class), sample->input);
}
