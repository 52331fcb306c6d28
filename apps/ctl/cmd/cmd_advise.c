/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl advise PCAP: find the profile and input set that spread the traffic best, with reasons.
//
// The first packets of a file show which profiles know its packet types; then the whole file is
// read with each input set of these profiles. Other inputs are read once with all profiles.
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/command.h"
#include "ctl/profile/profile_load.h"
#include "ctl/simulate/advice.h"
#include "rss/balancer.h"

#define TRIED_MAX (SPREADS_MAX - 8) // candidates; the rest is for the base, flows and UEs
#define FIRST_PACKETS 1000000       // packets
#define RANKING_LINES 10            // candidates at most
#define INDENT 4                    // columns

struct advising {
	const struct simulate_options *options;
	struct ddp_library library;
	struct sample sample;
	struct ddp_personality all; // the profile KNOWS_MOST; zeros: no library
	struct spread first;        // of the first packets, with `all`; zeros: none are read
	struct candidates candidates;
	char *tunnel; // "vxlan;port=8472", a tunnel on another port; NULL: none
};

/* The first packets */

// Find a profile that reads the tunnel behind an unread UDP port.
static void tunnel_find(struct advising *a) {
	struct ddp_arena *arena = ddp_arena_create();
	struct unread unread;

	unread_find(&unread, &a->all, &a->sample, arena);
	for (unsigned int i = 0; unread.port != 0 && i < a->library.n && a->tunnel == NULL; i++) {
		const char *spec = ddp_arena_printf(arena, "%s;port=%u",
						    a->library.profiles[i].name, unread.port);
		struct ddp_personality loaded;

		if (load_quietly(&loaded, spec) < 0)
			continue; // it has no such parameter
		if (unread_is_tunnel(&unread, &a->all, &a->sample, loaded.program))
			a->tunnel = strdup_or_exit(spec);
		ddp_personality_unload(&loaded);
	}
	ddp_arena_destroy(arena);
}

static int first_read(struct advising *a) {
	static struct spread_totals totals; // too large for some stacks; no flows
	struct capture_config config = a->options->base.capture;
	struct capture capture;
	struct ddp_diag diag;
	int status, ret;

	if (config.n_packets == 0 || config.n_packets > FIRST_PACKETS)
		config.n_packets = FIRST_PACKETS;
	status = capture_open_or_report(&capture, &config);
	if (status != EXIT_GOOD)
		return status;
	ddp_diag_init(&diag);
	if (spread_init(&a->first, &a->all, &a->candidates.plain, NULL, &diag) < 0)
		no_memory_exit();
	ddp_diag_fini(&diag);
	totals = (struct spread_totals){.sample = &a->sample};
	ret = spread_run(&capture, &a->first, 1, &totals);
	if (capture.interrupted)
		status = capture_end_or_report(&capture, ret);
	capture_close(&capture); // errors are reported when the whole file is read
	flows_fini(&a->first.groups);
	tunnel_find(a);
	return status;
}

/* Candidates */

// Does a profile know packet types of the capture? Profiles that hash by rss_hf model a NIC and are
// only tried if --with names them.
static bool is_relevant(const struct advising *a, const struct ddp_profile *profile) {
	const struct spread *first = &a->first;

	if (profile->by_rss_hf || first->loaded == NULL)
		return !profile->by_rss_hf;
	for (unsigned int i = 0; i < first->n_types && first->types[i].packets > 0; i++) {
		const char *origin = type_origin(a->all.profile, first->types[i].name);

		for (unsigned int p = 0; p < profile->n_parts && strcmp(origin, "base") != 0; p++)
			if (strcmp(profile->parts[p].name, origin) == 0)
				return true;
	}
	return false;
}

static int spec_try(struct advising *a, const char *spec) {
	struct ddp_personality loaded;

	for (unsigned int i = 0; i < a->candidates.n; i++)
		if (strcmp(a->candidates.spreads[i].name, spec) == 0)
			return EXIT_GOOD; // --with names it
	if (a->candidates.n >= TRIED_MAX || load_quietly(&loaded, spec) < 0)
		return EXIT_GOOD;
	return candidates_add(&a->candidates, spec, &loaded, NULL);
}

// Try a profile alone and with each of its own input sets.
static int sets_try(struct advising *a, const char *name, const struct ddp_profile *profile) {
	// the last part: the profile itself
	const struct ddp_profile_part *part = &profile->parts[profile->n_parts - 1];
	struct strbuf spec;
	int status = spec_try(a, name);

	strbuf_init(&spec);
	for (unsigned int i = 0; i < part->n_input_sets && status == EXIT_GOOD; i++) {
		fprintf(spec.to, "%s:%s", name, part->input_sets[i].name);
		status = spec_try(a, strbuf_take(&spec));
	}
	strbuf_fini(&spec);
	return status;
}

