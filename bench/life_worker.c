/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lives of datatypes: they are made, used n times and freed. One process of bench/run.
 *
 *   life_worker types|lives|new [--layout NAME]… [--quick] [--anchors] [--short] [--list]
 *   life_worker fresh [--quick]
 *   life_worker particles          on two ranks
 *   life_worker many N             1 to 12000
 *
 * types, lives and new are about layouts: each prints "layout NAME BYTES" and then, in each turn
 * (lib/turns.h), a line per sample, in nanoseconds:
 *
 *   NAME type create|free|first|free_used NANOSECONDS               types
 *   NAME pack|unpack N life|hand NANOSECONDS                        lives, new
 *
 * create: the constructors of the send type with MPI_Type_commit. free, free_used: MPI_Type_free
 * of one that was never used, or was. first: the first MPI_Pack minus the median of the next ones,
 * what the engine does once per type. For the layout of a million entries also the growth of the
 * resident set in bytes for each entry: "NAME memory create|first BYTES".
 *
 * life: all of a life with n times MPI_Pack or MPI_Unpack. hand: n times the hand-written loop.
 * new: each life has a layout that the process has not seen, since its elements are a few lines
 * further apart than before; a message has one element, so the bytes that move are the same. n goes
 * up to a million, nothing is done by hand, and a sample is the mean of many lives: when a datatype
 * is promoted is drawn for each layout, so lives differ.
 *
 * fresh: lists of blocks that no earlier one was like; prints "NAME life N NANOSECONDS", the
 * processor time of a life without drawing its list. particles: a step in which each of two ranks
 * sends the particles of a new list and receives others into another new list; n is 1, and the time
 * is the clock's.
 *
 * many: N datatypes of N layouts, of 16 to 1248 bytes, are alive at the same time and packed one
 * after the other; prints for one datatype "many N create|first|use|free mpi|hand NANOSECONDS", use
 * after 100 uses of each, and the growth of the resident set, "many N memory create|use BYTES".
 *
 * Bytes of fresh, particles and many are compared with loops by hand; a difference ends the job.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "layouts.h"
#include "bench/lib/turns.h"
#include "measure/turns.h"
#include "options.h"

enum { COUNT_OF_LIVES = 12, COUNT_OF_KNOWN = 9 };
static const int uses[COUNT_OF_LIVES] = {1, 2, 3, 5, 10, 20, 50, 100, 1000, 10000, 100000, 1000000};

/* What is made, used and freed. */
typedef struct job job_t;
struct job {
    const char *name;
    void (*make)(const job_t *job, MPI_Datatype *type); /* and commits it */
    const void *what;                                   /* for make() */
    void *base, *packed;
    int count, bytes; /* of a message */
};

