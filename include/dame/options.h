/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of the optimiser: its passes and their sizes.
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

/* A set of passes: bit `1u << pass` is pass `pass`. */
typedef uint32_t dame_passes_t;
#define DAME_PASSES_NONE ((dame_passes_t) 0)
#define DAME_PASSES_ALL  ((dame_passes_t) ((1u << DAME_PASS_COUNT) - 1))
/* Sorting made no measured list faster: lang/README.md, what does not pay. */
#define DAME_PASSES_DEFAULT (DAME_PASSES_ALL & ~((dame_passes_t) 1 << DAME_PASS_SORT))

typedef struct dame_options {
    dame_passes_t passes;
    int64_t fragment;    /* expected bytes of a fragment, for the pass `buffer`, >= 1 */
    dame_limit_t *limit; /* receives the limit when a build returns DAME_ERR_LIMIT; the caller's,
                            one build at a time may write it; NULL: not wanted */
} dame_options_t;

static inline int dame_has_pass(const dame_options_t *options, dame_pass_t pass)
{
    return (options->passes >> pass & 1) != 0;
}

/* DAME_PASSES_DEFAULT and measured sizes. Static storage. */
const dame_options_t *dame_options_default(void);

/* Name and one-sentence description of a pass; static storage. */
const char *dame_pass_name(dame_pass_t pass);
const char *dame_pass_what(dame_pass_t pass);

/*
 * Parses a comma-separated list of passes, or "all" or "none" alone, without white space. On
 * DAME_ERR_ARGUMENT, *bad points to the first invalid name ("all" and "none" are invalid in a list)
 * and *bad_length is its length.
 */
dame_status_t dame_passes_parse(const char *text, dame_passes_t *out, const char **bad,
                                int *bad_length);

#endif
