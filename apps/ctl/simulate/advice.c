/* SPDX-License-Identifier: BSD-3-Clause */
#include "advice.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/rss_hf.h"
#include "common/strbuf.h"

#define CLEARLY 1.1      // times: so much less imbalance is worth a change
#define EVEN 1.25        // imbalance: up to this no change is needed
#define UNEVEN 1.5       // imbalance: from this on it is explained
#define AS_GOOD 0.05     // of the imbalance: smaller differences do not count
#define KEYS_DIFFER 0.35 // of the range of the keys: medians differ less by chance
#define OWN_PACKETS 0.02 // of all packets: so many more known ones decide
#define UNHASHED 0.02    // of all packets: reported from this on
#define FEW_FLOWS 16     // flows per queue: with fewer, queues are uneven by chance
#define FEW_PACKETS 4    // packets per queue: fewer give no result

const char *const verdict_names[] = {
	[ADVICE_TAKE] = "take",
	[ADVICE_BALANCE] = "balance",
	[ADVICE_NONE_NEEDED] = "none needed",
	[ADVICE_NOTHING_HELPS] = "nothing helps",
	[ADVICE_UNREAD] = "unread",
	[ADVICE_TOO_FEW] = "too few packets",
	[ADVICE_NO_PACKETS] = "no packets",
};

/* Ranking */

static bool is_same(const struct advice *a, const struct outcome *p, const struct outcome *q) {
	return p->spread->groups.n == q->spread->groups.n &&
	       p->spread->unhashed == q->spread->unhashed && p->entropy == q->entropy &&
	       memcmp(p->spread->queue_packets, q->spread->queue_packets,
		      a->simulation->n_queues * sizeof(uint64_t)) == 0;
}

// Of two equal candidates, prefer fewer profiles, then more entropy, then a named input set.
static bool is_simpler(const struct advice *a, const struct outcome *p, const struct outcome *q) {
	unsigned int n_p = p->spread->loaded->profile->n_parts,
		     n_q = q->spread->loaded->profile->n_parts;
	bool set_p = strchr(p->name, ':') != NULL, set_q = strchr(q->name, ':') != NULL;

	if (n_p != n_q)
		return n_p < n_q;
	if (!is_same(a, p, q) && p->entropy != q->entropy)
		return p->entropy > q->entropy;
	return set_p != set_q ? set_p : strcmp(p->name, q->name) < 0;
}

// Prefer no profile, then more packets of own packet types, then as is_simpler().
static bool is_preferred(const struct advice *a, const struct outcome *p, const struct outcome *q) {
	const struct outcome *base = a->base;
	double more = (double)own_packets(p->spread) - (double)own_packets(q->spread);

	if (p == base || q == base)
		return p == base;
	if (fabs(more) > OWN_PACKETS * a->simulation->packets)
		return more > 0;
	return is_simpler(a, p, q);
}

static int by_score(const void *a, const void *b) {
	const struct outcome *p = *(const struct outcome *const *)a;
	const struct outcome *q = *(const struct outcome *const *)b;
	double x = outcome_score(p), y = outcome_score(q);

	return x != y ? (x < y ? -1 : 1) : strcmp(p->name, q->name);
}

// A simpler candidate with the same result replaces it.
static bool is_ranked(const struct advice *a, const struct outcome *outcome) {
	const struct outcome *all = a->simulation->outcomes, *base = a->base;
	bool ranked = true;

	for (const struct outcome *other = all; other <= base; other++)
		ranked &= other == outcome || !is_same(a, other, outcome) ||
			  (other != base && !is_simpler(a, other, outcome));
	return ranked || outcome == base || outcome - all < a->n_named;
}

static void ranking_make(struct advice *a) {
	const struct simulation *s = a->simulation;
	double limit, differ, clearly = outcome_score(a->base) / CLEARLY;
	const struct outcome *first;

	a->ranking = ddp_arena_alloc(s->arena, s->n_outcomes * sizeof(*a->ranking));
	for (unsigned int i = 0; i < s->n_outcomes; i++)
		if (is_ranked(a, &s->outcomes[i]))
			a->ranking[a->n_ranking++] = &s->outcomes[i];
	qsort(a->ranking, a->n_ranking, sizeof(*a->ranking), by_score);
	assert(a->n_ranking > 0); // base
	// the largest score that counts as equal: clearly better than base if the first one is
	first = a->ranking[0];
	differ = KEYS_DIFFER * (first->keys.plain.high - first->keys.plain.low);
	limit = outcome_score(first) + fmax(differ, AS_GOOD * outcome_score(first));
	if (outcome_score(a->base) > limit && outcome_score(first) < clearly)
		limit = fmin(limit, clearly);
	for (; a->n_equal < a->n_ranking; a->n_equal++) {
		const struct outcome *equal = a->ranking[a->n_equal];

		if (outcome_score(equal) > limit)
			break;
		if (a->best == NULL || is_preferred(a, equal, a->best))
			a->best = equal;
	}
}

