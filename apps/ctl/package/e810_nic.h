/* SPDX-License-Identifier: BSD-3-Clause */
// An 800-series NIC with a package, as ddpctl runs it: the model of its parser and of its RSS
// block.
//
// FILE is a path to the package, with ";parameter=value" as net_ddp takes them; options say the
// same.
#ifndef DDPCTL_PACKAGE_E810_NIC_H
#define DDPCTL_PACKAGE_E810_NIC_H

#include "base/diag.h"
#include "common/strbuf.h"
#include "ctl/capture/capture.h"
#include "ctl/options.h"
#include "e810/e810_rss.h"

struct e810_nic {
	const struct options *options;
	struct ddp_package *package;
	struct e810_config config;
	struct e810_parser *parser;
	struct e810_rss *rss;
};

// One packet and what the NIC makes of it.
struct e810_nic_packet {
	uint64_t n; // in the capture, from 1
	const uint8_t *data;
	uint32_t len;
	struct e810_result result;
	struct ddp_answer steered; // without its class
};

// What silicon was not asked, and what is taken from the package itself.
extern const char e810_nic_note[];

// Open a package alone. What is wrong goes to stderr. Returns the exit status, and with EXIT_GOOD a
// package of the 800 series to close.
int e810_nic_package_open(const char *spec, struct ddp_package **package);

// Options that only packages have are given, although FILE is none. Says so; EXIT_USAGE, or
// EXIT_GOOD.
int e810_nic_options_check(const struct options *options);
// A command line's FILE with the settings of its options, for those who load profiles.
const char *e810_nic_spec(const struct options *options, struct strbuf *text);

// Open FILE, and set it up as FILE and options say. Returns the exit status; errors go to stderr.
int e810_nic_open(struct e810_nic *nic, const struct options *options);
void e810_nic_close(struct e810_nic *nic);

// Run a command with its FILE and its PCAP opened. Returns the exit status.
int e810_nic_use(const struct options *options, struct output *out,
		 int (*command)(const struct e810_nic *nic, struct capture *capture,
				struct output *out));

// Parse, hash and steer packet->data.
void e810_nic_run(const struct e810_nic *nic, const struct steer *steer,
		  struct e810_nic_packet *packet);

// How a walk ended, for machines.
const char *e810_nic_status_name(enum e810_status status);
// NULL where the walk makes no progress.
const char *e810_nic_ptype_name(const struct e810_nic *nic, const struct e810_result *result);
// The package's label of a value, "" for none.
const char *e810_nic_label(const struct ddp_package *package, uint32_t id, uint16_t value);

// Where a protocol was found in a packet. False: nowhere.
bool e810_nic_protocol_find(const struct e810_result *result, uint8_t id, uint16_t *offset);

// A field that is hashed: words of the field vector that belong together.
struct e810_hashed_field {
	char name[E810_WORD_NAME];
	uint8_t first; // index of the field vector's entry of its first word
	uint8_t protocol;
	uint16_t offset; // of its first word in the protocol's header
	uint8_t size;    // bytes
	bool absent;     // the packet has no such protocol, or ends before: it reads as 0
	uint8_t value[2 * E810_WORDS];
};

// The fields that are hashed for a packet, in the order in which they enter the hash. Returns how
// many.
unsigned int e810_hashed_fields(const struct e810_nic *nic, const struct e810_nic_packet *packet,
				struct e810_hashed_field fields[E810_WORDS]);
#define E810_VALUE_SIZE (4 * E810_WORDS + 3)
// A field's value: addresses in text form, else a number. Returns whether it is a number for JSON.
bool e810_nic_field_text(const struct e810_hashed_field *field, char text[E810_VALUE_SIZE]);

// What a packet flag says, in words: labels of public packages are wrong about some. NULL: not
// known.
const char *e810_nic_flag_name(unsigned int flag);

// The keys of an object of `classify`, for `explain` to go on with.
void e810_nic_packet_json(const struct e810_nic *nic, const struct e810_nic_packet *packet,
			  struct json_writer *json);

int e810_classify(const struct options *options, struct output *out);
int e810_explain(const struct options *options, struct output *out);
int e810_graph(const struct options *options, struct output *out);

#endif
