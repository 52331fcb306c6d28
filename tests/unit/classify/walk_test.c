/* SPDX-License-Identifier: BSD-3-Clause */
#include "classify/classify.h"
#include "classify/run/walk.h"
#include "corpus.h"
#include "unit.h"
#include "verdict.h"

static struct loaded loaded[COUNT(corpora)];

static int setup(void **state) {
	for (unsigned int i = 0; i < COUNT(corpora); i++)
		loaded[i] = load_good(corpora[i].spec);
	return 0;
}

static void assert_as_the_reference(const struct loaded *l, const struct sample *sample) {
	static struct naive naive;
	uint8_t bytes[PACKET_MAX];
	uint32_t len = packet_build(sample->packet, bytes);
	uint8_t *copy = copy_of(bytes, len);
	const struct ddp_packet packet = {.data = copy, .first_len = len, .len = len};
	const char *what;

	naive_classify(l->profile, copy, len, &naive);
	what = class_difference(l->program, &packet, &naive, UINT64_MAX);
	assert_string_equal(what != NULL ? what : "", "");
	free(copy);
}

static void is_classified_by_base(void **state) {
	assert_as_the_reference(&loaded[0], *state);
}

static void is_classified_by_gtpu(void **state) {
	assert_as_the_reference(&loaded[1], *state);
}

TEST(gtpu_leaves_what_base_classifies_alone) {
	for (unsigned int i = 0; i < corpora[0].n_samples; i++) {
		uint8_t bytes[PACKET_MAX];
		uint32_t len = packet_build(corpora[0].samples[i].packet, bytes);
		struct ddp_class base, gtpu;

		classify_bytes(loaded[0].program, bytes, len, &base);
		classify_bytes(loaded[1].program, bytes, len, &gtpu);
		assert_string_equal(ddp_program_type(loaded[1].program, gtpu.type)->name,
				    ddp_program_type(loaded[0].program, base.type)->name);
		assert_int_equal(gtpu.rte_ptype, base.rte_ptype);
	}
}

static void assert_same_headers(const struct ddp_class *class, const struct ddp_class *whole) {
	for (unsigned int i = 0; i < class->n_seen; i++) {
		const struct ddp_seen *a = &class->seen[i], *b = &whole->seen[i];

		assert_int_equal(a->node, b->node);
		assert_int_equal(a->groups, b->groups);
		assert_int_equal(a->off, b->off);
		assert_int_equal(a->len, b->len);
		assert_int_equal(a->state, b->state);
		assert_int_equal(a->fragment, b->fragment);
	}
}

static void assert_same_class(const struct ddp_class *a, const struct ddp_class *b) {
	assert_int_equal(a->n_seen, b->n_seen);
	assert_same_headers(a, b);
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->type_id, b->type_id);
	assert_int_equal(a->status, b->status);
	assert_int_equal(a->n_matched, b->n_matched);
	assert_int_equal(a->l3_off, b->l3_off);
	assert_int_equal(a->inner_l3_off, b->inner_l3_off);
	assert_int_equal(a->encapsulated, b->encapsulated);
	assert_int_equal(a->inner_l3, b->inner_l3);
	assert_int_equal(a->rte_ptype, b->rte_ptype);
	assert_int_equal(a->value, b->value);
}

static unsigned int visible(const struct ddp_program *program, const struct ddp_class *class) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < class->n_seen; i++)
		n += !ddp_program_node(program, class->seen[i].node)->hidden;
	return n;
}

static void assert_settled(const struct ddp_program *program, const uint8_t *bytes, uint32_t len) {
	const struct ddp_packet packet = {bytes, len, len, NULL, NULL};
	uint8_t other[PACKET_MAX];
	struct ddp_class class, again;
	uint32_t reach = ddp_classify_reach(program, &packet, &class);

	classify_bytes(program, bytes, len, &again);
	assert_same_class(&class, &again);
	if (reach == UINT32_MAX)
		return;
	assert_true(reach <= len);
	for (unsigned int fill = 0; fill < 256; fill += 85) {
		memcpy(other, bytes, len);
		memset(other + reach, fill, len - reach);
		classify_bytes(program, other, len, &again);
		again.value = class.value; // an extracted field decides nothing
		assert_same_class(&class, &again);
	}
}

