/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic_now.h"

#include <stdlib.h>
#include <string.h>

#include "base/rss_hf.h"
#include "common/strbuf.h"
#include "ctl/options.h"
#include "ctl/profile/profile_load.h"
#include "nic_plan.h"
#include "spread.h"

#define KNOWS_MOST "all"
#define SHARE_LEAST 0.0005 // of all packets: worth a word

bool nic_is_common(const struct ddp_nic *nic) {
	return nic != ddp_nic_find("none") && nic != ddp_nic_find("net_ddp");
}

/* Loading */

static int program_rebuild(struct ddp_personality *loaded) {
	struct ddp_diag diag;

	ddp_diag_init(&diag);
	ddp_program_destroy(loaded->program);
	loaded->program = ddp_program_build(loaded->profile, &diag);
	return load_end(&diag, loaded->program == NULL);
}

int nic_profile_load(struct ddp_personality *loaded, const char *spec,
		     const struct ddp_spread_plan *plan) {
	int status = load_or_report(loaded, spec);

	if (status != EXIT_GOOD)
		return status;
	if (!ddp_spread_apply(plan, loaded->profile))
		no_memory_exit();
	status = program_rebuild(loaded);
	if (status != EXIT_GOOD)
		ddp_personality_unload(loaded);
	return status;
}

static bool rule_refuse(void *ctx, const struct ddp_offload_rule *rule) {
	(void)ctx;
	(void)rule;
	return false;
}

int nic_now_load(struct nic_now *now, const struct ddp_nic *nic, struct ddp_personality *loaded) {
	const struct ddp_plan_ask ask = {.rss_hf = DDP_RSS_HF_ALL, .accepts = rule_refuse};
	struct ddp_personality asked;
	struct ddp_spread_plan *spread;
	struct ddp_plan *plan;
	int status = load_or_report(&asked, KNOWS_MOST);

	if (status != EXIT_GOOD)
		return status;
	plan = nic_plan(nic, &asked, &ask, &spread);
	*now = (struct nic_now){nic, spread};
	ddp_plan_destroy(plan);
	ddp_personality_unload(&asked);
	status = nic_profile_load(loaded, KNOWS_MOST, now->plan);
	if (status != EXIT_GOOD)
		nic_now_fini(now);
	return status;
}

void nic_now_fini(struct nic_now *now) {
	ddp_spread_destroy(now->plan);
	now->plan = NULL;
}

/* Telling */

static const struct ddp_spread_type *type_find(const struct nic_now *now,
					       const struct spread *spread, const char *name) {
	for (unsigned int i = 0; i < now->plan->n_types; i++)
		if (strcmp(ddp_program_type(spread->program, i)->name, name) == 0)
			return &now->plan->types[i];
	return NULL;
}

static void share_add(struct nic_share *shares, unsigned int *n, struct nic_share more) {
	for (unsigned int i = 0; i < *n; i++)
		if (strcmp(shares[i].by, more.by) == 0 && shares[i].inner_lost == more.inner_lost) {
			shares[i].packets += more.packets;
			return;
		}
	if (*n < NIC_SHARES)
		shares[(*n)++] = more;
}

static int by_packets(const void *a, const void *b) {
	uint64_t n_a = ((const struct nic_share *)a)->packets;
	uint64_t n_b = ((const struct nic_share *)b)->packets;

	return n_a != n_b ?
		       (n_a < n_b ? 1 : -1) :
		       strcmp(((const struct nic_share *)a)->by, ((const struct nic_share *)b)->by);
}

unsigned int nic_now_shares(const struct nic_now *now, const struct spread *spread,
			    struct nic_share shares[NIC_SHARES]) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < spread->n_types && spread->types[i].packets > 0; i++) {
		const struct ddp_spread_type *type = type_find(now, spread, spread->types[i].name);
		struct nic_share share = {"nothing", false, spread->types[i].packets};

		if (type != NULL && type->by[0] != '\0')
			share.by = type->by;
		share.inner_lost = type != NULL && type->spread == DDP_SPREAD_OUTER;
		share_add(shares, &n, share);
	}
	qsort(shares, n, sizeof(*shares), by_packets);
	return n;
}

void nic_shares_write(const struct nic_share *shares, unsigned int n, uint64_t n_packets,
		      FILE *to) {
	const struct nic_share *lost = NULL;

	for (unsigned int i = 0; i < n; i++) {
		if (i > 0 && shares[i].packets < SHARE_LEAST * n_packets)
			break;
		fprintf(to, "%s%s (%s%s)", i > 0 ? ", " : "", shares[i].by,
			share_text(n_packets == 0 ? 0 : (double)shares[i].packets / n_packets, 1,
				   "%")
				.text,
			i == 0 ? " of the packets" : "");
		if (lost == NULL && shares[i].inner_lost)
			lost = &shares[i];
	}
	if (lost != NULL)
		fprintf(to,
			". The headers behind are not parsed: all packets with the same %s stay on "
			"one queue.",
			lost->by);
}
