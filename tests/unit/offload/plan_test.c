/* SPDX-License-Identifier: BSD-3-Clause */
// Packets that the NIC would hash in another way stay in software, and the plan says why. (Every
// profile on every kind of NIC: tests/golden/plan_test.py. That the NIC's part is right, packet for
// packet: lower_offload_test.c of the port.)
#include "base/rss_hf.h"
#include "offload/i40e_port.h"
#include "offload/offload.h"

#include "package/i40e_write.h"
#include "unit.h"

#define PROFILE(types) "profile: t\nrequires: [base, gtpu]\npacket_types:\n" types
#define TUNNEL "link ip udp gtpu (gtpu_ext | gtpu_psc)* ipv4 tcp"

static const struct row {
	const char *name, *spec, *text; // one of both
	const char *nic, *type;
	enum ddp_offload_class class;
	const char *reason; // NULL: not looked at
	uint32_t track_id;  // of a package for GTP; 0: none
} rows[] = {
	{"addresses_of_all_fragments_but_not_what_is_in_them", "base", NULL, "i40e", "IPV4_FRAG",
	 DDP_OFFLOAD_SOFTWARE, "ipv4.protocol", 0},
	{"ports_of_packets_without_tunnels", "base", NULL, "ice-os", "IPV6_UDP",
	 DDP_OFFLOAD_HARDWARE, NULL, 0},
	{"a_tunnel_by_its_source_port_is_plain_udp_to_a_nic", "gtpu", NULL, "ice-comms", "IPV4_UDP",
	 DDP_OFFLOAD_SOFTWARE, "source UDP port 2152", 0},
	{"a_tunnel_in_the_tunnel_is_plain_udp_to_a_nic", "gtpu", NULL, "ice-comms", "GTPU_IPV4_UDP",
	 DDP_OFFLOAD_SOFTWARE, "destination UDP port 2152", 0},
	{"a_port_that_the_nic_does_not_know", "gtpu;port=2153", NULL, "ice-comms", "GTPU_IPV4_TCP",
	 DDP_OFFLOAD_SOFTWARE, NULL, 0},
	{"inner_addresses_and_ports", "gtpu", NULL, "ice-comms", "GTPU_IPV4_TCP",
	 DDP_OFFLOAD_HARDWARE, NULL, 0},
	{"a_package_that_parses_no_gtpu", "gtpu", NULL, "ice-os", "GTPU_IPV4_TCP",
	 DDP_OFFLOAD_SOFTWARE, "the Comms package", 0},
	{"ethernet_in_gre_is_nvgre_to_a_nic_with_a_key_or_without", "gre", NULL, "ice-comms",
	 "NVGRE_IPV4_TCP", DDP_OFFLOAD_SOFTWARE, "another packet type of the profile", 0},
	{"direction_only_where_the_packet_tells_it", "gtpu:ue", NULL, "ice-comms", "GTPU_IPV4_TCP",
	 DDP_OFFLOAD_PARTLY, "ipv4.src", 0},
	{"a_value_that_decides_what_is_hashed", "gtpu:ue", NULL, "ice-comms", "IPV4_TCP",
	 DDP_OFFLOAD_SOFTWARE, "ipv4.src", 0},
	{"nobody_hashes_a_type_without_input_set", "base", NULL, "ice-comms", "ARP",
	 DDP_OFFLOAD_NONE, NULL, 0},
	{"a_key_that_is_too_short", NULL,
	 PROFILE("  T:\n    path: link ipv6 tcp\n    priority: 1\n"
		 "    rss: ipv6.src ipv6.dst tcp.sport tcp.dport tcp.seq\n"),
	 "mlx5", "T", DDP_OFFLOAD_SOFTWARE, NULL, 0},
	{"the_other_order_is_another_hash", NULL,
	 PROFILE("  T:\n    path: " TUNNEL "\n    priority: 1\n"
		 "    rss: inner.ipv4.dst inner.ipv4.src\n"),
	 "ice-comms", "T", DDP_OFFLOAD_SOFTWARE, "no rule of the driver hashes exactly these", 0},
	{"one_pattern_hashes_in_one_way", NULL,
	 PROFILE("  T:\n    path: " TUNNEL "\n    priority: 1\n"
		 "    rss: inner.ipv4.src inner.ipv4.dst gtpu.teid\n"),
	 "ice-comms", "T", DDP_OFFLOAD_SOFTWARE, "and the IP protocol", 0},
	{"bits_that_are_no_words", NULL,
	 PROFILE("  T:\n    path: " TUNNEL "\n    priority: 1\n"
		 "    rss: gtpu_psc.qfi inner.ipv4.src\n"),
	 "ice-comms", "T", DDP_OFFLOAD_SOFTWARE, NULL, 0},
	{"tunnels_that_the_nic_reports_alike", "vxlan", NULL, "ice-comms", "VXLAN_IPV4_TCP",
	 DDP_OFFLOAD_SOFTWARE, "eth ipv4 gre eth", 0},
	{"and_are_hashed_alike_but_not_of_one_type", "vxlan+gre", NULL, "ice-comms",
	 "VXLAN_IPV4_TCP", DDP_OFFLOAD_SOFTWARE, "another packet type of the profile", 0},
	{"a_sctp_input_set_with_a_tag_in_it", "base", NULL, "i40e", "IPV4_SCTP",
	 DDP_OFFLOAD_SOFTWARE, NULL, 0},
	{"a_packet_that_ends_before_what_the_profile_looks_at", NULL,
	 "profile: t\nrequires: [base]\nheaders:\n  one: {after: tcp, layout: 'x:8'}\n"
	 "packet_types:\n"
	 "  T:\n    path: link ipv4 tcp one\n    priority: 1\n"
	 "    rss: ipv4.src ipv4.dst tcp.sport tcp.dport\n"
	 "  S:\n    path: link ipv4 tcp\n    priority: 1\n    rss: ipv4.src ipv4.dst\n",
	 "ice-comms", "T", DDP_OFFLOAD_SOFTWARE, "the payload", 0},
	{"a_header_that_no_nic_parses", "mpls", NULL, "ice-comms", "MPLS_IPV4_TCP",
	 DDP_OFFLOAD_SOFTWARE, "'mpls'", 0},
	{"nothing_on_a_device_that_hashes_nothing", "base", NULL, "none", "IPV4_TCP",
	 DDP_OFFLOAD_SOFTWARE, NULL, 0},
	{"gtp_package_inner_addresses_and_ports", "gtpu", NULL, "i40e", "GTPU_IPV4_TCP",
	 DDP_OFFLOAD_HARDWARE, NULL, I40E_GTP},
	{"gtp_package_of_ipv6_too", "gtpu", NULL, "i40e", "GTPU_IPV6_SCTP", DDP_OFFLOAD_HARDWARE,
	 NULL, I40E_GTP},
	{"gtp_package_one_input_set_for_all_of_a_pctype", "gtpu", NULL, "i40e", "GTPU_IPV4",
	 DDP_OFFLOAD_SOFTWARE, NULL, I40E_GTP},
	{"gtp_package_inner_addresses_alone", "gtpu:inner-ip", NULL, "i40e", "GTPU_IPV4_TCP",
	 DDP_OFFLOAD_HARDWARE, NULL, I40E_GTP},
	{"gtp_package_the_tunnel_alone", "gtpu:teid", NULL, "i40e", "GTPU_IPV6_TCP",
	 DDP_OFFLOAD_HARDWARE, NULL, I40E_GTP},
	{"gtp_package_outer_fields_without_published_words", "gtpu:outer", NULL, "i40e",
	 "GTPU_IPV4_TCP", DDP_OFFLOAD_SOFTWARE,
	 "the field vector of pctype 22 does not have exactly", I40E_GTP},
	{"gtp_package_no_tunnel", "gtpu", NULL, "i40e", "IPV4_TCP", DDP_OFFLOAD_HARDWARE, NULL,
	 I40E_GTP},
	{"gtp_package_does_not_know_pppoe", "gtpu+pppoe", NULL, "i40e", "PPPOE_IPV4_TCP",
	 DDP_OFFLOAD_SOFTWARE, "packets with 'pppoe'", I40E_GTP},
	{"gtp_package_pctype_outside_of_the_model", "gtpu+gtpc", NULL, "i40e", "GTPC",
	 DDP_OFFLOAD_SOFTWARE, "packets with 'gtpc'", I40E_GTP},
	{"gtp_package_another_port", "gtpu;port=2153", NULL, "i40e", "GTPU_IPV4_TCP",
	 DDP_OFFLOAD_SOFTWARE, NULL, I40E_GTP},
};

