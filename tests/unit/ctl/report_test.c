/* SPDX-License-Identifier: BSD-3-Clause */
// A page is well-formed and complete whatever the capture, the profiles and their names are; a file
// is replaced as a whole or not at all.
#include "scratch_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "report_samples.h"

#define DEPTH 64

static char *page_of(const struct report_sample *sample) {
	const char *path = scratch_path("page.html");

	assert_int_equal(report_write(&sample->simulation, &sample->intro, path), 0);
	return file_read(path);
}

static const struct report_sample *sample_named(const char *name) {
	const struct report_sample *sample;

	for (unsigned int i = 0; (sample = report_sample(i)) != NULL; i++)
		if (strcmp(sample->name, name) == 0)
			return sample;
	fail_msg("no sample %s", name);
	return NULL;
}

// Elements that are open.
struct open {
	const char *sample;
	char names[DEPTH][16];
	unsigned int n;
};

static bool is_void(const char *name) {
	return strcmp(name, "!DOCTYPE") == 0 || strcmp(name, "meta") == 0;
}

// The value of an attribute, which is between "". Returns what is behind it.
static const char *value_skip(const char *at) {
	assert_int_equal(*at, '"');
	for (at++; *at != '"'; at++) {
		assert_int_not_equal(*at, '\0');
		assert_int_not_equal(*at, '<');
	}
	return at + 1;
}

static const char *attributes_skip(const char *at, bool *closed) {
	while (*at == ' ') {
		at++;
		at += strcspn(at, " =/>\"'<");
		if (*at == '=')
			at = value_skip(at + 1);
	}
	*closed = *at == '/';
	at += *closed;
	assert_int_equal(*at, '>');
	return at + 1;
}

// A tag. Returns what is behind it.
static const char *tag_take(struct open *open, const char *at) {
	bool ends = at[1] == '/', closed;
	size_t len;
	char name[16];

	at += 1 + ends;
	len = strcspn(at, " />\n");
	assert_in_range(len, 1, sizeof(name) - 1);
	snprintf(name, sizeof(name), "%.*s", (int)len, at);
	at = attributes_skip(at + len, &closed);
	if (ends) {
		if (open->n == 0 || strcmp(open->names[open->n - 1], name) != 0)
			fail_msg("%s: </%s> ends nothing", open->sample, name);
		open->n--;
	} else if (!closed && !is_void(name)) {
		assert_in_range(open->n, 0, DEPTH - 1);
		memcpy(open->names[open->n++], name, sizeof(name));
	}
	return at;
}

// Text up to the next tag: nothing that a browser would take for markup.
static const char *text_skip(const struct open *open, const char *at) {
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;"};

	for (; *at != '\0' && *at != '<'; at++) {
		unsigned int i = 0;

		assert_true((unsigned char)*at >= 0x20 || *at == '\n');
		assert_int_not_equal(*at, 0x7f);
		if (*at != '&')
			continue;
		while (i < 4 && strncmp(at, entities[i], strlen(entities[i])) != 0)
			i++;
		if (i == 4)
			fail_msg("%s: a '&' of its own: %.20s", open->sample, at);
	}
	return at;
}

static void assert_nested(const char *sample, const char *page) {
	struct open open = {.sample = sample};

	while (*page != '\0')
		page = *page == '<' ? tag_take(&open, page) : text_skip(&open, page);
	assert_int_equal(open.n, 0);
}

static void pages_are_well_formed(void **state) {
	const struct report_sample *sample;

	(void)state;
	for (unsigned int i = 0; (sample = report_sample(i)) != NULL; i++) {
		char *page = page_of(sample);

		assert_memory_equal(page, "<!DOCTYPE html>\n", 16);
		assert_nested(sample->name, page);
		free(page);
	}
}

// As a word: "information" and "infrastructure" are none.
static bool has_word(const char *page, const char *word) {
	for (const char *at = page; (at = strstr(at, word)) != NULL; at++)
		if (strchr(" \"->", at[-1]) != NULL && strchr(" \"<%,;.", at[strlen(word)]) != NULL)
			return true;
	return false;
}

static void no_number_is_none(void **state) {
	static const char *const words[] = {"nan", "-nan", "inf", "-inf", "infinity", "NaN"};
	const struct report_sample *sample;

	(void)state;
	for (unsigned int i = 0; (sample = report_sample(i)) != NULL; i++) {
		char *page = page_of(sample);

		for (unsigned int k = 0; k < sizeof(words) / sizeof(words[0]); k++)
			if (has_word(page, words[k]))
				fail_msg("%s: %s", sample->name, words[k]);
		assert_null(strstr(page, "=\"nan"));
		free(page);
	}
}