// Else ddpctl would say of a capture with a short snaplen that it knows what it does not: "TCP",
// with a byte missing that says UDP.
TEST(bytes_behind_the_reach_of_a_class_decide_nothing) {
	for (unsigned int c = 0; c < COUNT(corpora); c++) {
		for (unsigned int i = 0; i < corpora[c].n_samples; i++) {
			uint8_t bytes[PACKET_MAX];
			uint32_t len = packet_build(corpora[c].samples[i].packet, bytes);

			for (uint32_t cut = 0; cut <= len; cut++)
				assert_settled(loaded[c].program, bytes, cut);
		}
	}
}

// The packet's beginning, and the part that comes again and again.
struct endless {
	const char *name;
	struct piece start[8];
	struct piece again;
};

static const struct endless endless[] = {
	{"endless_vlan_tags", {ETH(0x8100), END}, VLAN(1, 0x8100)},
	{"endless_ipv6_extension_headers", {ETH(0x86dd), IPV6(0, UE6, NET6), END}, EXT8(0)},
	{"endless_ipv6_fragment_headers", {ETH(0x86dd), IPV6(44, UE6, NET6), END}, FRAG6(44, 0, 1)},
	{"endless_gtpu_extension_headers",
	 {ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU_OPT(0x34, 255, 0x20), END},
	 GTPU_EXT(0x20)},
	{"endless_pdu_session_containers",
	 {ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU_OPT(0x34, 255, 0x85), END},
	 PSC(0, 1, 0x85)},
};

ROWS_TEST(ends_at_64_headers, endless) {
	const struct endless *row = *state;
	uint8_t bytes[PACKET_MAX];
	uint32_t len = packet_build(row->start, bytes);
	struct ddp_class class;

	for (unsigned int i = 0; i < 100; i++) {
		memcpy(bytes + len, row->again.bytes, row->again.size);
		len += row->again.size;
	}
	classify_bytes(loaded[1].program, bytes, len, &class);
	assert_string_equal(status_text(class.status), "too deep");
	assert_int_equal(visible(loaded[1].program, &class), DDP_MAX_HEADERS);
	assert_int_not_equal(class.type, DDP_TYPE_NONE);
}

static const struct piece tunnel[] = {IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU(0x30, 255), END};

TEST(tunnels_in_tunnels_end_too) {
	uint8_t bytes[PACKET_MAX];
	uint32_t len = packet_build((const struct piece[]){ETH(0x0800), END}, bytes);
	struct ddp_class class;

	for (unsigned int i = 0; i < 30; i++)
		len += packet_build(tunnel, bytes + len);
	classify_bytes(loaded[1].program, bytes, len, &class);
	assert_string_equal(status_text(class.status), "too deep");
	assert_int_equal(visible(loaded[1].program, &class), DDP_MAX_HEADERS);
	assert_string_equal(ddp_program_type(loaded[1].program, class.type)->name, "GTPU_IPV4_UDP");
	assert_int_equal(class.inner_l3_off, 14 + 36);
}

static const struct piece mpls_in_user_udp[] = {
	ETH(0x0800),       IPV4(17, GNB, UPF), UDP(2152, 2152),         GTPU(0x30, 255),
	IPV4(17, UE, NET), UDP(1024, 6635),    PIECE(0, 0, 0xa1, 0x40), END};

