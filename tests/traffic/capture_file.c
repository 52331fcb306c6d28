/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture_file.h"

#include <errno.h>
#include <string.h>

#define BUFFER_SIZE (1 << 20)

#define MAGIC_US UINT32_C(0xa1b2c3d4)
#define VERSION_2_4 (2 | 4 << 16)
#define LINKTYPE_ETHERNET 1

static void put_le32(uint8_t *to, uint32_t value) {
	for (int i = 0; i < 4; i++)
		to[i] = value >> 8 * i;
}

// fwrite() need not set errno; a disk that is full does.
static int write_all(FILE *file, const uint8_t *bytes, size_t size) {
	errno = EIO;
	return fwrite(bytes, 1, size, file) == size ? 0 : -errno;
}

int capture_open(struct capture *capture, const char *name, uint32_t snaplen) {
	uint8_t header[24] = {0};

	capture->snaplen = snaplen;
	capture->file = strcmp(name, "-") == 0 ? stdout : fopen(name, "wb");
	if (capture->file == NULL)
		return -errno;
	setvbuf(capture->file, NULL, _IOFBF, BUFFER_SIZE);
	put_le32(header, MAGIC_US);
	put_le32(header + 4, VERSION_2_4);
	put_le32(header + 16, snaplen);
	put_le32(header + 20, LINKTYPE_ETHERNET);
	return write_all(capture->file, header, sizeof(header));
}

int capture_write(struct capture *capture, uint64_t time_us, const uint8_t *frame, size_t len) {
	size_t kept = len < capture->snaplen ? len : capture->snaplen;
	uint8_t header[16];
	int ret;

	put_le32(header, time_us / 1000000);
	put_le32(header + 4, time_us % 1000000);
	put_le32(header + 8, kept);
	put_le32(header + 12, len);
	ret = write_all(capture->file, header, sizeof(header));
	if (ret < 0)
		return ret;
	return write_all(capture->file, frame, kept);
}

int capture_close(struct capture *capture) {
	errno = EIO;
	return fclose(capture->file) == 0 ? 0 : -errno;
}
