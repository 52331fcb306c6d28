/* SPDX-License-Identifier: BSD-3-Clause */
// The HTTP server. One thread does everything, so that there is one scrape at a time, however many
// clients ask.
//
// What clients can take is bounded: connections and their time, the memory of a request, and the
// text that slow ones have not read yet.
#ifndef EXPORTER_SERVER_H
#define EXPORTER_SERVER_H

#include "options.h"

// Serve until SIGINT or SIGTERM. Returns an exit status; the reason is on stderr.
int server_run(const struct exporter_options *options);

#endif
