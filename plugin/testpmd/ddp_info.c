/* SPDX-License-Identifier: BSD-3-Clause */
#include "ddp_info.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BASE "base"
#define ID_MAX (UINT8_MAX - 1) // UINT8_MAX is RTE_PMD_I40E_PROTO_UNUSED
#define WAYS_MAX 8             // of one packet type
#define WAY_LEN 32

static_assert(DDP_MAX_NODES <= ID_MAX, "each header has a protocol's number");

/* Paths, written out: one line for each way through the alternatives, without what may be absent */

struct way {
	uint8_t n;
	uint8_t nodes[WAY_LEN];
};

struct ways {
	unsigned int n;
	struct way ways[WAYS_MAX];
};

static void way_add(struct ways *ways, const struct way *first, const struct way *then) {
	struct way *way = &ways->ways[ways->n];

	if (ways->n == WAYS_MAX || first->n + then->n > WAY_LEN)
		return;
	memcpy(way->nodes, first->nodes, first->n);
	memcpy(way->nodes + first->n, then->nodes, then->n);
	way->n = first->n + then->n;
	ways->n++;
}

static void path_ways(const struct ddp_path *path, struct ways *ways) {
	static const struct way empty = {0};
	struct way header = {.n = 1, .nodes = {path->node}};
	struct ways left = {0}, right = {0};

	switch (path->kind) {
	case DDP_PATH_HEADER:
		way_add(ways, &empty, &header);
		break;
	case DDP_PATH_SEQUENCE:
		path_ways(path->left, &left);
		path_ways(path->right, &right);
		for (unsigned int i = 0; i < left.n; i++)
			for (unsigned int j = 0; j < right.n; j++)
				way_add(ways, &left.ways[i], &right.ways[j]);
		break;
	case DDP_PATH_EITHER:
		path_ways(path->left, ways);
		path_ways(path->right, ways);
		break;
	case DDP_PATH_OPTIONAL:
	case DDP_PATH_ANY:
		way_add(ways, &empty, &empty);
		break;
	case DDP_PATH_SOME:
		path_ways(path->left, ways);
		break;
	}
}

/* Packet types */

struct lines {
	struct rte_pmd_i40e_ptype_info *lines;
	uint32_t n;
};

// Of a way that is too long the end is shown: it is what tells types of one tunnel apart.
static void line_set(struct rte_pmd_i40e_ptype_info *line, uint8_t id, const struct way *way) {
	unsigned int n = way->n < RTE_PMD_I40E_PROTO_NUM ? way->n : RTE_PMD_I40E_PROTO_NUM;

	line->ptype_id = id;
	memset(line->protocols, RTE_PMD_I40E_PROTO_UNUSED, sizeof(line->protocols));
	memcpy(line->protocols, way->nodes + way->n - n, n);
}

// Ways that differ only in what was cut off are one line.
static bool has_line(const struct lines *lines, const struct rte_pmd_i40e_ptype_info *line) {
	for (uint32_t i = 0; i < lines->n; i++)
		if (memcmp(&lines->lines[i], line, sizeof(*line)) == 0)
			return true;
	return false;
}

static int type_add(struct lines *lines, const struct ddp_packet_type *type, uint8_t id) {
	struct rte_pmd_i40e_ptype_info *grown, line;
	struct ways ways = {0};

	path_ways(type->path, &ways);
	if (ways.n == 0)
		return 0;
	grown = reallocarray(lines->lines, lines->n + ways.n, sizeof(*grown));
	if (grown == NULL)
		return -ENOMEM;
	lines->lines = grown;
	for (unsigned int i = 0; i < ways.n; i++) {
		line_set(&line, id, &ways.ways[i]);
		if (!has_line(lines, &line))
			lines->lines[lines->n++] = line;
	}
	return 0;
}

// The profile that was asked for comes after those that it requires.
static const struct ddp_profile_part *main_part(const struct ddp_profile *profile) {
	return &profile->parts[profile->n_parts - 1];
}

// Every port has the packet types of base: they are shown with base alone.
static bool is_added(const struct ddp_profile *profile, const struct ddp_packet_type *type) {
	return strcmp(type->profile, BASE) != 0 || strcmp(main_part(profile)->name, BASE) == 0;
}

