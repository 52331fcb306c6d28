/* SPDX-License-Identifier: BSD-3-Clause */
// Fake NICs with the rules of a spread plan hash packets of each packet type by the fields that
// the plan says. If they did not, a user who was told that the NIC spreads the traffic would see
// it on one queue.
#include "harness.h"

#include <string.h>

#include "base/rss_hf.h"
#include "base/rte_item.h"
#include "classify/classify.h"
#include "fake_nic.h"
#include "offload/offload.h"
#include "package/frames.h"
#include "port_rules.h"
#include "profile/profile.h"
#include "unit.h"

static const struct {
	enum fake_nic_kind fake;
	const char *kind;
} nics[] = {
	{FAKE_NIC_OS, "ice-os"}, {FAKE_NIC_COMMS, "ice-comms"}, {FAKE_NIC_IAVF, "iavf"},
	{FAKE_NIC_I40E, "i40e"}, {FAKE_NIC_MLX5, "mlx5"},
};

#define H DDP_SPREAD_HARDWARE
#define B DDP_SPREAD_BOTH
#define S DDP_SPREAD_SOFTWARE

static const struct row {
	const char *spec;
	enum ddp_spread_verdict verdicts[RTE_DIM(nics)]; // as nics
} rows[] = {
	{"base", {H, H, H, H, H}},          {"gtpu", {S, H, H, S, H}},
	{"gtpu:inner-ip", {S, H, H, S, H}}, {"gtpu:ue", {S, B, B, S, H}},
	{"gtpu:outer", {H, H, H, H, H}},    {"gtpu:teid", {S, B, B, S, B}},
	{"pppoe", {S, H, S, S, S}},         {"gre", {B, B, B, S, B}},
	{"ipip", {B, B, B, S, H}},
};

// A profile and, of each kind of NIC, its plan and a NIC with the rules of it.
struct setting {
	struct ddp_profile *profile;
	struct ddp_program *program;
	struct ddp_plan *plans[RTE_DIM(nics)];
	struct fake_nic nics[RTE_DIM(nics)];
};

#define ALL RTE_DIM(nics)

static void rule_create_on(struct fake_nic *nic, const struct ddp_offload_rule *rule) {
	struct rte_flow_item items[DDP_OFFLOAD_ITEMS + 1] = {0};
	struct rte_flow_item_gtp_psc psc = {.hdr.type = rule->pdu_type & 0xf};
	struct rte_flow_item_gtp_psc mask = {.hdr.type = 0xf};
	static const uint16_t queues[N_QUEUES] = {0, 1, 2, 3};
	struct rte_flow_action_rss rss = {
		.types = rule->types,
		.level = rule->level,
		.queue = rule->level > 0 ? queues : NULL,
		.queue_num = rule->level > 0 ? N_QUEUES : 0,
	};
	struct rte_flow_action actions[2] = {{.type = RTE_FLOW_ACTION_TYPE_RSS, .conf = &rss}};
	struct rte_flow_error error = {0};

	for (unsigned int i = 0; i < rule->n_items; i++) {
		items[i].type = ddp_rte_item_type(rule->items[i]);
		if (items[i].type == RTE_FLOW_ITEM_TYPE_GTP_PSC && rule->pdu_type >= 0) {
			items[i].spec = &psc;
			items[i].mask = &mask;
		}
	}
	if (fake_nic_create(nic, items, actions, &error) == NULL) {
		ddp_offload_rule_print(rule, stderr);
		fail_msg("%s", error.message);
	}
}

static void nic_init(struct setting *s, unsigned int i) {
	const struct ddp_plan_ask ask = {
		.rss_hf = DDP_RSS_HF_ALL, .n_queues = N_QUEUES, .spread = true};
	struct fake_nic *nic = &s->nics[i];

	s->plans[i] = ddp_plan_build(ddp_nic_find(nics[i].kind), s->profile, s->program, &ask);
	assert_non_null(s->plans[i]);
	fake_nic_init(nic, nics[i].fake);
	for (unsigned int k = 0; k < sizeof(nic->key); k++)
		nic->key[k] = 37 * k + 11;
	nic->rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_SCTP;
	for (unsigned int k = 0; k < s->plans[i]->spread->n_rules; k++)
		rule_create_on(nic, &s->plans[i]->spread->rules[k]);
}

