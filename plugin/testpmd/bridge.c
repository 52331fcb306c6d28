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
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_pmd_i40e.h>

#include "ddp_info.h"
#include "personality/personality.h"
#include "port/state/rte_pmd_ddp.h"

#define ERROR_SIZE 512
#define FIRST_ASKED RTE_PMD_I40E_PKG_INFO_GLOBAL_HEADER // of several for one page, by testpmd

#define EXPORT __attribute__((visibility("default")))

// Functions of net_ddp: rte_pmd_ddp_<name>().
#define NET_DDP_FUNCTIONS(X)     \
	X(profile_add_text)      \
	X(profile_del_text)      \
	X(profile_set)           \
	X(profiles_get)          \
	X(ptype_mapping_get)     \
	X(ptype_mapping_replace) \
	X(ptype_mapping_reset)   \
	X(ptype_mapping_update)

struct net_ddp {
#define MEMBER(name) typeof(&rte_pmd_ddp_##name) name;
	NET_DDP_FUNCTIONS(MEMBER)
#undef MEMBER
};

// The function that testpmd would have called without us, applied to the arguments.
#define FORWARD(function, ...)                                        \
	({                                                            \
		typeof(&function) next = dlsym(RTLD_NEXT, #function); \
		next == NULL ? -ENOTSUP : next(__VA_ARGS__);          \
	})

static bool net_ddp_load(struct net_ddp *net_ddp) {
	void *library = dlopen(NET_DDP, RTLD_LAZY | RTLD_NOLOAD);

	if (library == NULL)
		return false;
#define LOOK_UP(name)                                         \
	net_ddp->name = dlsym(library, "rte_pmd_ddp_" #name); \
	if (net_ddp->name == NULL)                            \
		return false;
	NET_DDP_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
	return true;
}

// net_ddp's functions if that is whose port it is, else NULL.
static const struct net_ddp *net_ddp_of(uint16_t port) {
	static struct net_ddp net_ddp;
	static bool loaded;

	loaded = loaded || net_ddp_load(&net_ddp);
	if (!loaded || net_ddp.profiles_get(port, NULL, 0) == -ENODEV)
		return NULL;
	return &net_ddp;
}

// testpmd says that a command failed, and seldom why.
#define SAY(port, fmt, ...) fprintf(stderr, "net_ddp: port %u: " fmt "\n", port, __VA_ARGS__)

// A profile is text; of Intel's packages DPDK's own code can tell what they hold.
static bool is_text(const uint8_t *data, uint32_t size) {
	return memchr(data, 0, size) == NULL;
}

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

static int profile_add(const struct net_ddp *net_ddp, uint16_t port, const char *text,
		       uint32_t size) {
	char error[ERROR_SIZE];
	char *list = list_of(text, size);
	int ret = list != NULL ? net_ddp->profile_set(port, list, error, sizeof(error)) :
				 net_ddp->profile_add_text(port, text, size, error, sizeof(error));

	free(list);
	if (ret < 0)
		SAY(port, "%s", error);
	return ret;
}

static int profile_del(const struct net_ddp *net_ddp, uint16_t port, const char *text,
		       uint32_t size) {
	char error[ERROR_SIZE];
	int ret = net_ddp->profile_del_text(port, text, size, error, sizeof(error));

	if (ret < 0)
		SAY(port, "%s", error);
	return ret == -ENOENT ? -EACCES : ret; // as i40e says that a profile is not there
}

EXPORT int rte_pmd_i40e_process_ddp_package(uint16_t port, uint8_t *buff, uint32_t size,
					    enum rte_pmd_i40e_package_op op) {
	const struct net_ddp *net_ddp = net_ddp_of(port);

	if (net_ddp == NULL)
		return FORWARD(rte_pmd_i40e_process_ddp_package, port, buff, size, op);
	switch (op) {
	case RTE_PMD_I40E_PKG_OP_WR_ADD:
		return profile_add(net_ddp, port, (const char *)buff, size);
	case RTE_PMD_I40E_PKG_OP_WR_DEL:
		return profile_del(net_ddp, port, (const char *)buff, size);
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
		ret = ddp_info_get(personality.profile, info, size, type);
	else if (type == FIRST_ASKED)
		ddp_diag_print(&diag, stderr);
	ddp_personality_unload(&personality);
	ddp_diag_fini(&diag);
	return ret;
}

EXPORT int rte_pmd_i40e_get_ddp_info(uint8_t *pkg, uint32_t pkg_size, uint8_t *info, uint32_t size,
				     enum rte_pmd_i40e_package_info type) {
	if (pkg == NULL || info == NULL || !is_text(pkg, pkg_size))
		return FORWARD(rte_pmd_i40e_get_ddp_info, pkg, pkg_size, info, size, type);
	return info_of_text((const char *)pkg, pkg_size, info, size, type);
}

static void list_fill(struct rte_pmd_i40e_profile_list *list,
		      const struct rte_pmd_ddp_profile *profiles, uint32_t n) {
	list->p_count = n;
	for (uint32_t i = 0; i < n; i++)
		ddp_info_head(&list->p_info[i], profiles[i].name, profiles[i].version);
}

// Say what answers of a fixed size leave out.
static void tell_left(uint16_t port, int n, int n_max, const char *what) {
	if (n > n_max)
		SAY(port, "%d more %s than can be shown", n - n_max, what);
}

EXPORT int rte_pmd_i40e_get_ddp_list(uint16_t port, uint8_t *buff, uint32_t size) {
	const struct net_ddp *net_ddp = net_ddp_of(port);
	struct rte_pmd_i40e_profile_list *list = (struct rte_pmd_i40e_profile_list *)buff;
	struct rte_pmd_ddp_profile *profiles;
	int n, n_max;

	if (net_ddp == NULL)
		return FORWARD(rte_pmd_i40e_get_ddp_list, port, buff, size);
	if (size < sizeof(list->p_count))
		return -EINVAL;
	n_max = (size - sizeof(list->p_count)) / sizeof(list->p_info[0]);
	profiles = calloc(n_max, sizeof(*profiles));
	if (profiles == NULL)
		return -ENOMEM;
	n = net_ddp->profiles_get(port, profiles, n_max);
	if (n >= 0)
		list_fill(list, profiles, RTE_MIN(n, n_max));
	tell_left(port, n, n_max, "profiles");
	free(profiles);
	return RTE_MIN(n, 0);
}

// The whole mapping, which the caller frees, and its length, or -errno. NULL: out of memory.
static struct rte_pmd_ddp_ptype_mapping *mapping_read(const struct net_ddp *net_ddp, uint16_t port,
						      int *n) {
	struct rte_pmd_ddp_ptype_mapping *mapping = calloc(DDP_MAX_TYPES, sizeof(*mapping));

	*n = mapping != NULL ? net_ddp->ptype_mapping_get(port, mapping, DDP_MAX_TYPES) : -ENOMEM;
	return mapping;
}

EXPORT int rte_pmd_i40e_ptype_mapping_get(uint16_t port, struct rte_pmd_i40e_ptype_mapping *items,
					  uint16_t size, uint16_t *count, uint8_t valid_only) {
	const struct net_ddp *net_ddp = net_ddp_of(port);
	struct rte_pmd_ddp_ptype_mapping *mapping;
	int n, n_wanted = 0;

	if (net_ddp == NULL)
		return FORWARD(rte_pmd_i40e_ptype_mapping_get, port, items, size, count,
			       valid_only);
	mapping = mapping_read(net_ddp, port, &n);
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
	tell_left(port, n_wanted, size, "packet types");
	return RTE_MIN(n, 0);
}

// net_ddp refused items without a word: find the first of no packet type.
static void mapping_explain(const struct net_ddp *net_ddp, uint16_t port,
			    const struct rte_pmd_i40e_ptype_mapping *items, uint16_t count) {
	struct rte_pmd_ddp_ptype_mapping *mapping;
	bool found = true;
	int n;

	mapping = mapping_read(net_ddp, port, &n);
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
	const struct net_ddp *net_ddp = net_ddp_of(port);
	struct rte_pmd_ddp_ptype_mapping *mapping;
	int ret;

	if (net_ddp == NULL)
		return FORWARD(rte_pmd_i40e_ptype_mapping_update, port, items, count, exclusive);
	mapping = calloc(count, sizeof(*mapping));
	if (mapping == NULL)
		return -ENOMEM;
	for (uint16_t i = 0; i < count; i++) {
		mapping[i].id = items[i].hw_ptype;
		mapping[i].rte_ptype = items[i].sw_ptype;
	}
	ret = net_ddp->ptype_mapping_update(port, mapping, count, exclusive);
	free(mapping);
	if (ret == -EINVAL)
		mapping_explain(net_ddp, port, items, count);
	return ret;
}

// Masks differ: to i40e those types are meant that have no bits but these, to net_ddp those that
// have all of these.
static int masked_replace(const struct net_ddp *net_ddp, uint16_t port, uint32_t mask,
			  uint32_t rte_ptype) {
	struct rte_pmd_ddp_ptype_mapping *mapping;
	unsigned int n_meant = 0;
	int n, ret;

	mapping = mapping_read(net_ddp, port, &n);
	for (int i = 0; i < n; i++) {
		if (mapping[i].rte_ptype == RTE_PTYPE_UNKNOWN ||
		    (mapping[i].rte_ptype & ~mask) != 0)
			continue;
		mapping[n_meant].id = mapping[i].id;
		mapping[n_meant].rte_ptype = rte_ptype;
		n_meant++;
	}
	ret = n < 0 ? n : net_ddp->ptype_mapping_update(port, mapping, n_meant, false);
	free(mapping);
	return ret;
}

EXPORT int rte_pmd_i40e_ptype_mapping_replace(uint16_t port, uint32_t target, uint8_t mask,
					      uint32_t pkt_type) {
	const struct net_ddp *net_ddp = net_ddp_of(port);

	if (net_ddp == NULL)
		return FORWARD(rte_pmd_i40e_ptype_mapping_replace, port, target, mask, pkt_type);
	if (mask)
		return masked_replace(net_ddp, port, target, pkt_type);
	return net_ddp->ptype_mapping_replace(port, target, false, pkt_type);
}

EXPORT int rte_pmd_i40e_ptype_mapping_reset(uint16_t port) {
	const struct net_ddp *net_ddp = net_ddp_of(port);

	if (net_ddp == NULL)
		return FORWARD(rte_pmd_i40e_ptype_mapping_reset, port);
	return net_ddp->ptype_mapping_reset(port);
}
