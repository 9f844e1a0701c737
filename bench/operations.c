/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What programs do with datatypes besides sending a message: halos of stencils, collectives,
 * one-sided operations, files, lists that are new in each step, threads. Two ranks.
 *
 *   operations [NAME]…      default: all but threads
 *
 * Each operation is done with derived datatypes and packed by hand, in each turn (lib/turns.h).
 * Before the first and after the last, all received data is compared with the expected bytes,
 * untouched memory included. Prints
 *
 *   result NAME types|hand MICROSECONDS right|WRONG
 *
 * with the lower quartile of the slower rank. With names, MPI is initialised for threads. Exit code
 * 1 when a byte is wrong. Needs no DAME and no Open MPI.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "operations.h"

enum { SAMPLES_MAX = 200, SAMPLES_MIN = 5 };
static const double SECONDS = 0.4, TURN_SECONDS = 10e-3; /* for one operation */

/* ---- particles: another list in each step ---- */

enum { PARTICLE = 6, SHARE = 4 }; /* doubles; one in SHARE leaves */

static struct {
    int count, leaving;
    double *all, *out, *in;
    int *list;
    unsigned state;
} particles;

static void particles_begin(const operation_t *o)
{
    particles.count = o->size;
    particles.leaving = o->size / SHARE;
    particles.all = doubles((size_t) (PARTICLE * o->size));
    particles.out = doubles((size_t) (PARTICLE * o->size));
    particles.in = doubles((size_t) (PARTICLE * o->size));
    particles.list = app_memory((size_t) o->size * sizeof(int));
    particles.state = 0;
    for (int i = 0; i < PARTICLE * o->size; i++) {
        particles.all[i] = value(rank, 0, i, 0, 0);
    }
}

/* One of each SHARE, at random; the same list on both ranks, so that it can be checked. */
static void new_list(void)
{
    for (int i = 0; i < particles.leaving; i++) {
        particles.state = particles.state * 1103515245u + 12345u;
        particles.list[i] = PARTICLE * (SHARE * i + (int) (particles.state >> 16) % SHARE);
    }
}

static void particles_step(bool by_hand)
{
    const int count = PARTICLE * particles.leaving;
    MPI_Datatype type = MPI_DOUBLE;
    new_list();
    if (by_hand) {
        for (int i = 0; i < particles.leaving; i++) {
            memcpy(particles.out + PARTICLE * i, particles.all + particles.list[i],
                   PARTICLE * sizeof(double));
        }
    } else {
        MPI_Type_create_indexed_block(particles.leaving, PARTICLE, particles.list, MPI_DOUBLE,
                                      &type);
        MPI_Type_commit(&type);
    }
    MPI_Sendrecv(by_hand ? particles.out : particles.all, by_hand ? count : 1, type, peer, 0,
                 particles.in, count, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!by_hand) {
        MPI_Type_free(&type);
    }
}

static bool particles_are_right(bool by_hand)
{
    bool right = true;
    for (int i = 0; i < PARTICLE * particles.count; i++) {
        particles.in[i] = particles.out[i] = UNTOUCHED;
    }
    particles_step(by_hand);
    for (int i = PARTICLE * particles.leaving; i < PARTICLE * particles.count; i++) {
        right = right && particles.in[i] == UNTOUCHED;
    }
    for (int i = 0; i < PARTICLE * particles.leaving; i++) {
        right = right && particles.in[i] ==
                             value(peer, 0, particles.list[i / PARTICLE] + i % PARTICLE, 0, 0);
    }
    return right;
}

static void particles_end(void)
{
    turns_free(particles.all);
    turns_free(particles.out);
    turns_free(particles.in);
    turns_free(particles.list);
}

/* ---- a file: the cells of both ranks, side by side along the last axis ---- */

enum { WRITE, READ };

static struct {
    int n, kind;
    char name[64];
    double *f, *out;
    MPI_File file;
    MPI_Datatype inner, view;
} file;

static size_t in_file(int i, int j, int k)
{
    const size_t n = (size_t) file.n, m = n + 2;
    return ((size_t) (i + 1) * m + (size_t) (j + 1)) * m + (size_t) (k + 1);
}

static void file_fill(void)
{
    for (size_t i = 0, m = (size_t) file.n + 2; i < m * m * m; i++) {
        file.f[i] = UNTOUCHED;
    }
    for (int i = 0; i < file.n; i++) {
        for (int j = 0; j < file.n; j++) {
            for (int k = 0; k < file.n; k++) {
                file.f[in_file(i, j, k)] = value(rank, 0, i, j, k);
            }
        }
    }
}

