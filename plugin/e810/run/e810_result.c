/* SPDX-License-Identifier: BSD-3-Clause */
// What the parser's result says: headers of a packet type and of a packet, by the library's names,
// and the words of a packet that the RSS block hashes. Data path.
#include <string.h>

#include "e810/e810_model.h"

/* Packet types: words of their labels */

static const struct {
	const char *word;
	const char *headers[2];
} label_words[] = {
	{"AH", {"ah"}},
	{"ARP", {"arp"}},
	{"CONTROL", {"mac_control"}},
	{"ECPRI", {"ecpri"}},
	{"ESP", {"esp"}},
	{"GRE", {"gre"}},
	{"GTPC", {"udp", "gtpc"}},
	{"GTPU", {"udp", "gtpu"}},
	{"ICMP", {"icmp"}},
	{"ICMPV6", {"icmp6"}},
	{"IPV4", {"ipv4"}},
	{"IPV6", {"ipv6"}},
	{"L2TPV2", {"udp", "l2tpv2"}},
	{"L2TPV3", {"l2tpv3"}},
	{"LLDP", {"lldp"}},
	{"MAC", {"eth"}},
	{"NAT", {"udp"}}, // of NAT_T
	{"PFCP", {"udp", "pfcp"}},
	{"PPP", {"ppp"}},
	{"PPPOD", {"pppoed"}},
	{"PPPOE", {"pppoe", "ppp"}},
	{"PTP", {"ptp"}},
	{"SCTP", {"sctp"}},
	{"TCP", {"tcp"}},
	{"TUN", {"tunnel"}},
	{"UDP", {"udp"}},
	{"VLAN", {"vlan"}},
};

static unsigned int label_word_add(const char *word, size_t len, const char *chain[E810_CHAIN_MAX],
				   unsigned int n) {
	const bool frag = len == 4 && memcmp(word, "FRAG", 4) == 0;

	for (unsigned int i = 0; i < sizeof(label_words) / sizeof(label_words[0]); i++)
		if (strlen(label_words[i].word) == len &&
		    memcmp(label_words[i].word, word, len) == 0)
			for (unsigned int h = 0; h < 2 && label_words[i].headers[h] != NULL; h++)
				if (n < E810_CHAIN_MAX)
					chain[n++] = label_words[i].headers[h];
	if (frag && n > 0 && n < E810_CHAIN_MAX && strcmp(chain[n - 1], "ipv6") == 0)
		chain[n++] = "ipv6_frag";
	return n;
}

const char *e810_ptype_name(const struct e810_parser *parser, uint16_t ptype) {
	return ptype < E810_N_PTYPES ? parser->ptype_names[ptype] : "NONE";
}

unsigned int e810_ptype_chain(const struct e810_parser *parser, uint16_t ptype,
			      const char *chain[E810_CHAIN_MAX]) {
	const char *name = e810_ptype_name(parser, ptype);
	unsigned int n = 0;

	while (*name != '\0') {
		size_t len = strcspn(name, "_");

		n = label_word_add(name, len, chain, n);
		name += len + (name[len] == '_');
	}
	return n;
}

/* Packets: headers that the parser recorded, and others */

static const struct {
	const char *header;
	uint8_t size; // minimum in bytes
} recorded[256] = {
	[1] = {"eth", 14},    [2] = {"eth", 14},          [16] = {"vlan", 4},
	[17] = {"vlan", 4},   [18] = {"vlan", 4},         [32] = {"ipv4", 20},
	[33] = {"ipv4", 20},  [34] = {"ipv4", 20},        [40] = {"ipv6", 40},
	[41] = {"ipv6", 40},  [42] = {"ipv6", 40},        [47] = {"ipv6_frag", 8},
	[49] = {"tcp", 20},   [52] = {"udp", 8},          [53] = {"udp", 8},
	[64] = {"gre", 4},    [88] = {"esp", 8},          [89] = {"ah", 12},
	[96] = {"sctp", 12},  [98] = {"icmp", 4},         [100] = {"icmp6", 4},
	[103] = {"pppoe", 6}, [104] = {"l2tpv3", 4},      [105] = {"ecpri", 4},
	[106] = {"ppp", 2},   [116] = {"mac_control", 2}, [117] = {"lldp", 2},
	[118] = {"arp", 28},  [119] = {"ptp", 34},
};

