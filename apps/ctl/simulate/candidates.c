/* SPDX-License-Identifier: BSD-3-Clause */
#include "candidates.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/rss_hf.h"
#include "base/spec.h"
#include "common/strbuf.h"
#include "ctl/options.h"
#include "rss/balancer.h"

void candidates_init(struct candidates *candidates, const struct steer_config *config) {
	struct steer_config plain = *config;

	memset(candidates, 0, sizeof(*candidates));
	candidates->loaded = calloc_or_exit(SPREADS_MAX, sizeof(*candidates->loaded));
	candidates->spreads = calloc_or_exit(SPREADS_MAX, sizeof(*candidates->spreads));
	steer_init(&candidates->steer, config);
	plain.function = DDP_HASH_TOEPLITZ;
	plain.rss_hf = DDP_RSS_HF_ALL;
	memcpy(plain.key, ddp_default_key, sizeof(plain.key));
	steer_init(&candidates->plain, &plain);
}

void candidates_fini(struct candidates *candidates) {
	for (unsigned int i = 0; i < candidates->n_all; i++) {
		spread_fini(&candidates->spreads[i]);
		free(candidates->spreads[i].name);
	}
	while (candidates->n_loaded > 0)
		ddp_personality_unload(&candidates->loaded[--candidates->n_loaded]);
	while (candidates->n_nics > 0)
		ddp_plan_destroy(candidates->nics[--candidates->n_nics].plan);
	flow_counter_fini(&candidates->totals.flows);
	flow_counter_fini(&candidates->totals.ues);
	free(candidates->spreads);
	free(candidates->loaded);
}

static int add(struct candidates *candidates, const struct ddp_personality *loaded,
	       const struct steer *steer, const struct rules *rules) {
	unsigned int i = candidates->n_all;
	struct ddp_diag diag;
	int ret = -ENOMEM;

	ddp_diag_init(&diag);
	if (i < SPREADS_MAX)
		ret = spread_init(&candidates->spreads[i], loaded, steer, rules, &diag);
	if (ret == 0)
		candidates->n_all++;
	ddp_diag_print(&diag, stderr);
	ddp_diag_fini(&diag);
	return ret;
}

static const struct ddp_personality *keep(struct candidates *candidates,
					  const struct ddp_personality *loaded) {
	assert(candidates->n_loaded < SPREADS_MAX);
	candidates->loaded[candidates->n_loaded] = *loaded;
	return &candidates->loaded[candidates->n_loaded++];
}

int candidates_add(struct candidates *candidates, const char *name,
		   const struct ddp_personality *loaded, const struct rules *rules) {
	int ret = add(candidates, keep(candidates, loaded), &candidates->steer, rules);

	if (ret < 0)
		return ret == -ENOMEM ? EXIT_UNREADABLE : EXIT_NO;
	candidates->spreads[candidates->n].name = strdup_or_exit(name);
	candidates->n = candidates->n_all;
	return EXIT_GOOD;
}

int candidates_balance(struct candidates *candidates, unsigned int ms) {
	if (ms != 0 && !balancing_is_possible(&candidates->steer.config)) {
		error_print(
			"--balance needs a redirection table of at most %u entries and at most %u queues",
			DDP_RETA_SIZE, DDP_BALANCER_QUEUES);
		return EXIT_USAGE;
	}
	candidates->totals.balance_ns = ms * UINT64_C(1000000);
	return EXIT_GOOD;
}

int candidates_add_spec(struct candidates *candidates, const char *name, const char *spec) {
	struct ddp_personality loaded;
	int status = load_or_report(&loaded, spec);

	return status != EXIT_GOOD ? status : candidates_add(candidates, name, &loaded, NULL);
}

int candidates_add_base(struct candidates *candidates) {
	return candidates_add_spec(candidates, "fixed-function NIC", NULL);
}

/* Flows and UEs */

int load_quietly(struct ddp_personality *loaded, const char *spec) {
	struct ddp_diag diag;
	int ret;

	ddp_diag_init(&diag);
	ret = load_profile(loaded, spec, &diag);
	ddp_diag_fini(&diag);
	return ret;
}

