/* SPDX-License-Identifier: BSD-3-Clause */
#include "checks.h"

#include <stdio.h>
#include <string.h>

#include "engine/staging.h"

enum {
    SMALL = 200,          /* packed bytes up to which every cut is tried */
    CUT_WORK = 1 << 20,   /* bytes of arena that the cuts of one message may compare */
    TINY_FRAGMENTS = 300, /* fragments of 1..7 bytes in a row */
    MAX_CUTS = 64,        /* fragments of a random cut list */
    COPIED = 4096,        /* bytes of a fragment that may be copied to another place */
    CANARY = 0x5a
};

checked_t checked;

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Between any two moves, other codes. */
static void change_codes(check_t *check, const message_t *m)
{
    if (check->tier->changes && rng_chance(&check->rng, 10)) {
        const char *fault = compiled_change(&m->compiled, &check->rng);
        if (fault) {
            check_fail(check, "changing codes: %s", fault);
        }
    }
}

/* Either way of moving a fragment, in pieces of any size, or half of it by each. */
static dame_staging_t *any_way(check_t *check)
{
    static _Thread_local dame_staging_t staging;
    const dame_staging_place_t place = {.gain = rng_chance(&check->rng, 50) ? 1 : -1,
                                        .until = rng_chance(&check->rng, 70),
                                        .trials = (uint32_t) rng_range(&check->rng, 0, 1)};
    dame_staging_place_t *places = &staging.places[0][0][0];
    staging.piece = rng_chance(&check->rng, 50) ? rng_range(&check->rng, 1, 100) : 0;
    for (size_t i = 0; i < sizeof(staging.places) / sizeof(*places); i++) {
        places[i] = place;
    }
    return &staging;
}

/* ---- the whole message at once ---- */

/* Where `want` packed bytes go: between guards, or at the edge that faults or a sanitizer guards.
 */
static char *packed_place(check_t *check, const message_t *m, int64_t want)
{
    if (rng_chance(&check->rng, 50)) {
        return m->scratch + GUARD;
    }
    return m->edge == EDGE_LOW ? m->scratch : m->scratch + m->total + 3 * GUARD - want;
}

/* Up to GUARD bytes on either side of [packed, packed + n) are set, or are still as they were. */
static void set_guards(const message_t *m, char *packed, int64_t n)
{
    char *low = packed - min(GUARD, packed - m->scratch);
    char *end = m->scratch + m->total + 3 * GUARD;
    memset(low, CANARY, (size_t) (packed + min(n + GUARD, end - packed) - low));
}

static bool guards_are_set(const message_t *m, const char *packed, int64_t n)
{
    const char *behind = packed + n;
    bool set = true;
    for (int64_t i = 1; i <= min(GUARD, packed - m->scratch); i++) {
        set &= packed[-i] == CANARY;
    }
    for (int64_t i = 0; i < min(GUARD, m->scratch + m->total + 3 * GUARD - behind); i++) {
        set &= behind[i] == CANARY;
    }
    return set;
}

static bool check_run_pack(check_t *check, message_t *m)
{
    char *packed = packed_place(check, m, m->total);
    set_guards(m, packed, m->total);
    dame_program_run(m->program, DAME_PACK, m->base, m->count, packed);
    bool ok = message_packed_is(check, m, packed, 0, m->total, "run pack");
    if (ok && !guards_are_set(m, packed, m->total)) {
        ok = check_fail(check, "run pack: wrote outside the packed buffer");
    }
    return ok && message_arena_is(check, m, m->image, "run pack (must not write)");
}

static bool check_run_unpack(check_t *check, message_t *m)
{
    if (m->overlapping) {
        return true;
    }
    dame_program_run(m->program, DAME_UNPACK, m->base, m->count, m->stream);
    bool ok = message_arena_is(check, m, m->after, "run unpack");
    message_reset(m);
    return ok;
}

/* ---- one fragment ---- */

/* The last place in [position, position + most] where a basic element begins or the message ends.
 */
static int64_t whole_elements(const message_t *m, int64_t position, int64_t most)
{
    while (most > 0 && !oracle_is_boundary(&m->oracle, m->count, position + most)) {
        most--;
    }
    return most;
}

/*
 * The documented return value of dame_cursor_pack(): all whole basic elements that fit, where they
 * are of one size; otherwise less than a granule is left. With much room a short block may be left
 * whole. dame_cursor_pack_exact(): what fits.
 */
