/* SPDX-License-Identifier: BSD-3-Clause */
// Does a packet get the type, fields, hash and rule that the profile says? By the naive reference,
// of the answer that ddpctl prints and of the path cache with each instruction set and mode, over
// all profiles of the library, each with its input sets, profiles that nobody wrote, and Intel's
// packages, with rss_hf and flow rules of all kinds.
//
// Equal options give equal packets: the report of a difference has the options that repeat it.
#include <getopt.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "bursts.h"
#include "fronts.h"
#include "port/harness.h"
#include "scratch.h"
#include "unit.h"

#define CAPTURED 40  // packets of one capture
#define N_JOINED 200 // packets made of several
#define N_KEYS 3
#define PROFILES_MAX 8 // of the command line
#define PORT "port"    // a front end
#define PORT_SHARE 16  // it gets a burst for so many of the others
#define N_SPECS 300
#define QUEUES 8
#define DESCRIPTORS 256
#define RETA_SIZE 512
#define N_RANDOM 60 // profiles that nobody wrote

struct options {
	uint64_t seed, packets, seconds;
	const char *captures, *cases, *front; // NULL: all, none, none, all
	const char *profiles[PROFILES_MAX];
	unsigned int n_profiles; // 0: all
	enum ddp_isa isa;        // DDP_ISA_LEVELS: all
	bool verbose;
};

// Cases that came up: agreement without any cases proves nothing.
struct seen {
	uint64_t statuses[DDP_STATUS_TOO_DEEP + 1];
	uint64_t typed, hashed, steered;
};

struct run {
	struct options options;
	struct seen seen;
	struct fronts fronts;
	struct burst burst;
	struct verdict *verdicts; // of the burst
	struct frames common;     // packets for every profile
	struct ddp_hash *keys;
	char *specs[N_SPECS];
	unsigned int n_specs;
	uint64_t n_packets, n_bursts, n_port_packets;
	const char *spec; // of now; NULL: the end was reached
	uint64_t start;   // packets before it
};

/* Profiles */

static void spec_add(struct run *run, const char *profile, const char *suffix) {
	if (run->n_specs == N_SPECS ||
	    asprintf(&run->specs[run->n_specs], "%s%s%s", profile,
		     suffix[0] != '\0' && suffix[0] != ';' ? ":" : "", suffix) < 0)
		abort();
	run->n_specs++;
}

static void sets_add(struct run *run, const char *file, const struct ddp_profile *profile) {
	for (unsigned int i = 0; i < profile->n_parts; i++)
		for (unsigned int j = 0;
		     profile->parts[i].named && j < profile->parts[i].n_input_sets; j++)
			spec_add(run, file, profile->parts[i].input_sets[j].name);
}

static void file_add(struct run *run, const char *file) {
	const struct ddp_source source = {.spec = file};
	const struct ddp_load load = {.sources = &source, .n_sources = 1};
	struct ddp_personality personality;

	spec_add(run, file, "");
	if (ddp_personality_load(&personality, &load, diag_new()) == 0)
		sets_add(run, file, personality.profile);
	ddp_personality_unload(&personality);
}

static void folder_add(struct run *run, const char *pattern) {
	glob_t files;

	if (glob(pattern, 0, NULL, &files) != 0)
		return;
	for (unsigned int i = 0; i < files.gl_pathc; i++)
		file_add(run, files.gl_pathv[i]);
	globfree(&files);
}

// Intel's, where scripts/packages puts them.
static void packages_add(struct run *run) {
	const char *cache = getenv("DDP_PACKAGE_CACHE"), *home = getenv("XDG_CACHE_HOME");
	char pattern[PATH_MAX];
	glob_t files;

	if (cache != NULL)
		snprintf(pattern, sizeof(pattern), "%s/*.pkg", cache);
	else
		snprintf(pattern, sizeof(pattern), "%s%s/ddpsteer/packages/*.pkg",
			 home != NULL ? home : getenv("HOME"), home != NULL ? "" : "/.cache");
	if (glob(pattern, 0, NULL, &files) != 0) {
		printf("skipped: no packages of Intel's: scripts/packages fetches them\n");
		return;
	}
	for (unsigned int i = 0; i < files.gl_pathc; i++) {
		spec_add(run, files.gl_pathv[i], "");
		spec_add(run, files.gl_pathv[i], ";vxlan_port=4789;geneve_port=6081;dvm=1");
	}
	globfree(&files);
}

