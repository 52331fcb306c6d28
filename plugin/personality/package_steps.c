/* SPDX-License-Identifier: BSD-3-Clause */
// Answers of a personality. Of a package the steps are those of the NIC's parser.
#include <errno.h>
#include <inttypes.h>

#include "base/arena.h"
#include "e810/e810_rss.h"
#include "personality.h"

const char ddp_package_note[] =
	"No silicon was at hand. Exact by the package's own tables: the steps of the parser, packet types, "
	"protocols with their offsets, flags, groups of packet types. Modelled after DPDK's ice driver: which "
	"requests RSS has and which of them wins; absent fields hash as 0.";

struct e810_steps {
	const struct ddp_personality *personality;
	const struct e810_rss *rss; // with the requests of rss_hf
	const uint8_t *data;
	uint32_t len;
	uint64_t rss_hf;
	struct ddp_arena *arena;
	struct ddp_steps *steps;
	struct e810_step *walk;
	unsigned int n_walk;
	struct e810_result result;
	bool markers[E810_N_MARKERS];
};

static const char *label_of(const struct e810_steps *b, uint32_t labels, uint16_t value) {
	const char *label = e810_label(b->personality->package, labels, value);

	return label != NULL ? label : "";
}

// "8 N_UDP_1"
static const char *named(struct e810_steps *b, uint32_t labels, uint16_t value) {
	const char *label = label_of(b, labels, value);

	return ddp_arena_printf(b->arena, "%u %s", value, *label != '\0' ? label : "(no label)");
}

// "a, b" of a and b; b alone of NULL.
static const char *joined(struct e810_steps *b, const char *list, const char *item) {
	return list == NULL ? item : ddp_arena_printf(b->arena, "%s, %s", list, item);
}

static void read_add(struct e810_steps *b, struct ddp_reads *reads, const char *name,
		     const char *text, const char *value) {
	if (text != NULL)
		*DDP_APPEND(b->arena, reads->reads, reads->n) =
			(struct ddp_read){.name = name, .text = text, .value = value};
}

static const char *decimal(struct e810_steps *b, uint32_t value) {
	return ddp_arena_printf(b->arena, "%" PRIu32, value);
}

/* Steps */

// Their offsets count from an offset.
static const char *protocols_text(struct e810_steps *b, const struct e810_protocol *protocols,
				  unsigned int n, uint16_t from) {
	const char *list = NULL;

	for (unsigned int i = 0; i < n; i++)
		list = joined(b, list,
			      ddp_arena_printf(
				      b->arena, "%u %s at %u", protocols[i].id,
				      e810_protocol_name(b->personality->parser, protocols[i].id),
				      (uint16_t)(from + protocols[i].offset)));
	return list;
}

static void step_read(struct e810_steps *b, const struct e810_step *from, struct ddp_step *step) {
	char hex[2 + 2 * sizeof(from->key) + 1] = "0x";
	const char *key, *boost = NULL, *markers = NULL, *protocols;

	for (unsigned int i = 0; i < sizeof(from->key); i++)
		sprintf(hex + 2 + 2 * i, "%02x", from->key[i]);
	key = ddp_arena_strdup(b->arena, hex);
	read_add(b, &step->reads, "node", decimal(b, from->node), decimal(b, from->node));
	read_add(b, &step->reads, "instruction", named(b, E810_LABELS_PC, from->pc),
		 decimal(b, from->pc));
	read_add(b, &step->reads, "key", key, key);
	if (from->boost >= 0)
		boost = named(b, E810_LABELS_BOOST, from->boost);
	read_add(b, &step->reads, "boost",
		 boost == NULL ?
			 "no entry matches" :
			 ddp_arena_printf(b->arena, "%s (index %u)", boost, from->boost_index),
		 boost);
	read_add(b, &step->reads, "next_protocol",
		 ddp_arena_printf(b->arena, "0x%02" PRIx32, from->next_protocol),
		 decimal(b, from->next_protocol));
	if (from->edge == NULL)
		return;
	for (unsigned int m = 0; m < E810_N_MARKERS; m++)
		if (e810_edge_marks(from->edge, m)) {
			markers = joined(b, markers, named(b, E810_LABELS_MARKER, m));
			b->markers[m] = true;
		}
	read_add(b, &step->reads, "markers", markers, markers);
	protocols = protocols_text(b, from->edge->protocols, from->edge->n_protocols,
				   from->protocol_offset);
	read_add(b, &step->reads, "records", protocols, protocols);
}

static const char *name_of(struct e810_steps *b, uint32_t labels, const char *kind,
			   uint16_t value) {
	const char *label = label_of(b, labels, value);

	return *label != '\0' ? label : ddp_arena_printf(b->arena, "%s_%u", kind, value);
}

static const char *node_name(struct e810_steps *b, uint16_t node) {
	return name_of(b, E810_LABELS_NODE, "node", node);
}

