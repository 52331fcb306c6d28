/* SPDX-License-Identifier: BSD-3-Clause */
#include "advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/rss_hf.h"
#include "common/shell_quote.h"
#include "common/strbuf.h"
#include "ctl/plan/nic_plan.h"

#define CLEARLY 1.1   // so much better is worth a change
#define EVEN 1.25     // nobody minds
#define UNEVEN 1.5    // worth an explanation
#define UNHASHED 0.02 // of all packets: worth a line
#define FEW_FLOWS 16  // a queue: below, chance makes queues uneven
#define EQUAL_SHOWN 5
#define FEW_PACKETS 4     // a queue: fewer say nothing,
#define UNSURE_PACKETS 16 // fewer say little
#define OPAQUE_SHARE 0.2  // of all packets of one packet type

// What would help where only the sender can, by the profile that knows a packet's type.
static const struct {
	const char *profile, *hint;
} hints[] = {
	{"ecpri", "eCPRI is told apart by its eAxC id alone: more of them spread better."},
	{"gtpu",
	 "The sender may vary GTP-U's UDP source port by inner flow (3GPP TS 29.281 clause 4.4.2): "
	 "then any NIC spreads it."},
	{"geneve",
	 "The sender should vary Geneve's UDP source port by inner flow (RFC 8926 section 3.3)."},
	{"gre",
	 "A GRE key for each flow, or GRE in UDP with varied source ports (RFC 8086), would help."},
	{"gre-in-udp",
	 "The sender should vary the UDP source port by inner flow (RFC 8086 section 3.2)."},
	{"ipsec",
	 "ESP shows nothing but its SPI: as many queues as there are security associations can be used. "
	 "More child SAs, one for each CPU (RFC 9611), would help."},
	{"l2tpv3", "More sessions, or L2TPv3 over UDP with varied source ports, would help."},
	{"macsec",
	 "MACsec hides all behind its tag: more secure channels, or to decrypt in front of RSS, would "
	 "help."},
	{"mpls",
	 "An entropy label (RFC 6790), or a flow label for pseudowires (RFC 6391), would help."},
	{"mpls-in-udp",
	 "The sender should vary the UDP source port by inner flow (RFC 7510 section 3)."},
	{"pppoe", "More PPPoE sessions are all that spreads traffic whose payload is no IP."},
	{"rocev2", "The sender should vary RoCEv2's UDP source port by queue pair."},
	{"vxlan",
	 "The sender should vary VXLAN's UDP source port by inner flow (RFC 7348 section 5)."},
	{"vxlan-gpe", "The sender should vary the UDP source port by inner flow."},
};

struct telling {
	struct advice *advice;
	const struct simulation *simulation;
	const struct candidates *candidates;
	const char *const *argv; // the command line
	unsigned int n_reasons;
	struct strbuf text;
};

static const char *kept(struct telling *t) {
	return ddp_arena_strdup(t->simulation->arena, strbuf_take(&t->text));
}

static void reason_end(struct telling *t) {
	const char *reason = kept(t);

	if (t->n_reasons < REASONS_MAX)
		t->advice->reasons[t->n_reasons++] = reason;
}

static double share(const struct telling *t, uint64_t packets) {
	return share_of(packets, t->simulation->packets);
}

/* Both directions of a UE */

static bool is_ue_set(const struct outcome *outcome) {
	const char *set = strchr(outcome->name, ':');

	return set != NULL && strncmp(set, ":ue", 3) == 0 &&
	       (set[3] == '\0' || set[3] == ';' || set[3] == '+');
}

static void ue_find(struct telling *t) {
	struct advice *advice = t->advice;

	for (unsigned int i = 0; i < advice->choice.n_ranking && advice->ue == NULL; i++) {
		const struct outcome *outcome = advice->choice.ranking[i];

		if (is_ue_set(outcome) && outcome != advice->best && outcome->ues.n_split == 0 &&
		    outcome_score(outcome) < outcome_score(advice->base) / CLEARLY)
			advice->ue = outcome;
	}
}

