/* SPDX-License-Identifier: BSD-3-Clause */
#include "body.h"

#include "jit/shape.h"

enum { FAR = 1 << 28 }; /* displacements in straight-line code lie within */

/* A block behind the others, merged where it continues the last one. */
static int append_body(l_body_t *body, int64_t user, int64_t bytes)
{
    l_span_t *last = body->n > 0 ? &body->at[body->n - 1] : NULL;
    if (user < -FAR || user > FAR || bytes > L_LONG) {
        return 0;
    }
    if (last != NULL && last->user + last->bytes == user && last->bytes + bytes <= L_LONG) {
        last->bytes += bytes;
    } else if (body->n == L_MOST_BLOCKS) {
        return 0;
    } else {
        body->at[body->n++] = (l_span_t){user, body->bytes, bytes};
    }
    body->bytes += bytes;
    return 1;
}

static int append_level(const dame_prim_t *level, int64_t n, int64_t user, l_body_t *body)
{
    if (!dame_shape_has_sizes(level) ||
        !(dame_prim_has_list(level) ? dame_shape_has_disps(level) : dame_shape_has_step(level)) ||
        n > L_MOST_BLOCKS * L_STRAIGHT) {
        return 0;
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t offset = (int64_t) dame_iter_offset(level, i);
        const int32_t delta = dame_iter_inner(level, i);
        const dame_prim_t *inner = level + delta;
        int64_t at;
        if (offset < -FAR || offset > FAR || __builtin_add_overflow(user, offset, &at)) {
            return 0;
        }
        if (!(delta == 0 ? append_body(body, at, dame_iter_size(level, i))
                         : append_level(inner, dame_iter_inner_count(level, i, inner), at, body))) {
            return 0;
        }
    }
    return 1;
}

static int64_t packed_bytes(const dame_prim_t *level, int64_t n)
{
    int64_t bytes;
    if (level->prefix != NULL) {
        return dame_shape_has_sizes(level) ? level->prefix[n] : INT64_MAX;
    }
    return __builtin_mul_overflow(n, level->iter_size, &bytes) ? INT64_MAX : bytes;
}

int l_body_of_level(const dame_prim_t *level, int64_t n, int64_t most_bytes, l_body_t *body)
{
    *body = (l_body_t){.n = 0};
    const int64_t bytes = packed_bytes(level, n);
    return bytes > 0 && bytes <= most_bytes && append_level(level, n, 0, body);
}

int l_body_of_iteration(const dame_prim_t *level, l_body_t *body)
{
    *body = (l_body_t){.n = 0};
    if (level->prefix != NULL || level->iter_size == 0) {
        return 0;
    }
    if (level->inner_delta == 0) {
        return append_body(body, 0, level->iter_size);
    }
    const dame_prim_t *inner = level + level->inner_delta;
    return level->iter_size <= L_STRAIGHT && inner->count > 0 &&
           append_level(inner, inner->count, 0, body);
}

int l_body_repeat(const l_body_t *one, int64_t step, int64_t n, l_body_t *body)
{
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < one->n; k++) {
            if (!append_body(body, i * step + one->at[k].user, one->at[k].bytes)) {
                return 0;
            }
        }
    }
    return 1;
}

void l_body_bounds(const l_body_t *body, int64_t *low, int64_t *high)
{
    *low = INT64_MAX;
    *high = INT64_MIN;
    for (int k = 0; k < body->n; k++) {
        const l_span_t *at = &body->at[k];
        *low = at->user < *low ? at->user : *low;
        *high = at->user + at->bytes > *high ? at->user + at->bytes : *high;
    }
}
