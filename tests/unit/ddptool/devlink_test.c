/* SPDX-License-Identifier: BSD-3-Clause */
// Devlink's answers come from a kernel that may be older or newer than ours, or from whoever sits
// in its place: what is read of them is right, or they are refused, and nothing outside them is
// looked at.
#include "fake_devlink.h"

#define ADDRESS "0000:81:00.0"

static struct kernel kernel;
static struct netlink netlink;
static struct devlink devlink;

static int setup(void **state) {
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	netlink = kernel_netlink(&kernel);
	devlink = (struct devlink){.netlink = &netlink, .family = FAMILY};
	return 0;
}

static int ask(struct devlink_info *info) {
	return devlink_info_get(&devlink, ADDRESS, info);
}

static void good_answer(struct kernel *k, const struct nlmsghdr *question) {
	ice_answer(k, question->nlmsg_seq, ADDRESS, "ICE COMMS Package", "1.3.31.0", "0xc0000002");
	error_answer(k, question->nlmsg_seq, 0);
}

static void the_running_package_is_read(void **state) {
	struct devlink_info info;

	(void)state;
	kernel.answer = good_answer;
	assert_int_equal(ask(&info), 0);
	assert_string_equal(info.driver, "ice");
	assert_string_equal(info.name, "ICE COMMS Package");
	assert_string_equal(info.version, "1.3.31.0");
	assert_string_equal(info.bundle, "0xc0000002");
}

// The question itself: what a kernel would look at.
static void question_check(struct kernel *k, const struct nlmsghdr *question) {
	const struct genlmsghdr *generic = mnl_nlmsg_get_payload(question);
	const struct nlattr *attribute;
	unsigned int n = 0;

	assert_int_equal(question->nlmsg_type, FAMILY);
	assert_int_equal(question->nlmsg_flags, NLM_F_REQUEST | NLM_F_ACK);
	assert_int_equal(generic->cmd, DEVLINK_CMD_INFO_GET);
	mnl_attr_for_each(attribute, question, sizeof(*generic)) {
		if (mnl_attr_get_type(attribute) == DEVLINK_ATTR_BUS_NAME)
			assert_string_equal(mnl_attr_get_str(attribute), "pci");
		else if (mnl_attr_get_type(attribute) == DEVLINK_ATTR_DEV_NAME)
			assert_string_equal(mnl_attr_get_str(attribute), ADDRESS);
		n++;
	}
	assert_int_equal(n, 2);
	good_answer(k, question);
}

static void the_question_names_the_device(void **state) {
	struct devlink_info info;

	(void)state;
	kernel.answer = question_check;
	assert_int_equal(ask(&info), 0);
}

static void families_answer(struct kernel *k, const struct nlmsghdr *question) {
	assert_int_equal(question->nlmsg_type, GENL_ID_CTRL);
	family_answer(k, question->nlmsg_seq);
}

static void the_family_has_a_number(void **state) {
	struct devlink opened;

	(void)state;
	kernel.answer = families_answer;
	assert_int_equal(devlink_open(&opened, &netlink), 0);
	assert_int_equal(opened.family, FAMILY);
}

/* Answers that are none */

static void nothing(struct kernel *k, const struct nlmsghdr *question) {
	(void)k;
	(void)question;
}

static void done_alone(struct kernel *k, const struct nlmsghdr *question) {
	error_answer(k, question->nlmsg_seq, 0);
}

static void no_device(struct kernel *k, const struct nlmsghdr *question) {
	error_answer(k, question->nlmsg_seq, -ENODEV);
}

static void no_permission(struct kernel *k, const struct nlmsghdr *question) {
	error_answer(k, question->nlmsg_seq, -EPERM);
}

static void other_device(struct kernel *k, const struct nlmsghdr *question) {
	ice_answer(k, question->nlmsg_seq, "0000:82:00.0", "x", "1", "1");
	error_answer(k, question->nlmsg_seq, 0);
}