// "random:" and "lines:" are all of them.
static void profile_add(struct run *run, const char *spec) {
	unsigned int n = strcmp(spec, "random:") == 0 ? N_RANDOM :
			 strcmp(spec, "lines:") == 0  ? n_lines_specs :
							0;

	if (n == 0)
		spec_add(run, spec, "");
	for (unsigned int i = 0; i < n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "%s%u", spec, i);
		spec_add(run, name, "");
	}
}

static void specs_find(struct run *run) {
	for (unsigned int i = 0; i < run->options.n_profiles; i++)
		profile_add(run, run->options.profiles[i]);
	if (run->n_specs > 0)
		return;
	folder_add(run, PROFILES "/*.yaml");
	folder_add(run, PROFILES "/examples/*.yaml");
	// Headers that nobody sees unless a parameter says so.
	spec_add(run, "l2tpv3", ";ethernet=1;cookie=4;sublayer=4");
	spec_add(run, "ecpri", ";port=5000");
	spec_add(run, "quic", ";cid_length=8");
	spec_add(run, "gtpu", ";port=2152;port=53+vxlan;port=54+geneve");
	packages_add(run);
	profile_add(run, "random:");
	profile_add(run, "lines:");
}

/* The front end of an application: a port over a device that delivers the packets */

// Returns the RSS types that it hashes.
static uint64_t port_start(const struct subject *subject, const uint16_t reta[RETA_SIZE],
			   uint16_t *port) {
	struct rte_eth_rss_reta_entry64 groups[RETA_SIZE / RTE_ETH_RETA_GROUP_SIZE];
	char *text = subject_text(subject->spec), devargs[4096];
	struct rte_eth_dev_info info;
	uint64_t rss_hf;
	int id;

	if (text != NULL)
		scratch_write_text("t.yaml", text);
	snprintf(devargs, sizeof(devargs), "dev(net_testsrc0),overflow=wait,profile=%s",
		 text != NULL ? scratch_path("t.yaml") : subject->spec);
	free(text);
	id = ddp_probe(devargs);
	if (id < 0)
		fail_msg("%s: %s", devargs, ddp_probe_log());
	*port = id;
	assert_int_equal(rte_eth_dev_info_get(id, &info), 0);
	rss_hf = info.flow_type_rss_offloads & DDP_RSS_HF_ALL;
	ddp_configure(id, QUEUES, QUEUES, DESCRIPTORS, rss_hf);
	assert_int_equal(rte_eth_dev_start(id), 0);
	for (unsigned int i = 0; i < RETA_SIZE; i++) {
		groups[i / 64].mask = UINT64_MAX;
		groups[i / 64].reta[i % 64] = reta[i];
	}
	assert_int_equal(rte_eth_dev_rss_reta_update(id, groups, RETA_SIZE), 0);
	return rss_hf;
}

// A packet as it is in the burst, in mbufs of the pool.
static struct rte_mbuf *mbuf_copy(const struct rte_mbuf *from) {
	struct rte_mbuf *first = NULL;

	for (; from != NULL; from = from->next) {
		struct rte_mbuf *mbuf = rte_pktmbuf_alloc(pool);

		memcpy(rte_pktmbuf_append(mbuf, from->data_len),
		       rte_pktmbuf_mtod(from, const char *), from->data_len);
		if (first == NULL)
			first = mbuf;
		else
			assert_int_equal(rte_pktmbuf_chain(first, mbuf), 0);
	}
	return first;
}

// ptype_id: 1 is the profile's first packet type, whatever id the verdict has.
static const char *mbuf_difference(const struct rte_mbuf *mbuf, uint16_t queue,
				   const struct verdict *verdict, uint16_t ptype_id,
				   const uint16_t reta[RETA_SIZE]) {
	const struct rte_pmd_ddp_meta *meta = meta_of(mbuf);
	bool hashed = verdict->found.input_len > 0;

	if (mbuf->packet_type != verdict->found.packet_type)
		return "packet_type";
	if (meta->ptype_id != ptype_id)
		return "ptype_id";
	if (meta->inner_l3_off != verdict->found.inner_l3_off)
		return "inner_l3_off";
	if (meta->value != verdict->found.value)
		return "value";
	if (((mbuf->ol_flags & RTE_MBUF_F_RX_RSS_HASH) != 0) != hashed)
		return "flag of the hash";
	if (hashed && mbuf->hash.rss != verdict->found.hash)
		return "hash";
	return queue != (hashed ? reta[verdict->found.hash % RETA_SIZE] : 0) ? "queue" : NULL;
}

