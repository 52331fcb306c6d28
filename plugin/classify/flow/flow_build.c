/* SPDX-License-Identifier: BSD-3-Clause */
// Shapes of flow rules -> a set that the data path uses.

#include "classify/build/build.h"
#include "flow_set.h"

// Headers that patterns need not name: any number of `skipped` behind `after`.
static const struct skip {
	const char *after, *skipped;
} skips[] = {
	{"eth", "vlan"},      {"vlan", "vlan"},         {"ipv6", "ipv6_ext"},
	{"gtpu", "gtpu_ext"}, {"gtpu_psc", "gtpu_ext"}, {"gtpu_psc", "gtpu_psc"},
	{"pppoe", "ppp"},     {"geneve", "eth"},        {"geneve", "vlan"},
};

struct flow_builder {
	const struct ddp_profile *profile;
	struct ddp_diag *diag;
	struct ddp_diag ignored; // of the automaton: warnings about paths that no packet takes
	const struct ddp_program *program;
	struct ddp_flow_set *set;
	bool ok;
	struct ddp_arena *scratch;
	const struct ddp_flow_shape *const *shapes;
	unsigned int n_rules, n_groups; // of shapes; of those, in the set
	struct ddp_packet_type *paths;  // by group: as types, for the automaton
	uint32_t *shape_of;             // by group
};

#define ADD(b, what) DDP_APPEND((b)->set->arena, (b)->set->what, (b)->set->n_##what)
#define VIEW_ADD(b, what) DDP_APPEND((b)->set->arena, (b)->set->view.what, (b)->set->view.n_##what)

/* Paths */

static struct ddp_path *path_new(struct flow_builder *b, struct ddp_path path) {
	struct ddp_path *made = ddp_arena_alloc(b->scratch, sizeof(*made));

	*made = path;
	return made;
}

static struct ddp_path *path_header(struct flow_builder *b, int node) {
	return path_new(b, (struct ddp_path){.kind = DDP_PATH_HEADER, .node = node});
}

static struct ddp_path *path_join(struct flow_builder *b, enum ddp_path_kind kind,
				  struct ddp_path *left, struct ddp_path *right) {
	if (left == NULL || right == NULL)
		return left != NULL ? left : right;
	return path_new(b, (struct ddp_path){.kind = kind, .left = left, .right = right});
}

static bool is_named(const struct ddp_flow *rule, unsigned int from, const char *header) {
	while (from < rule->n_items && !ddp_flow_names(rule, from, header))
		from++;
	return from < rule->n_items;
}

static bool is_without(const struct ddp_flow *rule, unsigned int item, const char *header) {
	return rule->without[item] != NULL && strcmp(rule->without[item], header) == 0;
}

// The headers that may be skipped behind an item; NULL: none. A header that the rule names later is
// not among them: it is the nth of its kind, counted from the packet's start.
static struct ddp_path *path_skipped(struct flow_builder *b, const struct ddp_flow *rule,
				     unsigned int item) {
	struct ddp_path *choice = NULL;

	for (unsigned int i = 0; i < sizeof(skips) / sizeof(skips[0]); i++) {
		int node = ddp_header_find(b->profile, skips[i].skipped);

		if (strcmp(skips[i].after, rule->items[item]) == 0 && node >= 0 &&
		    !is_without(rule, item, skips[i].skipped) &&
		    !is_named(rule, item + 1, skips[i].skipped))
			choice = path_join(b, DDP_PATH_EITHER, choice, path_header(b, node));
	}
	if (choice == NULL)
		return NULL;
	return path_new(b, (struct ddp_path){.kind = DDP_PATH_ANY, .left = choice});
}

static struct ddp_path *path_of_rule(struct flow_builder *b, const struct ddp_flow *rule) {
	struct ddp_path *path = NULL;

	for (unsigned int i = 0; i < rule->n_items; i++) {
		const int node = ddp_header_find(b->profile, rule->items[i]);

		path = path_join(b, DDP_PATH_SEQUENCE, path, path_header(b, node));
		if (!rule->exact && i + 1 < rule->n_items)
			path = path_join(b, DDP_PATH_SEQUENCE, path, path_skipped(b, rule, i));
	}
	return path;
}

static const struct ddp_flow *rule_of(const struct flow_builder *b, unsigned int group) {
	return &b->shapes[b->shape_of[group]]->rule;
}

