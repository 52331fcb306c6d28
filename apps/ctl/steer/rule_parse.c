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

#define DIM(a) (sizeof(a) / sizeof((a)[0]))
#define WORD_MAX 2048
#define NAMES_MAX 128
#define RAW_PATTERN_MAX 512 // letters, of testpmd
#define QUEUES_MAX 128      // of an RSS action that names none, in testpmd

#define GTP "v_pt_rsv_flags@0:8 msg_type@8:8 teid@32:32"
#define PORTS "src@0:16 dst@16:16"
#define L2TP_ALL "@0:16 length@16:16 tunnel_id@32:16 session_id@48:16 ns@64:16 nr@80:16"

// clang-format off
const struct rule_item rule_items[] = {
	{"eth", "dst@0:48m src@48:48m type@96:16 has_vlan@119:1", NULL, 0},
	{"vlan", "tci@0:16 pcp@0:3 dei@3:1 vid@4:12 inner_type@16:16 has_more_vlan@39:1", NULL, 0},
	{"arp_eth_ipv4", DPDK_ARP_FIELDS, NULL, 0},
	{"ipv4", "version_ihl@0:8 tos@8:8 packet_id@32:16 fragment_offset@48:16 ttl@64:8 proto@72:8 "
		 "src@96:32a dst@128:32a", NULL, 0},
	{"ipv6", "tc@4:8 flow@12:20 proto@48:8 hop@56:8 src@64:128a dst@192:128a has_frag_ext@325:1",
	 NULL, 0},
	{"ipv6_frag_ext", "next_hdr@0:8 frag_data@16:16 packet_id@32:32", NULL, 0},
	{"icmp", "type@0:8 code@8:8 ident@32:16 seq@48:16", NULL, 0},
	{"icmp6", "type@0:8 code@8:8", NULL, 0},
	{"udp", PORTS, NULL, 0},
	{"tcp", PORTS " flags@104:8", NULL, 0},
	{"sctp", PORTS " tag@32:32 cksum@64:32", NULL, 0},
	{"gtpu", GTP, NULL, 0},
	{"gtpc", GTP, NULL, 0},
	{"gtp", GTP, NULL, 0},
	{"gtp_psc", "qfi@18:6 pdu_t@8:4", NULL, 0},
	{"pfcp", "s_field@0:8 seid@64:64", NULL, 0},
	{"vxlan", "vni@32:24 last_rsvd@56:8", NULL, 0},
	{"vxlan-gpe", "vni@32:24", NULL, 0},
	{"geneve", "vni@32:24 protocol@16:16 optlen@2:6", NULL, 0},
	{"gre", "protocol@16:16 c_rsvd0_ver@0:16 c_bit@0:1s k_bit@2:1s s_bit@3:1s", NULL, 0},
	{"gre_key", "value@0:32", NULL, 0},
	{"nvgre", "tni@32:24", NULL, 0},
	{"mpls", "label@0:20 tc@20:3 s@23:1", NULL, 0},
	{"pppoes", "seid@16:16", NULL, 0},
	{"pppoed", "seid@16:16", NULL, 0},
	{"pppoe_proto_id", "@0:16", NULL, 0}, // the item's name stands for the field
	{"ppp", "addr@0:8 ctrl@8:8 proto_id@16:16h", NULL, 0},
	{"l2tpv2", "@0:16 tunnel_id@16:16 session_id@32:16", "data", 0x0002},
	{"l2tpv2", "@0:16 length@16:16 tunnel_id@32:16 session_id@48:16", "data_l", 0x4002},
	{"l2tpv2", "@0:16 tunnel_id@16:16 session_id@32:16 ns@48:16 nr@64:16", "data_s", 0x0802},
	{"l2tpv2", "@0:16 tunnel_id@16:16 session_id@32:16 offset_size@48:16", "data_o", 0x0202},
	{"l2tpv2", L2TP_ALL, "data_l_s", 0x4802},
	{"l2tpv2", L2TP_ALL, "control", 0xc802},
	{"l2tpv3oip", "session_id@0:32", NULL, 0},
	{"esp", "spi@0:32", NULL, 0},
	{"ah", "spi@32:32", NULL, 0},
	{"ecpri", "@8:8 pc_id@32:16", "iq_data", 0},
	{"ecpri", "@8:8 rtc_id@32:16", "rtc_ctrl", 2},
	{"ecpri", "@8:8 msr_id@32:8", "delay_measure", 5},
	{"void", "", NULL, 0},
	{"raw", "relative@7:1s search@6:1s offset@32:32h limit@64:16h pattern@128:64p", NULL, 0},
};
// clang-format on
const unsigned int rule_n_items = DIM(rule_items);
static_assert(offsetof(struct rte_flow_item_raw, offset) == 4, "as in the table");
static_assert(offsetof(struct rte_flow_item_raw, limit) == 8, "as in the table");

