/* SPDX-License-Identifier: BSD-3-Clause */
// From a profile's specification on the command line to a program, and the library of profiles.
#ifndef DDPCTL_PROFILE_PROFILE_LOAD_H
#define DDPCTL_PROFILE_PROFILE_LOAD_H

#include "base/arena.h"
#include "base/diag.h"
#include "personality/personality.h"
#include "rss/rss.h"

struct capture;
struct capture_config;
struct json_writer;

// Load one specification (NULL: base) as ddp_personality_load() does; without memory, end the
// process.
int load_profile(struct ddp_personality *loaded, const char *spec, struct ddp_diag *diag);

// For commands that show a file. Packages are only opened: loaded has nothing else.
int load_file(struct ddp_personality *loaded, const char *spec, struct ddp_diag *diag);

// load_profile() for specifications and texts; none: base.
int load_sources(struct ddp_personality *loaded, const struct ddp_source *sources, unsigned int n,
		 struct ddp_diag *diag);

// For commands that use a profile: only errors go to stderr. Returns the exit status.
int load_or_report(struct ddp_personality *loaded, const char *spec);

// Refuse a hash function that the package's NICs do not have. Returns the exit status.
int package_hash_check(const struct ddp_personality *loaded, enum ddp_hash_function function);

// Open a capture, which Ctrl-C ends. Returns the exit status; only with EXIT_GOOD it is open.
int capture_open_or_report(struct capture *capture, const struct capture_config *config);

// Is the capture a regular file, which can be read again?
bool capture_is_file(const struct capture_config *config);

// After the output is written: report an error, interruption or lost packets. ret is the last
// result of capture_next() or capture_fill(). Returns the exit status.
int capture_end_or_report(const struct capture *capture, int ret);

// The exit status for a profile that could not be loaded.
int load_status(const struct ddp_diag *diag);

// End a load; if it failed, the reasons go to stderr. Returns the exit status.
int load_end(struct ddp_diag *diag, bool failed);

// The status of a walk for JSON: "ok", "loop" (too many headers) or "error".
const char *status_name(uint8_t status);

// The profile that defines a packet type, by the type's name; "" if none does.
const char *type_origin(const struct ddp_profile *profile, const char *name);

// The key "fields": names and widths of a header's fields.
void header_fields_json(const struct ddp_header *header, struct json_writer *json);

// The keys "chain" and "offsets": the headers of the packet without hidden ones.
void chain_json(const struct ddp_program *program, const struct ddp_class *class,
		struct json_writer *json);

// The name of a packet type, "UNKNOWN" for DDP_TYPE_NONE.
const char *type_name(const struct ddp_program *program, uint16_t type);

// ddp_library_scan(), sorted by name. Unreadable directories are reported to stderr and skipped.
// The caller destroys the arena. Returns the exit status.
int library_scan(struct ddp_library *library);

#endif
