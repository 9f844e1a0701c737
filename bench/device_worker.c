/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libdame on a device, of NVIDIA's, beside kernels written by hand, the driver's strided copy, a
 * copy for each block, and a plain copy of as many bytes. All bytes are compared with those that
 * the host packs before anything is timed. Needs a driver, no toolkit and no MPI.
 *
 * Usage: device_worker [--llvm FILE] [--code-dir DIRECTORY] [--cases N] [--layouts N]
 *                      [--print DIRECTORY]
 * Prints a line for each layout; the exit status is 77 without a device. --print needs no device:
 * it writes the programs of all datatypes into a directory, for dame cache --tier ptx fill.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dame/datatype.h"
#include "device_driver.h"

static void need_ok(dame_status_t status)
{
    if (status != DAME_OK) {
        fprintf(stderr, "device_worker: %s\n", dame_error_message());
        exit(1);
    }
}

static const char *print_into; /* a directory: nothing is moved; or NULL */

/* ---- Layouts -------------------------------------------------------------------------------- */

/* Doubles: a box, or a list of blocks. The sizes are those of DDTBench's micro-applications, and of
 * the larger ones that devices have. */
typedef struct layout {
    const char *name;
    int64_t width, rows, planes; /* of a list: rows blocks */
    int64_t row, plane;          /* bytes; row 0: a list */
    dame_datatype_t *type;
    int64_t *disps;
    address_t device_disps;
    int64_t size, span;
} layout_t;

static layout_t layouts[] = {
    {.name = "column_1024", .width = 1, .rows = 1024, .planes = 1, .row = 8192},
    {.name = "column_65536", .width = 1, .rows = 65536, .planes = 1, .row = 4096},
    {.name = "vector_every_2nd_1M", .width = 1, .rows = 1 << 20, .planes = 1, .row = 16},
    {.name = "NAS_LU_y_162", .width = 5, .rows = 162, .planes = 1, .row = 6560},
    {.name = "NAS_MG_x_258", .width = 1, .rows = 256, .planes = 256, .row = 2064, .plane = 532512},
    {.name = "NAS_MG_y_258", .width = 256, .rows = 256, .planes = 1, .row = 532512},
    {.name = "MILC_zdown_16", .width = 9, .rows = 256, .planes = 16, .row = 1152, .plane = 294912},
    {.name = "halo_256_x", .width = 1, .rows = 256, .planes = 256, .row = 2064, .plane = 532512},
    {.name = "halo_256_y", .width = 256, .rows = 256, .planes = 1, .row = 532512},
    {.name = "FFT_transpose_1024",
     .width = 2,
     .rows = 1024,
     .planes = 1024,
     .row = 16384,
     .plane = 16},
    {.name = "rows_of_64_bytes", .width = 8, .rows = 131072, .planes = 1, .row = 128},
    {.name = "rows_of_4_KiB", .width = 512, .rows = 4096, .planes = 1, .row = 8192},
    {.name = "particles_3_of_8", .width = 3, .rows = 100000},
    {.name = "particles_1", .width = 1, .rows = 400000},
    {.name = "blocks_of_32", .width = 32, .rows = 30000},
};
enum { LAYOUTS = sizeof(layouts) / sizeof(layouts[0]) };

static uint64_t state = 1;

static int64_t draw(int64_t most)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t) ((state >> 33) % (uint64_t) most);
}

static void make_list(layout_t *l)
{
    int64_t at = 0;
    l->disps = malloc((size_t) l->rows * sizeof(*l->disps));
    for (int64_t i = 0; i < l->rows; i++) {
        l->disps[i] = at;
        at += 8 * (l->width + draw(8));
    }
    for (int64_t i = l->rows; i-- > 1;) { /* particles of a list are in no order */
        const int64_t k = draw(i + 1), other = l->disps[k];
        l->disps[k] = l->disps[i];
        l->disps[i] = other;
    }
    l->span = at + 8 * l->width;
    if (print_into != NULL) {
        return;
    }
    l->device_disps = on_device((size_t) l->rows * sizeof(*l->disps));
    need(cu.put(l->device_disps, l->disps, (size_t) l->rows * sizeof(*l->disps)), "a list");
}