static bool port_burst_agrees(uint16_t port, const struct way *way, const struct ddp_hash *hash,
			      struct burst *burst, const uint16_t reta[RETA_SIZE]) {
	const uint16_t first_id = way->personality->profile->types[0].id;
	struct rte_mbuf *sent[BURST_MAX], *mbufs[BURST_MAX];
	static struct verdict verdict;
	unsigned int n_received = 0;
	const char *what = NULL;

	for (unsigned int i = 0; i < burst->n; i++)
		sent[i] = mbuf_copy(burst->mbufs[i]);
	testsrc_feed(0, 0, sent, burst->n);
	for (unsigned int calls = 0; n_received < burst->n && calls < 100 * QUEUES; calls++) {
		uint16_t queue = calls % QUEUES;
		uint16_t n = rte_eth_rx_burst(port, queue, mbufs, BURST_MAX);

		for (unsigned int i = 0; i < n; i++) {
			unsigned int at = 0;

			while (at < burst->n && sent[at] != mbufs[i])
				at++;
			assert_true(at < burst->n);
			verdict_find(&verdict, way, hash, burst->packets[at].data,
				     burst->packets[at].len);
			if (what == NULL &&
			    (what = mbuf_difference(mbufs[i], queue, &verdict,
						    verdict.found.type_id == 0 ?
							    0 :
							    verdict.found.type_id - first_id + 1,
						    reta)) != NULL) {
				printf("difference: %s of a packet of a port\n", what);
				bytes_print(&burst->packets[at]);
			}
		}
		rte_pktmbuf_free_bulk(mbufs, n);
		n_received += n;
	}
	if (what == NULL && n_received < burst->n)
		printf("difference: %u of %u packets came from a port\n", n_received, burst->n);
	return what == NULL && n_received == burst->n;
}

// Do n bursts get what they must from a port with the subject's profile? False with the difference
// printed.
static bool port_agrees(const struct subject *subject, struct draw *draw, struct burst *burst,
			unsigned int n, uint64_t *n_packets) {
	struct way way = subject->ways[0];
	static struct ddp_hash hash;
	uint16_t reta[RETA_SIZE], port;
	bool agrees = true;

	for (unsigned int i = 0; i < RETA_SIZE; i++)
		reta[i] = random_below(&draw->seed, QUEUES);
	ddp_hash_init(&hash, DDP_HASH_TOEPLITZ, ddp_default_key);
	way.policy.rss_hf = port_start(subject, reta, &port);
	for (; (n > 0 || draw->kind == DRAW_EACH) && agrees; n -= n > 0) {
		draw_burst(draw, burst);
		agrees = port_burst_agrees(port, &way, &hash, burst, reta);
		*n_packets += burst->n;
	}
	ddp_end(port);
	return agrees;
}

/* Comparing */

