/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_rules.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rte_thash.h>

#include "port/state/control.h"
#include "rss/rss.h"
#include "scratch.h"

// The packets of packet(): what follows their UDP header has a type of its own.
#define MINE                                                           \
	"profile: mine\nversion: 2.1\nsummary: for tests\n"            \
	"requires: [base]\n"                                           \
	"headers: {mine: {after: udp(dport=53), layout: number:32}}\n" \
	"packet_types:\n"                                              \
	"  MINE: {path: link ipv4 udp mine, rss: mine.number, extract: mine.number}\n"
#define MINE_2                                                     \
	"profile: mine\nrequires: [base]\n"                        \
	"headers: {mine: {after: udp(dport=53), layout: to:32}}\n" \
	"packet_types: {MINE_2: {path: link ipv4 udp mine}}\n"
#define ON_MINE "profile: on_mine\nrequires: [mine]\n"
#define ON_TOP "profile: on_top\nrequires: [on_mine]\n"

static char error[300];

static int add(uint16_t port, const char *spec) {
	return rte_pmd_ddp_profile_add(port, spec, error, sizeof(error));
}

static int set(uint16_t port, const char *spec) {
	return rte_pmd_ddp_profile_set(port, spec, error, sizeof(error));
}

static int add_text(uint16_t port, const char *text) {
	return rte_pmd_ddp_profile_add_text(port, text, strlen(text), error, sizeof(error));
}

static int del(uint16_t port, const char *name) {
	return rte_pmd_ddp_profile_del(port, name, error, sizeof(error));
}

static void good(int ret) {
	if (ret != 0)
		fail_msg("%d: %s", ret, error);
	assert_string_equal(error, "");
}

static void bad(int ret, int expected, const char *line) {
	assert_int_equal(ret, expected);
	assert_string_equal(error, line);
}

static const char *names_of(uint16_t port) {
	struct rte_pmd_ddp_profile profiles[8];
	int n = rte_pmd_ddp_profiles_get(port, profiles, RTE_DIM(profiles));
	static char names[sizeof(profiles)];

	assert_in_range(n, 0, RTE_DIM(profiles));
	names[0] = '\0';
	for (int i = 0; i < n; i++) {
		if (i > 0)
			strcat(names, " ");
		strcat(names, profiles[i].name);
	}
	return names;
}

static const struct rte_mbuf *receive(uint16_t port) {
	static struct rte_mbuf *mbuf;

	packets_feed(0, 0, 1, 1);
	assert_int_equal(rte_eth_rx_burst(port, 0, &mbuf, 1), 1);
	rte_pktmbuf_free(mbuf); // one segment: its contents stay until the next is allocated
	return mbuf;
}

static uint16_t type_is(uint16_t port, const char *expected) {
	uint16_t id = meta_of(receive(port))->ptype_id;
	char name[64];

	assert_int_equal(rte_pmd_ddp_ptype_name(port, id, name, sizeof(name)), strlen(expected));
	assert_string_equal(name, expected);
	return id;
}

TEST(a_profile_added_and_deleted_is_seen_at_once) {
	uint16_t port = profile_start(NULL, 1);
	const struct rte_mbuf *mbuf;
	uint32_t word = 0;

	assert_string_equal(names_of(port), "");
	type_is(port, "IPV4_UDP");
	good(add_text(port, MINE));
	assert_string_equal(names_of(port), "mine");
	type_is(port, "MINE");
	mbuf = receive(port);
	assert_int_equal(mbuf->hash.rss, rte_softrss(&word, 1, ddp_default_key));
	good(del(port, "mine"));
	assert_string_equal(names_of(port), "");
	type_is(port, "IPV4_UDP");
}

TEST(the_list_tells_what_was_added) {
	uint16_t port = profile_start("gtpu:ue;port=2153", 1);
	struct rte_pmd_ddp_profile profiles[3];

	good(add_text(port, MINE));
	good(add(port, "vxlan"));
	memset(profiles, 1, sizeof(profiles));
	assert_int_equal(rte_pmd_ddp_profiles_get(port, profiles, 2), 3);
	assert_int_equal(profiles[2].name[0], 1); // no more than asked for
	assert_int_equal(rte_pmd_ddp_profiles_get(port, NULL, 0), 3);
	assert_int_equal(rte_pmd_ddp_profiles_get(port, profiles, 3), 3);
	assert_string_equal(profiles[0].spec, "gtpu:ue;port=2153");
	assert_string_equal(profiles[0].name, "gtpu");
	assert_non_null(strstr(profiles[0].file, "/gtpu.yaml"));
	assert_true(profiles[0].n_packet_types > 1);
	assert_string_equal(profiles[1].spec, "");
	assert_string_equal(profiles[1].name, "mine");
	assert_string_equal(profiles[1].version, "2.1");
	assert_string_equal(profiles[1].summary, "for tests");
	assert_string_equal(profiles[1].file, "");
	assert_int_equal(profiles[1].n_packet_types, 1);
	assert_string_equal(profiles[2].spec, "vxlan");
}