/* Reasons */

// "1.612 (1.430 to 2.103 by key)"
static void score_write(const struct outcome *outcome, FILE *to) {
	fprintf(to, "%.3f", outcome_score(outcome));
	if (outcome->keys.n > 0 && outcome->keys.plain.low < outcome->keys.plain.high)
		fprintf(to, " (%.3f to %.3f by key)", outcome->keys.plain.low,
			outcome->keys.plain.high);
}

static void new_command_write(const struct unread *unread, FILE *to) {
	char at[16];

	snprintf(at, sizeof(at), "%d", unread->ip_at);
	shell_line(to, (const char *const[]){"ddpctl", "new", "--after", unread->after,
					     unread->ip_at >= 0 ? "--ip-at" : NULL, at, NULL});
}

// How sure it is.
static void keys_tell(struct telling *t) {
	const struct advice *a = t->advice;
	const struct key_spread *best = &a->best->keys;

	if (best->n == 0 || t->simulation->n_queues == 1 || a->verdict == ADVICE_TOO_FEW)
		return;
	fprintf(t->text.to,
		"Judged by %u RSS keys: with half of them imbalance is %.3f at most, with 8 of 10 it is ",
		best->n, best->plain.median);
	if (best->plain.low < best->plain.high)
		fprintf(t->text.to, "from %.3f to %.3f", best->plain.low, best->plain.high);
	else
		fprintf(t->text.to, "%.3f", best->plain.low);
	if (a->best != a->base)
		fprintf(t->text.to, "; with %u of %u it is less than without a profile",
			keys_won(best, &a->base->keys), best->n);
	fprintf(t->text.to, ". With the key of this run it is %.3f", a->best->imbalance);
	if (a->best != a->base)
		fprintf(t->text.to, ", without a profile %.3f", a->base->imbalance);
	fputc('.', t->text.to);
	reason_end(t);
}

// What else would do.
static void equal_tell(struct telling *t) {
	const struct choice *choice = &t->advice->choice;
	const struct outcome *last = choice->equal[choice->n_equal - 1];
	unsigned int n = 0;

	if (choice->n_equal < 2 || t->advice->verdict != ADVICE_TAKE)
		return;
	fprintf(t->text.to, "Equal, within 5 %% or what another key changes (%.3f to %.3f):",
		outcome_score(choice->equal[0]), outcome_score(last));
	for (unsigned int i = 0; i < choice->n_equal; i++)
		if (choice->equal[i] != choice->best && n++ < EQUAL_SHOWN)
			fprintf(t->text.to, "%s %s", n > 1 ? "," : "", choice->equal[i]->name);
	if (n > EQUAL_SHOWN)
		fprintf(t->text.to, " and %u more", n - EQUAL_SHOWN);
	fprintf(t->text.to, ". %s is taken because %s.", choice->best->name, choice->reason);
	reason_end(t);
}

static void gain_tell(struct telling *t) {
	const struct advice *a = t->advice;
	const double even = 100.0 / t->simulation->n_queues;

	fprintf(t->text.to,
		"A fixed-function NIC sees %" PRIu64 " different hash%s in %" PRIu64
		" flow%s and puts %.1f %% of the packets on one of %u queues; with %s there are %" PRIu64
		" and the most loaded queue has %.1f %%.",
		a->base->n_groups, a->base->n_groups == 1 ? "" : "es", t->simulation->n_flows,
		t->simulation->n_flows == 1 ? "" : "s", even * outcome_score(a->base),
		t->simulation->n_queues, a->best->name, a->best->n_groups,
		even * outcome_score(a->best));
	reason_end(t);
}

