/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/options.h"
#include "interrupt.h"

#define LIVE_TIMEOUT_MS 100         // until a packet is shown, and between two looks whether to end
#define LIVE_BUFFER_SIZE (16 << 20) // the system's, while packets are classified

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
	capture_fail(capture, "filter '%s': %s", capture->config.expression, capture->filter.error);
	return -EINVAL;
}

static int link_fail(struct capture *capture, int type) {
	return capture_fail(capture, "link type %s is none of: %s", link_type_name(type),
			    link_names());
}

/* libpcap: interfaces, and formats that only it knows */

static ssize_t cookie_read(void *cookie, char *buf, size_t size) {
	struct stream *stream = cookie;
	ssize_t n = stream_read(stream, buf, size);

	if (n < 0)
		errno = -n;
	return n < 0 ? -1 : n;
}

static int pcap_link(struct capture *capture) {
	int type = pcap_datalink(capture->pcap);

	capture->link = link_find(type);
	return capture->link == NULL ? link_fail(capture, type) : 0;
}

static int old_open(struct capture *capture) {
	const cookie_io_functions_t functions = {.read = cookie_read};
	FILE *file = fopencookie(&capture->stream, "r", functions);
	char reason[PCAP_ERRBUF_SIZE] = "";

	if (file == NULL)
		return capture_fail(capture, "%s", strerror(errno));
	capture->pcap =
		pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, reason);
	if (capture->pcap == NULL) {
		fclose(file);
		return capture_fail(capture, "not a capture: %s", reason);
	}
	return pcap_link(capture);
}

// Why an interface cannot be opened.
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

static int live_filter(struct capture *capture) {
	struct bpf_program program;

	if (capture->config.expression == NULL)
		return 0;
	if (pcap_compile(capture->pcap, &program, capture->config.expression, 1,
			 PCAP_NETMASK_UNKNOWN) < 0) {
		memcpy(capture->filter.error, pcap_geterr(capture->pcap), PCAP_ERRBUF_SIZE);
		return filter_fail(capture);
	}
	if (pcap_setfilter(capture->pcap, &program) < 0) {
		pcap_freecode(&program);
		return live_fail(capture, PCAP_ERROR);
	}
	pcap_freecode(&program);
	return 0;
}

// Nanoseconds where the interface has them.
static int live_set(pcap_t *pcap) {
	int ret = pcap_set_snaplen(pcap, RECORDS_PACKET_MAX);

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

	capture->pcap = pcap_create(capture->config.interface, reason);
	if (capture->pcap == NULL)
		return capture_fail(capture, "%s", reason);
	ret = live_set(capture->pcap);
	if (ret == 0)
		ret = pcap_activate(capture->pcap);
	if (ret < 0)
		return live_fail(capture, ret);
	ret = pcap_link(capture);
	if (ret < 0)
		return ret;
	if (pcap_setnonblock(capture->pcap, 1, reason) < 0)
		return capture_fail(capture, "%s", reason);
	return live_filter(capture);
}

// Room for a packet behind the others; NULL: none.
static uint8_t *batch_room(struct capture_batch *batch, size_t used, uint32_t len) {
	if (batch->n == CAPTURE_BATCH_PACKETS || CAPTURE_BATCH_BYTES - used < LINK_ETH_SIZE + len)
		return NULL;
	return batch->bytes + CAPTURE_HEADROOM + used + LINK_ETH_SIZE;
}

static void packet_copy(const struct capture *capture, const struct pcap_pkthdr *header,
			const uint8_t *data, uint8_t *to, struct capture_packet *packet) {
	int precision = pcap_get_tstamp_precision(capture->pcap);
	uint64_t unit = precision == PCAP_TSTAMP_PRECISION_NANO ? 1 : 1000;
	uint32_t len = header->caplen;

	memcpy(to, data, len);
	*packet = (struct capture_packet){
		.data = to,
		.len = len,
		.wire_len = header->len > len ? header->len : len,
		.time_ns = header->ts.tv_sec * UINT64_C(1000000000) + header->ts.tv_usec * unit,
		.link = capture->link,
	};
}

static int pcap_end(struct capture *capture) {
	if (capture->pcap_end == PCAP_ERROR_BREAK)
		return 0;
	if (interrupt_signal != 0) {
		capture->interrupted = true;
		return 0;
	}
	return capture_fail(capture, "%s; packets read: %" PRIu64, pcap_geterr(capture->pcap),
			    capture->n_packets);
}

