/* SPDX-License-Identifier: BSD-3-Clause */
// Frames from words: "eth vlan ipv4 udp=2152 gtpu ipv4 tcp". Each word appends a header and enters
// its number in the header before.
//
//	eth vlan arp lldp ptp pause mpls mplsm pppoe pppoed      (vlan=88a8: another tag type)
//	ipv4 ipv6 hop routing dest frag6 ah esp icmp icmp6 tcp sctp gre l2tpv3
//	udp=PORT (destination; source 40000)  vxlan gpe geneve gtpu pfcp
//	type=HEX proto=N    a number to the header before, without a header
//	x=HEX               these bytes
//	pay                 24 bytes
//	ipv4=frag           a later fragment;  ipv4=first: the first of several
//	gtpu=HEX            other bytes than 30 ff 0008 00000001
#ifndef PACKAGE_FRAMES_H
#define PACKAGE_FRAMES_H

#include <stdint.h>

#define FRAME_MAX 9216

struct frame {
	unsigned int len;
	uint8_t bytes[FRAME_MAX];
};

// Aborts the test at a word that is none.
void frame_make(struct frame *frame, const char *words);

#endif
