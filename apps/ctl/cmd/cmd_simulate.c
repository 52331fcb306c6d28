/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl simulate FILE PCAP: the spread of a capture's packets over queues with one or more
// profiles, and with a fixed-function NIC of equal key, hash function and redirection table.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "common/strbuf.h"
#include "ctl/capture/capture.h"
#include "ctl/command.h"
#include "ctl/profile/profile_load.h"
#include "ctl/simulate/simulation.h"

struct simulating {
	struct candidates candidates;
	struct rules *rules[1 + WITH_MAX]; // of each candidate; NULL: none
	struct strbuf text;                // buffer for names
};

/* Candidates */

// Write "gtpu with rules 2 3", with the numbers of the rules on the command line.
static void name_write(const struct rule_options *rules, unsigned int i, const char *name,
		       FILE *to) {
	unsigned int n = 0;

	fputs(name, to);
	for (unsigned int r = 0; r < rules->n; r++)
		n += rules->candidates[r] == i;
	if (n > 0)
		fprintf(to, " with rule%s", plural(n));
	for (unsigned int r = 0; r < rules->n; r++)
		if (rules->candidates[r] == i)
			fprintf(to, " %u", r + 1);
}

static int candidate_load(struct simulating *s, const struct simulate_options *options,
			  unsigned int i, const char *spec) {
	struct ddp_personality loaded;
	int status = rules_read_or_report(&s->rules[i], &options->candidates.rules,
					  &options->base.rss.steer, i);

	if (status == EXIT_GOOD)
		status = load_or_report(&loaded, spec);
	if (status != EXIT_GOOD)
		return status;
	status = package_hash_check(&loaded, options->base.rss.steer.function);
	if (status != EXIT_GOOD) {
		ddp_personality_unload(&loaded);
		return status;
	}
	name_write(&options->candidates.rules, i, spec, s->text.to);
	return candidates_add(&s->candidates, strbuf_take(&s->text), &loaded, s->rules[i]);
}

static int all_load(struct simulating *s, const struct simulate_options *options) {
	const struct candidate_options *candidates = &options->candidates;
	const char *file = options->base.common.files[0];
	int status = candidate_load(s, options, 0, file);

	for (unsigned int i = 0; i < candidates->n_with && status == EXIT_GOOD; i++)
		status = candidate_load(s, options, i + 1, candidates->with[i]);
	if (status == EXIT_GOOD)
		status = candidates_add_base(&s->candidates);
	if (status == EXIT_GOOD)
		candidates_look(&s->candidates, file, NULL);
	if (status == EXIT_GOOD && options->nic_now)
		status = candidates_add_nics(&s->candidates, options->kind);
	return status;
}

/* Output */

static void simulation_show(const void *arg, enum format format, struct output *out) {
	const struct simulation *simulation = arg;
	struct json_writer json;

	if (format != FORMAT_JSON) {
		simulation_print(simulation, out);
		return;
	}
	jsonw_init(&json, out);
	jsonw_open(&json, '{');
	simulation_json(simulation, &json);
	jsonw_write(&json, "}\n");
}

static int simulate(const struct simulate_options *options, struct candidates *candidates,
		    struct output *out) {
	const struct ddp_profile *profile = candidates->loaded[0].profile;
	static struct simulation simulation;
	struct capture capture;
	bool has_types = false, hashes_base = false; // by conditions, as gtpu:ue does
	int ret, status = capture_open_or_report(&capture, &options->base.capture);

	if (status != EXIT_GOOD)
		return status;
	ret = candidates_run(candidates, &capture);
	simulation_make(&simulation, options, candidates, &capture, ret);
	status = answer_show_or_report(options, capture.path, simulation_show, &simulation, out);
	for (unsigned int i = 0; i < profile->n_types && !profile->modelled; i++) {
		const struct ddp_packet_type *type = &profile->types[i];
		const bool is_own = strcmp(type->profile, "base") != 0;

		has_types |= is_own;
		hashes_base |= !is_own && type->n_sets > 0 && type->sets[0].cond.n_matches > 0;
	}
	if (has_types && !hashes_base && simulation.packets > 0 &&
	    own_packets(candidates->spreads) == 0)
		error_print(
			"no packet has a packet type of %s: does it read the right tunnel and port?",
			options->base.common.files[0]);
	ddp_arena_destroy(simulation.arena);
	ret = capture_end_or_report(&capture, ret);
	capture_close(&capture);
	return status != EXIT_GOOD ? status : ret;
}

int cmd_simulate(const void *arg, struct output *out) {
	const struct simulate_options *options = arg;
	static struct simulating s;
	int status;

	s = (struct simulating){0};
	candidates_init(&s.candidates, &options->base.rss.steer);
	s.candidates.many_keys = options->report != NULL;
	s.candidates.totals.window_ns = options->window_ns;
	s.candidates.totals.memory = (size_t)options->memory_mb << 20;
	strbuf_init(&s.text);
	status = candidates_balance(&s.candidates, options->balance_ms);
	if (status == EXIT_GOOD)
		status = all_load(&s, options);
	if (status == EXIT_GOOD)
		status = simulate(options, &s.candidates, out);
	candidates_fini(&s.candidates);
	strbuf_fini(&s.text);
	for (unsigned int i = 0; i <= WITH_MAX; i++)
		rules_destroy(s.rules[i]);
	return status;
}
