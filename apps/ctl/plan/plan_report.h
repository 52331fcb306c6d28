/* SPDX-License-Identifier: BSD-3-Clause */
// The result of `plan` for kinds of NIC, as text and as JSON.
#ifndef DDPCTL_PLAN_PLAN_REPORT_H
#define DDPCTL_PLAN_PLAN_REPORT_H

#include "base/diag.h"
#include "classify/classify.h"
#include "common/json_writer.h"
#include "ctl/steer/steer.h"
#include "offload/offload.h"

// The plan for a kind of NIC, and its package.
struct planned {
	struct ddp_plan *plan;
	bool takes_package; // of the 700 series
	struct ddp_package *package;
	struct ddp_diag diag; // reason, if package is NULL
};

struct plan_report {
	const char *spec; // of the profile
	const struct ddp_program *program;
	unsigned int n_queues;
};

// One kind of NIC.
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
	uint64_t by_class[DDP_OFFLOAD_NONE + 1];    // packets, by the plan's classes
	uint64_t by_spread[DDP_SPREAD_UNASKED + 1]; // packets, by the NIC alone
	struct plan_choice choices[PLAN_CHOICES];
	unsigned int n_choices;
	char *cut_warning;    // unknown results because of cut packets; NULL: none
	unsigned int snaplen; // bytes, that the capture needs then
};

// Read the packets of path. spec NULL: base. Returns the exit status; errors go to stderr. With any
// status the caller calls plan_capture_fini().
int plan_capture_read(const char *path, const struct steer_config *steer, const char *spec,
		      const struct planned *planned, struct plan_capture *capture);
void plan_capture_fini(struct plan_capture *capture);
void plan_capture_warn(const struct plan_capture *capture, struct output *out); // at the top
void plan_capture_print(const struct plan_capture *capture, struct output *out);
void plan_capture_json(const struct plan_capture *capture, struct json_writer *json);

#endif