static void setting_init(struct setting *s, const char *spec, unsigned int only) {
	struct ddp_diag *diag = diag_new();

	memset(s, 0, sizeof(*s));
	s->profile = ddp_profile_load(spec, diag);
	assert_non_null(s->profile);
	s->program = ddp_program_build(s->profile, diag);
	assert_non_null(s->program);
	for (unsigned int i = 0; i < RTE_DIM(nics); i++)
		if (only == ALL || only == i)
			nic_init(s, i);
}

static void setting_fini(struct setting *s) {
	for (unsigned int i = 0; i < RTE_DIM(nics); i++) {
		if (s->plans[i] != NULL)
			fake_nic_fini(&s->nics[i]);
		ddp_plan_destroy(s->plans[i]);
	}
	ddp_program_destroy(s->program);
	ddp_profile_destroy(s->profile);
}

struct view {
	struct ddp_class class;
	uint8_t input[DDP_MAX_INPUT_SIZE];
	unsigned int input_len;
	struct {
		bool hashed;
		uint32_t hash, packet_type;
	} nics[RTE_DIM(nics)];
};

static void see(const struct setting *s, uint8_t *bytes, uint32_t len, struct view *seen) {
	const struct ddp_packet packet = {.data = bytes, .first_len = len, .len = len};

	memset(seen, 0, sizeof(*seen));
	ddp_classify(s->program, &packet, &seen->class);
	seen->input_len = ddp_input_gather(s->program, &packet, &seen->class, DDP_RSS_HF_ALL,
					   DDP_HASH_TOEPLITZ, seen->input);
	for (unsigned int i = 0; i < RTE_DIM(nics); i++) {
		struct rte_mbuf mbuf = {
			.buf_addr = bytes, .data_len = len, .pkt_len = len, .nb_segs = 1};

		if (s->plans[i] == NULL)
			continue;
		fake_nic_receive(&s->nics[i], &mbuf);
		seen->nics[i].hashed = (mbuf.ol_flags & RTE_MBUF_F_RX_RSS_HASH) != 0;
		seen->nics[i].hash = mbuf.hash.rss;
		seen->nics[i].packet_type = mbuf.packet_type;
	}
}

static bool is_alike(const struct view *a, const struct view *b) {
	if (a->class.type != b->class.type || a->class.n_seen != b->class.n_seen ||
	    a->input_len != b->input_len)
		return false;
	for (unsigned int i = 0; i < a->class.n_seen; i++)
		if (a->class.seen[i].node != b->class.seen[i].node ||
		    a->class.seen[i].off != b->class.seen[i].off)
			return false;
	return true;
}

struct tally {
	unsigned int n;       // pairs of the packet type
	unsigned int n_apart; // the NIC parts them
	unsigned int n_stuck; // the profile parts them, the NIC does not
	unsigned int n_torn;  // the NIC parts them, the profile does not
	unsigned int n_unhashed;
	unsigned int n_unlike; // one of NIC and profile hashes the packet, the other does not
};

static void pair_count(const struct view *a, const struct view *b, unsigned int nic,
		       struct tally *tally) {
	bool same_input = memcmp(a->input, b->input, sizeof(a->input)) == 0;
	bool same_hash = a->nics[nic].hash == b->nics[nic].hash;

	if (a->nics[nic].packet_type == 0 || a->nics[nic].packet_type != b->nics[nic].packet_type)
		return;
	tally->n++;
	tally->n_apart += !same_hash;
	tally->n_stuck += same_hash && !same_input;
	tally->n_torn += !same_hash && same_input;
	tally->n_unhashed += !a->nics[nic].hashed || !b->nics[nic].hashed;
	tally->n_unlike += a->nics[nic].hashed != (a->input_len > 0);
}

