/* SPDX-License-Identifier: BSD-3-Clause */
#include "e810_nic.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/strbuf.h"
#include "ctl/profile/profile_load.h"
#include "personality/package_open.h"

const char e810_nic_note[] =
	"No silicon was at hand. Exact by the package's own tables: the steps of the parser, packet types, "
	"protocols with their offsets, flags, groups of packet types. Modelled after DPDK's ice driver: which "
	"requests RSS has and which of them wins; absent fields hash as 0.";

/* FILE */

// The length of the path in a specification.
static size_t path_len(const char *spec) {
	return strcspn(spec, ":;");
}

int e810_nic_package_open(const char *spec, struct ddp_package **package) {
	char *path = strndup(spec, path_len(spec));
	struct ddp_diag diag;

	if (path == NULL)
		no_memory_exit();
	ddp_diag_init(&diag);
	*package = ddp_package_open(path, &diag);
	free(path);
	return load_end(&diag, *package == NULL);
}

struct kind {
	const char *parameter;
	uint16_t *ports;
	unsigned int *n;
};

static int port_parse(const char *s, size_t len, const struct kind *kind) {
	char *end;
	unsigned long port = isdigit((unsigned char)*s) ? strtoul(s, &end, 10) : UINT16_MAX + 1UL;

	if (port > UINT16_MAX || end != s + len || *kind->n == E810_PORTS_MAX)
		return -1;
	if (port != 0) // none
		kind->ports[(*kind->n)++] = port;
	return 0;
}

// One "parameter=value" of len characters.
static int setting_take(const char *s, size_t len, struct e810_config *config) {
	const struct kind kinds[] = {
		{"vxlan_port=", config->vxlan_ports, &config->n_vxlan},
		{"geneve_port=", config->geneve_ports, &config->n_geneve},
		{"ecpri_port=", config->ecpri_ports, &config->n_ecpri},
	};

	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t name_len = strlen(kinds[i].parameter);

		if (len > name_len && memcmp(s, kinds[i].parameter, name_len) == 0)
			return port_parse(s + name_len, len - name_len, &kinds[i]);
	}
	if (len != 5 || memcmp(s, "dvm=", 4) != 0 || (s[4] != '0' && s[4] != '1'))
		return -1;
	config->double_vlan = s[4] == '1';
	return 0;
}

static int settings_take(const char *spec, struct e810_config *config) {
	const char *at = spec + path_len(spec);

	if (*at == ':') {
		error_print("%s: a package has no input sets to choose from", spec);
		return EXIT_NO;
	}
	while (*at == ';') {
		size_t len = strcspn(at + 1, ";");

		if (setting_take(at + 1, len, config) < 0) {
			error_print(
				"%s: '%.*s' is none of a package's parameters: vxlan_port, "
				"geneve_port, ecpri_port (0 to 65535, each up to %u times), dvm (0 "
				"or 1)",
				spec, (int)len, at + 1, E810_PORTS_MAX);
			return EXIT_NO;
		}
		at += 1 + len;
	}
	return EXIT_GOOD;
}

int e810_nic_options_check(const struct options *options) {
	const struct e810_config *nic = &options->nic;
	const char *given = nic->n_vxlan > 0  ? "vxlan-port" :
			    nic->n_geneve > 0 ? "geneve-port" :
			    nic->n_ecpri > 0  ? "ecpri-port" :
			    nic->double_vlan  ? "dvm" :
						NULL;

	if (options->steer.function == DDP_HASH_SYMMETRIC_TOEPLITZ_SORT &&
	    ddp_is_package(options->files[0])) {
		error_print("no NIC that Intel's packages are for has the hash function %s",
			    ddp_hash_function_name(options->steer.function));
		return EXIT_USAGE;
	}
	if (given == NULL || ddp_is_package(options->files[0]))
		return EXIT_GOOD;
	error_print("option --%s is for Intel packages, and '%s' is a profile: see its parameters "
		    "with 'ddpctl info'",
		    given, options->files[0]);
	return EXIT_USAGE;
}

