/* SPDX-License-Identifier: BSD-3-Clause */
/* Names: of CPUs, of kinds of programs, and of sizes. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/machine.h"
#include "dame/isa.h"
#include "profile.h"

/* ---- CPUs ----------------------------------------------------------------------------------- */

void dame_profile_cpu(char *name, size_t room)
{
    char maker[64];
    const dame_data_cache_t *cache = dame_data_cache();
    const dame_cpu_t cpu = dame_isa_cpu();
    dame_machine_model(maker, sizeof(maker));
    for (char *c = maker; *c != '\0'; c++) {
        const int is_kept =
            (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9');
        *c = (char) (is_kept ? *c : '-');
    }
    (void) snprintf(name, room, "%s-%" PRId64 "K-%" PRId64 "K-%s%s", maker, cache->l1 / 1024,
                    cache->l2 / 1024, dame_isa_for(&cpu), cpu.avx512_vbmi ? "-vbmi" : "");
}

/* ---- Programs ------------------------------------------------------------------------------- */

/* The level of blocks that moves the most bytes in one run, and how many levels are around it. */
typedef struct leaf {
    const dame_prim_t *prim;
    int64_t bytes;
    int depth;
} leaf_t;

static void find_leaf(const dame_prim_t *prim, int64_t iterations, int depth, leaf_t *best)
{
    enum { DEEP = 8, MANY = 32 }; /* deeper levels are not looked at */
    if (prim->inner_delta == 0 && prim->inner_deltas == NULL) {
        const int64_t bytes =
            prim->prefix != NULL ? prim->prefix[prim->count] : iterations * prim->iter_size;
        if (best->prim == NULL || bytes > best->bytes) {
            *best = (leaf_t){prim, bytes, depth};
        }
        return;
    }
    const int64_t bodies = prim->inner_deltas == NULL ? 1 : iterations < MANY ? iterations : MANY;
    for (int64_t i = 0; i < bodies && depth < DEEP; i++) {
        const int32_t inner = dame_iter_inner(prim, i);
        if (inner != 0) {
            const dame_prim_t *level = prim + inner;
            find_leaf(level, dame_iter_inner_count(prim, i, level), depth + 1, best);
        }
    }
}

/* A block's bytes: exactly up to 8, then the power of two that it is or lies below, up to 4096. */
static const char *size_name(int64_t bytes)
{
    static const char *const exact[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8"};
    static const struct {
        const char *is, *below;
    } powers[] = {{"16", "<16"},     {"32", "<32"},     {"64", "<64"},
                  {"128", "<128"},   {"256", "<256"},   {"512", "<512"},
                  {"1024", "<1024"}, {"2048", "<2048"}, {"4096", "<4096"}};
    enum { POWERS = sizeof(powers) / sizeof(powers[0]) };
    if (bytes <= 8) {
        return exact[bytes];
    }
    for (int i = 0; i < POWERS; i++) {
        if (bytes <= 16 << i) {
            return bytes == 16 << i ? powers[i].is : powers[i].below;
        }
    }
    return "long";
}

void dame_profile_kind(const dame_program_t *program, char kind[DAME_PROFILE_WORD])
{
    leaf_t leaf = {.depth = 0};
    find_leaf(program->prims, 1, 0, &leaf);
    if (leaf.prim == NULL || program->size == 0) {
        (void) snprintf(kind, DAME_PROFILE_WORD, "other");
        return;
    }
    const dame_prim_t *prim = leaf.prim;
    const dame_data_cache_t *cache = dame_data_cache();
    const int64_t step = prim->step < 0 ? -prim->step : prim->step;
    const int64_t average =
        prim->prefix != NULL && prim->count > 0 ? leaf.bytes / prim->count : prim->iter_size;
    const char *shape = prim->prefix != NULL       ? "blocks"
                        : dame_prim_has_list(prim) ? "list"
                                                   : "steps";
    const char *distance = dame_prim_has_list(prim)                ? ""
                           : step < cache->line                    ? "-near"
                           : step % (cache->l1 / cache->ways) == 0 ? "-set"
                                                                   : "-far";
    /* All words have room, and a message waits. */
    char *end = stpcpy(stpcpy(kind, shape), "-");
    end = stpcpy(stpcpy(end, size_name(average)), distance);
    (void) stpcpy(end, leaf.depth > 1 ? "-nested" : "");
}

int32_t dame_profile_class(int64_t packed_bytes)
{
    return packed_bytes <= 1 ? 0 : (63 - __builtin_clzll((uint64_t) packed_bytes)) / 2;
}
