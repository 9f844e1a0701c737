/* SPDX-License-Identifier: BSD-3-Clause */
/* The token of bench/lib/turns.h, between processes without MPI. The last line is "N passed, M
 * failed". */
#include "bench/lib/turns.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENGINES = 3, RANKS = 2, TURNS = 40, ROW = 2, BYTES = 10000 };

/* What the processes note. */
static struct notes {
    _Atomic int inside[ENGINES];
    _Atomic int overlaps, wrong_counts, strangers, private_pages;
    _Atomic int order[ENGINES * TURNS * 2]; /* who, when rank 0 begins */
    _Atomic int turns;
} * notes;

static int passed, failed;

static void check(bool good, const char *what)
{
    good ? passed++ : failed++;
    if (!good) {
        printf("FAILED: %s\n", what);
    }
}

static void work(int engine, int rank)
{
    atomic_fetch_add(&notes->inside[engine], 1);
    for (int other = 0; other < ENGINES; other++) {
        notes->overlaps += other != engine && notes->inside[other] != 0;
    }
    if (rank == 0) {
        notes->order[notes->turns++] = engine;
    }
    usleep(100);
    atomic_fetch_sub(&notes->inside[engine], 1);
}

static void job(int engine, int rank, const char *path)
{
    char told[160];
    snprintf(told, sizeof(told), "%s %d %d %d", path, engine, ENGINES, ROW);
    setenv("BENCH_TURNS", told, 1);
    turns_join(rank, RANKS);
    notes->wrong_counts += ROW != turns_count();
    unsigned char *one = turns_memory(BYTES), *two = turns_memory(BYTES);
    one[0] = (unsigned char) (10 * rank + engine);
    for (int turn = 0; turn < TURNS; turn++) {
        work(engine, rank);
        turns_next();
        notes->strangers += one[0] / 10 != rank;
    }
    notes->private_pages += ENGINES - 1 != one[0] % 10; /* the last that wrote it */
    turns_free(one);
    turns_free(two);
    notes->private_pages += one != turns_memory(BYTES); /* free again, so the same for all */
    turns_leave();
    exit(0); /* flushes what is printed */
}

int main(void)
{
    char path[] = "/dev/shm/turns-test-XXXXXX", output[] = "/tmp/turns-test-XXXXXX";
    const int board = mkstemp(path), printed = mkstemp(output);
    int lines = 0, code = 0;
    notes = mmap(NULL, sizeof(*notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    alarm(60);
    for (int p = 0; p < ENGINES * RANKS; p++) {
        if (fork() == 0) {
            dup2(printed, STDOUT_FILENO);
            job(p / RANKS, p % RANKS, path);
        }
    }
    for (int p = 0, status; p < ENGINES * RANKS; p++) {
        wait(&status);
        code |= status;
    }
    check(code == 0, "all processes end well");
    check(notes->overlaps == 0, "one engine works at a time");
    check(notes->wrong_counts == 0, "turns of a row");
    check(notes->strangers == 0, "a rank's memory is that rank's");
    check(notes->private_pages == 0, "all get the same pages, again after they are freed");
    check(ENGINES * TURNS == notes->turns, "all turns were taken");
    bool good = true;
    for (int turn = 0; turn < ENGINES * TURNS; turn++) {
        const int round = turn / ENGINES, place = turn % ENGINES;
        good = good && notes->order[turn] == (0 == round % 2 ? place : ENGINES - 1 - place);
    }
    check(good, "every second round goes the other way");
    FILE *text = fopen(output, "r");
    unsigned number;
    double copy, hop;
    good = true;
    for (char line[100]; fgets(line, sizeof(line), text) != NULL; lines++) {
        good = good && sscanf(line, "turn %u %lf %lf", &number, &copy, &hop) == 3 && copy > 0 &&
               hop > 0 && number <= TURNS;
    }
    check(good && ENGINES * (TURNS + 1) == lines, "rank 0 prints a line for each turn");
    unlink(path);
    unlink(output);
    (void) board;
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
