/* SPDX-License-Identifier: BSD-3-Clause */
// The start and the end of ddp-fwd.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_version.h>

#include "common/output.h"
#include "config.h"
#include "counts.h"
#include "forward.h"
#include "ports.h"
#include "rx_capture.h"
#include "telemetry.h"
#include "workers.h"

struct fwd {
	struct config config;
	struct ports ports;
	struct workers workers;
	struct new_file json_file;
	FILE *json;   // NULL: none, or opened at the end
	FILE *tables; // stdout, or stderr
	struct outcome outcome;
	unsigned int n_cut; // captures that were not played completely
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

// A report must not overwrite its inputs.
static int json_check(const struct config *config, const char *vdev, struct error *error) {
	if (config->json == NULL || !devargs_read(vdev, config->json))
		return 0;
	return error_set(error, EXIT_USAGE, "--json: %s is read, and would be overwritten",
			 config->json);
}

// Check the files in --vdev arguments of EAL, because drivers and EAL report less. Without EAL:
// captures must be readable, and the report must not overwrite a file that is read.
static int vdevs_check_files(const struct config *config, struct error *error) {
	const char *vdev;

	for (unsigned int i = 1; (vdev = vdev_next(config->eal_args, &i)) != NULL;)
		if (json_check(config, vdev, error) < 0)
			return -1;
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

// The number of damaged captures of a port, which were not played completely.
static unsigned int captures_check(const struct port *port) {
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

		if (!fwd->outcome.idle &&
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

static const char *json_name(const struct config *config) {
	return strcmp(config->json, "-") == 0 ? "standard output" : config->json;
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
		ret = report_close(fwd->json, json_name(&fwd->config), error);
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
		ret = report_close(stdout, "standard output", error);
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
	report_collect(&report, &fwd->workers, fwd->outcome.seconds);
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
		ret = forward(&fwd->config, &fwd->ports, &fwd->workers, fwd->tables, &fwd->outcome,
			      error);
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
	return error_set(error, EXIT_UNREADABLE, "cannot write standard output: %s",
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
