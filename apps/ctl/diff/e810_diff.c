/* SPDX-License-Identifier: BSD-3-Clause */
// Two packages of the 800 series: what one classifies that the other does not.
#include <string.h>

#include "base/rss_hf.h"
#include "common/table.h"
#include "ctl/package/e810_links.h"
#include "ctl/package/e810_nic.h"
#include "ctl/package/e810_ptype_family.h"
#include "diff.h"
#include "e810/e810_rss.h"

struct side {
	const struct ddp_package *package;
	struct e810_parser *parser;
	struct e810_rss *rss;
	struct e810_links tables;
};

struct nics {
	struct diff *diff;
	struct side sides[2];
};

/* Packet types by name: their number may change from release to release */

static int ptype_find(const struct side *side, const char *name) {
	for (unsigned int p = 0; p < E810_N_PTYPES; p++)
		if (e810_ptype_used(side->parser, p) &&
		    strcmp(e810_ptype_name(side->parser, p), name) == 0)
			return p;
	return -1;
}

// The kinds of packet types that side i has and the other has not, in the order of their numbers.
static unsigned int only_gather(const struct nics *nics, unsigned int i,
				struct e810_family *kinds) {
	const struct side *side = &nics->sides[i];
	unsigned int n = 0;

	for (unsigned int p = 0; p < E810_N_PTYPES; p++)
		if (e810_ptype_used(side->parser, p) &&
		    ptype_find(&nics->sides[!i], e810_ptype_name(side->parser, p)) < 0)
			n = e810_family_add(kinds, n, side->parser, p);
	return n;
}

/* For machines */

static void only_json(struct nics *nics, unsigned int i, const struct e810_family *kinds,
		      unsigned int n) {
	struct json_writer *json = &nics->diff->json;

	diff_list_open(nics->diff, i == 0 ? "only_a" : "only_b");
	for (unsigned int k = 0; k < n; k++) {
		jsonw_write(json, "{protocol:%s ptypes:[", kinds[k].kind);
		for (unsigned int p = 0; p < kinds[k].n; p++)
			jsonw_object(json, "id:%u name:%s", kinds[k].ptypes[p],
				     e810_ptype_name(nics->sides[i].parser, kinds[k].ptypes[p]));
		jsonw_write(json, "]}");
	}
	diff_list_close(nics->diff);
}

/* For both, one thing after the other: text for people is written where the format asks for it */

static FILE *to(struct nics *nics) {
	return nics->diff->text.to;
}

static void only_print(struct nics *nics, unsigned int i, const struct e810_family *kinds,
		       unsigned int n) {
	if (n == 0)
		fprintf(to(nics), "%s lacks nothing that %s classifies", nics->diff->names[!i],
			nics->diff->names[i]);
	else
		fprintf(to(nics), "%s adds:", nics->diff->names[i]);
	for (unsigned int k = 0; k < n; k++) {
		fprintf(to(nics), "%s %s (%u packet type%s: ", k > 0 ? "," : "", kinds[k].kind,
			kinds[k].n, plural(kinds[k].n));
		diff_ranges(to(nics), kinds[k].ptypes, kinds[k].n);
		fputs(")", to(nics));
	}
	if (n > 0)
		diff_report(nics->diff);
	else
		diff_item(nics->diff);
}

static void only_show(struct nics *nics, unsigned int i) {
	static struct e810_family kinds[E810_FAMILIES_MAX];
	unsigned int n = only_gather(nics, i, kinds);

	nics->diff->differ |= n > 0;
	if (nics->diff->is_json)
		only_json(nics, i, kinds, n);
	else
		only_print(nics, i, kinds, n);
}

// A packet type that both have, by two numbers.
static void renumbered_show(struct nics *nics) {
	const struct side *a = &nics->sides[0], *b = &nics->sides[1];
	struct json_writer *json = &nics->diff->json;

	diff_list_open(nics->diff, "renumbered");
	for (unsigned int p = 0; p < E810_N_PTYPES; p++) {
		const char *name = e810_ptype_name(a->parser, p);
		int number = e810_ptype_used(a->parser, p) ? ptype_find(b, name) : -1;

		if (number < 0 || number == (int)p)
			continue;
		nics->diff->differ = true;
		if (nics->diff->is_json) {
			jsonw_object(json, "name:%s a:%u b:%u", name, p, number);
			continue;
		}
		fprintf(to(nics), "packet type %s is %u in %s and %d in %s", name, p,
			nics->diff->names[0], number, nics->diff->names[1]);
		diff_report(nics->diff);
	}
	diff_list_close(nics->diff);
}

