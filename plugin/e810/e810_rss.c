/* SPDX-License-Identifier: BSD-3-Clause */
// The RSS block with the requests of DPDK's ice driver at start, by groups of packet types.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/rss_hf.h"
#include "e810_model.h"

// In the driver's order. The last request for a group decides.
static const struct e810_request requests[N_REQUESTS] = {
	{DDP_RSS_HF(IPV4), IP_V4, L4_NONE, false, "IPv4 addresses"},
	{DDP_RSS_HF(IPV6), IP_V6, L4_NONE, false, "IPv6 addresses"},
	{DDP_RSS_HF(IPV4_UDP), IP_V4, L4_UDP, false, "IPv4 addresses and UDP ports"},
	{DDP_RSS_HF(IPV6_UDP), IP_V6, L4_UDP, false, "IPv6 addresses and UDP ports"},
	{DDP_RSS_HF(IPV4_TCP), IP_V4, L4_TCP, false, "IPv4 addresses and TCP ports"},
	{DDP_RSS_HF(IPV6_TCP), IP_V6, L4_TCP, false, "IPv6 addresses and TCP ports"},
	{DDP_RSS_HF(IPV4_SCTP), IP_V4, L4_SCTP, false, "IPv4 addresses and SCTP ports"},
	{DDP_RSS_HF(IPV6_SCTP), IP_V6, L4_SCTP, false, "IPv6 addresses and SCTP ports"},
	{DDP_RSS_HF(IPV4), IP_V4, L4_NONE, true, "PPPoE: IPv4 addresses"},
	{DDP_RSS_HF(IPV6), IP_V6, L4_NONE, true, "PPPoE: IPv6 addresses"},
	{DDP_RSS_HF(IPV4_UDP), IP_V4, L4_UDP, true, "PPPoE: IPv4 addresses and UDP ports"},
	{DDP_RSS_HF(IPV6_UDP), IP_V6, L4_UDP, true, "PPPoE: IPv6 addresses and UDP ports"},
	{DDP_RSS_HF(IPV4_TCP), IP_V4, L4_TCP, true, "PPPoE: IPv4 addresses and TCP ports"},
	{DDP_RSS_HF(IPV6_TCP), IP_V6, L4_TCP, true, "PPPoE: IPv6 addresses and TCP ports"},
};

struct ptype_range {
	uint16_t first, last;
};

// Packet types by kind, for all packages. IP fragments, and IP in IP, go with their group.
static const struct ptype_range ptypes_ipv4[] = {
	{23, 24},   {26, 28},   {43, 46},   {48, 53},   {55, 58},   {61, 61},
	{160, 160}, {162, 162}, {164, 164}, {166, 166}, {168, 168}, {302, 307},
	{325, 325}, {327, 327}, {329, 329}, {331, 335}, {341, 345}, {351, 352},
	{360, 360}, {396, 396}, {398, 398}, {400, 400}, {402, 413}, {450, 453},
	{455, 459}, {461, 465}, {467, 471}, {473, 473}, {0, 0},
};
static const struct ptype_range ptypes_ipv6[] = {
	{89, 90},   {92, 94},   {109, 112}, {114, 119}, {121, 127}, {129, 134},
	{136, 138}, {161, 161}, {163, 163}, {165, 165}, {167, 167}, {169, 169},
	{308, 313}, {326, 326}, {328, 328}, {330, 330}, {336, 340}, {346, 350},
	{353, 354}, {361, 361}, {397, 397}, {399, 399}, {401, 401}, {414, 425},
	{474, 477}, {479, 483}, {485, 489}, {491, 495}, {497, 497}, {0, 0},
};
static const struct ptype_range ptypes_udp[] = {
	{24, 24},   {31, 31},   {38, 38},   {46, 46},   {53, 53},   {61, 61},   {68, 68},
	{90, 90},   {97, 97},   {104, 104}, {112, 112}, {119, 119}, {127, 127}, {134, 134},
	{304, 304}, {310, 310}, {325, 330}, {333, 333}, {338, 338}, {343, 343}, {348, 348},
	{351, 354}, {372, 372}, {396, 401}, {404, 404}, {410, 410}, {416, 416}, {422, 422},
	{452, 452}, {458, 458}, {464, 464}, {470, 470}, {476, 476}, {482, 482}, {488, 488},
	{494, 494}, {0, 0},
};
static const struct ptype_range ptypes_tcp[] = {
	{26, 26},   {33, 33},   {40, 40},   {48, 48},   {55, 55},   {63, 63},   {70, 70},
	{92, 92},   {99, 99},   {106, 106}, {114, 114}, {121, 121}, {129, 129}, {136, 136},
	{305, 305}, {311, 311}, {334, 334}, {339, 339}, {344, 344}, {349, 349}, {405, 405},
	{411, 411}, {417, 417}, {423, 423}, {453, 453}, {459, 459}, {465, 465}, {471, 471},
	{477, 477}, {483, 483}, {489, 489}, {495, 495}, {0, 0},
};
static const struct ptype_range ptypes_sctp[] = {
	{27, 27},   {34, 34},   {41, 41},   {49, 49},   {56, 56},   {64, 64},   {71, 71},
	{93, 93},   {100, 100}, {107, 107}, {115, 115}, {122, 122}, {130, 130}, {137, 137},
	{306, 306}, {312, 312}, {406, 406}, {412, 412}, {418, 418}, {424, 424}, {0, 0},
};
static const struct ptype_range ptypes_pppoe[] = {{301, 313}, {0, 0}};

