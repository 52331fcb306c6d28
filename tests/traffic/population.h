/* SPDX-License-Identifier: BSD-3-Clause */
// The population: the UEs, the gNBs they are at, and their flows to servers in the data network.
// One seed gives the same population whichever captures are taken of it.
#ifndef TRAFFIC_POPULATION_H
#define TRAFFIC_POPULATION_H

#include <stdbool.h>
#include <stdint.h>

struct config;

// IPv4 (the first 4 bytes) or IPv6, in network order.
struct address {
	uint8_t bytes[16];
};

struct ue {
	bool ipv6;
	bool sequenced; // its tunnels carry sequence numbers
	uint32_t gnb;
	uint32_t teid_up;
	uint32_t teid_down;
	struct address addr;
};

struct flow {
	uint32_t id;
	uint32_t ue_id;
	struct ue ue;
	struct address server;
	uint16_t ue_port;
	uint16_t server_port;
	uint8_t protocol; // IPPROTO_TCP or IPPROTO_UDP
	uint8_t qfi;
	uint32_t isn_up; // initial TCP sequence numbers
	uint32_t isn_down;
};

// At a time, without elephants.
uint64_t flow_count(const struct config *config);

// A flow by its number. nth tells its port from those that the UE's other flows have at the time:
// up to MAX_FLOWS - 1, and for elephants from there on.
struct flow flow_make(const struct config *config, uint32_t id, uint32_t ue_id, uint32_t nth);

// Whose flow an elephant is, by its number.
uint32_t elephant_ue(const struct config *config, uint32_t id);

struct address gnb_address(const struct config *config, uint32_t gnb);
struct address upf_address(const struct config *config);

#endif
