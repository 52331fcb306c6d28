/* SPDX-License-Identifier: BSD-3-Clause */
// Packets that the NIC would hash in another way stay in software, and the plan says why. (Every
// profile on every kind of NIC: tests/golden/plan_test.py. That the NIC's part is right, packet for
// packet: lower_offload_test.c of the port.)
#include "base/rss_hf.h"
#include "offload/i40e_port.h"
#include "offload/offload.h"

#include "package/i40e_write.h"
#include "scratch.h"
#include "unit.h"

#define PROFILE(path, rss)                                    \
	"profile: t\nrequires: [base, gtpu]\npacket_types:\n" \
	"  T:\n    path: " path "\n    priority: 1\n    rss: " rss "\n"
#define TUNNEL "link ip udp gtpu (gtpu_ext | gtpu_psc)* ipv4 tcp"

#define SOFTWARE DDP_OFFLOAD_SOFTWARE
#define HARDWARE DDP_OFFLOAD_HARDWARE

static const struct row {
	const char *name; // specification, NIC (with the package for GTP), packet type
	enum ddp_offload_class class;
	const char *reason; // NULL: not checked
	const char *text;   // of the profile, in place of the specification
} rows[] = {
	{"base i40e IPV4_FRAG", SOFTWARE, "ipv4.protocol"}, // of all fragments
	{"base ice-os IPV6_UDP", HARDWARE},
	{"base ice-comms ARP", DDP_OFFLOAD_NONE}, // it has no input set
	{"base i40e IPV4_SCTP", SOFTWARE},        // its input set has a tag
	{"base none IPV4_TCP", SOFTWARE},
	{"gtpu ice-comms IPV4_UDP", SOFTWARE, "source UDP port 2152"}, // plain UDP to a NIC
	{"gtpu ice-comms GTPU_IPV4_UDP", SOFTWARE, "destination UDP port 2152"},
	{"gtpu;port=2153 ice-comms GTPU_IPV4_TCP", SOFTWARE},
	{"gtpu ice-comms GTPU_IPV4_TCP", HARDWARE},
	{"gtpu ice-os GTPU_IPV4_TCP", SOFTWARE, "the Comms package"},
	{"gtpu:ue ice-comms GTPU_IPV4_TCP", DDP_OFFLOAD_PARTLY, "ipv4.src"}, // direction
	{"gtpu:ue ice-comms IPV4_TCP", SOFTWARE, "ipv4.src"},
	// Ethernet in GRE is NVGRE to a NIC, with a key or without.
	{"gre ice-comms NVGRE_IPV4_TCP", SOFTWARE, "another packet type of the profile"},
	{"vxlan ice-comms VXLAN_IPV4_TCP", SOFTWARE, "eth ipv4 gre eth"},
	{"vxlan+gre ice-comms VXLAN_IPV4_TCP", SOFTWARE, "another packet type of the profile"},
	{"mpls ice-comms MPLS_IPV4_TCP", SOFTWARE, "'mpls'"},

	{"gtpu i40e+gtp GTPU_IPV4_TCP", HARDWARE},
	{"gtpu i40e+gtp GTPU_IPV6_SCTP", HARDWARE},
	{"gtpu i40e+gtp GTPU_IPV4", SOFTWARE}, // a pctype has one input set
	{"gtpu:inner-ip i40e+gtp GTPU_IPV4_TCP", HARDWARE},
	{"gtpu:teid i40e+gtp GTPU_IPV6_TCP", HARDWARE},
	{"gtpu:outer i40e+gtp GTPU_IPV4_TCP", SOFTWARE,
	 "the field vector of pctype 22 does not have exactly"},
	{"gtpu i40e+gtp IPV4_TCP", HARDWARE},
	{"gtpu+pppoe i40e+gtp PPPOE_IPV4_TCP", SOFTWARE, "packets with 'pppoe'"},
	{"gtpu+gtpc i40e+gtp GTPC", SOFTWARE, "packets with 'gtpc'"},
	{"gtpu;port=2153 i40e+gtp GTPU_IPV4_TCP", SOFTWARE},

	{"t mlx5 T", SOFTWARE, NULL, // its key is too short
	 PROFILE("link ipv6 tcp", "ipv6.src ipv6.dst tcp.sport tcp.dport tcp.seq")},
	{"t ice-comms T", SOFTWARE, "no rule of the driver hashes exactly these",
	 PROFILE(TUNNEL, "inner.ipv4.dst inner.ipv4.src")},
	{"t ice-comms T", SOFTWARE, "and the IP protocol",
	 PROFILE(TUNNEL, "inner.ipv4.src inner.ipv4.dst gtpu.teid")},
	{"t ice-comms T", SOFTWARE, NULL, // its bits are no words
	 PROFILE(TUNNEL, "gtpu_psc.qfi inner.ipv4.src")},
	{"t ice-comms T", SOFTWARE, "the payload",
	 PROFILE("link ipv4 tcp one",
		 "ipv4.src ipv4.dst tcp.sport tcp.dport\n"
		 "  S: {path: link ipv4 tcp, priority: 1, rss: ipv4.src ipv4.dst}\n"
		 "headers: {one: {after: tcp, layout: 'x:8'}}")},
};

static struct planned {
	struct ddp_program *program;
	struct ddp_package *package;
	struct ddp_plan *plan;
} p;

