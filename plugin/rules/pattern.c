/* SPDX-License-Identifier: BSD-3-Clause */
// rte_flow patterns -> flow rules of plugin/classify.
#include "rules.h"

#include <ctype.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <rte_flow.h>

#include "base/rte_item.h"

struct pattern {
	struct ddp_flow *rule;
	struct rte_flow_error *error;
	const struct rte_flow_item *item; // being read
	unsigned int header;              // the rule's item of the last header that was read
	unsigned int behind; // bytes behind it that raw items are for; 0: there is none
};

static int refuse(const struct pattern *p, const char *reason) {
	return ddp_flow_error(p->error, EINVAL, RTE_FLOW_ERROR_TYPE_ITEM, p->item, reason);
}

static void number_append(uint64_t *hi, uint64_t *lo, uint8_t byte) {
	*hi = *hi << 8 | *lo >> 56;
	*lo = *lo << 8 | byte;
}

// n bytes (16 at most) of a header, as a value at an offset.
static int value_add(const struct pattern *p, const struct ddp_flow_field *at, const uint8_t *spec,
		     const uint8_t *mask, unsigned int n) {
	struct ddp_flow_value value = {.at = *at};

	if (p->rule->n_values == DDP_FLOW_MATCHES)
		return refuse(p, "too many values in one pattern");
	for (unsigned int i = 0; i < n; i++) {
		number_append(&value.pattern.value_hi, &value.pattern.value_lo, spec[i] & mask[i]);
		number_append(&value.pattern.mask_hi, &value.pattern.mask_lo, mask[i]);
	}
	p->rule->values[p->rule->n_values++] = value;
	return 0;
}

static bool is_zero(const uint8_t *bytes, size_t n) {
	for (size_t i = 0; i < n; i++)
		if (bytes[i] != 0)
			return false;
	return true;
}

// Add the bits that the mask has of n bytes from a bit of the last header on: as few values as hold
// them, because a packet is looked up by each.
static int bytes_add(const struct pattern *p, unsigned int bit, const uint8_t *spec,
		     const uint8_t *mask, unsigned int n) {
	struct ddp_flow_field at = {.item = p->header};
	unsigned int i = 0;
	int ret = 0;

	while (i < n && ret == 0) {
		unsigned int end = i;

		for (unsigned int j = i; j < n && j - i < 16; j++)
			end = mask[j] != 0 ? j + 1 : end;
		if (mask[i] == 0) {
			i++;
			continue;
		}
		at.bit = bit + 8 * i;
		at.width = 8 * (end - i);
		ret = value_add(p, &at, spec + i, mask + i, end - i);
		i = end;
	}
	return ret;
}

static int part_add(const struct pattern *p, const struct ddp_rte_item_part *part,
		    const uint8_t *spec, const uint8_t *mask) {
	const struct ddp_flow_field at = {.item = p->header, .field = part->field};

	if (part->field == NULL)
		return bytes_add(p, 8 * part->wire, spec, mask, part->size);
	return is_zero(mask, part->size) ? 0 : value_add(p, &at, spec, mask, part->size);
}

// Bits of the structure that are no part of a header, except those that follower_take() took.
static bool asks_beyond(const struct ddp_rte_item *item, const uint8_t *mask) {
	uint8_t rest[DDP_RTE_ITEM_SIZE];

	memcpy(rest, mask, item->size);
	for (unsigned int i = 0; i < DDP_RTE_ITEM_PARTS; i++)
		memset(rest + item->parts[i].off, 0, item->parts[i].size);
	return !is_zero(rest, item->size);
}

static const struct rte_flow_item *item_next(const struct rte_flow_item *item) {
	do
		item++;
	while (item->type == RTE_FLOW_ITEM_TYPE_VOID);
	return item;
}

// IP protocol number of an item, -1 where it is none.
static int protocol_of(enum rte_flow_item_type type) {
	switch (type) {
	case RTE_FLOW_ITEM_TYPE_TCP:
		return IPPROTO_TCP;
	case RTE_FLOW_ITEM_TYPE_UDP:
		return IPPROTO_UDP;
	case RTE_FLOW_ITEM_TYPE_SCTP:
		return IPPROTO_SCTP;
	case RTE_FLOW_ITEM_TYPE_ICMP6:
		return IPPROTO_ICMPV6;
	default:
		return -1;
	}
}

// Take has_vlan, has_more_vlan or has_frag_ext out of the mask. 1: the header follows, 0: it does
// not, -1: the mask has no such bit.
static int follower_take(const struct ddp_rte_item *item, const uint8_t *spec, uint8_t *mask) {
	const uint8_t *bit = item->follows_bit;

	for (size_t i = 0; bit != NULL && i < item->size; i++)
		if ((mask[i] & bit[i]) != 0) {
			mask[i] &= ~bit[i];
			return (spec[i] & bit[i]) != 0;
		}
	return -1;
}

static int header_add(const struct pattern *p, const char *header) {
	if (p->rule->n_items == DDP_FLOW_ITEMS)
		return refuse(p, "too many items in one pattern");
	p->rule->items[p->rule->n_items++] = header;
	return 0;
}

