/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hints of the program (include/mpi-dame.h): one keyval of datatypes for each, named in
 * MPI_INFO_ENV. Its delete function hears the hint.
 */
#include "dt_dame.h"

#include <stdio.h>

#include "mpi-dame.h"

static const struct {
    const char *key;
    dame_hint_t hint;
} hints[] = {
    {DAME_HINT_USES, DAME_HINTED_USES},
    {DAME_HINT_COUNT, DAME_HINTED_COUNT},
    {DAME_HINT_BASE, DAME_HINTED_BASE},
    {DAME_HINT_MATTERS, DAME_HINTED_MATTERS},
};

enum { HINTS = sizeof(hints) / sizeof(hints[0]) };

static int keyvals[HINTS];
static bool open;

/* said[0]: the value; said[1]: whether DAME has a use for it. */
static int hear_hint(MPI_Datatype carrier, int keyval, void *value, void *hint)
{
    intptr_t *said = value;
    (void) keyval;
    if (open && said != NULL) {
        said[1] = dt_glue_hint(carrier, *(const dame_hint_t *) hint, said[0]);
    }
    return MPI_SUCCESS;
}

static bool publish(int i)
{
    char text[16];
    keyvals[i] = MPI_KEYVAL_INVALID;
    if (DT_ABI_MPI(PMPI_Type_create_keyval)(MPI_TYPE_NULL_COPY_FN, hear_hint, &keyvals[i],
                                            (void *) (uintptr_t) &hints[i].hint) != MPI_SUCCESS) {
        return false;
    }
    (void) snprintf(text, sizeof(text), "%d", keyvals[i]);
    return DT_ABI_MPI(PMPI_Info_set)(MPI_INFO_ENV, hints[i].key, text) == MPI_SUCCESS;
}

void mca_dt_dame_hints_open(void)
{
    open = true;
    for (int i = 0; i < HINTS && open; i++) {
        open = publish(i);
    }
}

void mca_dt_dame_hints_close(void)
{
    if (!open) {
        return;
    }
    open = false;
    for (int i = 0; i < HINTS; i++) {
        (void) DT_ABI_MPI(PMPI_Info_delete)(MPI_INFO_ENV, hints[i].key);
        (void) DT_ABI_MPI(PMPI_Type_free_keyval)(&keyvals[i]);
    }
}
