/* SPDX-License-Identifier: BSD-3-Clause */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ddptool.h"

int main(int argc, char **argv) {
	static struct output out;
	int status, error;

	signal(SIGPIPE, SIG_IGN); // a closed pipe is an error of write() like any other
	no_memory_status = DDPTOOL_INTERNAL;
	output_init(&out, STDOUT_FILENO);
	status = ddptool_run(argc > 0 ? argc - 1 : 0, (const char **)argv + 1, &out);
	error = output_close(&out);
	if (error == 0)
		return status;
	fprintf(stderr, "ddptool: standard output: %s\n", strerror(error));
	return DDPTOOL_NO_OUTPUT;
}
