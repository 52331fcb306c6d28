/* SPDX-License-Identifier: BSD-3-Clause */
#include "advice.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "classify/answer.h"
#include "ctl/profile/profile_load.h"
#include "ctl/steer/cut.h"

#define ENDS_MAX 256     // distinct ends
#define BYTES 64         // bytes behind the header
#define OFTEN 0.2        // of the packets: an end with fewer is not reported
#define IP_OFTEN 0.5     // of an end's packets: IP headers at one offset are no chance
#define TUNNEL_OFTEN 0.9 // of an end's packets: so many make it a profile's tunnel
#define CONSTANT 0.99    // of an end's packets: a byte with one value does not vary
#define TRAILER 8u       // bytes at most behind an inner packet

// The end of a path: a header and its unknown number of the next protocol.
struct end {
	uint8_t node;
	const char *field;             // of the header
	const struct ddp_table *table; // NULL: value is a UDP port
	uint64_t value;
	uint16_t type;
	uint32_t off; // offset of the unread bytes of this packet
	uint64_t packets;
};

struct finding {
	unsigned int n_ends;
	struct end ends[ENDS_MAX], most; // the most frequent one
	// of the bytes behind `most`
	uint32_t counts[BYTES][256];
	uint64_t n_with[BYTES]; // packets with the byte
	uint64_t n_ip[BYTES];   // packets with an IP header there
};

// Find the end of packet i: an unknown number of a table, or else of UDP's destination port. There
// is none if a rule ended the path, or if the packet was cut too short.
static bool end_find(const struct ddp_personality *all, const struct sample *sample, unsigned int i,
		     struct capture_packet *packet, struct end *end) {
	const struct ddp_profile *profile = all->profile;
	const struct ddp_program *program = all->program;
	const struct ddp_header *header;
	const struct ddp_rule *rule;
	const struct ddp_seen *last;
	struct ddp_class class;
	uint64_t value;
	struct cut cut = {.captured = packet};

	*packet = sample_packet(sample, i);
	cut_classify(&cut, program, &class);
	if (cut.unknown || !ddp_answer_end(profile, program, &cut.packet, &class, &rule, &value))
		return false;
	last = &class.seen[class.n_seen - 1];
	header = &profile->headers[last->node];
	*end = (struct end){
		.node = last->node,
		.field = "dport",
		.type = class.type,
		.off = last->off + last->len,
	};
	if (rule != NULL) {
		end->table = &profile->tables[rule->table];
		end->field = header->fields[rule->key.field].name;
		end->value = value;
		return true;
	}
	if (strcmp(header->name, "udp") != 0 || last->off + 4u > packet->len)
		return false;
	end->value = be16(packet->data + last->off + 2);
	return true;
}

static bool is_same_end(const struct end *a, const struct end *b) {
	return a->node == b->node && a->field == b->field && a->value == b->value;
}

static void end_count(struct finding *f, const struct end *end) {
	unsigned int i = 0;

	while (i < f->n_ends && !is_same_end(&f->ends[i], end))
		i++;
	if (i == ENDS_MAX)
		return; // frequent ends are found early
	if (i == f->n_ends)
		f->ends[f->n_ends++] = *end;
	if (++f->ends[i].packets > f->most.packets)
		f->most = f->ends[i];
}

/* The bytes behind it */

// Does an IP header with a plausible length begin there? Checksums may be left to NICs.
static bool is_ip(const struct capture_packet *packet, uint32_t off) {
	const uint8_t *at = packet->data + off;
	uint32_t size, len, left = packet->wire_len - off;

	if (off + 20 > packet->len || (at[0] >> 4 != 4 && at[0] >> 4 != 6))
		return false;
	size = at[0] >> 4 == 4 ? 4 * (at[0] & 0xfu) : 40;
	len = at[0] >> 4 == 4 ? be16(at + 2) : size + be16(at + 4);
	return size >= 20 && len >= size && len <= left && len + TRAILER >= left;
}

static void bytes_count(struct finding *f, const struct capture_packet *packet, uint32_t off) {
	for (unsigned int i = 0; i < BYTES && off + i < packet->len; i++) {
		f->counts[i][packet->data[off + i]]++;
		f->n_with[i]++;
		f->n_ip[i] += is_ip(packet, off + i);
	}
}