struct reader {
	const char *at, *end;
	const char *begin; // of the line
	struct ddp_place place;
	const struct steer_config *port;
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

static int wrong(struct reader *r, const char *wanted) {
	const char *quote = r->word[0] == '\0' ? "" : "'";

	ddp_error(r->diag, &r->word_place, "%s, not %s%s%s", wanted, quote,
		  r->word[0] == '\0' ? "the end of the line" : r->word, quote);
	return -EINVAL;
}

static int expect(struct reader *r, const char *word) {
	return take(r, word) ? 0 : wrong(r, ddp_arena_printf(r->arena, "expected '%s'", word));
}

// Words are separated by blanks; what follows an '@' is not part of one.
static size_t word_len(const char *words) {
	return strcspn(words, "@ ");
}

static const char *word_next(const char *words) {
	words += strcspn(words, " ");
	return words + strspn(words, " ");
}

// The number of the next word among words, -1: it is none of them.
static int find(const struct reader *r, const char *words) {
	size_t len = strlen(r->word);

	for (int i = 0; *words != '\0'; i++, words = word_next(words))
		if (word_len(words) == len && memcmp(words, r->word, len) == 0)
			return i;
	return -1;
}

static int unknown(struct reader *r, const char *wanted, const char *words) {
	const char *names[NAMES_MAX], *near;
	unsigned int n = 0;

	for (; *words != '\0' && n < NAMES_MAX; words = word_next(words))
		names[n++] = ddp_arena_strndup(r->arena, words, word_len(words));
	near = r->word[0] == '\0' ? NULL : ddp_nearest(r->word, names, n);
	if (near == NULL)
		return wrong(r, wanted);
	ddp_error(r->diag, &r->word_place, "%s, not '%s'; did you mean '%s'?", wanted, r->word,
		  near);
	return -EINVAL;
}

// Take one of the words: its number, or -EINVAL.
static int choose(struct reader *r, const char *wanted, const char *words) {
	int i = find(r, words);

	if (i < 0)
		return unknown(r, wanted, words);
	word_read(r);
	return i;
}

/* Values */

static bool is_number(const struct reader *r) {
	return isdigit((unsigned char)r->word[0]);
}

// A number up to max, in C's notation.
static int number_take(struct reader *r, uint64_t max, uint64_t *number) {
	char *end;

	errno = 0;
	*number = strtoull(r->word, &end, 0);
	if (!is_number(r) || *end != '\0')
		return wrong(r, "expected a number");
	if (errno != 0 || *number > max)
		return wrong(r, ddp_arena_printf(r->arena, "expected a number up to %llu",
						 (unsigned long long)max));
	word_read(r);
	return 0;
}

static int number32_take(struct reader *r, uint32_t *number) {
	uint64_t wide = 0;
	int ret = number_take(r, UINT32_MAX, &wide);

	*number = wide;
	return ret;
}

struct field {
	unsigned int at, width; // bits
	char kind;
};

static struct field field_read(const char *words) {
	struct field field = {.kind = ' '};