static struct planned {
	struct ddp_profile *profile;
	struct ddp_program *program;
	struct ddp_package *package;
	struct ddp_plan *plan;
} p;

static void planned_fini(void) {
	ddp_plan_destroy(p.plan);
	ddp_package_close(p.package);
	ddp_program_destroy(p.program);
	ddp_profile_destroy(p.profile);
	memset(&p, 0, sizeof(p));
}

static void planned_init(const struct ddp_source *source, const char *nic,
			 const struct ddp_plan_ask *ask) {
	struct ddp_diag *diag = diag_new();

	planned_fini();
	p.profile = ddp_profile_read(&(struct ddp_load){.sources = source, .n_sources = 1}, diag);
	if (p.profile == NULL)
		fail_msg("%s", ddp_diag_first(diag));
	p.program = ddp_program_build(p.profile, diag);
	if (p.program == NULL)
		fail_msg("%s", ddp_diag_first(diag));
	p.plan = ddp_plan_build(ddp_nic_find(nic), p.profile, p.program, ask);
	assert_non_null(p.plan);
}

static void gtp_init(const struct ddp_source *source, const char *nic, uint32_t track_id) {
	struct ddp_package *package = track_id != 0 ? i40e_write_gtp(track_id) : NULL;
	const struct ddp_plan_ask ask = {.rss_hf = DDP_RSS_HF_ALL, .package = package};

	planned_init(source, nic, &ask);
	p.package = package;
}