static void make_layout(dame_context_t *context, layout_t *l)
{
    dame_datatype_t *item, *rows;
    need_ok(dame_datatype_basic(context, "double", 0, &item));
    if (l->row == 0) {
        make_list(l);
        l->planes = 1;
        need_ok(dame_datatype_hindexed_block(l->rows, l->width, l->disps, item, &l->type));
    } else {
        need_ok(dame_datatype_hvector(l->rows, l->width, l->row, item, &rows));
        need_ok(dame_datatype_hvector(l->planes, 1, l->plane, rows, &l->type));
        dame_datatype_free(rows);
        l->span = (l->planes - 1) * l->plane + (l->rows - 1) * l->row + 8 * l->width;
    }
    dame_datatype_free(item);
    need_ok(dame_datatype_commit(l->type));
    need_ok(dame_datatype_size(l->type, &l->size));
}

/* ---- Timing --------------------------------------------------------------------------------- */

/* What a way of moving enqueues in the default stream. */
typedef struct move {
    const layout_t *l;
    address_t user, packed;
    int64_t blocks; /* of a copy for each block: at most so many */
} move_t;

static void by_dame(const move_t *m)
{
    need_ok(dame_pack_on(m->l->type, 1, address_of(m->user), 0, address_of(m->packed), m->l->size,
                         NULL, NULL, NULL));
}

static void by_dame_unpack(const move_t *m)
{
    need_ok(dame_unpack_on(m->l->type, 1, address_of(m->user), 0, address_of(m->packed), m->l->size,
                           NULL, NULL, NULL));
}

static void by_kernel(const move_t *m)
{
    const layout_t *l = m->l;
    unsigned n = (unsigned) (l->size / 8), width = (unsigned) l->width, rows = (unsigned) l->rows;
    void *box_arguments[] = {(void *) &m->user, (void *) &m->packed, &n, &width, &rows,
                             (void *) &l->row,  (void *) &l->plane};
    void *list_arguments[] = {(void *) &m->user, (void *) &m->packed, &n, &width,
                              (void *) &l->device_disps};
    need(cu.launch(l->row == 0 ? list : box, (n + 255) / 256, 1, 1, 256, 1, 1, 0, NULL,
                   l->row == 0 ? list_arguments : box_arguments, NULL),
         "a kernel by hand");
}

static void by_strides(const move_t *m)
{
    const layout_t *l = m->l;
    const strided_t copy = {.from_type = ON_DEVICE,
                            .from = m->user,
                            .from_pitch = (size_t) l->row,
                            .to_type = ON_DEVICE,
                            .to = m->packed,
                            .to_pitch = (size_t) l->width * 8,
                            .width = (size_t) l->width * 8,
                            .height = (size_t) l->rows};
    need(cu.copy_strided(&copy, NULL), "cuMemcpy2DAsync");
}

static void by_blocks(const move_t *m)
{
    const layout_t *l = m->l;
    const size_t bytes = (size_t) l->width * 8;
    for (int64_t i = 0; i < m->blocks; i++) {
        const int64_t from =
            l->row == 0 ? l->disps[i] : i % l->rows * l->row + i / l->rows * l->plane;
        need(cu.copy(m->packed + (uint64_t) i * bytes, m->user + (uint64_t) from, bytes, NULL),
             "a block");
    }
}

static void by_copy(const move_t *m)
{
    need(cu.copy(m->packed, m->user, (size_t) m->l->size, NULL), "a copy");
}

/* Microseconds of a move: the least of some rounds of several. */
static double time_of(void (*move)(const move_t *m), const move_t *m, int times)
{
    enum { ROUNDS = 7 };
    double best = 1e30;
    void *start, *end;
    need(cu.event(&start, 0), "an event");
    need(cu.event(&end, 0), "an event");
    for (int round = 0; round < ROUNDS; round++) {
        float ms = 0;
        need(cu.record(start, NULL), "an event");
        for (int i = 0; i < times; i++) {
            move(m);
        }
        need(cu.record(end, NULL), "an event");
        need(cu.wait(NULL), "waiting");
        need(cu.elapsed(&ms, start, end), "a time");
        best = 1000.0 * ms / times < best ? 1000.0 * ms / times : best;
    }
    return best;
}

/* ---- Right bytes ---------------------------------------------------------------------------- */

static char *random_bytes(int64_t n)
{
    char *bytes = malloc((size_t) n + 8);
    for (int64_t i = 0; i < n; i += 8) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        memcpy(bytes + i, &state, 8);
    }
    return bytes;
}

