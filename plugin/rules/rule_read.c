/* SPDX-License-Identifier: BSD-3-Clause */
// A rule as an application gives it: its pattern and its actions.
#include "rules.h"

#include <ctype.h>
#include <netinet/in.h>
#include <stdlib.h>

#include <rte_mbuf_core.h>

#include "base/dpdk_compat.h"
#include "base/rte_item.h"

/* Patterns */

struct pattern {
	struct ddp_flow *rule;
	struct rte_flow_error *error;
	const struct rte_flow_item *item; // being read
	unsigned int header;              // the rule's item of the last header that was read
	unsigned int behind; // bytes behind it that raw items are for; 0: there is none
};

static int item_refuse(const struct pattern *p, const char *reason) {
	return ddp_flow_error(p->error, EINVAL, RTE_FLOW_ERROR_TYPE_ITEM, p->item, reason);
}

static void number_append(uint64_t *hi, uint64_t *lo, uint8_t byte) {
	*hi = *hi << 8 | *lo >> 56;
	*lo = *lo << 8 | byte;
}

static int value_add(const struct pattern *p, const struct ddp_flow_field *at, const uint8_t *spec,
		     const uint8_t *mask, unsigned int n) {
	struct ddp_flow_value value = {.at = *at};

	if (p->rule->n_values == DDP_FLOW_MATCHES)
		return item_refuse(p, "too many values in one pattern");
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

// Add a mask of n bytes from a bit of the last header on, as few values: lookups by each.
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

// Take has_vlan, has_more_vlan or has_frag_ext out of the mask. 1: follows, 0: not, -1: not in it.
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
		return item_refuse(p, "too many items in one pattern");
	p->rule->items[p->rule->n_items++] = header;
	return 0;
}

// The header that follows the item, which the pattern may leave out.
static int follower_add(const struct pattern *p, const struct ddp_rte_item *item, bool follows) {
	const struct ddp_rte_item *next = ddp_rte_item_find(item_next(p->item)->type);
	const bool is_named = next != NULL && next->header == item->follows;
	struct ddp_flow *rule = p->rule;

	if (is_named && !follows)
		return item_refuse(
			p, "the pattern has a header of which it says that it does not follow");
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
		return p->item->mask == NULL ? 0 : item_refuse(p, "a mask without a value");
	memcpy(mask, p->item->mask != NULL ? p->item->mask : item->mask, item->size);
	// `ipv6 proto is 6 / tcp`: extension headers may be between, the number in the last.
	if (p->item->type == RTE_FLOW_ITEM_TYPE_IPV6 && mask[proto] == 0xff &&
	    spec[proto] == protocol_of(item_next(p->item)->type))
		mask[proto] = 0;
	follows = follower_take(item, spec, mask);
	if (asks_beyond(item, mask))
		return item_refuse(p, "of what follows a header only has_vlan, has_more_vlan and "
				      "has_frag_ext can be matched");
	for (unsigned int i = 0; i < DDP_RTE_ITEM_PARTS && item->parts[i].size > 0 && ret == 0; i++)
		ret = part_add(p, &item->parts[i], spec + item->parts[i].off,
			       mask + item->parts[i].off);
	return ret < 0 || follows < 0 ? ret : follower_add(p, item, follows);
}

// VXLAN and NVGRE carry a frame, which a pattern may leave out (NVGRE: RFC 7637).
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
		return item_refuse(p, "a raw item needs spec and mask");
	if (!spec->relative || spec->search || spec->offset < 0 || spec->limit != 0)
		return item_refuse(
			p, "a raw item behind a header is relative, has no search or limit, "
			   "and an offset of 0 or more");
	n = raw_read(spec, mask, value, bits);
	if (n == 0)
		return item_refuse(p,
				   "spec and mask of a raw item are bytes or hexadecimal text, of "
				   "one length");
	if (spec->offset > RAW_BEHIND_MAX || p->behind + spec->offset + n > RAW_BEHIND_MAX)
		return item_refuse(p, "a raw item is for the first 256 bytes behind a header");
	from = p->behind + spec->offset;
	p->behind = from + n;
	return bytes_add(p, DDP_FLOW_PAYLOAD | 8 * from, value, bits, n);
}

