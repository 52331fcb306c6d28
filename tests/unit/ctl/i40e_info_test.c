/* SPDX-License-Identifier: BSD-3-Clause */
// 700-series packages on the command line: what info says of them, for people and machines.
#include "ctl/command.h"
#include "package/i40e_write.h"
#include "scratch_folder.h"

static const char *package_write(void) {
	struct ddp_package package = i40e_gtp;
	struct i40e_package i40e = *i40e_gtp.i40e;
	const char *path;
	uint8_t *bytes;
	size_t size;

	package.i40e = &i40e;
	i40e.ptypes.n = 3;
	i40e.notes = "Hash input set for GTPU is TEID\r\nand more";
	bytes = i40e_write(&package, &size);
	path = file_write("a.pkgo", bytes, size);
	free(bytes);
	return path;
}

// A command prints these texts, one after the other.
static void assert_prints(const char *const *expected, int status, int argc, const char **argv) {
	static struct output out;
	char *text, *at;

	output_begin(&out);
	assert_int_equal(ctl_run(argc, argv, &out), status);
	at = text = output_end(&out);
	for (; *expected != NULL; expected++) {
		at = strstr(at, *expected);
		if (at == NULL)
			fail_msg("not there, or not in its place: %s\n%s", *expected, text);
		at += strlen(*expected);
	}
	free(text);
}

#define PRINTS(expected, status, ...)                                           \
	assert_prints(expected, status, COUNT(((const char *[]){__VA_ARGS__})), \
		      (const char *[]){__VA_ARGS__})

TEST(people_see_what_a_package_holds) {
	static const char *const expected[] = {
		"package GTP 1.0.3.0, track id 0x80000008, for the 700 series\n",
		"0x11     configuration of the 700 series     224",
		"\ndevices: 8086:1572 (subsystem ffff:ffff), 8086:1583 (subsystem 8086:0001); "
		"NVM versions: 0x60001\n"
		"\nprofile    GTPv1-C/U IPv4/IPv6 payload 1.0.3.1\n"
		"use        DPDK accepts it, and can remove it again\n"
		"protocols  12 IPV4, 13 IPV6, 17 TCP, 18 UDP, 19 SCTP, 20 ICMP, 21 GTPU, 22 GTPC,\n"
		"           23 ICMPV6, 34 PAY3, 35 PAY4, 44 IPV4FRAG, 48 IPV6FRAG, 52 OIPV4, 53\n"
		"           OIPV6\n"
		"\n"
		"notes\n"
		"  Hash input set for GTPU is TEID\n"
		"  and more\n"
		"\n",
		"PCTYPE  PROTOCOLS\n"
		"    22  GTPU_IPV4\n",
		"PTYPE  PROTOCOLS\n"
		"  167  OIPV4_GTPC\n",
		NULL};

	PRINTS(expected, EXIT_GOOD, "info", package_write());
}

TEST(machines_see_what_a_package_holds) {
	static const char *const expected[] = {
		"{\"vendor\":\"0x8086\",\"device\":\"0x1583\",\"sub_vendor\":\"0x8086\","
		"\"sub_device\":\"0x0001\"}],\"nvm_versions\":[393217]",
		"\"profile\":{\"name\":\"GTPv1-C/U IPv4/IPv6 payload\",\"version\":\"1.0.3.1\"},"
		"\"usable\":true,",
		"\"notes\":\"Hash input set for GTPU is TEID\\u000d\\u000aand more\"",
		"{\"id\":21,\"name\":\"GTPU\"}",
		"\"pctypes\":[{\"id\":22,\"name\":\"GTPU_IPV4\",\"protocols\":[21,12]}",
		"\"ptypes\":[{\"id\":167,\"name\":\"OIPV4_GTPC\",\"protocols\":[52,22]}",
		NULL};

	PRINTS(expected, EXIT_GOOD, "info", "--json", package_write());
}

TEST(diff_refuses_packages_of_the_700_series) {
	static const char *const nothing[] = {NULL};
	const char *a = package_write();

	PRINTS(nothing, EXIT_NO, "diff", a, a);
	PRINTS(nothing, EXIT_NO, "diff", a, "gtpu");
}
