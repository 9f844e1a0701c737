/*
 * Machine code that comes, and goes, while other threads pack and unpack.
 */
#ifndef TEST_THREAD_CHECK_H
#define TEST_THREAD_CHECK_H

#include "message.h"

/* Messages for which it was tried. */
extern int64_t threads_checked;

/* Now and then: takes the message's machine code away and compiles it again, while another thread
 * packs with the same program. Where codes change, two threads do that while two others pack and
 * unpack. */
bool check_threads(check_t *check, message_t *m);

#endif