static bool paths_find(struct flow_builder *b) {
	unsigned int n = 0, n_pathless = 0, known;

	for (unsigned int i = 0; i < b->n_rules; i++) {
		const struct ddp_flow *rule = &b->shapes[i]->rule;

		for (known = 0; known < rule->n_items; known++)
			if (ddp_header_find(b->profile, rule->items[known]) < 0)
				break;
		if (known < rule->n_items && !rule->optional)
			return ddp_refuse(b->diag, NULL, "no loaded profile parses header '%s'",
					  rule->items[known]);
		if (rule->n_items == 0 || known < rule->n_items)
			continue;
		// The automaton reports types that match one path unless they differ in priority.
		b->paths[n].priority = n;
		b->paths[n].name = "";
		b->paths[n].path = path_of_rule(b, rule);
		b->shape_of[n++] = i;
	}
	for (unsigned int i = 0; i < b->n_rules; i++)
		if (b->shapes[i]->rule.n_items == 0)
			b->shape_of[n + n_pathless++] = i;
	b->set->n_paths = n;
	b->n_groups = n + n_pathless;
	return true;
}

static void order_report(struct flow_builder *b, const struct ddp_flow *rule) {
	char text[400] = "";
	size_t len = 0;

	for (unsigned int i = 0; i < rule->n_items && len + 40 < sizeof(text); i++)
		len += snprintf(text + len, sizeof(text) - len, "%s%s", i > 0 ? " / " : "",
				rule->items[i]);
	ddp_error(b->diag, NULL, "no packet that the loaded profiles parse has the headers %s",
		  text);
}

static bool automaton_make(struct flow_builder *b) {
	struct ddp_profile paths = *b->profile;
	struct automaton *a = &b->set->automaton;
	bool *taken, ok;

	paths.types = b->paths;
	paths.n_types = b->set->n_paths;
	ok = automaton_build(a, &paths, NULL, b->set->arena, b->scratch, &b->ignored);
	if (!ok)
		return ddp_refuse(b->diag, NULL, "the flow rules have too many paths together");
	taken = ddp_arena_alloc(b->scratch, b->set->n_paths + 1);
	for (unsigned int s = 0; s < a->n_states; s++)
		for (unsigned int i = 0; i < a->n_accepts[s]; i++)
			taken[a->accepts[a->first_accept[s] + i]] = true;
	for (unsigned int p = 0; p < b->set->n_paths; p++) {
		if (taken[p] || rule_of(b, p)->optional)
			continue;
		order_report(b, rule_of(b, p));
		ok = false;
	}
	return ok;
}

/* References */

static bool place_add(struct flow_builder *b, const struct ddp_flow_field *at, uint16_t *index) {
	struct prog_field *field;

	if (b->set->view.n_fields > UINT16_MAX)
		return ddp_refuse(b->diag, NULL, "the flow rules read too many fields together");
	*index = b->set->view.n_fields;
	field = VIEW_ADD(b, fields);
	field->bit_off = at->bit & ~DDP_FLOW_PAYLOAD;
	field->anchor = at->bit & DDP_FLOW_PAYLOAD ? DDP_AHEAD : DDP_FROM_START;
	field->width = at->width;
	field->group = -1;
	return true;
}

// Resolve a range of bits: for the program in *ref, for the profile (to find pairs) in *named.
static bool ref_make(struct flow_builder *b, const struct ddp_flow *rule,
		     const struct ddp_flow_field *at, struct prog_ref *ref, struct ddp_ref *named) {
	const char *item = rule->items[at->item];
	const int node = ddp_header_find(b->profile, item);
	const struct ddp_header *header = &b->profile->headers[node];
	int field = UINT8_MAX;

	if (at->field != NULL) {
		field = ddp_field_find(header, at->field);
		if (field < 0 || at->width > header->fields[field].width)
			return ddp_refuse(
				b->diag, NULL,
				"header '%s' of profile '%s' has no field '%s' of %u bits or "
				"more",
				item, header->profile, at->field, at->width);
	}
	*named = (struct ddp_ref){
		.node = node,
		.field = field,
		.which = DDP_WHICH_NTH_SEEN,
		.nth = ddp_flow_nth(rule, at->item),
		.bits = at->field != NULL && at->width == 0 ? header->fields[field].width :
							      at->width,
		.name = at->field,
	};
	*ref = prog_ref_of(b->program, named);
	return at->field != NULL || place_add(b, at, &ref->field);
}

/* Groups */

