/* SPDX-License-Identifier: BSD-3-Clause */
#include "lives.h"

#include <errno.h>
#include <stdlib.h>

#include "traffic_options.h"

#define CHURN_PERIOD_US UINT64_C(100000)
#define NEVER UINT64_MAX

static bool is_elephant(const struct lives *lives, uint64_t place) {
	return place >= lives->n_places;
}

static void flow_begin(struct lives *lives, uint64_t place, uint64_t time_us) {
	struct place *at = &lives->places[place];
	bool replaces = at->n_before > 0 && !is_elephant(lives, place);

	at->life = (struct life){
		.flow = lives->n_flows++,
		.replaces = replaces ? at->life.flow : LIFE_REPLACES_NONE,
		.elephant = is_elephant(lives, place),
		.begin_us = time_us,
	};
	at->lives = true;
}

static void flow_end(struct lives *lives, uint64_t place, uint64_t time_us) {
	struct place *at = &lives->places[place];
	struct flow flow;

	if (!at->lives)
		return;
	at->life.end_us = time_us;
	if (lives->truth != NULL) {
		flow = lives_flow(lives, place);
		truth_tell(lives->truth, &at->life, &flow);
	}
	at->lives = false;
	at->n_before++;
}

/* The next event */

// Replacements are even in time.
static uint64_t churn_next(const struct lives *lives) {
	unsigned __int128 whole = (unsigned __int128)CHURN_PERIOD_US * 100;
	uint64_t rate = lives->n_places * lives->config->churn;

	if (rate == 0)
		return NEVER;
	return (whole * (lives->n_replaced + 1) + rate - 1) / rate;
}

static uint64_t elephant_next(const struct lives *lives, unsigned int i) {
	const struct elephant *elephant = &lives->config->elephants[i];
	const struct place *at = &lives->places[lives->n_places + i];
	uint64_t begin_us = elephant->begin_us + at->n_before * elephant->every_us;

	if (at->lives)
		return begin_us + elephant->length_us;
	return at->n_before > 0 && elephant->every_us == 0 ? NEVER : begin_us;
}

// The elephant whose turn it is at next_us, or -1: it is a flow's to be replaced.
static int next_find(const struct lives *lives, uint64_t *next_us) {
	int found = -1;

	*next_us = churn_next(lives);
	for (unsigned int i = 0; i < lives->config->n_elephants; i++) {
		uint64_t at_us = elephant_next(lives, i);

		if (at_us < *next_us) {
			*next_us = at_us;
			found = i;
		}
	}
	return found;
}

bool lives_change(struct lives *lives, uint64_t time_us, uint64_t *place) {
	uint64_t at_us = lives->next_us;
	int elephant;

	if (at_us > time_us)
		return false;
	elephant = next_find(lives, &at_us);
	if (elephant >= 0) {
		*place = lives->n_places + elephant;
		if (lives->places[*place].lives)
			flow_end(lives, *place, at_us);
		else
			flow_begin(lives, *place, at_us);
	} else {
		*place = rng_below(&lives->churn_rng, lives->n_places);
		flow_end(lives, *place, at_us);
		flow_begin(lives, *place, at_us);
		lives->n_replaced++;
	}
	next_find(lives, &lives->next_us);
	return true;
}

/* Senders */

uint64_t lives_sender(struct lives *lives, uint64_t place) {
	const struct config *config = lives->config;
	uint32_t drawn, sum = 0;

	if (config->n_elephants == 0)
		return place;
	drawn = rng_below(&lives->share_rng, 100);
	for (unsigned int i = 0; i < config->n_elephants; i++) {
		if (!lives->places[lives->n_places + i].lives)
			continue;
		sum += config->elephants[i].share;
		if (drawn < sum)
			return lives->n_places + i;
	}
	return place;
}

struct flow lives_flow(const struct lives *lives, uint64_t place) {
	const struct config *config = lives->config;
	uint32_t ue = place / config->flows, nth = place % config->flows;
	const struct place *at;

	if (lives->places == NULL)
		return flow_make(config, place, ue, nth);
	at = &lives->places[place];
	if (is_elephant(lives, place))
		return flow_make(config, at->life.flow, elephant_ue(config, at->life.flow),
				 MAX_FLOWS + (place - lives->n_places));
	// flows that follow each other have other ports, too, until the UE has used all
	nth += at->n_before % (MAX_FLOWS / config->flows) * config->flows;
	return flow_make(config, at->life.flow, ue, nth);
}

/* All of it */

int lives_init(struct lives *lives, const struct config *config, struct truth *truth) {
	*lives = (struct lives){
		.config = config,
		.truth = truth,
		.n_places = flow_count(config),
		.churn_rng = rng_for(config->seed, RNG_CHURN, 0),
		.share_rng = rng_for(config->seed, RNG_SHARE, 0),
	};
	lives->next_us = NEVER;
	if (config->churn == 0 && config->n_elephants == 0 && truth == NULL)
		return 0;
	lives->places = calloc(lives->n_places + config->n_elephants, sizeof(*lives->places));
	if (lives->places == NULL)
		return -ENOMEM;
	for (uint64_t i = 0; i < lives->n_places; i++)
		flow_begin(lives, i, 0);
	next_find(lives, &lives->next_us);
	return 0;
}

void lives_fini(struct lives *lives) {
	free(lives->places);
	lives->places = NULL;
}

void lives_end(struct lives *lives, uint64_t time_us) {
	uint64_t n = lives->places != NULL ? lives->n_places + lives->config->n_elephants : 0;

	for (uint64_t i = 0; i < n; i++)
		flow_end(lives, i, time_us);
}
