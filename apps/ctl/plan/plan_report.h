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

#endif
