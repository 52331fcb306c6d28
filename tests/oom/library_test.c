/* SPDX-License-Identifier: BSD-3-Clause */
// The library without memory: what an application loads, builds and plans with it fails and says
// so, and the application goes on.
#include "failing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "e810/e810.h"
#include "e810/e810_rss.h"
#include "offload/offload.h"
#include "package/genuine.h"
#include "package/i40e_write.h"
#include "package/small_package.h"
#include "personality/package_open.h"
#include "personality/personality.h"
#include "rules/rules.h"

#define MAX 12 // of the allocations of one operation

static struct ddp_diag diag;

// What diag says of a failure, by the rule of the driver.
static int reason(char *error) {
	snprintf(error, ERROR_SIZE, "%s", ddp_diag_first(&diag));
	return diag.no_memory ? -ENOMEM : -EINVAL;
}

/* Arenas */

static void blocks_get(void *arg) {
	for (unsigned int i = 0; i < 3; i++)
		ddp_arena_alloc(arg, 10);
}

static int arena_run(void *arg, char *error) {
	struct ddp_arena *arena = ddp_arena_create();
	int ret = arena != NULL ? ddp_arena_run(blocks_get, arena) : -ENOMEM;

	(void)arg;
	snprintf(error, ERROR_SIZE, "out of memory");
	ddp_arena_destroy(arena);
	return ret;
}

static void a_run_ends_where_memory_does(void **state) {
	operation_sweep(&(struct operation){"arena", arena_run, NULL, NULL, NULL}, MAX);
}

struct nest {
	struct ddp_arena *arena;
	int inner;
	bool went_on;
};

static void outer(void *arg) {
	struct nest *nest = arg;

	nest->inner = ddp_arena_run(blocks_get, nest->arena);
	failing_end();
	ddp_arena_alloc(nest->arena, 1);
	nest->went_on = true;
}

static void of_nested_runs_the_inner_one_ends(void **state) {
	struct nest nest = {.arena = ddp_arena_create()};

	failing_begin(1);
	assert_int_equal(ddp_arena_run(outer, &nest), 0);
	assert_int_equal(nest.inner, -ENOMEM);
	assert_true(nest.went_on);
	ddp_arena_destroy(nest.arena);
}

/* Profiles */

struct loaded {
	struct ddp_source source;
	struct ddp_personality personality;
};

static int unload(void *arg, char *error) {
	struct loaded *loaded = arg;

	(void)error;
	ddp_personality_unload(&loaded->personality);
	return 0;
}

static int load(void *arg, char *error) {
	struct loaded *loaded = arg;
	const struct ddp_load from = {.sources = &loaded->source, .n_sources = 1};
	int ret;

	ddp_diag_init(&diag);
	ret = ddp_personality_load(&loaded->personality, &from, &diag);
	if (ret < 0)
		ret = reason(error);
	ddp_diag_fini(&diag);
	return ret;
}

#define TEXT                                                     \
	"profile: mine\nrequires: [base]\n"                      \
	"headers: {mine: {after: udp(dport=9), layout: n:32}}\n" \
	"packet_types: {MINE: {path: eth ipv4 udp mine, rss: mine.n}}\n"

static int wrong_load(void *arg, char *error) {
	struct loaded *loaded = arg;
	int ret = load(loaded, error);

	return ret == -EINVAL && strstr(error, "did you mean") != NULL ? 0 : ret;
}

static int absent_load(void *arg, char *error) {
	int ret = load(arg, error);

	return ret == -EINVAL && strstr(error, "not found in") != NULL ? 0 : ret;
}

static int name_get(void *arg, char *error) {
	char *name;
	int ret = 0;

	ddp_diag_init(&diag);
	name = ddp_personality_name(arg, &diag);
	if (name == NULL)
		ret = reason(error);
	free(name);
	ddp_diag_fini(&diag);
	return ret;
}

static int summary_get(void *arg, char *error) {
	struct ddp_profile_summary summary;
	int ret;

	ddp_diag_init(&diag);
	ret = ddp_profile_summary(arg, &summary, &diag);
	if (ret == 0)
		assert_string_equal(summary.name, "gtpu");
	else
		reason(error);
	ddp_profile_summary_fini(&summary);
	ddp_diag_fini(&diag);
	return ret;
}

