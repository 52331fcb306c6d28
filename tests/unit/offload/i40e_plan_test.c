/* SPDX-License-Identifier: BSD-3-Clause */
// What a 700-series NIC with a package hashes of a profile: hashes can be expected only for
// published words of the package's field vector, and the plan must explain the rest. A plan that
// guesses would put packets on wrong queues.
#include "offload/offload.h"

#include "base/rss_hf.h"
#include "package/i40e_write.h"
#include "unit.h"

#define OTHER_TRACK 0x80080001

static const struct row {
	const char *name, *spec;
	uint32_t track_id; // of the package for GTP
	const char *type;
	enum ddp_offload_class class;
	const char *reason; // NULL: not looked at
} rows[] = {
	{"inner_addresses_and_ports", "gtpu", I40E_GTP, "GTPU_IPV4_TCP", DDP_OFFLOAD_HARDWARE,
	 NULL},
	{"of_ipv6_too", "gtpu", I40E_GTP, "GTPU_IPV6_SCTP", DDP_OFFLOAD_HARDWARE, NULL},
	{"a_tunnel_in_the_tunnel_is_plain_udp_to_the_nic", "gtpu", I40E_GTP, "GTPU_IPV4_UDP",
	 DDP_OFFLOAD_SOFTWARE, "UDP port 2152"},
	{"one_input_set_for_all_of_a_pctype", "gtpu", I40E_GTP, "GTPU_IPV4", DDP_OFFLOAD_SOFTWARE,
	 NULL},
	{"inner_addresses_alone", "gtpu:inner-ip", I40E_GTP, "GTPU_IPV4_TCP", DDP_OFFLOAD_HARDWARE,
	 NULL},
	{"the_tunnel_alone", "gtpu:teid", I40E_GTP, "GTPU_IPV6_TCP", DDP_OFFLOAD_HARDWARE, NULL},
	{"outer_fields_without_published_words", "gtpu:outer", I40E_GTP, "GTPU_IPV4_TCP",
	 DDP_OFFLOAD_SOFTWARE, "the field vector of pctype 22 does not have exactly"},
	{"packets_without_a_tunnel_stay_as_they_were", "gtpu", I40E_GTP, "IPV4_TCP",
	 DDP_OFFLOAD_HARDWARE, NULL},
	{"a_package_without_published_words", "gtpu", OTHER_TRACK, "GTPU_IPV4_TCP",
	 DDP_OFFLOAD_SOFTWARE, "pctype 22 of the package is for them"},
	{"what_the_package_does_not_know", "gtpu+pppoe", I40E_GTP, "PPPOE_IPV4_TCP",
	 DDP_OFFLOAD_SOFTWARE, "'pppoe': the package has no pctype for them"},
	{"a_pctype_that_is_not_in_the_model", "gtpu+gtpc", I40E_GTP, "GTPC", DDP_OFFLOAD_SOFTWARE,
	 "pctype 25 of the package"},
	{"a_port_that_the_package_does_not_know", "gtpu;port=2153", I40E_GTP, "GTPU_IPV4_TCP",
	 DDP_OFFLOAD_SOFTWARE, NULL},
};

struct planned {
	struct ddp_profile *profile;
	struct ddp_program *program;
	struct ddp_package *package;
	struct ddp_plan *plan;
};

static void planned_init(struct planned *p, const char *spec, uint32_t track_id) {
	struct ddp_plan_ask ask = {.rss_hf = DDP_RSS_HF_ALL};
	struct ddp_diag diag;

	ddp_diag_init(&diag);
	p->profile = ddp_profile_load(spec, &diag);
	if (p->profile == NULL)
		fail_msg("%s", ddp_diag_first(&diag));
	p->program = ddp_program_build(p->profile, &diag);
	assert_non_null(p->program);
	ddp_diag_fini(&diag);
	p->package = i40e_write_gtp(track_id);
	ask.package = p->package;
	p->plan = ddp_plan_build(ddp_nic_find("i40e"), p->profile, p->program, &ask);
	assert_non_null(p->plan);
}

static void planned_fini(struct planned *p) {
	ddp_plan_destroy(p->plan);
	ddp_package_close(p->package);
	ddp_program_destroy(p->program);
	ddp_profile_destroy(p->profile);
}

static const struct ddp_offload_type *type_named(const struct planned *p, const char *name) {
	for (unsigned int i = 0; i < p->plan->n_types; i++)
		if (strcmp(ddp_program_type(p->program, i)->name, name) == 0)
			return &p->plan->types[i];
	fail_msg("no packet type %s", name);
	return NULL;
}

static void type_is_where_it_belongs(void **state) {
	const struct row *row = *state;
	const struct ddp_offload_type *type;
	struct planned p;

	planned_init(&p, row->spec, row->track_id);
	type = type_named(&p, row->type);
	if (type->class != row->class)
		fail_msg("%s: %s", ddp_offload_class_name(type->class), type->reason);
	if (row->reason != NULL && strstr(type->reason, row->reason) == NULL)
		fail_msg("'%s' is not in: %s", row->reason, type->reason);
	planned_fini(&p);
}

static void assert_inset(const struct ddp_plan *plan, unsigned int i, uint8_t pctype,
			 const uint8_t *words, unsigned int n) {
	assert_int_equal(plan->insets[i].pctype, pctype);
	assert_int_equal(plan->insets[i].n, n);
	assert_memory_equal(plan->insets[i].words, words, n);
}

// As Intel's guide has them, in the order of the packet.
static void input_sets_are_the_published_words(void **state) {
	static const uint8_t v4[] = {15, 16, 27, 28, 29, 30}, teid[] = {44, 45};
	static const uint8_t v6[] = {13, 14, 15, 16, 17, 18, 19, 20, 21,
				     22, 23, 24, 25, 26, 27, 28, 29, 30};
	struct planned p;

	planned_init(&p, "gtpu", I40E_GTP);
	assert_ptr_equal(p.plan->package, p.package);
	assert_int_equal(p.plan->n_insets, 2);
	assert_inset(p.plan, 0, 22, v4, sizeof(v4));
	assert_inset(p.plan, 1, 23, v6, sizeof(v6));
	planned_fini(&p);
	planned_init(&p, "gtpu:teid", I40E_GTP);
	assert_int_equal(p.plan->n_insets, 2);
	assert_inset(p.plan, 0, 22, teid, sizeof(teid));
	planned_fini(&p);
}

static void a_package_that_is_of_no_use_is_not_asked_for(void **state) {
	struct planned p;

	planned_init(&p, "gtpu", OTHER_TRACK);
	assert_null(p.plan->package);
	assert_int_equal(p.plan->n_insets, 0);
	planned_fini(&p);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(input_sets_are_the_published_words),
		cmocka_unit_test(a_package_that_is_of_no_use_is_not_asked_for),
	};
	int n_failed = rows_run("types", type_is_where_it_belongs, rows);

	return n_failed + cmocka_run_group_tests(tests, NULL, NULL);
}
