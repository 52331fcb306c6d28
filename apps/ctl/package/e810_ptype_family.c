/* SPDX-License-Identifier: BSD-3-Clause */
#include "e810_ptype_family.h"

#include <string.h>

// The first that fits: a word of the packet type's name, or a header of its chain (which must be
// the last if it begins with '.').
static const struct {
	const char *word, *header, *kind;
} kinds[] = {
	{"NAT_T_IKE", NULL, "IKE on the port of NAT traversal"},
	{"NAT_T_KEEP", NULL, "keep-alives of NAT traversal"},
	{"NAT_T_ESP", NULL, "ESP in UDP"},
	{"GTPC", NULL, "GTP-C"},
	{NULL, ".gtpu", "GTP-U signalling"},
	{NULL, "gtpu", "GTP-U user data"},
	{NULL, "pfcp", "PFCP"},
	{NULL, "pppoed", "PPPoE discovery"},
	{NULL, "pppoe", "PPPoE sessions"},
	{NULL, "l2tpv2", "L2TPv2"},
	{NULL, "l2tpv3", "L2TPv3"},
	{NULL, "esp", "ESP"},
	{NULL, "ah", "AH"},
	{NULL, "ecpri", "eCPRI"},
	{NULL, "tunnel", "GRE, VXLAN, VXLAN-GPE and GENEVE tunnels"},
	{NULL, "lldp", "LLDP"},
	{NULL, "ptp", "PTP over Ethernet"},
	{NULL, "arp", "ARP"},
	{NULL, "mac_control", "MAC control"},
};

static bool chain_has(const char *const *chain, unsigned int n, const char *header) {
	if (header[0] == '.')
		return n > 0 && strcmp(chain[n - 1], header + 1) == 0;
	for (unsigned int i = 0; i < n; i++)
		if (strcmp(chain[i], header) == 0)
			return true;
	return false;
}

static unsigned int n_ip(const char *const *chain, unsigned int n) {
	unsigned int n_found = 0;

	for (unsigned int i = 0; i < n; i++)
		n_found += strcmp(chain[i], "ipv4") == 0 || strcmp(chain[i], "ipv6") == 0;
	return n_found;
}

const char *e810_ptype_family(const struct e810_parser *parser, uint16_t ptype) {
	const char *name = e810_ptype_name(parser, ptype);
	const char *chain[E810_CHAIN_MAX];
	unsigned int n = e810_ptype_chain(parser, ptype, chain);

	if (n == 0)
		return "packet types without a label";
	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].word != NULL && strstr(name, kinds[i].word) != NULL)
			return kinds[i].kind;
		if (kinds[i].header != NULL && chain_has(chain, n, kinds[i].header))
			return kinds[i].kind;
	}
	if (n_ip(chain, n) > 1)
		return "IP in IP";
	if (chain_has(chain, n, "ipv4"))
		return "IPv4";
	return chain_has(chain, n, "ipv6") ? "IPv6" : "Ethernet";
}

unsigned int e810_family_add(struct e810_family kinds[E810_FAMILIES_MAX], unsigned int n,
			     const struct e810_parser *parser, uint16_t ptype) {
	const char *kind = e810_ptype_family(parser, ptype);
	unsigned int k = 0;

	while (k < n && strcmp(kinds[k].kind, kind) != 0)
		k++;
	if (k == n)
		kinds[n++] = (struct e810_family){.kind = kind};
	kinds[k].ptypes[kinds[k].n++] = ptype;
	return n;
}
