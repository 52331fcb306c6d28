/* SPDX-License-Identifier: BSD-3-Clause */
// An Intel 800-series package as a profile: the packet types of the NIC's parser, hashed as its
// driver requests by rss_hf. Their headers are those of the profile library, so that flow rules and
// fields have the names they have elsewhere. The parser's model decides a packet's type.
#include <ctype.h>
#include <stdlib.h>

#include "package_model.h"

/* The package as a file of the profile */

static_assert(offsetof(struct package_format, format) == 0, "a format's functions find it so");

static struct ddp_personality *personality_of(const struct loader *l) {
	return ((struct package_format *)l->format)->personality;
}

// Whether the package can be this personality's; then it owns it.
static bool package_take(struct loader *l, struct ddp_package *package, const char *path) {
	struct ddp_personality *personality = personality_of(l);

	if (package == NULL)
		return false;
	if (package->kind != DDP_PACKAGE_E810)
		ddp_error(l->diag, DDP_FILE(path),
			  "a 700-series package programs only its NIC; a profile of the "
			  "library or an 800-series package can be run in software");
	else if (personality->package != NULL)
		ddp_error(l->diag, DDP_FILE(path),
			  "a package is all that a NIC knows: there cannot be two");
	else
		personality->package = package;
	l->profile->modelled = personality->package == package;
	if (!l->profile->modelled)
		ddp_package_close(package);
	return l->profile->modelled;
}

// The package's name with letters, digits and some other signs alone.
static const char *name_of(struct loader *l, const struct ddp_package *package, const char *signs,
			   char other) {
	char *name = ddp_arena_strdup(l->arena, package->name);

	for (char *s = name; *s != '\0'; s++)
		if (!isalnum((unsigned char)*s) && strchr(signs, *s) == NULL)
			*s = other;
	return name;
}

// Parameters of a package, those of tunnels by enum e810_tunnel.
#define PARAM_DVM E810_N_TUNNELS
static const struct ddp_profile_param params[] = {
	[E810_VXLAN] = {.name = "vxlan_port", .summary = "UDP port of VXLAN; 0 for none"},
	[E810_GENEVE] = {.name = "geneve_port", .summary = "UDP port of GENEVE; 0 for none"},
	[E810_ECPRI] = {.name = "ecpri_port", .summary = "UDP port of eCPRI; 0 for none"},
	[PARAM_DVM] = {.name = "dvm", .summary = "1 for double VLAN mode"},
};

static bool package_read(struct loader *l, struct ddp_profile_file *file,
			 struct ddp_profile_part *part) {
	struct ddp_package *package;

	if (file->text == NULL)
		package = ddp_package_open(file->path, l->diag);
	else
		package = ddp_package_read(file->path, file->text, file->size, l->diag);
	if (!package_take(l, package, file->path))
		return false;
	file->text = (const char *)package->bytes;
	file->size = package->size;
	if (part->name == NULL) // by which it can be deleted: ICE-COMMS-Package
		part->name = name_of(l, package, "_", '-');
	part->version =
		ddp_arena_printf(l->arena, DDP_VERSION_FMT, DDP_VERSION_NUMBERS(package->version));
	part->summary = ddp_arena_printf(l->arena, "%s, an 800-series port with it",
					 name_of(l, package, " ._-+()", '_'));
	part->by_rss_hf = true;
	for (unsigned int i = 0; i < sizeof(params) / sizeof(params[0]); i++) {
		struct ddp_profile_param *param =
			DDP_APPEND(l->arena, part->params, part->n_params);

		*param = params[i];
		param->default_value = "0";
		*DDP_APPEND(l->arena, param->values, param->n_values) =
			(struct ddp_text){.s = "0", .len = 1};
	}
	return true;
}

/* Parameters */

static bool number_read(struct loader *l, const struct ddp_text *text, unsigned int max,
			unsigned int *number) {
	char *s = ddp_arena_strndup(l->arena, text->s, text->len), *end;
	unsigned long value = strtoul(s, &end, 10);

	if (*s < '0' || *s > '9' || *end != '\0' || value > max)
		return ddp_refuse(l->diag, &text->place, "'%s': a number from 0 to %u", s, max);
	*number = value;
	return true;
}

static void port_add(struct loader *l, struct e810_ports *ports, unsigned int port) {
	for (unsigned int i = 0; i < ports->n; i++)
		if (ports->ports[i] == port)
			return;
	if (port == 0)
		return;
	if (ports->n == E810_PORTS_MAX)
		ddp_error(l->diag, NULL, "more than %d UDP ports of one tunnel", E810_PORTS_MAX);
	else
		ports->ports[ports->n++] = port;
}

