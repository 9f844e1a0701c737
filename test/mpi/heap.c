/* SPDX-License-Identifier: BSD-3-Clause */
/* DAME's memory is not in the application's heap. Using datatypes does not grow that heap. It does
   not keep freed memory from going back to the system, and does not give back memory that is needed
   again. One rank. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "mpi_check.h"
#include "test/lib/mallinfo.h"
#include "tests.h"

enum { TYPES = 10000, BLOCKS = 100, PAIRS = 1024, ROUNDS = 15, DOUBLES = 8192 };

static double *user, *packed;
static MPI_Datatype types[TYPES];

static void use(MPI_Datatype type)
{
    for (int twice = 0; twice < 2; twice++) { /* the second time may compile */
        int at = 0;
        MPI_Pack(user, 1, type, packed, DOUBLES * 8, &at, MPI_COMM_SELF);
        at = 0;
        MPI_Unpack(packed, DOUBLES * 8, &at, user, 1, type, MPI_COMM_SELF);
    }
}

static void use_all(int n)
{
    for (int i = 0; i < n; i++) {
        use(types[i]);
    }
}

static void free_all(int n)
{
    for (int i = 0; i < n; i++) {
        MPI_Type_free(&types[i]);
    }
}

/* Lists of unlike blocks, no two the same. */
static void make_lists(int n)
{
    int lengths[BLOCKS], displs[BLOCKS];

    for (int i = 0; i < n; i++) {
        for (int j = 0, at = 0; j < BLOCKS; j++) {
            lengths[j] = 1 + (i * 7 + j * j) % 3;
            displs[j] = at;
            at += lengths[j] + 1 + (i + j * j * j) % 5;
        }
        MPI_Type_indexed(BLOCKS, lengths, displs, MPI_DOUBLE, &types[i]);
        MPI_Type_commit(&types[i]);
    }
}

static void make_pairs(void)
{
    for (int i = 0; i < 2 * PAIRS; i += 2) {
        MPI_Type_vector(4 + i % 5, 1, 3, MPI_DOUBLE, &types[i]);
        MPI_Type_commit(&types[i]);
        MPI_Type_create_hvector(5, 1, 1000, types[i], &types[i + 1]);
        MPI_Type_commit(&types[i + 1]);
    }
}

static long page_faults(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

static void first_uses_allocate_nothing(void)
{
    struct mallinfo2 before, after;
    void *end;

    make_pairs();
    before = mallinfo2();
    end = sbrk(0);
    use_all(2 * PAIRS);
    after = mallinfo2();
    check(after.uordblks == before.uordblks && after.hblkhd == before.hblkhd,
          "bytes in use were %zu and %zu mapped, are %zu and %zu", (size_t) before.uordblks,
          (size_t) before.hblkhd, (size_t) after.uordblks, (size_t) after.hblkhd);
    check(sbrk(0) == end, "the end of the heap was %p, is %p", end, sbrk(0));
    free_all(2 * PAIRS);
}

/* 160 MB of datatypes, and the heap's part of them goes back to the system. What may stay are 4 MiB
   that DAME keeps and memory for machine code, which both mappings count. */
static void freed_types_leave_no_memory(void)
{
    const long before = resident_kib();
    long live, freed;

    make_lists(TYPES);
    use_all(TYPES);
    live = resident_kib() - before;
    free_all(TYPES);
    freed = resident_kib() - before;
    check(live > 120000, "%ld KiB for %d datatypes", live, TYPES);
    check(freed < 24000, "%ld KiB, of %ld, stay when %d datatypes are freed", freed, live, TYPES);
}

/* Page faults of a round of making, perhaps using, and freeing datatypes, the first rounds apart.
 */
static double faults_of_round(bool used)
{
    long faults = 0;

    for (int round = -ROUNDS; round < ROUNDS; round++) {
        const long before = page_faults();
        make_pairs();
        if (used) {
            use_all(2 * PAIRS);
        }
        free_all(2 * PAIRS);
        faults += round < 0 ? 0 : page_faults() - before;
    }
    return (double) faults / ROUNDS;
}

static void rounds_take_no_page_faults(void)
{
    const double unused = faults_of_round(false);
    const double used = faults_of_round(true);

    check(used < unused + 50, "%.1f page faults a round, %.1f without use", used, unused);
}

int heap_main(int argc, char **argv)
{
    check_init(&argc, &argv);
    user = must_calloc(DOUBLES, sizeof(double));
    packed = must_calloc(DOUBLES, sizeof(double));
    make_lists(1); /* sets up what there is once */
    use_all(1);
    free_all(1);
    freed_types_leave_no_memory();
    first_uses_allocate_nothing();
    rounds_take_no_page_faults();
    free(user);
    free(packed);
    return check_finish();
}
