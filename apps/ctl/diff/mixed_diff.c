/* SPDX-License-Identifier: BSD-3-Clause */
// A package of the 800 series and a profile: each one's packet types as the other's, by their chains of
// headers.
#include <stdlib.h>
#include <string.h>

#include "base/rss_hf.h"
#include "chains.h"
#include "ctl/package/e810_ptype_family.h"
#include "ctl/profile/profile_format.h"
#include "diff.h"
#include "e810/e810_rss.h"

struct mixed {
	struct diff *diff;
	const struct ddp_profile *profile;
	const char *package_name, *profile_name;
	const char *package_key, *profile_key; // "a" and "b", or the other way round
	struct e810_parser *parser;
	struct e810_rss *rss;
	struct chain chains[E810_N_PTYPES]; // of the package
};

static bool is_json(const struct mixed *m) {
	return m->diff->options->format == FORMAT_JSON;
}

static FILE *to(struct mixed *m) {
	return m->diff->text.to;
}

static void chain_json(struct emit *emit, const struct chain *chain) {
	emit_key(emit, "chain");
	emit_open(emit, '[');
	for (unsigned int i = 0; i < chain->n; i++)
		emit_text(emit, chain->headers[i]);
	emit_close(emit, ']');
}

/* Words of both */

static bool is_header(const char *header, const char *const *headers, unsigned int n) {
	for (unsigned int i = 0; i < n; i++)
		if (strcmp(header, headers[i]) == 0)
			return true;
	return false;
}

static void chain_put(struct chain *chain, const char *header) {
	if (chain->n < CHAIN_MAX)
		chain->headers[chain->n++] = header;
}

// A package does not tell tunnels apart, and has no packet types of their own for headers such as VLAN tags.
static void chain_simplify(const struct chain *chain, struct chain *simple) {
	static const char *const passed[] = {"gtpu_ext", "gtpu_psc", "ipv6_ext",
					     "mpls",     "nsh",      "vlan"};
	static const char *const tunnels[] = {"geneve", "vxlan", "vxlan_gpe"};

	simple->n = 0;
	for (unsigned int i = 0; i < chain->n; i++) {
		const char *header = chain->headers[i];

		if (is_header(header, passed, sizeof(passed) / sizeof(passed[0])))
			continue;
		if (strcmp(header, "gre") == 0) {
			chain_put(simple, "tunnel");
		} else if (is_header(header, tunnels, sizeof(tunnels) / sizeof(tunnels[0]))) {
			simple->n -= simple->n > 0; // its UDP header
			chain_put(simple, "tunnel");
		} else {
			chain_put(simple, header);
		}
	}
}

// The tunnels that a packet type may stand for.
static const char *const tunnel_headers[][2] = {
	{"gre", NULL}, {"udp", "vxlan"}, {"udp", "vxlan_gpe"}, {"udp", "geneve"}};
#define N_TUNNELS (sizeof(tunnel_headers) / sizeof(tunnel_headers[0]))

static void chain_expand(const struct chain *chain, unsigned int tunnel, struct chain *full) {
	full->n = 0;
	for (unsigned int i = 0; i < chain->n; i++) {
		if (strcmp(chain->headers[i], "tunnel") != 0) {
			chain_put(full, chain->headers[i]);
			continue;
		}
		chain_put(full, tunnel_headers[tunnel][0]);
		if (tunnel_headers[tunnel][1] != NULL)
			chain_put(full, tunnel_headers[tunnel][1]);
	}
}

/* A packet type of the package as the profile's */

// What the profile says of it. True: it has a packet type for the whole chain.
static bool profile_ask(const struct mixed *m, uint16_t ptype, struct path_answer *answer) {
	const char *name = e810_ptype_name(m->parser, ptype);

	*answer = (struct path_answer){.type = -1};
	for (unsigned int t = 0; t < N_TUNNELS; t++) {
		struct path_answer this;
		struct chain full;

		chain_expand(&m->chains[ptype], t, &full);
		this = paths_ask(m->profile, &full, name);
		if (this.type >= 0 && this.n_matched == full.n) {
			*answer = this;
			return full.n > 0;
		}
		if (t == 0)
			*answer = this;
	}
	return false;
}

