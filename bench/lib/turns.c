/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* CPU sets */
#endif
#include "turns.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, CONTIGUOUS = 256 << 10, SAMPLES = 8, HOPS = 32, PRIORITY = -10 };
static const size_t ROOM = (size_t) 1 << 30; /* of a rank; pages that nobody touches cost nothing */

typedef _Atomic uint32_t word_t;

/* The beginning of the file; ROOM bytes for each rank follow. */
typedef struct board {
    word_t turn; /* 0: not all jobs have joined; then this turn's number, from 1 */
    word_t joined, left;
    word_t met, meetings; /* of this job's ranks */
    _Alignas(64) word_t copied;
    _Alignas(PAGE) unsigned char passed[CONTIGUOUS];
} board_t;

static struct {
    board_t *board; /* NULL: alone */
    uint32_t engine, engines, turns, rank, ranks;
    uint32_t turn; /* ours */
    double first;  /* reference of this turn */
    double hop;    /* at its end */
    unsigned char *room;
    size_t used; /* of it */
    int blocks;
} me = {.turns = 1};

static void fail(const char *what)
{
    fprintf(stderr, "turns: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* ---- waiting ---- */

/* Sleeps until the word is another than `value`. The groups are bits: who is woken. */
static void wait_while(word_t *word, uint32_t value, uint32_t groups)
{
    while (value == atomic_load(word)) {
        (void) syscall(SYS_futex, word, FUTEX_WAIT_BITSET, value, NULL, NULL, groups);
    }
}

static void wake(word_t *word, uint32_t groups)
{
    (void) syscall(SYS_futex, word, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, groups);
}

/* Every second round goes the other way, so that no engine always follows the same one. */
static uint32_t engine_of(uint32_t turn)
{
    const uint32_t round = (turn - 1) / me.engines, place = (turn - 1) % me.engines;
    return 0 == round % 2 ? place : me.engines - 1 - place;
}

static uint32_t group_of(uint32_t turn)
{
    return 1u << engine_of(turn) % 32;
}

/* All ranks of this job. */
static void meet(void)
{
    const uint32_t meeting = atomic_load(&me.board->meetings);
    if (atomic_fetch_add(&me.board->met, 1) + 1 == me.ranks) {
        atomic_store(&me.board->met, 0);
        atomic_fetch_add(&me.board->meetings, 1);
        wake(&me.board->meetings, UINT32_MAX);
    } else {
        wait_while(&me.board->meetings, meeting, UINT32_MAX);
    }
}

/* All ranks of all jobs; true for the last. */
static bool arrive(word_t *word)
{
    return atomic_fetch_add(word, 1) + 1 == me.engines * me.ranks;
}

/* ---- the reference ---- */

static double now(void)
{
    struct timespec time;
    (void) clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double) time.tv_sec + (double) time.tv_nsec;
}

static void wait_for_copy(uint32_t number)
{
    while (number != atomic_load_explicit(&me.board->copied, memory_order_acquire)) {
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

static double undisturbed(double samples[SAMPLES])
{
    qsort(samples, SAMPLES, sizeof(*samples), compare);
    return samples[SAMPLES / 4];
}

/* Nanoseconds that contiguous bytes take, of rank 0. */
static double contiguous(void)
{
    double samples[SAMPLES];
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const double start = now();
        if (me.rank == 1) {
            wait_for_copy(2 * i + 1);
            memcpy(me.room, me.board->passed, CONTIGUOUS);
        }
        memcpy(me.board->passed, me.room, CONTIGUOUS);
        if (me.ranks > 1) {
            atomic_store_explicit(&me.board->copied, 2 * i + 1 + me.rank, memory_order_release);
        }
        if (me.rank == 0) {
            if (me.ranks > 1) {
                wait_for_copy(2 * i + 2);
            }
            memcpy(me.room, me.board->passed, CONTIGUOUS);
        }
        samples[i] = now() - start;
    }
    return undisturbed(samples);
}

/* Nanoseconds in which a line goes from rank 0 to rank 1 and back: 200 and more between two cores,
 * a third of that where both share a core's caches. Follows contiguous(). */
static double hop(void)
{
    double samples[SAMPLES];
    uint32_t number = 2 * SAMPLES;
    for (int i = 0; i < SAMPLES; i++) {
        const double start = now();
        for (int k = 0; k < HOPS; k++, number += 2) {
            wait_for_copy(number + me.rank);
            atomic_store_explicit(&me.board->copied, number + 1 + me.rank, memory_order_release);
        }
        if (me.rank == 0) {
            wait_for_copy(number);
        }
        samples[i] = (now() - start) / HOPS;
    }
    return undisturbed(samples);
}

/* By every rank; rank 0's counts. */
static double reference(void)
{
    meet();
    const double time = me.rank < 2 ? contiguous() : 0;
    me.hop = me.rank < 2 && me.ranks > 1 ? hop() : 0;
    meet();
    if (me.rank == 0) {
        atomic_store(&me.board->copied, 0); /* rank 1 has read the last one */
    }
    return time;
}

/* ---- turns ---- */

static void begin(void)
{
    uint32_t turn;
    while ((turn = atomic_load(&me.board->turn)),
           turn == 0 || engine_of(turn) != me.engine || turn == me.turn) {
        wait_while(&me.board->turn, turn, 1u << me.engine % 32);
    }
    me.turn = turn;
    me.first = reference();
}

/* The others' turns begin when every rank has come. */
static void end(void)
{
    const double last = reference();
    if (me.rank == 0) {
        printf("turn %u %.0f %.0f\n", (me.turn - 1) / me.engines, last < me.first ? last : me.first,
               me.hop);
    }
    meet();
    if (me.rank == 0) {
        atomic_store(&me.board->turn, me.turn + 1);
        wake(&me.board->turn, group_of(me.turn + 1));
    }
}

void turns_next(void)
{
    if (me.board != NULL) {
        end();
        begin();
    }
}

int turns_count(void)
{
    return (int) me.turns;
}

/* To the CPU of its number, of those that the job may use. */
static void bind_rank(void)
{
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) {
        fail("sched_getaffinity");
    }
    size_t number = me.rank % (size_t) CPU_COUNT(&allowed), cpu = 0;
    while (!CPU_ISSET(cpu, &allowed) || number-- > 0) {
        cpu++;
    }
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof(one), &one) != 0) {
        fail("sched_setaffinity");
    }
}