static void ports_write(FILE *to, const char *parameter, const uint16_t *ports, unsigned int n) {
	for (unsigned int i = 0; i < n; i++)
		fprintf(to, ";%s=%u", parameter, ports[i]);
}

const char *e810_nic_spec(const struct options *options, struct strbuf *text) {
	const struct e810_config *nic = &options->nic;

	fputs(options->files[0], text->to);
	ports_write(text->to, "vxlan_port", nic->vxlan_ports, nic->n_vxlan);
	ports_write(text->to, "geneve_port", nic->geneve_ports, nic->n_geneve);
	ports_write(text->to, "ecpri_port", nic->ecpri_ports, nic->n_ecpri);
	if (nic->double_vlan)
		fputs(";dvm=1", text->to);
	return strbuf_take(text);
}

/* The model */

static int models_create(struct e810_nic *nic, struct ddp_diag *diag) {
	if (nic->package->kind != DDP_PACKAGE_E810) {
		struct ddp_place place = {.file = nic->package->path};

		ddp_error(
			diag, &place,
			"a package of the 700 series: only those of the 800 series hold a parser that "
			"can be run");
		return -1;
	}
	nic->parser = e810_parser_create(nic->package, &nic->config, diag);
	if (nic->parser != NULL)
		nic->rss = e810_rss_create(nic->parser, nic->options->steer.rss_hf, diag);
	return nic->rss != NULL ? 0 : -1;
}

int e810_nic_open(struct e810_nic *nic, const struct options *options) {
	struct ddp_diag diag;
	struct strbuf spec;
	int status;

	*nic = (struct e810_nic){.options = options};
	strbuf_init(&spec);
	status = settings_take(e810_nic_spec(options, &spec), &nic->config);
	strbuf_fini(&spec);
	if (status == EXIT_GOOD)
		status = e810_nic_package_open(options->files[0], &nic->package);
	if (status != EXIT_GOOD)
		return status;
	ddp_diag_init(&diag);
	if (models_create(nic, &diag) < 0) {
		e810_nic_close(nic);
		status = load_status(&diag);
	}
	ddp_diag_print(&diag, stderr); // what a package cannot be set to is a warning
	ddp_diag_fini(&diag);
	return status;
}

void e810_nic_close(struct e810_nic *nic) {
	e810_rss_destroy(nic->rss);
	e810_parser_destroy(nic->parser);
	ddp_package_close(nic->package);
}

int e810_nic_use(const struct options *options, struct output *out,
		 int (*command)(const struct e810_nic *nic, struct capture *capture,
				struct output *out)) {
	struct capture capture;
	struct e810_nic nic;
	int status = e810_nic_open(&nic, options);

	if (status != EXIT_GOOD)
		return status;
	status = capture_open_or_report(&capture, options);
	if (status == EXIT_GOOD) {
		status = command(&nic, &capture, out);
		capture_close(&capture);
	}
	e810_nic_close(&nic);
	return status;
}

/* Hashing */

// A symmetric hash has the exclusive or of a source and a destination in the place of both.
static bool partner_of(uint8_t protocol, uint16_t offset, uint16_t *partner) {
	static const struct {
		uint8_t protocol, source, destination, size;
	} pairs[] = {
		{1, 6, 0, 6},    {4, 6, 0, 6},  {32, 12, 16, 4}, {33, 12, 16, 4}, {40, 8, 24, 16},
		{41, 8, 24, 16}, {49, 0, 2, 2}, {53, 0, 2, 2},   {96, 0, 2, 2},
	};

	for (unsigned int i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		unsigned int in_source = offset - pairs[i].source;
		unsigned int in_destination = offset - pairs[i].destination;

		if (pairs[i].protocol != protocol)
			continue;
		*partner = in_source < pairs[i].size ? pairs[i].destination + in_source :
						       pairs[i].source + in_destination;
		return in_source < pairs[i].size || in_destination < pairs[i].size;
	}
	return false;
}

