/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DAME-L in a job with dt_dame_tiers interp,l, so that all machine code is LLVM's. argv[1]:
 *   fill        waits for code of both directions, however it is come by; argv[2]: how many are
 *               compiled by all ranks together
 *   third       a warm code cache and measured promotion: the third message is the code's
 *   search packs until LLVM has compiled something for the search of the fastest code; here
 *   dt_dame_tiers also has x, and dt_dame_explore is 100
 *   none no code is available; right bytes
 *   fork        the application forks while LLVM compiles
 *   end         the job ends while LLVM compiles
 * argv[3], to be compared: "loaded" or "not-loaded", LLVM at the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mpi_check.h"
#include "pvar.h"
#include "tests.h"
#include "types.h"

enum { BLOCKS = 1 << 14, DOUBLES = 6, STRIDE = 10, PACKED = BLOCKS * DOUBLES };

static double *memory, *packed;
static MPI_Datatype type;

static void make_type(int blocks)
{
    MPI_Type_vector(blocks, DOUBLES, STRIDE, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
}

static void pack_once(int blocks)
{
    int at = 0;
    MPI_Pack(memory, 1, type, packed, PACKED * (int) sizeof(double), &at, MPI_COMM_WORLD);
    long wrong = 0;
    for (int i = 0; i < blocks * DOUBLES; i++) {
        wrong += packed[i] != memory[i / DOUBLES * STRIDE + i % DOUBLES];
    }
    check(wrong == 0, "%ld packed wrong", wrong);
}

static void unpack_once(int blocks)
{
    int at = 0;
    for (int i = 0; i < blocks * STRIDE; i++) {
        memory[i] = -1;
    }
    for (int i = 0; i < blocks * DOUBLES; i++) {
        packed[i] = i;
    }
    MPI_Unpack(packed, PACKED * (int) sizeof(double), &at, memory, 1, type, MPI_COMM_WORLD);
    long wrong = 0;
    for (int i = 0; i < blocks * STRIDE; i++) {
        const int in = i % STRIDE;
        wrong += memory[i] != (in < DOUBLES ? i / STRIDE * DOUBLES + in : -1);
    }
    check(wrong == 0, "%ld unpacked wrong", wrong);
}

static long long compiled(void)
{
    return pvar_read("dt_dame_compiled_pack") + pvar_read("dt_dame_compiled_unpack");
}

static long long found(void)
{
    return pvar_read("dt_dame_found_pack") + pvar_read("dt_dame_found_unpack");
}

static int is_loaded(void)
{
    char line[1024];
    int loaded = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        loaded |= strstr(line, "libLLVM") != NULL || strstr(line, "dame_llvm") != NULL;
    }
    fclose(maps);
    return loaded;
}

static void fill(int expected)
{
    enum { BLOCKS_USED = 100 };
    const time_t start = time(NULL);
    long long mine, all = 0;

    make_type(BLOCKS_USED);
    while (compiled() < 2 && time(NULL) - start < 80) {
        pack_once(BLOCKS_USED);
        unpack_once(BLOCKS_USED);
        /* ranks that share a core leave hardly any of it to the thread that compiles */
        (void) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    check(compiled() == 2, "%lld codes", compiled());
    pack_once(BLOCKS_USED);
    unpack_once(BLOCKS_USED);
    mine = compiled() - found();
    MPI_Allreduce(&mine, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    check(expected == all, "%lld compiled by all ranks", all);
}

static void third(void)
{
    make_type(BLOCKS);
    for (int i = 1; i <= 3; i++) {
        pack_once(BLOCKS);
        unpack_once(BLOCKS);
        check((i == 3 ? 2 : 0) == compiled(), "message %d: %lld codes", i, compiled());
    }
    check(found() == 2, "%lld found", found());
}

/* And looks at the bytes now and then. */
static void pack_often(void)
{
    for (int i = 0; i < 1000; i++) {
        int at = 0;
        if (0 == i % 100) {
            pack_once(BLOCKS);
        }
        MPI_Pack(memory, 1, type, packed, PACKED * (int) sizeof(double), &at, MPI_COMM_WORLD);
    }
    pack_once(BLOCKS);
}

static void search(void)
{
    const time_t start = time(NULL);
    long long before;

    make_type(BLOCKS);
    while (is_loaded() == 0 && time(NULL) - start < 80) {
        pack_often();
    }
    before = compiled();
    while (compiled() == before && time(NULL) - start < 80) {
        pack_often();
    }
    check(compiled() > before, "LLVM's code has come: %lld codes", compiled());
    pack_often();
}

static void none(void)
{
    make_type(BLOCKS);
    for (int i = 0; i < 200; i++) {
        pack_once(BLOCKS);
        unpack_once(BLOCKS);
    }
    check(compiled() == 0, "%lld codes", compiled());
}

static void forks(void)
{
    enum { CHILDREN = 30 };
    make_type(BLOCKS);
    for (int i = 0; i < CHILDREN; i++) {
        int status = -1;
        pack_once(BLOCKS);
        unpack_once(BLOCKS);
        pid_t child = fork();
        if (child == 0) {
            alarm(60);
            pack_once(BLOCKS);
            unpack_once(BLOCKS);
            _exit(check_failures());
        }
        check(child > 0 && child == waitpid(child, &status, 0) && status == 0, "a child: status %d",
              status);
    }
}

int llvm_main(int argc, char **argv)
{
    check_init(&argc, &argv);
    pvar_start("dt_dame_");
    memory = must_calloc(BLOCKS * STRIDE, sizeof(double));
    packed = must_calloc(PACKED, sizeof(double));
    for (int i = 0; i < BLOCKS * STRIDE; i++) {
        memory[i] = i;
    }
    const char *what = argv[1];
    if (strcmp(what, "fill") == 0) {
        fill(atoi(argv[2]));
    } else if (strcmp(what, "third") == 0) {
        third();
    } else if (strcmp(what, "search") == 0) {
        search();
    } else if (strcmp(what, "none") == 0) {
        none();
    } else if (strcmp(what, "fork") == 0) {
        forks();
    } else { /* end */
        make_type(BLOCKS);
        pack_once(BLOCKS);
        unpack_once(BLOCKS);
    }
    if (argc > 3) {
        check(is_loaded() == (strcmp(argv[3], "loaded") == 0), "LLVM is %s",
              is_loaded() ? "loaded" : "not loaded");
    }
    MPI_Type_free(&type);
    free(memory);
    free(packed);
    pvar_done();
    return check_finish();
}