struct e810_chain {
	const uint8_t *data;
	uint32_t len;
	struct e810_trace *trace; // may be NULL
	const char **headers;
	uint16_t *offsets;
	unsigned int n;
};

static bool captured(const struct e810_chain *c, uint32_t end) {
	if (c->trace != NULL) {
		if (end > c->len)
			c->trace->lost = true;
		else if (c->trace->min_len < end)
			c->trace->min_len = end;
	}
	return end <= c->len;
}

// These bits of a byte; 0 beyond the packet's end.
static unsigned int bits_at(const struct e810_chain *c, uint32_t offset, uint8_t mask) {
	if (!captured(c, offset + 1))
		return 0;
	if (c->trace != NULL) {
		if (offset < sizeof(c->trace->mask))
			c->trace->mask[offset] |= mask;
		else
			c->trace->lost = true;
	}
	return c->data[offset] & mask;
}

static unsigned int byte_at(const struct e810_chain *c, uint32_t offset) {
	return bits_at(c, offset, 0xff);
}

static unsigned int word_at(const struct e810_chain *c, uint32_t offset) {
	return byte_at(c, offset) << 8 | byte_at(c, offset + 1);
}

// Insert a header in the order of offsets, unless there is one. false: it is not wholly captured.
static bool chain_add(struct e810_chain *c, const char *header, uint32_t offset, uint32_t size) {
	unsigned int at = c->n;

	RTE_ASSERT(c->n <= E810_CHAIN_MAX);
	if (!captured(c, offset + size) || offset > UINT16_MAX)
		return false;
	while (at > 0 && c->offsets[at - 1] >= offset)
		if (c->offsets[--at] == offset)
			return true;
	if (c->n == E810_CHAIN_MAX)
		return true;
	memmove(&c->headers[at + 1], &c->headers[at], (c->n - at) * sizeof(*c->headers));
	memmove(&c->offsets[at + 1], &c->offsets[at], (c->n - at) * sizeof(*c->offsets));
	c->headers[at] = header;
	c->offsets[at] = offset;
	c->n++;
	return true;
}

static int protocol_offset(const struct e810_result *result, uint8_t id) {
	for (unsigned int i = 0; i < result->n_protocols; i++)
		if (result->protocols[i].id == id)
			return result->protocols[i].offset;
	return -1;
}

/* Headers that the parser does not record */

static void mpls_add(struct e810_chain *c, uint32_t offset) {
	if (word_at(c, offset) != 0x8847)
		return;
	for (offset += 2; c->n < E810_CHAIN_MAX; offset += 4)
		if (!chain_add(c, "mpls", offset, 4) || bits_at(c, offset + 2, 1))
			return;
}

static void ipv6_extensions_add(struct e810_chain *c, uint32_t offset) {
	unsigned int next = byte_at(c, offset + 6);

	for (offset += 40; c->n < E810_CHAIN_MAX;) {
		uint32_t size = 8;

		if (next == 44) {
			if (!chain_add(c, "ipv6_frag", offset, size) || byte_at(c, offset + 2) ||
			    bits_at(c, offset + 3, 0xf8))
				return;
		} else if (next == 0 || next == 43 || next == 60 || next == 135) {
			size += 8 * byte_at(c, offset + 1);
			if (!chain_add(c, "ipv6_ext", offset, size))
				return;
		} else {
			return;
		}
		next = byte_at(c, offset);
		offset += size;
	}
}

static void gtpu_add(struct e810_chain *c, uint32_t offset) {
	unsigned int flags = bits_at(c, offset, 7), type;

	if (!chain_add(c, "gtpu", offset, flags ? 12 : 8) || !(flags & 4))
		return;
	type = byte_at(c, offset + 11);
	for (offset += 12; type != 0 && c->n < E810_CHAIN_MAX;) {
		uint32_t size = 4 * byte_at(c, offset);

		if (size == 0 ||
		    !chain_add(c, type == 0x85 ? "gtpu_psc" : "gtpu_ext", offset, size))
			return;
		type = byte_at(c, offset + size - 1);
		offset += size;
	}
}

