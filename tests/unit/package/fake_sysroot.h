/* SPDX-License-Identifier: BSD-3-Clause */
// A machine's files for a test: a folder of its own under $TMPDIR, removed after each test with all
// that is in it, and packages as small as they can be.
#ifndef PACKAGE_MACHINE_H
#define PACKAGE_MACHINE_H

#include "package/sysroot.h"

#define SERIAL UINT64_C(0x00ccbbffffaa0568)
#define OWN "ice-00ccbbffffaa0568.pkg"
#define RELEASE "6.1.0-18-amd64"

#define TINY_SIZE 4164

// Set-up and tear-down of a test.
int machine_setup(void **state);
int machine_teardown(void **state);

const struct ddp_sysroot *machine_root(void);

// Where a path of the machine is on ours. The string stays until the next call.
const char *machine_path(const char *path);

// Make what a path names, and the folders above it.
void machine_folder(const char *path);
void machine_file(const char *path, const void *bytes, size_t size);
void machine_text(const char *path, const char *text);
void machine_link(const char *path, const char *target);

// A whole package for the 800 series of version major.minor.30.0 without a signature. The bytes
// stay until the next call.
const uint8_t *tiny_package(unsigned int major, unsigned int minor, uint32_t track_id);

#endif
