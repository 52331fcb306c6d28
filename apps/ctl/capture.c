/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

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

static int link_type_check(struct capture *capture) {
	int type = pcap_datalink(capture->pcap);
	const char *name = pcap_datalink_val_to_name(type);

	if (type == DLT_EN10MB)
		return 0;
	if (name == NULL)
		return capture_fail(capture, "link type %d is not Ethernet", type);
	return capture_fail(capture, "link type %s is not Ethernet", name);
}

static void file_close(FILE *file) {
	if (file != stdin)
		fclose(file);
}

int capture_open(struct capture *capture, const char *path) {
	bool is_stdin = strcmp(path, "-") == 0;
	char reason[PCAP_ERRBUF_SIZE] = "";
	struct stat st;

	memset(capture, 0, sizeof(*capture));
	capture->path = is_stdin ? "standard input" : path;
	capture->file = is_stdin ? stdin : fopen(path, "rb");
	if (capture->file == NULL)
		return capture_fail(capture, "%s", strerror(errno));
	if (fstat(fileno(capture->file), &st) == 0 && S_ISREG(st.st_mode))
		capture->size = st.st_size;
	capture->pcap = pcap_fopen_offline(capture->file, reason);
	if (capture->pcap == NULL) {
		file_close(capture->file);
		return capture_fail(capture, "not a capture: %s", reason);
	}
	if (link_type_check(capture) < 0) {
		capture_close(capture);
		return -EIO;
	}
	return 0;
}

void capture_close(struct capture *capture) {
	pcap_close(capture->pcap); // and its file
	capture->pcap = NULL;
	capture->file = NULL;
}

int capture_next(struct capture *capture, struct ddp_packet *packet) {
	struct pcap_pkthdr *header;
	const uint8_t *data;
	int ret = pcap_next_ex(capture->pcap, &header, &data);

	if (ret == PCAP_ERROR_BREAK)
		return 0;
	if (ret != 1)
		return capture_fail(capture, "%s; packets read: %" PRIu64,
				    pcap_geterr(capture->pcap), capture->n_packets);
	capture->n_packets++;
	*packet = (struct ddp_packet){
		.data = data,
		.first_len = header->caplen,
		.len = header->caplen,
	};
	return 1;
}

uint64_t capture_position(const struct capture *capture) {
	off_t at = ftello(capture->file);

	return at < 0 ? 0 : at;
}
