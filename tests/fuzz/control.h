/* SPDX-License-Identifier: BSD-3-Clause */
// The fuzz test of the control path: calls of the API with arguments drawn at
// random, legal and not. Illegal is what the API has to refuse; a pointer to nowhere is not among
// it.
//
// Memory that a call gets to see has exactly the size that it may use, and is gone after the call:
// what reads beyond it, or keeps it, is found by AddressSanitizer.
#ifndef DDP_TESTS_FUZZ_CONTROL_H
#define DDP_TESTS_FUZZ_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rte_mempool;

struct control_call {
	const char *name;
	unsigned int weight; // how often it is made, beside the others
	// port is a net_ddp port as a rule, else any number that is no port of others.
	void (*make)(uint16_t port);
};

// Up to one without a name.
extern const struct control_call port_calls[], flow_calls[];

extern struct rte_mempool *control_pool,
	*control_small_pool; // the latter of mbufs without much room

// 0 to n - 1; n > 0.
uint32_t below(uint32_t n);
bool chance(unsigned int percent);
uint64_t random_bits(void);
// One of a list.
#define PICK(list) ((list)[below(RTE_DIM(list))])

// Memory until the call is over: random, zeroed, a string.
void *random_bytes(size_t size);
void *zero_bytes(size_t size);
char *random_text(size_t len);
char *text_copy(const char *text);

// Print each call and its arguments, with -v.
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

// control_port.c: each lower device is there once: what that allocates for good is no leak.
void devices_warm_up(void);
// Free the packets that were sent to lower devices.
void devices_empty(void);
// Before the end: stop and close all ports, remove all devices.
void devices_remove(void);
// control_flow.c: rules of ports that are gone are gone, too.
void handles_age(void);
// Whether that is a net_ddp port, and the lower port of no other.
bool is_ddp(uint16_t port);
// The sums of all net_ddp ports hold.
void sums_check(void);

#endif
