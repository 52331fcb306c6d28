/* SPDX-License-Identifier: BSD-3-Clause */
// What would be hashed in another way by the NIC stays in software, and it is said why. (Every
// profile on every kind of NIC: tests/golden/plan_test.py. That the NIC's part is right, packet for
// packet: fake_test.c.)
#include "base/rss_hf.h"
#include "offload/offload.h"

#include "unit.h"

#define PROFILE(types) "profile: t\nrequires: [base, gtpu]\npacket_types:\n" types
#define TUNNEL "link ip udp gtpu (gtpu_ext | gtpu_psc)* ipv4 tcp"

static const struct row {
	const char *name, *spec, *text; // one of both
	const char *nic, *type;
	enum ddp_offload_class class;
	const char *reason; // NULL: not looked at
} rows[] = {
	{"addresses_of_all_fragments_but_not_what_is_in_them", "base", NULL, "i40e", "IPV4_FRAG",
	 DDP_OFFLOAD_SOFTWARE, "ipv4.protocol"},
	{"ports_of_packets_without_tunnels", "base", NULL, "ice-os", "IPV6_UDP",
	 DDP_OFFLOAD_HARDWARE, NULL},
	{"a_tunnel_by_its_source_port_is_plain_udp_to_a_nic", "gtpu", NULL, "ice-comms", "IPV4_UDP",
	 DDP_OFFLOAD_SOFTWARE, "source UDP port 2152"},
	{"a_tunnel_in_the_tunnel_is_plain_udp_to_a_nic", "gtpu", NULL, "ice-comms", "GTPU_IPV4_UDP",
	 DDP_OFFLOAD_SOFTWARE, "destination UDP port 2152"},
	{"a_port_that_the_nic_does_not_know", "gtpu;port=2153", NULL, "ice-comms", "GTPU_IPV4_TCP",
	 DDP_OFFLOAD_SOFTWARE, NULL},
	{"inner_addresses_and_ports", "gtpu", NULL, "ice-comms", "GTPU_IPV4_TCP",
	 DDP_OFFLOAD_HARDWARE, NULL},
	{"a_package_that_parses_no_gtpu", "gtpu", NULL, "ice-os", "GTPU_IPV4_TCP",
	 DDP_OFFLOAD_SOFTWARE, "the Comms package"},
	{"ethernet_in_gre_is_nvgre_to_a_nic_with_a_key_or_without", "gre", NULL, "ice-comms",
	 "NVGRE_IPV4_TCP", DDP_OFFLOAD_SOFTWARE, "another packet type of the profile"},
	{"direction_only_where_the_packet_tells_it", "gtpu:ue", NULL, "ice-comms", "GTPU_IPV4_TCP",
	 DDP_OFFLOAD_PARTLY, "ipv4.src"},
	{"a_value_that_decides_what_is_hashed", "gtpu:ue", NULL, "ice-comms", "IPV4_TCP",
	 DDP_OFFLOAD_SOFTWARE, "ipv4.src"},
	{"nobody_hashes_a_type_without_input_set", "base", NULL, "ice-comms", "ARP",
	 DDP_OFFLOAD_NONE, NULL},
	{"a_key_that_is_too_short", NULL,
	 PROFILE("  T:\n    path: link ipv6 tcp\n    priority: 1\n"
		 "    rss: ipv6.src ipv6.dst tcp.sport tcp.dport tcp.seq\n"),
	 "mlx5", "T", DDP_OFFLOAD_SOFTWARE, NULL},
	{"the_other_order_is_another_hash", NULL,
	 PROFILE("  T:\n    path: " TUNNEL "\n    priority: 1\n"
		 "    rss: inner.ipv4.dst inner.ipv4.src\n"),
	 "ice-comms", "T", DDP_OFFLOAD_SOFTWARE, "no rule of the driver hashes exactly these"},
	{"one_pattern_hashes_in_one_way", NULL,
	 PROFILE("  T:\n    path: " TUNNEL "\n    priority: 1\n"
		 "    rss: inner.ipv4.src inner.ipv4.dst gtpu.teid\n"),
	 "ice-comms", "T", DDP_OFFLOAD_SOFTWARE, "and the IP protocol"},
	{"bits_that_are_no_words", NULL,
	 PROFILE("  T:\n    path: " TUNNEL "\n    priority: 1\n"
		 "    rss: gtpu_psc.qfi inner.ipv4.src\n"),
	 "ice-comms", "T", DDP_OFFLOAD_SOFTWARE, NULL},
	{"tunnels_that_the_nic_reports_alike", "vxlan", NULL, "ice-comms", "VXLAN_IPV4_TCP",
	 DDP_OFFLOAD_SOFTWARE, "eth ipv4 gre eth"},
	{"and_are_hashed_alike_but_not_of_one_type", "vxlan+gre", NULL, "ice-comms",
	 "VXLAN_IPV4_TCP", DDP_OFFLOAD_SOFTWARE, "another packet type of the profile"},
	{"a_sctp_input_set_with_a_tag_in_it", "base", NULL, "i40e", "IPV4_SCTP",
	 DDP_OFFLOAD_SOFTWARE, NULL},
	{"a_packet_that_ends_before_what_the_profile_looks_at", NULL,
	 "profile: t\nrequires: [base]\nheaders:\n  one: {after: tcp, layout: 'x:8'}\n"
	 "packet_types:\n"
	 "  T:\n    path: link ipv4 tcp one\n    priority: 1\n"
	 "    rss: ipv4.src ipv4.dst tcp.sport tcp.dport\n"
	 "  S:\n    path: link ipv4 tcp\n    priority: 1\n    rss: ipv4.src ipv4.dst\n",
	 "ice-comms", "T", DDP_OFFLOAD_SOFTWARE, "the payload"},
	{"a_header_that_no_nic_parses", "mpls", NULL, "ice-comms", "MPLS_IPV4_TCP",
	 DDP_OFFLOAD_SOFTWARE, "'mpls'"},
	{"nothing_on_a_device_that_hashes_nothing", "base", NULL, "none", "IPV4_TCP",
	 DDP_OFFLOAD_SOFTWARE, NULL},
};

