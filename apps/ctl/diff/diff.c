/* SPDX-License-Identifier: BSD-3-Clause */
#include "diff.h"

#include <string.h>

void diff_names(struct diff *diff, const char *a, const char *b) {
	diff->names[0] = path_name(a);
	diff->names[1] = path_name(b);
	if (strcmp(diff->names[0], diff->names[1]) != 0)
		return;
	diff->names[0] = "A";
	diff->names[1] = "B";
}

void diff_item(struct diff *diff) {
	output_wrapped(diff->out, strbuf_take(&diff->text), 0, 2);
}

void diff_report(struct diff *diff) {
	diff->differ = true;
	diff_item(diff);
}

void diff_list_open(struct diff *diff, const char *key) {
	if (!diff->is_json)
		return;
	jsonw_key_open(&diff->json, key, '[');
}

void diff_list_close(struct diff *diff) {
	if (diff->is_json)
		jsonw_close(&diff->json, ']');
}

void diff_ranges(FILE *to, const uint16_t *numbers, unsigned int n) {
	for (unsigned int i = 0; i < n; i++) {
		unsigned int last = i;

		while (last + 1 < n && numbers[last + 1] == numbers[last] + 1)
			last++;
		fprintf(to, "%s%u", i > 0 ? ", " : "", numbers[i]);
		if (last > i)
			fprintf(to, "-%u", numbers[last]);
		i = last;
	}
}
