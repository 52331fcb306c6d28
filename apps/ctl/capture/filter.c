/* SPDX-License-Identifier: BSD-3-Clause */
#include "filter.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "records.h"

void filter_init(struct filter *filter, const char *expression) {
	memset(filter, 0, sizeof(*filter));
	filter->expression = expression;
}

void filter_fini(struct filter *filter) {
	for (unsigned int i = 0; i < filter->n_programs; i++)
		pcap_freecode(&filter->programs[i].program);
	filter->n_programs = 0;
}

static struct bpf_program *program_find(struct filter *filter, const struct link *link) {
	for (unsigned int i = 0; i < filter->n_programs; i++)
		if (filter->programs[i].link == link)
			return &filter->programs[i].program;
	return NULL;
}

int filter_prepare(struct filter *filter, const struct link *link) {
	struct bpf_program *program = &filter->programs[filter->n_programs].program;
	pcap_t *pcap;
	int ret;

	if (filter->expression == NULL || program_find(filter, link) != NULL)
		return 0;
	assert(filter->n_programs < FILTER_LINKS_MAX);
	pcap = pcap_open_dead(link->dlt, RECORDS_PACKET_MAX);
	if (pcap == NULL)
		return -EINVAL;
	ret = pcap_compile(pcap, program, filter->expression, 1, PCAP_NETMASK_UNKNOWN);
	if (ret == 0)
		filter->programs[filter->n_programs++].link = link;
	else
		memcpy(filter->error, pcap_geterr(pcap), sizeof(filter->error));
	pcap_close(pcap);
	return ret == 0 ? 0 : -EINVAL;
}

int filter_keep(struct filter *filter, struct capture_packet *packets, unsigned int n) {
	const struct link *link = NULL;
	struct bpf_program *program = NULL;
	unsigned int kept = 0;

	if (filter->expression == NULL)
		return n;
	for (unsigned int i = 0; i < n; i++) {
		struct pcap_pkthdr header = {
			.caplen = packets[i].len,
			.len = packets[i].wire_len,
		};

		if (packets[i].link != link) {
			link = packets[i].link;
			if (filter_prepare(filter, link) < 0)
				return -EINVAL;
			program = program_find(filter, link);
		}
		if (pcap_offline_filter(program, &header, packets[i].data) != 0)
			packets[kept++] = packets[i];
	}
	return kept;
}
