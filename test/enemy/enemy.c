/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs random MPI programs. All ranks derive the same programs from one seed. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "make.h"
#include "soak.h"

enum { USAGE = 2 };

typedef struct options {
    uint64_t seed, first, cases, mask;
    double minutes; /* 0: `cases` programs */
    smaller_t smaller;
    const char *progress; /* a file: the number of the program that runs */
    const char *print;    /* a file: the program `first` as C */
    bool list;
    bool no_external, no_partitioned;
} options_t;

static void usage(FILE *out)
{
    fputs(
        "Usage: mpirun -np 2..4 enemy [OPTION]...\n"
        "Runs random MPI programs and compares every byte and status with an oracle.\n\n"
        "  --seed S          0 by default\n"
        "  --first N         the number of the first program, by default 0\n"
        "  --cases N         how many programs, by default 100\n"
        "  --minutes M       as many as M minutes allow; one line a minute sums up\n"
        "  --threads         MPI_THREAD_MULTIPLE, and steps of several threads\n"
        "  --forks           steps with children that pack, or run another program\n"
        "  --directory DIR   for files of MPI_File; without it, no files\n"
        "  --windows KIND    create, allocate or none (the default)\n"
        "  --no-truncate     no message exceeds what receives it\n"
        "  --no-matched      no MPI_Mrecv\n"
        "  --no-persistent   no persistent and buffered sends, no MPI_Alltoallv and MPI_Alltoallw\n"
        "  --no-displaced    contiguous data begins at displacement 0\n"
        "  --no-external     no external32\n"
        "  --no-partitioned  no partitioned communication\n"
        "  --progress FILE   the number of the program that runs\n"
        "To make a failing program smaller:\n"
        "  --steps MASK      bit i: step i runs\n"
        "  --flat MASK       bit i: datatype i is contiguous\n"
        "  --count N         at most N elements\n"
        "  --rounds N        at most N rounds\n"
        "  --list            prints the steps\n"
        "  --print FILE      writes the program as C, without its parts of play.h and play*.c\n"
        "The last line is \"N passed, M failed\", after a line \"failed: NUMBER\" for each that "
        "failed.\n",
        out);
}

typedef enum kind { U64, UNSIGNED, INT, DOUBLE, TEXT, ON, OFF } kind_t;

static void set_value(kind_t kind, void *value, const char *text)
{
    switch (kind) {
    case U64:
        *(uint64_t *) value = strtoull(text, NULL, 0);
        break;
    case UNSIGNED:
        *(unsigned *) value = (unsigned) strtoul(text, NULL, 0);
        break;
    case INT:
        *(int *) value = atoi(text);
        break;
    case DOUBLE:
        *(double *) value = strtod(text, NULL);
        break;
    case TEXT:
        *(const char **) value = text;
        break;
    default:
        *(bool *) value = kind == ON;
    }
}

static bool parse(int argc, char **argv, options_t *o)
{
    const struct {
        const char *name;
        kind_t kind;
        void *value;
    } options[] = {
        {"--seed", U64, &o->seed},
        {"--first", U64, &o->first},
        {"--cases", U64, &o->cases},
        {"--minutes", DOUBLE, &o->minutes},
        {"--directory", TEXT, &rules.directory},
        {"--windows", TEXT, &rules.windows},
        {"--progress", TEXT, &o->progress},
        {"--steps", U64, &o->mask},
        {"--flat", UNSIGNED, &o->smaller.flat},
        {"--count", INT, &o->smaller.count},
        {"--rounds", INT, &o->smaller.rounds},
        {"--print", TEXT, &o->print},
        {"--threads", ON, &rules.threads},
        {"--forks", ON, &rules.forks},
        {"--no-truncate", OFF, &rules.truncate},
        {"--no-matched", OFF, &rules.matched},
        {"--no-persistent", OFF, &rules.persistent},
        {"--no-displaced", OFF, &rules.displaced},
        {"--no-external", ON, &o->no_external},
        {"--no-partitioned", ON, &o->no_partitioned},
        {"--list", ON, &o->list},
    };
    enum { N = sizeof options / sizeof options[0] };

    for (int a = 1; a < argc; a++) {
        int i = 0;
        while (i < N && strcmp(argv[a], options[i].name) != 0) {
            i++;
        }
        const bool takes = i < N && options[i].kind < ON;
        if (i == N || (takes && a + 1 == argc)) {
            const bool helps = strcmp(argv[a], "--help") == 0;
            usage(helps ? stdout : stderr);
            if (helps) {
                exit(0);
            }
            return false;
        }
        set_value(options[i].kind, options[i].value, takes ? argv[++a] : "");
    }
    return true;
}

