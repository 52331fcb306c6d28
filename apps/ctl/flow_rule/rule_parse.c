/* SPDX-License-Identifier: BSD-3-Clause */
// A command is a row of words. Each function takes those it is for, from the reader's next word on,
// and leaves the one behind them; of a wrong one it says what would be right.
#include "rule_parse.h"

#include <arpa/inet.h>
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dpdk_compat.h"
#include "base/rss_hf.h"
#include "base/rte_item.h"
#include "classify/flow/flow.h"
#include "rule_items.h"

#define DIM(a) (sizeof(a) / sizeof((a)[0]))
#define WORD_MAX 2048
#define NAMES_MAX 128
#define RAW_PATTERN_MAX 512 // letters, of testpmd

struct reader {
	const char *at, *end;
	const char *begin; // of the line
	struct ddp_place place;
	struct ddp_arena *arena;
	struct ddp_diag *diag;
	char word[WORD_MAX]; // the next one; "" at the end
	struct ddp_place word_place;
	struct rule_text *rule;
};

/* Words */

static bool is_blank(char c) {
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// As testpmd, for which a '#' ends a command.
static void word_read(struct reader *r) {
	size_t n = 0;

	while (r->at < r->end && is_blank(*r->at))
		r->at++;
	if (r->at < r->end && *r->at == '#')
		r->at = r->end;
	r->word_place = r->place;
	r->word_place.col += r->at - r->begin;
	while (r->at < r->end && !is_blank(*r->at) && *r->at != '#') {
		if (n + 1 < sizeof(r->word))
			r->word[n++] = *r->at;
		r->at++;
	}
	r->word[n] = '\0';
}

static bool is(const struct reader *r, const char *word) {
	return strcmp(r->word, word) == 0;
}

static bool take(struct reader *r, const char *word) {
	if (!is(r, word))
		return false;
	word_read(r);
	return true;
}

// What is there, for a message.
static const char *found(const struct reader *r, char text[WORD_MAX + 2]) {
	if (r->word[0] == '\0')
		return "the end of the line";
	snprintf(text, WORD_MAX + 2, "'%s'", r->word);
	return text;
}

// The word is none of n names of the kind in what.
static int unknown(struct reader *r, const char *what, const char *const *names, unsigned int n) {
	const char *near = r->word[0] == '\0' ? NULL : ddp_nearest(r->word, names, n);
	char text[WORD_MAX + 2];

	if (near != NULL)
		ddp_error(r->diag, &r->word_place, "%s, not '%s'; did you mean '%s'?", what,
			  r->word, near);
	else
		ddp_error(r->diag, &r->word_place, "%s, not %s", what, found(r, text));
	return -EINVAL;
}

static int expect(struct reader *r, const char *word) {
	char text[WORD_MAX + 2];

	if (take(r, word))
		return 0;
	ddp_error(r->diag, &r->word_place, "expected '%s', not %s", word, found(r, text));
	return -EINVAL;
}

/* Values */

static int value_wrong(struct reader *r, const char *wanted) {
	char text[WORD_MAX + 2];

	ddp_error(r->diag, &r->word_place, "expected %s, not %s", wanted, found(r, text));
	return -EINVAL;
}

// A number up to max, in C's notation.
static int number_take(struct reader *r, uint64_t max, uint64_t *number) {
	char wanted[60];
	char *end;

	errno = 0;
	*number = strtoull(r->word, &end, 0);
	if (r->word[0] < '0' || r->word[0] > '9' || *end != '\0')
		return value_wrong(r, "a number");
	if (errno != 0 || *number > max) {
		snprintf(wanted, sizeof(wanted), "a number up to %llu", (unsigned long long)max);
		return value_wrong(r, wanted);
	}
	word_read(r);
	return 0;
}

static int number32_take(struct reader *r, uint32_t *number) {
	uint64_t wide = 0;
	int ret = number_take(r, UINT32_MAX, &wide);

	*number = wide;
	return ret;
}

static uint64_t ones(unsigned int n) {
	return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

// The bits of a field's number that are its own.
static uint64_t bits_of(const struct rule_field *field) {
	return field->bits != 0 ? field->bits : ones(8 * field->size);
}

// Set a field's bits in an item's structure to number, right-aligned.
static void number_set(const struct rule_field *field, uint64_t number, uint8_t *structure) {
	uint64_t bits = bits_of(field), shifted = number << __builtin_ctzll(bits);

	for (unsigned int i = 0; i < field->size; i++) {
		unsigned int shift = 8 * (field->swapped ? i : field->size - 1 - i);
		uint8_t *byte = &structure[field->off + i];

		*byte = (*byte & ~(bits >> shift)) | ((shifted & bits) >> shift & 0xff);
	}
}

static bool is_number(const struct rule_field *field) {
	return field->value == RULE_NUMBER || field->value == RULE_SWITCH;
}

static void ones_set(const struct rule_field *field, uint8_t *structure) {
	if (is_number(field))
		number_set(field, UINT64_MAX >> __builtin_ctzll(bits_of(field)), structure);
	else
		memset(structure + field->off, 0xff, field->size);
}

static int switch_take(struct reader *r, uint64_t *number) {
	static const char *const words[] = {"0",   "1", "false", "true", "no",
					    "yes", "N", "Y",     "off",  "on"};

	for (unsigned int i = 0; i < DIM(words); i++)
		if (take(r, words[i])) {
			*number = i & 1;
			return 0;
		}
	return value_wrong(r, "on or off");
}

static int mac_take(struct reader *r, uint8_t *mac) {
	unsigned int part[6];
	int n = 0;

	if (strspn(r->word, "0123456789abcdefABCDEF:") != strlen(r->word) ||
	    sscanf(r->word, "%2x:%2x:%2x:%2x:%2x:%2x%n", &part[0], &part[1], &part[2], &part[3],
		   &part[4], &part[5], &n) != 6 ||
	    r->word[n] != '\0')
		return value_wrong(r, "a MAC address");
	for (unsigned int i = 0; i < 6; i++)
		mac[i] = part[i];
	word_read(r);
	return 0;
}

static int address_take(struct reader *r, int family, uint8_t *address) {
	if (inet_pton(family, r->word, address) != 1)
		return value_wrong(r, family == AF_INET ? "an IPv4 address" : "an IPv6 address");
	word_read(r);
	return 0;
}

// An IPv4 address may be written as a number.
static bool is_plain_number(const struct reader *r) {
	return strpbrk(r->word, ".:") == NULL && r->word[0] >= '0' && r->word[0] <= '9';
}

static int value_take(struct reader *r, const struct rule_field *field, uint8_t *structure) {
	uint64_t bits = bits_of(field), number = 0;
	int ret;

	if (field->value == RULE_MAC)
		return mac_take(r, structure + field->off);
	if (field->value == RULE_IPV6)
		return address_take(r, AF_INET6, structure + field->off);
	if (field->value == RULE_IPV4 && !is_plain_number(r))
		return address_take(r, AF_INET, structure + field->off);
	if (field->value == RULE_SWITCH)
		ret = switch_take(r, &number);
	else
		ret = number_take(r, bits >> __builtin_ctzll(bits), &number);
	if (ret == 0)
		number_set(field, number, structure);
	return ret;
}

static int prefix_take(struct reader *r, const struct rule_field *field, uint8_t *structure) {
	unsigned int width =
		is_number(field) ? __builtin_popcountll(bits_of(field)) : 8 * field->size;
	uint64_t n;
	int ret = number_take(r, width, &n);

	if (ret < 0)
		return ret;
	if (is_number(field)) {
		number_set(field, ones(width) & ~ones(width - n), structure);
		return 0;
	}
	for (unsigned int i = 0; i < field->size; i++) {
		unsigned int bits = n > 8 * i ? n - 8 * i : 0;

		structure[field->off + i] = bits >= 8 ? 0xff : 0xff00 >> bits;
	}
	return 0;
}

/* Items */

// An item's structures: values, ends of ranges, masks.
struct structures {
	uint8_t spec[DDP_RTE_ITEM_SIZE], last[DDP_RTE_ITEM_SIZE], mask[DDP_RTE_ITEM_SIZE];
} __attribute__((aligned(8)));

static int parameter_take(struct reader *r, const struct rule_field *field,
			  struct rte_flow_item *item, struct structures *s) {
	static const char *const words[] = {"is", "spec", "last", "mask", "prefix"};

	if (take(r, "is")) {
		item->spec = s->spec;
		item->mask = s->mask;
		ones_set(field, s->mask);
		return value_take(r, field, s->spec);
	}
	if (take(r, "spec")) {
		item->spec = s->spec;
		return value_take(r, field, s->spec);
	}
	if (take(r, "last")) {
		item->last = s->last;
		return value_take(r, field, s->last);
	}
	if (take(r, "mask")) {
		item->mask = s->mask;
		return value_take(r, field, s->mask);
	}
	if (take(r, "prefix")) {
		item->mask = s->mask;
		return prefix_take(r, field, s->mask);
	}
	return unknown(r, "expected is, spec, last, mask or prefix", words, DIM(words));
}

static bool item_ends(const struct reader *r) {
	return r->word[0] == '\0' || is(r, "/") || is(r, "end");
}

static int fields_take(struct reader *r, const char *name, const struct rule_field *fields,
		       unsigned int n_fields, struct rte_flow_item *item, struct structures *s) {
	const char *names[NAMES_MAX];
	char what[60];

	while (!item_ends(r)) {
		unsigned int i = 0;
		int ret;

		for (i = 0; i < n_fields && !is(r, fields[i].name); i++)
			names[i] = fields[i].name;
		if (i == n_fields && n_fields == 1 && fields[0].name[0] == '\0') {
			i = 0; // only a parameter
		} else if (i == n_fields) {
			snprintf(what, sizeof(what), "expected a field of item '%s', or '/'", name);
			return unknown(r, what, names, n_fields);
		} else {
			word_read(r);
		}
		ret = parameter_take(r, &fields[i], item, s);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int message_take(struct reader *r, const char *name, const struct rule_fields *kind,
			struct rte_flow_item *item, struct structures *s) {
	const char *names[NAMES_MAX];
	const struct rule_message *message;
	struct rule_field type = {.value = RULE_NUMBER};
	char *words = ddp_arena_strdup(r->arena, kind->key), *rest = NULL;
	unsigned int i;

	if (item_ends(r))
		return 0;
	for (char *word = strtok_r(words, " ", &rest); word != NULL;
	     word = strtok_r(NULL, " ", &rest))
		if (expect(r, word) < 0)
			return -EINVAL;
	for (i = 0; i < kind->n_messages && !is(r, kind->messages[i].name); i++)
		names[i] = kind->messages[i].name;
	if (i == kind->n_messages)
		return unknown(r, "expected a type of message", names, i);
	word_read(r);
	message = &kind->messages[i];
	type.off = message->off;
	type.size = message->size;
	number_set(&type, message->type, s->spec);
	ones_set(&type, s->mask);
	item->spec = s->spec;
	item->mask = s->mask;
	return fields_take(r, name, message->fields, message->n_fields, item, s);
}

// The text goes into raw, a struct rte_flow_item_raw.
static int raw_text_take(struct reader *r, uint8_t *raw) {
	const uint8_t *pattern;
	uint16_t length;
	size_t len = strlen(r->word);

	if (len == 0)
		return value_wrong(r, "the bytes of a packet");
	if (len > RAW_PATTERN_MAX)
		return value_wrong(r, "512 digits at most");
	pattern = (const uint8_t *)ddp_arena_strdup(r->arena, r->word);
	length = len;
	memcpy(raw + offsetof(struct rte_flow_item_raw, pattern), &pattern, sizeof(pattern));
	memcpy(raw + offsetof(struct rte_flow_item_raw, length), &length, sizeof(length));
	word_read(r);
	return 0;
}

static int raw_pattern_take(struct reader *r, struct rte_flow_item *item, struct structures *s) {
	static const char *const words[] = {"spec", "mask"};

	if (take(r, "spec")) {
		item->spec = s->spec;
		return raw_text_take(r, s->spec);
	}
	if (take(r, "mask")) {
		item->mask = s->mask;
		return raw_text_take(r, s->mask);
	}
	return unknown(r, "expected spec or mask", words, DIM(words));
}

static int raw_take(struct reader *r, const struct rule_fields *fields, struct rte_flow_item *item,
		    struct structures *s) {
	const char *names[] = {"relative", "search", "offset", "limit", "pattern"};
	int ret = 0;

	while (ret == 0 && !item_ends(r)) {
		unsigned int i = 0;

		if (take(r, "pattern")) {
			ret = raw_pattern_take(r, item, s);
			continue;
		}
		while (i < fields->n_fields && !take(r, fields->fields[i].name))
			i++;
		if (i == fields->n_fields)
			return unknown(r, "expected a field of item 'raw', or '/'", names,
				       DIM(names));
		ret = parameter_take(r, &fields->fields[i], item, s);
	}
	return ret;
}

static const struct ddp_rte_item *kind_take(struct reader *r) {
	const char *names[NAMES_MAX];

	assert(ddp_n_rte_items <= NAMES_MAX);
	for (unsigned int i = 0; i < ddp_n_rte_items; i++) {
		if (take(r, ddp_rte_items[i].name))
			return &ddp_rte_items[i];
		names[i] = ddp_rte_items[i].name;
	}
	unknown(r, "expected an item of a pattern, or 'end'", names, ddp_n_rte_items);
	return NULL;
}

static struct rte_flow_item *item_append(struct reader *r, enum rte_flow_item_type type) {
	struct rule_text *rule = r->rule;
	unsigned int n = rule->n_items;
	struct rte_flow_item *item;

	*DDP_APPEND(r->arena, rule->item_places, n) = r->word_place;
	item = DDP_APPEND(r->arena, rule->items, rule->n_items);
	item->type = type;
	return item;
}

static int item_take(struct reader *r) {
	struct structures *s = ddp_arena_alloc(r->arena, sizeof(*s));
	struct rte_flow_item *item = item_append(r, RTE_FLOW_ITEM_TYPE_VOID);
	const struct ddp_rte_item *kind = kind_take(r);
	const struct rule_fields *fields;

	if (kind == NULL)
		return -EINVAL;
	item->type = kind->type;
	fields = rule_fields_find(kind->type);
	if (kind->type == RTE_FLOW_ITEM_TYPE_RAW)
		return raw_take(r, fields, item, s);
	if (fields == NULL)
		return fields_take(r, kind->name, NULL, 0, item, s);
	if (fields->messages != NULL)
		return message_take(r, kind->name, fields, item, s);
	return fields_take(r, kind->name, fields->fields, fields->n_fields, item, s);
}

static int pattern_take(struct reader *r) {
	int ret = expect(r, "pattern");

	while (ret == 0 && !is(r, "end")) {
		ret = item_take(r);
		if (ret == 0)
			ret = expect(r, "/");
	}
	if (ret < 0)
		return ret;
	item_append(r, RTE_FLOW_ITEM_TYPE_END);
	return expect(r, "end");
}

/* Actions */

static const struct {
	const char *name;
	uint64_t bit;
} rss_attributes[] = {
	{"l3-pre96", DDP_RSS_HF(L3_PRE96)},       {"l3-pre64", DDP_RSS_HF(L3_PRE64)},
	{"l3-pre56", DDP_RSS_HF(L3_PRE56)},       {"l3-pre48", DDP_RSS_HF(L3_PRE48)},
	{"l3-pre40", DDP_RSS_HF(L3_PRE40)},       {"l3-pre32", DDP_RSS_HF(L3_PRE32)},
	{"l2-dst-only", DDP_RSS_HF(L2_DST_ONLY)}, {"l2-src-only", DDP_RSS_HF(L2_SRC_ONLY)},
	{"l4-dst-only", DDP_RSS_HF(L4_DST_ONLY)}, {"l4-src-only", DDP_RSS_HF(L4_SRC_ONLY)},
	{"l3-dst-only", DDP_RSS_HF(L3_DST_ONLY)}, {"l3-src-only", DDP_RSS_HF(L3_SRC_ONLY)},
};

static int type_unknown(struct reader *r) {
	const char *names[NAMES_MAX];
	unsigned int n = 0;

	for (unsigned int bit = 0; bit < 64; bit++)
		if (strcmp(ddp_rss_hf_name(bit), "?") != 0)
			names[n++] = ddp_rss_hf_name(bit);
	for (unsigned int i = 0; i < DIM(rss_attributes); i++)
		names[n++] = rss_attributes[i].name;
	return unknown(r, "expected an RSS type, or 'end'", names, n);
}

static int type_take(struct reader *r, uint64_t *types) {
	const char *wrong;
	size_t wrong_len;
	uint64_t bits = 0;

	for (unsigned int i = 0; i < DIM(rss_attributes); i++)
		if (is(r, rss_attributes[i].name))
			bits = rss_attributes[i].bit;
	if (bits == 0 && (strchr(r->word, '+') != NULL ||
			  ddp_rss_hf_parse(r->word, &bits, &wrong, &wrong_len) < 0))
		return type_unknown(r);
	*types |= bits;
	word_read(r);
	return 0;
}

static int types_take(struct reader *r, struct rule_rss *rss) {
	int ret = 0;

	rss->no_types = false;
	rss->conf.types = 0;
	while (ret == 0 && !is(r, "end"))
		ret = type_take(r, &rss->conf.types);
	return ret < 0 ? ret : expect(r, "end");
}

static int queues_take(struct reader *r, struct rule_rss *rss) {
	uint16_t *queues = NULL;
	unsigned int n = 0;
	uint64_t queue;

	rss->no_queues = false;
	while (!is(r, "end")) {
		if (number_take(r, UINT16_MAX, &queue) < 0)
			return -EINVAL;
		*DDP_APPEND(r->arena, queues, n) = queue;
	}
	rss->conf.queue = queues;
	rss->conf.queue_num = n;
	return expect(r, "end");
}

static int function_take(struct reader *r, struct rule_rss *rss) {
	static const char *const names[] = {
		[RTE_ETH_HASH_FUNCTION_DEFAULT] = "default",
		[RTE_ETH_HASH_FUNCTION_TOEPLITZ] = "toeplitz",
		[RTE_ETH_HASH_FUNCTION_SIMPLE_XOR] = "simple_xor",
		[RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ] = "symmetric_toeplitz",
		[RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ_SORT] = "symmetric_toeplitz_sort",
	};

	for (unsigned int i = 0; i < DIM(names); i++)
		if (take(r, names[i])) {
			rss->conf.func = i;
			return 0;
		}
	return unknown(r, "expected a hash function", names, DIM(names));
}

static uint8_t digit_of(char c) {
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

static int key_take(struct reader *r, struct rule_rss *rss) {
	size_t len = strlen(r->word);
	uint8_t *key;

	if (len == 0 || len % 2 != 0 || strspn(r->word, "0123456789abcdefABCDEF") != len)
		return value_wrong(r, "a key of hexadecimal digits");
	key = ddp_arena_alloc(r->arena, len / 2);
	for (size_t i = 0; i < len / 2; i++)
		key[i] = digit_of(r->word[2 * i]) << 4 | digit_of(r->word[2 * i + 1]);
	rss->conf.key_len = len / 2;
	rss->conf.key = key;
	word_read(r);
	return 0;
}

static int rss_take(struct reader *r, struct rte_flow_action *action) {
	static const char *const words[] = {"func", "level", "types", "key", "key_len", "queues"};
	struct rule_rss *rss = ddp_arena_alloc(r->arena, sizeof(*rss));
	int ret = 0;

	rss->no_types = rss->no_queues = true;
	action->conf = &rss->conf;
	while (ret == 0 && !item_ends(r)) {
		if (take(r, "func"))
			ret = function_take(r, rss);
		else if (take(r, "level"))
			ret = number32_take(r, &rss->conf.level);
		else if (take(r, "types"))
			ret = types_take(r, rss);
		else if (take(r, "key"))
			ret = key_take(r, rss);
		else if (take(r, "key_len"))
			ret = number32_take(r, &rss->conf.key_len);
		else if (take(r, "queues"))
			ret = queues_take(r, rss);
		else
			ret = unknown(r, "expected a word of action rss, or '/'", words,
				      DIM(words));
	}
	return ret;
}

// The one number that an action may have.
static int action_number_take(struct reader *r, const char *word, uint32_t max, uint32_t *number) {
	uint64_t wide = 0;

	while (!item_ends(r)) {
		if (expect(r, word) < 0 || number_take(r, max, &wide) < 0)
			return -EINVAL;
		*number = wide;
	}
	return 0;
}

static int queue_take(struct reader *r, struct rte_flow_action *action) {
	struct rte_flow_action_queue *conf = ddp_arena_alloc(r->arena, sizeof(*conf));
	uint32_t index = 0;
	int ret = action_number_take(r, "index", UINT16_MAX, &index);

	conf->index = index;
	action->conf = conf;
	return ret;
}

static int mark_take(struct reader *r, struct rte_flow_action *action) {
	struct rte_flow_action_mark *conf = ddp_arena_alloc(r->arena, sizeof(*conf));

	action->conf = conf;
	return action_number_take(r, "id", UINT32_MAX, &conf->id);
}

static int count_take(struct reader *r, struct rte_flow_action *action) {
	struct rte_flow_action_count *conf = ddp_arena_alloc(r->arena, sizeof(*conf));

	action->conf = conf;
	return action_number_take(r, "identifier", UINT32_MAX, &conf->id);
}

static const struct action {
	const char *name;
	enum rte_flow_action_type type;
	int (*take)(struct reader *r, struct rte_flow_action *action); // NULL: no words of its own
} actions[] = {
	{"rss", RTE_FLOW_ACTION_TYPE_RSS, rss_take},
	{"queue", RTE_FLOW_ACTION_TYPE_QUEUE, queue_take},
	{"drop", RTE_FLOW_ACTION_TYPE_DROP, NULL},
	{"passthru", RTE_FLOW_ACTION_TYPE_PASSTHRU, NULL},
	{"mark", RTE_FLOW_ACTION_TYPE_MARK, mark_take},
	{"flag", RTE_FLOW_ACTION_TYPE_FLAG, NULL},
	{"count", RTE_FLOW_ACTION_TYPE_COUNT, count_take},
	{"void", RTE_FLOW_ACTION_TYPE_VOID, NULL},
};

static struct rte_flow_action *action_append(struct reader *r, enum rte_flow_action_type type) {
	struct rule_text *rule = r->rule;
	unsigned int n = rule->n_actions;
	struct rte_flow_action *action;

	*DDP_APPEND(r->arena, rule->action_places, n) = r->word_place;
	action = DDP_APPEND(r->arena, rule->actions, rule->n_actions);
	action->type = type;
	return action;
}

static int action_take(struct reader *r) {
	struct rte_flow_action *appended = action_append(r, RTE_FLOW_ACTION_TYPE_VOID);
	const char *names[DIM(actions)];

	for (unsigned int i = 0; i < DIM(actions); i++) {
		names[i] = actions[i].name;
		if (!take(r, actions[i].name))
			continue;
		appended->type = actions[i].type;
		return actions[i].take == NULL ? 0 : actions[i].take(r, appended);
	}
	return unknown(r, "expected an action, or 'end'", names, DIM(actions));
}

static int actions_take(struct reader *r) {
	int ret = expect(r, "actions");

	while (ret == 0 && !is(r, "end")) {
		ret = action_take(r);
		if (ret == 0)
			ret = expect(r, "/");
	}
	if (ret < 0)
		return ret;
	action_append(r, RTE_FLOW_ACTION_TYPE_END);
	return expect(r, "end");
}

/* Commands */

static int attributes_take(struct reader *r, struct rte_flow_attr *attr) {
	static const char *const words[] = {"ingress", "egress",   "transfer",
					    "group",   "priority", "pattern"};
	int ret = 0;

	while (ret == 0 && !is(r, "pattern")) {
		if (take(r, "ingress"))
			attr->ingress = 1;
		else if (take(r, "egress"))
			attr->egress = 1;
		else if (take(r, "transfer"))
			attr->transfer = 1;
		else if (take(r, "group"))
			ret = number32_take(r, &attr->group);
		else if (take(r, "priority"))
			ret = number32_take(r, &attr->priority);
		else
			ret = unknown(r, "expected an attribute, or 'pattern'", words, DIM(words));
	}
	return ret;
}

// is_short: from behind "flow create 0" on, where a rule for packets received is meant.
static enum rule_line rule_take(struct reader *r, bool is_short) {
	struct rte_flow_attr *attr = &r->rule->attr;
	char text[WORD_MAX + 2];

	if (attributes_take(r, attr) < 0)
		return RULE_LINE_BAD;
	if (is_short && !attr->egress && !attr->transfer)
		attr->ingress = 1;
	if (pattern_take(r) < 0 || actions_take(r) < 0)
		return RULE_LINE_BAD;
	if (r->word[0] == '\0')
		return RULE_LINE_RULE;
	ddp_error(r->diag, &r->word_place, "a rule ends before %s", found(r, text));
	return RULE_LINE_BAD;
}

// What only shows rules may be among those that make them; what takes some away again may not.
static enum rule_line flow_take(struct reader *r) {
	static const char *const passed[] = {"list", "query", "dump"};
	static const char *const words[] = {"create", "validate", "list", "query", "dump"};
	uint64_t port;

	for (unsigned int i = 0; i < DIM(passed); i++)
		if (is(r, passed[i]))
			return RULE_LINE_OTHER;
	r->rule->validated = take(r, "validate");
	if (!r->rule->validated && !take(r, "create")) {
		unknown(r, "of testpmd's flow commands only create is read", words, DIM(words));
		return RULE_LINE_BAD;
	}
	return number_take(r, UINT16_MAX, &port) < 0 ? RULE_LINE_BAD : rule_take(r, false);
}

// Commands of testpmd that have nothing to do with rules.
static const char *const others[] = {
	"add",  "clear",         "csum",       "ddp",  "dump_socket_mem", "help",
	"load", "mac_addr",      "mcast_addr", "port", "ptype",           "quit",
	"read", "rx_vlan",       "set",        "show", "start",           "stop",
	"tso",  "tunnel_filter", "tx_vlan",    "vlan", "write",
};

static bool is_other(const struct reader *r) {
	for (unsigned int i = 0; i < DIM(others); i++)
		if (is(r, others[i]))
			return true;
	return false;
}

static enum rule_line begin_unknown(struct reader *r) {
	const char *names[DIM(others) + 5] = {"flow", "pattern", "ingress", "priority", "group"};

	for (unsigned int i = 0; i < DIM(others); i++)
		names[5 + i] = others[i];
	unknown(r, "expected a rule ('flow create', 'pattern')", names, DIM(names));
	return RULE_LINE_BAD;
}

enum rule_line rule_parse(const char *line, size_t len, const struct ddp_place *place,
			  struct ddp_arena *arena, struct rule_text *rule, struct ddp_diag *diag) {
	static const char *const begins[] = {"pattern",  "ingress",  "egress",
					     "transfer", "priority", "group"};
	struct reader r = {
		.at = line,
		.begin = line,
		.end = line + len,
		.place = *place,
		.arena = arena,
		.diag = diag,
		.rule = rule,
	};

	word_read(&r);
	rule->place = r.word_place;
	if (r.word[0] == '\0' || is_other(&r))
		return RULE_LINE_OTHER;
	if (take(&r, "flow"))
		return flow_take(&r);
	for (unsigned int i = 0; i < DIM(begins); i++)
		if (is(&r, begins[i]))
			return rule_take(&r, true);
	return begin_unknown(&r);
}
