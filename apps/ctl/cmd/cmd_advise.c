/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl advise PCAP: which profile and input set spread this traffic best, and why.
//
// A file is read twice: first to learn which profiles know anything of what is in it, then with
// each input set of these. What can be read only once is tried with all of them.
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/capture/capture.h"
#include "ctl/capture/interrupt.h"
#include "ctl/command.h"
#include "ctl/profile/library.h"
#include "ctl/profile/profile_load.h"
#include "ctl/report/report.h"
#include "ctl/simulate/advice.h"
#include "ctl/simulate/simulation.h"

#define TRIED_MAX (SPREADS_MAX - 8) // room for what is looked at besides
#define RANKING_LINES 10
#define BALANCE_MS 100   // as net_ddp has it
#define FIELD_TYPES 0.01 // of all packets: worth a line for each field

struct advising {
	const struct options *options;
	struct library library;
	struct candidates candidates;
	struct sample sample;
	unsigned int n_left_out; // of the library
	const char **relevant;   // profiles that know packet types of the capture; NULL: not known
	unsigned int n_relevant;
	char *tunnel; // such as "vxlan;port=8472": read on another port than the library's
	unsigned int n_packets; // that the first reading had until it was interrupted
	int interrupted_by;     // this signal; 0: it was not
};

/* Candidates */

static bool is_relevant(const struct advising *a, const struct ddp_profile *profile) {
	for (unsigned int i = 0; i < profile->n_parts; i++)
		for (unsigned int r = 0; r < a->n_relevant; r++)
			if (strcmp(profile->parts[i].name, a->relevant[r]) == 0)
				return true;
	return a->relevant == NULL;
}

static int candidate_load(struct advising *a, const char *spec, bool tell) {
	struct ddp_diag diag;
	struct ddp_personality loaded;
	int ret;

	ddp_diag_init(&diag);
	ret = load_profile(&loaded, spec, &diag);
	if (ret < 0 && tell)
		return load_end(&diag, true);
	ddp_diag_fini(&diag);
	if (ret < 0)
		return EXIT_GOOD;
	return candidates_add(&a->candidates, spec, &loaded, NULL);
}

// One of the library, if there is room for it.
static int profile_try(struct advising *a, const char *spec) {
	for (unsigned int i = 0; i < a->candidates.n; i++)
		if (strcmp(a->candidates.list[i].name, spec) == 0)
			return EXIT_GOOD; // --with names it
	if (a->candidates.n < TRIED_MAX)
		return candidate_load(a, spec, false);
	a->n_left_out++;
	return EXIT_GOOD;
}

static const struct ddp_profile_part *named_part(const struct ddp_profile *profile) {
	const struct ddp_profile_part *part = &profile->parts[profile->n_parts - 1];

	for (unsigned int i = 0; i < profile->n_parts; i++)
		if (profile->parts[i].named)
			part = &profile->parts[i];
	return part;
}

// A profile as it is, and with each of its own input sets; with settings (";port=8472") only with
// those that keep both directions of a UE together.
static int sets_load(struct advising *a, const char *name, const char *settings,
		     const struct ddp_profile *profile) {
	const struct ddp_profile_part *part = named_part(profile);
	struct strbuf spec;
	int status;

	strbuf_init(&spec);
	fprintf(spec.to, "%s%s", name, settings);
	status = profile_try(a, strbuf_take(&spec));
	for (unsigned int i = 0; i < part->n_input_sets && status == EXIT_GOOD; i++) {
		if (settings[0] != '\0' && strcmp(part->input_sets[i].name, "ue") != 0)
			continue;
		fprintf(spec.to, "%s:%s%s", name, part->input_sets[i].name, settings);
		status = profile_try(a, strbuf_take(&spec));
	}
	strbuf_fini(&spec);
	return status;
}

