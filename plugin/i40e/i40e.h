/* SPDX-License-Identifier: BSD-3-Clause */
// A 700-series profile package: its packet types, and whether drivers can use it.
//
// The first i40e segment of a file is the profile. Of the sections that list protocols, packet
// classification types and packet types the first of each kind counts, as in DPDK's
// rte_pmd_i40e_get_ddp_info(). That function trusts a file; it may be given any that was read here.
//
// The drivers' answers are those of DPDK 22.11's sources, not observed on a NIC.
#pragma once

#include "package/package.h"

enum i40e_section_type {
	I40E_MMIO = 0x800,     // register values to write
	I40E_AQ,               // admin queue command
	I40E_RB_MMIO = 0x1800, // register values read back
	I40E_RB_AQ,            // admin queue command done
	I40E_PROTOCOL = 0x80000002,
	I40E_PCTYPE,
	I40E_PTYPE,
};

struct i40e_section {
	uint32_t type;
	uint32_t offset; // of the section's header, from the start of the file
	uint32_t size;   // of data
	const uint8_t *data;
};

#define I40E_PROTOCOL_NAME_SIZE 32 // bytes

struct i40e_protocol {
	uint8_t id;
	char name[I40E_PROTOCOL_NAME_SIZE];
};

#define I40E_TYPE_PROTOCOLS 6 // protocols
#define I40E_NO_PROTOCOL 0xff

// A pctype or a ptype: a packet with these protocols.
struct i40e_type {
	uint8_t id;
	uint8_t protocols[I40E_TYPE_PROTOCOLS]; // I40E_NO_PROTOCOL where unused
};

struct i40e_types {
	struct i40e_type *types;
	unsigned int n;
};

struct i40e_package {
	struct ddp_version version; // of the profile; package->version is the metadata's
	char name[DDP_PACKAGE_NAME_SIZE];
	struct i40e_section *sections; // in the order of the section table
	unsigned int n_sections;
	struct i40e_protocol *protocols;
	unsigned int n_protocols;
	struct i40e_types pctypes, ptypes;
	const char *notes; // text of the notes segment; NULL without one
	bool has_aq;       // AQ or RB_AQ sections: DPDK cannot take it back
	bool is_rollback;  // RB_ sections: a file to take a profile back with
};

#define I40E_PCTYPES_MAX 12 // pctypes of a package that DPDK accepts

// Can DPDK add the package and remove it again? device is the NIC's PCI device id, 0 for one of
// those that the package is for. Returns 0 or a negative errno; *reason gets a static text.
// (Instead of -ENODEV DPDK returns a number of its own.) Profiles that the NIC holds may exclude
// it: the driver knows.
int i40e_verdict(const struct ddp_package *package, uint16_t device, const char **reason);

#define I40E_TYPE_NAME_SIZE (I40E_TYPE_PROTOCOLS * I40E_PROTOCOL_NAME_SIZE)

// "GTPU_IPV4": the names of a type's protocols. "" if none has a name.
void i40e_type_name(const struct i40e_package *i40e, const struct i40e_type *type,
		    char name[I40E_TYPE_NAME_SIZE]);

/* The format of the file */

// The profile's segment: header, version, name, device table, NVM versions, section table.
#define PROFILE_DEVICES_AT 80
#define PROFILE_SIZE 84 // bytes, with the count of devices

#define SECTION_HEADER_SIZE 16 // bytes; offsets of its members follow
#define SECTION_DATA_END_AT 2
#define SECTION_TYPE_AT 4
#define SECTION_OFFSET_AT 8
#define SECTION_SIZE_AT 12

// A record of a list takes one or more units of RECORD_SIZE.
#define RECORD_SIZE 16 // bytes
#define RECORD_LEN_AT 2
#define RECORD_HEADER_SIZE 4

// Admin queue command: opcode, flags, 16 bytes of parameters, length of the data behind it.
#define COMMAND_DATA_LEN_AT 20
#define COMMAND_SIZE 22 // bytes

struct package_reader;

// Read the content of this series into package->i40e, and the package's identity, allocated from
// package->arena. Returns 0, or -EBADMSG after reporting errors.
int i40e_read(struct package_reader *reader);
