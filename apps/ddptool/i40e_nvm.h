/* SPDX-License-Identifier: BSD-3-Clause */
// Which profiles a 700-series NIC holds, from its firmware through Linux's driver i40e.
//
// i40e tells nothing of profiles through devlink. It takes commands for the firmware through
// ethtool's calls for the NVM instead: written with a magic number that only this way has, the
// "NVM" is the firmware's admin queue; read with the same, it is the answer. Nothing in the NVM is
// touched.
#ifndef DDPTOOL_I40E_NVM_H
#define DDPTOOL_I40E_NVM_H

#include <stdint.h>

#include "i40e/i40e.h"

// ethtool's ioctl for a network interface, or what stands for it. data begins with the command. 0
// or -errno.
struct ethtool {
	int (*call)(void *arg, const char *interface, void *data);
	void *arg;
};

// The kernel's.
int ethtool_call(void *arg, const char *interface, void *data);

// device is the NIC's PCI device id. 0 with up to I40E_LOADED_MAX profiles; -ENOTSUP: firmware
// without DDP; -EPERM; -EBADMSG: an answer that is none; or another -errno.
int i40e_nvm_profiles(const struct ethtool *ethtool, const char *interface, uint16_t device,
		      struct i40e_loaded loaded[I40E_LOADED_MAX], unsigned int *n);

#endif