static bool guard_add(struct flow_builder *b, const struct ddp_flow *rule,
		      const struct ddp_flow_value *value, struct prog_cond *guards) {
	struct prog_match *match = VIEW_ADD(b, matches);
	struct ddp_pattern *pattern;
	struct ddp_ref named;

	if (!ref_make(b, rule, &value->at, &match->ref, &named))
		return false;
	match->negate = value->negate;
	match->first_pattern = b->set->view.n_patterns;
	match->n_patterns = 1;
	pattern = VIEW_ADD(b, patterns);
	*pattern = value->pattern;
	pattern->value_hi &= pattern->mask_hi;
	pattern->value_lo &= pattern->mask_lo;
	guards->n_matches++;
	return true;
}

// Exclude the headers that may not follow the last header of a rule, nor one skipped before it.
static void without_add(const struct flow_builder *b, const struct ddp_flow *rule,
			struct flow_group *group) {
	const unsigned int last = rule->n_items - 1;

	if (rule->n_items == 0 || rule->without[last] == NULL)
		return;
	group->without = ddp_header_find(b->profile, rule->without[last]); // none: -1
	for (unsigned int i = 0; i < sizeof(skips) / sizeof(skips[0]); i++)
		if (strcmp(skips[i].after, rule->items[last]) == 0 &&
		    !is_without(rule, last, skips[i].skipped))
			group->skipped = ddp_header_find(b->profile, skips[i].skipped);
}

static bool group_add(struct flow_builder *b, unsigned int g) {
	const struct ddp_flow *rule = rule_of(b, g);
	struct flow_group group = {
		.stage = rule->stage,
		.ends = rule->ends,
		.without = FLOW_NODE_NONE,
		.skipped = FLOW_NODE_NONE,
		.hashing = rule->hashing,
		.table = b->shapes[b->shape_of[g]]->table,
		.first_key = b->set->n_keys,
		.guards = {.first_match = b->set->view.n_matches},
	};

	without_add(b, rule, &group);
	for (unsigned int i = 0; i < rule->n_values; i++) {
		const struct ddp_flow_value *value = &rule->values[i];
		struct flow_key *key;
		struct ddp_ref named;

		if (!ddp_flow_is_key(value)) {
			if (!guard_add(b, rule, value, &group.guards))
				return false;
			continue;
		}
		key = ADD(b, keys);
		key->mask_hi = value->pattern.mask_hi;
		key->mask_lo = value->pattern.mask_lo;
		group.n_keys++;
		if (!ref_make(b, rule, &value->at, &key->ref, &named))
			return false;
	}
	*ADD(b, groups) = group;
	return true;
}

/* Hashed fields */

static bool inputs_make(struct flow_builder *b, unsigned int g) {
	const struct ddp_flow *rule = rule_of(b, g);
	struct ddp_ref named[DDP_MAX_INPUT_SIZE];
	struct prog_set *set = &b->set->groups[g].inputs;
	unsigned int size = 0;

	set->first_input = b->set->view.n_inputs;
	set->n_inputs = rule->n_inputs;
	for (unsigned int i = 0; i < rule->n_inputs; i++) {
		struct prog_input *input = VIEW_ADD(b, inputs);

		if (!ref_make(b, rule, &rule->inputs[i], &input->ref, &named[i]))
			return false;
		input->name = "";
		size += (input->ref.bits + 7) / 8;
	}
	if (size > DDP_MAX_INPUT_SIZE && rule->inputs[rule->n_inputs - 1].spare) {
		set->n_inputs--;
		size -= (b->set->view.inputs[set->first_input + set->n_inputs].ref.bits + 7) / 8;
	}
	if (size > DDP_MAX_INPUT_SIZE)
		return ddp_refuse(b->diag, NULL, "%u bytes to hash are more than %d", size,
				  DDP_MAX_INPUT_SIZE);
	for (unsigned int i = 0; i < rule->n_inputs; i++)
		b->set->view.inputs[set->first_input + i].partner =
			partner_find(b->profile, named, rule->n_inputs, i);
	set_compile(&b->set->view, b->set->arena, set);
	return true;
}

/* Packet types that packets of the rules can have */

// The paths of packet types and those of rules are two automata over the same headers. Both are
// followed together, header by header: as soon as a rule has all of its headers, its packets can
// have the type of the path so far, and those of all paths that go on from there. The values of a
// rule, and headers that must not follow, only make it match fewer packets: they are ignored.
#define POINTS_MAX 4096 // points; the library's profiles need fewer

// A state of both automata that packets can reach. best: that of the last packet type before.
struct point {
	uint16_t type, rule, best;
};

