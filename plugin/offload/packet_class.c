/* SPDX-License-Identifier: BSD-3-Clause */
#include "draft.h"

#include <assert.h>

#include "base/rte_ptype.h"

#define PTYPE(name, bits) PTYPE_##name = bits,
enum {
	DDP_RTE_PTYPES(PTYPE)
};

#define NAME(id, name, item) name,
#define ITEM(id, name, item) item,
const char *const class_header_names[] = {CLASS_HEADERS(NAME)};
const char *const class_header_items[] = {CLASS_HEADERS(ITEM)};

/* Bytes */

static void bytes_known(struct packet_class *s, unsigned int at, uint64_t value, uint64_t mask,
			unsigned int n) {
	assert(at + n <= s->len);
	for (unsigned int i = 0; i < n; i++) {
		unsigned int shift = 8 * (n - 1 - i);

		s->known[at + i] |= mask >> shift;
		s->data[at + i] =
			(s->data[at + i] & ~(mask >> shift)) | ((value >> shift) & (mask >> shift));
	}
}

static unsigned int header_add(struct packet_class *s, enum class_header_id id, unsigned int len) {
	unsigned int off = s->len;

	assert(s->n_headers < PACKET_CLASS_HEADERS && off + len <= PACKET_CLASS_SIZE);
	s->headers[s->n_headers++] = (struct class_header){id, off, len};
	// Unknown bytes get values without a meaning.
	for (unsigned int i = 0; i < len; i++)
		s->data[off + i] = 0x5b + 37 * (off + i);
	s->len += len;
	return off;
}

static void eth_add(struct packet_class *s, unsigned int n_vlans, uint16_t type) {
	unsigned int at = header_add(s, HEADER_ETH, 14) + 12;

	for (unsigned int i = 0; i < n_vlans; i++) {
		bytes_known(s, at, i + 1 < n_vlans ? 0x88a8 : 0x8100, 0xffff, 2);
		at = header_add(s, HEADER_VLAN, 4) + 2;
	}
	bytes_known(s, at, type, 0xffff, 2);
}

static void protocol_known(struct packet_class *s, bool inner, unsigned int at,
			   unsigned int protocol) {
	bytes_known(s, at, protocol, 0xff, 1);
	if (inner && s->l4 == L4_OTHER)
		s->other = at;
}

static void ipv4_add(struct packet_class *s, bool inner, unsigned int protocol) {
	bool fragment = inner && s->l4 == L4_FRAGMENT;
	unsigned int words = s->options ? 6 : 5;
	unsigned int at = header_add(s, HEADER_IPV4, 4 * words);

	bytes_known(s, at, 0x40 | words, 0xff, 1);
	if (fragment && s->later)
		bytes_known(s, at + 6, 0x0012, 0x3fff, 2);
	else
		bytes_known(s, at + 6, fragment ? 0x2000 : 0, 0x3fff, 2);
	if (fragment) // the NIC does not read the protocol of a fragment
		s->data[at + 9] = protocol;
	else
		protocol_known(s, inner, at + 9, protocol);
}

static void ipv6_add(struct packet_class *s, bool inner, unsigned int protocol) {
	bool fragment = inner && s->l4 == L4_FRAGMENT;
	unsigned int at = header_add(s, HEADER_IPV6, 40) + 6;

	bytes_known(s, at - 6, 0x60, 0xf0, 1);
	if (s->options) {
		bytes_known(s, at, s->extension, 0xff, 1);
		at = header_add(s, HEADER_IPV6_EXT, 8);
		bytes_known(s, at + 1, 0, 0xff, 1);
	}
	if (fragment) {
		bytes_known(s, at, 44, 0xff, 1);
		at = header_add(s, HEADER_IPV6_FRAG, 8);
		bytes_known(s, at + 2, s->later ? 0x0090 : 1, 0xfff9, 2);
		s->data[at] = protocol;
		return;
	}
	protocol_known(s, inner, at, protocol);
}

static void ip_add(struct packet_class *s, unsigned int version, bool inner,
		   unsigned int protocol) {
	assert(version == 4 || version == 6);
	if (version == 4)
		ipv4_add(s, inner, protocol);
	else
		ipv6_add(s, inner, protocol);
}

static void l4_add(struct packet_class *s) {
	unsigned int at;

	switch (s->l4) {
	case L4_UDP:
		s->udp = header_add(s, HEADER_UDP, 8);
		break;
	case L4_TCP:
		at = header_add(s, HEADER_TCP, s->options ? 32 : 20);
		bytes_known(s, at + 12, s->options ? 0x80 : 0x50, 0xf0, 1);
		break;
	case L4_SCTP:
		header_add(s, HEADER_SCTP, 12);
		break;
	case L4_ICMP:
		header_add(s, s->inner == 4 ? HEADER_ICMP : HEADER_ICMP6, s->inner == 4 ? 8 : 4);
		break;
	default:
		break;
	}
}

