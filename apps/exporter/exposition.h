/* SPDX-License-Identifier: BSD-3-Clause */
// The text formats that Prometheus reads: its own (version 0.0.4) and OpenMetrics 1.0.0.
//
// They differ in the name of a counter's family, in the type of _info, and in the last line. All
// samples of a family must follow its first lines:
//
//	exposition_family(&text, METRIC_COUNTER, "net_ddp_rx_packets", "Packets delivered");
//	exposition_uint(&text, labels, 12);
#ifndef EXPORTER_EXPOSITION_H
#define EXPORTER_EXPOSITION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum metric_type {
	METRIC_COUNTER,
	METRIC_GAUGE,
	METRIC_HISTOGRAM,
	METRIC_INFO,
};

struct exposition {
	FILE *to;
	bool openmetrics;
	const char *family;
	enum metric_type type;
};

void exposition_family(struct exposition *text, enum metric_type type, const char *name,
		       const char *help);

// A sample of the family. labels: `a="b",c="d"`, as label_add() writes them.
void exposition_uint(struct exposition *text, const char *labels, uint64_t value);
void exposition_real(struct exposition *text, const char *labels, double value);

// Sample of a histogram's family, with what ends its name: "_bucket", "_sum", "_count".
void exposition_part(struct exposition *text, const char *suffix, const char *labels, double value);

// What the name of a sample has beyond that of its family.
const char *exposition_suffix(enum metric_type type);

void exposition_end(struct exposition *text);

#define LABELS_SIZE 16384

struct labels {
	size_t len;
	char text[LABELS_SIZE];
};

// Append a label, whatever its value is: what is not UTF-8 or does not show itself is escaped, and
// what is too long is cut.
void label_add(struct labels *labels, const char *name, const char *value);
void label_add_uint(struct labels *labels, const char *name, unsigned int value);

#endif
