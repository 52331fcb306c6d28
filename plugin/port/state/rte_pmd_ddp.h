/* SPDX-License-Identifier: BSD-3-Clause */
// The API of net_ddp beyond the ethdev calls.
#ifndef RTE_PMD_DDP_H
#define RTE_PMD_DDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>

#ifdef __cplusplus
extern "C" {
#endif

// Names of the dynamic mbuf fields that every net_ddp port fills on Rx: see
// rte_mbuf_dynfield_lookup(). With meta=off they are undefined in packets with a hardware hash.
#define RTE_PMD_DDP_META_DYNFIELD "ddp_meta" // struct rte_pmd_ddp_meta, aligned to 4
#define RTE_PMD_DDP_RX_TSC_DYNFIELD \
	"ddp_rx_tsc" // uint64_t, rte_rdtsc() when taken from the lower device

// Values of inner_l3_off: the packet has no inner IP header; or the lower device hashed the packet,
// so that neither inner_l3_off nor value is known.
#define RTE_PMD_DDP_NO_INNER_L3 UINT16_MAX
#define RTE_PMD_DDP_UNPARSED 0

// Results of parsing a packet. net_ddp does not parse packets that the lower device hashed: of
// these it has the packet type only, until rte_pmd_ddp_meta_fill() is called.
struct rte_pmd_ddp_meta {
	uint16_t ptype_id;     // packet type of the profile, 0: none; ids are not reused
	uint16_t inner_l3_off; // from the start of the packet, or one of the constants above
	// The field that the packet type extracts (such as the TEID), in host order; 0 if it
	// extracts none. Undefined with RTE_PMD_DDP_UNPARSED.
	uint32_t value;
};

// Are inner_l3_off and value known?
static inline bool rte_pmd_ddp_meta_is_parsed(const struct rte_pmd_ddp_meta *meta) {
	return meta->inner_l3_off != RTE_PMD_DDP_UNPARSED;
}

// Any thread may call the functions below, but not from within a burst call. They return -ENODEV if
// port_id is no net_ddp port. error (may be NULL) gets one line with the reason, truncated to
// error_size bytes with its NUL, or "" on success.
//
// NULL: an array for results or mappings may be NULL if its size is 0. Any other pointer that is
// NULL is refused with -EINVAL, whatever port_id is, except where a function below gives NULL a
// meaning.
//
// A change waits for a change by another thread. It is refused with -EBUSY if waiting would never
// end: in a callback that is called while this thread changes the port (net_bonding calls link
// callbacks inside its start), and in the interrupt thread while another thread changes it. The
// same holds for ethdev's and rte_flow's calls that change a net_ddp port. Calls that only read are
// never refused.
#pragma GCC visibility push(default)

// Get the name of a packet type, also of a deleted profile, in name (at most size bytes with the
// NUL). Returns its length; -ENOENT: the port never had such an id.
int rte_pmd_ddp_ptype_name(uint16_t port_id, uint16_t ptype_id, char *name, size_t size);

/* The dynamic field ddp_meta */

// Do all packets have the dynamic fields? Returns 1; or 0 with meta=off: those that bypass the
// rings have not.
int rte_pmd_ddp_meta_is_on(uint16_t port_id);

// Complete ddp_meta of packets that this port has received on a queue, from packets whose data is
// unchanged: parse those with RTE_PMD_DDP_UNPARSED; with meta=off all of them, because no field
// marks them. ddp_rx_tsc stays as it is. It costs a few nanoseconds for each packet that is
// parsed.
//
// Data path: it neither waits nor allocates, and needs no lock of the caller's. Any thread may call
// it while the port exists, best the one that polls the queue, right after the burst. Returns how
// many of the packets, from the first one on, are complete: n, unless other threads use all lower
// queues at this moment (call it again, or treat the others as unparsed) or the port is stopped;
// -EINVAL: there is no such queue; -ENOTSUP: in a secondary process while the port runs a package.
int rte_pmd_ddp_meta_fill(uint16_t port_id, uint16_t queue_id, struct rte_mbuf *const *mbufs,
			  uint16_t n);

/* Profiles */

// The personality of a port is its list of profiles, from its devargs and later changes; with an
// empty list the port is a fixed-function NIC. It changes under traffic: each packet is steered by
// the old list or by the new one, and none is lost. A failed change has no effect. Statistics
// continue; RSS key, hash fields and redirection table stay.

// A profile of the list. Longer strings are truncated.
struct rte_pmd_ddp_profile {
	char spec[256]; // as given: "gtpu:ue;port=2153" or a path; "" if given as text
	char name[64];
	char version[32];
	char summary[128];
	char file[256];          // path of the file; "" if given as text
	uint16_t n_packet_types; // defined by this file, without required profiles
};

// Add profiles to the end of the list, as the devarg profile= does: name-or-file[:input
// set][;parameter=value...], or several joined by '+', which are added in one step. The file is
// read with the rights of the process, and the error quotes the beginning of a file that is no
// profile: show it only to users who may read that file. Returns 0; -EEXIST: a profile of that name
// is in the list; -ENOENT: the profile, or one that it requires, does not exist or cannot be read;
// -EINVAL: it is invalid, or conflicts with the others; -ENOMEM; -ENOSPC: the port has had 65535
// packet types.
int rte_pmd_ddp_profile_add(uint16_t port_id, const char *spec, char *error, size_t error_size);

// Add a profile given as the text of its file, which is copied. Other profiles of the list can
// require it by its name. Messages call its file "<text>".
int rte_pmd_ddp_profile_add_text(uint16_t port_id, const char *text, size_t size, char *error,
				 size_t error_size);

// Delete a profile from the list, given by its name or by the specification that added it. Returns
// 0; -ENOENT: it is not in the list; -EBUSY: other profiles of the list or rte_flow rules need it,
// error names them; -EINVAL: the others are invalid without it; -ENOMEM.
int rte_pmd_ddp_profile_del(uint16_t port_id, const char *name, char *error, size_t error_size);

// Delete the profile with the name that this text contains.
int rte_pmd_ddp_profile_del_text(uint16_t port_id, const char *text, size_t size, char *error,
				 size_t error_size);

// Exchange the whole list in one step for the profiles of a specification, as of the devarg
// profile=; NULL: for an empty list. All files are read, also those of profiles in use, which the
// functions above and below do not read again. Use it to change the input set or the parameters of
// a profile, too. rte_flow rules stay. Returns 0; -ENOENT: a profile does not exist or cannot be
// read; -EINVAL: one is invalid, or conflicts with the others; -EBUSY: rte_flow rules need a
// profile that the new list lacks, error names them; -ENOMEM; -ENOSPC: the port has had 65535
// packet types.
int rte_pmd_ddp_profile_set(uint16_t port_id, const char *spec, char *error, size_t error_size);

// Get the list, oldest first: at most n entries are filled. Returns its length.
int rte_pmd_ddp_profiles_get(uint16_t port_id, struct rte_pmd_ddp_profile *profiles,
			     unsigned int n);

/* Packet types */

struct rte_pmd_ddp_ptype {
	uint16_t id;        // as in struct rte_pmd_ddp_meta
	uint32_t rte_ptype; // RTE_PTYPE_* of its mbufs: as mapped, else of its shortest path
	uint64_t packets;   // since the last reset of the port's statistics
	char name[64];
};

// Get the packet types of all profiles of the list: at most n are filled. Returns their number.
int rte_pmd_ddp_ptypes_get(uint16_t port_id, struct rte_pmd_ddp_ptype *ptypes, unsigned int n);

// The packet_type of mbufs is the RTE_PTYPE_* found in the packet, or the value that is mapped to
// its packet type here: one of DPDK's or, with bit 31 set, one of your own. The mapping stays while
// the port exists, also when the profile is deleted and added again.
struct rte_pmd_ddp_ptype_mapping {
	uint16_t id;
	uint32_t rte_ptype;
};

// Get the mappings of the list's packet types: at most n are filled. Returns their number.
int rte_pmd_ddp_ptype_mapping_get(uint16_t port_id, struct rte_pmd_ddp_ptype_mapping *items,
				  unsigned int n);

// Map n packet types; exclusive: all others of the list become RTE_PTYPE_UNKNOWN. Returns 0;
// -EINVAL: no profile of the list has such an id, or the value is not one of DPDK's; -ENOMEM.
int rte_pmd_ddp_ptype_mapping_update(uint16_t port_id,
				     const struct rte_pmd_ddp_ptype_mapping *items, unsigned int n,
				     bool exclusive);

// Map all packet types of the list whose value is target (mask: has all bits of target). Returns 0,
// -EINVAL, -ENOMEM.
int rte_pmd_ddp_ptype_mapping_replace(uint16_t port_id, uint32_t target, bool mask,
				      uint32_t rte_ptype);

// Remove all mappings. Returns 0, -ENOMEM.
int rte_pmd_ddp_ptype_mapping_reset(uint16_t port_id);

/* Load-aware RSS */

// While it is on, a port counts packets by entry of its redirection table, and moves entries of the
// most loaded queues to others, so that all get equal load. It decides once an interval, and most
// often moves nothing. The table that the application set is where it begins;
// rte_eth_dev_rss_reta_query() returns the present one. Packets that a rule steers stay where they
// are, and a queue that is not polled gets no entry. The packets of a flow keep their order: those
// of an entry that moves wait until its old queue has been polled again.

#define RTE_PMD_DDP_NO_ENTRY UINT16_MAX

// Turn it on with an interval of 1 to 60000 milliseconds, usually 100, or off: 0. Returns 0;
// -EINVAL: the interval is longer; -ENOMEM.
int rte_pmd_ddp_balance_set(uint16_t port_id, unsigned int ms);

struct rte_pmd_ddp_balance {
	uint32_t interval_ms;  // 0: off
	uint64_t rounds;       // intervals, since the last reset of the port's statistics
	uint64_t moves;        // entries moved, since then
	uint64_t given_up;     // queues that were not polled: waits and moves given up, since then
	uint64_t order_parked; // packets that waited after any change of the port, since then
	uint64_t order_longest_parking_us; // longest wait of packets, ever
	double before, after; // most loaded queue over the mean in the last interval, without and
			      // with its moves; 0: there was no interval with packets
	double worst; // the largest value of before since it was first turned on
	// An entry with more load than an even share of a queue, so that no move can help; or
	// RTE_PMD_DDP_NO_ENTRY. Its part of the port's load, from 0 to 1.
	uint16_t bound_entry;
	double bound_share;
	char bound_flow[128]; // the flow that has most of its packets; "": not known (yet)
};

// Get its state. Returns 0.
int rte_pmd_ddp_balance_get(uint16_t port_id, struct rte_pmd_ddp_balance *balance);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
