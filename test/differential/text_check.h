/*
 * The program as text: what is printed is read back as the same program.
 */
#ifndef TEST_TEXT_CHECK_H
#define TEST_TEXT_CHECK_H

#include "message.h"

/* Messages whose texts were tried, and those with texts too long to be. */
extern int64_t texts_checked;
extern int64_t texts_skipped;

/* Prints the message's program, reads it, prints that, and packs with it. */
bool check_text(check_t *check, const message_t *m);

#endif