static void wrong(const char *name)
{
    fprintf(stderr, "life_worker: %s: wrong bytes\n", name);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void no_memory(void)
{
    fprintf(stderr, "life_worker: out of memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int use(const job_t *job, MPI_Datatype type, bool unpack)
{
    int at = 0;

    if (unpack) {
        MPI_Unpack(job->packed, job->bytes, &at, job->base, job->count, type, MPI_COMM_SELF);
    } else {
        MPI_Pack(job->base, job->count, type, job->packed, job->bytes, &at, MPI_COMM_SELF);
    }
    return at;
}

static int live(const job_t *job, bool unpack, int n)
{
    MPI_Datatype type;
    int moved = 0;

    job->make(job, &type);
    for (int i = 0; i < n; i++) {
        moved = use(job, type, unpack);
    }
    MPI_Type_free(&type);
    return moved;
}

/* ---- of layouts ---- */

static void make_known(const job_t *job, MPI_Datatype *type)
{
    const struct layout *layout = job->what;
    layout->spec->make_type(layout, LAYOUT_SEND, type);
}

/* A type of one element that no other type of this process is like. */
static void make_new(const job_t *job, MPI_Datatype *type)
{
    static MPI_Aint number;
    const struct layout *layout = job->what;
    MPI_Datatype send, message;
    MPI_Aint lb, extent;

    layout->spec->make_type(layout, LAYOUT_SEND, &send);
    MPI_Type_contiguous(layout->side[LAYOUT_SEND].count, send, &message);
    MPI_Type_get_extent(message, &lb, &extent);
    MPI_Type_create_resized(message, lb, extent + 64 * ++number, type);
    MPI_Type_commit(type);
    MPI_Type_free(&message);
    MPI_Type_free(&send);
}

/* measure(): one turn */
static void in_turns(struct layout *layout, void *packed, int count,
                     void (*make)(const job_t *job, MPI_Datatype *type),
                     void (*before)(const job_t *job), void (*measure)(const job_t *job))
{
    const struct layout_side *side = &layout->side[LAYOUT_SEND];
    const job_t job = {layout->spec->name, make, layout, side->base, packed, count,
                       (int) layout->bytes};

    printf("layout %s %zu\n", job.name, layout->bytes);
    before(&job);
    turns_next();
    for (int turn = 0; turn < turns_count(); turn++) {
        measure(&job);
        turns_next();
    }
}

/* ---- types ---- */

enum { BATCH_MAX = 256, SAMPLES = 15, FIRST_MAX = 101, FIRST_MIN = 5, STEADY = 5 };
static const double BATCH_SECONDS = 100e-6;
static const double FIRST_SECONDS = 5e-3; /* for all fresh types of one layout, in a turn */
static const char *const MEMORY_LAYOUT = "indexed_1000000";
static const double MEMORY_ENTRIES = 1e6;

static void print_type(const job_t *job, const char *kind, double seconds)
{
    printf("%s type %s %.1f\n", job->name, kind, 1e9 * seconds);
}

/* Makes and frees n types; stores the two times. */
static void make_batch(const job_t *job, int n, double *create, double *free_unused)
{
    MPI_Datatype types[BATCH_MAX];
    const double start = bench_now();
    double middle;

    for (int i = 0; i < n; i++) {
        job->make(job, &types[i]);
    }
    middle = bench_now();
    for (int i = 0; i < n; i++) {
        MPI_Type_free(&types[i]);
    }
    *create = middle - start;
    *free_unused = bench_now() - middle;
}

static void measure_making(const job_t *job)
{
    double create, free_unused;
    int n = 1;

    for (;;) {
        make_batch(job, n, &create, &free_unused);
        if (create >= BATCH_SECONDS || n == BATCH_MAX) {
            break;
        }
        n *= 2;
    }
    for (int s = 0; s < SAMPLES; s++) {
        make_batch(job, n, &create, &free_unused);
        print_type(job, "create", create / n);
        print_type(job, "free", free_unused / n);
    }
}

static double time_use(const job_t *job, MPI_Datatype type)
{
    const double start = bench_now();
    use(job, type, false);
    return bench_now() - start;
}

static void measure_type(const job_t *job)
{
    const double start = bench_now();

    measure_making(job);
    for (int i = 0; i < FIRST_MAX && (i < FIRST_MIN || bench_now() - start < FIRST_SECONDS); i++) {
        double first, steady[STEADY], before_free;
        MPI_Datatype type;
        job->make(job, &type);
        first = time_use(job, type);
        for (int s = 0; s < STEADY; s++) {
            steady[s] = time_use(job, type);
        }
        print_type(job, "first", first - bench_median(steady, STEADY));
        before_free = bench_now();
        MPI_Type_free(&type);
        print_type(job, "free_used", bench_now() - before_free);
    }
}

/* Arrays and packed buffer are resident before: the hand-written pack touches them. */
static void measure_memory(const job_t *job)
{
    const struct layout *layout = job->what;
    double before, created, used;
    MPI_Datatype type;

    layout->side[LAYOUT_SEND].pack(layout->side[LAYOUT_SEND].plan, job->packed);
    if (strcmp(job->name, MEMORY_LAYOUT) != 0) {
        return;
    }
    before = bench_resident();
    job->make(job, &type);
    created = bench_resident();
    use(job, type, false);
    used = bench_resident();
    MPI_Type_free(&type);
    printf("%s memory create %.2f\n", job->name, (created - before) / MEMORY_ENTRIES);
    printf("%s memory first %.2f\n", job->name, (used - created) / MEMORY_ENTRIES);
}

static void types(const struct layout_spec *spec, enum layout_place place)
{
    struct layout *layout = layout_create(spec, place);
    void *packed = layout_buffer(layout->bytes);

    in_turns(layout, packed, 1, make_known, measure_memory, measure_type);
    free(packed);
    layout_free(layout);
}

/* ---- lives ---- */

enum { SAMPLES_OF_LIVES = 5 };            /* alone; one in each turn */
static const double LONG_SECONDS = 20e-3; /* such lives get one sample */
static const double MOST_BYTES = 100e6;   /* moved in a life of a new layout */

static bool is_new(const job_t *job)
{
    return job->make == make_new;
}

static double time_lives(const job_t *job, bool by_hand, bool unpack, int n, long lives)
{
    const struct layout_side *side = &((const struct layout *) job->what)->side[LAYOUT_SEND];
    const double start = bench_now();

    for (long i = 0; i < lives; i++) {
        for (int u = 0; by_hand && u < n; u++) {
            if (unpack) {
                side->unpack(side->plan, job->packed);
            } else {
                side->pack(side->plan, job->packed);
            }
        }
        if (!by_hand) {
            live(job, unpack, n);
        }
    }
    return bench_now() - start;
}

static void measure_life(const job_t *job, bool by_hand, bool unpack, int n)
{
    const double least = is_new(job) ? 1e-3 : 100e-6;
    double seconds = time_lives(job, by_hand, unpack, n, 1);
    const int samples = seconds > LONG_SECONDS || turns_count() > 1 ? 1 : SAMPLES_OF_LIVES;
    long lives = 1;

    while (seconds < least) {
        lives *= 2;
        seconds = time_lives(job, by_hand, unpack, n, lives);
    }
    for (int s = 0; s < samples; s++) {
        seconds = time_lives(job, by_hand, unpack, n, lives);
        printf("%s %s %d %s %.1f\n", job->name, unpack ? "unpack" : "pack", n,
               by_hand ? "hand" : "life", 1e9 * seconds / (double) lives);
    }
}

static void measure_lives(const job_t *job)
{
    const int count = is_new(job) ? COUNT_OF_LIVES : COUNT_OF_KNOWN;

    for (int way = 0; way < (is_new(job) ? 2 : 4); way++) {
        if (is_new(job)) {
            live(job, way & 1, 100); /* warms caches, and gets memory for machine code */
        }
        for (int i = 0; i < count; i++) {
            if (!is_new(job) || (double) uses[i] * (double) job->bytes <= MOST_BYTES) {
                measure_life(job, way >= 2, way & 1, uses[i]);
            }
        }
    }
}

static void fill_packed(const job_t *job)
{
    layout_fill_bytes(job->packed, (size_t) job->bytes, 1);
}

static void measure_off_line(const struct layout_spec *spec, bool fresh_types)
{
    struct layout *layout = layout_create(spec, LAYOUT_OFF_LINE);

    in_turns(layout, layout_packed(layout, layout->bytes),
             fresh_types ? 1 : layout->side[LAYOUT_SEND].count, fresh_types ? make_new : make_known,
             fill_packed, measure_lives);
    layout_free(layout);
}

static void lives(const struct layout_spec *spec, enum layout_place place)
{
    (void) place;
    measure_off_line(spec, false);
}

static void new_lives(const struct layout_spec *spec, enum layout_place place)
{
    (void) place;
    measure_off_line(spec, true);
}

/* ---- lists of blocks ---- */

typedef struct particle {
    double position[3], velocity[3];
    int id, cell; /* the cell is not sent */
} particle_t;

#define SENT offsetof(particle_t, cell)

enum { SPACING = 4, LONGEST_BLOCK = 8, EDGE = 64 };
typedef enum kind { DOUBLES, STRUCTS, UNEVEN, ADDRESSES, VECTOR, SUBARRAY } kind_t;

/* n blocks of particles (STRUCTS, ADDRESSES) or doubles; disps and lengths count elements. Blocks
 * of all but UNEVEN are as long as the first one. */
typedef struct list {
    kind_t kind;
    int n;
    int *disps, *lengths;
    MPI_Aint *addresses;
} list_t;

static unsigned char *memory, *packed, *expected;
static MPI_Datatype particle_type;

static bool has_particles(const list_t *list)
{
    return list->kind == STRUCTS || list->kind == ADDRESSES;
}

static void *allocated(size_t size)
{
    void *bytes = malloc(size);
    if (bytes == NULL) {
        no_memory();
    }
    return bytes;
}

static list_t new_list(kind_t kind, int n)
{
    const size_t count = (size_t) n;
    return (list_t){kind, n, allocated(count * sizeof(int)), allocated(count * sizeof(int)),
                    kind == ADDRESSES ? allocated(count * sizeof(MPI_Aint)) : NULL};
}

static void free_list(list_t *list)
{
    free(list->disps);
    free(list->lengths);
    free(list->addresses);
}

static void make_addresses(const list_t *list, MPI_Datatype *type)
{
    static MPI_Datatype *all;
    static int room;

    if (room < list->n) {
        room = list->n;
        all = realloc(all, (size_t) room * sizeof(MPI_Datatype));
        for (int i = 0; i < room; i++) {
            all[i] = particle_type;
        }
    }
    MPI_Type_create_struct(list->n, list->lengths, list->addresses, all, type);
}

static void make_list(const job_t *job, MPI_Datatype *type)
{
    const list_t *list = job->what;
    const int n = list->n, *disps = list->disps, *lengths = list->lengths;
    const int sizes[2] = {EDGE, EDGE}, parts[2] = {n, lengths[0]};
    const int starts[2] = {disps[0] / EDGE, disps[0] % EDGE};

    switch (list->kind) {
    case UNEVEN:
        MPI_Type_indexed(n, lengths, disps, MPI_DOUBLE, type);
        break;
    case ADDRESSES:
        make_addresses(list, type);
        break;
    case VECTOR:
        MPI_Type_vector(n, lengths[0], n > 1 ? disps[1] : lengths[0], MPI_DOUBLE, type);
        break;
    case SUBARRAY:
        MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, type);
        break;
    default:
        MPI_Type_create_indexed_block(n, lengths[0], disps,
                                      has_particles(list) ? particle_type : MPI_DOUBLE, type);
    }
    MPI_Type_commit(type);
}

/* The bytes that the list describes, to `to`; returns how many. */
static int pack_by_hand(const list_t *list, unsigned char *to)
{
    const double *doubles = (const double *) memory;
    const particle_t *particles = (const particle_t *) memory;
    unsigned char *const start = to;

    for (int b = 0; b < list->n; b++) {
        const int first = list->disps[b], end = first + list->lengths[b];
        if (has_particles(list)) {
            for (int e = first; e < end; e++, to += SENT) {
                memcpy(to, &particles[e], SENT);
            }
        } else {
            for (int e = first; e < end; e++, to += sizeof(double)) {
                memcpy(to, &doubles[e], sizeof(double));
            }
        }
    }
    return (int) (to - start);
}

static void make_particle_type(void)
{
    const int lengths[] = {3, 3, 1};
    const MPI_Aint at[] = {0, offsetof(particle_t, velocity), offsetof(particle_t, id)};
    const MPI_Datatype each[] = {MPI_DOUBLE, MPI_DOUBLE, MPI_INT};
    MPI_Datatype fields;

    MPI_Type_create_struct(3, lengths, at, each, &fields);
    MPI_Type_create_resized(fields, 0, sizeof(particle_t), &particle_type);
    MPI_Type_commit(&particle_type);
    MPI_Type_free(&fields);
}

static void check(const char *name, const list_t *list, int bytes)
{
    if (pack_by_hand(list, expected) != bytes || memcmp(expected, packed, (size_t) bytes) != 0) {
        wrong(name);
    }
}

/* ---- fresh ---- */

enum { FRESH_SAMPLES = 9, FRESH_SAMPLES_LONG = 5, BATCH_MOST = 64, STRIDES = 3000 };
static const double FRESH_SECONDS = 400e-6, FRESH_LONG = 10e-3;
static const int fresh_uses[] = {1, 2, 3, 10, 100};
static const int entries[] = {50, 500, 2000, 8000, 20000};
static const int vector_counts[] = {20, 1000};

static uint32_t draw(uint32_t below)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t) (((state >> 32) * below) >> 32);
}

