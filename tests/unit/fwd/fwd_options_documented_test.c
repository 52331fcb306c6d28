/* SPDX-License-Identifier: BSD-3-Clause */
// The manual page says what the tables say: nothing missing, nothing left over.
#include "man_page.h"

#include "fwd/config.h"
#include "fwd/counts.h"

TEST(the_page_has_each_option) {
	page_has_options(FWD_MAN_PAGE, config_options, n_config_options);
}

TEST(the_page_has_each_drop_reason) {
	static const char *const entries[] = {
#define DROP_ENTRY(constant, name, meaning) "\\fB" name "\\fR: " meaning,
		DROP_REASONS(DROP_ENTRY)
#undef DROP_ENTRY
	};
	char *page = page_read(FWD_MAN_PAGE);

	for (unsigned int i = 0; i < N_DROP_REASONS; i++)
		page_contains(page, entries[i]);
}