static int bound_find(void *arg, char *error) {
	const struct loaded *loaded = arg;
	struct ddp_bound bound;

	snprintf(error, ERROR_SIZE, "out of memory");
	return ddp_profile_bound(loaded->personality.profile, 32, 64, UINT16_MAX, &bound);
}

static int header_search(void *arg, char *error) {
	char *name = ddp_profile_defining(arg);

	if (name == NULL)
		snprintf(error, ERROR_SIZE, "out of memory");
	free(name);
	return name != NULL ? 0 : -ENOMEM;
}

#define SPEC(specification)                        \
	{                                          \
		.source = {.spec = specification } \
	}
#define OF_TEXT(content)                                                  \
	{                                                                 \
		.source = {.text = content, .size = sizeof(content) - 1 } \
	}
#define WRONG_TEXT "profile: mine\nrequires: [base]\nheaderz: {}\n"

static void what_an_application_loads_is_there_or_refused(void **state) {
	static struct ddp_source named = {.spec = "gtpu:ue;port=2153"};
	static struct ddp_source named_text = {.text = TEXT, .size = sizeof(TEXT) - 1};
	static char file[] = PROFILES "/gtpu.yaml";
	static struct loaded base = SPEC("base"), gtpu = SPEC("gtpu:ue;port=2153+vxlan"),
			     upf = SPEC("5g-upf"), mpls = SPEC("mpls"), gre = SPEC("gre"),
			     e810 = SPEC("e810-comms"), all = SPEC("all"),
			     absent = SPEC("gtpu+nowhere"), whole = OF_TEXT(TEXT),
			     wrong = OF_TEXT(WRONG_TEXT);
	static const struct operation operations[] = {
		{"load base", load, unload, NULL, &base},
		{"load gtpu:ue;port=2153+vxlan", load, unload, NULL, &gtpu},
		{"load 5g-upf", load, unload, NULL, &upf},
		{"load mpls", load, unload, NULL, &mpls},
		{"load gre", load, unload, NULL, &gre},
		{"load e810-comms", load, unload, NULL, &e810},
		{"load all", load, unload, NULL, &all},
		{"load a text", load, unload, NULL, &whole},
		{"report a mistake", wrong_load, NULL, NULL, &wrong},
		{"search in vain", absent_load, NULL, NULL, &absent},
		{"name", name_get, NULL, NULL, &named},
		{"name of a text", name_get, NULL, NULL, &named_text},
		{"summary", summary_get, NULL, NULL, file},
	};
	static char header[] = "vxlan";

	for (unsigned int i = 0; i < RTE_DIM(operations); i++)
		operation_sweep(&operations[i], MAX);
	if (getenv("OOM_ALL") == NULL) // each of 200000 allocations would load all of the library
		operation_sweep(&(struct operation){"profile of a header", header_search, NULL,
						    NULL, header},
				5);
}

/* Packages */

struct file {
	uint8_t *bytes;
	size_t size;
	struct ddp_package *package;
	struct e810_parser *parser;
	struct e810_rss *rss;
};

static int package_close(void *arg, char *error) {
	struct file *file = arg;

	(void)error;
	e810_rss_destroy(file->rss);
	e810_parser_destroy(file->parser);
	ddp_package_close(file->package);
	file->rss = NULL;
	file->parser = NULL;
	file->package = NULL;
	return 0;
}

static int package_read(void *arg, char *error) {
	struct file *file = arg;
	int ret = 0;

	ddp_diag_init(&diag);
	file->package = ddp_package_read("a.pkg", file->bytes, file->size, &diag);
	if (file->package == NULL)
		ret = reason(error);
	ddp_diag_fini(&diag);
	return ret;
}

static void a_700_series_package_is_refused(void **state) {
	struct file file = {0};

	file.bytes = i40e_write(&i40e_gtp, &file.size);
	operation_sweep(&(struct operation){"read a 700-series package", package_read,
					    package_close, NULL, &file},
			MAX);
	free(file.bytes);
}

