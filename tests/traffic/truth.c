/* SPDX-License-Identifier: BSD-3-Clause */
#include "truth.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>

#include "population.h"

int truth_open(struct truth *truth, const char *name) {
	truth->error = 0;
	truth->file = fopen(name, "w");
	if (truth->file == NULL)
		return -errno;
	fputs("flow,replaces,elephant,begin_us,end_us,first_us,last_us,packets,bytes,"
	      "protocol,ue,ue_port,server,server_port\n",
	      truth->file);
	return 0;
}

static void address_write(FILE *file, const struct address *address, bool ipv6) {
	char text[INET6_ADDRSTRLEN];

	inet_ntop(ipv6 ? AF_INET6 : AF_INET, address->bytes, text, sizeof(text));
	fputs(text, file);
}

static void ends_write(FILE *file, const struct flow *flow) {
	fputs(flow->protocol == IPPROTO_TCP ? "tcp," : "udp,", file);
	address_write(file, &flow->ue.addr, flow->ue.ipv6);
	fprintf(file, ",%u,", flow->ue_port);
	address_write(file, &flow->server, flow->ue.ipv6);
	fprintf(file, ",%u\n", flow->server_port);
}

void truth_tell(struct truth *truth, const struct life *life, const struct flow *flow) {
	FILE *file = truth->file;

	fprintf(file, "%" PRIu32 ",", life->flow);
	if (life->replaces != LIFE_REPLACES_NONE)
		fprintf(file, "%" PRIu32, life->replaces);
	fprintf(file, ",%d,%" PRIu64 ",%" PRIu64, life->elephant, life->begin_us, life->end_us);
	if (life->packets > 0)
		fprintf(file, ",%" PRIu64 ",%" PRIu64, life->first_us, life->last_us);
	else
		fputs(",,", file);
	fprintf(file, ",%" PRIu64 ",%" PRIu64 ",", life->packets, life->bytes);
	errno = EIO;
	ends_write(file, flow);
	if (ferror(file) && truth->error == 0)
		truth->error = -errno;
}

int truth_close(struct truth *truth) {
	errno = EIO;
	if (fclose(truth->file) != 0 && truth->error == 0)
		truth->error = -errno;
	return truth->error;
}