static void cores_tell(struct telling *t) {
	const struct simulation *s = t->simulation;
	const struct advice *a = t->advice;

	fprintf(t->text.to, "%u cores with a queue each carry the load of %.1f fully used cores",
		s->n_queues, s->n_queues / outcome_score(a->best));
	if (a->best != a->base)
		fprintf(t->text.to, "; without a profile, of %.1f",
			s->n_queues / outcome_score(a->base));
	fputc('.', t->text.to);
	if (s->core_mpps > 0 && s->load_mpps > 0) {
		fprintf(t->text.to, " For %g million packets a second at %g a core it takes ",
			s->load_mpps, s->core_mpps);
		if (a->best->cores > 0)
			fprintf(t->text.to, "%u cores.", a->best->cores);
		else
			fprintf(t->text.to, "more than any number of queues gives.");
	}
	reason_end(t);
}

// The kinds of NIC that spread the chosen profile's packet types without net_ddp.
static void hardware_tell(struct telling *t) {
	const struct ddp_plan_ask ask = {.rss_hf = DDP_RSS_HF_ALL,
					 .n_queues = t->simulation->n_queues};
	const struct advice *a = t->advice;
	const struct ddp_personality *loaded =
		candidates_loaded(t->candidates, a->best - t->simulation->outcomes);
	unsigned int n = 0;

	if (a->verdict != ADVICE_TAKE || loaded->profile->modelled)
		return;
	for (unsigned int i = 0; i < ddp_n_nics; i++) {
		struct ddp_spread_plan *spread;

		if (!nic_is_common(ddp_nics[i]))
			continue;
		ddp_plan_destroy(nic_plan(ddp_nics[i], loaded, &ask, &spread));
		if (spread != NULL && spread->verdict == DDP_SPREAD_HARDWARE)
			fprintf(t->text.to, "%s %s",
				n++ > 0 ? "," : "A NIC may do it without net_ddp:",
				ddp_nic_name(ddp_nics[i]));
		ddp_spread_destroy(spread);
	}
	if (n == 0)
		return;
	fputs(" (rules: ddpctl plan ", t->text.to);
	shell_word(t->text.to, a->best->name);
	fputs(" --nic KIND).", t->text.to);
	reason_end(t);
}

static void ue_tell(struct telling *t) {
	const struct outcome *ue = t->advice->ue;

	if (ue == NULL)
		return;
	fprintf(t->text.to,
		"If both directions of a UE have to be on one queue, take %s: imbalance %.3f.",
		ue->name, outcome_score(ue));
	reason_end(t);
}

// Whether a candidate puts the largest flow under several hashes: it may run in several tunnels.
static bool elephant_is_parted(const struct telling *t) {
	const struct simulation *s = t->simulation;

	for (unsigned int i = 0; i < s->n_outcomes; i++)
		if (s->outcomes[i].largest_group * CLEARLY < s->top_flows[0].packets)
			return true;
	return false;
}

// Too few packets to be sure.
static void few_packets_tell(struct telling *t) {
	const struct simulation *s = t->simulation;

	if (t->advice->verdict == ADVICE_TOO_FEW ||
	    s->packets >= (uint64_t)UNSURE_PACKETS * s->n_queues)
		return;
	fprintf(t->text.to,
		"The capture has %" PRIu64 " packet%s for %u queues: another one may differ.",
		s->packets, s->packets == 1 ? "" : "s", s->n_queues);
	reason_end(t);
}

// The largest flow is one only because no profile reads what is in it.
static bool largest_is_unread(const struct telling *t) {
	return unread_is_promising(&t->advice->unread) &&
	       strcmp(t->simulation->top_flows[0].type, t->advice->unread.type) == 0;
}

