/* SPDX-License-Identifier: BSD-3-Clause */
#include "scratch_folder.h"

#include "profile/profile_format.h"

static struct ddp_field eth_fields[] = {
	{.name = "dst", .width = 48},
	{.name = "src", .width = 48},
	{.name = "type", .width = 16},
};

static struct ddp_field ipv4_fields[] = {
	{.name = "head", .width = 96},
	{.name = "src", .width = 32},
	{.name = "dst", .width = 32},
	{.name = "opt", .width = 32},
};

static struct ddp_field ipv6_fields[] = {
	{.name = "flow", .width = 20},
	{.name = "src", .width = 128},
	{.name = "dst", .width = 128},
};

static struct ddp_field odd_fields[] = {
	{.name = "src", .width = 32},
	{.name = "wide", .width = 100},
	{.name = "long", .width = 64},
	{.name = "id", .width = 48},
};

static struct ddp_header headers[] = {
	{.name = "eth", .fields = eth_fields, .n_fields = 3},
	{.name = "ipv4", .fields = ipv4_fields, .n_fields = 4},
	{.name = "ipv6", .fields = ipv6_fields, .n_fields = 3},
	{.name = "odd", .fields = odd_fields, .n_fields = 4},
	{.name = "inner", .fields = odd_fields, .n_fields = 4},
};

static const struct ddp_profile profile = {.headers = headers, .n_headers = 5};

TEST(values_are_written_as_what_they_are) {
	static const uint8_t value[16] = {
		0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0x01, 0x02, 0x03, 0x04, 0x0a, 0x00, 0x00, 0x01,
	};
	static const struct {
		const char *name;
		unsigned int width;
		const char *expected;
		bool number;
	} rows[] = {
		{"ipv4.src", 32, "10.0.0.1", false},
		{"inner.ipv4.dst", 32, "10.0.0.1", false},
		{"ipv4#2.dst", 32, "10.0.0.1", false},
		{"ipv4.src/8", 8, "1.0.0.0", false},
		{"ipv4.src/12", 12, "0.16.0.0", false},
		{"ipv4.opt", 32, "167772161", true},
		{"ipv6.dst", 128, "2001:db8::102:304:a00:1", false},
		{"ipv6.src/64", 64, "102:304:a00:1::", false},
		{"inner.ipv6.src/48", 48, "304:a00:1::", false},
		{"ipv6.flow", 20, "1", true},
		{"eth.src", 48, "03:04:0a:00:00:01", false},
		{"eth.type", 16, "1", true},
		{"odd.src", 32, "167772161", true},
		{"odd.id", 48, "3315882524673", true},
		{"odd.long", 64, "72623859873873921", true},
		{"odd.wide", 100,
		 "0x80000000001020304"
		 "0a000001",
		 false},
		{"inner.src", 32, "167772161", true},
		{"unheard.of", 32, "167772161", true},
		{"bare", 32, "167772161", true},
	};
	char text[FIELD_TEXT_SIZE];

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t bits[16] = {0};

		for (unsigned int bit = 0; bit < rows[i].width; bit++)
			bits[15 - bit / 8] |= value[15 - bit / 8] & 1 << bit % 8;
		assert_int_equal(format_field(&profile, rows[i].name, rows[i].width, bits, text),
				 rows[i].number);
		assert_string_equal(text, rows[i].expected);
	}
}