static void names_stay_text(void **state) {
	char *page = page_of(sample_named("hostile"));

	(void)state;
	assert_null(strstr(page, "<script"));
	assert_null(strstr(page, "<img"));
	assert_null(strstr(page, "\xff"));
	assert_null(strstr(page, "\xe2\x80\xae"));
	assert_non_null(strstr(page, "&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x "
				     "onerror=&quot;alert('2')&quot;&gt;&amp;amp;"));
	free(page);
}

static void a_page_needs_nothing_else(void **state) {
	static const char *const others[] = {"http:", "https:",  "src=",  "@import",
					     "url(",  "<script", "<link", "<iframe"};
	char *page = page_of(sample_named("advice"));

	(void)state;
	for (unsigned int i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_null(strstr(page, others[i]));
	assert_non_null(strstr(page, "default-src 'none'"));
	free(page);
}

static void numbers_are_those_of_the_simulation(void **state) {
	char *page = page_of(sample_named("advice"));

	(void)state;
	assert_non_null(strstr(page, "<span>Packets</span> <b>64,000</b>"));
	assert_non_null(strstr(page, "<span>Load</span> <b>12 Mpps, as asked</b>"));
	assert_non_null(strstr(page, ">2026-11-22 10:20:00 UTC</time>, 72 s long"));
	assert_non_null(strstr(page, "; the load needs 9 cores</li>"));
	assert_non_null(strstr(page, "the load is too much for any number of cores up to 1024"));
	assert_non_null(
		strstr(page, "<bdi>10.45.0.1</bdi>: packet 12 on queue 0, packet 1 on queue 15"));
	assert_non_null(
		strstr(page, "ddpctl advise 'my captures/it'\\''s n3.pcap' --core-mpps 1.5 "));
	assert_non_null(strstr(page, "rxq 16 --txq 16 --fwd macswap</code>"));
	free(page);
}

static void load_aware_rss_is_told_where_it_is_known(void **state) {
	char *page = page_of(sample_named("usual"));

	(void)state;
	assert_non_null(strstr(page, "<h2 id=\"balance\">Load-aware RSS</h2>"));
	assert_non_null(strstr(page, ">2,160</td>")); // moves
	assert_non_null(strstr(page, ">30.0</td>"));  // a second
	assert_non_null(strstr(page, "entry 511 with 24.0%"));
	assert_non_null(strstr(page, "(any entry, in 180 of 648 intervals)"));
	free(page);
	page = page_of(sample_named("balanced"));
	assert_non_null(strstr(page, "These are the first 30 of 1,234,567 intervals."));
	free(page);
	page = page_of(sample_named("lonely"));
	assert_null(strstr(page, "Load-aware RSS"));
	free(page);
}

static void the_chosen_one_is_first_and_the_nic_last(void **state) {
	char *page = page_of(sample_named("crowd"));
	const char *table = strstr(page, "What each candidate does"), *first, *last;

	(void)state;
	assert_non_null(table);
	first = strstr(table, "<b class=\"key c1\">A</b> <bdi class=\"name\">all</bdi>");
	last = strstr(table,
		      "<b class=\"key c0\">NIC</b> <bdi class=\"name\">fixed-function NIC</bdi>");
	assert_non_null(first);
	assert_non_null(last);
	assert_true(first < last);
	assert_non_null(strstr(
		page,
		"16 candidates were tried. This page shows 12 of them, the recommended one and"));
	assert_null(strstr(page, ">ecpri</bdi>")); // the worst but the chosen one
	assert_non_null(strstr(page, "The capture has more packets"));
	assert_non_null(strstr(page, "1,234 packets of the capture (1.9%) cut short"));
	free(page);
}

static void what_is_too_much_is_drawn_together(void **state) {
	char *page = page_of(sample_named("1024-queues"));

	(void)state;
	assert_non_null(strstr(page, ">17 smaller types<")); // of 48
	assert_non_null(strstr(page, "The scale is logarithmic."));
	assert_non_null(strstr(page, "A bar is for 8 neighbouring queues"));
	assert_non_null(strstr(page, "queues 1016 to 1023: at most "));
	free(page);
}

static void without_packets_there_is_little_to_say(void **state) {
	char *page = page_of(sample_named("empty"));

	(void)state;
	assert_non_null(strstr(page, "There were no packets."));
	assert_null(strstr(page, "<svg"));
	free(page);
}

static void only_a_time_that_is_known_is_told(void **state) {
	const struct report_sample *sample;
	unsigned int n_told = 0, n = 0;

	(void)state;
	for (; (sample = report_sample(n)) != NULL; n++) {
		const struct simulation *simulation = &sample->simulation;
		bool known = simulation->first_ns != 0 && simulation->packets > 0;
		char *page = page_of(sample);

		if ((strstr(page, "Captured") != NULL) != known)
			fail_msg("%s", sample->name);
		n_told += known;
		free(page);
	}
	assert_in_range(n_told, 1, n - 1);
}

static void a_story_may_be_left_out(void **state) {
	const struct report_sample *sample = sample_named("usual");
	const char *path = scratch_path("untold.html");
	char *page;

	(void)state;
	assert_int_equal(report_write(&sample->simulation, NULL, path), 0);
	page = file_read(path);
	assert_non_null(
		strstr(page, "<h1><bdi>How the packets of n3-up.pcap.zst spread</bdi></h1>"));
	assert_null(strstr(page, "Reproduce"));
	assert_nested("untold", page);
	free(page);
}

// Number of files in the folder.
static unsigned int n_files;

static int file_count(const char *path, const struct stat *st, int type, struct FTW *ftw) {
	(void)path;
	(void)st;
	(void)ftw;
	n_files += type == FTW_F;
	return 0;
}

static unsigned int files(void) {
	n_files = 0;
	assert_int_equal(nftw(scratch_dir, file_count, 8, FTW_PHYS), 0);
	return n_files;
}

static void a_file_that_cannot_be_written_is_as_before(void **state) {
	const struct report_sample *sample = sample_named("usual");
	const char *path = file_write("kept.html", "before", 6);
	const struct rlimit little = {4096, RLIM_INFINITY};
	struct rlimit limit;
	unsigned int before = files();
	char *page;

	(void)state;
	getrlimit(RLIMIT_FSIZE, &limit);
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &little);
	assert_int_equal(report_write(&sample->simulation, NULL, path), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(files(), before);
	page = file_read(path);
	assert_string_equal(page, "before");
	free(page);
	assert_int_equal(report_write(&sample->simulation, NULL, scratch_path("no/where.html")),
			 -ENOENT);
	assert_int_equal(report_write(&sample->simulation, NULL, scratch_dir), -EISDIR);
}

static void a_link_and_the_rights_of_a_file_stay(void **state) {
	const struct report_sample *sample = sample_named("usual");
	const char *path = file_write("private.html", "before", 6),
		   *link = scratch_path("link.html");
	struct stat st;

	(void)state;
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(symlink("private.html", link), 0);
	assert_int_equal(report_write(&sample->simulation, NULL, link), 0);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_true(st.st_size > 6);
}

static void a_pipe_is_written_to(void **state) {
	const struct report_sample *sample = sample_named("usual");
	const char *path = scratch_path("pipe");
	char start[16];
	int fd;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	fd = open(path, O_RDWR | O_NONBLOCK);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_SETPIPE_SZ, 1 << 20), 1 << 20);
	assert_int_equal(report_write(&sample->simulation, NULL, path), 0);
	assert_int_equal(read(fd, start, 15), 15);
	assert_memory_equal(start, "<!DOCTYPE html>", 15);
	close(fd);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_are_well_formed),
		cmocka_unit_test(no_number_is_none),
		cmocka_unit_test(names_stay_text),
		cmocka_unit_test(a_page_needs_nothing_else),
		cmocka_unit_test(numbers_are_those_of_the_simulation),
		cmocka_unit_test(load_aware_rss_is_told_where_it_is_known),
		cmocka_unit_test(the_chosen_one_is_first_and_the_nic_last),
		cmocka_unit_test(what_is_too_much_is_drawn_together),
		cmocka_unit_test(without_packets_there_is_little_to_say),
		cmocka_unit_test(only_a_time_that_is_known_is_told),
		cmocka_unit_test(a_story_may_be_left_out),
		cmocka_unit_test(a_file_that_cannot_be_written_is_as_before),
		cmocka_unit_test(a_link_and_the_rights_of_a_file_stay),
		cmocka_unit_test(a_pipe_is_written_to),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
