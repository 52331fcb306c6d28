/* SPDX-License-Identifier: BSD-3-Clause */
// Words quoted for a shell, so that users can copy and run them.
#ifndef COMMON_SHELL_QUOTE_H
#define COMMON_SHELL_QUOTE_H

#include <stdio.h>

// Write one word with the necessary quotes. Invisible bytes are written as $'\033', which bash,
// zsh, ksh and POSIX of 2024 read.
void shell_word(FILE *to, const char *word);

// Write a command: words up to NULL, separated by blanks.
void shell_line(FILE *to, const char *const *words);

#endif