static int n_tunnels(uint16_t port) {
	return rte_eth_dev_get_supported_ptypes(port, RTE_PTYPE_TUNNEL_MASK, NULL, 0);
}

TEST(profiles_are_deleted_in_any_order_by_name_or_as_given) {
	uint16_t port = profile_start("gtpu;port=2153+vxlan", 1);

	good(add(port, "geneve+pppoe")); // both together
	assert_string_equal(names_of(port), "gtpu vxlan geneve pppoe");
	assert_int_equal(n_tunnels(port), 3);
	good(del(port, "vxlan"));
	good(del(port, "gtpu;port=2153"));
	assert_string_equal(names_of(port), "geneve pppoe");
	assert_int_equal(n_tunnels(port), 1);
	good(add_text(port, MINE));
	good(rte_pmd_ddp_profile_del_text(port, MINE, strlen(MINE), error, sizeof(error)));
	good(del(port, "geneve"));
	good(del(port, "pppoe"));
	assert_string_equal(names_of(port), "");
	bad(del(port, "gtpu"), -ENOENT, "no profile 'gtpu' was added; the port has none");
	assert_int_equal(rte_pmd_ddp_profile_del(port, "gtpu", error, 8), -ENOENT);
	assert_string_equal(error, "no prof");
	good(add(port, "gtpu"));
	assert_string_equal(names_of(port), "gtpu");
}

// Another input set of a profile, or another list, in one step: with del and add the packets
// between the two would be spread as by a NIC that knows no tunnel.
TEST(the_list_is_exchanged_in_one_step) {
	uint16_t port = profile_start("gtpu+vxlan", 1);
	struct rte_pmd_ddp_profile profile;

	good(add_text(port, MINE));
	good(set(port, "gtpu:teid;port=2153"));
	assert_string_equal(names_of(port), "gtpu");
	assert_int_equal(rte_pmd_ddp_profiles_get(port, &profile, 1), 1);
	assert_string_equal(profile.spec, "gtpu:teid;port=2153");
	good(set(port, "gtpu:ue"));
	good(set(port, "geneve+gtpu"));
	assert_string_equal(names_of(port), "geneve gtpu");
	type_is(port, "IPV4_UDP");
	bad(set(port, "vxlan+vxlan"), -EINVAL, "profile: error: 'vxlan' is named twice");
	assert_int_equal(set(port, "/none.yaml"), -ENOENT);
	assert_string_equal(names_of(port), "geneve gtpu");
	good(set(port, NULL));
	assert_string_equal(names_of(port), "");
}

TEST(what_others_need_stays) {
	uint16_t port = profile_start("5g-upf+gtpu", 1);

	bad(del(port, "gtpu"), -EBUSY, "profile 'gtpu' is required by 5g-upf");
	good(add_text(port, MINE));
	good(add_text(port, ON_MINE));
	good(add_text(port, ON_TOP));
	bad(del(port, "mine"), -EBUSY, "profile 'mine' is required by on_mine, on_top");
	bad(del(port, "on_mine"), -EBUSY, "profile 'on_mine' is required by on_top");
	assert_string_equal(names_of(port), "5g-upf gtpu mine on_mine on_top");
	type_is(port, "MINE");
	good(del(port, "on_top"));
	good(del(port, "on_mine"));
	good(del(port, "mine"));
	good(del(port, "5g-upf"));
	good(del(port, "gtpu"));
}

