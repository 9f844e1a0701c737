/* SPDX-License-Identifier: BSD-3-Clause */
/* The codes that the library's functions return. */
#ifndef DAME_ERRORS_H
#define DAME_ERRORS_H

typedef enum dame_status {
    DAME_OK = 0,
    DAME_ERR_NOMEM,       /* an allocation failed */
    DAME_ERR_ARGUMENT,    /* a negative count, blocklength or size; a missing datatype */
    DAME_ERR_RANGE,       /* a size, extent or bound does not fit in 64 bits */
    DAME_ERR_LIMIT,       /* larger or deeper than the library accepts */
    DAME_ERR_VERIFY,      /* the program breaks a rule of the language */
    DAME_ERR_TEXT,        /* a text is not a program */
    DAME_ERR_UNSUPPORTED, /* not available here: on this CPU, or for this program */
    DAME_ERR_DENIED,      /* the operating system refuses a permission */
    DAME_ERR_FULL,        /* a bounded store has no room at the moment; later it may */
    DAME_ERR_BUSY,        /* another process is doing the same at the moment */
    DAME_ERR_SIGNATURE,   /* two datatypes have different signatures */
    DAME_ERR_DEVICE       /* a device's driver reports an error */
} dame_status_t;

#endif