static unsigned int protocol_of(enum l4 l4, unsigned int version) {
	static const uint8_t numbers[N_L4S] = {
		[L4_FRAGMENT] = 17, [L4_OTHER] = 253, [L4_UDP] = 17, [L4_TCP] = 6, [L4_SCTP] = 132};

	if (l4 == L4_ICMP)
		return version == 4 ? 1 : 58;
	return numbers[l4];
}

/* Tunnels */

static void udp_to(struct packet_class *s, uint16_t port) {
	unsigned int at = header_add(s, HEADER_UDP, 8);

	bytes_known(s, at + 2, port, 0xffff, 2);
}

static void gtpu_add(struct packet_class *s) {
	bool psc = s->encap != ENCAP_GTPU;
	unsigned int flags = 0x30 | (psc ? 4 : 0) | (s->options ? 2 : 0);
	unsigned int at = header_add(s, HEADER_GTPU, flags != 0x30 ? 12 : 8);

	bytes_known(s, at, flags << 8 | 255, 0xf7ff, 2);
	if (flags != 0x30)
		bytes_known(s, at + 11, psc ? 0x85 : 0, 0xff, 1);
	if (!psc)
		return;
	at = header_add(s, HEADER_GTPU_PSC, 4);
	bytes_known(s, at, 0x0100 | (s->encap == ENCAP_GTPU_UP ? 0x10 : 0), 0xfff0, 2);
	bytes_known(s, at + 3, 0, 0xff, 1);
}

static void gre_add(struct packet_class *s, uint16_t protocol) {
	bool key = s->encap == ENCAP_NVGRE ? !s->keyless : s->options;
	unsigned int at = header_add(s, HEADER_GRE, key ? 8 : 4);

	bytes_known(s, at, key ? 0x20000000 | protocol : protocol, 0xffffffff, 4);
}

static void outer_add(const struct draft *d, struct packet_class *s) {
	static const uint8_t protocols[N_ENCAPS] = {
		[ENCAP_GENEVE] = 17,    [ENCAP_GRE] = 47,     [ENCAP_GTPU] = 17,
		[ENCAP_GTPU_DOWN] = 17, [ENCAP_GTPU_UP] = 17, [ENCAP_NVGRE] = 47,
		[ENCAP_VXLAN] = 17,
	};
	unsigned int protocol =
		s->encap == ENCAP_IPIP ? (s->inner == 4 ? 4 : 41) : protocols[s->encap];
	uint16_t type = s->inner == 4 ? 0x0800 : 0x86dd;
	unsigned int at;

	eth_add(s, s->n_vlans, s->outer == 4 ? 0x0800 : 0x86dd);
	ip_add(s, s->outer, false, protocol);
	switch (s->encap) {
	case ENCAP_GRE:
		gre_add(s, type);
		break;
	case ENCAP_NVGRE:
		gre_add(s, 0x6558);
		break;
	case ENCAP_VXLAN:
		udp_to(s, d->plan->vxlan_ports[0]);
		at = header_add(s, HEADER_VXLAN, 8);
		bytes_known(s, at, 8, 0xff, 1);
		break;
	case ENCAP_GENEVE:
		udp_to(s, 6081);
		at = header_add(s, HEADER_GENEVE, s->options ? 16 : 8);
		bytes_known(s, at, s->options ? 2 : 0, 0xff, 1);
		bytes_known(s, at + 2, 0x6558, 0xffff, 2);
		break;
	case ENCAP_GTPU:
	case ENCAP_GTPU_DOWN:
	case ENCAP_GTPU_UP:
		udp_to(s, 2152);
		gtpu_add(s);
		break;
	default: // IP in IP
		break;
	}
}

static void pppoe_add(struct packet_class *s) {
	unsigned int at;

	eth_add(s, s->n_vlans, 0x8864);
	at = header_add(s, HEADER_PPPOE, 6);
	bytes_known(s, at, 0x1100, 0xffff, 2);
	at = header_add(s, HEADER_PPP, 2);
	bytes_known(s, at, s->inner == 4 ? 0x0021 : 0x0057, 0xffff, 2);
}

static void length_put(struct packet_class *s, unsigned int i, unsigned int at, uint16_t length) {
	s->lengths[i] = at;
	s->data[at] = length >> 8;
	s->data[at + 1] = length & 0xff;
}

