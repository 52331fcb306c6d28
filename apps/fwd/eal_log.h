/* SPDX-License-Identifier: BSD-3-Clause */
// The log of EAL and its drivers in a journal.
#ifndef DDP_FWD_EAL_LOG_H
#define DDP_FWD_EAL_LOG_H

// If standard error is the journal's, give each line of the log its priority, and let EAL not send
// it to syslog, which the journal reads as well. To be called before EAL starts. 0 or -ENOMEM.
int eal_log_init(void);

#endif
