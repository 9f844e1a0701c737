/* SPDX-License-Identifier: BSD-3-Clause */
#include "footprint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "walk.h"

/* Where the made-up memory lies: nothing of a process is there. User memory may reach as far as
 * addresses of a process can. */
#define USER_BASE   (UINT64_C(1) << 60)
#define USER_ROOM   (UINT64_C(1) << 48)
#define PACKED_BASE UINT64_C(0x300000000000)
#define PACKED_ROOM (UINT64_C(1) << 40)
/* Around it: what a wrong address may be off and still be called one into this memory. */
#define VICINITY (UINT64_C(1) << 32)

/* ---- tables of the program ---- */

static void add_table(footprint_t *footprint, const void *bytes, int64_t entries, size_t size,
                      const char *what)
{
    if (bytes && entries > 0) {
        footprint->tables[footprint->ntables++] =
            (footprint_table_t){.bytes = bytes, .size = (size_t) entries * size, .what = what};
    }
}

static int by_address(const void *a, const void *b)
{
    const char *x = ((const footprint_table_t *) a)->bytes;
    const char *y = ((const footprint_table_t *) b)->bytes;
    return (x > y) - (x < y);
}

bool footprint_open(footprint_t *footprint, const dame_program_t *program)
{
    enum { TABLES_OF_PRIM = 9 };
    const size_t most = 1 + (size_t) program->nprims * TABLES_OF_PRIM;
    footprint_table_t *tables = realloc(footprint->tables, most * sizeof *tables);
    if (!tables) {
        return false;
    }
    footprint->tables = tables;
    footprint->ntables = 0;
    add_table(footprint, program->prims, program->nprims, sizeof program->prims[0], "primitives");
    for (int32_t i = 0; i < program->nprims; i++) {
        const dame_prim_t *prim = &program->prims[i];
        add_table(footprint, prim->disps, prim->count, sizeof *prim->disps, "disps");
        add_table(footprint, prim->disps32, prim->count, sizeof *prim->disps32, "disps32");
        add_table(footprint, prim->visits, prim->visits ? prim->count : 0, sizeof *prim->visits,
                  "visits");
        add_table(footprint, prim->prefix, prim->count + 1, sizeof *prim->prefix, "prefix");
        add_table(footprint, prim->interpreted, 2, sizeof *prim->interpreted, "interpreted");
        add_table(footprint, prim->inner_deltas, prim->count, sizeof *prim->inner_deltas,
                  "inner_deltas");
    }
    qsort(footprint->tables, (size_t) footprint->ntables, sizeof *footprint->tables, by_address);
    return true;
}

void footprint_close(footprint_t *footprint)
{
    free(footprint->tables);
    free(footprint->touched);
    free(footprint->line);
    free(footprint->page);
    memset(footprint, 0, sizeof *footprint);
}

/* The last that begins at or before the address and has it; tables may be shared. */
const footprint_table_t *footprint_table(const footprint_t *footprint, uint64_t address)
{
    int32_t low = 0;
    int32_t high = footprint->ntables;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if ((uintptr_t) footprint->tables[middle].bytes <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return NULL;
    }
    const footprint_table_t *table = &footprint->tables[low - 1];
    return address - (uintptr_t) table->bytes < table->size ? table : NULL;
}

/* ---- measuring and placing ---- */

typedef struct measure {
    footprint_t *footprint;
    int64_t most;
    bool any;
} measure_t;

/* Addresses from origin 0 are signed. */
static bool measure_block(void *context, uint64_t address, int64_t packed, int64_t bytes)
{
    measure_t *measure = context;
    footprint_t *footprint = measure->footprint;
    const int64_t begin = (int64_t) address;
    const int64_t end = (int64_t) (address + (uint64_t) bytes);
    (void) packed;
    if (!measure->any || begin < (int64_t) footprint->low) {
        footprint->low = (uint64_t) begin;
    }
    if (!measure->any || end > (int64_t) footprint->high) {
        footprint->high = (uint64_t) end;
    }
    measure->any = true;
    footprint->blocks++;
    footprint->bytes += bytes;
    footprint->lines += bytes / FOOTPRINT_LINE + 2;
    return end > begin && footprint->bytes + 16 * footprint->blocks <= measure->most;
}

bool footprint_measure(footprint_t *footprint, const judge_run_t *run, int64_t most)
{
    measure_t measure = {.footprint = footprint, .most = most};
    footprint->run = *run;
    footprint->low = 0;
    footprint->high = 0;
    footprint->bytes = 0;
    footprint->blocks = 0;
    footprint->lines = 0;
    return walk_run(run->prim, 0, run->first, run->n, measure_block, &measure) &&
           footprint->high - footprint->low < USER_ROOM;
}

