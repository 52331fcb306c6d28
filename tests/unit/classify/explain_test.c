/* SPDX-License-Identifier: BSD-3-Clause */
// What explain.c tells is what walk.c did.
#include "classify/explain.h"

#include "corpus.h"
#include "unit.h"

static struct loaded loaded[2];

// The step's rule leads to the next step, and the last one to nothing or to what could not be
// looked at.
static void assert_told(const struct ddp_explain *explain) {
	const struct ddp_class *class = &explain->class;

	for (unsigned int i = 0; i < explain->n_steps; i++) {
		struct ddp_step step;

		ddp_explain_step(explain, i, &step);
		assert_ptr_equal(step.header, &explain->profile->headers[class->seen[i].node]);
		if (i + 1 < explain->n_steps)
			assert_int_equal(step.next, class->seen[i + 1].node);
		if (i < class->n_seen)
			assert_int_equal(step.size, class->seen[i].len);
		if (i + 1 < explain->n_steps)
			assert_int_equal(step.flaw, DDP_FLAW_NONE);
		else if (class->status == DDP_STATUS_OK)
			assert_int_equal(step.next, -1);
		if (i + 1 == explain->n_steps && class->status == DDP_STATUS_MALFORMED)
			assert_true(step.flaw == DDP_FLAW_SHORT || step.flaw == DDP_FLAW_INVALID);
		if (i + 1 == explain->n_steps && class->status == DDP_STATUS_TRUNCATED)
			assert_true(step.flaw == DDP_FLAW_CUT || step.flaw == DDP_FLAW_AHEAD);
	}
}

static void assert_sample_told(const struct loaded *l, const struct sample *sample) {
	uint8_t bytes[PACKET_MAX];
	unsigned int len = packet_build(sample->packet, bytes);

	for (unsigned int n = 0; n <= len; n++) { // wherever it is cut
		struct ddp_packet packet = {.data = bytes, .first_len = n, .len = n};
		struct ddp_explain explain;

		ddp_explain_init(&explain, l->profile, l->program, &packet);
		assert_told(&explain);
	}
}

static void base_is_told(void **state) {
	assert_sample_told(&loaded[0], *state);
}

static void gtpu_is_told(void **state) {
	assert_sample_told(&loaded[1], *state);
}

/* One packet with everything in it */

static const struct piece uplink[] = {
	ETH(0x0800),
	IPV4(17, GNB, UPF),
	UDP(2152, 2152),
	GTPU_OPT(0x34, 255, 0xc0),
	GTPU_EXT(0x85),
	PSC(UPLINK, 9, 0),
	IPV4(17, UE, NET),
	UDP(1024, 53),
	END,
};

static struct ddp_explain explain_uplink(uint8_t bytes[PACKET_MAX]) {
	struct ddp_packet packet = {.data = bytes};
	struct ddp_explain explain;

	packet.len = packet.first_len = packet_build(uplink, bytes);
	ddp_explain_init(&explain, loaded[1].profile, loaded[1].program, &packet);
	return explain;
}

static const struct ddp_header *header_at(const struct ddp_explain *explain, unsigned int at) {
	return &explain->profile->headers[explain->class.seen[at].node];
}

static void the_rule_that_decided_is_the_first_that_holds(void **state) {
	uint8_t bytes[PACKET_MAX];
	struct ddp_explain explain = explain_uplink(bytes);
	struct ddp_question question = {.asked = DDP_ASKED_RULE, .at = 3};
	struct ddp_step step;

	ddp_explain_step(&explain, 3, &step);
	assert_string_equal(step.header->name, "gtpu");
	assert_int_equal(step.size, 12);
	assert_int_equal(step.rule, 1); // next_ext is 0xc0: no container, but an extension header
	assert_false(ddp_explain_holds(&explain, &question));
	assert_true(ddp_explain_match(&explain, &question, 0));
	assert_false(ddp_explain_match(&explain, &question, 1));
	question.index = 1;
	assert_true(ddp_explain_holds(&explain, &question));
	assert_ptr_equal(ddp_explain_cond(&explain, &question), &step.header->rules[1].cond);

	ddp_explain_step(&explain, 0, &step);
	assert_int_equal(step.entry->value, 0x0800);
	assert_string_equal(explain.profile->headers[step.next].name, "ipv4");
}

// gtpu_psc's rule asks gtpu.type: that of the header before it.
static void a_header_sees_those_before_it(void **state) {
	uint8_t bytes[PACKET_MAX];
	struct ddp_explain explain = explain_uplink(bytes);
	const struct ddp_ref *type = &header_at(&explain, 5)->rules[2].cond.matches[0].ref;
	struct ddp_value value;

	assert_string_equal(type->name, "gtpu.type");
	assert_true(ddp_explain_field(&explain, 5, type, &value));
	assert_int_equal(value.lo, 255);
	assert_false(ddp_explain_field(&explain, 2, type, &value)); // not found yet
	assert_false(value.beyond);
}

