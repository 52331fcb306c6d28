/* SPDX-License-Identifier: BSD-3-Clause */
// What Intel's ddptool does, with its options, its output and its exit status: which DDP profile is
// in which device. Devices are Intel's NICs under the kernel's drivers and net_ddp ports of running
// processes.
//
//	ddptool_options.c   its command line
//	ddptool_nics.c      NICs: sysfs, devlink.c, i40e_nvm.c
//	ddptool_ports.c     net_ddp ports: telemetry
//	ddptool_file.c      -f FILE
//	ddptool_write.c     table, JSON, XML
#ifndef DDPTOOL_DDPTOOL_H
#define DDPTOOL_DDPTOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/option_table.h"
#include "common/output.h"
#include "devlink.h"
#include "i40e_nvm.h"
#include "package/package.h"
#include "package/sysroot.h"

// Exit status, and what Intel's tool says with it.
#define DDPTOOL_STATUSES(X)                                                      \
	X(GOOD, 0, "Success")                                                    \
	X(USAGE, 1, "Bad command line parameter")                                \
	X(INTERNAL, 2, "An internal error has occurred")                         \
	X(PRIVILEGES, 3, "Insufficient privileges to run the tool")              \
	X(NO_ADAPTER, 4, "No supported adapter found")                           \
	X(NO_DRIVER, 5, "No driver available")                                   \
	X(OLD_DRIVER, 6, "Unsupported base driver version")                      \
	X(NO_CONTACT, 7, "Cannot communicate with one or more adapters")         \
	X(NO_PROFILE, 8, "Lack of DDP profiles on all devices")                  \
	X(UNREADABLE, 9, "Cannot read all information from one or more devices") \
	X(NO_OUTPUT, 10, "Cannot create output file")                            \
	X(NOT_FOUND, 11, "Cannot find specific devices")                         \
	X(BAD_PACKAGE, 12, "Cannot parse the DDP Package file")

#define DDPTOOL_STATUS_ENUM(name, value, message) DDPTOOL_##name = value,
enum ddptool_status {
	DDPTOOL_STATUSES(DDPTOOL_STATUS_ENUM)
};

const char *ddptool_message(enum ddptool_status status);

/* The command line */

enum ddptool_format {
	DDPTOOL_TABLE,
	DDPTOOL_JSON,
	DDPTOOL_XML,
};

struct ddptool_options {
	bool all; // virtual functions, too
	bool help;
	bool version;
	bool silent;
	enum ddptool_format format;
	const char *output;    // file for JSON or XML, NULL: standard output
	const char *interface; // NULL: any
	const char *location;  // PCI address, NULL: any
	const char *file;      // NULL: devices
};

#define DDPTOOL_N_OPTIONS 9

extern const struct option_row ddptool_options[DDPTOOL_N_OPTIONS];

// 0, or -EINVAL with one line in error; what came before the mistake is set.
int ddptool_options_parse(int argc, const char **argv, struct ddptool_options *options,
			  char error[OPTION_ERROR_SIZE]);
void ddptool_help(struct output *out);

/* What there is */

struct ddptool_profile {
	uint32_t track_id;
	char version[32];
	char name[128];
};

enum ddptool_state {
	DDPTOOL_ASKED,  // whatever profiles there are, these are they
	DDPTOOL_FAILED, // it could not be asked
	DDPTOOL_OLD,    // firmware without DDP
};

#define DDPTOOL_ADDRESS_SIZE 16

struct ddptool_device {
	bool is_port;                       // of net_ddp
	char address[DDPTOOL_ADDRESS_SIZE]; // "0000:81:00.0", "" for a device that is none of PCI's
	uint16_t device;                    // PCI device id, with an address
	char name[64];                      // network interface or port, "N/A" for none
	char *display;                      // allocated
	enum ddptool_state state;
	struct ddptool_profile *profiles; // allocated
	unsigned int n_profiles;
};

struct ddptool_inventory {
	struct ddptool_device *devices;
	unsigned int n;
	bool has_driver;            // of NICs, or a process with net_ddp
	bool has_silent;            // a process that may have ports, and does not say
	enum ddptool_status status; // the worst that happened to a device, GOOD for nothing
};

// Where to look: this machine, or what a test puts in its place.
struct ddptool_machine {
	const struct ddp_sysroot *root;
	struct netlink netlink;
	struct ethtool ethtool;
};

// A new device at the end; name and display are copied. Out of memory the process is aborted.
struct ddptool_device *ddptool_device_add(struct ddptool_inventory *inventory, const char *address,
					  const char *name, const char *display);
void ddptool_profile_add(struct ddptool_device *device, uint32_t track_id, const char *version,
			 const char *name);
void ddptool_inventory_fini(struct ddptool_inventory *inventory);

// Whether the options are about a device of this address and name.
bool ddptool_is_meant(const struct ddptool_options *options, const char *address, const char *name);

// "ddptool: ..." on standard error, unless the options want silence.
void ddptool_say(const struct ddptool_options *options, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

// Add those that are meant, without NICs whose address a port in the inventory has.
void ddptool_ports_add(struct ddptool_inventory *inventory, const struct ddptool_options *options,
		       const struct ddp_sysroot *root);
void ddptool_nics_add(struct ddptool_inventory *inventory, const struct ddptool_options *options,
		      const struct ddptool_machine *machine);

// A number of a PCI device as sysfs has it ("device", "subsystem_vendor"); 0 where there is none.
uint16_t ddptool_sysfs_number(const struct ddp_sysroot *root, const char *address,
			      const char *name);

// The profiles of a file, or of whatever else net_ddp's argument 'profile' takes, as a device's.
enum ddptool_status ddptool_file_read(const struct ddptool_options *options,
				      struct ddptool_device *device);

/* What is told */

struct ddptool_told {
	const char *file; // of -f, which the one device in the inventory stands for; NULL: devices
	const struct ddptool_inventory *inventory;
	enum ddptool_status status; // what went wrong where there is none
};

void ddptool_table_write(const struct ddptool_told *told, struct output *out);
void ddptool_json_write(const struct ddptool_told *told, struct output *out);
void ddptool_xml_write(const struct ddptool_told *told, struct output *out);

// The whole tool but for the process around it; argv without the program's name. Returns the exit
// status.
int ddptool_run(int argc, const char **argv, struct output *out);
int ddptool_run_on(const struct ddptool_machine *machine, int argc, const char **argv,
		   struct output *out);

#endif