static void print(const dame_datatype_t *type, const char *name)
{
    char path[1000], *text;
    snprintf(path, sizeof(path), "%s/%s.dame", print_into, name);
    FILE *file = fopen(path, "w");
    need_ok(dame_datatype_print(type, &text));
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
        fprintf(stderr, "device_worker: %s cannot be written\n", path);
        exit(1);
    }
    dame_free(text);
}

/* `count` elements of a datatype whose bytes are in [0, span): whole and in pieces, both ways,
 * between all kinds of memory, as on the host. */
static void compare(const dame_datatype_t *type, int64_t count, int64_t span, const char *name)
{
    int64_t size;
    if (print_into != NULL) {
        print(type, name);
        return;
    }
    need_ok(dame_packed_size(type, count, &size));
    char *image = random_bytes(span), *after = malloc((size_t) span);
    char *packed = malloc((size_t) size + 1), *is = malloc((size_t) (size > span ? size : span));
    const address_t user = on_device((size_t) span), stream = on_device((size_t) size + 16);
    const int64_t cut = draw(size);
    int wrong = 0;
    need_ok(dame_pack(type, count, image, 0, packed, size, NULL));
    need(cu.put(user, image, (size_t) span), "user memory");
    need_ok(dame_pack(type, count, address_of(user), 0, address_of(stream), size, NULL));
    need(cu.take(is, stream, (size_t) size), "a stream");
    wrong += 0 != memcmp(is, packed, (size_t) size);
    need_ok(dame_pack(type, count, address_of(user), cut, address_of(stream + 3), size, NULL));
    need(cu.take(is, stream + 3, (size_t) (size - cut)), "a piece");
    wrong += 0 != memcmp(is, packed + cut, (size_t) (size - cut));
    memset(is, 0, (size_t) size);
    need_ok(dame_pack(type, count, address_of(user), 0, is, size, NULL)); /* to the host */
    wrong += 0 != memcmp(is, packed, (size_t) size);
    memcpy(after, image, (size_t) span);
    for (int64_t i = 0; i < size; i++) {
        packed[i] = (char) (packed[i] ^ 0x5a);
    }
    need_ok(dame_unpack(type, count, after, 0, packed, size, NULL));
    need(cu.put(stream, packed, (size_t) size), "a stream");
    need_ok(dame_unpack(type, count, address_of(user), cut, address_of(stream + (uint64_t) cut),
                        size - cut, NULL));
    need_ok(dame_unpack(type, count, address_of(user), 0, packed, cut, NULL)); /* from the host */
    need(cu.take(is, user, (size_t) span), "user memory");
    wrong += 0 != memcmp(is, after, (size_t) span);
    if (wrong != 0) {
        fprintf(stderr, "device_worker: %s: %d of 4 moves are wrong\n", name, wrong);
        exit(1);
    }
    free(image);
    free(after);
    free(packed);
    free(is);
}

/* Nests of vectors, lists and structs with members of all widths, whose blocks are disjoint. */
static void compare_random(dame_context_t *context, int cases)
{
    static const char *const kinds[] = {"int8", "int16", "int32", "double", "complex128"};
    for (int k = 0; k < cases; k++) {
        dame_datatype_t *type;
        char name[40];
        need_ok(dame_datatype_basic(context, kinds[draw(5)], 0, &type));
        for (int64_t level = 1 + draw(3); level > 0; level--) {
            int64_t lb, extent, lengths[9], disps[9], at = 0;
            const int64_t n = 1 + draw(9), gap = draw(3);
            dame_datatype_t *inner = type;
            need_ok(dame_datatype_extent(inner, &lb, &extent));
            for (int64_t i = 0; i < n; i++) {
                lengths[i] = 1 + draw(3);
                disps[i] = at;
                at += extent * (lengths[i] + draw(2)) + (draw(4) == 0 ? 1 : 0);
            }
            need_ok(draw(2) == 0 ? dame_datatype_hvector(1 + draw(20), 1 + gap,
                                                         extent * (1 + gap + gap), inner, &type)
                                 : dame_datatype_hindexed(n, lengths, disps, inner, &type));
            dame_datatype_free(inner);
        }
        int64_t lb, extent;
        need_ok(dame_datatype_commit(type));
        need_ok(dame_datatype_extent(type, &lb, &extent));
        snprintf(name, sizeof(name), "random_%d", k);
        compare(type, 1 + draw(3), 3 * extent + 64, name);
        dame_datatype_free(type);
    }
    if (print_into == NULL) {
        printf("%d random datatypes: right bytes\n", cases);
    }
}

