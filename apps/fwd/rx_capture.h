/* SPDX-License-Identifier: BSD-3-Clause */
// The capture files of a port, from its device arguments ("rx_pcap=" of net_pcap, at any depth of
// "dev(...)").
#ifndef FWD_RX_CAPTURE_H
#define FWD_RX_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log.h"

// Copy the next capture file in devargs from *pos on (start with 0) to path. false: there are no
// more.
bool capture_next(const char *devargs, size_t *pos, char path[PATH_MAX]);

// Do all packets come from captures that are played once, and so end? devargs may be NULL.
bool capture_is_finite(const char *devargs);

// The number of packets of captures that net_pcap keeps in buffers: all, if it repeats the
// captures, else none.
uint64_t captures_kept(const char *devargs);

// Check that the capture files in devargs can be opened and have Ethernet frames. 0, or -1 with
// error.
int captures_try(const char *devargs, struct error *error);

// Is path a capture or a profile in devargs, which writing would overwrite?
bool devargs_read(const char *devargs, const char *path);

// Read a capture to its end as net_pcap does. 0, or -1 with error if it is damaged, such as
// truncated inside a record, where net_pcap delivers no more packets.
int capture_check(const char *path, struct error *error);

#endif
