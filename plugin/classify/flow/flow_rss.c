/* SPDX-License-Identifier: BSD-3-Clause */
// RSS types of a hash rule, or a packet and a mask -> the fields that are hashed.
//
// Of RSS types: the hashed layer is the pattern's innermost: its last IP header, the transport
// header behind that, and the Ethernet header and VLAN tags before it as far as they belong to the
// same (inner) frame. With the outermost RSS level it is that of the first IP header. A type adds
// the fields that it names; attributes (RTE_ETH_RSS_L3_SRC_ONLY, ...) take some away again.
#include "flow.h"

#include <errno.h>

#include "base/dpdk_compat.h"
#include "classify/run/walk.h"

#define HF(name) DDP_RSS_HF(name)

#define L2_SIDES (HF(L2_SRC_ONLY) | HF(L2_DST_ONLY))
#define L3_SIDES (HF(L3_SRC_ONLY) | HF(L3_DST_ONLY))
#define L4_SIDES (HF(L4_SRC_ONLY) | HF(L4_DST_ONLY))
#define PREFIXES (HF(L3_PRE32) | HF(L3_PRE48) | HF(L3_PRE64))
#define PREFIXES_UNKNOWN (HF(L3_PRE40) | HF(L3_PRE56) | HF(L3_PRE96))
#define ATTRIBUTES (L2_SIDES | L3_SIDES | L4_SIDES | PREFIXES | PREFIXES_UNKNOWN)

#define IPV4_L4 (HF(IPV4_UDP) | HF(IPV4_TCP) | HF(IPV4_SCTP))
#define IPV6_L4 (HF(IPV6_UDP) | HF(IPV6_TCP) | HF(IPV6_SCTP))
#define IPV6_L4_EX (HF(IPV6_UDP_EX) | HF(IPV6_TCP_EX))
#define IPV4_TYPES (HF(IPV4) | HF(IPV4_FRAG) | HF(IPV4_OTHER) | IPV4_L4)
// The flow label comes with the addresses (RFC 6437): drivers with the type (net_bnxt) hash all.
#define FLOW_LABEL DPDK_RSS_IPV6_FLOW_LABEL
#define IPV6_TYPES                                                                        \
	(HF(IPV6) | HF(IPV6_FRAG) | HF(IPV6_OTHER) | HF(IPV6_EX) | IPV6_L4 | IPV6_L4_EX | \
	 FLOW_LABEL)
#define L4_TYPES (IPV4_L4 | IPV6_L4 | IPV6_L4_EX)

// Headers with one field of their own to hash.
static const struct special {
	uint64_t type;
	const char *header, *field;
} specials[] = {
	{HF(GTPU), "gtpu", "teid"},
	{HF(GTPU), "gtpc", "teid"},
	{HF(PPPOE), "pppoe", "session"},
	{HF(ESP), "esp", "spi"},
	{HF(AH), "ah", "spi"},
	{HF(PFCP), "pfcp", "seid"},
	{HF(L2TPV2), "l2tpv2", "session"},
	{HF(L2TPV3), "l2tpv3", "session"},
	{HF(ECPRI), "ecpri", "pc_id"},
	{HF(VXLAN), "vxlan", "vni"},
	{HF(VXLAN), "vxlan_gpe", "vni"},
	{HF(GENEVE), "geneve", "vni"},
	{HF(NVGRE), "gre", "key"},
	{HF(MPLS), "mpls", "label"},
};

static const struct transport {
	const char *header;
	uint64_t ipv4, ipv6;
} transports[] = {
	{"udp", HF(IPV4_UDP), HF(IPV6_UDP) | HF(IPV6_UDP_EX)},
	{"tcp", HF(IPV4_TCP), HF(IPV6_TCP) | HF(IPV6_TCP_EX)},
	{"sctp", HF(IPV4_SCTP), HF(IPV6_SCTP)},
};

// The pattern's hashed layer, as indexes of its headers; -1 for none.
struct layer {
	int eth, first_vlan, last_vlan;
	int l3, frag; // frag: IPv6 fragment header
	int l4;
	bool ipv4;
	const struct transport *transport;
};

struct hash {
	struct ddp_flow *rule;
	struct layer layer;
	uint64_t types;
	uint64_t level; // DDP_RSS_LEVEL_*
	bool i40e, symmetric;
	bool full; // a value had no room
	char *error;
	size_t error_size;
};