static void unread_tell(struct telling *t) {
	const struct unread *unread = &t->advice->unread;

	if (!unread_is_promising(unread))
		return;
	fprintf(t->text.to,
		"%" PRIu64 " of %" PRIu64
		" packets%s end at %s, which no profile reads: %u of the %u "
		"bytes behind it differ from packet to packet.",
		unread->packets, unread->sampled,
		unread->sampled < t->simulation->packets ? " of a sample" : "", unread->field,
		unread->n_varying, unread->n_bytes);
	if (unread->ip_at >= 0)
		fprintf(t->text.to, " %" PRIu64 " of them have an %s header %d bytes behind it.",
			unread->ip_packets,
			unread->ip_version == 4 ? "IPv4" :
			unread->ip_version == 6 ? "IPv6" :
						  "IPv4 or IPv6",
			unread->ip_at);
	fputs(" A profile begins with: ", t->text.to);
	new_command_write(unread, t->text.to);
	reason_end(t);
}

// A profile may tell its packets apart by what is behind the port, even if that has no IP header.
static bool largest_ends_unread(const struct telling *t) {
	const struct unread *unread = &t->advice->unread;
	const char *port = strrchr(t->simulation->top_flows[0].text, ':');

	return unread->port != 0 && unread->n_varying > 0 && port != NULL &&
	       strtoul(port + 1, NULL, 10) == unread->port &&
	       strcmp(t->simulation->top_flows[0].type, unread->type) == 0;
}

// One flow cannot be parted. Returns whether that is what makes the queues uneven.
static bool elephant_tell(struct telling *t) {
	const struct simulation *s = t->simulation;
	double part, bound;

	if (s->n_top_flows == 0 || s->finest != NULL || elephant_is_parted(t) ||
	    largest_is_unread(t))
		return false;
	part = share(t, s->top_flows[0].packets);
	bound = part * s->n_queues;
	if (bound < 1.1)
		return false;
	fprintf(t->text.to,
		"One flow has %.1f %% of the packets (%s, %s): no profile parts it, and with %u queues "
		"imbalance is %.2f at least. All of them together carry the load of %.1f fully used "
		"cores at most; ",
		100 * part, s->top_flows[0].text, s->top_flows[0].type, s->n_queues, bound,
		1 / part);
	if (largest_ends_unread(t))
		fprintf(t->text.to,
			"what is behind %s is not read: %u of %u bytes there differ from packet to packet.",
			t->advice->unread.field, t->advice->unread.n_varying,
			t->advice->unread.n_bytes);
	else
		fputs("only the sender can make more flows of it.", t->text.to);
	reason_end(t);
	return bound * CLEARLY >= outcome_score(t->advice->best);
}

static bool balance_helps(const struct outcome *outcome) {
	return outcome->balanced > 0 && outcome->balanced * CLEARLY < outcome->unbalanced;
}

// Is it one entry of the redirection table that a balanced imbalance comes from?
static bool is_bound(const struct outcome *outcome) {
	return outcome->bound * CLEARLY >= outcome->balanced ||
	       (outcome->balance_is_measured &&
		2 * outcome->balancing->n_bound >= outcome->balancing->n_loaded);
}

// A short capture says too little.
static bool balance_is_advised(const struct outcome *outcome) {
	return outcome->balance_is_measured && balance_helps(outcome);
}

static double balanced_score(const struct outcome *outcome) {
	return outcome->keys.n_balanced > 0 ? outcome->keys.balanced.median : outcome->balanced;
}

// The candidate that load-aware RSS makes most even, if it is clearly better so than the chosen
// one.
static const struct outcome *balanced_find(const struct telling *t) {
	const struct choice *choice = &t->advice->choice;
	const struct outcome *best = t->advice->best, *found = best;

	for (unsigned int i = 0; i < choice->n_ranking; i++)
		if (balanced_score(choice->ranking[i]) < balanced_score(found))
			found = choice->ranking[i];
	return balanced_score(found) * CLEARLY < balanced_score(best) &&
			       found->balanced * CLEARLY < best->balanced ?
		       found :
		       NULL;
}