static int item_add(struct pattern *p) {
	const struct ddp_rte_item *item = ddp_rte_item_find(p->item->type);
	const void *spec = p->item->spec, *last = p->item->last;
	int ret;

	if (item == NULL || (item->parts[0].size == 0 && p->item->type != RTE_FLOW_ITEM_TYPE_RAW))
		return item_refuse(p, "no header of a profile stands for this item");
	// As rte_flow.h has it: a last of zeros, or that is spec, is none.
	if (last != NULL && !is_zero(last, item->size) &&
	    (spec == NULL || memcmp(last, spec, item->size) != 0))
		return item_refuse(p, "ranges of values are not supported");
	if (p->item->type == RTE_FLOW_ITEM_TYPE_RAW)
		return raw_add(p);
	if (p->behind > 0)
		return item_refuse(p, "no header can stand behind a raw item");
	if (p->item->type == RTE_FLOW_ITEM_TYPE_GRE_KEY) {
		if (!ddp_flow_names(p->rule, p->rule->n_items - 1, "gre"))
			return item_refuse(p, "a GRE key without GRE before it");
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
		return item_refuse(p, "a raw pattern stands alone");
	}
	raw = flow->raw = calloc(1, sizeof(*raw));
	if (raw == NULL)
		return ddp_flow_no_memory(p->error);
	if (spec == NULL || mask == NULL)
		return item_refuse(p, "a raw pattern needs spec and mask");
	if (spec->relative || spec->search || spec->offset != 0 || spec->limit != 0)
		return item_refuse(p, "a raw pattern begins with the packet");
	n = raw_len(spec);
	if (n == 0 || raw_len(mask) != n)
		return item_refuse(p, "spec and mask of a raw pattern must be of one length");
	raw->n = hex_read((const char *)spec->pattern, n, raw->spec);
	if (raw->n == 0 || hex_read((const char *)mask->pattern, n, raw->mask) == 0)
		return item_refuse(p, "spec and mask of a raw pattern are hexadecimal text, of 512 "
				      "digits at most");
	if (is_zero(raw->mask, raw->n))
		return item_refuse(p, "the mask of a raw pattern chooses no bytes to hash");
	return 0;
}