	sscanf(words + word_len(words), "@%u:%u%c", &field.at, &field.width, &field.kind);
	return field;
}

// Bit i of a field is counted from its most significant one.
static void bit_set(const struct field *f, unsigned int i, bool value, uint8_t *structure) {
	unsigned int bit = f->at + (f->kind == 'h' ? f->width - 8 - i / 8 * 8 + i % 8 : i);
	uint8_t mask = 0x80 >> bit % 8;

	structure[bit / 8] = (structure[bit / 8] & ~mask) | (value ? mask : 0);
}

static void number_set(const struct field *f, uint64_t number, uint8_t *structure) {
	for (unsigned int i = 0; i < f->width; i++)
		bit_set(f, i, number >> (f->width - 1 - i) & 1, structure);
}

// The first n bits of the field, and no others.
static void prefix_set(const struct field *f, unsigned int n, uint8_t *structure) {
	for (unsigned int i = 0; i < f->width; i++)
		bit_set(f, i, i < n, structure);
}

static int mac_take(struct reader *r, uint8_t *mac) {
	int n = 0;

	if (strspn(r->word, "0123456789abcdefABCDEF:") != strlen(r->word) ||
	    sscanf(r->word, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &mac[0], &mac[1], &mac[2],
		   &mac[3], &mac[4], &mac[5], &n) != 6 ||
	    r->word[n] != '\0')
		return wrong(r, "expected a MAC address");
	word_read(r);
	return 0;
}

static int address_take(struct reader *r, int family, uint8_t *address) {
	if (inet_pton(family, r->word, address) != 1)
		return wrong(r, family == AF_INET ? "expected an IPv4 address" :
						    "expected an IPv6 address");
	word_read(r);
	return 0;
}

static int value_take(struct reader *r, const struct field *f, uint8_t *structure) {
	uint64_t number;

	if (f->kind == 'm')
		return mac_take(r, structure + f->at / 8);
	if (f->kind == 'a' && f->width == 128)
		return address_take(r, AF_INET6, structure + f->at / 8);
	if (f->kind == 'a' && (strpbrk(r->word, ".:") != NULL || !is_number(r)))
		return address_take(r, AF_INET, structure + f->at / 8);
	if (f->kind == 's') {
		int i = find(r, "0 1 false true no yes N Y off on");

		if (i < 0)
			return wrong(r, "expected on or off");
		number = i & 1;
		word_read(r);
	} else if (number_take(r, UINT64_MAX >> (64 - f->width), &number) < 0) {
		return -EINVAL;
	}
	number_set(f, number, structure);
	return 0;
}

/* Items */

// An item's structures: values, ends of ranges, masks.
struct structures {
	uint8_t spec[DDP_RTE_ITEM_SIZE], last[DDP_RTE_ITEM_SIZE], mask[DDP_RTE_ITEM_SIZE];
} __attribute__((aligned(8)));

// The bytes of a packet, which a struct rte_flow_item_raw points to.
static int raw_take(struct reader *r, struct rte_flow_item *item, struct structures *s) {
	int is_mask = choose(r, "expected spec or mask", "spec mask");
	struct rte_flow_item_raw *raw = (void *)(is_mask ? s->mask : s->spec);
	size_t len = strlen(r->word);

	if (is_mask < 0)
		return is_mask;
	if (len == 0)
		return wrong(r, "expected the bytes of a packet");
	if (len > RAW_PATTERN_MAX)
		return wrong(r, "expected 512 digits at most");
	if (is_mask)
		item->mask = raw;
	else
		item->spec = raw;
	raw->pattern = (const uint8_t *)ddp_arena_strdup(r->arena, r->word);
	raw->length = len;
	word_read(r);
	return 0;
}

static int parameter_take(struct reader *r, const struct field *f, struct rte_flow_item *item,
			  struct structures *s) {
	enum {
		IS,
		SPEC,
		LAST,
		MASK,
		PREFIX
	};
	uint64_t n;
	int ret, i;

	if (f->kind == 'p')
		return raw_take(r, item, s);
	i = choose(r, "expected is, spec, last, mask or prefix", "is spec last mask prefix");
	if (i == IS || i == SPEC)
		item->spec = s->spec;
	if (i == IS || i == MASK || i == PREFIX)
		item->mask = s->mask;
	if (i == IS)
		prefix_set(f, f->width, s->mask);
	if (i == LAST)
		item->last = s->last;
	if (i >= 0 && i < PREFIX)
		return value_take(r, f, i == MASK ? s->mask : i == LAST ? s->last : s->spec);
	ret = i < 0 ? i : number_take(r, f->width, &n);
	if (ret == 0)
		prefix_set(f, n, s->mask);
	return ret;
}

static bool item_ends(const struct reader *r) {
	return r->word[0] == '\0' || is(r, "/") || is(r, "end");
}

static int fields_take(struct reader *r, const char *name, const char *fields,
		       struct rte_flow_item *item, struct structures *s) {
	int ret = 0;

