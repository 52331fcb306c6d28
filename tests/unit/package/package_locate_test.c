/* SPDX-License-Identifier: BSD-3-Clause */
// A wrong answer here is a server that starts in safe mode although ddpctl said it would not.
#include "personality/package_locate.h"

#include "fake_sysroot.h"
#include "personality/package_locate.h"
#include "unit.h"

#define UPDATES "/lib/firmware/updates/intel/ice/ddp/"
#define BASE "/lib/firmware/intel/ice/ddp/"
#define RELEASE_UPDATES "/lib/firmware/updates/" RELEASE "/intel/ice/ddp/"
#define RELEASE_BASE "/lib/firmware/" RELEASE "/intel/ice/ddp/"
#define CUSTOM "/opt/firmware"
#define CUSTOM_BASE CUSTOM "/intel/ice/ddp/"
#define CONFIG "/boot/config-" RELEASE

#define OS_DEFAULT 0xc0000001
#define COMMS 0xc0000002

enum content {
	GOOD,
	TOO_NEW,
	TOO_OLD,
	GARBAGE,
	EMPTY,
	FOLDER,
	LINK, // to text
	TEXT,
	XZ,
	XZ_CRC64,
	ZST,
	CUT, // packed, but not whole
};

struct item {
	const char *path;
	enum content content;
	const char *text;
};

struct row {
	const char *name;
	struct item items[5];
	bool any;           // nothing is known of a serial number
	const char *kernel; // what each loads; NULL: nothing
	const char *dpdk;
	// Where it differs without support for packed files; "-": nothing.
	const char *kernel_otherwise, *dpdk_otherwise;
	const char *problem; // part of what is wrong with what is loaded; NULL: nothing
};

static void packed_make(const char *path, enum content content) {
	static const char *const packers[] = {
		[XZ] = "xz --check=crc32",
		[XZ_CRC64] = "xz --check=crc64",
		[ZST] = "zstd -q",
		[CUT] = "xz --check=crc32",
	};
	uint8_t packed[2 * TINY_SIZE];
	char command[512];
	size_t size;
	FILE *pipe;

	machine_file("/tiny", tiny_package(1, 3, COMMS), TINY_SIZE);
	snprintf(command, sizeof(command), "%s -c %s 2>/dev/null", packers[content],
		 machine_path("/tiny"));
	pipe = popen(command, "r");
	assert_non_null(pipe);
	size = fread(packed, 1, sizeof(packed), pipe);
	if (pclose(pipe) != 0) {
		print_message("skipped: no program to pack with\n");
		skip();
	}
	machine_file(path, packed, content == CUT ? size / 2 : size);
}

static void item_make(const struct item *item) {
	switch (item->content) {
	case GOOD:
		machine_file(item->path, tiny_package(1, 3, OS_DEFAULT), TINY_SIZE);
		break;
	case TOO_NEW:
		machine_file(item->path, tiny_package(1, 4, OS_DEFAULT), TINY_SIZE);
		break;
	case TOO_OLD:
		machine_file(item->path, tiny_package(0, 9, OS_DEFAULT), TINY_SIZE);
		break;
	case GARBAGE:
		machine_text(item->path, "no package");
		break;
	case EMPTY:
		machine_text(item->path, "");
		break;
	case FOLDER:
		machine_folder(item->path);
		break;
	case LINK:
		machine_link(item->path, item->text);
		break;
	case TEXT:
		machine_text(item->path, item->text);
		break;
	default:
		packed_make(item->path, item->content);
	}
}

static const char *path_at(const struct ddp_located *located, int at) {
	return at < 0 ? "nothing" : located->candidates[at].path;
}

static void driver_loads(const struct row *row, enum ddp_driver driver, const char *loads,
			 const char *otherwise) {
	const struct ddp_locate locate = {
		.root = machine_root(),
		.release = RELEASE,
		.has_serial = !row->any,
		.serial = SERIAL,
		.segment = 0x10,
	};
	struct ddp_located located;

	assert_int_equal(ddp_locate(&locate, driver, &located), 0);
	assert_string_equal(path_at(&located, located.taken), loads != NULL ? loads : "nothing");
	if (otherwise == NULL)
		otherwise = loads != NULL ? loads : "-";
	assert_string_equal(path_at(&located, located.otherwise),
			    strcmp(otherwise, "-") == 0 ? "nothing" : otherwise);
	if (located.taken >= 0) {
		const struct ddp_candidate *taken = &located.candidates[located.taken];

		assert_int_equal(taken->state, DDP_TAKEN);
		assert_true(taken->facts.known);
		assert_int_equal(taken->facts.usable, row->problem == NULL);
		if (row->problem != NULL)
			assert_non_null(strstr(taken->facts.problem, row->problem));
	}
	ddp_located_fini(&located);
}