struct state_search {
	const struct ddp_program *program;
	const struct automaton *types, *rules;
	bool *reached; // by packet type
	bool *passed;  // by state of types: reached behind the last header of a rule
	struct point points[POINTS_MAX];
	unsigned int n_points;
};

static void types_reach(struct state_search *s, uint16_t state) {
	const struct automaton *a = s->types;

	for (unsigned int i = 0; i < a->n_accepts[state]; i++)
		s->reached[a->accepts[a->first_accept[state] + i]] = true;
}

static void rest_reach(struct state_search *s) {
	const struct automaton *a = s->types;
	bool grows = true;

	while (grows) {
		grows = false;
		for (unsigned int state = 1; state < a->n_states; state++)
			for (unsigned int t = 0; s->passed[state] && t < a->n_tokens; t++) {
				const uint16_t next = a->next[state * a->n_tokens + t];

				grows |= next != 0 && !s->passed[next];
				s->passed[next] = true;
			}
	}
	for (unsigned int state = 1; state < a->n_states; state++)
		if (s->passed[state])
			types_reach(s, state);
}

static bool point_add(struct state_search *s, const struct point *point) {
	for (unsigned int i = 0; i < s->n_points; i++)
		if (memcmp(&s->points[i], point, sizeof(*point)) == 0)
			return true;
	if (s->n_points == POINTS_MAX)
		return false;
	s->points[s->n_points++] = *point;
	return true;
}

// May a path that ends in this state have the type of a shorter one, for want of a sure one?
static bool keeps_best(const struct state_search *s, uint16_t state) {
	return s->types->type[state] == DDP_TYPE_NONE || s->types->type[state] == TYPE_COND;
}

static bool arrive(struct state_search *s, struct point point) {
	bool ok = !keeps_best(s, point.type) || point_add(s, &point);

	point.best = point.type;
	return ok && (s->types->type[point.type] == DDP_TYPE_NONE || point_add(s, &point));
}

static bool reach_step(struct state_search *s, const struct point *from, unsigned int node) {
	struct point to = {
		.type = s->types->next[from->type * s->types->n_tokens + node],
		.rule = s->rules->next[from->rule * s->rules->n_tokens + node],
		.best = from->best,
	};

	if (to.rule == 0 || s->program->nodes[node].info.hidden)
		return true;
	if (s->rules->n_accepts[to.rule] == 0)
		return arrive(s, to);
	if (keeps_best(s, to.type))
		types_reach(s, to.best);
	s->passed[to.type] = true;
	return true;
}

static void flow_reach_find(struct ddp_flow_set *set, const struct ddp_program *program,
			    struct ddp_arena *scratch) {
	struct state_search *s = ddp_arena_alloc(scratch, sizeof(*s));
	bool ok = set->n_groups == set->n_paths && program->model == NULL;

	set->reached = ddp_arena_alloc(set->arena, program->n_types + 1);
	*s = (struct state_search){
		.program = program,
		.types = &program->automaton,
		.rules = &set->automaton,
		.reached = set->reached,
	};
	if (ok) {
		s->passed = ddp_arena_alloc(scratch, s->types->n_states);
		arrive(s, (struct point){.type = s->types->start, .rule = s->rules->start});
	}
	for (unsigned int i = 0; i < s->n_points && ok; i++)
		for (unsigned int node = 0; node < s->rules->n_tokens && ok; node++) {
			const struct point from = s->points[i];

			ok = reach_step(s, &from, node);
		}
	if (ok)
		rest_reach(s);
	else
		memset(set->reached, true, program->n_types);
}

/* Sets */

static bool set_fill(struct flow_builder *b) {
	struct ddp_flow_set *set = b->set;
	struct ddp_program *view = &set->view;

	b->shape_of = ddp_arena_alloc(b->scratch, (b->n_rules + 1) * sizeof(*b->shape_of));
	b->paths = ddp_arena_alloc(b->scratch, (b->n_rules + 1) * sizeof(*b->paths));
	*view = *b->program; // only what rules add to is copied
	view->n_fields = view->n_matches = view->n_patterns = view->n_inputs = view->n_runs = 0;
	for (unsigned int i = 0; i < b->program->n_fields; i++)
		*VIEW_ADD(b, fields) = b->program->fields[i];
	if (!paths_find(b) || !automaton_make(b))
		return false;
	for (unsigned int g = 0; g < b->n_groups; g++)
		if (!group_add(b, g))
			return false;
	for (unsigned int g = 0; g < b->n_groups; g++)
		if (!inputs_make(b, g))
			return false;
	flow_reach_find(set, b->program, b->scratch);
	return true;
}