static bool check_returned(check_t *check, const message_t *m, const dame_cursor_t *cursor,
                           int64_t position, int64_t want, int64_t got, bool exact)
{
    int64_t granule = m->program->granule;
    int64_t most = min(want, m->total - position);
    bool spares = !exact && got < most && dame_cursor_spares(cursor, want) != 0;
    const char *fault = NULL;
    if (got < 0 || got > most) {
        fault = "is out of range";
    } else if (exact && got != most) {
        fault = "is not exact";
    } else if (position + most == m->total && got != most) {
        fault = "stops before the end although all fits";
    } else if (!exact && got > 0 && !oracle_is_boundary(&m->oracle, m->count, position + got)) {
        fault = "ends inside a basic element";
    } else if (!exact && !spares && m->unit != 0 && got != whole_elements(m, position, most)) {
        fault = "is less than all whole elements";
    } else if (!exact && !spares && most - got >= granule) {
        fault = "leaves a granule or more unused";
    } else if (spares && (want < DAME_SPARING_ROOM || cursor->in_block != 0 ||
                          most - got >= DAME_SPARED_BLOCK)) {
        fault = "spares more than a short block";
    }
    if (fault) {
        return check_fail(check,
                          "pack%s at %lld of %lld bytes into %lld returned %lld, which %s (granule "
                          "%lld)",
                          exact ? "_exact" : "", (long long) position, (long long) m->total,
                          (long long) want, (long long) got, fault, (long long) granule);
    }
    return true;
}

/* Where the cursor says it stands. */
static bool check_stand(check_t *check, const message_t *m, const dame_cursor_t *cursor,
                        int64_t position)
{
    if (cursor->position != position || cursor->total != m->total) {
        return check_fail(check, "cursor stands at %lld of %lld, not %lld of %lld",
                          (long long) cursor->position, (long long) cursor->total,
                          (long long) position, (long long) m->total);
    }
    bool boundary = oracle_is_boundary(&m->oracle, m->count, position);
    bool said = dame_cursor_on_boundary(cursor) != 0;
    /* It may not know, except where all elements have one size, and at both ends. */
    bool knows = m->unit != 0 || position == 0 || position == m->total;
    if (said != boundary && (said || knows)) {
        return check_fail(check, "on_boundary at %lld of %lld says %d", (long long) position,
                          (long long) m->total, said);
    }
    return true;
}

/* Packs one fragment, in either way; returns its length, or -1 after a failure. */
static int64_t pack_piece(check_t *check, message_t *m, dame_cursor_t *cursor, int64_t position,
                          int64_t want, bool exact)
{
    char *packed = packed_place(check, m, want);
    set_guards(m, packed, want);
    change_codes(check, m);
    int64_t got = exact ? dame_cursor_pack_exact(cursor, packed, want)
                  : rng_chance(&check->rng, 50)
                      ? dame_cursor_pack(cursor, packed, want)
                      : dame_staging_pack(any_way(check), cursor, packed, want);
    if (!check_returned(check, m, cursor, position, want, got, exact) ||
        !message_packed_is(check, m, packed, position, got, "fragment pack") ||
        !check_stand(check, m, cursor, position + got)) {
        return -1;
    }
    if (!guards_are_set(m, packed, got)) {
        check_fail(check, "fragment pack: wrote outside its %lld bytes", (long long) got);
        return -1;
    }
    return got;
}

static bool unpack_piece(check_t *check, message_t *m, dame_cursor_t *cursor, int64_t position,
                         int64_t want)
{
    const char *packed = m->stream + position;
    change_codes(check, m);
    if (want <= COPIED && rng_chance(&check->rng, 30)) { /* nothing but these bytes may be read */
        char *copy = packed_place(check, m, want);
        packed = memcpy(copy, packed, (size_t) min(want, m->total - position));
    }
    int64_t got = rng_chance(&check->rng, 50)
                      ? dame_cursor_unpack(cursor, packed, want)
                      : dame_staging_unpack(any_way(check), cursor, packed, want);
    if (got != min(want, m->total - position)) {
        return check_fail(check, "unpack at %lld of %lld of %lld bytes returned %lld",
                          (long long) position, (long long) m->total, (long long) want,
                          (long long) got);
    }
    return check_stand(check, m, cursor, position + got);
}

