/* SPDX-License-Identifier: BSD-3-Clause */
// Frames that several tests send.
#ifndef CTL_FRAMES_H
#define CTL_FRAMES_H

#include <stdint.h>
#include <string.h>

// From Microsoft's RSS verification suite: 66.9.149.187:2794 to 161.142.100.80:1766.
static const uint8_t frame_tcp[54] = {
	0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x00, 0x00, 0x00, 0x00, 0x02,
	0x08, 0x00,                                                             // Ethernet
	0x45, 0x00, 0x00, 0x28, 0x00, 0x00, 0x40, 0x00, 0x40, 0x06, 0x00, 0x00, // IPv4
	66,   9,    149,  187,  161,  142,  100,  80,                           // addresses
	0x0a, 0xea, 0x06, 0xe6, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, // TCP
	0x50, 0x10, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00,
};

// frame_tcp in the other direction.
static inline void frame_reverse(uint8_t frame[sizeof(frame_tcp)]) {
	memcpy(frame, frame_tcp, sizeof(frame_tcp));
	memcpy(frame + 26, frame_tcp + 30, 4);
	memcpy(frame + 30, frame_tcp + 26, 4);
	memcpy(frame + 34, frame_tcp + 36, 2);
	memcpy(frame + 36, frame_tcp + 34, 2);
}

#endif