// Add the headers and values of a pattern to flow->rule, or set flow->raw.
static int pattern_parse(const struct rte_flow_item *pattern, struct rte_flow *flow,
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

/* Actions */

struct actions {
	const struct ddp_flow_config *config;
	struct rte_flow *flow;
	struct rte_flow_error *error;
	const struct rte_flow_action *action; // being read
	const struct rte_flow_action_rss *hash;
	bool has_fate, has_mark, has_count;
};

static int refuse(const struct actions *a, const char *reason) {
	return ddp_flow_error(a->error, EINVAL, RTE_FLOW_ERROR_TYPE_ACTION, a->action, reason);
}

static int fate_set(struct actions *a, enum ddp_flow_fate fate) {
	if (a->has_fate)
		return refuse(a, "a packet can have one target only");
	a->has_fate = true;
	a->flow->action.fate = fate;
	return 0;
}

static int queues_set(struct actions *a, const uint16_t *queues, unsigned int n, bool several) {
	struct ddp_flow_action *action = &a->flow->action;
	struct ddp_flow_spread *spread;
	int ret = fate_set(a, DDP_FLOW_QUEUE);

	if (ret < 0)
		return ret;
	if (n > DDP_FLOW_QUEUES_MAX)
		return refuse(a, "too many queues");
	for (unsigned int i = 0; i < n; i++)
		if (queues[i] >= a->config->n_rxqs)
			return refuse(a, "the port has no such Rx queue");
	action->n_queues = n;
	action->queue = queues[0];
	if (!several)
		return 0;
	spread = ddp_memory_alloc(a->config->memory, sizeof(*spread) + n * sizeof(*queues));
	if (spread == NULL)
		return ddp_flow_no_memory(a->error);
	memcpy(spread->queues, queues, n * sizeof(*queues));
	action->fate = DDP_FLOW_SPREAD;
	action->spread = spread;
	return 0;
}

static int mark_set(struct actions *a, enum ddp_flow_tag tag, uint32_t mark) {
	if (a->has_mark)
		return refuse(a, "a packet can have one mark only");
	a->has_mark = true;
	a->flow->action.tag = tag;
	a->flow->action.mark = mark;
	return 0;
}

static int count_set(struct actions *a) {
	struct ddp_flow_action *action = &a->flow->action;

	if (a->has_count)
		return refuse(a, "a rule counts once");
	a->has_count = true;
	action->counts =
		ddp_memory_alloc(a->config->memory, a->config->n_counts * sizeof(*action->counts));
	return action->counts != NULL ? 0 : ddp_flow_no_memory(a->error);
}

/* RSS */

#define HF(name) DDP_RSS_HF(name)
#define IPV4_TYPES \
	(HF(IPV4) | HF(IPV4_FRAG) | HF(IPV4_TCP) | HF(IPV4_UDP) | HF(IPV4_SCTP) | HF(IPV4_OTHER))
#define IPV6_TYPES                                                                                 \
	(HF(IPV6) | HF(IPV6_FRAG) | HF(IPV6_TCP) | HF(IPV6_UDP) | HF(IPV6_SCTP) | HF(IPV6_OTHER) | \
	 HF(IPV6_EX) | HF(IPV6_TCP_EX) | HF(IPV6_UDP_EX))
#define ALL_OF_IP                                                                                \
	(HF(IPV4) | HF(IPV4_FRAG) | HF(IPV4_OTHER) | HF(IPV6) | HF(IPV6_FRAG) | HF(IPV6_OTHER) | \
	 HF(IPV6_EX))

// Does the action leave to the port what is hashed? Applications that have no types of their own
// give none, the port's, or all of IP (RTE_ETH_RSS_IP), with ports or not (testpmd).
static bool types_are_default(const struct actions *a, const struct rte_flow_action_rss *rss) {
	if (rss->level != 0)
		return false;
	return rss->types == 0 || rss->types == a->config->rss_hf ||
	       ((rss->types & ~(IPV4_TYPES | IPV6_TYPES)) == 0 &&
		(rss->types & ALL_OF_IP) == ALL_OF_IP);
}

static int key_set(struct actions *a, const uint8_t key[DDP_KEY_SIZE], uint32_t len) {
	if (len == 0)
		return 0;
	a->flow->key_bytes = malloc(DDP_KEY_SIZE);
	if (a->flow->key_bytes == NULL)
		return ddp_flow_no_memory(a->error);
	memcpy(a->flow->key_bytes, key, DDP_KEY_SIZE);
	a->flow->key_len = len;
	return 0;
}

static int rss_set(struct actions *a, const struct rte_flow_action_rss *rss) {
	uint8_t key[DDP_KEY_SIZE] = {0};
	int ret;

	a->flow->rss_types = rss->types;
	a->flow->rss_level = rss->level;
	if (rss->level > 2)
		return refuse(a, "the RSS level is 0, 1 (outermost) or 2 (innermost)");
	if (rss->key_len != 0 && rss->key == NULL)
		return refuse(a, "the length of a key without a key");
	if (rss->key_len != 0 && ddp_key_read(key, rss->key, rss->key_len) < 0)
		return refuse(a, "a key has 40 or 52 bytes");
	if (rss->queue_num == 0) {
		if (a->hash != NULL)
			return refuse(a, "a packet has one hash only");
		if (rss->key_len != 0 && memcmp(key, a->config->key, sizeof(key)) != 0)
			return refuse(a, "a rule without queues hashes by the port's key "
					 "(rte_eth_dev_rss_hash_update)");
		a->hash = rss;
		return 0;
	}
	if (rss->queue == NULL)
		return refuse(a, "a number of queues without queues");
	if (!types_are_default(a, rss))
		return refuse(a,
			      "types or queues: what is hashed, and where packets go, are rules of "
			      "their own");
	if (rss->func != RTE_ETH_HASH_FUNCTION_DEFAULT &&
	    rss->func != RTE_ETH_HASH_FUNCTION_TOEPLITZ)
		return refuse(a, "a hash function belongs to a rule without queues");
	ret = queues_set(a, rss->queue, rss->queue_num, rss->queue_num > 1 || rss->key_len != 0);
	return ret < 0 ? ret : key_set(a, key, rss->key_len);
}

static const enum rte_eth_hash_function functions[] = {
	[DDP_HASH_TOEPLITZ] = RTE_ETH_HASH_FUNCTION_TOEPLITZ,
	[DDP_HASH_SYMMETRIC_TOEPLITZ] = RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ,
	[DDP_HASH_SYMMETRIC_TOEPLITZ_SORT] = RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ_SORT,
	[DDP_HASH_SIMPLE_XOR] = RTE_ETH_HASH_FUNCTION_SIMPLE_XOR,
};

enum rte_eth_hash_function ddp_flow_function(enum ddp_hash_function function) {
	return functions[function];
}

int ddp_flow_function_read(enum rte_eth_hash_function from, enum ddp_hash_function *function) {
	if (from == RTE_ETH_HASH_FUNCTION_DEFAULT)
		from = RTE_ETH_HASH_FUNCTION_TOEPLITZ;
	for (unsigned int i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (functions[i] == from) {
			*function = i;
			return 0;
		}
	return -EINVAL;
}

static int types_set(struct actions *a) {
	static const uint64_t levels[] = {0, DDP_RSS_LEVEL_OUTERMOST, DDP_RSS_LEVEL_INNERMOST};
	static __thread char reason[200]; // the error's message outlives the call
	bool symmetric = ddp_hash_is_symmetric(a->flow->rule->hashing.function);
	uint64_t types = a->hash->types; // with the level, which is in the types or apart

	a->flow->rule->hashing.own_inputs = true;
	if (a->flow->rule->hashing.function == DDP_HASH_SIMPLE_XOR)
		return refuse(a, "simple_xor is for the whole port: 'pattern end'");
	if (a->flow->raw != NULL) // its mask says what is hashed
		return 0;
	if (a->hash->level != 0)
		types = (types & ~DDP_RSS_LEVELS) | levels[a->hash->level];
	if (ddp_flow_rss_apply(a->flow->rule, types, a->config->dialect, symmetric, reason,
			       sizeof(reason)) < 0)
		return refuse(a, reason);
	return 0;
}

static int hash_finish(struct actions *a) {
	if (a->has_fate || a->has_mark || a->has_count)
		return refuse(a, "a rule that says how to hash has no other action");
	a->flow->rule->stage = DDP_FLOW_HASH;
	if (ddp_flow_function_read(a->hash->func, &a->flow->rule->hashing.function) < 0)
		return refuse(a, "no such hash function");
	if (a->flow->rule->n_items > 0 || a->flow->raw != NULL)
		return types_set(a);
	// A rule without headers changes the whole port's function, not what is hashed.
	if (a->config->dialect == DDP_FLOW_I40E &&
	    ddp_hash_is_symmetric(a->flow->rule->hashing.function))
		return refuse(
			a, "a 700-series NIC has a symmetric hash for packets of a pattern only");
	if (!types_are_default(a, a->hash))
		return refuse(a, "RSS types of a pattern without headers: use the port's rss_hf");
	return 0;
}

static int action_read(struct actions *a) {
	const struct rte_flow_action *action = a->action;
	const struct rte_flow_action_queue *queue = action->conf;
	const struct rte_flow_action_mark *mark = action->conf;

	switch (action->type) {
	case RTE_FLOW_ACTION_TYPE_VOID:
		return 0;
	case RTE_FLOW_ACTION_TYPE_PASSTHRU:
		return fate_set(a, DDP_FLOW_PASS);
	case RTE_FLOW_ACTION_TYPE_DROP:
		return fate_set(a, DDP_FLOW_DROP);
	case RTE_FLOW_ACTION_TYPE_FLAG:
		return mark_set(a, DDP_FLOW_FLAGGED, 0);
	case RTE_FLOW_ACTION_TYPE_COUNT:
		return count_set(a);
	case RTE_FLOW_ACTION_TYPE_QUEUE:
		return queue == NULL ? refuse(a, "no queue") :
				       queues_set(a, &queue->index, 1, false);
	case RTE_FLOW_ACTION_TYPE_MARK:
		return mark == NULL ? refuse(a, "no mark") : mark_set(a, DDP_FLOW_MARKED, mark->id);
	case RTE_FLOW_ACTION_TYPE_RSS:
		return action->conf == NULL ? refuse(a, "no RSS") : rss_set(a, action->conf);
	default:
		return refuse(
			a, "only RSS, QUEUE, DROP, PASSTHRU, MARK, FLAG and COUNT are supported");
	}
}

static int actions_parse(const struct ddp_flow_config *config,
			 const struct rte_flow_action *actions, struct rte_flow *flow,
			 struct rte_flow_error *error) {
	struct actions a = {.config = config, .flow = flow, .error = error, .action = actions};
	int ret = 0;

	flow->rule->stage = DDP_FLOW_STEER;
	if (actions == NULL)
		return ddp_flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ACTION_NUM, NULL,
				      "no actions");
	for (; a.action->type != RTE_FLOW_ACTION_TYPE_END && ret == 0; a.action++)
		ret = action_read(&a);
	if (ret < 0)
		return ret;
	if (a.hash != NULL)
		return hash_finish(&a);
	if (!a.has_fate && !a.has_mark && !a.has_count)
		return refuse(&a, "a rule without an action");
	if (flow->raw != NULL)
		return refuse(&a, "a raw pattern says what is hashed: it has no other action");
	return 0;
}

static int flow_parse(const struct ddp_flow_config *config, const struct rte_flow_attr *attr,
		      const struct rte_flow_item *pattern, const struct rte_flow_action *actions,
		      struct rte_flow *flow, struct rte_flow_error *error) {
	struct ddp_flow *rule = flow->rule;
	int ret;

	if (attr == NULL || !attr->ingress || attr->egress || attr->transfer)
		return ddp_flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_INGRESS, attr,
				      "only ingress rules are supported");
	if (attr->group != 0)
		return ddp_flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_GROUP, attr,
				      "groups are not supported");
	ret = pattern_parse(pattern, flow, error);
	if (ret == 0)
		ret = actions_parse(config, actions, flow, error);
	if (ret < 0)
		return ret;
	flow->priority = attr->priority;
	if (rule->stage == DDP_FLOW_HASH && attr->priority != 0)
		return ddp_flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_PRIORITY, attr,
				      "of hash rules the newest decides: they have no priority");
	// A hash rule for UDP is not for tunnels in it, unless a raw item names its bytes.
	rule->ends = rule->stage == DDP_FLOW_HASH && ddp_flow_names(rule, rule->n_items - 1, "udp");
	for (unsigned int i = 0; i < rule->n_values; i++)
		rule->ends &= (rule->values[i].at.bit & DDP_FLOW_PAYLOAD) == 0;
	return 0;
}