static void make_symmetric(const struct e810_word *words, unsigned int n, uint8_t *input) {
	uint8_t plain[2 * E810_WORDS];
	uint16_t partner;

	memcpy(plain, input, 2 * n);
	for (unsigned int i = 0; i < n; i++) {
		unsigned int j = 0;

		if (!partner_of(words[i].protocol, words[i].offset, &partner))
			continue;
		while (j < n &&
		       (words[j].protocol != words[i].protocol || words[j].offset != partner))
			j++;
		if (j == n)
			continue;
		input[2 * i] ^= plain[2 * j];
		input[2 * i + 1] ^= plain[2 * j + 1];
	}
}

void e810_nic_run(const struct e810_nic *nic, const struct steer *steer,
		  struct e810_nic_packet *packet) {
	struct e810_result *result = &packet->result;
	struct e810_word words[E810_WORDS];
	struct ddp_answer *steered = &packet->steered;
	unsigned int n;

	e810_parse(nic->parser, packet->data, packet->len, result);
	steered->input_len =
		e810_rss_input(nic->rss, result, packet->data, packet->len, steered->input);
	if (steer->config.function == DDP_HASH_SYMMETRIC_TOEPLITZ) {
		n = e810_rss_words(nic->rss, result->ptype, result->rss_flags, words);
		make_symmetric(words, n, steered->input);
	}
	steered->hash = steered->queue = 0;
	steered->dropped = false;
	if (steered->input_len == 0)
		return;
	steered->hash = ddp_hash_compute(&steer->hash, steered->input, steered->input_len);
	steered->queue = steer->reta[steered->hash & (steer->config.reta_size - 1)];
}

/* Fields */

bool e810_nic_protocol_find(const struct e810_result *result, uint8_t id, uint16_t *offset) {
	for (unsigned int i = 0; i < result->n_protocols; i++) {
		if (result->protocols[i].id != id)
			continue;
		*offset = result->protocols[i].offset;
		return true;
	}
	return false;
}

// The word as a field of its own; its bytes are those that are hashed without symmetry.
static void word_field(const struct e810_nic_packet *packet, const struct e810_word *word,
		       struct e810_hashed_field *field) {
	uint16_t offset = 0;
	bool found = e810_nic_protocol_find(&packet->result, word->protocol, &offset);
	uint32_t at = (uint32_t)offset + word->offset;

	*field = (struct e810_hashed_field){
		.first = word->index,
		.protocol = word->protocol,
		.offset = word->offset,
		.size = 2,
		.absent = !found || at + 2 > packet->len,
	};
	e810_word_name(word->protocol, word->offset, field->name);
	if (!field->absent)
		memcpy(field->value, packet->data + at, 2);
}

// "ipv4.src[2:4]" goes on where "ipv4.src[0:2]" ends.
static bool goes_on(const struct e810_hashed_field *field, const struct e810_hashed_field *word) {
	size_t len = strcspn(field->name, "[");
	unsigned int from;

	return word->protocol == field->protocol && field->absent == word->absent &&
	       strncmp(field->name, word->name, len) == 0 &&
	       sscanf(word->name + len, "[%u:", &from) == 1 && from == field->size &&
	       word->offset == field->offset + field->size;
}

unsigned int e810_hashed_fields(const struct e810_nic *nic, const struct e810_nic_packet *packet,
				struct e810_hashed_field fields[E810_WORDS]) {
	struct e810_word words[E810_WORDS];
	unsigned int n_words =
		e810_rss_words(nic->rss, packet->result.ptype, packet->result.rss_flags, words);
	unsigned int n = 0;

	for (unsigned int i = 0; i < n_words; i++) {
		struct e810_hashed_field word;

		word_field(packet, &words[i], &word);
		if (n > 0 && goes_on(&fields[n - 1], &word)) {
			memcpy(fields[n - 1].value + fields[n - 1].size, word.value, 2);
			fields[n - 1].size += 2;
		} else {
			fields[n++] = word;
		}
	}
	// What was put together has the whole field's name.
	for (unsigned int i = 0; i < n; i++)
		if (fields[i].size > 2)
			fields[i].name[strcspn(fields[i].name, "[")] = '\0';
	return n;
}