static void rate_tell(struct telling *t, const struct outcome *outcome) {
	const struct balancing *balancing = outcome->balancing;

	if (outcome->balance_is_measured)
		fprintf(t->text.to, " (mean of %g ms, %.1f moves a second)",
			balancing->interval_ns / 1e6, balancing_move_rate(balancing));
}

static void bound_tell(struct telling *t, const struct outcome *outcome) {
	const struct balancing *balancing = outcome->balancing;

	if (!outcome->balance_is_measured || balancing->bound_entry < 0)
		return;
	fprintf(t->text.to,
		" In %" PRIu64 " of %" PRIu64
		" intervals one entry has more than a queue's even share of %.1f %%, most often entry %d "
		"with %.1f %%: ",
		balancing->n_bound, balancing->n_loaded, 100.0 / t->simulation->n_queues,
		balancing->bound_entry, 100 * balancing->bound_share);
	if (balancing->bound_flow != NULL)
		fprintf(t->text.to, "the flow %s.", balancing->bound_flow);
	else
		fprintf(t->text.to, "no single flow has most of it.");
}

static void balance_gain_tell(struct telling *t) {
	const struct advice *a = t->advice;

	fprintf(t->text.to,
		"Load-aware RSS (balance=on of net_ddp) brings imbalance from %.2f to %s%.2f",
		a->best->unbalanced, a->best->balance_is_measured ? "" : "about ",
		a->best->balanced);
	rate_tell(t, a->best);
	fprintf(t->text.to, ": it moves entries of the redirection table away from loaded queues.");
	if (a->best == a->base)
		fprintf(t->text.to, " That helps more than other hash fields.");
	bound_tell(t, a->best);
	reason_end(t);
}

// Hash fields do not even out flows of unequal size.
static void balancing_tell(struct telling *t) {
	const struct advice *a = t->advice;
	const struct outcome *balanced;

	if (a->best->balanced == 0)
		return;
	if (balance_helps(a->best)) {
		balance_gain_tell(t);
		if (a->best != a->base && a->base->balanced * CLEARLY < a->best->unbalanced) {
			fprintf(t->text.to,
				"Load-aware RSS helps more than these hash fields alone: without a profile it "
				"brings imbalance from %.2f to %.2f.",
				a->base->unbalanced, a->base->balanced);
			reason_end(t);
		}
	} else if (a->best->unbalanced >= EVEN) {
		fprintf(t->text.to,
			"Load-aware RSS does not help: a move of table entries brings imbalance to %.2f at best, "
			"because %s.",
			a->best->balanced,
			is_bound(a->best) ?
				"packets of one hash stay together" :
				"it acts only on differences that chance does not explain");
		bound_tell(t, a->best);
		reason_end(t);
	}
	balanced = a->best->unbalanced >= EVEN ? balanced_find(t) : NULL;
	if (balanced != NULL) {
		fprintf(t->text.to, "With load-aware RSS, %s is more even: imbalance %.2f",
			balanced->name, balanced->balanced);
		rate_tell(t, balanced);
		fputc('.', t->text.to);
		reason_end(t);
	}
}

static void few_flows_tell(struct telling *t) {
	const struct simulation *s = t->simulation;

	if (t->advice->verdict == ADVICE_UNREAD || s->n_flows == 0 ||
	    s->n_flows >= (uint64_t)FEW_FLOWS * s->n_queues)
		return;
	fprintf(t->text.to,
		"There %s %" PRIu64
		" flow%s for %u queues: so few are uneven by chance, with any hash.",
		s->n_flows == 1 ? "is" : "are", s->n_flows, s->n_flows == 1 ? "" : "s",
		s->n_queues);
	reason_end(t);
}