static void live_wait(const struct capture *capture) {
	struct pollfd poll_fd = {
		.fd = pcap_get_selectable_fd(capture->pcap),
		.events = POLLIN,
	};

	poll(&poll_fd, 1, LIVE_TIMEOUT_MS);
}

// Copies, as libpcap's memory is good until its next call only.
static int pcap_fill(struct capture *capture, struct capture_batch *batch) {
	size_t used = 0;

	while (capture->pcap_end == 0) {
		const uint8_t *data;
		struct pcap_pkthdr *header;
		uint8_t *to = batch_room(batch, used, RECORDS_PACKET_MAX);
		int ret;

		if (to == NULL)
			return 1;
		if (capture->is_live && interrupt_signal != 0) {
			capture->interrupted = capture->ended = true;
			return batch->n > 0;
		}
		ret = pcap_next_ex(capture->pcap, &header, &data);
		if (ret == 0 && batch->n > 0)
			return 1;
		if (ret == 0)
			live_wait(capture);
		if (ret < 0)
			capture->pcap_end = ret;
		if (ret <= 0)
			continue;
		packet_copy(capture, header, data, to, &batch->packets[batch->n++]);
		used += LINK_ETH_SIZE + header->caplen;
	}
	return batch->n > 0 ? 1 : pcap_end(capture);
}

/* Files */

static int file_fail(struct capture *capture, const char *reason) {
	return capture_fail(capture, "%s; packets read: %" PRIu64, reason, capture->n_packets);
}

// More bytes behind those that are there. 1, 0 at the end, -EIO.
static int bytes_read(struct capture *capture, struct capture_batch *batch, struct bytes *bytes) {
	uint8_t *start = batch->bytes + CAPTURE_HEADROOM;
	ssize_t n;

	memmove(start, bytes->at, bytes->len);
	bytes->at = start;
	n = stream_read(&capture->stream, start + bytes->len, CAPTURE_BATCH_BYTES - bytes->len);
	if (n == -EINTR) {
		capture->interrupted = true;
		return 0;
	}
	if (n < 0)
		return file_fail(capture, capture->stream.error);
	if (n == 0 && records_end(&capture->records, bytes->len) < 0)
		return file_fail(capture, capture->records.error);
	bytes->len += n;
	return n > 0;
}

static int file_fill(struct capture *capture, struct capture_batch *batch) {
	struct bytes bytes = {batch->bytes + CAPTURE_HEADROOM, capture->left_len};
	int ret;

	memcpy(bytes.at, capture->left, capture->left_len);
	for (;;) {
		batch->n = records_split(&capture->records, &bytes, batch->packets,
					 CAPTURE_BATCH_PACKETS);
		if (batch->n > 0)
			break;
		if (capture->records.error[0] != '\0')
			return file_fail(capture, capture->records.error);
		ret = bytes_read(capture, batch, &bytes);
		if (ret <= 0)
			return ret;
	}
	memcpy(capture->left, bytes.at, bytes.len);
	capture->left_len = bytes.len;
	return 1;
}

static int file_filter(struct capture *capture) {
	const struct link *link = capture->link;
	int type = records_link_type(&capture->records);

	if (link == NULL && type >= 0)
		link = link_find(type);
	if (link == NULL && type >= 0)
		return link_fail(capture, type);
	if (link != NULL && filter_prepare(&capture->filter, link) < 0)
		return filter_fail(capture);
	return 0;
}

static int format_open(struct capture *capture) {
	uint8_t head[RECORDS_HEAD_SIZE];
	ssize_t n = stream_peek(&capture->stream, head, sizeof(head));

	if (n < 0)
		return capture_fail(capture, "%s",
				    n == -EINTR ? "interrupted" : capture->stream.error);
	records_init(&capture->records, head, n);
	if (capture->records.format == RECORDS_NONE)
		return old_open(capture);
	capture->left = malloc(CAPTURE_BATCH_BYTES);
	return capture->left == NULL ? capture_fail(capture, "%s", strerror(ENOMEM)) : 0;
}