static double now(void) {
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

// A key is changed where it is, too.
static const struct ddp_hash *key_draw(struct run *run, uint64_t *seed) {
	struct ddp_hash *hash = &run->keys[random_below(seed, N_KEYS)];
	uint8_t key[DDP_KEY_SIZE];

	if (random_below(seed, 4) == 0) {
		random_bytes(seed, key, sizeof(key));
		ddp_hash_init(hash,
			      random_below(seed, 2) == 0 ? DDP_HASH_TOEPLITZ :
							   DDP_HASH_SYMMETRIC_TOEPLITZ,
			      key);
	}
	return hash;
}

// Print the options that repeat the current state.
static void again_print(const struct run *run) {
	const char *captures = run->options.captures, *cases = run->options.cases;

	printf("again: --seed %" PRIu64 " --packets %" PRIu64 " --profile '%s'%s%s%s%s\n",
	       run->options.seed, run->n_packets - run->start, run->spec,
	       captures != NULL ? " --captures " : "", captures != NULL ? captures : "",
	       cases != NULL ? " --cases " : "", cases != NULL ? cases : "");
}

static void see(struct seen *seen, const struct verdict *verdict) {
	if (verdict->naive.profile != NULL)
		seen->statuses[verdict->naive.status]++;
	seen->typed += verdict->found.type_id != 0;
	seen->hashed += verdict->found.input_len > 0;
	seen->steered += verdict->found.steer >= 0;
}

// False: something never came up.
static bool seen_report(const struct seen *s) {
	printf("%" PRIu64 " ok, %" PRIu64 " truncated, %" PRIu64 " malformed, %" PRIu64
	       " too deep; %" PRIu64 " with a type, %" PRIu64 " hashed, %" PRIu64
	       " steered by a rule\n",
	       s->statuses[DDP_STATUS_OK], s->statuses[DDP_STATUS_TRUNCATED],
	       s->statuses[DDP_STATUS_MALFORMED], s->statuses[DDP_STATUS_TOO_DEEP], s->typed,
	       s->hashed, s->steered);
	for (unsigned int i = 0; i < COUNT(s->statuses); i++)
		if (s->statuses[i] == 0)
			return false;
	return s->typed > 0 && s->hashed > 0 && s->steered > 0;
}

static bool burst_agrees(struct run *run, const struct way *way, const struct ddp_hash *hash) {
	for (unsigned int i = 0; i < run->burst.n; i++) {
		verdict_find(&run->verdicts[i], way, hash, run->burst.packets[i].data,
			     run->burst.packets[i].len);
		see(&run->seen, &run->verdicts[i]);
	}
	run->n_packets += run->burst.n;
	run->n_bursts++;
	return fronts_agree(&run->fronts, way, hash, &run->burst, run->verdicts);
}

// Seldom the last one, of another profile.
static unsigned int way_any(uint64_t *seed) {
	return random_below(seed, random_below(seed, 3) == 0 ? N_WAYS : N_WAYS - 1);
}

// Some bursts in one way, or in two by turns: until so many packets and that time, at most;
// at least one.
static bool round_agrees(struct run *run, struct subject *subject, struct draw *draw, uint64_t end,
			 double until) {
	unsigned int with[2] = {way_any(&draw->seed), way_any(&draw->seed)};
	unsigned int most = random_below(&draw->seed, 8) == 0 ? 1500 : 200;
	unsigned int n_bursts = 1 + random_below(&draw->seed, most);
	bool in_turns = random_below(&draw->seed, 4) == 0;
	const struct ddp_hash *hash = key_draw(run, &draw->seed);
	struct way way; // one place for all, as a port has it

	for (unsigned int i = 0, p = with[0]; i < n_bursts && run->n_packets < end; i++) {
		if (i > 0 && now() >= until)
			break;
		if (in_turns && random_below(&draw->seed, 6) == 0)
			p = with[random_below(&draw->seed, 2)];
		if (random_below(&draw->seed, 100) == 0)
			hash = key_draw(run, &draw->seed);
		if (random_below(&draw->seed, 4) == 0)
			subject_rules_change(&subject->ways[p], &draw->seed);
		way = subject->ways[p];
		draw_burst(draw, &run->burst);
		if (burst_agrees(run, &way, hash))
			continue;
		printf("way: %s\nprofile: %s, burst %" PRIu64 " since the start\n", way.name,
		       subject->spec, run->n_bursts);
		return false;
	}
	return true;
}

// The cases that were written for the profile always come up.
static bool cases_agree(struct run *run, struct subject *subject, struct draw *draw) {
	const struct ddp_hash *hash = key_draw(run, &draw->seed);

	for (draw_each(draw, subject->first_case, subject->n_cases); draw->left > 0;) {
		draw_burst(draw, &run->burst);
		if (!burst_agrees(run, &subject->ways[0], hash))
			return false;
	}
	return true;
}

static bool has_port(const struct run *run) {
	return run->options.front == NULL || strcmp(run->options.front, PORT) == 0;
}

// All ways of a profile, until so many packets in all, and so many seconds after it is loaded;
// at least one burst, however long that took.
static bool subject_agrees(struct run *run, const char *spec, uint64_t end, double seconds) {
	struct draw draw = {.seed = run->options.seed * 2 + 1};
	struct subject subject;
	uint64_t n_bursts;
	double until;
	bool agrees;

	for (const char *c = spec; *c != '\0'; c++) // so that each profile has its own packets
		draw.seed = (draw.seed + (uint8_t)*c) * UINT64_C(0x9e3779b97f4a7c15) | 1;
	run->spec = spec;
	run->start = run->n_packets;
	n_bursts = run->n_bursts;
	subject_init(&subject, spec, &run->common, run->options.cases, random_next(&draw.seed));
	draw.frames = &subject.frames;
	fronts_restart(
		&run->fronts); // so that a difference comes again without the profiles before
	until = now() + seconds;
	agrees = cases_agree(run, &subject, &draw);
	do {
		if (random_below(&draw.seed, 20) == 0)
			fronts_restart(&run->fronts);
		if (random_below(&draw.seed, 8) == 0)
			subject_exchange(&subject);
		draw_renew(&draw);
		agrees = agrees && round_agrees(run, &subject, &draw, end, until);
	} while (agrees && run->n_packets < end && now() < until);
	if (agrees && has_port(run)) {
		draw_each(&draw, subject.first_case, subject.n_cases);
		agrees = port_agrees(&subject, &draw, &run->burst,
				     2 + (run->n_bursts - n_bursts) / PORT_SHARE,
				     &run->n_port_packets);
	}
	subject_fini(&subject);
	return agrees;
}

static bool all_agree(struct run *run) {
	const struct options *options = &run->options;
	double start = now(), end = start + (options->seconds > 0 ? options->seconds : 1e9);

	for (unsigned int i = 0; i < run->n_specs; i++) {
		uint64_t upto = options->packets * (i + 1) / run->n_specs;
		double share = (end - now()) / (run->n_specs - i);

		if (options->verbose)
			printf("%6.1f s  %s\n", now() - start, run->specs[i]);
		if (!subject_agrees(run, run->specs[i], upto, share))
			return false;
	}
	run->spec = NULL;
	if (run->n_packets < options->packets)
		printf("skipped: the time was up after %" PRIu64 " of %" PRIu64 " packets\n",
		       run->n_packets, options->packets);
	printf("%u profiles, %" PRIu64 " packets, %" PRIu64
	       " bursts, %.1f s: %.0f packets judged a second\n",
	       run->n_specs, run->n_packets, run->n_bursts, now() - start,
	       fronts_packets(&run->fronts) / (now() - start));
	return true;
}

/* The program */

static void usage(FILE *out) {
	fputs("usage: ddp-judge [OPTION...]\n"
	      "Compare what packets get with what the naive reference says, packet by packet.\n"
	      "  --seed N        of all that is random (default 1)\n"
	      "  --packets N     to draw; each goes through every instruction set and front end (default 1000000)\n"
	      "  --time S        stop after so many seconds at the latest\n"
	      "  --isa LEVEL     only this instruction set (default: all this machine has)\n"
	      "  --front FRONT   only this front end: answer, port, or a cache's mode: auto, bypass, uniform, tree\n"
	      "  --profile SPEC  only this profile, and others that are named so (default: the library,\n"
	      "                  and those that no file has: random:N, lines:N; without N all of them)\n"
	      "  --captures DIR  more packets to start from; no such folder: without\n"
	      "  --cases DIR     captures named after profiles: each packet is judged with its profile\n"
	      "  --verbose       say what is next\n"
	      "  --help          this text\n",
	      out);
}

static void misused(const char *option, const char *value) {
	fprintf(stderr, "ddp-judge: --%s %s: no such value\n", option, value);
	exit(2);
}

static uint64_t number_of(const char *option, const char *text) {
	char *end;
	uint64_t n = strtoull(text, &end, 10);

	if (*text < '0' || *text > '9' || *end != '\0')
		misused(option, text);
	return n;
}

static void options_read(struct options *options, int argc, char **argv) {
	static const struct option known[] = {
		{"seed", required_argument, NULL, 's'},
		{"packets", required_argument, NULL, 'n'},
		{"time", required_argument, NULL, 't'},
		{"isa", required_argument, NULL, 'i'},
		{"front", required_argument, NULL, 'f'},
		{"profile", required_argument, NULL, 'p'},
		{"captures", required_argument, NULL, 'd'},
		{"cases", required_argument, NULL, 'c'},
		{"verbose", no_argument, NULL, 'v'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int c;

	*options = (struct options){
		.seed = 1,
		.packets = 1000000,
		.isa = DDP_ISA_LEVELS,
	};
	while ((c = getopt_long(argc, argv, "h", known, NULL)) != -1) {
		if (c == 's')
			options->seed = number_of("seed", optarg);
		else if (c == 'n')
			options->packets = number_of("packets", optarg);
		else if (c == 't')
			options->seconds = number_of("time", optarg);
		else if (c == 'i' && ddp_isa_parse(optarg, &options->isa) < 0)
			misused("isa", optarg);
		else if (c == 'f')
			options->front = optarg;
		else if (c == 'p' && options->n_profiles == PROFILES_MAX)
			misused("profile", optarg);
		else if (c == 'p')
			options->profiles[options->n_profiles++] = optarg;
		else if (c == 'd')
			options->captures = optarg;
		else if (c == 'c')
			options->cases = optarg;
		else if (c == 'v')
			options->verbose = true;
		else if (c != 'i') {
			usage(c == 'h' ? stdout : stderr);
			exit(c == 'h' ? 0 : 2);
		}
	}
}

static void keys_make(struct run *run) {
	run->keys = aligned_alloc(DDP_CACHE_ALIGN, (N_KEYS * sizeof(*run->keys) + 63) / 64 * 64);
	for (unsigned int i = 0; i < N_KEYS; i++)
		ddp_hash_init(&run->keys[i], DDP_HASH_TOEPLITZ, ddp_default_key);
}

static void run_init(struct run *run) {
	const struct options *options = &run->options;

	if (options->isa != DDP_ISA_LEVELS && !ddp_isa_supported(options->isa)) {
		printf("this machine has no %s\n", ddp_isa_name(options->isa));
		exit(77);
	}
	run->verdicts = calloc(BURST_MAX, sizeof(*run->verdicts));
	if (!fronts_init(&run->fronts, options->isa, options->front) && !has_port(run))
		misused("front", options->front != NULL ? options->front : "(any)");
	if (!burst_init(&run->burst) || run->verdicts == NULL) {
		perror("ddp-judge");
		exit(2);
	}
	if (has_port(run)) {
		eal_begin();
		scratch_begin();
	}
	keys_make(run);
	frames_corpora_add(&run->common, N_JOINED, 2 * options->seed + 1);
	if (options->captures != NULL &&
	    frames_captures_add(&run->common, options->captures, CAPTURED) == 0)
		printf("skipped: no captures in %s\n", options->captures);
	specs_find(run);
}

static void run_fini(struct run *run) {
	for (unsigned int i = 0; i < run->n_specs; i++)
		free(run->specs[i]);
	free(run->common.list);
	free(run->keys);
	free(run->verdicts);
	burst_fini(&run->burst);
	fronts_fini(&run->fronts);
}

static struct run run;

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#define SANITIZED __has_feature(address_sanitizer)
#else
#define SANITIZED 0
#endif

// Also where an assertion of the reference fails.
static void ended(void) {
	if (run.spec != NULL)
		again_print(&run);
}

// A page beside a buffer was read, or written.
static void beyond(int signal, siginfo_t *info, void *context) {
	(void)signal;
	(void)context;
	fronts_beyond(&run.fronts, &run.burst, info->si_addr);
	again_print(&run);
	fflush(stdout);
	_exit(1);
}

int main(int argc, char **argv) {
	const struct sigaction action = {.sa_sigaction = beyond, .sa_flags = SA_SIGINFO};
	bool good;

	if (!SANITIZED) // it says more by itself
		sigaction(SIGSEGV, &action, NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	atexit(ended);
	options_read(&run.options, argc, argv);
	run_init(&run);
	good = all_agree(&run) && fronts_report(&run.fronts) &&
	       (seen_report(&run.seen) || run.options.n_profiles > 0);
	if (good)
		printf("%-19s %10" PRIu64 " packets\n%" PRIu64 " packets judged, 0 differences\n",
		       PORT, run.n_port_packets, fronts_packets(&run.fronts) + run.n_port_packets);
	if (!good)
		return 1;
	run_fini(&run);
	return 0;
}
