/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole lives of datatypes that no earlier datatype was like: made, used n times and freed. One
 * process of the figure `fresh`.
 *
 *   fresh_worker [--quick | particles]
 *
 * Prints "layout NAME BYTES" for each kind and number of entries, and then a line per sample:
 *
 *   NAME life N NANOSECONDS      processor time of a life with N uses (MPI_Pack), without the time
 *                                that it takes to draw the list
 *
 * particles, for two ranks: a step of a particle code, in which each rank sends the particles of a
 * new list and receives others into another new list; N is 1, and the time is the clock's.
 *
 * The last use of each batch of lives is compared with a loop; a difference ends the job.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAMPLES = 9, SAMPLES_LONG = 5, BATCH_MOST = 64, SPACING = 4, LONGEST_BLOCK = 8 };
static const double SAMPLE_SECONDS = 400e-6, LONG_SECONDS = 10e-3;
static const int uses[] = {1, 2, 3, 10, 100};
static const int entries[] = {50, 500, 2000, 8000, 20000};
static const int vector_counts[] = {20, 1000};

typedef struct particle {
    double position[3], velocity[3];
    int id, cell; /* the cell is not sent */
} particle_t;

#define SENT offsetof(particle_t, cell)

/* A list of n blocks, and memory that has room for SPACING * n blocks of the longest. */
typedef struct list {
    int n;
    int *disps, *lengths; /* elements */
    MPI_Aint *addresses;
} list_t;

typedef struct kind kind_t;
struct kind {
    const char *name;
    size_t element; /* bytes in memory */
    size_t sent;    /* of them, the first */
    MPI_Datatype (*make)(const kind_t *kind, const list_t *list);
    int longest; /* elements of a block */
};

static unsigned char *memory, *packed, *expected;
static MPI_Datatype particle_type;
static uint64_t state = 1;

static uint32_t draw(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t) (((state >> 32) * below) >> 32);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* Entry i lies somewhere in the i-th stretch of SPACING blocks, at no regular distance. */
static void draw_list(const kind_t *kind, list_t *list)
{
    const int stretch = SPACING * kind->longest;
    for (int i = 0; i < list->n; i++) {
        list->lengths[i] = 1 + (int) draw((uint32_t) kind->longest);
        list->disps[i] = i * stretch + (int) draw((uint32_t) (stretch - kind->longest));
        MPI_Get_address(memory + (size_t) list->disps[i] * kind->element, &list->addresses[i]);
    }
}

static MPI_Datatype make_doubles(const kind_t *kind, const list_t *list)
{
    MPI_Datatype type;
    (void) kind;
    MPI_Type_create_indexed_block(list->n, 1, list->disps, MPI_DOUBLE, &type);
    return type;
}

static MPI_Datatype make_structs(const kind_t *kind, const list_t *list)
{
    MPI_Datatype type;
    (void) kind;
    MPI_Type_create_indexed_block(list->n, 1, list->disps, particle_type, &type);
    return type;
}

static MPI_Datatype make_uneven(const kind_t *kind, const list_t *list)
{
    MPI_Datatype type;
    (void) kind;
    MPI_Type_indexed(list->n, list->lengths, list->disps, MPI_DOUBLE, &type);
    return type;
}

/* Nodes that lie where they were allocated. */
static MPI_Datatype make_addresses(const kind_t *kind, const list_t *list)
{
    static MPI_Datatype *types;
    static int room;
    MPI_Datatype type;
    (void) kind;
    if (room < list->n) {
        room = list->n;
        types = realloc(types, (size_t) room * sizeof(MPI_Datatype));
        for (int i = 0; i < room; i++) {
            types[i] = particle_type;
        }
    }
    MPI_Type_create_struct(list->n, list->lengths, list->addresses, types, &type);
    return type;
}

/* One that no earlier vector was like: its stride comes from the first entry. */
static MPI_Datatype make_vector(const kind_t *kind, const list_t *list)
{
    static int last;
    MPI_Datatype type;
    (void) kind;
    last = 2 + (last + 1) % 3000;
    MPI_Type_vector(list->n, 1, last, MPI_DOUBLE, &type);
    return type;
}

