/* SPDX-License-Identifier: BSD-3-Clause */
// Calls of rte_pmd_ddp.h, and commands on the telemetry socket: from this thread and, meanwhile,
// from another.
#include "control.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_ethdev.h>

#include "port/state/rte_pmd_ddp.h"
#include "stress/pool.h"

#define ANSWER_SECONDS 60
#define ANSWER_SIZE 16384

static const char *const specs[] = {
	"gtpu",
	"gtpu",
	"gtpu:teid",
	"gtpu:ue;port=2153;ue_ipv4=10.0.0.0/8",
	"vxlan",
	"vxlan",
	"vxlan;port=8472",
	"geneve",
	"5g-upf",
	"pppoe+l2tpv2",
	"gtpu+vxlan",
	"base",
	"e810-comms",
	"gtpu-over-gre",
	"",
	"+",
	":",
	"gtpu+",
	"gtpu;port",
	"gtpu;port=",
	"gtpu;port=nonsense",
	"gtpu:nosuch",
	"nosuch",
	"./nosuch.yaml",
	"/",
	"/dev/null",
	"../../../../../../etc/passwd",
	"a%s%n%d",
};

// A profile of the name "text"; then again with one line or byte that is not as it should be.
static const char good_text[] = "profile: text\n"
				"version: 1.0.0\n"
				"summary: a header behind UDP\n"
				"requires: [base]\n"
				"headers:\n"
				"  thing:\n"
				"    after: udp(dport=7777)\n"
				"    layout: kind:8 length:8 id:16\n"
				"    length: 4 * length\n"
				"packet_types:\n"
				"  THING:\n"
				"    path: eth ipv4 udp thing\n"
				"    rss: thing.id\n"
				"    extract: thing.id\n";

// A text as add_text takes it: not ended by a NUL.
static char *text_make(size_t *size) {
	char *text = memcpy(zero_bytes(sizeof(good_text)), good_text, sizeof(good_text));

	*size = sizeof(good_text) - 1;
	if (chance(30))
		*size = below(*size + 1);
	for (uint32_t i = chance(40) ? 0 : below(6); *size > 0 && i > 0; i--)
		text[below(*size)] = random_bits();
	return memcpy(random_bytes(*size), text, *size);
}

static const char *spec_choose(void) {
	if (chance(90))
		return text_copy(PICK(specs));
	return random_text(chance(90) ? below(40) : below(5000));
}

struct message {
	char *text;
	size_t size;
};

static struct message message_make(void) {
	static const size_t sizes[] = {0, 1, 2, 16, 256, 256, 256};
	struct message message = {.size = PICK(sizes)};

	if (message.size > 0 || chance(50))
		message.text = zero_bytes(message.size);
	return message;
}

// One line, ended by a NUL; "" on success.
static void message_check(const struct message *message, int ret) {
	if (message->size == 0)
		return;
	if (memchr(message->text, '\0', message->size) == NULL ||
	    strchr(message->text, '\n') != NULL || (ret >= 0 && message->text[0] != '\0') ||
	    (ret < 0 && message->size > 1 && message->text[0] == '\0'))
		fault("message of a call that returned %d: '%.*s'", ret, (int)message->size,
		      message->text);
}

static void profile_add(uint16_t port) {
	struct message message = message_make();
	const char *spec = spec_choose();

	say(" %s", spec);
	message_check(&message, rte_pmd_ddp_profile_add(port, spec, message.text, message.size));
}

static void profile_del(uint16_t port) {
	struct message message = message_make();
	const char *name = chance(30) ? "text" : spec_choose();

	say(" %s", name);
	message_check(&message, rte_pmd_ddp_profile_del(port, name, message.text, message.size));
}

static void profile_text(uint16_t port) {
	struct message message = message_make();
	size_t size;
	char *text = text_make(&size);

	message_check(&message,
		      (chance(60) ? rte_pmd_ddp_profile_add_text : rte_pmd_ddp_profile_del_text)(
			      port, text, size, message.text, message.size));
}

