/* SPDX-License-Identifier: BSD-3-Clause */
// DPDK as the judge of what we read of a 700-series package.
#include "i40e_write.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rte_pmd_i40e.h>

// Their lists are compared as bytes.
static_assert(sizeof(struct rte_pmd_i40e_proto_info) == sizeof(struct i40e_protocol));
static_assert(sizeof(struct rte_pmd_i40e_ptype_info) == sizeof(struct i40e_type));

#define FILE_MAX ((size_t)1 << 26) // larger ones are no packages

struct question {
	uint8_t *bytes;
	uint32_t size;
};

static uint8_t *room_make(void) {
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

static const void *info_get(const struct question *question, enum rte_pmd_i40e_package_info type,
			    size_t size) {
	static uint8_t answer[FILE_MAX];

	if (size > sizeof(answer) ||
	    rte_pmd_i40e_get_ddp_info(question->bytes, question->size, answer, size, type) != 0)
		return NULL;
	return answer;
}

static bool number_is(const struct question *question, enum rte_pmd_i40e_package_info type,
		      uint32_t expected) {
	const uint32_t *n = info_get(question, type, sizeof(*n));

	return n != NULL && *n == expected;
}

static bool header_is(const struct question *question, enum rte_pmd_i40e_package_info type,
		      uint32_t track_id, const struct ddp_version *version, const char *name) {
	const struct rte_pmd_i40e_profile_info *info = info_get(question, type, sizeof(*info));

	return info != NULL && info->track_id == track_id &&
	       memcmp(&info->version, version, sizeof(info->version)) == 0 &&
	       memcmp(info->name, name, sizeof(info->name)) == 0;
}

// DPDK copies more than the text: as far as the text goes both must agree, and then it must end.
static bool notes_good(const struct question *question, const struct ddp_package *package) {
	const char *notes = package->i40e->notes, *answer;
	uint32_t size = 0;

	for (unsigned int i = package->n_segments; i-- > 0;)
		if (package->segments[i].type == 2)
			size = package->segments[i].size;
	if (!number_is(question, RTE_PMD_I40E_PKG_INFO_GLOBAL_NOTES_SIZE, size))
		return false;
	answer = info_get(question, RTE_PMD_I40E_PKG_INFO_GLOBAL_NOTES, size > 0 ? size : 1);
	if (size == 0)
		return notes == NULL && answer == NULL;
	return notes != NULL && answer != NULL && memcmp(answer, notes, strlen(notes)) == 0 &&
	       (answer[strlen(notes)] == '\0' || strlen(notes) == size - 44);
}

static bool devices_good(const struct question *question, const struct ddp_package *package) {
	const struct rte_pmd_i40e_ddp_device_id *ids;

	if (!number_is(question, RTE_PMD_I40E_PKG_INFO_DEVID_NUM, package->n_devices))
		return false;
	ids = info_get(question, RTE_PMD_I40E_PKG_INFO_DEVID_LIST,
		       package->n_devices * sizeof(*ids));
	for (unsigned int i = 0; i < package->n_devices && ids != NULL; i++) {
		const struct ddp_device *device = &package->devices[i];

		if (ids[i].vendor_dev_id != ((uint32_t)device->vendor << 16 | device->device) ||
		    ids[i].sub_vendor_dev_id !=
			    ((uint32_t)device->sub_vendor << 16 | device->sub_device))
			return false;
	}
	return ids != NULL;
}

static bool list_is(const struct question *question, enum rte_pmd_i40e_package_info number,
		    enum rte_pmd_i40e_package_info list, const void *expected, unsigned int n,
		    size_t size) {
	const void *answer;

	if (!number_is(question, number, n))
		return false;
	answer = info_get(question, list, n * size);
	return answer != NULL && (n == 0 || memcmp(answer, expected, n * size) == 0);
}

const char *i40e_dpdk_differs(const struct ddp_package *package) {
	const struct i40e_package *i40e = package->i40e;
	const struct question question = {room_make() + FILE_MAX - package->size, package->size};

	memcpy(question.bytes, package->bytes, package->size);
	if (!header_is(&question, RTE_PMD_I40E_PKG_INFO_GLOBAL_HEADER, package->track_id,
		       &package->version, package->name))
		return "track id, name or version of the package";
	if (!notes_good(&question, package))
		return "notes";
	if (!header_is(&question, RTE_PMD_I40E_PKG_INFO_HEADER, package->track_id, &i40e->version,
		       i40e->name))
		return "name or version of the profile";
	if (!devices_good(&question, package))
		return "devices";
	if (!list_is(&question, RTE_PMD_I40E_PKG_INFO_PROTOCOL_NUM,
		     RTE_PMD_I40E_PKG_INFO_PROTOCOL_LIST, i40e->protocols, i40e->n_protocols,
		     sizeof(struct rte_pmd_i40e_proto_info)))
		return "protocols";
	if (!list_is(&question, RTE_PMD_I40E_PKG_INFO_PCTYPE_NUM, RTE_PMD_I40E_PKG_INFO_PCTYPE_LIST,
		     i40e->pctypes.types, i40e->pctypes.n, sizeof(struct rte_pmd_i40e_ptype_info)))
		return "pctypes";
	if (!list_is(&question, RTE_PMD_I40E_PKG_INFO_PTYPE_NUM, RTE_PMD_I40E_PKG_INFO_PTYPE_LIST,
		     i40e->ptypes.types, i40e->ptypes.n, sizeof(struct rte_pmd_i40e_ptype_info)))
		return "ptypes";
	return NULL;
}
