/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <rte_common.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/output.h"

#define PAUSE_SIZE (1 << 20)        // bytes of a file between two pauses
#define ORDINARY_SIZE 2048          // bytes of a record: with less left, a read of a pipe may wait
#define LIVE_TIMEOUT_MS 100         // ms, until a packet is shown or an interrupt is noticed
#define LIVE_BUFFER_SIZE (16 << 20) // bytes of the kernel's buffer

#define TYPE_IPV4 0x0800 // EtherType
#define TYPE_IPV6 0x86dd
#define TYPE_LENGTH_MAX 1500 // an EtherType up to here is a length

/* Link types */

struct link {
	const char *name;    // "Ethernet"
	int type;            // DLT_*
	uint32_t header_len; // bytes, replaced by the Ethernet header
	// Returns the EtherType; NULL: it is `only`. len is at least header_len.
	uint16_t (*ether_type)(const uint8_t *data, uint32_t len);
	uint16_t only;
};

static uint16_t raw_type(const uint8_t *data, uint32_t len) {
	const uint8_t version = len == 0 ? 0 : data[0] >> 4;

	return version == 4 ? TYPE_IPV4 : version == 6 ? TYPE_IPV6 : 0;
}

// An address family in either byte order. The number of IPv6 depends on the system.
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

// Linux's protocols 1 and 4 are frames with a length instead of an EtherType.
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
	{"Ethernet", DLT_EN10MB, 0, NULL, 0},
	{"raw IP", DLT_RAW, 0, raw_type, 0},
	{"raw IPv4", DLT_IPV4, 0, NULL, TYPE_IPV4},
	{"raw IPv6", DLT_IPV6, 0, NULL, TYPE_IPV6},
	{"Linux cooked", DLT_LINUX_SLL, 16, sll_type, 0},
	{"Linux cooked v2", DLT_LINUX_SLL2, 20, sll2_type, 0},
	{"BSD loopback", DLT_LOOP, 4, family_type, 0},
	{"BSD null", DLT_NULL, 4, family_type, 0},
};

const struct link *link_find(int type) {
	for (unsigned int i = 0; i < COUNT(links); i++)
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
		for (unsigned int i = 0; i < COUNT(links); i++)
			snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
				 i == 0 ? "" : ", ", links[i].name);
	return names;
}

uint32_t link_to_ethernet(const struct link *link, const uint8_t *data, uint32_t len,
			  uint8_t *frame) {
	uint16_t type;

	if (link->type == DLT_EN10MB) {
		memcpy(frame, data, len);
		return len;
	}
	if (len < link->header_len)
		return 0;
	type = link->ether_type == NULL ? link->only : link->ether_type(data, len);
	memset(frame, 0, LINK_ETH_SIZE - 2);
	frame[12] = type >> 8;
	frame[13] = type;
	memcpy(frame + LINK_ETH_SIZE, data + link->header_len, len - link->header_len);
	return len + LINK_ETH_SIZE - link->header_len;
}

/* Errors */

__attribute__((format(printf, 2, 3))) static int capture_fail(struct capture *capture,
							      const char *fmt, ...) {
	int len = snprintf(capture->error, sizeof(capture->error), "%s: ", capture->path);
	va_list ap;

	if (len < 0 || (size_t)len >= sizeof(capture->error))
		return -EIO;
	va_start(ap, fmt);
	vsnprintf(capture->error + len, sizeof(capture->error) - len, fmt, ap);
	va_end(ap);
	return -EIO;
}

static int filter_fail(struct capture *capture) {
	capture_fail(capture, "filter '%s': %s", capture->config.expression,
		     pcap_geterr(capture->pcap));
	return -EINVAL;
}

static int filter_set(struct capture *capture) {
	struct bpf_program program;
	int ret;

	if (capture->config.expression == NULL)
		return 0;
	if (pcap_compile(capture->pcap, &program, capture->config.expression, 1,
			 PCAP_NETMASK_UNKNOWN) < 0)
		return filter_fail(capture);
	ret = pcap_setfilter(capture->pcap, &program);
	pcap_freecode(&program);
	return ret < 0 ? filter_fail(capture) : 0;
}