// A profile that is no good is for `check` to tell. One that hashes what rss_hf asks for stands in
// for a NIC: it is no answer unless --with names it.
static int library_load(struct advising *a) {
	size_t len = a->tunnel != NULL ? strcspn(a->tunnel, ";") : 0;
	int status = EXIT_GOOD;

	for (unsigned int i = 0; i < a->library.n && status == EXIT_GOOD; i++) {
		const char *name = a->library.profiles[i].name;
		struct ddp_profile *profile;
		struct ddp_diag diag;

		ddp_diag_init(&diag);
		profile = ddp_profile_load(name, &diag);
		if (diag.no_memory)
			no_memory_exit();
		ddp_diag_fini(&diag);
		if (profile != NULL && !profile->by_rss_hf && is_relevant(a, profile))
			status = sets_load(a, name, "", profile);
		if (status == EXIT_GOOD && len > 0 && strlen(name) == len &&
		    strncmp(name, a->tunnel, len) == 0)
			status = sets_load(a, name, a->tunnel + len, profile);
		ddp_profile_destroy(profile);
	}
	if (a->n_left_out > 0)
		error_print("not tried for want of room: the last %u of the library",
			    a->n_left_out);
	return status;
}

static int base_add(struct advising *a) {
	int status = candidates_add_base(&a->candidates);

	if (status == EXIT_GOOD)
		candidates_look(&a->candidates, a->tunnel);
	return status;
}

static int candidates_load(struct advising *a) {
	int status = EXIT_GOOD;

	candidates_init(&a->candidates, &a->options->steer);
	a->candidates.totals.window_ns = a->options->window_ns;
	a->candidates.totals.memory = (size_t)a->options->memory_mb << 20;
	if (a->sample.n == 0) // nothing was read yet
		a->candidates.totals.sample = &a->sample;
	if (a->options->balance_ms != 0 || balancing_is_possible(&a->options->steer))
		status = candidates_balance(&a->candidates, a->options->balance_ms != 0 ?
								    a->options->balance_ms :
								    BALANCE_MS);
	for (unsigned int i = 0; i < a->options->n_with && status == EXIT_GOOD; i++)
		status = candidate_load(a, a->options->with[i], true);
	if (status == EXIT_GOOD)
		status = library_load(a);
	if (status == EXIT_GOOD)
		status = base_add(a);
	candidates_judge(&a->candidates);
	return status;
}

/* The first time */

static bool is_named(const struct advising *a, const char *profile) {
	for (unsigned int i = 0; i < a->n_relevant; i++)
		if (strcmp(a->relevant[i], profile) == 0)
			return true;
	return false;
}

static void relevant_add(struct advising *a, const char *profile) {
	if (strcmp(profile, "base") == 0 || is_named(a, profile))
		return;
	for (unsigned int i = 0; i < a->library.n; i++)
		if (strcmp(a->library.profiles[i].name, profile) == 0)
			a->relevant[a->n_relevant++] = a->library.profiles[i].name;
}

static void relevant_find(struct advising *a, const struct candidates *seen) {
	const struct spread *all = &seen->spreads[seen->totals.flow_spread];
	const struct ddp_personality *loaded = candidates_loaded(seen, seen->totals.flow_spread);

	for (unsigned int i = 0; i < all->n_types && all->types[i].packets > 0; i++)
		relevant_add(a, type_origin(loaded->profile, all->types[i].name));
}

// Ctrl-C is for what has been read so far, which is read again to be advised on.
static void interruption_keep(struct advising *a, const struct capture *capture) {
	if (!capture->interrupted || capture->n_packets == 0 || capture->n_packets > UINT_MAX)
		return;
	a->n_packets = capture->n_packets;
	a->interrupted_by = interrupt_signal;
	interrupt_signal = 0;
}

// Loads a library profile with its parameter 'port', if it has one. Whether it reads the tunnel
// there.
static bool tunnel_try(struct advising *a, const struct candidates *seen,
		       const struct unread *unread, const char *spec) {
	struct ddp_personality loaded;
	struct ddp_diag diag;
	bool is = false;

	ddp_diag_init(&diag);
	if (load_profile(&loaded, spec, &diag) == 0) {
		is = unread_is_tunnel(unread, seen, &a->sample, loaded.program);
		ddp_personality_unload(&loaded);
	}
	ddp_diag_fini(&diag);
	return is;
}

