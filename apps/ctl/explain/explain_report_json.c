/* SPDX-License-Identifier: BSD-3-Clause */
// The same story for machines.
#include "explain_report.h"

#include <inttypes.h>
#include <string.h>

#include "ctl/profile/profile_load.h"

// The text just written.
static void key_words(struct story *story, const char *key) {
	emit_key_text(&story->emit, key, text_take(&story->text));
}

static void key_text(struct story *story, const char *key, const char *text) {
	emit_key_text(&story->emit, key, text);
}

static void key_uint(struct story *story, const char *key, uint64_t value) {
	emit_key_uint(&story->emit, key, value);
}

static void key_place(struct story *story, const struct ddp_place *place) {
	fprintf(story->text.to, "%s:%u:%u", place->file, place->line, place->col);
	key_words(story, "place");
}

// A number where it is one, else its text; null where the packet has no such field.
static void value_json(struct story *story, unsigned int at, const struct ddp_ref *ref) {
	struct ddp_value value;

	if (!ddp_explain_field(&story->explain, at, ref, &value)) {
		emit_null(&story->emit);
		return;
	}
	words_value(&story->why.words, story->text.to, ref, value.hi, value.lo, false);
	if (strspn(text_take(&story->text), "0123456789") == strlen(story->text.s))
		emit_number(&story->emit, story->text.s);
	else
		emit_text(&story->emit, story->text.s);
}

static void fields_json(struct story *story, unsigned int at, const struct ddp_step *step) {
	uint64_t fields = story_fields(story, step);

	emit_key_open(&story->emit, "fields", '{');
	for (unsigned int i = 0; i < step->header->n_fields; i++) {
		struct ddp_ref ref = story_ref(story, step, i);

		if ((fields >> i & 1) == 0)
			continue;
		emit_key(&story->emit, ref.name);
		value_json(story, at, &ref);
	}
	emit_close(&story->emit, '}');
}

static void rules_json(struct story *story, unsigned int at, const struct ddp_step *step) {
	unsigned int n = step->rule < 0 ? step->header->n_rules : (unsigned int)step->rule + 1;
	struct emit *emit = &story->emit;

	emit_key_open(emit, "rules", '[');
	for (unsigned int i = 0; i < n; i++) {
		const struct ddp_rule *rule = &step->header->rules[i];
		bool decides = (int)i == step->rule && step->flaw == DDP_FLAW_NONE;

		emit_open(emit, '{');
		story_target(story, rule);
		key_words(story, "then");
		words_cond(&story->why.words, story->text.to, &rule->cond);
		key_words(story, "when");
		key_place(story,
			  decides && step->entry != NULL ? &step->entry->place : &rule->place);
		emit_key_bool(emit, "decides", decides);
		why_rule(&story->why, story->text.to, at, i);
		key_words(story, "why");
		emit_close(emit, '}');
	}
	emit_close(emit, ']');
}

static void step_json(struct story *story, unsigned int at) {
	struct emit *emit = &story->emit;
	struct ddp_step step;

	ddp_explain_step(&story->explain, at, &step);
	emit_open(emit, '{');
	key_text(story, "name", step.header->name);
	emit_key_bool(emit, "hidden", step.header->hidden);
	key_uint(story, "offset", step.seen->off);
	key_uint(story, "size", step.size);
	why_size(&story->why, story->text.to, at);
	key_words(story, "size_why");
	key_place(story, &step.header->place);
	fields_json(story, at, &step);
	emit_key_bool(emit, "fragment", step.seen->fragment);
	if (step.flaw != DDP_FLAW_NONE) {
		why_flaw(&story->why, story->text.to, at);
		key_words(story, "flaw");
	}
	if (step.flaw == DDP_FLAW_NONE || step.flaw == DDP_FLAW_AHEAD)
		rules_json(story, at, &step);
	key_text(story, "next",
		 step.next < 0 ? NULL : story->explain.profile->headers[step.next].name);
	emit_close(emit, '}');
}

