/* SPDX-License-Identifier: BSD-3-Clause */
// All methods on packets of a kind.
#include <string.h>

#include <rte_cycles.h>

#include "bench.h"
#include "methods.h"

#define ROUNDS 101
#define SECONDS 3    // for all of them, at most
#define ROUND_NS 3e6 // of a method, at most
#define ROUND_NS_QUICK 1e6
#define WARM_UP 2048U // visits

// The least work of a driver: take each mbuf from a descriptor, fill it in, prefetch those of
// the next burst.
static void receive(struct rte_mbuf *const *mbufs, unsigned int n, struct rte_mbuf *const *next) {
	for (unsigned int i = 0; i < BURST; i++)
		rte_prefetch0(next[i]);
	for (unsigned int i = 0; i < n; i++) {
		struct rte_mbuf *mbuf = mbufs[i];

		mbuf->data_off = RTE_PKTMBUF_HEADROOM;
		mbuf->port = 0;
		mbuf->ol_flags = 0;
	}
}

// Go on where the last one stopped: what was visited last is visited again after all others only.
static struct rte_mbuf *const *burst_next(struct packets *packets) {
	struct rte_mbuf *const *burst = &packets->visits[packets->next_visit];

	packets->next_visit += BURST;
	if (packets->next_visit == packets->n_visits)
		packets->next_visit = 0;
	return burst;
}

// Ahead: more packets than caches hold; a driver receives them and prefetches the next burst.
static void visits_run(const struct method *method, struct packets *packets, unsigned int n,
		       bool ahead) {
	if (!ahead) {
		for (unsigned int i = 0; i < n; i += BURST)
			method->run(method->arg, burst_next(packets), BURST);
		return;
	}
	for (unsigned int i = 0; i < n; i += BURST) {
		struct rte_mbuf *const *burst = burst_next(packets);
		struct rte_mbuf *const *next = &packets->visits[packets->next_visit];

		receive(burst, BURST, next);
		method->run_ahead(method->arg, burst, BURST, next);
	}
}

static double visits_time(const struct method *method, struct packets *packets, unsigned int n,
			  bool ahead) {
	uint64_t tsc;

	visits_run(method, packets, WARM_UP, ahead);
	tsc = rte_rdtsc_precise();
	visits_run(method, packets, n, ahead);
	return samples_ns(tsc, n);
}

// Let a method learn, and choose how many visits a round of it has: all, or what its time allows.
static unsigned int visits_choose(const struct method *method, struct packets *packets,
				  bool ahead) {
	unsigned int n;

	if (method->reset != NULL) {
		method->reset(method->arg);
		for (unsigned int i = 0; i < LESSONS; i++)
			visits_run(method, packets, VISITS, ahead);
	}
	n = (options.quick ? ROUND_NS_QUICK : ROUND_NS) /
	    visits_time(method, packets, WARM_UP, ahead);
	return RTE_ALIGN_FLOOR(RTE_MAX(RTE_MIN(n, packets->n_visits), WARM_UP), BURST);
}

static void rows_add(struct table *table) {
	for (unsigned int i = 0; i < n_methods; i++) {
		unsigned int row = table_row(table, methods[i].id, methods[i].title);

		if (methods[i].run_ahead == NULL)
			table->rows[row].absent = "not on this CPU";
	}
}

static bool method_runs(const struct method *method, bool ahead) {
	return ahead ? method->run_ahead != NULL : method->run != NULL;
}

// Fill in a column.
static void packets_measure(struct table *table, unsigned int column, struct packets *packets,
			    bool ahead) {
	static struct samples samples;
	unsigned int round;
	int base = method_find(METHOD_BASE) - methods;
	unsigned int n_visits[METHODS_MAX];

	for (unsigned int i = 0; i < n_methods; i++)
		if (method_runs(&methods[i], ahead))
			n_visits[i] = visits_choose(&methods[i], packets, ahead);
	samples_begin(&samples, ROUNDS, SECONDS);
	while (samples_next(&samples, &round))
		for (unsigned int i = 0; i < n_methods; i++)
			if (method_runs(&methods[i], ahead))
				samples.ns[i][round] =
					visits_time(&methods[i], packets, n_visits[i], ahead);
	for (unsigned int i = 0; i < n_methods; i++)
		if (method_runs(&methods[i], ahead))
			table->figures[i][column] = samples_figure(&samples, i, base);
}