static void each_driver_loads(void **state) {
	const struct row *row = *state;

	machine_setup(NULL);
	for (const struct item *item = row->items; item->path != NULL; item++)
		item_make(item);
	driver_loads(row, DDP_DRIVER_KERNEL, row->kernel, row->kernel_otherwise);
	driver_loads(row, DDP_DRIVER_DPDK, row->dpdk, row->dpdk_otherwise);
	machine_teardown(NULL);
}

static const struct row rows[] = {
	{.name = "nothing where there is nothing"},
	{
		.name = "ice.pkg, a link as distributions have it",
		.items = {{BASE "ice-1.3.30.0.pkg", GOOD},
			  {BASE "ice.pkg", LINK, "ice-1.3.30.0.pkg"}},
		.kernel = BASE "ice.pkg",
		.dpdk = BASE "ice.pkg",
	},
	{
		.name = "through a link that is absolute, within the root",
		.items = {{"/usr/share/p.pkg", GOOD}, {BASE "ice.pkg", LINK, "/usr/share/p.pkg"}},
		.kernel = BASE "ice.pkg",
		.dpdk = BASE "ice.pkg",
	},
	{
		.name = "where /lib is a link, as it is today",
		.items = {{"/usr" BASE "ice.pkg", GOOD}, {"/lib", LINK, "usr/lib"}},
		.kernel = BASE "ice.pkg",
		.dpdk = BASE "ice.pkg",
	},
	{
		.name = "not what a link leads to outside of the root",
		.items = {{BASE "ice.pkg", LINK, "../../../../../../../../../../../bin/sh"}},
	},
	{
		.name = "not what only looks like a name",
		.items = {{BASE "ice-1.3.30.0.pkg", GOOD}, {BASE "ice-00CCBBFFFFAA0568.pkg", GOOD}},
	},
	{
		.name = "the device's own before ice.pkg of an earlier folder",
		.items = {{BASE OWN, GOOD}, {UPDATES "ice.pkg", GOOD}},
		.kernel = BASE OWN,
		.dpdk = BASE OWN,
	},
	{
		.name = "ice.pkg where no serial number is known",
		.items = {{BASE OWN, GOOD}, {BASE "ice.pkg", GOOD}},
		.any = true,
		.kernel = BASE "ice.pkg",
		.dpdk = BASE "ice.pkg",
	},
	{
		.name = "from the updates first",
		.items = {{BASE "ice.pkg", GOOD}, {UPDATES "ice.pkg", GOOD}},
		.kernel = UPDATES "ice.pkg",
		.dpdk = UPDATES "ice.pkg",
	},
	{
		.name = "from the kernel's release: Linux only",
		.items = {{BASE OWN, GOOD}, {RELEASE_BASE OWN, GOOD}},
		.kernel = RELEASE_BASE OWN,
		.dpdk = BASE OWN,
	},
	{
		.name = "from the updates of the kernel's release: Linux only",
		.items = {{RELEASE_UPDATES "ice.pkg", GOOD}, {UPDATES "ice.pkg", GOOD}},
		.kernel = RELEASE_UPDATES "ice.pkg",
		.dpdk = UPDATES "ice.pkg",
	},
	{
		.name = "from the folder that firmware_class names: Linux only",
		.items = {{"/sys/module/firmware_class/parameters/path", TEXT, CUSTOM "\n"},
			  {CUSTOM_BASE OWN, GOOD},
			  {RELEASE_UPDATES OWN, GOOD},
			  {BASE "ice.pkg", GOOD}},
		.kernel = CUSTOM_BASE OWN,
		.dpdk = BASE "ice.pkg",
	},
	{
		.name = "nothing more where firmware_class names no folder",
		.items = {{"/sys/module/firmware_class/parameters/path", TEXT, "\n"},
			  {"/intel/ice/ddp/ice.pkg", GOOD},
			  {BASE "ice.pkg", GOOD}},
		.kernel = BASE "ice.pkg",
		.dpdk = BASE "ice.pkg",
	},
	{
		.name = "a bad one of its own, though ice.pkg is good",
		.items = {{UPDATES OWN, GARBAGE}, {BASE "ice.pkg", GOOD}},
		.kernel = UPDATES OWN,
		.dpdk = UPDATES OWN,
		.problem = "it is no package: ",
	},
	{
		.name = "one that is too new, and cannot use it",
		.items = {{BASE "ice.pkg", TOO_NEW}},
		.kernel = BASE "ice.pkg",
		.dpdk = BASE "ice.pkg",
		.problem = "1.4 is too new",
	},
	{
		.name = "one that is too old, and cannot use it",
		.items = {{BASE "ice.pkg", TOO_OLD}},
		.kernel = BASE "ice.pkg",
		.dpdk = BASE "ice.pkg",
		.problem = "0.9 is too old",
	},
	{
		.name = "not a folder",
		.items = {{UPDATES "ice.pkg", FOLDER}, {BASE "ice.pkg", GOOD}},
		.kernel = BASE "ice.pkg",
		.dpdk = BASE "ice.pkg",
	},
	{
		.name = "not a link that leads nowhere",
		.items = {{UPDATES "ice.pkg", LINK, "gone.pkg"}, {BASE "ice.pkg", GOOD}},
		.kernel = BASE "ice.pkg",
		.dpdk = BASE "ice.pkg",
	},
	{
		.name = "not a link to itself",
		.items = {{UPDATES "ice.pkg", LINK, "ice.pkg"}, {BASE "ice.pkg", GOOD}},
		.kernel = BASE "ice.pkg",
		.dpdk = BASE "ice.pkg",
	},
	{
		// EAL without libarchive is content with nothing, and the driver then fails
		.name = "not an empty file",
		.items = {{UPDATES "ice.pkg", EMPTY}, {BASE "ice.pkg", GOOD}},
		.kernel = BASE "ice.pkg",
		.dpdk = BASE "ice.pkg",
		.dpdk_otherwise = UPDATES "ice.pkg",
	},
	{
		.name = ".xz",
		.items = {{BASE "ice.pkg.xz", XZ}},
		.kernel = BASE "ice.pkg.xz",
		.kernel_otherwise = "-",
		.dpdk = BASE "ice.pkg.xz",
		.dpdk_otherwise = "-",
	},
	{
		.name = ".zst",
		.items = {{BASE "ice.pkg.zst", ZST}},
		.kernel = BASE "ice.pkg.zst",
		.kernel_otherwise = "-",
		.dpdk = BASE "ice.pkg.zst",
		.dpdk_otherwise = "-",
	},
	{
		.name = ".xz of its own, else ice.pkg",
		.items = {{BASE OWN ".xz", XZ}, {BASE "ice.pkg", GOOD}},
		.kernel = BASE OWN ".xz",
		.kernel_otherwise = BASE "ice.pkg",
		.dpdk = BASE OWN ".xz",
		.dpdk_otherwise = BASE "ice.pkg",
	},
	{
		.name = "what is not packed, of whatever folder: Linux; of this folder: DPDK",
		.items = {{UPDATES "ice.pkg.xz", XZ}, {BASE "ice.pkg", GOOD}},
		.kernel = BASE "ice.pkg",
		.dpdk = UPDATES "ice.pkg.xz",
		.dpdk_otherwise = BASE "ice.pkg",
	},
	{
		.name = ".zst before .xz: Linux; the other way round: DPDK",
		.items = {{BASE "ice.pkg.xz", XZ}, {BASE "ice.pkg.zst", ZST}},
		.kernel = BASE "ice.pkg.zst",
		.kernel_otherwise = "-",
		.dpdk = BASE "ice.pkg.xz",
		.dpdk_otherwise = "-",
	},
	{
		.name = ".xz with CRC64: not Linux",
		.items = {{BASE "ice.pkg.xz", XZ_CRC64}},
		.dpdk = BASE "ice.pkg.xz",
		.dpdk_otherwise = "-",
	},
	{
		.name = "not an .xz that is cut",
		.items = {{UPDATES "ice.pkg.xz", CUT}, {BASE "ice.pkg", GOOD}},
		.kernel = BASE "ice.pkg",
		.dpdk = BASE "ice.pkg",
	},
	{
		.name = "not an .xz that is none",
		.items = {{BASE "ice.pkg.xz", GARBAGE}},
	},
	{
		// DPDK looks at one packed file only
		.name = "a .zst behind a bad .xz: Linux only",
		.items = {{BASE "ice.pkg.xz", GARBAGE}, {BASE "ice.pkg.zst", ZST}},
		.kernel = BASE "ice.pkg.zst",
		.kernel_otherwise = "-",
	},
	{
		// what became of the last folder decides whether Linux goes on
		.name = "a packed file behind one that cannot be read: DPDK only",
		.items = {{BASE "ice.pkg", FOLDER}, {BASE "ice.pkg.xz", XZ}},
		.dpdk = BASE "ice.pkg.xz",
		.dpdk_otherwise = "-",
	},
	{
		.name = "a packed file where the unreadable one is in an earlier folder",
		.items = {{UPDATES "ice.pkg", FOLDER}, {BASE "ice.pkg.xz", XZ}},
		.kernel = BASE "ice.pkg.xz",
		.kernel_otherwise = "-",
		.dpdk = BASE "ice.pkg.xz",
		.dpdk_otherwise = "-",
	},
	{
		.name = ".xz for sure where the kernel's configuration says so",
		.items = {{BASE "ice.pkg.xz", XZ},
			  {CONFIG, TEXT,
			   "CONFIG_FW_LOADER_COMPRESS=y\nCONFIG_FW_LOADER_COMPRESS_XZ=y\n"}},
		.kernel = BASE "ice.pkg.xz",
		.dpdk = BASE "ice.pkg.xz",
		.dpdk_otherwise = "-",
	},
	{
		.name = ".xz for sure where an older kernel's configuration says so",
		.items = {{BASE "ice.pkg.xz", XZ}, {CONFIG, TEXT, "CONFIG_FW_LOADER_COMPRESS=y\n"}},
		.kernel = BASE "ice.pkg.xz",
		.dpdk = BASE "ice.pkg.xz",
		.dpdk_otherwise = "-",
	},
	{
		.name = ".xz: not Linux where its configuration says so",
		.items =
			{{BASE "ice.pkg.xz", XZ},
			 {CONFIG, TEXT,
			  "CONFIG_FW_LOADER_COMPRESS=y\n# CONFIG_FW_LOADER_COMPRESS_XZ is not set\n"
			  "CONFIG_FW_LOADER_COMPRESS_ZSTD=y\n"}},
		.dpdk = BASE "ice.pkg.xz",
		.dpdk_otherwise = "-",
	},
};

