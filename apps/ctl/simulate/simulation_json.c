/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulation.h"

static void ptypes_json(const struct spread *spread, struct json_writer *json) {
	const unsigned int n_queues = spread->steer->config.n_queues;
	unsigned int n = 0;

	jsonw_key_open(json, "ptypes", '[');
	for (; n < spread->n_types && spread->types[n].packets > 0; n++)
		jsonw_object(json, "name:%s packets:%ju", spread->types[n].name,
			     spread->types[n].packets);
	jsonw_write(json, "] ptype_spreads:[");
	for (unsigned int i = 0; i < n; i++) {
		const struct spread_type *type = &spread->types[i];

		jsonw_object(json, "name:%s unhashed:%ju imbalance:%g jain:%g hottest:%g",
			     type->name, type->unhashed,
			     ddp_imbalance(type->queue_packets, n_queues),
			     ddp_jain(type->queue_packets, n_queues),
			     share_of(most_of(type->queue_packets, n_queues), type->packets));
	}
	jsonw_close(json, ']');
}

static void scaling_json(const struct simulation *simulation, const struct outcome *outcome,
			 struct json_writer *json) {
	jsonw_key_open(json, "scaling", '[');
	for (unsigned int i = 0; i < simulation->n_queues; i++)
		jsonw_real(json, outcome->scaling[i]);
	jsonw_close(json, ']');
	if (simulation->options->core_mpps > 0 && simulation->load_mpps > 0)
		jsonw_key_uint_or_null(json, "cores", outcome->cores > 0, outcome->cores);
}

static void windows_json(const struct outcome *outcome, struct json_writer *json) {
	const struct windows *windows = &outcome->spread->windows;

	jsonw_key_open(json, "windows", '[');
	for (unsigned int i = 0; i < windows->n; i++) {
		const uint64_t *queues = windows_queues(windows, i);

		jsonw_object(json, "start:%g packets:%ju imbalance:%g",
			     i * (windows->length_ns / 1e9), sum_of(queues, windows->n_queues),
			     ddp_imbalance(queues, windows->n_queues));
	}
	jsonw_close(json, ']');
	jsonw_key_uint_or_null(json, "worst_window", windows->n > 0, outcome->worst);
}

static void intervals_json(const struct balancing *balancing, struct json_writer *json) {
	jsonw_key_open(json, "intervals", '[');
	for (unsigned int i = 0; i < balancing->n_intervals_kept; i++) {
		const struct balancing_interval *interval = &balancing->intervals[i];

		jsonw_object(json, "packets:%ju fixed:%g balanced:%g after:%g moves:%u",
			     interval->packets, interval->fixed, interval->balanced,
			     interval->after, interval->n_moves);
	}
	jsonw_write(json, "] moves:[");
	for (unsigned int i = 0; i < balancing->n_moves_kept; i++) {
		const struct ddp_balancer_move *move = &balancing->moves[i];

		jsonw_object(json, "interval:%ju entry:%u from:%u to:%u", move->when, move->entry,
			     move->from, move->to);
	}
	jsonw_close(json, ']');
}

static void balancing_json(const struct simulation *simulation, const struct balancing *balancing,
			   struct json_writer *json) {
	jsonw_write(
		json,
		"balance:{interval:%g n_intervals:%ju busy_intervals:%ju loaded_intervals:%ju "
		"n_moves:%ju moves_per_second:%g fixed:%g balanced:%g after:%g fixed_worst:%g balanced_worst:%g after_worst:%g bound_intervals:%ju",
		balancing->interval_ns / 1e9, balancing->n_intervals, balancing->n_busy,
		balancing->n_loaded, balancing->n_moves, balancing->move_rate, balancing->fixed,
		balancing->balanced, balancing->after, balancing->fixed_worst,
		balancing->balanced_worst, balancing->after_worst, balancing->n_bound);
	if (balancing->bound_entry >= 0)
		jsonw_write(json, "bound_entry:%u bound_share:%g bound_flow:%s",
			    (unsigned int)balancing->bound_entry, balancing->bound_share,
			    balancing->bound_flow);
	if (simulation->options->balance_ms != 0)
		intervals_json(balancing, json);
	jsonw_close(json, '}');
}

static void affinity_json(const char *key, const struct affinity *affinity,
			  struct json_writer *json) {
	jsonw_key_open(json, key, '{');
	jsonw_write(json, "number:%ju parted:%ju", affinity->n, affinity->n_split);
	if (affinity->who != NULL)
		jsonw_write(json, "example:{who:%s packets:[%ju %ju] queues:[%u %u]}",
			    affinity->who, affinity->packets[0], affinity->packets[1],
			    affinity->queues[0], affinity->queues[1]);
	jsonw_close(json, '}');
}

