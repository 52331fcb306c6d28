/* SPDX-License-Identifier: BSD-3-Clause */
// A command is a list of words. Each function takes its words from the reader, and leaves the next
// one. A wrong word is reported with the expected ones and ends the command: the results of later
// functions are not used.
// The members of an rte_flow structure are a list of fields, name@bit:width, with bits counted from
// the most significant bit of the first byte, and a kind of value: m MAC address, a IP address, s
// on or off, f a word without a value, h a number in the host's byte order, p bytes of a packet; of
// action rss e hash function, t types, k key, q queues; else a number.
#include <arpa/inet.h>
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/ether.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dpdk_compat.h"
#include "base/rss_hf.h"
#include "base/rte_item.h"
#include "rule_text.h"

#define DIM(a) (sizeof(a) / sizeof((a)[0]))
#define WORD_MAX 2048       // bytes
#define NAMES_MAX 128       // words that are suggested from
#define RAW_PATTERN_MAX 512 // characters, as testpmd
#define QUEUES_MAX 128      // queues of an RSS action without any, as testpmd

#define NAME(name, ...) name " "
#define ROW(...) {__VA_ARGS__},

#define GTP "v_pt_rsv_flags@0:8 msg_type@8:8 teid@32:32"
#define PORTS "src@0:16 dst@16:16"
#define L2TP_L "length@16:16 tunnel_id@32:16 session_id@48:16"

// clang-format off
#define ITEMS(X) \
	X("eth", "dst@0:48m src@48:48m type@96:16 has_vlan@119:1") \
	X("vlan", "tci@0:16 pcp@0:3 dei@3:1 vid@4:12 inner_type@16:16 has_more_vlan@39:1") \
	X("arp_eth_ipv4", DPDK_ARP_FIELDS) \
	X("ipv4", "version_ihl@0:8 tos@8:8 packet_id@32:16 fragment_offset@48:16 ttl@64:8 " \
		  "proto@72:8 src@96:32a dst@128:32a") \
	X("ipv6", "tc@4:8 flow@12:20 proto@48:8 hop@56:8 src@64:128a dst@192:128a " \
		  "has_frag_ext@325:1") \
	X("ipv6_frag_ext", "next_hdr@0:8 frag_data@16:16 packet_id@32:32") \
	X("icmp", "type@0:8 code@8:8 ident@32:16 seq@48:16") \
	X("icmp6", "type@0:8 code@8:8") \
	X("udp", PORTS) \
	X("tcp", PORTS " flags@104:8") \
	X("sctp", PORTS " tag@32:32 cksum@64:32") \
	X("gtpu", GTP) \
	X("gtpc", GTP) \
	X("gtp", GTP) \
	X("gtp_psc", "qfi@18:6 pdu_t@8:4") \
	X("pfcp", "s_field@0:8 seid@64:64") \
	X("vxlan", "vni@32:24 last_rsvd@56:8") \
	X("vxlan-gpe", "vni@32:24") \
	X("geneve", "vni@32:24 protocol@16:16 optlen@2:6") \
	X("gre", "protocol@16:16 c_rsvd0_ver@0:16 c_bit@0:1s k_bit@2:1s s_bit@3:1s") \
	X("gre_key", "value@0:32") \
	X("nvgre", "tni@32:24") \
	X("mpls", "label@0:20 tc@20:3 s@23:1") \
	X("pppoes", "seid@16:16") \
	X("pppoed", "seid@16:16") \
	X("pppoe_proto_id", "@0:16") /* the item's name is the field */ \
	X("ppp", "addr@0:8 ctrl@8:8 proto_id@16:16h") \
	X("l2tpv2", "type") /* of a message, whose fields are in messages */ \
	X("l2tpv3oip", "session_id@0:32") \
	X("esp", "spi@0:32") \
	X("ah", "spi@32:32") \
	X("ecpri", "common") \
	X("void", "") \
	X("raw", "relative@7:1s search@6:1s offset@32:32h limit@64:16h pattern@128:64p")
static const struct {
	const char *name, *fields;
} items[] = {ITEMS(ROW)};
static const char item_names[] = ITEMS(NAME);
static_assert(offsetof(struct rte_flow_item_raw, offset) == 4, "as in the table");
static_assert(offsetof(struct rte_flow_item_raw, limit) == 8, "as in the table");