/* Entry i lies somewhere in the i-th stretch of SPACING blocks, at no regular distance; a vector's
 * stride is no earlier one's. */
static void draw_list(list_t *list)
{
    static int stride;
    const int longest = list->kind == UNEVEN ? LONGEST_BLOCK : 1, stretch = SPACING * longest;

    stride = (stride + 1) % STRIDES;
    for (int i = 0; i < list->n; i++) {
        list->lengths[i] = 1 + (int) draw((uint32_t) longest);
        list->disps[i] = list->kind == VECTOR
                             ? i * (2 + stride)
                             : i * stretch + (int) draw((uint32_t) (stretch - longest));
        if (list->addresses != NULL) {
            MPI_Get_address(memory + (size_t) list->disps[i] * sizeof(particle_t),
                            &list->addresses[i]);
        }
    }
}

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static double time_fresh(const char *name, list_t *lists, int n, int count)
{
    job_t job = {name,   make_list, NULL,     lists[0].kind == ADDRESSES ? MPI_BOTTOM : memory,
                 packed, 1,         INT32_MAX};
    int bytes = 0;

    for (int i = 0; i < count; i++) {
        draw_list(&lists[i]);
    }
    const double start = processor_time();
    for (int i = 0; i < count; i++) {
        job.what = &lists[i];
        bytes = live(&job, false, n);
    }
    const double taken = processor_time() - start;
    check(name, &lists[count - 1], bytes);
    return taken;
}

