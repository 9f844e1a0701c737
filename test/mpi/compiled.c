/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When programs become machine code, and what happens when they cannot. argv[1]:
 *   uses N           dt_dame_promotion_threshold is N
 *   measured         dt_dame_promotion_threshold is -1
 *   churn BYTES 100,000 datatypes with a code cache of BYTES bytes
 *   evict            threads use many datatypes with a code cache of 4096 bytes
 *   crash            machine code reads memory that is not there, and a handler asks backtrace(3)
 *   denied WHAT      machine code may not be executed: shared (not in shared mappings) or all
 * In all but uses, measured and evict dt_dame_promotion_threshold is 1.
 */
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "deny.h"
#include "mpi_check.h"
#include "pvar.h"
#include "tests.h"
#include "types.h"

static void use(const layout_t *l, int count, const char *name)
{
    check(moves_right(l, count), "%s: Pack and Unpack", name);
}

static void use_all(const types_t *types)
{
    for (int i = 0; i < types_count(types); i++) {
        const type_case_t *c = types_at(types, i);
        if (!c->send_only) {
            use(c->layout, 3, c->name);
        }
    }
}

static layout_t *vector_of_doubles(int blocks)
{
    layout_t *doubles = lay_basic(MPI_DOUBLE, 8, 8), *l = lay_vector(blocks, 1, 3, doubles);
    lay_commit(l);
    lay_free(doubles);
    return l;
}

static long long compiled(void)
{
    return pvar_read("dt_dame_compiled_pack") + pvar_read("dt_dame_compiled_unpack");
}

/* ---- uses ---- */

/* Messages of both directions; only the one that is counted is compiled for. */
static void uses(int threshold)
{
    enum { MOST = 60 };
    layout_t *l = vector_of_doubles(100);
    double memory[300] = {0}, packed[100];

    MPI_Type_set_name(l->type, "two words");
    for (int i = 1; i <= MOST; i++) {
        int at = 0, there = threshold > 0 && i >= threshold;
        MPI_Pack(memory, 1, l->type, packed, sizeof(packed), &at, MPI_COMM_WORLD);
        check(there == pvar_read("dt_dame_compiled_pack"), "pack %d: %lld compiled", i,
              pvar_read("dt_dame_compiled_pack"));
        check(pvar_read("dt_dame_compiled_unpack") == 0, "none for unpacking");
    }
    for (int i = 1; i <= MOST; i++) {
        int at = 0, there = threshold > 0 && i >= threshold;
        MPI_Unpack(packed, sizeof(packed), &at, memory, 1, l->type, MPI_COMM_WORLD);
        check(there == pvar_read("dt_dame_compiled_unpack"), "unpack %d: %lld compiled", i,
              pvar_read("dt_dame_compiled_unpack"));
    }
    use(l, 5, "vector");
    bool any = threshold != 0 && threshold <= MOST;
    check(any == (pvar_read("dt_dame_code_live") > 0), "code of programs that live");
    check(any == (pvar_read("dt_dame_code_bytes") > 0) &&
              any == (pvar_read("dt_dame_code_memory") > 0) &&
              any == (pvar_read("dt_dame_compile_ns") > 0),
          "and what it takes");
    lay_free(l);
    check(pvar_read("dt_dame_code_live") == 0 && pvar_read("dt_dame_code_bytes") == 0,
          "the code of a datatype ends with it, where nothing may stay");
    check(pvar_read("dt_dame_code_evicted") == 0, "none had to give way");
}

/* ---- measured ---- */

/* A datatype used twice is interpreted; one used very often, and much faster in machine code, is
 * compiled. Every now and then all bytes are looked at. */
