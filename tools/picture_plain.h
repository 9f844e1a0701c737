/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures as text. TOOL_SYSTEM after a message when memory is out; errors of `out` are the
 * caller's to look for. */
#ifndef PICTURE_PLAIN_H
#define PICTURE_PLAIN_H

#include "picture.h"

/* At most as many cells in a row as the plan has, and its address; UTF-8. */
int picture_write_text(const picture_t *picture, FILE *out);

#endif
