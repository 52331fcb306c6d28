/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake_nic.h"

#include <string.h>

#include <rte_ethdev.h>

struct frame {
	const uint8_t *bytes;
	uint32_t len;
};

static uint16_t be16(const struct frame *f, uint32_t off) {
	return off + 2 <= f->len ? f->bytes[off] << 8 | f->bytes[off + 1] : 0;
}

static uint8_t u8(const struct frame *f, uint32_t off) {
	return off < f->len ? f->bytes[off] : 0;
}

static void need(const struct frame *f, uint32_t end, struct parsed *p) {
	if (end > f->len)
		p->bad = true;
}

static void l4_parse(const struct frame *f, struct layer3 *ip, uint8_t protocol, bool sctp,
		     struct parsed *p) {
	static const struct {
		uint8_t version, protocol, size; // version 0: both
		uint32_t l4;
	} rows[] = {
		{0, 17, 8, RTE_PTYPE_L4_UDP},    {0, 6, 20, RTE_PTYPE_L4_TCP},
		{4, 1, 8, RTE_PTYPE_L4_ICMP},    {6, 58, 4, RTE_PTYPE_L4_ICMP},
		{0, 132, 12, RTE_PTYPE_L4_SCTP},
	};

	ip->l4 = RTE_PTYPE_L4_NONFRAG;
	for (unsigned int i = 0; i < RTE_DIM(rows) - !sctp; i++)
		if (rows[i].protocol == protocol &&
		    (rows[i].version == 0 || rows[i].version == ip->version)) {
			ip->l4 = rows[i].l4;
			need(f, ip->l4_off + rows[i].size, p);
		}
	if (protocol == 6) {
		const unsigned int len = 4 * (u8(f, ip->l4_off + 12) >> 4);

		p->bad |= len < 20;
		need(f, ip->l4_off + len, p);
	}
}

static int ip_parse(const struct frame *f, uint32_t off, struct layer3 *ip, bool sctp,
		    struct parsed *p) {
	int protocol;

	ip->off = off;
	ip->version = u8(f, off) >> 4;
	if (ip->version == 4) {
		ip->l4_off = off + 4 * (u8(f, off) & 15);
		need(f, off + 20, p);
		need(f, ip->l4_off, p);
		p->bad |= (u8(f, off) & 15) < 5;
		protocol = (be16(f, off + 6) & 0x3fff) != 0 ? -1 : u8(f, off + 9);
	} else {
		p->bad |= ip->version != 6;
		need(f, off + 40, p);
		ip->l4_off = off + 40;
		protocol = u8(f, off + 6);
		while (protocol == 0 || protocol == 43 || protocol == 60 || protocol == 135) {
			need(f, ip->l4_off + 8, p);
			protocol = u8(f, ip->l4_off);
			ip->l4_off += 8 + 8 * u8(f, ip->l4_off + 1);
			need(f, ip->l4_off, p);
			if (p->bad)
				return -1;
		}
		if (protocol == 44) {
			need(f, ip->l4_off + 8, p);
			protocol = -1;
		}
	}
	ip->l4 = RTE_PTYPE_L4_FRAG;
	if (protocol >= 0)
		l4_parse(f, ip, protocol, sctp, p);
	return protocol;
}

static uint32_t l3_of(const struct layer3 *ip) {
	return ip->version == 4 ? RTE_PTYPE_L3_IPV4_EXT_UNKNOWN : RTE_PTYPE_L3_IPV6_EXT_UNKNOWN;
}

static uint32_t inner_of(const struct layer3 *ip) {
	return (ip->version == 4 ? RTE_PTYPE_INNER_L3_IPV4_EXT_UNKNOWN :
				   RTE_PTYPE_INNER_L3_IPV6_EXT_UNKNOWN) |
	       ip->l4 << 16;
}

static void tunnel_end(struct parsed *p, uint32_t tunnel) {
	p->ptype = RTE_PTYPE_L2_ETHER | l3_of(&p->outer) | tunnel;
	if (p->inner.version != 0)
		p->ptype |= inner_of(&p->inner);
}

static void ip_inside(const struct frame *f, uint32_t off, unsigned int version, struct parsed *p) {
	ip_parse(f, off, &p->inner, true, p);
	p->bad |= p->inner.version != version;
}

static void ethernet_inside(const struct frame *f, uint32_t off, struct parsed *p) {
	uint16_t type = be16(f, off + 12);

	need(f, off + 14, p);
	if (type == 0x0800 || type == 0x86dd)
		ip_inside(f, off + 14, type == 0x0800 ? 4 : 6, p);
	tunnel_end(p, RTE_PTYPE_TUNNEL_GRENAT | RTE_PTYPE_INNER_L2_ETHER);
	if (type == 0x8100 || type == 0x88a8) // reported with its tag
		p->ptype = (p->ptype & ~RTE_PTYPE_INNER_L2_MASK) | RTE_PTYPE_INNER_L2_ETHER_VLAN;
}

static void gre_parse(const struct frame *f, uint32_t off, struct parsed *p) {
	uint16_t flags = be16(f, off), type = be16(f, off + 2);

	need(f, off + 4, p);
	tunnel_end(p, RTE_PTYPE_TUNNEL_GRENAT);
	if ((flags & 0x4fff) != 0) // routes, other versions
		return;
	off += 4 + (flags & 0x8000 ? 4 : 0) + (flags & 0x2000 ? 4 : 0) + (flags & 0x1000 ? 4 : 0);
	need(f, off, p);
	if (type == 0x6558) {
		ethernet_inside(f, off, p);
	} else if (type == 0x0800 || type == 0x86dd) {
		ip_inside(f, off, type == 0x0800 ? 4 : 6, p);
		tunnel_end(p, RTE_PTYPE_TUNNEL_GRENAT);
	}
}