static void list(const program_t *program, const char *name)
{
    for (int i = 0; i < program->nshapes; i++) {
        const shape_t *s = &program->shapes[i];
        printf("%s shape %d: %lld bytes in %lld runs, extent %lld, [%lld, %lld)%s\n", name, i,
               (long long) s->size, (long long) s->nruns, (long long) s->extent,
               (long long) s->true_lb, (long long) s->true_ub, s->send_only ? ", sends only" : "");
    }
    for (int i = 0; i < program->nsteps; i++) {
        const step_t *s = &program->steps[i];
        printf("%s step %d: %s of %d elements, shapes %d and %d, %d rounds\n", name, i, s->op,
               s->count, s->a, s->b, s->rounds);
    }
    fflush(stdout);
}

/* The steps that run. */
static uint64_t mask_of(const options_t *o, const program_t *program)
{
    uint64_t mask = o->mask;
    for (int i = 0; i < program->nsteps; i++) {
        const char *op = program->steps[i].op;
        if ((o->no_external && strcmp("external", op) == 0) ||
            (o->no_partitioned && strcmp("partitioned", op) == 0)) {
            mask &= ~(UINT64_C(1) << i);
        }
    }
    return mask;
}

/* Differences of this rank in one program. */
static long one_case(const options_t *o, uint64_t number, int rank, soak_t *soak)
{
    char name[64];
    program_t program;
    long differences = 1;

    snprintf(name, sizeof name, "%llu:%llu", (unsigned long long) o->seed,
             (unsigned long long) number);
    if (make_program(o->seed, number, &o->smaller, &program)) {
        const uint64_t mask = mask_of(o, &program);
        if (o->list && rank == 0) {
            list(&program, name);
        }
        if (o->print != NULL && rank == 0) {
            FILE *out = fopen(o->print, "w");
            if (out != NULL) {
                print_program(out, &program, mask, name);
                fclose(out);
            }
        }
        differences = play(&program, mask, name);
        soak->types += program.nshapes;
        soak->steps += program.nsteps;
    }
    free_program(&program);
    return differences;
}

/* Tells the ranks' verdicts together; on rank 0 whether one is bad. */
static long report(const options_t *o, uint64_t cases, unsigned char *bad, int rank)
{
    long failed = 0;
    if (rank == 0) {
        MPI_Reduce(MPI_IN_PLACE, bad, (int) cases, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
        for (uint64_t i = 0; i < cases; i++) {
            if (bad[i]) {
                printf("failed: %llu\n", (unsigned long long) (o->first + i));
                failed++;
            }
        }
    } else {
        MPI_Reduce(bad, NULL, (int) cases, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
    }
    return failed;
}

static uint64_t run(const options_t *o, int rank, unsigned char **bad)
{
    soak_t soak;
    uint64_t done = 0, room = 0;
    int file = o->progress != NULL && rank == 0
                   ? open(o->progress, O_CREAT | O_WRONLY | O_TRUNC, 0644)
                   : -1;

    soak_begin(&soak, o->minutes, rank);
    while (o->minutes > 0 ? soak_goes_on(&soak) : done < o->cases) {
        if (file >= 0) {
            char text[24];
            snprintf(text, sizeof text, "%-20llu\n", (unsigned long long) (o->first + done));
            if (pwrite(file, text, strlen(text), 0) < 0) {
                file = -1;
            }
        }
        if (done == room) {
            room = 2 * room + 1024;
            *bad = must(realloc(*bad, room));
        }
        const long differences = one_case(o, o->first + done, rank, &soak);
        soak.differences += differences;
        (*bad)[done++] = differences > 0;
    }
    soak_end(&soak);
    if (file >= 0) {
        close(file);
    }
    return done;
}

int main(int argc, char **argv)
{
    options_t o = {.cases = 100, .mask = UINT64_MAX};
    unsigned char *bad = NULL;
    int provided, rank, size, threads = MPI_THREAD_SINGLE;

    rules = (rules_t){.windows = "none",
                      .truncate = true,
                      .matched = true,
                      .persistent = true,
                      .displaced = true};
    if (!parse(argc, argv, &o)) {
        return USAGE;
    }
    MPI_Init_thread(&argc, &argv, rules.threads ? MPI_THREAD_MULTIPLE : threads, &provided);
    rules.threads = rules.threads && provided == MPI_THREAD_MULTIPLE;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (size > MOST_RANKS) {
        fprintf(stderr, "enemy: at most %d ranks\n", MOST_RANKS);
        MPI_Abort(MPI_COMM_WORLD, USAGE);
    }
    const uint64_t done = run(&o, rank, &bad);
    long failed = report(&o, done, bad, rank);
    if (rank == 0) {
        printf("%llu passed, %ld failed\n", (unsigned long long) done - (unsigned long long) failed,
               failed);
        fflush(stdout);
    }
    free(bad);
    MPI_Finalize();
    return failed > 0;
}