static void unhashed_tell(struct telling *t) {
	const struct outcome *best = t->advice->best;
	unsigned int n = 0;

	if (share(t, best->unhashed) < UNHASHED)
		return;
	fprintf(t->text.to,
		"%.1f %% of the packets have nothing that is hashed and are on queue 0:",
		100 * share(t, best->unhashed));
	for (unsigned int i = 0; i < best->n_types; i++)
		if (best->types[i].unhashed > 0 && n++ < 5)
			fprintf(t->text.to, "%s %s (%s)", n > 1 ? "," : "", best->types[i].name,
				share_text(share(t, best->types[i].unhashed), 1, " %").text);
	fputc('.', t->text.to);
	reason_end(t);
}

// The packet types, as all profiles together see them, that are uneven, many, and show no IP packet
// inside.
static void hints_tell(struct telling *t) {
	const struct spread *all;
	const struct ddp_personality *loaded;
	bool told[sizeof(hints) / sizeof(hints[0])] = {0};

	if (t->candidates->totals.flow_spread < 0)
		return;
	all = &t->candidates->spreads[t->candidates->totals.flow_spread];
	loaded = candidates_loaded(t->candidates, t->candidates->totals.flow_spread);
	for (unsigned int i = 0; i < all->n_types; i++) {
		const struct spread_type *type = &all->types[i];
		const char *profile = type_origin(loaded->profile, type->name);

		if (share(t, type->packets) < OPAQUE_SHARE)
			break;
		if (ddp_imbalance(type->queue_packets, t->simulation->n_queues) < UNEVEN ||
		    strstr(type->name, "_IPV") != NULL)
			continue;
		for (unsigned int h = 0; h < sizeof(hints) / sizeof(hints[0]); h++)
			if (!told[h] && strcmp(hints[h].profile, profile) == 0) {
				fprintf(t->text.to, "%.1f %% of the packets are %s. %s",
					100 * share(t, type->packets), type->name, hints[h].hint);
				reason_end(t);
				told[h] = true;
			}
	}
}

static void fragments_tell(struct telling *t) {
	const struct spread *all;
	uint64_t fragments = 0;

	if (t->candidates->totals.flow_spread < 0)
		return;
	all = &t->candidates->spreads[t->candidates->totals.flow_spread];
	for (unsigned int i = 0; i < all->n_types; i++)
		if (strstr(all->types[i].name, "FRAG") != NULL)
			fragments += all->types[i].packets;
	if (share(t, fragments) < UNHASHED)
		return;
	fprintf(t->text.to,
		"%.1f %% of the packets are fragments, which are hashed by addresses alone, for only the first has "
		"ports: a larger MTU on the way, or a smaller one inside the tunnel, avoids them.",
		100 * share(t, fragments));
	reason_end(t);
}

static void reasons_tell(struct telling *t) {
	struct advice *advice = t->advice;

	if (advice->verdict == ADVICE_NO_PACKETS)
		return;
	few_packets_tell(t);
	if (advice->verdict == ADVICE_TAKE)
		gain_tell(t);
	if (outcome_score(advice->best) >= UNEVEN)
		unread_tell(t);
	keys_tell(t);
	equal_tell(t);
	if (t->simulation->n_queues > 1)
		cores_tell(t);
	if (advice->verdict == ADVICE_TAKE)
		ue_tell(t);
	hardware_tell(t);
	if (outcome_score(advice->best) >= EVEN && !elephant_tell(t))
		few_flows_tell(t);
	if (t->simulation->n_queues > 1)
		balancing_tell(t);
	if (outcome_score(advice->best) >= UNEVEN && advice->verdict != ADVICE_UNREAD &&
	    t->simulation->finest == NULL)
		hints_tell(t);
	unhashed_tell(t);
	fragments_tell(t);
}

/* What to do */