static void step_make(struct e810_steps *b, const struct e810_step *from) {
	struct ddp_step *step = DDP_APPEND(b->arena, b->steps->steps, b->steps->n_steps);
	struct ddp_try *row;

	step->name = node_name(b, from->node);
	step->offset = from->offset;
	step->size_why = step->flaw_why = "";
	step_read(b, from, step);
	if (from->edge == NULL) {
		step->flaw = DDP_FLAW_INVALID;
		step->flaw_why = ddp_arena_printf(
			b->arena,
			"parser error: the parse graph has no entry for node %u with boost index %u and "
			"next protocol 0x%" PRIx32 "; what was found before counts",
			from->node, from->boost_index, from->next_protocol);
		return;
	}
	step->size = (uint16_t)(from->next_offset - from->offset);
	step->size_why = ddp_arena_printf(b->arena, "%" PRIu64 " byte%s", step->size,
					  step->size == 1 ? "" : "s");
	step->next = from->edge->last ? NULL : node_name(b, from->next_node);
	row = DDP_APPEND(b->arena, step->tries, step->n_tries);
	row->what = node_name(b, from->next_node);
	row->when = "";
	row->decides = true;
	row->why = ddp_arena_printf(b->arena, "row %u of the %s", from->edge->index,
				    from->edge->no_match ? "no-match CAM" : "CAM");
}

static void step_take(void *arg, const struct e810_step *step) {
	struct e810_steps *b = arg;

	*DDP_APPEND(b->arena, b->walk, b->n_walk) = *step;
}

/* The end of the walk */

static const char *end_text(struct e810_steps *b) {
	const struct e810_step *last = &b->walk[b->n_walk - 1];

	if (b->result.status == E810_LOOP)
		return ddp_arena_printf(
			b->arena,
			"The walk makes no progress: it stays at byte %u and is given up after %u steps "
			"(loop). A software parser without such a limit never ends; what silicon does is "
			"not known. There is no packet type.",
			b->result.end, b->n_walk);
	if (b->result.status == E810_ERROR)
		return ddp_arena_printf(b->arena, "The walk ends in step %u with a parser error.",
					b->n_walk);
	return ddp_arena_printf(
		b->arena, "The walk ends after %u step%s at byte %u: %s%s", b->n_walk,
		b->n_walk == 1 ? "" : "s", b->result.end,
		last->edge->last ? "the parse graph says that this was the last." :
				   "there is nothing left to parse.",
		b->result.end <= b->len ?
			"" :
			ddp_arena_printf(
				b->arena,
				" The packet has only %u bytes: it is cut in the last "
				"header, or shorter than that says. What is missing read as 0.",
				b->len));
}

// The entry of the TCAM that matches, or the nearest one if few of its markers differ.
static void ptype_try(struct e810_steps *b) {
	struct e810_ptype_entry nearest;
	unsigned int n = e810_ptype_nearest(b->personality->parser, b->markers, &nearest);
	struct ddp_try *try;

	if (n > 2 || b->result.status == E810_LOOP)
		return;
	try = DDP_APPEND(b->arena, b->steps->types, b->steps->n_types);
	try->what = e810_ptype_name(b->personality->parser, nearest.ptype);
	try->when = "the nearest";
	try->decides = n == 0;
	if (n == 0)
		try->why = ddp_arena_printf(b->arena, "entry %u of the packet type TCAM",
					    nearest.address);
	for (unsigned int m = 0; n > 0 && m < E810_N_MARKERS; m++)
		if (nearest.differs[m])
			try->why =
				joined(b, try->why,
				       ddp_arena_printf(b->arena, "it %s marker %s",
							b->markers[m] ? "is without" : "also wants",
							named(b, E810_LABELS_MARKER, m)));
}

static void flags_add(struct e810_steps *b, const char *name, uint64_t flags, int digits,
		      bool is_rss, bool is_packet) {
	const char *value = ddp_arena_printf(b->arena, "0x%0*" PRIx64, digits, flags);
	const char *list = NULL;

	for (unsigned int f = 0; f < 64 && (is_rss || is_packet); f++) {
		const char *flag;

		if ((flags >> f & 1) == 0)
			continue;
		// The packet flag that a bit of the RSS block's flags stands for.
		if (is_rss && f == 15)
			flag = "one of several packet flags";
		else
			flag = e810_packet_flag_name(
				is_rss ? e810_rss_flag_source(b->personality->package, f) : f);
		list = joined(
			b, list,
			ddp_arena_printf(b->arena, "%u %s", f, flag != NULL ? flag : "(unknown)"));
	}
	read_add(b, &b->steps->parser, name,
		 list == NULL ? value : ddp_arena_printf(b->arena, "%s: %s", value, list), value);
}

