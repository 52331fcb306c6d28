/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulation.h"

#include <assert.h>
#include <math.h>
#include <rte_common.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "candidates.h"
#include "common/strbuf.h"
#include "ctl/options.h"

#define MOMENT_PACKETS 64  // packets per queue, on average: fewer are uneven by chance
#define SHARE_LEAST 0.0005 // of all packets: smaller shares are not reported
#define UNKNOWNS_SHOWN 3   // names of candidates with unknown packets
#define KEYS 128           // keys: with so many, medians differ little by chance
#define KEYS_BALANCED 32   // of KEYS: also with load-aware RSS, which takes longer
#define HASH_BITS 32       // bits
#define INTERVALS_LEAST 20 // intervals with enough packets for a measured result

_Static_assert(STEER_RETA_MAX <= 1 << 16, "16 bits of a hash select an entry");

static const char *text_end(struct simulation *simulation) {
	return ddp_arena_strdup(simulation->arena, strbuf_take(&simulation->text));
}

/* Load */

double share_of(uint64_t part, uint64_t all) {
	return all == 0 ? 0 : (double)part / all;
}

uint64_t sum_of(const uint64_t *loads, unsigned int n) {
	uint64_t sum = 0;

	for (unsigned int i = 0; i < n; i++)
		sum += loads[i];
	return sum;
}

uint64_t most_of(const uint64_t *loads, unsigned int n) {
	uint64_t max = 0;

	for (unsigned int i = 0; i < n; i++)
		if (loads[i] > max)
			max = loads[i];
	return max;
}

// The load, in cores, that n queues with a core each carry until the most loaded one is full.
static double scaling(const struct spread *spread, unsigned int n) {
	const struct steer_config *config = &spread->steer->config;
	uint64_t loads[STEER_QUEUES_MAX] = {0}, all = 0, max;
	static uint16_t reta[STEER_RETA_MAX];

	assert(n > 0 && n <= STEER_QUEUES_MAX);

	if (n == config->n_queues)
		memcpy(reta, spread->steer->reta, config->reta_size * sizeof(reta[0]));
	else
		ddp_reta_fill(reta, config->reta_size, n);
	for (unsigned int i = 0; i < config->reta_size; i++) {
		loads[reta[i]] += spread->entry_packets[i];
		all += spread->entry_packets[i];
	}
	for (unsigned int q = 0; q < config->n_queues; q++) {
		loads[q % n] += spread->ruled[q]; // rules for fewer queues would name others
		all += spread->ruled[q];
	}
	loads[0] += spread->packets - all; // neither hashed nor steered
	max = most_of(loads, n);
	return max == 0 ? n : (double)spread->packets / max;
}

// The fewest queues that carry a load of so many cores; 0: none do, as one entry has too much.
static unsigned int cores_find(const struct spread *spread, double load) {
	uint64_t largest = most_of(spread->entry_packets, spread->steer->config.reta_size);

	if (load > STEER_QUEUES_MAX || (largest > 0 && (double)spread->packets / largest < load))
		return 0;
	for (unsigned int n = fmax(ceil(load), 1); n <= STEER_QUEUES_MAX; n++)
		if (scaling(spread, n) >= load)
			return n;
	return 0;
}

static void groups_make(const struct simulation *simulation, const struct spread *spread,
			struct outcome *outcome) {
	const struct flow *largest;

	outcome->entropy = flows_entropy(&spread->groups);
	if (flows_top(&spread->groups, &largest, 1) > 0)
		outcome->largest_group = largest->packets;
	if (outcome->largest_group < spread->unhashed) // on one queue, too
		outcome->largest_group = spread->unhashed;
	outcome->bound = share_of(outcome->largest_group, spread->packets) * simulation->n_queues;
	if (outcome->bound < 1 && spread->packets > 0)
		outcome->bound = 1;
}

/* Time */

