/* SPDX-License-Identifier: BSD-3-Clause */
// Headers of a packet type, and of a packet, by the library's names.
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

/* Packets */

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
