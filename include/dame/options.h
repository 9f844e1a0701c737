/*
 * What the optimiser may do to a program, and with what sizes.
 */
#ifndef DAME_OPTIONS_H
#define DAME_OPTIONS_H

#include <stdint.h>

#include "dame/status.h"

typedef enum dame_pass {
#define DAME_PASS(name, text, what) DAME_PASS_##name,
#include "dame/passes.def"
#undef DAME_PASS
    DAME_PASS_COUNT
} dame_pass_t;

/* A set of passes: bit `1u << pass` for each. */
typedef uint32_t dame_passes_t;
#define DAME_PASSES_NONE ((dame_passes_t) 0)
#define DAME_PASSES_ALL  ((dame_passes_t) ((1u << DAME_PASS_COUNT) - 1))

typedef enum dame_sort {
    DAME_SORT_AUTO, /* lists of a window and more that reach further than sort_range */
    DAME_SORT_NEVER,
    DAME_SORT_ALWAYS
} dame_sort_t;

typedef struct dame_options {
    dame_passes_t passes;
    dame_sort_t sort;    /* which lists the pass `sort` sorts */
    int64_t sort_range;  /* a list that reaches over more user memory is sorted when auto, >= 0;
                            INT32_MAX or more: none */
    int64_t fragment;    /* bytes of a fragment, for the pass `buffer`, >= 1 */
    dame_limit_t *limit; /* receives the limit when a build returns DAME_ERR_LIMIT; the caller's,
                            one build at a time may write it; NULL: not wanted */
} dame_options_t;

static inline int dame_has_pass(const dame_options_t *options, dame_pass_t pass)
{
    return 0 != (options->passes >> pass & 1);
}

/* All passes, with measured sizes. Static storage. */
const dame_options_t *dame_options_default(void);

/* Name and one-sentence description of a pass; static storage. */
const char *dame_pass_name(dame_pass_t pass);
const char *dame_pass_what(dame_pass_t pass);

/*
 * A comma-separated list of passes, or "all", or "none", which stand alone; white space is not
 * allowed. On DAME_ERR_ARGUMENT *bad is the first byte of the first name that is no pass (in a list
 * "all" and "none" are none), and *bad_length its length.
 */
dame_status_t dame_passes_parse(const char *text, dame_passes_t *out, const char **bad,
                                int *bad_length);

#endif
