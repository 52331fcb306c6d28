/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl explain FILE PCAP -n K: the steps and reasons of a packet's classification and queue. The
// text output has a paragraph for each step, the packet type and the hash.
#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "base/arena.h"
#include "common/json_writer.h"
#include "common/strbuf.h"
#include "ctl/command.h"
#include "ctl/profile/profile_load.h"
#include "ctl/steer/cut.h"
#include "profile/profile_format.h"

#define INDENT 4 // columns

struct explanation {
	const struct steer_config *steer;
	const struct ddp_personality *loaded;
	const char *pcap;     // its name
	uint64_t n;           // number of the packet, from 1
	uint32_t len;         // captured bytes
	uint32_t wire_len;    // bytes on the wire
	unsigned int snaplen; // bytes, that the capture needs; 0: enough were captured
	struct ddp_answer answer;
	struct strbuf text; // being written
	struct output *out;
};

static const struct ddp_node_info *node_of(const struct explanation *e, unsigned int at) {
	assert(at < DDP_MAX_STEPS);
	return ddp_program_node(e->loaded->program, e->answer.class.seen[at].node);
}

static unsigned int n_visible(const struct explanation *e, unsigned int n) {
	unsigned int visible = 0;

	for (unsigned int i = 0; i < n; i++)
		visible += !node_of(e, i)->hidden;
	return visible;
}

static unsigned int reta_index(const struct explanation *e) {
	return e->answer.hash & (e->steer->reta_size - 1);
}

static void head_print(struct explanation *e) {
	output_wrapped(e->out, strbuf_take(&e->text), 0, INDENT);
}

static void line_print(struct explanation *e) {
	output_blanks(e->out, INDENT);
	output_wrapped(e->out, strbuf_take(&e->text), INDENT, INDENT + 2);
}

// " (gtpu.yaml:36)"
static void place_write(struct explanation *e, const struct ddp_place *place) {
	if (place == NULL || place->line == 0)
		return;
	fputs(" (", e->text.to);
	format_place(e->text.to, place);
	fputs(")", e->text.to);
}

/* Steps */

static void reads_print(struct explanation *e, const struct ddp_reads *reads) {
	const char *separator = "";

	for (unsigned int i = 0; i < reads->n; i++) {
		if (reads->reads[i].value == NULL)
			continue;
		fprintf(e->text.to, "%s%s %s%s", separator, reads->reads[i].name,
			reads->reads[i].text, reads->reads[i].ahead ? " (ahead)" : "");
		separator = ", ";
	}
	if (*separator != '\0')
		line_print(e);
}

// "dport 53: not gtpu (2152, gtpu.yaml:29), vxlan (4789, vxlan.yaml:20)"
static void run_print(struct explanation *e, const struct ddp_try *tries, unsigned int n) {
	fprintf(e->text.to, "%s %s: not ", tries[0].compared->name, tries[0].compared->text);
	for (unsigned int i = 0; i < n; i++) {
		fprintf(e->text.to, "%s%s (%s, ", i > 0 ? ", " : "", tries[i].what,
			tries[i].wanted);
		format_place(e->text.to, tries[i].place);
		fputs(")", e->text.to);
	}
	line_print(e);
}

static void try_print(struct explanation *e, const struct ddp_step *step,
		      const struct ddp_try *try) {
	if (try->decides && step->next != NULL)
		fprintf(e->text.to, "next is %s: ", step->next);
	else if (try->decides)
		fputs("the path ends here: ", e->text.to);
	else if (strcmp(try->what, "stop") == 0)
		fputs("does not end here: ", e->text.to);
	else
		fprintf(e->text.to, "not %s: ", try->what);
	fputs(try->why, e->text.to);
	place_write(e, try->place);
	line_print(e);
}

static void tries_print(struct explanation *e, const struct ddp_step *step) {
	for (unsigned int i = 0, n; i < step->n_tries; i += n) {
		const struct ddp_try *tries = &step->tries[i];

		// the number of tries that compare one field without a match
		for (n = 1; tries->compared != NULL && i + n < step->n_tries &&
			    tries[n].compared != NULL &&
			    strcmp(tries[n].compared->name, tries->compared->name) == 0;)
			n++;
		if (n > 1)
			run_print(e, tries, n);
		else
			try_print(e, step, tries);
	}
	if (step->n_tries > 0 && step->tries[step->n_tries - 1].decides)
		return;
	fputs(step->n_tries == 0 ? "nothing follows it in this profile" :
				   "no rule applies: the path ends here",
	      e->text.to);
	line_print(e);
}

