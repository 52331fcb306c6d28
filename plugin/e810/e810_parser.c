/* SPDX-License-Identifier: BSD-3-Clause */
// Life of a parser.
#include <errno.h>
#include <stdlib.h>

#include "e810_model.h"

static int parser_init(struct e810_parser *parser, const struct e810_config *config,
		       struct ddp_diag *diag) {
	unsigned int n_errors = ddp_diag_failures(diag);
	int ret = e810_decode_tables(parser, diag);
	int failed = e810_decode_boost(parser, config, diag);

	if (ret < 0 || failed < 0)
		return ret < 0 ? ret : failed;
	if (ddp_diag_failures(diag) != n_errors)
		return -EINVAL; // a table of a layout that is not known
	e810_decode_flags(parser);
	e810_find_seen(parser);
	e810_names_init(parser);
	return 0;
}

struct e810_parser *e810_parser_create(const struct ddp_package *package,
				       const struct e810_config *config, struct ddp_diag *diag) {
	struct ddp_place place = {.file = package->path};
	unsigned int n_errors = ddp_diag_failures(diag);
	struct e810_parser *parser;
	int ret = -ENOMEM;

	if (package->kind != DDP_PACKAGE_E810) {
		ddp_error(diag, &place, "not a package of the 800 series, so no parser to model");
		errno = EINVAL;
		return NULL;
	}
	parser = calloc(1, sizeof(*parser));
	if (parser != NULL) {
		parser->package = package;
		ret = parser_init(parser, config, diag);
	}
	if (ret < 0) {
		if (ddp_diag_failures(diag) == n_errors)
			ddp_no_memory(diag);
		e810_parser_destroy(parser);
		errno = -ret;
		return NULL;
	}
	return parser;
}

void e810_parser_destroy(struct e810_parser *parser) {
	if (parser == NULL)
		return;
	free(parser->boost_lists);
	free(parser->graph);
	free(parser->match.slots);
	free(parser->no_match.slots);
	free(parser->marker_rows);
	free(parser->marker_hash);
	free(parser->marker_wild);
	free(parser);
}