static bool start(check_t *check, const message_t *m, dame_cursor_t *cursor)
{
    dame_status_t status = dame_cursor_init(cursor, m->program, m->base, m->count);
    if (status != DAME_OK) {
        return check_fail(check, "dame_cursor_init: %s", dame_status_text(status));
    }
    if (cursor->position != 0 || cursor->total != m->total) {
        dame_cursor_fini(cursor);
        return check_fail(check, "a new cursor stands at %lld of %lld",
                          (long long) cursor->position, (long long) cursor->total);
    }
    return true;
}

/* Packs [from, to) in fragments of at most `step` bytes, exact ones where nothing else fits. */
static bool pack_range(check_t *check, message_t *m, dame_cursor_t *cursor, int64_t from,
                       int64_t to, int64_t step)
{
    while (from < to) {
        int64_t want = min(step, to - from);
        int64_t got = pack_piece(check, m, cursor, from, want, rng_chance(&check->rng, 25));
        if (got == 0) {
            got = pack_piece(check, m, cursor, from, want, true);
        }
        if (got < 0) {
            return false;
        }
        from += got;
    }
    return true;
}

/* ---- every cut, or some ---- */

static bool check_cut_pack(check_t *check, message_t *m, int64_t k)
{
    dame_cursor_t cursor;
    if (!start(check, m, &cursor)) {
        return false;
    }
    int64_t got = pack_piece(check, m, &cursor, 0, k, rng_chance(&check->rng, 50));
    bool ok = got >= 0 && pack_range(check, m, &cursor, got, m->total, m->total);
    if (ok) {
        dame_cursor_seek(&cursor, k);
        ok = pack_range(check, m, &cursor, k, m->total, m->total) &&
             pack_piece(check, m, &cursor, m->total, 8, false) == 0 && /* nothing is left */
             pack_piece(check, m, &cursor, m->total, 8, true) == 0;
    }
    dame_cursor_fini(&cursor);
    return ok;
}

/* m->partial holds what must be there after [0, k). */
static bool check_cut_unpack(check_t *check, message_t *m, int64_t k)
{
    dame_cursor_t cursor;
    if (!start(check, m, &cursor)) {
        return false;
    }
    message_reset(m);
    bool ok = unpack_piece(check, m, &cursor, 0, k) &&
              message_arena_is(check, m, m->partial, "unpack up to the cut") &&
              unpack_piece(check, m, &cursor, k, m->total - k) &&
              message_arena_is(check, m, m->after, "unpack in two fragments");
    if (ok) {
        message_reset(m);
        dame_cursor_seek(&cursor, k);
        ok = unpack_piece(check, m, &cursor, k, m->total - k);
        dame_cursor_seek(&cursor, 0);
        ok = ok && unpack_piece(check, m, &cursor, 0, k) &&
             message_arena_is(check, m, m->after, "unpack the second fragment first");
    }
    message_reset(m);
    dame_cursor_fini(&cursor);
    return ok;
}

static bool check_cuts(check_t *check, message_t *m)
{
    /* Small steps between the cuts tried; 1 means all. */
    int64_t steps = 1;
    if (m->total > SMALL || m->total * m->arena_size > CUT_WORK) {
        int64_t cuts = min(min(SMALL, CUT_WORK / (m->arena_size + m->total + 1)), m->total);
        steps = 2 * m->total / (cuts + 1) + 1;
    }
    memcpy(m->partial, m->image, (size_t) m->arena_size);
    uintptr_t partial = message_base_in(m, m->partial);
    int64_t done = 0;
    bool ok = true;
    for (int64_t k = 0; ok && k <= m->total; k += rng_range(&check->rng, 1, 2 * steps - 1)) {
        ok = check_cut_pack(check, m, k);
        if (ok && !m->overlapping) {
            oracle_unpack(&m->oracle, partial, done, k, m->stream + done);
            done = k;
            ok = check_cut_unpack(check, m, k);
        }
    }
    return ok;
}

/* ---- fragments ---- */

