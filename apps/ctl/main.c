/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

int main(int argc, char **argv) {
	static struct output out;
	int status;
	int error;

	signal(SIGPIPE, SIG_IGN); // a closed pipe is an error of write()
	output_init(&out, STDOUT_FILENO);
	status = ctl_run(argc > 0 ? argc - 1 : 0, (const char **)argv + 1, &out);
	error = output_close(&out);
	if (error == 0)
		return status;
	if (error != EPIPE) // the reader closed the pipe
		fprintf(stderr, "ddpctl: standard output: %s\n", strerror(error));
	return EXIT_UNREADABLE;
}
