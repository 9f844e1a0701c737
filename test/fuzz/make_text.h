/*
 * A program's text from arbitrary bytes: what mutation of text rarely hits, since sizes and lengths
 * of lists must agree.
 */
#ifndef TEST_FUZZ_MAKE_TEXT_H
#define TEST_FUZZ_MAKE_TEXT_H

#include <stdio.h>

#include "choices.h"

/* Writes a program. It is one by the grammar, but may break rules where the bytes say so. */
void make_text(choices_t *choices, FILE *out);

#endif
