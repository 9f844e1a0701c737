#include "ground.h"

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

static void add_table(ground_t *ground, const void *bytes, int64_t entries, size_t size,
                      const char *what)
{
    if (bytes && entries > 0) {
        ground->tables[ground->ntables++] =
            (ground_table_t){.bytes = bytes, .size = (size_t) entries * size, .what = what};
    }
}

static int by_address(const void *a, const void *b)
{
    const char *x = ((const ground_table_t *) a)->bytes;
    const char *y = ((const ground_table_t *) b)->bytes;
    return (x > y) - (x < y);
}

bool ground_open(ground_t *ground, const dame_program_t *program)
{
    enum { TABLES_OF_PRIM = 9 };
    const size_t most = 1 + (size_t) program->nprims * TABLES_OF_PRIM;
    ground_table_t *tables = realloc(ground->tables, most * sizeof *tables);
    if (!tables) {
        return false;
    }
    ground->tables = tables;
    ground->ntables = 0;
    add_table(ground, program->prims, program->nprims, sizeof program->prims[0], "primitives");
    for (int32_t i = 0; i < program->nprims; i++) {
        const dame_prim_t *prim = &program->prims[i];
        add_table(ground, prim->disps, prim->count, sizeof *prim->disps, "disps");
        add_table(ground, prim->disps32, prim->count, sizeof *prim->disps32, "disps32");
        add_table(ground, prim->visits, prim->visits ? prim->count : 0, sizeof *prim->visits,
                  "visits");
        add_table(ground, prim->prefix, prim->count + 1, sizeof *prim->prefix, "prefix");
        add_table(ground, prim->interpreted, 2, sizeof *prim->interpreted, "interpreted");
        add_table(ground, prim->inner_deltas, prim->count, sizeof *prim->inner_deltas,
                  "inner_deltas");
    }
    qsort(ground->tables, (size_t) ground->ntables, sizeof *ground->tables, by_address);
    return true;
}

void ground_close(ground_t *ground)
{
    free(ground->tables);
    free(ground->touched);
    free(ground->line);
    free(ground->page);
    memset(ground, 0, sizeof *ground);
}

/* The last that begins at or before the address and has it; tables may be shared. */
const ground_table_t *ground_table(const ground_t *ground, uint64_t address)
{
    int32_t low = 0;
    int32_t high = ground->ntables;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if ((uintptr_t) ground->tables[middle].bytes <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return NULL;
    }
    const ground_table_t *table = &ground->tables[low - 1];
    return address - (uintptr_t) table->bytes < table->size ? table : NULL;
}

/* ---- measuring and placing ---- */

typedef struct measure {
    ground_t *ground;
    int64_t most;
    bool any;
} measure_t;

/* Addresses from origin 0 are signed. */
static bool measure_block(void *context, uint64_t address, int64_t packed, int64_t bytes)
{
    measure_t *measure = context;
    ground_t *ground = measure->ground;
    const int64_t begin = (int64_t) address;
    const int64_t end = (int64_t) (address + (uint64_t) bytes);
    (void) packed;
    if (!measure->any || begin < (int64_t) ground->low) {
        ground->low = (uint64_t) begin;
    }
    if (!measure->any || end > (int64_t) ground->high) {
        ground->high = (uint64_t) end;
    }
    measure->any = true;
    ground->blocks++;
    ground->bytes += bytes;
    ground->lines += bytes / GROUND_LINE + 2;
    return end > begin && ground->bytes + 16 * ground->blocks <= measure->most;
}

bool ground_measure(ground_t *ground, const judge_run_t *run, int64_t most)
{
    measure_t measure = {.ground = ground, .most = most};
    ground->run = *run;
    ground->low = 0;
    ground->high = 0;
    ground->bytes = 0;
    ground->blocks = 0;
    ground->lines = 0;
    return walk_run(run->prim, 0, run->first, run->n, measure_block, &measure) &&
           ground->high - ground->low < USER_ROOM;
}

