/* One program, many threads: each with its own cursor and memory. Worth running under TSan. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "dame/isa.h"
#include "suites.h"
#include "tools.h"

enum { THREADS = 4, ROUNDS = 50, COUNT = 40, REACH = 8192 };

typedef struct worker {
    pthread_t thread;
    int number;
    const dame_program_t *program;
    const int64_t *offsets; /* of every packed byte of the message */
    int64_t total;
    const char *fault; /* NULL: none */
} worker_t;

/* 3 blocks of 1, 5 and 2 pairs; a pair is two 4-byte elements 8 apart. */
static const int64_t lengths[] = {1, 5, 2};
static const int64_t disps[] = {80, 0, 100};

static const dame_type_t *shared_type(void)
{
    return resized(0, 200, index_type(3, lengths, disps, vector(2, 1, 8, basic(4))));
}

static int64_t shared_offsets(int64_t *offsets)
{
    int64_t n = 0;
    for (int64_t element = 0; element < COUNT; element++) {
        for (int block = 0; block < 3; block++) {
            for (int64_t pair = 0; pair < lengths[block]; pair++) {
                for (int64_t item = 0; item < 2; item++) {
                    for (int64_t byte = 0; byte < 4; byte++) {
                        offsets[n++] = 200 * element + disps[block] + 12 * pair + 8 * item + byte;
                    }
                }
            }
        }
    }
    return n;
}

/* Packs and unpacks the whole message in fragments of a thread's own length. */
static const char *round_trip(const worker_t *w, int round, char *user, char *copy, char *packed)
{
    const int64_t step = 37 + 11 * w->number + round;
    fill_pattern(user, REACH, (unsigned) (w->number * ROUNDS + round));
    fill_pattern(copy, REACH, 999);
    dame_cursor_t from;
    dame_cursor_t to;
    if (dame_cursor_init(&from, w->program, (uintptr_t) user, COUNT) != DAME_OK) {
        return "init";
    }
    if (dame_cursor_init(&to, w->program, (uintptr_t) copy, COUNT) != DAME_OK) {
        dame_cursor_fini(&from);
        return "init";
    }
    const char *fault = NULL;
    int64_t position = 0;
    while (!fault && position < w->total) {
        int64_t got = dame_cursor_pack(&from, packed, step);
        for (int64_t i = 0; i < got; i++) {
            if (packed[i] != user[w->offsets[position + i]]) {
                fault = "pack";
            }
        }
        dame_cursor_seek(&to, position);
        if (got <= 0 || dame_cursor_unpack(&to, packed, got) != got) {
            fault = "unpack";
        }
        position += got;
    }
    for (int64_t i = 0; i < w->total; i++) {
        if (copy[w->offsets[i]] != user[w->offsets[i]]) {
            fault = "unpacked memory";
        }
    }
    dame_cursor_fini(&to);
    dame_cursor_fini(&from);
    return fault;
}

static void *work(void *argument)
{
    worker_t *w = argument;
    char *user = malloc(REACH);
    char *copy = malloc(REACH);
    char *packed = malloc(REACH);
    w->fault = user && copy && packed ? NULL : "memory";
    for (int round = 0; !w->fault && round < ROUNDS; round++) {
        w->fault = round_trip(w, round, user, copy, packed);
    }
    free(packed);
    free(copy);
    free(user);
    return NULL;
}

START_TEST(threads_share_a_program)
{
    static int64_t offsets[COUNT * 64];
    dame_program_t *program = _i ? program_of(shared_type()) : plain_of(shared_type());
    int64_t total = shared_offsets(offsets);
    ck_assert_int_eq(total, program->size * COUNT);
    worker_t workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] =
            (worker_t){.number = i, .program = program, .offsets = offsets, .total = total};
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(workers[i].thread, NULL), 0);
        ck_assert_msg(workers[i].fault == NULL, "thread %d: %s", i, workers[i].fault);
    }
    dame_program_free(program);
}
END_TEST

/* Each thread with a tree of its own; the first use of the library by all of them at once. */
static void *build_and_run(void *argument)
{
    worker_t *w = argument;
    dame_tree_t *own = dame_tree_new();
    const dame_type_t *leaf = NULL;
    const dame_type_t *type = NULL;
    dame_program_t *program = NULL;
    char user[8 * 16];
    char packed[4 * 16];
    fill_pattern(user, sizeof user, (unsigned) w->number);
    w->fault = "build";
    if (own && dame_isa_names()[0] && dame_type_basic(own, 4, &leaf) == DAME_OK &&
        dame_type_vector(own, 16, 1, 8, leaf, &type) == DAME_OK &&
        dame_program_build(type, NULL, &program) == DAME_OK) {
        dame_program_run(program, DAME_PACK, (uintptr_t) user, 1, packed);
        w->fault = NULL;
        for (int i = 0; i < 16; i++) {
            if (memcmp(packed + 4 * i, user + 8 * i, 4) != 0) {
                w->fault = "pack";
            }
        }
    }
    dame_program_free(program);
    dame_tree_free(own);
    return NULL;
}

START_TEST(threads_build_programs_at_the_same_time)
{
    worker_t workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker_t){.number = i};
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, build_and_run, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(workers[i].thread, NULL), 0);
        ck_assert_msg(workers[i].fault == NULL, "thread %d: %s", i, workers[i].fault);
    }
}
END_TEST

Suite *threads_suite(void)
{
    Suite *suite = suite_create("threads");
    TCase *tcase = tree_case("threads");
    tcase_add_loop_test(tcase, threads_share_a_program, 0, 2);
    tcase_add_test(tcase, threads_build_programs_at_the_same_time);
    suite_add_tcase(suite, tcase);
    return suite;
}