struct planned {
	struct ddp_profile *profile;
	struct ddp_program *program;
	struct ddp_plan *plan;
};

static void planned_init(struct planned *p, const struct ddp_source *source, const char *nic,
			 const struct ddp_plan_ask *ask) {
	struct ddp_diag diag;

	ddp_diag_init(&diag);
	p->profile = ddp_profile_load_sources(source, 1, &diag);
	if (p->profile == NULL)
		fail_msg("%s", ddp_diag_first(&diag));
	p->program = ddp_program_build(p->profile, &diag);
	if (p->program == NULL)
		fail_msg("%s", ddp_diag_first(&diag));
	p->plan = ddp_plan_build(ddp_nic_find(nic), p->profile, p->program, ask);
	assert_non_null(p->plan);
	ddp_diag_fini(&diag);
}

static void planned_fini(struct planned *p) {
	ddp_plan_destroy(p->plan);
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
	const struct ddp_source source = {
		.spec = row->spec,
		.text = row->text,
		.size = row->text != NULL ? strlen(row->text) : 0,
	};
	const struct ddp_offload_type *type;
	struct planned p;

	planned_init(&p, &source, row->nic, NULL);
	type = type_named(&p, row->type);
	if (type->class != row->class)
		fail_msg("%s: %s", ddp_offload_class_name(type->class), type->reason);
	if (row->reason != NULL && strstr(type->reason, row->reason) == NULL)
		fail_msg("'%s' is not in: %s", row->reason, type->reason);
	planned_fini(&p);
}

static bool no_raw(void *ctx, const struct ddp_offload_rule *rule) {
	(void)ctx;
	return rule->n_items > 0;
}

// Some drivers take no raw patterns: what needs one stays in software, the rest does not.
static void refused_rules_leave_the_rest(void **state) {
	const struct ddp_source source = {.spec = "gtpu"};
	const struct ddp_plan_ask ask = {.rss_hf = UINT64_MAX, .accepts = no_raw};
	struct planned p;

	planned_init(&p, &source, "ice-comms", &ask);
	assert_int_equal(type_named(&p, "GTPU_IPV4_TCP")->class, DDP_OFFLOAD_SOFTWARE);
	assert_non_null(strstr(type_named(&p, "GTPU_IPV4_TCP")->reason, "and the IP protocol"));
	assert_int_equal(type_named(&p, "GTPU_IPV4")->class, DDP_OFFLOAD_PARTLY);
	for (unsigned int i = 0; i < p.plan->n_rules; i++)
		assert_true(p.plan->rules[i].n_items > 0);
	planned_fini(&p);
}

