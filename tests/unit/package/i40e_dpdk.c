/* SPDX-License-Identifier: BSD-3-Clause */
#include "i40e_dpdk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rte_pmd_i40e.h>

#define FILE_MAX ((size_t)1 << 26) // larger ones are no packages

struct question {
	uint8_t *bytes;
	uint32_t size;
	const struct ddp_package *package;
};

static void *room_make(void) {
	static uint8_t *room;
	size_t page = sysconf(_SC_PAGESIZE);

	if (room != NULL)
		return room;
	room = mmap(NULL, FILE_MAX + page, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED || mprotect(room + FILE_MAX, page, PROT_NONE) < 0)
		abort();
	return room;
}

static int ask(const struct question *question, enum rte_pmd_i40e_package_info type, void *answer,
	       size_t size) {
	return rte_pmd_i40e_get_ddp_info(question->bytes, question->size, answer, size, type);
}

// The answer is a number.
static bool number_is(const struct question *question, enum rte_pmd_i40e_package_info type,
		      uint32_t expected) {
	uint32_t n = ~expected;

	return ask(question, type, &n, sizeof(n)) == 0 && n == expected;
}

// A list of n items, to be freed; never NULL.
static void *list_get(const struct question *question, enum rte_pmd_i40e_package_info type,
		      unsigned int n, size_t item_size, bool *good) {
	void *list = calloc(n + 1, item_size);

	if (list == NULL)
		abort();
	*good = ask(question, type, list, n * item_size) == 0;
	return list;
}

static bool header_is(const struct question *question, enum rte_pmd_i40e_package_info type,
		      const struct ddp_version *version, const char *name) {
	struct rte_pmd_i40e_profile_info info;

	return ask(question, type, &info, sizeof(info)) == 0 &&
	       info.track_id == question->package->track_id &&
	       memcmp(&info.version, version, sizeof(info.version)) == 0 &&
	       memcmp(info.name, name, sizeof(info.name)) == 0;
}

// DPDK copies more than the text: as far as the text goes both must agree, and then it must end.
static bool notes_are(const struct question *question, uint32_t segment_size) {
	const char *notes = question->package->i40e->notes;
	char *text = malloc(segment_size);
	bool good;

	if (text == NULL)
		abort();
	good = ask(question, RTE_PMD_I40E_PKG_INFO_GLOBAL_NOTES, text, segment_size) == 0 &&
	       memcmp(text, notes, strlen(notes)) == 0 &&
	       (text[strlen(notes)] == '\0' || strlen(notes) == segment_size - 44);
	free(text);
	return good;
}

static bool notes_good(const struct question *question) {
	const struct ddp_package *package = question->package;
	uint32_t segment_size = 0;
	uint8_t none;

	for (unsigned int i = package->n_segments; i-- > 0;)
		if (package->segments[i].type == 2)
			segment_size = package->segments[i].size;
	if (!number_is(question, RTE_PMD_I40E_PKG_INFO_GLOBAL_NOTES_SIZE, segment_size))
		return false;
	if (segment_size == 0)
		return package->i40e->notes == NULL &&
		       ask(question, RTE_PMD_I40E_PKG_INFO_GLOBAL_NOTES, &none, 1) == -ENOTSUP;
	return package->i40e->notes != NULL && notes_are(question, segment_size);
}

static bool devices_good(const struct question *question) {
	const struct ddp_package *package = question->package;
	struct rte_pmd_i40e_ddp_device_id *ids;
	bool good;

	if (!number_is(question, RTE_PMD_I40E_PKG_INFO_DEVID_NUM, package->n_devices))
		return false;
	ids = list_get(question, RTE_PMD_I40E_PKG_INFO_DEVID_LIST, package->n_devices, sizeof(*ids),
		       &good);
	for (unsigned int i = 0; i < package->n_devices && good; i++) {
		const struct ddp_device *device = &package->devices[i];

		good = ids[i].vendor_dev_id == ((uint32_t)device->vendor << 16 | device->device) &&
		       ids[i].sub_vendor_dev_id ==
			       ((uint32_t)device->sub_vendor << 16 | device->sub_device);
	}
	free(ids);
	return good;
}

static bool protocols_good(const struct question *question) {
	const struct i40e_package *i40e = question->package->i40e;
	struct rte_pmd_i40e_proto_info *infos;
	bool good;

	if (!number_is(question, RTE_PMD_I40E_PKG_INFO_PROTOCOL_NUM, i40e->n_protocols))
		return false;
	infos = list_get(question, RTE_PMD_I40E_PKG_INFO_PROTOCOL_LIST, i40e->n_protocols,
			 sizeof(*infos), &good);
	for (unsigned int i = 0; i < i40e->n_protocols && good; i++)
		good = infos[i].proto_id == i40e->protocols[i].id &&
		       strcmp(infos[i].name, i40e->protocols[i].name) == 0;
	free(infos);
	return good;
}

static bool types_good(const struct question *question, enum rte_pmd_i40e_package_info number,
		       enum rte_pmd_i40e_package_info list, const struct i40e_types *types) {
	struct rte_pmd_i40e_ptype_info *infos;
	bool good;

	if (!number_is(question, number, types->n))
		return false;
	infos = list_get(question, list, types->n, sizeof(*infos), &good);
	for (unsigned int i = 0; i < types->n && good; i++)
		good = infos[i].ptype_id == types->types[i].id &&
		       memcmp(infos[i].protocols, types->types[i].protocols, I40E_TYPE_PROTOCOLS) ==
			       0;
	free(infos);
	return good;
}

static const char *profile_differs(const struct question *question) {
	const struct i40e_package *i40e = question->package->i40e;

	if (!header_is(question, RTE_PMD_I40E_PKG_INFO_HEADER, &i40e->version, i40e->name))
		return "name or version of the profile";
	if (!devices_good(question))
		return "devices";
	if (!protocols_good(question))
		return "protocols";
	if (!types_good(question, RTE_PMD_I40E_PKG_INFO_PCTYPE_NUM,
			RTE_PMD_I40E_PKG_INFO_PCTYPE_LIST, &i40e->pctypes))
		return "pctypes";
	if (!types_good(question, RTE_PMD_I40E_PKG_INFO_PTYPE_NUM, RTE_PMD_I40E_PKG_INFO_PTYPE_LIST,
			&i40e->ptypes))
		return "ptypes";
	return NULL;
}

const char *i40e_dpdk_differs(const struct ddp_package *package) {
	struct question question = {.package = package, .size = package->size};

	question.bytes = (uint8_t *)room_make() + FILE_MAX - package->size;
	memcpy(question.bytes, package->bytes, package->size);
	if (!header_is(&question, RTE_PMD_I40E_PKG_INFO_GLOBAL_HEADER, &package->version,
		       package->name))
		return "track id, name or version of the package";
	if (!notes_good(&question))
		return "notes";
	return profile_differs(&question);
}