static void headline_tell(struct telling *t) {
	const struct advice *a = t->advice;
	unsigned int n = t->simulation->n_queues;

	switch (a->verdict) {
	case ADVICE_TAKE:
		fprintf(t->text.to, "Take %s: on %u queues imbalance is ", a->best->name, n);
		score_write(a->best, t->text.to);
		fputs(", without a profile ", t->text.to);
		score_write(a->base, t->text.to);
		fputc('.', t->text.to);
		break;
	case ADVICE_BALANCE:
		fprintf(t->text.to,
			"Take load-aware RSS (balance=on) and no profile: on %u queues imbalance is %.3f, "
			"without it %.3f.",
			n, a->base->balanced, a->base->unbalanced);
		break;
	case ADVICE_NONE_NEEDED:
		fprintf(t->text.to,
			"No profile is needed: a fixed-function NIC spreads this traffic over %u queue%s with "
			"imbalance ",
			n, plural(n));
		score_write(a->base, t->text.to);
		fputc('.', t->text.to);
		break;
	case ADVICE_NOTHING_HELPS:
		fprintf(t->text.to, "%s helps: on %u queues imbalance is ",
			balance_helps(a->base) ? "No profile" : "Nothing", n);
		score_write(a->base, t->text.to);
		fputs(" without a profile, and no candidate is ", t->text.to);
		if (a->choice.ranking[0] == a->base) {
			fputs("better.", t->text.to);
			break;
		}
		fprintf(t->text.to, "clearly better (%s: ", a->choice.ranking[0]->name);
		score_write(a->choice.ranking[0], t->text.to);
		fputs(").", t->text.to);
		break;
	case ADVICE_UNREAD:
		fprintf(t->text.to,
			"No profile reads %.1f %% of this traffic, which ends at %s: one that does could "
			"spread it. Without it, on %u queues imbalance is ",
			100 * share_of(a->unread.packets, a->unread.sampled), a->unread.field, n);
		score_write(a->base, t->text.to);
		fputc('.', t->text.to);
		break;
	case ADVICE_TOO_FEW:
		fprintf(t->text.to,
			"There are too few packets to advise on: %" PRIu64
			" for %u queues. Capture %u or more.",
			t->simulation->packets, n, n * 100);
		break;
	case ADVICE_NO_PACKETS:
		fprintf(t->text.to, "There are no packets to advise on.");
		break;
	}
}

static void command_add(struct telling *t, const char *key, const char *what) {
	t->advice->commands[t->advice->n_commands++] = (struct advice_command){key, what, kept(t)};
}

// How many words of the command line are an option that stands otherwise in `simulate`, or not at
// all.
static unsigned int words_left_out(const char *const *argv) {
	static const char *const names[] = {"--queues", "--report", "--with"};

	if (strcmp(argv[0], "--json") == 0)
		return 1;
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = strlen(names[i]);

		if (strncmp(argv[0], names[i], len) == 0 && argv[0][len] == '=')
			return 1;
		if (strcmp(argv[0], names[i]) == 0)
			return 2;
	}
	return 0;
}

static bool is_given(const char *const *argv, const char *name) {
	for (; *argv != NULL; argv++)
		if (strncmp(*argv, name, strlen(name)) == 0)
			return true;
	return false;
}

// The same capture, hash and table.
static void simulate_tell(struct telling *t, const char *queues) {
	const struct advice *a = t->advice;
	const char *const *argv = t->argv + 2; // behind "ddpctl advise"
	const char *name = a->best == a->base ? "base" : a->best->name;

	shell_line(t->text.to,
		   (const char *const[]){"ddpctl", "simulate", name, "--queues", queues, NULL});
	if (a->balance && !is_given(argv, "--balance"))
		fputs(" --balance", t->text.to);
	while (*argv != NULL) {
		unsigned int n = words_left_out(argv);

		if (n == 0) {
			fputc(' ', t->text.to);
			shell_word(t->text.to, *argv++);
		}
		argv += n;
	}
	command_add(t, "simulate", "see each queue");
}

// The argument of --vdev.
static const char *devargs_write(const struct advice *advice, struct strbuf *text) {
	fputs("net_ddp0,dev(0000:81:00.0)", text->to);
	if (advice->best != advice->base)
		fprintf(text->to, ",profile=%s", advice->best->name);
	if (advice->balance)
		fputs(",balance=on", text->to);
	return strbuf_take(text);
}