static void other_sequence(struct kernel *k, const struct nlmsghdr *question) {
	ice_answer(k, question->nlmsg_seq + 1, ADDRESS, "x", "1", "1");
}

static void other_family(struct kernel *k, const struct nlmsghdr *question) {
	good_answer(k, question);
	((struct nlmsghdr *)k->line[0].bytes)->nlmsg_type = FAMILY + 1;
}

// The attribute of this type in the first answer.
static struct nlattr *attribute_of(struct kernel *k, uint16_t type) {
	struct nlmsghdr *message = (struct nlmsghdr *)k->line[0].bytes;
	struct nlattr *attribute;

	mnl_attr_for_each(attribute, message,
			  sizeof(struct genlmsghdr)) if (mnl_attr_get_type(attribute) ==
							 type) return attribute;
	fail_msg("no attribute %u", type);
	return NULL;
}

static void text_without_end(struct kernel *k, const struct nlmsghdr *question) {
	struct nlattr *attribute;

	good_answer(k, question);
	attribute = attribute_of(k, DEVLINK_ATTR_INFO_DRIVER_NAME);
	memcpy(mnl_attr_get_payload(attribute), "icy!", 4);
}

static void text_of_no_length(struct kernel *k, const struct nlmsghdr *question) {
	struct nlattr *attribute;

	good_answer(k, question);
	attribute = attribute_of(k, DEVLINK_ATTR_INFO_DRIVER_NAME);
	attribute->nla_len = sizeof(*attribute);
}

static void attribute_of_no_length(struct kernel *k, const struct nlmsghdr *question) {
	good_answer(k, question);
	attribute_of(k, DEVLINK_ATTR_INFO_DRIVER_NAME)->nla_len = 0;
}

static void attribute_beyond_the_message(struct kernel *k, const struct nlmsghdr *question) {
	good_answer(k, question);
	attribute_of(k, DEVLINK_ATTR_INFO_VERSION_STORED)->nla_len = UINT16_MAX;
}

static void attribute_beyond_its_nest(struct kernel *k, const struct nlmsghdr *question) {
	struct nlattr *nest;

	good_answer(k, question);
	nest = attribute_of(k, DEVLINK_ATTR_INFO_VERSION_RUNNING);
	((struct nlattr *)mnl_attr_get_payload(nest))->nla_len = nest->nla_len + 64;
}

static void no_room_for_a_header(struct kernel *k, const struct nlmsghdr *question) {
	good_answer(k, question);
	((struct nlmsghdr *)k->line[0].bytes)->nlmsg_len = sizeof(struct nlmsghdr) + 1;
	k->line[0].size = sizeof(struct nlmsghdr) + 4;
}

static const struct row {
	const char *name;
	void (*answer)(struct kernel *k, const struct nlmsghdr *question);
	int error;
} rows[] = {
	{"no_answer", nothing, -EAGAIN},
	{"done_without_an_answer", done_alone, -EBADMSG},
	{"no_such_device", no_device, -ENODEV},
	{"no_permission", no_permission, -EPERM},
	{"an_answer_about_another_device", other_device, -EBADMSG},
	{"an_answer_to_another_question", other_sequence, -EPROTO},
	{"an_answer_of_another_family", other_family, -EBADMSG},
	{"a_text_without_an_end", text_without_end, -EBADMSG},
	{"a_text_of_no_length", text_of_no_length, -EBADMSG},
	{"an_attribute_of_no_length", attribute_of_no_length, -EBADMSG},
	{"an_attribute_beyond_the_message", attribute_beyond_the_message, -EBADMSG},
	{"an_attribute_beyond_its_nest", attribute_beyond_its_nest, -EBADMSG},
	{"no_room_for_a_header", no_room_for_a_header, -EBADMSG},
};

static void a_row(void **state) {
	const struct row *row = *state;
	struct devlink_info info;

	setup(NULL);
	kernel.answer = row->answer;
	assert_int_equal(ask(&info), row->error);
}

