/* SPDX-License-Identifier: BSD-3-Clause */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/kernels.h"
#include "dame/memory_order.h"
#include "test/lib/type_tools.h"

enum { MAX_ARENA = 1 << 26 }; /* more is a fault of the generator */

bool check_fail(check_t *check, const char *format, ...)
{
    if (check->message[0] == '\0') {
        va_list args;
        va_start(args, format);
        vsnprintf(check->message, sizeof check->message, format, args);
        va_end(args);
    }
    return false;
}

bool check_same(check_t *check, const char *what, int64_t is, int64_t wanted)
{
    return is == wanted ||
           check_fail(check, "%s is %lld, not %lld", what, (long long) is, (long long) wanted);
}

static bool check_type(check_t *check, const dame_type_t *type, const oracle_t *o)
{
    return check_same(check, "the type's size", type->size, o->size) &&
           check_same(check, "the type's lower bound", type->lb, o->lb) &&
           check_same(check, "the type's extent", type->extent, o->extent) &&
           check_same(check, "the type's true lower bound", type->true_lb, o->true_lb) &&
           check_same(check, "the type's true upper bound", type->true_ub, o->true_ub);
}

static bool check_program(check_t *check, const message_t *m)
{
    const dame_program_t *p =
        m->built; /* a copy's tables are elsewhere, which is against the rules */
    const oracle_t *o = &m->oracle;
    char text[300] = "";
    dame_status_t status = dame_program_verify(p, text, sizeof text);
    if (status != DAME_OK) {
        return check_fail(check, "verifier: %s: %s", dame_status_text(status), text);
    }
    return check_same(check, "the program's size", p->size, o->size) &&
           check_same(check, "the program's extent", p->extent, o->extent) &&
           check_same(check, "the program's true lower bound", p->true_lb, o->true_lb) &&
           check_same(check, "the program's true upper bound", p->true_ub, o->true_ub) &&
           (m->unit == 0 || check_same(check, "the granule", p->granule, m->unit)) &&
           (p->granule >= 1 || check_fail(check, "granule is %lld", (long long) p->granule));
}

static int64_t common_unit(const oracle_t *oracle)
{
    int64_t unit = 0;
    int64_t length = 0;
    for (int64_t i = 0; i < oracle->size; i++) {
        length++;
        if (i + 1 == oracle->size || oracle->starts[i + 1]) {
            if (unit != 0 && unit != length) {
                return 0;
            }
            unit = length;
            length = 0;
        }
    }
    return unit;
}

uintptr_t message_base_in(const message_t *m, const char *buffer)
{
    return m->base + ((uintptr_t) buffer - (uintptr_t) m->arena);
}

/* Fills the buffers; `partial` serves to find out about overlap. */
static void prepare(check_t *check, message_t *m)
{
    rng_fill(&check->rng, m->image, m->arena_size);
    rng_fill(&check->rng, m->stream, m->total);
    memcpy(m->arena, m->image, (size_t) m->arena_size);
    oracle_pack(&m->oracle, m->base, 0, m->total, m->expected);
    memset(m->partial, 0, (size_t) m->arena_size);
    oracle_place_t place;
    oracle_place(&m->oracle, message_base_in(m, m->partial), 0, &place);
    for (int64_t i = 0; i < m->total; i++) {
        char *mark = (char *) oracle_next(&place);
        m->overlapping |= *mark != 0;
        *mark = 1;
    }
    memcpy(m->after, m->image, (size_t) m->arena_size);
    if (!m->overlapping) {
        oracle_unpack(&m->oracle, message_base_in(m, m->after), 0, m->total, m->stream);
    }
}

/* Of a buffer from malloc(), from a cache line: on it, where user arrays often are, where the
 * packed bytes of a fragment often are, or anywhere. */
static size_t draw_offset(rng_t *rng)
{
    static const size_t common[] = {0, 8, 40};
    return rng_chance(rng, 25) ? (size_t) rng_range(rng, 0, 63) : common[rng_range(rng, 0, 2)];
}