// Types of messages and their fields.
static const struct message {
	const char *item, *name;
	unsigned int at, width; // of the type, bits
	uint16_t type;
	const char *fields;
} messages[] = {
	{"l2tpv2", "data", 0, 16, 0x0002, "tunnel_id@16:16 session_id@32:16"},
	{"l2tpv2", "data_l", 0, 16, 0x4002, L2TP_L},
	{"l2tpv2", "data_s", 0, 16, 0x0802, "tunnel_id@16:16 session_id@32:16 ns@48:16 nr@64:16"},
	{"l2tpv2", "data_o", 0, 16, 0x0202, "tunnel_id@16:16 session_id@32:16 offset_size@48:16"},
	{"l2tpv2", "data_l_s", 0, 16, 0x4802, L2TP_L " ns@64:16 nr@80:16"},
	{"l2tpv2", "control", 0, 16, 0xc802, L2TP_L " ns@64:16 nr@80:16"},
	{"ecpri", "iq_data", 8, 8, 0, "pc_id@32:16"},
	{"ecpri", "rtc_ctrl", 8, 8, 2, "rtc_id@32:16"},
	{"ecpri", "delay_measure", 8, 8, 5, "msr_id@32:8"},
};

#define ACTIONS(X) \
	X("rss", "func@0:32e level@32:32h types@64:64t key@192:64k key_len@128:32h queues@256:64q", \
	  RTE_FLOW_ACTION_TYPE_RSS) \
	X("queue", "index@0:16h", RTE_FLOW_ACTION_TYPE_QUEUE) \
	X("drop", "", RTE_FLOW_ACTION_TYPE_DROP) \
	X("passthru", "", RTE_FLOW_ACTION_TYPE_PASSTHRU) \
	X("mark", "id@0:32h", RTE_FLOW_ACTION_TYPE_MARK) \
	X("flag", "", RTE_FLOW_ACTION_TYPE_FLAG) \
	X("count", "identifier@0:32h", RTE_FLOW_ACTION_TYPE_COUNT) \
	X("void", "", RTE_FLOW_ACTION_TYPE_VOID)
static const struct {
	const char *name, *fields;
	enum rte_flow_action_type type;
} actions[] = {ACTIONS(ROW)};
static const char action_names[] = ACTIONS(NAME);
static_assert(offsetof(struct rte_flow_action_rss, level) == 4, "as in the table");
static_assert(offsetof(struct rte_flow_action_rss, key_len) == 16, "as in the table");

#define HASH_FUNCTIONS "default toeplitz simple_xor symmetric_toeplitz symmetric_toeplitz_sort"
static_assert(RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ_SORT == 4, "in their order");
#define SWITCHES "0 1 false true no yes N Y off on"

#define ATTRIBUTES "ingress@71:1f egress@70:1f transfer@69:1f group@0:32h priority@32:32h pattern"
static_assert(offsetof(struct rte_flow_attr, priority) == 4, "as in the list");
// clang-format on

struct reader {
	const char *line, *at;
	struct ddp_place place; // of the line
	const struct steer_config *port;
	struct ddp_arena *arena;
	struct ddp_diag *diag;
	char word[WORD_MAX]; // the next one; "" at the end
	struct ddp_place word_place;
	struct rule_text *rule;
	bool bad; // a word was wrong
};

/* Words */