static void measure_fresh(const char *kind_name, kind_t kind, int count)
{
    list_t lists[BATCH_MOST];
    char name[64];

    snprintf(name, sizeof(name), "%s_%d", kind_name, count);
    for (int i = 0; i < BATCH_MOST; i++) {
        lists[i] = new_list(kind, count);
    }
    printf("layout %s %zu\n", name,
           (size_t) count * (has_particles(lists) ? sizeof(particle_t) : sizeof(double)));
    for (size_t u = 0; u < sizeof(fresh_uses) / sizeof(fresh_uses[0]); u++) {
        const int n = fresh_uses[u];
        const double seconds = time_fresh(name, lists, n, 2) / 2;
        int batch = (int) (FRESH_SECONDS / seconds);
        batch = batch < 1 ? 1 : batch > BATCH_MOST ? BATCH_MOST : batch;
        for (int s = seconds > FRESH_LONG ? FRESH_SAMPLES_LONG : FRESH_SAMPLES; s > 0; s--) {
            printf("%s life %d %.1f\n", name, n, 1e9 * time_fresh(name, lists, n, batch) / batch);
        }
    }
    for (int i = 0; i < BATCH_MOST; i++) {
        free_list(&lists[i]);
    }
}

static void fresh(bool quick)
{
    static const char *const names[] = {"doubles", "structs", "uneven", "addresses", "vector"};

    for (kind_t kind = DOUBLES; kind <= VECTOR; kind++) {
        const int *counts = kind == VECTOR ? vector_counts : entries;
        const int n = kind == VECTOR ? 2 : quick ? 3 : 5;
        for (int i = 0; i < n; i++) {
            measure_fresh(names[kind], kind, counts[i]);
        }
    }
}

