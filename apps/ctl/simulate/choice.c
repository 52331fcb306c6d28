/* SPDX-License-Identifier: BSD-3-Clause */
#include "choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "ctl/profile/profile_load.h"

#define AS_GOOD 0.05     // of the imbalance: so close are equal, whatever the keys say
#define KEYS_DIFFER 0.35 // of the range that keys give: medians differ less than that by chance
#define WORTH 1.1        // so much less imbalance than without a profile is worth one
#define OWN_PACKETS 0.02 // of all packets: so many more recognised ones are a reason

struct choosing {
	const struct simulation *simulation;
	const struct candidates *candidates;
	struct choice *choice;
};

static unsigned int index_of(const struct choosing *c, const struct outcome *outcome) {
	return outcome - c->simulation->outcomes;
}

static const struct ddp_profile *profile_of(const struct choosing *c,
					    const struct outcome *outcome) {
	return candidates_loaded(c->candidates, index_of(c, outcome))->profile;
}

static const struct outcome *base_of(const struct simulation *simulation) {
	return &simulation->outcomes[simulation->n_outcomes - 1];
}

// Groups, and hashes with the key at hand, are the same.
static bool is_same(const struct choosing *c, const struct outcome *a, const struct outcome *b) {
	return a->n_groups == b->n_groups && a->unhashed == b->unhashed &&
	       a->entropy == b->entropy &&
	       memcmp(a->queue_packets, b->queue_packets,
		      c->simulation->n_queues * sizeof(*a->queue_packets)) == 0;
}

static bool names_a_set(const struct outcome *outcome) {
	return strchr(outcome->name, ':') != NULL;
}

// Of two that are equal: what loads fewer profiles, keeps finer flows apart, says what it hashes.
static bool is_simpler(const struct choosing *c, const struct outcome *a, const struct outcome *b) {
	unsigned int parts_a = profile_of(c, a)->n_parts, parts_b = profile_of(c, b)->n_parts;

	if (parts_a != parts_b)
		return parts_a < parts_b;
	if (!is_same(c, a, b) && a->entropy != b->entropy)
		return a->entropy > b->entropy;
	if (names_a_set(a) != names_a_set(b))
		return names_a_set(a);
	return strcmp(a->name, b->name) < 0;
}

// The same, but first of all the one that is made for more of the traffic; nothing at all is better
// than a profile.
static bool is_preferred(const struct choosing *c, const struct outcome *a,
			 const struct outcome *b) {
	const struct outcome *base = base_of(c->simulation);
	double more =
		(double)own_packets(profile_of(c, a), a) - (double)own_packets(profile_of(c, b), b);

	if (a == base || b == base)
		return a == base;
	if (fabs(more) > OWN_PACKETS * c->simulation->packets)
		return more > 0;
	return is_simpler(c, a, b);
}

static int by_score(const void *a, const void *b) {
	const struct outcome *p = *(const struct outcome *const *)a;
	const struct outcome *q = *(const struct outcome *const *)b;
	double x = outcome_score(p), y = outcome_score(q);

	if (x != y)
		return x < y ? -1 : 1;
	return strcmp(p->name, q->name);
}

// The one that is the same as others stands for them if it is simpler.
static bool is_stood_for(const struct choosing *c, const struct outcome *outcome) {
	const struct simulation *s = c->simulation;
	const struct outcome *base = base_of(s);

	if (outcome == base)
		return false;
	for (unsigned int i = 0; i < s->n_outcomes; i++) {
		const struct outcome *other = &s->outcomes[i];

		if (other != outcome && is_same(c, other, outcome) &&
		    (other == base || is_simpler(c, other, outcome)))
			return true;
	}
	return false;
}

static void ranking_make(struct choosing *c) {
	const struct simulation *s = c->simulation;
	struct choice *choice = c->choice;

	choice->ranking = ddp_arena_alloc(s->arena, s->n_outcomes * sizeof(*choice->ranking));
	for (unsigned int i = 0; i < s->n_outcomes; i++)
		if (!is_stood_for(c, &s->outcomes[i]))
			choice->ranking[choice->n_ranking++] = &s->outcomes[i];
	qsort(choice->ranking, choice->n_ranking, sizeof(*choice->ranking), by_score);
}

// The largest score that is as good as the best one's. A profile that is worth it is not exchanged
// for one that is not.
static double limit_find(const struct outcome *best, const struct outcome *base) {
	double differ = KEYS_DIFFER * (best->keys.plain.high - best->keys.plain.low);
	double close = AS_GOOD * outcome_score(best);
	double limit = outcome_score(best) + fmax(differ, close);

	if (outcome_score(base) > limit && outcome_score(best) < outcome_score(base) / WORTH)
		limit = fmin(limit, outcome_score(base) / WORTH);
	return limit;
}

// What decided for the best one over most of the others.
static const char *reason_find(const struct choosing *c) {
	const struct choice *choice = c->choice;
	unsigned int n_own = 0, n_parts = 0;

	if (choice->best == base_of(c->simulation))
		return "it needs no profile";
	for (unsigned int i = 0; i < choice->n_equal; i++) {
		const struct outcome *other = choice->equal[i];

		if (other == choice->best)
			continue;
		n_own += own_packets(profile_of(c, choice->best), choice->best) >
			 own_packets(profile_of(c, other), other) +
				 OWN_PACKETS * c->simulation->packets;
		n_parts += profile_of(c, choice->best)->n_parts < profile_of(c, other)->n_parts;
	}
	if (2 * n_own >= choice->n_equal - 1)
		return "its own headers are in most packets";
	if (2 * n_parts >= choice->n_equal - 1)
		return "it loads the fewest headers";
	return "it keeps the most flows apart";
}

void choice_make(struct choice *choice, const struct simulation *simulation,
		 const struct candidates *candidates) {
	struct choosing c = {simulation, candidates, choice};
	double limit;

	*choice = (struct choice){0};
	ranking_make(&c);
	limit = limit_find(choice->ranking[0], base_of(simulation));
	choice->equal = choice->ranking;
	while (choice->n_equal < choice->n_ranking &&
	       outcome_score(choice->ranking[choice->n_equal]) <= limit) {
		const struct outcome *equal = choice->ranking[choice->n_equal++];

		if (choice->best == NULL || is_preferred(&c, equal, choice->best))
			choice->best = equal;
	}
	choice->reason = reason_find(&c);
}
