/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What dame bench and dame suggest run to time Open MPI's own engine: MPI_Pack and MPI_Unpack of a
 * datatype in a process without DAME, when its turn comes. Prints "ready", or an error; then, for
 * each line "0 TIMES" (pack) or "1 TIMES" (unpack), how long that took, and how long the process
 * has had a CPU and wanted one: "took: SECONDS RAN WAITED".
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/busy.h"
#include "expression.h"

enum { PACK, UNPACK };

typedef struct timed {
    MPI_Datatype type;
    int count, bytes;
    char *user; /* byte 0 of the datatype */
    char *packed;
} timed_t;

static int fail(const char *what)
{
    printf("%s\n", what);
    return 1;
}

/* ---- the datatype ---- */

#define NAMED(name)                                                                                \
    {                                                                                              \
#name, name                                                                                \
    }

static MPI_Datatype basic_type(const basic_t *basic)
{
    const struct {
        const char *name;
        MPI_Datatype type;
    } named[] = {
        NAMED(MPI_BYTE),
        NAMED(MPI_CHAR),
        NAMED(MPI_SIGNED_CHAR),
        NAMED(MPI_UNSIGNED_CHAR),
        NAMED(MPI_SHORT),
        NAMED(MPI_UNSIGNED_SHORT),
        NAMED(MPI_INT),
        NAMED(MPI_UNSIGNED),
        NAMED(MPI_LONG),
        NAMED(MPI_UNSIGNED_LONG),
        NAMED(MPI_LONG_LONG),
        NAMED(MPI_LONG_LONG_INT),
        NAMED(MPI_FLOAT),
        NAMED(MPI_DOUBLE),
        NAMED(MPI_LONG_DOUBLE),
        NAMED(MPI_C_BOOL),
        NAMED(MPI_WCHAR),
        NAMED(MPI_INT8_T),
        NAMED(MPI_INT16_T),
        NAMED(MPI_INT32_T),
        NAMED(MPI_INT64_T),
        NAMED(MPI_UINT8_T),
        NAMED(MPI_UINT16_T),
        NAMED(MPI_UINT32_T),
        NAMED(MPI_UINT64_T),
        NAMED(MPI_C_COMPLEX),
        NAMED(MPI_C_FLOAT_COMPLEX),
        NAMED(MPI_DOUBLE_INT),
        NAMED(MPI_FLOAT_INT),
        NAMED(MPI_LONG_INT),
        NAMED(MPI_SHORT_INT),
        NAMED(MPI_2INT),
        NAMED(MPI_LONG_DOUBLE_INT),
        NAMED(MPI_AINT),
        NAMED(MPI_OFFSET),
        NAMED(MPI_COUNT),
        NAMED(MPI_C_DOUBLE_COMPLEX),
        NAMED(MPI_UNSIGNED_LONG_LONG),
    };
    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
        if (strcmp(named[i].name, basic->mpi) == 0) {
            return named[i].type;
        }
    }
    MPI_Datatype bytes; /* Fortran's */
    MPI_Type_contiguous((int) basic->extent, MPI_BYTE, &bytes);
    return bytes;
}

/* As int, and as MPI_Aint, which the list is already. */
static int *ints(const int64_t *list, int64_t n)
{
    int *copy = malloc(((size_t) n + 1) * sizeof(*copy));
    for (int64_t i = 0; copy != NULL && i < n; i++) {
        copy[i] = (int) list[i];
    }
    return copy;
}

static MPI_Aint *addresses(const int64_t *list, int64_t n)
{
    MPI_Aint *copy = malloc(((size_t) n + 1) * sizeof(*copy));
    for (int64_t i = 0; copy != NULL && i < n; i++) {
        copy[i] = (MPI_Aint) list[i];
    }
    return copy;
}

static MPI_Datatype make(const expression_t *e);

static MPI_Datatype make_struct(const expression_t *e)
{
    const int n = (int) e->n;
    int *lengths = ints(e->list[0], n);
    MPI_Aint *places = addresses(e->list[1], n);
    MPI_Datatype *olds = malloc(((size_t) n + 1) * sizeof(*olds)), type = MPI_DATATYPE_NULL;
    if (lengths != NULL && places != NULL && olds != NULL) {
        for (int i = 0; i < n; i++) {
            olds[i] = make(e->old[i]);
        }
        MPI_Type_create_struct(n, lengths, places, olds, &type);
    }
    free(lengths);
    free(places);
    free(olds);
    return type;
}

static MPI_Datatype make_listed(const expression_t *e, MPI_Datatype old)
{
    const int n = (int) e->n, length = (int) e->number[0];
    const int lists = e->made_by == MAKES_INDEXED || e->made_by == MAKES_HINDEXED;
    const int64_t *places = e->list[lists ? 1 : 0];
    int *lengths = ints(e->list[0], n), *small = ints(places, n);
    MPI_Aint *large = addresses(places, n);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (lengths == NULL || small == NULL || large == NULL) {
        /* MPI_DATATYPE_NULL */
    } else if (e->made_by == MAKES_INDEXED) {
        MPI_Type_indexed(n, lengths, small, old, &type);
    } else if (e->made_by == MAKES_HINDEXED) {
        MPI_Type_create_hindexed(n, lengths, large, old, &type);
    } else if (e->made_by == MAKES_INDEXED_BLOCK) {
        MPI_Type_create_indexed_block(n, length, small, old, &type);
    } else {
        MPI_Type_create_hindexed_block(n, length, large, old, &type);
    }
    free(lengths);
    free(small);
    free(large);
    return type;
}

