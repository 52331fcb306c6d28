/* SPDX-License-Identifier: BSD-3-Clause */
// rte_flow patterns -> flow rules of plugin/classify.
#include "rules.h"

#include <ctype.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>

#include <rte_flow.h>

#include "base/rte_item.h"

struct pattern {
	struct ddp_flow *rule;
	struct rte_flow_error *error;
	const struct rte_flow_item *item; // being read
};

static int refuse(const struct pattern *p, const char *reason) {
	return ddp_flow_error(p->error, EINVAL, RTE_FLOW_ERROR_TYPE_ITEM, p->item, reason);
}

static void number_append(uint64_t *hi, uint64_t *lo, uint8_t byte) {
	*hi = *hi << 8 | *lo >> 56;
	*lo = *lo << 8 | byte;
}

// n bytes (16 at most) of a header, as a value at a place.
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

// Each run of bytes that the mask asks for is a value.
static int part_add(const struct pattern *p, const struct ddp_rte_item_part *part,
		    const uint8_t *spec, const uint8_t *mask) {
	struct ddp_flow_field at = {.item = p->rule->n_items - 1, .field = part->field};
	unsigned int i = 0, end;

	if (part->field != NULL && is_zero(mask, part->size))
		return 0;
	if (part->field != NULL)
		return value_add(p, &at, spec, mask, part->size);
	while (i < part->size) {
		int ret;

		if (mask[i] == 0) {
			i++;
			continue;
		}
		for (end = i; end < part->size && end - i < 16 && mask[end] != 0;)
			end++;
		at.bit = 8 * (part->wire + i);
		at.width = 8 * (end - i);
		ret = value_add(p, &at, spec + i, mask + i, end - i);
		if (ret < 0)
			return ret;
		i = end;
	}
	return 0;
}

// Bytes of the structure that are no part of a header: has_vlan and the like.
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

// `ipv6 proto is 6 / tcp`: extension headers may stand between the two, and the number in the last.
static void ipv6_proto_leave(const struct pattern *p, uint8_t *mask) {
	const struct rte_flow_item_ipv6 *spec = p->item->spec;
	uint8_t *proto = &mask[offsetof(struct rte_flow_item_ipv6, hdr.proto)];

	if (*proto == 0xff && spec->hdr.proto == protocol_of(item_next(p->item)->type))
		*proto = 0;
}

static int values_add(const struct pattern *p, const struct ddp_rte_item *item) {
	const uint8_t *spec = p->item->spec;
	uint8_t mask[DDP_RTE_ITEM_SIZE];
	int ret = 0;

	if (spec == NULL)
		return p->item->mask == NULL ? 0 : refuse(p, "a mask without a value");
	memcpy(mask, p->item->mask != NULL ? p->item->mask : item->mask, item->size);
	if (p->item->type == RTE_FLOW_ITEM_TYPE_IPV6)
		ipv6_proto_leave(p, mask);
	if (asks_beyond(item, mask))
		return refuse(p, "only values that are in a header can be matched");
	for (unsigned int i = 0; i < DDP_RTE_ITEM_PARTS && item->parts[i].size > 0 && ret == 0; i++)
		ret = part_add(p, &item->parts[i], spec + item->parts[i].off,
			       mask + item->parts[i].off);
	return ret;
}

static int gre_key_add(const struct pattern *p, const struct ddp_rte_item *item) {
	const struct ddp_flow *rule = p->rule;

	if (rule->n_items == 0 || strcmp(rule->items[rule->n_items - 1], "gre") != 0)
		return refuse(p, "a GRE key without GRE before it");
	return p->item->spec == NULL ? 0 : values_add(p, item);
}

// The frame in NVGRE: Transparent Ethernet Bridging, RFC 7637.
static int nvgre_add(const struct pattern *p) {
	static const uint8_t spec[2] = {0x65, 0x58}, all[2] = {0xff, 0xff};
	const struct ddp_flow_field at = {
		.item = p->rule->n_items - 1,
		.bit = 16,
		.width = 16,
	};

	return value_add(p, &at, spec, all, 2);
}

// As rte_flow.h has it: a last of zeros, or that is spec, is none.
static bool is_range(const struct rte_flow_item *item, size_t size) {
	return item->last != NULL && !is_zero(item->last, size) &&
	       (item->spec == NULL || memcmp(item->last, item->spec, size) != 0);
}