static const struct transport *transport_of(const struct ddp_flow *rule, unsigned int item) {
	for (unsigned int i = 0; i < sizeof(transports) / sizeof(transports[0]); i++)
		if (ddp_flow_names(rule, item, transports[i].header))
			return &transports[i];
	return NULL;
}

static unsigned int outermost_items(const struct ddp_flow *rule) {
	bool ip = false;

	for (unsigned int i = 0; i < rule->n_items; i++) {
		if (ip && (ddp_flow_names_ip(rule, i) || ddp_flow_names(rule, i, "eth")))
			return i;
		ip |= ddp_flow_names_ip(rule, i);
	}
	return rule->n_items;
}

static void layer_find(const struct ddp_flow *rule, unsigned int n_items, struct layer *layer) {
	static const struct layer none = {-1, -1, -1, -1, -1, -1, false, NULL};

	*layer = none;
	for (unsigned int i = 0; i < n_items; i++) {
		if (ddp_flow_names(rule, i, "eth")) { // a frame: what is around it is not hashed
			*layer = none;
			layer->eth = i;
		} else if (ddp_flow_names(rule, i, "vlan")) {
			layer->first_vlan = layer->first_vlan < 0 ? (int)i : layer->first_vlan;
			layer->last_vlan = i;
		} else if (ddp_flow_names_ip(rule, i)) {
			if (layer->l3 >= 0) // a packet in a packet
				*layer = none;
			layer->l3 = i;
			layer->ipv4 = ddp_flow_names(rule, i, "ipv4");
		} else if (ddp_flow_names(rule, i, "ipv6_frag")) {
			layer->frag = i;
		} else if (transport_of(rule, i) != NULL) {
			layer->l4 = i;
			layer->transport = transport_of(rule, i);
		}
	}
}

/* Refusals */

static int refuse(const struct hash *h, const char *reason) {
	snprintf(h->error, h->error_size, "%s", reason);
	return -EINVAL;
}

static uint64_t allowed(const struct hash *h) {
	const struct layer *layer = &h->layer;
	uint64_t types = 0;

	if (layer->eth >= 0)
		types |= HF(ETH);
	if (h->rule->n_items == 1u + layer->eth)
		types |= HF(L2_PAYLOAD);
	if (layer->first_vlan >= 0)
		types |= HF(C_VLAN) | HF(S_VLAN);
	if (layer->l3 >= 0 && layer->ipv4)
		types |= HF(IPV4) | HF(IPV4_FRAG) | HF(IPV4_CHKSUM);
	if (layer->l3 >= 0 && !layer->ipv4)
		types |= HF(IPV6) | HF(IPV6_EX) | FLOW_LABEL;
	if (layer->l3 >= 0 && layer->transport != NULL)
		types |= HF(L4_CHKSUM) |
			 (layer->ipv4 ? layer->transport->ipv4 : layer->transport->ipv6);
	if (layer->frag >= 0 || (h->i40e && layer->l3 >= 0 && !layer->ipv4 && layer->l4 < 0))
		types |= HF(IPV6_FRAG);
	if (layer->l3 >= 0 && layer->l4 < 0)
		types |= layer->ipv4 ? HF(IPV4_OTHER) : HF(IPV6_OTHER);
	for (unsigned int i = 0; i < sizeof(specials) / sizeof(specials[0]); i++)
		for (unsigned int j = 0; j < h->rule->n_items; j++)
			if (ddp_flow_names(h->rule, j, specials[i].header))
				types |= specials[i].type;
	return types;
}

static int fit_check(const struct hash *h) {
	const uint64_t types = h->types, wrong = types & ~(allowed(h) | ATTRIBUTES);

	if (wrong != 0) {
		snprintf(h->error, h->error_size, "RSS type '%s' does not fit the pattern",
			 ddp_rss_hf_name(__builtin_ctzll(wrong)));
		return -EINVAL;
	}
	if ((types & PREFIXES_UNKNOWN) != 0)
		return refuse(h, "an IPv6 prefix to hash has 32, 48 or 64 bits");
	if ((types & L2_SIDES) != 0 && (types & HF(ETH)) == 0)
		return refuse(h, "l2-src-only and l2-dst-only need the RSS type eth");
	if ((types & L3_SIDES) != 0 && (types & (IPV4_TYPES | IPV6_TYPES)) == 0)
		return refuse(h, "l3-src-only and l3-dst-only need an RSS type of IP");
	if ((types & L4_SIDES) != 0 && (types & L4_TYPES) == 0)
		return refuse(h,
			      "l4-src-only and l4-dst-only need an RSS type of UDP, TCP or SCTP");
	if ((types & PREFIXES) != 0 && (types & IPV6_TYPES) == 0)
		return refuse(h, "l3-pre32, l3-pre48 and l3-pre64 need an RSS type of IPv6");
	if (__builtin_popcountll(types & PREFIXES) > 1)
		return refuse(h, "one of l3-pre32, l3-pre48 and l3-pre64 at most");
	return 0;
}