static void lists(uint16_t port) {
	unsigned int n = below(8), size = below(80);
	struct rte_pmd_ddp_profile *profiles = zero_bytes(n * sizeof(*profiles));
	struct rte_pmd_ddp_ptype *types = zero_bytes(n * sizeof(*types));
	struct rte_pmd_ddp_ptype_mapping *items = zero_bytes(n * sizeof(*items));

	rte_pmd_ddp_profiles_get(port, n > 0 ? profiles : NULL, n);
	rte_pmd_ddp_ptypes_get(port, n > 0 ? types : NULL, n);
	rte_pmd_ddp_ptype_mapping_get(port, n > 0 ? items : NULL, n);
	rte_pmd_ddp_ptype_name(port, chance(90) ? below(60) : random_bits(),
			       size > 0 ? zero_bytes(size) : NULL, size);
}

static uint32_t ptype(void) {
	return chance(70) ? random_bits() & RTE_PTYPE_ALL_MASK : random_bits();
}

static void mapping(uint16_t port) {
	unsigned int n = below(6);
	struct rte_pmd_ddp_ptype_mapping *items = zero_bytes(n * sizeof(*items));

	for (unsigned int i = 0; i < n; i++) {
		items[i].id = chance(95) ? 1 + below(12) : random_bits();
		items[i].rte_ptype = ptype();
	}
	if (chance(60))
		rte_pmd_ddp_ptype_mapping_update(port, n > 0 ? items : NULL, n, chance(30));
	else if (chance(60))
		rte_pmd_ddp_ptype_mapping_replace(port, ptype(), chance(50), ptype());
	else
		rte_pmd_ddp_ptype_mapping_reset(port);
}

/* Telemetry */

static int socket_open(void) {
	const struct timeval timeout = {.tv_sec = ANSWER_SECONDS};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	char hello[1024];

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/dpdk_telemetry.v2",
		 rte_eal_get_runtime_dir());
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
	    recv(fd, hello, sizeof(hello), 0) <= 0) {
		fault("no telemetry on %s", address.sun_path);
		close(fd);
		return -1;
	}
	return fd;
}

static const char *const commands[] = {
	"/net_ddp/list",        "/net_ddp/info",        "/net_ddp/ptypes",
	"/net_ddp/queues",      "/net_ddp/profile_add", "/net_ddp/profile_del",
	"/net_ddp/profile_add", "/net_ddp/profile_del", "/net_ddp/nosuch",
};

// Is the socket still good for a next command?
static bool command_run(int fd, const char *command) {
	static __thread char answer[ANSWER_SIZE];
	ssize_t size;

	if (send(fd, command, strlen(command), 0) < 0)
		return false;
	size = recv(fd, answer, sizeof(answer), 0);
	if (size <= 0 || answer[0] != '{') {
		fault("no answer to %s", command);
		return false;
	}
	return true;
}

static void command_make(char *command, size_t size) {
	const char *name = PICK(commands);

	if (chance(5))
		snprintf(command, size, "%s,%s", name, random_text(below(60)));
	else if (chance(10))
		snprintf(command, size, "%s", name);
	else
		snprintf(command, size, "%s,%u,%s", name, below(5),
			 chance(50) ? PICK(specs) :
			 chance(50) ? "3" :
				      "text");
}

static void telemetry(uint16_t port) {
	char command[256];
	int fd = socket_open();

	command_make(command, sizeof(command));
	say(" %s", command);
	if (fd >= 0) {
		command_run(fd, command);
		close(fd);
	}
}

static pthread_t watcher;
static atomic_bool watching;

// Somebody who looks at all ports all the time, and changes one now and then.
static void *watcher_main(void *arg) {
	int fd = socket_open();
	unsigned int i = 0;

	while (fd >= 0 && watching) {
		char command[64];

		snprintf(command, sizeof(command), "%s,%u,%s", commands[i % RTE_DIM(commands)],
			 i / 7 % 5, i % 2 ? "geneve" : "0");
		if (!command_run(fd, command))
			break;
		usleep(1000);
		i++;
	}
	if (fd >= 0)
		close(fd);
	return NULL;
}

void watcher_start(void) {
	watching = true;
	if (pthread_create(&watcher, NULL, watcher_main, NULL) != 0)
		abort();
}

void watcher_stop(void) {
	watching = false;
	pthread_join(watcher, NULL);
}

const struct control_call profile_calls[] = {
	{"profile add", 60, profile_add},
	{"profile del", 60, profile_del},
	{"profile text", 70, profile_text},
	{"lists", 30, lists},
	{"mapping", 30, mapping},
	{"telemetry", 30, telemetry},
	{0},
};