static void file_move(bool by_hand, bool write)
{
    const int n = file.n, cells = n * n * n;
    void *from = by_hand ? file.out : file.f;
    const int count = by_hand ? cells : 1;
    MPI_Datatype type = by_hand ? MPI_DOUBLE : file.inner;
    for (int i = 0; i < n && by_hand && write; i++) {
        for (int j = 0; j < n; j++) {
            memcpy(file.out + (i * n + j) * n, file.f + in_file(i, j, 0),
                   (size_t) n * sizeof(double));
        }
    }
    const int code = write
                         ? MPI_File_write_at_all(file.file, 0, from, count, type, MPI_STATUS_IGNORE)
                         : MPI_File_read_at_all(file.file, 0, from, count, type, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) {
        fprintf(stderr, "operations: %s: error %d\n", file.name, code);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < n && by_hand && !write; i++) {
        for (int j = 0; j < n; j++) {
            memcpy(file.f + in_file(i, j, 0), file.out + (i * n + j) * n,
                   (size_t) n * sizeof(double));
        }
    }
}

static void file_begin(const operation_t *o)
{
    const char *directory = getenv("TMPDIR");
    const int n = o->size;
    int sizes[3] = {n + 2, n + 2, n + 2}, parts[3] = {n, n, n}, starts[3] = {1, 1, 1};
    file.n = n;
    file.kind = o->kind;
    if (rank == 0) {
        snprintf(file.name, sizeof(file.name), "%s/dame-bench-XXXXXX",
                 directory != NULL && strlen(directory) < 40 ? directory : "/tmp");
        const int made = mkstemp(file.name);
        if (made < 0) {
            fprintf(stderr, "operations: %s cannot be made\n", file.name);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        close(made);
    }
    MPI_Bcast(file.name, sizeof(file.name), MPI_CHAR, 0, MPI_COMM_WORLD);
    file.f = doubles((size_t) (n + 2) * (size_t) (n + 2) * (size_t) (n + 2));
    file.out = doubles((size_t) n * (size_t) n * (size_t) n);
    MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &file.inner);
    MPI_Type_commit(&file.inner);
    sizes[0] = sizes[1] = n;
    sizes[2] = 2 * n;
    starts[0] = starts[1] = 0;
    starts[2] = rank * n;
    MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &file.view);
    MPI_Type_commit(&file.view);
    if (MPI_File_open(MPI_COMM_WORLD, file.name, MPI_MODE_RDWR, MPI_INFO_NULL, &file.file) !=
        MPI_SUCCESS) {
        fprintf(stderr, "operations: %s cannot be opened\n", file.name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_File_set_view(file.file, 0, MPI_DOUBLE, file.view, "native", MPI_INFO_NULL);
    file_fill();
    file_move(true, true);
}

static void file_step(bool by_hand)
{
    file_move(by_hand, file.kind == WRITE);
}

/* All of the file, read by each rank without MPI; and memory. */
static bool file_is_right(bool by_hand)
{
    const int n = file.n;
    const size_t cells = (size_t) n * (size_t) n * (size_t) n;
    double *all = doubles(2 * cells);
    bool right = true;
    file_fill();
    if (file.kind == WRITE) { /* so that old bytes are seen */
        memset(file.out, 0, cells * sizeof(double));
        MPI_File_write_at_all(file.file, 0, file.out, (int) cells, MPI_DOUBLE, MPI_STATUS_IGNORE);
    } else {
        file_move(true, true);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                memset(file.f + in_file(i, j, 0), 0, (size_t) n * sizeof(double));
            }
        }
        memset(file.out, 0, cells * sizeof(double));
    }
    file_step(by_hand);
    MPI_File_sync(file.file);
    MPI_Barrier(MPI_COMM_WORLD);
    FILE *plain = fopen(file.name, "rb");
    right = plain != NULL && 2 * cells == fread(all, sizeof(double), 2 * cells, plain);
    if (plain != NULL) {
        fclose(plain);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < 2 * n; k++) {
                right = right && all[(i * n + j) * 2 * n + k] == value(k >= n, 0, i, j, k % n);
            }
        }
    }
    for (int i = -1; i <= n; i++) {
        for (int j = -1; j <= n; j++) {
            for (int k = -1; k <= n; k++) {
                const bool ghost = i < 0 || j < 0 || k < 0 || i == n || j == n || k == n;
                right = right &&
                        file.f[in_file(i, j, k)] == (ghost ? UNTOUCHED : value(rank, 0, i, j, k));
            }
        }
    }
    turns_free(all);
    MPI_Barrier(MPI_COMM_WORLD);
    return right;
}

