/* SPDX-License-Identifier: BSD-3-Clause */
// The hash must be the one that a NIC and DPDK compute: whoever predicts a queue relies on it.
#include <arpa/inet.h>
#include <errno.h>
#include <rte_thash.h>

#include "rss/rss.h"
#include "unit.h"

#define N_INPUTS 200 // random ones, for each key and length
#define N_KEYS 8

static struct ddp_hash hash;

// DPDK takes the input as words of the CPU.
static void words_of(const uint8_t *input, unsigned int n_words, uint32_t *words) {
	for (unsigned int i = 0; i < n_words; i++) {
		memcpy(&words[i], input + 4 * i, 4);
		words[i] = rte_be_to_cpu_32(words[i]);
	}
}

// DPDK wants keys as words, for rte_softrss_be() converted.
static void assert_key_equals_dpdk(const uint8_t key[DDP_KEY_SIZE], uint64_t *seed) {
	uint32_t plain[DDP_KEY_SIZE / 4], converted[DDP_KEY_SIZE / 4];
	uint32_t words[DDP_HASH_INPUT_MAX / 4];
	uint8_t input[DDP_HASH_INPUT_MAX];

	memcpy(plain, key, DDP_KEY_SIZE);
	rte_convert_rss_key(plain, converted, DDP_KEY_SIZE);
	for (unsigned int i = 0; i < N_INPUTS; i++) {
		random_bytes(seed, input, sizeof(input));
		for (unsigned int n = 0; n <= COUNT(words); n++) {
			uint32_t ours = ddp_hash_compute(&hash, input, 4 * n);

			words_of(input, n, words);
			assert_int_equal(ours, rte_softrss(words, n, (uint8_t *)plain));
			assert_int_equal(ours, rte_softrss_be(words, n, (uint8_t *)converted));
		}
	}
}

// Symmetric Toeplitz is Toeplitz on the same bytes.
TEST(hash_equals_dpdk_for_every_length_with_any_key) {
	uint8_t key[DDP_KEY_SIZE];
	uint64_t seed = 2;

	for (unsigned int k = 0; k < N_KEYS; k++) {
		random_bytes(&seed, key, sizeof(key));
		ddp_hash_init(&hash, k % 2 == 0 ? DDP_HASH_TOEPLITZ : DDP_HASH_SYMMETRIC_TOEPLITZ,
			      key);
		assert_key_equals_dpdk(key, &seed);
	}
}

TEST(an_odd_length_hashes_as_if_padded_with_zeros) {
	static const enum ddp_hash_function functions[] = {DDP_HASH_TOEPLITZ, DDP_HASH_SIMPLE_XOR};
	uint64_t seed = 4;

	for (unsigned int f = 0; f < COUNT(functions); f++) {
		ddp_hash_init(&hash, functions[f], ddp_default_key);
		for (unsigned int len = 0; len <= DDP_HASH_INPUT_MAX; len++) {
			uint8_t padded[DDP_HASH_INPUT_MAX] = {0};
			uint8_t *exact = malloc(len); // AddressSanitizer sees what is behind

			random_bytes(&seed, exact, len);
			memcpy(padded, exact, len);
			assert_int_equal(ddp_hash_compute(&hash, exact, len),
					 ddp_hash_compute(&hash, padded, (len + 3) / 4 * 4));
			assert_int_equal(ddp_hash_compute(&hash, exact, len),
					 ddp_hash_compute(&hash, padded, DDP_HASH_INPUT_MAX));
			free(exact);
		}
	}
}

TEST(input_beyond_the_key_is_left_out) {
	uint8_t input[DDP_HASH_INPUT_MAX + 4];
	uint64_t seed = 5;

	random_bytes(&seed, input, sizeof(input));
	ddp_hash_init(&hash, DDP_HASH_TOEPLITZ, ddp_default_key);
	assert_int_equal(ddp_hash_compute(&hash, input, sizeof(input)),
			 ddp_hash_compute(&hash, input, DDP_HASH_INPUT_MAX));
}

