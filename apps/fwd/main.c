/* SPDX-License-Identifier: BSD-3-Clause */
// ddp-fwd: the start, the main lcore while packets flow, and the end. Times are TSC cycles.
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_version.h>

#include "common/output.h"
#include "config.h"
#include "counts.h"
#include "ports.h"
#include "rx_capture.h"
#include "workers.h"

#define WATCH_US 1000     // us: interval between checks of the workers
#define IDLE_ROUNDS 100   // rounds without a packet that make a worker idle
#define FLUSH_QUIET_MS 10 // ms: Tx queues are empty after this time without a sent packet
#define FLUSH_MAX_MS 1000 // ms: maximum duration of a flush
#define STDOUT_NAME "standard output"

struct fwd {
	struct config config;
	struct ports ports;
	struct workers workers;
	struct new_file json_file;
	FILE *json;         // NULL: none, or opened at the end
	FILE *tables;       // stdout, or stderr
	unsigned int n_cut; // captures that were not played completely

	// while packets flow
	struct live live; // if stats_ms is not 0
	uint64_t start;
	uint64_t last;    // time of the last packet
	uint64_t *rounds; // of each worker at the last received or sent packet
	uint64_t next_live;
	bool idle;      // the end was due to a lack of packets
	double seconds; // until the end, or the last packet, if idle
};

/* EAL's --vdev arguments */

// The next --vdev from args[*i] on, NULL when there are no more.
static const char *vdev_next(char *const *args, unsigned int *i) {
	while (args[*i] != NULL) {
		const char *arg = args[(*i)++];

		if (strncmp(arg, "--vdev=", 7) == 0)
			return arg + 7;
		if (strcmp(arg, "--vdev") == 0 && args[*i] != NULL)
			return args[(*i)++];
	}
	return NULL;
}

// Check the files in --vdev arguments of EAL, because drivers and EAL report less. Without EAL:
// captures must be readable, and the report must not overwrite a file that is read.
static int vdevs_check_files(const struct config *config, struct error *error) {
	const char *vdev;

	for (unsigned int i = 1; (vdev = vdev_next(config->eal_args, &i)) != NULL;)
		if (config->json != NULL && devargs_read(vdev, config->json))
			return error_set(error, EXIT_USAGE,
					 "--json: %s is read, and would be overwritten",
					 config->json);
	// Drivers do not report why they cannot read a capture.
	for (unsigned int i = 1; (vdev = vdev_next(config->eal_args, &i)) != NULL;)
		if (captures_try(vdev, error) < 0)
			return -1;
	return 0;
}

// EAL continues if a device fails, so a requested port may be missing. net_ddp has logged the
// reason.
static int vdevs_check_ports(const struct config *config, struct error *error) {
	const char *vdev;

	for (unsigned int i = 1; (vdev = vdev_next(config->eal_args, &i)) != NULL;) {
		char name[RTE_ETH_NAME_MAX_LEN];
		uint16_t port;

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(vdev, ","), vdev);
		if (rte_eth_dev_get_port_by_name(name, &port) == 0)
			continue;
		if (strncmp(vdev, "net_ddp", strlen("net_ddp")) == 0)
			return error_set(error, EXIT_FAILED, "%s", "");
		return error_set(error, EXIT_FAILED, "%s: no such port: see the error above", name);
	}
	return 0;
}

/* Running */

static struct control control = {.running = true, .flushing = true};

static void on_signal(int signal) {
	(void)signal;
	atomic_store(&control.running, false);
}

// All signals end forwarding in order, so that there is a report. If SIGHUP and SIGQUIT are
// ignored, they stay ignored, as nohup(1) and shells expect. SIGPIPE is ignored, so that write()
// reports a closed pipe.
static void signals_catch(void) {
	static const int if_not_ignored[] = {SIGHUP, SIGQUIT};
	const struct sigaction action = {.sa_handler = on_signal};
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction before;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	for (unsigned int i = 0; i < RTE_DIM(if_not_ignored); i++) {
		sigaction(if_not_ignored[i], NULL, &before);
		if (before.sa_handler != SIG_IGN)
			sigaction(if_not_ignored[i], &action, NULL);
	}
	sigaction(SIGPIPE, &ignore, NULL);
}

/* Packets flow */

static uint64_t ms_cycles(uint64_t ms) {
	return ms * (rte_get_tsc_hz() / 1000);
}

static double cycles_s(uint64_t cycles) {
	return cycles / (double)rte_get_tsc_hz();
}

