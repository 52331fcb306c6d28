/* SPDX-License-Identifier: BSD-3-Clause */
#include "corpus.h"

#include "base/rte_ptype.h"
#include "classify/classify.h"
#include "profile/profile.h"
#include "scratch.h"
#include "unit.h"
#include "verdict.h"

// The naive reference says what they are; tests/library has the like judged by tshark.
// clang-format off
static const struct piece base_packets[][20] = {
	{ETH(0x1234), DATA},
	{END},
	{ETH(0x0806), ARP(UE, NET)},
	{ETH(0x0800), IPV4(17, UE, NET), UDP(1024, 53), DATA},
	{ETH(0x0800), IPV4(6, UE, NET), TCP(1024, 80), DATA},
	{ETH(0x0800), IPV4(6, UE, NET), TCP_AS(1024, 80, 6, 0, 0, 1, 1, 1, 1)},
	{ETH(0x0800), IPV4(132, UE, NET), SCTP(38412, 38412), DATA},
	{ETH(0x0800), IPV4(1, UE, NET), ICMP, DATA},
	{ETH(0x0800), IPV4(2, UE, NET), IGMP},
	{ETH(0x0800), IPV4(99, UE, NET), DATA},
	{ETH(0x0800), IPV4_OPTIONS(17, UE, NET), UDP(1024, 53), DATA},
	{ETH(0x8100), VLAN(5, 0x0800), IPV4(17, UE, NET), UDP(1024, 53)},
	{ETH(0x88a8), VLAN(5, 0x8100), VLAN(6, 0x86dd), IPV6(6, UE6, NET6), TCP(1024, 80)},
	{ETH(0x9100), VLAN(5, 0x9100), VLAN(6, 0x0806), ARP(UE, NET)},
	{ETH(0x8100), VLAN(5, 0x1234), DATA},

	// IPv6 with and without extension headers
	{ETH(0x86dd), IPV6(17, UE6, NET6), UDP(1024, 53), DATA},
	{ETH(0x86dd), IPV6(132, UE6, NET6), SCTP(38412, 38412)},
	{ETH(0x86dd), IPV6(58, UE6, NET6), ICMP6, DATA},
	{ETH(0x86dd), IPV6(59, UE6, NET6), DATA},
	{ETH(0x86dd), IPV6(0, UE6, NET6), EXT8(17), UDP(1024, 53)},
	{ETH(0x86dd), IPV6(0, UE6, NET6), EXT8(43), EXT16(60), EXT8(135), EXT8(6), TCP(1024, 80)},
	{ETH(0x0800), IPV4(43, UE, NET), EXT8(17), UDP(1024, 53)},

	// Fragments, and one with DF
	{ETH(0x0800), IPV4_AS(0x45, MF, 17, UE, NET), UDP(1024, 53), DATA},
	{ETH(0x0800), IPV4_AS(0x45, MF | 185, 17, UE, NET), DATA},
	{ETH(0x0800), IPV4_AS(0x45, 370, 17, UE, NET), DATA},
	{ETH(0x0800), IPV4_AS(0x45, 0x4000, 17, UE, NET), UDP(1024, 53)},
	{ETH(0x86dd), IPV6(44, UE6, NET6), FRAG6(17, 0, 1), UDP(1024, 53), DATA},
	{ETH(0x86dd), IPV6(44, UE6, NET6), FRAG6(17, 181, 0), DATA},
	{ETH(0x86dd), IPV6(44, UE6, NET6), FRAG6(17, 0, 0), UDP(1024, 53)},
	{ETH(0x86dd), IPV6(0, UE6, NET6), EXT8(44), FRAG6(60, 0, 1), EXT8(6), TCP(1024, 80)},
	{ETH(0x86dd), IPV6(0, UE6, NET6), EXT8(44), FRAG6(60, 2, 1), EXT8(6), TCP(1024, 80)},

	// Headers that say what cannot be
	{ETH(0x0800), IPV4_AS(0x44, 0, 17, UE, NET), UDP(1024, 53)},
	{ETH(0x0800), IPV6(17, UE6, NET6), UDP(1024, 53)},
	{ETH(0x0800), IPV4_AS(0x75, 0, 17, UE, NET), UDP(1024, 53)},
	{ETH(0x86dd), IPV6_AS(0x45, 17, UE6, NET6), UDP(1024, 53)},
	{ETH(0x0800), IPV4(6, UE, NET), TCP_AS(1024, 80, 4, 0, 0), DATA},
	{ETH(0x0800), IPV4(6, UE, NET), TCP_AS(1024, 80, 15, 0, 0), DATA},
	{ETH(0x86dd), IPV6(0, UE6, NET6), PIECE(17, 255, 0, 0, ZEROS4), UDP(1024, 53)},
};
// clang-format on

// An N3 packet up to UDP.
#define OUTER ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152)
#define GPDU OUTER, GTPU(0x30, 255)
#define USER_UDP IPV4(17, UE, NET), UDP(1024, 53), DATA

