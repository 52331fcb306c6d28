/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <string.h>

#include "ctl/profile/profile_load.h"
#include "explain.h"
#include "profile/profile_format.h"

static void key_place(struct explanation *e, struct json_writer *json,
		      const struct ddp_place *place) {
	if (place == NULL || place->line == 0)
		return;
	fprintf(e->text.to, "%s:%u:%u", place->file, place->line, place->col);
	jsonw_key_text(json, "place", strbuf_take(&e->text));
}

// A number where it is one, else its text; null where the packet has no such field.
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
			    answer->hash, explain_reta_index(e));
	}
	jsonw_key_uint(json, "queue", answer->queue);
}

// What only packages have.
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

void explain_json(struct explanation *e) {
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
		    steps->path != NULL ? steps->path : "", explain_n_visible(e, class->n_matched));
	format_ptype(e->text.to, class->rte_ptype);
	jsonw_key_text(&json, "rte_ptype", strbuf_take(&e->text));
	sets_json(e, &json);
	reads_json(&json, "extracted", &steps->extracted);
	hash_json(e, &json);
	parser_json(e, &json);
	jsonw_write(&json, "}\n");
}
