/* SPDX-License-Identifier: BSD-3-Clause */
// What Linux's devlink says of a PCI device's firmware: generic netlink, family "devlink".
//
//	netlink_open(&netlink);
//	devlink_open(&devlink, &netlink);
//	devlink_info_get(&devlink, "0000:81:00.0", &info);
//
// Messages go through struct netlink, so that a test can put bytes of its own in the kernel's
// place.
#ifndef DDPTOOL_DEVLINK_H
#define DDPTOOL_DEVLINK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// A netlink socket, or what stands for one. send: 0 or -errno; receive: how many bytes, or -errno.
struct netlink {
	int (*send)(void *arg, const void *message, size_t size);
	ssize_t (*receive)(void *arg, void *buffer, size_t size);
	void *arg;
	int error; // 0, or the -errno that there is instead of all this
};

// A socket of the kernel's. 0, or -errno.
int netlink_open(struct netlink *netlink);
void netlink_close(struct netlink *netlink);

struct devlink {
	const struct netlink *netlink;
	uint16_t family; // its number in the running kernel
	uint32_t sequence;
};

// 0; -ENOENT: a kernel without devlink; or -errno.
int devlink_open(struct devlink *devlink, const struct netlink *netlink);

#define DEVLINK_TEXT_SIZE 64

// The DDP package in a device, "" for what the driver does not tell. Longer texts are cut.
struct devlink_info {
	char driver[DEVLINK_TEXT_SIZE];
	char name[DEVLINK_TEXT_SIZE];    // fw.app.name: "ICE OS Default Package"
	char version[DEVLINK_TEXT_SIZE]; // fw.app: "1.3.30.0"
	char bundle[DEVLINK_TEXT_SIZE];  // fw.app.bundle_id: "0xc0000001"
};

// 0; -ENODEV: devlink does not know the device; -EPERM; -EBADMSG: an answer that is none; -EAGAIN:
// no answer in time; or another -errno.
int devlink_info_get(struct devlink *devlink, const char *address, struct devlink_info *info);

#endif
