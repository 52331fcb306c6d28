/* SPDX-License-Identifier: BSD-3-Clause */
#include "devlink.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <libmnl/libmnl.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>

#define SECONDS 3 // for the kernel to answer; drivers ask their firmware meanwhile
#define BUS "pci"
#define REQUEST_SIZE 512
#define ANSWER_SIZE (1 << 16)
#define ANSWERS_MAX 64 // datagrams for one question

/* The kernel's socket */

static int socket_send(void *arg, const void *message, size_t size) {
	return mnl_socket_sendto(arg, message, size) < 0 ? -errno : 0;
}

static ssize_t socket_receive(void *arg, void *buffer, size_t size) {
	ssize_t len = mnl_socket_recvfrom(arg, buffer, size);

	return len < 0 ? -errno : len;
}

int netlink_open(struct netlink *netlink) {
	const struct timeval timeout = {.tv_sec = SECONDS};
	struct mnl_socket *socket = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);

	*netlink = (struct netlink){socket_send, socket_receive, socket, 0};
	if (socket == NULL)
		return netlink->error = -errno;
	setsockopt(mnl_socket_get_fd(socket), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	if (mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0) {
		netlink->error = -errno;
		netlink_close(netlink);
	}
	return netlink->error;
}

void netlink_close(struct netlink *netlink) {
	if (netlink->arg != NULL)
		mnl_socket_close(netlink->arg);
	netlink->arg = NULL;
}

/* Attributes: nothing that stands in a message is trusted */

// Call fn with each attribute from first to end. 0, -EBADMSG where they do not fill the space, or
// what fn returns if that is not 0.
static int attributes_each(const struct nlattr *first, const char *end,
			   int (*fn)(void *arg, const struct nlattr *attribute), void *arg) {
	const struct nlattr *at = first;
	int ret = 0;

	while (ret == 0 && mnl_attr_ok(at, end - (const char *)at)) {
		ret = fn(arg, at);
		at = mnl_attr_next(at);
	}
	return ret == 0 && (const char *)at < end ? -EBADMSG : ret;
}

static int nested_each(const struct nlattr *nest,
		       int (*fn)(void *arg, const struct nlattr *attribute), void *arg) {
	const char *payload = mnl_attr_get_payload(nest);

	return attributes_each((const struct nlattr *)payload,
			       payload + mnl_attr_get_payload_len(nest), fn, arg);
}

static int message_each(const struct nlmsghdr *message,
			int (*fn)(void *arg, const struct nlattr *attribute), void *arg) {
	if (message->nlmsg_len < mnl_nlmsg_size(sizeof(struct genlmsghdr)))
		return -EBADMSG;
	return attributes_each(mnl_nlmsg_get_payload_offset(message, sizeof(struct genlmsghdr)),
			       (const char *)message + message->nlmsg_len, fn, arg);
}

static int text_get(const struct nlattr *attribute, char text[DEVLINK_TEXT_SIZE]) {
	if (mnl_attr_validate(attribute, MNL_TYPE_NUL_STRING) < 0)
		return -EBADMSG;
	snprintf(text, DEVLINK_TEXT_SIZE, "%s", mnl_attr_get_str(attribute));
	return 0;
}

/* Questions */

struct question {
	uint16_t type; // that answers have
	// Read an answer. 0 or -errno.
	int (*read)(void *arg, const struct nlmsghdr *answer);
	void *arg;
	bool answered;
	int error;
};

static int answer_take(const struct nlmsghdr *message, void *arg) {
	struct question *question = arg;

	question->error = message->nlmsg_type == question->type ?
				  question->read(question->arg, message) :
				  -EBADMSG;
	question->answered = true;
	return question->error == 0 ? MNL_CB_OK : MNL_CB_ERROR;
}

// Send a request, and take answers until the kernel says that it is done.
static int ask(struct devlink *devlink, const struct nlmsghdr *request, struct question *question) {
	static char buffer[ANSWER_SIZE] __attribute__((aligned(8)));
	const struct netlink *netlink = devlink->netlink;
	int ret = netlink->error;

	if (ret == 0)
		ret = netlink->send(netlink->arg, request, request->nlmsg_len);
	for (unsigned int n = 0; ret == 0 && n < ANSWERS_MAX; n++) {
		ssize_t size = netlink->receive(netlink->arg, buffer, sizeof(buffer));

		if (size < 0)
			return size;
		switch (mnl_cb_run(buffer, size, request->nlmsg_seq, 0, answer_take, question)) {
		case MNL_CB_STOP:
			return question->answered ? 0 : -EBADMSG;
		case MNL_CB_ERROR:
			return question->error != 0 ? question->error : -errno;
		}
	}
	return ret < 0 ? ret : -EBADMSG;
}