static int link_set(struct capture *capture) {
	int type = pcap_datalink(capture->pcap);

	capture->link = link_find(type);
	if (capture->link != NULL)
		return filter_set(capture);
	return capture_fail(capture, "link type %s is none of: %s", link_type_name(type),
			    link_names());
}

/* Interfaces */

static int live_fail(struct capture *capture, int error) {
	switch (error) {
	case PCAP_ERROR_PERM_DENIED:
	case PCAP_ERROR_PROMISC_PERM_DENIED:
		return capture_fail(capture, "no right to capture there: be root, or have the "
					     "capabilities CAP_NET_RAW and CAP_NET_ADMIN");
	case PCAP_ERROR_NO_SUCH_DEVICE:
		return capture_fail(capture, "no such interface");
	case PCAP_ERROR:
		return capture_fail(capture, "%s", pcap_geterr(capture->pcap));
	default:
		return capture_fail(capture, "%s", pcap_statustostr(error));
	}
}

static int live_set(pcap_t *pcap) {
	int ret = pcap_set_snaplen(pcap, CAPTURE_PACKET_MAX);

	if (ret == 0)
		ret = pcap_set_promisc(pcap, 1);
	if (ret == 0)
		ret = pcap_set_timeout(pcap, LIVE_TIMEOUT_MS);
	if (ret == 0)
		ret = pcap_set_buffer_size(pcap, LIVE_BUFFER_SIZE);
	if (ret == 0)
		ret = pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO);
	return ret == PCAP_ERROR_TSTAMP_PRECISION_NOTSUP ? 0 : ret;
}

static int live_open(struct capture *capture) {
	char reason[PCAP_ERRBUF_SIZE] = "";
	int ret;

	capture->path = capture->config.interface;
	capture->pcap = pcap_create(capture->path, reason);
	if (capture->pcap == NULL)
		return capture_fail(capture, "%s", reason);
	ret = live_set(capture->pcap);
	if (ret == 0)
		ret = pcap_activate(capture->pcap);
	if (ret < 0)
		return live_fail(capture, ret);
	if (pcap_setnonblock(capture->pcap, 1, reason) < 0)
		return capture_fail(capture, "%s", reason);
	return link_set(capture);
}

/* Files */

static int file_pcap(struct capture *capture) {
	FILE *file = input_file(&capture->input);
	char reason[PCAP_ERRBUF_SIZE] = "";

	if (file == NULL)
		return capture_fail(capture, "%s", strerror(errno));
	capture->pcap =
		pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, reason);
	if (capture->pcap != NULL)
		return link_set(capture);
	fclose(file);
	if (interrupt_signal != 0)
		return capture_fail(capture, "interrupted");
	if (capture->input.error[0] != '\0')
		return capture_fail(capture, "%s", capture->input.error);
	return capture_fail(capture, "not a capture: %s", reason);
}