// Time alone does not prove that no packets come: a worker may have been off its core.
static bool is_over(struct fwd *fwd, uint64_t now) {
	const struct config *config = &fwd->config;
	uint64_t last = 0, packets = 0;

	for (unsigned int i = 0; i < fwd->workers.n_queues; i++) {
		const struct queue_stats *stats = &fwd->workers.queues[i]->stats;

		last = RTE_MAX(last, counter_get(&stats->last_tsc));
		packets += counter_get(&stats->packets);
	}
	if (last > fwd->last) {
		fwd->last = last;
		workers_rounds(&fwd->workers, fwd->rounds);
	}
	fwd->idle = config->idle_exit_ms != 0 && now > fwd->last &&
		    now - fwd->last >= ms_cycles(config->idle_exit_ms) &&
		    workers_rounds_since(&fwd->workers, fwd->rounds) >= IDLE_ROUNDS;
	return fwd->idle ||
	       (config->duration_ms != 0 && now - fwd->start >= ms_cycles(config->duration_ms)) ||
	       (config->packets != 0 && packets >= config->packets);
}

// Wait until the next check. A main lcore without other lcores works meanwhile.
static void watch_wait(const struct fwd *fwd, void (*work)(struct worker *worker)) {
	struct worker *own = workers_main(&fwd->workers);
	uint64_t until = rte_rdtsc() + ms_cycles(1) * WATCH_US / 1000;

	if (own == NULL) {
		rte_delay_us_sleep(WATCH_US);
		return;
	}
	do
		work(own);
	while (rte_rdtsc() < until);
}

static void ready_notify(const struct fwd *fwd) {
	char what[128];

	snprintf(what, sizeof(what),
		 "forwarding: %u ports with %" PRIu64 " Rx queues each, %u workers", fwd->ports.n,
		 fwd->config.n_rxq, fwd->workers.n);
	service_notify("READY=1\nSTATUS=%s", what);
	if (log_is_journal())
		say(LOG_INFO, "%s", what);
}

static void watch_run(struct fwd *fwd) {
	uint64_t now;

	fwd->start = fwd->last = rte_rdtsc();
	fwd->next_live = fwd->start + ms_cycles(fwd->config.stats_ms);
	workers_launch(&fwd->workers);
	ready_notify(fwd);
	while (atomic_load(&control.running)) {
		watch_wait(fwd, worker_poll);
		now = rte_rdtsc();
		if (is_over(fwd, now))
			atomic_store(&control.running, false);
		if (fwd->config.stats_ms == 0 || now < fwd->next_live)
			continue;
		if (live_show(&fwd->live, &fwd->workers, cycles_s(now - fwd->start)) < 0)
			atomic_store(&control.running, false);
		fwd->next_live = now + ms_cycles(fwd->config.stats_ms);
	}
	service_notify("STOPPING=1");
}

static uint64_t packets_sent(const struct ports *ports) {
	struct rte_eth_stats stats;
	uint64_t packets = 0;

	for (unsigned int i = 0; i < ports->n; i++)
		if (rte_eth_stats_get(ports->list[i].id, &stats) == 0)
			packets += stats.opackets;
	return packets;
}

// A Tx queue may hold accepted packets (those of net_ddp do, if they share a lower queue). Flush
// until no more packets are sent.
static void watch_flush(struct fwd *fwd) {
	uint64_t start = rte_rdtsc(), changed = start, now = start;
	uint64_t sent = packets_sent(&fwd->ports);

	workers_rounds(&fwd->workers, fwd->rounds);
	while (now - start < ms_cycles(FLUSH_MAX_MS) &&
	       (now - changed < ms_cycles(FLUSH_QUIET_MS) ||
		workers_rounds_since(&fwd->workers, fwd->rounds) < IDLE_ROUNDS)) {
		uint64_t before = sent;

		watch_wait(fwd, worker_flush);
		sent = packets_sent(&fwd->ports);
		now = rte_rdtsc();
		if (sent == before)
			continue;
		changed = now;
		workers_rounds(&fwd->workers, fwd->rounds);
	}
}

