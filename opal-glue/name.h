/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that a program has given, as text of one line. */
#ifndef DT_NAME_H
#define DT_NAME_H

#include <stddef.h>

/* Bytes of the character of UTF-8 that `name` begins with; 0: that is a control character, or no
 * UTF-8. */
int dt_name_character(const char *name);

/* A name that a program has given, which may hold anything, for a terminal or a line of a file:
 * what dt_name_character() is 0 for becomes \n, \t, \r or \x1b. Cuts it to `room`. Returns `text`.
 */
char *dt_name_text(const char *name, char *text, size_t room);

/* A name has fewer than 64 bytes (MPI_MAX_OBJECT_NAME), each of which takes four at most. */
enum { DT_NAME_TEXT = 4 * 63 + 1 };

#endif