static size_t slot_of(uint64_t key, size_t room)
{
    return (size_t) ((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (room - 1);
}

/* The line's entry, made when it is not there and `make` is set; otherwise NULL. */
static ground_line_t *find_line(const ground_t *ground, uint64_t line, bool make)
{
    size_t slot = slot_of(line, ground->used);
    for (;; slot = (slot + 1) & (ground->used - 1)) {
        ground_line_t *entry = &ground->line[slot];
        if (entry->age != ground->age) {
            if (!make) {
                return NULL;
            }
            *entry = (ground_line_t){.line = line, .age = ground->age};
            return entry;
        }
        if (entry->line == line) {
            return entry;
        }
    }
}

static bool has_page(const ground_t *ground, uint64_t page, bool make)
{
    size_t slot = slot_of(page, ground->used);
    for (;; slot = (slot + 1) & (ground->used - 1)) {
        ground_page_t *entry = &ground->page[slot];
        if (entry->age != ground->age) {
            if (make) {
                *entry = (ground_page_t){.page = page, .age = ground->age};
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
    const unsigned at = (unsigned) (*address % GROUND_LINE);
    const unsigned n = *bytes < GROUND_LINE - at ? (unsigned) *bytes : GROUND_LINE - at;
    *address += n;
    *bytes -= n;
    return (n == GROUND_LINE ? UINT64_MAX : (UINT64_C(1) << n) - 1) << at;
}

static bool note_block(void *context, uint64_t address, int64_t packed, int64_t bytes)
{
    ground_t *ground = context;
    (void) packed;
    while (bytes > 0) {
        const uint64_t line = address / GROUND_LINE;
        has_page(ground, address / GROUND_PAGE, true);
        find_line(ground, line, true)->data |= take_line(&address, &bytes);
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

/* Empty tables for so many lines and bytes. */
static bool make_room(ground_t *ground)
{
    const size_t lines = power_of_two(2 * (size_t) ground->lines);
    const int64_t words = ground->bytes / 64 + 1;
    if (lines > ground->room) {
        free(ground->line);
        free(ground->page);
        ground->line = calloc(lines, sizeof *ground->line);
        ground->page = calloc(lines, sizeof *ground->page);
        ground->room = ground->line && ground->page ? lines : 0;
        ground->age = 0;
    }
    if (words > ground->touched_room) {
        free(ground->touched);
        ground->touched = malloc((size_t) words * sizeof *ground->touched);
        ground->touched_room = ground->touched ? words : 0;
    }
    if (ground->room == 0 || ground->touched_room == 0) {
        return false;
    }
    memset(ground->touched, 0, (size_t) words * sizeof *ground->touched);
    ground->used = lines;
    ground->age++;
    return true;
}

bool ground_place(ground_t *ground, rng_t *rng)
{
    if (!make_room(ground)) {
        return false;
    }
    const uint64_t at = USER_BASE + rng_next(rng) % (UINT64_C(1) << 40);
    const uint64_t origin = at - ground->low;
    ground->run.origin = origin;
    ground->run.packed = PACKED_BASE + rng_next(rng) % PACKED_ROOM;
    ground->low += origin;
    ground->high += origin;
    return walk_run(ground->run.prim, origin, ground->run.first, ground->run.n, note_block, ground);
}

/* ---- accesses ---- */

bool ground_has_user(const ground_t *ground, uint64_t address)
{
    return address - (ground->low - VICINITY) < ground->high - ground->low + 2 * VICINITY;
}

bool ground_has_packed(const ground_t *ground, uint64_t address)
{
    return address - (ground->run.packed - VICINITY) < (uint64_t) ground->bytes + 2 * VICINITY;
}

static bool fail_user(const ground_t *ground, uint64_t address, int64_t bytes, bool write,
                      uint32_t offset, verdict_t *verdict, const char *what)
{
    return verdict_fail(verdict, RULE_USER, offset,
                        "%s %" PRId64 " bytes of user memory at origin%+" PRId64 ": %s; "
                        "the data lie in origin+[%" PRId64 ", %" PRId64 ")",
                        write ? "writes" : "reads", bytes, (int64_t) (address - ground->run.origin),
                        what, (int64_t) (ground->low - ground->run.origin),
                        (int64_t) (ground->high - ground->run.origin));
}

static bool fail_direction(uint32_t offset, verdict_t *verdict, judge_rule_t rule, bool write)
{
    const char *what = rule == RULE_USER ? "user memory" : "the packed stream";
    return verdict_fail(
        verdict, rule, offset,
        write ? "writes %s, which it has to read" : "reads %s, which it has to write", what);
}

bool ground_user(ground_t *ground, uint64_t address, int64_t bytes, bool write, uint32_t offset,
                 verdict_t *verdict)
{
    const uint64_t begin = address;
    const int64_t length = bytes;
    if (write != (ground->run.dir == DAME_UNPACK)) {
        return fail_direction(offset, verdict, RULE_USER, write);
    }
    if (address < ground->low || address >= ground->high ||
        ground->high - address < (uint64_t) bytes) {
        return fail_user(ground, begin, length, write, offset, verdict,
                         "outside the bounds of the run");
    }
    while (bytes > 0) {
        const uint64_t page = address / GROUND_PAGE;
        ground_line_t *line = find_line(ground, address / GROUND_LINE, false);
        const uint64_t touched = take_line(&address, &bytes);
        const uint64_t data = line ? line->data : 0;
        if (write && 0 != (touched & ~data)) {
            return fail_user(ground, begin, length, write, offset, verdict,
                             "not all of it is data");
        }
        if (!write && !has_page(ground, page, false)) {
            return fail_user(ground, begin, length, write, offset, verdict,
                             "on a page without data");
        }
        if (line) {
            line->touched |= touched;
        }
    }
    return true;
}

bool ground_packed(ground_t *ground, uint64_t address, int64_t bytes, bool write, uint32_t offset,
                   verdict_t *verdict)
{
    const int64_t at = (int64_t) (address - ground->run.packed);
    if (write != (ground->run.dir == DAME_PACK)) {
        return fail_direction(offset, verdict, RULE_PACKED, write);
    }
    if (at < 0 || at > ground->bytes || ground->bytes - at < bytes) {
        return verdict_fail(verdict, RULE_PACKED, offset,
                            "%s %" PRId64 " bytes of the packed stream at packed%+" PRId64
                            "; the run has %" PRId64 " bytes",
                            write ? "writes" : "reads", bytes, at, ground->bytes);
    }
    uint64_t bit = (uint64_t) at;
    for (int64_t left = bytes; left > 0;) {
        const uint64_t word = bit / 64;
        ground->touched[word] |= take_line(&bit, &left);
    }
    return true;
}

/* Does the run have bytes of user memory that several of the stream go to? */
static bool overlaps(const ground_t *ground)
{
    int64_t distinct = 0;
    for (size_t i = 0; i < ground->used; i++) {
        const ground_line_t *line = &ground->line[i];
        distinct += line->age == ground->age ? __builtin_popcountll(line->data) : 0;
    }
    return distinct < ground->bytes;
}

bool ground_is_complete(const ground_t *ground, uint32_t offset, verdict_t *verdict)
{
    const bool packs = ground->run.dir == DAME_PACK;
    uint64_t bit = 0;
    /* what is overwritten later need not be read */
    int64_t left = packs || !overlaps(ground) ? ground->bytes : 0;
    while (left > 0) {
        const uint64_t word = bit / 64;
        const uint64_t missed = take_line(&bit, &left) & ~ground->touched[word];
        if (missed) {
            return verdict_fail(verdict, RULE_COMPLETE, offset,
                                "byte %" PRIu64 " of %" PRId64 " of the packed stream was not %s",
                                word * 64 + (uint64_t) __builtin_ctzll(missed), ground->bytes,
                                packs ? "written" : "read");
        }
    }
    for (size_t i = 0; i < ground->used; i++) {
        const ground_line_t *line = &ground->line[i];
        const uint64_t missed = line->data & ~line->touched;
        if (line->age == ground->age && missed) {
            const uint64_t address = line->line * GROUND_LINE + (uint64_t) __builtin_ctzll(missed);
            return verdict_fail(verdict, RULE_COMPLETE, offset,
                                "the byte at origin%+" PRId64 " of user memory was not %s",
                                (int64_t) (address - ground->run.origin),
                                packs ? "read" : "written");
        }
    }
    return true;
}