static void step_print(struct explanation *e, const struct ddp_step *step) {
	fprintf(e->text.to, "byte %u: %s", step->offset, step->name);
	if (step->hidden)
		fputs(step->size == 0 ? ", hidden, without bytes" : ", hidden", e->text.to);
	if (step->size > 0 && step->flaw != DDP_FLAW_CUT && step->flaw != DDP_FLAW_SHORT)
		fprintf(e->text.to, ", %s", step->size_why);
	place_write(e, step->place);
	head_print(e);
	reads_print(e, &step->reads);
	if (step->flaw != DDP_FLAW_NONE) {
		fputs(step->flaw_why, e->text.to);
		line_print(e);
		return;
	}
	if (step->fragment) {
		fprintf(e->text.to, "a fragment: %s; what follows it is no part of the packet type",
			step->fragment_why);
		line_print(e);
	}
	tries_print(e, step);
}

static void steps_print(struct explanation *e) {
	const struct ddp_steps *steps = e->answer.steps;

	for (unsigned int i = 0; i < steps->n_steps; i++) {
		const struct ddp_step *step = &steps->steps[i], *again = step + 1;
		const unsigned int first = i;

		step_print(e, step);
		for (; i + 1 < steps->n_steps && again->offset == step->offset && step->size == 0 &&
		       again->size == 0 && strcmp(again->name, step->name) == 0;
		     again++)
			i++;
		if (i > first + 1)
			output_printf(e->out, "steps %u to %u: the same again\n", first + 2, i + 1);
		else
			i = first;
	}
	if (e->answer.class.status == DDP_STATUS_TOO_DEEP && steps->parser.n == 0)
		output_printf(e->out,
			      "and so on: the walk ends after %u headers, %u with hidden ones\n",
			      DDP_MAX_HEADERS, DDP_MAX_STEPS);
}

/* Packet type */

static void matched_print(struct explanation *e) {
	const struct ddp_class *class = &e->answer.class;
	unsigned int n_matched = n_visible(e, class->n_matched);
	unsigned int n_seen = n_visible(e, class->n_seen);

	fputs("matched:", e->text.to);
	for (unsigned int i = 0; i < class->n_matched; i++)
		if (!node_of(e, i)->hidden)
			fprintf(e->text.to, " %s", node_of(e, i)->token);
	if (n_matched < n_seen)
		fprintf(e->text.to, "; the first %u of %u headers", n_matched, n_seen);
	line_print(e);
}

static void types_print(struct explanation *e) {
	const struct ddp_steps *steps = e->answer.steps;

	for (unsigned int i = 0; i < steps->n_types; i++) {
		const struct ddp_try *try = &steps->types[i];

		if (!try->decides)
			fprintf(e->text.to, "not %s, %s: ", try->what, try->when);
		else if (*try->why != '\0')
			fputs(steps->parser.n > 0 ? "found by " : "its condition holds: ",
			      e->text.to);
		else
			return;
		fputs(try->why, e->text.to);
		if (!try->decides)
			place_write(e, try->place);
		line_print(e);
	}
}

static void type_print(struct explanation *e) {
	const struct ddp_steps *steps = e->answer.steps;

	output_char(e->out, '\n');
	if (steps->type == NULL) {
		output_text(e->out,
			    steps->parser.n > 0 ?
				    "no packet type\n" :
				    "no packet type: none has a path that begins like this\n");
		types_print(e);
		return;
	}
	fprintf(e->text.to, "packet type %u: %s", e->answer.class.type_id, steps->type->name);
	place_write(e, &steps->type->place);
	head_print(e);
	if (steps->path != NULL) {
		fprintf(e->text.to, "path: %s", steps->path);
		line_print(e);
	}
	matched_print(e);
	types_print(e);
	fputs("packet_type of the mbuf: ", e->text.to);
	format_ptype(e->text.to, e->answer.class.rte_ptype);
	line_print(e);
}

