/* SPDX-License-Identifier: BSD-3-Clause */
// ddp-traffic: captures of 5G user-plane traffic for tests, benchmarks and the demo.
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture_file.h"
#include "command_line.h"
#include "frame.h"
#include "lives.h"
#include "population.h"
#include "schedule.h"
#include "traffic_options.h"
#include "truth.h"

#define START_US UINT64_C(1700000000000000) // of the first packet, 14 November 2023

// How far a stream has come.
struct progress {
	uint32_t packets;
	uint32_t bytes; // of payload; wraps, as TCP sequence numbers do
};

struct state {
	const struct config *config;
	struct schedule schedule;
	struct lives lives;
	struct progress *streams;
	uint16_t *tunnels; // next GTP-U sequence number: 2 * UE for up, + 1 for down
};

static int state_init(struct state *state, const struct config *config, struct truth *truth) {
	uint64_t n_places = flow_count(config) + config->n_elephants;

	*state = (struct state){.config = config};
	if (schedule_init(&state->schedule, config) < 0 ||
	    lives_init(&state->lives, config, truth) < 0)
		return -ENOMEM;
	state->streams = calloc(n_places * config->n_kinds, sizeof(*state->streams));
	state->tunnels = calloc(2 * config->ues, sizeof(*state->tunnels));
	return state->streams == NULL || state->tunnels == NULL ? -ENOMEM : 0;
}

static void state_fini(struct state *state) {
	free(state->tunnels);
	free(state->streams);
	lives_fini(&state->lives);
	schedule_fini(&state->schedule);
}

// Flows begin and end until this time.
static void flows_change(struct state *state, uint64_t time_us) {
	const unsigned int n_kinds = state->config->n_kinds;
	uint64_t place;

	while (lives_change(&state->lives, time_us, &place))
		memset(&state->streams[place * n_kinds], 0, n_kinds * sizeof(*state->streams));
}

// The next frame of a place in the index-th kind of capture.
static size_t frame_next(struct state *state, uint64_t place, unsigned int index, uint8_t *frame) {
	const struct config *config = state->config;
	struct flow flow = lives_flow(&state->lives, place);
	struct progress *progress = &state->streams[place * config->n_kinds + index];
	struct packet packet = {
		.kind = config->kinds[index],
		.flow = &flow,
		.seq = progress->packets,
		.bytes = progress->bytes,
	};

	packet.size = packet_size(config, packet.kind, &flow, packet.seq);
	if (kind_is_n3(packet.kind))
		packet.gtpu_seq = state->tunnels[2 * flow.ue_id + kind_is_down(packet.kind)]++;
	progress->packets++;
	progress->bytes += packet_payload(&packet);
	return frame_build(config, &packet, frame);
}

static int frames_write(struct capture *capture, struct state *state) {
	const unsigned int n_kinds = state->config->n_kinds;
	uint8_t frame[FRAME_MAX];
	uint64_t time_us = 0;

	for (uint64_t i = 0; i < state->schedule.n_packets; i++) {
		uint32_t stream = state->schedule.streams[i];
		uint64_t place;
		size_t len;
		int ret;

		time_us = i * 1000000 / state->config->rate_pps;
		flows_change(state, time_us);
		place = lives_sender(&state->lives, stream / n_kinds);
		len = frame_next(state, place, stream % n_kinds, frame);
		lives_count(&state->lives, place, time_us, len);
		ret = capture_write(capture, START_US + time_us, frame, len);
		if (ret < 0)
			return ret;
	}
	lives_end(&state->lives, time_us);
	return 0;
}

static int capture_make(struct state *state) {
	const struct config *config = state->config;
	struct capture capture;
	int ret = capture_open(&capture, config->output, config->snaplen);

	if (ret == 0)
		ret = frames_write(&capture, state);
	if (ret < 0)
		return ret;
	return capture_close(&capture);
}

int main(int argc, char **argv) {
	struct truth truth;
	struct config config;
	struct state state;
	int ret = 0;

	options_parse(&config, argc, argv);
	if (config.truth != NULL)
		ret = truth_open(&truth, config.truth);
	if (ret < 0)
		errx(EXIT_FAILURE, "%s: %s", config.truth, strerror(-ret));
	if (state_init(&state, &config, config.truth != NULL ? &truth : NULL) < 0)
		errx(EXIT_FAILURE, "not enough memory for so many packets");
	ret = capture_make(&state);
	if (ret < 0)
		errx(EXIT_FAILURE, "%s: %s", config.output, strerror(-ret));
	if (config.truth != NULL)
		ret = truth_close(&truth);
	if (ret < 0)
		errx(EXIT_FAILURE, "%s: %s", config.truth, strerror(-ret));
	state_fini(&state);
	return EXIT_SUCCESS;
}
