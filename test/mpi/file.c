/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI-IO: a view with gaps and memory with gaps, written and read, alone and together.
   argv[1]: the file; without it a name in $TMPDIR. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi_check.h"
#include "tests.h"
#include "types.h"

enum { REGION = 1 << 16, BLANK = 4242 };

static char path[1024];

static const char *const int_views[] = {"contiguous",
                                        "vector-of-wide-blocks",
                                        "indexed",
                                        "indexed-block-even",
                                        "subarray-3d-c",
                                        "subarray-whole",
                                        "darray-block-c-3",
                                        "darray-cyclic-k-fortran-5",
                                        "dup",
                                        "resized-larger",
                                        NULL};
/* No resized-negative-lb: ROMIO of Open MPI 4.1.4 takes its data from the wrong place. */
static const char *const int_memory[] = {"hvector-negative-stride", "indexed",
                                         "resized-larger",          "indexed-block-even",
                                         "subarray-3d-c",           NULL};
static const char *const double_views[] = {
    "vector", "subarray-2d-c", "subarray-3d-fortran", "darray-cyclic-c-1", "contiguous-of-gaps",
    NULL};
static const char *const double_memory[] = {
    "basic", "vector", "hindexed-decreasing", "indexed-shuffled", "contiguous-with-gaps", NULL};
static const char *const char_views[] = {"vector-3-of-bytes", NULL};
static const char *const char_memory[] = {"vector-3-of-bytes", "hindexed-block-1", NULL};

