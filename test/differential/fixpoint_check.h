/*
 * Optimising what is optimised changes nothing.
 */
#ifndef TEST_FIXPOINT_CHECK_H
#define TEST_FIXPOINT_CHECK_H

#include "message.h"

/* Optimises the message's program once more with the tier's options: the text is the same, and so
 * are the bytes. */
bool check_fixpoint(check_t *check, const message_t *m);

#endif
