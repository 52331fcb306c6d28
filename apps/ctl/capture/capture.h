/* SPDX-License-Identifier: BSD-3-Clause */
// Packets out of a capture: a file in pcap or pcapng format, compressed or not, standard input, or
// an interface. libpcap reads all of them. Every packet begins with Ethernet, whatever the
// capture's link type is. Memory does not grow with the capture.
//
//	capture_open(&capture, &(struct capture_config){.path = "n3.pcap.gz"});
//	while (capture_next(&capture, &packet) > 0)
//		...
#ifndef DDPCTL_CAPTURE_CAPTURE_H
#define DDPCTL_CAPTURE_CAPTURE_H

#include <limits.h>
#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdint.h>

#include "classify/classify.h"
#include "input.h"

struct capture_config {
	const char *path;       // of the file, "-" for standard input
	const char *interface;  // instead of a file; else NULL
	const char *expression; // filter; NULL: every packet
	uint64_t n_packets;     // end after so many that pass the filter; 0: all
	bool any_expansion;     // of a compressed file
	bool as_captured; // a packet that was cut short is one of the length that was captured
};

#define CAPTURE_PACKET_MAX 262144 // bytes captured of one packet, as in libpcap
#define CAPTURE_BATCH_PACKETS 8192
#define CAPTURE_BATCH_BYTES (4 * CAPTURE_PACKET_MAX)
#define CAPTURE_TAILROOM 2048 // bytes that may be read behind the last packet

struct capture_packet {
	const uint8_t *data; // a frame; a few bytes behind it may be read, too
	uint32_t len;        // bytes of it
	uint32_t wire_len;   // what it had before it was cut short
	uint64_t time_ns;    // since 1970; 0 if the capture does not tell
};

struct capture_batch {
	unsigned int n;
	uint64_t first; // number of the first packet in the capture, from 1
	struct capture_packet packets[CAPTURE_BATCH_PACKETS];
	uint8_t bytes[CAPTURE_BATCH_BYTES + CAPTURE_TAILROOM];
};

struct capture {
	const char *path; // as messages name it
	struct capture_config config;
	bool is_live;
	struct input input; // of a file
	pcap_t *pcap;
	int pcap_end; // what it said last, below 0
	const struct link *link;
	bool ended;
	bool interrupted;            // ended by a signal
	uint64_t n_packets;          // given out so far
	uint64_t n_cut;              // of these: not captured as a whole,
	uint32_t cut_len;            // and the most bytes of one of them
	struct capture_batch *batch; // of capture_next()
	unsigned int batch_at;
	char error[PATH_MAX + PCAP_ERRBUF_SIZE]; // after a failure: "path: what is wrong"
};

// What config points to must outlive the capture. 0, -EINVAL for a filter that is none, -EIO; these
// with error set and nothing to close.
int capture_open(struct capture *capture, const struct capture_config *config);
void capture_close(struct capture *capture);

// A batch of the next packets, as many as there are without waiting; they belong to the batch.
// 1, 0 at the end of the file (or when it is interrupted), or as capture_open().
int capture_fill(struct capture *capture, struct capture_batch *batch);

// The next packet; its bytes are valid until the next call. Returns as capture_fill(); without
// memory the process ends.
int capture_next(struct capture *capture, struct ddp_packet *packet);

// The packet that capture_next() gave last, with its time; valid as long as its bytes.
const struct capture_packet *capture_current(const struct capture *capture);

// Is the next packet there already?
bool capture_pending(const struct capture *capture);

// Bytes from a packet's first on that may be read.
static inline size_t capture_readable(const struct capture_batch *batch,
				      const struct capture_packet *packet) {
	return batch->bytes + sizeof(batch->bytes) - packet->data;
}

// Packets that the interface's system had no room for; 0 for a file.
uint64_t capture_dropped(const struct capture *capture);

// The process's exit status after capture_open(), capture_next() or capture_fill() returned ret, 0
// or less.
int capture_status(const struct capture *capture, int ret);

static inline uint16_t be16(const uint8_t *bytes) {
	return bytes[0] << 8 | bytes[1];
}

/* Link types: what the packets of a capture begin with */

// Packets of other links than Ethernet get an Ethernet header in place of their own link header:
// zero addresses and the EtherType that the link header or the IP version tells.
#define LINK_ETH_SIZE 14 // bytes by which a frame can be longer than its packet

// Of a DLT_*; NULL: not supported.
const struct link *link_find(int type);

// "RAW", or its number.
const char *link_type_name(int type);

// All that are supported, for messages: "Ethernet, raw IP, ...".
const char *link_names(void);

// Copy a packet as an Ethernet frame. Returns its length: 0 if the packet is too short for its link
// header.
uint32_t link_to_ethernet(const struct link *link, const uint8_t *data, uint32_t len,
			  uint8_t *frame);

/* A sample, for what takes too long to be done with each packet */

#define SAMPLE_PACKETS 65536
#define SAMPLE_BYTES 256 // of a packet, from its first

struct sample_packet {
	uint32_t wire_len; // that it had
	uint16_t len;
	uint8_t bytes[SAMPLE_BYTES];
};

// Evenly taken from all of a capture, however long it is, in limited memory.
struct sample {
	uint64_t stride; // each so many-th packet is in it
	unsigned int n;
	struct sample_packet *packets;
};

// Packet i, whose bytes belong to the sample.
static inline struct capture_packet sample_packet(const struct sample *sample, unsigned int i) {
	return (struct capture_packet){
		.data = sample->packets[i].bytes,
		.len = sample->packets[i].len,
		.wire_len = sample->packets[i].wire_len,
	};
}

// Of a sample with stride 1 and room for SAMPLE_PACKETS.
void sample_take(struct sample *sample, const struct capture_batch *batch);

#endif