static void kind_measure(struct table *table, const struct kind *kind) {
	unsigned int column = table_column(table, kind->id, kind->title);
	struct packets packets;

	packets_make(&packets, kind, kind->n_packets, VISITS);
	packets_measure(table, column, &packets, kind->n_packets == VISITS);
	packets_free(&packets);
}

static void group_measure(const char *group, const char *title) {
	struct table table;

	table_init(&table, group, title);
	snprintf(
		table.note, sizeof(table.note),
		"ns a packet, classified, hashed, its queue looked up; in brackets, times faster than "
		"rte_net_get_ptype,\nwhich looks no queue up; its packets are in the nearest caches");
	rows_add(&table);
	for (unsigned int i = 0; i < n_kinds; i++)
		if (strcmp(kinds[i].group, group) == 0 &&
		    (options.kind == NULL || strcmp(kinds[i].id, options.kind) == 0))
			kind_measure(&table, &kinds[i]);
	if (table.n_columns > 0)
		table_done(&table);
}

void kinds_measure(void) {
	group_measure("one", "One path, and a mix");
	group_measure("mixed", "Many paths");
}

/* A flood of new paths: about half of all packets */

#define FLOOD_TURNS 24
#define FLOOD_LEAD 6 // of them not measured: something else was in the caches

enum flood_burst {
	FLOOD_KNOWN,
	FLOOD_NEW,    // as many as are new in a burst with both
	FLOOD_BOTH,   // in turn
	FLOOD_BEFORE, // both in turn, before each of the others
	FLOOD_KINDS,
};

static const enum flood_burst flood_turn[] = {
	FLOOD_BEFORE, FLOOD_KNOWN, FLOOD_BEFORE, FLOOD_NEW, FLOOD_BEFORE, FLOOD_BOTH,
};
static const unsigned int flood_sizes[FLOOD_KINDS] = {
	[FLOOD_KNOWN] = BURST,
	[FLOOD_NEW] = BURST / 2,
	[FLOOD_BOTH] = BURST,
	[FLOOD_BEFORE] = BURST,
};

#define FLOOD_BURSTS RTE_DIM(flood_turn)
#define FLOOD_PACKETS (FLOOD_TURNS * FLOOD_BURSTS * BURST)

static bool flood_is_new(unsigned int visit) {
	const enum flood_burst burst = flood_turn[visit / BURST % FLOOD_BURSTS];

	return burst == FLOOD_NEW || (burst != FLOOD_KNOWN && visit % 2 != 0);
}

static void flood_make(struct frame *frame, unsigned int i) {
	if (flood_is_new(i))
		adversarial_make(frame, i);
	else
		n3_make(frame, i);
}

static const struct kind flood_kind = {.id = "flood", .make = flood_make};

// Each round has new ones, the same for all methods: a path that comes again is not new.
static void flood_renew(const struct packets *flood, unsigned int round) {
	struct random random = {2 + round};
	struct frame frame;

	for (unsigned int i = 0; i < FLOOD_PACKETS; i++) {
		if (!flood_is_new(i))
			continue;
		kind_frame(&flood_kind, i, &random, &frame);
		packet_fill(flood->mbufs[i], &frame);
	}
	for (unsigned int i = 0; i < FLOOD_PACKETS; i++) {
		rte_prefetch0(flood->mbufs[i]);
		for (unsigned int off = 0; off < 256; off += 64)
			rte_prefetch0(rte_pktmbuf_mtod_offset(flood->mbufs[i], void *, off));
	}
}