static void bytes_evaluate(const struct finding *f, struct unread *unread) {
	for (unsigned int i = 0; i < BYTES && 2 * f->n_with[i] > unread->packets; i++) {
		bool varies = true;

		for (unsigned int value = 0; value < COUNT(f->counts[i]); value++)
			varies &= f->counts[i][value] <= CONSTANT * f->n_with[i];
		unread->n_varying += varies;
		unread->n_bytes++;
		if (f->n_ip[i] > unread->ip_packets && f->n_ip[i] >= IP_OFTEN * unread->packets) {
			unread->ip_at = i;
			unread->ip_packets = f->n_ip[i];
		}
	}
}

// Tables of base are named without the header.
static void names_make(const struct ddp_personality *all, const struct end *end,
		       struct ddp_arena *arena, struct unread *unread) {
	const struct ddp_header *header = &all->profile->headers[end->node];
	const struct ddp_table *table = end->table;
	char value[24];

	assert(end->node < all->profile->n_headers);
	snprintf(value, sizeof(value), table != NULL && table->hex ? "0x%04" PRIx64 : "%" PRIu64,
		 end->value);
	unread->field = ddp_arena_printf(arena, "%s.%s %s", header->name, end->field, value);
	if (table != NULL && strcmp(header->profile, "base") == 0)
		unread->after = ddp_arena_printf(arena, "%s(%s)", table->name, value);
	else
		unread->after =
			ddp_arena_printf(arena, "%s(%s=%s)", header->name, end->field, value);
	unread->type = ddp_arena_strdup(arena, type_name(all->program, end->type));
	unread->port = table == NULL ? end->value : 0;
}

void unread_find(struct unread *unread, const struct ddp_personality *all,
		 const struct sample *sample, struct ddp_arena *arena) {
	struct capture_packet packet;
	struct finding *f;
	struct end end;

	*unread = (struct unread){.ip_at = -1, .sampled = sample->n};
	f = calloc_or_exit(1, sizeof(*f));
	for (unsigned int i = 0; i < sample->n; i++)
		if (end_find(all, sample, i, &packet, &end))
			end_count(f, &end);
	if (f->most.packets > 0 && f->most.packets >= OFTEN * sample->n) {
		unread->packets = f->most.packets;
		names_make(all, &f->most, arena, unread);
	}
	for (unsigned int i = 0; unread->packets > 0 && i < sample->n; i++)
		if (end_find(all, sample, i, &packet, &end) && is_same_end(&end, &f->most))
			bytes_count(f, &packet, end.off);
	bytes_evaluate(f, unread);
	free(f);
}

bool unread_is_tunnel(const struct unread *unread, const struct ddp_personality *all,
		      const struct sample *sample, const struct ddp_program *program) {
	struct capture_packet packet;
	struct cut cut = {.captured = &packet};
	struct ddp_class class;
	struct end end;
	uint64_t n = 0;

	for (unsigned int i = 0; i < sample->n; i++) {
		if (!end_find(all, sample, i, &packet, &end) || end.table != NULL ||
		    end.value != unread->port)
			continue;
		cut_classify(&cut, program, &class);
		n += class.status == DDP_STATUS_OK && class.inner_l3_off != UINT16_MAX &&
		     class.inner_l3_off >= end.off && is_ip(&packet, class.inner_l3_off);
	}
	return n >= TUNNEL_OFTEN * unread->packets;
}

bool unread_is_promising(const struct unread *unread) {
	return unread->packets > 0 &&
	       (unread->ip_at >= 0 || (unread->port == 0 && unread->n_varying > 0));
}

void unread_json(const struct unread *unread, struct json_writer *json) {
	if (unread->packets == 0) {
		jsonw_key_text(json, "unread", NULL);
		return;
	}
	jsonw_write(json, "unread:{after:%s field:%s ptype:%s packets:%ju sampled:%ju varying:%u",
		    unread->after, unread->field, unread->type, unread->packets, unread->sampled,
		    unread->n_varying);
	jsonw_key_uint_or_null(json, "ip_at", unread->ip_at >= 0, unread->ip_at);
	jsonw_key_uint_or_null(json, "ip_packets", unread->ip_at >= 0, unread->ip_packets);
	jsonw_close(json, '}');
}
