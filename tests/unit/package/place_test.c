/* SPDX-License-Identifier: BSD-3-Clause */
// A package that is half there, or gone, is a server without RSS after its next boot. So each call that
// changes files fails once, and dies once.
#include "package/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine.h"
#include "unit.h"

#define FOLDER "/lib/firmware/updates/intel/ice/ddp"
#define PLACE FOLDER "/" OWN
#define KILLED 42

/* calls that go wrong */

static enum {
	AS_EVER,
	FAILS,
	DIES
} fault;
static unsigned int countdown; // calls until then

// Whether the call at hand fails.
static bool goes_wrong(void) {
	if (fault == AS_EVER || countdown == 0 || --countdown > 0)
		return false;
	if (fault == DIES)
		_exit(KILLED);
	errno = ENOSPC;
	return true;
}

#define WRAP(call, parameters, arguments)       \
	int __real_##call parameters;           \
	int __wrap_##call parameters;           \
	int __wrap_##call parameters {          \
		if (goes_wrong())               \
			return -1;              \
		return __real_##call arguments; \
	}

WRAP(fchmod, (int fd, mode_t mode), (fd, mode))
WRAP(fsync, (int fd), (fd))
WRAP(linkat, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags))
WRAP(mkdirat, (int fd, const char *path, mode_t mode), (fd, path, mode))
WRAP(renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
WRAP(unlinkat, (int fd, const char *path, int flags), (fd, path, flags))

ssize_t __real_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size) {
	if (goes_wrong()) {
		(void)!__real_write(fd, bytes, size / 2); // as on a disk that gets full
		return -1;
	}
	return __real_write(fd, bytes, size);
}

int __real_openat(int fd, const char *path, int flags, mode_t mode);
int __wrap_openat(int fd, const char *path, int flags, ...);
int __wrap_openat(int fd, const char *path, int flags, ...) {
	mode_t mode = 0;
	va_list ap;

	va_start(ap, flags);
	if (flags & O_CREAT)
		mode = va_arg(ap, mode_t);
	va_end(ap);
	if ((flags & O_CREAT) && goes_wrong())
		return -1;
	return __real_openat(fd, path, flags, mode);
}

/* what is tried */

static char message[512]; // of the last error

static int place(const char *text) {
	struct ddp_placed placed;
	struct ddp_diag diag;
	int ret;

	ddp_diag_init(&diag);
	ret = ddp_package_place(machine_root(), OWN, text, strlen(text), false, &placed, &diag);
	snprintf(message, sizeof(message), "%s", ddp_diag_first(&diag));
	assert_int_equal(diag.n_errors, ret < 0);
	ddp_diag_fini(&diag);
	return ret;
}

static int undo(void) {
	struct ddp_placed placed;
	struct ddp_diag diag;
	int ret;

	ddp_diag_init(&diag);
	ret = ddp_package_undo(machine_root(), OWN, false, &placed, &diag);
	snprintf(message, sizeof(message), "%s", ddp_diag_first(&diag));
	assert_int_equal(diag.n_errors, ret < 0);
	ddp_diag_fini(&diag);
	return ret;
}

static int place_new(void) {
	return place("new");
}

static unsigned int depth(void) {
	return ddp_package_undo_depth(machine_root(), OWN);
}

// What a driver reads: the text of the file, "" for none.
static const char *driver_reads(void) {
	static char text[64];
	size_t size;
	char *bytes = ddp_root_read(machine_root(), PLACE, &size);

	snprintf(text, sizeof(text), "%s", bytes != NULL ? bytes : "");
	free(bytes);
	return text;
}

static void assert_snapshot(const char *expected, bool with_folders) {
	char *now = machine_snapshot(with_folders);

	assert_string_equal(now, expected);
	free(now);
}

// What is there before the package comes.
struct start {
	const char *name;
	const char *text;   // in the place; NULL: nothing, not even the folder
	const char *target; // of a link in the place
};

static const struct start starts[] = {
	{"where nothing was", NULL, NULL},
	{"where a file was", "old", NULL},
	{"where a link was", NULL, "elsewhere.pkg"},
};

static void start_make(const struct start *start) {
	fault = AS_EVER;
	machine_setup(NULL);
	machine_text("/lib/firmware/other", "other");
	if (start->text != NULL)
		machine_text(PLACE, start->text);
	if (start->target != NULL) {
		machine_text(FOLDER "/elsewhere.pkg", "old");
		machine_link(PLACE, start->target);
	}
}

static const char *old_text(const struct start *start) {
	return start->text != NULL || start->target != NULL ? "old" : "";
}

/* all goes well */