// A pattern that ends with a tunnel's header matches packets of any inner headers.
static int level_check(const struct hash *h) {
	const struct layer *layer = &h->layer;
	const int last = (int)h->rule->n_items - 1;

	if (h->level != DDP_RSS_LEVEL_INNERMOST || last < 0 || last == layer->eth ||
	    last == layer->last_vlan || last == layer->l3 || last == layer->frag ||
	    last == layer->l4)
		return 0;
	return refuse(h, "RSS level 2: the pattern ends before the inner headers");
}

static int symmetric_check(const struct hash *h) {
	if (!h->i40e && (h->types & (L3_SIDES | L4_SIDES)) != 0)
		return refuse(h, "a symmetric hash needs both sides: no l3-src-only or the like");
	if ((h->types & FLOW_LABEL) != 0)
		return refuse(
			h, "a symmetric hash has no ipv6-flow-label: each direction has its own");
	if ((h->types & ((IPV4_TYPES & ~HF(IPV4_OTHER)) | (IPV6_TYPES & ~HF(IPV6_OTHER)))) == 0)
		return refuse(h, "a symmetric hash needs an RSS type of IP, UDP, TCP or SCTP");
	return 0;
}

// Types for kinds of packet that no packet is at once.
static int kinds_check(const struct hash *h) {
	const uint64_t v4 = HF(IPV4_FRAG) | HF(IPV4_OTHER), v6 = HF(IPV6_FRAG) | HF(IPV6_OTHER);

	if (h->i40e && ((h->types & v4) == v4 || (h->types & v6) == v6))
		return refuse(h, "RSS types of fragments and of other packets in one rule");
	if (h->i40e)
		return 0;
	if ((h->types & HF(IPV4)) != 0 && (h->types & (HF(IPV4_UDP) | HF(IPV4_TCP))) != 0)
		return refuse(h, "RSS type ipv4 together with ipv4-udp or ipv4-tcp");
	if ((h->types & HF(IPV6)) != 0 && (h->types & (HF(IPV6_UDP) | HF(IPV6_TCP))) != 0)
		return refuse(h, "RSS type ipv6 together with ipv6-udp or ipv6-tcp");
	return 0;
}

static int types_check(const struct hash *h) {
	int ret;

	if ((h->types & ~ATTRIBUTES) == 0)
		return refuse(h, "no RSS type says what to hash");
	ret = kinds_check(h);
	if (ret == 0)
		ret = fit_check(h);
	if (ret == 0)
		ret = level_check(h);
	if (ret == 0 && h->symmetric)
		ret = symmetric_check(h);
	return ret;
}

/* Hashed fields */

static void input_add(const struct hash *h, int item, const char *field, unsigned int bits) {
	struct ddp_flow *rule = h->rule;

	if (rule->n_inputs < DDP_MAX_INPUT_SIZE)
		rule->inputs[rule->n_inputs++] =
			(struct ddp_flow_field){.item = item, .field = field, .width = bits};
}

// Both of a pair, or the one side that an attribute leaves.
static void sides_add(const struct hash *h, int item, const char *src, const char *dst,
		      unsigned int bits, uint64_t src_only, uint64_t dst_only) {
	uint64_t only = h->types & (src_only | dst_only);

	if (only != dst_only)
		input_add(h, item, src, bits);
	if (only != src_only)
		input_add(h, item, dst, bits);
}

