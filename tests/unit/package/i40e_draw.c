/* SPDX-License-Identifier: BSD-3-Clause */
#include "i40e_draw.h"

#include "i40e_write.h"
#include "unit.h"

#define DEVICES_MAX 12
#define NVMS_MAX 4
#define PROTOCOLS_MAX 24
#define PTYPES_MAX 40
#define SECTIONS_MAX 16
#define DATA_MAX 300
#define NOTES_MAX 200

struct drawing {
	uint64_t *random;
	struct ddp_package package;
	struct i40e_package i40e;
	struct i40e_device devices[DEVICES_MAX];
	uint32_t nvms[NVMS_MAX];
	struct i40e_protocol protocols[PROTOCOLS_MAX];
	struct i40e_type pctypes[I40E_PCTYPES_MAX];
	struct i40e_type ptypes[PTYPES_MAX];
	struct i40e_section sections[SECTIONS_MAX];
	uint8_t data[SECTIONS_MAX][DATA_MAX];
	char notes[NOTES_MAX];
};

static unsigned int below(struct drawing *drawing, unsigned int n) {
	return random_below(drawing->random, n);
}

// A text of up to max characters, any but NUL.
static void text_draw(struct drawing *drawing, char *text, unsigned int max) {
	unsigned int len = below(drawing, max + 1);

	for (unsigned int i = 0; i < len; i++)
		text[i] = 1 + below(drawing, 255);
	text[len] = '\0';
}

static struct ddp_version version_draw(struct drawing *drawing) {
	return (struct ddp_version){below(drawing, 256), below(drawing, 256), below(drawing, 256),
				    below(drawing, 256)};
}

static void devices_draw(struct drawing *drawing) {
	drawing->i40e.n_devices = below(drawing, DEVICES_MAX + 1);
	for (unsigned int i = 0; i < drawing->i40e.n_devices; i++)
		drawing->devices[i] = (struct i40e_device){
			.vendor = below(drawing, 4) == 0 ? below(drawing, 1 << 16) : 0x8086,
			.device = below(drawing, 1 << 16),
			.sub_vendor = below(drawing, 1 << 16),
			.sub_device = below(drawing, 1 << 16),
		};
	drawing->i40e.n_nvms = below(drawing, NVMS_MAX + 1);
	for (unsigned int i = 0; i < drawing->i40e.n_nvms; i++)
		drawing->nvms[i] = random_next(drawing->random);
}

static void protocols_draw(struct drawing *drawing) {
	static const char *const names[] = {"IPV4", "IPV6",     "UDP",   "TCP",  "GTPU",
					    "GTPC", "IPV4FRAG", "OIPV4", "PAY4", "PPPOE"};

	drawing->i40e.n_protocols = below(drawing, PROTOCOLS_MAX + 1);
	for (unsigned int i = 0; i < drawing->i40e.n_protocols; i++) {
		struct i40e_protocol *protocol = &drawing->protocols[i];

		protocol->id = i + 8 * below(drawing, 4); // some twice
		if (below(drawing, 3) > 0)
			strcpy(protocol->name, names[below(drawing, COUNT(names))]);
		else
			text_draw(drawing, protocol->name, sizeof(protocol->name) - 1);
	}
}

// The first protocol is one that has a name, where there are names: a pctype without is refused.
static struct i40e_type type_draw(struct drawing *drawing) {
	struct i40e_type type = {.id = below(drawing, 256)};

	for (unsigned int i = 0; i < I40E_TYPE_PROTOCOLS; i++)
		type.protocols[i] = below(drawing, 2) == 0 ? I40E_NO_PROTOCOL : below(drawing, 48);
	if (drawing->i40e.n_protocols > 0)
		type.protocols[0] =
			drawing->protocols[below(drawing, drawing->i40e.n_protocols)].id;
	return type;
}

static void types_draw(struct drawing *drawing) {
	drawing->i40e.n_pctypes = below(drawing, I40E_PCTYPES_MAX + 1);
	for (unsigned int i = 0; i < drawing->i40e.n_pctypes; i++)
		drawing->pctypes[i] = type_draw(drawing);
	drawing->i40e.n_ptypes = below(drawing, PTYPES_MAX + 1);
	for (unsigned int i = 0; i < drawing->i40e.n_ptypes; i++)
		drawing->ptypes[i] = type_draw(drawing);
}

