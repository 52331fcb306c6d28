/* SPDX-License-Identifier: BSD-3-Clause */
#include "rx_capture.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "profile/profile.h"

// Length of a device argument: up to a comma, or a parenthesis that it does not open.
static size_t argument_len(const char *text) {
	unsigned int depth = 0;
	size_t len;

	for (len = 0; text[len] != '\0' && (text[len] != ',' || depth != 0); len++) {
		if (text[len] == '(')
			depth++;
		else if (text[len] == ')' && depth-- == 0)
			break;
	}
	return len;
}

// The value of the next "key=value" from *pos on, or NULL; *pos moves behind the key.
static const char *argument_next(const char *devargs, const char *key, size_t *pos) {
	size_t key_len = strlen(key);
	const char *at = devargs + *pos;

	while ((at = strstr(at, key)) != NULL) {
		bool starts = at == devargs || at[-1] == ',' || at[-1] == '(';

		at += key_len;
		if (starts && *at == '=') {
			*pos = at - devargs;
			return at + 1;
		}
	}
	return NULL;
}

static bool argument_given(const char *devargs, const char *key) {
	size_t pos = 0;

	return argument_next(devargs, key, &pos) != NULL;
}

static bool is_infinite(const char *devargs) {
	size_t pos = 0;
	const char *value;

	while ((value = argument_next(devargs, "infinite_rx", &pos)) != NULL)
		if (atoi(value) > 0)
			return true;
	return false;
}

// Copy the value to text. false: there are no more.
static bool value_next(const char *devargs, const char *key, size_t *pos, char text[PATH_MAX]) {
	const char *value = argument_next(devargs, key, pos);

	if (value != NULL)
		snprintf(text, PATH_MAX, "%.*s", (int)argument_len(value), value);
	return value != NULL;
}

bool capture_next(const char *devargs, size_t *pos, char path[PATH_MAX]) {
	return value_next(devargs, "rx_pcap", pos, path);
}

bool devargs_read(const char *devargs, const char *path) {
	char text[PATH_MAX];

	for (size_t pos = 0; capture_next(devargs, &pos, text);)
		if (ddp_is_same_file(text, path))
			return true;
	for (size_t pos = 0; value_next(devargs, "profile", &pos, text);)
		if (ddp_spec_reads(text, path))
			return true;
	return false;
}

bool capture_is_finite(const char *devargs) {
	return devargs != NULL && argument_given(devargs, "rx_pcap") &&
	       !argument_given(devargs, "rx_iface") && !argument_given(devargs, "rx_iface_in") &&
	       !argument_given(devargs, "iface") && !is_infinite(devargs);
}

static pcap_t *capture_open(const char *path, struct error *error) {
	char reason[PCAP_ERRBUF_SIZE];
	pcap_t *pcap;
	FILE *file;

	file = fopen(path, "rb");
	if (file == NULL) {
		error_set(error, EXIT_UNREADABLE, "%s: %s", path, strerror(errno));
		return NULL;
	}
	pcap = pcap_fopen_offline(file, reason); // pcap owns the file
	if (pcap == NULL) {
		fclose(file);
		error_set(error, EXIT_UNREADABLE, "%s: %s", path, reason);
	}
	return pcap;
}

// net_pcap delivers the bytes of all link types. Without an Ethernet header, unrelated bytes would
// be classified.
static int link_check(pcap_t *pcap, const char *path, struct error *error) {
	int type = pcap_datalink(pcap);
	const char *payload;

	switch (type) {
	case DLT_EN10MB:
		return 0;
	case DLT_RAW:
	case DLT_IPV4:
	case DLT_IPV6:
		payload = "p";
		break;
	case DLT_LINUX_SLL:
	case DLT_LINUX_SLL2:
	case DLT_LOOP:
	case DLT_NULL:
		payload = "p.payload";
		break;
	default:
		return error_set(error, EXIT_UNREADABLE,
				 "%s: the link type is %s: ports receive Ethernet frames only",
				 path, pcap_datalink_val_to_description_or_dlt(type));
	}
	return error_set(
		error, EXIT_UNREADABLE,
		"%s: the link type is %s: ports receive Ethernet frames only. Convert it, for "
		"example with Scapy: wrpcap('ethernet.pcap', [Ether()/%s for p in rdpcap('%s')])",
		path, pcap_datalink_val_to_description_or_dlt(type), payload, path);
}

// Read a capture to its end, and add its packets to n.
static int capture_read(const char *path, uint64_t *n, struct error *error) {
	pcap_t *pcap = capture_open(path, error);
	struct pcap_pkthdr *header;
	const u_char *data;
	int ret;

	if (pcap == NULL)
		return -1;
	while ((ret = pcap_next_ex(pcap, &header, &data)) == 1)
		(*n)++;
	if (ret == PCAP_ERROR)
		error_set(error, EXIT_UNREADABLE, "%s: %s", path, pcap_geterr(pcap));
	pcap_close(pcap);
	return ret == PCAP_ERROR ? -1 : 0;
}

int capture_check(const char *path, struct error *error) {
	uint64_t n = 0;

	return capture_read(path, &n, error);
}

int captures_try(const char *devargs, struct error *error) {
	char path[PATH_MAX];
	size_t pos = 0;
	int ret = 0;

	while (ret == 0 && capture_next(devargs, &pos, path)) {
		struct stat st;
		pcap_t *pcap;

		if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
			continue; // reading a pipe consumes it
		pcap = capture_open(path, error);
		if (pcap == NULL)
			return -1;
		ret = link_check(pcap, path, error);
		pcap_close(pcap);
	}
	return ret;
}

uint64_t captures_kept(const char *devargs) {
	char path[PATH_MAX];
	struct error error;
	uint64_t n = 0;
	size_t pos = 0;

	if (devargs == NULL || !is_infinite(devargs))
		return 0;
	while (capture_next(devargs, &pos, path))
		capture_read(path, &n, &error); // net_pcap refused unreadable files
	return n;
}