// The tunnel of the library that is behind a UDP port which no profile reads.
static void tunnel_find(struct advising *a, const struct candidates *seen) {
	struct ddp_arena *arena = ddp_arena_create();
	struct unread unread;
	struct strbuf spec;

	unread_find(&unread, seen, &a->sample, arena);
	strbuf_init(&spec);
	for (unsigned int i = 0; unread.port != 0 && i < a->library.n && a->tunnel == NULL; i++) {
		const char *text;

		fprintf(spec.to, "%s;port=%u", a->library.profiles[i].name, unread.port);
		text = strbuf_take(&spec);
		if (tunnel_try(a, seen, &unread, text))
			a->tunnel = strdup_or_exit(text);
	}
	strbuf_fini(&spec);
	ddp_arena_destroy(arena);
}

// Which packet types there are, and what is behind most of those that end at a UDP port.
static void types_count(struct advising *a, const struct candidates *seen,
			struct capture *capture) {
	static struct spread_totals totals; // too large for some stacks

	if (seen->totals.flow_spread < 0)
		return;
	spread_totals_init(&totals);
	totals.sample = &a->sample;
	spread_run(capture, &seen->spreads[seen->totals.flow_spread], 1, &totals, 0);
	spread_totals_fini(&totals);
	interruption_keep(a, capture);
}

static int look_around(struct advising *a) {
	struct candidates *seen = &a->candidates;
	struct capture capture;
	int status;

	candidates_init(seen, &a->options->steer);
	status = base_add(a);
	if (status == EXIT_GOOD)
		status = capture_open_or_report(&capture, a->options);
	if (status == EXIT_GOOD) {
		types_count(a, seen, &capture);
		capture_close(&capture); // what is wrong with it is told at its second reading
	}
	a->relevant = calloc_or_exit(a->library.n + 1, sizeof(*a->relevant));
	if (status == EXIT_GOOD && seen->totals.flow_spread >= 0) {
		relevant_find(a, seen);
		tunnel_find(a, seen);
	}
	candidates_fini(seen);
	return status;
}

/* Showing */

static void ranking_row(const struct simulation *simulation, const struct outcome *outcome,
			struct table *table) {
	const struct key_spread *keys = &outcome->keys;

	table_text(table, outcome->name);
	table_cell(table, "%.3f", outcome_score(outcome));
	if (keys->n > 0)
		table_cell(table, "%.3f to %.3f", keys->plain.low, keys->plain.high);
	else
		table_text(table, "-");
	if (keys->n_balanced > 0)
		table_cell(table, "%.3f", keys->balanced.median);
	else
		table_text(table, "-");
	table_cell(table, "%.3f", outcome->imbalance);
	table_share(table, share_of(outcome->unhashed, simulation->packets));
	table_cell(table, "%s%" PRIu64, outcome->groups_exact ? "" : "~", outcome->n_groups);
	table_cell(table, "%.2f", outcome->entropy);
	table_cell(table, "%.3f", outcome->bound);
}

// The best, then those that --with names and the fixed-function NIC, wherever they are.
static void ranking_print(const struct advising *a, const struct advice *advice,
			  const struct simulation *simulation, struct output *out) {
	const struct choice *choice = &advice->choice;
	unsigned int n = choice->n_ranking < RANKING_LINES ? choice->n_ranking : RANKING_LINES;
	struct table table;

	if (advice->base->keys.n > 0)
		output_printf(
			out,
			"imbalance with %u RSS keys: the median, what 8 of 10 keys give, the median "
			"with load-aware RSS\n",
			advice->base->keys.n);
	table_init(
		&table, out,
		"CANDIDATE|>MEDIAN|>8 OF 10|>BALANCED|>THIS KEY|>NO HASH|>HASHES|>ENTROPY|>AT LEAST");
	for (unsigned int i = 0; i < n; i++)
		ranking_row(simulation, choice->ranking[i], &table);
	for (unsigned int i = 0; i < simulation->n_outcomes; i++) {
		const struct outcome *outcome = &simulation->outcomes[i];
		unsigned int shown = 0;

		while (shown < n && choice->ranking[shown] != outcome)
			shown++;
		if (shown == n && (i < a->options->n_with || outcome == advice->base))
			ranking_row(simulation, outcome, &table);
	}
	table_fini(&table);
	output_text(out, "\n");
}

// "outer.ipv4.src" is the same as "ipv4.src" where that is another set's name for it.
static bool is_another_name(const struct entropies *fields, const struct field_entropy *field) {
	if (strncmp(field->field, "outer.", 6) != 0)
		return false;
	for (unsigned int i = 0; i < fields->n; i++)
		if (strcmp(fields->fields[i].type, field->type) == 0 &&
		    strcmp(fields->fields[i].field, field->field + 6) == 0)
			return true;
	return false;
}

