/* SPDX-License-Identifier: BSD-3-Clause */
// The candidates of a simulation: what is loaded and run for each, and what is run besides to tell
// flows and UEs.
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

#define NICS_NOW 16
#define KNOWS_MOST "all" // the profile that does

// A NIC as it is: without an RSS rule, and with all types of rss_hf that it offers. The profile
// that knows most packets is loaded, and changed to hash what the NIC hashes. Its program has the
// packet types of the plan, in its order.
struct nic_now {
	const struct ddp_nic *nic;
	struct ddp_plan *plan; // a spread plan without a rule
	const struct spread *spread;
};

struct candidates {
	unsigned int n, n_all;  // the first n are for people to see; views and NICs follow
	struct spread *spreads; // their names belong to the candidates
	unsigned int n_loaded;
	struct ddp_personality *loaded;
	bool judged;         // those that people see, by many keys
	unsigned int n_nics; // NICs as they are
	struct nic_now nics[NICS_NOW];
	struct spread_totals totals;
	struct steer steer; // of the first n, and of NICs
	struct steer plain; // of the others
};

// Without memory the process ends.
void candidates_init(struct candidates *candidates, const struct steer_config *config);
void candidates_fini(struct candidates *candidates);

// loaded belongs to the candidates from now on, also after an error. rules (NULL: none) must
// outlive them. Returns the exit status; errors go to stderr.
int candidates_add(struct candidates *candidates, const char *name,
		   const struct ddp_personality *loaded, const struct rules *rules);

// As candidates_add(), with the profile that a specification names; NULL: base.
int candidates_add_spec(struct candidates *candidates, const char *name, const char *spec);

// Load-aware RSS with this interval, for the candidates that people see. What net_ddp cannot have
// is reported.
int candidates_balance(struct candidates *candidates, unsigned int ms);

// load_profile() without a word of what is wrong. 0 or -errno.
int load_quietly(struct ddp_personality *loaded, const char *spec);

// The last one: what NICs do without any profile.
int candidates_add_base(struct candidates *candidates);

// After that: look at flows and at UEs. spec is what their parameters are taken from where
// it loads together with what is needed; NULL: none. all (or NULL) is KNOWS_MOST, loaded already,
// and outlives them.
void candidates_look(struct candidates *candidates, const char *spec,
		     const struct ddp_personality *all);

// Of the kinds that there are, those whose users ask what they do: real NICs with RSS.
bool nic_is_common(const struct ddp_nic *nic);

// The plan of a profile for a NIC. It is the caller's. Without memory the process ends.
struct ddp_plan *nic_plan(const struct ddp_nic *nic, const struct ddp_personality *loaded,
			  const struct ddp_plan_ask *ask);

// Load a profile, changed to what the NIC hashes as its plan says. Returns the exit status; what is
// wrong goes to stderr.
int nic_profile_load(struct ddp_personality *loaded, const char *spec,
		     const struct ddp_spread_plan *plan);

// After that: NICs as they are. nic NULL: the common ones.
int candidates_add_nics(struct candidates *candidates, const struct ddp_nic *nic);

// As spread_run().
int candidates_run(struct candidates *candidates, struct capture *capture);

#endif