// Its pctypes are then hashed by fields that Intel's guide does not give them.
TEST(a_package_with_other_pctypes_is_not_the_documented_one) {
	struct i40e_type *pctypes = i40e_gtp.i40e->pctypes.types;

	for (unsigned int changed = 0; changed <= 2; changed++) {
		struct ddp_package *package;
		struct ddp_diag diag;

		ddp_diag_init(&diag);
		pctypes[0].id += changed == 1 ? 40 : 0;
		pctypes[1].id += changed == 2 ? 40 : 0;
		package = i40e_write_gtp(I40E_GTP);
		pctypes[0].id = 22;
		pctypes[1].id = 23;
		assert_int_equal(ddp_i40e_package_covers(package, 0x1572, &diag), changed == 0);
		ddp_diag_fini(&diag);
		ddp_package_close(package);
	}
}

static const struct ddp_offload_type *type_named(const char *name) {
	for (unsigned int i = 0; i < p.plan->n_types; i++)
		if (strcmp(ddp_program_type(p.program, i)->name, name) == 0)
			return &p.plan->types[i];
	fail_msg("no packet type %s", name);
	return NULL;
}

ROWS_TEST(type_is_where_it_belongs, rows) {
	const struct row *row = *state;
	const struct ddp_source source = {
		.spec = row->spec,
		.text = row->text,
		.size = row->text != NULL ? strlen(row->text) : 0,
	};
	const struct ddp_offload_type *type;

	gtp_init(&source, row->nic, row->track_id);
	type = type_named(row->type);
	if (type->class != row->class)
		fail_msg("%s: %s", ddp_offload_class_name(type->class), type->reason);
	if (row->reason != NULL && strstr(type->reason, row->reason) == NULL)
		fail_msg("'%s' is not in: %s", row->reason, type->reason);
}

static bool no_raw(void *ctx, const struct ddp_offload_rule *rule) {
	(void)ctx;
	return rule->n_items > 0;
}

// Some drivers take no raw patterns: what needs one stays in software, the rest does not.
TEST(refused_rules_leave_the_rest) {
	const struct ddp_source source = {.spec = "gtpu"};
	const struct ddp_plan_ask ask = {.rss_hf = UINT64_MAX, .accepts = no_raw};

	planned_init(&source, "ice-comms", &ask);
	assert_int_equal(type_named("GTPU_IPV4_TCP")->class, DDP_OFFLOAD_SOFTWARE);
	assert_non_null(strstr(type_named("GTPU_IPV4_TCP")->reason, "and the IP protocol"));
	assert_int_equal(type_named("GTPU_IPV4")->class, DDP_OFFLOAD_PARTLY);
	for (unsigned int i = 0; i < p.plan->n_rules; i++)
		assert_true(p.plan->rules[i].n_items > 0);
}

// A NIC with several queues must not be told to put all packets without a rule on the first.
TEST(rss_hf_stays_where_the_nic_spreads) {
	const struct ddp_source source = {.spec = "gtpu:ue"};
	struct ddp_plan_ask ask = {.rss_hf = UINT64_MAX};

	planned_init(&source, "ice-comms", &ask);
	assert_true(p.plan->rss_hf == 0);
	assert_true(p.plan->n_ptypes > 0);
	ask.spreads = true;
	planned_init(&source, "ice-comms", &ask);
	assert_true(p.plan->rss_hf != 0);
	assert_int_equal(p.plan->n_ptypes, 0);
}

// A rule for all other IPv4 packets takes TCP and UDP from rss_hf, too. Were that not seen, most of
// a user's packets would be hashed in software as soon as the NIC has several queues.
TEST(a_wide_rule_takes_nothing_from_rss_hf) {
	const struct ddp_source source = {.spec = "base"};
	const struct ddp_plan_ask ask = {
		.rss_hf = DDP_RSS_HF(IPV4) | DDP_RSS_HF(IPV4_OTHER) | DDP_RSS_HF(IPV4_UDP) |
			  DDP_RSS_HF(IPV4_TCP),
		.spreads = true,
	};

	planned_init(&source, "ice-comms", &ask);
	assert_int_equal(type_named("IPV4_UDP")->class, DDP_OFFLOAD_HARDWARE);
	assert_int_equal(type_named("IPV4_TCP")->class, DDP_OFFLOAD_HARDWARE);
}

