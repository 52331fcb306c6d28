/* SPDX-License-Identifier: BSD-3-Clause */
// Packet types of 800-series packages in protocol words.
#ifndef DDPCTL_NIC_KIND_H
#define DDPCTL_NIC_KIND_H

#include "package/e810_parser.h"

#define NIC_KINDS_MAX 32

// What a packet type is about: "GTP-U user data", "PPPoE sessions", ... The same string for all of a kind;
// there are fewer than NIC_KINDS_MAX.
const char *nic_kind(const struct e810_parser *parser, uint16_t ptype);

#endif