static const struct ptype_range *const ptypes_ip[] = {
	[IP_V4] = ptypes_ipv4,
	[IP_V6] = ptypes_ipv6,
};
static const struct ptype_range *const ptypes_l4[] = {
	[L4_UDP] = ptypes_udp,
	[L4_TCP] = ptypes_tcp,
	[L4_SCTP] = ptypes_sctp,
};

static bool ranges_have(const struct ptype_range *range, uint16_t ptype) {
	for (; range->last != 0; range++)
		if (ptype >= range->first && ptype <= range->last)
			return true;
	return false;
}

static bool request_has(const struct e810_request *request, uint16_t ptype) {
	if (!ranges_have(ptypes_ip[request->ip], ptype) ||
	    (ptype >= 351 && ptype <= 354) /* PFCP */ ||
	    ranges_have(ptypes_pppoe, ptype) != request->pppoe)
		return false;
	return request->l4 == L4_NONE || ranges_have(ptypes_l4[request->l4], ptype);
}

static bool groups_read(struct e810_rss *rss, struct ddp_diag *diag) {
	const struct e810_table *table = e810_table(rss->parser->package, E810_RSS_XLT1);

	if (table->n_entries == 0)
		return ddp_refuse(diag, DDP_FILE(rss->parser->package->path),
				  "no packet type groups of the RSS block (section %u)",
				  E810_RSS_XLT1);
	assert(table->n_entries >= sizeof(rss->groups));
	memcpy(rss->groups, table->entries, sizeof(rss->groups));
	return true;
}

static int own_compare(const void *a, const void *b) {
	const struct own_entry *x = a, *y = b;

	return x->address - y->address;
}

static void own_read(struct e810_rss *rss, const struct e810_table *tcam) {
	const struct ddp_package *package = rss->parser->package;
	const struct e810_table *redirection = e810_table(package, E810_RSS_REDIRECTION);
	static const uint8_t nothing[5];

	for (unsigned int i = 0; i < 256; i++)
		rss->redirection[i] = i < redirection->n_entries ? redirection->entries[i] : i;
	rss->vectors = e810_table(package, E810_RSS_FIELD_VECTOR);
	for (unsigned int i = 0; i < tcam->n_entries; i++) {
		const uint8_t *entry = e810_entry(tcam, i);
		struct own_entry *own = &rss->own[rss->n_own];

		own->address = entry_bits(entry, 0, 16);
		own->profile = entry[12];
		// Skip entries that never match, and the default one, which always does.
		rss->n_own += ternary_decode(entry + 2, entry + 7, 5, own->value, own->care) &&
			      memcmp(own->care, nothing, sizeof(nothing)) != 0;
	}
	assert(rss->n_own <= tcam->n_entries);
	qsort(rss->own, rss->n_own, sizeof(*rss->own), own_compare);
}

struct e810_rss *e810_rss_create(const struct e810_parser *parser, uint64_t rss_hf,
				 struct ddp_diag *diag) {
	const struct e810_table *tcam = e810_table(parser->package, E810_RSS_TCAM);
	struct e810_rss *rss = calloc(1, sizeof(*rss) + tcam->n_entries * sizeof(rss->own[0]));

	if (rss == NULL) {
		ddp_no_memory(diag);
		return NULL;
	}
	rss->parser = parser;
	rss->requests = requests;
	rss->rss_hf = rss_hf;
	if (!groups_read(rss, diag)) {
		e810_rss_destroy(rss);
		errno = EINVAL;
		return NULL;
	}
	own_read(rss, tcam);
	// A request is for whole groups, also for all of group 0 if one of its types is there.
	for (unsigned int r = 0; r < N_REQUESTS; r++)
		for (unsigned int p = 0; p < E810_N_PTYPES; p++)
			if (request_has(&requests[r], p))
				rss->applicable[rss->groups[p]] |= 1u << r;
	return rss;
}

