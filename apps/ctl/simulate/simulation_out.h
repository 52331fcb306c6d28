/* SPDX-License-Identifier: BSD-3-Clause */
// A simulation for people and for machines.
#ifndef DDPCTL_SIMULATE_SIMULATION_OUT_H
#define DDPCTL_SIMULATE_SIMULATION_OUT_H

#include "common/json_writer.h"
#include "simulation.h"

// simulation_text.c
void simulation_print(const struct simulation *simulation, struct output *out);
// Parts of it, each with an empty line behind it.
void simulation_outcomes_print(const struct simulation *simulation, struct output *out);
void simulation_scaling_print(const struct simulation *simulation, struct output *out);
void simulation_flows_print(const struct simulation *simulation, struct output *out);
void simulation_meetings_print(const struct simulation *simulation, struct output *out);
void simulation_notes_print(const struct simulation *simulation, struct output *out);

// simulation_json.c: the keys of an object, which the caller opens and closes.
void simulation_json(const struct simulation *simulation, struct json_writer *json);

#endif