/* Many fragments of 1 to 7 bytes, from a random position on. */
static bool check_tiny(check_t *check, message_t *m, bool unpack)
{
    dame_cursor_t cursor;
    if (!start(check, m, &cursor)) {
        return false;
    }
    int64_t from = m->total > 4 * TINY_FRAGMENTS ? rng_range(&check->rng, 0, m->total - 1) : 0;
    dame_cursor_seek(&cursor, from);
    int64_t position = from;
    bool ok = true;
    for (int i = 0; ok && i < TINY_FRAGMENTS && position < m->total; i++) {
        int64_t want = rng_range(&check->rng, 0, 7);
        int64_t got = min(want, m->total - position);
        if (unpack) {
            ok = unpack_piece(check, m, &cursor, position, want);
        } else {
            got = pack_piece(check, m, &cursor, position, want, rng_chance(&check->rng, 50));
            ok = got >= 0;
        }
        position += got;
    }
    dame_cursor_fini(&cursor);
    if (ok && unpack) {
        memcpy(m->partial, m->image, (size_t) m->arena_size);
        oracle_unpack(&m->oracle, message_base_in(m, m->partial), from, position, m->stream + from);
        ok = message_arena_is(check, m, m->partial, "unpack in tiny fragments");
        message_reset(m);
    }
    return ok;
}

/* Cut positions, 0 and total among them, in order; returns the number of fragments between them. */
static int random_cuts(rng_t *rng, int64_t total, int64_t *cuts)
{
    int n = (int) min(total, rng_range(rng, 1, rng_chance(rng, 50) ? 5 : MAX_CUTS));
    if (n == 0) {
        return 0;
    }
    int64_t even = rng_chance(rng, 40) ? (total + n - 1) / n : 0;
    int64_t at = 0;
    int k = 0;
    cuts[0] = 0;
    while (at < total && k < n - 1) {
        int64_t length = even ? even : rng_range(rng, 1, 2 * (total - at) / (n - k) + 1);
        at = min(total, at + length);
        cuts[++k] = at;
    }
    if (at < total) {
        cuts[++k] = total;
    }
    return k;
}

/* One fragment of a list, through the cursor that is kept or one of its own. */
static bool check_fragment(check_t *check, message_t *m, dame_cursor_t *kept, int64_t from,
                           int64_t to, bool unpack)
{
    dame_cursor_t own;
    dame_cursor_t *cursor = kept;
    if (rng_chance(&check->rng, 30)) {
        if (!start(check, m, &own)) {
            return false;
        }
        cursor = &own;
    }
    if (cursor->position != from || rng_chance(&check->rng, 10)) {
        dame_cursor_seek(cursor, from);
    }
    bool ok = check_stand(check, m, cursor, from);
    ok = ok && (unpack ? unpack_piece(check, m, cursor, from, to - from)
                       : pack_range(check, m, cursor, from, to, to - from));
    if (cursor == &own) {
        dame_cursor_fini(&own);
    }
    return ok;
}

static bool check_fragments(check_t *check, message_t *m, bool unpack, bool in_order)
{
    int64_t cuts[MAX_CUTS + 2];
    int order[MAX_CUTS + 2];
    int n = random_cuts(&check->rng, m->total, cuts);
    for (int i = 0; i < n; i++) {
        int k = in_order ? i : (int) rng_range(&check->rng, 0, i);
        order[i] = order[k];
        order[k] = i;
    }
    dame_cursor_t kept;
    if (!start(check, m, &kept)) {
        return false;
    }
    bool ok = true;
    for (int i = 0; ok && i < n; i++) {
        ok = check_fragment(check, m, &kept, cuts[order[i]], cuts[order[i] + 1], unpack);
    }
    dame_cursor_fini(&kept);
    if (ok && unpack) {
        ok = message_arena_is(check, m, m->after,
                              in_order ? "unpack in fragments" : "unpack in shuffled fragments");
        message_reset(m);
    }
    return ok;
}

/* ---- blocks ---- */

/* Length of the piece of contiguous memory that starts with packed byte `position`. */
static int64_t piece_length(const message_t *m, int64_t position)
{
    int64_t end = position + 1;
    uintptr_t at = oracle_address(&m->oracle, m->base, position);
    while (end < m->total && oracle_address(&m->oracle, m->base, end) == ++at) {
        end++;
    }
    return end - position;
}