static struct nlmsghdr *request_init(struct devlink *devlink, char buffer[REQUEST_SIZE],
				     uint16_t type, uint8_t command, uint8_t version) {
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	struct genlmsghdr *generic = mnl_nlmsg_put_extra_header(request, sizeof(*generic));

	request->nlmsg_type = type;
	request->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	request->nlmsg_seq = ++devlink->sequence;
	generic->cmd = command;
	generic->version = version;
	return request;
}

/* The family's number */

static int family_attribute(void *arg, const struct nlattr *attribute) {
	uint16_t *family = arg;

	if (mnl_attr_get_type(attribute) != CTRL_ATTR_FAMILY_ID)
		return 0;
	if (mnl_attr_validate(attribute, MNL_TYPE_U16) < 0)
		return -EBADMSG;
	*family = mnl_attr_get_u16(attribute);
	return 0;
}

static int family_read(void *arg, const struct nlmsghdr *answer) {
	return message_each(answer, family_attribute, arg);
}

int devlink_open(struct devlink *devlink, const struct netlink *netlink) {
	struct question question = {
		.type = GENL_ID_CTRL,
		.read = family_read,
		.arg = &devlink->family,
	};
	char buffer[REQUEST_SIZE] __attribute__((aligned(8)));
	struct nlmsghdr *request;
	int ret;

	*devlink = (struct devlink){.netlink = netlink};
	request = request_init(devlink, buffer, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
	mnl_attr_put_strz(request, CTRL_ATTR_FAMILY_NAME, DEVLINK_GENL_NAME);
	ret = ask(devlink, request, &question);
	return ret == 0 && devlink->family == 0 ? -EBADMSG : ret;
}

/* Information about a device */

struct version {
	char name[DEVLINK_TEXT_SIZE], value[DEVLINK_TEXT_SIZE];
};

static int version_attribute(void *arg, const struct nlattr *attribute) {
	struct version *version = arg;

	switch (mnl_attr_get_type(attribute)) {
	case DEVLINK_ATTR_INFO_VERSION_NAME:
		return text_get(attribute, version->name);
	case DEVLINK_ATTR_INFO_VERSION_VALUE:
		return text_get(attribute, version->value);
	}
	return 0;
}

static int version_read(struct devlink_info *info, const struct nlattr *nest) {
	struct version version = {0};
	int ret = nested_each(nest, version_attribute, &version);

	if (strcmp(version.name, "fw.app.name") == 0)
		memcpy(info->name, version.value, sizeof(info->name));
	else if (strcmp(version.name, "fw.app") == 0)
		memcpy(info->version, version.value, sizeof(info->version));
	else if (strcmp(version.name, "fw.app.bundle_id") == 0)
		memcpy(info->bundle, version.value, sizeof(info->bundle));
	return ret;
}

struct answer {
	char bus[DEVLINK_TEXT_SIZE], device[DEVLINK_TEXT_SIZE];
	struct devlink_info *info;
};

// What is stored in flash, or fixed, is not what packets are parsed with: running versions alone
// count.
static int info_attribute(void *arg, const struct nlattr *attribute) {
	struct answer *answer = arg;

	switch (mnl_attr_get_type(attribute)) {
	case DEVLINK_ATTR_BUS_NAME:
		return text_get(attribute, answer->bus);
	case DEVLINK_ATTR_DEV_NAME:
		return text_get(attribute, answer->device);
	case DEVLINK_ATTR_INFO_DRIVER_NAME:
		return text_get(attribute, answer->info->driver);
	case DEVLINK_ATTR_INFO_VERSION_RUNNING:
		return version_read(answer->info, attribute);
	}
	return 0;
}

static int info_read(void *arg, const struct nlmsghdr *message) {
	return message_each(message, info_attribute, arg);
}

int devlink_info_get(struct devlink *devlink, const char *address, struct devlink_info *info) {
	struct answer answer = {.info = info};
	struct question question = {.type = devlink->family, .read = info_read, .arg = &answer};
	char buffer[REQUEST_SIZE] __attribute__((aligned(8)));
	struct nlmsghdr *request;
	int ret;

	*info = (struct devlink_info){0};
	if (strlen(address) >= DEVLINK_TEXT_SIZE)
		return -ENODEV;
	request = request_init(devlink, buffer, devlink->family, DEVLINK_CMD_INFO_GET,
			       DEVLINK_GENL_VERSION);
	mnl_attr_put_strz(request, DEVLINK_ATTR_BUS_NAME, BUS);
	mnl_attr_put_strz(request, DEVLINK_ATTR_DEV_NAME, address);
	ret = ask(devlink, request, &question);
	if (ret == 0 && (strcmp(answer.bus, BUS) != 0 || strcmp(answer.device, address) != 0))
		return -EBADMSG;
	return ret;
}
