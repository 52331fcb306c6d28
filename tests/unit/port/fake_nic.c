/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake_nic.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_malloc.h>

// Of all of them: what decides on hashes is changed while other threads receive.
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

struct fake_rule {
	bool pppoe, psc;
	unsigned int outer, inner;      // versions of IP; 0: none
	enum rte_flow_item_type tunnel; // VOID: none; IPV4: IP in IP
	uint32_t l4;                    // RTE_PTYPE_L4_*; 0: none
	int pdu_type;                   // -1: any
	uint64_t types;
	bool raw;
	struct parsed of;
	unsigned int n;
	uint8_t mask[256];
};

static bool next_is(const struct rte_flow_item **item, enum rte_flow_item_type type) {
	if ((*item)->type != type)
		return false;
	++*item;
	return true;
}

static unsigned int ip_next(const struct rte_flow_item **item) {
	return next_is(item, RTE_FLOW_ITEM_TYPE_IPV4) ? 4 :
	       next_is(item, RTE_FLOW_ITEM_TYPE_IPV6) ? 6 :
							0;
}

static bool is_in_udp(enum rte_flow_item_type type) {
	return type == RTE_FLOW_ITEM_TYPE_GTP || type == RTE_FLOW_ITEM_TYPE_GTPU ||
	       type == RTE_FLOW_ITEM_TYPE_VXLAN || type == RTE_FLOW_ITEM_TYPE_GENEVE;
}

static void tunnel_read(const struct rte_flow_item **item, struct fake_rule *rule) {
	if ((*item)->type == RTE_FLOW_ITEM_TYPE_UDP && is_in_udp((*item)[1].type))
		++*item;
	else if ((*item)->type == RTE_FLOW_ITEM_TYPE_UDP)
		return;
	rule->tunnel = (*item)->type;
	if (is_in_udp(rule->tunnel) || rule->tunnel == RTE_FLOW_ITEM_TYPE_GRE ||
	    rule->tunnel == RTE_FLOW_ITEM_TYPE_NVGRE)
		++*item;
	else
		rule->tunnel = RTE_FLOW_ITEM_TYPE_VOID;
	if (rule->tunnel == RTE_FLOW_ITEM_TYPE_GTPU &&
	    (*item)->type == RTE_FLOW_ITEM_TYPE_GTP_PSC) {
		const struct rte_flow_item_gtp_psc *psc = (*item)++->spec;

		rule->psc = true;
		rule->pdu_type = psc != NULL ? psc->hdr.type : -1;
	}
	rule->inner = ip_next(item);
	if (rule->inner != 0 && rule->tunnel == RTE_FLOW_ITEM_TYPE_VOID)
		rule->tunnel = RTE_FLOW_ITEM_TYPE_IPV4;
}

static uint32_t l4_next(const struct rte_flow_item **item) {
	return next_is(item, RTE_FLOW_ITEM_TYPE_UDP)  ? RTE_PTYPE_L4_UDP :
	       next_is(item, RTE_FLOW_ITEM_TYPE_TCP)  ? RTE_PTYPE_L4_TCP :
	       next_is(item, RTE_FLOW_ITEM_TYPE_SCTP) ? RTE_PTYPE_L4_SCTP :
							0;
}

static bool pattern_is_accepted(enum fake_nic_kind kind, const struct fake_rule *rule) {
	const bool tunnel = rule->tunnel != RTE_FLOW_ITEM_TYPE_VOID;
	const bool sctp = rule->l4 == RTE_PTYPE_L4_SCTP;

	if (kind == FAKE_NIC_I40E || rule->outer == 0)
		return false;
	if (kind == FAKE_NIC_MLX5)
		return tunnel && rule->tunnel != RTE_FLOW_ITEM_TYPE_GTPU && !rule->pppoe &&
		       rule->l4 == 0 &&
		       (rule->inner != 0) == (rule->tunnel == RTE_FLOW_ITEM_TYPE_IPV4);
	if (rule->pppoe)
		return kind != FAKE_NIC_IAVF && !tunnel && !sctp;
	return !tunnel || (rule->inner != 0 && !sctp &&
			   (rule->tunnel == RTE_FLOW_ITEM_TYPE_GTPU ||
			    (rule->tunnel == RTE_FLOW_ITEM_TYPE_GRE && kind == FAKE_NIC_IAVF)));
}

