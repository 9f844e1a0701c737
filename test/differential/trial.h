/*
 * One message in a process of its own, so that a crash is a result like any other, and the search
 * for a simpler message that still fails.
 */
#ifndef TEST_TRIAL_H
#define TEST_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "message.h"

typedef struct trial {
    const dame_type_t *type;
    int64_t count;
    bool absolute;
    uint64_t check_seed;
    const tier_t *tier;
    char message[512]; /* out: what went wrong */
} trial_t;

/* Runs it; true when it fails, by a difference, a crash or not ending. */
bool trial_fails(trial_t *trial);

/*
 * Simplifies a failing trial as long as it still fails. New types live in `tree`. Returns the
 * number of trials that were run.
 */
int64_t trial_shrink(trial_t *trial, dame_tree_t *tree);

/*
 * Writes the program's text, with the type as comments before it, to the file `path`, and to
 * standard output. False when the program cannot be built or the file cannot be written.
 */
bool trial_write(const trial_t *trial, const char *path);

#endif
