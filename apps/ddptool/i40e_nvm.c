/* SPDX-License-Identifier: BSD-3-Clause */
#include "i40e_nvm.h"

#include <assert.h>
#include <errno.h>
#include <net/if.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/ethtool.h>
#include <linux/sockios.h>

#define NVM_MAJOR 6 // the first NVM with DDP is 6.01
#define NVM_MINOR 1

#define EXECUTE 0xf00 // lower half of the magic number: a command for the firmware
#define GET_PROFILES 0x271
#define HAS_BUFFER 0x1000
#define BUFFER_SIZE 0x500

struct descriptor {
	uint16_t flags, opcode, size, status;
	uint32_t cookies[2], parameters[4];
};

struct profile {
	uint32_t track_id;
	uint8_t version[4]; // major first
	uint8_t owner;
	uint8_t reserved[7];
	char name[32]; // without a NUL where it is full
};

// struct ethtool_eeprom, which has no end, and the data behind it.
struct command {
	uint32_t command, magic, offset, size;
	struct descriptor descriptor;
	uint32_t n_profiles;
	struct profile profiles[(BUFFER_SIZE - 4) / sizeof(struct profile)];
	uint8_t rest[(BUFFER_SIZE - 4) % sizeof(struct profile)];
};

static_assert(sizeof(struct descriptor) == 32, "as the firmware has it");
static_assert(sizeof(struct profile) == 48, "as the firmware has it");
static_assert(offsetof(struct command, descriptor) == offsetof(struct ethtool_eeprom, data),
	      "data follow the head at once");
static_assert(sizeof(struct command) == offsetof(struct command, descriptor) +
						sizeof(struct descriptor) + BUFFER_SIZE,
	      "as the firmware has it");
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	      "the firmware's numbers are little endian");

int ethtool_call(void *arg, const char *interface, void *data) {
	struct ifreq request = {.ifr_data = data};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), ret;

	(void)arg;
	if (fd < 0)
		return -errno;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
	ret = ioctl(fd, SIOCETHTOOL, &request) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

// "6.01 0x80003f2f 1.1747.0": the numbers are hexadecimal.
static int firmware_check(const struct ethtool *ethtool, const char *interface) {
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
	int ret = ethtool->call(ethtool->arg, interface, &info);
	unsigned int major, minor;

	if (ret < 0)
		return ret;
	info.fw_version[sizeof(info.fw_version) - 1] = '\0';
	if (sscanf(info.fw_version, "%x.%x", &major, &minor) != 2)
		return -EBADMSG;
	return major > NVM_MAJOR || (major == NVM_MAJOR && minor >= NVM_MINOR) ? 0 : -ENOTSUP;
}

static void loaded_set(struct i40e_loaded *loaded, const struct profile *profile) {
	loaded->track_id = profile->track_id;
	loaded->version = (struct ddp_version){profile->version[0], profile->version[1],
					       profile->version[2], profile->version[3]};
	snprintf(loaded->name, sizeof(loaded->name), "%.*s", (int)sizeof(profile->name),
		 profile->name);
}

int i40e_nvm_profiles(const struct ethtool *ethtool, const char *interface, uint16_t device,
		      struct i40e_loaded loaded[I40E_LOADED_MAX], unsigned int *n) {
	struct command command = {
		.command = ETHTOOL_SEEPROM,
		.magic = (uint32_t)device << 16 | EXECUTE,
		.size = sizeof(struct descriptor) + BUFFER_SIZE,
		.descriptor = {.flags = HAS_BUFFER, .opcode = GET_PROFILES, .size = BUFFER_SIZE},
	};
	int ret = firmware_check(ethtool, interface);

	*n = 0;
	if (ret == 0)
		ret = ethtool->call(ethtool->arg, interface, &command);
	command.command = ETHTOOL_GEEPROM;
	if (ret == 0)
		ret = ethtool->call(ethtool->arg, interface, &command);
	if (ret < 0)
		return ret;
	if (command.descriptor.status != 0)
		return -EIO;
	if (command.n_profiles > I40E_LOADED_MAX)
		return -EBADMSG;
	for (; *n < command.n_profiles; (*n)++)
		loaded_set(&loaded[*n], &command.profiles[*n]);
	return 0;
}