static bool check_blocks(check_t *check, message_t *m, int64_t from)
{
    enum { MOST = 9 };
    dame_block_t blocks[MOST + 1];
    dame_cursor_t cursor;
    if (!start(check, m, &cursor)) {
        return false;
    }
    dame_cursor_seek(&cursor, from);
    int64_t position = from;
    bool ok = true;
    for (bool more = true; ok && more;) {
        int32_t n = (int32_t) rng_range(&check->rng, 1, MOST);
        blocks[n] = (dame_block_t){.address = 1, .length = CANARY};
        int32_t got = dame_cursor_blocks(&cursor, blocks, n);
        ok = got >= 0 && got <= n && blocks[n].address == 1 && blocks[n].length == CANARY;
        if (!ok) {
            check_fail(check, "blocks: %d wanted, %d returned", n, got);
        }
        for (int32_t i = 0; ok && i < got; i++) {
            int64_t length = position < m->total ? piece_length(m, position) : 0;
            uintptr_t at = length ? oracle_address(&m->oracle, m->base, position) : 0;
            if (length != blocks[i].length || at != blocks[i].address) {
                ok =
                    check_fail(check,
                               "blocks from %lld on: at %lld a piece of %lld bytes at offset %lld,"
                               " not %lld bytes at offset %lld",
                               (long long) from, (long long) position, (long long) blocks[i].length,
                               (long long) (blocks[i].address - m->base), (long long) length,
                               (long long) (at - m->base));
            }
            position += length;
        }
        more = got == n;
        if (ok && (cursor.position != position || (!more && position != m->total))) {
            ok = check_fail(check, "blocks from %lld on: cursor at %lld, %lld bytes were listed",
                            (long long) from, (long long) cursor.position, (long long) position);
        }
    }
    dame_cursor_fini(&cursor);
    return ok;
}

/* ---- all of it ---- */

bool check_moves(check_t *check, message_t *m)
{
    rng_t *rng = &check->rng;
    return check_run_pack(check, m) && check_run_unpack(check, m) && check_copy(check, m) &&
           check_blocks(check, m, 0) &&
           check_blocks(check, m, m->total > 0 ? rng_range(rng, 0, m->total - 1) : 0) &&
           check_tiny(check, m, false) && check_fragments(check, m, false, true) &&
           check_fragments(check, m, false, false) &&
           message_arena_is(check, m, m->image, "packing and listing (must not write)") &&
           (m->overlapping ||
            (check_tiny(check, m, true) && check_fragments(check, m, true, true) &&
             check_fragments(check, m, true, false)));
}

static bool check_all(check_t *check, message_t *m)
{
    if (!check_moves(check, m) || !check_cuts(check, m)) {
        return false;
    }
    return check->tier->compiles ? check_gap_pages(check, m) && check_grid(check, m)
                                 : check_text(check, m->program, m) && check_normal_form(check, m);
}

/* The kernels that are left without machine code run. */
static bool check_released(check_t *check, message_t *m)
{
    if (check->message[0] != '\0') { /* of change_codes() */
        return false;
    }
    return !check->tier->compiles || (compiled_release(check, &m->compiled) &&
                                      (!rng_chance(&check->rng, 10) || check_run_pack(check, m)));
}

bool check_message(check_t *check, const dame_type_t *type, int64_t count, bool absolute,
                   void (*use)(const dame_program_t *program, const message_t *m))
{
    message_t m;
    bool ok = message_init(check, &m, type, count, absolute) && check_all(check, &m) &&
              check_threads(check, &m) && check_released(check, &m);
    if (ok && use) {
        use(m.program, &m);
    }
    message_fini(&m);
    return ok;
}

bool check_pair(check_t *check, const dame_type_t *a, int64_t count_a, const dame_type_t *b,
                int64_t count_b)
{
    message_t from;
    message_t to;
    bool ok = message_init(check, &from, a, count_a, false);
    if (!message_init(check, &to, b, count_b, false)) {
        ok = false;
    } else if (ok && from.total != to.total) {
        ok = check_fail(check, "the pair's sizes differ: %lld and %lld", (long long) from.total,
                        (long long) to.total);
    } else if (ok && !to.overlapping) {
        /* What a packs becomes the stream that b unpacks. */
        memset(to.stream, 0, (size_t) to.total);
        dame_program_run(from.program, DAME_PACK, from.base, count_a, to.stream);
        oracle_unpack(&to.oracle, message_base_in(&to, to.after), 0, to.total, from.expected);
        ok = check_fragments(check, &from, false, true) &&
             check_fragments(check, &to, true, rng_chance(&check->rng, 50));
    }
    message_fini(&from);
    message_fini(&to);
    return ok;
}