/* ---- a particle code ---- */

/* Sends the particles of one new list and receives into another; true if they came. */
static bool exchange(int rank, const list_t *leaving, const list_t *coming)
{
    particle_t *const particles = (particle_t *) memory, *const arriving = (particle_t *) packed;
    const job_t jobs[2] = {{.what = leaving}, {.what = coming}};
    MPI_Datatype each[2];

    make_list(&jobs[0], &each[0]);
    make_list(&jobs[1], &each[1]);
    MPI_Sendrecv(particles, 1, each[0], 1 - rank, 0, arriving, 1, each[1], 1 - rank, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&each[0]);
    MPI_Type_free(&each[1]);
    return arriving[coming->disps[coming->n - 1]].id == 1 - rank;
}

static void step_of(int count, int rank)
{
    enum { STEPS = 200, WARM = 20 };
    list_t lists[2] = {new_list(STRUCTS, count), new_list(STRUCTS, count)};
    double seconds = 0;

    for (int i = 0; i < WARM + STEPS; i++) {
        draw_list(&lists[0]);
        draw_list(&lists[1]);
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        if (!exchange(rank, &lists[0], &lists[1])) {
            wrong("particles");
        }
        seconds += i < WARM ? 0 : MPI_Wtime() - start;
    }
    if (rank == 0) {
        printf("layout particles_%d %zu\n", count, (size_t) count * SENT);
        printf("particles_%d life 1 %.1f\n", count, 1e9 * seconds / STEPS);
    }
    free_list(&lists[0]);
    free_list(&lists[1]);
}

