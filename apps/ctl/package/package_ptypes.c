/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl info --ptypes: what an 800-series package tells apart.
#include "common/output.h"
#include "common/strbuf.h"
#include "common/table.h"
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

static void row_show(const struct e810_parser *parser, uint16_t ptype, struct strbuf *text,
		     struct json_writer *json, struct table *table) {
	const char *chain[E810_CHAIN_MAX];
	unsigned int n = e810_ptype_chain(parser, ptype, chain);

	format_ptype(text->to, e810_ptype_rte(parser, ptype));
	if (table == NULL) {
		jsonw_write(json, "{id:%u name:%s rte_ptype:%s", ptype,
			    e810_ptype_name(parser, ptype), strbuf_take(text));
		jsonw_key_texts(json, "chain", chain, n);
		jsonw_close(json, '}');
		return;
	}
	table_number(table, ptype);
	table_text(table, e810_ptype_name(parser, ptype));
	for (unsigned int i = 0; i < n; i++)
		table_printf(table, "%s%s", i > 0 ? " " : "", chain[i]);
	table_next(table);
	table_text(table, strbuf_take(text));
}

int package_ptypes_show(const struct ddp_package *package, bool is_json, struct json_writer *json) {
	struct e810_parser *parser = parser_create(package);
	struct table table;
	struct strbuf text;

	if (is_json)
		jsonw_key(json, "ptypes");
	if (parser == NULL && is_json)
		jsonw_null(json);
	if (parser == NULL)
		return EXIT_NO;
	strbuf_init(&text);
	if (is_json)
		jsonw_open(json, '[');
	else
		table_init(&table, json->out, ">PTYPE|NAME|HEADERS|IN AN MBUF");
	for (uint16_t ptype = 0; ptype < E810_N_PTYPES; ptype++)
		if (e810_ptype_used(parser, ptype))
			row_show(parser, ptype, &text, json, is_json ? NULL : &table);
	if (is_json)
		jsonw_close(json, ']');
	else
		table_fini(&table);
	strbuf_fini(&text);
	e810_parser_destroy(parser);
	return EXIT_GOOD;
}