static void an_800_series_package_is_refused(void **state) {
	static const uint8_t entries[204];
	struct build *build = build_create();
	struct file file = {0};

	build_device(build, 0x1592, 0x8086);
	build_table(build, E810_IMEM, 3, entries, 48, 2);
	build_table(build, E810_PTYPE_TCAM, 0, entries, 24, 1);
	build_section(build, E810_RSS_KEY_BUILDER, entries, 204);
	build_buffer(build);
	build_label(build, E810_LABELS_PTYPE, 24, "MAC_IPV4_UDP_PAY");
	file.bytes = build_end(build, &file.size);
	operation_sweep(&(struct operation){"read an 800-series package", package_read,
					    package_close, NULL, &file},
			MAX);
	build_destroy(build);
}

static int parser_make(void *arg, char *error) {
	struct e810_config config = {0};
	struct file *file = arg;
	int ret = 0;

	ddp_diag_init(&diag);
	file->package = ddp_package_open((const char *)file->bytes, &diag);
	if (file->package != NULL)
		file->parser = e810_parser_create(file->package, &config, &diag);
	if (file->parser != NULL)
		file->rss = e810_rss_create(file->parser, UINT64_MAX, &diag);
	if (file->rss == NULL) {
		ret = reason(error);
		package_close(file, error);
	}
	ddp_diag_fini(&diag);
	return ret;
}

static void intel_s_package_is_refused(void **state) {
	const struct ddp_package *package;
	struct loaded loaded = {0};
	struct file file = {0};

	genuine_need();
	package = genuine_package(GENUINE_COMMS);
	file.bytes = (uint8_t *)(uintptr_t)package->path;
	operation_sweep(&(struct operation){"model Intel's package", parser_make, package_close,
					    NULL, &file},
			MAX);
	loaded.source.spec = package->path;
	operation_sweep(&(struct operation){"load Intel's package", load, unload, NULL, &loaded},
			MAX);
	genuine_close();
}

/* Plans */

struct planning {
	struct loaded loaded;
	const struct ddp_nic *nic;
	struct ddp_plan_ask ask;
};

static void command_ignore(void *arg, const char *command) {
	(void)arg;
	(void)command;
}

static int plan(void *arg, char *error) {
	const struct planning *p = arg;
	struct ddp_plan *plan = ddp_plan_build(p->nic, p->loaded.personality.profile,
					       p->loaded.personality.program, &p->ask);
	int ret = plan == NULL ? -errno : ddp_plan_testpmd(plan, command_ignore, NULL);

	snprintf(error, ERROR_SIZE, "out of memory");
	ddp_plan_destroy(plan);
	return ret < 0 ? ret : 0;
}

static void plan_sweep(struct planning *p, const struct ddp_nic *nic, const char *with) {
	char name[100];

	p->nic = nic;
	snprintf(name, sizeof(name), "plan for %s%s", ddp_nic_name(nic), with);
	operation_sweep(&(struct operation){name, plan, NULL, NULL, p}, MAX);
}

static void a_plan_is_whole_or_refused(void **state) {
	struct planning p = {.loaded.source.spec = "gtpu", .ask.rss_hf = UINT64_MAX};
	struct ddp_package *package = i40e_write_gtp(I40E_GTP);
	char error[ERROR_SIZE];

	assert_int_equal(load(&p.loaded, error), 0);
	for (unsigned int i = 0; i < ddp_n_nics; i++)
		plan_sweep(&p, ddp_nics[i], "");
	p.ask.package = package;
	plan_sweep(&p, ddp_nic_find("i40e"), " with a package");
	operation_sweep(&(struct operation){"bound", bound_find, NULL, NULL, &p.loaded}, MAX);
	ddp_package_close(package);
	unload(&p.loaded, error);
}

/* Rules */

struct ruling {
	struct loaded loaded;
	struct ddp_flow_list list;
	struct ddp_flows *flows;
};

static int rules_end(void *arg, char *error) {
	struct ruling *r = arg;

	(void)error;
	ddp_flows_destroy(r->flows);
	r->flows = NULL;
	ddp_flow_list_fini(&r->list);
	return 0;
}