static void linux_takes_a_serial_number_of_zero_for_none(void **state) {
	struct ddp_locate locate = {.root = machine_root(), .release = RELEASE, .has_serial = true};
	struct ddp_located located;

	(void)state;
	machine_file(BASE "ice-0000000000000000.pkg", tiny_package(1, 3, COMMS), TINY_SIZE);
	assert_int_equal(ddp_locate(&locate, DDP_DRIVER_KERNEL, &located), 0);
	assert_int_equal(located.taken, -1);
	ddp_located_fini(&located);
	assert_int_equal(ddp_locate(&locate, DDP_DRIVER_DPDK, &located), 0);
	assert_int_not_equal(located.taken, -1);
	ddp_located_fini(&located);
}

static void a_device_wants_its_own_segment(void **state) {
	struct ddp_facts facts;

	(void)state;
	ddp_facts_read("p.pkg", tiny_package(1, 3, COMMS), TINY_SIZE, 0x17, &facts);
	assert_true(facts.known);
	assert_false(facts.usable);
	assert_non_null(strstr(facts.problem, "no segment 0x17"));
	ddp_facts_read("p.pkg", tiny_package(1, 3, COMMS), TINY_SIZE, 0, &facts);
	assert_true(facts.usable);
	assert_string_equal(facts.name, "Tiny");
	assert_string_equal(ddp_track_name(facts.track_id), "Comms");
}

int main(void) {
#define ON_A_MACHINE(test) cmocka_unit_test_setup_teardown(test, machine_setup, machine_teardown)
	const struct CMUnitTest tests[] = {
		ON_A_MACHINE(linux_takes_a_serial_number_of_zero_for_none),
		cmocka_unit_test(a_device_wants_its_own_segment),
	};

	return rows_run("each_driver_loads", each_driver_loads, rows) +
	       cmocka_run_group_tests(tests, NULL, NULL);
}