static int library_try(struct advising *a) {
	int status = a->tunnel != NULL ? spec_try(a, a->tunnel) : EXIT_GOOD;

	for (unsigned int i = 0; i < a->library.n && status == EXIT_GOOD; i++) {
		const char *name = a->library.profiles[i].name;
		struct ddp_profile *profile;
		struct ddp_diag diag;

		ddp_diag_init(&diag);
		profile = ddp_profile_load(name, &diag);
		if (diag.no_memory)
			no_memory_exit();
		ddp_diag_fini(&diag); // `check` reports errors
		if (profile != NULL && is_relevant(a, profile))
			status = sets_try(a, name, profile);
		ddp_profile_destroy(profile);
	}
	if (a->candidates.n >= TRIED_MAX)
		error_print("the library is too large: its last profiles are not tried");
	return status;
}

static int all_load(struct advising *a) {
	const struct simulate_options *options = a->options;
	const struct candidate_options *candidates = &options->candidates;
	unsigned int balance_ms = options->balance_ms;
	int status;

	if (balance_ms == 0 && balancing_is_possible(&options->base.rss.steer))
		balance_ms = DDP_BALANCER_MS;
	a->candidates.many_keys = true;
	a->candidates.totals.window_ns = options->window_ns;
	a->candidates.totals.memory = (size_t)options->memory_mb << 20;
	a->sample.n = 0; // sample again, from all packets
	a->sample.stride = 1;
	a->candidates.totals.sample = &a->sample;
	status = candidates_balance(&a->candidates, balance_ms);
	for (unsigned int i = 0; i < candidates->n_with && status == EXIT_GOOD; i++)
		status = candidates_add_spec(&a->candidates, candidates->with[i],
					     candidates->with[i]);
	if (status == EXIT_GOOD)
		status = library_try(a);
	if (status == EXIT_GOOD)
		status = candidates_add_base(&a->candidates);
	if (status == EXIT_GOOD)
		candidates_look(&a->candidates, a->tunnel,
				a->all.program != NULL && a->tunnel == NULL ? &a->all : NULL);
	return status;
}

/* Output */

static void ranking_print(const struct advice *advice, struct output *out) {
	const struct simulation *simulation = advice->simulation;
	struct table table;

	if (advice->base->keys.n > 0)
		output_printf(out, "imbalance with %u RSS keys, BALANCED with load-aware RSS\n",
			      advice->base->keys.n);
	table_init(&table, out,
		   "CANDIDATE|>MEDIAN|>8 OF 10|>BALANCED|>KEY|>NO HASH|>HASHES|>LEAST");
	for (unsigned int i = 0; i < advice->n_ranking; i++) {
		const struct outcome *outcome = advice->ranking[i];
		const struct key_spread *keys = &outcome->keys;

		if (i >= RANKING_LINES && outcome != advice->base &&
		    outcome - simulation->outcomes >= advice->n_named)
			continue;
		table_text(&table, outcome->name);
		table_cell(&table, "%.3f", outcome_score(outcome));
		if (keys->n > 0)
			table_cell(&table, "%.3f-%.3f", keys->plain.low, keys->plain.high);
		else
			table_text(&table, "-");
		if (keys->n_balanced > 0)
			table_cell(&table, "%.3f", keys->balanced.median);
		else
			table_text(&table, "-");
		table_cell(&table, "%.3f", outcome->imbalance);
		table_share(&table, share_of(outcome->spread->unhashed, simulation->packets));
		table_number(&table, outcome->spread->groups.n);
		table_cell(&table, "%.3f", outcome->bound);
	}
	table_fini(&table);
	output_text(out, "\n");
}

// Print a command, broken so that lines have 80 columns, but not after the name of an option, and
// before "--", which separates EAL's options from the application's.
static void command_print(const char *text, struct output *out) {
	size_t column = INDENT, len;
	char quote = '\0'; // of the word, as a shell reads it: ' of '...', $ of $'...'

	output_blanks(out, INDENT);
	for (; *text != '\0'; text += len) {
		for (len = 1; text[len] != '\0'; len++) {
			if (text[len] == '\\' && quote != '\'' && text[len + 1] != '\0')
				len++;
			else if (text[len] == '\'' && quote != '\0')
				quote = '\0';
			else if (text[len] == '\'')
				quote = text[len - 1] == '$' ? '$' : '\'';
			else if (quote == '\0' && text[len] == ' ' &&
				 (text[len + 1] == '-' || text[1] != '-'))
				break;
		}
		if (column > INDENT && (strncmp(text, " -- ", 4) == 0 ||
					column + len > (text[len] != '\0' ? 78 : 80))) {
			output_text(out, " \\\n     ");
			column = INDENT + 1;
		}
		output_escaped_printf(out, "%.*s", (int)len, text);
		column += len;
	}
	output_char(out, '\n');
}