static void undo_restores_all(void **state) {
	const struct start *start = *state;
	char *first, *second;

	start_make(start);
	first = machine_snapshot(true);
	assert_int_equal(place("new"), 0);
	assert_string_equal(driver_reads(), "new");
	assert_int_equal(depth(), 1);
	second = machine_snapshot(true);
	assert_int_equal(place("newer"), 0);
	assert_string_equal(driver_reads(), "newer");
	assert_int_equal(depth(), 2);
	assert_int_equal(place("newest"), 0);
	assert_int_equal(undo(), 0);
	assert_string_equal(driver_reads(), "newer");
	assert_int_equal(undo(), 0);
	assert_snapshot(second, true);
	assert_int_equal(undo(), 0);
	assert_snapshot(first, true);
	assert_int_equal(undo(), -ENOENT);
	assert_non_null(strstr(message, PLACE ": error: there is nothing to undo"));
	assert_snapshot(first, true);
	free(first);
	free(second);
	machine_teardown(NULL);
}

static void dry_run_changes_nothing(void **state) {
	const struct start *start = *state;
	struct ddp_placed placed;
	struct ddp_diag diag;
	char *before;

	start_make(start);
	before = machine_snapshot(true);
	ddp_diag_init(&diag);
	assert_int_equal(ddp_package_place(machine_root(), OWN, "new", 3, true, &placed, &diag), 0);
	assert_string_equal(placed.path, PLACE);
	assert_string_equal(placed.backup, *old_text(start) != '\0' ? PLACE ".ddpctl-1" : "");
	assert_int_equal(ddp_package_undo(machine_root(), OWN, true, &placed, &diag), -ENOENT);
	ddp_diag_fini(&diag);
	assert_snapshot(before, true);
	free(before);
	machine_teardown(NULL);
}

/* a call fails */

static void failure_leaves_all_as_it_was(void **state) {
	const struct start *start = *state;
	unsigned int n_failed = 0;

	for (unsigned int step = 1;; step++) {
		char *before;
		int ret;

		start_make(start);
		before = machine_snapshot(true);
		fault = FAILS;
		countdown = step;
		ret = place_new();
		fault = AS_EVER;
		if (ret < 0 && strstr(message, "cannot sync") == NULL) {
			assert_int_equal(ret, -ENOSPC);
			assert_non_null(strstr(message, "No space left on device"));
			assert_snapshot(before, true);
			n_failed++;
		} else { // done, whatever failed: an old temporary file was not removed, for one
			assert_string_equal(driver_reads(), "new");
			assert_int_equal(undo(), 0);
			assert_snapshot(before, true);
		}
		free(before);
		machine_teardown(NULL);
		if (ret == 0 && countdown > 0)
			break; // nothing failed any more
	}
	assert_true(n_failed >= 6);
}

static void failing_undo_loses_nothing(void **state) {
	const struct start *start = *state;

	for (unsigned int step = 1;; step++) {
		char *before;
		int ret;

		start_make(start);
		before = machine_snapshot(false);
		assert_int_equal(place_new(), 0);
		fault = FAILS;
		countdown = step;
		ret = undo();
		fault = AS_EVER;
		assert_true(strcmp(driver_reads(), "new") == 0 ||
			    strcmp(driver_reads(), old_text(start)) == 0);
		if (ret < 0)
			undo(); // nothing is left to do where only the sync failed
		assert_snapshot(before, false);
		free(before);
		machine_teardown(NULL);
		if (countdown > 0)
			break;
	}
}

/* the process dies */

// Run a call in a process that dies at a step. Whether it came to its end before.
static bool survives(int (*call)(void), unsigned int step) {
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		fault = DIES;
		countdown = step;
		call();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status) != KILLED;
}

static void death_leaves_the_old_or_the_new(void **state) {
	const struct start *start = *state;
	bool survived = false;

	for (unsigned int step = 1; !survived; step++) {
		char *before, *again;

		start_make(start);
		before = machine_snapshot(false);
		survived = survives(place_new, step);
		assert_true(strcmp(driver_reads(), "new") == 0 ||
			    strcmp(driver_reads(), old_text(start)) == 0);
		assert_int_equal(depth(), strcmp(driver_reads(), "new") == 0 ? 1 : 0);
		// The next install and its undo know nothing of it.
		again = strdup(driver_reads());
		assert_int_equal(place("newer"), 0);
		assert_string_equal(driver_reads(), "newer");
		assert_int_equal(undo(), 0);
		assert_string_equal(driver_reads(), again);
		if (strcmp(again, "new") == 0)
			assert_int_equal(undo(), 0);
		assert_int_equal(undo(), -ENOENT);
		assert_snapshot(before, false);
		free(again);
		free(before);
		machine_teardown(NULL);
	}
}

static void death_is_undone_at_once(void **state) {
	const struct start *start = *state;
	bool survived = false;

	for (unsigned int step = 1; !survived; step++) {
		char *before;

		start_make(start);
		before = machine_snapshot(false);
		survived = survives(place_new, step);
		undo(); // what there is
		assert_snapshot(before, false);
		free(before);
		machine_teardown(NULL);
	}
}

