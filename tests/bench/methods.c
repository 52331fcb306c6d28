/* SPDX-License-Identifier: BSD-3-Clause */
#include "methods.h"

#include <string.h>

#include "fail.h"

struct method methods[METHODS_MAX];
unsigned int n_methods;

struct method *method_add(const char *id, const char *title) {
	struct method *method = &methods[n_methods++];

	if (n_methods > METHODS_MAX)
		fail("more than %u methods", METHODS_MAX);
	snprintf(method->id, sizeof(method->id), "%s", id);
	snprintf(method->title, sizeof(method->title), "%s", title);
	return method;
}

const struct method *method_find(const char *id) {
	for (unsigned int i = 0; i < n_methods; i++)
		if (strcmp(methods[i].id, id) == 0)
			return &methods[i];
	return NULL;
}

const struct method *method_ours(void) {
	return method_find("interpreter");
}

const struct method *method_usual(void) {
	return method_find("interpreter");
}

void methods_init(void) {
	floor_methods_add();
	peer_methods_add();
	interpreter_methods_add();
	driver_methods_add();
}

void methods_fini(void) {
	n_methods = 0;
}