static int rule_add(struct ruling *r, const struct rte_flow_item *items,
		    const struct rte_flow_action *actions, char *error) {
	static const struct ddp_flow_config config = {
		.n_rxqs = 4, .n_counts = 2, .rss_hf = UINT64_MAX, .key = ddp_default_key};
	static const struct rte_flow_attr attr = {.ingress = 1};
	struct rte_flow_error flow_error = {0};
	struct rte_flow *flow;
	bool compile;
	int ret;

	flow = ddp_flow_create(&config, &attr, items, actions, &flow_error, &ret);
	if (flow != NULL)
		ret = ddp_flow_list_add(&r->list, flow, &compile, &flow_error);
	if (ret == 0)
		ddp_flow_list_commit(&r->list, flow);
	else
		ddp_flow_destroy(flow);
	if (ret < 0)
		snprintf(error, ERROR_SIZE, "%s", flow_error.message);
	return ret;
}

static int rules_make(void *arg, char *error) {
	static const uint16_t queues[] = {1, 3};
	static const struct rte_flow_item_udp spec = {.hdr.dst_port = 0x3500},
					      mask = {.hdr.dst_port = 0xffff};
	static const struct rte_flow_action_rss spread = {.queue_num = 2, .queue = queues};
	static const struct rte_flow_action_rss hash = {.types = UINT64_C(1) << 2};
	static const struct rte_flow_item items[] = {
		{.type = RTE_FLOW_ITEM_TYPE_ETH},
		{.type = RTE_FLOW_ITEM_TYPE_IPV4},
		{.type = RTE_FLOW_ITEM_TYPE_UDP, .spec = &spec, .mask = &mask},
		{.type = RTE_FLOW_ITEM_TYPE_END},
	};
	static const struct rte_flow_item gre[] = {
		{.type = RTE_FLOW_ITEM_TYPE_ETH}, {.type = RTE_FLOW_ITEM_TYPE_IPV4},
		{.type = RTE_FLOW_ITEM_TYPE_GRE}, {.type = RTE_FLOW_ITEM_TYPE_IPV4},
		{.type = RTE_FLOW_ITEM_TYPE_END},
	};
	static const struct rte_flow_action to_queues[] = {
		{.type = RTE_FLOW_ACTION_TYPE_RSS, .conf = &spread},
		{.type = RTE_FLOW_ACTION_TYPE_COUNT},
		{.type = RTE_FLOW_ACTION_TYPE_END},
	};
	static const struct rte_flow_action hashed[] = {
		{.type = RTE_FLOW_ACTION_TYPE_RSS, .conf = &hash},
		{.type = RTE_FLOW_ACTION_TYPE_END},
	};
	struct ruling *r = arg;
	int ret = rule_add(r, items, to_queues, error);

	if (ret == 0)
		ret = rule_add(r, gre, hashed, error);
	if (ret == 0)
		ret = ddp_flow_list_compile(&r->list, r->loaded.personality.profile,
					    r->loaded.personality.program, 4, &r->flows, error,
					    ERROR_SIZE);
	if (ret < 0)
		rules_end(r, error);
	return ret;
}

static void rules_are_compiled_or_refused(void **state) {
	struct ruling r = {.loaded.source.spec = "gre+gtpu"};
	char error[ERROR_SIZE];

	ddp_flow_list_init(&r.list, NULL);
	assert_int_equal(load(&r.loaded, error), 0);
	operation_sweep(&(struct operation){"create rules", rules_make, rules_end, NULL, &r}, MAX);
	unload(&r.loaded, error);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_ends_where_memory_does),
		cmocka_unit_test(of_nested_runs_the_inner_one_ends),
		cmocka_unit_test(what_an_application_loads_is_there_or_refused),
		cmocka_unit_test(a_700_series_package_is_refused),
		cmocka_unit_test(an_800_series_package_is_refused),
		cmocka_unit_test(intel_s_package_is_refused),
		cmocka_unit_test(a_plan_is_whole_or_refused),
		cmocka_unit_test(rules_are_compiled_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