static const struct failure {
	int (*change)(uint16_t port, const char *what);
	const char *what;
	int ret;
	const char *line; // as it begins
} failures[] = {
	{add, "gtpu", -EEXIST, "profile 'gtpu' is already there"},
	{add, "/x/gtpu.yaml", -EEXIST, "profile 'gtpu' is already there"},
	{add, "vxlan+gtpu:ue;port=5", -EEXIST, "profile 'gtpu' is already there"},
	{add_text, "profile: gtpu\n", -EEXIST, "profile 'gtpu' is already there"},
	{add, "no_such", -ENOENT, "profile 'no_such' not found in "},
	{add, "/none.yaml", -ENOENT,
	 "/none.yaml: error: cannot be read: No such file or directory"},
	{add, "vxlan+", -EINVAL, "profile: error: a name is missing"},
	{add_text, "", -EINVAL, "<text>:1:1: error: the file is empty"},
	{add_text, "profile: mine\nheaders: {a: {layout: x:0}, b: {layout: x:0}}\n", -EINVAL,
	 "<text>:2:23: error: field 'x': 0 bits, 1 to 128 are possible (and 1 more)"},
	{add_text, "profile: mine\nrequires: [base]\nheaders: {\"a\\nb\": {layout: 'x:8'}}\n",
	 -EINVAL,
	 "<text>:3:11: error: header 'a\\x0ab': a name has 1 to 31 letters, digits or '_', "
	 "begins with a letter and is none of inner, outer, stop, and, or, not"},
	// two types of one path: only the compiler finds out
	{add_text,
	 "profile: mine\nrequires: [base]\n"
	 "packet_types: {MY_UDP: {path: link ipv4 udp, rss: ipv4.src}}\n",
	 -EINVAL, ""},
	{del, "vxlan", -ENOENT, "no profile 'vxlan' was added; the port has gtpu"},
	{del, "gtpu;port=2152", -ENOENT,
	 "no profile 'gtpu;port=2152' was added; the port has gtpu"},
	{del, "base", -ENOENT, "no profile 'base' was added; the port has gtpu"},
	{del, "", -ENOENT, "no profile '' was added; the port has gtpu"},
};

// A port's packet types as an application sees them.
struct port_view {
	int n_ptypes, n_xstats, n_supported;
	struct rte_pmd_ddp_ptype ptypes[200];
};

static void port_view_take(struct port_view *view, uint16_t port) {
	memset(view, 0, sizeof(*view));
	view->n_ptypes = rte_pmd_ddp_ptypes_get(port, view->ptypes, RTE_DIM(view->ptypes));
	view->n_xstats = rte_eth_xstats_get(port, NULL, 0);
	view->n_supported = rte_eth_dev_get_supported_ptypes(port, RTE_PTYPE_ALL_MASK, NULL, 0);
	assert_in_range(view->n_supported, 10, view->n_ptypes);
}

TEST(a_change_that_fails_changes_nothing) {
	uint16_t port = profile_start("gtpu", 1);
	struct port_view before, after;
	uint32_t hash;

	type_is(port, "IPV4_UDP");
	hash = receive(port)->hash.rss;
	port_view_take(&before, port);
	for (unsigned int i = 0; i < RTE_DIM(failures); i++) {
		assert_int_equal(failures[i].change(port, failures[i].what), failures[i].ret);
		assert_int_equal(strncmp(error, failures[i].line, strlen(failures[i].line)), 0);
		assert_int_not_equal(error[0], '\0');
		assert_string_equal(names_of(port), "gtpu");
		port_view_take(&after, port);
		assert_memory_equal(&after, &before, sizeof(after));
	}
	assert_int_equal(receive(port)->hash.rss, hash);
}

// A port whose earlier profiles used all ids but one.
TEST(ids_come_to_an_end) {
	uint16_t port = profile_start(NULL, 1);
	struct ddp_port *ddp = rte_eth_devices[port].data->dev_private;

	ddp->type_names = realloc(ddp->type_names, UINT16_MAX * sizeof(*ddp->type_names));
	while (ddp->n_type_ids < UINT16_MAX)
		ddp->type_names[ddp->n_type_ids++] = strdup("");
	good(add_text(port, MINE)); // there is one left
	assert_int_equal(type_is(port, "MINE"), UINT16_MAX);
	good(del(port, "mine"));
	bad(add_text(port, MINE_2), -ENOSPC,
	    "no packet type ids are left: this port has had 65535 packet types");
	assert_string_equal(names_of(port), "");
	type_is(port, "IPV4_UDP");
	good(add_text(port, MINE));
	assert_int_equal(type_is(port, "MINE"), UINT16_MAX);
}

static uint16_t early_port;
static int early_answer;