/* Load-aware RSS */

static bool balance_helps(const struct outcome *outcome) {
	return outcome->balanced > 0 && outcome->balanced * CLEARLY < outcome->unbalanced;
}

static bool balance_is_advised(const struct outcome *outcome) {
	return outcome->balance_is_measured && balance_helps(outcome);
}

static enum verdict verdict_find(const struct advice *a) {
	const uint64_t packets = a->simulation->packets;

	assert(a->best != NULL);
	if (packets == 0)
		return ADVICE_NO_PACKETS;
	if (outcome_score(a->best) < outcome_score(a->base) / CLEARLY)
		return ADVICE_TAKE;
	if (outcome_score(a->base) <= EVEN)
		return ADVICE_NONE_NEEDED;
	if (balance_is_advised(a->base))
		return ADVICE_BALANCE;
	if (unread_is_promising(&a->unread))
		return ADVICE_UNREAD;
	if (packets < (uint64_t)FEW_PACKETS * a->simulation->n_queues)
		return ADVICE_TOO_FEW;
	return ADVICE_NOTHING_HELPS;
}

/* Sentences */

static const char *text_end(struct advice *a) {
	return ddp_arena_strdup(a->simulation->arena, strbuf_take(&a->text));
}

static void reason_end(struct advice *a) {
	const char *reason = text_end(a);

	if (reason[0] != '\0' && a->n_reasons < REASONS_MAX)
		a->reasons[a->n_reasons++] = reason;
}

// "1.612 (1.430 to 2.103 by key)"
static const char *score_text(const struct advice *a, const struct outcome *outcome) {
	const struct key_range *keys = &outcome->keys.plain;

	return keys->low < keys->high ?
		       ddp_arena_printf(a->simulation->arena, "%.3f (%.3f to %.3f by key)",
					outcome_score(outcome), keys->low, keys->high) :
		       ddp_arena_printf(a->simulation->arena, "%.3f", outcome_score(outcome));
}

static void new_command_add(struct advice *a) {
	const struct unread *unread = &a->unread;
	char at[16];

	snprintf(at, sizeof(at), "%d", unread->ip_at);
	shell_line(a->text.to,
		   (const char *const[]){"ddpctl", "new", "--after", unread->after,
					 unread->ip_at >= 0 ? "--ip-at" : NULL, at, NULL});
}

static void gain_add(struct advice *a) {
	const struct outcome *best = a->best, *base = a->base;
	const struct simulation *s = a->simulation;
	const double even = 100.0 / s->n_queues;

	if (a->verdict == ADVICE_TAKE)
		fprintf(a->text.to,
			"A fixed-function NIC sees %u different hash%s in %" PRIu64
			" flow%s and puts %.1f %% of the packets on one of %u queues; with %s there "
			"are %u and the most loaded queue has %.1f %%.",
			base->spread->groups.n, base->spread->groups.n == 1 ? "" : "es", s->n_flows,
			plural(s->n_flows), even * outcome_score(base), s->n_queues, best->name,
			best->spread->groups.n, even * outcome_score(best));
}

static void unread_add(struct advice *a) {
	const struct unread *unread = &a->unread;

	if (outcome_score(a->best) < UNEVEN || !unread_is_promising(unread))
		return;
	fprintf(a->text.to,
		"%" PRIu64 " of %" PRIu64
		" packets%s end at %s, which no profile reads: %u of the %u "
		"bytes behind it differ from packet to packet.",
		unread->packets, unread->sampled,
		unread->sampled < a->simulation->packets ? " of a sample" : "", unread->field,
		unread->n_varying, unread->n_bytes);
	if (unread->ip_at >= 0)
		fprintf(a->text.to, " %" PRIu64 " of them have an IP header %d bytes behind it.",
			unread->ip_packets, unread->ip_at);
	fprintf(a->text.to, " A profile begins with: ");
	new_command_add(a);
}

static void hardware_add(struct advice *a) {
	const struct ddp_plan_request request = {
		.rss_hf = DDP_RSS_HF_ALL, .n_queues = a->simulation->n_queues, .spread = true};
	const struct outcome *best = a->best;
	const struct ddp_personality *loaded = best->spread->loaded;
	unsigned int n = 0;

	if (a->verdict != ADVICE_TAKE || loaded->profile->modelled)
		return;
	for (unsigned int i = 0; i < ddp_n_nics; i++) {
		struct ddp_plan *plan;

		if (!nic_is_common(ddp_nics[i]))
			continue;
		plan = nic_plan(ddp_nics[i], loaded, &request);
		if (plan->spread->verdict == DDP_SPREAD_HARDWARE)
			fprintf(a->text.to, "%s %s",
				n++ > 0 ? "," : "A NIC may do it without net_ddp:",
				ddp_nic_name(ddp_nics[i]));
		ddp_plan_destroy(plan);
	}
	if (n > 0) {
		fprintf(a->text.to, " (rules: ddpctl plan ");
		shell_word(a->text.to, best->name);
		fprintf(a->text.to, " --nic KIND).");
	}
}

