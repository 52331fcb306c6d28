/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)
#define HOSTILE \
	"</title><script>alert(1)</script><img src=x onerror=\"alert('2')\">&amp;\"'\xff\x1b[31m\xe2\x80\xae"
#define LONG                                                                                         \
	"a-profile-whose-author-did-not-know-when-to-stop;"                                          \
	"port=2152;port=2153;port=2154;port=2155;port=2156;port=2157;port=2158;port=2159;port=2160;" \
	"thispartofthenamehasnoplacewherealinecouldbreakandgoesonforthreehundredlettersorso"         \
	"thispartofthenamehasnoplacewherealinecouldbreakandgoesonforthreehundredlettersorso"

static uint64_t seed = 1;

static double draw(void) {
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (seed >> 40) / 16777216.0;
}

static void *allocate(size_t n, size_t size) {
	void *p = calloc(n > 0 ? n : 1, size);

	if (p == NULL)
		abort();
	return p;
}

// What a sample is made of.
struct plan {
	const char *const *names; // of candidates, up to NULL; the fixed-function NIC is added
	const struct outcome_type *types;
	unsigned int n_queues, n_moments;
	uint64_t packets;
	double skew;         // 0: even
	unsigned int n_busy; // queues of the fixed-function NIC
};

static const struct outcome_type gtpu_types[] = {
	{"GTPU_IPV4_TCP", 40310, 0, 1.05, 0.997, 0.066},
	{"GTPU_IPV4_UDP", 19820, 0, 1.09, 0.993, 0.068},
	{"GTPU_IPV6_UDP", 2210, 0, 1.38, 0.94, 0.086},
	{"GTPU_IPV6_TCP", 1150, 0, 1.42, 0.93, 0.089},
	{"GTPU_IPV4", 210, 0, 2.1, 0.8, 0.13},
	{"IPV4_TCP", 140, 0, 2.6, 0.7, 0.16},
	{"IPV4_UDP", 90, 0, 2.9, 0.6, 0.18},
	{"GTPC", 40, 0, 4.4, 0.4, 0.27},
	{"ARP", 25, 25, 16, 0.0625, 1},
	{"UNKNOWN", 5, 5, 16, 0.0625, 1},
	{NULL, 0, 0, 0, 0, 0},
};
static const struct outcome_type base_types[] = {
	{"IPV4_UDP", 63670, 0, 7.79, 0.21, 0.49},
	{"IPV4_TCP", 300, 0, 2.6, 0.7, 0.16},
	{"ARP", 25, 25, 16, 0.0625, 1},
	{"UNKNOWN", 5, 5, 16, 0.0625, 1},
	{NULL, 0, 0, 0, 0, 0},
};
static const struct outcome_type hostile_types[] = {
	{HOSTILE, 900, 3, NAN, NAN, INFINITY},
	{"", 80, 0, 1, 1, 1},
	{"_", 10, 0, 1, 1, 1},
	{"__A__B__", 6, 0, 1, 1, 1},
	{"A_B_C_D_E_F_G_H_I_J_K", 3, 0, 1, 1, 1},
	{LONG, 1, 0, 1, 1, 1},
	{NULL, 0, 0, 0, 0, 0},
};

static unsigned int n_types(const struct outcome_type *types) {
	unsigned int n = 0;

	while (types[n].name != NULL)
		n++;
	return n;
}

// More types than a page shows.
static const struct outcome_type *many_types(void) {
	static const char *const outer[] = {"GTPU",        "VXLAN",    "GENEVE",
					    "MPLS_IN_UDP", "SRV6_ETH", "QINQ"};
	static const char *const inner[] = {"IPV4", "IPV4_UDP", "IPV4_TCP", "IPV4_SCTP",
					    "IPV6", "IPV6_UDP", "IPV6_TCP", "IPV6_SCTP"};
	struct outcome_type *types = allocate(6 * 8 + 1, sizeof(*types));

	for (unsigned int i = 0; i < 6 * 8; i++) {
		char *name;

		if (asprintf(&name, "%s_%s", outer[i * 5 % 6], inner[i / 6]) < 0)
			abort();
		types[i] = (struct outcome_type){
			name, UINT64_C(22150000000) / (i + 1), i, 1 + draw(), draw(), draw()};
	}
	return types;
}

