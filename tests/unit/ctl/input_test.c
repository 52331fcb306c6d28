/* SPDX-License-Identifier: BSD-3-Clause */
#include "scratch_folder.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>

#include "ctl/capture/input.h"

#define PLAIN_SIZE (3 << 19) // more than any buffer

static uint8_t plain[PLAIN_SIZE];
static uint8_t packed[3 * PLAIN_SIZE];
static size_t packed_len;

static int plain_draw(void **state) {
	for (size_t i = 0; i < PLAIN_SIZE; i++)
		plain[i] = i % 64 < 32 ? draw(256) : i / 4096;
	return 0;
}

static const int filters[] = {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_ZSTD};

// A piece of plain behind what is packed already.
static void pack(int filter, size_t from, size_t len) {
	struct archive *archive = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	size_t used = 0;

	assert_int_equal(archive_write_add_filter(archive, filter), ARCHIVE_OK);
	assert_int_equal(archive_write_set_format_raw(archive), ARCHIVE_OK);
	archive_write_set_filter_option(archive, NULL, "compression-level", "1");
	archive_write_set_bytes_in_last_block(archive, 1);
	archive_write_open_memory(archive, packed + packed_len, sizeof(packed) - packed_len, &used);
	archive_entry_set_filetype(entry, AE_IFREG);
	assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
	if (len > 0)
		assert_int_equal(archive_write_data(archive, plain + from, len), len);
	assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
	archive_write_free(archive);
	archive_entry_free(entry);
	packed_len += used;
}

static void skippable_add(void) {
	memcpy(packed + packed_len, "\x5a\x2a\x4d\x18\3\0\0\0abc", 11);
	packed_len += 11;
}

static void pack_whole(int filter) {
	packed_len = 0;
	pack(filter, 0, PLAIN_SIZE);
}

static FILE *packed_open(struct input *input) {
	const char *path = file_write("packed", packed, packed_len);

	assert_int_equal(input_open(input, open(path, O_RDONLY), true, true), 0);
	assert_int_equal(input->size, packed_len);
	return input_file(input);
}

static void packed_close(struct input *input, FILE *file) {
	fclose(file);
	input_close(input);
}

// Read to the end; what comes must be plain's beginning. Returns how much.
static size_t plain_read(FILE *file) {
	static uint8_t buf[77777];
	size_t len = 0, n;

	assert_non_null(file);
	while ((n = fread(buf, 1, sizeof(buf), file)) > 0) {
		assert_true(len + n <= PLAIN_SIZE);
		assert_memory_equal(buf, plain + len, n);
		len += n;
	}
	return len;
}

static void assert_whole(size_t len) {
	struct input input;
	FILE *file = packed_open(&input);

	assert_int_equal(plain_read(file), len);
	assert_false(ferror(file));
	assert_int_equal(input_position(&input), packed_len);
	packed_close(&input, file);
}

TEST(a_file_and_a_capture_come_as_they_are) {
	uint32_t magics[] = {0, 0xa1b2c3d4, 0xd4c3b2a1, 0xa1b23c4d, 0x4d3cb2a1, 0x0a0d0d0a};

	memcpy(&magics[0], plain, sizeof(magics[0]));
	packed_len = PLAIN_SIZE;
	for (unsigned int i = COUNT(magics); i-- > 0;) {
		memcpy(plain, &magics[i], sizeof(magics[i]));
		memcpy(packed, plain, PLAIN_SIZE);
		assert_whole(PLAIN_SIZE);
	}
}

// As standard input may be, of which a program before this one has read a part.
TEST(a_capture_goes_on_where_the_file_is) {
	uint8_t buf[8];
	struct input input;
	FILE *file;
	int fd;

	fd = open(file_write("packed", "junk\xd4\xc3\xb2\xa1xyz", 11), O_RDONLY);
	assert_int_equal(lseek(fd, 4, SEEK_SET), 4);
	assert_int_equal(input_open(&input, fd, true, true), 0);
	file = input_file(&input);
	assert_int_equal(fread(buf, 1, sizeof(buf), file), 7);
	assert_memory_equal(buf, "\xd4\xc3\xb2\xa1xyz", 7);
	packed_close(&input, file);
}