// Report one flow that no profile splits. Returns whether it makes the queues uneven.
static bool elephant_add(struct advice *a) {
	const struct simulation *s = a->simulation;
	const struct unread *unread = &a->unread;
	double part, bound;
	const char *port;

	// a candidate may give the flow several hashes, which may run in several tunnels
	for (unsigned int i = 0; i < s->n_outcomes; i++)
		if (s->outcomes[i].largest_group * CLEARLY < s->top_flows[0].packets)
			return false;
	if (s->n_top_flows == 0 || s->finest != NULL ||
	    (unread_is_promising(unread) && strcmp(s->top_flows[0].type, unread->type) == 0))
		return false;
	part = share_of(s->top_flows[0].packets, s->packets);
	bound = part * s->n_queues;
	if (bound < CLEARLY)
		return false;
	fprintf(a->text.to,
		"One flow has %.1f %% of the packets (%s, %s): no profile parts it, and with %u queues "
		"imbalance is %.2f at least; ",
		100 * part, s->top_flows[0].text, s->top_flows[0].type, s->n_queues, bound);
	// unread bytes behind its port, by which a profile could split it
	port = strrchr(s->top_flows[0].text, ':');
	if (unread->port != 0 && unread->n_varying > 0 && port != NULL &&
	    strtoul(port + 1, NULL, 10) == unread->port &&
	    strcmp(s->top_flows[0].type, unread->type) == 0)
		fprintf(a->text.to,
			"what is behind %s is not read: %u of %u bytes there differ from packet to packet.",
			unread->field, unread->n_varying, unread->n_bytes);
	else
		fprintf(a->text.to, "only the sender can make more flows of it.");
	return bound * CLEARLY >= outcome_score(a->best);
}

static void flows_add(struct advice *a) {
	const struct simulation *s = a->simulation;

	if (outcome_score(a->best) < EVEN || elephant_add(a))
		return;
	reason_end(a);
	if (a->verdict != ADVICE_UNREAD && s->n_flows > 0 &&
	    s->n_flows < (uint64_t)FEW_FLOWS * s->n_queues)
		fprintf(a->text.to,
			"%u queues are uneven by chance, with any hash, for only %" PRIu64
			" flow%s.",
			s->n_queues, s->n_flows, plural(s->n_flows));
}

// Hash fields do not even out flows of unequal size.
static void balancing_add(struct advice *a) {
	const struct outcome *best = a->best;

	if (a->simulation->n_queues == 1 || best->balanced == 0)
		return;
	if (balance_helps(best))
		fprintf(a->text.to,
			"Load-aware RSS (balance=on of net_ddp) brings imbalance from %.2f to %s%.2f.%s",
			best->unbalanced, best->balance_is_measured ? "" : "about ", best->balanced,
			best == a->base ? " That helps more than other hash fields." : "");
	else if (best->unbalanced >= EVEN)
		fprintf(a->text.to,
			"Load-aware RSS does not help: a move of table entries brings imbalance to %.2f "
			"at best.",
			best->balanced);
}

static void unhashed_add(struct advice *a) {
	const double unhashed = share_of(a->best->spread->unhashed, a->simulation->packets);

	if (unhashed >= UNHASHED)
		fprintf(a->text.to,
			"%.1f %% of the packets have nothing that is hashed and are on queue 0.",
			100 * unhashed);
}

/* Advice */