static uint64_t l4_type(unsigned int version, uint32_t l4) {
	switch (l4) {
	case RTE_PTYPE_L4_UDP:
		return version == 4 ? RTE_ETH_RSS_NONFRAG_IPV4_UDP : RTE_ETH_RSS_NONFRAG_IPV6_UDP;
	case RTE_PTYPE_L4_TCP:
		return version == 4 ? RTE_ETH_RSS_NONFRAG_IPV4_TCP : RTE_ETH_RSS_NONFRAG_IPV6_TCP;
	case RTE_PTYPE_L4_SCTP:
		return version == 4 ? RTE_ETH_RSS_NONFRAG_IPV4_SCTP : RTE_ETH_RSS_NONFRAG_IPV6_SCTP;
	default:
		return 0;
	}
}

static uint64_t rule_l4_type(const struct fake_rule *rule) {
	return l4_type(rule->inner != 0 ? rule->inner : rule->outer, rule->l4);
}

#define L3_ONLY (RTE_ETH_RSS_L3_SRC_ONLY | RTE_ETH_RSS_L3_DST_ONLY)
#define L4_ONLY (RTE_ETH_RSS_L4_SRC_ONLY | RTE_ETH_RSS_L4_DST_ONLY)
#define PREFIX (RTE_ETH_RSS_L3_PRE32 | RTE_ETH_RSS_L3_PRE48 | RTE_ETH_RSS_L3_PRE64)

static bool types_are_accepted(const struct fake_rule *rule) {
	const bool v6 = (rule->inner != 0 ? rule->inner : rule->outer) == 6;
	const uint64_t ip = v6 ? RTE_ETH_RSS_IPV6 : RTE_ETH_RSS_IPV4, l4 = rule_l4_type(rule);
	const bool gtpu = rule->tunnel == RTE_FLOW_ITEM_TYPE_GTPU;
	const uint64_t allowed = ip | l4 | (gtpu ? RTE_ETH_RSS_GTPU : 0), types = rule->types;

	if (types == 0 || (types & ~(allowed | L3_ONLY | L4_ONLY | PREFIX)) != 0)
		return false;
	if ((types & ip) != 0 && (types & l4) != 0)
		return false;
	if ((types & L3_ONLY) != 0 && (types & (ip | l4)) == 0)
		return false;
	if ((types & L4_ONLY) != 0 && (types & l4) == 0)
		return false;
	return (types & PREFIX) == 0 || (v6 && (types & (ip | l4)) != 0);
}

static bool hex_read(const struct rte_flow_item_raw *raw, uint8_t *bytes, unsigned int *n) {
	const char *text = (const char *)raw->pattern;

	*n = strlen(text) / 2;
	if (strlen(text) % 2 != 0 || *n > 256 || strspn(text, "0123456789abcdefABCDEF") != 2 * *n)
		return false;
	for (unsigned int i = 0; i < *n; i++)
		if (sscanf(&text[2 * i], "%2hhx", &bytes[i]) != 1)
			return false;
	return true;
}

static bool raw_read(const struct fake_nic *nic, const struct rte_flow_item *item,
		     struct fake_rule *rule) {
	uint8_t spec[256] = {0};
	unsigned int n;

	rule->raw = true;
	if (nic->no_raw || item->spec == NULL || item->mask == NULL ||
	    !hex_read(item->spec, spec, &rule->n) || !hex_read(item->mask, rule->mask, &n) ||
	    n != rule->n || item[1].type != RTE_FLOW_ITEM_TYPE_END)
		return false;
	fake_parse(nic, spec, n, &rule->of);
	return rule->of.outer.version != 0 && rule->of.ptype != 0;
}

static bool items_read(const struct fake_nic *nic, const struct rte_flow_item *item,
		       struct fake_rule *rule) {
	rule->pdu_type = -1;
	if (item->type == RTE_FLOW_ITEM_TYPE_RAW)
		return raw_read(nic, item, rule);
	for (const struct rte_flow_item *at = item; at->type != RTE_FLOW_ITEM_TYPE_END; at++)
		if (at->spec != NULL && at->type != RTE_FLOW_ITEM_TYPE_GTP_PSC)
			return false;
	if (!next_is(&item, RTE_FLOW_ITEM_TYPE_ETH))
		return false;
	rule->pppoe = next_is(&item, RTE_FLOW_ITEM_TYPE_PPPOES);
	rule->outer = ip_next(&item);
	tunnel_read(&item, rule);
	rule->l4 = l4_next(&item);
	return item->type == RTE_FLOW_ITEM_TYPE_END && pattern_is_accepted(nic->kind, rule);
}

