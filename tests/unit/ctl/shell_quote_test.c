/* SPDX-License-Identifier: BSD-3-Clause */
// A command that is shown can be copied: a shell takes it apart into the words it was made of.
#include "scratch_folder.h"

#include "common/shell_quote.h"
#include "common/strbuf.h"

static const char *const words[] = {
	"printf",
	"%s\\0", // each word and what cannot be in one
	"plain-1.2,3:4=5@6+7_8%9/",
	"",
	"two words",
	"it's",
	"$HOME `id` \"x\" \\ ! * ? [a] ; & | < > ( ) { } # ~",
	"~",
	"-n",
	"new\nline",
	"\033[31mred\a",
	"\xff\xfe",
	"gr\xc3\xbc\xc3\x9f",
	"\xe2\x80\xae"
	"gnp.exe",
	"back\\slash'and\nquote",
	NULL,
};

TEST(a_shell_reads_back_the_words) {
	struct strbuf text;
	FILE *shell;

	strbuf_init(&text);
	shell_line(text.to, words);
	assert_int_equal(setenv("LINE", strbuf_take(&text), 1), 0);
	strbuf_fini(&text);
	shell = popen("exec bash -c \"$LINE\"", "r");
	assert_non_null(shell);
	for (unsigned int i = 2; words[i] != NULL; i++) {
		char *word = NULL;
		size_t size = 0;

		assert_int_equal(getdelim(&word, &size, '\0', shell), strlen(words[i]) + 1);
		assert_string_equal(word, words[i]);
		free(word);
	}
	assert_int_equal(fgetc(shell), EOF);
	assert_int_equal(pclose(shell), 0);
}

TEST(what_needs_no_quotes_has_none) {
	static const char *const plain[] = {"ddpctl",   "simulate", "gtpu:ue,n3-up.pcap",
					    "--queues", "16",       NULL};
	struct strbuf text;

	strbuf_init(&text);
	shell_line(text.to, plain);
	assert_string_equal(strbuf_take(&text), "ddpctl simulate gtpu:ue,n3-up.pcap --queues 16");
	strbuf_fini(&text);
}