// A NIC with several queues must not be told to put all packets without a rule on the first.
static void rss_hf_stays_where_the_nic_spreads(void **state) {
	const struct ddp_source source = {.spec = "gtpu:ue"};
	struct ddp_plan_ask ask = {.rss_hf = UINT64_MAX};
	struct planned p;

	planned_init(&p, &source, "ice-comms", &ask);
	assert_true(p.plan->rss_hf == 0);
	assert_true(p.plan->n_ptypes > 0);
	planned_fini(&p);
	ask.spreads = true;
	planned_init(&p, &source, "ice-comms", &ask);
	assert_true(p.plan->rss_hf != 0);
	assert_int_equal(p.plan->n_ptypes, 0);
	planned_fini(&p);
}

// A rule for all other IPv4 packets takes TCP and UDP from rss_hf, too. Were that not seen, most of
// a user's packets would be hashed in software as soon as the NIC has several queues.
static void a_wide_rule_takes_nothing_from_rss_hf(void **state) {
	const struct ddp_source source = {.spec = "base"};
	const struct ddp_plan_ask ask = {
		.rss_hf = DDP_RSS_HF(IPV4) | DDP_RSS_HF(IPV4_OTHER) | DDP_RSS_HF(IPV4_UDP) |
			  DDP_RSS_HF(IPV4_TCP),
		.spreads = true,
	};
	struct planned p;

	planned_init(&p, &source, "ice-comms", &ask);
	assert_int_equal(type_named(&p, "IPV4_UDP")->class, DDP_OFFLOAD_HARDWARE);
	assert_int_equal(type_named(&p, "IPV4_TCP")->class, DDP_OFFLOAD_HARDWARE);
	planned_fini(&p);
}

// Toeplitz takes four bytes of the key more than it hashes: 12 of addresses and ports need 16.
static void a_key_that_just_reaches_will_do(void **state) {
	const struct ddp_source source = {.spec = "gtpu"};
	struct planned p;

	for (unsigned int size = 15; size <= 16; size++) {
		const struct ddp_plan_ask ask = {.rss_hf = UINT64_MAX, .key_size = size};

		planned_init(&p, &source, "ice-comms", &ask);
		assert_int_equal(type_named(&p, "GTPU_IPV4_TCP")->class,
				 size < 16 ? DDP_OFFLOAD_SOFTWARE : DDP_OFFLOAD_HARDWARE);
		planned_fini(&p);
	}
}

// The newest rule decides: wide ones have to be made first.
static void wide_rules_come_first(void **state) {
	const struct ddp_source source = {.spec = "all"};
	struct planned p;
	bool raw = false;

	planned_init(&p, &source, "ice-comms", NULL);
	assert_true(p.plan->n_rules > 1);
	for (unsigned int i = 1; i < p.plan->n_rules; i++) {
		raw |= p.plan->rules[i].n_items == 0;
		if (raw)
			assert_int_equal(p.plan->rules[i].n_items, 0);
		else
			assert_true(p.plan->rules[i].n_items >= p.plan->rules[i - 1].n_items);
	}
	planned_fini(&p);
}

static void drivers_have_their_kinds(void **state) {
	assert_string_equal(ddp_nic_name(ddp_nic_of_driver("net_ice")), "ice-os");
	assert_string_equal(ddp_nic_name(ddp_nic_of_driver("net_iavf")), "iavf");
	assert_string_equal(ddp_nic_name(ddp_nic_of_driver("net_i40e")), "i40e");
	assert_string_equal(ddp_nic_name(ddp_nic_of_driver("mlx5_pci")), "mlx5");
	assert_string_equal(ddp_nic_name(ddp_nic_of_driver("net_virtio")), "generic");
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused_rules_leave_the_rest),
		cmocka_unit_test(rss_hf_stays_where_the_nic_spreads),
		cmocka_unit_test(a_wide_rule_takes_nothing_from_rss_hf),
		cmocka_unit_test(a_key_that_just_reaches_will_do),
		cmocka_unit_test(wide_rules_come_first),
		cmocka_unit_test(drivers_have_their_kinds),
	};
	int n_failed = rows_run("types", type_is_where_it_belongs, rows);

	return n_failed + cmocka_run_group_tests_name("plans", tests, NULL, NULL);
}