static int refuse(struct rte_flow_error *error, const char *reason) {
	return rte_flow_error_set(error, EINVAL, RTE_FLOW_ERROR_TYPE_ITEM, NULL, reason);
}

static int rule_read(const struct fake_nic *nic, const struct rte_flow_item *items,
		     const struct rte_flow_action *actions, struct fake_rule *rule,
		     struct rte_flow_error *error) {
	const struct rte_flow_action_rss *rss = actions[0].conf;

	memset(rule, 0, sizeof(*rule));
	if (!items_read(nic, items, rule))
		return refuse(error, "pattern not supported");
	if (nic->kind == FAKE_NIC_MLX5) { // takes RSS rules with queues only
		if (actions[0].type != RTE_FLOW_ACTION_TYPE_RSS || rss->level != 2 ||
		    rss->queue_num == 0)
			return refuse(error, "action not supported");
		rule->types = rss->types;
		return 0;
	}
	if (actions[0].type != RTE_FLOW_ACTION_TYPE_RSS ||
	    actions[1].type != RTE_FLOW_ACTION_TYPE_END || rss->level != 0 || rss->key_len != 0 ||
	    rss->queue_num != 0 ||
	    (rss->func != RTE_ETH_HASH_FUNCTION_DEFAULT &&
	     rss->func != RTE_ETH_HASH_FUNCTION_TOEPLITZ))
		return refuse(error, "action not supported");
	rule->types = rss->types;
	if (!rule->raw && !types_are_accepted(rule))
		return refuse(error, "RSS type not supported");
	return 0;
}

int fake_nic_validate(const struct fake_nic *nic, const struct rte_flow_item *items,
		      const struct rte_flow_action *actions, struct rte_flow_error *error) {
	struct fake_rule rule;

	return rule_read(nic, items, actions, &rule, error);
}

struct rte_flow *fake_nic_create(struct fake_nic *nic, const struct rte_flow_item *items,
				 const struct rte_flow_action *actions,
				 struct rte_flow_error *error) {
	// Not from malloc(): a test that makes ours fail does not mean the fake driver's.
	struct fake_rule *rule = rte_malloc(NULL, sizeof(*rule), 0);

	if (rule_read(nic, items, actions, rule, error) < 0 || nic->n_rules == FAKE_NIC_RULES ||
	    nic->n_created + 1 == nic->fail_at) {
		refuse(error, "no resources");
		nic->n_refused++;
		nic->fail_at = 0;
		rte_free(rule);
		return NULL;
	}
	nic->n_created++;
	pthread_rwlock_wrlock(&lock);
	nic->rules[nic->n_rules++] = rule;
	pthread_rwlock_unlock(&lock);
	return (struct rte_flow *)rule;
}

int fake_nic_destroy(struct fake_nic *nic, struct rte_flow *flow, struct rte_flow_error *error) {
	for (unsigned int i = 0; i < nic->n_rules; i++) {
		if ((struct rte_flow *)nic->rules[i] != flow)
			continue;
		pthread_rwlock_wrlock(&lock);
		rte_free(nic->rules[i]);
		nic->n_rules--;
		memmove(&nic->rules[i], &nic->rules[i + 1],
			(nic->n_rules - i) * sizeof(nic->rules[0]));
		pthread_rwlock_unlock(&lock);
		nic->n_destroyed++;
		return 0;
	}
	return rte_flow_error_set(error, ENOENT, RTE_FLOW_ERROR_TYPE_HANDLE, NULL, "no such rule");
}

struct input {
	uint8_t bytes[64];
	unsigned int n;
};

static void take(struct input *input, const uint8_t *bytes, unsigned int n) {
	memcpy(&input->bytes[input->n], bytes, n);
	input->n += n;
}

// One bit after the other, as the definition has it.
static uint32_t toeplitz(const uint8_t *key, const struct input *input) {
	uint32_t hash = 0, window = (uint32_t)key[0] << 24 | key[1] << 16 | key[2] << 8 | key[3];

	for (unsigned int i = 0; i < 8 * input->n; i++) {
		if ((input->bytes[i / 8] >> (7 - i % 8) & 1) != 0)
			hash ^= window;
		window = window << 1 | (key[4 + i / 8] >> (7 - i % 8) & 1);
	}
	return hash;
}