static void commands_tell(struct telling *t) {
	const struct advice *a = t->advice;
	struct strbuf devargs;
	char queues[16];

	if (a->verdict == ADVICE_UNREAD) {
		new_command_write(&a->unread, t->text.to);
		command_add(t, "new", "begin a profile that reads it");
	}
	if (a->verdict != ADVICE_TAKE && a->verdict != ADVICE_BALANCE)
		return;
	snprintf(queues, sizeof(queues), "%u", t->simulation->n_queues);
	simulate_tell(t, queues);
	strbuf_init(&devargs);
	shell_line(t->text.to,
		   (const char *const[]){"ddp-fwd", "--vdev", devargs_write(a, &devargs), "--",
					 "--rxq", queues, "--txq", queues, NULL});
	command_add(t, "ddp-fwd", "forward with it, from the NIC 0000:81:00.0");
	fputs("dpdk-testpmd -d librte_net_ddp.so ", t->text.to);
	shell_line(t->text.to, (const char *const[]){"--vdev", devargs_write(a, &devargs), "--",
						     "-i", "--rxq", queues, "--txq", queues, NULL});
	command_add(t, "testpmd", "the same in testpmd or any other DPDK application");
	strbuf_fini(&devargs);
	if (a->best != a->base)
		shell_line(t->text.to, (const char *const[]){"ddpctl", "port", "add", "net_ddp0",
							     a->best->name, NULL});
	else
		shell_line(t->text.to, (const char *const[]){"ddpctl", "port", "balance",
							     "net_ddp0", "on", NULL});
	command_add(t, "port", "give it to a net_ddp port that runs");
}

static enum verdict verdict_find(const struct telling *t) {
	const struct advice *a = t->advice;

	if (t->simulation->packets == 0)
		return ADVICE_NO_PACKETS;
	if (outcome_score(a->best) < outcome_score(a->base) / CLEARLY)
		return ADVICE_TAKE;
	if (outcome_score(a->base) <= EVEN)
		return ADVICE_NONE_NEEDED;
	if (balance_is_advised(a->base))
		return ADVICE_BALANCE;
	if (unread_is_promising(&a->unread))
		return ADVICE_UNREAD;
	if (t->simulation->packets < (uint64_t)FEW_PACKETS * t->simulation->n_queues)
		return ADVICE_TOO_FEW;
	return ADVICE_NOTHING_HELPS;
}

const char *verdict_name(enum verdict verdict) {
	static const char *const names[] = {
		[ADVICE_TAKE] = "take",
		[ADVICE_BALANCE] = "balance",
		[ADVICE_NONE_NEEDED] = "none needed",
		[ADVICE_NOTHING_HELPS] = "nothing helps",
		[ADVICE_UNREAD] = "unread",
		[ADVICE_TOO_FEW] = "too few packets",
		[ADVICE_NO_PACKETS] = "no packets",
	};

	return names[verdict];
}

void advice_make(struct advice *advice, const struct simulation *simulation,
		 const struct candidates *candidates, const char *const *argv) {
	struct telling t = {
		.advice = advice,
		.simulation = simulation,
		.candidates = candidates,
		.argv = argv,
	};

	strbuf_init(&t.text);
	advice->base = &simulation->outcomes[simulation->n_outcomes - 1];
	choice_make(&advice->choice, simulation, candidates);
	advice->best = advice->choice.best;
	advice->verdict = verdict_find(&t);
	if (advice->verdict != ADVICE_TAKE)
		advice->best = advice->base;
	else
		ue_find(&t);
	advice->balance = balance_is_advised(advice->best);
	headline_tell(&t);
	advice->headline = kept(&t);
	reasons_tell(&t);
	commands_tell(&t);
	strbuf_fini(&t.text);
}
