/*
 * Copies from one buffer to another, and whether two messages in one buffer are apart.
 */
#ifndef TEST_COPY_CHECK_H
#define TEST_COPY_CHECK_H

#include "message.h"

/* Copies the message, and asks about shifts; false, and check->message set, on a mistake. */
bool check_copy(check_t *check, message_t *m);

/* Shifts within a message by which it was said to be apart, and is. */
extern int64_t apart_checked;

#endif