static void particles(int rank)
{
    for (int i = 0; i < entries[4] * SPACING; i++) {
        ((particle_t *) memory)[i].id = rank;
    }
    for (size_t i = 1; i < sizeof(entries) / sizeof(entries[0]); i++) {
        step_of(entries[i], rank);
    }
}

/* ---- many ---- */

enum { MOST = 12000, USES = 100, BY_MPI = 0, BY_HAND };

static struct {
    int n;
    list_t *list;
    job_t *job;
    MPI_Datatype *type;
} many;

/* No two are equal, up to MOST. */
static void make_shape(int i)
{
    static const kind_t kinds[] = {VECTOR, SUBARRAY, DOUBLES};
    const int m = i / 3;
    const kind_t kind = kinds[i % 3];
    const int count = kind == SUBARRAY ? 2 + m % 16 : 8 + m % 32;
    const int length = kind == SUBARRAY ? 1 + m / 16 % 8 : 1 + m / 32 % 4;
    const int stride = kind == SUBARRAY ? EDGE : length + 1 + m / 128 % 32;
    int at = kind == SUBARRAY ? EDGE * (m / 128 % 16) + m / 2048 * 7 : 0;
    unsigned state = (unsigned) m;

    many.list[i] = new_list(kind, count);
    for (int b = 0; b < count; b++) {
        state = state * 1103515245u + 12345u;
        many.list[i].disps[b] = at;
        many.list[i].lengths[b] = length;
        at += kind == DOUBLES ? length + 1 + (int) (state >> 16) % 16 : stride;
    }
    many.job[i] = (job_t){"many", make_list, &many.list[i], memory, packed, 1, INT32_MAX};
}

static void pass(void *context, int which, int64_t times)
{
    (void) context;
    for (int64_t t = 0; t < times; t++) {
        for (int i = 0; i < many.n; i++) {
            (void) (which == BY_MPI ? use(&many.job[i], many.type[i], false)
                                    : pack_by_hand(&many.list[i], packed));
        }
    }
}

static void print_many(const char *what, const char *how, double seconds)
{
    printf("many %d %s %s %.2f\n", many.n, what, how, 1e9 * seconds / many.n);
}

static void measure_uses(void)
{
    dame_turns_t turns = {
        .n = 2, .run = pass, .sample = 200e-6, .seconds = 0.2, .least = 5, .most = 15};

    if (dame_turns_run(&turns) != 0) {
        no_memory();
    }
    for (int which = BY_MPI; which <= BY_HAND; which++) {
        for (int s = 0; s < turns.rounds; s++) {
            print_many("use", which == BY_MPI ? "mpi" : "hand",
                       turns.samples[which * turns.rounds + s]);
        }
    }
    dame_turns_free(&turns);
}