static void config_read(struct loader *l, const struct ddp_profile_part *part,
			struct e810_config *config) {
	static const char *const headers[] = {"vxlan", "geneve", "ecpri"};
	const struct ddp_profile_param *dvm = &part->params[PARAM_DVM];
	unsigned int number = 0, t;

	memset(config, 0, sizeof(*config));
	for (t = 0; t < E810_N_TUNNELS; t++)
		for (unsigned int i = 0; i < part->params[t].n_values; i++)
			if (number_read(l, &part->params[t].values[i], UINT16_MAX, &number))
				port_add(l, &config->tunnels[t], number);
	config->double_vlan =
		number_read(l, &dvm->values[dvm->n_values - 1], 1, &number) && number != 0;
	for (unsigned int i = 0; i < l->n_tunnels; i++) {
		const struct ddp_tunnel *tunnel = &l->tunnels[i];

		for (t = 0; t < E810_N_TUNNELS; t++)
			if (strcmp(tunnel->header, headers[t]) == 0)
				break;
		if (t < E810_N_TUNNELS)
			port_add(l, &config->tunnels[t], tunnel->port);
		else
			ddp_error(l->diag, NULL, "a package has no UDP ports of %s to set",
				  tunnel->header);
	}
}

/* Packet types */

// Fields by where the NIC finds them.
static const struct protocol_field {
	uint8_t protocol, offset, size; // bytes from the protocol's header on
	const char *header, *field, *name;
} fields[] = {
	{32, 12, 4, "ipv4", "src", "outer.ipv4.src"},
	{32, 16, 4, "ipv4", "dst", "outer.ipv4.dst"},
	{33, 12, 4, "ipv4", "src", "inner.ipv4.src"},
	{33, 16, 4, "ipv4", "dst", "inner.ipv4.dst"},
	{40, 8, 16, "ipv6", "src", "outer.ipv6.src"},
	{40, 24, 16, "ipv6", "dst", "outer.ipv6.dst"},
	{41, 8, 16, "ipv6", "src", "inner.ipv6.src"},
	{41, 24, 16, "ipv6", "dst", "inner.ipv6.dst"},
	{49, 0, 2, "tcp", "sport", "inner.tcp.sport"},
	{49, 2, 2, "tcp", "dport", "inner.tcp.dport"},
	{53, 0, 2, "udp", "sport", "inner.udp.sport"},
	{53, 2, 2, "udp", "dport", "inner.udp.dport"},
	{96, 0, 2, "sctp", "sport", "inner.sctp.sport"},
	{96, 2, 2, "sctp", "dport", "inner.sctp.dport"},
};

static unsigned int field_find(const struct e810_word *words, unsigned int n,
			       const struct protocol_field **field) {
	for (unsigned int i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		unsigned int n_words = fields[i].size / 2, w = 0;

		while (w < n && w < n_words && words[w].protocol == fields[i].protocol &&
		       words[w].offset == fields[i].offset + 2 * w)
			w++;
		*field = &fields[i];
		if (w == n_words)
			return n_words;
	}
	return 0;
}

static bool ref_make(struct loader *l, enum ddp_which which, const char *header, const char *field,
		     const char *name, struct ddp_ref *ref) {
	int node = ddp_header_find(l->profile, header);
	const struct ddp_header *h = node < 0 ? NULL : &l->profile->headers[node];
	int i = h == NULL ? -1 : ddp_field_find(h, field);

	if (i >= 0) {
		*ref = (struct ddp_ref){.node = node,
					.field = i,
					.which = which,
					.nth = 1,
					.bits = h->fields[i].width,
					.name = name};
		return true;
	}
	return ddp_refuse(l->diag, NULL,
			  "the profile library has no '%s.%s' to name what a package hashes",
			  header, field);
}

static unsigned int place_of(uint8_t protocol) {
	unsigned int i = 0;

	while (package_protocols[i] != protocol)
		i++;
	return i;
}

static void inputs_make(struct loader *l, const struct e810_word *words, unsigned int n,
			struct ddp_input_set *set) {
	const struct protocol_field *field;

	for (unsigned int w = 0; w < n;) {
		unsigned int taken = field_find(words + w, n - w, &field);
		struct ddp_ref ref;

		if (taken == 0 || !ref_make(l, DDP_WHICH_OFFSET, field->header, field->field,
					    field->name, &ref)) {
			ddp_error(l->diag, NULL, "a package hashes what is no field here");
			return;
		}
		ref.nth = place_of(field->protocol);
		*DDP_APPEND(l->arena, set->inputs, set->n_inputs) = ref;
		set->size += field->size;
		w += taken;
	}
}

