/* SPDX-License-Identifier: BSD-3-Clause */
// ddptool on machines that no test has: NICs, their drivers and what these answer are played here,
// files of sysfs are a folder's. What Kubernetes' device plugin and scripts do depends on the exit
// status, so each has its row.
#include "fake_devlink.h"
#include "server.h"

#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <linux/ethtool.h>

#include "ddptool/ddptool.h"
#include "profile/profile.h"

#define WORDS_MAX 12

/* The machine */

static struct kernel kernel;
static int ethtool_error;
static const char *nvm_version;
static unsigned int n_loaded;    // profiles in a 700-series NIC
static bool is_silent_on_family; // a kernel without devlink
static int devlink_error;
static const char *devlink_name; // NULL: safe mode

static void path_make(const char *fmt, const char *address, const char *name, char path[512]) {
	snprintf(path, 512, "%s/root/sys/bus/pci/", scratch_dir);
	snprintf(path + strlen(path), 512 - strlen(path), fmt, address, name);
	for (char *slash = path + strlen(scratch_dir) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static void number_make(const char *address, const char *name, unsigned int number) {
	char path[512];
	FILE *file;

	path_make("devices/%s/%s", address, name, path);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "0x%04x\n", number);
	fclose(file);
}

static void link_make(const char *address, const char *name, const char *to) {
	char path[512];

	path_make("devices/%s/%s", address, name, path);
	assert_int_equal(symlink(to, path), 0);
}

static void driver_make(const char *driver) {
	char path[512];

	path_make("drivers/%s/%s", driver, "", path);
}

static void interface_make(const char *address, const char *interface) {
	char path[512], name[64];

	snprintf(name, sizeof(name), "net/%s/", interface);
	path_make("devices/%s/%s", address, name, path);
}

static void nic_make(const char *address, unsigned int device, const char *driver,
		     const char *interface) {
	char to[64];

	number_make(address, "vendor", 0x8086);
	number_make(address, "device", device);
	number_make(address, "subsystem_vendor", 0x8086);
	number_make(address, "subsystem_device", 0x0002);
	driver_make(driver);
	snprintf(to, sizeof(to), "../../drivers/%s", driver);
	link_make(address, "driver", to);
	if (interface != NULL)
		interface_make(address, interface);
}

static const char pci_ids[] = "# a comment\n"
			      "8085  Not Intel\n\t1592  Not it\n"
			      "8086  Intel Corporation\n"
			      "\t1572  Ethernet Controller X710 for 10GbE SFP+\n"
			      "\t\t8086 0002  Not it either\n"
			      "\t1592  Ethernet Controller E810-C for QSFP \n"
			      "\t\t1028 0002  Not it\n"
			      "\t\t8086 0002  \"A\" <card> & more\n"
			      "8087  Not Intel\n\t1593  Not it\n";

static void pci_ids_make(void) {
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/root/usr", scratch_dir);
	mkdir(path, 0755);
	strcat(path, "/share");
	mkdir(path, 0755);
	strcat(path, "/misc");
	mkdir(path, 0755);
	strcat(path, "/pci.ids");
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(pci_ids, file);
	fclose(file);
}

static const char *text_in(const struct nlmsghdr *question, uint16_t type) {
	const struct nlattr *attribute;

	mnl_attr_for_each(attribute, question,
			  sizeof(struct genlmsghdr)) if (mnl_attr_get_type(attribute) ==
							 type) return mnl_attr_get_str(attribute);
	return "";
}

static void answer(struct kernel *k, const struct nlmsghdr *question) {
	const char *address = text_in(question, DEVLINK_ATTR_DEV_NAME);

	if (question->nlmsg_type == GENL_ID_CTRL && is_silent_on_family)
		error_answer(k, question->nlmsg_seq, -ENOENT);
	else if (question->nlmsg_type == GENL_ID_CTRL)
		family_answer(k, question->nlmsg_seq);
	else if (devlink_error != 0)
		error_answer(k, question->nlmsg_seq, devlink_error);
	else {
		ice_answer(k, question->nlmsg_seq, address, devlink_name, "1.3.31.0", "0xc0000002");
		error_answer(k, question->nlmsg_seq, 0);
	}
}

// The firmware's list as i40e hands it out, byte for byte: a descriptor, then how many, then each.
static void profiles_fill(uint8_t *data) {
	static const char *const names[] = {"GTPv1-C/U IPv4/IPv6 payload",
					    "L2TPv3oIP with L4 payload"};

	memset(data, 0, 32);
	memcpy(data + 32, &n_loaded, 4);
	for (unsigned int i = 0; i < n_loaded && i < COUNT(names); i++) {
		uint8_t *profile = data + 36 + 48 * i;

		memcpy(profile, &(uint32_t){0x80000008 + i}, 4);
		memcpy(profile + 4, (uint8_t[]){1, 0, 3, i}, 4);
		memset(profile + 16, 0, 32);
		memcpy(profile + 16, names[i], strlen(names[i]));
	}
}

static int ethtool(void *arg, const char *interface, void *data) {
	static uint32_t magic;
	struct ethtool_eeprom *eeprom = data;

	(void)arg;
	assert_string_equal(interface, "enp3s0f0");
	if (ethtool_error != 0)
		return ethtool_error;
	switch (*(uint32_t *)data) {
	case ETHTOOL_GDRVINFO:
		strcpy(((struct ethtool_drvinfo *)data)->fw_version, nvm_version);
		return 0;
	case ETHTOOL_SEEPROM:
		magic = eeprom->magic;
		assert_int_equal(magic, 0x15720f00);
		assert_int_equal(eeprom->offset, 0);
		assert_int_equal(eeprom->len, 32 + 0x500);
		assert_memory_equal(eeprom->data, "\x00\x10\x71\x02\x00\x05", 6);
		return 0;
	case ETHTOOL_GEEPROM:
		assert_int_equal(eeprom->magic, magic);
		assert_int_equal(eeprom->len, 32 + 0x500);
		profiles_fill(eeprom->data);
		return 0;
	}
	fail_msg("ethtool command 0x%x", *(uint32_t *)data);
	return -EINVAL;
}

static int machine_setup(void **state) {
	char path[300];

	(void)state;
	snprintf(path, sizeof(path), "%s/root", scratch_dir);
	nftw(path, scratch_remove, 8, FTW_DEPTH | FTW_PHYS);
	mkdir(path, 0755);
	kernel = (struct kernel){.answer = answer};
	ethtool_error = devlink_error = 0;
	nvm_version = "6.01 0x80003f2f 1.1747.0";
	n_loaded = 1;
	is_silent_on_family = false;
	devlink_name = "ICE COMMS Package";
	return 0;
}

/* A run */

static struct output out;

// The exit status; what was written is in text, which the caller frees.
static int run(char **text, const char *words) {
	char copy[512], *save = NULL, path[300];
	const char *argv[WORDS_MAX];
	struct ddptool_machine machine = {
		.netlink = kernel_netlink(&kernel),
		.ethtool = {.call = ethtool},
	};
	struct ddp_sysroot root;
	struct ddp_diag diag;
	int argc = 0, status;

	snprintf(copy, sizeof(copy), "%s", words);
	for (char *word = strtok_r(copy, " ", &save); word != NULL;
	     word = strtok_r(NULL, " ", &save))
		argv[argc++] = strcmp(word, "''") == 0 ? "" : word;
	snprintf(path, sizeof(path), "%s/root", scratch_dir);
	ddp_diag_init(&diag);
	assert_int_equal(ddp_sysroot_open(&root, path, &diag), 0);
	ddp_diag_fini(&diag);
	machine.root = &root;
	output_begin(&out);
	status = ddptool_run_on(&machine, argc, argv, &out);
	*text = output_end(&out);
	ddp_sysroot_close(&root);
	return status;
}

static json_t *run_json(const char *words, int status) {
	json_error_t reason;
	json_t *value, *inventory;
	char *text;

	assert_int_equal(run(&text, words), status);
	value = json_loads(text, JSON_REJECT_DUPLICATES, &reason);
	if (value == NULL)
		fail_msg("%s: %s", reason.text, text);
	inventory = json_incref(json_object_get(value, "DDPInventory"));
	json_decref(value);
	free(text);
	assert_non_null(inventory);
	return inventory;
}

static const char *member(const json_t *object, const char *key) {
	const char *text = json_string_value(json_object_get(object, key));

	assert_non_null(text);
	return text;
}

static void package_check(const json_t *device, const char *track_id, const char *version,
			  const char *name) {
	const json_t *package = json_object_get(device, "DDPpackage");

	assert_non_null(package);
	assert_int_equal(json_object_size(package), 3);
	assert_string_equal(member(package, "track_id"), track_id);
	assert_string_equal(member(package, "version"), version);
	assert_string_equal(member(package, "name"), name);
}

/* Exit status */

static void no_machine(void) {
}

static void driver_alone(void) {
	driver_make("ice");
}

static void e810(void) {
	nic_make("0000:81:00.0", 0x1592, "ice", "ens1f0");
}

static void e810_elsewhere(void) {
	nic_make("0000:af:00.0", 0x1592, "ice", "ens1f0");
}

static void e810_in_safe_mode(void) {
	e810();
	devlink_name = NULL;
}

static void e810_and_no_devlink(void) {
	e810();
	is_silent_on_family = true;
}

static void e810_without_devlink(void) {
	e810();
	devlink_error = -ENODEV;
}

static void e810_without_rights(void) {
	e810();
	devlink_error = -EPERM;
}

static void x710(void) {
	nic_make("0000:03:00.0", 0x1572, "i40e", "enp3s0f0");
}

static void x710_without_profile(void) {
	x710();
	n_loaded = 0;
}

static void x710_of_old(void) {
	x710();
	nvm_version = "5.05 0x80002894 1.1313.0";
}

static void x710_of_odd_words(void) {
	x710();
	nvm_version = "N/A";
}

static void x710_that_lies(void) {
	x710();
	n_loaded = 27;
}

static void x710_without_rights(void) {
	x710();
	ethtool_error = -EPERM;
}

static void x710_without_interface(void) {
	nic_make("0000:03:00.0", 0x1572, "i40e", NULL);
}

static void x722(void) {
	nic_make("0000:03:00.0", 0x37d0, "i40e", "enp3s0f0");
}

static void other_nic(void) {
	driver_make("ice");
	nic_make("0000:03:00.0", 0x1563, "ixgbe", "enp3s0f0");
}

static void nic_of_dpdk(void) {
	driver_make("ice");
	nic_make("0000:81:00.0", 0x1592, "vfio-pci", NULL);
}

static void both(void) {
	e810();
	x710_without_profile();
}

static void one_with_rights(void) {
	x710();
	e810_without_rights();
}

static void old_and_new(void) {
	e810_in_safe_mode();
	x710_of_old();
}

static void virtual_function(void) {
	e810();
	nic_make("0000:81:01.0", 0x1889, "vfio-pci", NULL);
	link_make("0000:81:01.0", "physfn", "../0000:81:00.0");
}

static const struct row {
	const char *name;
	void (*make)(void);
	const char *words;
	int status;
} rows[] = {
	{"all_is_good", e810, "-l", DDPTOOL_GOOD},
	{"as_the_device_plugin_asks", e810, "-l -a -j -s 0000:81:00.0", DDPTOOL_GOOD},
	{"by_interface", e810, "-l -i ens1f0", DDPTOOL_GOOD},
	{"addresses_of_any_case", e810_elsewhere, "-l -s 0000:AF:00.0", DDPTOOL_GOOD},
	{"seven_hundred_series", x710, "-l", DDPTOOL_GOOD},
	{"one_profile_is_enough", both, "-l", DDPTOOL_GOOD},
	{"a_virtual_function", virtual_function, "-l -a -s 0000:81:01.0", DDPTOOL_GOOD},
	{"version", no_machine, "-v", DDPTOOL_GOOD},
	{"long_version", no_machine, "--version", DDPTOOL_GOOD},
	{"help", no_machine, "-h", DDPTOOL_GOOD},
	{"long_help", no_machine, "--help", DDPTOOL_GOOD},
	{"question_mark", no_machine, "-?", DDPTOOL_GOOD},
	{"a_word_that_means_nothing", e810, "-l nothing", DDPTOOL_GOOD},

	{"letters_together", e810, "-l -aj", DDPTOOL_USAGE},
	{"an_unknown_letter", e810, "-l -y", DDPTOOL_USAGE},
	{"an_unknown_word", e810, "-l --json", DDPTOOL_USAGE},
	{"a_letter_twice", e810, "-l -a -a", DDPTOOL_USAGE},
	{"an_empty_argument", e810, "-l ''", DDPTOOL_USAGE},
	{"an_empty_value", e810, "-l -i ''", DDPTOOL_USAGE},
	{"an_argument_beyond_ascii", e810, "-l -i \xc3\xbc", DDPTOOL_USAGE},
	{"location_and_interface", e810, "-l -s 0000:81:00.0 -i ens1f0", DDPTOOL_USAGE},
	{"json_and_xml", e810, "-l -j -x", DDPTOOL_USAGE},
	{"file_and_all", e810, "-l -f gtpu -a", DDPTOOL_USAGE},
	{"file_and_interface", e810, "-l -i ens1f0 -f gtpu", DDPTOOL_USAGE},
	{"file_and_location", e810, "-l -f gtpu -s 0000:81:00.0", DDPTOOL_USAGE},
	{"no_location", e810, "-l -s", DDPTOOL_USAGE},
	{"no_interface", e810, "-i -l", DDPTOOL_USAGE},
	{"no_file", e810, "-l -f", DDPTOOL_USAGE},
	{"a_file_of_an_odd_name", e810, "-l -f a*b", DDPTOOL_USAGE},

	{"no_such_file", no_machine, "-l -f /no/such/file.pkg", DDPTOOL_INTERNAL},
	{"no_such_profile", no_machine, "-l -f no-such-profile", DDPTOOL_INTERNAL},
	{"devlink_without_rights", e810_without_rights, "-l", DDPTOOL_PRIVILEGES},
	{"ethtool_without_rights", x710_without_rights, "-l", DDPTOOL_PRIVILEGES},
	{"one_without_rights", one_with_rights, "-l", DDPTOOL_PRIVILEGES},
	{"no_adapter", driver_alone, "-l", DDPTOOL_NO_ADAPTER},
	{"an_adapter_of_another_kind", other_nic, "-l", DDPTOOL_NO_ADAPTER},
	{"an_adapter_without_ddp", x722, "-l", DDPTOOL_NO_ADAPTER},
	{"an_adapter_that_dpdk_has", nic_of_dpdk, "-l", DDPTOOL_NO_ADAPTER},
	{"old_firmware", x710_of_old, "-l", DDPTOOL_NO_ADAPTER},
	{"no_driver", no_machine, "-l", DDPTOOL_NO_DRIVER},
	{"no_driver_for_a_location", no_machine, "-l -s 0000:81:00.0", DDPTOOL_NO_DRIVER},
	{"no_devlink", e810_and_no_devlink, "-l", DDPTOOL_NO_CONTACT},
	{"not_in_devlink", e810_without_devlink, "-l", DDPTOOL_NO_CONTACT},
	{"no_interface_to_ask", x710_without_interface, "-l", DDPTOOL_NO_CONTACT},
	{"no_package", e810_in_safe_mode, "-l -a -j -s 0000:81:00.0", DDPTOOL_NO_PROFILE},
	{"no_profile", x710_without_profile, "-l", DDPTOOL_NO_PROFILE},
	{"no_profile_beside_old_firmware", old_and_new, "-l", DDPTOOL_NO_PROFILE},
	{"an_answer_that_is_none", x710_that_lies, "-l", DDPTOOL_UNREADABLE},
	{"a_version_that_is_none", x710_of_odd_words, "-l", DDPTOOL_UNREADABLE},
	{"no_output", e810, "-l -j /no/such/folder/file", DDPTOOL_NO_OUTPUT},
	{"no_such_location", e810, "-l -s 0000:81:00.1", DDPTOOL_NOT_FOUND},
	{"no_such_interface", e810, "-l -i ens1f1", DDPTOOL_NOT_FOUND},
	{"a_location_that_is_none", e810, "-l -s here", DDPTOOL_NOT_FOUND},
	{"a_virtual_function_without_all", virtual_function, "-l -s 0000:81:01.0",
	 DDPTOOL_NOT_FOUND},
	{"no_package_file", no_machine, "-l -f /etc/passwd", DDPTOOL_BAD_PACKAGE},
};

static void a_row(void **state) {
	const struct row *row = *state;
	char *text;

	row->make();
	assert_int_equal(run(&text, row->words), row->status);
	free(text);
}

/* What is told */

static void one_device_is_an_object(void **state) {
	json_t *device;

	(void)state;
	pci_ids_make();
	e810();
	device = run_json("-l -a -j -s 0000:81:00.0", DDPTOOL_GOOD);
	assert_int_equal(json_object_size(device), 5);
	assert_string_equal(member(device, "device"), "1592");
	assert_string_equal(member(device, "address"), "0000:81:00.0");
	assert_string_equal(member(device, "name"), "ens1f0");
	assert_string_equal(member(device, "display"), "Intel Corporation \"A\" <card> & more");
	package_check(device, "C0000002", "1.3.31.0", "ICE COMMS Package");
	json_decref(device);
}

static void several_are_an_array(void **state) {
	json_t *devices;

	(void)state;
	pci_ids_make();
	both();
	n_loaded = 2;
	devices = run_json("-l -j", DDPTOOL_GOOD);
	assert_int_equal(json_array_size(devices), 2);
	assert_string_equal(member(json_array_get(devices, 0), "display"),
			    "Intel Corporation Not it either");
	package_check(json_array_get(devices, 0), "80000008+80000009", "1.0.3.0+1.0.3.1",
		      "GTPv1-C/U IPv4/IPv6 payload+L2TPv3oIP with L4 payload");
	package_check(json_array_get(devices, 1), "C0000002", "1.3.31.0", "ICE COMMS Package");
	json_decref(devices);
}

static void without_a_profile_there_is_no_package(void **state) {
	json_t *device;

	(void)state;
	e810_in_safe_mode();
	device = run_json("-l -j", DDPTOOL_NO_PROFILE);
	assert_null(json_object_get(device, "DDPpackage"));
	assert_string_equal(member(device, "address"), "0000:81:00.0");
	json_decref(device);
}

static void without_a_device_there_is_an_error(void **state) {
	json_t *error;

	(void)state;
	error = run_json("-l -j", DDPTOOL_NO_DRIVER);
	assert_int_equal(json_object_size(error), 2);
	assert_string_equal(member(error, "error"), "5");
	assert_string_equal(member(error, "message"), "No driver available");
	json_decref(error);
	error = run_json("-l -j -y", DDPTOOL_USAGE);
	assert_string_equal(member(error, "error"), "1");
	json_decref(error);
}

static void a_virtual_function_has_its_owners_package(void **state) {
	json_t *device, *devices;

	(void)state;
	virtual_function();
	device = run_json("-l -a -j -s 0000:81:01.0", DDPTOOL_GOOD);
	assert_string_equal(member(device, "device"), "1889");
	assert_string_equal(member(device, "name"), "N/A");
	package_check(device, "C0000002", "1.3.31.0", "ICE COMMS Package");
	json_decref(device);
	devices = run_json("-l -a -j", DDPTOOL_GOOD);
	assert_int_equal(json_array_size(devices), 2);
	json_decref(devices);
	device = run_json("-l -j", DDPTOOL_GOOD);
	assert_string_equal(member(device, "address"), "0000:81:00.0");
	json_decref(device);
}

static void tables_have_intels_columns(void **state) {
	char *text;

	(void)state;
	nic_make("0000:af:00.1", 0x1593, "ice", NULL);
	x710_of_old();
	assert_int_equal(run(&text, "-l"), DDPTOOL_GOOD);
	assert_string_equal(
		text,
		"NIC  DevId D:B:S.F      DevName         TrackId  Version      Name\n"
		"==== ===== ============ =============== ======== ============ "
		"==============================\n"
		"001) 1572  0000:03:00.0 enp3s0f0        -        -            Unsupported FW version\n"
		"002) 1593  0000:AF:00.1 N/A             C0000002 1.3.31.0     ICE COMMS Package\n");
	free(text);
}

static void xml_is_escaped(void **state) {
	char *text;

	(void)state;
	pci_ids_make();
	e810();
	devlink_name = "a\"<>&'\x01\xff\xc3\xbc";
	assert_int_equal(run(&text, "-l -x"), DDPTOOL_GOOD);
	assert_string_equal(
		text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<DDPInventory lang=\"en\">\n"
		      "\t<Instance device=\"1592\" location=\"0000:81:00.0\" name=\"ens1f0\" "
		      "display=\"Intel Corporation &quot;A&quot; &lt;card&gt; &amp; more\">\n"
		      "\t\t<DDPpackage track_id=\"C0000002\" version=\"1.3.31.0\" "
		      "name=\"a&quot;&lt;&gt;&amp;&apos;\xef\xbf\xbd\xef\xbf\xbd\xc3\xbc\">"
		      "</DDPpackage>\n\t</Instance>\n</DDPInventory>\n");
	free(text);
}

static void json_is_valid_whatever_a_driver_says(void **state) {
	json_t *device;

	(void)state;
	e810();
	devlink_name = "\"},\\\n\t\x01\xff\xed\xa0\x80";
	device = run_json("-l -j", DDPTOOL_GOOD);
	assert_memory_equal(member(json_object_get(device, "DDPpackage"), "name"),
			    "\"},\\\n\t\x01\xef\xbf\xbd", 10);
	json_decref(device);
}

static void a_file_of_output_has_it_all(void **state) {
	char words[400], *text, *content;

	(void)state;
	e810();
	snprintf(words, sizeof(words), "-l -j %s", scratch_path("out.json"));
	assert_int_equal(run(&text, words), DDPTOOL_GOOD);
	assert_string_equal(text, "");
	free(text);
	content = file_read(scratch_path("out.json"));
	assert_int_equal(run(&text, "-l -j"), DDPTOOL_GOOD);
	assert_string_equal(content, text);
	free(content);
	free(text);
}

/* Files */

static const char *package_write(const char *name) {
	static const uint8_t registers[32] = {1};
	struct i40e_section section = {I40E_MMIO, 0, sizeof(registers), registers};
	struct i40e_package i40e = {.name = "a profile", .sections = &section, .n_sections = 1};
	struct ddp_package package = {
		.version = {1, 0, 3, 0}, .name = "GTP", .track_id = 0x80000008, .i40e = &i40e};
	const char *path;
	uint8_t *bytes;
	size_t size;

	assert_int_equal(i40e_write(&package, &bytes, &size), 0);
	path = file_write(name, bytes, size);
	free(bytes);
	return path;
}

static void packages_of_any_name_are_read(void **state) {
	const char *const names[] = {"gtp.pkgo", "gtp"};
	const char *const more[] = {";vxlan_port=4789", ""};
	char words[600], *text;

	(void)state;
	for (unsigned int i = 0; i < COUNT(names); i++) {
		const char *path = package_write(names[i]);
		json_t *told;

		snprintf(words, sizeof(words), "-l -j -f %s%s", path, more[i]);
		told = run_json(words, DDPTOOL_GOOD);
		assert_int_equal(json_object_size(told), 2);
		assert_string_equal(member(told, "file_name"), words + strlen("-l -j -f "));
		package_check(told, "80000008", "1.0.3.0", "GTP");
		json_decref(told);
	}
	snprintf(words, sizeof(words), "-l -f %s", scratch_path("gtp"));
	assert_int_equal(run(&text, words), DDPTOOL_GOOD);
	assert_non_null(strstr(text, " 80000008 1.0.3.0      GTP\n"));
	free(text);
}

/* net_ddp ports */

#define GREETING_LONG "{\"version\":\"DPDK\",\"pid\":4242,\"max_output_len\":16384}"

// Each question finds its answer in the same object.
#define PORT(lower, profiles, more)                                                                 \
	"{\"/net_ddp/list\":[3],\"/net_ddp/info\":{\"name\":\"net_ddp0\",\"lower_device\":\"" lower \
	"\",\"state\":\"running\",\"offload\":\"\",\"rx_queues\":1,\"rss_hf\":[]," profiles         \
	",\"profile_specs\":[]" more "}}"
#define TWO "\"profiles\":[\"gtpu\",\"vxlan\"],\"profile_versions\":[\"1.0.0\",\"2\"]"
#define NONE "\"profiles\":[],\"profile_versions\":[]"
#define PACKAGE "\"profiles\":[\"nic.pkg\"],\"profile_versions\":[\"1.3.31.0\"]"
#define PACKAGE_MORE ",\"package_name\":\"ICE COMMS Package\",\"package_track_id\":3221225474"

static void port_start(struct server *server, const char *answer_json) {
	*server =
		(struct server){.script = {GREETING_LONG, "{\"/net_ddp/list\":[3]}", answer_json}};
	server_start(server, "ddp", "dpdk_telemetry.v2");
}

static void a_port_has_the_address_of_its_lower_device(void **state) {
	struct server server;
	char track[32];
	json_t *device;

	(void)state;
	nic_make("0000:81:00.0", 0x1592, "vfio-pci", NULL);
	port_start(&server, PORT("0000:81:00.0", TWO, ""));
	device = run_json("-l -a -j -s 0000:81:00.0", DDPTOOL_GOOD);
	assert_string_equal(member(device, "device"), "1592");
	assert_string_equal(member(device, "address"), "0000:81:00.0");
	assert_string_equal(member(device, "name"), "net_ddp0");
	assert_string_equal(member(device, "display"),
			    "net_ddp port 3 of process 4242, on 0000:81:00.0");
	snprintf(track, sizeof(track), "%" PRIX32 "+%" PRIX32,
		 ddp_profile_track_id("gtpu", "1.0.0"), ddp_profile_track_id("vxlan", "2"));
	package_check(device, track, "1.0.0.0+2.0.0.0", "gtpu+vxlan");
	json_decref(device);
	server_stop(&server);
}

static void a_port_over_no_pci_device_has_a_name_alone(void **state) {
	struct server server;
	json_t *device;

	(void)state;
	port_start(&server, PORT("net_pcap0", NONE, ""));
	device = run_json("-l -j -i net_ddp0", DDPTOOL_NO_PROFILE);
	assert_string_equal(member(device, "device"), "N/A");
	assert_string_equal(member(device, "address"), "N/A");
	assert_null(json_object_get(device, "DDPpackage"));
	json_decref(device);
	json_decref(run_json("-l -j -s 0000:81:00.0", DDPTOOL_NOT_FOUND));
	server_stop(&server);
}

static void a_port_with_a_package_is_known_by_it(void **state) {
	struct server server;
	json_t *device;

	(void)state;
	port_start(&server, PORT("net_pcap0", PACKAGE, PACKAGE_MORE));
	device = run_json("-l -j", DDPTOOL_GOOD);
	package_check(device, "C0000002", "1.3.31.0", "ICE COMMS Package");
	json_decref(device);
	server_stop(&server);
}

// A virtual function under vfio-pci, in a pod: what the application sees is what counts.
static void a_port_stands_before_the_nic_below_it(void **state) {
	struct server server;
	json_t *device;

	(void)state;
	virtual_function();
	port_start(&server, PORT("0000:81:01.0", TWO, ""));
	device = run_json("-l -a -j -s 0000:81:01.0", DDPTOOL_GOOD);
	assert_string_equal(member(device, "name"), "net_ddp0");
	json_decref(device);
	server_stop(&server);
}

static void a_silent_process_matters_where_it_may_have_the_device(void **state) {
	struct server server = {.script = {.greeting = "{}"}};

	(void)state;
	e810();
	server_start(&server, "ddp", "dpdk_telemetry.v2");
	json_decref(run_json("-l -j -s 0000:81:00.0", DDPTOOL_GOOD));
	json_decref(run_json("-l -j -i net_ddp0", DDPTOOL_NO_CONTACT));
	json_decref(run_json("-l -j", DDPTOOL_NO_CONTACT));
	server_stop(&server);
}

#define OWN(test) cmocka_unit_test_setup(test, machine_setup)

int main(void) {
	const struct CMUnitTest own[] = {
		OWN(one_device_is_an_object),
		OWN(several_are_an_array),
		OWN(without_a_profile_there_is_no_package),
		OWN(without_a_device_there_is_an_error),
		OWN(a_virtual_function_has_its_owners_package),
		OWN(tables_have_intels_columns),
		OWN(xml_is_escaped),
		OWN(json_is_valid_whatever_a_driver_says),
		OWN(a_file_of_output_has_it_all),
		OWN(packages_of_any_name_are_read),
		OWN(a_port_has_the_address_of_its_lower_device),
		OWN(a_port_over_no_pci_device_has_a_name_alone),
		OWN(a_port_with_a_package_is_known_by_it),
		OWN(a_port_stands_before_the_nic_below_it),
		OWN(a_silent_process_matters_where_it_may_have_the_device),
	};
	struct CMUnitTest tests[COUNT(own) + COUNT(rows)];

	memcpy(tests, own, sizeof(own));
	for (unsigned int i = 0; i < COUNT(rows); i++)
		tests[COUNT(own) + i] = (struct CMUnitTest){
			.name = rows[i].name,
			.test_func = a_row,
			.setup_func = machine_setup,
			.initial_state = (void *)&rows[i],
		};
	return cmocka_run_group_tests(tests, server_setup, scratch_teardown);
}