static bool allocate_one(check_t *check, guarded_t *buffer, size_t size, edge_t edge)
{
    return edge == EDGE_NONE ? guarded_alloc_at(buffer, size, draw_offset(&check->rng))
                             : guarded_alloc(buffer, size, edge);
}

/* The buffers. A tier that compiles gets memory that faults at one end of them in most cases. */
static bool allocate(check_t *check, message_t *m)
{
    int64_t low;
    int64_t high;
    m->edge = rng_chance(&check->rng, check->tier->compiles ? 20 : 50) ? EDGE_NONE
              : rng_chance(&check->rng, 50)                            ? EDGE_LOW
                                                                       : EDGE_HIGH;
    /* Without guards a sanitizer sees every access beyond the data. */
    int64_t guard = rng_chance(&check->rng, 50) ? GUARD : 0;
    int64_t before = m->edge == EDGE_NONE ? guard : m->edge == EDGE_LOW ? 0 : GUARD;
    int64_t behind = m->edge == EDGE_NONE ? guard : m->edge == EDGE_HIGH ? 0 : GUARD;
    oracle_span(&m->oracle, m->count, &low, &high);
    m->unit = m->type ? common_unit(&m->oracle) : 0;
    m->total = m->count * m->oracle.size;
    m->arena_size = high - low + before + behind;
    if (m->arena_size > MAX_ARENA) {
        return check_fail(check, "the test would need %lld bytes of arena",
                          (long long) m->arena_size);
    }
    size_t size = (size_t) m->arena_size;
    size_t total = (size_t) m->total;
    m->image = malloc(size);
    m->after = malloc(size);
    m->partial = malloc(size);
    m->expected = malloc(total);
    if (!allocate_one(check, &m->memory, size, m->edge) ||
        !allocate_one(check, &m->sent, total, m->edge) ||
        !allocate_one(check, &m->room, total + 3 * (size_t) GUARD, m->edge) ||
        (size > 0 && (!m->image || !m->after || !m->partial)) || (total > 0 && !m->expected)) {
        return check_fail(check, "no memory for %lld bytes of arena", (long long) m->arena_size);
    }
    m->arena = m->memory.bytes;
    m->stream = m->sent.bytes;
    m->scratch = m->room.bytes;
    m->base = (uintptr_t) m->arena + (uintptr_t) before - (uintptr_t) low;
    return true;
}

/* Kernels that this CPU's make may not choose: for blocks in one set of the cache or in few, and
 * for columns that are, or are not, fetched ahead. */
static void choose_as_another_make(check_t *check, dame_program_t *program)
{
    const bool throttled = rng_chance(&check->rng, 10), paced = rng_chance(&check->rng, 10);
    for (int32_t i = 0; (throttled || paced) && i < program->nprims; i++) {
        dame_prim_t *prim = &program->prims[i];
        if (dame_is_strided_leaf(prim) && prim->interpreted) {
            const dame_run_fn *run =
                paced && prim->iter_size > 0 ? dame_paced_blocks(prim) : dame_throttled;
            prim->interpreted = run;
            dame_prim_set_run(prim, DAME_PACK, run[DAME_PACK]);
            dame_prim_set_run(prim, DAME_UNPACK, run[DAME_UNPACK]);
        }
    }
    dame_rows_ahead_set(rng_chance(&check->rng, 50) ? 16 : 0);
}

/* Gives the message its program, with machine code if the tier compiles. */
static bool use_program(check_t *check, message_t *m, dame_program_t *program)
{
    const tier_t *tier = check->tier;
    m->program = program;
    choose_as_another_make(check, program);
    if (m->edge != EDGE_NONE && rng_chance(&check->rng, tier->compiles ? 50 : 10) &&
        guarded_program_copy(program, m->edge, &m->copied)) {
        m->program = m->copied.program;
    }
    return !tier->compiles || compiled_init(check, &m->compiled, m->program);
}