static unsigned int worst_find(const struct spread *spread, unsigned int n_queues) {
	const unsigned int n = spread->windows.n;
	unsigned int worst = 0;
	double most = 0;

	for (unsigned int i = 0; i < n; i++) {
		const uint64_t *queues = windows_queues(&spread->windows, i);
		double imbalance = ddp_imbalance(queues, n_queues);

		// the last window may have few packets
		if (imbalance <= most ||
		    (i > 0 && i == n - 1 &&
		     sum_of(queues, n_queues) < MOMENT_PACKETS * (uint64_t)n_queues))
			continue;
		most = imbalance;
		worst = i;
	}
	return worst;
}

/* Load-aware RSS */

static void others_find(const struct spread *spread, uint64_t others[STEER_QUEUES_MAX]) {
	memcpy(others, spread->ruled, STEER_QUEUES_MAX * sizeof(*others));
	others[0] += spread->unhashed;
}

static void balanced_make(const struct spread *spread, struct outcome *outcome) {
	uint64_t others[STEER_QUEUES_MAX];

	if (!balancing_is_possible(&spread->steer->config))
		return;
	if (spread->balancing != NULL && spread->balancing->n_loaded >= INTERVALS_LEAST &&
	    2 * spread->balancing->n_loaded > spread->balancing->n_busy) {
		outcome->balance_is_measured = true;
		outcome->unbalanced = spread->balancing->fixed;
		outcome->balanced = spread->balancing->balanced;
		return;
	}
	others_find(spread, others);
	outcome->unbalanced = outcome->imbalance;
	outcome->balanced = balancing_steady(spread->steer, spread->entry_packets, others);
}

/* Many keys */

// A Toeplitz hash is a linear map of its input, given by the key. Each tried key hashes the 4 bytes
// of the run's hash instead of the input: also a linear map, with as many collisions as another
// key, and with equal hashes where the run has them (both directions of a flow with a symmetric key
// or function). All captures use the same keys.

// The low 16 bits of a hash under each key, which select the table entry.
struct key_hashes {
	uint16_t sums[KEYS];
};

// The sums of each hash bit, the highest first: the low 16 of the 32 key bits from its index on.
// Keys are by splitmix64 (Steele et al., "Fast splittable pseudorandom number generators", 2014).
static void bits_make(struct key_hashes bits[HASH_BITS]) {
	for (unsigned int k = 0; k < KEYS; k++) {
		uint64_t state = k, key = 0;

		for (unsigned int i = 0; i < sizeof(key); i++) {
			uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

			z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
			z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
			key = key << 8 | ((z ^ z >> 31) & 0xff);
		}
		for (unsigned int bit = 0; bit < HASH_BITS; bit++)
			bits[bit].sums[k] = key >> (HASH_BITS - bit);
	}
}

// Packets by key and entry of the table: [KEYS][reta_size].
static uint64_t *entries_fill(const struct spread *spread) {
	const unsigned int size = spread->steer->config.reta_size;
	uint64_t *entries = calloc_or_exit((size_t)KEYS * size, sizeof(*entries));
	uint64_t n_hashed = sum_of(spread->entry_packets, size);
	struct key_hashes bits[HASH_BITS], sums;

	bits_make(bits);
	for (uint32_t i = 0; i < spread->groups.n; i++) {
		const struct flow *group = flows_at(&spread->groups, i);

		memset(&sums, 0, sizeof(sums));
		for (unsigned int bit = 0; bit < HASH_BITS; bit++)
			for (unsigned int k = 0; k < KEYS && group->key << bit & 1U << 31; k++)
				sums.sums[k] ^= bits[bit].sums[k];
		for (unsigned int k = 0; k < KEYS; k++)
			entries[k * size + (sums.sums[k] & (size - 1))] += group->packets;
		n_hashed -= group->packets < n_hashed ? group->packets : n_hashed;
	}
	// spread hashed packets without a group evenly
	for (unsigned int i = 0; i < KEYS * size; i++)
		entries[i] += n_hashed / size;
	return entries;
}