// VXLAN and NVGRE always carry a frame, which a pattern may leave out.
static int frame_add(const struct pattern *p) {
	enum rte_flow_item_type next = item_next(p->item)->type;

	if (next == RTE_FLOW_ITEM_TYPE_END || next == RTE_FLOW_ITEM_TYPE_ETH)
		return 0;
	if (p->rule->n_items == DDP_FLOW_ITEMS)
		return refuse(p, "too many items in one pattern");
	p->rule->items[p->rule->n_items++] = "eth";
	return 0;
}

static int item_add(const struct pattern *p) {
	const struct ddp_rte_item *item = ddp_rte_item_find(p->item->type);
	int ret;

	if (item == NULL || item->parts[0].size == 0)
		return refuse(p, "no header of a profile stands for this item");
	if (is_range(p->item, item->size))
		return refuse(p, "ranges of values are not supported");
	if (p->item->type == RTE_FLOW_ITEM_TYPE_GRE_KEY)
		return gre_key_add(p, item);
	if (p->rule->n_items == DDP_FLOW_ITEMS)
		return refuse(p, "too many items in one pattern");
	p->rule->items[p->rule->n_items++] = item->header;
	ret = values_add(p, item);
	if (ret == 0 && p->item->type == RTE_FLOW_ITEM_TYPE_NVGRE)
		ret = nvgre_add(p);
	if (ret == 0 && (p->item->type == RTE_FLOW_ITEM_TYPE_NVGRE ||
			 p->item->type == RTE_FLOW_ITEM_TYPE_VXLAN))
		ret = frame_add(p);
	return ret;
}

int ddp_flow_pattern_parse(const struct rte_flow_item *pattern, struct ddp_flow *rule,
			   struct rte_flow_error *error) {
	struct pattern p = {.rule = rule, .error = error, .item = pattern};
	int ret = 0;

	if (pattern == NULL)
		return ddp_flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ITEM_NUM, NULL,
				      "no pattern");
	for (; p.item->type != RTE_FLOW_ITEM_TYPE_END && ret == 0; p.item++)
		if (p.item->type != RTE_FLOW_ITEM_TYPE_VOID)
			ret = item_add(&p);
	return ret;
}

/* Raw patterns */

static int digit(char c) {
	if (c >= '0' && c <= '9')
		return c - '0';
	c = tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Hexadecimal text -> bytes. Returns their number, 0 where it is none.
static unsigned int hex_read(const char *text, size_t n, uint8_t *bytes) {
	if (n % 2 != 0 || n > 2 * DDP_FLOW_RAW_SIZE)
		return 0;
	for (size_t i = 0; i < n; i += 2) {
		int high = digit(text[i]), low = digit(text[i + 1]);

		if (high < 0 || low < 0)
			return 0;
		bytes[i / 2] = high << 4 | low;
	}
	return n / 2;
}

// Digits of a raw item's pattern; it ends with a NUL, as testpmd gives it, or at its length.
static size_t raw_len(const struct rte_flow_item_raw *raw) {
	size_t most = raw->length != 0 ? raw->length : 2 * DDP_FLOW_RAW_SIZE + 1;

	return raw->pattern == NULL ? 0 : strnlen((const char *)raw->pattern, most);
}

int ddp_flow_raw_parse(const struct rte_flow_item *item, struct ddp_flow_raw *raw,
		       struct rte_flow_error *error) {
	const struct pattern p = {.error = error, .item = item};
	const struct rte_flow_item_raw *spec = item->spec, *mask = item->mask;
	size_t n;

	if (spec == NULL || mask == NULL)
		return refuse(&p, "a raw pattern needs spec and mask");
	if (spec->relative || spec->search || spec->offset != 0 || spec->limit != 0)
		return refuse(&p, "a raw pattern begins with the packet");
	n = raw_len(spec);
	if (n == 0 || raw_len(mask) != n)
		return refuse(&p, "spec and mask of a raw pattern must be of one length");
	raw->n = hex_read((const char *)spec->pattern, n, raw->spec);
	if (raw->n == 0 || hex_read((const char *)mask->pattern, n, raw->mask) == 0)
		return refuse(&p, "spec and mask of a raw pattern are hexadecimal text, of 512 "
				  "digits at most");
	if (is_zero(raw->mask, raw->n))
		return refuse(&p, "the mask of a raw pattern chooses no bytes to hash");
	return 0;
}

bool ddp_flow_is_raw(const struct rte_flow_item *pattern) {
	while (pattern != NULL && pattern->type == RTE_FLOW_ITEM_TYPE_VOID)
		pattern++;
	return pattern != NULL && pattern->type == RTE_FLOW_ITEM_TYPE_RAW;
}