// Toeplitz takes four bytes of the key more than it hashes: 12 of addresses and ports need 16.
TEST(a_key_that_just_reaches_will_do) {
	const struct ddp_source source = {.spec = "gtpu"};

	for (unsigned int size = 15; size <= 16; size++) {
		const struct ddp_plan_ask ask = {.rss_hf = UINT64_MAX, .key_size = size};

		planned_init(&source, "ice-comms", &ask);
		assert_int_equal(type_named("GTPU_IPV4_TCP")->class,
				 size < 16 ? DDP_OFFLOAD_SOFTWARE : DDP_OFFLOAD_HARDWARE);
	}
}

TEST(wide_rules_come_first) {
	const struct ddp_source source = {.spec = "all"};
	bool raw = false;

	planned_init(&source, "ice-comms", NULL);
	assert_true(p.plan->n_rules > 1);
	for (unsigned int i = 1; i < p.plan->n_rules; i++) {
		raw |= p.plan->rules[i].n_items == 0;
		if (raw)
			assert_int_equal(p.plan->rules[i].n_items, 0);
		else
			assert_true(p.plan->rules[i].n_items >= p.plan->rules[i - 1].n_items);
	}
}

static void last_keep(void *arg, const char *command) {
	snprintf(arg, 600, "%s", command);
}

// Its 512 characters are all that testpmd reads.
TEST(the_longest_rule_of_testpmd_is_whole) {
	struct ddp_offload_rule rule = {.size = 104};
	const struct ddp_plan plan = {.rules = &rule, .n_rules = 1};
	char last[600] = "";

	assert_int_equal(ddp_plan_testpmd(&plan, last_keep, last), 0);
	assert_int_equal(strlen(last), 512);
	assert_string_equal(&last[506], " / end");
	rule.size++;
	assert_int_equal(ddp_plan_testpmd(&plan, last_keep, last), 1);
	assert_string_equal(last, "port config all rss none");
}

static void assert_inset(const struct ddp_plan *plan, unsigned int i, uint8_t pctype,
			 const uint8_t *words, unsigned int n) {
	assert_int_equal(plan->insets[i].pctype, pctype);
	assert_int_equal(plan->insets[i].n, n);
	assert_memory_equal(plan->insets[i].words, words, n);
}

// As Intel's guide has them, in the order of the packet.
TEST(input_sets_are_the_published_words) {
	static const uint8_t v4[] = {15, 16, 27, 28, 29, 30}, teid[] = {44, 45};
	static const uint8_t v6[] = {13, 14, 15, 16, 17, 18, 19, 20, 21,
				     22, 23, 24, 25, 26, 27, 28, 29, 30};

	gtp_init(&(struct ddp_source){.spec = "gtpu"}, "i40e", I40E_GTP);
	assert_ptr_equal(p.plan->package, p.package);
	assert_int_equal(p.plan->n_insets, 2);
	assert_inset(p.plan, 0, 22, v4, sizeof(v4));
	assert_inset(p.plan, 1, 23, v6, sizeof(v6));
	gtp_init(&(struct ddp_source){.spec = "gtpu:teid"}, "i40e", I40E_GTP);
	assert_int_equal(p.plan->n_insets, 2);
	assert_inset(p.plan, 0, 22, teid, sizeof(teid));
}

TEST(a_package_that_is_of_no_use_is_not_asked_for) {
	gtp_init(&(struct ddp_source){.spec = "gtpu:outer"}, "i40e", I40E_GTP);
	assert_null(p.plan->package);
	assert_int_equal(p.plan->n_insets, 0);
}

TEST(kinds_have_the_names_that_people_use) {
	assert_string_equal(ddp_nic_name(ddp_nic_find("e810")), "ice-comms");
	assert_string_equal(ddp_nic_name(ddp_nic_find("e810-os")), "ice-os");
	assert_string_equal(ddp_nic_name(ddp_nic_find("xl710")), "i40e");
	assert_string_equal(ddp_nic_name(ddp_nic_find("connectx")), "mlx5");
}

TEST(drivers_have_their_kinds) {
	assert_string_equal(ddp_nic_name(ddp_nic_of_driver("net_ice")), "ice-os");
	assert_string_equal(ddp_nic_name(ddp_nic_of_driver("net_iavf")), "iavf");
	assert_string_equal(ddp_nic_name(ddp_nic_of_driver("net_i40e")), "i40e");
	assert_string_equal(ddp_nic_name(ddp_nic_of_driver("mlx5_pci")), "mlx5");
	assert_string_equal(ddp_nic_name(ddp_nic_of_driver("net_virtio")), "generic");
}

static int end(void **state) {
	planned_fini();
	return 0;
}

EACH(NULL, end)
