/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A Jacobi iteration in two dimensions, as its author wrote it or cut into tasks.
 *
 *   predict_worker V NX NY STEPS
 *
 * One process has NX x NY doubles of a periodic plane. Its left and right neighbours are itself, by
 * messages; apps/bamboo/bench/predict_delay.c makes a network of that. V = 1 is the blocking program: receives,
 * sends, MPI_Waitall, update. V > 1 is the same plane as V tasks, cut along y: each has messages of
 * its own to the left and right, hands its upper and lower row to the tasks beside it by a copy,
 * and runs when all four are there. One MPI_Testsome a round, so that the awaited requests are
 * seen.
 *
 * Prints "result V MICROSECONDS CHECKSUM": CPU time of a step. The checksum is that of the plane's
 * bytes, the same for every V.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 64, LEFT = 0, RIGHT = 1, SIDES = 2 };

/* Rows of nx + 2 cells, with ghost cells around; `now` and `next` change places every step. */
typedef struct task {
    int nx, ny, number, tasks;
    double *now, *next;
    double *out[SIDES], *in[SIDES]; /* columns */
    double *rows[2][SIDES];         /* of the tasks above and below, for even and odd steps */
    long row_step[2][SIDES];        /* the step that such a row is for */
    int columns;                    /* that came for this step */
    long step;                      /* that is to run next */
} task_t;

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e6 * (double) now.tv_sec + 1e-3 * (double) now.tv_nsec;
}

static double *cell(const task_t *task, double *plane, int y, int x)
{
    return plane + (size_t) (y + 1) * (size_t) (task->nx + 2) + (size_t) (x + 1);
}

static void *zeroed(size_t n)
{
    void *memory = calloc(n, sizeof(double));
    if (memory == NULL) {
        fprintf(stderr, "predict_worker: memory is out\n");
        exit(1);
    }
    return memory;
}

/* Values of the whole plane, by its coordinates. */
static void make_task(task_t *task, int number, int tasks, int nx, int ny)
{
    *task = (task_t){.nx = nx, .ny = ny / tasks, .number = number, .tasks = tasks};
    size_t cells = (size_t) (nx + 2) * (size_t) (task->ny + 2);
    task->now = zeroed(cells);
    task->next = zeroed(cells);
    for (int side = 0; side < SIDES; side++) {
        task->out[side] = zeroed((size_t) task->ny);
        task->in[side] = zeroed((size_t) task->ny);
        for (int parity = 0; parity < 2; parity++) {
            task->rows[parity][side] = zeroed((size_t) nx);
            task->row_step[parity][side] = -1;
        }
    }
    for (int y = 0; y < task->ny; y++) {
        for (int x = 0; x < nx; x++) {
            unsigned place = (unsigned) ((number * task->ny + y) * nx + x);
            *cell(task, task->now, y, x) = (double) (place * 2654435761U >> 8) / (1 << 24);
        }
    }
}

static void update(task_t *task)
{
    for (int y = 0; y < task->ny; y++) {
        const double *restrict middle = cell(task, task->now, y, 0);
        const double *restrict above = cell(task, task->now, y - 1, 0);
        const double *restrict below = cell(task, task->now, y + 1, 0);
        double *restrict to = cell(task, task->next, y, 0);
        for (int x = 0; x < task->nx; x++) {
            to[x] = 0.25 * ((middle[x - 1] + middle[x + 1]) + (above[x] + below[x]));
        }
    }
    double *now = task->now;
    task->now = task->next;
    task->next = now;
}

static void pack(task_t *task)
{
    for (int y = 0; y < task->ny; y++) {
        task->out[LEFT][y] = *cell(task, task->now, y, 0);
        task->out[RIGHT][y] = *cell(task, task->now, y, task->nx - 1);
    }
}

/* Data sent to the left comes in at the right. */
static void unpack(task_t *task)
{
    for (int y = 0; y < task->ny; y++) {
        *cell(task, task->now, y, task->nx) = task->in[LEFT][y];
        *cell(task, task->now, y, -1) = task->in[RIGHT][y];
    }
}

static int tag_of(const task_t *task, int side)
{
    return 1 + task->number * SIDES + side;
}

static void exchange(task_t *task, MPI_Request requests[2 * SIDES])
{
    pack(task);
    for (int side = 0; side < SIDES; side++) {
        MPI_Irecv(task->in[side], task->ny, MPI_DOUBLE, 0, tag_of(task, side), MPI_COMM_WORLD,
                  &requests[side]);
    }
    for (int side = 0; side < SIDES; side++) {
        MPI_Isend(task->out[side], task->ny, MPI_DOUBLE, 0, tag_of(task, side), MPI_COMM_WORLD,
                  &requests[SIDES + side]);
    }
}

/* ---- as its author wrote it ---- */

