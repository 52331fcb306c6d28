/* SPDX-License-Identifier: BSD-3-Clause */
#include "genuine.h"
#include "personality/personality.h"
#include "unit.h"

static const char *const genuine_files[N_GENUINE] = {
	[GENUINE_OS] = "ice-1.3.30.0.pkg",
	[GENUINE_COMMS] = "ice_comms-1.3.31.0.pkg",
};

static struct ddp_package *packages[N_GENUINE];

static void path_make(char *path, size_t size, enum genuine which) {
	const char *dir = getenv("DDP_PACKAGE_CACHE"), *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (dir != NULL)
		snprintf(path, size, "%s/%s", dir, genuine_files[which]);
	else if (cache != NULL)
		snprintf(path, size, "%s/ddpsteer/packages/%s", cache, genuine_files[which]);
	else
		snprintf(path, size, "%s/.cache/ddpsteer/packages/%s", home != NULL ? home : "",
			 genuine_files[which]);
}

const struct ddp_package *genuine_package(enum genuine which) {
	char path[4096];
	struct ddp_diag *diag = diag_new();

	if (packages[which] != NULL)
		return packages[which];
	path_make(path, sizeof(path), which);
	packages[which] = ddp_package_open(path, diag);
	if (packages[which] == NULL && !diag->unreadable)
		fail_msg("%s", ddp_diag_first(diag));
	if (packages[which] == NULL) {
		print_message("skipped: no %s: scripts/packages fetches it\n",
			      genuine_files[which]);
		skip();
	}
	return packages[which];
}

static void parser_end(void *parser) {
	e810_parser_destroy(parser);
}

struct e810_parser *genuine_parser(enum genuine which, const struct e810_config *config) {
	static const struct e810_config none;
	struct e810_parser *parser;
	struct ddp_diag *diag = diag_new();

	parser = e810_parser_create(genuine_package(which), config != NULL ? config : &none, diag);
	if (parser == NULL)
		fail_msg("%s", ddp_diag_first(diag));
	after_test(parser_end, parser);
	return parser;
}