	while (ret == 0 && !item_ends(r)) {
		const char *words = fields;
		struct field field;
		char wanted[60];
		int i = 0;

		snprintf(wanted, sizeof(wanted), "expected a field of item '%s', or '/'", name);
		if (fields[0] != '@')
			i = choose(r, wanted, fields);
		if (i < 0)
			return i;
		while (i-- > 0)
			words = word_next(words);
		field = field_read(words);
		ret = parameter_take(r, &field, item, s);
	}
	return ret;
}

// Names of the rows of a table, each of which begins with one, as words.
static const char *names_of(struct ddp_arena *arena, const void *table, unsigned int n,
			    size_t size) {
	const char *words = "";

	for (unsigned int i = 0; i < n; i++)
		words = ddp_arena_printf(arena, "%s%s ", words,
					 *(const char *const *)((const char *)table + i * size));
	return words;
}

// The row of the item's message that is next, NULL with an error. The table does not end with such
// rows.
static const struct rule_item *message_take(struct reader *r, const struct rule_item *row) {
	const char *name = row->name, *words = "";

	if (strcmp(name, "ecpri") == 0 && expect(r, "common") < 0)
		return NULL;
	if (expect(r, "type") < 0)
		return NULL;
	for (; strcmp(row->name, name) == 0; row++) {
		if (take(r, row->message))
			return row;
		words = ddp_arena_printf(r->arena, "%s%s ", words, row->message);
	}
	unknown(r, "expected a type of message", words);
	return NULL;
}

static int values_take(struct reader *r, const struct rule_item *row, struct rte_flow_item *item) {
	struct structures *s = ddp_arena_alloc(r->arena, sizeof(*s));
	const char *fields = row->fields;

	if (row->message != NULL && !item_ends(r)) {
		struct field type;

		row = message_take(r, row);
		if (row == NULL)
			return -EINVAL;
		type = field_read(row->fields);
		number_set(&type, row->type, s->spec);
		prefix_set(&type, type.width, s->mask);
		item->spec = s->spec;
		item->mask = s->mask;
		fields = word_next(row->fields);
	}
	return fields_take(r, row->name, fields, item, s);
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
	struct rte_flow_item *item = item_append(r, RTE_FLOW_ITEM_TYPE_VOID);

	for (unsigned int i = 0; i < DIM(rule_items); i++)
		if (take(r, rule_items[i].name)) {
			item->type = ddp_rte_item_type(rule_items[i].name);
			return values_take(r, &rule_items[i], item);
		}
	return unknown(r, "expected an item of a pattern, or 'end'",
		       names_of(r->arena, rule_items, DIM(rule_items), sizeof(*rule_items)));
}

/* Actions */

// The bits from L3_PRE96 on.
#define RSS_ATTRIBUTES                                                                               \
	"l3-pre96 l3-pre64 l3-pre56 l3-pre48 l3-pre40 l3-pre32 l2-dst-only l2-src-only l4-dst-only " \
	"l4-src-only l3-dst-only l3-src-only "
static_assert(DDP_RSS_HF_L3_SRC_ONLY - DDP_RSS_HF_L3_PRE96 == 11, "all in a row");

static int type_take(struct reader *r, uint64_t *types) {
	int attribute = find(r, RSS_ATTRIBUTES);
	const char *wrong_name, *words = RSS_ATTRIBUTES;
	size_t wrong_len;
	uint64_t bits = 0;

	if (attribute >= 0) {
		bits = DDP_RSS_HF(L3_PRE96) << attribute;
	} else if (strchr(r->word, '+') != NULL ||
		   ddp_rss_hf_parse(r->word, &bits, &wrong_name, &wrong_len) < 0) {
		for (unsigned int bit = 64; bit-- > 0;)
			if (ddp_rss_hf_name(bit)[0] != '?')
				words = ddp_arena_printf(r->arena, "%s %s", ddp_rss_hf_name(bit),
							 words);
		return unknown(r, "expected an RSS type, or 'end'", words);
	}
	*types |= bits;
	word_read(r);
	return 0;
}

static int types_take(struct reader *r, struct rte_flow_action_rss *rss) {
	rss->types = 0;
	while (!is(r, "end"))
		if (type_take(r, &rss->types) < 0)
			return -EINVAL;
	return expect(r, "end");
}

static int queues_take(struct reader *r, struct rte_flow_action_rss *rss) {
	uint16_t *queues = NULL;
	unsigned int n = 0;
	uint64_t queue;

	while (!is(r, "end")) {
		if (number_take(r, UINT16_MAX, &queue) < 0)
			return -EINVAL;
		*DDP_APPEND(r->arena, queues, n) = queue;
	}
	rss->queue = queues;
	rss->queue_num = n;
	return expect(r, "end");
}

static int function_take(struct reader *r, struct rte_flow_action_rss *rss) {
	int i = choose(r, "expected a hash function",
		       "default toeplitz simple_xor symmetric_toeplitz symmetric_toeplitz_sort");

	static_assert(RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ_SORT == 4, "in their order");
	rss->func = i < 0 ? RTE_ETH_HASH_FUNCTION_DEFAULT : (enum rte_eth_hash_function)i;
	return i < 0 ? i : 0;
}

static int key_take(struct reader *r, struct rte_flow_action_rss *rss) {
	size_t len = strlen(r->word);
	uint8_t *key;

	if (len == 0 || len % 2 != 0 || strspn(r->word, "0123456789abcdefABCDEF") != len)
		return wrong(r, "expected a key of hexadecimal digits");
	key = ddp_arena_alloc(r->arena, len / 2);
	for (size_t i = 0; i < len / 2; i++)
		sscanf(r->word + 2 * i, "%2hhx", &key[i]);
	rss->key_len = len / 2;
	rss->key = key;
	word_read(r);
	return 0;
}

// What the text leaves to the port is as testpmd fills it in.
static void rss_default(struct reader *r, struct rte_flow_action_rss *rss) {
	uint16_t *queues;

	rss->types = r->port->rss_hf;
	rss->queue_num = r->port->n_queues < QUEUES_MAX ? r->port->n_queues : QUEUES_MAX;
	rss->queue = queues = ddp_arena_alloc(r->arena, QUEUES_MAX * sizeof(*queues));
	for (unsigned int i = 0; i < rss->queue_num; i++)
		queues[i] = i;
}

static int rss_take(struct reader *r, struct rte_flow_action *action) {
	struct rte_flow_action_rss *rss = ddp_arena_alloc(r->arena, sizeof(*rss));
	int ret = 0;

	rss_default(r, rss);
	action->conf = rss;
	while (ret == 0 && !item_ends(r)) {
		if (take(r, "func"))
			ret = function_take(r, rss);
		else if (take(r, "level"))
			ret = number32_take(r, &rss->level);
		else if (take(r, "types"))
			ret = types_take(r, rss);
		else if (take(r, "key"))
			ret = key_take(r, rss);
		else if (take(r, "key_len"))
			ret = number32_take(r, &rss->key_len);
		else if (take(r, "queues"))
			ret = queues_take(r, rss);
		else
			ret = unknown(r, "expected a word of action rss, or '/'",
				      "func level types key key_len queues");
	}
	return ret;
}

static const struct action {
	const char *name;
	enum rte_flow_action_type type;
	const char *word; // of the one number that it may have
	uint32_t max;
} actions[] = {
	{"rss", RTE_FLOW_ACTION_TYPE_RSS, NULL, 0},
	{"queue", RTE_FLOW_ACTION_TYPE_QUEUE, "index", UINT16_MAX},
	{"drop", RTE_FLOW_ACTION_TYPE_DROP, NULL, 0},
	{"passthru", RTE_FLOW_ACTION_TYPE_PASSTHRU, NULL, 0},
	{"mark", RTE_FLOW_ACTION_TYPE_MARK, "id", UINT32_MAX},
	{"flag", RTE_FLOW_ACTION_TYPE_FLAG, NULL, 0},
	{"count", RTE_FLOW_ACTION_TYPE_COUNT, "identifier", UINT32_MAX},
	{"void", RTE_FLOW_ACTION_TYPE_VOID, NULL, 0},
};

static int conf_take(struct reader *r, const struct action *kind, struct rte_flow_action *action) {
	union {
		struct rte_flow_action_queue queue;
		uint32_t id; // all of a mark's and a count's
	} *conf = ddp_arena_alloc(r->arena, sizeof(*conf));
	uint64_t number;

	action->conf = conf;
	while (!item_ends(r)) {
		if (expect(r, kind->word) < 0 || number_take(r, kind->max, &number) < 0)
			return -EINVAL;
		if (kind->type == RTE_FLOW_ACTION_TYPE_QUEUE)
			conf->queue.index = number;
		else
			conf->id = number;
	}
	return 0;
}

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
	struct rte_flow_action *action = action_append(r, RTE_FLOW_ACTION_TYPE_VOID);