static void values_print(struct explanation *e) {
	const struct ddp_reads *extracted = &e->answer.steps->extracted;
	const struct ddp_reads *parser = &e->answer.steps->parser;

	for (unsigned int i = 0; i < parser->n; i++) {
		fprintf(e->text.to, "%s: %s", parser->reads[i].name, parser->reads[i].text);
		line_print(e);
	}
	for (unsigned int i = 0; i < extracted->n; i++)
		fprintf(e->text.to, "%s%s %s%s", i == 0 ? "extracted: " : ", ",
			extracted->reads[i].name, extracted->reads[i].text,
			i == 0 ? " (into the mbuf)" : "");
	if (extracted->n > 0)
		line_print(e);
}

/* Hash */

static void sets_passed_print(struct explanation *e) {
	const struct ddp_steps *steps = e->answer.steps;

	for (unsigned int i = 0; i < steps->n_sets && !steps->sets[i].decides; i++) {
		fprintf(e->text.to, "not %s: %s", steps->sets[i].what, steps->sets[i].why);
		place_write(e, steps->sets[i].place);
		line_print(e);
	}
}

// "inner.ipv4.src 10.0.0.1, bytes 62 to 65"
static void inputs_print(struct explanation *e) {
	const struct ddp_reads *hashed = &e->answer.steps->hashed;
	bool any = false;

	for (unsigned int i = 0; i < hashed->n; i++) {
		const struct ddp_read *read = &hashed->reads[i];
		uint32_t first = read->bit / 8, last = (read->bit + read->bits - 1) / 8;

		if (read->value == NULL)
			continue;
		fprintf(e->text.to, "%s %s", read->name, read->text);
		fprintf(e->text.to, first == last ? ", byte %u" : ", bytes %u to %u", first, last);
		line_print(e);
	}
	for (unsigned int i = 0; i < hashed->n; i++) {
		if (hashed->reads[i].value != NULL)
			continue;
		if (!any)
			fputs(e->answer.steps->parser.n > 0 ? "0, as the packet has none:" :
							      "left out, as the packet has none:",
			      e->text.to);
		fprintf(e->text.to, " %s", hashed->reads[i].name);
		any = true;
	}
	if (any)
		line_print(e);
}

static void queue_print(struct explanation *e) {
	const struct steer_config *config = e->steer;
	const struct ddp_answer *answer = &e->answer;

	fprintf(e->text.to, "%u bytes: ", answer->input_len);
	bytes_write(e->text.to, answer->input, answer->input_len, 4);
	if (config->function == DDP_HASH_SYMMETRIC_TOEPLITZ)
		fputs(" (source and destination replaced by their exclusive or)", e->text.to);
	else if (config->function == DDP_HASH_SYMMETRIC_TOEPLITZ_SORT)
		fputs(" (of source and destination, the smaller first)", e->text.to);
	line_print(e);
	fprintf(e->text.to,
		"%s: 0x%08" PRIx32
		", whose low bits pick entry %u of the redirection table's %u: queue "
		"%u of %u",
		ddp_hash_function_name(config->function), answer->hash, reta_index(e),
		config->reta_size, answer->queue, config->n_queues);
	line_print(e);
}

static void hash_print(struct explanation *e) {
	const struct ddp_steps *steps = e->answer.steps;

	if (steps->set == NULL) {
		if (steps->unhashed == NULL)
			fputs("not hashed: no input set, so queue 0", e->text.to);
		else
			fprintf(e->text.to, "not hashed, so queue 0: %s", steps->unhashed);
		head_print(e);
		if (e->steer->rss_hf != 0)
			sets_passed_print(e);
		return;
	}
	fprintf(e->text.to, "hashed: %s", steps->sets[steps->n_sets - 1].what);
	place_write(e, steps->sets[steps->n_sets - 1].place);
	head_print(e);
	sets_passed_print(e);
	if (*steps->sets[steps->n_sets - 1].why != '\0') {
		fprintf(e->text.to, "because %s", steps->sets[steps->n_sets - 1].why);
		line_print(e);
	}
	inputs_print(e);
	queue_print(e);
}

