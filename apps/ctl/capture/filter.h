/* SPDX-License-Identifier: BSD-3-Clause */
// A filter expression of libpcap's (pcap-filter(7)) for packets of any link: compiled when a link is first met.
#ifndef DDPCTL_CAPTURE_FILTER_H
#define DDPCTL_CAPTURE_FILTER_H

#include <pcap/pcap.h>

#include "link.h"

#define FILTER_LINKS_MAX 8

struct filter {
	const char *expression; // NULL: every packet passes
	unsigned int n_programs;
	struct {
		const struct link *link;
		struct bpf_program program;
	} programs[FILTER_LINKS_MAX];
	char error[PCAP_ERRBUF_SIZE];
};

// expression must outlive the filter.
void filter_init(struct filter *filter, const char *expression);
void filter_fini(struct filter *filter);

// Compile for a link. 0, or -EINVAL with libpcap's reason in error.
int filter_prepare(struct filter *filter, const struct link *link);

// Keep those packets that pass, which still begin with their own link's header. Returns how many,
// or -EINVAL with the reason in error.
int filter_keep(struct filter *filter, struct capture_packet *packets, unsigned int n);

#endif
