/* SPDX-License-Identifier: BSD-3-Clause */
// What an application may use of net_ddp beyond the ordinary ethdev calls.
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

// Names of the dynamic mbuf fields that every net_ddp port fills on Rx: rte_mbuf_dynfield_lookup().
// With meta=off packets that a NIC hashed come with whatever was left in them.
#define RTE_PMD_DDP_META_DYNFIELD "ddp_meta" // struct rte_pmd_ddp_meta, aligned to 4
#define RTE_PMD_DDP_RX_TSC_DYNFIELD \
	"ddp_rx_tsc" // uint64_t, rte_rdtsc() when taken from the lower device

#define RTE_PMD_DDP_NO_INNER_L3 UINT16_MAX

// What net_ddp found out about a packet.
struct rte_pmd_ddp_meta {
	uint16_t ptype_id; // the profile's packet type, 0 for none; not reused while the port exists
	uint16_t inner_l3_off; // bytes from the packet's start, RTE_PMD_DDP_NO_INNER_L3 for none
	uint32_t value; // the field that the packet type extracts (such as the TEID), host order
};

// The functions below may be called by any thread, but not from a burst call. They answer -ENODEV
// when port_id is no net_ddp port. Where there is an error, it gets one line that says what is
// wrong, cut to error_size with its NUL, or "" on success; it may be NULL.
//
// A change waits for one that another thread makes. It is refused with -EBUSY instead of waiting
// for ever: in a callback that is called while this very thread changes the port (net_bonding calls
// link callbacks inside its start), and in the interrupt thread while any other thread changes it.
// The same holds for ethdev's and rte_flow's calls that change a net_ddp port. Calls that only read
// are never refused.
#define RTE_PMD_DDP_API __attribute__((visibility("default")))

// Name of a packet type, also of one whose profile was deleted meanwhile, copied to name (at most
// size bytes with the NUL). Returns its length, -ENOENT when the port never had such an id.
RTE_PMD_DDP_API
int rte_pmd_ddp_ptype_name(uint16_t port_id, uint16_t ptype_id, char *name, size_t size);

/* Profiles */

// The personality of a port is the list of profiles that it was given, by its devargs and since
// then; without one it is a fixed-function NIC, as without the devarg. It changes while packets
// flow: each packet is steered by the old list or by the new one, and none is lost. A change that
// fails changes nothing. Statistics go on; RSS key, hash fields and redirection table stay.

// A profile of the list. Strings that are longer are cut.
struct rte_pmd_ddp_profile {
	char spec[256]; // as given: "gtpu:ue;port=2153", a path; "" when given as text
	char name[64];
	char version[32];
	char summary[128];
	char file[256];          // it was read from; "" when given as text
	uint16_t n_packet_types; // that this file defines, without those it requires
};

// Add what spec says to the end of the list, as the devarg profile= would:
// name-or-file[:input set][;parameter=value...], or several joined by '+', which are added
// together. The file is read with the rights of the process, and the error quotes the beginning of
// a file that is no profile: show it only to users who may read that file.
// Returns 0; -EEXIST: a profile of that name is in the list; -ENOENT: there is no such profile (or
// one that it requires), or its file cannot be read; -EINVAL: it is no good, or not together with
// the others; -ENOMEM; -ENOSPC: the port has had 65535 packet types.
RTE_PMD_DDP_API
int rte_pmd_ddp_profile_add(uint16_t port_id, const char *spec, char *error, size_t error_size);

// The same with what stands in a profile file, which is copied. Others of the list may require it
// by the name it gives itself. Messages call its file "<text>".
RTE_PMD_DDP_API
int rte_pmd_ddp_profile_add_text(uint16_t port_id, const char *text, size_t size, char *error,
				 size_t error_size);

// Take a profile from the list, given by its name or as it was given when added. Returns 0;
// -ENOENT: it is not in the list; -EBUSY: others of the list or rte_flow rules need it, error says
// which; -EINVAL: the others are no good without it; -ENOMEM.
RTE_PMD_DDP_API
int rte_pmd_ddp_profile_del(uint16_t port_id, const char *name, char *error, size_t error_size);

// The same, of the name that the text of a profile file gives itself.
RTE_PMD_DDP_API
int rte_pmd_ddp_profile_del_text(uint16_t port_id, const char *text, size_t size, char *error,
				 size_t error_size);

// The list, oldest first: at most n of it are filled in. Returns how long it is.
RTE_PMD_DDP_API
int rte_pmd_ddp_profiles_get(uint16_t port_id, struct rte_pmd_ddp_profile *profiles, unsigned int n);

/* Packet types */

struct rte_pmd_ddp_ptype {
	uint16_t id;        // as in struct rte_pmd_ddp_meta
	uint32_t rte_ptype; // RTE_PTYPE_* of its mbufs: as mapped, else as of its shortest path
	uint64_t packets;   // since the port's statistics were last reset
	char name[64];
};

// The packet types of all profiles of the list: at most n are filled in. Returns how many there
// are.
RTE_PMD_DDP_API
int rte_pmd_ddp_ptypes_get(uint16_t port_id, struct rte_pmd_ddp_ptype *ptypes, unsigned int n);

// What stands in the packet_type of mbufs: RTE_PTYPE_* as found in the packet, or what is mapped to
// its packet type here, which may be any that DPDK has or, with bit 31 set, one of your own.
// Packet types keep it while the port exists, also when their profile is deleted and added again.
struct rte_pmd_ddp_ptype_mapping {
	uint16_t id;
	uint32_t rte_ptype;
};

// What packet types of the list have now: at most n are filled in. Returns how many there are.
RTE_PMD_DDP_API
int rte_pmd_ddp_ptype_mapping_get(uint16_t port_id, struct rte_pmd_ddp_ptype_mapping *items,
				  unsigned int n);

// Map n packet types; exclusive: all others of the list become RTE_PTYPE_UNKNOWN. Returns 0;
// -EINVAL: no profile of the list has such an id, or that is no packet type of DPDK; -ENOMEM.
RTE_PMD_DDP_API
int rte_pmd_ddp_ptype_mapping_update(uint16_t port_id, const struct rte_pmd_ddp_ptype_mapping *items,
				     unsigned int n, bool exclusive);

// Map all packet types of the list that now have target (mask: all bits of target). Returns 0,
// -EINVAL, -ENOMEM.
RTE_PMD_DDP_API
int rte_pmd_ddp_ptype_mapping_replace(uint16_t port_id, uint32_t target, bool mask,
				      uint32_t rte_ptype);

// All packet types are as found again. Returns 0, -ENOMEM.
RTE_PMD_DDP_API
int rte_pmd_ddp_ptype_mapping_reset(uint16_t port_id);

#ifdef __cplusplus
}
#endif

#endif