// Microsoft, "Verifying the RSS Hash Calculation".
static const struct vector {
	const char *name;
	const char *dst, *src;
	uint16_t dport, sport;
	uint32_t addresses, with_ports;
} vectors[] = {
	{"microsoft_ipv4_1", "161.142.100.80", "66.9.149.187", 1766, 2794, 0x323e8fc2, 0x51ccc178},
	{"microsoft_ipv4_2", "65.69.140.83", "199.92.111.2", 4739, 14230, 0xd718262a, 0xc626b0ea},
	{"microsoft_ipv4_3", "12.22.207.184", "24.19.198.95", 38024, 12898, 0xd2d0a5de, 0x5c2b394a},
	{"microsoft_ipv4_4", "209.142.163.6", "38.27.205.30", 2217, 48228, 0x82989176, 0xafc7327f},
	{"microsoft_ipv4_5", "202.188.127.2", "153.39.163.191", 1303, 44251, 0x5d1809c5,
	 0x10e828a2},
	{"microsoft_ipv6_1", "3ffe:2501:200:3::1", "3ffe:2501:200:1fff::7", 1766, 2794, 0x2cc18cd5,
	 0x40207d3d},
	{"microsoft_ipv6_2", "ff02::1", "3ffe:501:8::260:97ff:fe40:efab", 4739, 14230, 0x0f0c461c,
	 0xdde51bbf},
	{"microsoft_ipv6_3", "fe80::200:f8ff:fe21:67cf", "3ffe:1900:4545:3:200:f8ff:fe21:67cf",
	 38024, 44251, 0x4b61e985, 0x02d1feef},
};

static unsigned int put_address(uint8_t *at, const char *address) {
	bool is_v6 = strchr(address, ':') != NULL;

	assert_int_equal(inet_pton(is_v6 ? AF_INET6 : AF_INET, address, at), 1);
	return is_v6 ? 16 : 4;
}

ROWS_TEST(hashes_as_published, vectors) {
	const struct vector *row = *state;
	uint8_t input[DDP_HASH_INPUT_MAX];
	unsigned int len;

	ddp_hash_init(&hash, DDP_HASH_TOEPLITZ, ddp_default_key);
	len = put_address(input, row->src);
	len += put_address(input + len, row->dst);
	assert_int_equal(ddp_hash_compute(&hash, input, len), row->addresses);
	input[len++] = row->sport >> 8;
	input[len++] = row->sport & 0xff;
	input[len++] = row->dport >> 8;
	input[len++] = row->dport & 0xff;
	assert_int_equal(ddp_hash_compute(&hash, input, len), row->with_ports);
}

TEST(the_default_key_is_microsofts_and_its_beginning_again) {
	assert_memory_equal(ddp_default_key, "\x6d\x5a\x56\xda", 4);
	assert_memory_equal(ddp_default_key + 36, "\xbe\xac\x01\xfa", 4);
	assert_memory_equal(ddp_default_key + 40, ddp_default_key, 12);
}

TEST(simple_xor_is_the_xor_of_big_endian_words) {
	static const uint8_t input[] = {0x12, 0x34, 0x56, 0x78, 0x01, 0x02, 0x03, 0x04, 0xff, 0x80};

	for (unsigned int k = 0; k < 2; k++) { // of any key
		static const uint8_t zeros[DDP_KEY_SIZE];

		ddp_hash_init(&hash, DDP_HASH_SIMPLE_XOR, k == 0 ? ddp_default_key : zeros);
		assert_int_equal(ddp_hash_compute(&hash, input, 0), 0);
		assert_int_equal(ddp_hash_compute(&hash, input, 4), 0x12345678);
		assert_int_equal(ddp_hash_compute(&hash, input, 8), 0x1336557c);
		assert_int_equal(ddp_hash_compute(&hash, input, 10), 0x1336557c ^ 0xff800000);
	}
}

TEST(functions_have_the_names_of_testpmd) {
	assert_string_equal(ddp_hash_function_name(DDP_HASH_TOEPLITZ), "toeplitz");
	assert_string_equal(ddp_hash_function_name(DDP_HASH_SYMMETRIC_TOEPLITZ),
			    "symmetric_toeplitz");
	assert_string_equal(ddp_hash_function_name(DDP_HASH_SIMPLE_XOR), "simple_xor");
}
