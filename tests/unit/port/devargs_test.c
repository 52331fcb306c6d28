/* SPDX-License-Identifier: BSD-3-Clause */
// Answers plugin/port/devargs.c.
#include "harness.h"

#include <string.h>

#include "port/app/app.h"

struct good {
	const char *args, *lower, *profile;
	enum ddp_overflow overflow;
	unsigned int lower_queues, balance_ms;
	enum ddp_offload_mode offload;
	const char *nic; // NULL: none given
};

static const struct good good[] = {
	{"dev(net_null0)", .lower = "net_null0"},
	{"dev(net_pcap0,rx_pcap=a.pcap,tx_pcap=b.pcap),profile=gtpu",
	 "net_pcap0,rx_pcap=a.pcap,tx_pcap=b.pcap", .profile = "gtpu"},
	{"profile=gtpu:ue;port=2153;x=1+vxlan,dev(net_null0)", "net_null0",
	 .profile = "gtpu:ue;port=2153;x=1+vxlan"},
	{"dev(net_ddp1,dev(net_null0),overflow=drop),overflow=wait",
	 "net_ddp1,dev(net_null0),overflow=drop", .overflow = DDP_OVERFLOW_WAIT},
	{"overflow=drop,lower_queues=256,dev(0000:01:00.0)", "0000:01:00.0", .lower_queues = 256},
	{"dev(net_null0),,lower_queues=1,", "net_null0", .lower_queues = 1},
	{"dev(net_null0),profile=/a(b)/c.yaml", "net_null0", .profile = "/a(b)/c.yaml"},
	{"dev(net_null0),offload=auto", .lower = "net_null0"},
	{"dev(net_null0),offload=off", "net_null0", .offload = DDP_OFFLOAD_OFF},
	{"offload=require:ice-comms,dev(net_null0)", "net_null0", .offload = DDP_OFFLOAD_REQUIRE,
	 .nic = "ice-comms"},
	{"dev(net_null0),offload=auto:e810", "net_null0", .nic = "ice-comms"},
	{"dev(net_null0),balance=off", .lower = "net_null0"},
	{"balance=on,dev(net_null0)", "net_null0", .balance_ms = DDP_BALANCER_MS},
	{"dev(net_null0),balance=1", "net_null0", .balance_ms = 1},
	{"dev(net_null0),balance=60000", "net_null0", .balance_ms = DDP_BALANCE_MS_MAX},
};

struct bad {
	const char *args, *error;
};