static bool build(check_t *check, message_t *m)
{
    const tier_t *tier = check->tier;
    const dame_status_t status = tier->obtain(m->type, &tier->options, &m->built);
    if (status != DAME_OK) {
        m->built = NULL;
        return check_fail(check, "building the program: %s", dame_status_text(status));
    }
    return use_program(check, m, m->built);
}

static bool make_absolute(check_t *check, message_t *m)
{
    oracle_fini(&m->oracle);
    m->tree = dame_tree_new();
    m->type = m->tree ? type_shifted(m->tree, m->type, (int64_t) m->base) : NULL;
    m->base = 0;
    return (m->type && oracle_init(&m->oracle, m->type))
               ? check_type(check, m->type, &m->oracle)
               : check_fail(check, "the type cannot be shifted to absolute addresses");
}

bool message_init(check_t *check, message_t *m, const dame_type_t *type, int64_t count,
                  bool absolute)
{
    *m = (message_t){.type = type, .count = count};
    if (!oracle_init(&m->oracle, type)) {
        return check_fail(check, "no memory for the oracle");
    }
    if (!check_type(check, type, &m->oracle) || !allocate(check, m) ||
        (absolute && m->total > 0 && !make_absolute(check, m)) || !build(check, m) ||
        !check_program(check, m)) {
        return false;
    }
    prepare(check, m);
    return true;
}

bool message_init_program(check_t *check, message_t *m, dame_program_t *program,
                          const dame_program_t *meaning, int64_t count)
{
    *m = (message_t){.count = count};
    if (!oracle_init_program(&m->oracle, meaning)) {
        return check_fail(check, "the program's size is not that of its primitives");
    }
    if (!allocate(check, m) || !use_program(check, m, program)) {
        return false;
    }
    m->built = program;
    const bool right = check_program(check, m);
    m->built = NULL;
    prepare(check, m);
    return right;
}

void message_fini(message_t *m)
{
    compiled_fini(&m->compiled);
    guarded_program_free(&m->copied);
    dame_program_free(m->built);
    oracle_fini(&m->oracle);
    dame_tree_free(m->tree);
    guarded_free(&m->memory);
    guarded_free(&m->sent);
    guarded_free(&m->room);
    free(m->image);
    free(m->after);
    free(m->partial);
    free(m->expected);
}

void message_reset(message_t *m)
{
    memcpy(m->arena, m->image, (size_t) m->arena_size);
}

bool message_arena_is(check_t *check, const message_t *m, const char *wanted, const char *doing)
{
    if (memcmp(m->arena, wanted, (size_t) m->arena_size) == 0) {
        return true;
    }
    int64_t i = 0;
    while (m->arena[i] == wanted[i]) {
        i++;
    }
    const char *kind = "is not data of the message";
    long long where = -1;
    for (int64_t k = 0; k < m->total && where < 0; k++) {
        if (oracle_address(&m->oracle, m->base, k) == (uintptr_t) m->arena + (uintptr_t) i) {
            kind = "is packed byte";
            where = k;
        }
    }
    return check_fail(check, "%s: user byte at offset %lld, which %s %lld, is 0x%02x, not 0x%02x",
                      doing, (long long) ((uintptr_t) m->arena + (uintptr_t) i - m->base), kind,
                      where, (unsigned char) m->arena[i], (unsigned char) wanted[i]);
}

bool message_packed_is(check_t *check, const message_t *m, const char *packed, int64_t from,
                       int64_t length, const char *doing)
{
    if (memcmp(packed, m->expected + from, (size_t) length) == 0) {
        return true;
    }
    int64_t i = 0;
    while (packed[i] == m->expected[from + i]) {
        i++;
    }
    return check_fail(check,
                      "%s: byte %lld of %lld packed from position %lld on is 0x%02x, not 0x%02x",
                      doing, (long long) i, (long long) length, (long long) from,
                      (unsigned char) packed[i], (unsigned char) m->expected[from + i]);
}
