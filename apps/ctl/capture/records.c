/* SPDX-License-Identifier: BSD-3-Clause */
#include "records.h"

#include <byteswap.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1000000000

#define PCAP_MAGIC_US 0xa1b2c3d4
#define PCAP_MAGIC_NS 0xa1b23c4d
#define PCAP_HEAD_SIZE 24
#define PCAP_RECORD_SIZE 16
#define PCAP_LINK_MASK 0x03ffffff // the bits above tell of checksums behind packets

#define BLOCK_SECTION 0x0a0d0d0a
#define BLOCK_INTERFACE 1
#define BLOCK_PACKET_OLD 2
#define BLOCK_PACKET_SIMPLE 3
#define BLOCK_PACKET 6
#define BLOCK_SIZE_MIN 12         // type and length, and the length again
#define BLOCK_SIZE_MAX (1u << 30) // of one that is passed over
#define ORDER_MAGIC 0x1a2b3c4d
#define OPTION_TSRESOL 9
#define OPTION_TSOFFSET 14
#define INTERFACES_MAX 65536

__attribute__((format(printf, 2, 3))) static void records_fail(struct records *records,
							       const char *fmt, ...) {
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(records->error, sizeof(records->error), fmt, ap);
	va_end(ap);
}

static inline uint16_t get16(const uint8_t *at, bool swapped) {
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return swapped ? bswap_16(value) : value;
}

static inline uint32_t get32(const uint8_t *at, bool swapped) {
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return swapped ? bswap_32(value) : value;
}

static inline void bytes_pass(struct bytes *bytes, size_t n) {
	bytes->at += n;
	bytes->len -= n;
}

static struct records_interface *interface_add(struct records *records, int link_type,
					       uint32_t snap_len) {
	unsigned int n = records->n_interfaces;
	struct records_interface *all;

	if (n == INTERFACES_MAX) {
		records_fail(records, "more than %u interfaces", INTERFACES_MAX);
		return NULL;
	}
	all = realloc(records->interfaces, (n + 1) * sizeof(*all));
	if (all == NULL) {
		records_fail(records, "%s", strerror(ENOMEM));
		return NULL;
	}
	records->interfaces = all;
	records->n_interfaces++;
	all[n] = (struct records_interface){
		.link = link_find(link_type),
		.link_type = link_type,
		.snap_len = snap_len == 0 || snap_len > INT32_MAX ? RECORDS_PACKET_MAX : snap_len,
		.time_digits = 6,
	};
	return &all[n];
}

// The packet's place among all, and whether it can be one.
static bool packet_is_sane(struct records *records, uint32_t len) {
	if (len <= RECORDS_PACKET_MAX)
		return true;
	records_fail(records, "packet %" PRIu64 " says that %" PRIu32 " bytes of it were captured",
		     records->n_packets + 1, len);
	return false;
}

/* pcap */

static void pcap_init(struct records *records, const uint8_t *head, uint32_t magic) {
	bool swapped = magic == bswap_32(PCAP_MAGIC_US) || magic == bswap_32(PCAP_MAGIC_NS);
	struct records_interface *interface;

	if (!swapped && magic != PCAP_MAGIC_US && magic != PCAP_MAGIC_NS)
		return;
	if (get16(head + 4, swapped) != 2 || get16(head + 6, swapped) != 4)
		return; // old files have their own ways
	records->swapped = swapped;
	interface = interface_add(records, get32(head + 20, swapped) & PCAP_LINK_MASK,
				  get32(head + 16, swapped));
	if (interface == NULL)
		return;
	if (magic == PCAP_MAGIC_NS || magic == bswap_32(PCAP_MAGIC_NS))
		interface->time_digits = 9;
	records->format = RECORDS_PCAP;
	records->skip = PCAP_HEAD_SIZE;
}

static inline unsigned int pcap_split(struct records *records, struct bytes *bytes, bool swapped,
				      struct capture_packet *packets, unsigned int room) {
	const struct records_interface *interface = &records->interfaces[0];
	const uint32_t unit = interface->time_digits == 9 ? 1 : 1000;
	unsigned int n = 0;

	while (n < room && bytes->len >= PCAP_RECORD_SIZE) {
		struct capture_packet *packet = &packets[n];
		uint32_t len = get32(bytes->at + 8, swapped);
		uint32_t wire_len = get32(bytes->at + 12, swapped);

		if (!packet_is_sane(records, len) || bytes->len - PCAP_RECORD_SIZE < len)
			break;
		packet->data = bytes->at + PCAP_RECORD_SIZE;
		packet->len = len < interface->snap_len ? len : interface->snap_len;
		packet->wire_len = wire_len > packet->len ? wire_len : packet->len;
		packet->time_ns = (uint64_t)get32(bytes->at, swapped) * NS_PER_S +
				  (uint64_t)get32(bytes->at + 4, swapped) * unit;
		packet->link = interface->link;
		bytes_pass(bytes, PCAP_RECORD_SIZE + len);
		records->n_packets++;
		n++;
	}
	return n;
}