enum ddp_flow_dialect ddp_flow_dialect_of(const struct ddp_profile *profile) {
	for (unsigned int i = 0; i < profile->n_parts; i++)
		if (strcmp(profile->parts[i].name, "i40e-default") == 0)
			return DDP_FLOW_I40E;
	return DDP_FLOW_ICE;
}

struct rte_flow *ddp_flow_create(const struct ddp_flow_config *config,
				 const struct rte_flow_attr *attr,
				 const struct rte_flow_item *pattern,
				 const struct rte_flow_action *actions,
				 struct rte_flow_error *error, int *ret) {
	struct rte_flow *flow = calloc(1, sizeof(*flow));

	if (flow != NULL)
		flow->rule = calloc(1, sizeof(*flow->rule));
	if (flow == NULL || flow->rule == NULL) {
		*ret = ddp_flow_no_memory(error);
		free(flow);
		return NULL;
	}
	flow->memory = config->memory;
	*ret = flow_parse(config, attr, pattern, actions, flow, error);
	if (*ret == 0)
		return flow;
	ddp_flow_destroy(flow);
	return NULL;
}

void ddp_flow_destroy(struct rte_flow *flow) {
	if (flow == NULL)
		return;
	if (flow->action.fate == DDP_FLOW_SPREAD)
		ddp_memory_free(flow->memory, flow->action.spread);
	ddp_memory_free(flow->memory, flow->action.counts);
	free(flow->key_bytes);
	free(flow->raw);
	free(flow->rule);
	free(flow);
}

const struct ddp_flow *ddp_flow_rule(const struct rte_flow *flow) {
	return flow->rule != NULL ? flow->rule : &flow->shapes[0]->rule;
}

void ddp_flow_rule_get(const struct rte_flow *flow, struct ddp_flow *rule) {
	*rule = *ddp_flow_rule(flow);
	if (flow->entries[0] != NULL)
		ddp_flow_entry_read(flow->entries[0], rule);
}
