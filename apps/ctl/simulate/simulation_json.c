/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulation_out.h"

static void queues_json(const struct simulation *simulation, const struct outcome *outcome,
			struct json_writer *json) {
	jsonw_key_open(json, "queues", '[');
	for (unsigned int i = 0; i < simulation->n_queues; i++) {
		jsonw_open(json, '{');
		jsonw_key_uint(json, "queue", i);
		jsonw_key_uint(json, "packets", outcome->queue_packets[i]);
		jsonw_key_uint(json, "bytes", outcome->queue_bytes[i]);
		jsonw_close(json, '}');
	}
	jsonw_close(json, ']');
}

static void ptypes_json(const struct outcome *outcome, struct json_writer *json) {
	jsonw_key_open(json, "ptypes", '[');
	for (unsigned int i = 0; i < outcome->n_types; i++) {
		jsonw_open(json, '{');
		jsonw_key_text(json, "name", outcome->types[i].name);
		jsonw_key_uint(json, "packets", outcome->types[i].packets);
		jsonw_close(json, '}');
	}
	jsonw_close(json, ']');
}

// How each of them spreads.
static void types_json(const struct outcome *outcome, struct json_writer *json) {
	jsonw_key_open(json, "ptype_spreads", '[');
	for (unsigned int i = 0; i < outcome->n_types; i++) {
		const struct outcome_type *type = &outcome->types[i];

		jsonw_open(json, '{');
		jsonw_key_text(json, "name", type->name);
		jsonw_key_uint(json, "unhashed", type->unhashed);
		jsonw_key_real(json, "imbalance", type->imbalance);
		jsonw_key_real(json, "jain", type->jain);
		jsonw_key_real(json, "hottest", type->hottest);
		jsonw_close(json, '}');
	}
	jsonw_close(json, ']');
}

static void scaling_json(const struct simulation *simulation, const struct outcome *outcome,
			 struct json_writer *json) {
	jsonw_key_open(json, "scaling", '[');
	for (unsigned int i = 0; i < simulation->n_queues; i++)
		jsonw_real(json, outcome->scaling[i]);
	jsonw_close(json, ']');
	if (simulation->core_mpps > 0 && simulation->load_mpps > 0) {
		jsonw_key(json, "cores");
		if (outcome->cores > 0)
			jsonw_uint(json, outcome->cores);
		else
			jsonw_null(json);
	}
}

static void moments_json(const struct simulation *simulation, const struct outcome *outcome,
			 struct json_writer *json) {
	jsonw_key_open(json, "windows", '[');
	for (unsigned int i = 0; i < simulation->n_moments; i++) {
		jsonw_open(json, '{');
		jsonw_key_real(json, "start", i * (simulation->moment_ns / 1e9));
		jsonw_key_uint(json, "packets", outcome->moments[i].packets);
		jsonw_key_real(json, "imbalance", outcome->moments[i].imbalance);
		jsonw_close(json, '}');
	}
	jsonw_close(json, ']');
	jsonw_key(json, "worst_window");
	if (simulation->n_moments > 0)
		jsonw_uint(json, outcome->worst);
	else
		jsonw_null(json);
}

static void affinity_json(const char *key, const struct affinity *affinity,
			  struct json_writer *json) {
	jsonw_key_open(json, key, '{');
	jsonw_key_uint(json, "number", affinity->n);
	jsonw_key_uint(json, "parted", affinity->n_split);
	if (affinity->who != NULL) {
		jsonw_key_open(json, "example", '{');
		jsonw_key_text(json, "who", affinity->who);
		jsonw_key_open(json, "packets", '[');
		jsonw_uint(json, affinity->packets[0]);
		jsonw_uint(json, affinity->packets[1]);
		jsonw_close(json, ']');
		jsonw_key_open(json, "queues", '[');
		jsonw_uint(json, affinity->queues[0]);
		jsonw_uint(json, affinity->queues[1]);
		jsonw_close(json, ']');
		jsonw_close(json, '}');
	}
	jsonw_close(json, '}');
}

static void outcome_json(const struct simulation *simulation, const struct outcome *outcome,
			 struct json_writer *json) {
	jsonw_key_uint(json, "packets", simulation->packets - outcome->dropped);
	queues_json(simulation, outcome, json);
	jsonw_key_real(json, "imbalance", outcome->imbalance);
	jsonw_key_real(json, "jain", outcome->jain);
	ptypes_json(outcome, json);
	types_json(outcome, json);
	jsonw_key_real(json, "hottest", outcome->hottest);
	jsonw_key_uint(json, "unhashed", outcome->unhashed);
	jsonw_key_uint(json, "dropped", outcome->dropped);
	jsonw_key_uint(json, "hashes", outcome->n_groups);
	jsonw_key_real(json, "entropy", outcome->entropy);
	jsonw_key_uint(json, "largest_hash", outcome->largest_group);
	jsonw_key_real(json, "least_imbalance", outcome->bound);
	scaling_json(simulation, outcome, json);
	moments_json(simulation, outcome, json);
	affinity_json("ues", &outcome->ues, json);
	affinity_json("directions", &outcome->flows, json);
}

static void candidates_json(const struct simulation *simulation, struct json_writer *json) {
	jsonw_key_open(json, "candidates", '[');
	for (unsigned int i = 0; i + 1 < simulation->n_outcomes; i++) {
		jsonw_open(json, '{');
		jsonw_key_text(json, "name", simulation->outcomes[i].name);
		outcome_json(simulation, &simulation->outcomes[i], json);
		jsonw_close(json, '}');
	}
	jsonw_close(json, ']');
}

static void flows_json(const struct simulation *simulation, struct json_writer *json) {
	jsonw_key_open(json, "flows", '{');
	jsonw_key_uint(json, "number", simulation->n_flows);
	jsonw_key_bool(json, "exact", simulation->flows_exact);
	jsonw_key_uint(json, "error", simulation->flow_error);
	jsonw_key_open(json, "top", '[');
	for (unsigned int i = 0; i < simulation->n_top_flows; i++) {
		const struct top_flow *flow = &simulation->top_flows[i];

		jsonw_open(json, '{');
		jsonw_key_text(json, "flow", flow->text);
		jsonw_key_text(json, "ptype", flow->type);
		jsonw_key_uint(json, "packets", flow->packets);
		jsonw_key_uint(json, "bytes", flow->bytes);
		jsonw_close(json, '}');
	}
	jsonw_close(json, ']');
	jsonw_close(json, '}');
}

void simulation_json(const struct simulation *simulation, struct json_writer *json) {
	outcome_json(simulation, &simulation->outcomes[0], json);
	jsonw_key_open(json, "baseline", '{');
	outcome_json(simulation, &simulation->outcomes[simulation->n_outcomes - 1], json);
	jsonw_close(json, '}');
	candidates_json(simulation, json);
	flows_json(simulation, json);
	jsonw_key_real(json, "window", simulation->moment_ns / 1e9);
	jsonw_key_real(json, "load_mpps", simulation->load_mpps);
	jsonw_key_uint(json, "bytes", simulation->bytes);
	jsonw_key_uint(json, "cut", simulation->cut);
	jsonw_key_bool(json, "partial", simulation->partial);
}