static void planned_fini(void) {
	ddp_plan_destroy(p.plan);
	ddp_package_close(p.package);
	memset(&p, 0, sizeof(p));
}

static void planned_init(const struct ddp_source *source, const char *nic,
			 const struct ddp_plan_request *request) {
	const struct ddp_profile *profile = scratch_load_sources(source, 1);

	planned_fini();
	p.program = scratch_build(profile);
	p.plan = ddp_plan_build(ddp_nic_find(nic), profile, p.program, request);
	assert_non_null(p.plan);
}

static void gtp_init(const struct ddp_source *source) {
	struct ddp_package *package = i40e_write_gtp(I40E_GTP);
	const struct ddp_plan_request request = {.rss_hf = DDP_RSS_HF_ALL, .package = package};

	planned_init(source, "i40e", &request);
	p.package = package;
}

// Its pctypes are then hashed by fields that Intel's guide does not give them.
TEST(a_package_with_other_pctypes_is_not_the_documented_one) {
	struct i40e_type *pctypes = i40e_gtp.i40e->pctypes.types;

	for (unsigned int changed = 0; changed <= 2; changed++) {
		struct ddp_package *package;

		pctypes[0].id += changed == 1 ? 40 : 0;
		pctypes[1].id += changed == 2 ? 40 : 0;
		package = i40e_write_gtp(I40E_GTP);
		pctypes[0].id = 22;
		pctypes[1].id = 23;
		assert_int_equal(ddp_i40e_package_covers(package, 0x1572, diag_new()),
				 changed == 0);
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
	const struct ddp_offload_type *type;
	struct ddp_source source = {0};
	char spec[64], nic[16], name[32];

	assert_int_equal(sscanf(row->name, "%63s %15s %31s", spec, nic, name), 3);
	if (row->text != NULL)
		source = (struct ddp_source){.text = row->text, .size = strlen(row->text)};
	else
		source.spec = spec;
	if (strcmp(nic, "i40e+gtp") == 0)
		gtp_init(&source);
	else
		planned_init(&source, nic, &(struct ddp_plan_request){.rss_hf = DDP_RSS_HF_ALL});
	type = type_named(name);
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
	const struct ddp_plan_request request = {.rss_hf = UINT64_MAX, .accepts = no_raw};

	planned_init(&source, "ice-comms", &request);
	assert_int_equal(type_named("GTPU_IPV4_TCP")->class, DDP_OFFLOAD_SOFTWARE);
	assert_non_null(strstr(type_named("GTPU_IPV4_TCP")->reason, "and the IP protocol"));
	assert_int_equal(type_named("GTPU_IPV4")->class, DDP_OFFLOAD_PARTLY);
	for (unsigned int i = 0; i < p.plan->n_rules; i++)
		assert_true(p.plan->rules[i].n_items > 0);
}

// A NIC with several queues must not get a plan that puts all packets without a rule on the first.
TEST(rss_hf_stays_where_the_nic_spreads) {
	const struct ddp_source source = {.spec = "gtpu:ue"};
	struct ddp_plan_request request = {.rss_hf = UINT64_MAX};

	planned_init(&source, "ice-comms", &request);
	assert_true(p.plan->rss_hf == 0);
	assert_true(p.plan->n_ptypes > 0);
	request.spreads = true;
	planned_init(&source, "ice-comms", &request);
	assert_true(p.plan->rss_hf != 0);
	assert_int_equal(p.plan->n_ptypes, 0);
}

// A rule for all other IPv4 packets takes TCP and UDP from rss_hf, too. Were that not seen, most of
// a user's packets would be hashed in software as soon as the NIC has several queues.
TEST(a_wide_rule_takes_nothing_from_rss_hf) {
	const struct ddp_source source = {.spec = "base"};
	const struct ddp_plan_request request = {
		.rss_hf = DDP_RSS_HF(IPV4) | DDP_RSS_HF(IPV4_OTHER) | DDP_RSS_HF(IPV4_UDP) |
			  DDP_RSS_HF(IPV4_TCP),
		.spreads = true,
	};

	planned_init(&source, "ice-comms", &request);
	assert_int_equal(type_named("IPV4_UDP")->class, DDP_OFFLOAD_HARDWARE);
	assert_int_equal(type_named("IPV4_TCP")->class, DDP_OFFLOAD_HARDWARE);
}

// Toeplitz takes four bytes of the key more than it hashes: 12 of addresses and ports need 16.
TEST(a_key_that_just_reaches_will_do) {
	const struct ddp_source source = {.spec = "gtpu"};

	for (unsigned int size = 15; size <= 16; size++) {
		const struct ddp_plan_request request = {.rss_hf = UINT64_MAX, .key_size = size};

		planned_init(&source, "ice-comms", &request);
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

	gtp_init(&(struct ddp_source){.spec = "gtpu"});
	assert_ptr_equal(p.plan->package, p.package);
	assert_int_equal(p.plan->n_insets, 2);
	assert_inset(p.plan, 0, 22, v4, sizeof(v4));
	assert_inset(p.plan, 1, 23, v6, sizeof(v6));
	gtp_init(&(struct ddp_source){.spec = "gtpu:teid"});
	assert_int_equal(p.plan->n_insets, 2);
	assert_inset(p.plan, 0, 22, teid, sizeof(teid));
}

TEST(a_package_that_is_of_no_use_is_not_asked_for) {
	gtp_init(&(struct ddp_source){.spec = "gtpu:outer"});
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