// The header that follows the item, which the pattern may leave out.
static int follower_add(const struct pattern *p, const struct ddp_rte_item *item, bool follows) {
	const struct ddp_rte_item *next = ddp_rte_item_find(item_next(p->item)->type);
	const bool is_named = next != NULL && next->header == item->follows;
	struct ddp_flow *rule = p->rule;

	if (is_named && !follows)
		return refuse(p,
			      "the pattern has a header of which it says that it does not follow");
	if (is_named)
		return 0;
	if (!follows) {
		rule->without[rule->n_items - 1] = item->follows;
		return 0;
	}
	return header_add(p, item->follows);
}

static int values_add(const struct pattern *p, const struct ddp_rte_item *item) {
	const size_t proto = offsetof(struct rte_flow_item_ipv6, hdr.proto);
	const uint8_t *spec = p->item->spec;
	uint8_t mask[DDP_RTE_ITEM_SIZE];
	int ret = 0, follows;

	if (spec == NULL)
		return p->item->mask == NULL ? 0 : refuse(p, "a mask without a value");
	memcpy(mask, p->item->mask != NULL ? p->item->mask : item->mask, item->size);
	// `ipv6 proto is 6 / tcp`: extension headers may stand between the two, and the number in
	// the last.
	if (p->item->type == RTE_FLOW_ITEM_TYPE_IPV6 && mask[proto] == 0xff &&
	    spec[proto] == protocol_of(item_next(p->item)->type))
		mask[proto] = 0;
	follows = follower_take(item, spec, mask);
	if (asks_beyond(item, mask))
		return refuse(p, "of what follows a header only has_vlan, has_more_vlan and "
				 "has_frag_ext can be matched");
	for (unsigned int i = 0; i < DDP_RTE_ITEM_PARTS && item->parts[i].size > 0 && ret == 0; i++)
		ret = part_add(p, &item->parts[i], spec + item->parts[i].off,
			       mask + item->parts[i].off);
	return ret < 0 || follows < 0 ? ret : follower_add(p, item, follows);
}

// VXLAN and NVGRE always carry a frame, which a pattern may leave out. In NVGRE: Transparent
// Ethernet Bridging, RFC 7637.
static int frame_add(const struct pattern *p) {
	static const uint8_t spec[2] = {0x65, 0x58}, all[2] = {0xff, 0xff};
	const struct ddp_flow_field at = {.item = p->header, .bit = 16, .width = 16};
	const enum rte_flow_item_type next = item_next(p->item)->type;
	int ret = 0;

	if (p->item->type == RTE_FLOW_ITEM_TYPE_NVGRE)
		ret = value_add(p, &at, spec, all, 2);
	if (ret < 0 || next == RTE_FLOW_ITEM_TYPE_END || next == RTE_FLOW_ITEM_TYPE_ETH)
		return ret;
	return header_add(p, "eth");
}

/* Raw items */

// Hexadecimal text -> bytes. Returns their number, 0 where it is none.
static unsigned int hex_read(const char *text, size_t n, uint8_t *bytes) {
	if (n % 2 != 0 || n > 2 * DDP_FLOW_RAW_SIZE)
		return 0;
	for (size_t i = 0; i < n; i += 2) {
		const char digits[] = {text[i], text[i + 1], '\0'};

		if (strspn(digits, "0123456789abcdefABCDEF") != 2)
			return 0;
		bytes[i / 2] = strtoul(digits, NULL, 16);
	}
	return n / 2;
}

// Digits of a raw item's pattern; it ends with a NUL, as testpmd gives it, or at its length.
static size_t raw_len(const struct rte_flow_item_raw *raw) {
	size_t most = raw->length != 0 ? raw->length : 2 * DDP_FLOW_RAW_SIZE + 1;

	return raw->pattern == NULL ? 0 : strnlen((const char *)raw->pattern, most);
}

// Is it no text, as testpmd gives it, but bytes, as rte_flow.h has it?
static bool is_binary(const struct rte_flow_item_raw *raw) {
	for (unsigned int i = 0; raw->pattern != NULL && i < raw->length; i++)
		if (raw->pattern[i] != 0 && !isprint(raw->pattern[i]))
			return true;
	return false;
}

// The bytes of spec and mask. Returns their number, 0 where they are none.
static unsigned int raw_read(const struct rte_flow_item_raw *spec,
			     const struct rte_flow_item_raw *mask, uint8_t *value, uint8_t *bits) {
	const size_t n = is_binary(mask) ? mask->length : raw_len(mask);

	if (!is_binary(mask))
		return raw_len(spec) == n && hex_read((const char *)mask->pattern, n, bits) > 0 ?
			       hex_read((const char *)spec->pattern, n, value) :
			       0;
	if (spec->pattern == NULL || spec->length != n || n > DDP_FLOW_RAW_SIZE)
		return 0;
	memcpy(value, spec->pattern, n);
	memcpy(bits, mask->pattern, n);
	return n;
}