static void spread(const struct plan *plan, unsigned int n_busy, double skew, uint64_t *packets,
		   uint64_t *bytes) {
	double *weights = allocate(plan->n_queues, sizeof(*weights)), sum = 0;

	for (unsigned int i = 0; i < n_busy; i++) {
		unsigned int queue = (3 + 7 * i) % plan->n_queues;

		weights[queue] = 1 + skew * draw();
		sum += weights[queue];
	}
	for (unsigned int i = 0; i < plan->n_queues; i++) {
		packets[i] = sum > 0 ? plan->packets * weights[i] / sum : 0;
		bytes[i] = packets[i] * 412;
	}
	free(weights);
}

static void measure(const struct plan *plan, struct outcome *outcome) {
	double *scaling = allocate(plan->n_queues, sizeof(*scaling)), sum = 0, squares = 0,
	       most = 0;

	for (unsigned int i = 0; i < plan->n_queues; i++) {
		double load = outcome->queue_packets[i];

		sum += load;
		squares += load * load;
		most = load > most ? load : most;
	}
	outcome->imbalance = sum > 0 ? most * plan->n_queues / sum : 0;
	outcome->jain = sum > 0 ? sum * sum / (plan->n_queues * squares) : 0;
	outcome->hottest = sum > 0 ? most / sum : 0;
	for (unsigned int i = 0; i < plan->n_queues; i++)
		scaling[i] = outcome->imbalance > 0 ?
				     (i + 1) / (1 + (outcome->imbalance - 1) * i / plan->n_queues) :
				     0;
	outcome->scaling = scaling;
}

static void pass_time(const struct plan *plan, struct outcome *outcome) {
	struct moment *moments = allocate(plan->n_moments, sizeof(*moments));

	for (unsigned int i = 0; i < plan->n_moments; i++) {
		bool idle = i % 23 == 7 || i % 23 == 9;

		moments[i].packets = idle ? 0 : plan->packets / plan->n_moments;
		moments[i].imbalance = idle ? 0 : outcome->imbalance * (1 + 0.3 * draw());
		if (moments[i].imbalance > moments[outcome->worst].imbalance)
			outcome->worst = i;
	}
	outcome->moments = moments;
}

static void outcome_make(const struct plan *plan, const char *name, unsigned int n_busy,
			 double skew, const struct outcome_type *types, struct outcome *outcome) {
	uint64_t *packets = allocate(plan->n_queues, sizeof(*packets));
	uint64_t *bytes = allocate(plan->n_queues, sizeof(*bytes));

	spread(plan, n_busy, skew, packets, bytes);
	*outcome = (struct outcome){
		.name = name,
		.queue_packets = packets,
		.queue_bytes = bytes,
		.unhashed = plan->packets / 2000,
		.dropped = plan->packets / 100000,
		.n_groups = plan->packets / 3 + 1,
		.largest_group = plan->packets / 50,
		.bound = 1 + skew / 10,
		.types = types,
		.n_types = n_types(types),
		.ues = {.n = 4000, .n_split = n_busy == plan->n_queues ? 0 : 17},
		.flows = {.n = 31200, .n_split = 28000, .packets = {812, 3}, .queues = {1, 14}},
	};
	outcome->flows.who =
		"[2001:db8:1234:5678:9abc:def0:1234:5678]:40000 > [2001:db8:ffff::1]:443";
	if (outcome->ues.n_split > 0) {
		outcome->ues.who = "10.45.0.1";
		outcome->ues.packets[0] = 12;
		outcome->ues.packets[1] = 1;
		outcome->ues.queues[1] = plan->n_queues - 1;
	}
	measure(plan, outcome);
	pass_time(plan, outcome);
}

