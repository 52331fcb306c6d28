/* SPDX-License-Identifier: BSD-3-Clause */
// Packets of a capture: a pcap or pcapng file, maybe compressed, standard input, or an interface,
// read by libpcap. Every packet gets an Ethernet header for any link type. Memory does not grow
// with the capture.
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
	const char *interface;  // NULL: read the file
	const char *expression; // filter; NULL: every packet
	uint64_t n_packets;     // end after so many packets that pass the filter; 0: all
	bool any_expansion;     // a compressed file may expand without limit
	bool as_captured;       // the length of a cut packet is the captured length
};

#define CAPTURE_PACKET_MAX 262144                    // bytes captured of one packet, as in libpcap
#define CAPTURE_BATCH_PACKETS 8192                   // packets
#define CAPTURE_BATCH_BYTES (4 * CAPTURE_PACKET_MAX) // bytes
#define CAPTURE_TAILROOM 2048 // bytes that may be read behind the last packet

struct capture_packet {
	const uint8_t *data; // a frame; see capture_readable()
	uint32_t len;        // captured bytes
	uint32_t wire_len;   // bytes of the packet on the wire
	uint64_t time_ns;    // since 1970; 0: unknown
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
	int pcap_end; // last result of libpcap, below 0
	const struct link *link;
	bool ended;
	bool interrupted;            // ended by a signal
	uint64_t n_packets;          // packets returned so far
	uint64_t n_cut;              // of n_packets: cut packets
	uint32_t cut_len;            // captured bytes of the longest cut packet
	struct capture_batch *batch; // of capture_next()
	unsigned int batch_at;
	char error[PATH_MAX + PCAP_ERRBUF_SIZE]; // after a failure: "path: reason"
};

// Strings of config must outlive the capture. 0, or -EINVAL (filter) or -EIO with error set.
int capture_open(struct capture *capture, const struct capture_config *config);
void capture_close(struct capture *capture);

// Read the next packets into the batch: all that are available without waiting, at least one. 1, 0
// at the end of the file or if interrupted, or as capture_open().
int capture_fill(struct capture *capture, struct capture_batch *batch);

// The next packet; its bytes are valid until the next call. Returns as capture_fill().
int capture_next(struct capture *capture, struct ddp_packet *packet);

// The last packet of capture_next() with its time; valid as long as its bytes.
const struct capture_packet *capture_current(const struct capture *capture);

// Is the next packet available without reading?
bool capture_pending(const struct capture *capture);

// Readable bytes from the first byte of a packet on.
static inline size_t capture_readable(const struct capture_batch *batch,
				      const struct capture_packet *packet) {
	return batch->bytes + sizeof(batch->bytes) - packet->data;
}

// Packets that the kernel dropped; 0 for a file.
uint64_t capture_dropped(const struct capture *capture);

// The exit status after capture_open(), capture_next() or capture_fill() returned ret, 0 or less.
int capture_status(const struct capture *capture, int ret);

static inline uint16_t be16(const uint8_t *bytes) {
	return bytes[0] << 8 | bytes[1];
}

/* Link types */

// Other link headers become an Ethernet header with zero addresses and the EtherType.
#define LINK_ETH_SIZE 14 // bytes that a frame may be longer than its packet

// The link of a DLT_*; NULL: not supported.
const struct link *link_find(int type);

// "RAW", or its number.
const char *link_type_name(int type);

// The supported links, for messages: "Ethernet, raw IP, ...".
const char *link_names(void);

// Copy a packet as an Ethernet frame. Returns its length, 0 if the link header is cut.
uint32_t link_to_ethernet(const struct link *link, const uint8_t *data, uint32_t len,
			  uint8_t *frame);

/* Samples, for work that takes too long for all packets */

#define SAMPLE_PACKETS 65536 // packets, a power of two
#define SAMPLE_BYTES 256     // first bytes of a packet

struct sample_packet {
	uint32_t wire_len; // bytes on the wire
	uint16_t len;
	uint8_t bytes[SAMPLE_BYTES];
};

// An even sample of a capture of any length in limited memory.
struct sample {
	uint64_t stride; // 1 of so many packets is kept
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

// Add packets of a batch. The sample begins with stride 1 and has room for SAMPLE_PACKETS.
void sample_take(struct sample *sample, const struct capture_batch *batch);

#endif
