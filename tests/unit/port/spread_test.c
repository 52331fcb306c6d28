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
#include "graph_packets.h"
#include "offload/offload.h"
#include "port_rules.h"
#include "profile/profile.h"
#include "unit.h"

#define N_PACKETS 3000 // of a profile, drawn along its own parse graph
#define N_PAIRS 16     // of a packet and another one that differs in one bit
#define REACH 160      // bytes in which they differ

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

static const char *token(const struct setting *s, const struct ddp_seen *seen) {
	return ddp_program_node(s->program, seen->node)->token;
}

static uint16_t be16(const uint8_t *at) {
	return at[0] << 8 | at[1];
}

static bool is_ip(const char *name) {
	return strcmp(name, "ipv4") == 0 || strcmp(name, "ipv6") == 0;
}

static bool is_odd_udp(const uint8_t *udp, bool before_tunnel) {
	static const uint16_t ports[] = {2123, 2152, 4500, 4789, 8805};

	for (unsigned int i = 0; i < RTE_DIM(ports); i++)
		if (be16(udp) == ports[i] || (!before_tunnel && be16(udp + 2) == ports[i]))
			return true;
	return false;
}

// A tag that NICs do not take for one.
static bool is_odd_tag(const uint8_t *tag) {
	return be16(tag - 2) != 0x8100 && be16(tag - 2) != 0x88a8;
}

// Routes, other versions, mirrored packets (ERSPAN).
static bool is_odd_gre(const uint8_t *gre) {
	uint16_t type = be16(gre + 2);

	return (be16(gre) & 0x4fff) != 0 || (type != 0x0800 && type != 0x86dd && type != 0x6558);
}

// The last header found, of a protocol that the NIC may parse further.
static bool is_odd_ip(const uint8_t *ip) {
	static const uint8_t protocols[] = {0, 4, 6, 17, 41, 43, 44, 47, 50, 51, 60, 115, 132, 135};

	return memchr(protocols, ip[0] >> 4 == 4 ? ip[9] : ip[6], sizeof(protocols)) != NULL;
}

// A user's frame, by the profile, that NICs take for an IP packet by its first bits.
static bool is_odd_frame(const char *name, const char *next, const uint8_t *payload) {
	return strncmp(name, "gtpu", 4) == 0 && next[0] == '\0' &&
	       (payload[0] >> 4 == 4 || payload[0] >> 4 == 6);
}

// Is it in the form that a spread plan is about?
static bool is_usual(const struct setting *s, const struct view *seen, const uint8_t *bytes) {
	unsigned int n_tunnels = 0, n_ips = 0, n_tags = 0;

	if (seen->class.status != DDP_STATUS_OK || seen->class.type == DDP_TYPE_NONE)
		return false;
	for (unsigned int i = 0; i < seen->class.n_seen; i++) {
		const struct ddp_seen *at = &seen->class.seen[i];
		const char *name = token(s, at);
		const char *before = i > 0 ? token(s, at - 1) : "";
		const char *next = i + 1 < seen->class.n_seen ? token(s, at + 1) : "";

		n_tags += strcmp(name, "vlan") == 0;
		n_ips += is_ip(name);
		n_tunnels += strcmp(name, "gtpu") == 0 || strcmp(name, "gre") == 0 ||
			     strcmp(name, "pppoe") == 0 || (is_ip(name) && is_ip(before));
		if (strncmp(name, "ipv6_", 5) == 0 || strcmp(name, "gtpu_ext") == 0 ||
		    (strcmp(name, "gtpu_psc") == 0 &&
		     (bytes[at->off + 1] >> 4 > 1 || strncmp(next, "ipv", 3) != 0)) ||
		    (strcmp(name, "pppoe") == 0 && be16(bytes + at->off) != 0x1100) ||
		    (strcmp(name, "ppp") == 0 && be16(bytes + at->off) != 0x0021 &&
		     be16(bytes + at->off) != 0x0057) ||
		    (strcmp(name, "vlan") == 0 && (n_tunnels > 0 || is_odd_tag(bytes + at->off))) ||
		    (strncmp(name, "ipv", 3) == 0 && next[0] == '\0' &&
		     is_odd_ip(bytes + at->off)) ||
		    (strcmp(name, "gre") == 0 && is_odd_gre(bytes + at->off)) ||
		    (strcmp(name, "ipv4") == 0 && (be16(bytes + at->off + 6) & 0x3fff) != 0) ||
		    is_odd_frame(name, next, bytes + at->off + at->len) ||
		    (strcmp(name, "udp") == 0 &&
		     is_odd_udp(bytes + at->off, strcmp(next, "gtpu") == 0)))
			return false;
	}
	return n_tunnels <= 1 && n_ips <= 1 + n_tunnels && n_tags <= 2;
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

	if (a->nics[nic].packet_type == 0 || b->nics[nic].packet_type == 0)
		return;
	tally->n++;
	tally->n_apart += !same_hash;
	tally->n_stuck += same_hash && !same_input;
	tally->n_torn += !same_hash && same_input;
	tally->n_unhashed += !a->nics[nic].hashed || !b->nics[nic].hashed;
	tally->n_unlike += a->nics[nic].hashed != (a->input_len > 0);
}

static struct graph graph;

static uint32_t packet_draw(const struct setting *s, uint8_t *bytes) {
	uint32_t len = graph_draw(&graph, bytes);
	struct view view;

	see(s, bytes, len, &view);
	for (unsigned int i = 0; i < view.class.n_seen; i++) {
		const struct ddp_seen *at = &view.class.seen[i];

		if (strcmp(token(s, at), "gre") == 0)
			bytes[at->off] &= 0x20;
		if (strcmp(token(s, at), "pppoe") == 0)
			memcpy(bytes + at->off, "\x11", 2);
	}
	return len;
}

#define TYPES 512

static struct tally tallies[RTE_DIM(nics)][TYPES];

// Draw packets, and with each one n_pairs others that differ in a bit.
static void pairs_count(const struct setting *s, unsigned int n_packets, unsigned int n_pairs) {
	static uint8_t bytes[PACKET_MAX];
	struct view one, other;

	memset(tallies, 0, sizeof(tallies));
	graph_init(&graph, s->profile, s->program, 7);
	for (unsigned int i = 0; i < n_packets; i++) {
		uint32_t len = packet_draw(s, bytes);

		see(s, bytes, len, &one);
		if (!is_usual(s, &one, bytes))
			continue;
		for (unsigned int k = 0; k < n_pairs; k++) {
			unsigned int bit = random_below(&graph.seed, 8 * RTE_MIN(len, REACH));

			bytes[bit / 8] ^= 1 << bit % 8;
			see(s, bytes, len, &other);
			if (is_usual(s, &other, bytes) && is_alike(&one, &other))
				for (unsigned int nic = 0; nic < RTE_DIM(nics); nic++)
					pair_count(&one, &other, nic,
						   &tallies[nic][one.class.type]);
			bytes[bit / 8] ^= 1 << bit % 8;
		}
	}
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
		pairs_count(&s, N_PACKETS, N_PAIRS);
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
	pairs_count(&s, N_PACKETS, 1);
	for (unsigned int type = 0; type < TYPES; type++) {
		const struct tally *tally = &tallies[nic][type];

		n += tally->n;
		n_wrong += tally->n_stuck + tally->n_torn + tally->n_unlike;
	}
	if (n < N_PACKETS / 6 || n_wrong > n / 100) // packets in a form that is left out
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
