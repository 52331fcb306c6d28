/* SPDX-License-Identifier: BSD-3-Clause */
// A package on a 700-series NIC: loading, removal, and what Intel's GTP package hashes.
#include "i40e_port.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>

#include "draft.h"
#include "package/read.h"
#include "personality/personality.h"

/* Functions of net_i40e. The plugin also loads without this driver, so it resolves them at run
 * time: from the program itself, or from a library that EAL loaded with RTLD_LOCAL. */

#if __has_include(<rte_pmd_i40e.h>)
#include <rte_pmd_i40e.h>

#define SAME_OFFSET(ours, theirs, member) offsetof(ours, member) == offsetof(theirs, member)

_Static_assert((int)DDP_I40E_ADD == (int)RTE_PMD_I40E_PKG_OP_WR_ADD &&
		       (int)DDP_I40E_DEL == (int)RTE_PMD_I40E_PKG_OP_WR_DEL &&
		       DDP_I40E_INSET_HASH == (int)INSET_HASH,
	       "our numbers are the driver's");
_Static_assert(sizeof(struct ddp_i40e_flow_type) == sizeof(struct rte_pmd_i40e_flow_type_mapping) &&
		       SAME_OFFSET(struct ddp_i40e_flow_type, struct rte_pmd_i40e_flow_type_mapping,
				   pctype) &&
		       sizeof(struct ddp_i40e_inset) == sizeof(struct rte_pmd_i40e_inset) &&
		       SAME_OFFSET(struct ddp_i40e_inset, struct rte_pmd_i40e_inset, mask[1].mask),
	       "our structs are the driver's");
#endif

#define LIBRARY "librte_net_i40e.so"

static int library_match(struct dl_phdr_info *info, size_t size, void *arg) {
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *name = slash != NULL ? slash + 1 : info->dlpi_name;
	void **handle = arg;

	(void)size;
	if (strncmp(name, LIBRARY, strlen(LIBRARY)) != 0)
		return 0;
	*handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	return *handle != NULL;
}

// The first function that is not found in handle; NULL: all are found.
static const char *calls_resolve(void *handle, struct ddp_i40e_calls *calls) {
#define RESOLVE(name, ...)                                  \
	calls->name = dlsym(handle, "rte_pmd_i40e_" #name); \
	if (calls->name == NULL)                            \
		return "rte_pmd_i40e_" #name;
	DDP_I40E_CALLS(RESOLVE)
	return NULL;
}

// Once found, the functions stay valid. Ports may search in several threads.
static const struct ddp_i40e_calls *calls_find(struct ddp_diag *diag) {
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static struct ddp_i40e_calls calls;
	static bool is_found;
	const char *missing = NULL;
	void *handle = NULL;

	pthread_mutex_lock(&mutex);
	if (!is_found)
		missing = calls_resolve(RTLD_DEFAULT, &calls);
	if (missing != NULL && dl_iterate_phdr(library_match, &handle) != 0)
		missing = calls_resolve(handle, &calls);
	is_found = missing == NULL;
	pthread_mutex_unlock(&mutex);
	if (missing == NULL)
		return &calls;
	return ddp_refuse_null(diag, NULL, "DPDK's driver net_i40e is not loaded: %s() is missing",
			       missing);
}

const struct ddp_i40e_calls *(*ddp_i40e_lower_calls)(struct ddp_diag *diag) = calls_find;

static int fail(const struct ddp_i40e_port *port, int error, const char *what,
		struct ddp_diag *diag) {
	if (error == -ENOMEM)
		return ddp_no_memory(diag);
	ddp_error(diag, NULL, "port %u: %s: %s", port->id, what, strerror(-error));
	return error;
}

/* The package */

// Sections of a type in the file once added: the firmware adds one with old values for each.
static unsigned int sections_count(const struct i40e_package *i40e, const uint8_t *bytes,
				   uint32_t type) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < i40e->n_sections; i++)
		n += le32_get(bytes + i40e->sections[i].offset + SECTION_TYPE_AT) == type;
	return n;
}