static void advice_print(const struct advice *advice, struct output *out) {
	simulation_warning_print(advice->simulation, out);
	if (advice->verdict != ADVICE_NO_PACKETS) {
		ranking_print(advice, out);
		if (unread_is_promising(&advice->unread))
			output_printf(out,
				      "flows: %" PRIu64 ", behind %s they are not told apart\n",
				      advice->simulation->n_flows, advice->unread.field);
		else
			simulation_flows_print(advice->simulation, advice->best, out);
		simulation_notes_print(advice->simulation, out);
		output_text(out, "\n");
	}
	output_wrapped(out, advice->headline, 0, 0);
	for (unsigned int i = 0; i < advice->n_reasons; i++) {
		output_text(out, "  - ");
		output_wrapped(out, advice->reasons[i], 4, 4);
	}
	for (unsigned int i = 0; i < advice->n_commands; i++) {
		output_printf(out, "%s%s:\n", i == 0 ? "\n" : "", advice->commands[i].what);
		command_print(advice->commands[i].text, out);
	}
}

static void advice_json(const struct advice *advice, struct output *out) {
	struct json_writer json;

	assert(advice->verdict != ADVICE_TAKE || advice->best != NULL);
	jsonw_init(&json, out);
	jsonw_write(&json, "{verdict:%s profile:%s balance:%d equal:[",
		    verdict_names[advice->verdict],
		    advice->verdict == ADVICE_TAKE ? advice->best->name : NULL, advice->balance);
	for (unsigned int i = 0; i < advice->n_equal; i++)
		jsonw_text(&json, advice->ranking[i]->name);
	jsonw_write(&json, "] headline:%s", advice->headline);
	jsonw_key_texts(&json, "reasons", advice->reasons, advice->n_reasons);
	jsonw_write(&json, "commands:{");
	for (unsigned int i = 0; i < advice->n_commands; i++)
		jsonw_key_text(&json, advice->commands[i].key, advice->commands[i].text);
	jsonw_close(&json, '}');
	unread_json(&advice->unread, &json);
	jsonw_write(&json, "simulation:{");
	simulation_json(advice->simulation, &json);
	jsonw_write(&json, "}}\n");
}

static void advice_show(const void *arg, enum format format, struct output *out) {
	if (format == FORMAT_JSON)
		advice_json(arg, out);
	else
		advice_print(arg, out);
}

/* Command */

static int advise(struct advising *a, struct capture *capture, struct output *out) {
	static struct simulation simulation;
	struct advice advice = {.simulation = &simulation,
				.argv = a->options->base.common.argv,
				.n_named = a->options->candidates.n_with};
	int ret = candidates_run(&a->candidates, capture), status, reported;
	const struct spread *flows = a->candidates.totals.flows.by;

	simulation_make(&simulation, a->options, &a->candidates, capture, ret);
	// otherwise a candidate reads more than the library
	if (simulation.finest == NULL && flows != NULL)
		unread_find(&advice.unread, flows->loaded, &a->sample, simulation.arena);
	advice_make(&advice);
	reported = answer_show_or_report(a->options, capture->path, advice_show, &advice, out);
	ddp_arena_destroy(simulation.arena);
	status = capture_end_or_report(capture, ret);
	if (reported != EXIT_GOOD)
		return reported;
	if (status == EXIT_GOOD &&
	    (advice.verdict == ADVICE_NOTHING_HELPS || advice.verdict == ADVICE_UNREAD))
		return EXIT_NO;
	return status;
}

int cmd_advise(const void *arg, struct output *out) {
	const struct simulate_options *options = arg;
	static struct advising a;
	struct capture capture;
	int status;

	a = (struct advising){.options = options};
	a.sample.stride = 1;
	a.sample.packets = calloc_or_exit(SAMPLE_PACKETS, sizeof(*a.sample.packets));
	load_quietly(&a.all, KNOWS_MOST);
	candidates_init(&a.candidates, &options->base.rss.steer);
	status = library_scan(&a.library);
	if (status == EXIT_GOOD && a.all.program != NULL && capture_is_file(&options->base.capture))
		status = first_read(&a);
	if (status == EXIT_GOOD)
		status = all_load(&a);
	if (status == EXIT_GOOD)
		status = capture_open_or_report(&capture, &options->base.capture);
	if (status == EXIT_GOOD) {
		status = advise(&a, &capture, out);
		capture_close(&capture);
	}
	candidates_fini(&a.candidates);
	spread_fini(&a.first);
	ddp_personality_unload(&a.all);
	free(a.tunnel);
	free(a.sample.packets);
	ddp_arena_destroy(a.library.arena);
	return status;
}