// Packets: each of these around each of the insides, for the profile that parses it.
static const struct {
	const char *profile, *words;
} outsides[] = {
	{"base", "eth"},
	{"base", "eth vlan"},
	{"base", "eth vlan=88a8 vlan"},
	{"base", "eth arp"},
	{"base", "eth lldp"},
	{"ipip", "eth ipv4"},
	{"ipip", "eth ipv6"},
	{"gre", "eth ipv4 gre"},
	{"gre", "eth ipv6 gre eth"},
	{"gre", "eth ipv4 proto=47 x=2000080000000005"},
	{"gre", "eth ipv4 proto=47 x=2000655800000105 eth lldp"},
	{"pppoe", "eth pppoe"},
	{"gtpu", "eth ipv4 udp=2152 gtpu"},
	{"gtpu", "eth vlan ipv6 udp=2152 gtpu"},
	{"gtpu", "eth ipv4 udp=2152 gtpu=34ff00100000000100000085 x=01000900"}, // downlink
	{"gtpu", "eth ipv6 udp=2152 gtpu=34ff00100000000100000085 x=01100900"},
};

static const char *const insides[] = {
	"ipv4 udp=53", "ipv4 tcp", "ipv4 sctp", "ipv4 icmp",  "ipv4 proto=200",
	"ipv6 udp=53", "ipv6 tcp", "ipv6 sctp", "ipv6 icmp6", "ipv6 proto=200",
};

#define TYPES 512

static struct tally tallies[RTE_DIM(nics)][TYPES];

// Pairs of a packet and another one that differs in one bit, of one form to profile and NIC.
static void pairs_count_of(const struct setting *s, const char *outside, const char *inside) {
	static struct frame frame;
	struct view one, other;
	char words[100];

	snprintf(words, sizeof(words), "%s %s", outside, inside);
	frame_make(&frame, words);
	see(s, frame.bytes, frame.len, &one);
	if (one.class.status != DDP_STATUS_OK || one.class.type == DDP_TYPE_NONE)
		return;
	for (unsigned int bit = 0; bit < 8 * frame.len; bit++) {
		frame.bytes[bit / 8] ^= 1 << bit % 8;
		see(s, frame.bytes, frame.len, &other);
		for (unsigned int nic = 0; nic < RTE_DIM(nics) && is_alike(&one, &other); nic++)
			pair_count(&one, &other, nic, &tallies[nic][one.class.type]);
		frame.bytes[bit / 8] ^= 1 << bit % 8;
	}
}

static void pairs_count(const struct setting *s, const char *spec) {
	memset(tallies, 0, sizeof(tallies));
	for (unsigned int i = 0; i < RTE_DIM(outsides); i++)
		for (unsigned int k = 0; k < RTE_DIM(insides); k++)
			if (strcmp(outsides[i].profile, "base") == 0 ||
			    strncmp(spec, outsides[i].profile, strlen(outsides[i].profile)) == 0)
				pairs_count_of(s, outsides[i].words, insides[k]);
}

static const char *type_wrong(const struct ddp_spread_type *type, const struct tally *tally) {
	switch (type->spread) {
	case DDP_SPREAD_SAME:
		return tally->n_stuck > 0    ? "the NIC does not part what the profile parts" :
		       tally->n_torn > 0     ? "the NIC parts what the profile keeps together" :
		       tally->n_unhashed > 0 ? "it is not hashed" :
					       NULL;
	case DDP_SPREAD_FEWER:
		return tally->n_torn > 0 ? "the NIC parts what the profile keeps together" :
		       tally->n > 100 && tally->n_apart == 0 ? "the NIC parts nothing" :
		       tally->n > 400 && tally->n_stuck == 0 ? "it is as the profile" :
							       NULL;
	case DDP_SPREAD_OTHERS:
		return tally->n > 100 && tally->n_apart == 0 ? "the NIC parts nothing" : NULL;
	case DDP_SPREAD_OUTER:
		return tally->n > 400 && tally->n_stuck == 0 ?
			       "the NIC parts all that the profile parts" :
			       NULL;
	case DDP_SPREAD_NONE:
		return tally->n_unhashed < tally->n ? "it is hashed" : NULL;
	default:
		return NULL;
	}
}

