/* SPDX-License-Identifier: BSD-3-Clause */
// The format of 700-series packages.
#ifndef DDP_I40E_I40E_FILE_H
#define DDP_I40E_I40E_FILE_H

// The profile's segment: header, version, name, device table, NVM versions, section table.
#define PROFILE_DEVICES_AT 80
#define PROFILE_SIZE 84 // with the count of devices

#define SECTION_HEADER_SIZE 16
#define SECTION_DATA_END_AT 2
#define SECTION_TYPE_AT 4
#define SECTION_OFFSET_AT 8
#define SECTION_SIZE_AT 12

// A record of a list takes one or more units of RECORD_SIZE.
#define RECORD_SIZE 16
#define RECORD_LEN_AT 2
#define RECORD_HEADER_SIZE 4

// Admin queue command: opcode, flags, 16 bytes of parameters, length of the data behind it.
#define COMMAND_DATA_LEN_AT 20
#define COMMAND_SIZE 22

#endif