// As in testpmd, a '#' ends a command.
static void word_read(struct reader *r) {
	int len;

	r->at += strspn(r->at, " \t\r");
	if (*r->at == '#')
		r->at += strcspn(r->at, "\n");
	r->word_place = r->place;
	r->word_place.col += r->at - r->line;
	len = strcspn(r->at, " \t\r\n#");
	snprintf(r->word, sizeof(r->word), "%.*s", len, r->at);
	r->at += len;
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

// Words are separated by blanks and end before an '@'.
static size_t word_len(const char *words) {
	return strcspn(words, "@ ");
}

static const char *word_next(const char *words) {
	words += strcspn(words, " ");
	return words + strspn(words, " ");
}

// Report a wrong word; the nearest of words ("" for none) is suggested.
static void wrong(struct reader *r, const char *wanted, const char *words) {
	const char *names[NAMES_MAX], *near;
	unsigned int n = 0;

	if (r->bad)
		return;
	for (; *words != '\0' && n < NAMES_MAX; words = word_next(words))
		names[n++] = ddp_arena_strndup(r->arena, words, word_len(words));
	near = ddp_nearest(r->word, names, n);
	if (near != NULL)
		ddp_error(r->diag, &r->word_place, "%s, not '%s'; did you mean '%s'?", wanted,
			  r->word, near);
	else if (r->word[0] != '\0')
		ddp_error(r->diag, &r->word_place, "%s, not '%s'", wanted, r->word);
	else
		ddp_error(r->diag, &r->word_place, "%s, not the end of the line", wanted);
	r->bad = true;
	r->at = "";
	r->word[0] = '\0';
}

static void expect(struct reader *r, const char *word) {
	if (!take(r, word))
		wrong(r, ddp_arena_printf(r->arena, "expected '%s'", word), "");
}

// The index of the next word in words, -1: not found.
static int find(const struct reader *r, const char *words) {
	size_t len = strlen(r->word);

	for (int i = 0; *words != '\0'; i++, words = word_next(words))
		if (word_len(words) == len && memcmp(words, r->word, len) == 0)
			return i;
	return -1;
}

static unsigned int choose(struct reader *r, const char *wanted, const char *words) {
	int i = find(r, words);

	if (i < 0)
		wrong(r, wanted, words);
	else
		word_read(r);
	return i < 0 ? 0 : i;
}

/* Numbers */

// A number up to max, in C's notation.
static uint64_t number_take(struct reader *r, uint64_t max) {
	uint64_t number;
	char *end;

	errno = 0;
	number = strtoull(r->word, &end, 0);
	if (!isdigit((unsigned char)r->word[0]) || *end != '\0')
		wrong(r, "expected a number", "");
	else if (errno != 0 || number > max)
		wrong(r,
		      ddp_arena_printf(r->arena, "expected a number up to %llu",
				       (unsigned long long)max),
		      "");
	else
		word_read(r);
	return number;
}

struct field {
	unsigned int at, width; // bits; width 0: no field, but a message
	char kind;
};

// Bit i of a field is counted from its most significant one.
static void bit_set(const struct field *f, unsigned int i, bool value, uint8_t *structure) {
	unsigned int bit = f->at + (f->kind == 'h' ? f->width - 8 - i / 8 * 8 + i % 8 : i);
	uint8_t mask = 0x80 >> bit % 8;

	structure[bit / 8] = (structure[bit / 8] & ~mask) | (value ? mask : 0);
}

static void number_set(const struct field *f, uint64_t number, uint8_t *structure) {
	assert(f->width <= 64);
	for (unsigned int i = 0; i < f->width; i++)
		bit_set(f, i, number >> (f->width - 1 - i) & 1, structure);
}

static void prefix_set(const struct field *f, unsigned int n, uint8_t *structure) {
	for (unsigned int i = 0; i < f->width; i++)
		bit_set(f, i, i < n, structure);
}

/* Values of action rss */

// The bits from L3_PRE96 on.
#define ATTRIBUTE(name, bit, testpmd) testpmd " "
#define RSS_ATTRIBUTES DDP_RSS_HF_ATTRIBUTES(ATTRIBUTE)
static_assert(DDP_RSS_HF_L3_SRC_ONLY - DDP_RSS_HF_L3_PRE96 == 11, "all in a row");

static void type_take(struct reader *r, uint64_t *types) {
	int attribute = find(r, RSS_ATTRIBUTES);
	const char *unknown, *words = RSS_ATTRIBUTES;
	size_t unknown_len;
	uint64_t bits = 0;

	if (attribute >= 0) {
		bits = DDP_RSS_HF(L3_PRE96) << attribute;
	} else if (strchr(r->word, '+') != NULL ||
		   ddp_rss_hf_parse(r->word, &bits, &unknown, &unknown_len) < 0) {
		for (unsigned int bit = 64; bit-- > 0;)
			if (ddp_rss_hf_name(bit)[0] != '?')
				words = ddp_arena_printf(r->arena, "%s %s", ddp_rss_hf_name(bit),
							 words);
		wrong(r, "expected an RSS type, or 'end'", words);
	}
	*types |= bits;
	word_read(r);
}

static void types_take(struct reader *r, struct rte_flow_action_rss *rss) {
	rss->types = 0;
	while (!r->bad && !take(r, "end"))
		type_take(r, &rss->types);
}

static void queues_take(struct reader *r, struct rte_flow_action_rss *rss) {
	uint16_t *queues = NULL;

	rss->queue_num = 0;
	while (!r->bad && !take(r, "end"))
		*DDP_APPEND(r->arena, queues, rss->queue_num) = number_take(r, UINT16_MAX);
	rss->queue = queues;
}

static void key_take(struct reader *r, struct rte_flow_action_rss *rss) {
	size_t len = strlen(r->word);
	uint8_t *key = ddp_arena_alloc(r->arena, len / 2 + 1);

	if (len == 0 || len % 2 != 0 || strspn(r->word, "0123456789abcdefABCDEF") != len)
		wrong(r, "expected a key of hexadecimal digits", "");
	for (size_t i = 0; i < len / 2; i++)
		sscanf(r->word + 2 * i, "%2hhx", &key[i]);
	rss->key_len = len / 2;
	rss->key = key;
	word_read(r);
}

/* Values */

static void mac_take(struct reader *r, uint8_t *mac) {
	if (ether_aton_r(r->word, (struct ether_addr *)mac) == NULL)
		wrong(r, "expected a MAC address", "");
	word_read(r);
}

static void address_take(struct reader *r, int family, uint8_t *address) {
	if (inet_pton(family, r->word, address) != 1)
		wrong(r,
		      family == AF_INET ? "expected an IPv4 address" : "expected an IPv6 address",
		      "");
	word_read(r);
}

static void raw_take(struct reader *r, struct rte_flow_item_raw *raw) {
	size_t len = strlen(r->word);

	if (len == 0)
		wrong(r, "expected the bytes of a packet", "");
	if (len > RAW_PATTERN_MAX)
		wrong(r, "expected 512 digits at most", "");
	raw->pattern = (const uint8_t *)ddp_arena_strdup(r->arena, r->word);
	raw->length = len;
	word_read(r);
}

static void value_take(struct reader *r, const struct field *f, void *structure) {
	uint8_t *at = (uint8_t *)structure + f->at / 8;

	if (f->kind == 'm')
		mac_take(r, at);
	else if (f->kind == 'p')
		raw_take(r, structure);
	else if (f->kind == 't')
		types_take(r, structure);
	else if (f->kind == 'k')
		key_take(r, structure);
	else if (f->kind == 'q')
		queues_take(r, structure);
	else if (f->kind == 'a' && f->width == 128)
		address_take(r, AF_INET6, at);
	else if (f->kind == 'a' &&
		 (strpbrk(r->word, ".:") != NULL || !isdigit((unsigned char)r->word[0])))
		address_take(r, AF_INET, at);
	else if (f->kind == 'e')
		*(enum rte_eth_hash_function *)structure =
			choose(r, "expected a hash function", HASH_FUNCTIONS);
	else if (f->kind == 's')
		number_set(f, choose(r, "expected on or off", SWITCHES) & 1, structure);
	else if (f->kind == 'f')
		number_set(f, 1, structure);
	else
		number_set(f, number_take(r, UINT64_MAX >> (64 - f->width)), structure);
}

/* Fields */

static struct field field_take(struct reader *r, const char *wanted, const char *fields) {
	struct field field = {.kind = ' '};
	unsigned int i = 0;

	if (*word_next(fields) == '\0')
		wanted = ddp_arena_printf(r->arena, "expected '%.*s'", (int)word_len(fields),
					  fields);
	if (fields[0] != '@')
		i = choose(r, wanted, fields);
	while (i-- > 0)
		fields = word_next(fields);
	sscanf(fields + word_len(fields), "@%u:%u%c", &field.at, &field.width, &field.kind);
	return field;
}

// The structures of an item.
struct structures {
	uint8_t spec[DDP_RTE_ITEM_SIZE], last[DDP_RTE_ITEM_SIZE], mask[DDP_RTE_ITEM_SIZE];
} __attribute__((aligned(8)));

static void parameter_take(struct reader *r, const struct field *f, struct rte_flow_item *item,
			   struct structures *s) {
	const char how = r->word[0];

	if (f->kind == 'p')
		choose(r, "expected spec or mask", "spec mask");
	else
		choose(r, "expected is, spec, last, mask or prefix", "is spec last mask prefix");
	if (how == 'i' || how == 's')
		item->spec = s->spec;
	if (how == 'i' || how == 'm' || how == 'p')
		item->mask = s->mask;
	if (how == 'i')
		prefix_set(f, f->width, s->mask);
	if (how == 'l')
		item->last = s->last;
	if (how == 'p')
		prefix_set(f, number_take(r, f->width), s->mask);
	else
		value_take(r, f, how == 'm' ? s->mask : how == 'l' ? s->last : s->spec);
}

// Take the type of an item's message. Returns the fields of the message.
static const char *message_take(struct reader *r, const char *name, struct rte_flow_item *item,
				struct structures *s) {
	const char *words = "";

	if (strcmp(name, "ecpri") == 0)
		expect(r, "type");
	for (const struct message *m = messages; m < messages + DIM(messages); m++) {
		struct field type = {m->at, m->width, ' '};

		if (strcmp(m->item, name) != 0)
			continue;
		words = ddp_arena_printf(r->arena, "%s%s ", words, m->name);
		if (!take(r, m->name))
			continue;
		number_set(&type, m->type, s->spec);
		prefix_set(&type, type.width, s->mask);
		item->spec = s->spec;
		item->mask = s->mask;
		return m->fields;
	}
	wrong(r, "expected a type of message", words);
	return "";
}

static bool item_ends(const struct reader *r) {
	return r->word[0] == '\0' || is(r, "/") || is(r, "end");
}

static void item_take(struct reader *r) {
	struct rte_flow_item *item = DDP_APPEND(r->arena, r->rule->items, r->rule->n_items);
	struct structures *s = ddp_arena_alloc(r->arena, sizeof(*s));
	unsigned int i = choose(r, "expected an item of a pattern, or 'end'", item_names);
	const char *fields = items[i].fields, *wanted;

	assert(i < DIM(items));
	item->type = ddp_rte_item_type(items[i].name);
	wanted = ddp_arena_printf(r->arena, "expected a field of item '%s', or '/'", items[i].name);
	while (fields[0] != '\0' && !item_ends(r)) {
		struct field field = field_take(r, wanted, fields);

		if (field.width == 0)
			fields = message_take(r, items[i].name, item, s);
		else
			parameter_take(r, &field, item, s);
	}
}

/* Actions */

static void action_take(struct reader *r) {
	struct rte_flow_action *action = DDP_APPEND(r->arena, r->rule->actions, r->rule->n_actions);
	unsigned int i = choose(r, "expected an action, or 'end'", action_names);
	struct rte_flow_action_rss *conf; // the largest
	const char *fields = actions[i].fields;
	uint16_t *queues = NULL;

	assert(i < DIM(actions));
	action->type = actions[i].type;
	if (fields[0] == '\0')
		return;
	action->conf = conf = ddp_arena_alloc(r->arena, sizeof(*conf));
	if (action->type == RTE_FLOW_ACTION_TYPE_RSS) { // defaults as in testpmd
		conf->types = r->port->rss_hf;
		for (unsigned int q = 0; q < r->port->n_queues && q < QUEUES_MAX; q++)
			*DDP_APPEND(r->arena, queues, conf->queue_num) = q;
		conf->queue = queues;
	}
	while (!item_ends(r)) {
		struct field field = field_take(r, "expected a word of action rss, or '/'", fields);

		value_take(r, &field, conf);
	}
}

/* Commands */

static void place_append(struct reader *r) {
	*DDP_APPEND(r->arena, r->rule->places, r->rule->n_places) = r->word_place;
}

static void list_take(struct reader *r, const char *word, void (*one_take)(struct reader *r)) {
	expect(r, word);
	while (!r->bad && !is(r, "end")) {
		place_append(r);
		one_take(r);
		expect(r, "/");
	}
	place_append(r);
	word_read(r);
}

// Take a rule after "flow create 0".
static void rule_take(struct reader *r) {
	while (!r->bad && !is(r, "pattern")) {
		struct field field =
			field_take(r, "expected an attribute, or 'pattern'", ATTRIBUTES);

		value_take(r, &field, &r->rule->attr);
	}
	list_take(r, "pattern", item_take);
	(void)DDP_APPEND(r->arena, r->rule->items, r->rule->n_items);
	list_take(r, "actions", action_take);
	(void)DDP_APPEND(r->arena, r->rule->actions, r->rule->n_actions);
	if (r->bad || r->word[0] == '\0')
		return;
	ddp_error(r->diag, &r->word_place, "a rule ends before '%s'", r->word);
	r->bad = true;
}

// Other commands of testpmd, which are ignored.
#define OTHERS                                                                                   \
	"add clear csum ddp dump_socket_mem help load mac_addr mcast_addr port ptype quit read " \
	"rx_vlan set show start stop tso tunnel_filter tx_vlan vlan write"

bool rule_parse(const char *line, const struct ddp_place *place, const struct steer_config *port,
		struct ddp_arena *arena, struct rule_text *rule, struct ddp_diag *diag) {
	struct reader r = {
		.line = line,
		.at = line,
		.place = *place,
		.port = port,
		.arena = arena,
		.diag = diag,
		.rule = rule,
	};

	word_read(&r);
	rule->place = r.word_place;
	if (r.word[0] == '\0' || find(&r, OTHERS) >= 0)
		return false;
	if (take(&r, "flow")) {
		// Commands that show rules are ignored; those that destroy rules are errors.
		if (choose(&r, "of testpmd's flow commands only create is read",
			   "create validate list query dump") > 0)
			return false;
		number_take(&r, UINT16_MAX); // the port
		rule_take(&r);
		return !r.bad;
	}
	if (find(&r, ATTRIBUTES) < 0)
		wrong(&r, "expected a rule ('flow create', 'pattern')",
		      "flow " ATTRIBUTES " " OTHERS);
	rule_take(&r);
	rule->attr.ingress |= !rule->attr.egress && !rule->attr.transfer;
	return !r.bad;
}