static void set_make(void *arg) {
	((struct flow_builder *)arg)->ok = set_fill(arg);
}

struct ddp_flow_set *ddp_flow_set_build(const struct ddp_profile *profile,
					const struct ddp_program *program,
					const struct ddp_flow_shape *const *shapes, unsigned int n,
					struct ddp_diag *diag) {
	struct ddp_arena *arena = ddp_arena_create_in(ddp_arena_memory(program->arena));
	struct flow_builder b = {
		.profile = profile,
		.program = program,
		.diag = diag,
		.set = ddp_arena_try_alloc(arena, sizeof(*b.set)),
		.scratch = ddp_arena_create(),
		.shapes = shapes,
		.n_rules = n,
	};

	ddp_diag_init(&b.ignored);
	if (b.set != NULL)
		b.set->arena = arena;
	if (b.set == NULL || ddp_arena_run(set_make, &b) < 0)
		ddp_no_memory(diag);
	ddp_diag_fini(&b.ignored);
	ddp_arena_destroy(b.scratch);
	if (b.ok)
		return b.set;
	ddp_arena_destroy(arena);
	return NULL;
}

void ddp_flow_set_destroy(struct ddp_flow_set *set) {
	if (set != NULL)
		ddp_arena_destroy(set->arena);
}

bool ddp_flow_set_reaches(const struct ddp_flow_set *set, unsigned int type) {
	assert(type < set->view.n_types);
	return set->reached[type];
}

/* GTP-U behind GRE */

// The parser of an 800-series NIC takes the GRE header and the IP header behind it as part of the
// way: a pattern may leave both out, and one that names them names no version of IP.

static void gre_insert(struct ddp_flow *rule, unsigned int at, const char *ip) {
	memmove(&rule->items[at + 2], &rule->items[at],
		(rule->n_items - at) * sizeof(rule->items[0]));
	memmove(&rule->without[at + 2], &rule->without[at],
		(rule->n_items - at) * sizeof(rule->without[0]));
	rule->without[at] = rule->without[at + 1] = NULL;
	rule->items[at] = "gre";
	rule->items[at + 1] = ip;
	rule->n_items += 2;
	for (unsigned int i = 0; i < rule->n_values; i++)
		rule->values[i].at.item += rule->values[i].at.item >= at ? 2 : 0;
	for (unsigned int i = 0; i < rule->n_inputs; i++)
		rule->inputs[i].item += rule->inputs[i].item >= at ? 2 : 0;
}

bool ddp_flow_gre_either(const struct ddp_flow *rule, unsigned int item) {
	bool is_used = rule->without[item] != NULL;

	for (unsigned int i = 0; i < rule->n_values; i++)
		is_used |= rule->values[i].at.item == item;
	for (unsigned int i = 0; i < rule->n_inputs; i++)
		is_used |= rule->inputs[i].item == item;
	return !rule->exact && item > 0 && ddp_flow_names(rule, item - 1, "gre") &&
	       ddp_flow_names_ip(rule, item) && ddp_flow_names(rule, item + 1, "udp") &&
	       ddp_flow_names(rule, item + 2, "gtpu") && !is_used;
}

unsigned int ddp_flow_gre_variants(const struct ddp_flow *rule,
				   struct ddp_flow variants[DDP_FLOW_VARIANTS]) {
	unsigned int udp = 0;

	while (udp < rule->n_items &&
	       !(ddp_flow_names(rule, udp, "udp") && ddp_flow_names(rule, udp + 1, "gtpu")))
		udp++;
	if (udp == rule->n_items || rule->exact || udp < 2 || !ddp_flow_names_ip(rule, udp - 1))
		return 0;
	if (ddp_flow_names(rule, udp - 2, "gre")) {
		if (!ddp_flow_gre_either(rule, udp - 1))
			return 0;
		variants[0] = *rule;
		variants[0].optional = true;
		variants[0].items[udp - 1] =
			ddp_flow_names(rule, udp - 1, "ipv4") ? "ipv6" : "ipv4";
		return 1;
	}
	if (rule->stage != DDP_FLOW_HASH || rule->n_items + 2 > DDP_FLOW_ITEMS)
		return 0;
	for (unsigned int i = 0; i < 2; i++) {
		variants[i] = *rule;
		variants[i].optional = true;
		gre_insert(&variants[i], udp, i == 0 ? "ipv4" : "ipv6");
	}
	return 2;
}