static void file_end(void)
{
    MPI_File_close(&file.file);
    MPI_Type_free(&file.inner);
    MPI_Type_free(&file.view);
    if (rank == 0) {
        remove(file.name);
    }
    turns_free(file.f);
    turns_free(file.out);
}

/* ---- two threads a rank, each with messages of its own ---- */

enum { THREADS = 2, TRIPS = 50, THREAD_STRIDE = 8 };

static struct {
    int count;
    double *out[THREADS], *in[THREADS], *packed[THREADS];
    MPI_Datatype type;
    bool by_hand;
} threads;

static void threads_begin(const operation_t *o)
{
    threads.count = o->size;
    MPI_Type_vector(o->size, 1, THREAD_STRIDE, MPI_DOUBLE, &threads.type);
    MPI_Type_commit(&threads.type);
    for (int t = 0; t < THREADS; t++) {
        threads.out[t] = doubles((size_t) (THREAD_STRIDE * o->size));
        threads.in[t] = doubles((size_t) (THREAD_STRIDE * o->size));
        threads.packed[t] = doubles((size_t) o->size);
        for (int i = 0; i < THREAD_STRIDE * o->size; i++) {
            threads.out[t][i] = value(rank, t, i, 0, 0);
        }
    }
}

static void thread_sends(int t)
{
    if (!threads.by_hand) {
        MPI_Send(threads.out[t], 1, threads.type, peer, t, MPI_COMM_WORLD);
        return;
    }
    for (int i = 0; i < threads.count; i++) {
        threads.packed[t][i] = threads.out[t][THREAD_STRIDE * i];
    }
    MPI_Send(threads.packed[t], threads.count, MPI_DOUBLE, peer, t, MPI_COMM_WORLD);
}