// A port of ethdev has come: the lower one, while ours is being set up.
static int port_comes(uint16_t id, enum rte_eth_event_type type, void *arg, void *ret) {
	early_answer = id == early_port ? early_answer : add(early_port, "gtpu");
	return 0;
}

TEST(a_port_is_found_once_it_is_set_up) {
	uint16_t port = profile_start(NULL, 1);

	ddp_end(port);
	early_port = port;
	early_answer = 0;
	assert_int_equal(
		rte_eth_dev_callback_register(RTE_ETH_ALL, RTE_ETH_EVENT_NEW, port_comes, NULL), 0);
	assert_int_equal(profile_start(NULL, 1), port);
	assert_int_equal(early_answer, -ENODEV);
	assert_int_equal(
		rte_eth_dev_callback_unregister(RTE_ETH_ALL, RTE_ETH_EVENT_NEW, port_comes, NULL),
		0);
	assert_string_equal(names_of(port), "");
}

#define NAMES_MAX 1000

// A collector stores counters by name: of two with one name it would lose one.
TEST(counters_of_long_names_have_names_of_their_own) {
#define LONG "A_PACKET_TYPE_WITH_A_NAME_LONGER_THAN_A_COUNTERS"
	static const char text[] = "profile: long\nrequires: [base]\n"
				   "headers: {long: {after: udp(dport=53), layout: n:32}}\n"
				   "packet_types:\n"
				   "  " LONG "_1: {path: link ipv4 udp long}\n"
				   "  " LONG "_2: {path: link ipv6 udp long}\n";
	static struct rte_eth_xstat_name names[NAMES_MAX];
	uint16_t port = profile_start(NULL, 1);
	const char *longs[2];
	int n, n_long = 0;

	good(add_text(port, text));
	n = rte_eth_xstats_get_names(port, names, NAMES_MAX);
	for (int i = 0; i < n; i++)
		if (strncmp(names[i].name, "rx_type_A_PACKET_TYPE_", 22) == 0) {
			assert_in_range(n_long, 0, 1);
			longs[n_long++] = names[i].name;
			assert_non_null(strstr(names[i].name, "_packets"));
		}
	assert_int_equal(n_long, 2);
	assert_string_not_equal(longs[0], longs[1]);
}

// All types of all times add up to the packets taken.
static void assert_types_add_up(uint16_t port) {
	static struct rte_eth_xstat_name names[NAMES_MAX];
	static struct rte_eth_xstat values[NAMES_MAX];
	int n = rte_eth_xstats_get(port, values, NAMES_MAX);
	uint64_t sum = 0;

	assert_int_equal(rte_eth_xstats_get_names(port, names, NAMES_MAX), n);
	for (int i = 0; i < n; i++)
		if (strncmp(names[i].name, "rx_type_", 8) == 0)
			sum += values[i].value;
	assert_int_equal(sum, xstat(port, "rx_lower_packets"));
}

