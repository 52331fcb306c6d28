/* SPDX-License-Identifier: BSD-3-Clause */
// When a process has ended, whose locks others then take: if it still ran, both would write the
// same rings; if one that ended were not seen, a port would wait for it for ever.
#include "unit.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "port/quiesce/quiesce.h"

static void *thread_run(void *arg) {
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

static void child_end(void) {
	_exit(0);
}

static void child_run(void) {
	thread_run(NULL);
}

// As an application does whose first thread ends before its lcores.
static void child_leave_thread(void) {
	pthread_t thread;

	if (pthread_create(&thread, NULL, thread_run, NULL) != 0)
		_exit(1);
	pthread_exit(NULL);
}

static pid_t child_start(void (*run)(void)) {
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that fails leaves none behind
		run();
		_exit(1);
	}
	return pid;
}

// Ended, but its parent (we) has not been told: it is a zombie.
static void child_wait(pid_t pid) {
	siginfo_t info;

	assert_int_equal(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
}

static void child_kill(pid_t pid) {
	assert_int_equal(kill(pid, SIGKILL), 0);
	child_wait(pid);
}

static void child_forget(pid_t pid) {
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

// The letter of the first thread's state.
static char state_of(pid_t pid) {
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*d %*s %c", &state), 1);
	fclose(file);
	return state;
}

TEST(a_process_that_runs_has_not_ended) {
	pid_t pid = child_start(child_run);

	assert_false(ddp_mp_has_ended(pid));
	child_kill(pid);
	assert_true(ddp_mp_has_ended(pid));
	child_forget(pid);
	assert_true(ddp_mp_has_ended(pid));
}

TEST(a_zombie_has_ended) {
	pid_t pid = child_start(child_end);

	child_wait(pid);
	assert_true(ddp_mp_has_ended(pid));
	child_forget(pid);
}

TEST(a_process_whose_first_thread_ended_has_not) {
	const struct timespec wait = {.tv_nsec = 1000000};
	pid_t pid = child_start(child_leave_thread);

	for (unsigned int i = 0; i < 10000 && state_of(pid) != 'Z'; i++)
		nanosleep(&wait, NULL);
	assert_int_equal(state_of(pid), 'Z');
	assert_false(ddp_mp_has_ended(pid));
	child_kill(pid);
	assert_true(ddp_mp_has_ended(pid));
	child_forget(pid);
}

// What a lock has that no process holds, or one of which nobody knows.
TEST(what_is_no_process_has_not_ended) {
	assert_false(ddp_mp_has_ended(0));
	assert_false(ddp_mp_has_ended(1));
	assert_false(ddp_mp_has_ended(INT_MAX));
	assert_false(ddp_mp_has_ended(-1));
	assert_false(ddp_mp_has_ended(getpid()));
}
