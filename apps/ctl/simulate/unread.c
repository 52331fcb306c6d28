/* SPDX-License-Identifier: BSD-3-Clause */
#include "unread.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "classify/explain.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/capture/cut.h"
#include "ctl/profile/profile_load.h"

#define ENDS_MAX 256     // different ones
#define OFTEN 0.2        // of the packets end there: worth a word
#define IP_OFTEN 0.5     // of these have an IP header in one place: it is no chance
#define TUNNEL_OFTEN 0.9 // of these have one where a profile finds it: it is that tunnel
#define VARYING_BITS 0.1 // of entropy: less is one packet in a hundred
#define TRAILER 8u       // bytes at most behind an inner packet
#define ROW_BYTES 16

// Where a path ends: a header, and its number that announces nothing known.
struct end {
	uint8_t node, field;
	const struct ddp_table *table; // NULL: it is a port
	uint64_t value;
	uint64_t packets;
	uint16_t type;
};

struct finding {
	const struct ddp_profile *profile;
	const struct ddp_program *program;
	unsigned int n_ends;
	struct end ends[ENDS_MAX];

	// of the most frequent one
	uint32_t counts[UNREAD_BYTES][256];
	uint64_t n_with[UNREAD_BYTES]; // packets that have the byte
	uint64_t ip[UNREAD_BYTES][2];  // packets with an IPv4, an IPv6 header there
};

// A packet as the profile sees it; what is not known of a cut one is no end.
struct look {
	struct cut cut;
	struct ddp_explain explain;
	struct ddp_step last;
};

static bool look_init(struct look *look, const struct finding *f,
		      const struct capture_packet *packet) {
	struct ddp_class class;

	cut_begin(&look->cut, packet);
	cut_classify(&look->cut, f->program, &class);
	if (look->cut.unknown || class.status != DDP_STATUS_OK || class.n_seen == 0)
		return false;
	ddp_explain_init(&look->explain, f->profile, f->program, &look->cut.packet);
	ddp_explain_step(&look->explain, look->explain.n_steps - 1, &look->last);
	return look->last.next < 0 && look->last.rule < 0 && look->last.flaw == DDP_FLAW_NONE;
}

// The rule whose number is unknown: of a table, else of UDP's destination port.
static bool end_find(const struct look *look, struct end *end) {
	const struct ddp_header *header = look->last.header;
	const unsigned int at = look->explain.n_steps - 1;
	struct ddp_value value;

	*end = (struct end){.node = look->last.seen->node, .type = look->explain.class.type};
	for (unsigned int i = 0; i < header->n_rules; i++) {
		const struct ddp_rule *rule = &header->rules[i];
		const struct ddp_question question = {DDP_ASKED_RULE, at, i};

		if (!ddp_explain_holds(&look->explain, &question) ||
		    rule->kind != DDP_RULE_LOOKUP || rule->key.which != DDP_WHICH_SELF ||
		    !ddp_explain_field(&look->explain, at, &rule->key, &value))
			continue; // the rule asks something else of this packet
		end->table = &look->explain.profile->tables[rule->table];
		end->field = rule->key.field;
		end->value = value.lo;
		return true;
	}
	for (unsigned int i = 0; i < header->n_fields && strcmp(header->name, "udp") == 0; i++) {
		const struct ddp_ref ref = {
			.node = end->node,
			.field = i,
			.which = DDP_WHICH_SELF,
			.bits = header->fields[i].width,
			.name = header->fields[i].name,
		};

		if (strcmp(ref.name, "dport") != 0 ||
		    !ddp_explain_field(&look->explain, at, &ref, &value))
			continue;
		end->field = i;
		end->value = value.lo;
		return true;
	}
	return false;
}

static bool is_same_end(const struct end *a, const struct end *b) {
	return a->node == b->node && a->field == b->field && a->value == b->value;
}

static void end_count(struct finding *f, const struct end *end) {
	unsigned int i = 0;

	while (i < f->n_ends && !is_same_end(&f->ends[i], end))
		i++;
	if (i == ENDS_MAX)
		return; // what comes often is met early
	if (i == f->n_ends)
		f->ends[f->n_ends++] = *end;
	f->ends[i].packets++;
}

static const struct end *most_frequent(const struct finding *f) {
	const struct end *most = NULL;

	for (unsigned int i = 0; i < f->n_ends; i++)
		if (most == NULL || f->ends[i].packets > most->packets)
			most = &f->ends[i];
	return most;
}

/* The bytes behind it */

