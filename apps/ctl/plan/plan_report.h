/* SPDX-License-Identifier: BSD-3-Clause */
// What `plan` found out about kinds of NIC, as text for people and as JSON.
#ifndef DDPCTL_PLAN_PLAN_REPORT_H
#define DDPCTL_PLAN_PLAN_REPORT_H

#include "base/diag.h"
#include "classify/classify.h"
#include "common/json_writer.h"
#include "offload/offload.h"

// Of a 700-series NIC.
struct capabilities {
	bool possible; // it takes packages
	struct ddp_package *package;
	struct ddp_diag diag; // why there is none
};

// What a kind of NIC can do, and by which package.
struct planned {
	struct capabilities capabilities;
	struct ddp_plan *plan;
};

struct plan_report {
	const char *spec; // of the profile
	const struct ddp_program *program;
	unsigned int columns; // of the terminal
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

#endif