static void dying_undo_leaves_the_old_or_the_new(void **state) {
	const struct start *start = *state;
	bool survived = false;

	for (unsigned int step = 1; !survived; step++) {
		char *before;

		start_make(start);
		before = machine_snapshot(false);
		assert_int_equal(place("new"), 0);
		assert_int_equal(place("newer"), 0);
		survived = survives(undo, step);
		assert_true(strcmp(driver_reads(), "newer") == 0 ||
			    strcmp(driver_reads(), "new") == 0);
		while (undo() == 0)
			;
		assert_snapshot(before, false);
		free(before);
		machine_teardown(NULL);
	}
}

/* one by one */

static void the_same_package_again_is_nothing_to_undo(void **state) {
	struct ddp_placed placed;
	struct ddp_diag diag;

	(void)state;
	assert_int_equal(place("new"), 0);
	ddp_diag_init(&diag);
	assert_int_equal(ddp_package_place(machine_root(), OWN, "new", 3, false, &placed, &diag), 0);
	ddp_diag_fini(&diag);
	assert_true(placed.same);
	assert_int_equal(depth(), 1);
}

// A link may lead to another file tomorrow.
static void a_link_to_the_same_package_is_replaced(void **state) {
	struct stat st;

	(void)state;
	machine_text(FOLDER "/elsewhere.pkg", "new");
	machine_link(PLACE, "elsewhere.pkg");
	assert_int_equal(place("new"), 0);
	assert_int_equal(lstat(machine_path(PLACE), &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(depth(), 1);
}

static void others_can_read_it_whatever_the_umask(void **state) {
	mode_t mask = umask(077);
	struct stat st;

	(void)state;
	assert_int_equal(place("new"), 0);
	umask(mask);
	assert_int_equal(stat(machine_path(PLACE), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(stat(machine_path(FOLDER), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
}

static void two_at_a_time_do_not_mix(void **state) {
	int fd;

	(void)state;
	machine_text(PLACE, "old");
	fd = open(machine_path(FOLDER), O_RDONLY | O_DIRECTORY);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(place("new"), -EBUSY);
	assert_non_null(strstr(message, "another ddpctl is at work here"));
	assert_string_equal(driver_reads(), "old");
	close(fd);
	assert_int_equal(place("new"), 0);
}

static void other_files_are_no_backups(void **state) {
	char *before;

	(void)state;
	machine_text(PLACE, "old");
	machine_text(PLACE ".ddpctl-", "");
	machine_text(PLACE ".ddpctl-0", "");
	machine_text(PLACE ".ddpctl-1x", "");
	machine_text(PLACE ".ddpctl-99999999999999999999", "");
	machine_text(FOLDER "/ice.pkg.ddpctl-7", "");
	before = machine_snapshot(true);
	assert_int_equal(undo(), -ENOENT);
	assert_int_equal(place("new"), 0);
	assert_int_equal(depth(), 1);
	assert_int_equal(undo(), 0);
	assert_snapshot(before, true);
	free(before);
}

static void updates_may_be_a_link(void **state) {
	(void)state;
	machine_folder("/srv/firmware");
	machine_link("/lib/firmware/updates", "/srv/firmware");
	assert_int_equal(place("new"), 0);
	assert_string_equal(driver_reads(), "new");
	assert_int_equal(access(machine_path("/srv/firmware/intel/ice/ddp/" OWN), F_OK), 0);
	assert_int_equal(undo(), 0);
	assert_int_not_equal(access(machine_path("/srv/firmware/intel"), F_OK), 0);
	assert_int_equal(access(machine_path("/srv/firmware"), F_OK), 0);
}

int main(void) {
#define ON_A_MACHINE(test) cmocka_unit_test_setup_teardown(test, machine_setup, machine_teardown)
	const struct CMUnitTest tests[] = {
		ON_A_MACHINE(the_same_package_again_is_nothing_to_undo),
		ON_A_MACHINE(a_link_to_the_same_package_is_replaced),
		ON_A_MACHINE(others_can_read_it_whatever_the_umask),
		ON_A_MACHINE(two_at_a_time_do_not_mix),
		ON_A_MACHINE(other_files_are_no_backups),
		ON_A_MACHINE(updates_may_be_a_link),
	};

	return rows_run("undo_restores_all", undo_restores_all, starts) +
	       rows_run("dry_run_changes_nothing", dry_run_changes_nothing, starts) +
	       rows_run("failure_leaves_all_as_it_was", failure_leaves_all_as_it_was, starts) +
	       rows_run("failing_undo_loses_nothing", failing_undo_loses_nothing, starts) +
	       rows_run("death_leaves_the_old_or_the_new", death_leaves_the_old_or_the_new, starts) +
	       rows_run("death_is_undone_at_once", death_is_undone_at_once, starts) +
	       rows_run("dying_undo_leaves_the_old_or_the_new",
			dying_undo_leaves_the_old_or_the_new, starts) +
	       cmocka_run_group_tests(tests, NULL, NULL);
}
