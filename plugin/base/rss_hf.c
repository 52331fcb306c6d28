/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include "base/dpdk_compat.h"
#include "rss_hf.h"

#define BIT(n) (UINT64_C(1) << (n))

#define IPV4_ALL (BIT(2) | BIT(3) | BIT(7))
#define IPV6_ALL (BIT(8) | BIT(9) | BIT(13) | BIT(15))

#define TYPE(name, bit) {name, bit},
static const struct {
	const char *name;
	uint64_t bits;
} types[] = {
	DPDK_RSS_TYPES_ADDED(TYPE) // types that 22.11 lacks
	{"all", DDP_RSS_HF_ALL},
	{"none", 0},
	{"ip", IPV4_ALL | IPV6_ALL},
	{"udp", BIT(5) | BIT(11) | BIT(17)},
	{"tcp", BIT(4) | BIT(10) | BIT(16)},
	{"sctp", BIT(6) | BIT(12)},
	{"tunnel", BIT(19) | BIT(20) | BIT(21)},
	{"vlan", BIT(25) | BIT(26)},
#define NAMED(name, bit, testpmd) {testpmd, BIT(bit)},
	DDP_RSS_HF_NAMED(NAMED){"level-outer", DDP_RSS_LEVEL_OUTERMOST},
	{"level-inner", DDP_RSS_LEVEL_INNERMOST},
};

int ddp_rss_hf_parse(const char *list, uint64_t *rss_hf, const char **unknown,
		     size_t *unknown_len) {
	const unsigned int n = sizeof(types) / sizeof(types[0]);
	uint64_t sum = 0;

	for (;;) {
		size_t len = strcspn(list, "+");
		unsigned int i = 0;

		while (i < n &&
		       (strlen(types[i].name) != len || memcmp(types[i].name, list, len) != 0))
			i++;
		if (i == n) {
			*unknown = list;
			*unknown_len = len;
			return -EINVAL;
		}
		sum |= types[i].bits;
		if (list[len] == '\0')
			break;
		list += len + 1;
	}
	*rss_hf = sum;
	return 0;
}

const char *ddp_rss_hf_name(unsigned int bit) {
	for (unsigned int i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].bits == BIT(bit))
			return types[i].name;
	return "?";
}