// Any bytes; those of a command say themselves how many they are.
static void section_draw(struct drawing *drawing, struct i40e_section *section, uint8_t *data) {
	static const uint32_t types[] = {I40E_INFO, I40E_MMIO,    I40E_MMIO, I40E_AQ,
					 I40E_NOTE, I40E_RB_MMIO, I40E_NAME, I40E_RB_AQ};

	section->type = types[below(drawing, COUNT(types))];
	section->size = below(drawing, DATA_MAX + 1);
	section->data = data;
	for (unsigned int i = 0; i < section->size; i++)
		data[i] = below(drawing, 256);
	if (section->type != I40E_AQ)
		return;
	section->size = 22 + section->size % (DATA_MAX - 22);
	data[20] = below(drawing, section->size - 22 + 1);
	data[21] = 0;
}

static void sections_draw(struct drawing *drawing) {
	static const uint32_t lists[] = {I40E_PROTOCOL, I40E_PCTYPE, I40E_PTYPE};
	struct i40e_package *i40e = &drawing->i40e;

	i40e->n_sections = below(drawing, SECTIONS_MAX - COUNT(lists) + 1);
	for (unsigned int i = 0; i < i40e->n_sections; i++)
		section_draw(drawing, &drawing->sections[i], drawing->data[i]);
	for (unsigned int i = 0; i < COUNT(lists); i++) {
		unsigned int at = below(drawing, i40e->n_sections + 1);

		if (below(drawing, 8) == 0)
			continue;
		memmove(&drawing->sections[at + 1], &drawing->sections[at],
			(i40e->n_sections - at) * sizeof(drawing->sections[0]));
		drawing->sections[at] = (struct i40e_section){.type = lists[i]};
		i40e->n_sections++;
	}
}

static void package_draw(struct drawing *drawing) {
	struct ddp_package *package = &drawing->package;
	struct i40e_package *i40e = &drawing->i40e;

	package->i40e = i40e;
	package->version = version_draw(drawing);
	package->track_id = random_next(drawing->random);
	text_draw(drawing, package->name, sizeof(package->name) - 1);
	i40e->is_x722 = below(drawing, 20) == 0;
	i40e->version = version_draw(drawing);
	text_draw(drawing, i40e->name, sizeof(i40e->name) - 1);
	i40e->devices = drawing->devices;
	i40e->nvms = drawing->nvms;
	i40e->protocols = drawing->protocols;
	i40e->pctypes = drawing->pctypes;
	i40e->ptypes = drawing->ptypes;
	i40e->sections = drawing->sections;
	if (below(drawing, 3) > 0) {
		text_draw(drawing, drawing->notes, sizeof(drawing->notes) - 1);
		i40e->notes = drawing->notes;
	}
	devices_draw(drawing);
	protocols_draw(drawing);
	types_draw(drawing);
	sections_draw(drawing);
}

uint8_t *i40e_draw(uint64_t *random, size_t *size) {
	struct drawing *drawing = calloc(1, sizeof(*drawing));
	uint8_t *bytes;

	if (drawing == NULL)
		return NULL;
	drawing->random = random;
	package_draw(drawing);
	bytes = i40e_write(&drawing->package, size);
	free(drawing);
	return bytes;
}

/* Damage */

// A 32-bit number that is near a limit, or an offset of the file.
static uint32_t number_draw(uint64_t *random, size_t size) {
	static const uint32_t limits[] = {0,      1,          2,          0x10,       0x7f,
					  0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0};

	switch (random_below(random, 4)) {
	case 0:
		return limits[random_below(random, COUNT(limits))];
	case 1:
		return random_below(random, size + 64);
	case 2:
		return UINT32_C(1) << random_below(random, 32);
	}
	return random_next(random);
}

static void number_damage(uint64_t *random, uint8_t *bytes, size_t size) {
	size_t at = random_below(random, size - 3);
	uint32_t number = number_draw(random, size), old;

	if (random_below(random, 4) > 0)
		at -= at % 4;
	memcpy(&old, bytes + at, sizeof(old));
	if (random_below(random, 3) == 0)
		number = old + random_below(random, 65) - 32;
	memcpy(bytes + at, &number, sizeof(number));
}

void i40e_damage(uint64_t *random, uint8_t *bytes, size_t *size) {
	size_t at, from, len;

	if (*size < 8)
		return;
	at = random_below(random, *size);
	switch (random_below(random, 12)) {
	case 0:
		*size = at;
		return;
	case 1:
		from = random_below(random, *size);
		len = random_below(random, *size - (at > from ? at : from) + 1);
		memmove(bytes + at, bytes + from, len);
		return;
	case 2:
	case 3:
	case 4:
		bytes[at] ^= 1 << random_below(random, 8);
		return;
	case 5:
	case 6:
		bytes[at] = random_below(random, 256);
		return;
	default:
		number_damage(random, bytes, *size);
	}
}