static const struct bad bad[] = {
	{NULL, "the lower device is missing"},
	{"", "the lower device is missing"},
	{"profile=gtpu", "the lower device is missing"},
	{"dev()", "dev() names no lower device"},
	{"dev(net_null0", "the parenthesis of 'dev(net_null0' is not closed"},
	{"dev(net_ddp1,dev(net_null0)", "is not closed"},
	{"dev(net_null0))", "a comma is missing after dev(...), before ')'"},
	{"dev(net_null0)profile=gtpu", "a comma is missing after dev(...), before 'profile=gtpu'"},
	{"dev(net_null0),dev(net_null1)", "dev(...) is given twice"},
	{"dev(net_null0),profil=gtpu", "unknown argument 'profil', did you mean 'profile'?"},
	{"dev(net_null0),speed=1",
	 "unknown argument 'speed' (there are dev(...), profile=, meta=, overflow=, offload=, lower_queues=, "
	 "rss_key_len=, package=, decap=, balance=)"},
	{"dev=net_null0", "unknown argument 'dev'"},
	{"dev(net_null0),profile", "argument 'profile' needs a value"},
	{"dev(net_null0),profile=", "argument 'profile' needs a value"},
	{"dev(net_null0),profile=a,profile=b", "profile is given twice (join profiles with '+')"},
	{"dev(net_null0),overflow=stop", "overflow is drop or wait, not 'stop'"},
	{"dev(net_null0),overflow=drop,overflow=drop", "overflow is given twice"},
	{"dev(net_null0),offload=on", "offload is off, auto or require, not 'on'"},
	{"dev(net_null0),offload=aut", "not 'aut'"},
	{"dev(net_null0),offload=auto:e1000", "no kind of NIC is called 'e1000'"},
	{"dev(net_null0),offload=auto:", "no kind of NIC is called ''"},
	{"dev(net_null0),offload=off,offload=auto", "offload is given twice"},
	{"dev(net_null0),meta=no", "meta is on or off, not 'no'"},
	{"dev(net_null0),meta=on,meta=off", "meta is given twice"},
	{"dev(net_null0),lower_queues=0", "lower_queues is a number from 1 to 256, not '0'"},
	{"dev(net_null0),lower_queues=257", "not '257'"},
	{"dev(net_null0),lower_queues=-1", "not '-1'"},
	{"dev(net_null0),lower_queues=two", "not 'two'"},
	{"dev(net_null0),lower_queues=2x", "not '2x'"},
	{"dev(net_null0),lower_queues=99999999999999999999", "not '99999999999999999999'"},
	{"dev(net_null0),lower_queues=1,lower_queues=2", "lower_queues is given twice"},
	{"dev(net_null0),decap=yes", "decap is on or off, not 'yes'"},
	{"dev(net_null0),decap=on,decap=on", "decap is given twice"},
	{"dev(net_null0),rss_key_len=48", "rss_key_len is 40 or 52, not '48'"},
	{"dev(net_null0),rss_key_len=40,rss_key_len=40", "rss_key_len is given twice"},
	{"dev(net_null0),package=a,package=b", "package is given twice"},
	{"dev(net_null0),balance=", "argument 'balance' needs a value"},
	{"dev(net_null0),balance=auto",
	 "balance is off, on, or milliseconds from 1 to 60000, not 'auto'"},
	{"dev(net_null0),balance=0", "not '0'"},
	{"dev(net_null0),balance=-1", "not '-1'"},
	{"dev(net_null0),balance=100ms", "not '100ms'"},
	{"dev(net_null0),balance=60001", "not '60001'"},
	{"dev(net_null0),balance=99999999999999999999", "not '99999999999999999999'"},
	{"dev(net_null0),balance=on,balance=off", "balance is given twice"},
};

TEST(good_devargs_are_taken_apart) {
	for (unsigned int i = 0; i < RTE_DIM(good); i++) {
		struct ddp_devargs devargs;
		char error[DDP_ERROR_SIZE] = "";

		if (ddp_devargs_parse(good[i].args, &devargs, error) != 0)
			fail_msg("%s: %s", good[i].args, error);
		assert_string_equal(devargs.lower, good[i].lower);
		if (good[i].profile == NULL)
			assert_null(devargs.profile);
		else
			assert_string_equal(devargs.profile, good[i].profile);
		assert_int_equal(devargs.overflow, good[i].overflow);
		assert_int_equal(devargs.lower_queues, good[i].lower_queues);
		assert_int_equal(devargs.balance_ms, good[i].balance_ms);
		assert_int_equal(devargs.offload, good[i].offload);
		assert_int_equal(devargs.nic != NULL, good[i].nic != NULL);
		if (good[i].nic != NULL)
			assert_string_equal(ddp_nic_name(devargs.nic), good[i].nic);
		ddp_devargs_fini(&devargs);
	}
}

TEST(bad_devargs_have_one_clear_line) {
	for (unsigned int i = 0; i < RTE_DIM(bad); i++) {
		struct ddp_devargs devargs;
		char error[DDP_ERROR_SIZE] = "";

		if (ddp_devargs_parse(bad[i].args, &devargs, error) >= 0)
			fail_msg("%s is accepted", bad[i].args);
		if (strstr(error, bad[i].error) == NULL || strchr(error, '\n') != NULL)
			fail_msg("%s: %s", bad[i].args, error);
		ddp_devargs_fini(&devargs);
	}
}