static int by_value(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static struct key_range range_of(double *values, unsigned int n) {
	assert(n >= 2 && n % 2 == 0);
	qsort(values, n, sizeof(*values), by_value);
	return (struct key_range){
		.median = (values[n / 2 - 1] + values[n / 2]) / 2,
		.low = values[n / 10],
		.high = values[n - 1 - n / 10],
	};
}

static void keys_make(const struct spread *spread, struct outcome *outcome) {
	const struct steer *steer = spread->steer;
	const unsigned int size = steer->config.reta_size;
	struct key_spread *keys = &outcome->keys;
	uint64_t others[STEER_QUEUES_MAX], queues[STEER_QUEUES_MAX], *entries;
	double values[KEYS];

	if (steer->config.function == DDP_HASH_SIMPLE_XOR)
		return; // all keys are alike
	others_find(spread, others);
	entries = entries_fill(spread);
	keys->n = KEYS;
	for (unsigned int k = 0; k < KEYS; k++) {
		memcpy(queues, others, sizeof(queues));
		for (unsigned int i = 0; i < size; i++)
			queues[steer->reta[i]] += entries[(size_t)k * size + i];
		values[k] = ddp_imbalance(queues, steer->config.n_queues);
	}
	keys->plain = range_of(values, KEYS);
	if (balancing_is_possible(&steer->config)) {
		keys->n_balanced = KEYS_BALANCED;
		for (unsigned int k = 0; k < KEYS_BALANCED; k++)
			values[k] = balancing_steady(steer, entries + (size_t)k * size, others);
		keys->balanced = range_of(values, KEYS_BALANCED);
	}
	free(entries);
	if (outcome->balance_is_measured || keys->n_balanced == 0)
		return;
	outcome->unbalanced = keys->plain.median;
	outcome->balanced = keys->balanced.median;
}

/* Flows and UEs */

// Returns whether this becomes the example: the first split one.
static bool affinity_add(struct affinity *affinity, const struct flow_slot *slot) {
	affinity->n++;
	if (slot->n[1] == 0)
		return false;
	affinity->n_split++;
	if (affinity->packets[0] != 0 && affinity->packets[0] <= slot->n[0])
		return false;
	for (unsigned int i = 0; i < 2; i++) {
		affinity->packets[i] = slot->n[i];
		affinity->queues[i] = slot->queue[i];
	}
	return true;
}

static void ues_make(struct simulation *simulation, struct candidates *candidates,
		     struct outcome *outcomes) {
	struct flow_counter *ues = &candidates->totals.ues;
	char address[FIELD_TEXT_SIZE];

	for (uint32_t i = 0; i < ues->table.n; i++) {
		const struct flow *ue = flows_at(&ues->table, i);

		if (flow_address(ues, ue, address) == NULL) {
			const uint16_t type = ues->layouts[ue->detail->layout].type;
			const char *name = type_name(ues->by->loaded->program, type);

			if (strcmp(type_origin(ues->by->loaded->profile, name), "base") == 0)
				simulation->n_no_ue += ue->packets;
			continue;
		}
		for (unsigned int p = 0; p < candidates->n; p++)
			if (affinity_add(&outcomes[p].ues, &ue->slots[p]))
				outcomes[p].ues.who = ddp_arena_strdup(simulation->arena, address);
	}
}

static int by_pair(const void *a, const void *b) {
	const uint64_t x = (*(const struct flow *const *)a)->detail->pair;
	const uint64_t y = (*(const struct flow *const *)b)->detail->pair;

	return x < y ? -1 : x > y;
}

// Add a flow with its n entries: a direction has one for each tunnel, and one outside.
static void pair_add(const struct simulation *simulation, struct candidates *candidates,
		     const struct flow *const *flows, unsigned int n, struct outcome *outcomes) {
	unsigned int directions = 0;

	for (unsigned int i = 0; i < n; i++)
		directions |= 1u << flows[i]->detail->direction;
	for (unsigned int p = 0; p < candidates->n && directions == 3; p++) {
		struct flow_slot all = {0};
		unsigned int first = 0;

		for (unsigned int i = 0; i < n; i++) {
			const struct flow_slot *slot = &flows[i]->slots[p];

			for (unsigned int k = 0; k < 2; k++)
				flow_slot_add(&all, slot->n[k], slot->slot, slot->queue[k]);
		}
		while (flows[first]->slots[p].n[0] != all.n[0])
			first++;
		assert(first < n);
		if (affinity_add(&outcomes[p].flows, &all))
			outcomes[p].flows.who = flow_text(&candidates->totals.flows, flows[first],
							  simulation->arena);
	}
}

static void directions_make(const struct simulation *simulation, struct candidates *candidates,
			    struct outcome *outcomes) {
	const struct flows *table = &candidates->totals.flows.table;
	const struct flow **flows = calloc_or_exit(table->n + 1, sizeof(*flows));
	unsigned int n;

	for (uint32_t i = 0; i < table->n; i++)
		flows[i] = flows_at(table, i);
	qsort(flows, table->n, sizeof(*flows), by_pair);
	for (uint32_t i = 0; i < table->n; i += n) {
		for (n = 1;
		     i + n < table->n && flows[i + n]->detail->pair == flows[i]->detail->pair; n++)
			;
		pair_add(simulation, candidates, flows + i, n, outcomes);
	}
	free(flows);
}

// Name the largest flow of the entry that bounds load-aware RSS, if it has most of the packets.
static void bound_find(const struct simulation *simulation, struct flow_counter *counter,
		       struct balancing *balancing, unsigned int p) {
	const struct flow *largest = NULL;

	if (balancing == NULL || balancing->bound_entry < 0)
		return;
	for (uint32_t i = 0; i < counter->table.n; i++) {
		const struct flow *flow = flows_at(&counter->table, i);

		if (flow->slots[p].n[0] != 0 && flow->slots[p].slot == balancing->bound_entry &&
		    (largest == NULL || flow->packets > largest->packets))
			largest = flow;
	}
	if (largest != NULL && 2 * largest->packets > balancing->bound_packets)
		balancing->bound_flow = flow_text(counter, largest, simulation->arena);
}

static void flows_make(struct simulation *simulation, struct candidates *candidates) {
	struct flow_counter *counter = &candidates->totals.flows;
	const struct flow *top[TOP_FLOWS];

	simulation->n_flows = counter->table.n;
	simulation->n_top_flows = flows_top(&counter->table, top, TOP_FLOWS);
	for (unsigned int i = 0; i < simulation->n_top_flows; i++)
		simulation->top_flows[i] = (struct top_flow){
			.text = flow_text(counter, top[i], simulation->arena),
			.type = type_name(counter->by->loaded->program,
					  counter->layouts[top[i]->detail->layout].type),
			.packets = top[i]->packets,
			.bytes = top[i]->bytes,
			.outer = flow_outer_text(top[i], simulation->arena),
			.slots = top[i]->slots,
		};
	for (unsigned int i = 0; i < candidates->n; i++)
		bound_find(simulation, counter, candidates->spreads[i].balancing, i);
}

// A flow may be a tunnel with many flows that only a candidate reads.
static void finest_find(struct simulation *simulation) {
	for (unsigned int i = 0; i < simulation->n_outcomes && simulation->flows_exact; i++) {
		const struct outcome *outcome = &simulation->outcomes[i];

		if (outcome->spread->groups.n <= simulation->n_flows ||
		    simulation->n_top_flows == 0 ||
		    outcome->largest_group >= simulation->top_flows[0].packets)
			continue;
		simulation->n_flows = outcome->spread->groups.n;
		simulation->finest = outcome;
	}
}

/* Packets that were cut */

static void unknown_write(const struct simulation *simulation, const char *who, uint64_t packets,
			  bool first, FILE *to) {
	fprintf(to, "%s%s (%s of the packets)", first ? "" : ", ", who,
		share_text(share_of(packets, simulation->packets), 1, " %").text);
}

// For NICs, the one with the most unknown packets counts.
static void cut_warning_make(struct simulation *simulation, const struct candidates *candidates) {
	const struct spread *flows = candidates->totals.flows.by;
	uint64_t most = 0;
	uint32_t needed = 0;
	struct strbuf unknown;
	unsigned int n = 0;

	strbuf_init(&unknown);
	for (unsigned int i = 0; i < candidates->n; i++) {
		const struct spread *spread = &candidates->spreads[i];

		needed = RTE_MAX(needed, spread->cut.needed);
		if (spread->cut.packets > 0 && n++ < UNKNOWNS_SHOWN)
			unknown_write(simulation, spread->name, spread->cut.packets, n == 1,
				      unknown.to);
	}
	if (n > UNKNOWNS_SHOWN)
		fprintf(unknown.to, ", %u other candidates", n - UNKNOWNS_SHOWN);
	for (unsigned int i = 0; i < candidates->n_nics; i++) {
		needed = RTE_MAX(needed, candidates->nics[i].spread->cut.needed);
		most = RTE_MAX(most, candidates->nics[i].spread->cut.packets);
	}
	if (most > 0)
		unknown_write(simulation, "the NICs", most, n++ == 0, unknown.to);
	if (flows != NULL && flows->cut.packets > 0) {
		needed = RTE_MAX(needed, flows->cut.needed);
		unknown_write(simulation, "the number of flows", flows->cut.packets, n++ == 0,
			      unknown.to);
	}
	if (n > 0) {
		cut_warning_write(simulation->text.to, simulation->capture, strbuf_take(&unknown),
				  needed);
		simulation->cut_warning = text_end(simulation);
		simulation->snaplen = cut_snaplen(needed);
	}
	strbuf_fini(&unknown);
}

/* Outcomes */

static void outcome_make(const struct simulation *simulation, const struct spread *spread,
			 bool many_keys, struct outcome *outcome) {
	outcome->name = spread->name;
	outcome->spread = spread;
	outcome->imbalance = ddp_imbalance(spread->queue_packets, simulation->n_queues);
	outcome->jain = ddp_jain(spread->queue_packets, simulation->n_queues);
	outcome->hottest =
		share_of(most_of(spread->queue_packets, simulation->n_queues), spread->packets);
	groups_make(simulation, spread, outcome);
	outcome->scaling = ddp_arena_alloc(simulation->arena,
					   simulation->n_queues * sizeof(*outcome->scaling));
	for (unsigned int n = 1; n <= simulation->n_queues; n++)
		outcome->scaling[n - 1] = scaling(spread, n);
	if (simulation->options->core_mpps > 0 && simulation->load_mpps > 0)
		outcome->cores =
			cores_find(spread, simulation->load_mpps / simulation->options->core_mpps);
	outcome->worst = worst_find(spread, simulation->n_queues);
	balanced_make(spread, outcome);
	if (many_keys)
		keys_make(spread, outcome);
}

/* NICs without net_ddp */

static void share_add(const struct nic_now *now, const struct spread_type *type,
		      struct nic_outcome *nic) {
	struct nic_share share = {"nothing", false, type->packets};

	if (type->number < now->plan->n_types) {
		const struct ddp_spread_type *planned = &now->plan->spread->types[type->number];

		share.by = planned->by[0] != '\0' ? planned->by : share.by;
		share.inner_lost = planned->spread == DDP_SPREAD_OUTER;
	}
	for (unsigned int i = 0; i < nic->n_shares; i++)
		if (strcmp(nic->shares[i].by, share.by) == 0 &&
		    nic->shares[i].inner_lost == share.inner_lost) {
			nic->shares[i].packets += share.packets;
			return;
		}
	if (nic->n_shares < NIC_SHARES)
		nic->shares[nic->n_shares++] = share;
}

static int by_packets(const void *a, const void *b) {
	uint64_t n_a = ((const struct nic_share *)a)->packets;
	uint64_t n_b = ((const struct nic_share *)b)->packets;

	return n_a != n_b ?
		       (n_a < n_b ? 1 : -1) :
		       strcmp(((const struct nic_share *)a)->by, ((const struct nic_share *)b)->by);
}

static void nic_why_write(const struct nic_outcome *nic, FILE *to) {
	const uint64_t all = nic->spread->packets;
	const struct nic_share *lost = NULL;

	for (unsigned int i = 0; i < nic->n_shares; i++) {
		const struct nic_share *share = &nic->shares[i];

		if (i > 0 && share->packets < SHARE_LEAST * all)
			break;
		fprintf(to, "%s%s (%s%s)", i > 0 ? ", " : "", share->by,
			share_text(share_of(share->packets, all), 1, "%").text,
			i == 0 ? " of the packets" : "");
		if (lost == NULL && share->inner_lost)
			lost = share;
	}
	if (lost != NULL)
		fprintf(to,
			". The headers behind are not parsed: all packets with the same %s stay on "
			"one queue.",
			lost->by);
}

static void nic_make(struct simulation *simulation, const struct nic_now *now) {
	struct nic_outcome *nic = &simulation->nics[simulation->n_nics++];
	const struct spread *spread = now->spread;

	assert(simulation->n_nics <= NICS_NOW && now->plan->spread != NULL);

	nic->nic = now->nic;
	nic->spread = spread;
	nic->imbalance = ddp_imbalance(spread->queue_packets, simulation->n_queues);
	for (unsigned int q = 0; q < simulation->n_queues; q++)
		nic->n_queues += spread->queue_packets[q] > 0;
	for (unsigned int i = 0; i < spread->n_types && spread->types[i].packets > 0; i++)
		share_add(now, &spread->types[i], nic);
	qsort(nic->shares, nic->n_shares, sizeof(nic->shares[0]), by_packets);
	nic_why_write(nic, simulation->text.to);
	nic->why = text_end(simulation);
}

void simulation_make(struct simulation *simulation, const struct simulate_options *options,
		     struct candidates *candidates, const struct capture *capture, int ret) {
	const struct spread_totals *totals = &candidates->totals;
	struct outcome *outcomes;

	*simulation = (struct simulation){
		.options = options,
		.candidates = candidates,
		.capture = capture,
		.packets = capture->n_packets,
		.partial = ret < 0 || (capture->interrupted && !capture->is_live),
		.n_queues = options->base.rss.steer.n_queues,
		.arena = ddp_arena_create(),
	};
	if (options->load_mpps > 0)
		simulation->load_mpps = options->load_mpps;
	else if (totals->first_ns != 0 && totals->last_ns > totals->first_ns)
		simulation->load_mpps =
			capture->n_packets * 1e3 / (double)(totals->last_ns - totals->first_ns);
	for (unsigned int i = 0; i < candidates->n && options->window_ns == 0; i++) {
		struct spread *spread = &candidates->spreads[i];

		while (spread->windows.n > 1 &&
		       (spread->packets + spread->dropped) / spread->windows.n <
			       MOMENT_PACKETS * (uint64_t)simulation->n_queues)
			windows_coarsen(&spread->windows);
	}
	outcomes = ddp_arena_alloc(simulation->arena, candidates->n * sizeof(*outcomes));
	for (unsigned int i = 0; i < candidates->n; i++)
		outcome_make(simulation, &candidates->spreads[i], candidates->many_keys,
			     &outcomes[i]);
	simulation->outcomes = outcomes;
	simulation->n_outcomes = candidates->n;
	strbuf_init(&simulation->text);
	for (unsigned int i = 0; i < candidates->n_nics; i++)
		nic_make(simulation, &candidates->nics[i]);
	cut_warning_make(simulation, candidates);
	strbuf_fini(&simulation->text);
	ues_make(simulation, candidates, outcomes);
	flows_make(simulation, candidates);
	directions_make(simulation, candidates, outcomes);
	simulation->flows_exact =
		totals->flows.table.n_beyond == 0 && totals->ues.table.n_beyond == 0;
	for (unsigned int i = 0; i < candidates->n_all; i++)
		simulation->flows_exact &= candidates->spreads[i].groups.n_beyond == 0;
	finest_find(simulation);
}

uint64_t own_packets(const struct spread *spread) {
	uint64_t n = 0;

	for (unsigned int i = 0; i < spread->n_types; i++) {
		const char *origin = type_origin(spread->loaded->profile, spread->types[i].name);

		if (origin[0] != '\0' && strcmp(origin, "base") != 0)
			n += spread->types[i].packets;
	}
	return n;
}
