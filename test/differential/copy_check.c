/* SPDX-License-Identifier: BSD-3-Clause */
#include "checks.h"

#include <string.h>

enum { TRIES = 8, NEAR = 64, COPY_WORK = 1 << 16 };

/* Everything at displacements from `base` moves to the arena, from memory beside it, and nothing
 * else. */
static bool copies(check_t *check, message_t *m)
{
    guarded_t beside;
    if (m->base == 0 && m->total > 0) { /* the same bytes at one address only */
        return true;
    }
    if (!guarded_alloc(&beside, (size_t) m->arena_size, m->edge)) {
        return check_fail(check, "copy: no memory");
    }
    memcpy(beside.bytes, m->image, (size_t) m->arena_size);
    rng_fill(&check->rng, m->arena, m->arena_size);
    memcpy(m->partial, m->arena, (size_t) m->arena_size);
    const uintptr_t from = message_base_in(m, beside.bytes);
    bool ok = true;
    if (dame_program_is_apart(m->program, m->count, (int64_t) (m->base - from))) {
        dame_program_copy(m->program, m->base, from, m->count);
        oracle_unpack(&m->oracle, message_base_in(m, m->partial), 0, m->total, m->expected);
        ok = message_arena_is(check, m, m->partial, "copy");
    } else {
        ok = check_fail(check, "two buffers %lld bytes apart are reported to meet",
                        (long long) (m->base - from));
    }
    if (ok && memcmp(beside.bytes, m->image, (size_t) m->arena_size) != 0) {
        ok = check_fail(check, "copy: wrote where it was to read");
    }
    guarded_free(&beside);
    message_reset(m);
    return ok;
}

/* No byte of the message may be one of the same message `shift` bytes on, if that is reported. */
static bool is_apart(check_t *check, message_t *m)
{
    for (int i = 0; i < TRIES; i++) {
        const int64_t most = i % 2 ? NEAR : m->arena_size;
        const int64_t shift = rng_range(&check->rng, -most, most);
        if (!dame_program_is_apart(m->program, m->count, shift)) {
            continue;
        }
        memset(m->partial, 0, (size_t) m->arena_size);
        const uintptr_t base = message_base_in(m, m->partial);
        for (int64_t k = 0; k < m->total; k++) {
            *(char *) oracle_address(&m->oracle, base, k) = 1;
        }
        for (int64_t k = 0; k < m->total; k++) {
            const uintptr_t at =
                oracle_address(&m->oracle, base, k) + (uintptr_t) shift - (uintptr_t) m->partial;
            if (at < (uintptr_t) m->arena_size && m->partial[at] != 0) {
                return check_fail(check, "%lld bytes away the message is reported to be apart",
                                  (long long) shift);
            }
        }
        checked.apart += shift > -m->arena_size && shift < m->arena_size;
    }
    return true;
}

bool check_copy(check_t *check, message_t *m)
{
    return copies(check, m) && (m->total > COPY_WORK || is_apart(check, m));
}