/* UDP ports, protocols, instructions, flags */

// One word of a list that only side i has. Its title comes before the first.
struct list {
	struct nics *nics;
	const char *title;
	unsigned int side;
	uint32_t labels; // of labels_list()
	bool any;
};

static void list_add(struct list *list, const char *word) {
	struct nics *nics = list->nics;

	nics->diff->differ = true;
	if (nics->diff->is_json) {
		jsonw_text(&nics->diff->json, word);
		return;
	}
	if (list->any)
		fprintf(to(nics), ", %s", word);
	else
		fprintf(to(nics), "only %s %s: %s", nics->diff->names[list->side], list->title,
			word);
	list->any = true;
}

static void ports_list(struct list *list) {
	const struct e810_links *mine = &list->nics->sides[list->side].tables;
	const struct e810_links *others = &list->nics->sides[!list->side].tables;
	char word[160];

	for (unsigned int port = 0; port <= UINT16_MAX; port++) {
		if (mine->ports[port] == NULL || others->ports[port] != NULL)
			continue;
		snprintf(word, sizeof(word), "%u (%s)", port, mine->ports[port]);
		list_add(list, word);
	}
}

static void protocols_list(struct list *list) {
	const struct side *side = &list->nics->sides[list->side];
	const struct e810_links *others = &list->nics->sides[!list->side].tables;
	char word[160];

	for (unsigned int id = 0; id < 255; id++) {
		if (!side->tables.protocols[id] || others->protocols[id])
			continue;
		snprintf(word, sizeof(word), "%u %s", id, e810_protocol_name(side->parser, id));
		list_add(list, word);
	}
}

static bool has_label(const struct ddp_package *package, uint32_t id, const char *name) {
	unsigned int n;
	const struct e810_label *labels = e810_labels(package, id, &n);

	for (unsigned int i = 0; i < n; i++)
		if (strcmp(labels[i].name, name) == 0)
			return true;
	return false;
}

// Instructions by label, and whether the parse graph leads to them at all.
static void instructions_list(struct list *list) {
	const struct side *side = &list->nics->sides[list->side];
	const struct ddp_package *other = list->nics->sides[!list->side].package;
	unsigned int n;
	const struct e810_label *labels = e810_labels(side->package, E810_LABELS_PC, &n);
	char word[160];

	for (unsigned int i = 0; i < n; i++) {
		if (has_label(other, E810_LABELS_PC, labels[i].name))
			continue;
		snprintf(word, sizeof(word), "%s%s%s", labels[i].name,
			 strstr(labels[i].name, "SGT") != NULL ? " for security group tags" : "",
			 labels[i].value < E810_PCS && side->tables.reached[labels[i].value] ?
				 "" :
				 " (which nothing in the parse graph leads to)");
		list_add(list, word);
	}
}

static void labels_list(struct list *list) {
	const struct side *side = &list->nics->sides[list->side];
	const struct ddp_package *other = list->nics->sides[!list->side].package;
	unsigned int n;
	const struct e810_label *labels = e810_labels(side->package, list->labels, &n);

	for (unsigned int i = 0; i < n; i++)
		if (!has_label(other, list->labels, labels[i].name))
			list_add(list, labels[i].name);
}

static void flags_list(struct list *list) {
	const struct side *side = &list->nics->sides[list->side];
	const struct e810_links *others = &list->nics->sides[!list->side].tables;
	char word[160];

	for (unsigned int f = 0; f < 64; f++) {
		const char *name = e810_nic_flag_name(f);

		if (side->tables.flags[f] < 0 || others->flags[f] == side->tables.flags[f])
			continue;
		snprintf(word, sizeof(word), "%u %s", f, name != NULL ? name : "(unknown)");
		list_add(list, word);
	}
}

