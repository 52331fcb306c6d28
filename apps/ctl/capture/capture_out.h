/* SPDX-License-Identifier: BSD-3-Clause */
// A capture to write: a pcap file of Ethernet frames, times in nanoseconds.
#ifndef DDPCTL_CAPTURE_CAPTURE_OUT_H
#define DDPCTL_CAPTURE_CAPTURE_OUT_H

#include <pcap/pcap.h>
#include <stdint.h>

#include "capture.h"
#include "common/new_file.h"

struct capture_out {
	const char *path;
	struct new_file file;
	pcap_t *pcap;
	pcap_dumper_t *dumper;
};

// 0, or an exit status after a message.
int capture_out_open(struct capture_out *out, const char *path);

// Write a packet as it is.
void capture_out_write(struct capture_out *out, const struct capture_packet *packet);

// Write a packet as net_ddp with decap=on gives it: without what lies between its Ethernet
// addresses and the IP header at l3_off.
void capture_out_decap(struct capture_out *out, const struct capture_packet *packet,
		       uint16_t l3_off);

// Complete the file. Returns an exit status, after a message if it cannot be written.
int capture_out_close(struct capture_out *out);

#endif