static bool knows_gtpu(const struct fake_nic *nic) {
	if (nic->kind == FAKE_NIC_I40E)
		return nic->extension != NULL && nic->extension->has_gtpu();
	return nic->kind != FAKE_NIC_OS;
}

static void gtpu_parse(const struct fake_nic *nic, const struct frame *f, uint32_t off,
		       struct parsed *p) {
	uint8_t flags = u8(f, off), next = 0;
	uint32_t end = off + 8;

	need(f, off + 8, p);
	tunnel_end(p, RTE_PTYPE_TUNNEL_GTPU);
	if ((flags & 0xf0) != 0x30)
		p->bad = true;
	if (u8(f, off + 1) != 255)
		return;
	if ((flags & 7) != 0) {
		need(f, off + 12, p);
		next = flags & 4 ? u8(f, off + 11) : 0;
		end += 4;
	}
	if (next == 0x85 && u8(f, end) == 1) {
		p->psc = true;
		p->pdu_type = u8(f, end + 1) >> 4;
		next = u8(f, end + 3);
		end += 4;
		need(f, end, p);
		if (p->pdu_type > 1)
			return;
	}
	if (next != 0 || end >= f->len)
		return;
	p->gtpu = true;
	p->gtpu_off = off;
	ip_parse(f, end, &p->inner, nic->kind == FAKE_NIC_I40E, p);
	tunnel_end(p, RTE_PTYPE_TUNNEL_GTPU);
}

int fake_vxlan_port_find(const struct fake_nic *nic, uint16_t port) {
	for (unsigned int i = 0; i < FAKE_NIC_VXLAN_PORTS; i++)
		if (nic->vxlan_ports[i] == port)
			return i;
	return -1;
}

static void udp_parse(const struct fake_nic *nic, const struct frame *f, struct parsed *p) {
	uint16_t port = be16(f, p->outer.l4_off + 2);
	uint32_t end = p->outer.l4_off + 8;

	if (port != 0 && fake_vxlan_port_find(nic, port) >= 0) {
		need(f, end + 8, p);
		ethernet_inside(f, end + 8, p);
	} else if (knows_gtpu(nic) && port == 2152) {
		gtpu_parse(nic, f, end, p);
	} else if (knows_gtpu(nic) && port == 2123) {
		tunnel_end(p, RTE_PTYPE_TUNNEL_GTPC);
	} else if (nic->kind != FAKE_NIC_OS && nic->kind != FAKE_NIC_I40E &&
		   (port == 4500 || port == 8805)) {
		p->ptype = 0;
	}
}

static void outer_parse(const struct fake_nic *nic, const struct frame *f, uint32_t off,
			unsigned int version, struct parsed *p) {
	int protocol = ip_parse(f, off, &p->outer, true, p);
	uint32_t l2 = p->pppoe ? RTE_PTYPE_L2_ETHER_PPPOE : RTE_PTYPE_L2_ETHER;

	p->bad |= p->outer.version != version;
	p->ptype = l2 | l3_of(&p->outer) | p->outer.l4;
	if (p->bad || p->pppoe)
		return;
	if (protocol == 17) {
		udp_parse(nic, f, p);
	} else if (protocol == 47) {
		gre_parse(f, p->outer.l4_off, p);
	} else if (protocol == 4 || protocol == 41) {
		ip_inside(f, p->outer.l4_off, protocol == 4 ? 4 : 6, p);
		tunnel_end(p, RTE_PTYPE_TUNNEL_IP);
	} else if (nic->kind != FAKE_NIC_OS && nic->kind != FAKE_NIC_I40E &&
		   (protocol == 50 || protocol == 51 || protocol == 115)) {
		p->ptype = 0; // in no table of the driver
	}
}

void fake_parse(const struct fake_nic *nic, const uint8_t *bytes, uint32_t len, struct parsed *p) {
	const struct frame f = {bytes, len};
	uint32_t off = 12;
	uint16_t type;

	memset(p, 0, sizeof(*p));
	need(&f, 14, p);
	type = be16(&f, off);
	for (unsigned int tags = 0; tags < 2 && (type == 0x8100 || type == 0x88a8); tags++) {
		off += 4;
		type = be16(&f, off);
	}
	off += 2;
	p->ptype = RTE_PTYPE_L2_ETHER;
	if (type == 0x0800 || type == 0x86dd) {
		outer_parse(nic, &f, off, type == 0x0800 ? 4 : 6, p);
	} else if (type == 0x8864 && nic->kind == FAKE_NIC_COMMS) {
		type = be16(&f, off + 6);
		p->ptype = RTE_PTYPE_L2_ETHER_PPPOE;
		p->pppoe = be16(&f, off) == 0x1100 && (type == 0x0021 || type == 0x0057);
		if (p->pppoe)
			outer_parse(nic, &f, off + 8, type == 0x0021 ? 4 : 6, p);
	}
	if (nic->credulous)
		p->bad = false;
	if (p->bad)
		p->ptype = 0;
}
