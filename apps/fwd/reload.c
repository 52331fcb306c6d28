/* SPDX-License-Identifier: BSD-3-Clause */
#include "reload.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>

#include "common/service_manager.h"
#include "port/rte_pmd_ddp.h"
#include "rx_capture.h"
#include "vdevs.h"

#define PROFILES_MAX 16 // named in a line

static void set_hup(sigset_t *set) {
	sigemptyset(set);
	sigaddset(set, SIGHUP);
}

void reload_init(struct reload *reload, const struct config *config, int argc, char *const *argv) {
	struct sigaction now;
	sigset_t hup;

	sigaction(SIGHUP, NULL, &now);
	if (config->config_file == NULL || now.sa_handler == SIG_IGN)
		return;
	set_hup(&hup);
	pthread_sigmask(SIG_BLOCK, &hup, NULL);
	sched_getaffinity(0, sizeof(reload->cpus), &reload->cpus);
	reload->argc = argc;
	reload->argv = argv;
	reload->wanted = true;
}

static void port_say(uint16_t port, const char *name) {
	struct rte_pmd_ddp_profile profiles[PROFILES_MAX];
	int n = RTE_MIN(rte_pmd_ddp_profiles_get(port, profiles, PROFILES_MAX), PROFILES_MAX);
	char list[PROFILES_MAX * (sizeof(profiles->name) + sizeof(profiles->version) + 3)] = "";
	size_t len = 0;

	for (int i = 0; i < n; i++)
		len += snprintf(list + len, sizeof(list) - len, "%s%s %s", i == 0 ? "" : ", ",
				profiles[i].name, profiles[i].version);
	say(LOG_NOTICE, "port %u (%s): profiles reloaded: %s", port, name, n <= 0 ? "none" : list);
}

// Give a port its profiles. Whether it has them.
static bool vdev_reload(const char *vdev, struct error *error) {
	char name[RTE_ETH_NAME_MAX_LEN], spec[PATH_MAX], reason[sizeof(error->text)];
	uint16_t port;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(vdev, ","), vdev);
	if (rte_eth_dev_get_port_by_name(name, &port) != 0) {
		error_set(error, EXIT_FAILED, "%s: no such port: a restart adds it", name);
	} else if (rte_pmd_ddp_profile_set(port, profile_own(vdev, spec) ? spec : NULL, reason,
					   sizeof(reason)) != 0) {
		error_set(error, EXIT_FAILED, "port %u (%s): profiles not reloaded: %s", port, name,
			  reason);
	} else {
		port_say(port, name);
		return true;
	}
	say(LOG_ERR, "%s", error->text);
	return false;
}

// Whether all ports have their profiles; error is the last one.
static bool ports_reload(const struct config *config, struct error *error) {
	bool all = true;
	const char *vdev;

	for (unsigned int i = 1; (vdev = vdev_next(config->eal_args, &i)) != NULL;)
		if (vdev_is_ddp(vdev))
			all &= vdev_reload(vdev, error);
	return all;
}

static void files_reload(const struct reload *reload) {
	char *argv[reload->argc + 1]; // config_parse() moves them around
	struct config config;
	struct error error;

	service_notify_reloading();
	memcpy(argv, reload->argv, sizeof(argv));
	if (config_parse(&config, reload->argc, argv, &error) < 0 ||
	    vdevs_check_profiles(&config, &error) < 0) {
		say(LOG_ERR, "not reloaded: %s", error.text);
		service_notify("READY=1\nSTATUS=Forwarding, not reloaded: %s", error.text);
	} else if (ports_reload(&config, &error)) {
		service_notify("READY=1\nSTATUS=Forwarding, profiles reloaded");
	} else {
		service_notify("READY=1\nSTATUS=Forwarding, not all reloaded: %s", error.text);
	}
	config_fini(&config);
}

static void *reload_run(void *arg) {
	struct reload *reload = arg;
	sigset_t hup;
	int number;

	set_hup(&hup);
	while (sigwait(&hup, &number) == 0 && !atomic_load(&reload->ending))
		files_reload(reload);
	return NULL;
}

// The CPUs that no lcore has; if there are none, those of the main lcore.
static cpu_set_t cpus_free(const struct reload *reload) {
	cpu_set_t cpus = reload->cpus;
	unsigned int lcore;

	RTE_LCORE_FOREACH(lcore) {
		cpu_set_t taken = rte_lcore_cpuset(lcore);

		for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET(cpu, &taken))
				CPU_CLR(cpu, &cpus);
	}
	return CPU_COUNT(&cpus) == 0 ? rte_lcore_cpuset(rte_get_main_lcore()) : cpus;
}

int reload_start(struct reload *reload, struct error *error) {
	cpu_set_t cpus;
	int ret;

	if (!reload->wanted)
		return 0;
	cpus = cpus_free(reload);
	ret = pthread_create(&reload->thread, NULL, reload_run, reload);
	if (ret != 0)
		return error_set(error, EXIT_FAILED, "cannot create a thread: %s", strerror(ret));
	pthread_setaffinity_np(reload->thread, sizeof(cpus), &cpus);
	pthread_setname_np(reload->thread, "ddp-fwd-reload");
	reload->running = true;
	return 0;
}

void reload_stop(struct reload *reload) {
	if (!reload->running)
		return;
	atomic_store(&reload->ending, true);
	pthread_kill(reload->thread, SIGHUP);
	pthread_join(reload->thread, NULL);
	reload->running = false;
}