static void l2_add(const struct hash *h) {
	const struct layer *layer = &h->layer;

	if ((h->types & HF(ETH)) != 0)
		sides_add(h, layer->eth, "src", "dst", 0, HF(L2_SRC_ONLY), HF(L2_DST_ONLY));
	if (layer->l3 < 0 && h->rule->n_items == 1u + layer->eth &&
	    (h->types & (HF(ETH) | HF(L2_PAYLOAD))) != 0)
		input_add(h, layer->eth, "type", 0);
	// The tag's 16 bits, priority included.
	if ((h->types & HF(S_VLAN)) != 0)
		input_add(h, layer->first_vlan, NULL, 16);
	if ((h->types & HF(C_VLAN)) != 0 &&
	    ((h->types & HF(S_VLAN)) == 0 || layer->last_vlan != layer->first_vlan))
		input_add(h, layer->last_vlan, NULL, 16);
}

static void value_add(struct hash *h, const struct ddp_flow_value *value) {
	h->full |= h->rule->n_values == DDP_FLOW_MATCHES;
	if (!h->full)
		h->rule->values[h->rule->n_values++] = *value;
}

// Only fragments of IPv4, or none: by MF and the fragment offset, RFC 791.
static void fragments_add(struct hash *h, bool only) {
	value_add(h, &(struct ddp_flow_value){
			     .at = {.item = h->layer.l3, .bit = 50, .width = 14},
			     .pattern = {.mask_lo = 0x3fff},
			     .negate = only,
		     });
}

static void l3_add(struct hash *h) {
	const struct layer *layer = &h->layer;
	const unsigned int bits = (h->types & HF(L3_PRE32)) != 0 ? 32 :
				  (h->types & HF(L3_PRE48)) != 0 ? 48 :
				  (h->types & HF(L3_PRE64)) != 0 ? 64 :
								   0;

	if ((h->types & (IPV4_TYPES | IPV6_TYPES)) != 0 &&
	    ((h->types & L3_SIDES) != 0 || (h->types & L4_SIDES) == 0))
		sides_add(h, layer->l3, "src", "dst", bits, HF(L3_SRC_ONLY), HF(L3_DST_ONLY));
	if ((h->types & FLOW_LABEL) != 0)
		input_add(h, layer->l3, "flow_label", 0);
	if ((h->types & HF(IPV4_CHKSUM)) != 0)
		input_add(h, layer->l3, "checksum", 0);
	if ((h->types & HF(IPV4_FRAG)) != 0)
		fragments_add(h, true);
	if (h->i40e)
		return;
	if ((h->types & HF(IPV4_FRAG)) != 0)
		input_add(h, layer->l3, "id", 0);
	if ((h->types & HF(IPV6_FRAG)) != 0)
		input_add(h, layer->frag, "id", 0);
}

// A 700-series NIC has a pctype for fragments, for each transport protocol, and for the others.
static void i40e_kind_add(struct hash *h) {
	static const uint8_t protocols[] = {6, 17, 132, 44}; // 44: a fragment of IPv6
	const struct layer *layer = &h->layer;

	if ((h->types & HF(IPV6_FRAG)) != 0 && layer->frag < 0) {
		if (h->rule->n_items == DDP_FLOW_ITEMS)
			h->full = true;
		else
			h->rule->items[h->rule->n_items++] = "ipv6_frag";
	}
	if ((h->types & (HF(IPV4_OTHER) | HF(IPV6_OTHER))) == 0)
		return;
	for (unsigned int i = 0; i < sizeof(protocols) - layer->ipv4; i++)
		value_add(h, &(struct ddp_flow_value){
				     .at = {.item = layer->l3,
					    .field = layer->ipv4 ? "protocol" : "next_header"},
				     .pattern = {.value_lo = protocols[i], .mask_lo = 0xff},
				     .negate = true,
			     });
	if (layer->ipv4)
		fragments_add(h, false);
}

static void l4_add(const struct hash *h) {
	if ((h->types & L4_TYPES) != 0 &&
	    ((h->types & L4_SIDES) != 0 || (h->types & L3_SIDES) == 0))
		sides_add(h, h->layer.l4, "sport", "dport", 0, HF(L4_SRC_ONLY), HF(L4_DST_ONLY));
	if ((h->types & HF(L4_CHKSUM)) != 0)
		input_add(h, h->layer.l4, "checksum", 0);
	if (h->i40e && !h->symmetric && (h->types & (HF(IPV4_SCTP) | HF(IPV6_SCTP))) != 0)
		input_add(h, h->layer.l4, "vtag", 0);
}

