/* SPDX-License-Identifier: BSD-3-Clause */
#include "scratch_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <pthread.h>
#include <zlib.h>
#include <zstd.h>

#include "ctl/capture/interrupt.h"
#include "ctl/capture/stream.h"

#define PLAIN_SIZE (3 << 20) // more than any buffer

static uint8_t plain[PLAIN_SIZE];
static uint8_t packed[3 * PLAIN_SIZE];
static size_t packed_len;

// Half of it can be compressed.
static void plain_draw(void) {
	uint64_t seed = 1;

	for (size_t i = 0; i < PLAIN_SIZE; i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		plain[i] = i % 64 < 32 ? seed >> 56 : i / 4096;
	}
}

static void gzip_add(size_t from, size_t len) {
	z_stream z = {0};

	assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	z.next_in = plain + from;
	z.avail_in = len;
	z.next_out = packed + packed_len;
	z.avail_out = sizeof(packed) - packed_len;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	packed_len += z.total_out;
	deflateEnd(&z);
}

static void xz_add(size_t from, size_t len) {
	assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, plain + from, len,
						 packed, &packed_len, sizeof(packed)),
			 LZMA_OK);
}

static void zstd_add(size_t from, size_t len) {
	size_t n = ZSTD_compress(packed + packed_len, sizeof(packed) - packed_len, plain + from,
				 len, 1);

	assert_false(ZSTD_isError(n));
	packed_len += n;
}

static void skippable_add(void) {
	memcpy(packed + packed_len, "\x5a\x2a\x4d\x18\3\0\0\0abc", 11);
	packed_len += 11;
}

typedef void (*add_fn)(size_t from, size_t len);

static const struct {
	const char *name;
	add_fn add;
} formats[] = {{"gzip", gzip_add}, {"xz", xz_add}, {"zstd", zstd_add}};

#define N_FORMATS (sizeof(formats) / sizeof(formats[0]))

static void packed_open(struct stream *stream) {
	const char *path = file_write("packed", packed, packed_len);

	assert_int_equal(stream_open(stream, open(path, O_RDONLY)), 0);
	assert_int_equal(stream->size, packed_len);
}

// Read to the end; what comes must be plain's beginning. Returns how much, and in *ret the last result.
static size_t plain_read(struct stream *stream, ssize_t *ret) {
	static uint8_t buf[77777];
	size_t len = 0;

	while ((*ret = stream_read(stream, buf, sizeof(buf))) > 0) {
		assert_true(len + *ret <= PLAIN_SIZE);
		assert_memory_equal(buf, plain + len, *ret);
		len += *ret;
	}
	return len;
}

static void assert_whole(void) {
	struct stream stream;
	ssize_t ret;

	packed_open(&stream);
	assert_int_equal(plain_read(&stream, &ret), PLAIN_SIZE);
	assert_int_equal(ret, 0);
	assert_int_equal(stream.position, packed_len);
	stream_close(&stream);
}

static void a_file_comes_as_it_is(void **state) {
	(void)state;
	memcpy(packed, plain, PLAIN_SIZE);
	packed_len = PLAIN_SIZE;
	assert_whole();
}

static void compressed_files_come_decompressed(void **state) {
	(void)state;
	for (unsigned int i = 0; i < N_FORMATS; i++) {
		packed_len = 0;
		formats[i].add(0, PLAIN_SIZE);
		assert_true(packed_len < PLAIN_SIZE);
		assert_whole();
	}
}

static void pieces_one_after_the_other_are_one(void **state) {
	(void)state;
	for (unsigned int i = 0; i < N_FORMATS; i++) {
		packed_len = 0;
		formats[i].add(0, 1);
		formats[i].add(1, 0);
		formats[i].add(1, 1000000);
		formats[i].add(1000001, PLAIN_SIZE - 1000001);
		assert_whole();
	}
}

static void zeros_behind_are_no_harm(void **state) {
	(void)state;
	for (unsigned int i = 0; i < N_FORMATS; i++) {
		packed_len = 0;
		formats[i].add(0, PLAIN_SIZE);
		memset(packed + packed_len, 0, 512);
		packed_len += 512;
		assert_whole();
	}
}

static void frames_of_zstd_that_are_to_be_skipped_are(void **state) {
	(void)state;
	packed_len = 0;
	skippable_add();
	zstd_add(0, 1000000);
	skippable_add();
	zstd_add(1000000, PLAIN_SIZE - 1000000);
	skippable_add();
	assert_whole();
}

static void something_else_behind_is_an_error_after_the_data(void **state) {
	struct stream stream;
	char error[64];
	ssize_t ret;

	(void)state;
	for (unsigned int i = 0; i < N_FORMATS; i++) {
		packed_len = 0;
		formats[i].add(0, 100000);
		memcpy(packed + packed_len, "garbage", 7);
		packed_len += 7;
		packed_open(&stream);
		assert_int_equal(plain_read(&stream, &ret), 100000);
		assert_int_equal(ret, -EIO);
		snprintf(error, sizeof(error), "something else follows the %s data",
			 formats[i].name);
		assert_string_equal(stream.error, error);
		stream_close(&stream);
	}
}