/* The whole file becomes blank pattern, so that gaps can be recognised. */
static void blank_file(int64_t bytes)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (my_rank == 0) {
        unsigned char *blank = must_malloc((size_t) bytes);
        int fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600);
        pattern(BLANK, 0, bytes, blank);
        if (fd < 0 || write(fd, blank, (size_t) bytes) != bytes || close(fd) != 0) {
            perror(path);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        free(blank);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The file as it is, read without MPI. */
static bool file_holds(int64_t at, const unsigned char *expected, int64_t bytes, const char *name)
{
    unsigned char *found = must_malloc((size_t) bytes);
    int64_t bad = 0;
    int fd = open(path, O_RDONLY);
    bool ok = fd >= 0 && pread(fd, found, (size_t) bytes, at) == bytes;

    if (ok && !same_bytes(found, expected, bytes, &bad)) {
        fprintf(stderr, "%s: byte %lld of the file holds %02x, expected %02x\n", name,
                (long long) (at + bad), found[bad], expected[bad]);
        ok = false;
    }
    if (fd >= 0) {
        close(fd);
    }
    free(found);
    return ok;
}

static void write_it(MPI_File f, const message_t *m, int way)
{
    MPI_Datatype type = m->layout->type;
    int n = (int) m->count;
    MPI_Request r;

    switch (way % 4) {
    case 0:
        MPI_File_write_at(f, 0, m->buf, n, type, MPI_STATUS_IGNORE);
        break;
    case 1:
        MPI_File_write_at_all(f, 0, m->buf, n, type, MPI_STATUS_IGNORE);
        break;
    case 2:
        MPI_File_write_all(f, m->buf, n, type, MPI_STATUS_IGNORE);
        break;
    default:
        MPI_File_iwrite(f, m->buf, n, type, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
}

static void read_it(MPI_File f, const message_t *m, int way, MPI_Status *status)
{
    MPI_Datatype type = m->layout->type;
    int n = (int) m->count;
    MPI_Request r;

    switch (way % 4) {
    case 0:
        MPI_File_read_all(f, m->buf, n, type, status);
        break;
    case 1:
        MPI_File_read_at(f, 0, m->buf, n, type, status);
        break;
    case 2:
        MPI_File_iread(f, m->buf, n, type, &r);
        MPI_Wait(&r, status);
        break;
    default:
        MPI_File_read_at_all(f, 0, m->buf, n, type, status);
    }
}

/* Each rank has a region of the file of its own. */
static void one_pair(MPI_File f, const type_case_t *view, const type_case_t *memory, int way)
{
    const layout_t *v = view->layout;
    const int n = 5;
    message_t m = msg_new(memory->layout, n);
    unsigned char *stream = stream_new(memory->layout, n, (unsigned) (way + my_rank));
    unsigned char *image = must_malloc(REGION);
    int64_t tiles = (m.bytes + v->size - 1) / v->size, at = (int64_t) my_rank * REGION;
    char name[128];
    int count;
    MPI_Status status;

    snprintf(name, sizeof(name), "view %s, memory %s, way %d", view->name, memory->name, way % 4);
    if (tiles * lay_extent(v) > REGION) {
        fprintf(stderr, "%s does not fit a region\n", name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    blank_file((int64_t) world_size * REGION);
    pattern(BLANK, at, REGION, image);
    lay_unpack(v, tiles, stream, m.bytes, image);

    MPI_File_set_view(f, at, lay_uniform(v), v->type, "native", MPI_INFO_NULL);
    msg_fill(&m, stream);
    write_it(f, &m, way);
    check(msg_holds(&m, stream, m.bytes), "%s: writing changed the memory", name);
    MPI_File_sync(f);
    MPI_Barrier(MPI_COMM_WORLD);
    check(file_holds(at, image, REGION, name), "written: %s", name);
    MPI_Barrier(MPI_COMM_WORLD);

    msg_clear(&m);
    MPI_File_seek(f, 0, MPI_SEEK_SET);
    read_it(f, &m, way, &status);
    check(msg_holds(&m, stream, m.bytes), "read: %s", name);
    MPI_Get_count(&status, memory->layout->type, &count);
    check(n == count, "read: %s: Get_count gives %d", name, count);
    free(image);
    free(stream);
    msg_free(&m);
}

static void every_pair(MPI_File f, const types_t *types, const char *const *views,
                       const char *const *memory)
{
    for (int i = 0, way = 0; views[i] != NULL; i++) {
        for (int k = 0; memory[k] != NULL; k++, way++) {
            one_pair(f, types_find(types, views[i]), types_find(types, memory[k]), way);
        }
    }
}

/* All ranks write one distributed array together: their views interleave. */
static void distributed_array(MPI_File f, int order, const int *distribs, const int *dargs)
{
    enum { ROWS = 60, COLUMNS = 44, BYTES = ROWS * COLUMNS * 8 };
    const int sizes[] = {ROWS, COLUMNS};
    int grid[] = {0, 0};
    layout_t *doubles = lay_basic(MPI_DOUBLE, 8, 8);
    unsigned char *image = must_malloc(BYTES);

    MPI_Dims_create(world_size, 2, grid);
    pattern(BLANK, 0, BYTES, image);
    blank_file(BYTES);
    for (int way = 0; way < 2; way++) {
        layout_t *mine = NULL;
        for (int r = 0; r < world_size; r++) {
            layout_t *l =
                lay_darray(world_size, r, 2, sizes, distribs, dargs, grid, order, doubles);
            unsigned char *stream = stream_new(l, 1, (unsigned) (r * 5 + way));
            lay_unpack(l, 1, stream, l->size, image);
            free(stream);
            if (r == my_rank) {
                mine = l;
            } else {
                lay_free(l);
            }
        }
        lay_commit(mine);
        unsigned char *stream = stream_new(mine, 1, (unsigned) (my_rank * 5 + way));
        message_t m = msg_new(mine, 1); /* in memory the array has the same shape */
        msg_fill(&m, stream);
        MPI_File_set_view(f, 0, MPI_DOUBLE, mine->type, "native", MPI_INFO_NULL);
        MPI_File_write_all(f, m.buf, 1, mine->type, MPI_STATUS_IGNORE);
        MPI_File_sync(f);
        MPI_Barrier(MPI_COMM_WORLD);
        check(file_holds(0, image, BYTES, "darray"), "distributed array written, order %d", order);
        msg_clear(&m);
        MPI_File_seek(f, 0, MPI_SEEK_SET);
        MPI_File_read_all(f, m.buf, 1, mine->type, MPI_STATUS_IGNORE);
        check(msg_holds(&m, stream, m.bytes), "distributed array read, order %d", order);
        MPI_Barrier(MPI_COMM_WORLD);
        msg_free(&m);
        free(stream);
        lay_free(mine);
    }
    free(image);
    lay_free(doubles);
}

int file_main(int argc, char **argv)
{
    static const int block[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK};
    static const int cyclic[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC};
    static const int plain[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
    static const int by_k[] = {3, 5};
    const char *dir = getenv("TMPDIR");
    MPI_File f;

    check_init(&argc, &argv);
    if (argc > 1) {
        snprintf(path, sizeof(path), "%s", argv[1]);
    } else {
        snprintf(path, sizeof(path), "%s/mpi-file-test-%ld", dir != NULL ? dir : "/tmp",
                 (long) getpid());
    }
    MPI_Bcast(path, sizeof(path), MPI_CHAR, 0, MPI_COMM_WORLD);
    blank_file(1);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    MPI_File_set_errhandler(f, MPI_ERRORS_ARE_FATAL);
    types_t *types = types_new();

    every_pair(f, types, int_views, int_memory);
    every_pair(f, types, double_views, double_memory);
    every_pair(f, types, char_views, char_memory);
    distributed_array(f, MPI_ORDER_C, block, plain);
    distributed_array(f, MPI_ORDER_C, cyclic, by_k);
    distributed_array(f, MPI_ORDER_FORTRAN, cyclic, plain);
    MPI_File_close(&f);
    if (my_rank == 0) {
        unlink(path);
    }
    types_free(types);
    return check_finish();
}
