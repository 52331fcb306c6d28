/* SPDX-License-Identifier: BSD-3-Clause */
// Our interpreter: every packet is walked.
#include "base/rss_hf.h"
#include "methods.h"

static const void *segments_read(const void *ctx, uint32_t off, uint32_t len, void *buf) {
	return rte_pktmbuf_read(ctx, off, len, buf);
}

// Of a packet that comes next, what lies behind the two lines that are prefetched of all.
static inline void deep_prefetch(const struct rte_mbuf *mbuf) {
	const char *data = rte_pktmbuf_mtod(mbuf, const char *);

	rte_prefetch0(data + 2 * RTE_CACHE_LINE_SIZE);
	rte_prefetch0(data + 3 * RTE_CACHE_LINE_SIZE);
}

static inline __attribute__((always_inline)) void interpreter(void *arg,
							      struct rte_mbuf *const *mbufs,
							      unsigned int n,
							      struct rte_mbuf *const *next) {
	const struct ddp_program *program = *(const struct ddp_program **)arg;

	for (unsigned int i = 0; i < n; i++) {
		struct rte_mbuf *mbuf = mbufs[i];
		const struct ddp_packet packet = {
			.data = rte_pktmbuf_mtod(mbuf, const uint8_t *),
			.first_len = rte_pktmbuf_data_len(mbuf),
			.len = rte_pktmbuf_pkt_len(mbuf),
			.read = segments_read,
			.ctx = mbuf,
		};
		uint8_t input[DDP_HASH_INPUT_MAX];
		struct ddp_class class;
		unsigned int len;

		if (next != NULL) {
			headers_prefetch(next[i], 2);
			if (i + 1 < n) // as the path cache does
				deep_prefetch(mbufs[i + 1]);
		}
		ddp_classify_type(program, &packet, &class);
		len = ddp_input_gather(program, &packet, &class, DDP_RSS_HF_ALL, false, input);
		if (len > 0)
			packet_hashed(mbuf, i, class.rte_ptype,
				      ddp_hash_compute(&work.hash, input, len));
		else
			packet_unhashed(mbuf, i, class.rte_ptype);
	}
}
METHOD_FUNCTIONS(interpreter)

static void interpreter_add(const char *id, const char *title, const struct ddp_program **program) {
	struct method *method = method_add(id, title);

	method->run = interpreter_run;
	method->run_ahead = interpreter_run_ahead;
	method->arg = program;
}

void interpreter_methods_add(void) {
	interpreter_add("interpreter", "our interpreter", &work.program);
	interpreter_add("interpreter-all", "our interpreter, profile all", &work.all);
}