static const struct layer3 *innermost(const struct parsed *p) {
	return p->inner.version != 0 ? &p->inner : &p->outer;
}

static void addresses_take(struct input *input, const uint8_t *bytes, const struct layer3 *ip,
			   uint64_t types) {
	unsigned int n = ip->version == 4             ? 4 :
			 types & RTE_ETH_RSS_L3_PRE32 ? 4 :
			 types & RTE_ETH_RSS_L3_PRE48 ? 6 :
			 types & RTE_ETH_RSS_L3_PRE64 ? 8 :
							16;
	unsigned int src = ip->version == 4 ? 12 : 8, dst = ip->version == 4 ? 16 : 24;

	if ((types & RTE_ETH_RSS_L3_DST_ONLY) == 0)
		take(input, &bytes[ip->off + src], n);
	if ((types & RTE_ETH_RSS_L3_SRC_ONLY) == 0)
		take(input, &bytes[ip->off + dst], n);
}

static void rule_input(const struct fake_rule *rule, const uint8_t *bytes, const struct parsed *p,
		       struct input *input) {
	const struct layer3 *ip = innermost(p);
	uint64_t l4 = rule_l4_type(rule), types = rule->types;
	uint64_t any = l4 | RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_IPV6;
	const uint8_t protocol[2] = {0, bytes[ip->off + (ip->version == 4 ? 9 : 6)]};

	if (l4 != 0)
		take(input, protocol, 2);
	if ((types & any) != 0 && ((types & L4_ONLY) == 0 || (types & L3_ONLY) != 0))
		addresses_take(input, bytes, ip, types);
	if (l4 != 0 && (types & l4) != 0 && ((types & L3_ONLY) == 0 || (types & L4_ONLY) != 0)) {
		if ((types & RTE_ETH_RSS_L4_DST_ONLY) == 0)
			take(input, &bytes[ip->l4_off], 2);
		if ((types & RTE_ETH_RSS_L4_SRC_ONLY) == 0)
			take(input, &bytes[ip->l4_off + 2], 2);
	}
	if ((types & RTE_ETH_RSS_GTPU) != 0)
		take(input, &bytes[p->gtpu_off + 4], 4);
}

// The place in a packet that another packet's byte is at, by the header that it is in. -1: nowhere.
static int place_of(const struct parsed *of, unsigned int byte, const struct parsed *p) {
	const struct {
		unsigned int from, to;
		bool there;
	} headers[] = {
		{of->inner.l4_off, p->inner.l4_off, of->inner.version != 0},
		{of->inner.off, p->inner.off, of->inner.version != 0},
		{of->gtpu_off, p->gtpu_off, of->gtpu},
		{of->outer.l4_off, p->outer.l4_off, of->outer.version != 0},
		{of->outer.off, p->outer.off, of->outer.version != 0},
	};

	for (unsigned int i = 0; i < RTE_DIM(headers); i++)
		if (headers[i].there && byte >= headers[i].from)
			return byte - headers[i].from + headers[i].to;
	return -1;
}

static void raw_input(const struct fake_rule *rule, const uint8_t *bytes, uint32_t len,
		      const struct parsed *p, struct input *input) {
	for (unsigned int i = 0; i < rule->n && input->n < 48; i++) {
		int at = place_of(&rule->of, i, p);

		if (rule->mask[i] == 0)
			continue;
		input->bytes[input->n++] =
			at >= 0 && (uint32_t)at < len ? bytes[at] & rule->mask[i] : 0;
	}
}

static enum rte_flow_item_type tunnel_of(const struct parsed *p) {
	if ((p->ptype & RTE_PTYPE_TUNNEL_MASK) != RTE_PTYPE_TUNNEL_GRENAT)
		return p->gtpu ? RTE_FLOW_ITEM_TYPE_GTP : RTE_FLOW_ITEM_TYPE_IPV4;
	if (p->outer.l4 == RTE_PTYPE_L4_UDP)
		return RTE_FLOW_ITEM_TYPE_VXLAN;
	return (p->ptype & RTE_PTYPE_INNER_L2_MASK) != 0 ? RTE_FLOW_ITEM_TYPE_NVGRE :
							   RTE_FLOW_ITEM_TYPE_GRE;
}

