/* SPDX-License-Identifier: BSD-3-Clause */
// Fake NICs with the rules of a spread plan hash packets of each packet type by the fields that
// the plan says. If they did not, a user who relies on the NIC would see
// it on one queue.
#include "base/rss_hf.h"
#include "base/rte_item.h"
#include "classify/classify.h"
#include "fake_nic.h"
#include "offload/offload.h"
#include "package/frames.h"
#include "port_rules.h"
#include "profile/profile.h"

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
	bool changes;                                    // ddp_spread_apply() is called, too
} rows[] = {
	{"base", {H, H, H, H, H}},          {"gtpu", {S, H, H, S, H}, true},
	{"gtpu:inner-ip", {S, H, H, S, H}}, {"gtpu:ue", {S, B, B, S, H}, true},
	{"gtpu:outer", {H, H, H, H, H}},    {"gtpu:teid", {S, B, B, S, B}, true},
	{"pppoe", {S, H, S, S, S}, true},   {"gre", {B, B, B, S, B}},
	{"ipip", {B, B, B, S, H}},
};

// A profile, its plan for a kind of NIC, and a NIC with the rules of the plan.
struct setting {
	const char *spec, *kind;
	struct ddp_profile *profile;
	struct ddp_program *program;
	struct ddp_plan *plan;
	struct fake_nic nic;
};

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

static void setting_init(struct setting *s, const char *spec, unsigned int nic) {
	const struct ddp_plan_request request = {
		.rss_hf = DDP_RSS_HF_ALL, .n_queues = N_QUEUES, .spread = true};

	s->spec = spec;
	s->kind = nics[nic].kind;
	s->profile = scratch_load(spec);
	s->program = scratch_build(s->profile);
	s->plan = ddp_plan_build(ddp_nic_find(s->kind), s->profile, s->program, &request);
	assert_non_null(s->plan);
	fake_nic_init(&s->nic, nics[nic].fake);
	for (unsigned int k = 0; k < sizeof(s->nic.key); k++)
		s->nic.key[k] = 37 * k + 11;
	s->nic.rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_SCTP;
	for (unsigned int k = 0; k < s->plan->spread->n_rules; k++)
		rule_create_on(&s->nic, &s->plan->spread->rules[k]);
}

static void setting_fini(struct setting *s) {
	fake_nic_fini(&s->nic);
	ddp_plan_destroy(s->plan);
}

// The results of the profile and of the NIC for a packet.
struct view {
	struct ddp_class class;
	uint8_t input[DDP_MAX_INPUT_SIZE];
	unsigned int input_len;
	bool hashed;
	uint32_t hash, packet_type;
};

static void see(const struct setting *s, struct frame *frame, struct view *seen) {
	const struct ddp_packet packet = {
		.data = frame->bytes, .first_len = frame->len, .len = frame->len};
	struct rte_mbuf mbuf = {.buf_addr = frame->bytes,
				.data_len = frame->len,
				.pkt_len = frame->len,
				.nb_segs = 1};

	memset(seen, 0, sizeof(*seen));
	ddp_classify(s->program, &packet, &seen->class);
	seen->input_len = ddp_input_gather(s->program, &packet, &seen->class, DDP_RSS_HF_ALL,
					   DDP_HASH_TOEPLITZ, seen->input);
	fake_nic_receive(&s->nic, &mbuf);
	seen->hashed = (mbuf.ol_flags & RTE_MBUF_F_RX_RSS_HASH) != 0;
	seen->hash = mbuf.hash.rss;
	seen->packet_type = mbuf.packet_type;
}

