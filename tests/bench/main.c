/* SPDX-License-Identifier: BSD-3-Clause */
// ddp-bench: what classifying, hashing and steering costs, beside what else does it.
#include <getopt.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_lcore.h>
#include <rte_vect.h>
#include <rte_version.h>

#include "base/isa.h"
#include "bench.h"
#include "methods.h"

struct part {
	const char *id, *what;
	void (*measure)(void);
};

static const struct part parts[] = {
	{"kinds", "kinds of packets, hot", kinds_measure},
	{"flood", "known paths among ever new ones", flood_measure},
	{"toeplitz", "the hash alone", toeplitz_measure},
	{"end", "net_ddp over a device", end_measure},
	{"handover", "packets handed to another core", handover_measure},
	{"tx", "packets sent", tx_measure},
	{"scaling", "two cores against one", scaling_measure},
};

struct options options;

void fail(const char *fmt, ...) {
	va_list args;

	va_start(args, fmt);
	fputs("ddp-bench: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

void must(int ret, const char *what) {
	if (ret < 0)
		fail("%s: %s", what, strerror(-ret));
}

static void usage(FILE *out) {
	fprintf(out, "usage: ddp-bench [options]\n"
		     "  --quick         fewer rounds, for a first estimate\n"
		     "  --only PARTS    of these, joined by commas:\n");
	for (size_t i = 0; i < RTE_DIM(parts); i++)
		fprintf(out, "                    %-12s %s\n", parts[i].id, parts[i].what);
	fprintf(out, "  --isa LEVEL     our code for this instruction set only\n"
		     "  --kind ID       hot packets of this kind only\n"
		     "  --json FILE     write all figures\n"
		     "  --check         measure nothing: check that equal work is compared\n"
		     "  -h, --help      this text\n");
}

__attribute__((noreturn)) static void misuse(const char *what, const char *value) {
	fprintf(stderr, "ddp-bench: %s '%s'\n", what, value);
	usage(stderr);
	exit(2);
}

static void only_parse(char *list) {
	for (char *id = strtok(list, ","); id != NULL; id = strtok(NULL, ",")) {
		unsigned int i = 0;

		while (i < RTE_DIM(parts) && strcmp(parts[i].id, id) != 0)
			i++;
		if (i == RTE_DIM(parts))
			misuse("there is no part", id);
		options.only |= 1U << i;
	}
}

static void options_parse(int argc, char **argv) {
	static const struct option longs[] = {
		{"check", no_argument, NULL, 'c'},      {"help", no_argument, NULL, 'h'},
		{"isa", required_argument, NULL, 'i'},  {"json", required_argument, NULL, 'j'},
		{"kind", required_argument, NULL, 'k'}, {"only", required_argument, NULL, 'o'},
		{"quick", no_argument, NULL, 'q'},      {0},
	};
	enum ddp_isa isa;
	int opt;

	while ((opt = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		if (opt == 'c')
			options.check = true;
		else if (opt == 'q')
			options.quick = true;
		else if (opt == 'o')
			only_parse(optarg);
		else if (opt == 'i')
			options.isa = optarg;
		else if (opt == 'j')
			options.json = optarg;
		else if (opt == 'k')
			options.kind = optarg;
		else {
			usage(opt == 'h' ? stdout : stderr);
			exit(opt == 'h' ? 0 : 2);
		}
	}
	if (optind < argc)
		misuse("what is", argv[optind]);
	if (options.isa != NULL &&
	    (ddp_isa_parse(options.isa, &isa) < 0 || !ddp_isa_supported(isa)))
		misuse("this CPU has no instruction set", options.isa);
	if (options.kind != NULL && kind_find(options.kind) == NULL)
		misuse("there is no kind", options.kind);
}

// Two of the CPUs that this process may use, or the one there is.
static void lcores_choose(char *lcores, size_t size) {
	unsigned int n = 0;
	cpu_set_t cpus;
	size_t len = 0;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) < 0)
		fail("cannot read the CPU affinity");
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE && n < 2; cpu++)
		if (CPU_ISSET(cpu, &cpus))
			len += snprintf(&lcores[len], size - len, "%s%u@%u", n > 0 ? "," : "", n,
					cpu),
				n++;
}

static void eal_start(void) {
	static char words[] = "ddp-bench --no-huge -m 768 --no-pci --no-shconf --no-telemetry "
			      "--log-level=lib.*:4 --log-level=pmd.*:4 --lcores";
	static char lcores[64];
	char *argv[16];
	int argc = 0;

	for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc++] = lcores;
	lcores_choose(lcores, sizeof(lcores));
	if (rte_eal_init(argc, argv) < 0)
		fail("rte_eal_init failed");
}

static json_t *machine_json(void) {
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[256], model[256] = "?";

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "model name : %255[^\n]", model) == 1)
			break;
	if (file != NULL)
		fclose(file);
	return json_pack("{s:s, s:s, s:b, s:i, s:f, s:s, s:i}", "cpu", model, "isa",
			 ddp_isa_name(ddp_isa_best(RTE_VECT_SIMD_512)), "gfni", machine_has_gfni(),
			 "lcores", (int)rte_lcore_count(), "tsc_ghz", rte_get_tsc_hz() / 1e9,
			 "dpdk", rte_version(), "simd_bits", (int)rte_vect_get_max_simd_bitwidth());
}

static void measure(void) {
	json_t *machine = machine_json();

	json_dumpf(machine, stdout, JSON_REAL_PRECISION(4));
	json_decref(machine);
	for (unsigned int i = 0; i < RTE_DIM(parts); i++)
		if (options.only == 0 || (options.only & 1U << i) != 0)
			parts[i].measure();
}

static void json_write(void) {
	json_t *report = json_pack("{s:o, s:b, s:s, s:s, s:O}", "machine", machine_json(), "quick",
				   options.quick, "ours", method_ours()->id, "usual",
				   method_usual()->id, "tables", tables);

	if (json_dump_file(report, options.json, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) < 0)
		fail("cannot write %s", options.json);
	json_decref(report);
}

int main(int argc, char **argv) {
	int status = 0;

	options_parse(argc, argv);
	eal_start();
	methods_init();
	tables = json_array();
	if (options.check)
		status = check();
	else
		measure();
	if (options.json != NULL)
		json_write();
	json_decref(tables);
	methods_fini();
	// EAL waits for its thread of alarms without giving up the CPU: of the same real-time
	// priority, on one CPU, that thread would never run.
	sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
	rte_eal_cleanup();
	return status;
}
