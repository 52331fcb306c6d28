/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulation_out.h"

static void queues_json(const struct simulation *simulation, const struct outcome *outcome,
			struct emit *emit) {
	emit_key_open(emit, "queues", '[');
	for (unsigned int i = 0; i < simulation->n_queues; i++) {
		emit_open(emit, '{');
		emit_key_uint(emit, "queue", i);
		emit_key_uint(emit, "packets", outcome->queue_packets[i]);
		emit_key_uint(emit, "bytes", outcome->queue_bytes[i]);
		emit_close(emit, '}');
	}
	emit_close(emit, ']');
}

static void ptypes_json(const struct outcome *outcome, struct emit *emit) {
	emit_key_open(emit, "ptypes", '[');
	for (unsigned int i = 0; i < outcome->n_types; i++) {
		emit_open(emit, '{');
		emit_key_text(emit, "name", outcome->types[i].name);
		emit_key_uint(emit, "packets", outcome->types[i].packets);
		emit_close(emit, '}');
	}
	emit_close(emit, ']');
}

// How each of them spreads.
static void types_json(const struct outcome *outcome, struct emit *emit) {
	emit_key_open(emit, "ptype_spreads", '[');
	for (unsigned int i = 0; i < outcome->n_types; i++) {
		const struct outcome_type *type = &outcome->types[i];

		emit_open(emit, '{');
		emit_key_text(emit, "name", type->name);
		emit_key_uint(emit, "unhashed", type->unhashed);
		emit_key_real(emit, "imbalance", type->imbalance);
		emit_key_real(emit, "jain", type->jain);
		emit_key_real(emit, "hottest", type->hottest);
		emit_close(emit, '}');
	}
	emit_close(emit, ']');
}

static void scaling_json(const struct simulation *simulation, const struct outcome *outcome,
			 struct emit *emit) {
	emit_key_open(emit, "scaling", '[');
	for (unsigned int i = 0; i < simulation->n_queues; i++)
		emit_real(emit, outcome->scaling[i]);
	emit_close(emit, ']');
	if (simulation->core_mpps > 0 && simulation->load_mpps > 0) {
		emit_key(emit, "cores");
		if (outcome->cores > 0)
			emit_uint(emit, outcome->cores);
		else
			emit_null(emit);
	}
}

static void moments_json(const struct simulation *simulation, const struct outcome *outcome,
			 struct emit *emit) {
	emit_key_open(emit, "windows", '[');
	for (unsigned int i = 0; i < simulation->n_moments; i++) {
		emit_open(emit, '{');
		emit_key_real(emit, "start", i * (simulation->moment_ns / 1e9));
		emit_key_uint(emit, "packets", outcome->moments[i].packets);
		emit_key_real(emit, "imbalance", outcome->moments[i].imbalance);
		emit_close(emit, '}');
	}
	emit_close(emit, ']');
	emit_key(emit, "worst_window");
	if (simulation->n_moments > 0)
		emit_uint(emit, outcome->worst);
	else
		emit_null(emit);
}

static void meeting_json(const char *key, const struct meeting *meeting, struct emit *emit) {
	emit_key_open(emit, key, '{');
	emit_key_uint(emit, "number", meeting->n);
	emit_key_uint(emit, "parted", meeting->n_parted);
	if (meeting->who != NULL) {
		emit_key_open(emit, "example", '{');
		emit_key_text(emit, "who", meeting->who);
		emit_key_open(emit, "packets", '[');
		emit_uint(emit, meeting->packets[0]);
		emit_uint(emit, meeting->packets[1]);
		emit_close(emit, ']');
		emit_key_open(emit, "queues", '[');
		emit_uint(emit, meeting->queues[0]);
		emit_uint(emit, meeting->queues[1]);
		emit_close(emit, ']');
		emit_close(emit, '}');
	}
	emit_close(emit, '}');
}

static void outcome_json(const struct simulation *simulation, const struct outcome *outcome,
			 struct emit *emit) {
	emit_key_uint(emit, "packets", simulation->packets - outcome->dropped);
	queues_json(simulation, outcome, emit);
	emit_key_real(emit, "imbalance", outcome->imbalance);
	emit_key_real(emit, "jain", outcome->jain);
	ptypes_json(outcome, emit);
	types_json(outcome, emit);
	emit_key_real(emit, "hottest", outcome->hottest);
	emit_key_uint(emit, "unhashed", outcome->unhashed);
	emit_key_uint(emit, "dropped", outcome->dropped);
	emit_key_uint(emit, "hashes", outcome->n_groups);
	emit_key_real(emit, "entropy", outcome->entropy);
	emit_key_uint(emit, "largest_hash", outcome->largest_group);
	emit_key_real(emit, "least_imbalance", outcome->bound);
	scaling_json(simulation, outcome, emit);
	moments_json(simulation, outcome, emit);
	meeting_json("ues", &outcome->ues, emit);
	meeting_json("directions", &outcome->flows, emit);
}

static void candidates_json(const struct simulation *simulation, struct emit *emit) {
	emit_key_open(emit, "candidates", '[');
	for (unsigned int i = 0; i + 1 < simulation->n_outcomes; i++) {
		emit_open(emit, '{');
		emit_key_text(emit, "name", simulation->outcomes[i].name);
		outcome_json(simulation, &simulation->outcomes[i], emit);
		emit_close(emit, '}');
	}
	emit_close(emit, ']');
}

static void flows_json(const struct simulation *simulation, struct emit *emit) {
	emit_key_open(emit, "flows", '{');
	emit_key_uint(emit, "number", simulation->n_flows);
	emit_key_bool(emit, "exact", simulation->flows_exact);
	emit_key_uint(emit, "error", simulation->flow_error);
	emit_key_open(emit, "top", '[');
	for (unsigned int i = 0; i < simulation->n_top_flows; i++) {
		const struct top_flow *flow = &simulation->top_flows[i];

		emit_open(emit, '{');
		emit_key_text(emit, "flow", flow->text);
		emit_key_text(emit, "ptype", flow->type);
		emit_key_uint(emit, "packets", flow->packets);
		emit_key_uint(emit, "bytes", flow->bytes);
		emit_close(emit, '}');
	}
	emit_close(emit, ']');
	emit_close(emit, '}');
}

void simulation_json(const struct simulation *simulation, struct emit *emit) {
	outcome_json(simulation, &simulation->outcomes[0], emit);
	emit_key_open(emit, "baseline", '{');
	outcome_json(simulation, &simulation->outcomes[simulation->n_outcomes - 1], emit);
	emit_close(emit, '}');
	candidates_json(simulation, emit);
	flows_json(simulation, emit);
	emit_key_real(emit, "window", simulation->moment_ns / 1e9);
	emit_key_real(emit, "load_mpps", simulation->load_mpps);
	emit_key_uint(emit, "bytes", simulation->bytes);
	emit_key_uint(emit, "cut", simulation->cut);
	emit_key_bool(emit, "partial", simulation->partial);
}