static int file_open(struct capture *capture) {
	bool is_stdin = strcmp(capture->config.path, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(capture->config.path, O_RDONLY | O_CLOEXEC);
	int ret;

	capture->path = is_stdin ? "standard input" : capture->config.path;
	if (fd < 0)
		return capture_fail(capture, "%s", strerror(errno));
	if (stream_open(&capture->stream, fd) < 0)
		return capture_fail(capture, "%s", capture->stream.error);
	ret = format_open(capture);
	return ret < 0 ? ret : file_filter(capture);
}

/* Both */

int capture_open(struct capture *capture, const struct capture_config *config) {
	int ret;

	memset(capture, 0, sizeof(*capture));
	capture->config = *config;
	capture->stream.fd = -1;
	capture->is_live = config->interface != NULL;
	filter_init(&capture->filter, config->expression);
	if (capture->is_live) {
		capture->path = config->interface;
		ret = live_open(capture);
	} else {
		ret = file_open(capture);
	}
	if (ret < 0) {
		capture->interrupted = interrupt_signal != 0;
		capture_close(capture);
	}
	return ret;
}

void capture_close(struct capture *capture) {
	if (capture->pcap != NULL)
		pcap_close(capture->pcap);
	filter_fini(&capture->filter);
	records_fini(&capture->records);
	free(capture->left);
	free(capture->batch);
	if (capture->stream.fd >= 0)
		stream_close(&capture->stream);
	capture->stream.fd = -1;
}

// Of what was read, those that pass the filter, beginning with Ethernet. 0 or -EINVAL.
static int batch_finish(struct capture *capture, struct capture_batch *batch) {
	if (!capture->is_live) {
		int n = filter_keep(&capture->filter, batch->packets, batch->n);

		if (n < 0)
			return filter_fail(capture);
		batch->n = n;
	}
	for (unsigned int i = 0; i < batch->n; i++)
		link_to_ethernet(&batch->packets[i]);
	return 0;
}

static int batch_fill(struct capture *capture, struct capture_batch *batch) {
	do {
		int ret;

		batch->n = 0;
		if (capture->ended)
			return 0;
		ret = capture->pcap != NULL ? pcap_fill(capture, batch) : file_fill(capture, batch);
		if (ret > 0)
			ret = batch_finish(capture, batch) < 0 ? -EINVAL : 1;
		capture->ended |= ret <= 0;
		if (ret <= 0)
			return ret;
	} while (batch->n == 0);
	return 1;
}

// Not more than were asked for.
static void batch_limit(struct capture *capture, struct capture_batch *batch) {
	uint64_t left = capture->config.n_packets - capture->n_packets;

	if (capture->config.n_packets == 0 || batch->n < left)
		return;
	batch->n = left;
	capture->ended = true;
}

int capture_fill(struct capture *capture, struct capture_batch *batch) {
	int ret = batch_fill(capture, batch);

	if (ret <= 0)
		return ret;
	batch_limit(capture, batch);
	batch->first = capture->n_packets + 1;
	capture->n_packets += batch->n;
	for (unsigned int i = 0; i < batch->n; i++)
		capture->n_cut += batch->packets[i].wire_len > batch->packets[i].len;
	return 1;
}

bool capture_pending(const struct capture *capture) {
	return capture->batch != NULL && capture->batch_at < capture->batch->n;
}

static int batch_next(struct capture *capture) {
	int ret;

	if (capture->batch == NULL)
		capture->batch = malloc(sizeof(*capture->batch));
	if (capture->batch == NULL)
		return capture_fail(capture, "%s", strerror(ENOMEM));
	capture->batch_at = 0;
	ret = batch_fill(capture, capture->batch);
	if (ret > 0)
		batch_limit(capture, capture->batch);
	return ret;
}

int capture_next(struct capture *capture, struct ddp_packet *packet) {
	const struct capture_packet *next;

	if (!capture_pending(capture)) {
		int ret = batch_next(capture);

		if (ret <= 0)
			return ret;
	}
	next = &capture->batch->packets[capture->batch_at++];
	capture->n_packets++;
	capture->n_cut += next->wire_len > next->len;
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
	if (capture->interrupted && !capture->is_live) // on an interface this is how it ends
		return 128 + interrupt_signal;
	if (ret == -EINVAL)
		return EXIT_USAGE;
	return ret < 0 ? EXIT_UNREADABLE : EXIT_GOOD;
}