static void keys_json(const struct key_spread *keys, struct json_writer *json) {
	const struct key_range *plain = &keys->plain, *balanced = &keys->balanced;

	jsonw_write(json, "keys:{number:%u imbalance:{median:%g low:%g high:%g}", keys->n,
		    plain->median, plain->low, plain->high);
	if (keys->n_balanced > 0)
		jsonw_write(json, "balanced:{median:%g low:%g high:%g}", balanced->median,
			    balanced->low, balanced->high);
	jsonw_close(json, '}');
}

static void outcome_json(const struct simulation *simulation, const struct outcome *outcome,
			 struct json_writer *json) {
	const struct spread *spread = outcome->spread;

	jsonw_write(json, "packets:%ju queues:[", spread->packets);
	for (unsigned int i = 0; i < simulation->n_queues; i++)
		jsonw_object(json, "queue:%u packets:%ju bytes:%ju", i, spread->queue_packets[i],
			     spread->queue_bytes[i]);
	jsonw_write(json, "] imbalance:%g jain:%g", outcome->imbalance, outcome->jain);
	ptypes_json(spread, json);
	jsonw_write(
		json,
		"hottest:%g unhashed:%ju dropped:%ju hashes:%ju entropy:%g largest_hash:%ju least_imbalance:%g unknown:%ju",
		outcome->hottest, spread->unhashed, spread->dropped, (uint64_t)spread->groups.n,
		outcome->entropy, outcome->largest_group, outcome->bound, spread->cut.packets);
	scaling_json(simulation, outcome, json);
	windows_json(outcome, json);
	if (spread->balancing != NULL)
		balancing_json(simulation, spread->balancing, json);
	if (outcome->keys.n > 0)
		keys_json(&outcome->keys, json);
	affinity_json("ues", &outcome->ues, json);
	affinity_json("directions", &outcome->flows, json);
}

static void nics_json(const struct simulation *simulation, struct json_writer *json) {
	if (simulation->n_nics == 0)
		return;
	jsonw_key_open(json, "nics", '[');
	for (unsigned int i = 0; i < simulation->n_nics; i++) {
		const struct nic_outcome *nic = &simulation->nics[i];

		jsonw_write(json,
			    "{nic:%s imbalance:%g queues_used:%u hashes:%ju unhashed:%ju why:%s "
			    "hashed:[",
			    ddp_nic_name(nic->nic), nic->imbalance, nic->n_queues,
			    (uint64_t)nic->spread->groups.n, nic->spread->unhashed, nic->why);
		for (unsigned int k = 0; k < nic->n_shares; k++)
			jsonw_object(json, "fields:%s packets:%ju", nic->shares[k].by,
				     nic->shares[k].packets);
		jsonw_write(json, "]}");
	}
	jsonw_close(json, ']');
}

static void flows_json(const struct simulation *simulation, struct json_writer *json) {
	jsonw_write(json, "flows:{number:%ju exact:%d top:[", simulation->n_flows,
		    simulation->flows_exact);
	for (unsigned int i = 0; i < simulation->n_top_flows; i++) {
		const struct top_flow *flow = &simulation->top_flows[i];

		jsonw_write(json, "{flow:%s outer:%s ptype:%s packets:%ju bytes:%ju queues:[",
			    flow->text, flow->outer, flow->type, flow->packets, flow->bytes);
		// The first two queues of each candidate, none if its rules drop the flow.
		for (unsigned int p = 0; p < simulation->n_outcomes; p++) {
			jsonw_open(json, '[');
			for (unsigned int q = 0; q < 2 && flow->slots[p].n[q] != 0; q++)
				jsonw_uint(json, flow->slots[p].queue[q]);
			jsonw_close(json, ']');
		}
		jsonw_write(json, "]}");
	}
	jsonw_write(json, "]}");
}

void simulation_json(const struct simulation *simulation, struct json_writer *json) {
	outcome_json(simulation, &simulation->outcomes[0], json);
	jsonw_key_open(json, "baseline", '{');
	outcome_json(simulation, &simulation->outcomes[simulation->n_outcomes - 1], json);
	jsonw_write(json, "} candidates:[");
	for (unsigned int i = 0; i + 1 < simulation->n_outcomes; i++) {
		jsonw_write(json, "{name:%s", simulation->outcomes[i].name);
		outcome_json(simulation, &simulation->outcomes[i], json);
		jsonw_close(json, '}');
	}
	jsonw_close(json, ']');
	nics_json(simulation, json);
	flows_json(simulation, json);
	jsonw_write(json, "window:%g load_mpps:%g bytes:%ju cut:%ju partial:%d warning:%s",
		    simulation->outcomes[0].spread->windows.length_ns / 1e9, simulation->load_mpps,
		    simulation->candidates->totals.bytes, simulation->capture->n_cut,
		    simulation->partial, simulation->cut_warning);
	jsonw_key_uint_or_null(json, "snaplen", simulation->cut_warning != NULL,
			       simulation->snaplen);
	jsonw_key_uint(json, "no_ue", simulation->n_no_ue);
}