static size_t slot_of(uint64_t key, size_t room)
{
    return (size_t) ((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (room - 1);
}

/* The line's entry, made when it is not there and `make` is set; otherwise NULL. */
static footprint_line_t *find_line(const footprint_t *footprint, uint64_t line, bool make)
{
    size_t slot = slot_of(line, footprint->used);
    for (;; slot = (slot + 1) & (footprint->used - 1)) {
        footprint_line_t *entry = &footprint->line[slot];
        if (entry->age != footprint->age) {
            if (!make) {
                return NULL;
            }
            *entry = (footprint_line_t){.line = line, .age = footprint->age};
            return entry;
        }
        if (entry->line == line) {
            return entry;
        }
    }
}

static bool has_page(const footprint_t *footprint, uint64_t page, bool make)
{
    size_t slot = slot_of(page, footprint->used);
    for (;; slot = (slot + 1) & (footprint->used - 1)) {
        footprint_page_t *entry = &footprint->page[slot];
        if (entry->age != footprint->age) {
            if (make) {
                *entry = (footprint_page_t){.page = page, .age = footprint->age};
            }
            return make;
        }
        if (entry->page == page) {
            return true;
        }
    }
}

/* The bytes of [address, address + bytes) that lie in the first line; *bytes becomes the others. */
static uint64_t take_line(uint64_t *address, int64_t *bytes)
{
    const unsigned at = (unsigned) (*address % FOOTPRINT_LINE);
    const unsigned n = *bytes < FOOTPRINT_LINE - at ? (unsigned) *bytes : FOOTPRINT_LINE - at;
    *address += n;
    *bytes -= n;
    return (n == FOOTPRINT_LINE ? UINT64_MAX : (UINT64_C(1) << n) - 1) << at;
}

static bool note_block(void *context, uint64_t address, int64_t packed, int64_t bytes)
{
    footprint_t *footprint = context;
    (void) packed;
    while (bytes > 0) {
        const uint64_t line = address / FOOTPRINT_LINE;
        has_page(footprint, address / FOOTPRINT_PAGE, true);
        find_line(footprint, line, true)->data |= take_line(&address, &bytes);
    }
    return true;
}

static size_t power_of_two(size_t least)
{
    size_t n = 64;
    while (n < least) {
        n *= 2;
    }
    return n;
}

/* Empty tables for that many lines and bytes. */
static bool make_room(footprint_t *footprint)
{
    const size_t lines = power_of_two(2 * (size_t) footprint->lines);
    const int64_t words = footprint->bytes / 64 + 1;
    if (lines > footprint->room) {
        free(footprint->line);
        free(footprint->page);
        footprint->line = calloc(lines, sizeof *footprint->line);
        footprint->page = calloc(lines, sizeof *footprint->page);
        footprint->room = footprint->line && footprint->page ? lines : 0;
        footprint->age = 0;
    }
    if (words > footprint->touched_room) {
        free(footprint->touched);
        footprint->touched = malloc((size_t) words * sizeof *footprint->touched);
        footprint->touched_room = footprint->touched ? words : 0;
    }
    if (footprint->room == 0 || footprint->touched_room == 0) {
        return false;
    }
    memset(footprint->touched, 0, (size_t) words * sizeof *footprint->touched);
    footprint->used = lines;
    footprint->age++;
    return true;
}

bool footprint_place(footprint_t *footprint, rng_t *rng)
{
    if (!make_room(footprint)) {
        return false;
    }
    const uint64_t at = USER_BASE + rng_next(rng) % (UINT64_C(1) << 40);
    const uint64_t origin = at - footprint->low;
    footprint->run.origin = origin;
    footprint->run.packed = PACKED_BASE + rng_next(rng) % PACKED_ROOM;
    footprint->low += origin;
    footprint->high += origin;
    return walk_run(footprint->run.prim, origin, footprint->run.first, footprint->run.n, note_block,
                    footprint);
}

/* ---- accesses ---- */

bool footprint_has_user(const footprint_t *footprint, uint64_t address)
{
    return address - (footprint->low - VICINITY) < footprint->high - footprint->low + 2 * VICINITY;
}

bool footprint_has_packed(const footprint_t *footprint, uint64_t address)
{
    return address - (footprint->run.packed - VICINITY) <
           (uint64_t) footprint->bytes + 2 * VICINITY;
}

static bool fail_user(const footprint_t *footprint, uint64_t address, int64_t bytes, bool write,
                      uint32_t offset, verdict_t *verdict, const char *what)
{
    return verdict_fail(verdict, RULE_USER, offset,
                        "%s %" PRId64 " bytes of user memory at origin%+" PRId64 ": %s; "
                        "the data lie in origin+[%" PRId64 ", %" PRId64 ")",
                        write ? "writes" : "reads", bytes,
                        (int64_t) (address - footprint->run.origin), what,
                        (int64_t) (footprint->low - footprint->run.origin),
                        (int64_t) (footprint->high - footprint->run.origin));
}

static bool fail_direction(uint32_t offset, verdict_t *verdict, judge_rule_t rule, bool write)
{
    const char *what = rule == RULE_USER ? "user memory" : "the packed stream";
    return verdict_fail(
        verdict, rule, offset,
        write ? "writes %s, which it has to read" : "reads %s, which it has to write", what);
}

bool footprint_user(footprint_t *footprint, uint64_t address, int64_t bytes, bool write,
                    uint32_t offset, verdict_t *verdict)
{
    const uint64_t begin = address;
    const int64_t length = bytes;
    if (write != (footprint->run.dir == DAME_UNPACK)) {
        return fail_direction(offset, verdict, RULE_USER, write);
    }
    if (address < footprint->low || address >= footprint->high ||
        footprint->high - address < (uint64_t) bytes) {
        return fail_user(footprint, begin, length, write, offset, verdict,
                         "outside the bounds of the run");
    }
    while (bytes > 0) {
        const uint64_t page = address / FOOTPRINT_PAGE;
        footprint_line_t *line = find_line(footprint, address / FOOTPRINT_LINE, false);
        const uint64_t touched = take_line(&address, &bytes);
        const uint64_t data = line ? line->data : 0;
        if (write && (touched & ~data) != 0) {
            return fail_user(footprint, begin, length, write, offset, verdict,
                             "not all of it is data");
        }
        if (!write && !has_page(footprint, page, false)) {
            return fail_user(footprint, begin, length, write, offset, verdict,
                             "on a page without data");
        }
        if (line) {
            line->touched |= touched;
        }
    }
    return true;
}

bool footprint_packed(footprint_t *footprint, uint64_t address, int64_t bytes, bool write,
                      uint32_t offset, verdict_t *verdict)
{
    const int64_t at = (int64_t) (address - footprint->run.packed);
    if (write != (footprint->run.dir == DAME_PACK)) {
        return fail_direction(offset, verdict, RULE_PACKED, write);
    }
    if (at < 0 || at > footprint->bytes || footprint->bytes - at < bytes) {
        return verdict_fail(verdict, RULE_PACKED, offset,
                            "%s %" PRId64 " bytes of the packed stream at packed%+" PRId64
                            "; the run has %" PRId64 " bytes",
                            write ? "writes" : "reads", bytes, at, footprint->bytes);
    }
    uint64_t bit = (uint64_t) at;
    for (int64_t left = bytes; left > 0;) {
        const uint64_t word = bit / 64;
        footprint->touched[word] |= take_line(&bit, &left);
    }
    return true;
}

/* Does the run have bytes of user memory that several of the stream go to? */
static bool overlaps(const footprint_t *footprint)
{
    int64_t distinct = 0;
    for (size_t i = 0; i < footprint->used; i++) {
        const footprint_line_t *line = &footprint->line[i];
        distinct += line->age == footprint->age ? __builtin_popcountll(line->data) : 0;
    }
    return distinct < footprint->bytes;
}

bool footprint_is_complete(const footprint_t *footprint, uint32_t offset, verdict_t *verdict)
{
    const bool packs = footprint->run.dir == DAME_PACK;
    uint64_t bit = 0;
    /* bytes that are overwritten later need not be read */
    int64_t left = packs || !overlaps(footprint) ? footprint->bytes : 0;
    while (left > 0) {
        const uint64_t word = bit / 64;
        const uint64_t missed = take_line(&bit, &left) & ~footprint->touched[word];
        if (missed) {
            return verdict_fail(verdict, RULE_COMPLETE, offset,
                                "byte %" PRIu64 " of %" PRId64 " of the packed stream was not %s",
                                word * 64 + (uint64_t) __builtin_ctzll(missed), footprint->bytes,
                                packs ? "written" : "read");
        }
    }
    for (size_t i = 0; i < footprint->used; i++) {
        const footprint_line_t *line = &footprint->line[i];
        const uint64_t missed = line->data & ~line->touched;
        if (line->age == footprint->age && missed) {
            const uint64_t address =
                line->line * FOOTPRINT_LINE + (uint64_t) __builtin_ctzll(missed);
            return verdict_fail(verdict, RULE_COMPLETE, offset,
                                "the byte at origin%+" PRId64 " of user memory was not %s",
                                (int64_t) (address - footprint->run.origin),
                                packs ? "read" : "written");
        }
    }
    return true;
}
