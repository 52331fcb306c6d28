/* SPDX-License-Identifier: BSD-3-Clause */
#include "scratch.h"

#include <ftw.h>
#include <unistd.h>

#include "classify/classify.h"
#include "profile/profile.h"
#include "unit.h"

static char dir[256];

static pid_t owner;

static int entry_remove(const char *path, const struct stat *st, int type, struct FTW *ftw) {
	return remove(path);
}

static void scratch_end(void) {
	if (getpid() == owner)
		nftw(dir, entry_remove, 8, FTW_DEPTH | FTW_PHYS);
}

void scratch_begin(void) {
	const char *tmp = getenv("TMPDIR");

	owner = getpid();
	snprintf(dir, sizeof(dir), "%s/ddp-unit-XXXXXX", tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(dir) == NULL || setenv("DDP_PROFILE_PATH", dir, 1) != 0 ||
	    atexit(scratch_end) != 0)
		exit(1);
}

const char *scratch_dir(void) {
	return dir;
}

const char *scratch_path(const char *name) {
	static char paths[32][512];
	static unsigned int n;
	char *path = paths[n++ % COUNT(paths)];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

void scratch_write(const char *name, const void *bytes, size_t size) {
	FILE *out = fopen(scratch_path(name), "wb");

	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
}

void scratch_write_text(const char *name, const char *text) {
	scratch_write(name, text, strlen(text));
}

char *scratch_messages(const struct ddp_diag *diag) {
	const char *folder = scratch_path("");
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (unsigned int i = 0; i < diag->n_kept; i++) {
		const char *message = diag->messages[i].s, *at;

		for (; (at = strstr(message, folder)) != NULL; message = at + strlen(folder))
			fprintf(out, "%.*s", (int)(at - message), message);
		fprintf(out, "%s\n", message);
	}
	fclose(out);
	return text;
}

static void profile_end(void *profile) {
	ddp_profile_destroy(profile);
}

static struct ddp_profile *profile_read(const struct ddp_source *sources, unsigned int n,
					struct ddp_diag *diag) {
	const struct ddp_load load = {.sources = sources, .n_sources = n};
	struct ddp_profile *profile = ddp_profile_read(&load, diag);

	assert_string_equal(ddp_diag_first(diag), "");
	after_test(profile_end, profile);
	return profile;
}

struct ddp_profile *scratch_load_warned(const char *spec) {
	return profile_read(&(struct ddp_source){.spec = spec}, spec != NULL, diag_new());
}

struct ddp_profile *scratch_load_sources(const struct ddp_source *sources, unsigned int n) {
	struct ddp_diag *diag = diag_new();
	struct ddp_profile *profile = profile_read(sources, n, diag);

	if (diag->n_kept > 0)
		fail_msg("%s", diag->messages[0].s);
	return profile;
}

struct ddp_profile *scratch_load(const char *spec) {
	return scratch_load_sources(&(struct ddp_source){.spec = spec}, spec != NULL);
}

static void program_end(void *program) {
	ddp_program_destroy(program);
}

struct ddp_program *scratch_build(const struct ddp_profile *profile) {
	struct ddp_diag *diag = diag_new();
	struct ddp_program *program = ddp_program_build(profile, diag);

	assert_string_equal(ddp_diag_first(diag), "");
	after_test(program_end, program);
	return program;
}

void broken_is_reported(void **state) {
	const struct broken *row = *state;
	struct ddp_program *program = NULL;
	struct ddp_profile *profile;
	struct ddp_diag *diag = diag_new();
	char *messages;

	scratch_write_text("t.yaml", row->text);
	if (row->other != NULL)
		scratch_write_text("u.yaml", row->other);
	profile = ddp_profile_load(row->spec == NULL ? "t" : row->spec, diag);
	if (profile != NULL)
		program = ddp_program_build(profile, diag);
	messages = scratch_messages(diag);
	assert_string_equal(messages, row->messages);
	assert_int_equal(program == NULL, strstr(messages, "error: ") != NULL);
	free(messages);
	ddp_program_destroy(program);
	ddp_profile_destroy(profile);
}

void part_is_reported(const struct part *part, const char *profile) {
	struct broken row = {.other = part->other, .spec = part->spec};
	const char *hole = strchr(profile, '@');
	char text[4096], message[1024] = "";
	void *state = &row;

	snprintf(text, sizeof(text), "%.*s%s%s", (int)(hole - profile), profile, part->text,
		 hole + 1);
	if (part->message != NULL)
		snprintf(message, sizeof(message), "%s%s: %s%s\n",
			 *part->at >= '0' && *part->at <= '9' ? "t.yaml:" : "", part->at,
			 strncmp(part->message, "warning: ", 9) == 0 ? "" : "error: ",
			 part->message);
	row.text = text;
	row.messages = message;
	if (row.spec == NULL && row.other != NULL)
		row.spec = "u";
	broken_is_reported(&state);
}

static struct {
	void (*end)(void *object);
	void *object;
} ends[4096];
static unsigned int n_ends;
static bool runs; // a test, or its set-up

void after_test_begin(void) {
	runs = true;
}

void after_test(void (*end)(void *object), void *object) {
	if (!runs)
		return;
	if (n_ends == COUNT(ends))
		abort();
	ends[n_ends].end = end;
	ends[n_ends++].object = object;
}

void after_test_run(void) {
	for (; n_ends > 0; n_ends--)
		ends[n_ends - 1].end(ends[n_ends - 1].object);
	runs = false;
}

struct ddp_diag *diag_new(void) {
	static struct ddp_diag diag;

	ddp_diag_fini(&diag); // zeroed at first
	ddp_diag_init(&diag);
	return &diag;
}