void e810_rss_destroy(struct e810_rss *rss) {
	free(rss);
}

/* Names of words */

static const struct {
	uint8_t protocol, offset, size;
	const char *name;
} fields[] = {
	{1, 0, 6, "eth.dst"},
	{1, 6, 6, "eth.src"},
	{4, 0, 6, "inner.eth.dst"},
	{4, 6, 6, "inner.eth.src"},
	{9, 0, 2, "eth.type"},
	{10, 0, 2, "inner.eth.type"},
	{16, 0, 2, "vlan.tci (external)"},
	{17, 0, 2, "vlan.tci (internal)"},
	{18, 0, 2, "vlan.tci (in a tunnel)"},
	{32, 0, 2, "ipv4.version, length and tos"},
	{32, 4, 2, "ipv4.id"},
	{32, 6, 2, "ipv4.fragment"},
	{32, 8, 2, "ipv4.ttl and proto"},
	{32, 10, 2, "ipv4.checksum"},
	{32, 12, 4, "ipv4.src"},
	{32, 16, 4, "ipv4.dst"},
	{33, 0, 2, "inner.ipv4.version, length and tos"},
	{33, 8, 2, "inner.ipv4.ttl and proto"},
	{33, 10, 2, "inner.ipv4.checksum"},
	{33, 12, 4, "inner.ipv4.src"},
	{33, 16, 4, "inner.ipv4.dst"},
	{40, 0, 2, "ipv6.version and class"},
	{40, 6, 2, "ipv6.next and hops"},
	{40, 8, 16, "ipv6.src"},
	{40, 24, 16, "ipv6.dst"},
	{41, 0, 2, "inner.ipv6.version and class"},
	{41, 6, 2, "inner.ipv6.next and hops"},
	{41, 8, 16, "inner.ipv6.src"},
	{41, 24, 16, "inner.ipv6.dst"},
	{47, 4, 4, "ipv6_frag.id"},
	{49, 0, 2, "tcp.sport"},
	{49, 2, 2, "tcp.dport"},
	{49, 12, 2, "tcp.flags"},
	{49, 16, 2, "tcp.checksum"},
	{52, 0, 2, "outer.udp.sport"},
	{52, 2, 2, "outer.udp.dport"},
	{52, 12, 4, "gtpu.teid"},
	{52, 22, 2, "gtpu_psc.qfi"},
	{53, 0, 2, "udp.sport"},
	{53, 2, 2, "udp.dport"},
	{53, 6, 2, "udp.checksum"},
	{64, 12, 4, "gre.key"},
	{88, 0, 4, "esp.spi"},
	{89, 4, 4, "ah.spi"},
	{96, 0, 2, "sctp.sport"},
	{96, 2, 2, "sctp.dport"},
	{96, 8, 4, "sctp.checksum"},
	{98, 0, 2, "icmp.type and code"},
	{100, 0, 2, "icmp6.type and code"},
	{103, 2, 2, "pppoe.session"},
	{104, 0, 4, "l2tpv3.session"},
	{105, 4, 2, "ecpri.channel"},
	{118, 6, 2, "arp.op"},
	{118, 8, 6, "arp.sha"},
	{118, 14, 4, "arp.spa"},
	{118, 18, 6, "arp.tha"},
	{118, 24, 4, "arp.tpa"},
};

const char *e810_word_name(uint8_t protocol, uint16_t offset, char buf[E810_WORD_NAME]) {
	for (unsigned int i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		unsigned int first = offset - fields[i].offset;

		if (fields[i].protocol != protocol || offset < fields[i].offset ||
		    first >= fields[i].size)
			continue;
		if (fields[i].size == 2)
			snprintf(buf, E810_WORD_NAME, "%s", fields[i].name);
		else
			snprintf(buf, E810_WORD_NAME, "%s[%u:%u]", fields[i].name, first,
				 first + 2);
		return buf;
	}
	snprintf(buf, E810_WORD_NAME, "protocol %u byte %u", protocol, offset);
	return buf;
}
