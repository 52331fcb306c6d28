/* SPDX-License-Identifier: BSD-3-Clause */
// The profiles that are found by name. A file of the same name in a later directory is not reached,
// and not listed.
#ifndef DDPCTL_PROFILE_LIBRARY_H
#define DDPCTL_PROFILE_LIBRARY_H

struct library_profile {
	char *name; // by which it is loaded: the file's, without suffix
	char *file;
};

struct library {
	struct library_profile *profiles; // by name
	unsigned int n;
};

// What cannot be read goes to stderr, and the rest is listed. Returns the exit status.
int library_scan(struct library *library);
void library_free(struct library *library);

#endif