static bool level2_rule_matches(const struct fake_rule *rule, const struct parsed *p) {
	return p->inner.version != 0 && rule->outer == p->outer.version &&
	       rule->tunnel == tunnel_of(p) &&
	       (rule->inner == 0 || rule->inner == p->inner.version);
}

// Addresses, and the ports of TCP and UDP: outer ones, or by a rule of level 2 inner ones.
static void mlx5_input(const struct fake_nic *nic, const uint8_t *bytes, const struct parsed *p,
		       struct input *input) {
	const struct layer3 *ip = &p->outer;

	for (unsigned int i = 0; i < nic->n_rules; i++)
		if (level2_rule_matches(nic->rules[i], p))
			ip = &p->inner;
	addresses_take(input, bytes, ip, 0);
	if (ip->l4 == RTE_PTYPE_L4_UDP || ip->l4 == RTE_PTYPE_L4_TCP)
		take(input, &bytes[ip->l4_off], 4);
}

static bool tunnel_matches(const struct fake_rule *rule, const struct parsed *p) {
	if (p->gtpu)
		return rule->tunnel == RTE_FLOW_ITEM_TYPE_GTPU && rule->psc == p->psc &&
		       rule->inner == p->inner.version;
	if (p->inner.version != 0 && p->outer.l4 == RTE_PTYPE_L4_NONFRAG)
		return rule->tunnel == RTE_FLOW_ITEM_TYPE_GRE && rule->inner == p->inner.version;
	return rule->tunnel == RTE_FLOW_ITEM_TYPE_VOID;
}

static bool item_rule_matches(const struct fake_rule *rule, const struct parsed *p) {
	const struct layer3 *ip = innermost(p);

	if (rule->pppoe != p->pppoe || rule->outer != p->outer.version)
		return false;
	if (rule->tunnel == RTE_FLOW_ITEM_TYPE_VOID && rule->l4 == 0) // with any content
		return p->outer.l4 != RTE_PTYPE_L4_FRAG;
	return tunnel_matches(rule, p) && ip->l4 != RTE_PTYPE_L4_FRAG &&
	       (rule->pdu_type < 0 || rule->pdu_type == (int)p->pdu_type) &&
	       (rule->l4 == 0 || rule->l4 == ip->l4);
}

// Without a rule: outer addresses, and the innermost ports.
static void default_input(const struct fake_nic *nic, const uint8_t *bytes, const struct parsed *p,
			  struct input *input) {
	const struct layer3 *last = innermost(p);
	bool v4 = p->outer.version == 4;
	uint64_t l4 = l4_type(p->outer.version, last->l4);

	if ((nic->rss_hf & (l4 | (v4 ? RTE_ETH_RSS_IPV4 : RTE_ETH_RSS_IPV6))) == 0)
		return;
	addresses_take(input, bytes, &p->outer, 0);
	if ((nic->rss_hf & l4) != 0)
		take(input, &bytes[last->l4_off], 4);
}

static void hash_input(const struct fake_nic *nic, const uint8_t *bytes, uint32_t len,
		       const struct parsed *p, struct input *input) {
	if (nic->kind == FAKE_NIC_MLX5) {
		mlx5_input(nic, bytes, p, input);
		return;
	}
	for (unsigned int i = nic->n_rules; i-- > 0;) {
		const struct fake_rule *rule = nic->rules[i];

		if (rule->raw ? rule->of.ptype != p->ptype : !item_rule_matches(rule, p))
			continue;
		if (rule->raw)
			raw_input(rule, bytes, len, p, input);
		else
			rule_input(rule, bytes, p, input);
		return;
	}
	default_input(nic, bytes, p, input);
}