static int package_add(struct ddp_i40e_port *port, const struct ddp_package *package,
		       struct ddp_diag *diag) {
	uint8_t *bytes = malloc(package->size);
	int ret;

	if (bytes == NULL)
		return ddp_no_memory(diag);
	memcpy(bytes, package->bytes, package->size);
	ret = port->calls->process_ddp_package(port->id, bytes, package->size, DDP_I40E_ADD);
	if (ret == -EEXIST) {
		ddp_error(diag, NULL,
			  "port %u: %s: the NIC already holds it, or a profile that excludes it",
			  port->id, package->path);
	} else if (ret < 0) {
		fail(port, ret, package->path, diag);
	} else if (sections_count(package->i40e, bytes, I40E_MMIO) > 0) {
		ddp_error(diag, NULL, "port %u: %s: its registers were not read back", port->id,
			  package->path);
		ret = -EIO;
	}
	if (ret == 0) {
		port->rollback = bytes;
		port->rollback_size = package->size;
		port->track_id = package->track_id;
		return 0;
	}
	if (sections_count(package->i40e, bytes, I40E_RB_MMIO) > 0)
		ddp_error(diag, NULL,
			  "port %u: what the package has written stays until the NIC is reset",
			  port->id);
	free(bytes);
	return ret;
}

/* Types */

// The flow type of this pctype, else a free one, else DDP_I40E_FLOW_TYPES.
static unsigned int flow_type_find(const struct ddp_i40e_flow_type types[DDP_I40E_FLOW_TYPES],
				   uint8_t pctype) {
	for (unsigned int i = 0; i < DDP_I40E_FLOW_TYPES; i++)
		if (types[i].pctype == UINT64_C(1) << pctype)
			return i;
	for (unsigned int i = DDP_I40E_FLOW_TYPE_FIRST; i < DDP_I40E_FLOW_TYPES; i++)
		if (types[i].pctype == 0)
			return i;
	return DDP_I40E_FLOW_TYPES;
}

// Set all but type 0, which the driver does not treat as a flow type.
static int flow_types_put(struct ddp_i40e_port *port, struct ddp_i40e_flow_type *types) {
	return port->calls->flow_type_mapping_update(port->id, types + 1, DDP_I40E_FLOW_TYPES - 1,
						     0);
}

static int flow_types_set(struct ddp_i40e_port *port, const struct i40e_package *i40e,
			  struct ddp_diag *diag) {
	struct ddp_i40e_flow_type now[DDP_I40E_FLOW_TYPES];
	int ret = port->calls->flow_type_mapping_get(port->id, now);

	if (ret < 0)
		return fail(port, ret, "its flow types cannot be read", diag);
	memcpy(port->flow_types, now, sizeof(now));
	for (unsigned int i = 0; i < i40e->pctypes.n; i++) {
		uint8_t pctype = i40e->pctypes.types[i].id;
		unsigned int type;

		if (pctype >= DDP_I40E_FLOW_TYPES)
			continue; // the NIC has none
		type = flow_type_find(now, pctype);
		if (type == DDP_I40E_FLOW_TYPES)
			return fail(port, -ENOSPC, "no flow type is free for a pctype", diag);
		now[type].flow_type = type;
		now[type].pctype = UINT64_C(1) << pctype;
		port->rss_hf |= UINT64_C(1) << type;
	}
	ret = flow_types_put(port, now);
	if (ret < 0)
		return fail(port, ret, "its flow types cannot be set", diag);
	port->flow_types_changed = true;
	return 0;
}

/* Hashing */