	for (unsigned int i = 0; i < DIM(actions); i++)
		if (take(r, actions[i].name)) {
			action->type = actions[i].type;
			if (action->type == RTE_FLOW_ACTION_TYPE_RSS)
				return rss_take(r, action);
			return actions[i].word == NULL ? 0 : conf_take(r, &actions[i], action);
		}
	return unknown(r, "expected an action, or 'end'",
		       names_of(r->arena, actions, DIM(actions), sizeof(*actions)));
}

/* Commands */

static int attributes_take(struct reader *r, struct rte_flow_attr *attr) {
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
			ret = unknown(r, "expected an attribute, or 'pattern'",
				      "ingress egress transfer group priority pattern");
	}
	return ret;
}

// What the word begins, up to "end", which stays.
static int list_take(struct reader *r, const char *word, int (*one_take)(struct reader *r)) {
	int ret = expect(r, word);

	while (ret == 0 && !is(r, "end")) {
		ret = one_take(r);
		if (ret == 0)
			ret = expect(r, "/");
	}
	return ret;
}

// is_short: from behind "flow create 0" on, where a rule for packets received is meant.
static enum rule_line rule_take(struct reader *r, bool is_short) {
	struct rte_flow_attr *attr = &r->rule->attr;

	if (attributes_take(r, attr) < 0)
		return RULE_LINE_BAD;
	if (is_short && !attr->egress && !attr->transfer)
		attr->ingress = 1;
	if (list_take(r, "pattern", item_take) < 0)
		return RULE_LINE_BAD;
	item_append(r, RTE_FLOW_ITEM_TYPE_END);
	word_read(r);
	if (list_take(r, "actions", action_take) < 0)
		return RULE_LINE_BAD;
	action_append(r, RTE_FLOW_ACTION_TYPE_END);
	word_read(r);
	if (r->word[0] == '\0')
		return RULE_LINE_RULE;
	ddp_error(r->diag, &r->word_place, "a rule ends before '%s'", r->word);
	return RULE_LINE_BAD;
}

