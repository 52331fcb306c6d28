/* SPDX-License-Identifier: BSD-3-Clause */
// Packet types as a tree: what their names have in common up to a '_' is a branch. Once as the
// chosen candidate knows them, and once as the fixed-function NIC does.
#include <string.h>

#include "report_parts.h"

#define LEAVES_MAX 32 // the smaller ones are one
#define DEPTH_MAX 6   // what a name has beyond stays in one piece
#define NODES_MAX (1 + LEAVES_MAX * (DEPTH_MAX + 1))

struct node {
	const char *name; // in a type's
	size_t len;
	unsigned int parent, n_children;
	uint64_t packets, unhashed;      // of all below
	const struct outcome_type *type; // that ends here, or NULL
	bool written;
};

// nodes[0] is the root, without a name.
struct tree {
	struct node nodes[NODES_MAX];
	unsigned int n;
	unsigned int n_folded;
	uint64_t folded, folded_unhashed; // their packets
};

// Length of the first part of a name; nothing on either side of a '_' is no part.
static size_t part_len(const char *name, unsigned int depth) {
	const char *at = name;

	if (depth + 1 >= DEPTH_MAX)
		return strlen(name);
	while ((at = strchr(at, '_')) != NULL) {
		if (at > name && at[1] != '\0' && at[1] != '_')
			return at - name;
		at++;
	}
	return strlen(name);
}

static unsigned int child(struct tree *tree, unsigned int parent, const char *name, size_t len) {
	for (unsigned int i = 1; i < tree->n; i++) {
		const struct node *node = &tree->nodes[i];

		if (node->parent == parent && node->len == len &&
		    memcmp(node->name, name, len) == 0)
			return i;
	}
	tree->nodes[tree->n] = (struct node){.name = name, .len = len, .parent = parent};
	tree->nodes[parent].n_children++;
	return tree->n++;
}

static void type_add(struct tree *tree, const struct outcome_type *type) {
	const char *name = type->name;
	unsigned int at = 0;

	for (unsigned int depth = 0; at == 0 || *name != '\0'; depth++) {
		size_t len = part_len(name, depth);

		at = child(tree, at, name, len);
		tree->nodes[at].packets += type->packets;
		tree->nodes[at].unhashed += type->unhashed;
		name += len + (name[len] == '_');
	}
	tree->nodes[at].type = type;
}

static void tree_build(struct tree *tree, const struct outcome *outcome) {
	unsigned int n = 0;

	tree->n = 1;
	tree->n_folded = 0;
	tree->folded = tree->folded_unhashed = 0;
	tree->nodes[0] = (struct node){.name = ""};
	while (n < outcome->n_types && outcome->types[n].packets > 0)
		n++;
	for (unsigned int i = 0; i < n; i++) {
		const struct outcome_type *type = &outcome->types[i];

		if (n <= LEAVES_MAX || i < LEAVES_MAX - 1) {
			type_add(tree, type);
		} else {
			tree->n_folded++;
			tree->folded += type->packets;
			tree->folded_unhashed += type->unhashed;
		}
	}
}

static void row_open(struct report *report, unsigned int depth) {
	output_printf(report->out, "<tr><th scope=\"row\" class=\"d%u\">", depth);
}

// A thin bar below the name.
static void share_bar(struct report *report, uint64_t packets) {
	uint64_t all = report->simulation->packets;

	output_printf(
		report->out,
		"<svg class=\"share\" aria-hidden=\"true\"><rect width=\"%.2f%%\" height=\"100%%\"/></svg>",
		all == 0 ? 0.0 : 100.0 * packets / all);
}

// type: what its own packets do; NULL for several types.
static void row_close(struct report *report, uint64_t packets, uint64_t unhashed,
		      const struct outcome_type *type) {
	struct output *out = report->out;

	share_bar(report, packets);
	output_text(out, "</th><td>");
	html_count(out, packets);
	output_text(out, "</td><td>");
	html_part(out, packets, report->simulation->packets);
	output_text(out, "</td><td>");
	if (type != NULL)
		html_real(out, type->imbalance, 2);
	output_text(out, "</td><td>");
	html_part(out, unhashed, packets);
	output_text(out, "</td></tr>\n");
}

// The packets of a branch's own type.
static void own_row(struct report *report, const struct node *node, unsigned int depth) {
	row_open(report, depth);
	output_text(report->out, "other ");
	html_text_n(report->out, node->name, node->len);
	row_close(report, node->type->packets, node->type->unhashed, node->type);
}

static unsigned int only_child(const struct tree *tree, unsigned int parent) {
	unsigned int i = 1;

	while (tree->nodes[i].parent != parent)
		i++;
	return i;
}

// The largest child that is not written yet, 0 for none.
static unsigned int next_child(const struct tree *tree, unsigned int parent) {
	unsigned int found = 0;

	for (unsigned int i = 1; i < tree->n; i++)
		if (tree->nodes[i].parent == parent && !tree->nodes[i].written &&
		    (found == 0 || tree->nodes[i].packets > tree->nodes[found].packets))
			found = i;
	return found;
}

static void node_write(struct report *report, struct tree *tree, unsigned int at,
		       unsigned int depth) {
	const char *name = tree->nodes[at].name;
	const struct node *node = &tree->nodes[at];
	unsigned int next;

	tree->nodes[at].written = true;
	while (node->type == NULL && node->n_children == 1) { // a branch of one is none
		at = only_child(tree, at);
		node = &tree->nodes[at];
		tree->nodes[at].written = true;
	}
	row_open(report, depth);
	html_text_n(report->out, name, node->name + node->len - name);
	row_close(report, node->packets, node->unhashed, node->n_children == 0 ? node->type : NULL);
	if (node->n_children > 0 && node->type != NULL)
		own_row(report, node, depth + 1);
	while ((next = next_child(tree, at)) != 0)
		node_write(report, tree, next, depth + 1);
}

static void folded_row(struct report *report, const struct tree *tree) {
	if (tree->n_folded == 0)
		return;
	row_open(report, 0);
	output_printf(report->out, "%u smaller types", tree->n_folded);
	row_close(report, tree->folded, tree->folded_unhashed, NULL);
}

static void tree_write(struct report *report, const struct shown *shown) {
	static struct tree tree;
	unsigned int next;

	output_text(report->out, "<table class=\"tree\">\n<caption>");
	candidate_write(report, shown);
	output_text(
		report->out,
		"</caption>\n<thead>\n<tr><th scope=\"col\">Type</th><th scope=\"col\">Packets</th>"
		"<th scope=\"col\">Share</th><th scope=\"col\">Imbalance</th>"
		"<th scope=\"col\">Not hashed</th></tr>\n</thead>\n");
	output_printf(report->out, "<tbody class=\"c%u\">\n", shown->colour);
	tree_build(&tree, shown->outcome);
	while ((next = next_child(&tree, 0)) != 0)
		node_write(report, &tree, next, 0);
	folded_row(report, &tree);
	output_text(report->out, "</tbody>\n</table>\n");
}

void report_types(struct report *report) {
	unsigned int n = report->n_shown;

	if (n == 0 || report->simulation->packets == 0)
		return;
	section_open(report, "types", "Packet types");
	output_text(report->out,
		    "<p class=\"note\">A row above others that are indented is their sum.");
	if (n > 2)
		output_text(report->out,
			    " The other candidates may know the packets by other types.");
	output_text(report->out, "</p>\n<div class=\"trees\">\n");
	if (n > 1)
		tree_write(report, &report->shown[0]);
	tree_write(report, &report->shown[n - 1]);
	output_text(report->out, "</div>\n");
	output_text(report->out, SECTION_END);
}
