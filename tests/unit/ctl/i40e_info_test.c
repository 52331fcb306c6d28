/* SPDX-License-Identifier: BSD-3-Clause */
// 700-series packages on the command line: what info says of them, for people and machines.
#include "ctl/package/i40e_package.h"

#include <errno.h>
#include <jansson.h>

#include "ctl/command.h"
#include "package/i40e_write.h"
#include "scratch_folder.h"

static struct i40e_type pctypes[] = {
	{14, {34, 255, 255, 255, 255, 255}},
	{22, {21, 12, 255, 255, 255, 255}},
};

static struct i40e_type ptypes[] = {
	{169, {52, 21, 12, 36, 255, 255}},
};

static struct i40e_section sections[] = {
	{.type = I40E_PROTOCOL},
	{.type = I40E_PCTYPE},
	{.type = I40E_PTYPE},
};

// The path of a package for GTP with other content.
static const char *package_write(void) {
	struct ddp_package package = i40e_gtp;
	struct i40e_package i40e = *i40e_gtp.i40e;
	const char *path;
	uint8_t *bytes;
	size_t size;

	package.track_id = 0x80050008;
	package.i40e = &i40e;
	i40e.sections = sections;
	i40e.n_sections = COUNT(sections);
	i40e.pctypes = pctypes;
	i40e.n_pctypes = COUNT(pctypes);
	i40e.ptypes = ptypes;
	i40e.n_ptypes = COUNT(ptypes);
	i40e.notes = "Hash input set for GTPU is TEID\r\nand more";
	bytes = i40e_write(&package, &size);
	path = file_write("a.pkgo", bytes, size);
	free(bytes);
	return path;
}

// What a command prints, without the folder's name; to be freed.
static char *said(int status, int argc, const char **argv) {
	static struct output out;
	char *text, *at;

	output_begin(&out);
	assert_int_equal(ctl_run(argc, argv, &out), status);
	text = output_end(&out);
	while ((at = strstr(text, scratch_dir)) != NULL)
		memmove(at, at + strlen(scratch_dir) + 1, strlen(at + strlen(scratch_dir) + 1) + 1);
	return text;
}

#define SAID(status, ...) \
	said(status, COUNT(((const char *[]){__VA_ARGS__})), (const char *[]){__VA_ARGS__})

// The texts must all be in it, one after the other.
static void in_order(const char *text, const char *const *expected, unsigned int n) {
	const char *at = text;

	for (unsigned int i = 0; i < n; i++) {
		at = strstr(at, expected[i]);
		if (at == NULL) {
			fputs(text, stderr);
			fail_msg("not there, or not in its place: %s", expected[i]);
		}
		at += strlen(expected[i]);
	}
}

static void people_see_what_a_package_holds(void **state) {
	static const char *const expected[] = {
		"package GTP 1.0.3.0, track id 0x80050008, for the 700 series\n",
		"0x11     configuration of the 700 series     224    460  GTPv1-C/U IPv4/IPv6 payload\n",
		"\nprofile    GTPv1-C/U IPv4/IPv6 payload 1.0.3.1\n"
		"use        DPDK accepts it, and can remove it again\n"
		"devices    8086:1572 8086:1583(8086:0001)\n"
		"NVM        0x60001\n"
		"protocols  12 IPV4, 13 IPV6, 17 TCP, 18 UDP, 19 SCTP, 20 ICMP, 21 GTPU, 22 GTPC, "
		"23 ICMPV6, 34 PAY3,\n"
		"           35 PAY4, 44 IPV4FRAG, 48 IPV6FRAG, 52 OIPV4, 53 OIPV6\n"
		"\n"
		"notes\n"
		"  Hash input set for GTPU is TEID\n"
		"  and more\n"
		"\n",
		"PCTYPE  PROTOCOLS\n"
		"    14  PAY3\n"
		"    22  GTPU_IPV4\n"
		"\n",
		"PTYPE  PROTOCOLS        IN DPDK\n"
		"  169  OIPV4_GTPU_IPV4  L3_IPV4_EXT_UNKNOWN TUNNEL_GTPU "
		"INNER_L3_IPV4_EXT_UNKNOWN\n",
	};
	char *text = SAID(EXIT_GOOD, "info", package_write());

	in_order(text, expected, COUNT(expected));
	free(text);
}

static void an_empty_package_is_shown(void **state) {
	static const char *const expected[] = {
		"0x12     configuration of X722     112     92\n",
		"profile     0.0.0.0, for X722\n",
		("devices    any\n"
		 "NVM        any\n"
		 "protocols  none\n"),
	};
	struct i40e_package empty = {.is_x722 = true};
	struct ddp_package package = i40e_gtp;
	uint8_t *bytes;
	size_t size;
	char *text;

	package.i40e = &empty;
	bytes = i40e_write(&package, &size);
	text = SAID(EXIT_GOOD, "info", file_write("a.pkgo", bytes, size));
	in_order(text, expected, COUNT(expected));
	free(text);
	free(bytes);
}

static void machines_see_what_a_package_holds(void **state) {
	char *text = SAID(EXIT_GOOD, "info", "--json", package_write());
	json_t *json = json_loads(text, 0, NULL), *package = json_array_get(json, 0);
	static const char *const expected[] = {
		"\"profile\": {\"name\": \"GTPv1-C/U IPv4/IPv6 payload\", \"version\": \"1.0.3.1\"}",
		"\"usable\": true",
		"\"notes\": \"Hash input set for GTPU is TEID\\r\\nand more\"",
		"{\"vendor\": \"0x8086\", \"device\": \"0x1583\", \"sub_vendor\": "
		"\"0x8086\", "
		"\"sub_device\": \"0x0001\"}",
		"\"nvm_versions\": [393217]",
		"{\"id\": 21, \"name\": \"GTPU\"}",
		"{\"id\": 14, \"name\": \"PAY3\", \"protocols\": [34]}",
		"{\"id\": 22, \"name\": \"GTPU_IPV4\", \"protocols\": [21, 12]}",
		"{\"id\": 169, \"name\": \"OIPV4_GTPU_IPV4\", \"protocols\": [52, 21, "
		"12, 36], "
		"\"rte_ptype\": \"0x00408090\", \"rte_ptype_name\": \"L3_IPV4_EXT_UNKNOWN "
		"TUNNEL_GTPU INNER_L3_IPV4_EXT_UNKNOWN\"}",
	};
	char *dump;

	assert_non_null(package);
	dump = json_dumps(package, 0);
	for (unsigned int i = 0; i < COUNT(expected); i++)
		if (strstr(dump, expected[i]) == NULL)
			fail_msg("%s\n"
				 "is not in\n"
				 "%s",
				 expected[i], dump);
	free(dump);
	json_decref(json);
	free(text);
}

static void diff_refuses_packages_of_the_700_series(void **state) {
	const char *a = package_write();

	free(SAID(EXIT_NO, "diff", a, a));
	free(SAID(EXIT_NO, "diff", a, "gtpu"));
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(people_see_what_a_package_holds),
		cmocka_unit_test(an_empty_package_is_shown),
		cmocka_unit_test(machines_see_what_a_package_holds),
		cmocka_unit_test(diff_refuses_packages_of_the_700_series),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
