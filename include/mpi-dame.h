/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hints to DAME for Open MPI: what a program knows of the messages of a datatype.
 *
 *     #include <mpi-dame.h>
 *
 *     MPI_Type_commit(&column);
 *     dame_expect_uses(column, 100000);
 *     dame_fix_count(column, 1);
 *     dame_fix_base(column, matrix);
 *     dame_type_matters(column);
 *
 * says: a hundred thousand messages will be sent or received; each is of one element, from or to
 * the address `matrix`; find the fastest code for it now, whatever that costs.
 *
 * A hint may change how long messages take, never a byte of them; a wrong one costs time. There is
 * nothing to link with. Without DAME, with any MPI, the functions do nothing.
 *
 * Call them for committed datatypes, between MPI_Init and MPI_Finalize, from any thread that may
 * call MPI; best before the first message. They return 1 when DAME has taken the hint, else 0: DAME
 * is absent, or does not move this datatype's data, which may be contiguous. Datatypes of one
 * layout share their hints, as they share their code. With the parameter
 * dt_dame_promotion_threshold at other values than -1, hints have no effect, although the functions
 * return 1.
 *
 * How a hint gets there. DAME creates a keyval of datatypes for each kind of hint and names it in
 * MPI_INFO_ENV, the info object in which an MPI library tells a program about its environment: a
 * name that any program can look for, and that is missing elsewhere. The hint is an attribute with
 * such a keyval; its value is the address of two words, the hint's value and DAME's answer. It is
 * set and deleted at once: MPI calls a keyval's delete function; it has no callback for setting. So
 * DAME gets the hint in the call, and need not look for attributes on the many datatypes without
 * any. All of this is in MPI-3.0.
 *
 * Not the datatype gets the attribute but a carrier, MPI_Type_contiguous(1, datatype), which no
 * other thread knows. Open MPI releases its lock of attributes while it calls a delete function, so
 * two threads that delete an attribute of one datatype may free it twice.
 */
#ifndef MPI_DAME_H
#define MPI_DAME_H

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

/* The keys in MPI_INFO_ENV. Their values are keyvals, in decimal. */
#define DAME_HINT_USES    "dame_hint_uses"
#define DAME_HINT_COUNT   "dame_hint_count"
#define DAME_HINT_BASE    "dame_hint_base"
#define DAME_HINT_MATTERS "dame_hint_matters"

/* Private: gives the hint of this key. */
static inline int dame_give_hint(MPI_Datatype type, const char *key, intptr_t value)
{
    char text[32];
    int there = 0, taken = 0, keyval;
    MPI_Datatype carrier;
#if MPI_VERSION >= 4
    int length = (int) sizeof(text);
    MPI_Info_get_string(MPI_INFO_ENV, (char *) key, &length, text, &there);
#else
    MPI_Info_get(MPI_INFO_ENV, (char *) key, (int) sizeof(text) - 1, text, &there);
#endif
    keyval = there ? atoi(text) : MPI_KEYVAL_INVALID;
    if (there && MPI_Type_contiguous(1, type, &carrier) == MPI_SUCCESS) {
        intptr_t said[2]; /* the value, and DAME's answer */
        said[0] = value;
        said[1] = 0;
        if (MPI_Type_set_attr(carrier, keyval, said) == MPI_SUCCESS) {
            MPI_Type_delete_attr(carrier, keyval);
            taken = said[1] != 0;
        }
        MPI_Type_free(&carrier);
    }
    return taken;
}

/* `messages` messages of this datatype are expected in this process in the whole run, packed and
 * unpacked ones counted separately. If they repay it, code is made at the first message; otherwise
 * as without the hint. */
static inline int dame_expect_uses(MPI_Datatype type, intptr_t messages)
{
    return dame_give_hint(type, DAME_HINT_USES, messages);
}

/* The messages have `count` elements: code is chosen by those that have. */
static inline int dame_fix_count(MPI_Datatype type, intptr_t count)
{
    return dame_give_hint(type, DAME_HINT_COUNT, count);
}

/* The messages start at this address, the buffer given to MPI: code is chosen by those that do. It
 * is only compared. */
static inline int dame_fix_base(MPI_Datatype type, const void *buffer)
{
    return dame_give_hint(type, DAME_HINT_BASE, (intptr_t) buffer);
}

/* This datatype matters: its code is made at the first message, and all variants are tried at once,
 * instead of in one part in a hundred of the time. */
static inline int dame_type_matters(MPI_Datatype type)
{
    return dame_give_hint(type, DAME_HINT_MATTERS, 1);
}

#endif