static void measured(void)
{
    enum { OFTEN = 200000 };
    layout_t *doubles = lay_basic(MPI_DOUBLE, 8, 8), *l = lay_vector(100, 1, 2, doubles);
    double memory[200] = {0}, packed[100];

    lay_commit(l);
    use(l, 1, "first");
    use(l, 1, "second");
    check(compiled() == 0 && pvar_read("dt_dame_samples") == 0, "not for two messages");
    for (int i = 0; i < OFTEN; i++) {
        int at = 0;
        MPI_Pack(memory, 1, l->type, packed, sizeof(packed), &at, MPI_COMM_WORLD);
        at = 0;
        MPI_Unpack(packed, sizeof(packed), &at, memory, 1, l->type, MPI_COMM_WORLD);
        if ((i & (i - 1)) == 0) { /* 1, 2, 4 ... */
            use(l, 1, "in between");
        }
    }
    check(pvar_read("dt_dame_compiled_pack") > 0 && pvar_read("dt_dame_compiled_unpack") > 0,
          "both directions are tried");
    const long long samples = pvar_read("dt_dame_samples");
    check(samples > 0 && samples < OFTEN / 100, "%lld samples", samples);
    lay_free(l);
    lay_free(doubles);
    check(pvar_read("dt_dame_code_live") == 0, "the code of a datatype ends with it");
}

/* ---- lives ---- */

/* Datatypes of one layout, one after the other, each used once: their uses add up, and the code
 * serves all later ones. */
static void lives(int threshold)
{
    for (int i = 1; i <= 3 * threshold; i++) {
        layout_t *l = vector_of_doubles(100);
        double memory[300] = {0}, packed[100];
        int at = 0, there = i >= threshold;
        MPI_Type_set_name(l->type, "life");
        MPI_Pack(memory, 1, l->type, packed, sizeof(packed), &at, MPI_COMM_WORLD);
        lay_free(l);
        check(there == pvar_read("dt_dame_compiled_pack") &&
                  there == pvar_read("dt_dame_code_live"),
              "life %d: %lld compiled, %lld live", i, pvar_read("dt_dame_compiled_pack"),
              pvar_read("dt_dame_code_live"));
    }
    layout_t *last = vector_of_doubles(100), *twin = vector_of_doubles(100);
    use(last, 5, "one that finds its code");
    use(twin, 5, "its twin");
    lay_free(last);
    use(twin, 5, "the twin that stays");
    lay_free(twin);
    check(pvar_read("dt_dame_layouts_imported") == 1 &&
              3 * threshold + 2 == pvar_read("dt_dame_types_imported"),
          "%lld layouts of %lld datatypes", pvar_read("dt_dame_layouts_imported"),
          pvar_read("dt_dame_types_imported"));
}

/* ---- churn ---- */

static void compiled_churn(long long cache)
{
    enum { LIVES = 100000 };
    churn(LIVES);
    check(LIVES - (LIVES + 6) / 7 == compiled(), "%lld compiled", compiled());
    check(pvar_read("dt_dame_code_live") == 0 && pvar_read("dt_dame_code_bytes") == 0,
          "no code is left");
    check(pvar_read("dt_dame_code_memory") <= cache, "the code cache took %lld bytes",
          pvar_read("dt_dame_code_memory"));
}

/* ---- evict ---- */

enum { USERS = 4, LIVING = 150, ROUNDS = 40 };

static layout_t *living[LIVING];

/* Each in an order of its own. */
static void *use_living(void *arg)
{
    const int first = (int) (intptr_t) arg, step = first % 2 ? 1 : LIVING - 1;

    for (int round = 0, k = 29 * first; round < ROUNDS; round++) {
        for (int i = 0; i < LIVING; i++, k += step) {
            use(living[k % LIVING], 1 + round % 3, "a datatype that lives");
        }
    }
    return NULL;
}

