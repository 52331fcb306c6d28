/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture_out.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/exit_status.h"
#include "common/strbuf.h"

#define ADDRESSES 12 // bytes of both Ethernet addresses

static int failed(const struct capture_out *out, int err) {
	error_print("%s: %s", out->path, strerror(err));
	return EXIT_UNREADABLE;
}

int capture_out_open(struct capture_out *out, const char *path) {
	FILE *to;
	int fd;

	out->path = path;
	fd = new_file_open(&out->file, path);
	if (fd < 0)
		return failed(out, -fd);
	to = fdopen(fd, "w");
	out->pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, CAPTURE_PACKET_MAX,
							 PCAP_TSTAMP_PRECISION_NANO);
	out->dumper = to == NULL || out->pcap == NULL ? NULL : pcap_dump_fopen(out->pcap, to);
	if (out->dumper != NULL)
		return EXIT_GOOD;
	if (out->pcap != NULL)
		pcap_close(out->pcap);
	if (to != NULL)
		fclose(to);
	else
		close(fd);
	new_file_end(&out->file, -ENOMEM);
	return failed(out, ENOMEM);
}

void capture_out_write(struct capture_out *out, const struct capture_packet *packet) {
	const struct pcap_pkthdr header = {
		.ts = {.tv_sec = packet->time_ns / 1000000000,
		       .tv_usec = packet->time_ns % 1000000000}, // nanoseconds
		.caplen = packet->len,
		.len = packet->wire_len,
	};

	pcap_dump((u_char *)out->dumper, &header, packet->data);
}

void capture_out_decap(struct capture_out *out, const struct capture_packet *packet,
		       uint16_t l3_off) {
	static uint8_t frame[CAPTURE_PACKET_MAX];
	const unsigned int cut = l3_off - LINK_ETH_SIZE;
	struct capture_packet left = *packet;
	unsigned int version;

	version = l3_off < packet->len ? packet->data[l3_off] >> 4 : 0;
	if (version != 4 && version != 6) {
		capture_out_write(out, packet);
		return;
	}
	left.data = frame;
	left.len -= cut;
	left.wire_len -= cut;
	memcpy(frame, packet->data, ADDRESSES);
	memcpy(frame + ADDRESSES, version == 4 ? "\x08\x00" : "\x86\xdd", 2);
	memcpy(frame + LINK_ETH_SIZE, packet->data + l3_off, packet->len - l3_off);
	capture_out_write(out, &left);
}

int capture_out_close(struct capture_out *out) {
	FILE *to = pcap_dump_file(out->dumper);
	int ret = fflush(to) != 0 || ferror(to) != 0 ? -(errno != 0 ? errno : EIO) : 0;

	pcap_dump_close(out->dumper);
	pcap_close(out->pcap);
	ret = new_file_end(&out->file, ret);
	return ret < 0 ? failed(out, -ret) : EXIT_GOOD;
}
