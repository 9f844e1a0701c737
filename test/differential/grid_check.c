/* SPDX-License-Identifier: BSD-3-Clause */
/* A grid's code on the host: its pieces one by one, in any order. */
#include "checks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "jit/g/image.h"
#include "jit/g/launch.h"
#include "llvm.h"

enum { FRAGMENTS = 6, LONGEST = 1 << 16 /* bytes */, SET = 0x5a };

typedef struct grid {
    void *code;
    size_t size;
    dame_grid_host_fn run;
    const void *image;
    int32_t grain;
} grid_t;

static bool install(check_t *check, grid_t *grid, const dame_machine_code_t *code)
{
    void *memory =
        mmap(NULL, code->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return check_fail(check, "grid: no memory for code");
    }
    grid->code = memory;
    grid->size = code->size;
    memcpy(memory, code->bytes, code->size);
    const char *entry = (const char *) memory + code->entries[0].offset;
    memcpy(&grid->run, &entry, sizeof(grid->run));
    return mprotect(memory, code->size, PROT_READ | PROT_EXEC) == 0 ||
           check_fail(check, "grid: code cannot be run");
}

/* Moves bytes [first, last), in pieces whose order is an arithmetic progression modulo their number
 * and one step further, so that each has its turn. */
static void move(check_t *check, const message_t *m, const grid_t *grid, char *packed,
                 int64_t first, int64_t last)
{
    int32_t log2_width;
    const uint64_t to = (uint64_t) (uintptr_t) packed;
    const int64_t pieces = dame_grid_pieces(grid->grain, m->base, to, first, last, &log2_width);
    const int64_t start = rng_range(&check->rng, 0, pieces);
    checked.wide_pieces += 16 == 1 << log2_width;
    const int64_t step = rng_chance(&check->rng, 50) ? 1 : -1;
    for (int64_t i = 0; i < pieces + 3; i++) { /* the grid's last block has more threads */
        const int64_t piece = i < pieces ? ((start + step * i) % pieces + pieces) % pieces : i;
        grid->run(m->base, to, first, last, (uint64_t) (uintptr_t) grid->image, log2_width, piece);
    }
}

static bool check_fragment(check_t *check, message_t *m, const grid_t *grid, dame_dir_t dir,
                           int64_t first, int64_t last)
{
    const int64_t offset = rng_chance(&check->rng, 50) ? first % 16 : rng_range(&check->rng, 0, 16);
    char *packed = m->scratch + GUARD + offset;
    memset(packed - GUARD, SET, (size_t) (last - first) + 2 * GUARD - 16);
    if (dir == DAME_UNPACK) {
        memcpy(packed, m->stream + first, (size_t) (last - first));
    }
    move(check, m, grid, packed, first, last);
    for (int i = 0; i < GUARD - 16; i++) {
        if (packed[-1 - i] != SET || packed[last - first + i] != SET) {
            return check_fail(check, "grid: wrote outside the stream");
        }
    }
    return dir == DAME_UNPACK ||
           (message_packed_is(check, m, packed, first, last - first, "pack by a grid") &&
            message_arena_is(check, m, m->image, "pack by a grid (must not write)"));
}

/* All of the message, in fragments from the last to the first. */
static bool check_direction(check_t *check, message_t *m, grid_t *grid, dame_dir_t dir)
{
    const dame_machine_code_t *code = llvm_grid(m->program, dir);
    if (code == NULL) { /* too large */
        return true;
    }
    bool ok = install(check, grid, code);
    int64_t last = m->total;
    for (int i = 0; ok && last > 0; i++) {
        int64_t first = i < FRAGMENTS - 1 ? rng_range(&check->rng, 0, last - 1) : 0;
        first = rng_chance(&check->rng, 30) ? first & ~INT64_C(15) : first;
        ok = check_fragment(check, m, grid, dir, first, last);
        last = first;
    }
    if (ok && dir == DAME_UNPACK) {
        ok = message_arena_is(check, m, m->after, "unpack by a grid");
    }
    message_reset(m);
    checked.grids++;
    munmap(grid->code, grid->size);
    return ok;
}

bool check_grid(check_t *check, message_t *m)
{
    if (!check->tier->by_llvm || m->total == 0 || LONGEST < m->total ||
        rng_chance(&check->rng, 60)) {
        return true;
    }
    void *image = malloc(dame_grid_image_size(m->program));
    grid_t grid = {.image = image, .grain = dame_grid_grain(m->program)};
    if (image == NULL) {
        return check_fail(check, "grid: no memory");
    }
    dame_grid_image_write(m->program, image);
    const bool ok = check_direction(check, m, &grid, DAME_PACK) &&
                    (m->overlapping || check_direction(check, m, &grid, DAME_UNPACK));
    free(image);
    return ok;
}
