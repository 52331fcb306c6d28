/* SPDX-License-Identifier: BSD-3-Clause */
#include "link.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>

#define TYPE_IPV4 0x0800
#define TYPE_IPV6 0x86dd
#define TYPE_LENGTH_MAX 1500 // up to here an EtherType is a length

static uint16_t be16(const uint8_t *bytes) {
	return bytes[0] << 8 | bytes[1];
}

static uint16_t raw_type(const uint8_t *data, uint32_t len) {
	switch (len == 0 ? 0 : data[0] >> 4) {
	case 4:
		return TYPE_IPV4;
	case 6:
		return TYPE_IPV6;
	default:
		return 0;
	}
}

static uint16_t ipv4_type(const uint8_t *data, uint32_t len) {
	(void)data;
	(void)len;
	return TYPE_IPV4;
}

static uint16_t ipv6_type(const uint8_t *data, uint32_t len) {
	(void)data;
	(void)len;
	return TYPE_IPV6;
}

// An address family in either byte order. IPv6 has another number on each system.
static uint16_t family_type(const uint8_t *data, uint32_t len) {
	uint8_t family = data[0] != 0 ? data[0] : data[3];

	(void)len;
	switch (family) {
	case 2:
		return TYPE_IPV4;
	case 10:
	case 24:
	case 28:
	case 30:
		return TYPE_IPV6;
	default:
		return 0;
	}
}

// Linux says with small numbers that there is no EtherType: 1 and 4 stand for frames with a length.
static uint16_t cooked_type(uint16_t protocol, uint32_t payload_len) {
	if (protocol != 1 && protocol != 4)
		return protocol;
	return payload_len < TYPE_LENGTH_MAX ? payload_len : TYPE_LENGTH_MAX;
}

static uint16_t sll_type(const uint8_t *data, uint32_t len) {
	return cooked_type(be16(data + 14), len - 16);
}

static uint16_t sll2_type(const uint8_t *data, uint32_t len) {
	return cooked_type(be16(data), len - 20);
}

static const struct link links[] = {
	{"Ethernet", DLT_EN10MB, 0, NULL},
	{"raw IP", DLT_RAW, 0, raw_type},
	{"raw IPv4", DLT_IPV4, 0, ipv4_type},
	{"raw IPv6", DLT_IPV6, 0, ipv6_type},
	{"Linux cooked", DLT_LINUX_SLL, 16, sll_type},
	{"Linux cooked v2", DLT_LINUX_SLL2, 20, sll2_type},
	{"BSD loopback", DLT_LOOP, 4, family_type},
	{"BSD null", DLT_NULL, 4, family_type},
};

#define N_LINKS (sizeof(links) / sizeof(links[0]))

const struct link *link_find(int type) {
	for (unsigned int i = 0; i < N_LINKS; i++)
		if (links[i].type == type)
			return &links[i];
	return NULL;
}

const char *link_type_name(int type) {
	static char number[16];
	const char *name = pcap_datalink_val_to_name(type);

	if (name != NULL)
		return name;
	snprintf(number, sizeof(number), "%d", type);
	return number;
}

const char *link_names(void) {
	static char names[256];

	if (names[0] == '\0')
		for (unsigned int i = 0; i < N_LINKS; i++)
			snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
				 i == 0 ? "" : ", ", links[i].name);
	return names;
}

uint32_t link_to_ethernet(const struct link *link, const uint8_t *data, uint32_t len,
			  uint8_t *frame) {
	uint16_t type;

	if (link->ether_type == NULL) {
		memcpy(frame, data, len);
		return len;
	}
	if (len < link->header_len)
		return 0;
	type = link->ether_type(data, len);
	memset(frame, 0, LINK_ETH_SIZE - 2);
	frame[12] = type >> 8;
	frame[13] = type;
	memcpy(frame + LINK_ETH_SIZE, data + link->header_len, len - link->header_len);
	return len + LINK_ETH_SIZE - link->header_len;
}