/* pcapng */

static void pcapng_init(struct records *records, const uint8_t *head) {
	if (get32(head, false) == BLOCK_SECTION &&
	    (get32(head + 8, false) == ORDER_MAGIC || get32(head + 8, true) == ORDER_MAGIC))
		records->format = RECORDS_PCAPNG;
}

static uint64_t time_to_ns(const struct records_interface *interface, uint64_t time) {
	uint64_t unit = 1;

	if (interface->time_binary) {
		uint64_t seconds = interface->time_digits < 64 ? time >> interface->time_digits : 0;
		__uint128_t rest = time - (seconds << (interface->time_digits & 63));

		return (seconds + interface->time_offset) * NS_PER_S +
		       (uint64_t)(rest * NS_PER_S >> interface->time_digits);
	}
	for (unsigned int i = interface->time_digits; i != 9 && unit < UINT64_MAX / 10;
	     i += i < 9 ? 1 : -1)
		unit *= 10;
	time = interface->time_digits <= 9 ? time * unit : time / unit;
	return time + (uint64_t)interface->time_offset * NS_PER_S;
}

// The options of an interface that matter.
static void interface_options(struct records_interface *interface, bool swapped, const uint8_t *at,
			      size_t len) {
	while (len >= 4) {
		uint16_t code = get16(at, swapped);
		size_t size = get16(at + 2, swapped), padded = (size + 3) / 4 * 4;

		if (code == 0 || len - 4 < size)
			return;
		if (code == OPTION_TSRESOL && size == 1) {
			interface->time_binary = at[4] >> 7;
			interface->time_digits = at[4] & 0x7f;
		} else if (code == OPTION_TSOFFSET && size == 8) {
			uint64_t low = get32(at + 4, swapped), high = get32(at + 8, swapped);

			interface->time_offset = swapped ? low << 32 | high : high << 32 | low;
		}
		if (len - 4 < padded)
			return;
		at += 4 + padded;
		len -= 4 + padded;
	}
}

static void interface_take(struct records *records, const uint8_t *block, uint32_t size) {
	struct records_interface *interface;

	if (size < BLOCK_SIZE_MIN + 8) {
		records_fail(records, "an interface block of %" PRIu32 " bytes", size);
		return;
	}
	interface = interface_add(records, get16(block + 8, records->swapped),
				  get32(block + 12, records->swapped));
	if (interface != NULL)
		interface_options(interface, records->swapped, block + 16, size - 20);
}

// A section says in which byte order it is; its interfaces follow.
static bool section_begin(struct records *records, const uint8_t *block) {
	bool swapped = get32(block + 8, true) == ORDER_MAGIC;

	if (!swapped && get32(block + 8, false) != ORDER_MAGIC) {
		records_fail(records, "a section without a byte order");
		return false;
	}
	if (get16(block + 12, swapped) != 1) {
		records_fail(records, "a section of pcapng version %u.%u, not 1.0",
			     get16(block + 12, swapped), get16(block + 14, swapped));
		return false;
	}
	records->swapped = swapped;
	records->n_interfaces = 0;
	return true;
}

static bool packet_link(struct records *records, uint32_t id, struct capture_packet *packet) {
	const struct records_interface *interface = &records->interfaces[id];

	packet->link = interface->link;
	if (packet->link != NULL)
		return true;
	records_fail(records,
		     "packet %" PRIu64 " is of interface %" PRIu32
		     ", whose link type %s is none of: %s",
		     records->n_packets + 1, id, link_type_name(interface->link_type), link_names());
	return false;
}

static bool block_is_short(struct records *records, uint32_t size) {
	records_fail(records, "packet %" PRIu64 " does not fit in its block of %" PRIu32 " bytes",
		     records->n_packets + 1, size);
	return false;
}