// Forward until a signal or a limit of config. Then all workers have ended and Tx queues are empty.
static int forward(struct fwd *fwd, struct error *error) {
	const struct config *config = &fwd->config;
	int ret = 0;

	assert(fwd->workers.n > 0 && fwd->workers.n_queues > 0);
	fwd->rounds = calloc(fwd->workers.n, sizeof(*fwd->rounds));
	if (fwd->rounds == NULL ||
	    (config->stats_ms != 0 &&
	     live_init(&fwd->live, fwd->tables, config, &fwd->ports, &fwd->workers) < 0)) {
		ret = error_set(error, EXIT_FAILED, "out of memory");
		goto fini_live;
	}
	watch_run(fwd);
	fwd->seconds = cycles_s((fwd->idle ? fwd->last : rte_rdtsc()) - fwd->start);
	if (config->mode != MODE_RXONLY)
		watch_flush(fwd);
	atomic_store(&control.flushing, false);
	workers_wait(&fwd->workers);
fini_live:
	live_fini(&fwd->live);
	free(fwd->rounds);
	return ret;
}

/* The report */

// The number of damaged captures of a port, which were not played completely.
static unsigned int captures_check(const struct fwd_port *port) {
	char path[PATH_MAX];
	unsigned int n_cut = 0;
	struct error error;
	size_t pos = 0;

	while (port->devargs != NULL && capture_next(port->devargs, &pos, path)) {
		if (capture_check(path, &error) == 0)
			continue;
		if (error.text[0] != '\0')
			say(LOG_ERR, "%s", error.text);
		n_cut++;
	}
	return n_cut;
}

// Without more packets, a capture has ended, or reading it has failed.
static void captures_check_all(struct fwd *fwd, struct report *report) {
	for (unsigned int i = 0; i < report->n_ports; i++) {
		struct port_report *row = &report->ports[i];
		struct rte_eth_stats stats;

		if (!fwd->idle &&
		    (rte_eth_stats_get(row->port->id, &stats) != 0 || stats.ierrors == 0))
			continue;
		row->n_cut = captures_check(row->port);
		fwd->n_cut += row->n_cut;
	}
}

// Close a report, and check that all of it was written.
static int report_close(FILE *out, const char *name, struct error *error) {
	bool failed;

	errno = 0;
	failed = fflush(out) != 0 || ferror(out);
	if (out != stdout && fclose(out) != 0)
		failed = true;
	if (failed) // stdio does not keep the errno of an earlier error
		return error_set(error, EXIT_UNREADABLE, "cannot write %s: %s", name,
				 strerror(errno == 0 ? EIO : errno));
	return 0;
}

static FILE *json_open(struct fwd *fwd, struct error *error) {
	int fd = new_file_open(&fwd->json_file, fwd->config.json);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd >= 0 && out == NULL) {
		close(fd);
		fd = new_file_end(&fwd->json_file, -ENOMEM);
	}
	if (out == NULL)
		error_set(error, EXIT_UNREADABLE, "cannot write %s: %s", fwd->config.json,
			  strerror(-fd));
	return out;
}

static int json_write(struct fwd *fwd, const struct report *report, struct error *error) {
	int ret, end;

	if (fwd->json == NULL)
		fwd->json = json_open(fwd, error);
	if (fwd->json == NULL)
		return -1;
	ret = report_json(report, fwd->json);
	if (ret < 0)
		error_set(error, EXIT_FAILED, "out of memory");
	else
		ret = report_close(fwd->json, fwd->json == stdout ? STDOUT_NAME : fwd->config.json,
				   error);
	end = new_file_end(&fwd->json_file, ret);
	if (ret == 0 && end < 0)
		error_set(error, EXIT_UNREADABLE, "cannot write %s: %s", fwd->config.json,
			  strerror(-end));
	return end;
}

static int report_write(struct fwd *fwd, struct report *report, struct error *error) {
	int ret = 0;

	if (log_is_journal())
		report_say(report);
	else
		report_print(report, fwd->tables);
	if (fwd->tables == stdout)
		ret = report_close(stdout, STDOUT_NAME, error);
	if (fwd->config.json != NULL && json_write(fwd, report, error) < 0)
		ret = -1;
	return ret;
}

static int report_make(struct fwd *fwd, struct error *error) {
	struct report report;
	int ret;

	if (report_init(&report, &fwd->config, &fwd->ports, &fwd->workers) < 0) {
		ret = error_set(error, EXIT_FAILED, "out of memory");
		goto fini_report;
	}
	captures_check_all(fwd, &report);
	report_collect(&report, &fwd->workers, fwd->seconds);
	report_collect_left(&report);
	if (report_collect_ptypes(&report, &fwd->workers) < 0)
		ret = error_set(error, EXIT_FAILED, "out of memory");
	else
		ret = report_write(fwd, &report, error);
fini_report:
	report_fini(&report);
	return ret;
}

