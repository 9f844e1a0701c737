/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A layout in a few words, for one line of a message or of the report.
 */
#ifndef DAME_WORDS_H
#define DAME_WORDS_H

#include <stddef.h>

#include "dame/program.h"

/* Writes a layout as people say it: "128 blocks of 8 B, every 2064 B", "20 x 512 blocks of 8 B at
 * listed places", "struct of 3 members". Where the data begins is left out. Cuts it to `room`. */
void dame_words_of_layout(const dame_program_t *program, char *text, size_t room);

/* Bytes with three digits and a unit, powers of 1000: "8 B", "1.57 kB", "12.6 MB". */
enum { DAME_WORDS_BYTES = 16 };
const char *dame_words_of_bytes(double bytes, char text[DAME_WORDS_BYTES]);

#endif