static void fields_of_the_packet_type_have_a_place(void **state) {
	uint8_t bytes[PACKET_MAX];
	struct ddp_explain explain = explain_uplink(bytes);
	const struct ddp_packet_type *type = &explain.profile->types[explain.class.type];
	struct ddp_value value;

	assert_string_equal(type->name, "GTPU_IPV4_UDP");
	assert_int_equal(ddp_explain_set(&explain, UINT64_MAX), 0);
	assert_int_equal(ddp_explain_set(&explain, 0), -1);
	assert_string_equal(type->sets[0].inputs[0].name, "inner.ipv4.src");
	assert_true(
		ddp_explain_field(&explain, DDP_EXPLAIN_TYPE, &type->sets[0].inputs[0], &value));
	assert_int_equal(value.lo, 0x0a010203);
	assert_int_equal(value.bit, 8 * (14 + 20 + 8 + 12 + 4 + 4 + 12));
}

// IPV4_FRAG has the path of IPV4 and is asked first.
static void types_of_the_same_path_are_rivals(void **state) {
	uint8_t bytes[PACKET_MAX];
	struct ddp_packet packet = {.data = bytes};
	struct ddp_question question = {.asked = DDP_ASKED_TYPE};
	struct ddp_explain explain;
	uint16_t types[DDP_MAX_TYPES];

	packet.len = packet.first_len =
		packet_build((const struct piece[]){ETH(0x0800), IPV4(99, UE, NET), END}, bytes);
	ddp_explain_init(&explain, loaded[0].profile, loaded[0].program, &packet);
	assert_string_equal(explain.profile->types[explain.class.type].name, "IPV4");
	assert_int_equal(ddp_explain_rivals(&explain, types, DDP_MAX_TYPES), 1);
	assert_string_equal(explain.profile->types[types[0]].name, "IPV4_FRAG");
	assert_int_equal(ddp_explain_rivals(&explain, types, 0), 0);
	question.at = types[0];
	assert_false(ddp_explain_holds(&explain, &question));
}

static struct ddp_step last_of(const struct piece *pieces, unsigned int cut) {
	static uint8_t bytes[PACKET_MAX];
	struct ddp_packet packet = {.data = bytes};
	struct ddp_explain explain;
	struct ddp_step step;

	packet.len = packet.first_len = packet_build(pieces, bytes) - cut;
	ddp_explain_init(&explain, loaded[1].profile, loaded[1].program, &packet);
	ddp_explain_step(&explain, explain.n_steps - 1, &step);
	return step;
}

static void flaws_are_told_apart(void **state) {
	struct ddp_step step;

	step = last_of((const struct piece[]){ETH(0x0800), IPV4(17, UE, NET), END}, 3);
	assert_int_equal(step.flaw, DDP_FLAW_CUT);
	assert_int_equal(step.size, 20);
	assert_int_equal(step.left, 17);
	step = last_of((const struct piece[]){ETH(0x0800), IPV4_AS(0x44, 0, 17, UE, NET), END}, 0);
	assert_int_equal(step.flaw, DDP_FLAW_SHORT);
	assert_int_equal(step.size, 16);
	assert_int_equal(step.fields_size, 20);
	step = last_of((const struct piece[]){ETH(0x0800), IPV4_AS(0x55, 0, 17, UE, NET), END}, 0);
	assert_int_equal(step.flaw, DDP_FLAW_INVALID);
	step = last_of((const struct piece[]){ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152),
					      GTPU(0x30, 255), END},
		       0);
	assert_int_equal(step.flaw, DDP_FLAW_AHEAD);
	assert_string_equal(step.header->name, "gtpu_user");
	step = last_of((const struct piece[]){ETH(0x0800), IPV4_AS(0x45, 1, 17, UE, NET), END}, 0);
	assert_int_equal(step.flaw, DDP_FLAW_NONE); // a fragment ends where it should
	assert_int_equal(step.header->rules[step.rule].kind, DDP_RULE_STOP);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rule_that_decided_is_the_first_that_holds),
		cmocka_unit_test(a_header_sees_those_before_it),
		cmocka_unit_test(fields_of_the_packet_type_have_a_place),
		cmocka_unit_test(types_of_the_same_path_are_rivals),
		cmocka_unit_test(flaws_are_told_apart),
	};
	int n_failed;

	loaded[0] = load_good(corpora[0].spec);
	loaded[1] = load_good(corpora[1].spec);
	n_failed = rows_run_array("base", base_is_told, corpora[0].samples, corpora[0].n_samples,
				  sizeof(struct sample)) +
		   rows_run_array("gtpu", gtpu_is_told, corpora[1].samples, corpora[1].n_samples,
				  sizeof(struct sample)) +
		   cmocka_run_group_tests(tests, NULL, NULL);
	unload(&loaded[0]);
	unload(&loaded[1]);
	return n_failed;
}