// The caller frees lines->lines, also after an error.
static int types_list(const struct ddp_profile *profile, bool hashed_only, struct lines *lines) {
	int ret = 0;

	for (unsigned int i = 0; i < profile->n_types && i < ID_MAX && ret == 0; i++) {
		const struct ddp_packet_type *type = &profile->types[i];

		if (is_added(profile, type) && (!hashed_only || type->n_sets > 0))
			ret = type_add(lines, type, i + 1);
	}
	return ret;
}

/* Answers */

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

static int head_answer(const struct ddp_profile *profile, uint8_t *info, uint32_t size) {
	const struct ddp_profile_part *part = main_part(profile);
	struct rte_pmd_i40e_profile_info head;

	ddp_info_head(&head, part->name, part->version);
	return array_answer(&head, sizeof(head), info, size);
}

static const char *notes(const struct ddp_profile *profile) {
	return main_part(profile)->summary;
}

static uint32_t notes_size(const struct ddp_profile *profile) {
	return notes(profile) == NULL ? 0 : strlen(notes(profile)) + 1;
}

static int types_answer(const struct ddp_profile *profile, enum rte_pmd_i40e_package_info type,
			uint8_t *info, uint32_t size) {
	bool hashed_only = type == RTE_PMD_I40E_PKG_INFO_PCTYPE_NUM ||
			   type == RTE_PMD_I40E_PKG_INFO_PCTYPE_LIST;
	struct lines lines = {0};
	int ret = types_list(profile, hashed_only, &lines);

	if (ret == 0 &&
	    (type == RTE_PMD_I40E_PKG_INFO_PCTYPE_NUM || type == RTE_PMD_I40E_PKG_INFO_PTYPE_NUM))
		ret = number_answer(lines.n, info, size);
	else if (ret == 0)
		ret = array_answer(lines.lines, lines.n * sizeof(*lines.lines), info, size);
	free(lines.lines);
	return ret;
}

// The headers of the packet types shown.
static int protocols_answer(const struct ddp_profile *profile, enum rte_pmd_i40e_package_info type,
			    uint8_t *info, uint32_t size) {
	struct rte_pmd_i40e_proto_info protocols[DDP_MAX_NODES];
	bool used[UINT8_MAX + 1] = {false};
	struct lines lines = {0};
	uint32_t n = 0;
	int ret = types_list(profile, false, &lines);

	for (uint32_t i = 0; i < lines.n; i++)
		for (unsigned int j = 0; j < RTE_PMD_I40E_PROTO_NUM; j++)
			used[lines.lines[i].protocols[j]] = true;
	free(lines.lines);
	if (ret < 0)
		return ret;
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

int ddp_info_get(const struct ddp_profile *profile, uint8_t *info, uint32_t size,
		 enum rte_pmd_i40e_package_info type) {
	switch (type) {
	case RTE_PMD_I40E_PKG_INFO_GLOBAL_HEADER:
	case RTE_PMD_I40E_PKG_INFO_HEADER:
		return head_answer(profile, info, size);
	case RTE_PMD_I40E_PKG_INFO_GLOBAL_NOTES_SIZE:
		return number_answer(notes_size(profile), info, size);
	case RTE_PMD_I40E_PKG_INFO_GLOBAL_NOTES:
		return array_answer(notes(profile), notes_size(profile), info, size);
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

static void version_set(struct rte_pmd_i40e_ddp_version *version, const char *text) {
	unsigned int parts[4] = {0};

	sscanf(text, "%u.%u.%u.%u", &parts[0], &parts[1], &parts[2], &parts[3]);
	for (unsigned int i = 0; i < 4; i++)
		if (parts[i] > UINT8_MAX)
			parts[i] = UINT8_MAX;
	version->major = parts[0];
	version->minor = parts[1];
	version->update = parts[2];
	version->draft = parts[3];
}

void ddp_info_head(struct rte_pmd_i40e_profile_info *info, const char *name, const char *version) {
	memset(info, 0, sizeof(*info));
	if (version == NULL)
		version = "";
	info->track_id = ddp_profile_track_id(name, version);
	version_set(&info->version, version);
	info->owner = RTE_PMD_I40E_DDP_OWNER_UNKNOWN;
	snprintf((char *)info->name, sizeof(info->name), "%s", name);
}
