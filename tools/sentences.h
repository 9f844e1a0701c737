/* SPDX-License-Identifier: BSD-3-Clause */
/* What a message does to memory, in plain sentences. */
#ifndef SENTENCES_H
#define SENTENCES_H

#include <stdio.h>

#include "facts.h"
#include "survey.h"

/* Paragraphs, each with a heading word, wrapped for a terminal. TOOL_SYSTEM after a message when
 * memory is out. */
int sentences_write(const pieces_t *pieces, const survey_t *survey, const facts_t *facts,
                    FILE *out);

#endif