// A packet type is named once.
static void type_cells(const struct advising *a, const struct field_entropy *field, bool titled,
		       struct table *table) {
	table_text(table, titled ? "" : field->type);
	if (!titled)
		table_printf(table, "%s",
			     share_text((double)field->of_type / a->sample.n, 1, "%").text);
	table_next(table);
}

static void field_row(const struct field_entropy *field, const char *names, struct table *table) {
	table_text(table, names);
	table_cell(table, "%" PRIu64, field->values);
	table_cell(table, "%.2f", field->bits);
	table_share(table, field->hottest);
}

// Fields that are always the same share a line. Returns how many fields of the packet type there
// are from first.
static unsigned int type_print(const struct advising *a, const struct entropies *fields,
			       unsigned int first, struct table *table) {
	const struct field_entropy *field = &fields->fields[first], *constant = NULL;
	const char *type = field->type;
	bool titled = false;
	struct strbuf text;

	strbuf_init(&text);
	for (; field < fields->fields + fields->n && strcmp(field->type, type) == 0; field++) {
		if (is_another_name(fields, field))
			continue;
		if (field->values == 1) {
			fprintf(text.to, "%s%s", constant != NULL ? " " : "", field->field);
			constant = field;
			continue;
		}
		type_cells(a, field, titled, table);
		field_row(field, field->field, table);
		titled = true;
	}
	if (constant != NULL) {
		type_cells(a, constant, titled, table);
		field_row(constant, strbuf_take(&text), table);
	}
	strbuf_fini(&text);
	return field - fields->fields - first;
}

static void fields_print(const struct advising *a, const struct entropies *fields,
			 struct output *out) {
	struct table table;

	if (fields->n == 0)
		return;
	if (a->sample.stride == 1)
		output_text(out, "what fields say, in bits:\n");
	else
		output_printf(out, "what fields say, in bits, of one packet in %" PRIu64 ":\n",
			      a->sample.stride);
	table_init(&table, out, "PACKET TYPE|>SHARE|FIELD|>VALUES|>ENTROPY|>MOST FREQUENT");
	for (unsigned int i = 0; i < fields->n;) {
		if (fields->fields[i].of_type < FIELD_TYPES * a->sample.n)
			break;
		i += type_print(a, fields, i, &table);
	}
	table_fini(&table);
	output_text(out, "\n");
}

static void advice_print(const struct advising *a, const struct advice *advice,
			 const struct simulation *simulation, struct output *out) {
	simulation_warning_print(simulation, out);
	if (advice->verdict != ADVICE_NO_PACKETS) {
		fields_print(a, &advice->fields, out);
		if (unread_is_promising(&advice->unread))
			unread_print(&advice->unread, out);
		ranking_print(a, advice, simulation, out);
		if (unread_is_promising(&advice->unread))
			output_printf(out,
				      "flows: %" PRIu64 ", behind %s they are not told apart\n",
				      simulation->n_flows, advice->unread.field);
		else
			simulation_flows_print(simulation, advice->best, out);
		simulation_notes_print(simulation, out);
		output_text(out, "\n");
	}
	output_wrapped(out, advice->headline, 0, 0);
	for (unsigned int i = 0; advice->reasons[i] != NULL; i++) {
		output_text(out, "  - ");
		output_wrapped(out, advice->reasons[i], 4, 4);
	}
	for (unsigned int i = 0; i < advice->n_commands; i++) {
		output_printf(out, "%s%s:\n    ", i == 0 ? "\n" : "", advice->commands[i].what);
		output_escaped_printf(out, "%s\n", advice->commands[i].text);
	}
}

static void fields_json(const struct advice *advice, struct json_writer *json) {
	for (unsigned int i = 0; i < advice->fields.n; i++) {
		const struct field_entropy *field = &advice->fields.fields[i];

		jsonw_object(json, "ptype:%s field:%s packets:%ju values:%ju entropy:%g hottest:%g",
			     field->type, field->field, field->packets, field->values, field->bits,
			     field->hottest);
	}
}

