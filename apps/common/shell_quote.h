/* SPDX-License-Identifier: BSD-3-Clause */
// Words as a shell takes them back: what is shown can be copied and run.
#ifndef COMMON_SHELL_QUOTE_H
#define COMMON_SHELL_QUOTE_H

#include <stdio.h>

// One word, quoted where it has to be. Bytes that a terminal or a page would not show come as
// $'\033', which bash, zsh, ksh and POSIX of 2024 read.
void shell_word(FILE *to, const char *word);

// A command: words up to NULL, with blanks between.
void shell_line(FILE *to, const char *const *words);

#endif