static bool is_address(const struct e810_hashed_field *field) {
	size_t len = strlen(field->name);

	return len > 4 && (strcmp(field->name + len - 4, ".src") == 0 ||
			   strcmp(field->name + len - 4, ".dst") == 0);
}

bool e810_nic_field_text(const struct e810_hashed_field *field, char text[E810_VALUE_SIZE]) {
	const uint8_t *v = field->value;
	uint64_t number = 0;
	bool address = is_address(field);

	if (address && field->size == 4) {
		inet_ntop(AF_INET, v, text, E810_VALUE_SIZE);
	} else if (address && field->size == 16) {
		inet_ntop(AF_INET6, v, text, E810_VALUE_SIZE);
	} else if (address && field->size == 6) {
		snprintf(text, E810_VALUE_SIZE, "%02x:%02x:%02x:%02x:%02x:%02x", v[0], v[1], v[2],
			 v[3], v[4], v[5]);
	} else if (field->size <= 8) {
		for (unsigned int i = 0; i < field->size; i++)
			number = number << 8 | v[i];
		snprintf(text, E810_VALUE_SIZE, "%" PRIu64, number);
		return true;
	} else {
		strcpy(text, "0x");
		for (unsigned int i = 0; i < field->size; i++)
			sprintf(text + 2 + 2 * i, "%02x", v[i]);
	}
	return false;
}

/* Words */

const char *e810_nic_status_name(enum e810_status status) {
	return status == E810_OK ? "ok" : status == E810_LOOP ? "loop" : "error";
}

const char *e810_nic_ptype_name(const struct e810_nic *nic, const struct e810_result *result) {
	return result->status == E810_LOOP ? NULL : e810_ptype_name(nic->parser, result->ptype);
}

const char *e810_nic_label(const struct ddp_package *package, uint32_t id, uint16_t value) {
	const char *label = e810_label(package, id, value);

	return label != NULL ? label : "";
}

const char *e810_nic_flag_name(unsigned int flag) {
	static const char *const names[64] = {
		[8] = "unicast",
		[9] = "multicast",
		[10] = "broadcast",
		[11] = "two outer MACs",
		[12] = "S-tag 88a8",
		[13] = "I-tag",
		[14] = "external VLAN 8100",
		[15] = "external VLAN 9100",
		[16] = "VLAN 8100",
		[17] = "NSH",
		[18] = "MPLS 8847",
		[19] = "MPLS 8848",
		[20] = "several MPLS labels",
		[21] = "inner MPLS",
		[22] = "MAC in a tunnel",
		[23] = "VLAN in a tunnel",
		[24] = "fragment",
		[25] = "IPv6 extension header",
		[26] = "VLAN in double VLAN mode",
		[28] = "RoCE",
		[29] = "UDP checksum is zero",
		[30] = "ESP",
		[31] = "ESP in UDP",
		[32] = "TCP URG",
		[33] = "TCP ACK",
		[34] = "TCP PSH",
		[35] = "TCP RST",
		[36] = "TCP SYN",
		[37] = "TCP FIN",
		[38] = "tunnel type bit 0",
		[39] = "tunnel type bit 1",
		[40] = "tunnel type bit 2",
		[41] = "UDP or GRE tunnel",
		[42] = "OAM",
		[43] = "NSH tunnel",
		[50] = "abort",
		[51] = "partial",
		[53] = "GTP-U PDU session container",
		[54] = "GTP-U uplink",
	};

	return flag < 64 ? names[flag] : NULL;
}
