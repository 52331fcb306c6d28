/* SPDX-License-Identifier: BSD-3-Clause */
// Text and numbers in HTML.
#ifndef DDPCTL_REPORT_HTML_H
#define DDPCTL_REPORT_HTML_H

#include <stdint.h>

#include "common/output.h"

// As text or as a value between "": what would be markup is escaped, and what would not show, or
// turn what stands around it, becomes U+FFFD.
void html_text(struct output *out, const char *text);
void html_text_n(struct output *out, const char *text, size_t len);

void html_count(struct output *out, uint64_t n);                 // 1,234,567
void html_real(struct output *out, double value, int decimals);  // a dash for what is no number
void html_mpps(struct output *out, double mpps);                 // 14.88 Mpps
void html_share(struct output *out, double share);               // 12.3%
void html_part(struct output *out, uint64_t part, uint64_t all); // the same; a dash for a part of 0
void html_bytes(struct output *out, uint64_t n);                 // 1.2 MB
void html_duration(struct output *out, uint64_t ns);             // 1.5 ms
void html_time(struct output *out, uint64_t ns);                 // since 1970: <time>, UTC
void html_named_count(struct output *out, uint64_t n, const char *what); // "1 flow", "2 flows"

// The unit that a time of so many is told in.
struct time_unit {
	double ns;
	const char *name;
};

struct time_unit html_time_unit(double ns);

#endif
