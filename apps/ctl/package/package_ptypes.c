/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl info --ptypes: what an 800-series package tells apart.
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/options.h"
#include "ctl/profile/profile_load.h"
#include "e810/e810_parser.h"
#include "package_info.h"
#include "profile/profile_format.h"

// Its parser as the file has it: no tunnel ports, single VLAN mode. NULL with errors told.
static struct e810_parser *parser_create(const struct ddp_package *package) {
	const struct e810_config config = {0};
	struct e810_parser *parser;
	struct ddp_diag diag;

	ddp_diag_init(&diag);
	parser = e810_parser_create(package, &config, &diag);
	load_end(&diag, parser == NULL);
	return parser;
}

static void row_print(const struct e810_parser *parser, uint16_t ptype, struct strbuf *text,
		      struct table *table) {
	const char *chain[E810_CHAIN_MAX];
	unsigned int n = e810_ptype_chain(parser, ptype, chain);

	table_number(table, ptype);
	table_text(table, e810_ptype_name(parser, ptype));
	for (unsigned int i = 0; i < n; i++)
		table_printf(table, "%s%s", i > 0 ? " " : "", chain[i]);
	table_next(table);
	format_ptype(text->to, e810_ptype_rte(parser, ptype));
	table_text(table, strbuf_take(text));
}

int package_ptypes_print(const struct ddp_package *package, struct output *out) {
	struct e810_parser *parser = parser_create(package);
	struct table table;
	struct strbuf text;

	if (parser == NULL)
		return EXIT_NO;
	strbuf_init(&text);
	table_init(&table, out, ">PTYPE|NAME|HEADERS|IN AN MBUF");
	for (uint16_t ptype = 0; ptype < E810_N_PTYPES; ptype++)
		if (e810_ptype_used(parser, ptype))
			row_print(parser, ptype, &text, &table);
	table_fini(&table);
	strbuf_fini(&text);
	e810_parser_destroy(parser);
	return EXIT_GOOD;
}

static void row_json(const struct e810_parser *parser, uint16_t ptype, struct strbuf *text,
		     struct json_writer *json) {
	const char *chain[E810_CHAIN_MAX];
	unsigned int n = e810_ptype_chain(parser, ptype, chain);

	jsonw_write(json, "{id:%u name:%s", ptype, e810_ptype_name(parser, ptype));
	jsonw_key_texts(json, "chain", chain, n);
	format_ptype(text->to, e810_ptype_rte(parser, ptype));
	jsonw_write(json, "rte_ptype:%s}", strbuf_take(text));
}

int package_ptypes_json(const struct ddp_package *package, struct json_writer *json) {
	struct e810_parser *parser = parser_create(package);
	struct strbuf text;

	jsonw_key(json, "ptypes");
	if (parser == NULL) {
		jsonw_null(json);
		return EXIT_NO;
	}
	strbuf_init(&text);
	jsonw_open(json, '[');
	for (uint16_t ptype = 0; ptype < E810_N_PTYPES; ptype++)
		if (e810_ptype_used(parser, ptype))
			row_json(parser, ptype, &text, json);
	jsonw_close(json, ']');
	strbuf_fini(&text);
	e810_parser_destroy(parser);
	return EXIT_GOOD;
}