static void explain_print(struct explanation *e) {
	if (e->snaplen > 0)
		output_printf(
			e->out,
			"warning: only %u of the packet's %u bytes were captured. It is "
			"explained as if it ended there.\nA snaplen of %u would do (tcpdump -s "
			"%u).\n\n",
			e->len, e->wire_len, e->snaplen, e->snaplen);
	output_escaped_printf(e->out, "packet %" PRIu64 " of %s, %u", e->n, e->pcap, e->len);
	if (e->wire_len > e->len)
		output_printf(e->out, " of %u", e->wire_len);
	output_escaped_printf(e->out, " bytes captured, as %s sees it\n\n",
			      e->loaded->profile->spec);
	steps_print(e);
	type_print(e);
	values_print(e);
	hash_print(e);
	if (e->answer.steps->parser.n == 0)
		return;
	output_char(e->out, '\n');
	output_wrapped(e->out, ddp_package_note, 0, 0);
}

/* JSON */

static void key_place(struct explanation *e, struct json_writer *json,
		      const struct ddp_place *place) {
	if (place == NULL || place->line == 0)
		return;
	fprintf(e->text.to, "%s:%u:%u", place->file, place->line, place->col);
	jsonw_key_text(json, "place", strbuf_take(&e->text));
}

// Write a number or a text; null if the packet has no such field.
static void value_json(struct json_writer *json, const struct ddp_read *read) {
	if (read->value != NULL && *read->value != '\0' &&
	    strspn(read->value, "0123456789") == strlen(read->value))
		jsonw_number(json, read->value);
	else
		jsonw_text(json, read->value);
}

static void reads_json(struct json_writer *json, const char *key, const struct ddp_reads *reads) {
	jsonw_key_open(json, key, '{');
	for (unsigned int i = 0; i < reads->n; i++) {
		jsonw_key(json, reads->reads[i].name);
		value_json(json, &reads->reads[i]);
	}
	jsonw_close(json, '}');
}

static void step_json(struct explanation *e, struct json_writer *json,
		      const struct ddp_step *step) {
	jsonw_write(json, "{name:%s hidden:%d offset:%u size:%ju size_why:%s", step->name,
		    step->hidden, step->offset, step->size, step->size_why);
	key_place(e, json, step->place);
	reads_json(json, "fields", &step->reads);
	jsonw_key_bool(json, "fragment", step->fragment);
	if (step->flaw != DDP_FLAW_NONE)
		jsonw_key_text(json, "flaw", step->flaw_why);
	if (step->flaw == DDP_FLAW_NONE || step->flaw == DDP_FLAW_AHEAD) {
		jsonw_key_open(json, "rules", '[');
		for (unsigned int i = 0; i < step->n_tries; i++) {
			const struct ddp_try *try = &step->tries[i];

			jsonw_write(json, "{then:%s when:%s", try->what, try->when);
			key_place(e, json, try->place);
			jsonw_write(json, "decides:%d why:%s}", try->decides, try->why);
		}
		jsonw_close(json, ']');
	}
	jsonw_key_text(json, "next", step->next);
	jsonw_close(json, '}');
}

static void sets_json(struct explanation *e, struct json_writer *json) {
	const struct ddp_steps *steps = e->answer.steps;

	jsonw_key_open(json, "input_sets", '[');
	for (unsigned int i = 0; i < steps->n_sets; i++) {
		jsonw_write(json, "{hash:%s", steps->sets[i].what);
		key_place(e, json, steps->sets[i].place);
		jsonw_write(json, "chosen:%d why:%s}", steps->sets[i].decides, steps->sets[i].why);
	}
	jsonw_write(json, "] hashed:[");
	for (unsigned int i = 0; i < steps->hashed.n; i++) {
		const struct ddp_read *read = &steps->hashed.reads[i];

		if (read->value == NULL)
			continue;
		jsonw_write(json, "{name:%s value:", read->name);
		value_json(json, read);
		jsonw_write(json, "offset:%u bits:%u}", read->bit / 8, read->bits);
	}
	jsonw_close(json, ']');
}

static void hash_json(struct explanation *e, struct json_writer *json) {
	const struct ddp_answer *answer = &e->answer;

	if (answer->input_len == 0) {
		jsonw_key_text(json, "input", NULL);
		jsonw_key_text(json, "hash", NULL);
		jsonw_key_text(json, "reta_index", NULL);
	} else {
		bytes_write(e->text.to, answer->input, answer->input_len, UINT_MAX);
		jsonw_write(json, "input:%s hash:%08x reta_index:%u", strbuf_take(&e->text),
			    answer->hash, reta_index(e));
	}
	jsonw_key_uint(json, "queue", answer->queue);
}