static void thread_receives(int t)
{
    if (!threads.by_hand) {
        MPI_Recv(threads.in[t], 1, threads.type, peer, t, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Recv(threads.packed[t], threads.count, MPI_DOUBLE, peer, t, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    for (int i = 0; i < threads.count; i++) {
        threads.in[t][THREAD_STRIDE * i] = threads.packed[t][i];
    }
}

static void *thread_main(void *number)
{
    const int t = *(const int *) number;
    for (int trip = 0; trip < TRIPS; trip++) {
        if (rank == 0) {
            thread_sends(t);
            thread_receives(t);
        } else {
            thread_receives(t);
            thread_sends(t);
        }
    }
    return NULL;
}

static void threads_step(bool by_hand)
{
    static const int numbers[THREADS] = {0, 1};
    pthread_t other;
    threads.by_hand = by_hand;
    if (pthread_create(&other, NULL, thread_main, (void *) &numbers[1]) != 0) {
        fprintf(stderr, "operations: a thread cannot be made\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    thread_main((void *) &numbers[0]);
    pthread_join(other, NULL);
}

static bool threads_are_right(bool by_hand)
{
    bool right = true;
    for (int t = 0; t < THREADS; t++) {
        for (int i = 0; i < THREAD_STRIDE * threads.count; i++) {
            threads.in[t][i] = UNTOUCHED;
        }
        for (int i = 0; i < threads.count; i++) {
            threads.packed[t][i] = UNTOUCHED;
        }
    }
    threads_step(by_hand);
    for (int t = 0; t < THREADS; t++) {
        for (int i = 0; i < THREAD_STRIDE * threads.count; i++) {
            const bool sent = 0 == i % THREAD_STRIDE;
            right = right && threads.in[t][i] == (sent ? value(peer, t, i, 0, 0) : UNTOUCHED);
        }
    }
    return right;
}

static void threads_end(void)
{
    MPI_Type_free(&threads.type);
    for (int t = 0; t < THREADS; t++) {
        turns_free(threads.out[t]);
        turns_free(threads.in[t]);
        turns_free(threads.packed[t]);
    }
}

/* ---- measuring ---- */

#define HALO         halo_begin, halo_step, halo_is_right, halo_end
#define MATRIX       matrix_begin, matrix_step, matrix_is_right, matrix_end
#define PARTICLES    particles_begin, particles_step, particles_are_right, particles_end
#define FILES        file_begin, file_step, file_is_right, file_end
#define WITH_THREADS threads_begin, threads_step, threads_are_right, threads_end

static const operation_t operations[] = {
    {"halo_7_points", 48, SEVEN_POINTS, HALO},
    {"halo_27_points", 48, TWENTY_SEVEN_POINTS, HALO},
    {"halo_D3Q19", 32, LATTICE_BOLTZMANN, HALO},
    {"halo_persistent", 48, PERSISTENT, HALO},
    {"halo_neighbours", 48, NEIGHBOURS, HALO},
#if MPI_VERSION >= 4
    {"halo_partitioned", 48, PARTITIONED, HALO},
#else
    {.name = "halo_partitioned"},
#endif
    {"gatherv_columns", 512, GATHERV, MATRIX},
    {"alltoallw_slabs", 64, ALLTOALLW, MATRIX},
    {"put_columns", 512, PUT, MATRIX},
    {"get_columns", 512, GET, MATRIX},
    {"accumulate_columns", 512, ACCUMULATE, MATRIX},
    {"particles", 4000, 0, PARTICLES},
    {"file_write", 32, WRITE, FILES},
    {"file_read", 32, READ, FILES},
    {"threads", 64, 0, WITH_THREADS},
};
enum { OPERATIONS = sizeof(operations) / sizeof(operations[0]) };

static bool is_chosen(const operation_t *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], o->name) == 0) {
            return true;
        }
    }
    return argc < 2 && o->step != threads_step;
}

static double slower(double mine)
{
    double both;
    MPI_Allreduce(&mine, &both, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return both;
}

static void time_turn(const operation_t *o, int n, bool right)
{
    double samples[2][SAMPLES_MAX];
    for (int i = 0; i < n; i++) {
        for (int by_hand = 0; by_hand < 2; by_hand++) {
            MPI_Barrier(MPI_COMM_WORLD);
            const double start = bench_now();
            o->step(by_hand);
            samples[by_hand][i] = bench_now() - start;
        }
    }
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        const double seconds = slower(bench_undisturbed(samples[by_hand], n));
        if (rank == 0) {
            printf("result %s %s %.2f %s\n", o->name, by_hand ? "hand" : "types", 1e6 * seconds,
                   right ? "right" : "WRONG");
        }
    }
}

/* Both ways, on all ranks. */
static bool is_right(const operation_t *o)
{
    int good = o->is_right(false), all_good;
    good = o->is_right(true) && good;
    MPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all_good;
}

static bool measure(const operation_t *o)
{
    o->begin(o);
    bool good = is_right(o);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = bench_now();
    o->step(true);
    o->step(false);
    const double limit = turns_count() > 1 ? TURN_SECONDS : SECONDS;
    int n = (int) (limit / slower(bench_now() - start + 1e-9));
    n = n > SAMPLES_MAX ? SAMPLES_MAX : n < SAMPLES_MIN ? SAMPLES_MIN : n;
    turns_next();
    for (int turn = 0; turn < turns_count(); turn++) {
        time_turn(o, n, good);
        if (turns_count() - 1 == turn) {
            good = is_right(o) && good;
        }
        turns_next();
    }
    o->end();
    return good;
}

int main(int argc, char **argv)
{
    int ranks, provided, known = 0, code = 0;
    const bool alone = argc < 2; /* so that nothing else pays for locks */
    MPI_Init_thread(&argc, &argv, alone ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    peer = 1 - rank;
    for (int i = 0; i < OPERATIONS; i++) {
        known += !alone && is_chosen(&operations[i], argc, argv);
    }
    if (ranks != 2 || known != argc - 1) {
        for (int i = 0; i < OPERATIONS && rank == 0; i++) {
            fprintf(stderr, "%s%s%s", i == 0 ? "operations: two ranks; any of " : "",
                    operations[i].name, OPERATIONS - 1 == i ? "\n" : ", ");
        }
        code = 2;
    }
    turns_join(rank, ranks);
    for (int i = 0; i < OPERATIONS && code == 0; i++) {
        const bool possible = operations[i].step != NULL && (threads_step != operations[i].step ||
                                                             provided == MPI_THREAD_MULTIPLE);
        if (!is_chosen(&operations[i], argc, argv)) {
            continue;
        }
        for (int turn = 0; !possible && turn <= turns_count(); turn++) {
            turns_next();
        }
        if (possible && !measure(&operations[i])) {
            code = 1;
        }
    }
    turns_leave();
    MPI_Finalize();
    return code;
}