static const char *type_text(const struct mixed *m, const struct path_answer *answer) {
	return answer->type < 0 ? "UNKNOWN" : m->profile->types[answer->type].name;
}

static unsigned int unknown_gather(const struct mixed *m, struct nic_kind_types *kinds) {
	struct path_answer answer;
	unsigned int n = 0;

	for (unsigned int p = 0; p < E810_N_PTYPES; p++) {
		if (!e810_ptype_used(m->parser, p) || profile_ask(m, p, &answer))
			continue;
		n = nic_kind_add(kinds, n, m->parser, p);
	}
	return n;
}

static void unknown_json(struct mixed *m, const struct nic_kind_types *unknown) {
	struct emit *emit = &m->diff->emit;

	for (unsigned int i = 0; i < unknown->n; i++) {
		uint16_t ptype = unknown->ptypes[i];
		struct path_answer answer;

		profile_ask(m, ptype, &answer);
		emit_open(emit, '{');
		emit_key_text(emit, "only", m->package_key);
		emit_key_text(emit, "protocol", unknown->kind);
		emit_key(emit, "ptype_id");
		emit_uint(emit, ptype);
		emit_key_text(emit, "ptype", e810_ptype_name(m->parser, ptype));
		chain_json(emit, &m->chains[ptype]);
		emit_key_text(emit, "other", type_text(m, &answer));
		emit_close(emit, '}');
	}
}

// What they are instead, each once.
static void instead_write(struct mixed *m, const struct nic_kind_types *unknown) {
	const char *separator = unknown->n == 1 ? ", which is " : ", which are ";

	for (unsigned int i = 0; i < unknown->n; i++) {
		struct path_answer answer, before;
		bool told = false;

		profile_ask(m, unknown->ptypes[i], &answer);
		for (unsigned int j = 0; j < i && !told; j++) {
			profile_ask(m, unknown->ptypes[j], &before);
			told = before.type == answer.type;
		}
		if (told)
			continue;
		fprintf(to(m), "%s%s", separator, type_text(m, &answer));
		separator = " or ";
	}
	fprintf(to(m), " in %s", m->profile_name);
}

static void unknown_show(struct mixed *m) {
	static struct nic_kind_types kinds[NIC_KINDS_MAX];
	unsigned int n = unknown_gather(m, kinds);

	for (unsigned int k = 0; k < n; k++) {
		m->diff->differ = true;
		if (is_json(m)) {
			unknown_json(m, &kinds[k]);
			continue;
		}
		fprintf(to(m), "only in %s: %s (%u packet type%s: ", m->package_name, kinds[k].kind,
			kinds[k].n, plural(kinds[k].n));
		diff_ranges(to(m), kinds[k].ptypes, kinds[k].n);
		fputs(")", to(m));
		instead_write(m, &kinds[k]);
		diff_tell(m->diff);
	}
}

/* A packet type of the profile as the package's */

// The package's type with the most of a simplified chain's first headers, -1 for none.
static int package_ask(const struct mixed *m, const struct chain *simple) {
	unsigned int most = 0;
	int best = -1;

	for (unsigned int p = 0; p < E810_N_PTYPES; p++) {
		const struct chain *chain = &m->chains[p];
		unsigned int i = 0;

		if (chain->n <= most || chain->n > simple->n)
			continue;
		while (i < chain->n && strcmp(chain->headers[i], simple->headers[i]) == 0)
			i++;
		if (i < chain->n)
			continue;
		most = chain->n;
		best = p;
	}
	return best;
}

static const char *ptype_text(const struct mixed *m, int ptype) {
	return ptype < 0 ? "nothing" : e810_ptype_name(m->parser, ptype);
}

