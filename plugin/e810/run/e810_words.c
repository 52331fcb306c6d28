/* SPDX-License-Identifier: BSD-3-Clause */
// The words of a packet that the RSS block hashes. Data path.
#include "e810/e810_model.h"

#define NO_WORD 255 // protocol id of an unused word

// The group of VSIs that the driver makes for its port; entries of packages are for all groups.
#define VSIG 1

uint8_t e810_rss_group(const struct e810_rss *rss, uint16_t ptype) {
	return ptype < E810_N_PTYPES ? rss->groups[ptype] : 0;
}

// The first matching entry of the package, which precedes all requests, or NULL.
static const struct own_entry *own_find(const struct e810_rss *rss, uint16_t flags, uint8_t group) {
	const uint8_t key[5] = {flags, flags >> 8, group, VSIG & 0xff, VSIG >> 8};

	for (unsigned int i = 0; i < rss->n_own; i++) {
		const struct own_entry *own = &rss->own[i];
		uint8_t differing = 0;

		for (unsigned int b = 0; b < 5; b++)
			differing |= (key[b] ^ own->value[b]) & own->care[b];
		if (differing == 0)
			return own;
	}
	return NULL;
}

// The newest request for a packet type among those of rss_hf.
static const struct e810_request *request_find(const struct e810_rss *rss, uint16_t ptype,
					       uint16_t flags) {
	uint8_t group = e810_rss_group(rss, ptype);

	if (ptype >= E810_N_PTYPES || own_find(rss, flags, group) != NULL)
		return NULL;
	for (unsigned int r = N_REQUESTS; r-- > 0;)
		if ((rss->applicable[group] >> r & 1) && (rss->requests[r].rss_hf & rss->rss_hf))
			return &rss->requests[r];
	return NULL;
}

const char *e810_rss_request(const struct e810_rss *rss, uint16_t ptype, uint16_t rss_flags) {
	const struct e810_request *request = request_find(rss, ptype, rss_flags);

	return request != NULL ? request->name : NULL;
}

static void word_add(struct e810_word words[E810_WORDS], unsigned int *n, uint8_t protocol,
		     uint16_t offset) {
	RTE_ASSERT(*n < E810_WORDS);
	words[*n] = (struct e810_word){protocol, offset, E810_WORDS - 1 - *n};
	++*n;
}

// Fill the vector from its end.
static unsigned int request_words(const struct e810_request *request,
				  struct e810_word words[E810_WORDS]) {
	static const struct {
		uint8_t protocol, first, n;
	} addresses[] = {
		[IP_V4] = {32, 12, 4},
		[IP_V6] = {40, 8, 16},
	};
	static const uint8_t ports[] = {[L4_UDP] = 53, [L4_TCP] = 49, [L4_SCTP] = 96};
	unsigned int n = 0;

	for (unsigned int i = 0; i < addresses[request->ip].n; i++)
		word_add(words, &n, addresses[request->ip].protocol,
			 addresses[request->ip].first + 2 * i);
	for (unsigned int i = 0; request->l4 != L4_NONE && i < 2; i++)
		word_add(words, &n, ports[request->l4], 2 * i);
	return n;
}

bool e810_rss_choice(const struct e810_rss *rss, uint16_t ptype, unsigned int nth,
		     struct e810_choice *choice) {
	uint8_t group = e810_rss_group(rss, ptype);
	uint64_t newer = 0;

	if (ptype >= E810_N_PTYPES || own_find(rss, 0, group) != NULL)
		return false;
	for (unsigned int r = N_REQUESTS; r-- > 0;) {
		const struct e810_request *request = &rss->requests[r];

		if ((rss->applicable[group] >> r & 1) == 0 || (newer & request->rss_hf) != 0)
			continue;
		newer |= request->rss_hf;
		if (nth-- > 0)
			continue;
		choice->rss_hf = request->rss_hf;
		choice->n = request_words(request, choice->words);
		return true;
	}
	return false;
}

static unsigned int own_words(const struct e810_rss *rss, const struct own_entry *own,
			      struct e810_word words[E810_WORDS]) {
	unsigned int profile = rss->redirection[own->profile], n = 0;

	if (profile >= rss->vectors->n_entries)
		return 0;
	for (int i = E810_WORDS - 1; i >= 0; i--) {
		const uint8_t *word = e810_entry(rss->vectors, profile) + 4 * i;

		if (word[0] == NO_WORD)
			continue; // unused, or metadata
		words[n++] = (struct e810_word){word[0], entry_bits(word, 8, 16), i};
	}
	return n;
}

unsigned int e810_rss_words(const struct e810_rss *rss, uint16_t ptype, uint16_t rss_flags,
			    struct e810_word words[E810_WORDS]) {
	const struct e810_request *request = request_find(rss, ptype, rss_flags);
	const struct own_entry *own = own_find(rss, rss_flags, e810_rss_group(rss, ptype));

	if (own != NULL)
		return own_words(rss, own, words);
	return request != NULL ? request_words(request, words) : 0;
}
