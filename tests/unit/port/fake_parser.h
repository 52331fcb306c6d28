/* SPDX-License-Identifier: BSD-3-Clause */
// The headers that a fake NIC's parser finds in a packet.
#ifndef DDP_TESTS_FAKE_PARSER_H
#define DDP_TESTS_FAKE_PARSER_H

#include "fake_nic.h"

struct layer3 {
	unsigned int version; // 0: there is none
	uint16_t off, l4_off;
	uint32_t l4; // RTE_PTYPE_L4_*, as of an outer packet
};

struct parsed {
	struct layer3 outer, inner; // outer.version 0: no IP; inner.version 0: no tunnel
	uint32_t ptype;
	bool gtpu, psc, pppoe;
	unsigned int pdu_type;
	uint16_t gtpu_off;
	bool bad; // headers that contradict themselves or are cut: not in the model
};

void fake_parse(const struct fake_nic *nic, const uint8_t *bytes, uint32_t len, struct parsed *p);

// The index of a declared port, or of a free place (port 0). -1: there is none.
int fake_vxlan_port_find(const struct fake_nic *nic, uint16_t port);

#endif