static void foreign_tell(struct mixed *m, const char *name, const struct chain *chain, int ptype) {
	struct emit *emit = &m->diff->emit;

	m->diff->differ = true;
	if (is_json(m)) {
		emit_open(emit, '{');
		emit_key_text(emit, "only", m->profile_key);
		emit_key_text(emit, "ptype", name);
		chain_json(emit, chain);
		emit_key_text(emit, "other", ptype_text(m, ptype));
		emit_close(emit, '}');
		return;
	}
	fprintf(to(m), "only in %s: %s (", m->profile_name, name);
	paths_write(to(m), chain);
	fprintf(to(m), "), which is %s in %s", ptype_text(m, ptype), m->package_name);
	diff_tell(m->diff);
}

static void foreign_show(struct mixed *m) {
	struct chains *chains = calloc(1, sizeof(*chains));

	if (chains == NULL)
		no_memory_exit();
	for (unsigned int t = 0; t < m->profile->n_types; t++) {
		paths_of_type(m->profile, t, chains);
		for (unsigned int i = 0; i < chains->n; i++) {
			struct chain simple;
			int ptype;

			chain_simplify(&chains->chains[i], &simple);
			ptype = package_ask(m, &simple);
			if (ptype >= 0 && m->chains[ptype].n == simple.n)
				continue;
			foreign_tell(m, m->profile->types[t].name, &chains->chains[i], ptype);
			break;
		}
	}
	free(chains);
}

/* Hashing */

static bool is_tunnelled(const struct chain *chain) {
	static const char *const ip[] = {"ipv4", "ipv6"};
	unsigned int n = 0;

	for (unsigned int i = 0; i < chain->n; i++)
		n += is_header(chain->headers[i], ip, 2);
	return n > 1;
}

// The fields of the driver's default request, as a profile would call them: ports are the innermost ones.
static void words_write(struct mixed *m, uint16_t ptype) {
	struct e810_word words[E810_WORDS];
	unsigned int n = e810_rss_words(m->rss, ptype, 0, words);
	char name[E810_WORD_NAME], last[E810_WORD_NAME] = "";

	for (unsigned int i = 0; i < n; i++) {
		bool port = words[i].protocol == 49 || words[i].protocol == 53 ||
			    words[i].protocol == 96;

		e810_word_name(words[i].protocol, words[i].offset, name);
		name[strcspn(name, "[")] = '\0';
		if (strcmp(name, last) == 0)
			continue;
		fprintf(to(m), "%s%s%s", i > 0 ? " " : "",
			port && is_tunnelled(&m->chains[ptype]) ? "inner." : "", name);
		strcpy(last, name);
	}
	if (n == 0)
		fputs("nothing", to(m));
}

// The first set that needs no condition, with all of rss_hf.
static void set_write(struct mixed *m, const struct ddp_packet_type *type) {
	for (unsigned int i = 0; i < type->n_sets; i++) {
		const struct ddp_input_set *set = &type->sets[i];

		if (!words_is_always(&set->cond))
			continue;
		for (unsigned int j = 0; j < set->n_inputs; j++) {
			const char *name = set->inputs[j].name;

			fprintf(to(m), "%s%s", j > 0 ? " " : "",
				strncmp(name, "outer.", 6) == 0 ? name + 6 : name);
		}
		return;
	}
	fputs("nothing", to(m));
}

static void hash_compare(struct mixed *m, uint16_t ptype, const struct ddp_packet_type *type) {
	struct emit *emit = &m->diff->emit;
	char *ours;
	const char *theirs;

	words_write(m, ptype);
	ours = strdup(text_take(&m->diff->text));
	if (ours == NULL)
		no_memory_exit();
	set_write(m, type);
	theirs = text_take(&m->diff->text);
	if (strcmp(ours, theirs) != 0 && is_json(m)) {
		emit_open(emit, '{');
		emit_key_text(emit, "ptype", e810_ptype_name(m->parser, ptype));
		emit_key_text(emit, "other", type->name);
		emit_key_text(emit, m->package_key, ours);
		emit_key_text(emit, m->profile_key, theirs);
		emit_close(emit, '}');
	} else if (strcmp(ours, theirs) != 0) {
		text_printf(m->diff->out, "hashed differently: %s: %s by default; %s: ",
			    e810_ptype_name(m->parser, ptype), ours, type->name);
		text_printf(m->diff->out, "%s\n", theirs);
	}
	m->diff->differ |= strcmp(ours, theirs) != 0;
	free(ours);
}

