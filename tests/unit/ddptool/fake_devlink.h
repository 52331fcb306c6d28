/* SPDX-License-Identifier: BSD-3-Clause */
// A kernel with devlink that a test plays: it hands out the bytes that the test put together.
#ifndef CTL_DEVLINK_H
#define CTL_DEVLINK_H

#include "scratch_folder.h"

#include <errno.h>

#include <libmnl/libmnl.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>

#include "ddptool/devlink.h"

#define FAMILY 21
#define DATAGRAM_SIZE 4096

struct datagram {
	char bytes[DATAGRAM_SIZE] __attribute__((aligned(8)));
	size_t size;
};

// Of a kernel: answer says what it does with a question, by putting datagrams in line.
struct kernel {
	struct datagram line[4];
	unsigned int n, taken;
	void (*answer)(struct kernel *kernel, const struct nlmsghdr *question);
	void *arg;
	int send_error;
};

static inline struct nlmsghdr *message_begin(struct datagram *datagram, uint16_t type,
					     uint32_t seq) {
	struct nlmsghdr *message = mnl_nlmsg_put_header(datagram->bytes);
	struct genlmsghdr *generic = mnl_nlmsg_put_extra_header(message, sizeof(*generic));

	message->nlmsg_type = type;
	message->nlmsg_seq = seq;
	generic->cmd = DEVLINK_CMD_INFO_GET;
	generic->version = DEVLINK_GENL_VERSION;
	return message;
}

static inline void version_put(struct nlmsghdr *message, uint16_t kind, const char *name,
			       const char *value) {
	struct nlattr *nest = mnl_attr_nest_start(message, kind);

	mnl_attr_put_strz(message, DEVLINK_ATTR_INFO_VERSION_NAME, name);
	mnl_attr_put_strz(message, DEVLINK_ATTR_INFO_VERSION_VALUE, value);
	mnl_attr_nest_end(message, nest);
}

static inline struct datagram *datagram_new(struct kernel *kernel) {
	assert_true(kernel->n < sizeof(kernel->line) / sizeof(kernel->line[0]));
	return &kernel->line[kernel->n++];
}

static inline void message_end(struct datagram *datagram, const struct nlmsghdr *message) {
	datagram->size = message->nlmsg_len;
}

// What the driver ice says of a device; name NULL is a device in safe mode.
static inline void ice_answer(struct kernel *kernel, uint32_t seq, const char *address,
			      const char *name, const char *version, const char *bundle) {
	struct datagram *datagram = datagram_new(kernel);
	struct nlmsghdr *message = message_begin(datagram, FAMILY, seq);

	mnl_attr_put_strz(message, DEVLINK_ATTR_BUS_NAME, "pci");
	mnl_attr_put_strz(message, DEVLINK_ATTR_DEV_NAME, address);
	mnl_attr_put_strz(message, DEVLINK_ATTR_INFO_DRIVER_NAME, "ice");
	mnl_attr_put_strz(message, DEVLINK_ATTR_INFO_SERIAL_NUMBER, "00-01-00-ff-ff-00-00-00");
	version_put(message, DEVLINK_ATTR_INFO_VERSION_FIXED, "board.id", "K65390-000");
	version_put(message, DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.mgmt", "5.4.5");
	if (name != NULL) {
		version_put(message, DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.app.name", name);
		version_put(message, DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.app", version);
		version_put(message, DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.app.bundle_id", bundle);
	}
	version_put(message, DEVLINK_ATTR_INFO_VERSION_STORED, "fw.app", "9.9.9.9");
	message_end(datagram, message);
}

// The kernel's last word: 0 is "done".
static inline void error_answer(struct kernel *kernel, uint32_t seq, int error) {
	struct datagram *datagram = datagram_new(kernel);
	struct nlmsghdr *message = mnl_nlmsg_put_header(datagram->bytes);
	struct nlmsgerr *body = mnl_nlmsg_put_extra_header(message, sizeof(*body));

	message->nlmsg_type = NLMSG_ERROR;
	message->nlmsg_seq = seq;
	body->error = error;
	message_end(datagram, message);
}

static inline void family_answer(struct kernel *kernel, uint32_t seq) {
	struct datagram *datagram = datagram_new(kernel);
	struct nlmsghdr *message = message_begin(datagram, GENL_ID_CTRL, seq);

	mnl_attr_put_strz(message, CTRL_ATTR_FAMILY_NAME, DEVLINK_GENL_NAME);
	mnl_attr_put_u16(message, CTRL_ATTR_FAMILY_ID, FAMILY);
	message_end(datagram, message);
	error_answer(kernel, seq, 0);
}

static inline int kernel_send(void *arg, const void *bytes, size_t size) {
	struct kernel *kernel = arg;
	const struct nlmsghdr *question = bytes;

	assert_int_equal(size, question->nlmsg_len);
	kernel->n = kernel->taken = 0;
	if (kernel->send_error == 0)
		kernel->answer(kernel, question);
	return kernel->send_error;
}

// Where nothing is left, time runs out.
static inline ssize_t kernel_receive(void *arg, void *buffer, size_t size) {
	struct kernel *kernel = arg;
	const struct datagram *datagram = &kernel->line[kernel->taken];

	if (kernel->taken == kernel->n)
		return -EAGAIN;
	kernel->taken++;
	assert_true(datagram->size <= size);
	memcpy(buffer, datagram->bytes, datagram->size);
	return datagram->size;
}

static inline struct netlink kernel_netlink(struct kernel *kernel) {
	return (struct netlink){.send = kernel_send, .receive = kernel_receive, .arg = kernel};
}

#endif