static struct ddp_path *path_make(struct loader *l, const struct e810_parser *parser,
				  uint16_t ptype) {
	const char *chain[E810_CHAIN_MAX];
	unsigned int n = e810_ptype_chain(parser, ptype, chain);
	struct ddp_path *path = NULL;

	for (unsigned int i = 0; i < n; i++) {
		int node = ddp_header_find(l->profile, chain[i]);
		struct ddp_path *header, *both;

		if (node < 0) // of a protocol that no profile of the library knows
			continue;
		header = ddp_arena_alloc(l->arena, sizeof(*header));
		*header = (struct ddp_path){.kind = DDP_PATH_HEADER, .node = node};
		if (path == NULL) {
			path = header;
			continue;
		}
		both = ddp_arena_alloc(l->arena, sizeof(*both));
		*both = (struct ddp_path){.kind = DDP_PATH_SEQUENCE, .left = path, .right = header};
		path = both;
	}
	return path;
}

// Mbufs carry the number that identifies the user of a tunnel, beside the hash.
static void extract_make(struct loader *l, struct ddp_packet_type *type) {
	static const struct {
		const char *header, *field, *name;
	} numbers[] = {
		{"gtpu", "teid", "gtpu.teid"},
		{"pppoe", "session", "pppoe.session"},
	};

	for (unsigned int i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (ddp_path_has(type->path, ddp_header_find(l->profile, numbers[i].header)) &&
		    type->n_extract == 0)
			ref_make(l, DDP_WHICH_NTH, numbers[i].header, numbers[i].field,
				 numbers[i].name,
				 DDP_APPEND(l->arena, type->extract, type->n_extract));
}

static void type_make(struct loader *l, const struct ddp_profile_part *part, uint16_t ptype) {
	const struct e810_parser *parser = personality_of(l)->parser;
	struct ddp_profile *profile = l->profile;
	struct ddp_packet_type *type = DDP_APPEND(l->arena, profile->types, profile->n_types);
	struct e810_choice choice;

	type->name = ddp_arena_strdup(l->arena, e810_ptype_name(parser, ptype));
	type->id = ptype;
	type->profile = part->name;
	type->place.file = part->file;
	type->rte_ptype = e810_ptype_rte(ptype);
	type->path = path_make(l, parser, ptype);
	// The driver's newest request decides, so it comes first.
	for (unsigned int i = 0; e810_rss_choice(personality_of(l)->rss, ptype, i, &choice); i++) {
		struct ddp_input_set *set = DDP_APPEND(l->arena, type->sets, type->n_sets);

		set->rss_hf = choice.rss_hf;
		inputs_make(l, choice.words, choice.n, set);
	}
	extract_make(l, type);
}

static void types_make(struct loader *l, const struct ddp_profile_part *part) {
	// Headers, without fields, that the NIC distinguishes and the library lacks.
	static const char *const names[] = {"lldp", "mac_control", "ptp"};
	struct ddp_personality *personality = personality_of(l);

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (header_find(l, names[i], strlen(names[i])) < 0)
			*DDP_APPEND(l->arena, l->profile->headers, l->profile->n_headers) =
				(struct ddp_header){
					.name = names[i],
					.profile = part->name,
					.place = {.file = part->file},
				};
	for (unsigned int ptype = 0; ptype < E810_N_PTYPES; ptype++) {
		if (!e810_ptype_used(personality->parser, ptype))
			continue;
		personality->ptypes = ddp_arena_grow(l->arena, personality->ptypes,
						     l->profile->n_types, sizeof(uint16_t));
		personality->ptypes[l->profile->n_types] = ptype;
		type_make(l, part, ptype);
	}
}

static void types_all(struct loader *l) {
	struct ddp_personality *personality = personality_of(l);
	const struct ddp_profile_part *part = l->profile->parts;
	struct e810_config config;

	while (part->root != NULL)
		part++;
	if (part->request == NULL || l->n_requests != 1) {
		ddp_error(
			l->diag, DDP_FILE(part->file),
			"a package is all that a NIC knows: it cannot be joined with other profiles");
		return;
	}
	if (part->request->spec.input_set != NULL)
		ddp_error(
			l->diag, DDP_FILE(part->file),
			"a package has no named input sets: what is hashed, rss_hf and flow rules say");
	config_read(l, part, &config);
	if (l->diag->n_errors > 0)
		return;
	personality->parser = e810_parser_create(personality->package, &config, l->diag);
	if (personality->parser == NULL)
		return;
	personality->rss = e810_rss_create(personality->parser, UINT64_MAX, l->diag);
	if (personality->rss != NULL)
		types_make(l, part);
}

void package_format_init(struct package_format *format, struct ddp_personality *personality) {
	*format = (struct package_format){
		.format = {"all", ddp_is_package, package_read, types_all},
		.personality = personality,
	};
}
