/*
 * Typed results of every fallible function of this library.
 *
 * The function that first decides that something is an error returns the code; callers pass it on.
 * Outputs are written on DAME_OK only.
 */
#ifndef DAME_STATUS_H
#define DAME_STATUS_H

#include <stddef.h>
#include <stdint.h>

typedef enum dame_status {
    DAME_OK = 0,
    DAME_ERR_NOMEM,       /* an allocation failed */
    DAME_ERR_ARGUMENT,    /* a negative count, blocklength or size; a missing child */
    DAME_ERR_RANGE,       /* a size, extent or bound does not fit in 64 bits */
    DAME_ERR_LIMIT,       /* larger or deeper than the library accepts; see dame_limit_t */
    DAME_ERR_VERIFY,      /* the program breaks a rule of the language; see dame_program_verify() */
    DAME_ERR_TEXT,        /* a text is no program; see dame/text.h */
    DAME_ERR_UNSUPPORTED, /* not available here: on this CPU, or for this program */
    DAME_ERR_DENIED,      /* the operating system refuses a permission */
    DAME_ERR_FULL,        /* a bounded store has no room at the moment; later it may */
    DAME_ERR_BUSY         /* another process is doing the same at the moment */
} dame_status_t;

/* Which limit DAME_ERR_LIMIT is about. All zero: none. */
typedef struct dame_limit {
    const char *what; /* a plural, static storage: "primitives" */
    int64_t limit;    /* the greatest value that is accepted */
    int64_t value;    /* the value that exceeded it; counting stops there */
} dame_limit_t;

/* Writes "1048577 primitives, at most 1048576 are allowed" into `text`, cut to `size` bytes, and
 * returns `text`. */
char *dame_limit_text(const dame_limit_t *limit, char *text, size_t size);

/* A short English phrase, static storage. */
const char *dame_status_text(dame_status_t status);

#endif