// Mean TSC cycles of each kind of burst, in a round. The clock's own cost is in all of them. No
// branch here depends on the kind: it would be mispredicted after the interpreter.
static void bursts_time(const struct method *method, struct packets *packets, double *cycles) {
	uint64_t sums[FLOOD_KINDS] = {0};

	for (unsigned int i = 0; i < FLOOD_TURNS * FLOOD_BURSTS; i++) {
		const enum flood_burst kind = flood_turn[i % FLOOD_BURSTS];
		const unsigned int n = flood_sizes[kind];
		struct rte_mbuf *const *burst = burst_next(packets);
		struct rte_mbuf *const *next = &packets->visits[packets->next_visit];
		const uint64_t tsc = rte_rdtsc();

		receive(burst, n, next);
		method->run_ahead(method->arg, burst, n, next);
		sums[kind] += rte_rdtsc() - tsc;
		if (i == FLOOD_LEAD * FLOOD_BURSTS - 1)
			memset(sums, 0, sizeof(sums));
	}
	for (unsigned int i = 0; i < FLOOD_KINDS; i++)
		cycles[i] = (double)sums[i] / (FLOOD_TURNS - FLOOD_LEAD);
}

enum flood_column {
	FLOOD_ALONE,
	FLOOD_OWN,    // known ones in bursts of their own,
	FLOOD_BESIDE, // and what they add to new ones
	FLOOD_OTHERS,
	FLOOD_COLUMNS,
};

static struct samples flood_samples[FLOOD_COLUMNS];

static void flood_round(unsigned int method, struct packets *packets, bool alone,
			unsigned int round) {
	const double ns = 1e9 / rte_get_tsc_hz();
	double cycles[FLOOD_KINDS];

	if (!alone)
		flood_renew(packets, round);
	bursts_time(&methods[method], packets, cycles);
	if (alone) {
		flood_samples[FLOOD_ALONE].ns[method][round] = cycles[FLOOD_KNOWN] * ns / BURST;
		return;
	}
	flood_samples[FLOOD_OWN].ns[method][round] = cycles[FLOOD_KNOWN] * ns / BURST;
	flood_samples[FLOOD_BESIDE].ns[method][round] =
		(cycles[FLOOD_BOTH] - cycles[FLOOD_NEW]) * ns / (BURST / 2);
	flood_samples[FLOOD_OTHERS].ns[method][round] = cycles[FLOOD_NEW] * ns / (BURST / 2);
}

// The flood comes after all rounds without it: what learns must not begin anew in each round.
static void flood_rounds(struct packets *packets, enum flood_column first, enum flood_column last) {
	unsigned int round;

	for (unsigned int i = 0; i < n_methods; i++)
		for (unsigned int k = 0; method_runs(&methods[i], true) && k < LESSONS; k++)
			visits_run(&methods[i], packets, packets->n_visits, true);
	samples_begin(&flood_samples[first], ROUNDS, SECONDS);
	while (samples_next(&flood_samples[first], &round))
		for (unsigned int i = 0; i < n_methods; i++)
			if (method_runs(&methods[i], true))
				flood_round(i, packets, first == FLOOD_ALONE, round);
	for (unsigned int i = first; i <= last; i++)
		flood_samples[i].n_rounds = flood_samples[first].n_rounds;
}

// Visited as they were made, which is what kind of burst they are in.
static void flood_packets_make(struct packets *packets, const struct kind *kind) {
	packets_make(packets, kind, FLOOD_PACKETS, FLOOD_PACKETS);
	memcpy(packets->visits, packets->mbufs, FLOOD_PACKETS * sizeof(*packets->mbufs));
}

static void flood_figures(struct table *table) {
	for (unsigned int i = 0; i < n_methods; i++) {
		if (!method_runs(&methods[i], true))
			continue;
		for (unsigned int k = 0; k < FLOOD_COLUMNS; k++) {
			struct figure *figure = &table->figures[i][k];

			*figure = samples_figure(&flood_samples[k], i, -1);
			figure->ratio = table->figures[i][FLOOD_ALONE].ns / figure->ns;
		}
	}
}