static void parser_json(struct explanation *e, struct json_writer *json) {
	const struct ddp_steps *steps = e->answer.steps;

	if (steps->parser.n == 0)
		return;
	chain_json(e->loaded->program, &e->answer.class, json);
	reads_json(json, "parser", &steps->parser);
	jsonw_key_open(json, "ptypes", '[');
	for (unsigned int i = 0; i < steps->n_types; i++)
		jsonw_object(json, "name:%s chosen:%d why:%s", steps->types[i].what,
			     steps->types[i].decides, steps->types[i].why);
	jsonw_close(json, ']');
	if (steps->unhashed != NULL)
		jsonw_key_text(json, "not_hashed", steps->unhashed);
	jsonw_key_text(json, "note", ddp_package_note);
}

static void explain_json(struct explanation *e) {
	const struct ddp_class *class = &e->answer.class;
	const struct ddp_steps *steps = e->answer.steps;
	struct json_writer json;

	jsonw_init(&json, e->out);
	jsonw_write(&json, "{n:%ju len:%u wire_len:%u", e->n, e->len, e->wire_len);
	jsonw_key_uint_or_null(&json, "snaplen", e->snaplen > 0, e->snaplen);
	jsonw_key_text(&json, "status", status_name(class->status));
	jsonw_key_open(&json, steps->parser.n > 0 ? "steps" : "headers", '[');
	for (unsigned int i = 0; i < steps->n_steps; i++)
		step_json(e, &json, &steps->steps[i]);
	jsonw_write(&json, "] ptype:%s ptype_id:%u path:%s matched:%u",
		    type_name(e->loaded->program, class->type), class->type_id,
		    steps->path != NULL ? steps->path : "", n_visible(e, class->n_matched));
	format_ptype(e->text.to, class->rte_ptype);
	jsonw_key_text(&json, "rte_ptype", strbuf_take(&e->text));
	sets_json(e, &json);
	reads_json(&json, "extracted", &steps->extracted);
	hash_json(e, &json);
	parser_json(e, &json);
	jsonw_write(&json, "}\n");
}

/* Command */

// Read up to packet n of a capture. Returns the exit status; errors go to stderr.
static int capture_seek(struct capture *capture, uint64_t n, struct ddp_packet *packet) {
	int ret = 1, status;

	while (ret > 0 && capture->n_packets < n)
		ret = capture_next(capture, packet);
	if (ret > 0)
		return EXIT_GOOD;
	status = capture_end_or_report(capture, ret);
	if (status != EXIT_GOOD)
		return status;
	error_print("%s: there is no packet %" PRIu64 ", the last one is %" PRIu64, capture->path,
		    n, capture->n_packets);
	return EXIT_NO;
}

static int capture_explain(const void *arg, const struct ddp_personality *loaded,
			   struct capture *capture, struct output *out) {
	const struct explain_options *options = arg;
	static struct explanation e;
	static struct steer steer;
	struct ddp_answer_rss rss;
	struct ddp_packet packet;
	struct ddp_arena *arena;
	struct cut cut;
	int status;

	e = (struct explanation){
		.steer = &options->base.rss.steer,
		.loaded = loaded,
		.pcap = capture->path,
		.n = options->packet > 0 ? options->packet : 1,
		.out = out,
	};
	status = capture_seek(capture, e.n, &packet);
	if (status != EXIT_GOOD)
		return status;
	cut.captured = capture_current(capture);
	steer_init(&steer, e.steer);
	rss = steer_of(&steer);
	cut_answer(&cut, loaded->program, &steer, NULL, &e.answer);
	e.len = cut.captured->len;
	e.wire_len = cut.captured->wire_len;
	e.snaplen = cut.unknown ? cut_snaplen(cut.needed) : 0;
	arena = ddp_arena_create();
	ddp_personality_answer(loaded, &rss, &cut.packet, arena, &e.answer);
	if (e.answer.steps == NULL)
		no_memory_exit();
	strbuf_init(&e.text);
	if (options->base.common.format == FORMAT_JSON)
		explain_json(&e);
	else
		explain_print(&e);
	strbuf_fini(&e.text);
	ddp_arena_destroy(arena);
	return EXIT_GOOD;
}

int cmd_explain(const void *options, struct output *out) {
	return capture_use(options, out, capture_explain);
}