// The header behind the outer UDP header, by packet flags.
static void tunnel_add(struct e810_chain *c, const struct e810_result *result, uint32_t offset) {
	switch (result->packet_flags >> 38 & 7) {
	case 1:
		chain_add(c, "vxlan_gpe", offset, 8);
		if (byte_at(c, offset + 3) == 4)
			chain_add(c, "nsh", offset + 8, 8);
		break;
	case 2:
		chain_add(c, "vxlan", offset, 8);
		break;
	case 3:
		chain_add(c, "geneve", offset, 8 + 4 * bits_at(c, offset, 0x3f));
		break;
	default:
		gtpu_add(c, offset);
	}
}

static void udp_payload_add(struct e810_chain *c, const struct e810_parser *parser, uint16_t ptype,
			    uint32_t offset) {
	const char *chain[E810_CHAIN_MAX];
	unsigned int n = e810_ptype_chain(parser, ptype, chain);
	const char *last = n > 1 && strcmp(chain[n - 2], "udp") == 0 ? chain[n - 1] : NULL;

	if (last != NULL && strcmp(last, "gtpu") == 0)
		gtpu_add(c, offset);
	else if (last != NULL)
		chain_add(c, last, offset, 8);
}

static void pppoe_add(struct e810_chain *c, uint32_t offset) {
	if (offset >= 2 && word_at(c, offset - 2) == 0x8863) {
		chain_add(c, "pppoed", offset, 6);
		return;
	}
	chain_add(c, "pppoe", offset, 6);
	chain_add(c, "ppp", offset + 6, 2);
}

// Both public packages record the inner MAC of NVGRE and GENEVE too early, but not its EtherType.
static void inner_mac_add(struct e810_chain *c, const struct e810_result *result, uint32_t offset) {
	int type = protocol_offset(result, 10), tag = protocol_offset(result, 18) >= 0 ? 4 : 0;

	if (type >= 12 + tag)
		offset = type - 12 - tag;
	chain_add(c, "eth", offset, 14);
}

static void recorded_add(struct e810_chain *c, const struct e810_result *result,
			 const struct e810_protocol *protocol) {
	uint8_t id = protocol->id;

	if (id == 103)
		pppoe_add(c, protocol->offset);
	else if (id == 4)
		inner_mac_add(c, result, protocol->offset);
	else if (recorded[id].header != NULL)
		chain_add(c, recorded[id].header, protocol->offset, recorded[id].size);
}

static void unrecorded_add(struct e810_chain *c, const struct e810_parser *parser,
			   const struct e810_result *result, const struct e810_protocol *protocol) {
	uint8_t id = protocol->id;

	if (id == 9 || id == 10)
		mpls_add(c, protocol->offset);
	else if (id >= 40 && id <= 42)
		ipv6_extensions_add(c, protocol->offset);
	else if (id == 52)
		tunnel_add(c, result, protocol->offset + 8);
	else if (id == 53 && protocol_offset(result, 52) < 0)
		udp_payload_add(c, parser, result->ptype, protocol->offset + 8);
}

unsigned int e810_result_chain(const struct e810_parser *parser, const struct e810_result *result,
			       const uint8_t *data, uint32_t len, const char *chain[E810_CHAIN_MAX],
			       uint16_t offsets[E810_CHAIN_MAX], struct e810_trace *trace) {
	struct e810_chain c = {
		.data = data, .len = len, .trace = trace, .headers = chain, .offsets = offsets};

	// Recorded headers first: there may not be room for all.
	for (unsigned int i = 0; i < result->n_protocols; i++)
		recorded_add(&c, result, &result->protocols[i]);
	for (unsigned int i = 0; i < result->n_protocols; i++)
		unrecorded_add(&c, parser, result, &result->protocols[i]);
	return c.n;
}

/* Words that the RSS block hashes */

#define NO_WORD 255 // protocol id of an unused word

// The group of VSIs that the driver makes for its port; entries of packages are for all groups.
#define VSIG 1

uint8_t e810_rss_group(const struct e810_rss *rss, uint16_t ptype) {
	return ptype < E810_N_PTYPES ? rss->groups[ptype] : 0;
}

