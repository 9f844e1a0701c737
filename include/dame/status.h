/*
 * Typed results of every fallible function of this library.
 *
 * The function that first decides that something is an error returns the code; callers pass it on.
 * Outputs are written on DAME_OK only.
 */
#ifndef DAME_STATUS_H
#define DAME_STATUS_H

typedef enum dame_status {
    DAME_OK = 0,
    DAME_ERR_NOMEM,       /* an allocation failed */
    DAME_ERR_ARGUMENT,    /* a negative count, blocklength or size; a missing child */
    DAME_ERR_RANGE,       /* a size, extent or bound does not fit in 64 bits */
    DAME_ERR_VERIFY,      /* the program breaks a rule of the language; see dame_program_verify() */
    DAME_ERR_TEXT,        /* a text is no program; see dame/text.h */
    DAME_ERR_UNSUPPORTED, /* this cannot be done; it is no use to ask again */
    DAME_ERR_DENIED,      /* the system forbids it */
    DAME_ERR_FULL         /* a limited resource is used up; there may be more later */
} dame_status_t;

/* A short English phrase, static storage. */
const char *dame_status_text(dame_status_t status);

#endif
