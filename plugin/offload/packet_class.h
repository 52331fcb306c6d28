/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/offload: the packets that a NIC tells apart.
//
// Each shape is a packet with headers of the usual form, and a mask of the bits that the NIC looked at to
// tell it from others. Headers of variable size come in several sizes, which stand for all of them.
#ifndef DDP_OFFLOAD_PACKET_CLASS_H
#define DDP_OFFLOAD_PACKET_CLASS_H

#include "nic.h"

#define SHAPE_SIZE 320
#define SHAPE_HEADERS 14

struct i40e_published;

// What a 700-series NIC's package says of packets (i40e_taught.h).
struct i40e_taught {
	uint32_t ptype; // RTE_PTYPE_*
	int pctype;
	const struct i40e_published *published; // of the pctype; NULL: nothing is
};

struct shape_header {
	const char *name; // of the profile library
	uint16_t off, len;
};

struct shape {
	uint8_t data[SHAPE_SIZE], known[SHAPE_SIZE];
	uint16_t len;
	struct shape_header headers[SHAPE_HEADERS];
	unsigned int n_headers;
	uint16_t udp;    // offset of a UDP header to no tunnel's port; 0: none
	uint16_t other;  // offset of a protocol number that the NIC does not know; 0: none
	int first_inner; // header that the inner packet begins with; 0: there is none
	uint32_t ptype;
	int pctype;                             // that a package gave the NIC; -1: one of its own
	const struct i40e_published *published; // of that
	enum encap encap;
	enum l4 l4;
	unsigned int outer, inner; // 4, 6; inner is outer where there is no tunnel
	bool usual;                // no tag but VLAN, no option, no extension header
	bool tagged;
};

struct shapes {
	struct shape *shapes;
	unsigned int n;
	unsigned int room;
	const struct ddp_nic *nic;
	bool has_package;
	struct i40e_taught taught[2][2][N_L4S]; // by outer and inner version
	const struct ddp_offload_tunnel *tunnels;
	unsigned int n_tunnels;
	bool failed;
};

// All shapes of a NIC (and what its package tells from others), with these declared tunnels. false: no memory.
bool shapes_make(struct shapes *shapes, const struct ddp_nic *nic, const struct ddp_package *package,
		 const struct ddp_offload_tunnel *tunnels, unsigned int n_tunnels);
void shapes_free(struct shapes *shapes);

// Does the NIC look for a tunnel at this port of a shape's last UDP header?
bool shapes_port_is_tunnel(const struct shapes *shapes, const struct shape *shape, uint16_t port,
			   bool source);

// May a packet of a shape with an unknown protocol have this one?
bool shape_protocol_is_other(const struct shapes *shapes, const struct shape *shape,
			     uint8_t protocol);

// "eth ipv4 udp gtpu ipv4 tcp"; size bytes.
void shape_print(const struct shape *shape, char *text, size_t size);

// The last header of this name, -1: none.
int shape_find(const struct shape *shape, const char *name);

#endif