TEST(compressed_files_come_decompressed) {
	for (unsigned int i = 0; i < COUNT(filters); i++) {
		pack_whole(filters[i]);
		assert_true(packed_len < PLAIN_SIZE);
		assert_whole(PLAIN_SIZE);
		if (filters[i] == ARCHIVE_FILTER_ZSTD) // takes nothing behind its frames
			continue;
		memset(packed + packed_len, 0, 512);
		packed_len += 512;
		assert_whole(PLAIN_SIZE);
	}
}

TEST(pieces_one_after_the_other_are_one) {
	for (unsigned int i = 0; i < COUNT(filters); i++) {
		packed_len = 0;
		pack(filters[i], 0, 1);
		pack(filters[i], 1, 1000000);
		pack(filters[i], 1000001, PLAIN_SIZE - 1000001);
		assert_whole(PLAIN_SIZE);
	}
}

TEST(frames_of_zstd_that_are_to_be_skipped_are) {
	packed_len = 0;
	skippable_add();
	pack(ARCHIVE_FILTER_ZSTD, 0, 1000000);
	skippable_add();
	pack(ARCHIVE_FILTER_ZSTD, 1000000, PLAIN_SIZE - 1000000);
	skippable_add();
	assert_whole(PLAIN_SIZE);
}

static void assert_broken(bool damaged) {
	static uint8_t buf[77777];
	struct input input;
	FILE *file = packed_open(&input);

	if (!damaged)
		assert_true(plain_read(file) > PLAIN_SIZE / 2);
	while (fread(buf, 1, sizeof(buf), file) > 0)
		;
	assert_true(ferror(file));
	assert_memory_equal(input.error, "cut short or damaged: ", 22);
	packed_close(&input, file);
}

TEST(data_that_ends_early_or_is_damaged_is_an_error_after_the_data) {
	for (unsigned int i = 0; i < COUNT(filters); i++) {
		pack_whole(filters[i]);
		packed_len -= 1000;
		assert_broken(false);
		if (filters[i] == ARCHIVE_FILTER_GZIP) // libarchive does not verify its checksum
			continue;
		packed_len += 1000;
		memset(packed + packed_len / 2, 0xff, packed_len / 4); // more than a block of zstd
		assert_broken(true);
	}
}

TEST(files_shorter_than_any_header_are_files) {
	for (packed_len = 0; packed_len < 8; packed_len++) {
		memcpy(packed, plain, packed_len);
		assert_whole(packed_len);
	}
}

static void *pipe_fill(void *arg) {
	int fd = *(int *)arg;

	for (size_t at = 0; at < packed_len;) {
		size_t n = packed_len - at < 12345 ? packed_len - at : 12345;
		ssize_t written = write(fd, packed + at, n);

		if (written < 0)
			break;
		at += written;
	}
	close(fd);
	return NULL;
}

TEST(a_pipe_is_a_file_without_a_size) {
	struct input input;
	pthread_t writer;
	int fds[2];

	for (unsigned int i = 0; i < COUNT(filters); i++) {
		FILE *file;

		pack_whole(filters[i]);
		assert_int_equal(pipe(fds), 0);
		assert_int_equal(pthread_create(&writer, NULL, pipe_fill, &fds[1]), 0);
		assert_int_equal(input_open(&input, fds[0], false, true), 0);
		assert_int_equal(input.size, 0);
		file = input_file(&input);
		assert_int_equal(plain_read(file), PLAIN_SIZE);
		assert_false(ferror(file));
		pthread_join(writer, NULL);
		packed_close(&input, file);
	}
}

TEST(what_is_left_without_waiting_is_known_and_a_signal_ends_waiting) {
	struct input input;
	char buf[16];
	FILE *file;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], plain, 42), 42);
	assert_int_equal(input_open(&input, fds[0], false, true), 0);
	file = input_file(&input);
	for (size_t left = 26; left < 42; left -= 16) {
		assert_int_equal(fread(buf, 1, sizeof(buf), file), sizeof(buf));
		assert_int_equal(input_left(&input), left);
	}
	interrupt_catch();
	raise(SIGINT);
	assert_int_equal(interrupt_signal, SIGINT);
	assert_int_equal(fread(buf, 1, sizeof(buf), file), 10);
	assert_true(ferror(file));
	assert_string_equal(input.error, "");
	interrupt_signal = 0;
	packed_close(&input, file);
	close(fds[1]);
}

TEST(a_folder_cannot_be_read) {
	struct input input;

	assert_int_equal(input_open(&input, open(scratch_dir(), O_RDONLY), true, true), -EIO);
	assert_string_equal(input.error, "Is a directory");
}

GROUP(plain_draw, NULL)
