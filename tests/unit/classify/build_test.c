/* SPDX-License-Identifier: BSD-3-Clause */
// What a program tells of itself: ids and names that applications and people are shown.
#include "base/rss_hf.h"
#include "classify/classify.h"
#include "corpus.h"
#include "profile/profile.h"
#include "scratch.h"
#include "unit.h"

TEST(packet_types_are_numbered_from_1_in_the_order_of_the_profile) {
	struct loaded loaded = load_good("gtpu");
	unsigned int n = ddp_program_n_types(loaded.program);

	assert_int_equal(n, loaded.profile->n_types);
	for (unsigned int i = 0; i < n; i++) {
		const struct ddp_type_info *type = ddp_program_type(loaded.program, i);

		assert_int_equal(type->id, i + 1);
		assert_string_equal(type->name, loaded.profile->types[i].name);
		assert_int_equal(type->hashed, loaded.profile->types[i].n_sets > 0);
	}
	unload(&loaded);
}

TEST(no_packet_type_is_called_unknown) {
	struct loaded loaded = load_good("base");
	const struct ddp_type_info *type = ddp_program_type(loaded.program, DDP_TYPE_NONE);

	assert_string_equal(type->name, "UNKNOWN");
	assert_int_equal(type->id, 0);
	assert_false(type->hashed);
	assert_ptr_equal(ddp_program_type(loaded.program, ddp_program_n_types(loaded.program)),
			 type);
	unload(&loaded);
}

TEST(headers_keep_their_names_when_the_profile_is_gone) {
	struct loaded loaded = load_good("base");
	uint8_t first = loaded.profile->first;

	ddp_profile_destroy(loaded.profile);
	loaded.profile = NULL;
	assert_string_equal(ddp_program_node(loaded.program, first)->token, "eth");
	assert_false(ddp_program_node(loaded.program, first)->hidden);
	assert_string_equal(ddp_program_type(loaded.program, 0)->name, "ETH");
	unload(&loaded);
}

static uint64_t bits_of(const char *list) {
	const char *unknown;
	size_t unknown_len;
	uint64_t bits;

	assert_int_equal(ddp_rss_hf_parse(list, &bits, &unknown, &unknown_len), 0);
	return bits;
}

// A port offers what its program knows (flow_type_rss_offloads).
TEST(base_knows_the_rss_types_of_a_fixed_function_nic) {
	struct loaded loaded = load_good("base");

	assert_true(ddp_program_by_rss_hf(loaded.program));
	assert_int_equal(ddp_program_rss_hf(loaded.program), bits_of("ip+udp+tcp+sctp"));
	unload(&loaded);
}

TEST(a_tunnel_profile_does_not_go_by_rss_hf) {
	struct loaded loaded = load_good("gtpu");

	assert_false(ddp_program_by_rss_hf(loaded.program));
	unload(&loaded);
}

// Before any packet is seen: what rte_eth_dev_get_supported_ptypes() is made of.
TEST(a_types_packet_type_is_that_of_its_shortest_path) {
	struct loaded loaded;

	scratch_write_text("t.yaml",
			   "profile: t\nheaders:\n"
			   "  a: {first: true, layout: x:8, ptype: L2_ETHER, next: [{when: {x: 1}, "
			   "then: b}, c]}\n"
			   "  b: {layout: x:8, ptype: L3_IPV6, next: c}\n"
			   "  c: {layout: x:8, ptype: L3_IPV4}\n"
			   "packet_types:\n"
			   "  LONG: {path: a b+ c?}\n"
			   "  SHORT: {path: a b* c, ptype: L4_UDP, priority: 1}\n");
	loaded = load_good("t");
	assert_int_equal(ddp_program_type(loaded.program, 0)->rte_ptype, 0x41);
	assert_int_equal(ddp_program_type(loaded.program, 1)->rte_ptype, 0x211);
	unload(&loaded);
}

TEST(no_program_can_be_destroyed) {
	ddp_program_destroy(NULL);
	ddp_profile_destroy(NULL);
}
