/*
 * Bytes that make choices; when they are used up, all choices are 0.
 */
#ifndef TEST_FUZZ_CHOICES_H
#define TEST_FUZZ_CHOICES_H

#include <stddef.h>
#include <stdint.h>

typedef struct choices {
    const uint8_t *at;
    size_t left;
} choices_t;

static inline uint8_t choose_byte(choices_t *choices)
{
    if (choices->left == 0) {
        return 0;
    }
    choices->left--;
    return *choices->at++;
}

/* A number from low to high, both included, at most 256 apart. */
static inline int64_t choose(choices_t *choices, int64_t low, int64_t high)
{
    return low + choose_byte(choices) % (high - low + 1);
}

#endif