// Of one form to profile and NIC.
static bool is_alike(const struct view *a, const struct view *b) {
	if (a->packet_type != b->packet_type || a->class.type != b->class.type ||
	    a->class.n_seen != b->class.n_seen || a->input_len != b->input_len)
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

static struct tally tallies[TYPES];

// Pairs of a packet and another one that differs in one bit.
static void pairs_count_of(const struct setting *s, const char *outside, const char *inside) {
	static struct frame frame;
	struct view one, other;
	char words[100];

	snprintf(words, sizeof(words), "%s %s", outside, inside);
	frame_make(&frame, words);
	see(s, &frame, &one);
	if (one.class.status != DDP_STATUS_OK || one.class.type == DDP_TYPE_NONE ||
	    one.packet_type == 0)
		return;
	for (unsigned int bit = 0; bit < 8 * frame.len; bit++) {
		struct tally *tally = &tallies[one.class.type];
		bool same_input, same_hash;

		frame.bytes[bit / 8] ^= 1 << bit % 8;
		see(s, &frame, &other);
		frame.bytes[bit / 8] ^= 1 << bit % 8;
		if (!is_alike(&one, &other))
			continue;
		same_input = memcmp(one.input, other.input, sizeof(one.input)) == 0;
		same_hash = one.hash == other.hash;
		tally->n++;
		tally->n_apart += !same_hash;
		tally->n_stuck += same_hash && !same_input;
		tally->n_torn += !same_hash && same_input;
		tally->n_unhashed += !one.hashed || !other.hashed;
		tally->n_unlike += one.hashed != (one.input_len > 0);
	}
}

static void pairs_count(const struct setting *s) {
	memset(tallies, 0, sizeof(tallies));
	for (unsigned int i = 0; i < RTE_DIM(outsides); i++)
		for (unsigned int k = 0; k < RTE_DIM(insides); k++)
			if (strcmp(outsides[i].profile, "base") == 0 ||
			    strncmp(s->spec, outsides[i].profile, strlen(outsides[i].profile)) == 0)
				pairs_count_of(s, outsides[i].words, insides[k]);
}

static const char *type_wrong(const struct ddp_spread_type *type, const struct tally *tally) {
	const bool same = type->spread == DDP_SPREAD_SAME, fewer = type->spread == DDP_SPREAD_FEWER;

	if (same && tally->n_stuck > 0)
		return "the NIC does not part what the profile parts";
	if ((same || fewer) && tally->n_torn > 0)
		return "the NIC parts what the profile keeps together";
	if (same && tally->n_unhashed > 0)
		return "it is not hashed";
	if ((fewer || type->spread == DDP_SPREAD_OTHERS) && tally->n > 100 && tally->n_apart == 0)
		return "the NIC parts nothing";
	if ((fewer || type->spread == DDP_SPREAD_OUTER) && tally->n > 400 && tally->n_stuck == 0)
		return "the NIC parts all that the profile parts";
	if (type->spread == DDP_SPREAD_NONE && tally->n_unhashed < tally->n)
		return "it is hashed";
	return NULL;
}

static void types_check(const struct setting *s) {
	const struct ddp_spread_plan *plan = s->plan->spread;
	unsigned int n_checked = 0;

	assert_true(plan->n_types <= TYPES);
	for (unsigned int i = 0; i < plan->n_types; i++) {
		const struct tally *tally = &tallies[i];
		const char *wrong = tally->n > 40 ? type_wrong(&plan->types[i], tally) : NULL;

		n_checked += tally->n > 40 && plan->types[i].wanted;
		if (wrong != NULL)
			fail_msg(
				"%s on %s: %s is said to be hashed by '%s' (%s), but %s: %u pairs, "
				"%u apart, %u stuck, %u torn, %u unhashed",
				s->spec, s->kind, ddp_program_type(s->program, i)->name,
				plan->types[i].by, ddp_spread_name(plan->types[i].spread), wrong,
				tally->n, tally->n_apart, tally->n_stuck, tally->n_torn,
				tally->n_unhashed);
	}
	assert_true(n_checked > 0); // else nothing was compared
}

// `plan --pcap` simulates the NIC with a profile that was changed so: it parts what the NIC parts.
static void changed_check(struct setting *s) {
	unsigned int n = 0, n_wrong = 0;

	assert_true(ddp_spread_apply(s->plan->spread, s->profile));
	s->program = scratch_build(s->profile);
	pairs_count(s);
	for (unsigned int type = 0; type < TYPES; type++) {
		const struct tally *tally = &tallies[type];

		n += tally->n;
		n_wrong += tally->n_stuck + tally->n_torn + tally->n_unlike;
	}
	if (n < 1000 || n_wrong > n / 100)
		fail_msg("%s on %s: %u of %u pairs", s->spec, s->kind, n_wrong, n);
}

TEST(fake_nics_spread_as_the_plan_says) {
	for (unsigned int i = 0; i < RTE_DIM(rows) * RTE_DIM(nics); i += draw_step(3)) {
		const struct row *row = &rows[i / RTE_DIM(nics)];
		const unsigned int nic = i % RTE_DIM(nics);
		const struct ddp_spread_plan *plan;
		struct setting s;

		setting_init(&s, row->spec, nic);
		plan = s.plan->spread;
		pairs_count(&s);
		types_check(&s);
		if (plan->verdict != row->verdicts[nic])
			fail_msg("%s on %s: %s, %u + %u of %u", s.spec, s.kind,
				 ddp_spread_verdict_name(plan->verdict), plan->n_spread,
				 plan->n_partly, plan->n_wanted);
		if (row->changes)
			changed_check(&s);
		setting_fini(&s);
	}
}

PORT_TESTS(leak_setup)