/* ---- All of it ------------------------------------------------------------------------------ */

static void print_rate(int64_t bytes, double us)
{
    if (us > 0) {
        printf(" %9.1f", (double) bytes / us / 1000);
    } else {
        printf(" %9s", "-");
    }
}

static void measure(const layout_t *l)
{
    enum { MOST_BLOCKS = 2000 };
    const int64_t all = l->rows * l->planes;
    const move_t m = {.l = l,
                      .user = on_device((size_t) l->span),
                      .packed = on_device((size_t) l->size),
                      .blocks = all < MOST_BLOCKS ? all : MOST_BLOCKS};
    const int times = l->size > 1 << 22 ? 10 : 50;
    compare(l->type, 1, l->span, l->name);
    const double blocks = time_of(by_blocks, &m, 1);
    printf("%-20s %9" PRId64 " %8" PRId64, l->name, l->size, all);
    print_rate(l->size, time_of(by_dame, &m, times));
    print_rate(l->size, time_of(by_dame_unpack, &m, times));
    print_rate(l->size, box != NULL ? time_of(by_kernel, &m, times) : 0);
    print_rate(l->size, l->row != 0 && l->planes == 1 ? time_of(by_strides, &m, times) : 0);
    print_rate(m.blocks * l->width * 8, blocks);
    print_rate(l->size, time_of(by_copy, &m, times));
    putchar('\n');
}

/* A call that waits, of one launch: what a short message costs. */
static void measure_latency(const layout_t *l)
{
    enum { TIMES = 1000 };
    const address_t user = on_device((size_t) l->span), packed = on_device((size_t) l->size);
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < TIMES; i++) {
        need_ok(dame_pack(l->type, 1, address_of(user), 0, address_of(packed), l->size, NULL));
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("a call that waits, %" PRId64 " bytes: %.2f us\n", l->size,
           ((double) (end.tv_sec - start.tv_sec) * 1e9 + (double) (end.tv_nsec - start.tv_nsec)) /
               TIMES / 1000);
}

/* 0: there is no device. */
int main(int argc, char **argv)
{
    dame_context_options_t options = {.size = sizeof(options)};
    int cases = 200, last = LAYOUTS;
    dame_context_t *context;
    for (int i = 1; i + 1 < argc; i += 2) {
        options.llvm = strcmp(argv[i], "--llvm") == 0 ? argv[i + 1] : options.llvm;
        options.code_dir = strcmp(argv[i], "--code-dir") == 0 ? argv[i + 1] : options.code_dir;
        cases = strcmp(argv[i], "--cases") == 0 ? atoi(argv[i + 1]) : cases;
        last = strcmp(argv[i], "--layouts") == 0 ? atoi(argv[i + 1]) : last;
        print_into = strcmp(argv[i], "--print") == 0 ? argv[i + 1] : print_into;
    }
    if (print_into == NULL && !device_open("")) {
        printf("there is no device of NVIDIA's\n");
        return 77;
    }
    need_ok(dame_context_new(&options, &context));
    compare_random(context, cases);
    if (print_into == NULL) {
        printf("GB/s of packed bytes; blocks: a copy of the driver's for each block (of at most "
               "2000)\n%-20s %9s %8s %9s %9s %9s %9s %9s %9s\n",
               "layout", "bytes", "blocks", "pack", "unpack", "by hand", "strided", "blocks",
               "copy");
    }
    for (int i = 0; i < last && i < LAYOUTS; i++) {
        make_layout(context, &layouts[i]);
        if (print_into != NULL) {
            print(layouts[i].type, layouts[i].name);
        } else {
            measure(&layouts[i]);
        }
    }
    if (print_into == NULL) {
        int64_t launches = 0, blocks = 0;
        if (last > 0) {
            measure_latency(&layouts[0]);
        }
        need_ok(dame_context_counter(context, "device_launches", &launches));
        need_ok(dame_context_counter(context, "device_copies", &blocks));
        printf("%" PRId64 " launches, %" PRId64 " copies\n", launches, blocks);
    }
    return 0;
}