static void sample_make(struct report_sample *sample, const struct plan *plan) {
	struct simulation *simulation = &sample->simulation;
	unsigned int n = 0;
	struct outcome *outcomes;

	while (plan->names[n] != NULL)
		n++;
	outcomes = allocate(n + 1, sizeof(*outcomes));
	for (unsigned int i = 0; i < n; i++)
		outcome_make(plan, plan->names[i], plan->n_queues, plan->skew * (1 + i),
			     plan->types, &outcomes[i]);
	outcome_make(plan, "fixed-function NIC", plan->n_busy, 3,
		     plan->types == gtpu_types ? base_types : plan->types, &outcomes[n]);
	*simulation = (struct simulation){
		.path = "/srv/captures/2026-11/n3-up.pcap.zst",
		.packets = plan->packets,
		.bytes = plan->packets * 412,
		.seconds = 1.234,
		.first_ns = 1795342800 * SECOND,
		.last_ns = 1795342872 * SECOND,
		.n_queues = plan->n_queues,
		.reta_size = 512,
		.outcomes = outcomes,
		.n_outcomes = n + 1,
		.n_moments = plan->n_moments,
		.moment_ns = plan->n_moments > 0 ? 72 * SECOND / plan->n_moments : 0,
		.n_flows = 32000,
		.flows_exact = true,
		.n_top_flows = plan->packets > 0 ? TOP_FLOWS : 0,
	};
	for (unsigned int i = 0; i < simulation->n_top_flows; i++) {
		simulation->top_flows[i] = (struct top_flow){
			i % 3 == 2 ?
				"udp [2001:db8:1234:5678:9abc:def0:1234:5678]:40000 > [2001:db8:ffff::1]:443" :
				"tcp 10.45.12.113:40123 > 198.51.100.7:443",
			plan->types[i % n_types(plan->types)].name,
			plan->packets / (100 + 10 * i),
			plan->packets * 4120 / (100 + 10 * i),
		};
	}
}

// Load-aware RSS of 100 ms.
static struct balancing *balance_make(const struct outcome *outcome, unsigned int n) {
	struct balancing *balancing = allocate(1, sizeof(*balancing));

	*balancing = (struct balancing){
		.interval_ns = SECOND / 10,
		.n_intervals = n,
		.n_busy = n - n / 10,
		.n_moves = 3 * n,
		.fixed = outcome->imbalance,
		.balanced = 1.06,
		.after = 1.03,
		.fixed_worst = 1.3 * outcome->imbalance,
		.balanced_worst = 1.2,
		.after_worst = 1.1,
		.intervals = allocate(n, sizeof(*balancing->intervals)),
		.n_intervals_kept = n,
		.n_bound = n / 4,
		.bound_entry = 511,
		.bound_share = 0.24,
		.bound_flow =
			"[2001:db8:1234:5678:9abc:def0:1234:5678]:40000 > [2001:db8:ffff::1]:443",
	};
	for (unsigned int i = 0; i < n; i++)
		if (i % 10 != 7)
			balancing->intervals[i] = (struct balancing_interval){
				.packets = 1000,
				.fixed = outcome->imbalance * (1 + 0.3 * draw()),
				.balanced = 1 + 0.1 * draw(),
				.after = 1,
				.n_moves = 3,
			};
	return balancing;
}

static void all_balance(struct simulation *simulation, unsigned int n) {
	for (unsigned int i = 0; i < simulation->n_outcomes; i++) {
		struct outcome *outcome = (struct outcome *)&simulation->outcomes[i];

		outcome->balancing = balance_make(outcome, n);
	}
}

static void load_set(struct simulation *simulation, double core_mpps, double load_mpps) {
	simulation->core_mpps = core_mpps;
	simulation->load_mpps = load_mpps;
	for (unsigned int i = 0; i < simulation->n_outcomes; i++) {
		struct outcome *outcome = (struct outcome *)&simulation->outcomes[i];

		for (unsigned int n = 1; outcome->cores == 0 && n <= simulation->n_queues; n++)
			if (outcome->scaling[n - 1] * core_mpps >= load_mpps)
				outcome->cores = n;
	}
}

static void usual(struct report_sample *sample) {
	static const char *const names[] = {"gtpu", "gtpu:ue", NULL};
	static const char *const argv[] = {
		"ddpctl",   "simulate", "gtpu,gtpu:ue", "/srv/captures/2026-11/n3-up.pcap.zst",
		"--queues", "16",       "--report",     "out.html",
		NULL};

	sample_make(sample, &(struct plan){names, gtpu_types, 16, 60, 64000, 0.1, 4});
	all_balance(&sample->simulation, 720);
	sample->intro.argv = argv;
}

