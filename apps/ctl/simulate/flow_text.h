/* SPDX-License-Identifier: BSD-3-Clause */
// A flow in words, by what is hashed of it.
#ifndef DDPCTL_SIMULATE_FLOW_TEXT_H
#define DDPCTL_SIMULATE_FLOW_TEXT_H

#include "ctl/profile/field_format.h"
#include "spread.h"

#define FLOW_TEXT_SIZE 256

// "10.45.0.1:4000 > 198.51.100.7:443", other fields as "teid=4660".
void flow_text(struct fields *fields, const struct layout *layout, const struct flow_detail *detail,
	       char text[FLOW_TEXT_SIZE]);

// "192.0.2.1 > 192.0.2.2": the addresses of the outer IP header, of a flow that has them.
void flow_outer_text(const struct flow_detail *detail, char text[FLOW_TEXT_SIZE]);

// Whether it is an address that alone is hashed, and that.
bool flow_is_address(const struct layout *layout, const struct flow_detail *detail);
void flow_address(struct fields *fields, const struct layout *layout,
		  const struct flow_detail *detail, char text[FIELD_TEXT_SIZE]);

#endif
