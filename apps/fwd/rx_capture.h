/* SPDX-License-Identifier: BSD-3-Clause */
// The capture files behind a port, found in its device arguments ("rx_pcap=" of net_pcap, at any
// depth of "dev(...)").
#ifndef FWD_RX_CAPTURE_H
#define FWD_RX_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log.h"

// The next capture file named in devargs from *pos on (start with 0). Copied to path; false when
// there are no more.
bool capture_next(const char *devargs, size_t *pos, char path[PATH_MAX]);

// Whether all packets come from captures that are played once: there will be an end. devargs may be
// NULL.
bool capture_is_finite(const char *devargs);

// How many packets of the captures named in devargs net_pcap keeps in buffers: all of them where it
// plays them again and again, else none.
uint64_t captures_kept(const char *devargs);

// Whether the capture files named in devargs can be opened and hold Ethernet frames. 0, or -1 with
// error.
int captures_try(const char *devargs, struct error *error);

// Whether path is a capture or a profile that devargs name, and so would be overwritten.
bool devargs_read(const char *devargs, const char *path);

// Read a capture to its end as net_pcap does. 0, or -1 with error where it is damaged, such as cut
// in the middle of a record: net_pcap then just delivers no more packets.
int capture_check(const char *path, struct error *error);

#endif
