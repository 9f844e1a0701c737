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

/* at[p]: the number of the byte of the arrays, one behind the other, at which packed byte p lies.
 * Only the hand loops know: they unpack streams of bytes that are a part of their position. NULL:
 * out of memory. */
static size_t *places(const struct layout *layout, const struct layout_side *side)
{
    size_t all = 0;
    for (int a = 0; a < side->arrays; a++) {
        all += side->array[a].size;
    }
    size_t *position = calloc(all, sizeof(*position)), *at = calloc(layout->bytes, sizeof(*at));
    unsigned char *stream = malloc(layout->bytes), *touched = calloc(all, 1);
    for (int pass = -1;
         NULL != position && NULL != at && NULL != stream && NULL != touched && pass < 4; pass++) {
        for (size_t p = 0; p < layout->bytes; p++) {
            stream[p] = (unsigned char) (pass < 0 ? 255 : p >> 8 * pass);
        }
        clear(side);
        side->unpack(side->plan, stream);
        for (size_t a = 0, n = 0; a < (size_t) side->arrays; a++) {
            for (size_t i = 0; i < side->array[a].size; i++, n++) {
                touched[n] |= pass < 0 ? side->array[a].bytes[i] : 0;
                position[n] |= pass < 0 ? 0 : (size_t) side->array[a].bytes[i] << 8 * pass;
            }
        }
    }
    for (size_t n = 0; NULL != at && n < all; n++) {
        if (0 != touched[n] && position[n] < layout->bytes) {
            at[position[n]] = n;
        }
    }
    free(position);
    free(stream);
    free(touched);
    return at;
}

static uintptr_t address(const struct layout_side *side, size_t place)
{
    int a = 0;
    for (; a + 1 < side->arrays && place >= side->array[a].size; a++) {
        place -= side->array[a].size;
    }
    return (uintptr_t) side->array[a].bytes + place;
}

static int compare(const void *a, const void *b)
{
    const uintptr_t x = *(const uintptr_t *) a, y = *(const uintptr_t *) b;
    return (x > y) - (x < y);
}

/* Sorted, each once. */
static void list_lines(limit_t *limit, const struct layout_side *side, const size_t *at)
{
    uintptr_t *line = limit->line;
    size_t n = 0;
    for (size_t p = 0; p < limit->bytes; p++) {
        const uintptr_t here = address(side, at[p]) / LINE * LINE;
        if (0 == n || line[n - 1] != here) {
            line[n++] = here;
        }
    }
    qsort(line, n, sizeof(*line), compare);
    for (size_t i = 0; i < n; i++) {
        if (0 == i || line[i] != line[limit->lines - 1]) {
            line[limit->lines++] = line[i];
        }
    }
}

limit_t *limit_new(const struct layout *layout, int side_number, unsigned char *packed)
{
    const struct layout_side *side = &layout->side[side_number];
    limit_t *limit = layout->bytes > MOST || 0 == layout->bytes ? NULL : calloc(1, sizeof(*limit));
    if (NULL == limit) {
        return NULL;
    }
    *limit = (limit_t){.packed = packed, .bytes = layout->bytes};
    limit->line = calloc(layout->bytes, sizeof(*limit->line));
    size_t *at = NULL == limit->line ? NULL : places(layout, side);
    if (NULL == at) {
        limit_free(limit);
        return NULL;
    }
    list_lines(limit, side, at);
    free(at);
    return limit;
}

void limit_free(limit_t *limit)
{
    if (NULL != limit) {
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