static void measure_many(int n)
{
    many.n = n;
    many.list = layout_buffer((size_t) n * sizeof(*many.list));
    many.job = layout_buffer((size_t) n * sizeof(*many.job));
    many.type = layout_buffer((size_t) n * sizeof(MPI_Datatype));
    memset(many.type, 1, (size_t) n * sizeof(MPI_Datatype));
    for (int i = 0; i < n; i++) {
        make_shape(i);
    }
    const double before = bench_resident();
    double start = bench_now();
    for (int i = 0; i < n; i++) {
        make_list(&many.job[i], &many.type[i]);
    }
    print_many("create", "mpi", bench_now() - start);
    const double created = bench_resident();
    start = bench_now();
    pass(NULL, BY_MPI, 1);
    print_many("first", "mpi", bench_now() - start);
    pass(NULL, BY_MPI, USES - 1);
    printf("many %d memory create %.1f\n", n, (created - before) / n);
    printf("many %d memory use %.1f\n", n, (bench_resident() - before) / n);
    for (int i = 0; i < n; i++) {
        check("many", &many.list[i], use(&many.job[i], many.type[i], false));
    }
    measure_uses();
    start = bench_now();
    for (int i = 0; i < n; i++) {
        MPI_Type_free(&many.type[i]);
    }
    print_many("free", "mpi", bench_now() - start);
    for (int i = 0; i < n; i++) {
        free_list(&many.list[i]);
    }
    free(many.list);
    free(many.job);
    free(many.type);
}

/* ---- main ---- */

/* Lets the engine do its set-up of the process. */
static void warm_up(void)
{
    int numbers[8] = {0}, moved[3];
    MPI_Datatype type;

    MPI_Type_vector(3, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 0, at; i < USES; i++) {
        at = 0;
        MPI_Pack(numbers, 1, type, moved, sizeof(moved), &at, MPI_COMM_SELF);
    }
    MPI_Type_free(&type);
}

/* A list's memory, all of it resident; returns an exit code. */
static int of_lists(const char *mode, const char *value)
{
    const size_t most = (size_t) entries[4] * SPACING * LONGEST_BLOCK * sizeof(particle_t);
    const long n = value != NULL && strcmp(mode, "many") == 0 ? strtol(value, NULL, 10) : 0;
    const bool quick = value != NULL && strcmp(value, "--quick") == 0;
    int rank, ranks, code = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    make_particle_type();
    memory = layout_buffer(most);
    packed = layout_buffer(most);
    expected = layout_buffer(most);
    for (size_t i = 0; i < most; i++) {
        memory[i] = (unsigned char) (i * 31 + (i >> 8));
    }
    memset(packed, 0, most);
    if (strcmp(mode, "fresh") == 0 && ranks == 1 && (value == NULL || quick)) {
        fresh(quick);
    } else if (strcmp(mode, "particles") == 0 && ranks == 2 && value == NULL) {
        particles(rank);
    } else if (n >= 1 && n <= MOST && ranks == 1) {
        warm_up();
        measure_many((int) n);
    } else {
        fprintf(stderr,
                "life_worker: '%s %s' on %d ranks: allowed are types, lives, new, fresh [--quick] "
                "and many N (1 to %d) on one rank, particles on two\n",
                mode, value != NULL ? value : "", ranks, MOST);
        code = 2;
    }
    MPI_Type_free(&particle_type);
    free(expected);
    free(packed);
    free(memory);
    MPI_Finalize();
    return code;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *mode;
        void (*measure)(const struct layout_spec *spec, enum layout_place place);
    } of_layouts[] = {{"types", types}, {"lives", lives}, {"new", new_lives}};
    const char *mode = argc > 1 ? argv[1] : "";
    struct options options = {0};

    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++) {
        if (strcmp(mode, of_layouts[i].mode) == 0) {
            warm_up();
            argv[1] = argv[0];
            return options_run(&options, argc - 1, argv + 1, NULL, of_layouts[i].measure);
        }
    }
    return of_lists(mode, argc > 2 ? argv[2] : NULL);
}
