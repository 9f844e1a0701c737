/*
 * Checks on every input of the fuzzer; the replay of the corpus shares them.
 */
#ifndef TEST_FUZZ_HARNESS_H
#define TEST_FUZZ_HARNESS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads a program, checks that printing and reading bring it back, and moves a small message of it,
 * before and after optimising, in all ways of the differential test. Aborts at anything wrong.
 *
 * An input is a program's text. What follows its first zero byte, if there is one, chooses the
 * message. An input that starts with 0xff is not a text: its bytes direct make_text(), and all of
 * it chooses the message.
 *
 * Returns 1 when the message was moved, 0 when the input was not a program, or too large a one.
 */
int fuzz_one(const uint8_t *data, size_t size);

#endif