/* Where we may, so that a busy machine delays us less. Linux schedules sessions first, if it has
 * groups of them (sched(7), autogroup). */
static void raise_priority(void)
{
    FILE *group = fopen("/proc/self/autogroup", "w");
    if (group != NULL) {
        (void) fprintf(group, "%d", PRIORITY);
        (void) fclose(group);
    }
    (void) setpriority(PRIO_PROCESS, 0, PRIORITY);
}

static void open_board(const char *path)
{
    const size_t size = sizeof(board_t) + me.ranks * ROOM;
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t) size) != 0) {
        fail(path);
    }
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    (void) close(file);
    if (memory == MAP_FAILED) {
        fail(path);
    }
    me.board = memory;
    me.room = (unsigned char *) memory + sizeof(board_t) + me.rank * ROOM;
    me.used = CONTIGUOUS;
}

void turns_join(int rank, int ranks)
{
    const char *told = getenv("BENCH_TURNS");
    char path[128];
    if (told == NULL) {
        return;
    }
    me.rank = (uint32_t) rank;
    me.ranks = (uint32_t) ranks;
    if (sscanf(told, "%127s %u %u %u", path, &me.engine, &me.engines, &me.turns) != 4 ||
        me.engine >= me.engines) {
        errno = EINVAL;
        fail("BENCH_TURNS");
    }
    open_board(path);
    bind_rank();
    raise_priority();
    (void) setvbuf(stdout, NULL, _IOFBF, 1 << 16); /* mpirun, which forwards it, seldom runs */
    if (arrive(&me.board->joined)) {
        atomic_store(&me.board->turn, 1);
        wake(&me.board->turn, UINT32_MAX);
    }
    begin();
}

void turns_leave(void)
{
    if (me.board == NULL) {
        return;
    }
    end();
    if (arrive(&me.board->left)) {
        wake(&me.board->left, UINT32_MAX);
    }
    for (uint32_t left; (left = atomic_load(&me.board->left)) < me.engines * me.ranks;) {
        wait_while(&me.board->left, left, UINT32_MAX);
    }
}

/* ---- memory ---- */

static bool is_shared(const void *memory)
{
    return me.board != NULL && (const unsigned char *) memory >= me.room &&
           (const unsigned char *) memory < me.room + ROOM;
}

void *turns_memory(size_t size)
{
    size = (size / PAGE + 1) * PAGE;
    if (me.board == NULL || size > ROOM - me.used) {
        return aligned_alloc(PAGE, size);
    }
    void *memory = me.room + me.used;
    me.used += size;
    me.blocks++;
    return memory;
}

void turns_free(void *memory)
{
    if (!is_shared(memory)) {
        free(memory);
    } else if (--me.blocks == 0) {
        me.used = CONTIGUOUS;
    }
}