static uint16_t be16(const uint8_t *at) {
	return at[0] << 8 | at[1];
}

// len bytes are there, of left on the wire. A checksum need not be right: a sender may leave it to
// its NIC.
static bool is_ipv4(const uint8_t *at, uint32_t len, uint32_t left) {
	int size = (at[0] & 0xf) * 4;

	return len >= 20 && at[0] >> 4 == 4 && size >= 20 && be16(at + 2) >= size &&
	       be16(at + 2) <= left && be16(at + 2) + TRAILER >= left;
}

static bool is_ipv6(const uint8_t *at, uint32_t len, uint32_t left) {
	return len >= 40 && at[0] >> 4 == 6 && 40u + be16(at + 4) <= left &&
	       40u + be16(at + 4) + TRAILER >= left;
}

static void bytes_count(struct finding *f, const struct capture_packet *packet, uint32_t off) {
	const uint8_t *at = packet->data + off;
	uint32_t len = packet->len > off ? packet->len - off : 0;
	uint32_t left = packet->wire_len > off ? packet->wire_len - off : 0;

	for (unsigned int i = 0; i < UNREAD_BYTES && i < len; i++) {
		f->counts[i][at[i]]++;
		f->n_with[i]++;
		f->ip[i][0] += is_ipv4(at + i, len - i, left - i);
		f->ip[i][1] += is_ipv6(at + i, len - i, left - i);
	}
}

static double byte_entropy(const uint32_t counts[256], uint64_t n) {
	double bits = 0;

	for (unsigned int i = 0; i < 256; i++)
		if (counts[i] > 0)
			bits -= (double)counts[i] / n * log2((double)counts[i] / n);
	return bits > 0 ? bits : 0;
}

static void bytes_tell(const struct finding *f, struct unread *unread) {
	unread->ip_at = -1;
	for (unsigned int i = 0; i < UNREAD_BYTES; i++) {
		if (2 * f->n_with[i] <= unread->packets)
			break; // most packets are shorter
		unread->entropy[i] = byte_entropy(f->counts[i], f->n_with[i]);
		unread->n_varying += unread->entropy[i] >= VARYING_BITS;
		unread->n_bytes++;
		if (f->ip[i][0] + f->ip[i][1] <= unread->ip_packets ||
		    f->ip[i][0] + f->ip[i][1] < IP_OFTEN * unread->packets)
			continue;
		unread->ip_at = i;
		unread->ip_packets = f->ip[i][0] + f->ip[i][1];
		unread->ip_version = f->ip[i][1] == 0 ? 4 : f->ip[i][0] == 0 ? 6 : 0;
	}
}

/* Words */

static const char *taken(struct strbuf *text, struct ddp_arena *arena) {
	return ddp_arena_strdup(arena, strbuf_take(text));
}

static void value_write(const struct end *end, FILE *to) {
	if (end->table != NULL && end->table->n_entries > 0 && end->table->entries[0].hex)
		fprintf(to, "0x%04" PRIx64, end->value);
	else
		fprintf(to, "%" PRIu64, end->value);
}

// What base's own headers announce, they announce wherever the table is asked.
static void words_make(const struct finding *f, const struct end *end, struct ddp_arena *arena,
		       struct unread *unread) {
	const struct ddp_header *header = &f->profile->headers[end->node];
	const char *field = header->fields[end->field].name;
	bool by_table = end->table != NULL && strcmp(header->profile, "base") == 0;
	struct strbuf text;

	strbuf_init(&text);
	fprintf(text.to, "%s.%s ", header->name, field);
	value_write(end, text.to);
	unread->field = taken(&text, arena);
	if (by_table)
		fprintf(text.to, "%s(", end->table->name);
	else
		fprintf(text.to, "%s(%s=", header->name, field);
	value_write(end, text.to);
	fputc(')', text.to);
	unread->after = taken(&text, arena);
	strbuf_fini(&text);
	unread->type = ddp_arena_strdup(arena, type_name(f->program, end->type));
	unread->by_table = end->table != NULL;
	unread->port = end->table == NULL ? end->value : 0;
}

static void sample_look(struct finding *f, const struct sample *sample, const struct end *most) {
	static struct look look;
	struct end end;

	for (unsigned int i = 0; i < sample->n; i++) {
		struct capture_packet packet = sample_packet(sample, i);

		if (!look_init(&look, f, &packet) || !end_find(&look, &end))
			continue;
		if (most == NULL)
			end_count(f, &end);
		else if (is_same_end(&end, most))
			bytes_count(f, &packet, look.last.seen->off + look.last.seen->len);
	}
}