// Load the profile of that name with this input set (NULL: none): together with the profiles of
// spec and their parameters if possible, else alone.
static int load_with(struct ddp_personality *loaded, const char *spec, const char *name,
		     const char *set) {
	const struct ddp_spec alone = {.file = name, .input_set = set};
	struct ddp_arena *arena = ddp_arena_create();
	struct ddp_spec *specs;
	struct strbuf text;
	struct ddp_diag diag;
	unsigned int n = 0;
	bool found = false;
	int ret;

	ddp_diag_init(&diag);
	strbuf_init(&text);
	if (spec != NULL && ddp_spec_parse(spec, arena, &specs, &n, &diag) < 0)
		no_memory_exit(); // it was loaded before
	for (unsigned int i = 0; i < n; i++) {
		bool is = strcmp(specs[i].file, name) == 0;

		found |= is;
		specs[i].input_set = is ? set : NULL;
		ddp_spec_print(&specs[i], text.to);
		fputs(i + 1 < n || !found ? "+" : "", text.to);
	}
	if (!found)
		ddp_spec_print(&alone, text.to);
	ret = load_quietly(loaded, strbuf_take(&text));
	if (ret < 0 && n > 0) {
		ddp_spec_print(&alone, text.to);
		ret = load_quietly(loaded, strbuf_take(&text));
	}
	strbuf_fini(&text);
	ddp_diag_fini(&diag);
	ddp_arena_destroy(arena);
	return ret;
}

static void view_add(struct candidates *candidates, const char *spec, const char *name,
		     const char *set, const struct ddp_personality *loaded,
		     struct flow_counter *counter) {
	struct spread *spread = &candidates->spreads[candidates->n_all];
	struct ddp_personality own;

	if (loaded == NULL) {
		if (load_with(&own, spec, name, set) < 0)
			return; // no library: the results are omitted
		loaded = keep(candidates, &own);
	}
	if (add(candidates, loaded, &candidates->plain, NULL) < 0)
		no_memory_exit();
	spread->is_view = true;
	counter->by = spread;
}

void candidates_look(struct candidates *candidates, const char *spec,
		     const struct ddp_personality *all) {
	candidates->totals.n_candidates = candidates->n;
	view_add(candidates, spec, KNOWS_MOST, NULL, all, &candidates->totals.flows);
	view_add(candidates, spec, "gtpu", "ue", NULL, &candidates->totals.ues);
}

/* NICs without net_ddp */

bool nic_is_common(const struct ddp_nic *nic) {
	return nic != ddp_nic_find("none");
}

struct ddp_plan *nic_plan(const struct ddp_nic *nic, const struct ddp_personality *loaded,
			  const struct ddp_plan_request *request) {
	struct ddp_plan *plan = ddp_plan_build(nic, loaded->profile, loaded->program, request);

	if (plan == NULL)
		no_memory_exit();
	return plan;
}

int nic_profile_load(struct ddp_personality *loaded, const char *spec,
		     const struct ddp_spread_plan *plan) {
	int status = load_or_report(loaded, spec);
	struct ddp_diag diag;

	if (status != EXIT_GOOD)
		return status;
	if (!ddp_spread_apply(plan, loaded->profile))
		no_memory_exit();
	ddp_program_destroy(loaded->program);
	ddp_diag_init(&diag);
	loaded->program = ddp_program_build(loaded->profile, &diag);
	status = load_end(&diag, loaded->program == NULL);
	if (status != EXIT_GOOD)
		ddp_personality_unload(loaded);
	return status;
}

static bool rule_refuse(void *ctx, const struct ddp_offload_rule *rule) {
	(void)ctx;
	(void)rule;
	return false;
}

// most: KNOWS_MOST, loaded.
static int nic_add(struct candidates *candidates, const struct ddp_nic *nic,
		   const struct ddp_personality *most) {
	const struct ddp_plan_request request = {
		.rss_hf = DDP_RSS_HF_ALL, .spread = true, .accepts = rule_refuse};
	struct nic_now *now = &candidates->nics[candidates->n_nics++];
	struct ddp_personality loaded;
	int status;

	assert(candidates->n_nics <= NICS_NOW);

	now->nic = nic;
	now->plan = nic_plan(nic, most, &request);
	status = nic_profile_load(&loaded, KNOWS_MOST, now->plan->spread);
	if (status != EXIT_GOOD)
		return status;
	now->spread = &candidates->spreads[candidates->n_all];
	if (add(candidates, keep(candidates, &loaded), &candidates->steer, NULL) < 0)
		no_memory_exit();
	return EXIT_GOOD;
}

int candidates_add_nics(struct candidates *candidates, const struct ddp_nic *nic) {
	struct ddp_personality most;
	int status = load_or_report(&most, KNOWS_MOST);

	if (status != EXIT_GOOD)
		return status;
	for (unsigned int i = 0; i < ddp_n_nics && status == EXIT_GOOD; i++)
		if (nic == ddp_nics[i] || (nic == NULL && nic_is_common(ddp_nics[i])))
			status = nic_add(candidates, ddp_nics[i], &most);
	ddp_personality_unload(&most);
	return status;
}

int candidates_run(struct candidates *candidates, struct capture *capture) {
	return spread_run(capture, candidates->spreads, candidates->n_all, &candidates->totals);
}
