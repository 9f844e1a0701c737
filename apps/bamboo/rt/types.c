/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes that requests hold. Not MPI_Type_dup(): a new datatype for each message would cost more
 * than the message. */
#include "types.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "task.h"

typedef struct held {
    MPI_Datatype type;
    long count;
    int freed;
    struct held *next;
} held_t;

enum { SLOTS = 256 };
static held_t *slots[SLOTS];

static held_t **find_slot(MPI_Datatype type)
{
    uint64_t bits = 0;
    memcpy(&bits, &type, sizeof(type) < sizeof(bits) ? sizeof(type) : sizeof(bits));
    held_t **link = &slots[bits * 0x9e3779b97f4a7c15u >> 56];
    while (*link != NULL && (*link)->type != type) {
        link = &(*link)->next;
    }
    return link;
}

void bamboo_type_hold(MPI_Datatype type)
{
    held_t **link = find_slot(type);
    if (*link == NULL) {
        *link = bamboo_allocate(sizeof(**link));
        (*link)->type = type;
    }
    (*link)->count++;
}

void bamboo_type_release(MPI_Datatype type)
{
    held_t **link = find_slot(type), *held = *link;
    if (--held->count == 0) {
        *link = held->next;
        if (held->freed) {
            MPI_Type_free(&type);
        }
        free(held);
    }
}

int bamboo_mpi_type_free(MPI_Datatype *type)
{
    held_t *held = *find_slot(*type);
    if (held == NULL) {
        return MPI_Type_free(type);
    }
    held->freed = 1;
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}