static void set_json(struct story *story, unsigned int index) {
	const struct ddp_input_set *set = &story->type->sets[index];
	struct emit *emit = &story->emit;

	emit_open(emit, '{');
	words_refs(story->text.to, set->inputs, set->n_inputs);
	key_words(story, "hash");
	key_place(story, &set->place);
	emit_key_bool(emit, "chosen", (int)index == story->set);
	story_set_why(story, index);
	key_words(story, "why");
	emit_close(emit, '}');
}

static void sets_json(struct story *story) {
	unsigned int n = story->type == NULL ? 0 : story->type->n_sets;

	emit_key_open(&story->emit, "input_sets", '[');
	for (unsigned int i = 0; i < n && (story->set < 0 || i <= (unsigned int)story->set); i++)
		set_json(story, i);
	emit_close(&story->emit, ']');
}

static void inputs_json(struct story *story) {
	const struct ddp_input_set *set = story->set < 0 ? NULL : &story->type->sets[story->set];
	struct emit *emit = &story->emit;

	emit_key_open(emit, "hashed", '[');
	for (unsigned int i = 0; set != NULL && i < set->n_inputs; i++) {
		struct ddp_value value;

		if (!ddp_explain_field(&story->explain, DDP_EXPLAIN_TYPE, &set->inputs[i], &value))
			continue;
		emit_open(emit, '{');
		key_text(story, "name", set->inputs[i].name);
		emit_key(emit, "value");
		value_json(story, DDP_EXPLAIN_TYPE, &set->inputs[i]);
		key_uint(story, "offset", value.bit / 8);
		key_uint(story, "bits", set->inputs[i].bits);
		emit_close(emit, '}');
	}
	emit_close(emit, ']');
}

static void extract_json(struct story *story) {
	unsigned int n = story->type == NULL ? 0 : story->type->n_extract;

	emit_key_open(&story->emit, "extracted", '{');
	for (unsigned int i = 0; i < n; i++) {
		emit_key(&story->emit, story->type->extract[i].name);
		value_json(story, DDP_EXPLAIN_TYPE, &story->type->extract[i]);
	}
	emit_close(&story->emit, '}');
}

static void steered_json(struct story *story) {
	struct emit *emit = &story->emit;

	if (story->steered.input_len == 0) {
		key_text(story, "input", NULL);
		key_text(story, "hash", NULL);
		key_text(story, "reta_index", NULL);
	} else {
		for (unsigned int i = 0; i < story->steered.input_len; i++)
			fprintf(story->text.to, "%02x", story->steered.input[i]);
		key_words(story, "input");
		fprintf(story->text.to, "0x%08" PRIx32, story->steered.hash);
		key_words(story, "hash");
		key_uint(story, "reta_index", story_reta_index(story));
	}
	key_uint(story, "queue", story->steered.queue);
	emit_close(emit, '}');
	emit_end(emit);
}

void story_json(struct story *story) {
	const struct ddp_class *class = &story->explain.class;
	struct emit *emit = &story->emit;

	emit_open(emit, '{');
	key_uint(story, "n", story->n);
	key_uint(story, "len", story->len);
	key_text(story, "status", status_name(class->status));
	emit_key_open(emit, "headers", '[');
	for (unsigned int i = 0; i < story->explain.n_steps; i++)
		step_json(story, i);
	emit_close(emit, ']');
	key_text(story, "ptype", type_name(story->explain.program, class->type));
	key_uint(story, "ptype_id", class->type_id);
	if (story->type != NULL)
		words_path(&story->why.words, story->text.to, story->type->path);
	key_words(story, "path");
	key_uint(story, "matched", story_n_visible(story, class->n_matched));
	words_ptype(story->text.to, class->rte_ptype);
	key_words(story, "rte_ptype");
	sets_json(story);
	inputs_json(story);
	extract_json(story);
	steered_json(story);
}