static void advice(struct report_sample *sample) {
	static const char *const names[] = {"vxlan", "gtpu:ue", "gtpu", "geneve", NULL};
	static const char *const argv[] = {"ddpctl",      "advise",   "my captures/it's n3.pcap",
					   "--core-mpps", "1.5",      "--load-mpps",
					   "12",          "--report", "out.html",
					   NULL};
	static const char *const reasons[] = {
		"Nearly all packets are GTP-U: their outer addresses and ports are those of 4 gNBs, and a "
		"fixed-function NIC has nothing else to hash. gtpu:ue hashes the address of the UE inside.",
		"gtpu spreads a little better, but sends 2,871 of 4,000 UEs to more than one queue.",
		NULL};
	static const struct report_command commands[] = {
		{"As a device of DPDK", "net_ddp0,dev(0000:81:00.0),profile=gtpu:ue"},
		{"In the forwarder",
		 "ddp-fwd --vdev 'net_ddp0,dev(0000:81:00.0),profile=gtpu:ue' -- \\\n"
		 "  --rxq 16 --txq 16 --fwd macswap"},
		{"In testpmd",
		 "dpdk-testpmd --vdev 'net_ddp0,dev(0000:81:00.0),profile=gtpu:ue' -- -i "
		 "--rxq=16 --txq=16"},
	};

	sample_make(sample, &(struct plan){names, gtpu_types, 16, 36, 64000, 0.3, 5});
	load_set(&sample->simulation, 1.5, 12);
	sample->simulation.load_given = true;
	sample->intro = (struct report_intro){
		.title = "What suits the packets of it's n3.pcap",
		.argv = argv,
		.headline = "gtpu:ue: 9 cores carry 12 Mpps, and each UE stays on one of them",
		.reasons = reasons,
		.commands = commands,
		.n_commands = sizeof(commands) / sizeof(commands[0]),
		.chosen = &sample->simulation.outcomes[1],
	};
}

static void hostile(struct report_sample *sample) {
	static const char *const names[] = {HOSTILE, LONG, "", "-->", NULL};
	static const char *const argv[] = {"ddpctl",    HOSTILE,         LONG,
					   "new\nline", "</code></pre>", NULL};
	static const char *const reasons[] = {HOSTILE, LONG, NULL};
	static const struct report_command commands[] = {{HOSTILE, HOSTILE}, {LONG, LONG}};
	struct outcome *outcomes;

	sample_make(sample, &(struct plan){names, hostile_types, 8, 3, 1000, 0.2, 2});
	outcomes = (struct outcome *)sample->simulation.outcomes;
	outcomes[0].imbalance = NAN;
	outcomes[0].jain = -INFINITY;
	outcomes[0].bound = INFINITY;
	outcomes[0].ues.who = HOSTILE;
	outcomes[1].flows.who = LONG;
	((double *)outcomes[1].scaling)[3] = NAN;
	((struct moment *)outcomes[1].moments)[1].imbalance = INFINITY;
	outcomes[1].worst = 1;
	all_balance(&sample->simulation, 20);
	((struct balancing *)outcomes[0].balancing)->bound_flow = HOSTILE;
	((struct balancing *)outcomes[0].balancing)->balanced = NAN;
	((struct balancing *)outcomes[1].balancing)->bound_flow = LONG;
	outcomes[1].balancing->intervals[3].balanced = INFINITY;
	sample->simulation.path = HOSTILE "/" LONG "/" HOSTILE;
	sample->simulation.top_flows[0].text = HOSTILE;
	sample->simulation.top_flows[1].text = LONG;
	sample->intro = (struct report_intro){
		.title = HOSTILE LONG,
		.argv = argv,
		.headline = HOSTILE LONG,
		.reasons = reasons,
		.commands = commands,
		.n_commands = 2,
	};
}