static void hashes_show(struct mixed *m) {
	for (unsigned int p = 0; p < E810_N_PTYPES; p++) {
		struct path_answer answer;

		if (e810_ptype_used(m->parser, p) && profile_ask(m, p, &answer))
			hash_compare(m, p, &m->profile->types[answer.type]);
	}
}

/* The whole */

static void chains_read(struct mixed *m) {
	for (unsigned int p = 0; p < E810_N_PTYPES; p++) {
		m->chains[p].n = 0;
		if (e810_ptype_used(m->parser, p))
			m->chains[p].n = e810_ptype_chain(m->parser, p, m->chains[p].headers);
	}
}

static void same_json(struct mixed *m) {
	struct emit *emit = &m->diff->emit;

	emit_key(emit, "same");
	emit_open(emit, '[');
	for (unsigned int p = 0; p < E810_N_PTYPES; p++) {
		struct path_answer answer;

		if (!e810_ptype_used(m->parser, p) || !profile_ask(m, p, &answer))
			continue;
		emit_open(emit, '{');
		emit_key(emit, "ptype_id");
		emit_uint(emit, p);
		emit_key_text(emit, "ptype", e810_ptype_name(m->parser, p));
		emit_key_text(emit, "other", type_text(m, &answer));
		emit_close(emit, '}');
	}
	emit_close(emit, ']');
}

static void all_json(struct mixed *m) {
	struct emit *emit = &m->diff->emit;

	emit_open(emit, '{');
	emit_key(emit, "packet_types");
	emit_open(emit, '[');
	unknown_show(m);
	foreign_show(m);
	emit_close(emit, ']');
	same_json(m);
	emit_key(emit, "hashed_differently");
	emit_open(emit, '[');
	hashes_show(m);
	emit_close(emit, ']');
	emit_key(emit, "equal");
	emit_bool(emit, !m->diff->differ);
	emit_close(emit, '}');
	emit_end(emit);
}

static void all_print(struct mixed *m) {
	unknown_show(m);
	foreign_show(m);
	hashes_show(m);
	if (m->diff->differ)
		fputs("By default means by the requests of DPDK's ice driver, which are modelled.",
		      to(m));
	else
		fputs("equal: the same packet types and hashed fields", to(m));
	diff_item(m->diff);
}

int mixed_diff(struct diff *diff, struct ddp_package *package, const struct ddp_personality *loaded,
	       bool package_first) {
	const struct e810_config config = {0};
	static struct mixed m;
	struct ddp_diag diag;
	int status = CTL_UNREADABLE;

	ddp_diag_init(&diag);
	m = (struct mixed){
		.diff = diff,
		.profile = loaded->profile,
		.package_name = diff->names[!package_first],
		.profile_name = diff->names[package_first],
		.package_key = package_first ? "a" : "b",
		.profile_key = package_first ? "b" : "a",
	};
	m.parser = e810_parser_create(package, &config, &diag);
	if (m.parser != NULL)
		m.rss = e810_rss_create(m.parser, DDP_RSS_HF_ALL, &diag);
	if (m.rss != NULL) {
		chains_read(&m);
		if (is_json(&m))
			all_json(&m);
		else
			all_print(&m);
		status = diff->differ ? CTL_NO : CTL_GOOD;
	}
	ddp_diag_print(&diag, stderr);
	e810_rss_destroy(m.rss);
	e810_parser_destroy(m.parser);
	ddp_diag_fini(&diag);
	return status;
}
