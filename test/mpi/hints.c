/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hints of include/mpi-dame.h, as a program gives them: built from that header and MPI alone,
 * with any MPI. argv[1]: "dame", or "native" where hints must have no effect. One rank or more.
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi-dame.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;

static void check(int ok, const char *name, const char *what)
{
    passed += ok != 0;
    failed += ok == 0;
    if (!ok) {
        fprintf(stderr, "FAILED: %s: %s\n", name, what);
    }
}

/* ---- counters of DAME, by MPI_T ------------------------------------------------------------- */

static MPI_T_pvar_session session;

/* Programs compiled to pack by now; -1: not counted. */
static long long compiled(void)
{
    static MPI_T_pvar_handle handle;
    static int state;
    unsigned long long value = 0;
    int index, count;
    if (state == 0) {
        state =
            MPI_T_pvar_get_index("dt_dame_compiled_pack", MPI_T_PVAR_CLASS_COUNTER, &index) ==
                        MPI_SUCCESS &&
                    MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count) == MPI_SUCCESS
                ? 1
                : -1;
    }
    return state < 0 || MPI_T_pvar_read(session, handle, &value) != MPI_SUCCESS ? -1
                                                                                : (long long) value;
}

/* ---- datatypes ------------------------------------------------------------------------------ */

enum { BLOCKS = 300, MOST_STEP = 32 };

static double matrix[BLOCKS * MOST_STEP], packed[BLOCKS];

/* Packs a column of a matrix so often, and looks at every element. */
static int packs(MPI_Datatype column, int step, int times)
{
    int right = 1;
    for (int n = 0; n < times; n++) {
        int position = 0;
        memset(packed, 0, sizeof(packed));
        MPI_Pack(matrix, 1, column, packed, (int) sizeof(packed), &position, MPI_COMM_SELF);
        right = right && position == (int) sizeof(packed);
        for (int i = 0; i < BLOCKS; i++) {
            right = right && packed[i] == i * step;
        }
    }
    return right;
}

static int none(MPI_Datatype column)
{
    (void) column;
    return -1; /* no answer */
}

static int many_uses(MPI_Datatype column)
{
    return dame_expect_uses(column, 1000000);
}

static int few_uses(MPI_Datatype column)
{
    return dame_expect_uses(column, 4);
}

static int matters(MPI_Datatype column)
{
    return dame_type_matters(column);
}

/* All of them, and the messages are as announced. */
static int all(MPI_Datatype column)
{
    return dame_fix_count(column, 1) & dame_fix_base(column, matrix) & dame_type_matters(column);
}

/* The messages are not. */
static int wrong(MPI_Datatype column)
{
    return dame_fix_count(column, 7) & dame_fix_base(column, packed) & dame_type_matters(column);
}

/* With DAME: after `messages` messages, the number of codes made, at least and at most. */
static const struct {
    const char *name;
    int (*hint)(MPI_Datatype column);
    int messages, least, most;
} cases[] = {
    {"no hint", none, 3, 0, 0},        {"few uses", few_uses, 3, 0, 0},
    {"many uses", many_uses, 1, 1, 1}, {"it matters", matters, 300, 2, 100},
    {"all of them", all, 300, 2, 100}, {"wrong ones", wrong, 600, 2, 100},
};

static void columns(int dame)
{
    for (int i = 0; i < BLOCKS * MOST_STEP; i++) {
        matrix[i] = i;
    }
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        const int step = 8 + 2 * (int) c; /* a layout of its own */
        MPI_Datatype column;
        MPI_Type_vector(BLOCKS, 1, step, MPI_DOUBLE, &column);
        MPI_Type_commit(&column);
        const int answer = cases[c].hint(column);
        const long long before = compiled();
        check(packs(column, step, cases[c].messages), cases[c].name, "bytes");
        const long long made = compiled() - before;
        check(answer == -1 || answer == dame, cases[c].name, "answer");
        if (dame) {
            check(made >= cases[c].least && made <= cases[c].most, cases[c].name,
                  "codes of the first messages");
        }
        MPI_Type_free(&column);
    }
}

/* Data that DAME does not move, and a datatype that is not committed. */
static void no_use_for_them(void)
{
    MPI_Datatype contiguous, vector;
    MPI_Type_contiguous(4, MPI_DOUBLE, &contiguous);
    MPI_Type_commit(&contiguous);
    MPI_Type_vector(5, 1, 3, MPI_DOUBLE, &vector);
    check(dame_type_matters(MPI_DOUBLE) == 0, "MPI_DOUBLE", "answer");
    check(dame_type_matters(contiguous) == 0, "contiguous", "answer");
    check(dame_expect_uses(vector, 1000) == 0, "not committed", "answer");
    MPI_Type_free(&vector);
    MPI_Type_free(&contiguous);
}

/* ---- threads -------------------------------------------------------------------------------- */

enum { THREADS = 4, HINTS = 20000 };

static struct {
    MPI_Datatype column;
    pthread_barrier_t all_there;
    int answer;
} shared;

/* Returns NULL when every answer was right. */
static void *give_hints(void *wrong)
{
    int right = 1;
    pthread_barrier_wait(&shared.all_there);
    for (int i = 0; i < HINTS; i++) {
        right &= dame_fix_count(shared.column, 1) == shared.answer;
        right &= dame_fix_base(shared.column, matrix) == shared.answer;
    }
    return right ? NULL : wrong;
}

static void hints_of_threads(int dame)
{
    enum { STEP = 30 };
    pthread_t threads[THREADS];
    shared.answer = dame;
    MPI_Type_vector(BLOCKS, 1, STEP, MPI_DOUBLE, &shared.column);
    MPI_Type_commit(&shared.column);
    pthread_barrier_init(&shared.all_there, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, give_hints, &shared);
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        check(wrong == NULL, "threads", "answers");
    }
    pthread_barrier_destroy(&shared.all_there);
    check(packs(shared.column, STEP, 3), "threads", "bytes");
    MPI_Type_free(&shared.column);
}

int main(int argc, char **argv)
{
    int rank, provided, mine[2], sums[2];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    const int has_threads = provided == MPI_THREAD_MULTIPLE;
    const int dame = argc > 1 && strcmp(argv[1], "dame") == 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check((compiled() >= 0) >= dame, "counters", "there are some");
    columns(dame);
    no_use_for_them();
    if (has_threads) {
        hints_of_threads(dame);
    }
    mine[0] = passed;
    mine[1] = failed;
    MPI_Reduce(mine, sums, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d passed, %d failed\n", sums[0], sums[1]);
    }
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    MPI_Finalize();
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
