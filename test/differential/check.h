/*
 * Everything that is promised of a message, tried on one.
 */
#ifndef TEST_CHECK_H
#define TEST_CHECK_H

#include "message.h"

/*
 * Packs, unpacks and lists `count` elements in every way; false, and check->message set, on the
 * first difference from the oracle. `use`, if not NULL, is shown the program.
 */
bool check_message(check_t *check, const dame_type_t *type, int64_t count, bool absolute,
                   void (*use)(const dame_program_t *program, const message_t *m));

/* Packs with a, unpacks with b, in different fragments. The two have one signature. */
bool check_pair(check_t *check, const dame_type_t *a, int64_t count_a, const dame_type_t *b,
                int64_t count_b);

#endif