static int file_open(struct capture *capture) {
	bool is_stdin = strcmp(capture->config.path, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(capture->config.path, O_RDONLY | O_CLOEXEC);

	capture->path = is_stdin ? "standard input" : capture->config.path;
	if (fd < 0)
		return capture_fail(capture, "%s", strerror(errno));
	if (input_open(&capture->input, fd, capture->config.expression == NULL,
		       !capture->config.any_expansion) < 0)
		return capture_fail(capture, "%s",
				    interrupt_signal != 0 ? "interrupted" : capture->input.error);
	return file_pcap(capture);
}

/* Packets */

static int capture_end(struct capture *capture) {
	const char *reason = capture->input.error, *hint = "";

	if (capture->pcap_end == PCAP_ERROR_BREAK)
		return 0;
	if (interrupt_signal != 0) {
		capture->interrupted = true;
		return 0;
	}
	if (reason[0] == '\0')
		reason = pcap_geterr(capture->pcap);
	// libpcap does not read pcapng files whose interfaces differ
	if (strstr(reason, "of the first interface") != NULL)
		hint = " (editcap makes files of one link type and snapshot length: see ddpctl(1))";
	return capture_fail(capture, "%s%s; packets read: %" PRIu64, reason, hint,
			    capture->n_packets);
}

struct batch_filling {
	const struct capture *capture;
	struct capture_batch *batch;
	size_t used; // bytes of the batch
};

// Copy a packet: libpcap's memory is valid only until the next one.
static void packet_add(u_char *arg, const struct pcap_pkthdr *header, const u_char *data) {
	struct batch_filling *filling = (void *)arg;
	const struct capture *capture = filling->capture;
	struct capture_packet *packet = &filling->batch->packets[filling->batch->n++];
	uint32_t len = header->caplen < CAPTURE_PACKET_MAX ? header->caplen : CAPTURE_PACKET_MAX;
	bool has_ns = pcap_get_tstamp_precision(capture->pcap) == PCAP_TSTAMP_PRECISION_NANO;
	// libpcap reads the seconds of a pcap file as signed; they are unsigned.
	uint64_t s = header->ts.tv_sec < 0 ? (uint32_t)header->ts.tv_sec : header->ts.tv_sec;

	assert(filling->batch->n <= CAPTURE_BATCH_PACKETS);
	assert(filling->used + len + LINK_ETH_SIZE <= sizeof(filling->batch->bytes));

	packet->data = filling->batch->bytes + filling->used;
	packet->len =
		link_to_ethernet(capture->link, data, len, filling->batch->bytes + filling->used);
	packet->wire_len = packet->len;
	if (header->len > len && !capture->config.as_captured)
		packet->wire_len += header->len - len;
	packet->time_ns = s * UINT64_C(1000000000) + header->ts.tv_usec * (has_ns ? 1 : 1000);
	filling->used += packet->len;
}

// Returns whether there are more packets.
static bool batch_read(struct capture *capture, struct capture_batch *batch) {
	const struct input *input = &capture->input;
	const bool pauses = !capture->is_live && !input->plain;
	struct batch_filling filling = {.capture = capture, .batch = batch};
	struct pollfd live = {.events = POLLIN};
	const uint64_t begin = input->position;

	batch->n = 0;
	while (batch->n < CAPTURE_BATCH_PACKETS) {
		const size_t bytes = CAPTURE_BATCH_BYTES - filling.used;
		const size_t room = RTE_MIN(bytes / (CAPTURE_PACKET_MAX + LINK_ETH_SIZE),
					    (size_t)CAPTURE_BATCH_PACKETS - batch->n);
		int ret;

		if (room == 0)
			break;
		if (!pauses && interrupt_signal != 0) {
			capture->interrupted = true;
			return false;
		}
		ret = pcap_dispatch(capture->pcap, pauses ? 1 : room, packet_add, (void *)&filling);
		if (ret == 0 && !capture->is_live)
			ret = PCAP_ERROR_BREAK; // end of file
		if (ret < 0) {
			capture->pcap_end = ret;
			return false;
		}
		if (ret == 0 && batch->n == 0) {
			live.fd = pcap_get_selectable_fd(capture->pcap);
			poll(&live, 1, LIVE_TIMEOUT_MS);
		}
		// Return the packets so far before a read of a pipe waits, and after PAUSE_SIZE
		// bytes.
		if (ret == 0 ||
		    (pauses && (input->position - begin > PAUSE_SIZE ||
				(input->pollable && input_left(input) < ORDINARY_SIZE))))
			break;
	}
	return true;
}

int capture_open(struct capture *capture, const struct capture_config *config) {
	int ret;

	memset(capture, 0, sizeof(*capture));
	capture->config = *config;
	capture->input.fd = -1;
	capture->is_live = config->interface != NULL;
	ret = capture->is_live ? live_open(capture) : file_open(capture);
	if (ret < 0) {
		capture->interrupted = interrupt_signal != 0;
		capture_close(capture);
	}
	return ret;
}

void capture_close(struct capture *capture) {
	if (capture->pcap != NULL)
		pcap_close(capture->pcap);
	if (capture->input.fd >= 0)
		input_close(&capture->input);
	free(capture->batch);
}

static int batch_fill(struct capture *capture, struct capture_batch *batch) {
	uint64_t left = capture->config.n_packets - capture->n_packets;

	batch->n = 0;
	while (batch->n == 0 && !capture->ended)
		capture->ended = !batch_read(capture, batch);
	if (batch->n == 0)
		return capture->pcap_end < 0 ? capture_end(capture) : 0;
	if (capture->config.n_packets > 0 && batch->n >= left) {
		batch->n = left;
		capture->ended = true;
		capture->pcap_end = PCAP_ERROR_BREAK;
	}
	return 1;
}

static void cut_note(struct capture *capture, const struct capture_packet *packet) {
	if (packet->wire_len <= packet->len)
		return;
	capture->n_cut++;
	if (capture->cut_len < packet->len)
		capture->cut_len = packet->len;
}

int capture_fill(struct capture *capture, struct capture_batch *batch) {
	int ret = batch_fill(capture, batch);

	if (ret <= 0)
		return ret;
	batch->first = capture->n_packets + 1;
	capture->n_packets += batch->n;
	for (unsigned int i = 0; i < batch->n; i++)
		cut_note(capture, &batch->packets[i]);
	return 1;
}

bool capture_pending(const struct capture *capture) {
	return capture->batch != NULL && capture->batch_at < capture->batch->n;
}

const struct capture_packet *capture_current(const struct capture *capture) {
	assert(capture->batch_at > 0);
	return &capture->batch->packets[capture->batch_at - 1];
}

int capture_next(struct capture *capture, struct ddp_packet *packet) {
	const struct capture_packet *next;

	if (capture->batch == NULL)
		capture->batch = calloc_or_exit(1, sizeof(*capture->batch));
	if (!capture_pending(capture)) {
		int ret = batch_fill(capture, capture->batch);

		if (ret <= 0)
			return ret;
		capture->batch_at = 0;
	}
	next = &capture->batch->packets[capture->batch_at++];
	capture->n_packets++;
	cut_note(capture, next);
	*packet = (struct ddp_packet){
		.data = next->data,
		.first_len = next->len,
		.len = next->len,
	};
	return 1;
}

uint64_t capture_dropped(const struct capture *capture) {
	struct pcap_stat stats;

	if (!capture->is_live || pcap_stats(capture->pcap, &stats) < 0)
		return 0;
	return (uint64_t)stats.ps_drop + stats.ps_ifdrop;
}

int capture_status(const struct capture *capture, int ret) {
	if (capture->interrupted && !capture->is_live) // the usual end of a live capture
		return 128 + interrupt_signal;
	if (ret == -EINVAL)
		return EXIT_USAGE;
	return ret < 0 ? EXIT_UNREADABLE : EXIT_GOOD;
}

/* Samples */

static void halve(struct sample *sample) {
	for (unsigned int i = 0; i < SAMPLE_PACKETS; i += 2)
		sample->packets[i / 2] = sample->packets[i];
	sample->n = SAMPLE_PACKETS / 2;
	sample->stride *= 2;
}

void sample_take(struct sample *sample, const struct capture_batch *batch) {
	for (unsigned int i = 0; i < batch->n; i++) {
		const struct capture_packet *packet = &batch->packets[i];
		struct sample_packet *to;

		if ((batch->first - 1 + i) % sample->stride == 0 && sample->n == SAMPLE_PACKETS)
			halve(sample);
		if ((batch->first - 1 + i) % sample->stride != 0)
			continue;
		assert(sample->n < SAMPLE_PACKETS);
		to = &sample->packets[sample->n++];
		to->wire_len = packet->wire_len;
		to->len = packet->len < SAMPLE_BYTES ? packet->len : SAMPLE_BYTES;
		memcpy(to->bytes, packet->data, to->len);
	}
}