static void evict(void)
{
    pthread_t users[USERS];

    for (int i = 0; i < LIVING; i++) {
        living[i] = vector_of_doubles(10 + i);
    }
    for (int i = 0; i < USERS; i++) {
        pthread_create(&users[i], NULL, use_living, (void *) (intptr_t) i);
    }
    for (int i = 0; i < USERS; i++) {
        pthread_join(users[i], NULL);
    }
    check(pvar_read("dt_dame_code_evicted") > 5 * LIVING, "%lld gave way",
          pvar_read("dt_dame_code_evicted"));
    check(pvar_read("dt_dame_code_memory") <= 4096, "the code cache took %lld bytes",
          pvar_read("dt_dame_code_memory"));
    for (int i = 0; i < LIVING; i++) {
        lay_free(living[i]);
    }
    check(pvar_read("dt_dame_code_live") == 0, "no code is left");
}

/* ---- denied ---- */

static void denied(const types_t *types, deny_t what)
{
    long long refused;

    for (int i = 0; i < 3; i++) {
        use_all(types);
    }
    refused = pvar_read("dt_dame_compile_denied");
    check(pvar_read("dt_dame_compile_memory") == 0, "memory was out");
    if (what == DENY_ALL) {
        check(compiled() == 0 && refused == 1, "%lld compiled, %lld denied", compiled(), refused);
    } else {
        check(0 < compiled() && refused == 0, "%lld compiled, %lld denied", compiled(), refused);
    }
}

/* ---- crash ---- */

static void *caller; /* an address in the function that called the one that crashes */
static volatile sig_atomic_t shown;
static sigjmp_buf out_of_it;

static void on_crash(int signal)
{
    void *frames[64];
    const int n = backtrace(frames, 64);
    (void) signal;
    for (int i = 0; i < n; i++) {
        shown += caller == frames[i];
    }
    siglongjmp(out_of_it, 1);
}

static __attribute__((noinline)) void pack_from(void *memory, MPI_Datatype type, char *packed)
{
    int at = 0;
    caller = __builtin_extract_return_addr(__builtin_return_address(0));
    MPI_Pack(memory, 1, type, packed, 800, &at, MPI_COMM_WORLD);
    check(at == 800, "packed");
}

/* With dt_dame_promotion_threshold 1. */
static void crash(void)
{
    layout_t *l = vector_of_doubles(100);
    double memory[300] = {0};
    char packed[800];
    void *absent = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pack_from(memory, l->type, packed);
    check(compiled() == 1, "machine code packs");
    if (sigsetjmp(out_of_it, 1) == 0) {
        pack_from(absent, l->type, packed);
    }
    check(shown == 1, "the backtrace passes through machine code to its caller");
    munmap(absent, 4096);
    lay_free(l);
}

int compiled_main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "", *argument = argc > 2 ? argv[2] : "";
    const deny_t what = strcmp("all", argument) == 0      ? DENY_ALL
                        : strcmp("advice", argument) == 0 ? DENY_ADVICE
                                                          : DENY_SHARED;
    const bool ready = strcmp("denied", mode) != 0 || deny_execution(what);

    if (strcmp("crash", mode) == 0) { /* before DAME sees which handlers there are */
        sigaction(SIGSEGV, &(struct sigaction){.sa_handler = on_crash}, NULL);
    }
    check_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    check(ready, "the filter is in place");
    types_t *types = types_new();
    check(pvar_start("dt_dame_") > 0, "DAME's counters");
    if (strcmp("uses", mode) == 0) {
        uses(atoi(argument));
    } else if (strcmp("measured", mode) == 0) {
        measured();
    } else if (strcmp("lives", mode) == 0) {
        lives(atoi(argument));
    } else if (strcmp("churn", mode) == 0) {
        compiled_churn(atoll(argument));
    } else if (strcmp("evict", mode) == 0) {
        evict();
    } else if (strcmp("crash", mode) == 0) {
        crash();
    } else if (strcmp("denied", mode) == 0) {
        denied(types, what);
    } else {
        check(false, "no such mode: %s", mode);
    }
    pvar_done();
    types_free(types);
    return check_finish();
}