TEST(ids_and_counters_outlive_profiles) {
	static struct rte_eth_xstat_name before[NAMES_MAX], after[NAMES_MAX];
	struct rte_mbuf *mbuf = rte_pktmbuf_alloc(pool);
	struct rte_pmd_ddp_ptype ptypes[200];
	uint16_t port = profile_start(NULL, 1), udp = type_is(port, "IPV4_UDP"), mine;
	char name[64];
	int n;

	rte_pktmbuf_append(mbuf, 4); // of no type: no Ethernet header
	packet_feed(0, mbuf);
	assert_int_equal(poll_to_end(port, 1, 0, NULL), 1);
	assert_int_equal(xstat(port, "rx_type_none_packets"), 1);
	n = rte_eth_xstats_get_names(port, before, NAMES_MAX);
	good(add_text(port, MINE));
	mine = type_is(port, "MINE");
	type_is(port, "MINE");
	assert_int_equal(xstat(port, "rx_type_IPV4_UDP_packets"), 1);
	assert_int_equal(xstat(port, "rx_type_MINE_packets"), 2);
	// Statistics keep the ids that applications know.
	assert_int_equal(rte_eth_xstats_get_names(port, after, NAMES_MAX), n + 1);
	assert_memory_equal(after, before, n * sizeof(before[0]));
	good(del(port, "mine"));
	assert_int_equal(type_is(port, "IPV4_UDP"), udp);
	assert_int_equal(xstat(port, "rx_type_IPV4_UDP_packets"), 2);
	assert_int_equal(xstat(port, "rx_type_MINE_packets"), 2);
	// packets of it may still be on their way
	assert_int_equal(rte_pmd_ddp_ptype_name(port, mine, name, 3), 4);
	assert_string_equal(name, "MI");
	assert_types_add_up(port);
	good(add(port, "gtpu+vxlan"));
	good(add_text(port, MINE));
	assert_int_equal(type_is(port, "MINE"), mine);
	assert_int_equal(xstat(port, "rx_type_MINE_packets"), 3);
	n = rte_pmd_ddp_ptypes_get(port, ptypes, RTE_DIM(ptypes));
	for (int i = 0; i < n; i++) {
		assert_int_equal(ptypes[i].id == mine, strcmp(ptypes[i].name, "MINE") == 0);
		assert_true(ptypes[i].id != mine || ptypes[i].packets == 3);
		for (int j = 0; j < i; j++)
			assert_int_not_equal(ptypes[i].id, ptypes[j].id);
		assert_int_equal(rte_pmd_ddp_ptype_name(port, ptypes[i].id, name, sizeof(name)),
				 strlen(ptypes[i].name));
		assert_string_equal(name, ptypes[i].name);
	}
	assert_int_equal(rte_pmd_ddp_ptype_name(port, 0, name, sizeof(name)), -ENOENT);
	assert_int_equal(rte_pmd_ddp_ptype_name(port, UINT16_MAX, name, sizeof(name)), -ENOENT);
	assert_int_equal(rte_eth_stats_reset(port), 0);
	good(del(port, "mine"));
	type_is(port, "IPV4_UDP");
	assert_int_equal(xstat(port, "rx_type_MINE_packets"), 0);
	assert_int_equal(xstat(port, "rx_type_IPV4_UDP_packets"), 1);
	assert_types_add_up(port);
}

TEST(a_profile_can_be_added_at_any_time) {
	int port = ddp_probe("dev(net_testsrc0)");

	good(add_text(port, MINE)); // not yet configured
	ddp_configure(port, 1, 1, 512, RTE_ETH_RSS_IP);
	good(add(port, "gtpu")); // not yet started
	assert_int_equal(rte_eth_dev_start(port), 0);
	type_is(port, "MINE");
	assert_int_equal(rte_eth_dev_stop(port), 0);
	good(del(port, "mine"));
	assert_int_equal(rte_eth_dev_start(port), 0);
	type_is(port, "IPV4_UDP");
}

// Otherwise an edited, moved or deleted file would take effect, or fail, at the next change
// of any kind.
TEST(a_profile_stays_as_it_was_read_until_its_list_is_set) {
	struct rte_eth_udp_tunnel tunnel = {.prot_type = RTE_ETH_TUNNEL_TYPE_VXLAN, .udp_port = 7};
	uint16_t port = profile_start(NULL, 1);

	scratch_write_text("mine.yaml", MINE);
	scratch_write_text("on_mine.yaml", ON_MINE);
	good(add(port, scratch_path("on_mine.yaml")));
	scratch_write_text("mine.yaml", MINE_2);
	assert_int_equal(unlink(scratch_path("on_mine.yaml")), 0);

	good(add(port, "vxlan"));
	assert_int_equal(rte_eth_dev_udp_tunnel_port_add(port, &tunnel), 0);
	assert_int_equal(rte_eth_dev_udp_tunnel_port_delete(port, &tunnel), 0);
	type_is(port, "MINE");
	scratch_write_text("mine.yaml", "profile: [");
	good(add(port, "mine")); // so far only required: there is one version of it
	good(del(port, "vxlan"));
	type_is(port, "MINE");

	good(del(port, "on_mine"));
	good(del(port, "mine"));
	assert_int_equal(add(port, "mine"), -EINVAL);
	scratch_write_text("mine.yaml", MINE_2);
	good(add(port, "mine"));
	type_is(port, "MINE_2");

	// Else a service that reloads its profiles, or "ddpctl port set", would have no effect.
	scratch_write_text("on_mine.yaml", ON_MINE);
	good(set(port, "on_mine"));
	scratch_write_text("mine.yaml", MINE);
	good(set(port, "on_mine"));
	type_is(port, "MINE");
	scratch_write_text("mine.yaml", "profile: [");
	assert_int_equal(set(port, "on_mine"), -EINVAL);
	assert_non_null(strstr(error, "/mine.yaml:"));
	good(add(port, "vxlan")); // profiles in use stay as they were read
	type_is(port, "MINE");
	ddp_end(port);
	assert_int_equal(unlink(scratch_path("mine.yaml")), 0);
	assert_int_equal(unlink(scratch_path("on_mine.yaml")), 0);
}