static MPI_Datatype make_array(const expression_t *e, MPI_Datatype old)
{
    const int n = (int) e->n, order = e->fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
    int *list[EXPRESSION_LISTS], got = 1;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    for (int i = 0; i < EXPRESSION_LISTS; i++) {
        list[i] = ints(e->list[i], n);
        got &= list[i] != NULL;
    }
    if (got) {
        MPI_Type_create_subarray(n, list[0], list[1], list[2], order, old, &type);
    }
    for (int i = 0; i < EXPRESSION_LISTS; i++) {
        free(list[i]);
    }
    return type;
}

/* Memory that is out, and what MPI refuses, end the process; its end frees the datatypes. */
static MPI_Datatype make(const expression_t *e)
{
    const int64_t *number = e->number;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (e->made_by == MAKES_BASIC) {
        return basic_type(e->basic);
    }
    if (e->made_by == MAKES_STRUCT) {
        return make_struct(e);
    }
    const MPI_Datatype old = make(e->old[0]);
    switch (e->made_by) {
    case MAKES_DUP:
        MPI_Type_dup(old, &type);
        return type;
    case MAKES_CONTIGUOUS:
        MPI_Type_contiguous((int) number[0], old, &type);
        return type;
    case MAKES_VECTOR:
        MPI_Type_vector((int) number[0], (int) number[1], (int) number[2], old, &type);
        return type;
    case MAKES_HVECTOR:
        MPI_Type_create_hvector((int) number[0], (int) number[1], (MPI_Aint) number[2], old, &type);
        return type;
    case MAKES_RESIZED:
        MPI_Type_create_resized(old, (MPI_Aint) number[0], (MPI_Aint) number[1], &type);
        return type;
    case MAKES_SUBARRAY:
        return make_array(e, old);
    default:
        return make_listed(e, old);
    }
}

/* ---- its time ---- */

static void move(const timed_t *timed, int which, int64_t times)
{
    for (int64_t i = 0; i < times; i++) {
        int position = 0;
        if (which == PACK) {
            MPI_Pack(timed->user, timed->count, timed->type, timed->packed, timed->bytes, &position,
                     MPI_COMM_SELF);
        } else {
            MPI_Unpack(timed->packed, timed->bytes, &position, timed->user, timed->count,
                       timed->type, MPI_COMM_SELF);
        }
        __asm__ volatile("" ::: "memory");
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

static void serve(const timed_t *timed)
{
    const dame_waited_t before = dame_waited_now();
    char line[64];
    int which;
    long long times;
    printf("ready\n");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin) != NULL &&
           sscanf(line, "%d %lld", &which, &times) == 2) {
        const double start = now();
        move(timed, which, times);
        const double seconds = now() - start;
        const dame_waited_t waited = dame_waited_since(before);
        printf("took: %.9g %.9g %.9g\n", seconds, waited.ran, waited.waited);
        fflush(stdout);
    }
}

/* The size must be that which the caller takes for the same datatype's. */
static int measure(timed_t *timed, long bytes)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    MPI_Type_size(timed->type, &timed->bytes);
    MPI_Type_get_extent(timed->type, &lb, &extent);
    MPI_Type_get_true_extent(timed->type, &true_lb, &true_extent);
    if (timed->bytes == MPI_UNDEFINED || timed->bytes != bytes) {
        return fail("the datatype has another size");
    }
    timed->bytes *= timed->count;
    const MPI_Aint far = (timed->count - 1) * extent;
    const MPI_Aint low = true_lb + (far < 0 ? far : 0);
    const size_t room = (size_t) (true_extent + (far < 0 ? -far : far));
    char *user = malloc(room + 1);
    timed->packed = malloc((size_t) timed->bytes + 1);
    if (user == NULL || timed->packed == NULL) {
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the process ends */
        return fail("out of memory");
    }
    memset(user, 1, room);
    memset(timed->packed, 1, (size_t) timed->bytes);
    timed->user = (char *) ((uintptr_t) user - (uintptr_t) low);
    serve(timed);
    free(user);
    free(timed->packed);
    return 0;
}

int main(int argc, char **argv)
{
    expression_error_t error;
    if (argc != 4 || atoi(argv[1]) < 1) {
        return fail("usage: native_time COUNT SIZE EXPRESSION");
    }
    expression_t *expression = expression_parse(argv[3], strlen(argv[3]), &error);
    if (expression == NULL) {
        return fail(error.message);
    }
    /* Alone, without DAME, and without what a message needs. */
    setenv("OMPI_MCA_dt", "opal", 1);
    setenv("OMPI_MCA_pml", "ob1", 1);
    setenv("OMPI_MCA_btl", "self", 1);
    MPI_Init(NULL, NULL);
    timed_t timed = {.type = make(expression), .count = atoi(argv[1])};
    MPI_Type_commit(&timed.type);
    const int code = measure(&timed, atol(argv[2]));
    MPI_Type_free(&timed.type);
    MPI_Finalize();
    expression_free(expression);
    return code;
}
