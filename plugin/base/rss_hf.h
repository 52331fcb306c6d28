/* SPDX-License-Identifier: BSD-3-Clause */
// RTE_ETH_RSS_* bits by the names that testpmd gives them ("ipv4-udp", "ip", "all").
#ifndef DDP_BASE_RSS_HF_H
#define DDP_BASE_RSS_HF_H

#include <stddef.h>
#include <stdint.h>

// Every type but ipv4-chksum and l4-chksum, as testpmd's "all".
#define DDP_RSS_HF_ALL (~(UINT64_C(3) << 34))

// Parse names joined by '+'. 0, or -EINVAL with the unknown name (a part of list) in unknown.
int ddp_rss_hf_parse(const char *list, uint64_t *rss_hf, const char **unknown, size_t *unknown_len);

// The name of one bit, "?" for a bit that has none.
const char *ddp_rss_hf_name(unsigned int bit);

#endif