static void lists_show(struct nics *nics) {
	static const struct {
		const char *keys[2];
		const char *title;
		void (*fill)(struct list *list);
		uint32_t labels;
	} lists[] = {
		{{"udp_ports_a", "udp_ports_b"}, "knows UDP destination ports", ports_list, 0},
		{{"protocols_a", "protocols_b"}, "records protocols", protocols_list, 0},
		{{"nodes_a", "nodes_b"}, "has parse graph nodes", labels_list, E810_LABELS_NODE},
		{{"instructions_a", "instructions_b"}, "has instructions", instructions_list, 0},
		{{"flags_a", "flags_b"}, "reports packet flags", flags_list, 0},
		{{"groups_a", "groups_b"},
		 "has groups of packet types for RSS",
		 labels_list,
		 E810_LABELS_RSS_PTG},
	};

	for (unsigned int i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		for (unsigned int side = 0; side < 2; side++) {
			struct list list = {nics, lists[i].title, side, lists[i].labels, false};

			diff_list_open(nics->diff, lists[i].keys[side]);
			lists[i].fill(&list);
			diff_list_close(nics->diff);
			if (list.any && !nics->diff->is_json)
				diff_report(nics->diff);
		}
	}
}

/* RSS by the driver's default */

static const char *request_of(const struct side *side, uint16_t ptype) {
	const char *request = e810_rss_request(side->rss, ptype, 0);

	return request != NULL ? request : "nothing";
}

static bool is_asked_otherwise(const struct nics *nics, uint16_t a, int b) {
	return b >= 0 &&
	       strcmp(request_of(&nics->sides[0], a), request_of(&nics->sides[1], b)) != 0;
}

// All that go from one request to another, at the first of them.
static void hashed_print(struct nics *nics, const int others[E810_N_PTYPES], uint16_t first) {
	const struct side *sides = nics->sides;
	const char *requests[] = {request_of(&sides[0], first),
				  request_of(&sides[1], others[first])};
	const char *separator = "hashed differently by the driver's default requests:";

	for (unsigned int p = 0; p < E810_N_PTYPES; p++) {
		if (!is_asked_otherwise(nics, p, others[p]) ||
		    strcmp(request_of(&sides[0], p), requests[0]) != 0 ||
		    strcmp(request_of(&sides[1], others[p]), requests[1]) != 0)
			continue;
		if (p < first)
			break; // told with that one
		fprintf(to(nics), "%s %s", separator, e810_ptype_name(sides[0].parser, p));
		separator = ",";
	}
	if (*separator == 'h')
		return;
	fprintf(to(nics), ": %s in %s, %s in %s", requests[0], nics->diff->names[0], requests[1],
		nics->diff->names[1]);
	diff_report(nics->diff);
}

// Packet types that both have, and whose group leads to another of the driver's requests.
static void hashed_show(struct nics *nics) {
	const struct side *a = &nics->sides[0];
	int others[E810_N_PTYPES];

	for (unsigned int p = 0; p < E810_N_PTYPES; p++)
		others[p] = e810_ptype_used(a->parser, p) ?
				    ptype_find(&nics->sides[1], e810_ptype_name(a->parser, p)) :
				    -1;
	diff_list_open(nics->diff, "hashed_differently");
	for (unsigned int p = 0; p < E810_N_PTYPES; p++) {
		if (!is_asked_otherwise(nics, p, others[p]))
			continue;
		nics->diff->differ = true;
		if (nics->diff->is_json)
			jsonw_object(&nics->diff->json, "name:%s a:%s b:%s",
				     e810_ptype_name(a->parser, p), e810_rss_request(a->rss, p, 0),
				     e810_rss_request(nics->sides[1].rss, others[p], 0));
		else
			hashed_print(nics, others, p);
	}
	diff_list_close(nics->diff);
}

/* Tables */

static void table_row(struct nics *nics, struct table *table, const char *name, const int uses[2],
		      unsigned int n_differ) {
	struct json_writer *json = &nics->diff->json;

	nics->diff->differ = true;
	if (nics->diff->is_json) {
		jsonw_object(json, "name:%s a:%u b:%u differ:%u", name, uses[0], uses[1], n_differ);
		return;
	}
	table_text(table, name);
	table_cell(table, "%d", uses[0]);
	table_cell(table, "%d", uses[1]);
	table_cell(table, "%u", n_differ);
}

static void tables_show(struct nics *nics) {
	const struct ddp_package *packages[] = {nics->sides[0].package, nics->sides[1].package};
	struct table table;

	diff_list_open(nics->diff, "tables");
	if (!nics->diff->is_json)
		table_init(&table, nics->diff->out,
			   "TABLE|>USED IN A|>USED IN B|>ENTRIES THAT DIFFER");
	for (uint32_t id = 0; id < E810_SECTIONS_END; id++) {
		unsigned int n_differ = e810_table_differ(packages, id);
		const int uses[] = {e810_table_uses(packages[0], id),
				    e810_table_uses(packages[1], id)};
		const char *name = e810_section_name(id);

		if (n_differ > 0)
			table_row(nics, &table, name != NULL ? name : "(unknown)", uses, n_differ);
	}
	diff_list_close(nics->diff);
	if (!nics->diff->is_json)
		table_fini(&table);
}

