/* SPDX-License-Identifier: BSD-3-Clause */
// ddp-traffic: captures of 5G user-plane traffic for tests, benchmarks and the demo.
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture_file.h"
#include "command_line.h"
#include "frame.h"
#include "population.h"
#include "schedule.h"
#include "traffic_options.h"

#define START_US UINT64_C(1700000000000000) // of the first packet, 14 November 2023

// How far a stream has come.
struct progress {
	uint32_t packets;
	uint32_t bytes; // of payload; wraps, as TCP sequence numbers do
};

struct state {
	struct progress *streams;
	uint16_t *tunnels; // next GTP-U sequence number: 2 * UE for up, + 1 for down
};

static int state_init(struct state *state, const struct config *config, uint64_t n_streams) {
	state->streams = calloc(n_streams, sizeof(*state->streams));
	state->tunnels = calloc(2 * config->ues, sizeof(*state->tunnels));
	return state->streams == NULL || state->tunnels == NULL ? -ENOMEM : 0;
}

static void state_fini(struct state *state) {
	free(state->tunnels);
	free(state->streams);
}

// The next frame of a stream.
static size_t frame_next(const struct config *config, struct state *state, uint32_t stream,
			 uint8_t *frame) {
	struct flow flow = flow_make(config, stream / config->n_kinds);
	struct progress *progress = &state->streams[stream];
	struct packet packet = {
		.kind = config->kinds[stream % config->n_kinds],
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

static int frames_write(struct capture *capture, const struct config *config,
			const struct schedule *schedule, struct state *state) {
	uint8_t frame[FRAME_MAX];

	for (uint64_t i = 0; i < schedule->n_packets; i++) {
		size_t len = frame_next(config, state, schedule->streams[i], frame);
		uint64_t time_us = START_US + i * 1000000 / config->rate_pps;
		int ret = capture_write(capture, time_us, frame, len);

		if (ret < 0)
			return ret;
	}
	return 0;
}

static int capture_make(const struct config *config, const struct schedule *schedule,
			struct state *state) {
	struct capture capture;
	int ret = capture_open(&capture, config->output, config->snaplen);

	if (ret == 0)
		ret = frames_write(&capture, config, schedule, state);
	if (ret < 0)
		return ret;
	return capture_close(&capture);
}

int main(int argc, char **argv) {
	struct schedule schedule;
	struct config config;
	struct state state;
	int ret;

	options_parse(&config, argc, argv);
	if (schedule_init(&schedule, &config) < 0 ||
	    state_init(&state, &config, schedule.n_streams) < 0)
		errx(EXIT_FAILURE, "not enough memory for so many packets");
	ret = capture_make(&config, &schedule, &state);
	if (ret < 0)
		errx(EXIT_FAILURE, "%s: %s", config.output, strerror(-ret));
	state_fini(&state);
	schedule_fini(&schedule);
	return EXIT_SUCCESS;
}