static void spread_check(const struct setting *s, const char *spec, unsigned int nic) {
	const struct ddp_spread_plan *plan = s->plans[nic]->spread;
	unsigned int n_checked = 0;

	assert_true(plan->n_types <= TYPES);
	for (unsigned int i = 0; i < plan->n_types; i++) {
		const struct tally *tally = &tallies[nic][i];
		const char *wrong = tally->n > 40 ? type_wrong(&plan->types[i], tally) : NULL;

		n_checked += tally->n > 40 && plan->types[i].wanted;
		if (wrong != NULL)
			fail_msg(
				"%s on %s: %s is said to be hashed by '%s' (%s), but %s: %u pairs, "
				"%u apart, %u stuck, %u torn, %u unhashed",
				spec, nics[nic].kind, ddp_program_type(s->program, i)->name,
				plan->types[i].by, ddp_spread_name(plan->types[i].spread), wrong,
				tally->n, tally->n_apart, tally->n_stuck, tally->n_torn,
				tally->n_unhashed);
	}
	if (n_checked == 0) // else nothing was compared
		fail_msg("%s on %s: no packet type", spec, nics[nic].kind);
}

TEST(fake_nics_spread_as_the_plan_says) {
	for (unsigned int i = 0; i < RTE_DIM(rows); i += draw_step(1)) {
		struct setting s;

		setting_init(&s, rows[i].spec, ALL);
		pairs_count(&s, rows[i].spec);
		for (unsigned int nic = 0; nic < RTE_DIM(nics); nic++) {
			const struct ddp_spread_plan *plan = s.plans[nic]->spread;

			spread_check(&s, rows[i].spec, nic);
			if (plan->verdict != rows[i].verdicts[nic])
				fail_msg("%s on %s: %s, %u + %u of %u", rows[i].spec,
					 nics[nic].kind, ddp_spread_verdict_name(plan->verdict),
					 plan->n_spread, plan->n_partly, plan->n_wanted);
		}
		setting_fini(&s);
	}
}

static const char *changed_spec;

static void changed_check(unsigned int nic) {
	unsigned int n = 0, n_wrong = 0;
	struct ddp_program *original;
	struct ddp_diag *diag = diag_new();
	struct setting s;

	setting_init(&s, changed_spec, nic);
	assert_true(ddp_spread_apply(s.plans[nic]->spread, s.profile));
	original = s.program;
	s.program = ddp_program_build(s.profile, diag);
	if (s.program == NULL)
		fail_msg("%s", ddp_diag_first(diag));
	pairs_count(&s, changed_spec);
	for (unsigned int type = 0; type < TYPES; type++) {
		const struct tally *tally = &tallies[nic][type];

		n += tally->n;
		n_wrong += tally->n_stuck + tally->n_torn + tally->n_unlike;
	}
	if (n < 1000 || n_wrong > n / 100)
		fail_msg("%s on %s: %u of %u pairs", changed_spec, nics[nic].kind, n_wrong, n);
	ddp_program_destroy(original);
	setting_fini(&s);
}

// `plan --pcap` simulates the NIC with a profile that was changed so.
TEST(a_changed_profile_parts_what_the_nic_parts) {
	static const char *const specs[] = {"gtpu", "gtpu:ue", "gtpu:teid", "pppoe"};

	for (unsigned int i = 0; i < RTE_DIM(specs); i++) {
		changed_spec = specs[i];
		draw_cases(changed_check, RTE_DIM(nics));
	}
}

PORT_TESTS(leak_setup)