static void data_that_ends_early_is_an_error_after_the_data(void **state) {
	struct stream stream;
	char error[64];
	ssize_t ret;

	(void)state;
	for (unsigned int i = 0; i < N_FORMATS; i++) {
		packed_len = 0;
		formats[i].add(0, PLAIN_SIZE);
		packed_len -= 1000;
		packed_open(&stream);
		assert_true(plain_read(&stream, &ret) > PLAIN_SIZE / 2);
		assert_int_equal(ret, -EIO);
		snprintf(error, sizeof(error), "the %s data ends too early", formats[i].name);
		assert_string_equal(stream.error, error);
		stream_close(&stream);
	}
}

static void damaged_data_is_an_error(void **state) {
	struct stream stream;
	ssize_t ret;

	(void)state;
	for (unsigned int i = 0; i < N_FORMATS; i++) {
		static uint8_t buf[77777];

		packed_len = 0;
		formats[i].add(0, PLAIN_SIZE);
		memset(packed + packed_len / 2, 0xff, 100);
		packed_open(&stream);
		while ((ret = stream_read(&stream, buf, sizeof(buf))) > 0)
			;
		assert_int_equal(ret, -EIO);
		assert_memory_equal(stream.error, formats[i].name, strlen(formats[i].name));
		stream_close(&stream);
	}
}

static void what_was_looked_at_ahead_comes_again(void **state) {
	uint8_t head[STREAM_HEAD_SIZE];
	struct stream stream;
	ssize_t ret;

	(void)state;
	packed_len = 0;
	gzip_add(0, PLAIN_SIZE);
	packed_open(&stream);
	assert_int_equal(stream_peek(&stream, head, 10), 10);
	assert_memory_equal(head, plain, 10);
	assert_int_equal(stream_peek(&stream, head, sizeof(head)), sizeof(head));
	assert_memory_equal(head, plain, sizeof(head));
	assert_int_equal(stream_peek(&stream, head, 3), 3);
	assert_int_equal(plain_read(&stream, &ret), PLAIN_SIZE);
	stream_close(&stream);
}

static void files_shorter_than_any_head_are_files(void **state) {
	uint8_t head[STREAM_HEAD_SIZE];
	struct stream stream;

	(void)state;
	for (packed_len = 0; packed_len < 8; packed_len++) {
		memcpy(packed, plain, packed_len);
		packed_open(&stream);
		assert_int_equal(stream_peek(&stream, head, sizeof(head)), packed_len);
		assert_int_equal(stream_read(&stream, head, sizeof(head)), packed_len);
		if (packed_len > 0)
			assert_int_equal(stream_read(&stream, head, sizeof(head)), 0);
		stream_close(&stream);
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

static void a_pipe_is_a_file_without_a_size(void **state) {
	struct stream stream;
	pthread_t writer;
	ssize_t ret;
	int fds[2];

	(void)state;
	for (unsigned int i = 0; i < N_FORMATS; i++) {
		packed_len = 0;
		formats[i].add(0, PLAIN_SIZE);
		assert_int_equal(pipe(fds), 0);
		assert_int_equal(pthread_create(&writer, NULL, pipe_fill, &fds[1]), 0);
		assert_int_equal(stream_open(&stream, fds[0]), 0);
		assert_int_equal(stream.size, 0);
		assert_int_equal(plain_read(&stream, &ret), PLAIN_SIZE);
		assert_int_equal(ret, 0);
		pthread_join(writer, NULL);
		stream_close(&stream);
	}
}

static void a_signal_ends_waiting_for_a_pipe(void **state) {
	struct stream stream;
	uint8_t buf[16];
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "0123456789", 10), 10);
	assert_int_equal(stream_open(&stream, fds[0]), 0);
	assert_int_equal(stream_read(&stream, buf, sizeof(buf)), 6); // looked at ahead
	assert_int_equal(stream_read(&stream, buf, sizeof(buf)), 4);
	interrupt_catch();
	raise(SIGINT);
	assert_int_equal(interrupt_signal, SIGINT);
	assert_int_equal(stream_read(&stream, buf, sizeof(buf)), -EINTR);
	interrupt_signal = 0;
	stream_close(&stream);
	close(fds[1]);
}

static void a_folder_cannot_be_read(void **state) {
	struct stream stream;

	(void)state;
	assert_int_equal(stream_open(&stream, open(scratch_dir, O_RDONLY)), -EIO);
	assert_string_equal(stream.error, "Is a directory");
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_comes_as_it_is),
		cmocka_unit_test(compressed_files_come_decompressed),
		cmocka_unit_test(pieces_one_after_the_other_are_one),
		cmocka_unit_test(zeros_behind_are_no_harm),
		cmocka_unit_test(frames_of_zstd_that_are_to_be_skipped_are),
		cmocka_unit_test(something_else_behind_is_an_error_after_the_data),
		cmocka_unit_test(data_that_ends_early_is_an_error_after_the_data),
		cmocka_unit_test(damaged_data_is_an_error),
		cmocka_unit_test(what_was_looked_at_ahead_comes_again),
		cmocka_unit_test(files_shorter_than_any_head_are_files),
		cmocka_unit_test(a_pipe_is_a_file_without_a_size),
		cmocka_unit_test(a_signal_ends_waiting_for_a_pipe),
		cmocka_unit_test(a_folder_cannot_be_read),
	};

	plain_draw();
	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