static int inset_set(struct ddp_i40e_port *port, const struct ddp_offload_inset *words,
		     struct ddp_diag *diag) {
	struct ddp_i40e_inset before, inset = {0};
	uint8_t pctype = words->pctype;
	unsigned int saved = 0;
	int ret;

	for (unsigned int i = 0; i < words->n; i++)
		inset.inset |= UINT64_C(1) << (DDP_OFFLOAD_FIELDS - 1 - words->words[i]);
	ret = port->calls->inset_get(port->id, pctype, &before, DDP_I40E_INSET_HASH);
	if (ret < 0)
		return fail(port, ret, "a pctype's input set cannot be read", diag);
	while (saved < port->n_insets && port->insets[saved].pctype != pctype)
		saved++;
	if (saved == port->n_insets) { // saved before the change, so that a partial one is undone
		port->insets[port->n_insets].pctype = pctype;
		port->insets[port->n_insets++].inset = before;
	}
	ret = port->calls->inset_set(port->id, pctype, &inset, DDP_I40E_INSET_HASH);
	return ret < 0 ? fail(port, ret, "a pctype's input set cannot be set", diag) : 0;
}

int ddp_i40e_hash(struct ddp_i40e_port *port, const struct ddp_plan *plan, struct ddp_diag *diag) {
	int ret = 0;

	for (unsigned int i = 0; i < plan->n_insets && ret == 0; i++)
		ret = inset_set(port, &plan->insets[i], diag);
	return ret;
}

/* Public functions */

struct ddp_i40e_port *ddp_i40e_load(uint16_t port_id, const struct ddp_plan *plan,
				    struct ddp_diag *diag) {
	const struct ddp_i40e_calls *calls = ddp_i40e_lower_calls(diag);
	struct ddp_i40e_port *port;

	assert(plan->package != NULL);
	if (calls == NULL)
		return NULL;
	port = calloc(1, sizeof(*port));
	if (port == NULL) {
		ddp_no_memory(diag);
		return NULL;
	}
	port->calls = calls;
	port->id = port_id;
	if (package_add(port, plan->package, diag) < 0) {
		free(port);
		return NULL;
	}
	if (flow_types_set(port, plan->package->i40e, diag) < 0 ||
	    ddp_i40e_hash(port, plan, diag) < 0) {
		ddp_i40e_unload(port, false, diag);
		return NULL;
	}
	return port;
}

static void undo(struct ddp_i40e_port *port, struct ddp_diag *diag) {
	const struct ddp_i40e_calls *calls = port->calls;
	int ret;

	for (unsigned int i = port->n_insets; i-- > 0;) {
		ret = calls->inset_set(port->id, port->insets[i].pctype, &port->insets[i].inset,
				       DDP_I40E_INSET_HASH);
		if (ret < 0)
			fail(port, ret, "a pctype's input set cannot be taken back", diag);
	}
	ret = port->flow_types_changed ? flow_types_put(port, port->flow_types) : 0;
	if (ret < 0)
		fail(port, ret, "its flow types cannot be taken back", diag);
	ret = calls->process_ddp_package(port->id, port->rollback, port->rollback_size,
					 DDP_I40E_DEL);
	if (ret < 0)
		ddp_error(diag, NULL, "port %u: profile 0x%08" PRIx32 " cannot be taken back: %s",
			  port->id, port->track_id, strerror(-ret));
}

void ddp_i40e_unload(struct ddp_i40e_port *port, bool gone, struct ddp_diag *diag) {
	if (port == NULL)
		return;
	if (!gone)
		undo(port, diag);
	free(port->rollback);
	free(port);
}

// Intel's GTP package, as the firmware lists it.
#define TRACK_ID 0x80000008
#define NAME "GTPv1-C/U IPv4/IPv6 payload"

/* Input sets */

#define L4_PORTS N_CLASS_HEADERS
#define N_FIELDS 4

// Documented contents of the field vector by the inner IP version: n words of a header from this
// byte on are the words of the vector from `first` on.
static const struct published {
	enum class_header_id header; // L4_PORTS: inner UDP, TCP or SCTP
	uint8_t byte, first, n;
} publications[][N_FIELDS] = {
	{{HEADER_IPV4, 12, 15, 2},
	 {HEADER_IPV4, 16, 27, 2},
	 {L4_PORTS, 0, 29, 2},
	 {HEADER_GTPU, 4, 44, 2}},
	{{HEADER_IPV6, 8, 13, 8},
	 {HEADER_IPV6, 24, 21, 8},
	 {L4_PORTS, 0, 29, 2},
	 {HEADER_GTPU, 4, 44, 2}},
};