static void advice_json(const struct advising *a, const struct advice *advice,
			const struct simulation *simulation, struct output *out) {
	struct json_writer json;

	jsonw_init(&json, out);
	jsonw_write(&json, "{verdict:%s profile:%s", verdict_name(advice->verdict),
		    jsonw_if(advice->verdict == ADVICE_TAKE, advice->best->name));
	jsonw_key_bool(&json, "balance", advice->balance);
	jsonw_key_text(&json, "both_directions", advice->ue != NULL ? advice->ue->name : NULL);
	jsonw_key_open(&json, "equal", '[');
	for (unsigned int i = 0; i < advice->choice.n_equal; i++)
		jsonw_text(&json, advice->choice.equal[i]->name);
	jsonw_close(&json, ']');
	jsonw_write(&json, "headline:%s reasons:[", advice->headline);
	for (unsigned int i = 0; advice->reasons[i] != NULL; i++)
		jsonw_text(&json, advice->reasons[i]);
	jsonw_write(&json, "] commands:{");
	for (unsigned int i = 0; i < advice->n_commands; i++)
		jsonw_key_text(&json, advice->commands[i].key, advice->commands[i].text);
	jsonw_write(&json, "} sampled:%u fields:[", a->sample.n);
	fields_json(advice, &json);
	jsonw_close(&json, ']');
	unread_json(&advice->unread, &json);
	jsonw_write(&json, "simulation:{");
	simulation_json(simulation, &json);
	jsonw_write(&json, "}}\n");
}

struct advised {
	const struct advising *a;
	const struct advice *advice;
	const struct simulation *simulation;
};

static void advice_show(const void *arg, enum format format, struct output *out) {
	const struct advised *advised = arg;

	if (format == FORMAT_JSON)
		advice_json(advised->a, advised->advice, advised->simulation, out);
	else
		advice_print(advised->a, advised->advice, advised->simulation, out);
}

/* All of it */

static int advise(struct advising *a, struct capture *capture, struct output *out) {
	static struct simulation simulation;
	struct advice advice = {0};
	const struct advised advised = {a, &advice, &simulation};
	int ret = candidates_run(&a->candidates, capture), status, reported;

	if (a->interrupted_by != 0) {
		interrupt_signal = a->interrupted_by;
		capture->interrupted = true;
	}
	simulation_make(&simulation, a->options, &a->candidates, capture);
	simulation.partial = ret < 0 || (capture->interrupted && !capture->is_live);
	if (simulation.finest == NULL) // else a candidate reads more than the library
		unread_find(&advice.unread, &a->candidates, &a->sample, simulation.arena);
	entropies_measure(&advice.fields, &a->candidates, &a->sample, simulation.arena);
	advice_make(&advice, &simulation, &a->candidates, a->options->argv);
	advice_show(&advised, a->options->format, out);
	output_flush(out); // what was read comes before what went wrong
	reported = report_write_or_report(a->options, simulation.path, advice_show, &advised);
	simulation_free(&simulation);
	status = capture_end_or_report(capture, ret);
	if (reported != EXIT_GOOD)
		return reported;
	if (status == EXIT_GOOD &&
	    (advice.verdict == ADVICE_NOTHING_HELPS || advice.verdict == ADVICE_UNREAD))
		return EXIT_NO;
	return status;
}

static int opened_advise(struct advising *a, struct output *out) {
	struct options options = *a->options;
	struct capture capture;
	int status = candidates_load(a);

	if (a->n_packets != 0)
		options.count = a->n_packets;
	if (status == EXIT_GOOD)
		status = capture_open_or_report(&capture, &options);
	if (status == EXIT_GOOD) {
		status = advise(a, &capture, out);
		capture_close(&capture);
	}
	candidates_fini(&a->candidates);
	return status;
}

int cmd_advise(const struct options *options, struct output *out) {
	static struct advising a;
	int status;

	a = (struct advising){.options = options};

	sample_init(&a.sample);
	status = library_scan(&a.library);
	if (status == EXIT_GOOD && capture_is_file(options))
		status = look_around(&a);
	if (status == EXIT_GOOD)
		status = opened_advise(&a, out);
	free(a.relevant);
	free(a.tunnel);
	sample_fini(&a.sample);
	library_free(&a.library);
	return status;
}