static void headline_add(struct advice *a) {
	const struct outcome *best = a->best, *base = a->base;
	const struct unread *unread = &a->unread;
	unsigned int n = a->simulation->n_queues;

	switch (a->verdict) {
	case ADVICE_TAKE:
		fprintf(a->text.to, "Take %s: on %u queues imbalance is %s, without a profile %s.",
			best->name, n, score_text(a, best), score_text(a, base));
		break;
	case ADVICE_BALANCE:
		fprintf(a->text.to,
			"Take load-aware RSS (balance=on) and no profile: on %u queues imbalance is %.3f, "
			"without it %.3f.",
			n, base->balanced, base->unbalanced);
		break;
	case ADVICE_NONE_NEEDED:
		fprintf(a->text.to,
			"No profile is needed: a fixed-function NIC spreads this traffic over %u queue%s "
			"with imbalance %s.",
			n, plural(n), score_text(a, base));
		break;
	case ADVICE_NOTHING_HELPS:
		fprintf(a->text.to,
			"%s helps: on %u queues imbalance is %s without a profile, and no candidate is "
			"clearly better (%s: %s).",
			balance_helps(base) ? "No profile" : "Nothing", n, score_text(a, base),
			a->ranking[0]->name, score_text(a, a->ranking[0]));
		break;
	case ADVICE_UNREAD:
		fprintf(a->text.to,
			"No profile reads %.1f %% of this traffic, which ends at %s: one that does could "
			"spread it. Without it, on %u queues imbalance is %s.",
			100 * share_of(unread->packets, unread->sampled), unread->field, n,
			score_text(a, base));
		break;
	case ADVICE_TOO_FEW:
		fprintf(a->text.to,
			"There are too few packets to advise on: %" PRIu64
			" for %u queues. Capture %u or more.",
			a->simulation->packets, n, n * 100);
		break;
	case ADVICE_NO_PACKETS:
		fprintf(a->text.to, "There are no packets to advise on.");
		break;
	}
	a->headline = text_end(a);
}

static void command_end(struct advice *a, const char *key, const char *what) {
	assert(a->n_commands < ADVICE_COMMANDS);
	a->commands[a->n_commands++] = (struct advice_command){key, what, text_end(a)};
}

static void simulate_add(struct advice *a, const char *name) {
	bool balance = a->balance;

	shell_line(a->text.to, (const char *const[]){"ddpctl", "simulate", name, NULL});
	for (const char *const *word = a->argv + 2; *word != NULL; word++) { // "ddpctl advise"
		if (strcmp(*word, "--report") == 0)
			word++;
		else if (strcmp(*word, "--json") != 0 && strncmp(*word, "--report=", 9) != 0) {
			balance &= strncmp(*word, "--balance", 9) != 0;
			fprintf(a->text.to, " ");
			shell_word(a->text.to, *word);
		}
	}
	if (balance)
		fprintf(a->text.to, " --balance");
	command_end(a, "simulate", "see each queue");
}

static void commands_add(struct advice *a) {
	const char *name = a->best == a->base ? NULL : a->best->name;
	const char *devargs;
	char queues[16];

	if (a->verdict == ADVICE_UNREAD) {
		new_command_add(a);
		command_end(a, "new", "begin a profile that reads it");
	}
	if (a->verdict != ADVICE_TAKE && a->verdict != ADVICE_BALANCE)
		return;
	snprintf(queues, sizeof(queues), "%u", a->simulation->n_queues);
	simulate_add(a, name != NULL ? name : "base");
	fprintf(a->text.to, "net_ddp0,dev(0000:81:00.0)%s%s%s", name != NULL ? ",profile=" : "",
		name != NULL ? name : "", a->balance ? ",balance=on" : "");
	devargs = text_end(a);
	shell_line(a->text.to,
		   (const char *const[]){"ddp-fwd", "-b", "0000:81:00.0", "--vdev", devargs, "--",
					 "--rxq", queues, "--txq", queues, NULL});
	command_end(a, "ddp-fwd", "forward with it, from the NIC 0000:81:00.0");
	fprintf(a->text.to, "dpdk-testpmd -d librte_net_ddp.so -b 0000:81:00.0 ");
	shell_line(a->text.to, (const char *const[]){"--vdev", devargs, "--", "-i", "--rxq", queues,
						     "--txq", queues, NULL});
	command_end(a, "testpmd", "the same in testpmd or any other DPDK application");
	if (name != NULL)
		shell_line(a->text.to,
			   (const char *const[]){"ddpctl", "port", "set", "net_ddp0", name, NULL});
	else
		fprintf(a->text.to, "ddpctl port balance net_ddp0 on");
	command_end(a, "port",
		    name != NULL ? "give it to a net_ddp port that runs, in place of its profiles" :
				   "turn it on in a net_ddp port that runs");
}

void advice_make(struct advice *a) {
	static void (*const reasons[])(struct advice *) = {
		gain_add, unread_add, hardware_add, flows_add, balancing_add, unhashed_add,
	};

	assert(a->simulation->n_outcomes > 0);
	strbuf_init(&a->text);
	a->base = &a->simulation->outcomes[a->simulation->n_outcomes - 1];
	ranking_make(a);
	a->verdict = verdict_find(a);
	if (a->verdict != ADVICE_TAKE)
		a->best = a->base;
	a->balance = balance_is_advised(a->best);
	headline_add(a);
	for (unsigned int i = 0; i < COUNT(reasons) && a->verdict != ADVICE_NO_PACKETS; i++) {
		reasons[i](a);
		reason_end(a);
	}
	commands_add(a);
	strbuf_fini(&a->text);
}