// clang-format off
static const struct piece gtpu_packets[][20] = {
	{GPDU, USER_UDP},

	// Any of E, S and PN brings all optional fields.
	{OUTER, GTPU_OPT(0x32, 255, 0), USER_UDP},
	{OUTER, GTPU_OPT(0x31, 255, 0), USER_UDP},
	{OUTER, GTPU_OPT(0x33, 255, 0), USER_UDP},
	{OUTER, GTPU_OPT(0x34, 255, 0), USER_UDP},
	{OUTER, GTPU_OPT(0x32, 255, 0x85), USER_UDP},
	{OUTER, GTPU(0x38, 255), USER_UDP},
	{OUTER, GTPU_OPT(0x37, 255, 0x85), PSC(UPLINK, 9, 0), USER_UDP},

	// Extension headers
	{OUTER, GTPU_OPT(0x34, 255, 0x85), PSC(UPLINK, 9, 0), USER_UDP},
	{OUTER, GTPU_OPT(0x34, 255, 0x85), PSC(DOWNLINK, 9, 0), IPV4(6, NET, UE), TCP(80, 1024)},
	{OUTER, GTPU_OPT(0x34, 255, 0x85), PSC8(UPLINK, 9, 0), USER_UDP},
	{OUTER, GTPU_OPT(0x34, 255, 0x20), GTPU_EXT(0), USER_UDP},
	{OUTER, GTPU_OPT(0x34, 255, 0x20), GTPU_EXT(0x85), PSC8(UPLINK, 9, 0x40), GTPU_EXT(0xc0),
	 GTPU_EXT(0), USER_UDP},
	{OUTER, GTPU_OPT(0x34, 255, 0x20), PIECE(0, 0xaa, 0xbb, 0), USER_UDP},
	{OUTER, GTPU_OPT(0x34, 255, 0x85), PIECE(0, 0x10, 9, 0), USER_UDP},

	// Users' packets
	{GPDU, IPV4(6, UE, NET), TCP(1024, 80)},
	{GPDU, IPV4(132, UE, NET), SCTP(1024, 80)},
	{GPDU, IPV4(1, UE, NET), ICMP, DATA},
	{GPDU, IPV6(17, UE6, NET6), UDP(1024, 53)},
	{OUTER, GTPU_OPT(0x34, 255, 0x85), PSC(UPLINK, 9, 0), IPV6(0, UE6, NET6), EXT8(60),
	 EXT16(6), TCP(1024, 80)},
	{GPDU, IPV6(132, UE6, NET6), SCTP(1024, 80)},
	{GPDU, IPV6(58, UE6, NET6), ICMP6, DATA},
	{GPDU, IPV4_AS(0x45, MF, 17, UE, NET), UDP(1024, 53), DATA},
	{GPDU, IPV4_AS(0x45, 185, 17, UE, NET), DATA},
	{GPDU, IPV6(44, UE6, NET6), FRAG6(6, 0, 1), TCP(1024, 80)},
	{GPDU, IPV6(44, UE6, NET6), FRAG6(6, 181, 0), DATA},
	{GPDU, IPV4(17, UE, NET), UDP(4096, 2152), GTPU(0x30, 255), IPV4(6, NET, UE), TCP(7, 8)},

	// Outer headers
	{ETH(0x86dd), IPV6(17, GNB6, UPF6), UDP(2152, 2152), GTPU(0x30, 255), USER_UDP},
	{ETH(0x86dd), IPV6(0, GNB6, UPF6), EXT8(17), UDP(2152, 2152), GTPU(0x30, 255),
	 IPV6(6, UE6, NET6), TCP(1024, 80)},
	{ETH(0x8100), VLAN(5, 0x0800), IPV4_OPTIONS(17, GNB, UPF), UDP(2152, 2152), GTPU(0x30, 255),
	 USER_UDP},
	{ETH(0x0800), IPV4_AS(0x45, MF, 17, GNB, UPF), UDP(2152, 2152), GTPU(0x30, 255), USER_UDP},
	{ETH(0x0800), IPV4_AS(0x45, 185, 17, GNB, UPF), DATA},
	{ETH(0x86dd), IPV6(44, GNB6, UPF6), FRAG6(17, 0, 1), UDP(2152, 2152), GTPU(0x30, 255),
	 USER_UDP},

	// Packets of no user
	{OUTER, GTPU_OPT(0x32, 1, 0)},
	{OUTER, GTPU(0x30, 254)},
	{OUTER, GTPU_OPT(0x34, 26, 0x40), GTPU_EXT(0), IPV4(17, UE, NET)},
	{ETH(0x86dd), IPV6(17, GNB6, UPF6), UDP(2152, 2152), GTPU(0x30, 254)},
	{GPDU, DATA},
	{GPDU},
	{GPDU, IPV4_AS(0x43, 0, 17, UE, NET), UDP(1024, 53)},
	{OUTER, PIECE(0x30, 255, 0, 50, BE32(TEID)), IPV4_AS(0x46, 0, 17, UE, NET), UDP(1024, 53)},
	{OUTER, GTPU(0x50, 255), USER_UDP},
	{OUTER, GTPU(0x20, 255), USER_UDP},
	{ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 9), GTPU(0x30, 255), USER_UDP},
	{ETH(0x0800), IPV4(17, GNB, UPF), UDP(2151, 9), GTPU(0x30, 255), USER_UDP},
	{ETH(0x0800), IPV4(6, UE, NET), TCP(1024, 80)},
};
// clang-format on

const struct corpus corpora[2] = {
	{"base", base_packets, COUNT(base_packets)},
	{"gtpu", gtpu_packets, COUNT(gtpu_packets)},
};

struct loaded load_good(const char *spec) {
	struct ddp_profile *profile = scratch_load_warned(spec);

	return (struct loaded){profile, scratch_build(profile)};
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