void unread_find(struct unread *unread, const struct candidates *candidates,
		 const struct sample *sample, struct ddp_arena *arena) {
	const int flows = candidates->totals.flow_spread;
	const struct end *most;
	struct finding *f;

	*unread = (struct unread){.ip_at = -1};
	if (flows < 0)
		return;
	f = calloc_or_exit(1, sizeof(*f));
	f->profile = candidates_loaded(candidates, flows)->profile;
	f->program = candidates->spreads[flows].program;
	sample_look(f, sample, NULL);
	most = most_frequent(f);
	if (most != NULL && most->packets >= OFTEN * sample->n) {
		unread->packets = most->packets;
		unread->sampled = sample->n;
		words_make(f, most, arena, unread);
		sample_look(f, sample, most);
		bytes_tell(f, unread);
	}
	free(f);
}

static bool is_tunnel(const struct ddp_program *program, const struct capture_packet *packet,
		      uint32_t off) {
	struct ddp_class class;
	struct cut cut;
	uint32_t at;

	cut_begin(&cut, packet);
	cut_classify(&cut, program, &class);
	at = class.inner_l3_off;
	if (class.status != DDP_STATUS_OK || at == UINT16_MAX || at < off || at + 20 > packet->len)
		return false;
	return is_ipv4(packet->data + at, packet->len - at, packet->wire_len - at) ||
	       is_ipv6(packet->data + at, packet->len - at, packet->wire_len - at);
}

bool unread_is_tunnel(const struct unread *unread, const struct candidates *candidates,
		      const struct sample *sample, const struct ddp_program *program) {
	const int flows = candidates->totals.flow_spread;
	struct finding *f = calloc_or_exit(1, sizeof(*f));
	static struct look look;
	uint64_t n = 0;

	f->profile = candidates_loaded(candidates, flows)->profile;
	f->program = candidates->spreads[flows].program;
	for (unsigned int i = 0; i < sample->n; i++) {
		struct capture_packet packet = sample_packet(sample, i);
		struct end end;

		if (look_init(&look, f, &packet) && end_find(&look, &end) && end.table == NULL &&
		    end.value == unread->port)
			n += is_tunnel(program, &packet, look.last.seen->off + look.last.seen->len);
	}
	free(f);
	return n >= TUNNEL_OFTEN * unread->packets;
}

bool unread_is_promising(const struct unread *unread) {
	return unread->packets > 0 &&
	       (unread->ip_at >= 0 || (unread->by_table && unread->n_varying > 0));
}

/* Showing */

void unread_print(const struct unread *unread, struct output *out) {
	struct table table;

	if (unread->n_bytes == 0)
		return;
	output_printf(out, "bytes behind %s, entropy of each in bits:\n", unread->field);
	table_init(&table, out, ">BYTE");
	for (unsigned int i = 0; i < ROW_BYTES; i++) {
		char title[8];

		snprintf(title, sizeof(title), ">+%u", i);
		table_columns(&table, title);
	}
	for (unsigned int i = 0; i < (unread->n_bytes + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES;
	     i++) {
		if (i % ROW_BYTES == 0)
			table_cell(&table, "%u", i);
		if (i < unread->n_bytes)
			table_cell(&table, "%.1f", unread->entropy[i]);
		else
			table_text(&table, "");
	}
	table_fini(&table);
	output_text(out, "\n");
}

void unread_json(const struct unread *unread, struct json_writer *json) {
	if (unread->packets == 0) {
		jsonw_key_text(json, "unread", NULL);
		return;
	}
	jsonw_key_open(json, "unread", '{');
	jsonw_write(json, "after:%s field:%s ptype:%s packets:%ju sampled:%ju varying:%u entropy:[",
		    unread->after, unread->field, unread->type, unread->packets, unread->sampled,
		    unread->n_varying);
	for (unsigned int i = 0; i < unread->n_bytes; i++)
		jsonw_real(json, unread->entropy[i]);
	jsonw_close(json, ']');
	jsonw_key_uint_or_null(json, "ip_at", unread->ip_at >= 0, unread->ip_at);
	jsonw_key_uint_or_null(json, "ip_version", unread->ip_at >= 0 && unread->ip_version != 0,
			       unread->ip_version);
	jsonw_key_uint_or_null(json, "ip_packets", unread->ip_at >= 0, unread->ip_packets);
	jsonw_close(json, '}');
}
