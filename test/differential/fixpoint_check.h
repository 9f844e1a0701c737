/*
 * Optimising what is optimised changes no byte, and all but never the program.
 */
#ifndef TEST_FIXPOINT_CHECK_H
#define TEST_FIXPOINT_CHECK_H

#include "message.h"

/* Optimises the message's program once more with the tier's options: it moves the same bytes. */
bool check_fixpoint(check_t *check, const message_t *m);

/* Programs that were optimised again, and those of them that became another program: the normal
 * form is that of whole layouts, and of some random ones the optimiser sees more at a second look. */
extern int64_t fixpoints_checked;
extern int64_t fixpoints_missed;

#endif