static void empty(struct report_sample *sample) {
	static const char *const names[] = {"gtpu", NULL};
	static const struct outcome_type none[] = {{NULL, 0, 0, 0, 0, 0}};

	sample_make(sample, &(struct plan){names, none, 16, 0, 0, 0, 0});
	sample->simulation.bytes = 0;
	sample->simulation.first_ns = sample->simulation.last_ns = 0;
	sample->simulation.seconds = 0;
	sample->simulation.n_flows = 0;
}

static void one_queue(struct report_sample *sample) {
	static const char *const names[] = {"gtpu", NULL};

	static const struct outcome_type types[] = {{"IPV4_UDP", 1, 0, 1, 1, 1},
						    {NULL, 0, 0, 0, 0, 0}};

	sample_make(sample, &(struct plan){names, types, 1, 1, 1, 0, 1});
	sample->simulation.live = true;
	sample->simulation.path = "enp129s0f0";
}

static void queues_1024(struct report_sample *sample) {
	static const char *const names[] = {"gtpu", "gtpu:ue", LONG, NULL};

	sample_make(sample, &(struct plan){names, many_types(), 1024, 5000, 98765432109, 0.5, 3});
	sample->simulation.flows_exact = false;
	sample->simulation.flow_error = 12345678;
	load_set(&sample->simulation, 0.7, 148.8);
	all_balance(&sample->simulation, 50);
}

// Of the first candidate only some intervals are kept, and of the others none.
static void balanced(struct report_sample *sample) {
	static const char *const names[] = {"gtpu", "gtpu:ue", NULL};
	struct balancing *balancing = NULL;

	sample_make(sample, &(struct plan){names, gtpu_types, 16, 60, 64000, 4, 3});
	all_balance(&sample->simulation, 30);
	for (unsigned int i = 0; i < sample->simulation.n_outcomes; i++) {
		balancing = (struct balancing *)sample->simulation.outcomes[i].balancing;
		balancing->n_intervals = 1234567;
		balancing->n_intervals_kept = i == 0 ? 30 : 0;
	}
	balancing->bound_flow = NULL;
	balancing = (struct balancing *)sample->simulation.outcomes[1].balancing;
	balancing->bound_entry = -1;
	balancing->balanced_worst = 0;
}

// Bars of several queues, the last of fewer; a load far off.
static void queues_400(struct report_sample *sample) {
	static const char *const names[] = {"gtpu", NULL};

	sample_make(sample, &(struct plan){names, gtpu_types, 400, 0, 64000, 0.5, 100});
	load_set(&sample->simulation, 1, 100000);
	sample->simulation.first_ns = sample->simulation.last_ns = 0;
}

static void crowd(struct report_sample *sample) {
	static const char *const names[] = {"gtpu", "gtpu:ue", "vxlan",  "geneve", "gre", "mpls",
					    "srv6", "pppoe",   "l2tpv2", "l2tpv3", "esp", "pfcp",
					    "nsh",  "quic",    "ecpri",  "all",    NULL};

	sample_make(sample, &(struct plan){names, gtpu_types, 64, 90, 64000, 0.2, 20});
	sample->simulation.partial = true;
	sample->simulation.cut = 1234;
	sample->simulation.core_mpps = 0.5;
	sample->intro.chosen = &sample->simulation.outcomes[15]; // the worst of them
}

static void lonely(struct report_sample *sample) {
	static const char *const names[] = {NULL};

	sample_make(sample, &(struct plan){names, base_types, 16, 36, 64000, 0, 5});
}

static const struct {
	const char *name;
	void (*make)(struct report_sample *sample);
} makers[] = {
	{"usual", usual},           {"advice", advice},       {"hostile", hostile},
	{"empty", empty},           {"one-queue", one_queue}, {"1024-queues", queues_1024},
	{"400-queues", queues_400}, {"crowd", crowd},         {"lonely", lonely},
	{"balanced", balanced},
};

const struct report_sample *report_sample(unsigned int i) {
	static struct report_sample *samples[sizeof(makers) / sizeof(makers[0])];

	if (i >= sizeof(makers) / sizeof(makers[0]))
		return NULL;
	if (samples[i] == NULL) {
		samples[i] = allocate(1, sizeof(*samples[i]));
		samples[i]->name = makers[i].name;
		makers[i].make(samples[i]);
	}
	return samples[i];
}