TEST(what_is_left_being_unreadable_does_not_mean_that_a_profile_was_not_there) {
	static const char alone[] = "profile: alone\n"
				    "headers: {alone: {first: true, layout: dst:48 src:48}}\n"
				    "packet_types: {ALONE: {path: alone}}\n";
	uint16_t port;

	assert_int_equal(mkdir(scratch_path("base.yaml"), 0700), 0); // before the real one
	scratch_write_text("alone.yaml", alone);
	port = profile_start("alone", 1);
	assert_int_equal(del(port, "alone"), -EINVAL);
	assert_non_null(strstr(error, "base.yaml: error: not a file"));
	type_is(port, "ALONE");
	assert_int_equal(rmdir(scratch_path("base.yaml")), 0);
	good(del(port, "alone"));
	type_is(port, "IPV4_UDP");
}

// As rte_pmd_ddp.h says: a port that is not ours is refused, and NULL unless it is empty, also for
// such a port.
TEST(only_our_ports_have_profiles_and_null_is_none) {
	const uint16_t ports[] = {profile_start("gtpu", 1), port_id_of("net_testsrc0"), 77,
				  UINT16_MAX};
	const uint16_t ours = ports[0];

	for (unsigned int i = 0; i < RTE_DIM(ports); i++) {
		const uint16_t port = ports[i];

		bad(add(port, NULL), -EINVAL, "the specification is NULL");
		bad(rte_pmd_ddp_profile_add_text(port, NULL, 0, error, sizeof(error)), -EINVAL,
		    "the text is NULL");
		bad(del(port, NULL), -EINVAL, "the name is NULL");
		bad(rte_pmd_ddp_profile_del_text(port, NULL, 9, error, sizeof(error)), -EINVAL,
		    "the text is NULL");
		assert_int_equal(rte_pmd_ddp_profile_add(port, NULL, NULL, 9), -EINVAL);
		assert_int_equal(rte_pmd_ddp_profiles_get(port, NULL, 1), -EINVAL);
		assert_int_equal(rte_pmd_ddp_ptypes_get(port, NULL, 1), -EINVAL);
		assert_int_equal(rte_pmd_ddp_ptype_name(port, 1, NULL, 1), -EINVAL);
		assert_int_equal(rte_pmd_ddp_ptype_mapping_get(port, NULL, 1), -EINVAL);
		assert_int_equal(rte_pmd_ddp_ptype_mapping_update(port, NULL, 1, false), -EINVAL);
		assert_int_equal(rte_pmd_ddp_balance_get(port, NULL), -EINVAL);
		assert_int_equal(rte_pmd_ddp_meta_fill(port, 0, NULL, 1), -EINVAL);
		if (port == ours)
			continue;
		assert_int_equal(add(port, "gtpu"), -ENODEV);
		assert_non_null(strstr(error, "is not a net_ddp port"));
		assert_int_equal(add_text(port, MINE), -ENODEV);
		assert_int_equal(del(port, "gtpu"), -ENODEV);
		assert_int_equal(set(port, "gtpu"), -ENODEV);
		assert_int_equal(rte_pmd_ddp_profile_del_text(port, MINE, strlen(MINE), NULL, 0),
				 -ENODEV);
		assert_int_equal(rte_pmd_ddp_profiles_get(port, NULL, 0), -ENODEV);
		assert_int_equal(rte_pmd_ddp_ptypes_get(port, NULL, 0), -ENODEV);
		assert_int_equal(rte_pmd_ddp_ptype_name(port, 1, error, 9), -ENODEV);
	}
	assert_true(rte_pmd_ddp_ptype_name(ours, 1, NULL, 0) > 0);
	assert_int_equal(rte_pmd_ddp_profiles_get(ours, NULL, 0), 1);
	ddp_end(ours);
	bad(add(77, "gtpu"), -ENODEV, "port 77 is not a net_ddp port");
	assert_int_equal(add(ours, "gtpu"), -ENODEV); // closed
}

PORT_TESTS(leak_setup)