// The first matching entry of the package, which precedes all requests, or NULL.
static const struct own_entry *own_find(const struct e810_rss *rss, uint16_t flags, uint8_t group) {
	const uint8_t key[5] = {flags, flags >> 8, group, VSIG & 0xff, VSIG >> 8};

	for (unsigned int i = 0; i < rss->n_own; i++) {
		const struct own_entry *own = &rss->own[i];
		uint8_t differing = 0;

		for (unsigned int b = 0; b < 5; b++)
			differing |= (key[b] ^ own->value[b]) & own->care[b];
		if (differing == 0)
			return own;
	}
	return NULL;
}

// The newest request for a packet type among those of rss_hf.
static const struct e810_request *request_find(const struct e810_rss *rss, uint16_t ptype,
					       uint16_t flags) {
	uint8_t group = e810_rss_group(rss, ptype);

	if (ptype >= E810_N_PTYPES || own_find(rss, flags, group) != NULL)
		return NULL;
	for (unsigned int r = N_REQUESTS; r-- > 0;)
		if ((rss->applicable[group] >> r & 1) && (rss->requests[r].rss_hf & rss->rss_hf))
			return &rss->requests[r];
	return NULL;
}

const char *e810_rss_request(const struct e810_rss *rss, uint16_t ptype, uint16_t rss_flags) {
	const struct e810_request *request = request_find(rss, ptype, rss_flags);

	return request != NULL ? request->name : NULL;
}

static void word_add(struct e810_word words[E810_WORDS], unsigned int *n, uint8_t protocol,
		     uint16_t offset) {
	RTE_ASSERT(*n < E810_WORDS);
	words[*n] = (struct e810_word){protocol, offset, E810_WORDS - 1 - *n};
	++*n;
}

// Fill the vector from its end.
static unsigned int request_words(const struct e810_request *request,
				  struct e810_word words[E810_WORDS]) {
	static const struct {
		uint8_t protocol, first, n;
	} addresses[] = {
		[IP_V4] = {32, 12, 4},
		[IP_V6] = {40, 8, 16},
	};
	static const uint8_t ports[] = {[L4_UDP] = 53, [L4_TCP] = 49, [L4_SCTP] = 96};
	unsigned int n = 0;

	for (unsigned int i = 0; i < addresses[request->ip].n; i++)
		word_add(words, &n, addresses[request->ip].protocol,
			 addresses[request->ip].first + 2 * i);
	for (unsigned int i = 0; request->l4 != L4_NONE && i < 2; i++)
		word_add(words, &n, ports[request->l4], 2 * i);
	return n;
}

bool e810_rss_choice(const struct e810_rss *rss, uint16_t ptype, unsigned int nth,
		     struct e810_choice *choice) {
	uint8_t group = e810_rss_group(rss, ptype);
	uint64_t newer = 0;

	if (ptype >= E810_N_PTYPES || own_find(rss, 0, group) != NULL)
		return false;
	for (unsigned int r = N_REQUESTS; r-- > 0;) {
		const struct e810_request *request = &rss->requests[r];

		if ((rss->applicable[group] >> r & 1) == 0 || (newer & request->rss_hf) != 0)
			continue;
		newer |= request->rss_hf;
		if (nth-- > 0)
			continue;
		choice->rss_hf = request->rss_hf;
		choice->n = request_words(request, choice->words);
		return true;
	}
	return false;
}

static unsigned int own_words(const struct e810_rss *rss, const struct own_entry *own,
			      struct e810_word words[E810_WORDS]) {
	unsigned int profile = rss->redirection[own->profile], n = 0;

	if (profile >= rss->vectors->n_entries)
		return 0;
	for (int i = E810_WORDS - 1; i >= 0; i--) {
		const uint8_t *word = e810_entry(rss->vectors, profile) + 4 * i;

		if (word[0] == NO_WORD)
			continue; // unused, or metadata
		words[n++] = (struct e810_word){word[0], entry_bits(word, 8, 16), i};
	}
	return n;
}

unsigned int e810_rss_words(const struct e810_rss *rss, uint16_t ptype, uint16_t rss_flags,
			    struct e810_word words[E810_WORDS]) {
	const struct e810_request *request = request_find(rss, ptype, rss_flags);
	const struct own_entry *own = own_find(rss, rss_flags, e810_rss_group(rss, ptype));

	if (own != NULL)
		return own_words(rss, own, words);
	return request != NULL ? request_words(request, words) : 0;
}