// Without it, MPLS in UDP in a user's tunnel would take the user's IP and UDP from the mbuf's
// packet type.
TEST(a_tunnel_behind_the_packet_type_is_no_part_of_it) {
	struct loaded both = load_good("gtpu+mpls-in-udp");
	uint8_t bytes[PACKET_MAX];
	uint32_t len = packet_build(mpls_in_user_udp, bytes);
	struct ddp_class class;

	classify_bytes(both.program, bytes, len, &class);
	assert_string_equal(ddp_program_type(both.program, class.type)->name, "GTPU_IPV4_UDP");
	assert_int_equal(class.rte_ptype, ddp_program_type(both.program, class.type)->rte_ptype);
}

// Else each packet would pay for headers that are nobody's business.
TEST(headers_behind_those_that_decide_are_not_looked_at) {
	struct loaded both = load_good("gtpu+mpls-in-udp");
	uint8_t bytes[PACKET_MAX];
	uint32_t len = packet_build(mpls_in_user_udp, bytes);
	const struct ddp_packet packet = {.data = bytes, .first_len = len, .len = len};
	struct ddp_class class;
	const struct ddp_seen *last;

	classify_type_traced(both.program, &packet, &class, NULL);
	last = &class.seen[class.n_seen - 1];
	assert_string_equal(ddp_program_type(both.program, class.type)->name, "GTPU_IPV4_UDP");
	assert_string_equal(ddp_program_node(both.program, last->node)->token, "udp");
	assert_int_equal(last->off, 14 + 36 + 20);
}

TEST(sixty_four_headers_are_not_too_many) {
	uint8_t bytes[PACKET_MAX];
	uint32_t len = packet_build((const struct piece[]){ETH(0x8100), END}, bytes);
	struct ddp_class class;

	for (unsigned int i = 1; i < DDP_MAX_HEADERS; i++)
		len += packet_build(
			(const struct piece[]){VLAN(1, i + 1 < DDP_MAX_HEADERS ? 0x8100 : 0x1234),
					       END},
			bytes + len);
	classify_bytes(loaded[0].program, bytes, len, &class);
	assert_string_equal(status_text(class.status), "ok");
	assert_int_equal(class.n_seen, DDP_MAX_HEADERS);
	assert_string_equal(ddp_program_type(loaded[0].program, class.type)->name, "ETH");
}

// "ip" behind the last GTP-U header, which looks which IP follows, is none of the 64.
TEST(a_hidden_header_behind_64_others_is_not_one_too_many) {
	uint8_t bytes[PACKET_MAX];
	uint32_t len = packet_build((const struct piece[]){ETH(0x0800), END}, bytes);
	struct ddp_class class;

	for (unsigned int i = 1; i < DDP_MAX_HEADERS; i += 3)
		len += packet_build(tunnel, bytes + len);
	len += packet_build((const struct piece[]){DATA, END}, bytes + len); // no IP
	classify_bytes(loaded[1].program, bytes, len, &class);
	assert_int_equal(visible(loaded[1].program, &class), DDP_MAX_HEADERS);
	assert_string_equal(status_text(class.status), "ok");
}

// Offsets have 16 bits: what lies behind 64 KB is not looked at.
TEST(a_packet_of_more_than_64_kilobytes_is_read_up_to_there) {
	const uint32_t size = 70000;
	uint8_t *bytes = calloc(1, size);
	uint32_t len =
		packet_build((const struct piece[]){ETH(0x86dd), IPV6(0, UE6, NET6), END}, bytes);
	struct ddp_class class;

	for (; len + 2048 <= size; len += 2048) // the longest there are, without a bound
		bytes[len + 1] = 255;
	classify_bytes(loaded[0].program, bytes, size, &class);
	assert_string_equal(status_text(class.status), "truncated");
	assert_int_equal(class.n_seen, 2 + (UINT16_MAX - 54) / 2048);
	assert_true(class.seen[class.n_seen - 1].off + class.seen[class.n_seen - 1].len <=
		    UINT16_MAX);
	free(bytes);
}

ROWS_OF(is_classified_by_base, samples, corpora[0].samples, corpora[0].n_samples)
ROWS_OF(is_classified_by_gtpu, samples, corpora[1].samples, corpora[1].n_samples)
GROUP(setup, NULL)