/* The whole */

static unsigned int n_ptypes(const struct side *side) {
	unsigned int n = 0;

	for (unsigned int p = 0; p < E810_N_PTYPES; p++)
		n += e810_ptype_used(side->parser, p);
	return n;
}

static void side_show(struct nics *nics, unsigned int i) {
	const struct ddp_package *package = nics->sides[i].package;
	struct json_writer *json = &nics->diff->json;

	if (nics->diff->is_json) {
		fprintf(to(nics), DDP_VERSION_FMT, DDP_VERSION_NUMBERS(package->version));
		jsonw_key(json, i == 0 ? "a" : "b");
		jsonw_object(json, "file:%s name:%s version:%s track_id:%u ptypes:%u",
			     package->path, package->name, strbuf_take(&nics->diff->text),
			     package->track_id, n_ptypes(&nics->sides[i]));
		return;
	}
	fprintf(to(nics), "%c: %s: %s " DDP_VERSION_FMT ", track id 0x%08x, %u packet types",
		'A' + i, package->path, package->name, DDP_VERSION_NUMBERS(package->version),
		package->track_id, n_ptypes(&nics->sides[i]));
	diff_item(nics->diff);
}

static void all_show(struct nics *nics) {
	if (!nics->diff->is_json)
		output_char(nics->diff->out, '\n');
	only_show(nics, 1);
	only_show(nics, 0);
	renumbered_show(nics);
	lists_show(nics);
	hashed_show(nics);
	if (!nics->diff->is_json)
		output_char(nics->diff->out, '\n');
	tables_show(nics);
}

static void verdict_show(struct nics *nics, bool same) {
	if (nics->diff->is_json) {
		jsonw_key_bool(&nics->diff->json, "equal", same);
		return;
	}
	if (same)
		fputs("equal, byte by byte", to(nics));
	else if (nics->diff->differ)
		fputs("Default requests are modelled after DPDK's ice driver; all else is read from the "
		      "packages. No silicon was at hand.",
		      to(nics));
	else
		fputs("different only in bytes that change nothing of the above (signature, labels, "
		      "transmit side, notes)",
		      to(nics));
	output_char(nics->diff->out, '\n');
	diff_item(nics->diff);
}

static bool side_open(struct side *side, const struct ddp_package *package, struct ddp_diag *diag) {
	const struct e810_config config = {0};

	side->package = package;
	side->parser = e810_parser_create(package, &config, diag);
	if (side->parser == NULL)
		return false;
	side->rss = e810_rss_create(side->parser, DDP_RSS_HF_ALL, diag);
	e810_links_read(&side->tables, package);
	return side->rss != NULL;
}

static void side_close(struct side *side) {
	e810_rss_destroy(side->rss);
	e810_parser_destroy(side->parser);
}

int e810_diff(struct diff *diff, struct ddp_package *const packages[2]) {
	static struct nics nics;
	struct ddp_diag diag;
	int status = EXIT_NO;

	nics = (struct nics){.diff = diff};
	ddp_diag_init(&diag);
	if (side_open(&nics.sides[0], packages[0], &diag) &&
	    side_open(&nics.sides[1], packages[1], &diag)) {
		bool same = packages[0]->size == packages[1]->size &&
			    memcmp(packages[0]->bytes, packages[1]->bytes, packages[0]->size) == 0;

		if (diff->is_json)
			jsonw_open(&diff->json, '{');
		side_show(&nics, 0);
		side_show(&nics, 1);
		if (!same || diff->is_json)
			all_show(&nics);
		verdict_show(&nics, same);
		if (diff->is_json)
			jsonw_write(&diff->json, "}\n");
		status = same ? EXIT_GOOD : EXIT_NO;
	} else {
		ddp_diag_print(&diag, stderr);
		status = EXIT_UNREADABLE;
	}
	side_close(&nics.sides[0]);
	side_close(&nics.sides[1]);
	ddp_diag_fini(&diag);
	return status;
}
