/* SPDX-License-Identifier: BSD-3-Clause */
#include "frames.h"
#include "unit.h"

// Place of the number, in the last header, that says which header follows.
enum slot {
	SLOT_ETHER, // 16 bits, EtherType
	SLOT_IP,    // 8 bits
	SLOT_PPP,   // 16 bits
	SLOT_MPLS,  // the label's bottom bit
	SLOT_NONE,
};

struct header {
	const char *word;
	int numbers[3];       // its own, by slot; -1: not there
	const char *bytes;    // hex
	enum slot slot;       // of what follows it
	unsigned int slot_at; // in the header
};

#define ADDRESSES6 "20010db800000000000000000000000120010db8000000000000000000000002"

static const struct header headers[] = {
	{"eth", {0x6558, -1, -1}, "0200000000010200000000020000", SLOT_ETHER, 12},
	{"vlan", {0x8100, -1, -1}, "00640000", SLOT_ETHER, 2},
	{"arp",
	 {0x0806, -1, -1},
	 "00010800060400010200000000010a0000010000000000000a000002",
	 SLOT_NONE,
	 0},
	{"lldp", {0x88cc, -1, -1}, "0207040200000000010403020000", SLOT_NONE, 0},
	{"ptp", {0x88f7, -1, -1}, "0002002c00000200000000000000000000000000", SLOT_NONE, 0},
	{"pause", {0x8808, -1, -1}, "0001ffff0000000000000000000000000000", SLOT_NONE, 0},
	{"mpls", {0x8847, 137, 0x0281}, "00010040", SLOT_MPLS, 2},
	{"mplsm", {0x8848, -1, -1}, "00010040", SLOT_MPLS, 2},
	{"pppoe", {0x8864, -1, -1}, "1100000100200000", SLOT_PPP, 6},
	{"pppoed", {0x8863, -1, -1}, "1109000000040101000000", SLOT_NONE, 0},
	{"ipv4", {0x0800, 4, 0x0021}, "4500006400010000400000000a0000010a000002", SLOT_IP, 9},
	{"ipv4=frag", {0x0800, 4, 0x0021}, "4500006400010005400000000a0000010a000002", SLOT_IP, 9},
	{"ipv4=first", {0x0800, 4, 0x0021}, "4500006400012000400000000a0000010a000002", SLOT_IP, 9},
	{"ipv6", {0x86dd, 41, 0x0057}, "6000000000400040" ADDRESSES6, SLOT_IP, 6},
	{"hop", {-1, 0, -1}, "0000010400000000", SLOT_IP, 0},
	{"routing", {-1, 43, -1}, "0000000000000000", SLOT_IP, 0},
	{"dest", {-1, 60, -1}, "0000010400000000", SLOT_IP, 0},
	{"frag6", {-1, 44, -1}, "0000000900000001", SLOT_IP, 0},
	{"ah", {-1, 51, -1}, "000400000000000100000001000000000000000000000000", SLOT_IP, 0},
	{"esp", {-1, 50, -1}, "0000000100000001", SLOT_NONE, 0},
	{"icmp", {-1, 1, -1}, "0800f7fe00000001", SLOT_NONE, 0},
	{"icmp6", {-1, 58, -1}, "8000f7fe00000001", SLOT_NONE, 0},
	{"tcp", {-1, 6, -1}, "9c4001bb00000001000000025010100012340000", SLOT_NONE, 0},
	{"sctp", {-1, 132, -1}, "9c4001bb0000000112345678", SLOT_NONE, 0},
	{"gre", {0x6558, 47, -1}, "00000000", SLOT_ETHER, 2},
	{"l2tpv3", {-1, 115, -1}, "00000001", SLOT_NONE, 0},
	{"vxlan", {-1, -1, -1}, "0800000000006400", SLOT_NONE, 0},
	{"gpe", {-1, -1, -1}, "0c00000300006400", SLOT_NONE, 0},
	{"geneve", {-1, -1, -1}, "0000000000006400", SLOT_ETHER, 2},
	{"gtpu", {-1, -1, -1}, "30ff000800000001", SLOT_NONE, 0},
	{"pfcp", {-1, -1, -1}, "2101000c000000000000000100000100", SLOT_NONE, 0},
	{"pay", {-1, -1, -1}, "505050505050505050505050505050505050505050505050", SLOT_NONE, 0},
};

