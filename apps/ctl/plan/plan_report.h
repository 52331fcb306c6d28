/* SPDX-License-Identifier: BSD-3-Clause */
// What `plan` found out about kinds of NIC, as text for people and as JSON.
#ifndef DDPCTL_PLAN_PLAN_REPORT_H
#define DDPCTL_PLAN_PLAN_REPORT_H

#include "base/diag.h"
#include "classify/classify.h"
#include "common/json_writer.h"
#include "ctl/steer/steer.h"
#include "offload/offload.h"

// What a kind of NIC can do, and by which package.
struct planned {
	struct ddp_plan *plan;
	bool takes_package; // of the 700 series
	struct ddp_package *package;
	struct ddp_diag diag; // why there is none
};

struct plan_report {
	const char *spec; // of the profile
	const struct ddp_program *program;
	unsigned int n_queues;
};

// One kind.
void plan_print(const struct plan_report *report, const struct planned *planned,
		struct output *out);
void plan_commands_print(const struct planned *planned, struct output *out);
void plan_json(const struct plan_report *report, const struct planned *planned,
	       struct json_writer *json); // keys of an object

// All kinds side by side.
void kinds_print(const struct plan_report *report, const struct planned *planned, unsigned int n,
		 struct output *out);
void kinds_json(const struct plan_report *report, const struct planned *planned, unsigned int n,
		struct json_writer *json);

/* The packets of a capture with each choice: the NIC as it is, with the rules of the plan, and
 * together with net_ddp */

#define PLAN_CHOICES 3

struct plan_choice {
	const char *name;
	double imbalance;
};

struct plan_capture {
	const char *path;
	unsigned int n_queues;
	uint64_t n_packets;
	uint64_t by_class[DDP_OFFLOAD_NONE + 1];    // of packet types that NIC and net_ddp share
	uint64_t by_spread[DDP_SPREAD_UNASKED + 1]; // of packet types as the NIC alone spreads them
	struct plan_choice choices[PLAN_CHOICES];
	unsigned int n_choices;
	char *cut_warning;    // what is not known because packets were cut; NULL: all is
	unsigned int snaplen; // that would do then
};

// Read the packets of path. spec NULL: base. Returns the exit status; what is wrong goes to stderr.
// With any status, plan_capture_fini() frees what there is.
int plan_capture_read(const char *path, const struct steer_config *steer, const char *spec,
		      const struct planned *planned, struct plan_capture *capture);
void plan_capture_fini(struct plan_capture *capture);
void plan_capture_warn(const struct plan_capture *capture, struct output *out); // at the top
void plan_capture_print(const struct plan_capture *capture, struct output *out);
void plan_capture_json(const struct plan_capture *capture, struct json_writer *json);

#endif
