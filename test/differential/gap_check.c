/* SPDX-License-Identifier: BSD-3-Clause */
#include "checks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_RUNS = 50 }; /* of pages to take away */

/* The pages that the arena is in, and which of them have no data of the message. */
typedef struct gaps {
    char *pages; /* the first */
    size_t page; /* bytes of one */
    size_t n;
    char *empty; /* n entries */
} gaps_t;

static bool find_gaps(const message_t *m, gaps_t *gaps)
{
    gaps->page = (size_t) sysconf(_SC_PAGESIZE);
    gaps->pages = guarded_pages(&m->memory);
    gaps->n = m->memory.room / gaps->page;
    gaps->empty = malloc(gaps->n);
    if (gaps->empty == NULL) {
        return false;
    }
    memset(gaps->empty, 1, gaps->n);
    oracle_place_t place;
    oracle_place(&m->oracle, m->base, 0, &place);
    for (int64_t i = 0; i < m->total; i++) {
        gaps->empty[(oracle_next(&place) - (uintptr_t) gaps->pages) / gaps->page] = 0;
    }
    return true;
}

/* Takes some of the runs of empty pages away; *runs: how many. */
static bool protect(const gaps_t *gaps, rng_t *rng, int *runs)
{
    *runs = 0;
    for (size_t i = 0, end; i < gaps->n; i = end) {
        for (end = i; end < gaps->n && gaps->empty[end]; end++) {
        }
        if (end == i) {
            end++;
            continue;
        }
        if (*runs == MOST_RUNS || rng_chance(rng, 20)) {
            continue;
        }
        if (mprotect(gaps->pages + i * gaps->page, (end - i) * gaps->page, PROT_NONE) != 0) {
            return false;
        }
        ++*runs;
    }
    return true;
}

static bool unprotect(const gaps_t *gaps)
{
    return mprotect(gaps->pages, gaps->n * gaps->page, PROT_READ | PROT_WRITE) == 0;
}

/* The whole message, or in a few fragments; every byte of it is overwritten. */
static bool move(check_t *check, const message_t *m, dame_dir_t dir, char *packed)
{
    dame_cursor_t cursor;
    if (rng_chance(&check->rng, 50)) {
        dame_program_run(m->program, dir, m->base, m->count, packed);
        return true;
    }
    if (dame_cursor_init(&cursor, m->program, m->base, m->count) != DAME_OK) {
        return check_fail(check, "gaps: dame_cursor_init failed");
    }
    while (cursor.position < m->total) {
        int64_t want = rng_range(&check->rng, 1, m->total);
        if (dir == DAME_PACK) {
            dame_cursor_pack_exact(&cursor, packed + cursor.position, want);
        } else {
            dame_cursor_unpack(&cursor, packed + cursor.position, want);
        }
    }
    dame_cursor_fini(&cursor);
    return true;
}

/* A fault in here is one byte read or written outside. */
static bool move_with_gaps(check_t *check, message_t *m, const gaps_t *gaps)
{
    int runs;
    char *packed = m->scratch + GUARD;
    if (!protect(gaps, &check->rng, &runs)) {
        return unprotect(gaps) && check_fail(check, "gaps: pages cannot be taken away");
    }
    checked.gaps += runs > 0;
    bool ok = move(check, m, DAME_PACK, packed) &&
              (m->overlapping || move(check, m, DAME_UNPACK, m->stream));
    if (!unprotect(gaps)) {
        return check_fail(check, "gaps: pages cannot be had back");
    }
    ok = ok && message_packed_is(check, m, packed, 0, m->total, "pack around missing pages") &&
         message_arena_is(check, m, m->overlapping ? m->image : m->after,
                          "unpack around missing pages");
    message_reset(m);
    return ok;
}

bool check_gap_pages(check_t *check, message_t *m)
{
    gaps_t gaps;
    if (m->edge == EDGE_NONE || m->total == 0 ||
        m->memory.room / 2 < (size_t) sysconf(_SC_PAGESIZE)) {
        return true;
    }
    if (!find_gaps(m, &gaps)) {
        return check_fail(check, "gaps: no memory");
    }
    bool ok = memchr(gaps.empty, 1, gaps.n) == NULL || move_with_gaps(check, m, &gaps);
    free(gaps.empty);
    return ok;
}