struct maker {
	struct frame *frame;
	enum slot slot;
	unsigned int slot_at; // in the frame
};

static void be16_put(struct frame *frame, unsigned int at, unsigned int value) {
	frame->bytes[at] = value >> 8;
	frame->bytes[at + 1] = value;
}

static void hex_put(struct frame *frame, const char *hex) {
	for (; *hex != '\0'; hex += 2) {
		unsigned int byte = 0;

		if (frame->len == FRAME_MAX || sscanf(hex, "%2x", &byte) != 1)
			fail_msg("hex '%s'", hex);
		frame->bytes[frame->len++] = byte;
	}
}

static void number_put(struct maker *m, const struct header *h) {
	uint8_t *at = m->frame->bytes + m->slot_at;

	if (m->slot == SLOT_MPLS)
		at[0] |= strncmp(h->word, "mpls", 4) != 0;
	if (m->slot >= SLOT_MPLS || h->numbers[m->slot] < 0)
		return;
	if (m->slot == SLOT_IP)
		at[0] = h->numbers[SLOT_IP];
	else
		be16_put(m->frame, m->slot_at, h->numbers[m->slot]);
}

static void header_put(struct maker *m, const struct header *h) {
	number_put(m, h);
	m->slot = h->slot;
	m->slot_at = m->frame->len + h->slot_at;
	hex_put(m->frame, h->bytes);
}

static const struct header *header_find(const char *word, size_t len) {
	for (unsigned int i = 0; i < COUNT(headers); i++)
		if (strlen(headers[i].word) == len && memcmp(headers[i].word, word, len) == 0)
			return &headers[i];
	return NULL;
}

static void udp_put(struct maker *m, unsigned int port) {
	struct header h = {"udp", {-1, 17, -1}, "9c40000000400001", SLOT_NONE, 0};

	header_put(m, &h);
	be16_put(m->frame, m->frame->len - 6, port);
}

static void word_put(struct maker *m, const char *word) {
	const char *value = strchr(word, '=');
	const struct header *h = header_find(word, strlen(word));
	struct header own = {word, {-1, -1, -1}, "", SLOT_NONE, 0};

	if (h != NULL) {
		header_put(m, h);
	} else if (value == NULL) {
		fail_msg("no header '%s'", word);
	} else if (strncmp(word, "udp=", 4) == 0) {
		udp_put(m, atoi(value + 1));
	} else if (strncmp(word, "type=", 5) == 0) {
		own.numbers[SLOT_ETHER] = strtol(value + 1, NULL, 16);
		number_put(m, &own);
	} else if (strncmp(word, "proto=", 6) == 0) {
		own.numbers[SLOT_IP] = atoi(value + 1);
		number_put(m, &own);
	} else if (strncmp(word, "vlan=", 5) == 0) {
		own = *header_find("vlan", 4);
		own.numbers[SLOT_ETHER] = strtol(value + 1, NULL, 16);
		header_put(m, &own);
	} else {
		own.bytes = value + 1; // x=, gtpu= ...
		header_put(m, &own);
	}
}

void frame_make(struct frame *frame, const char *words) {
	struct maker m = {frame, SLOT_NONE, 0};
	char *copy = strdup(words), *save = NULL;

	frame->len = 0;
	for (char *word = strtok_r(copy, " ", &save); word != NULL;
	     word = strtok_r(NULL, " ", &save))
		word_put(&m, word);
	free(copy);
}