static bool packet_take(struct records *records, uint32_t type, uint8_t *block, uint32_t size,
			struct capture_packet *packet) {
	const bool swapped = records->swapped, simple = type == BLOCK_PACKET_SIMPLE;
	const uint32_t fixed = simple ? 12 : 28;
	uint32_t id = 0;

	if (size < fixed + 4)
		return block_is_short(records, size);
	if (type == BLOCK_PACKET)
		id = get32(block + 8, swapped);
	else if (!simple)
		id = get16(block + 8, swapped);
	if (id >= records->n_interfaces) {
		records_fail(records,
			     "packet %" PRIu64 " is of interface %" PRIu32
			     ", which is not described",
			     records->n_packets + 1, id);
		return false;
	}
	packet->data = block + fixed;
	packet->wire_len = get32(block + fixed - 4, swapped);
	packet->time_ns = 0;
	if (simple) {
		packet->len = packet->wire_len;
		if (packet->len > records->interfaces[0].snap_len)
			packet->len = records->interfaces[0].snap_len;
	} else {
		packet->len = get32(block + 20, swapped);
		packet->time_ns = time_to_ns(&records->interfaces[id],
					     (uint64_t)get32(block + 12, swapped) << 32 |
						     get32(block + 16, swapped));
	}
	if (!packet_is_sane(records, packet->len))
		return false;
	if (packet->len > size - fixed - 4)
		return block_is_short(records, size);
	if (packet->wire_len < packet->len)
		packet->wire_len = packet->len;
	return packet_link(records, id, packet);
}

// How long the block is, 0 where that is not known yet or makes no sense.
static uint32_t block_size(struct records *records, const struct bytes *bytes) {
	uint32_t size;

	if (bytes->len < BLOCK_SIZE_MIN)
		return 0;
	if (get32(bytes->at, false) == BLOCK_SECTION) { // the same in both byte orders
		if (bytes->len < BLOCK_SIZE_MIN + 4 || !section_begin(records, bytes->at))
			return 0;
	}
	size = get32(bytes->at + 4, records->swapped);
	if (size >= BLOCK_SIZE_MIN && size % 4 == 0 && size <= BLOCK_SIZE_MAX)
		return size;
	records_fail(records, "a block of %" PRIu32 " bytes", size);
	return 0;
}

static bool block_matters(uint32_t type) {
	return type == BLOCK_PACKET || type == BLOCK_PACKET_SIMPLE || type == BLOCK_PACKET_OLD ||
	       type == BLOCK_INTERFACE;
}

static void skip_pass(struct records *records, struct bytes *bytes) {
	size_t n = records->skip < bytes->len ? records->skip : bytes->len;

	bytes_pass(bytes, n);
	records->skip -= n;
}

static unsigned int pcapng_split(struct records *records, struct bytes *bytes,
				 struct capture_packet *packets, unsigned int room) {
	unsigned int n = 0;

	while (n < room && records->skip == 0) {
		uint32_t size = block_size(records, bytes), type;

		if (size == 0)
			break;
		type = get32(bytes->at, records->swapped);
		if (!block_matters(type)) {
			records->skip = size;
			skip_pass(records, bytes);
			continue;
		}
		if (size > RECORDS_SIZE_MAX) {
			records_fail(records, "a block of %" PRIu32 " bytes", size);
			break;
		}
		if (bytes->len < size)
			break;
		if (get32(bytes->at + size - 4, records->swapped) != size)
			records_fail(records, "a block whose lengths in front and behind differ");
		else if (type == BLOCK_INTERFACE)
			interface_take(records, bytes->at, size);
		else if (packet_take(records, type, bytes->at, size, &packets[n]))
			n++, records->n_packets++;
		if (records->error[0] != '\0')
			break;
		bytes_pass(bytes, size);
	}
	return n;
}

/* Both */

void records_init(struct records *records, const uint8_t *head, size_t len) {
	memset(records, 0, sizeof(*records));
	if (len < RECORDS_HEAD_SIZE)
		return;
	pcap_init(records, head, get32(head, false));
	pcapng_init(records, head);
}

void records_fini(struct records *records) {
	free(records->interfaces);
}

int records_link_type(const struct records *records) {
	return records->format == RECORDS_PCAP ? records->interfaces[0].link_type : -1;
}

unsigned int records_split(struct records *records, struct bytes *bytes,
			   struct capture_packet *packets, unsigned int room) {
	skip_pass(records, bytes);
	if (records->skip > 0 || records->error[0] != '\0')
		return 0;
	if (records->format == RECORDS_PCAPNG)
		return pcapng_split(records, bytes, packets, room);
	if (records->swapped)
		return pcap_split(records, bytes, true, packets, room);
	return pcap_split(records, bytes, false, packets, room);
}

int records_end(struct records *records, size_t left) {
	if (left == 0 && records->skip == 0)
		return 0;
	records_fail(records, "it ends in the middle of a record");
	return -EIO;
}
