/* SPDX-License-Identifier: BSD-3-Clause */
#include "html.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" // U+FFFD
#define DASH "\xe2\x80\x93"

static const char *entity(char c) {
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	default:
		return NULL;
	}
}

// Write the character at text. Returns how many bytes it takes.
static size_t character_write(struct output *out, const char *text) {
	uint32_t character;
	size_t len = ddp_utf8_decode(text, &character);

	if (len == 0 || (!ddp_utf8_is_graphic(character) && *text != '\n' && *text != '\t'))
		output_text(out, REPLACEMENT);
	else if (entity(*text) != NULL)
		output_text(out, entity(*text));
	else
		output_mem(out, text, len);
	return len == 0 ? 1 : len;
}

void html_text(struct output *out, const char *text) {
	while (*text != '\0')
		text += character_write(out, text);
}

void html_text_n(struct output *out, const char *text, size_t len) {
	char *part = strndup(text, len);

	if (part == NULL)
		out->error = ENOMEM;
	else
		html_text(out, part);
	free(part);
}

void html_count(struct output *out, uint64_t n) {
	char digits[21];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);

	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			output_char(out, ',');
		output_char(out, digits[i]);
	}
}

void html_real(struct output *out, double value, int decimals) {
	if (isfinite(value))
		output_printf(out, "%.*f", decimals, value);
	else
		output_text(out, DASH);
}

void html_mpps(struct output *out, double mpps) {
	if (isfinite(mpps))
		output_printf(out, mpps < 9999.5 ? "%.4g Mpps" : "%.0f Mpps", mpps);
	else
		output_text(out, DASH);
}

void html_share(struct output *out, double share) {
	if (!isfinite(share))
		output_text(out, DASH);
	else if (share > 0 && share < 0.001)
		output_text(out, "&lt;0.1%");
	else if (share < 1 && share > 0.999)
		output_text(out, "&gt;99.9%"); // not all
	else
		output_printf(out, "%.1f%%", 100 * share);
}

void html_part(struct output *out, uint64_t part, uint64_t all) {
	if (part == 0 || all == 0)
		output_text(out, DASH);
	else
		html_share(out, (double)part / all);
}

void html_bytes(struct output *out, uint64_t n) {
	static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
	double amount = n;
	unsigned int unit = 0;

	while (amount >= 999.5 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		amount /= 1000;
		unit++;
	}
	output_printf(out, "%.*f %s", unit == 0 || amount >= 99.95 ? 0 : 1, amount, units[unit]);
}

struct time_unit html_time_unit(double ns) {
	static const struct time_unit units[] = {
		{86400e9, "days"}, {3600e9, "h"}, {60e9, "min"}, {1e9, "s"},
		{1e6, "ms"},       {1e3, "µs"},   {1, "ns"},
	};
	unsigned int i = 0;

	// 90 s rather than 1.5 min
	while (i + 1 < sizeof(units) / sizeof(units[0]) &&
	       ns < units[i].ns * (units[i].ns > 1e9 ? 2 : 1))
		i++;
	return units[i];
}

void html_duration(struct output *out, uint64_t ns) {
	struct time_unit unit = html_time_unit(ns);
	double amount = ns / unit.ns;

	output_printf(out, amount < 999.5 ? "%.3g %s" : "%.0f %s", amount, unit.name);
}

void html_time(struct output *out, uint64_t ns) {
	time_t seconds = ns / 1000000000;
	struct tm tm;
	char date[32], clock[16];

	gmtime_r(&seconds, &tm);
	strftime(date, sizeof(date), "%Y-%m-%d", &tm);
	strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	output_printf(out, "<time datetime=\"%sT%sZ\">%s %s UTC</time>", date, clock, date, clock);
}

void html_named_count(struct output *out, uint64_t n, const char *what) {
	html_count(out, n);
	output_printf(out, " %s%s", what, n == 1 ? "" : "s");
}