// Set the options that depend on the ports and on the output.
static void config_complete(struct fwd *fwd) {
	struct config *config = &fwd->config;

	if (config->idle_exit_ms == CONFIG_AUTO)
		config->idle_exit_ms = ports_are_finite(&fwd->ports) ? 200 : 0;
	if (config->stats_ms == CONFIG_AUTO)
		config->stats_ms = isatty(fileno(fwd->tables)) ? 1000 : 0;
	if (log_is_journal())
		config->stats_ms = 0;
}

// Start ports and workers, forward, report.
static int ports_run(struct fwd *fwd, struct error *error) {
	unsigned int n_workers = workers_count(&fwd->config);
	int ret;

	config_complete(fwd);
	ret = ports_start(&fwd->ports, &fwd->config, n_workers, error);
	if (ret == 0)
		ret = workers_create(&fwd->workers, &fwd->ports, &fwd->config, n_workers, &control,
				     error);
	if (ret == 0) {
		telemetry_start(&fwd->workers);
		ret = forward(fwd, error);
	}
	if (ret == 0)
		ret = report_make(fwd, error);
	telemetry_stop();
	workers_destroy(&fwd->workers);
	return ret;
}

static int fwd_run(struct fwd *fwd, struct error *error) {
	int ret = ports_find(&fwd->ports, error);

	if (ret == 0)
		ret = vdevs_check_ports(&fwd->config, error);
	if (ret == 0 && fwd->ports.n == 0)
		ret = error_set(error, EXIT_FAILED,
				"no ports: give EAL a device with --vdev or -a");
	if (ret == 0)
		ret = ports_run(fwd, error);
	ports_stop(&fwd->ports);
	return ret;
}

// Open the report before the run, which is useless without it. A device or a pipe stays open. A
// file is created at the end, so that no error leaves an empty one.
static int json_try(struct fwd *fwd, struct error *error) {
	fwd->tables = stdout;
	if (fwd->config.json == NULL)
		return 0;
	if (strcmp(fwd->config.json, "-") == 0) {
		fwd->json = stdout;
		fwd->tables = stderr;
		return 0;
	}
	fwd->json = json_open(fwd, error);
	if (fwd->json == NULL)
		return -1;
	if (fwd->json_file.name != NULL) {
		fclose(fwd->json);
		fwd->json = NULL;
		new_file_end(&fwd->json_file, -ECANCELED);
	}
	return 0;
}

static int fwd_main(struct fwd *fwd, struct error *error) {
	const struct config *config = &fwd->config;
	char *eal_argv[config->n_eal_args + 1]; // EAL reorders its arguments
	int ret;

	if (vdevs_check_files(config, error) < 0)
		return -1;
	if (json_try(fwd, error) < 0)
		return -1;
	signals_catch();
	if (eal_log_init() < 0)
		return error_set(error, EXIT_FAILED, "out of memory");
	memcpy(eal_argv, config->eal_args, sizeof(eal_argv));
	if (rte_eal_init(config->n_eal_args, eal_argv) < 0)
		return error_set(error, rte_errno == EINVAL ? EXIT_USAGE : EXIT_FAILED,
				 "EAL does not start: see the error above");
	ret = fwd_run(fwd, error);
	rte_eal_cleanup();
	return ret;
}

static int help(struct error *error) {
	static struct output out;
	int failed;

	output_init(&out, STDOUT_FILENO);
	config_help(&out);
	failed = output_close(&out);
	if (failed == 0)
		return 0;
	return error_set(error, EXIT_UNREADABLE, "cannot write " STDOUT_NAME ": %s",
			 strerror(failed));
}

// Parse the command line and run. The exit status, or -1 with error.
static int run(struct fwd *fwd, int argc, char **argv, struct error *error) {
	if (config_parse(&fwd->config, argc, argv, error) < 0)
		return -1;
	if (fwd->config.help)
		return help(error);
	if (fwd->config.version) {
		printf("ddp-fwd %s (%s)\n", DDP_VERSION, rte_version());
		return EXIT_GOOD;
	}
	if (fwd_main(fwd, error) < 0)
		return -1;
	return fwd->n_cut == 0 ? EXIT_GOOD : EXIT_UNREADABLE;
}

int main(int argc, char **argv) {
	static struct fwd fwd;
	static struct error error;
	int status = run(&fwd, argc, argv, &error);

	if (status >= 0)
		return status;
	if (error.text[0] != '\0')
		say(LOG_ERR, "%s", error.text);
	return error.code;
}