#define RAW_BEHIND_MAX 256 // bytes behind a header

// Bytes behind the last header, or behind those of the raw item before.
static int raw_add(struct pattern *p) {
	const struct rte_flow_item_raw *spec = p->item->spec, *mask = p->item->mask;
	uint8_t value[DDP_FLOW_RAW_SIZE], bits[DDP_FLOW_RAW_SIZE];
	unsigned int n, from;

	if (spec == NULL || mask == NULL)
		return refuse(p, "a raw item needs spec and mask");
	if (!spec->relative || spec->search || spec->offset < 0 || spec->limit != 0)
		return refuse(p, "a raw item behind a header is relative, has no search or limit, "
				 "and an offset of 0 or more");
	n = raw_read(spec, mask, value, bits);
	if (n == 0)
		return refuse(p, "spec and mask of a raw item are bytes or hexadecimal text, of "
				 "one length");
	if (spec->offset > RAW_BEHIND_MAX || p->behind + spec->offset + n > RAW_BEHIND_MAX)
		return refuse(p, "a raw item is for the first 256 bytes behind a header");
	from = p->behind + spec->offset;
	p->behind = from + n;
	return bytes_add(p, DDP_FLOW_PAYLOAD | 8 * from, value, bits, n);
}

static int item_add(struct pattern *p) {
	const struct ddp_rte_item *item = ddp_rte_item_find(p->item->type);
	const void *spec = p->item->spec, *last = p->item->last;
	int ret;

	if (item == NULL || (item->parts[0].size == 0 && p->item->type != RTE_FLOW_ITEM_TYPE_RAW))
		return refuse(p, "no header of a profile stands for this item");
	// As rte_flow.h has it: a last of zeros, or that is spec, is none.
	if (last != NULL && !is_zero(last, item->size) &&
	    (spec == NULL || memcmp(last, spec, item->size) != 0))
		return refuse(p, "ranges of values are not supported");
	if (p->item->type == RTE_FLOW_ITEM_TYPE_RAW)
		return raw_add(p);
	if (p->behind > 0)
		return refuse(p, "no header can stand behind a raw item");
	if (p->item->type == RTE_FLOW_ITEM_TYPE_GRE_KEY) {
		if (!ddp_flow_names(p->rule, p->rule->n_items - 1, "gre"))
			return refuse(p, "a GRE key without GRE before it");
		return p->item->spec == NULL ? 0 : values_add(p, item);
	}
	p->header = p->rule->n_items;
	ret = header_add(p, item->header);
	if (ret == 0)
		ret = values_add(p, item);
	if (ret == 0 && (p->item->type == RTE_FLOW_ITEM_TYPE_NVGRE ||
			 p->item->type == RTE_FLOW_ITEM_TYPE_VXLAN))
		ret = frame_add(p);
	return ret;
}

/* Raw patterns */

static int raw_parse(struct pattern *p, struct rte_flow *flow) {
	const struct rte_flow_item_raw *spec = p->item->spec, *mask = p->item->mask;
	struct ddp_flow_raw *raw;
	size_t n;

	if (p->item[1].type != RTE_FLOW_ITEM_TYPE_END) {
		p->item++;
		return refuse(p, "a raw pattern stands alone");
	}
	raw = flow->raw = calloc(1, sizeof(*raw));
	if (raw == NULL)
		return ddp_flow_no_memory(p->error);
	if (spec == NULL || mask == NULL)
		return refuse(p, "a raw pattern needs spec and mask");
	if (spec->relative || spec->search || spec->offset != 0 || spec->limit != 0)
		return refuse(p, "a raw pattern begins with the packet");
	n = raw_len(spec);
	if (n == 0 || raw_len(mask) != n)
		return refuse(p, "spec and mask of a raw pattern must be of one length");
	raw->n = hex_read((const char *)spec->pattern, n, raw->spec);
	if (raw->n == 0 || hex_read((const char *)mask->pattern, n, raw->mask) == 0)
		return refuse(p, "spec and mask of a raw pattern are hexadecimal text, of 512 "
				 "digits at most");
	if (is_zero(raw->mask, raw->n))
		return refuse(p, "the mask of a raw pattern chooses no bytes to hash");
	return 0;
}

int ddp_flow_pattern_parse(const struct rte_flow_item *pattern, struct rte_flow *flow,
			   struct rte_flow_error *error) {
	struct pattern p = {.rule = flow->rule, .error = error, .item = pattern};
	int ret = 0;

	if (pattern == NULL)
		return ddp_flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ITEM_NUM, NULL,
				      "no pattern");
	if (p.item->type == RTE_FLOW_ITEM_TYPE_VOID)
		p.item = item_next(p.item);
	if (p.item->type == RTE_FLOW_ITEM_TYPE_RAW)
		return raw_parse(&p, flow);
	for (; p.item->type != RTE_FLOW_ITEM_TYPE_END && ret == 0; p.item++)
		if (p.item->type != RTE_FLOW_ITEM_TYPE_VOID)
			ret = item_add(&p);
	return ret;
}
