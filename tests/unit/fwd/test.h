/* SPDX-License-Identifier: BSD-3-Clause */
// What CMocka wants included before it.
#ifndef DDP_TEST_FWD_TEST_H
#define DDP_TEST_FWD_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#endif
