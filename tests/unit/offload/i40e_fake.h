/* SPDX-License-Identifier: BSD-3-Clause */
// A 700-series NIC behind its driver's private calls, as far as packages are concerned: registers
// that packages write and from which the firmware reads the old values back, the list of profiles,
// and the driver's tables. For what it does there is DPDK's source; no silicon was asked.
#ifndef I40E_FAKE_H
#define I40E_FAKE_H

#include "offload/i40e_port.h"

#define FAKE_REGISTERS 256

struct i40e_fake {
	// the NIC
	uint8_t registers[FAKE_REGISTERS];
	uint32_t loaded[I40E_LOADED_MAX]; // track ids
	unsigned int n_loaded;
	struct ddp_i40e_inset insets[DDP_I40E_FLOW_TYPES];
	// the driver
	bool started; // a port that runs takes no package
	struct ddp_i40e_flow_type flow_types[DDP_I40E_FLOW_TYPES];
	bool maps_ptypes; // of the package

	// what the test wants
	int fail_section;    // this many more sections are written, then one fails; -1: none fails
	uint64_t fail_calls; // bit n: call n from now on fails, the first of them with -EIO, others
			     // with -ENODEV
	unsigned int n_calls;
	char log[512]; // "add 80000008; del ...": what was asked, in order
};

extern struct i40e_fake i40e_fake;
extern uint16_t i40e_fake_port; // it must be asked for, 3 unless told
extern const struct ddp_i40e_calls i40e_fake_calls;

// A NIC that was just reset.
void i40e_fake_reset(void);
// The application ended without taking anything back: the NIC stays as it is, the driver forgets.
void i40e_fake_restart(void);

#endif
