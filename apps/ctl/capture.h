/* SPDX-License-Identifier: BSD-3-Clause */
// Packets out of a capture file: pcap or pcapng, whatever libpcap reads, of link type Ethernet.
#ifndef DDPCTL_CAPTURE_H
#define DDPCTL_CAPTURE_H

#include <limits.h>
#include <pcap/pcap.h>
#include <stdint.h>
#include <stdio.h>

#include "classify/classify.h"

struct capture {
	const char *path; // as messages name it
	FILE *file;
	pcap_t *pcap;
	uint64_t size;      // of the file in bytes; 0 where it has none (a pipe)
	uint64_t n_packets; // read so far
	char error[PATH_MAX + PCAP_ERRBUF_SIZE]; // after a failure: "path: what is wrong"
};

// Open the file at path, "-" for standard input. path must outlive the capture.
// 0, or -EIO with error set and nothing to close.
int capture_open(struct capture *capture, const char *path);
void capture_close(struct capture *capture);

// The next packet, as long as captured; its bytes are valid until the next call.
// 1, 0 at the end of the file, -EIO with error set (the file ends in the middle of a record).
int capture_next(struct capture *capture, struct ddp_packet *packet);

// Bytes of the file read so far.
uint64_t capture_position(const struct capture *capture);

#endif
