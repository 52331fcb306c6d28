/* SPDX-License-Identifier: BSD-3-Clause */
// The packets in the bytes of a capture file, pcap or pcapng: bytes come in pieces, packets are found in place.
//
//	for (;;) {
//		... get bytes behind those that are left
//		n = records_split(&records, &bytes, packets, room);
//	}
//	records_end(&records, bytes.len);
//
// pcap is read as libpcap reads it. Of pcapng more is read than libpcap reads: interfaces of different link
// types and snapshot lengths, sections of different byte orders.
#ifndef DDPCTL_CAPTURE_RECORDS_H
#define DDPCTL_CAPTURE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "link.h"

#define RECORDS_HEAD_SIZE 24         // bytes that say which format it is
#define RECORDS_PACKET_MAX 262144    // bytes captured of one packet, as libpcap has it
#define RECORDS_SIZE_MAX (512 << 10) // bytes of one record with a packet, at most
#define RECORDS_ERROR_SIZE 256

enum records_format {
	RECORDS_NONE, // neither: for libpcap to say
	RECORDS_PCAP,
	RECORDS_PCAPNG,
};

struct bytes {
	uint8_t *at;
	size_t len;
};

// An interface of a pcapng file.
struct records_interface {
	const struct link *link; // NULL: profiles have no use for it
	int link_type;
	uint32_t snap_len;
	bool time_binary; // times count 2^-time_digits seconds, else 10^-time_digits
	uint8_t time_digits;
	int64_t time_offset; // seconds
};

struct records {
	enum records_format format;
	bool swapped;                         // not this machine's byte order
	struct records_interface *interfaces; // of the section; pcap has one
	unsigned int n_interfaces;
	size_t skip; // bytes that come next and say nothing
	uint64_t n_packets;
	char error[RECORDS_ERROR_SIZE];
};

// Look at a file's first bytes, up to RECORDS_HEAD_SIZE of them. No error: format is RECORDS_NONE if in doubt.
void records_init(struct records *records, const uint8_t *head, size_t len);
void records_fini(struct records *records);

// For pcap: the file's link type (known at once), -1 for pcapng.
int records_link_type(const struct records *records);

// Find up to room packets in bytes, and move bytes past them; what is left is the beginning of a record (or all
// the room is used). In front of a packet's data LINK_ETH_SIZE bytes may be written once all are found, if
// there is as much room in front of bytes. A return below room means that more bytes are needed, or that error
// is not empty: what was found is good.
unsigned int records_split(struct records *records, struct bytes *bytes,
			   struct capture_packet *packets, unsigned int room);

// The file has ended with left bytes unused. 0, or -EIO with error set: in the middle of a record.
int records_end(struct records *records, size_t left);

#endif