// What only shows rules may be among those that make them; what takes some away again may not.
static enum rule_line flow_take(struct reader *r) {
	uint64_t port;
	int i = choose(r, "of testpmd's flow commands only create is read",
		       "create validate list query dump");

	if (i > 1)
		return RULE_LINE_OTHER;
	r->rule->validated = i == 1;
	if (i < 0 || number_take(r, UINT16_MAX, &port) < 0)
		return RULE_LINE_BAD;
	return rule_take(r, false);
}

#define BEGINS "pattern ingress egress transfer priority group "
// Commands of testpmd that have nothing to do with rules.
#define OTHERS                                                                                   \
	"add clear csum ddp dump_socket_mem help load mac_addr mcast_addr port ptype quit read " \
	"rx_vlan set show start stop tso tunnel_filter tx_vlan vlan write"

enum rule_line rule_parse(const char *line, size_t len, const struct ddp_place *place,
			  const struct steer_config *port, struct ddp_arena *arena,
			  struct rule_text *rule, struct ddp_diag *diag) {
	struct reader r = {
		.at = line,
		.begin = line,
		.end = line + len,
		.place = *place,
		.port = port,
		.arena = arena,
		.diag = diag,
		.rule = rule,
	};

	word_read(&r);
	rule->place = r.word_place;
	if (r.word[0] == '\0' || find(&r, OTHERS) >= 0)
		return RULE_LINE_OTHER;
	if (take(&r, "flow"))
		return flow_take(&r);
	if (find(&r, BEGINS) >= 0)
		return rule_take(&r, true);
	unknown(&r, "expected a rule ('flow create', 'pattern')", "flow " BEGINS OTHERS);
	return RULE_LINE_BAD;
}