void flood_measure(void) {
	struct packets alone, flood;
	struct table table;

	table_init(&table, "flood", "A flood of new paths: half of all packets");
	snprintf(
		table.note, sizeof(table.note),
		"ns a packet, each burst timed, the driver's part included; in brackets, times faster "
		"than known\npaths alone. In bursts with new ones: what %u packets add to a burst of %u "
		"new ones.",
		BURST / 2, BURST / 2);
	rows_add(&table);
	table_column(&table, "flood-none", "N3 5G alone");
	table_column(&table, "flood-own", "own bursts");
	table_column(&table, "flood-beside", "with new ones");
	table_column(&table, "flood-new", "new ones");
	flood_packets_make(&alone, kind_find("n3"));
	flood_packets_make(&flood, &flood_kind);
	for (unsigned int i = 0; i < n_methods; i++)
		if (methods[i].reset != NULL)
			methods[i].reset(methods[i].arg);
	flood_rounds(&alone, FLOOD_ALONE, FLOOD_ALONE);
	flood_rounds(&flood, FLOOD_OWN, FLOOD_OTHERS);
	flood_figures(&table);
	packets_free(&alone);
	packets_free(&flood);
	table_done(&table);
}

/* That equal work is compared: each kind's packets are what its name says, and all methods that
 * find the inner addresses and ports find equal ones, by their hash */

#define SHOWN_MAX 3 // packets of a kind that are reported

static unsigned int n_wrong;

// The headers of a packet as ddpctl prints them.
static void chain_read(const struct rte_mbuf *mbuf, char *chain, size_t size) {
	const struct ddp_packet packet = {
		.data = rte_pktmbuf_mtod(mbuf, const uint8_t *),
		.first_len = rte_pktmbuf_data_len(mbuf),
		.len = rte_pktmbuf_pkt_len(mbuf),
	};
	struct ddp_class class;
	size_t len = 0;

	ddp_classify(work.program, &packet, &class);
	chain[0] = '\0';
	for (unsigned int i = 0; i < class.n_seen && len < size; i++) {
		const struct ddp_node_info *node =
			ddp_program_node(work.program, class.seen[i].node);

		if (!node->hidden)
			len += snprintf(&chain[len], size - len, "%s%s", len > 0 ? " " : "",
					node->token);
	}
}

static void difference_add(const struct kind *kind, const char *chain, const char *what) {
	if (n_wrong++ < SHOWN_MAX)
		printf("%s: %s: %s\n", kind->id, chain, what);
}

static bool hash_read(const struct method *method, struct rte_mbuf *mbuf, uint32_t *hash) {
	mbuf->ol_flags = 0;
	method->run(method->arg, &mbuf, 1);
	*hash = mbuf->hash.rss;
	return (mbuf->ol_flags & RTE_MBUF_F_RX_RSS_HASH) != 0;
}

static bool method_compared(const struct method *method) {
	return method->run != NULL && strncmp(method->id, "floor", strlen("floor")) != 0 &&
	       strcmp(method->id, METHOD_BASE) != 0;
}

static void packet_check(const struct kind *kind, struct rte_mbuf *mbuf) {
	uint32_t due, hash;
	char chain[512];

	chain_read(mbuf, chain, sizeof(chain));
	if (kind->chain != NULL && strcmp(chain, kind->chain) != 0)
		difference_add(kind, chain, kind->chain);
	if (!hash_read(method_find("interpreter"), mbuf, &due)) {
		difference_add(kind, chain, "not hashed");
		return;
	}
	for (unsigned int i = 0; i < n_methods; i++)
		if (method_compared(&methods[i]) &&
		    (!hash_read(&methods[i], mbuf, &hash) || hash != due))
			difference_add(kind, chain, methods[i].title);
}

static unsigned int kind_check(const struct kind *kind) {
	unsigned int n = RTE_MIN(kind->n_packets, 4096U);
	struct packets packets;

	n_wrong = 0;
	packets_make(&packets, kind, n, n);
	for (unsigned int i = 0; i < n; i++)
		packet_check(kind, packets.mbufs[i]);
	packets_free(&packets);
	printf("%-12s %5u packets, %u differences\n", kind->id, n, n_wrong);
	return n_wrong;
}

int check(void) {
	bool wrong = false;

	for (unsigned int i = 0; i < n_kinds; i++)
		wrong |= kind_check(&kinds[i]) > 0;
	return wrong;
}