// A field that only some packets have (PFCP's SEID) leaves the rule those that have it.
static void specials_add(struct hash *h) {
	for (unsigned int i = 0; i < sizeof(specials) / sizeof(specials[0]); i++)
		for (unsigned int j = 0; j < h->rule->n_items; j++) {
			const struct ddp_flow_value present = {
				.at = {.item = j, .field = specials[i].field},
			};

			if ((h->types & specials[i].type) == 0 ||
			    !ddp_flow_names(h->rule, j, specials[i].header))
				continue;
			input_add(h, j, specials[i].field, 0);
			value_add(h, &present);
		}
}

int ddp_flow_rss_apply(struct ddp_flow *rule, uint64_t types, enum ddp_flow_dialect dialect,
		       bool symmetric, char *error, size_t error_size) {
	static const uint64_t sides[] = {L2_SIDES, L3_SIDES, L4_SIDES};
	unsigned int n_items =
		ddp_rss_hf_is_outermost(types) ? outermost_items(rule) : rule->n_items;
	struct hash h = {
		.rule = rule,
		.types = types & ~DDP_RSS_LEVELS,
		.level = types & DDP_RSS_LEVELS,
		.i40e = dialect == DDP_FLOW_I40E,
		.symmetric = symmetric,
		.error = error,
		.error_size = error_size,
	};
	int ret;

	layer_find(rule, n_items, &h.layer);
	if ((types & L2_SIDES) == L2_SIDES && (types & HF(ETH)) == 0)
		return refuse(&h, "l2-src-only and l2-dst-only need the RSS type eth");
	// Both sides of a layer are as none. (To i40e also: the other layer is not hashed.)
	for (unsigned int i = 0; !h.i40e && i < sizeof(sides) / sizeof(sides[0]); i++)
		if ((h.types & sides[i]) == sides[i])
			h.types &= ~sides[i];
	ret = types_check(&h);
	if (ret < 0)
		return ret;
	if (h.i40e)
		i40e_kind_add(&h);
	l3_add(&h);
	l4_add(&h);
	l2_add(&h);
	specials_add(&h);
	// These NICs hash the protocol with the ports, so that flows which differ in nothing else
	// differ in it. Left out for plain packets and for one side of them: what applications
	// compute for themselves (RSS of two addresses and two ports) stays right.
	if ((h.types & L4_TYPES) != 0 && (h.types & (L3_SIDES | L4_SIDES)) == 0 &&
	    h.rule->n_items > 3) {
		input_add(&h, h.layer.l3, h.layer.ipv4 ? "protocol" : "next_header", 0);
		h.rule->inputs[h.rule->n_inputs - 1].spare = true;
	}
	return h.full ? refuse(&h, "too many values in one pattern") : 0;
}

/* A packet and a mask: protocol-agnostic flow offloading, with our own parser */

struct raw {
	const struct ddp_profile *profile;
	const struct ddp_program *program;
	struct ddp_packet packet;
	struct ddp_class class;
	struct ddp_flow *rule;
	bool bits[8 * DDP_FLOW_RAW_SIZE]; // to be hashed, and not yet in the rule
	uint8_t items[DDP_FLOW_ITEMS];    // index in class.seen
	char *error;
	size_t error_size;
};

static int raw_refuse(const struct raw *raw, const char *reason) {
	snprintf(raw->error, raw->error_size, "%s", reason);
	return -EINVAL;
}

static int items_add(struct raw *raw) {
	struct ddp_flow *rule = raw->rule;

	for (unsigned int i = 0; i < raw->class.n_seen; i++) {
		const struct ddp_header *header = &raw->profile->headers[raw->class.seen[i].node];

		if (header->hidden)
			continue;
		if (rule->n_items == DDP_FLOW_ITEMS)
			return raw_refuse(raw, "the raw pattern has too many headers");
		raw->items[rule->n_items] = i;
		rule->items[rule->n_items++] = header->name;
		if (raw->class.seen[i].fragment) // the rest is data to a rule
			break;
	}
	return 0;
}

static bool bits_take(struct raw *raw, uint32_t first, unsigned int width) {
	if (first + width > 8 * raw->packet.len || memchr(&raw->bits[first], 0, width) != NULL)
		return false;
	memset(&raw->bits[first], 0, width * sizeof(*raw->bits));
	return true;
}