void fake_nic_receive(const struct fake_nic *nic, struct rte_mbuf *mbuf) {
	uint32_t len = rte_pktmbuf_data_len(mbuf); // a test's packets have one segment
	const uint8_t *bytes = rte_pktmbuf_mtod(mbuf, const uint8_t *);
	struct input input = {0};
	struct parsed p;

	pthread_rwlock_rdlock(&lock);
	fake_parse(nic, bytes, len, &p);
	mbuf->hash.rss = 0;
	if (!p.bad && p.gtpu && nic->kind == FAKE_NIC_I40E)
		input.n = nic->extension->gtpu(bytes, &p, nic->rss_hf, input.bytes);
	else if (!p.bad && p.outer.version != 0)
		hash_input(nic, bytes, len, &p, &input);
	mbuf->packet_type = p.ptype;
	if (nic->mistakes_tcp && (p.ptype & RTE_PTYPE_L4_MASK) == RTE_PTYPE_L4_TCP)
		mbuf->packet_type = (p.ptype & ~RTE_PTYPE_L4_MASK) | RTE_PTYPE_L4_UDP;
	if (input.n > 0) {
		mbuf->hash.rss = toeplitz(nic->key, &input);
		mbuf->ol_flags |= RTE_MBUF_F_RX_RSS_HASH;
	}
	if (nic->garbles_udp && (p.ptype & RTE_PTYPE_L4_MASK) == RTE_PTYPE_L4_UDP)
		mbuf->hash.rss ^= 0x1234567;
	pthread_rwlock_unlock(&lock);
}

void fake_nic_init(struct fake_nic *nic, enum fake_nic_kind kind) {
	memset(nic, 0, sizeof(*nic));
	nic->kind = kind;
}

void fake_nic_fini(struct fake_nic *nic) {
	while (nic->n_rules > 0)
		rte_free(nic->rules[--nic->n_rules]);
}

void fake_nic_info(const struct fake_nic *nic, struct rte_eth_dev_info *info) {
	info->rx_offload_capa |= RTE_ETH_RX_OFFLOAD_RSS_HASH;
	info->hash_key_size = sizeof(nic->key);
	info->reta_size = FAKE_NIC_RETA;
	info->flow_type_rss_offloads =
		RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_SCTP;
	if (nic->extension != NULL)
		info->flow_type_rss_offloads |= nic->extension->flow_types();
}

int fake_nic_rss(struct fake_nic *nic, const struct rte_eth_rss_conf *conf) {
	// net_i40e turns RSS neither on nor off once the port is configured.
	if (nic->no_rss ||
	    (nic->kind == FAKE_NIC_I40E && (nic->rss_hf == 0 || conf->rss_hf == 0)) ||
	    (conf->rss_key != NULL && conf->rss_key_len != sizeof(nic->key)))
		return -EINVAL;
	pthread_rwlock_wrlock(&lock);
	if (conf->rss_key != NULL)
		memcpy(nic->key, conf->rss_key, sizeof(nic->key));
	nic->rss_hf = conf->rss_hf;
	pthread_rwlock_unlock(&lock);
	return 0;
}

int fake_nic_reta_update(struct fake_nic *nic, const struct rte_eth_rss_reta_entry64 *reta,
			 unsigned int n) {
	if (n != FAKE_NIC_RETA)
		return -EINVAL;
	for (unsigned int i = 0; i < n && !nic->keeps_reta; i++)
		if (reta[i / 64].mask >> i % 64 & 1)
			nic->reta[i] = reta[i / 64].reta[i % 64];
	return 0;
}

int fake_nic_reta_query(const struct fake_nic *nic, struct rte_eth_rss_reta_entry64 *reta,
			unsigned int n) {
	if (n != FAKE_NIC_RETA || nic->hides_reta)
		return -EINVAL;
	for (unsigned int i = 0; i < n; i++)
		reta[i / 64].reta[i % 64] = nic->reta[i];
	return 0;
}

uint16_t fake_nic_queue(const struct fake_nic *nic, const struct rte_mbuf *mbuf) {
	if ((mbuf->ol_flags & RTE_MBUF_F_RX_RSS_HASH) == 0)
		return 0;
	return nic->reta[mbuf->hash.rss % FAKE_NIC_RETA];
}

int fake_nic_tunnel(struct fake_nic *nic, const struct rte_eth_udp_tunnel *tunnel, bool add) {
	int at = fake_vxlan_port_find(nic, add ? 0 : tunnel->udp_port);

	if (nic->kind == FAKE_NIC_IAVF || nic->kind == FAKE_NIC_I40E ||
	    tunnel->prot_type != RTE_ETH_TUNNEL_TYPE_VXLAN)
		return -ENOTSUP;
	if (at < 0)
		return -EINVAL;
	nic->vxlan_ports[at] = add ? tunnel->udp_port : 0;
	return 0;
}