// The first packet bit of each word; -1: unknown, or the packet has no such header.
static void words_locate(const struct packet_class *class, int bits[DDP_OFFLOAD_FIELDS]) {
	for (unsigned int i = 0; i < DDP_OFFLOAD_FIELDS; i++)
		bits[i] = -1;
	for (unsigned int i = 0; i < N_FIELDS; i++) {
		const struct published *field = &publications[class->inner == 6][i];
		int header = packet_class_header(class, field->header);

		if (field->header == L4_PORTS && class_has_ports(class))
			header = class->n_headers - 1;
		for (int w = 0; header >= 0 && w < field->n; w++)
			bits[field->first + w] =
				8 * (class->headers[header].off + field->byte + 2 * w);
	}
}

static bool is_word(const struct hashed *hashed, unsigned int at) {
	for (unsigned int i = 0; i < 16; i++)
		if (at + i >= hashed->n || hashed->bits[at + i] != hashed->bits[at] + (int)i)
			return false;
	return hashed->bits[at] != BIT_ZERO;
}

// The NIC hashes words in ascending order.
bool i40e_inset_find(const struct packet_class *class, const struct hashed *hashed,
		     struct ddp_offload_inset *inset) {
	int bits[DDP_OFFLOAD_FIELDS];
	unsigned int word = 0;

	words_locate(class, bits);
	*inset = (struct ddp_offload_inset){.pctype = class->pctype};
	for (unsigned int at = 0; at < hashed->n; at += 16) {
		while (word < DDP_OFFLOAD_FIELDS && bits[word] != hashed->bits[at])
			word++;
		if (word == DDP_OFFLOAD_FIELDS || !is_word(hashed, at))
			return false;
		inset->words[inset->n++] = word++;
	}
	return inset->n > 0;
}

bool i40e_inset_hashes(const struct ddp_offload_inset *inset, const struct packet_class *class,
		       struct hashed *hashed) {
	int bits[DDP_OFFLOAD_FIELDS];

	words_locate(class, bits);
	hashed->n = 0;
	for (unsigned int i = 0; i < inset->n; i++) {
		if (bits[inset->words[i]] < 0)
			return false;
		hashed_add(hashed, bits[inset->words[i]], 16);
	}
	return true;
}

/* Packages for a port */

struct ddp_package *ddp_i40e_package_open(const char *path, struct ddp_diag *diag) {
	struct ddp_package *package = ddp_package_open(path, diag);

	if (package == NULL || package->kind == DDP_PACKAGE_I40E)
		return package;
	ddp_error(diag, DDP_FILE(path), "it is for the 800 series");
	ddp_package_close(package);
	return NULL;
}

static bool has_pctype(const struct i40e_package *i40e, uint8_t id, const char *documented) {
	char name[I40E_TYPE_NAME_SIZE] = "";

	for (unsigned int i = 0; i < i40e->pctypes.n; i++)
		if (i40e->pctypes.types[i].id == id)
			i40e_type_name(i40e, &i40e->pctypes.types[i], name);
	return strcmp(name, documented) == 0;
}

bool ddp_i40e_package_covers(const struct ddp_package *package, uint16_t device,
			     struct ddp_diag *diag) {
	const char *reason;
	int ret = i40e_verdict(package, device, &reason);

	if (ret == 0 && package->track_id == TRACK_ID && strcmp(package->i40e->name, NAME) == 0 &&
	    has_pctype(package->i40e, 22, "GTPU_IPV4") &&
	    has_pctype(package->i40e, 23, "GTPU_IPV6"))
		return true;
	return ddp_refuse(diag, DDP_FILE(package->path), "%s",
			  ret < 0 ? reason :
				    "Intel does not document which fields a NIC hashes with it");
}

bool ddp_i40e_package_wanted(const struct ddp_profile *profile) {
	for (unsigned int i = 0; i < profile->n_headers && !profile->modelled; i++)
		if (strcmp(profile->headers[i].name, "gtpu") == 0)
			return true;
	return false;
}
