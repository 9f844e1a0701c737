/* SPDX-License-Identifier: BSD-3-Clause */
#include "limit.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 64, MOST = 64 << 20 };

struct limit {
    unsigned char *packed;
    size_t bytes, lines;
    uintptr_t *line; /* addresses */
};

/* ---- which lines ---- */

static void clear(const struct layout_side *side)
{
    for (int a = 0; a < side->arrays; a++) {
        memset(side->array[a].bytes, 0, side->array[a].size);
    }
}

/* at[p]: the address of the byte at which packed byte p lies. Only the hand loops know: they unpack
 * streams of bytes that are a part of their position. NULL: out of memory. */
static uintptr_t *places(const struct layout *layout, const struct layout_side *side)
{
    const size_t bytes = layout->bytes;
    unsigned char **touched = malloc(bytes * sizeof(*touched)), *stream = malloc(bytes);
    size_t *position = calloc(bytes, sizeof(*position)), n = 0;
    uintptr_t *at = malloc(bytes * sizeof(*at));
    for (int pass = -1;
         touched != NULL && stream != NULL && position != NULL && at != NULL && pass < 4; pass++) {
        for (size_t p = 0; p < bytes; p++) {
            stream[p] = (unsigned char) (pass < 0 ? 255 : p >> 8 * pass);
        }
        if (pass < 0) {
            clear(side);
        }
        side->unpack(side->plan, stream);
        for (int a = 0; pass < 0 && a < side->arrays; a++) {
            for (size_t i = 0; i < side->array[a].size && n < bytes; i++) {
                if (side->array[a].bytes[i] != 0) {
                    touched[n++] = side->array[a].bytes + i;
                }
            }
        }
        for (size_t k = 0; pass >= 0 && k < n; k++) {
            position[k] |= (size_t) *touched[k] << 8 * pass;
        }
    }
    for (size_t p = n; at != NULL && p < bytes; p++) { /* blocks overlap: any byte will do */
        at[p] = (uintptr_t) side->array[0].bytes;
    }
    for (size_t k = 0; at != NULL && k < n; k++) {
        at[position[k]] = (uintptr_t) touched[k];
    }
    free(touched);
    free(stream);
    free(position);
    return at;
}

static int compare(const void *a, const void *b)
{
    const uintptr_t x = *(const uintptr_t *) a, y = *(const uintptr_t *) b;
    return (x > y) - (x < y);
}

/* Sorted, each once. */
static void list_lines(limit_t *limit, const uintptr_t *at)
{
    uintptr_t *line = limit->line;
    size_t n = 0;
    for (size_t p = 0; p < limit->bytes; p++) {
        const uintptr_t here = at[p] / LINE * LINE;
        if (n == 0 || line[n - 1] != here) {
            line[n++] = here;
        }
    }
    qsort(line, n, sizeof(*line), compare);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || line[i] != line[limit->lines - 1]) {
            line[limit->lines++] = line[i];
        }
    }
}

limit_t *limit_new(const struct layout *layout, int side_number, unsigned char *packed)
{
    const struct layout_side *side = &layout->side[side_number];
    limit_t *limit = layout->bytes > MOST || layout->bytes == 0 ? NULL : calloc(1, sizeof(*limit));
    if (limit == NULL) {
        return NULL;
    }
    *limit = (limit_t){.packed = packed, .bytes = layout->bytes};
    limit->line = calloc(layout->bytes, sizeof(*limit->line));
    uintptr_t *at = limit->line == NULL ? NULL : places(layout, side);
    if (at == NULL) {
        limit_free(limit);
        return NULL;
    }
    list_lines(limit, at);
    free(at);
    return limit;
}

void limit_free(limit_t *limit)
{
    if (limit != NULL) {
        free(limit->line);
        free(limit);
    }
}

/* ---- at least ---- */

static volatile uint64_t sink;

void limit_pack(const limit_t *limit)
{
    uint64_t sum[4] = {0}; /* so that no sum waits for another */
    size_t i = 0;
    memset(limit->packed, 0, limit->bytes);
    for (; i + 4 <= limit->lines; i += 4) {
        for (size_t k = 0; k < 4; k++) {
            sum[k] += *(const uint64_t *) limit->line[i + k];
        }
    }
    for (; i < limit->lines; i++) {
        sum[0] += *(const uint64_t *) limit->line[i];
    }
    sink = sum[0] + sum[1] + sum[2] + sum[3];
}

void limit_unpack(const limit_t *limit)
{
    uint64_t sum[4] = {0};
    const size_t words = limit->bytes / sizeof(uint64_t) / 4 * 4;
    for (size_t w = 0; w < words; w += 4) {
        for (size_t k = 0; k < 4; k++) {
            uint64_t word;
            memcpy(&word, limit->packed + (w + k) * sizeof(word), sizeof(word));
            sum[k] += word;
        }
    }
    for (size_t i = 0; i < limit->lines; i++) {
        *(uint64_t *) limit->line[i] = 0;
    }
    sink = sum[0] + sum[1] + sum[2] + sum[3];
}