static const char *unhashed_text(const struct e810_steps *b) {
	if (b->result.ptype == E810_NO_PTYPE)
		return "without a packet type there is no group, so no request applies";
	if (b->rss_hf == 0)
		return "rss_hf is none";
	if (e810_rss_request(b->rss, b->result.ptype, 0) != NULL)
		return "an entry of the package's own for these RSS flags comes before the driver's "
		       "requests";
	return "none of the driver's requests is for its group, so the default profile applies";
}

static void rss_add(struct e810_steps *b) {
	const uint16_t ptype = b->result.ptype, flags = b->result.rss_flags;
	struct e810_word words[E810_WORDS];
	const char *request, *list = NULL;
	unsigned int n, group;

	if (b->steps->set == NULL)
		b->steps->unhashed = unhashed_text(b);
	if (ptype == E810_NO_PTYPE)
		return;
	group = e810_rss_group(b->rss, ptype);
	read_add(b, &b->steps->parser, "group",
		 ddp_arena_printf(b->arena, "%u %s of packet types", group,
				  name_of(b, E810_LABELS_RSS_PTG, "PTG", group)),
		 decimal(b, group));
	request = e810_rss_request(b->rss, ptype, flags);
	read_add(b, &b->steps->parser, "request",
		 request == NULL || group != 0 ?
			 request :
			 ddp_arena_printf(
				 b->arena,
				 "%s (group 0 is that of all packet types without one, which "
				 "get what was asked for any of them last)",
				 request),
		 request);
	n = e810_rss_words(b->rss, ptype, flags, words);
	for (unsigned int i = 0; i < n; i++) {
		char name[E810_WORD_NAME];

		e810_word_name(words[i].protocol, words[i].offset, name);
		list = joined(b, list,
			      ddp_arena_printf(b->arena, "%u %s, byte %u of protocol %u",
					       words[i].index, name, words[i].offset,
					       words[i].protocol));
	}
	read_add(b, &b->steps->parser, "words", list, list);
}

static void parser_add(struct e810_steps *b) {
	struct ddp_reads *parser = &b->steps->parser;
	const char *markers = NULL, *protocols, *end = end_text(b);

	read_add(b, parser, "end", end, decimal(b, b->result.end));
	for (unsigned int m = 0; m < E810_N_MARKERS; m++)
		if (b->markers[m])
			markers = joined(b, markers, named(b, E810_LABELS_MARKER, m));
	read_add(b, parser, "markers", markers, markers);
	protocols = protocols_text(b, b->result.protocols, b->result.n_protocols, 0);
	read_add(b, parser, "protocols", protocols, protocols);
	flags_add(b, "packet_flags", b->result.packet_flags, 16, false, true);
	flags_add(b, "rss_flags", b->result.rss_flags, 4, true, false);
	flags_add(b, "fd_flags", b->result.fd_flags, 4, false, false);
	flags_add(b, "sw_flags", b->result.sw_flags, 4, false, false);
	rss_add(b);
}

static void steps_build(void *arg) {
	struct e810_steps *b = arg;

	e810_parse_watched(b->personality->parser, b->data, b->len, &b->result, NULL, step_take, b);
	for (unsigned int i = 0; i < b->n_walk; i++)
		step_make(b, &b->walk[i]);
	ptype_try(b);
	parser_add(b);
}

static int package_steps(const struct ddp_personality *personality, uint64_t rss_hf,
			 const struct ddp_packet *packet, struct ddp_arena *arena,
			 struct ddp_steps *steps) {
	uint8_t buf[E810_WINDOW];
	const uint32_t there = packet->len < E810_WINDOW ? packet->len : E810_WINDOW;
	struct e810_steps b = {
		.personality = personality,
		.data = there <= packet->first_len ? packet->data :
						     packet->read(packet->ctx, 0, there, buf),
		.len = packet->len,
		.rss_hf = rss_hf,
		.arena = arena,
		.steps = steps,
	};
	struct e810_rss *rss;
	struct ddp_diag diag;
	int ret = -ENOMEM;

	ddp_diag_init(&diag);
	rss = e810_rss_create(personality->parser, rss_hf, &diag);
	ddp_diag_fini(&diag);
	b.rss = rss;
	if (rss != NULL)
		ret = ddp_arena_run(steps_build, &b);
	e810_rss_destroy(rss);
	return ret;
}

int ddp_personality_answer(const struct ddp_personality *personality,
			   const struct ddp_answer_rss *rss, const struct ddp_packet *packet,
			   struct ddp_arena *arena, struct ddp_answer *answer) {
	int ret;

	if (arena == NULL) {
		ddp_answer(personality->program, rss, packet, answer);
		return 0;
	}
	ret = ddp_answer_steps(personality->profile, personality->program, rss, packet, arena,
			       answer);
	if (ret == 0 && personality->package != NULL)
		ret = package_steps(personality, rss->rss_hf, packet, arena, answer->steps);
	if (ret < 0)
		answer->steps = NULL;
	return ret;
}