static int place_add(struct raw *raw, const struct ddp_flow_field *at) {
	if (raw->rule->n_inputs == DDP_MAX_INPUT_SIZE)
		return raw_refuse(raw, "the mask of the raw pattern selects too many fields");
	raw->rule->inputs[raw->rule->n_inputs++] = *at;
	return 0;
}

// Whole fields by name, so that a symmetric hash finds the other one of a pair.
static int fields_add(struct raw *raw, unsigned int item) {
	uint8_t node = raw->class.seen[raw->items[item]].node;
	const struct ddp_header *header = &raw->profile->headers[node];
	int ret = 0;

	for (unsigned int i = 0; i < header->n_fields && ret == 0; i++) {
		const struct ddp_field *field = &header->fields[i];
		const struct ddp_flow_field at = {.item = item, .field = field->name};
		const struct prog_ref ref = {
			.field = raw->program->nodes[node].first_field + i,
			.node = node,
			.which = DDP_WHICH_NTH_SEEN,
			.nth = ddp_flow_nth(raw->rule, item),
			.bits = field->width,
		};
		uint32_t bit;

		if (field->name != NULL && field->anchor != DDP_AHEAD &&
		    field_locate(raw->program, &raw->class, &ref, &bit) &&
		    bits_take(raw, bit, field->width))
			ret = place_add(raw, &at);
	}
	return ret;
}

// Add the rest of the mask from `from` to `to`, counted from there (payload: as behind the header).
static int rest_add(struct raw *raw, unsigned int item, uint32_t from, uint32_t to, bool payload) {
	int ret = 0;

	for (uint32_t bit = from; bit < to && ret == 0; bit++) {
		struct ddp_flow_field at = {.item = item, .bit = bit - from};

		if (!raw->bits[bit])
			continue;
		while (bit < to && raw->bits[bit] && at.width < 128) {
			raw->bits[bit++] = false;
			at.width++;
		}
		bit--;
		if (payload)
			at.bit |= DDP_FLOW_PAYLOAD;
		ret = place_add(raw, &at);
	}
	return ret;
}

static int inputs_add(struct raw *raw) {
	unsigned int n_items = raw->rule->n_items;
	uint32_t end = 0;
	int ret = 0;

	for (unsigned int i = 0; i < n_items && ret == 0; i++) {
		const struct ddp_seen *seen = &raw->class.seen[raw->items[i]];

		end = 8u * (seen->off + seen->len);
		ret = fields_add(raw, i);
		if (ret == 0)
			ret = rest_add(raw, i, 8u * seen->off, end, false);
	}
	if (ret == 0)
		ret = rest_add(raw, n_items - 1, end, 8 * raw->packet.len, true);
	return ret;
}

// Uplink and downlink are not alike (3GPP TS 38.415).
static void direction_add(struct raw *raw) {
	for (unsigned int i = 0; i < raw->rule->n_items; i++) {
		const struct ddp_seen *seen = &raw->class.seen[raw->items[i]];
		struct ddp_flow_value value = {
			.at = {.item = i, .bit = 8, .width = 4},
			.pattern = {.mask_lo = 0xf},
		};

		if (!ddp_flow_names(raw->rule, i, "gtpu_psc"))
			continue;
		value.pattern.value_lo = raw->packet.data[seen->off + 1] >> 4;
		raw->rule->values[raw->rule->n_values++] = value;
		return;
	}
}

int ddp_flow_raw_rule(const struct ddp_profile *profile, const struct ddp_program *program,
		      const uint8_t *packet, const uint8_t *mask, unsigned int n,
		      struct ddp_flow *rule, char *error, size_t error_size) {
	struct raw raw = {
		.profile = profile,
		.program = program,
		.packet = {.data = packet, .first_len = n, .len = n},
		.rule = rule,
		.error = error,
		.error_size = error_size,
	};
	int ret;

	for (unsigned int i = 0; i < 8 * n; i++)
		raw.bits[i] = mask[i / 8] >> (7 - i % 8) & 1;
	ddp_classify(program, &raw.packet, &raw.class);
	if (raw.class.type == DDP_TYPE_NONE)
		return raw_refuse(&raw,
				  "the loaded profiles know no packet type for the raw pattern");
	rule->exact = true;
	rule->ends = true;
	ret = items_add(&raw);
	if (ret == 0)
		ret = inputs_add(&raw);
	if (ret == 0)
		direction_add(&raw);
	return ret;
}