static void what_cannot_be_opened_or_sent_is_told(void **state) {
	struct devlink_info info;
	struct devlink opened;

	(void)state;
	kernel.send_error = -ENOBUFS;
	assert_int_equal(ask(&info), -ENOBUFS);
	netlink.error = -EAFNOSUPPORT;
	assert_int_equal(ask(&info), -EAFNOSUPPORT);
	assert_int_equal(devlink_open(&opened, &netlink), -EAFNOSUPPORT);
}

/* Answers that are cut or damaged anywhere */

static size_t cut;

static void cut_answer(struct kernel *k, const struct nlmsghdr *question) {
	good_answer(k, question);
	((struct nlmsghdr *)k->line[0].bytes)->nlmsg_len = cut;
	k->line[0].size = cut;
}

// Whether a message may end here: at the end of an attribute.
static bool is_boundary(size_t size) {
	const struct nlmsghdr *message;
	const struct nlattr *attribute;
	struct nlmsghdr question = {0};

	kernel.n = 0;
	good_answer(&kernel, &question);
	message = (const struct nlmsghdr *)kernel.line[0].bytes;
	if (size == mnl_nlmsg_size(sizeof(struct genlmsghdr)))
		return true;
	mnl_attr_for_each(attribute, message, sizeof(struct genlmsghdr)) {
		size_t at = (const char *)attribute - (const char *)message;

		// What fills the last bytes up may be missing.
		if (size >= at + attribute->nla_len && size <= at + MNL_ALIGN(attribute->nla_len))
			return true;
	}
	return false;
}

static void an_answer_that_is_cut_within_an_attribute_is_refused(void **state) {
	struct nlmsghdr question = {0};
	struct devlink_info info;
	unsigned int n_whole = 0;
	size_t size;

	(void)state;
	good_answer(&kernel, &question);
	size = kernel.line[0].size;
	kernel.answer = cut_answer;
	for (cut = sizeof(struct nlmsghdr); cut < size; cut++) {
		bool whole = is_boundary(cut);
		int ret = ask(&info);

		// One without the device's name is of no device.
		if (!whole)
			assert_int_equal(ret, -EBADMSG);
		n_whole += ret == 0;
	}
	assert_true(n_whole > 0);
}

static unsigned int seed;

static void damaged_answer(struct kernel *k, const struct nlmsghdr *question) {
	unsigned int n = 1 + rand_r(&seed) % 4;

	good_answer(k, question);
	while (n-- > 0)
		k->line[0].bytes[rand_r(&seed) % k->line[0].size] = rand_r(&seed);
}

static bool ends(const char text[DEVLINK_TEXT_SIZE]) {
	return memchr(text, '\0', DEVLINK_TEXT_SIZE) != NULL;
}

static void a_damaged_answer_is_survived(void **state) {
	unsigned int n_refused = 0;

	(void)state;
	kernel.answer = damaged_answer;
	for (unsigned int i = 0; i < 20000; i++) {
		struct devlink_info info;

		seed = i;
		n_refused += ask(&info) < 0;
		assert_true(ends(info.driver) && ends(info.name) && ends(info.version) &&
			    ends(info.bundle));
	}
	assert_true(n_refused > 100);
}

int main(void) {
	struct CMUnitTest tests[6 + COUNT(rows)] = {
		cmocka_unit_test_setup(the_running_package_is_read, setup),
		cmocka_unit_test_setup(the_question_names_the_device, setup),
		cmocka_unit_test_setup(the_family_has_a_number, setup),
		cmocka_unit_test_setup(what_cannot_be_opened_or_sent_is_told, setup),
		cmocka_unit_test_setup(an_answer_that_is_cut_within_an_attribute_is_refused, setup),
		cmocka_unit_test_setup(a_damaged_answer_is_survived, setup),
	};

	for (unsigned int i = 0; i < COUNT(rows); i++)
		tests[6 + i] = (struct CMUnitTest){
			.name = rows[i].name,
			.test_func = a_row,
			.initial_state = (void *)&rows[i],
		};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