// A NIC recognizes an IP payload by its first bits. A profile may distinguish Ethernet frames from
// it by lengths and EtherTypes. Restrict the class to packets that are IP to both.
static void user_ip_assume(struct packet_class *s) {
	const struct class_header *gtpu = &s->headers[packet_class_header(s, HEADER_GTPU)];
	const unsigned int at = s->headers[s->first_inner].off;
	const unsigned int length = 1000; // of the user's packet

	length_put(s, 0, gtpu->off + 2, at + length - gtpu->off - 8);
	if (s->inner == 4) {
		length_put(s, 1, at + 2, length);
	} else {
		length_put(s, 1, at + 4, length - 40);
		s->no_type = at + 12;
	}
}

static void class_fill(const struct draft *d, struct packet_class *s) {
	uint16_t type = s->inner == 4 ? 0x0800 : 0x86dd;

	if (s->encap == ENCAP_PPPOE)
		pppoe_add(s);
	else if (s->encap != ENCAP_NONE)
		outer_add(d, s);
	s->first_inner = s->n_headers;
	if (s->encap == ENCAP_NONE)
		eth_add(s, s->n_vlans, type);
	else if (ENCAPS_FRAME & 1U << s->encap)
		eth_add(s, 0, type);
	ip_add(s, s->inner, true, protocol_of(s->l4, s->inner));
	if (ENCAPS_GTPU & 1U << s->encap)
		user_ip_assume(s);
	l4_add(s);
}

static void pattern_make(struct packet_class *s) {
	s->complete = true;
	for (unsigned int h = 0; s->complete && h < s->n_headers; h++) {
		const enum class_header_id id = s->headers[h].id;
		const char *item = class_header_items[id];

		s->complete = item != NULL;
		if (item == NULL || item[0] == '\0')
			continue;
		s->items[s->n_items] = h;
		s->item_ids[s->n_items++] = id;
	}
}

/* Packet types of the NIC */

static uint32_t ptype_of(const struct packet_class *s) {
	static const uint32_t l4s[N_L4S] = {
		[L4_FRAGMENT] = PTYPE_L4_FRAG, [L4_OTHER] = PTYPE_L4_NONFRAG,
		[L4_UDP] = PTYPE_L4_UDP,       [L4_TCP] = PTYPE_L4_TCP,
		[L4_SCTP] = PTYPE_L4_SCTP,     [L4_ICMP] = PTYPE_L4_ICMP,
	};
	const uint32_t encap = 1U << s->encap, l4 = l4s[s->l4];
	const uint32_t l3 = s->outer == 4 ? PTYPE_L3_IPV4_EXT_UNKNOWN : PTYPE_L3_IPV6_EXT_UNKNOWN;

	if (!class_has_outer(s))
		return (s->encap == ENCAP_NONE ? PTYPE_L2_ETHER : PTYPE_L2_ETHER_PPPOE) | l3 | l4;
	return PTYPE_L2_ETHER | l3 |
	       (encap & ENCAPS_GTPU  ? PTYPE_TUNNEL_GTPU :
		encap == ENCAP(IPIP) ? PTYPE_TUNNEL_IP :
				       PTYPE_TUNNEL_GRENAT) |
	       (encap & ENCAPS_FRAME ? PTYPE_INNER_L2_ETHER : 0) |
	       (s->inner == 4 ? PTYPE_INNER_L3_IPV4_EXT_UNKNOWN : PTYPE_INNER_L3_IPV6_EXT_UNKNOWN) |
	       l4 << 16;
}

/* Enumeration */

#define VLANS_MAX 2 // VLAN tags that a NIC skips

static uint32_t l4s_of(const struct draft *d, enum encap encap) {
	const bool sctp = d->by_package || (ENCAPS_GTPU & 1U << encap) == 0;

	return sctp ? d->nic->l4s : d->nic->l4s & ~L4(SCTP);
}

static bool is_parsed(const struct draft *d, const struct packet_class *s) {
	return nic_parses(d->nic, s->encap) && (d->nic->ipv6 || (s->inner == 4 && s->outer == 4)) &&
	       (l4s_of(d, s->encap) & 1U << s->l4) != 0;
}

