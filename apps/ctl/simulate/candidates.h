/* SPDX-License-Identifier: BSD-3-Clause */
// The candidates of a simulation: their profiles and spreads, and the spreads that count flows and
// UEs.
//
//	candidates_init(&candidates, &options->steer);
//	candidates_add(&candidates, "gtpu", &loaded, NULL);
//	candidates_add_base(&candidates);
//	candidates_look(&candidates, "gtpu");
//	ret = candidates_run(&candidates, &capture);
#ifndef DDPCTL_SIMULATE_CANDIDATES_H
#define DDPCTL_SIMULATE_CANDIDATES_H

#include "ctl/profile/profile_load.h"
#include "offload/offload.h"
#include "spread.h"

#define NICS_NOW 16      // kinds of NIC at most
#define KNOWS_MOST "all" // the profile with the most packet types

// A NIC without net_ddp: no RSS rules, and all types of rss_hf that it offers. The profile
// KNOWS_MOST is changed to hash as the NIC does. Its packet types are those of the plan.
struct nic_now {
	const struct ddp_nic *nic;
	struct ddp_plan *plan; // a spread plan without a rule
	const struct spread *spread;
};

struct candidates {
	unsigned int n, n_all;  // the first n are shown; views and NICs follow
	struct spread *spreads; // their names belong to the candidates
	unsigned int n_loaded;
	struct ddp_personality *loaded;
	bool many_keys; // the shown ones are simulated with many keys
	unsigned int n_nics;
	struct nic_now nics[NICS_NOW];
	struct spread_totals totals;
	struct steer steer; // of the shown ones and of NICs
	struct steer plain; // of views
};

// The process ends if memory is short.
void candidates_init(struct candidates *candidates, const struct steer_config *config);
void candidates_fini(struct candidates *candidates);

// The candidates own loaded, also after an error. rules (NULL: none) must outlive them. Returns the
// exit status; errors go to stderr.
int candidates_add(struct candidates *candidates, const char *name,
		   const struct ddp_personality *loaded, const struct rules *rules);

// As candidates_add(), with the profiles of a specification; NULL: base.
int candidates_add_spec(struct candidates *candidates, const char *name, const char *spec);

// Simulate load-aware RSS with this interval for the candidates that are shown. Returns the exit
// status; unsupported sizes are reported to stderr.
int candidates_balance(struct candidates *candidates, unsigned int ms);

// load_profile() without messages. 0 or -errno.
int load_quietly(struct ddp_personality *loaded, const char *spec);

// Add the last candidate: a NIC without any profile.
int candidates_add_base(struct candidates *candidates);

// After candidates_add_base(): count flows and UEs. Parameters come from spec (NULL: none) if it
// loads together with the profiles needed. all is KNOWS_MOST, if loaded already, and outlives the
// candidates; else NULL.
void candidates_look(struct candidates *candidates, const char *spec,
		     const struct ddp_personality *all);

// Is the kind of NIC shown by default? Those are the NICs with RSS.
bool nic_is_common(const struct ddp_nic *nic);

// The plan of a profile for a NIC, to be destroyed. The process ends if memory is short.
struct ddp_plan *nic_plan(const struct ddp_nic *nic, const struct ddp_personality *loaded,
			  const struct ddp_plan_request *request);

// Load a profile, changed to hash as the NIC of the plan. Returns the exit status.
int nic_profile_load(struct ddp_personality *loaded, const char *spec,
		     const struct ddp_spread_plan *plan);

// After candidates_look(): add NICs without net_ddp. nic NULL: the common ones.
int candidates_add_nics(struct candidates *candidates, const struct ddp_nic *nic);

// As spread_run().
int candidates_run(struct candidates *candidates, struct capture *capture);

#endif