static void run_blocking(task_t *task, long steps)
{
    MPI_Request requests[2 * SIDES];
    size_t row = (size_t) task->nx * sizeof(double);
    for (long step = 0; step < steps; step++) {
        exchange(task, requests);
        MPI_Waitall(2 * SIDES, requests, MPI_STATUSES_IGNORE);
        unpack(task);
        memcpy(cell(task, task->now, -1, 0), cell(task, task->now, task->ny - 1, 0), row);
        memcpy(cell(task, task->now, task->ny, 0), cell(task, task->now, 0, 0), row);
        update(task);
    }
}

/* ---- as tasks ---- */

/* Row `side` of another task, 0: above, 1: below, as it is before `step`. */
static void hand_row(task_t *to, int side, const double *row, long step)
{
    memcpy(to->rows[step % 2][side], row, (size_t) to->nx * sizeof(double));
    to->row_step[step % 2][side] = step;
}

static void hand_rows(task_t *tasks, task_t *task)
{
    int n = task->tasks;
    hand_row(&tasks[(task->number + 1) % n], 0, cell(task, task->now, task->ny - 1, 0), task->step);
    hand_row(&tasks[(task->number + n - 1) % n], 1, cell(task, task->now, 0, 0), task->step);
}

static int is_ready(const task_t *task)
{
    const long *rows = task->row_step[task->step % 2];
    return task->columns == SIDES && rows[0] == task->step && rows[1] == task->step;
}

static void run_step(task_t *tasks, task_t *task, long steps, MPI_Request *requests)
{
    size_t row = (size_t) task->nx * sizeof(double);
    unpack(task);
    memcpy(cell(task, task->now, -1, 0), task->rows[task->step % 2][0], row);
    memcpy(cell(task, task->now, task->ny, 0), task->rows[task->step % 2][1], row);
    update(task);
    task->columns = 0;
    if (++task->step < steps) {
        exchange(task, requests);
        hand_rows(tasks, task);
    }
}

/* Of those that can run, the one that is furthest behind. */
static task_t *choose(task_t *tasks, int n, long steps)
{
    task_t *best = NULL;
    for (int t = 0; t < n; t++) {
        if (tasks[t].step < steps && is_ready(&tasks[t]) &&
            (best == NULL || tasks[t].step < best->step)) {
            best = &tasks[t];
        }
    }
    return best;
}

static void run_tasks(task_t *tasks, int n, long steps)
{
    MPI_Request requests[MOST * 2 * SIDES];
    int indices[MOST * 2 * SIDES], done;
    for (int t = 0; t < n; t++) {
        exchange(&tasks[t], &requests[t * 2 * SIDES]);
        hand_rows(tasks, &tasks[t]);
    }
    for (long left = steps * n; left > 0;) {
        MPI_Testsome(n * 2 * SIDES, requests, &done, indices, MPI_STATUSES_IGNORE);
        for (int d = 0; d < done && done != MPI_UNDEFINED; d++) {
            tasks[indices[d] / (2 * SIDES)].columns += indices[d] % (2 * SIDES) < SIDES;
        }
        task_t *task = choose(tasks, n, steps);
        if (task != NULL) {
            /* Its sends are complete: they were received, by this process. */
            run_step(tasks, task, steps, &requests[task->number * 2 * SIDES]);
            left--;
        }
    }
}

/* ---- */

static uint64_t checksum(const task_t *tasks, int n)
{
    uint64_t sum = 14695981039346656037U;
    for (int t = 0; t < n; t++) {
        for (int y = 0; y < tasks[t].ny; y++) {
            for (int x = 0; x < tasks[t].nx; x++) {
                uint64_t bits;
                memcpy(&bits, cell(&tasks[t], tasks[t].now, y, x), sizeof(bits));
                sum = (sum ^ bits) * 1099511628211U;
            }
        }
    }
    return sum;
}

int main(int argc, char **argv)
{
    int v = argc > 1 ? atoi(argv[1]) : 0, nx = argc > 2 ? atoi(argv[2]) : 0;
    int ny = argc > 3 ? atoi(argv[3]) : 0, ranks;
    long steps = argc > 4 ? atol(argv[4]) : 0;
    static task_t tasks[MOST];
    if (argc != 5 || v < 1 || v > MOST || nx < 1 || ny < v || ny % v != 0 || steps < 1) {
        fprintf(stderr, "usage: predict_worker V NX NY STEPS; V from 1 to %d divides NY\n", MOST);
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 1) {
        fprintf(stderr, "predict_worker: one rank, not %d\n", ranks);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int t = 0; t < v; t++) {
        make_task(&tasks[t], t, v, nx, ny);
    }
    double begin = now_us();
    if (v == 1) {
        run_blocking(&tasks[0], steps);
    } else {
        run_tasks(tasks, v, steps);
    }
    printf("result %d %.3f %016llx\n", v, (now_us() - begin) / (double) steps,
           (unsigned long long) checksum(tasks, v));
    MPI_Finalize();
    return 0;
}