static void class_make(struct draft *d, const struct packet_class *form) {
	struct packet_class s = *form;

	class_fill(d, &s);
	pattern_make(&s);
	s.ptype = ptype_of(&s);
	s.pctype = -1;
	if (d->by_package && (ENCAPS_GTPU & 1U << s.encap) != 0) {
		// DPDK makes it of the protocols' names, without Ethernet and unknown L4.
		s.pctype = s.inner == 4 ? 22 : 23;
		s.ptype &= ~DDP_RTE_PTYPE_L2_MASK;
		if (s.l4 == L4_OTHER)
			s.ptype &= ~DDP_RTE_PTYPE_INNER_L4_MASK;
	}
	s.parsed = s.ptype != 0 && is_parsed(d, &s);
	if (!s.parsed && !(d->request->spread && class_is_usual(&s) && s.n_vlans == 0))
		return;
	*DDP_APPEND(d->arena, d->classes, d->n_classes) = s;
	for (unsigned int i = 0; s.parsed && i < s.n_headers; i++)
		d->headers |= 1U << s.headers[i].id;
}

static void variant_make(struct draft *d, struct packet_class *form) {
	form->later = false;
	class_make(d, form);
	form->later = true;
	if (form->l4 == L4_FRAGMENT)
		class_make(d, form);
}

static void variants_make(struct draft *d, struct packet_class *form) {
	static const uint8_t extensions[] = {60, 0, 43, 135};
	bool v6 = form->inner == 6 || form->outer == 6;

	for (form->n_vlans = 0; form->n_vlans <= VLANS_MAX; form->n_vlans++) {
		form->options = false;
		variant_make(d, form);
		form->options = true;
		for (unsigned int i = 0; i < (v6 ? sizeof(extensions) : 1); i++) {
			form->extension = extensions[i];
			variant_make(d, form);
		}
	}
}

static void forms_make(struct draft *d, enum encap encap, bool keyless) {
	struct packet_class form = {.encap = encap, .keyless = keyless};

	for (unsigned int i = 0; i < 4; i++) {
		form.outer = i / 2 == 0 ? 4 : 6;
		form.inner = i % 2 == 0 ? 4 : 6;
		if (!class_has_outer(&form) && form.outer != form.inner)
			continue;
		for (form.l4 = 0; form.l4 < N_L4S; form.l4++)
			if (d->request->spread || is_parsed(d, &form))
				variants_make(d, &form);
	}
}

void packet_classes_make(struct draft *d) {
	for (enum encap encap = 0; encap < N_ENCAPS; encap++) {
		if (encap != ENCAP_VXLAN || d->plan->n_tunnels > 0)
			forms_make(d, encap, false);
		if (encap == ENCAP_NVGRE)
			forms_make(d, encap, true);
	}
}

bool packet_class_port_is_tunnel(const struct draft *d, const struct packet_class *class,
				 uint16_t port, bool source) {
	if (source || class->encap != ENCAP_NONE)
		return false;
	for (const uint16_t *known = d->nic->udp_ports; known != NULL && *known != 0; known++)
		if (*known == port)
			return true;
	for (unsigned int i = 0; nic_parses(d->nic, ENCAP_VXLAN) && i < d->plan->n_tunnels; i++)
		if (d->plan->vxlan_ports[i] == port)
			return true;
	return false;
}

// To a NIC, IGMP and ICMP of the other IP version are no L4 headers.
bool packet_class_protocol_is_other(const struct draft *d, const struct packet_class *class,
				    uint8_t protocol) {
	static const uint8_t known[] = {4, 6, 17, 41, 47}, ipsec[] = {50, 51, 115};
	static const uint8_t extensions[] = {0, 43, 44, 60, 135};

	if (class->pctype >= 0) { // a package has only names of types
		enum l4 l4 = L4_UDP;

		while (l4 < N_L4S && protocol_of(l4, class->inner) != protocol)
			l4++;
		return l4 == N_L4S;
	}
	if (class->inner == 6 && memchr(extensions, protocol, sizeof(extensions)) != NULL)
		return false;
	if (memchr(ipsec, protocol, sizeof(ipsec)) != NULL)
		return !d->nic->ipsec;
	if (protocol == 132)
		return class->parsed && (l4s_of(d, class->encap) & L4(SCTP)) == 0;
	return memchr(known, protocol, sizeof(known)) == NULL &&
	       protocol != (class->inner == 4 ? 1 : 58);
}

void packet_class_print(const struct packet_class *class, char *text, size_t size) {
	size_t len = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < class->n_headers && len < size; i++)
		len += snprintf(text + len, size - len, "%s%s", i > 0 ? " " : "",
				class_header_names[class->headers[i].id]);
}

int packet_class_header(const struct packet_class *class, enum class_header_id id) {
	for (int i = (int)class->n_headers - 1; i >= 0; i--)
		if (class->headers[i].id == id)
			return i;
	return -1;
}

unsigned int packet_class_header_at(const struct packet_class *class, unsigned int bit) {
	unsigned int i = class->n_headers - 1;

	while (bit < 8u * class->headers[i].off)
		i--;
	return i;
}