static bool is_absolute(const kind_t *kind)
{
    return make_addresses == kind->make;
}

static void check(const kind_t *kind, const list_t *list, int bytes)
{
    unsigned char *at = expected;
    if (make_vector == kind->make) {
        return;
    }
    for (int i = 0; i < list->n; i++) {
        const unsigned char *from = memory + (size_t) list->disps[i] * kind->element;
        for (int e = 0; e < list->lengths[i]; e++, at += kind->sent, from += kind->element) {
            memcpy(at, from, kind->sent);
        }
    }
    if (at - expected != bytes || memcmp(expected, packed, (size_t) bytes) != 0) {
        fprintf(stderr, "fresh_worker: %s: wrong bytes\n", kind->name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static int live(const kind_t *kind, const list_t *list, int n)
{
    MPI_Datatype type = kind->make(kind, list);
    void *const base = is_absolute(kind) ? MPI_BOTTOM : memory;
    int bytes, at = 0;
    MPI_Type_commit(&type);
    MPI_Type_size(type, &bytes);
    for (int i = 0; i < n; i++) {
        at = 0;
        MPI_Pack(base, 1, type, packed, bytes, &at, MPI_COMM_SELF);
    }
    MPI_Type_free(&type);
    return at;
}

static double time_of(const kind_t *kind, list_t *lists, int n, int lives)
{
    int bytes = 0;
    for (int i = 0; i < lives; i++) {
        draw_list(kind, &lists[i]);
    }
    const double start = now();
    for (int i = 0; i < lives; i++) {
        bytes = live(kind, &lists[i], n);
    }
    const double taken = now() - start;
    check(kind, &lists[lives - 1], bytes);
    return taken;
}

static void measure(const kind_t *kind, int count)
{
    list_t lists[BATCH_MOST];
    char name[64];
    snprintf(name, sizeof(name), "%s_%d", kind->name, count);
    for (int i = 0; i < BATCH_MOST; i++) {
        lists[i] = (list_t){count, malloc((size_t) count * sizeof(int)),
                            malloc((size_t) count * sizeof(int)),
                            malloc((size_t) count * sizeof(MPI_Aint))};
    }
    printf("layout %s %zu\n", name, (size_t) count * kind->element);
    for (size_t u = 0; u < sizeof(uses) / sizeof(uses[0]); u++) {
        const int n = uses[u];
        double seconds = time_of(kind, lists, n, 2) / 2;
        int lives = (int) (SAMPLE_SECONDS / seconds);
        lives = lives < 1 ? 1 : lives > BATCH_MOST ? BATCH_MOST : lives;
        const int samples = seconds > LONG_SECONDS ? SAMPLES_LONG : SAMPLES;
        for (int s = 0; s < samples; s++) {
            printf("%s life %d %.1f\n", name, n, 1e9 * time_of(kind, lists, n, lives) / lives);
        }
    }
    for (int i = 0; i < BATCH_MOST; i++) {
        free(lists[i].disps);
        free(lists[i].lengths);
        free(lists[i].addresses);
    }
}

static void make_particle_type(void)
{
    const int lengths[] = {3, 3, 1};
    const MPI_Aint at[] = {0, offsetof(particle_t, velocity), offsetof(particle_t, id)};
    const MPI_Datatype types[] = {MPI_DOUBLE, MPI_DOUBLE, MPI_INT};
    MPI_Datatype fields;
    MPI_Type_create_struct(3, lengths, at, types, &fields);
    MPI_Type_create_resized(fields, 0, sizeof(particle_t), &particle_type);
    MPI_Type_commit(&particle_type);
    MPI_Type_free(&fields);
}

/* ---- a particle code ---- */

/* Sends the particles of one new list and receives into another; true if they came. */
static bool exchange(const kind_t *kind, int rank, list_t *leaving, list_t *coming)
{
    particle_t *const particles = (particle_t *) memory, *const arriving = (particle_t *) packed;
    MPI_Datatype types[2] = {kind->make(kind, leaving), kind->make(kind, coming)};
    MPI_Type_commit(&types[0]);
    MPI_Type_commit(&types[1]);
    MPI_Sendrecv(particles, 1, types[0], 1 - rank, 0, arriving, 1, types[1], 1 - rank, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&types[0]);
    MPI_Type_free(&types[1]);
    const int last = coming->n - 1;
    return arriving[coming->disps[last]].id == 1 - rank;
}

static void step_of(int count, int rank)
{
    static const kind_t kind = {"particles", sizeof(particle_t), SENT, make_structs, 1};
    enum { STEPS = 200, WARM = 20 };
    list_t lists[2];
    double seconds = 0;
    for (int i = 0; i < 2; i++) {
        lists[i] = (list_t){count, malloc((size_t) count * sizeof(int)),
                            malloc((size_t) count * sizeof(int)),
                            malloc((size_t) count * sizeof(MPI_Aint))};
    }
    for (int i = 0; i < WARM + STEPS; i++) {
        draw_list(&kind, &lists[0]);
        draw_list(&kind, &lists[1]);
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        if (!exchange(&kind, rank, &lists[0], &lists[1])) {
            fprintf(stderr, "fresh_worker: particles did not come\n");
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        seconds += i < WARM ? 0 : MPI_Wtime() - start;
    }
    if (rank == 0) {
        printf("layout particles_%d %zu\n", count, (size_t) count * SENT);
        printf("particles_%d life 1 %.1f\n", count, 1e9 * seconds / STEPS);
    }
    for (int i = 0; i < 2; i++) {
        free(lists[i].disps);
        free(lists[i].lengths);
        free(lists[i].addresses);
    }
}

static void measure_particles(int rank)
{
    particle_t *const particles = (particle_t *) memory;
    for (int i = 0; i < entries[4] * SPACING; i++) {
        particles[i].id = rank;
    }
    for (size_t i = 1; i < sizeof(entries) / sizeof(entries[0]); i++) {
        step_of(entries[i], rank);
    }
}

static void measure_lives(bool quick)
{
    static const kind_t kinds[] = {
        {"doubles", sizeof(double), sizeof(double), make_doubles, 1},
        {"structs", sizeof(particle_t), SENT, make_structs, 1},
        {"uneven", sizeof(double), sizeof(double), make_uneven, LONGEST_BLOCK},
        {"addresses", sizeof(particle_t), SENT, make_addresses, 1},
        {"vector", sizeof(double), sizeof(double), make_vector, 1}};
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        const bool is_vector = make_vector == kinds[k].make;
        const int *counts = is_vector ? vector_counts : entries;
        const int n = is_vector ? 2 : quick ? 3 : 5;
        for (int i = 0; i < n; i++) {
            measure(&kinds[k], counts[i]);
        }
    }
}

int main(int argc, char **argv)
{
    const size_t most = (size_t) entries[4] * SPACING * LONGEST_BLOCK * sizeof(particle_t);
    const bool quick = argc == 2 && strcmp(argv[1], "--quick") == 0;
    const bool particles = argc == 2 && strcmp(argv[1], "particles") == 0;
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if ((argc > 1 && !quick && !particles) || ranks != (particles ? 2 : 1)) {
        fprintf(stderr, "fresh_worker: one rank and --quick or nothing, or two and particles\n");
        MPI_Finalize();
        return 2;
    }
    make_particle_type();
    memory = malloc(most);
    packed = malloc(most);
    expected = malloc(most);
    for (size_t i = 0; i < most; i++) {
        memory[i] = (unsigned char) (i * 31 + (i >> 8));
    }
    memset(packed, 0, most);
    if (particles) {
        measure_particles(rank);
    } else {
        measure_lives(quick);
    }
    MPI_Type_free(&particle_type);
    free(expected);
    free(packed);
    free(memory);
    MPI_Finalize();
    return 0;
}
