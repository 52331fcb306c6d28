/* SPDX-License-Identifier: BSD-3-Clause */
// testpmd's own commands `ddp ...` and `ptype mapping ...` on net_ddp ports.
//
// testpmd knows these commands for i40e alone: it calls functions of that driver, which it finds by
// name when it starts. A library that is loaded before all others (LD_PRELOAD) and has functions of
// these names is found first. Ours answer for net_ddp ports, and call i40e's for all others:
//
//	LD_PRELOAD=librte_ddp_testpmd.so dpdk-testpmd -d librte_net_ddp.so ...
//
// EAL loads net_ddp after us and keeps its names to itself, so it is looked up when it is needed.
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#include <rte_common.h>
#include <rte_pmd_i40e.h>

#include "personality/personality.h"
#include "port/state/rte_pmd_ddp.h"

#define ERROR_SIZE 512                                    // bytes
#define FIRST_REQUEST RTE_PMD_I40E_PKG_INFO_GLOBAL_HEADER // of several for one page, by testpmd

#define EXPORT __attribute__((visibility("default")))

// The function that testpmd would have called without us, applied to the arguments.
#define FORWARD(function, ...)                                        \
	({                                                            \
		typeof(&function) next = dlsym(RTLD_NEXT, #function); \
		next == NULL ? -ENOTSUP : next(__VA_ARGS__);          \
	})

static void *net_ddp_find(const char *name) {
	static void *library;

	if (library == NULL)
		library = dlopen(NET_DDP, RTLD_LAZY | RTLD_NOLOAD);
	return library == NULL ? NULL : dlsym(library, name);
}

// net_ddp's function rte_pmd_ddp_<name>().
#define NET_DDP_FUNCTION(name) ((typeof(&rte_pmd_ddp_##name))net_ddp_find("rte_pmd_ddp_" #name))

static bool is_ours(uint16_t port) {
	typeof(&rte_pmd_ddp_profiles_get) profiles_get = NET_DDP_FUNCTION(profiles_get);

	return profiles_get != NULL && profiles_get(port, NULL, 0) != -ENODEV;
}

// testpmd says that a command failed, and seldom why.
#define SAY(port, fmt, ...) fprintf(stderr, "net_ddp: port %u: " fmt "\n", port, __VA_ARGS__)

// The specification in a file that has no profile but one line "profiles: <specification>", which
// exchanges the list; the caller frees it. NULL: it is a profile, or memory is short.
static char *list_of(const char *text, uint32_t size) {
	static const char key[] = "profiles:";
	const char *end = memchr(text, '\n', size);
	uint32_t len = end != NULL ? (uint32_t)(end - text) : size;
	uint32_t at = strlen(key);

	if (len < at || memcmp(text, key, at) != 0)
		return NULL;
	while (at < len && text[at] == ' ')
		at++;
	return strndup(text + at, len - at);
}

static int profile_add(uint16_t port, const char *text, uint32_t size) {
	char error[ERROR_SIZE];
	char *list = list_of(text, size);
	int ret = list != NULL ? NET_DDP_FUNCTION(profile_set)(port, list, error, sizeof(error)) :
				 NET_DDP_FUNCTION(profile_add_text)(port, text, size, error,
								    sizeof(error));

	free(list);
	if (ret < 0)
		SAY(port, "%s", error);
	return ret;
}

static int profile_del(uint16_t port, const char *text, uint32_t size) {
	char error[ERROR_SIZE];
	int ret = NET_DDP_FUNCTION(profile_del_text)(port, text, size, error, sizeof(error));

	if (ret < 0)
		SAY(port, "%s", error);
	return ret == -ENOENT ? -EACCES : ret; // as i40e says that a profile is not there
}

EXPORT int rte_pmd_i40e_process_ddp_package(uint16_t port, uint8_t *buff, uint32_t size,
					    enum rte_pmd_i40e_package_op op) {
	if (!is_ours(port))
		return FORWARD(rte_pmd_i40e_process_ddp_package, port, buff, size, op);
	switch (op) {
	case RTE_PMD_I40E_PKG_OP_WR_ADD:
		return profile_add(port, (const char *)buff, size);
	case RTE_PMD_I40E_PKG_OP_WR_DEL:
		return profile_del(port, (const char *)buff, size);
	default:
		return -ENOTSUP;
	}
}

/* A profile in the form of i40e's interface, whose sizes are fixed: what does not fit is cut */

#define BASE "base"
#define ID_MAX (UINT8_MAX - 1) // UINT8_MAX is RTE_PMD_I40E_PROTO_UNUSED
#define VARIANTS_MAX 8         // variants of the path of one packet type

static_assert(DDP_MAX_NODES <= ID_MAX, "each header has a protocol's number");

// One for each variant of a packet type's path.
struct ptypes {
	struct rte_pmd_i40e_ptype_info lines[ID_MAX * VARIANTS_MAX];
	uint32_t n;
};

// The variants of a path by its alternatives, without headers that may be absent.
static unsigned int variants_count(const struct ddp_path *path) {
	unsigned int n = 1;

	if (path->kind == DDP_PATH_SEQUENCE)
		n = variants_count(path->left) * variants_count(path->right);
	else if (path->kind == DDP_PATH_EITHER)
		n = variants_count(path->left) + variants_count(path->right);
	else if (path->kind == DDP_PATH_SOME)
		n = variants_count(path->left);
	return RTE_MIN(n, (unsigned int)VARIANTS_MAX);
}

// Append the headers of one variant: the last ones, which distinguish types of one tunnel.
static void variant_write(const struct ddp_path *path, unsigned int variant, uint8_t *protocols) {
	unsigned int n = 0;

	if (path->kind == DDP_PATH_HEADER) {
		while (n < RTE_PMD_I40E_PROTO_NUM && protocols[n] != RTE_PMD_I40E_PROTO_UNUSED)
			n++;
		if (n == RTE_PMD_I40E_PROTO_NUM)
			memmove(protocols, protocols + 1, --n);
		protocols[n] = path->node;
	} else if (path->kind == DDP_PATH_SEQUENCE) {
		n = variants_count(path->right);
		variant_write(path->left, variant / n, protocols);
		variant_write(path->right, variant % n, protocols);
	} else if (path->kind == DDP_PATH_EITHER) {
		n = variants_count(path->left);
		variant_write(variant < n ? path->left : path->right,
			      variant < n ? variant : variant - n, protocols);
	} else if (path->kind == DDP_PATH_SOME) {
		variant_write(path->left, variant, protocols);
	}
}

// Variants that differ only in headers that were cut off are one line.
static void line_add(struct ptypes *lines, const struct rte_pmd_i40e_ptype_info *line) {
	for (uint32_t i = 0; i < lines->n; i++)
		if (memcmp(&lines->lines[i], line, sizeof(*line)) == 0)
			return;
	assert(lines->n < RTE_DIM(lines->lines));
	lines->lines[lines->n++] = *line;
}

// The requested profile comes after those that it requires.
static const struct ddp_profile_part *main_part(const struct ddp_profile *profile) {
	assert(profile->n_parts > 0);
	return &profile->parts[profile->n_parts - 1];
}

// Every port has the packet types of base: they are shown with base alone.
static void types_list(const struct ddp_profile *profile, bool hashed_only, struct ptypes *lines) {
	const bool with_base = strcmp(main_part(profile)->name, BASE) == 0;

	lines->n = 0;
	for (unsigned int i = 0; i < profile->n_types && i < ID_MAX; i++) {
		const struct ddp_packet_type *type = &profile->types[i];

		if ((!with_base && strcmp(type->profile, BASE) == 0) ||
		    (hashed_only && type->n_sets == 0))
			continue;
		for (unsigned int variant = 0; variant < variants_count(type->path); variant++) {
			struct rte_pmd_i40e_ptype_info line = {.ptype_id = i + 1};

			memset(line.protocols, RTE_PMD_I40E_PROTO_UNUSED, sizeof(line.protocols));
			variant_write(type->path, variant, line.protocols);
			line_add(lines, &line);
		}
	}
}

static int array_answer(const void *items, size_t items_size, uint8_t *info, uint32_t size) {
	if (size < items_size)
		return -EINVAL;
	if (items_size > 0)
		memcpy(info, items, items_size);
	return 0;
}

static int number_answer(uint32_t number, uint8_t *info, uint32_t size) {
	return array_answer(&number, sizeof(number), info, size);
}

// Intel numbers its packages; the numbers of profiles come from name and version.
static void head_fill(struct rte_pmd_i40e_profile_info *info, const char *name,
		      const char *version) {
	unsigned int parts[4] = {0};

	memset(info, 0, sizeof(*info));
	if (version == NULL)
		version = "";
	info->track_id = ddp_profile_track_id(name, version);
	sscanf(version, "%u.%u.%u.%u", &parts[0], &parts[1], &parts[2], &parts[3]);
	info->version = (struct rte_pmd_i40e_ddp_version){
		.major = RTE_MIN(parts[0], UINT8_MAX),
		.minor = RTE_MIN(parts[1], UINT8_MAX),
		.update = RTE_MIN(parts[2], UINT8_MAX),
		.draft = RTE_MIN(parts[3], UINT8_MAX),
	};
	info->owner = RTE_PMD_I40E_DDP_OWNER_UNKNOWN;
	snprintf((char *)info->name, sizeof(info->name), "%s", name);
}

static int types_answer(const struct ddp_profile *profile, enum rte_pmd_i40e_package_info type,
			uint8_t *info, uint32_t size) {
	const bool hashed_only = type == RTE_PMD_I40E_PKG_INFO_PCTYPE_NUM ||
				 type == RTE_PMD_I40E_PKG_INFO_PCTYPE_LIST;
	struct ptypes lines;

	types_list(profile, hashed_only, &lines);
	if (type == RTE_PMD_I40E_PKG_INFO_PCTYPE_NUM || type == RTE_PMD_I40E_PKG_INFO_PTYPE_NUM)
		return number_answer(lines.n, info, size);
	return array_answer(lines.lines, lines.n * sizeof(lines.lines[0]), info, size);
}

static int protocols_answer(const struct ddp_profile *profile, enum rte_pmd_i40e_package_info type,
			    uint8_t *info, uint32_t size) {
	struct rte_pmd_i40e_proto_info protocols[DDP_MAX_NODES];
	bool used[UINT8_MAX + 1] = {false};
	struct ptypes lines;
	uint32_t n = 0;

	types_list(profile, false, &lines);
	for (uint32_t i = 0; i < lines.n; i++)
		for (unsigned int j = 0; j < RTE_PMD_I40E_PROTO_NUM; j++)
			used[lines.lines[i].protocols[j]] = true;
	for (unsigned int i = 0; i < profile->n_headers; i++) {
		if (!used[i])
			continue;
		protocols[n].proto_id = i;
		snprintf(protocols[n].name, sizeof(protocols[n].name), "%s",
			 profile->headers[i].name);
		n++;
	}
	if (type == RTE_PMD_I40E_PKG_INFO_PROTOCOL_NUM)
		return number_answer(n, info, size);
	return array_answer(protocols, n * sizeof(protocols[0]), info, size);
}

static int profile_answer(const struct ddp_profile *profile, uint8_t *info, uint32_t size,
			  enum rte_pmd_i40e_package_info type) {
	const struct ddp_profile_part *part = main_part(profile);
	const char *notes = part->summary;
	const uint32_t notes_size = notes == NULL ? 0 : strlen(notes) + 1;
	struct rte_pmd_i40e_profile_info head;

	switch (type) {
	case RTE_PMD_I40E_PKG_INFO_GLOBAL_HEADER:
	case RTE_PMD_I40E_PKG_INFO_HEADER:
		head_fill(&head, part->name, part->version);
		return array_answer(&head, sizeof(head), info, size);
	case RTE_PMD_I40E_PKG_INFO_GLOBAL_NOTES_SIZE:
		return number_answer(notes_size, info, size);
	case RTE_PMD_I40E_PKG_INFO_GLOBAL_NOTES:
		return array_answer(notes, notes_size, info, size);
	case RTE_PMD_I40E_PKG_INFO_DEVID_NUM: // it is for any device
		return number_answer(0, info, size);
	case RTE_PMD_I40E_PKG_INFO_DEVID_LIST:
		return 0;
	case RTE_PMD_I40E_PKG_INFO_PROTOCOL_NUM:
	case RTE_PMD_I40E_PKG_INFO_PROTOCOL_LIST:
		return protocols_answer(profile, type, info, size);
	case RTE_PMD_I40E_PKG_INFO_PCTYPE_NUM:
	case RTE_PMD_I40E_PKG_INFO_PCTYPE_LIST:
	case RTE_PMD_I40E_PKG_INFO_PTYPE_NUM:
	case RTE_PMD_I40E_PKG_INFO_PTYPE_LIST:
		return types_answer(profile, type, info, size);
	default:
		return -ENOTSUP;
	}
}

static int info_of_text(const char *text, uint32_t text_size, uint8_t *info, uint32_t size,
			enum rte_pmd_i40e_package_info type) {
	const struct ddp_source source = {.text = text, .size = text_size};
	struct ddp_personality personality;
	struct ddp_diag diag;
	int ret = -EINVAL;

	ddp_diag_init(&diag);
	if (ddp_personality_read(&personality,
				 &(struct ddp_load){.sources = &source, .n_sources = 1},
				 &diag) == 0)
		ret = profile_answer(personality.profile, info, size, type);
	else if (type == FIRST_REQUEST)
		ddp_diag_print(&diag, stderr);
	ddp_personality_unload(&personality);
	ddp_diag_fini(&diag);
	return ret;
}

EXPORT int rte_pmd_i40e_get_ddp_info(uint8_t *pkg, uint32_t pkg_size, uint8_t *info, uint32_t size,
				     enum rte_pmd_i40e_package_info type) {
	// A profile is text; DPDK's own code reads Intel's packages.
	if (pkg == NULL || info == NULL || memchr(pkg, 0, pkg_size) != NULL)
		return FORWARD(rte_pmd_i40e_get_ddp_info, pkg, pkg_size, info, size, type);
	return info_of_text((const char *)pkg, pkg_size, info, size, type);
}

static void report_omitted(uint16_t port, int n, int n_max, const char *what) {
	if (n > n_max)
		SAY(port, "%d more %s than can be shown", n - n_max, what);
}

EXPORT int rte_pmd_i40e_get_ddp_list(uint16_t port, uint8_t *buff, uint32_t size) {
	struct rte_pmd_i40e_profile_list *list = (struct rte_pmd_i40e_profile_list *)buff;
	struct rte_pmd_ddp_profile *profiles;
	int n, n_max;

	if (!is_ours(port))
		return FORWARD(rte_pmd_i40e_get_ddp_list, port, buff, size);
	if (size < sizeof(list->p_count))
		return -EINVAL;
	n_max = (size - sizeof(list->p_count)) / sizeof(list->p_info[0]);
	profiles = calloc(n_max, sizeof(*profiles));
	if (profiles == NULL)
		return -ENOMEM;
	n = NET_DDP_FUNCTION(profiles_get)(port, profiles, n_max);
	if (n >= 0)
		list->p_count = RTE_MIN(n, n_max);
	for (int i = 0; i < RTE_MIN(n, n_max); i++)
		head_fill(&list->p_info[i], profiles[i].name, profiles[i].version);
	report_omitted(port, n, n_max, "profiles");
	free(profiles);
	return RTE_MIN(n, 0);
}

// The whole mapping, which the caller frees, and its length, or -errno. NULL: out of memory.
static struct rte_pmd_ddp_ptype_mapping *mapping_read(uint16_t port, int *n) {
	struct rte_pmd_ddp_ptype_mapping *mapping = calloc(DDP_MAX_TYPES, sizeof(*mapping));

	*n = mapping != NULL ? NET_DDP_FUNCTION(ptype_mapping_get)(port, mapping, DDP_MAX_TYPES) :
			       -ENOMEM;
	return mapping;
}

EXPORT int rte_pmd_i40e_ptype_mapping_get(uint16_t port, struct rte_pmd_i40e_ptype_mapping *items,
					  uint16_t size, uint16_t *count, uint8_t valid_only) {
	struct rte_pmd_ddp_ptype_mapping *mapping;
	int n, n_wanted = 0;

	if (!is_ours(port))
		return FORWARD(rte_pmd_i40e_ptype_mapping_get, port, items, size, count,
			       valid_only);
	mapping = mapping_read(port, &n);
	for (int i = 0; i < n; i++) {
		if (valid_only && mapping[i].rte_ptype == RTE_PTYPE_UNKNOWN)
			continue;
		if (n_wanted < size) {
			items[n_wanted].hw_ptype = mapping[i].id;
			items[n_wanted].sw_ptype = mapping[i].rte_ptype;
		}
		n_wanted++;
	}
	free(mapping);
	*count = RTE_MIN(n_wanted, size);
	report_omitted(port, n_wanted, size, "packet types");
	return RTE_MIN(n, 0);
}

// net_ddp refused items without a word: find the first of no packet type.
static void mapping_explain(uint16_t port, const struct rte_pmd_i40e_ptype_mapping *items,
			    uint16_t count) {
	struct rte_pmd_ddp_ptype_mapping *mapping;
	bool found = true;
	int n;

	mapping = mapping_read(port, &n);
	for (uint16_t i = 0; i < count && found; i++) {
		found = false;
		for (int j = 0; j < n; j++)
			found |= mapping[j].id == items[i].hw_ptype;
		if (!found)
			SAY(port, "no packet type has the id %u", items[i].hw_ptype);
	}
	free(mapping);
}

EXPORT int rte_pmd_i40e_ptype_mapping_update(uint16_t port,
					     struct rte_pmd_i40e_ptype_mapping *items,
					     uint16_t count, uint8_t exclusive) {
	struct rte_pmd_ddp_ptype_mapping *mapping;
	int ret;

	if (!is_ours(port))
		return FORWARD(rte_pmd_i40e_ptype_mapping_update, port, items, count, exclusive);
	mapping = calloc(count, sizeof(*mapping));
	if (mapping == NULL)
		return -ENOMEM;
	for (uint16_t i = 0; i < count; i++) {
		mapping[i].id = items[i].hw_ptype;
		mapping[i].rte_ptype = items[i].sw_ptype;
	}
	ret = NET_DDP_FUNCTION(ptype_mapping_update)(port, mapping, count, exclusive);
	free(mapping);
	if (ret == -EINVAL)
		mapping_explain(port, items, count);
	return ret;
}

// Masks differ: i40e means the types that have no bits but these, net_ddp those with all of these.
static int masked_replace(uint16_t port, uint32_t mask, uint32_t rte_ptype) {
	struct rte_pmd_ddp_ptype_mapping *mapping;
	unsigned int n_meant = 0;
	int n, ret;

	mapping = mapping_read(port, &n);
	for (int i = 0; i < n; i++) {
		if (mapping[i].rte_ptype == RTE_PTYPE_UNKNOWN ||
		    (mapping[i].rte_ptype & ~mask) != 0)
			continue;
		mapping[n_meant].id = mapping[i].id;
		mapping[n_meant].rte_ptype = rte_ptype;
		n_meant++;
	}
	ret = n < 0 ? n : NET_DDP_FUNCTION(ptype_mapping_update)(port, mapping, n_meant, false);
	free(mapping);
	return ret;
}

EXPORT int rte_pmd_i40e_ptype_mapping_replace(uint16_t port, uint32_t target, uint8_t mask,
					      uint32_t pkt_type) {
	if (!is_ours(port))
		return FORWARD(rte_pmd_i40e_ptype_mapping_replace, port, target, mask, pkt_type);
	if (mask)
		return masked_replace(port, target, pkt_type);
	return NET_DDP_FUNCTION(ptype_mapping_replace)(port, target, false, pkt_type);
}

EXPORT int rte_pmd_i40e_ptype_mapping_reset(uint16_t port) {
	if (!is_ours(port))
		return FORWARD(rte_pmd_i40e_ptype_mapping_reset, port);
	return NET_DDP_FUNCTION(ptype_mapping_reset)(port);
}
